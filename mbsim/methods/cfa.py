"""Block elimination of the multipliers over bodies and joints, O(N) for trees: the constraint force algorithm in absolute coordinates.

    (C M^-1 C') lam = -(eta + C M^-1 h),   v_dot = M^-1 (h + C' lam),   z = [v; q; W]

The forces between the bodies come first and the motion from them, as in Liu, Hu & Zhang 2016. Joints that share a body are coupled, so
the matrix has the graph of the joints; it is factored in an order without fill for trees (`_order.py`, `mbsim.kernels.blocks`), and
neither M nor C is formed. Which rows are left out because they depend on others is chosen at the start, over all rows
(`mbsim.kernels.independent`), and anew where the choice has become poor. After each accepted step whose drift was corrected, a row that
is left out must follow from the others: the run ends where it does not and where no other choice helps, at a singular position.

Systems without bodies have no such graph; theirs are the dense equations of `lagrange`. docs/methods.md, section cfa.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.jit import (
    COUNT_CORRECTIONS,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    DEPENDENT_CONSTRAINTS,
    DRIFT_FULL,
    DRIFT_NONE,
    DRIFT_REMAINS,
    EXPAND,
    NOT_FINITE,
    OK,
    PROJECT,
    RHS,
    SETTING_DRIFT,
    SETTING_RHEONOMIC,
    SETTING_TOLERANCE,
    SINGULAR_MASS,
    START,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_RANK,
    WATCH_ASKED,
    WATCH_SPAN,
    helper,
    inlined,
    kernel,
)
from mbsim.kernels.block_columns import BODY_INERTIA, BODY_MASS, BODY_SPEEDS, EQUATIONS, PLANAR_BODY, ROOTS
from mbsim.kernels.block_rows import (
    add_rates,
    inverse_roots,
    meet,
    subtract_rows,
    unweigh,
    weigh_forces,
    weigh_rows,
)
from mbsim.kernels.blocks import factor_forward, forward
from mbsim.kernels.blocks import shortest as shortest_of_many
from mbsim.kernels.independent import choose, dependency, is_poor, shortest, solve
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.planar_blocks import accelerate, solve_independent, velocities
from mbsim.methods import _project, lagrange
from mbsim.methods._choice import CHOICE, FIRST, RANK, TINY, WEAK, keep_all, nearest, violated
from mbsim.methods._correction import LEAST, followed
from mbsim.methods._order import elimination, loop_rows
from mbsim.methods._project import CORRECTIONS
from mbsim.methods._work import Space, dense
from mbsim.system.system import System

CONSISTENT = 1e-5  # of the largest entry of the right side: by how much a dependent row may be missed. Redundant rows are missed by the
# drift that is left (1e-10), rows that contradict each other by about 1.
SPARE = 4_000_000  # numbers at most in the vectors of the rows that are put off; rows come in the order of the elimination beyond
PASSES = 2  # of the velocity projection, which is linear: the second takes off the round-off of the first

accept = lagrange.accept
_dense_rhs, _dense_project = inlined(lagrange.rhs), inlined(_project.project)


TREES = "_cfa_trees"  # the module with the kernels for trees in joint coordinates
OPTIONS = {
    "elimination": {
        "default": "leaf_to_root",
        "choices": ["leaf_to_root", "odd_even", "dense"],
        "help": "order of elimination in joint coordinates: leaves to base, O(N); odd-even form of the paper; dense matrix",
    }
}


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """Sizes of the work arrays and the table of the elimination. Raises ValueError where one body has too many joints."""
    if system.in_joint_coordinates:
        raise ValueError("cfa: the kernels for joint coordinates are those of _cfa_trees")
    if options.get("elimination", "leaf_to_root") != "leaf_to_root":
        raise ValueError(f"cfa: elimination '{options['elimination']}' is for trees in joint coordinates; add `coordinates: joint`")
    n, m, n_b = system.n_v, system.n_rows, len(system.bodies)
    if system.dimension is None:
        return dense(lagrange.space(n, m))
    found = elimination(system)
    b, equations = int(found.table[0, BODY_SPEEDS]), int(found.table[0, EQUATIONS])
    planar = b == 3 and equations == 0
    spare = min(m, loop_rows(system) + 6, SPARE // max(n + b, m, 1))
    # Y, W, S, the rows of equations times W, the speeds times W^-1, what `planar_blocks` knows of the bodies, rows that are put off
    matrices = [
        (m, 2 * b),
        (n_b + 1, b if b == 3 else ROOTS),
        (1, found.places),
        (equations, n + b),
        (1, n + b),
        (n_b + 1 if planar else 0, PLANAR_BODY),
        (spare, max(n + b, m)),
    ]
    return Space(matrices, [m, m, m, m, 2 * CHOICE, n], [m + spare, m], found.table, False, equations > 0)


@helper
def finish_rates(system, arrays, work, q, v, dz):
    """The places of dz that follow v_dot: q_dot and the power of the non-conservative and driving forces."""
    n, end = v.shape[0], dz.shape[0] - 1
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    if work.settings[SETTING_RHEONOMIC] != 0.0:
        for i in range(work.lam.shape[0]):
            power -= work.lam[i] * work.xi[i]
    dz[end] = power


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    plan, n = work.plan, work.v.shape[0]
    b = plan[0, BODY_SPEEDS]
    if b == 0:
        return _dense_rhs(system, arrays, work, t, z, dz)
    Y, W, block, E, weighed, bodies, _ = work.matrices
    y, inverse, lengths, _, choice, _ = work.vectors
    S, u, lam, eta = block[0], weighed[0], work.lam, work.eta
    m, n_b = lam.shape[0], arrays.masses.shape[0]
    dropped, put_off = work.indices[0][:m], work.indices[0][m:]
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, work.M, work.h, eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    fresh, anew = work.status[STATUS_FRESH] == 1, choice[FIRST] == 0.0
    if bodies.shape[0] > 0 and (anew or choice[RANK] == m):
        for i in range(m):
            lam[i] = -eta[i]
        accelerate(W, work.h, bodies)
        if solve_independent(plan, arrays.jacobian, WEAK, S, bodies, lam):
            velocities(bodies, dz)
            if anew:
                keep_all(choice, dropped, m)
            work.status[STATUS_RANK] = m
            work.status[STATUS_FRESH] = 0
            finish_rates(system, arrays, work, q, v, dz)
            return OK
    for _ in range(2):
        if anew:  # within a step, redundant rows look independent: not more rows than before
            limit = -1 if fresh or choice[FIRST] == 0.0 else int(choice[RANK])
            rank = choose(plan, arrays.jacobian, work.C, W, n_b, m, limit, work.matrices, work.vectors, dropped, put_off)
            if rank < limit or rank < 0:
                choice[FIRST] = 0.0
                work.status[STATUS_INDEX] = z.shape[0] - (1 + rank if rank < 0 else 0)
                return NOT_FINITE if rank < 0 else DEPENDENT_CONSTRAINTS
            choice[RANK] = float(rank)
        for i in range(m):
            lam[i] = -eta[i]
        weigh_forces(W, b, n_b, work.h, u)
        weigh_rows(plan, arrays.jacobian, work.C, W, n_b, u, Y, E, S, lengths, lam)
        meet(plan, Y, E, S)
        largest = 1.0
        if fresh:
            for i in range(m):
                largest = max(largest, abs(lam[i]))
        weakest, bad = factor_forward(plan, S, lengths, m, 0.0, dropped, inverse, lam)
        rank = int(choice[RANK])
        if anew:
            choice[FIRST] = max(weakest, TINY)
        if bad >= 0 and (anew or not lengths[bad] < 1e300):
            work.status[STATUS_INDEX] = z.shape[0] + bad
            return DEPENDENT_CONSTRAINTS if lengths[bad] < 1e300 else NOT_FINITE
        if not anew and (bad >= 0 or (fresh and is_poor(weakest, bad, rank, m, choice[FIRST]))):
            anew = True
            continue
        solve(plan, Y, E, S, inverse, lam, u)
        missed = -1
        if weakest < WEAK or (fresh and rank < m):
            for i in range(m):
                y[i] = -eta[i]
            subtract_rows(plan, Y, E, u, y)
            if fresh and rank < m:  # what is left out has to follow from the others
                missed = violated(dropped, y, max(CONSISTENT, 100.0 * work.settings[SETTING_TOLERANCE]) * largest)
            if weakest < WEAK:
                forward(plan, S, inverse, y)
                solve(plan, Y, E, S, inverse, y, u)
                for i in range(m):
                    lam[i] += y[i]
        if missed < 0:
            break
        if anew:
            work.status[STATUS_INDEX] = missed if lengths[missed] < 1e300 else z.shape[0] + missed
            return DEPENDENT_CONSTRAINTS if lengths[missed] < 1e300 else NOT_FINITE
        anew = True
    work.status[STATUS_RANK] = int(choice[RANK])
    work.status[STATUS_FRESH] = 0
    unweigh(W, b, n_b, u, dz)
    finish_rates(system, arrays, work, q, v, dz)
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    n, m, plan = work.v.shape[0], work.lam.shape[0], work.plan
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code == OK and plan[0, BODY_SPEEDS] > 0 and work.status[STATUS_RANK] < m:
        Y, _, block, E, weighed, _, spare = work.matrices
        y, inverse, _, r, _, p = work.vectors
        count = m - work.status[STATUS_RANK]
        if count <= spare.shape[0]:
            count = 0
            for i in range(m):
                if work.indices[0][i] == 1:
                    dependency(plan, Y, E, block[0], inverse, i, y, weighed[0])
                    copy(y, spare[count], 0)
                    count += 1
            shortest(spare, count, work.lam)
        else:
            shortest_of_many(plan, block[0], inverse, work.lam, r, p, y)
    copy(z[:n], work.v, 0)
    copy(row[:n], work.a, 0)
    n_q = z.shape[0] - 1 - n
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
    return code


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    copy(v, z, 0)
    work.status[STATUS_FRESH] = 1
    b = work.plan[0, BODY_SPEEDS]
    if b == 0:
        return OK
    clear(work.vectors[4])  # no rows are chosen yet
    bad = inverse_roots(arrays.masses, b, work.matrices[1])
    work.status[STATUS_INDEX] = bad
    return OK if bad < 0 else SINGULAR_MASS


@helper
def squared(masses, v):
    """v' M v."""
    bodies, s = masses.shape[0], 0.0
    if v.shape[0] == 3 * bodies:
        for j in range(3 * bodies):
            s += masses[j // 3, BODY_MASS if j % 3 < 2 else BODY_INERTIA] * v[j] * v[j]
        return s
    for b in range(bodies):
        o = 6 * b
        for c in range(3):
            s += masses[b, BODY_MASS] * v[o + c] * v[o + c]
            for d in range(3):
                s += masses[b, BODY_INERTIA + 3 * c + d] * v[o + 3 + c] * v[o + 3 + d]
    return s


@helper
def restore(system, arrays, work, t, q, v):
    """Like `_project.restore`, by blocks."""
    plan = work.plan
    y, d = work.vectors[0], work.vectors[5]
    J, W = arrays.jacobian, work.matrices[1]
    tolerance = work.settings[SETTING_TOLERANCE]
    rows, m, n, n_b = work.phi.shape[0], work.lam.shape[0], work.v.shape[0], arrays.masses.shape[0]
    moved = 0.0
    if work.settings[SETTING_DRIFT] == DRIFT_NONE:
        return OK, moved
    iteration, before = 0 if rows > 0 else CORRECTIONS + 1, np.inf
    while iteration <= CORRECTIONS:
        system.residual(arrays, t, q, work.phi)
        worst, at = 0.0, 0
        for i in range(rows):
            size = abs(work.phi[i])
            if size > worst or np.isnan(size):  # NaN stays
                worst, at = size, i
        if worst <= tolerance:
            break
        if not np.isfinite(worst):
            work.status[STATUS_INDEX] = q.shape[0] + n + 1 + at
            return NOT_FINITE, moved
        work.status[STATUS_INDEX] = at
        if iteration == CORRECTIONS:
            return DRIFT_REMAINS, moved
        system.constraints(arrays, t, q, work.C, work.xi)
        clear(y)
        for i in range(rows):
            y[i] = -work.phi[i]
        stuck = worst > 0.5 * before  # a row that is left out may be independent after all
        before = worst
        bad = nearest(plan, J, work.C, W, n_b, rows, stuck, work.matrices, work.vectors, work.indices)
        if bad >= 0:
            work.status[STATUS_INDEX] = q.shape[0] + n + 1 + bad
            return NOT_FINITE, moved
        moved += squared(arrays.masses, d)
        system.move(arrays, q, d)
        work.counts[COUNT_CORRECTIONS] += 1
        iteration += 1
    if work.settings[SETTING_DRIFT] < DRIFT_FULL or v.shape[0] == 0 or m == 0:
        return OK, moved
    system.constraints(arrays, t, q, work.C, work.xi)
    for _ in range(PASSES):
        copy(work.xi, y, 0)
        add_rates(plan, J, work.C, n_b, v, y)
        worst = 0.0
        for i in range(m):
            y[i] = -y[i]
            if abs(y[i]) > worst or np.isnan(y[i]):
                worst = abs(y[i])
        if worst <= tolerance:
            break
        bad = nearest(plan, J, work.C, W, n_b, m, False, work.matrices, work.vectors, work.indices)
        if bad >= 0:
            work.status[STATUS_INDEX] = q.shape[0] + n + 1 + bad
            return NOT_FINITE, moved
        for j in range(n):
            v[j] += d[j]
    return OK, moved


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    """Move q onto phi(t, q) = 0 and, unless v is empty, v onto C v + xi = 0, like `_project.project`, by blocks."""
    if work.plan[0, BODY_SPEEDS] == 0:
        return _dense_project(system, arrays, work, t, q, v)
    asked = work.watch[WATCH_ASKED]
    work.watch[WATCH_ASKED] = 0.0
    code, moved = restore(system, arrays, work, t, q, v)
    if code == OK and asked != 0.0 and moved > 0.0:
        d = work.vectors[5]
        for j in range(d.shape[0]):
            d[j] = LEAST * work.settings[SETTING_TOLERANCE]
        code = followed(work, t, work.watch[WATCH_SPAN], squared(arrays.masses, v), squared(arrays.masses, d), moved)
    return code


# What the assembly and the rank of large systems ask for, from Python (mbsim.analysis.blocks).


@kernel(START)
def displacement(system, arrays, work, t, q, b, d):
    """d (n,) <- the smallest displacement in the M norm with C d = b on the first rows, as many as b has; dependent rows left out."""
    y, n_b = work.vectors[0], arrays.masses.shape[0]
    system.constraints(arrays, t, q, work.C, work.xi)
    clear(y)
    copy(b, y, 0)
    bad = nearest(work.plan, arrays.jacobian, work.C, work.matrices[1], n_b, b.shape[0], True, work.matrices, work.vectors, work.indices)
    copy(work.vectors[5], d, 0)
    work.status[STATUS_INDEX] = bad
    return OK if bad < 0 else NOT_FINITE


@kernel(START)
def velocity_residual(system, arrays, work, t, q, v, out):
    """out (m,) <- C v + xi."""
    system.constraints(arrays, t, q, work.C, work.xi)
    copy(work.xi, out, 0)
    add_rates(work.plan, arrays.jacobian, work.C, arrays.masses.shape[0], v, out)
    return OK


@kernel(PROJECT)
def combination(system, arrays, work, t, q, x):
    """x (m,), 1 in one of the rows that `displacement` of all rows left out, becomes the combination of rows of C that is zero."""
    Y, _, block, E, weighed, _, _ = work.matrices
    for i in range(x.shape[0]):
        if x[i] != 0.0:
            dependency(work.plan, Y, E, block[0], work.vectors[1], i, work.vectors[0], weighed[0])
            copy(work.vectors[0], x, 0)
            break
    return OK
