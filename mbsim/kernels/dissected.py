"""The elimination of `blocks` and `planar_blocks` in parts that do not meet, by as many threads as there are: nested dissection.

`mbsim.methods._dissection` has divided the table. The blocks of a part meet those of the same part and of the separators only, and a body
belongs to one part or to the separators alone. So the parts are eliminated at the same time. What a part takes from the blocks and right
sides of the separators, it adds up in places of its own. Then come the separators, after which the parts are solved at the same time.

One thread, which marches, calls `solve_dissected`. Others may call `serve`. A job is a sweep over all parts. Each part is swept by the
first thread that claims it, and by the same operations whoever that is: the numbers do not depend on the threads. The marching thread
claims what nobody has begun, so it waits only for parts that another has begun.
"""

from mbsim.jit import helper
from mbsim.jit.shared import claimed, publish, rest, seen
from mbsim.kernels import block_columns as col
from mbsim.kernels.block_rows import add_reactions, meet, unweigh, weigh_forces, weigh_rows
from mbsim.kernels.blocks import backward, factor_forward, first_entry
from mbsim.kernels.planar_blocks import CLOSE, INDEPENDENT, WEAKER, accelerate, eliminate, substitute, velocities

INWARDS, OUTWARDS = 0, 1  # the two kinds of jobs: to the separators, and from them


@helper
def directory(plan):
    """The line behind the table of the whole, where that of the parts begins if there are any."""
    return first_entry(plan) + plan[0, col.ENTRY_COUNT] + plan[0, col.PRODUCT_COUNT]


@helper
def part_count(plan):
    """How many parts the table is divided in; 0 where it is not."""
    line = directory(plan)
    return plan[line, col.PARTS] if line < plan.shape[0] else 0


@helper
def clear_blocks(plan, line, S):
    """S = 0 in the blocks of a part and in what it carries."""
    for k in range(plan[line, col.BLOCKS], plan[line, col.BLOCKS_END]):
        S[k] = 0.0
    for n in range(plan[line, col.CARRIED], plan[line, col.CARRIED_END]):
        at = plan[n, col.CARRIED_FROM]
        for k in range(at, at + plan[n, col.CARRIED_COUNT]):
            S[k] = 0.0


@helper
def copy_rows(part, y, out):
    """out = y in the rows of a part."""
    for e in range(part[0, col.NODE_COUNT]):
        first = part[1 + e, col.FIRST]
        for r in range(first, first + part[1 + e, col.SIZE]):
            out[r] = y[r]


@helper
def factor_part(part, J, weak, near, y, own):
    """The factors of a part whose blocks are there, and y = L^-1 y on its rows; returns as `planar_blocks.eliminate`."""
    if own.bodies.shape[0] > 0:
        return eliminate(part, J, weak, near, own.S, own.bodies, y)
    weakest, bad = factor_forward(part, own.S, own.lengths, own.y.shape[0], 0.0, own.dropped, own.inverse, y)
    if bad >= 0 or weakest < weak:
        return WEAKER
    return CLOSE if weakest < near else INDEPENDENT


@helper
def solve_part(part, J, y, own):
    """y becomes the multipliers of the rows of a part, and its bodies are moved by them."""
    if own.bodies.shape[0] > 0:
        substitute(part, J, own.S, own.bodies, y)
    else:
        backward(part, own.S, own.inverse, y)
        add_reactions(part, own.Y, own.E, y, own.u)


@helper
def sweep(plan, J, weak, near, p, kind, own):
    """Do part p of a job; returns what its pivots show."""
    line = directory(plan) + 1 + p
    part, y = plan[plan[line, col.TABLE] : plan[line, col.TABLE_END]], own.apart[p]
    shown = INDEPENDENT
    if kind == INWARDS:
        clear_blocks(plan, line, own.S)
        for n in range(plan[line, col.TOUCHED], plan[line, col.TOUCHED_END]):
            first = plan[n, col.TOUCHED_ROW]
            for r in range(first, first + plan[n, col.TOUCHED_COUNT]):
                y[r] = 0.0
        copy_rows(part, own.y, y)
        if own.bodies.shape[0] == 0:
            weigh_rows(part, J, own.Y, own.W, own.W.shape[0] - 1, own.u, own.Y, own.E, own.S, own.lengths, y)
            meet(part, own.Y, own.E, own.S)
        shown = factor_part(part, J, weak, near, y, own)
    else:
        for n in range(plan[line, col.TOUCHED], plan[line, col.TOUCHED_END]):
            first = plan[n, col.TOUCHED_ROW]
            for r in range(first, first + plan[n, col.TOUCHED_COUNT]):
                y[r] = own.y[r]
        solve_part(part, J, y, own)
        copy_rows(part, y, own.y)
    return shown


