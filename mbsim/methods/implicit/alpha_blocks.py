"""What a step of `implicit/alpha_bodies.py` evaluates and solves: the end of the step, its residual, the tangent, corrections, the
estimated error."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.jit import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    STATUS_RANK,
    Workspace,
    helper,
    index,
    indices,
    matrix,
    vector,
)
from mbsim.kernels import frame_columns
from mbsim.kernels import sparse_columns as col
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.sparse_blocks import (
    add_masses,
    add_reactions,
    factor,
    own_lines,
    place_rows,
    row_rates,
    solve,
    subtract_inertia,
)
from mbsim.kernels.wide_rows import place_wide, rate_wide, react_wide
from mbsim.methods import cfa
from mbsim.methods._work import Space
from mbsim.methods.blocks.choice import nearest
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.alpha import coefficients
from mbsim.methods.implicit.sparse_order import sparse_plan
from mbsim.system.system import System

WORKSPACE = Workspace(
    "alpha_bodies",
    cfa.WORKSPACE,
    sizes=("blocks", "relative", "relative_width", "laws", "slopes", "extras"),
    v_dot=vector("n"),  # at the last state
    a=vector("n"),  # the method's own, there
    memory=vector("6"),  # see POWER
    step_lam=vector("m"),
    before_v_dot=vector("n"),  # at the state before the last
    before_lam=vector("m"),
    first_lam=vector("m"),  # at the start of the step
    moved=vector("n"),  # displacement of the step
    pace=vector("n"),  # displacement of the last step a second
    before_pace=vector("n"),  # and of the one before
    x=vector("n"),  # the v_dot that is looked for
    ahead=vector("n"),  # displacement and
    ahead_v=vector("n"),  # speeds at the end of the step with v_dot = 0 there
    sides=vector("n + m + extras"),  # right sides: h + C' lam - M x, of the rows, of the states, zeros of the laws
    rates=vector("m"),  # C v + xi
    blocks=vector("blocks"),  # factors of the tangent
    blocks_order=indices("n + m + extras"),
    slots=indices("n + m + extras"),  # which of [speeds; multipliers; states; laws] stands where in the order of the elimination
    right=vector("n + m + extras"),  # in that order
    change=vector("n + m + extras"),  # of [v_dot; lam; states; laws] by a solution
    frames=matrix("bodies + 1", f"{frame_columns.COLUMNS}"),  # twins
    relative_values=matrix("relative", "relative_width"),
    laws=matrix("laws", "3"),
    slopes=vector("slopes"),  # of laws by what they read
    states=vector("n_x"),  # that are looked for
    base=vector("n_x"),  # states = base + c_v rates
    last_x_dot=vector("n_x"),  # at the last state
    a_x=vector("n_x"),  # the method's own of the states, as `a` of the speeds
    q_dot=vector("n_q"),
    before_x_dot=vector("n_x"),  # at the state before the last
    new_x_dot=vector("n_x"),
    e_q=vector("n"),  # estimated errors: of q as a displacement
    e_v=vector("n"),
    e_x=vector("n_x"),
    spare_x=vector("n_x"),
    jacobian=matrix("m", "2 * b"),
    spare_rows=matrix("4", "n + m + 16"),
    local=matrix("2 * b", "2 * b"),
)
# at the last state; the step that `a` belongs to; how many states before the last are known, as far away where steps are equal; how far
# the last and the one before it are; whether the next step is predicted by displacements
POWER, LAST_STEP, HISTORY, SPACING, BEFORE_SPACING, BY_PACE = 0, 1, 2, 3, 4, 5


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """The tables of both eliminations, that of `cfa` first. Raises ValueError where one body has too many joints."""
    found, own = cfa.plan(system, {}), sparse_plan(system)
    relative, width = system.arrays.relative_values.shape
    sizes = {**found.sizes, "blocks": own.places, "relative": relative, "relative_width": width, "slopes": own.slopes}
    sizes |= {"laws": len(system.arrays.laws), "extras": len(own.slots) - system.n_v - system.n_rows}
    return Space(WORKSPACE, sizes, np.vstack([found.table, own.table]), False, found.rows)


@helper
def prepare(work, dt, z, r):
    """What the end of a step from z is without x and without the states that are looked for."""
    own = WORKSPACE(work)
    n, n_x = work.v.shape[0], own.base.shape[0]
    _, _, beta, gamma = coefficients(r)
    for j in range(n):
        a = alpha.next_a(r, 0.0, own.v_dot[j], own.a[j])
        own.ahead_v[j] = z[j] + dt * ((1.0 - gamma) * own.a[j] + gamma * a)
        own.ahead[j] = dt * z[j] + dt * dt * ((0.5 - beta) * own.a[j] + beta * a)
    for i in range(n_x):
        a = alpha.next_a(r, 0.0, own.last_x_dot[i], own.a_x[i])
        own.base[i] = z[z.shape[0] - 1 - n_x + i] + dt * ((1.0 - gamma) * own.a_x[i] + gamma * a)


@helper
def next_pace(own, dt, j):
    """The displacement of a step a second, on the line through the last two."""
    last, before = own.memory[SPACING], own.memory[BEFORE_SPACING]
    return own.pace[j] + (dt + last) / (last + before) * (own.pace[j] - own.before_pace[j])


@helper
def predict_by_pace(own, dt, to_q):
    """x for a displacement that goes on as the last two did, after `prepare`.

    Where forces are stiff these are smooth, and v_dot is not: it holds what the step does to vibrations that it does not resolve.
    """
    for j in range(own.x.shape[0]):
        own.x[j] = (dt * next_pace(own, dt, j) - own.ahead[j]) / to_q


@helper
def note_pace(own, dt, to_q, ratio):
    """Note the displacement of an accepted step, and which prediction of it was nearer; `ratio` as `alpha.extrapolate` had it."""
    memory, by_v_dot, by_pace = own.memory, 0.0, 0.0
    for j in range(own.x.shape[0]):
        d = own.moved[j]
        if memory[HISTORY] > 1.0:
            x = own.v_dot[j] + ratio * (own.v_dot[j] - own.before_v_dot[j])
            by_v_dot = max(by_v_dot, abs(d - own.ahead[j] - to_q * x))
            by_pace = max(by_pace, abs(d - dt * next_pace(own, dt, j)))
        own.before_pace[j], own.pace[j] = own.pace[j], d / dt
    memory[BY_PACE] = 1.0 if by_pace < by_v_dot else 0.0
    memory[HISTORY] = min(memory[HISTORY] + 1.0, 2.0)
    memory[BEFORE_SPACING], memory[SPACING] = memory[SPACING], dt


@helper
def advance(system, arrays, work, z, to_v, to_q, out):
    """The state out at the end of the step that belongs to v_dot = x, after `prepare`."""
    own = WORKSPACE(work)
    x, n, end = own.x, work.v.shape[0], z.shape[0] - 1
    d = own.moved
    copy(z[n:end], out[n:end], 0)
    for j in range(n):
        out[j] = own.ahead_v[j] + to_v * x[j]
        d[j] = own.ahead[j] + to_q * x[j]
    system.move(arrays, out[n:end], d)
    copy(own.states, out[end - own.states.shape[0] : end], 0)


@helper
def miss_states(system, arrays, work, t, q, v, to_v):
    """The states' sides = base + c_v rates - states; returns the largest one relative to the size of its terms."""
    own, worst = WORKSPACE(work), 0.0
    n_x = own.base.shape[0]
    first, missed = q.shape[0] - n_x, own.sides[v.shape[0] + work.lam.shape[0] :]
    system.rates(arrays, t, q, v, own.q_dot)
    for i in range(n_x):
        change = to_v * own.q_dot[first + i]
        missed[i] = own.base[i] + change - own.states[i]
        size = abs(own.base[i]) + abs(change) + abs(own.states[i])
        share = abs(missed[i]) / size if size > 0.0 else 0.0
        if share > worst or np.isnan(share):
            worst = share
    return worst