@helper
def work_on(plan, J, weak, near, job, backwards, own):
    """Do those parts of a job that nobody has begun."""
    crew, count = own.crew, part_count(plan)
    for k in range(count):
        p = count - 1 - k if backwards else k
        line = col.OF_PARTS + col.CREW_LINE * p
        if claimed(crew, line + col.BEGUN, job - 1, job):
            crew[line + col.SHOWN] = sweep(plan, J, weak, near, p, crew[col.KIND], own)
            publish(crew, line + col.DONE, job)


@helper
def combined(one, other):
    """What the pivots of two parts show."""
    return min(one, other) if min(one, other) == WEAKER else max(one, other)


@helper
def together(plan, J, weak, near, kind, own):
    """Do a job with whoever serves; returns what the pivots of all parts show."""
    crew = own.crew
    job = crew[col.JOB] + 1
    crew[col.KIND] = kind
    publish(crew, col.JOB, job)
    work_on(plan, J, weak, near, job, False, own)
    shown = INDEPENDENT
    for p in range(part_count(plan)):
        line, turn = col.OF_PARTS + col.CREW_LINE * p, 0
        while seen(crew, line + col.DONE) != job:
            turn = rest(turn)
        shown = combined(shown, crew[line + col.SHOWN])
    return shown


@helper
def serve_until_over(plan, J, weak, near, own):
    """Do parts of jobs as they come, until the march is over."""
    crew, last, turn = own.crew, 0, 0
    while seen(crew, col.OVER) == 0:
        job = seen(crew, col.JOB)
        if job != last:
            work_on(plan, J, weak, near, job, True, own)
            last, turn = job, 0
        else:
            turn = rest(turn)


@helper
def solve_dissected(plan, J, weak, near, h, own, out):
    """own.y (m,) <- the multipliers lam with C M^-1 C' lam = y - C M^-1 h, and out (n,) <- M^-1 (h + C' lam).

    Returns as `planar_blocks.eliminate`; where a pivot is WEAKER, nothing of it counts. J: body blocks of the rows of C; `own`: the arrays
    of the method `cfa`, by their names there; its own.dropped (m,) are zeros. `out` may be h.
    """
    b, n_b, y, S = plan[0, col.BODY_SPEEDS], own.W.shape[0] - 1, own.y, own.S
    planar = own.bodies.shape[0] > 0
    first = directory(plan) + 1
    line = first + part_count(plan)
    separators = plan[plan[line, col.TABLE] : plan[line, col.TABLE_END]]
    clear_blocks(plan, line, S)
    if planar:
        accelerate(own.W, h, own.bodies)
    else:
        weigh_forces(own.W, b, n_b, h, own.u)
        weigh_rows(separators, J, own.Y, own.W, n_b, own.u, own.Y, own.E, S, own.lengths, y)
    shown = together(plan, J, weak, near, INWARDS, own)
    if shown == WEAKER:
        return shown
    if not planar:
        meet(separators, own.Y, own.E, S)
    for p in range(part_count(plan)):
        for n in range(plan[first + p, col.CARRIED], plan[first + p, col.CARRIED_END]):
            source, to = plan[n, col.CARRIED_FROM], plan[n, col.CARRIED_TO]
            for k in range(plan[n, col.CARRIED_COUNT]):
                S[to + k] += S[source + k]
        for n in range(plan[first + p, col.TOUCHED], plan[first + p, col.TOUCHED_END]):
            row = plan[n, col.TOUCHED_ROW]
            for r in range(row, row + plan[n, col.TOUCHED_COUNT]):
                y[r] += own.apart[p, r]
    shown = combined(shown, factor_part(separators, J, weak, near, y, own))
    if shown == WEAKER:
        return shown
    solve_part(separators, J, y, own)
    together(plan, J, weak, near, OUTWARDS, own)
    if planar:
        velocities(own.bodies, out)
    else:
        unweigh(own.W, b, n_b, own.u, out)
    return shown