@helper
def find_residual(system, arrays, work, t, z, to_v, to_q, out):
    """`advance`, and the sides h + C' lam - M x, phi and C v + xi there, at the time t."""
    own = WORKSPACE(work)
    table, x, n = work.plan[own_lines(work.plan) :], own.x, work.v.shape[0]
    force = own.sides[:n]
    advance(system, arrays, work, z, to_v, to_q, out)
    q = out[n : z.shape[0] - 1]
    system.constraints(arrays, t, q, work.C, work.xi)
    # equations read q and write eta, others have no need: the poses are those that `constraints` has left
    equations = table[1, col.WIDE] > 0
    system.residual(arrays, t, q[: q.shape[0] if equations else 0], work.phi)
    system.dynamics(arrays, t, q, out[:n], work.M, work.h, work.eta[: work.eta.shape[0] if equations else 0], work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    copy(work.h, force, 0)
    add_reactions(arrays, table, own.step_lam, out[:n], force, own.rates)
    react_wide(table, work.C, own.step_lam, force)
    rate_wide(table, work.C, out[:n], own.rates)
    subtract_inertia(arrays, arrays.jacobian.shape[1] == 6, x, force)
    for i in range(work.xi.shape[0]):
        own.rates[i] += work.xi[i]


@helper
def find_tangent(system, arrays, work, t, out, to_v, to_q):
    """The factors of the tangent at the state out; False when it is singular."""
    own = WORKSPACE(work)
    table, n = work.plan[own_lines(work.plan) :], work.v.shape[0]
    clear(own.blocks)
    add_masses(arrays, table, 1.0, own.blocks)
    q, v, lam = out[n : out.shape[0] - 1], out[:n], own.step_lam
    system.slopes(arrays, t, q, v, own.slopes)
    for k in range(own.slopes.shape[0]):
        if not np.isfinite(own.slopes[k]):  # as of sqrt(x) at 0: it only steers the iteration
            own.slopes[k] = 0.0
    system.tangent(
        arrays, own.frames, own.relative_values, own.laws, own.jacobian, q, v, lam, own.slopes, to_q, to_v,
        table, own.spare_rows, own.local, own.blocks,
    )  # fmt: skip
    place_rows(arrays, table, own.dropped, own.blocks)
    place_wide(table, work.C, own.dropped, own.blocks)
    work.counts[COUNT_FACTORISATIONS] += 1
    return factor(table, own.blocks, own.blocks_order) < 0


@helper
def solve_step(work):
    """own.change = the solution for own.sides, where those of the rows that are left out become zero."""
    own = WORKSPACE(work)
    table, right, sides, slots = work.plan[own_lines(work.plan) :], own.right, own.sides, own.slots
    n, m = work.v.shape[0], work.lam.shape[0]
    if work.status[STATUS_RANK] < m:
        for i in range(m):
            sides[n + i] = 0.0 if own.dropped[i] == 1 else sides[n + i]
    for k in range(right.shape[0]):
        right[k] = sides[index(slots[k])]
    solve(table, own.blocks, own.blocks_order, right)
    for k in range(right.shape[0]):
        own.change[index(slots[k])] = right[k]


@helper
def correct(work):
    """x, lam and the states by the solution in own.change."""
    own = WORKSPACE(work)
    n, x, lam, change = work.v.shape[0], own.x, own.step_lam, own.change
    m = lam.shape[0]
    for i in range(n):
        x[i] += change[i]
    for i in range(m):
        lam[i] += change[n + i]
    for i in range(own.states.shape[0]):
        own.states[i] += change[n + m + i]


@helper
def keep_rates(arrays, work, to_v, v):
    """The speeds v onto C v + xi = 0 for the C and xi that are known, with x and lam; returns -1, or a row that is not finite."""
    own = WORKSPACE(work)
    table, y, rows = work.plan[own_lines(work.plan) :], own.y, work.phi.shape[0]
    row_rates(arrays, table, v, y)
    rate_wide(table, work.C, v, y)
    for i in range(y.shape[0]):
        y[i] = (y[i] + work.xi[i]) / to_v if i < rows else 0.0
    bad = nearest(arrays, work, y.shape[0], 0, 0.0)
    for j in range(v.shape[0]):
        v[j] -= to_v * own.d[j]
        own.x[j] -= own.d[j]
    for i in range(y.shape[0]):
        own.step_lam[i] -= y[i]
    return bad


@helper
def damp(arrays, work, k, e):
    """e = k A^-1 M e, with the matrix A of the iteration: see `_alpha`."""
    own = WORKSPACE(work)
    clear(own.sides)
    subtract_inertia(arrays, arrays.jacobian.shape[1] == 6, e, own.sides[: e.shape[0]])
    solve_step(work)
    for j in range(e.shape[0]):
        e[j] = -k * own.change[j]


@helper
def find_error(system, arrays, work, dt, r, z, out, moved, left_open):
    """The estimated error of the step to the state out over the tolerance."""
    own = WORKSPACE(work)
    k_q, k_v = alpha.error_coefficients(r)
    before = own.memory[SPACING] if own.memory[HISTORY] != 0.0 else 0.0
    alpha.differences(dt, before, own.x, own.v_dot, own.before_v_dot, own.e_q, own.e_v)
    alpha.differences(dt, before, own.new_x_dot, own.last_x_dot, own.before_x_dot, own.spare_x, own.e_x)
    for e, k in ((own.e_q, k_q * dt * dt), (own.e_v, k_v * dt)):
        damp(arrays, work, k, e)
    for i in range(own.e_x.shape[0]):
        own.e_x[i] *= k_v * dt
    error = alpha.error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
    if error > 1.0:
        for _ in range(alpha.LASTING):
            damp(arrays, work, 1.0, own.e_q)
            damp(arrays, work, 1.0, own.e_v)
        damped = alpha.error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
        error = max(damped, error / alpha.strictness(work, z, r))
    return error
