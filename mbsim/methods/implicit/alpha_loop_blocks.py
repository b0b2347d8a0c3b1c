"""What a step of `implicit/alpha_loops.py` evaluates and solves: the end of the step, its residual, the tangent, corrections, the estimated
error."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.jit import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, Workspace, helper, index, indices, matrix, vector
from mbsim.kernels import frame_columns
from mbsim.kernels import sparse_columns as col
from mbsim.kernels.linalg import clear, copy, eliminated_solve, lu
from mbsim.kernels.sparse_blocks import add_masses, factor, place_rows
from mbsim.kernels.sparse_blocks import solve as solve_blocks
from mbsim.kernels.tree_blocks import place_across, place_joints, poses_of_bodies
from mbsim.methods._evaluation import violations
from mbsim.methods._states import settle_states
from mbsim.methods._work import Space
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.alpha import coefficients
from mbsim.methods.implicit.alpha_tree import add_inertia
from mbsim.methods.implicit.tree_order import places, tree_plan
from mbsim.methods.trees import aba_rows
from mbsim.system.system import System

WORKSPACE = Workspace(
    "alpha_loops",
    aba_rows.WORKSPACE,
    sizes=("bodies", "b", "n_abs", "q_abs", "relative", "relative_width", "laws", "blocks", "unknowns"),
    v_dot=vector("n"),  # at the last state
    a=vector("n"),  # the method's own, there
    memory=vector("5"),  # see POWER
    step_lam=vector("m"),
    before_v_dot=vector("n"),  # at the state before the last
    before_lam=vector("m"),
    first_lam=vector("m"),  # at the start of the step
    rate=vector("n"),  # the v_dot that is looked for
    force=vector("n"),  # h + C' lam - M v_dot
    other=vector("n"),
    side=vector("m"),  # right sides of the rows
    rates=vector("m"),  # C v + xi
    change=vector("n"),  # of v_dot by a solution
    change_lam=vector("m"),
    dropped=indices("m"),  # 1 where a row is left out, as it depends on others
    blocks=vector("blocks"),  # factors of the tangent
    blocks_order=indices("unknowns"),
    plain=vector("blocks"),  # and of the same with K = D = 0
    plain_order=indices("unknowns"),
    of_speed=indices("n"),  # where v_dot stands in the order of the elimination
    of_row=indices("m"),  # and the multipliers
    right=vector("unknowns"),
    whole=matrix("n + m", "n + m"),  # factors of the whole tangent
    whole_order=indices("n + m"),
    whole_right=vector("n + m"),
    whole_change=vector("n + m"),
    frames=matrix("bodies + 1", f"{frame_columns.COLUMNS}"),  # twins
    relative_values=matrix("relative", "relative_width"),
    laws=matrix("laws", "3"),
    slopes=vector("0 * n"),
    q_abs=vector("q_abs"),  # coordinates and speeds of the bodies
    v_abs=vector("n_abs"),
    jacobian=matrix("m", "2 * b"),
    spare_rows=matrix("4", "n_abs + m + 16"),
    local=matrix("2 * b", "2 * b"),
    x_dot=vector("n_x"),  # states of the user's: as in _states.py
    base=vector("n_x"),
    missed=vector("n_x"),
    exchanged_missed=vector("n_x"),
    slope=matrix("n_x", "n_x"),
    slope_order=indices("n_x"),
    q_dot=vector("n_q"),
    varied=vector("n_q"),
    last_x_dot=vector("n_x"),  # at the last state
    a_x=vector("n_x"),  # the method's own of them, as `a` of the speeds
    before_x_dot=vector("n_x"),
    e_q=vector("n"),  # estimated errors
    e_v=vector("n"),
    e_x=vector("n_x"),
    spare_x=vector("n_x"),
)
# at the last state; the step that `a` belongs to; whether there is a state before the last, as far away where steps are equal; how far;
# whether the whole tangent is in use
POWER, LAST_STEP, HISTORY, SPACING, BY_WHOLE = 0, 1, 2, 3, 4


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """The table of the elimination, and behind it the places of v_dot and the multipliers. C is wanted, M is not."""
    found = tree_plan(system)
    at = np.concatenate(places(system, found.slots))
    lines = np.zeros((-(-len(at) // col.WIDTH), col.WIDTH), np.int64)
    lines.reshape(-1)[: len(at)] = at
    relative, width = system.arrays.relative_values.shape
    b, n_b = 3 if system.dimension == 2 else 6, len(system.bodies)
    sizes = {"bodies": n_b, "b": b, "n_abs": b * n_b, "q_abs": (3 if b == 3 else 7) * n_b, "relative": relative, "relative_width": width}
    sizes |= {"laws": len(system.arrays.laws), "blocks": found.places, "unknowns": len(found.slots)}
    return Space(WORKSPACE, sizes, np.vstack([found.table, lines]), False, True)


@helper
def find_places(plan, of_speed, of_row):
    """Read what `plan` has put behind the table."""
    n, m = of_speed.shape[0], of_row.shape[0]
    first = plan.shape[0] - (n + m + col.WIDTH - 1) // col.WIDTH
    for k in range(n + m):
        at = plan[first + k // col.WIDTH, k % col.WIDTH]
        if k < n:
            of_speed[k] = at
        else:
            of_row[k - n] = at


@helper
def choose_rows(own, rank):
    """The rows that are left out: those that `schur.factor` has not picked."""
    for a in range(own.order.shape[0]):
        own.dropped[index(own.order[a])] = 0 if a < rank else 1


@helper
def advance(system, arrays, work, t, dt, z, r, out):
    """The state out at t + dt that belongs to v_dot = rate; whether the states of the user's were found. own.force is scratch."""
    own = WORKSPACE(work)
    n, n_x = work.v.shape[0], own.base.shape[0]
    _, _, beta, gamma = coefficients(r)
    q = out[n : z.shape[0] - 1]
    copy(z[n : z.shape[0] - 1], q, 0)
    for j in range(n):
        a = alpha.next_a(r, own.rate[j], own.v_dot[j], own.a[j])
        out[j] = z[j] + dt * ((1.0 - gamma) * own.a[j] + gamma * a)
        own.force[j] = dt * z[j] + dt * dt * ((0.5 - beta) * own.a[j] + beta * a)
    system.move(arrays, q, own.force)
    found = True
    if n_x > 0:
        for i in range(n_x):
            a = alpha.next_a(r, 0.0, own.last_x_dot[i], own.a_x[i])
            own.base[i] = z[n + q.shape[0] - n_x + i] + dt * ((1.0 - gamma) * own.a_x[i] + gamma * a)
        found = settle_states(system, arrays, own, t + dt, q, out[:n], alpha.step_slopes(r, dt)[0])
    return found


@helper
def find_residual(system, arrays, work, t, dt, z, r, out, force):
    """`advance`, and force = h + C' lam - M v_dot, phi and C v + xi there."""
    own = WORKSPACE(work)
    found = advance(system, arrays, work, t, dt, z, r, out)
    n, m = work.v.shape[0], work.lam.shape[0]
    q = out[n : z.shape[0] - 1]
    system.constraints(arrays, t + dt, q, work.C, work.xi)
    system.residual(arrays, t + dt, q, work.phi)
    system.dynamics(arrays, t + dt, q, out[:n], work.M, work.h, work.eta, work.power)  # loads only, as M has no rows
    work.counts[COUNT_EVALUATIONS] += 1
    copy(work.h, force, 0)
    add_inertia(arrays, out[:n], own.rate, force)
    for i in range(m):
        s, x = work.xi[i], own.step_lam[i]
        for j in range(n):
            s += work.C[i, j] * out[j]
            force[j] += work.C[i, j] * x
        own.rates[i] = s
    return found


@helper
def place_all(arrays, work, S):
    """Rows and joints beside what stands in the blocks."""
    own, table = WORKSPACE(work), work.plan
    place_rows(arrays, table, own.dropped, S)
    place_joints(arrays, table, work.v.shape[0], S)
    place_across(table, work.C, own.dropped, S)
    work.counts[COUNT_FACTORISATIONS] += 1


@helper
def find_tangent(system, arrays, work, to_v, to_q):
    """The factors of the tangent at the state that was evaluated last; False when it is singular."""
    own, table = WORKSPACE(work), work.plan
    clear(own.blocks)
    add_masses(arrays, table, 1.0, own.blocks)
    poses_of_bodies(arrays, table[0, col.SPEEDS] == 3, own.q_abs, own.v_abs)
    system.tangent(
        arrays, own.frames, own.relative_values, own.laws, own.jacobian, own.q_abs, own.v_abs, own.step_lam, own.slopes, to_q, to_v,
        table, own.spare_rows, own.local, own.blocks,
    )  # fmt: skip
    for k in range(own.blocks.shape[0]):  # as of sqrt(x) at 0: it only steers the iteration
        if not np.isfinite(own.blocks[k]):
            own.blocks[k] = 0.0
    place_all(arrays, work, own.blocks)
    return factor(table, own.blocks, own.blocks_order) < 0


@helper
def find_plain(arrays, work):
    """The factors of the same with K = D = 0; False when it is singular."""
    own = WORKSPACE(work)
    clear(own.plain)
    add_masses(arrays, work.plan, 1.0, own.plain)
    place_all(arrays, work, own.plain)
    return factor(work.plan, own.plain, own.plain_order) < 0


@helper
def solve_step(work, blocks, order, force):
    """own.change and own.change_lam = the solution for these forces and own.side, where those of rows that are left out become zero."""
    own = WORKSPACE(work)
    n, m = own.change.shape[0], own.side.shape[0]
    clear(own.right)
    for j in range(n):
        own.right[index(own.of_speed[j])] = force[j]
    for i in range(m):
        own.right[index(own.of_row[i])] = 0.0 if own.dropped[i] == 1 else own.side[i]
    solve_blocks(work.plan, blocks, order, own.right)
    for j in range(n):
        own.change[j] = own.right[index(own.of_speed[j])]
    for i in range(m):
        own.change_lam[i] = own.right[index(own.of_row[i])]


@helper
def find_whole(system, arrays, work, t, dt, z, r, step, out):
    """The factors of [-d force / d v_dot, -C'; C, 0] by differences, v_dot varied by `step`; False when it is singular."""
    own = WORKSPACE(work)
    K, n, m = own.whole, own.change.shape[0], own.side.shape[0]
    for j in range(n):
        kept = own.rate[j]
        own.rate[j] = kept + step
        copy(own.force, own.other, 0)
        find_residual(system, arrays, work, t, dt, z, r, out, own.force)
        own.rate[j] = kept
        for i in range(n):
            K[i, j] = (own.other[i] - own.force[i]) / step
        copy(own.other, own.force, 0)
    find_residual(system, arrays, work, t, dt, z, r, out, own.force)
    for i in range(m):
        for k in range(m):
            K[n + i, n + k] = 1.0 if i == k and own.dropped[i] == 1 else 0.0
        for j in range(n):
            x = 0.0 if own.dropped[i] == 1 else work.C[i, j]
            K[n + i, j], K[j, n + i] = x, -x
    work.counts[COUNT_FACTORISATIONS] += 1
    return lu(K, n + m, own.whole_order)


@helper
def solve_whole(work, force):
    """As `solve_step`, with the whole tangent."""
    own = WORKSPACE(work)
    n, m = own.change.shape[0], own.side.shape[0]
    for k in range(n + m):
        own.whole_right[k] = force[k] if k < n else 0.0 if own.dropped[k - n] == 1 else own.side[k - n]
    for k in range(n + m):
        own.whole_change[k] = own.whole_right[own.whole_order[k]]
    eliminated_solve(own.whole, n + m, own.whole_change)
    copy(own.whole_change[:n], own.change, 0)
    copy(own.whole_change[n:], own.change_lam, 0)


@helper
def solve(work, by_whole, force):
    """The solution by the whole tangent or by blocks."""
    own = WORKSPACE(work)
    if by_whole:
        solve_whole(work, force)
    else:
        solve_step(work, own.blocks, own.blocks_order, force)


@helper
def correct(work):
    """v_dot and lam by the solution."""
    own = WORKSPACE(work)
    for j in range(own.change.shape[0]):
        own.rate[j] += own.change[j]
    for i in range(own.side.shape[0]):
        own.step_lam[i] += own.change_lam[i]


@helper
def keep_rates(arrays, work, to_v, v):
    """The speeds v onto C v + xi = 0 for the C and xi that are known, with v_dot and lam; False where the matrix is singular."""
    own, rows = WORKSPACE(work), work.phi.shape[0]
    if not find_plain(arrays, work):
        return False
    violations(work, v, own.side)
    for i in range(own.side.shape[0]):
        own.side[i] = own.side[i] / to_v if i < rows else 0.0
    clear(own.other)
    solve_step(work, own.plain, own.plain_order, own.other)
    for j in range(v.shape[0]):
        v[j] += to_v * own.change[j]
    correct(work)
    return True


@helper
def damp(arrays, work, by_whole, v, k, e):
    """e = k A^-1 M e, with the matrix A of the iteration: see `_alpha`."""
    own, n = WORKSPACE(work), v.shape[0]
    clear(own.force)
    clear(own.other)
    for j in range(n):
        own.change[j] = own.rate[j] + e[j]
    add_inertia(arrays, v, own.rate, own.force)
    add_inertia(arrays, v, own.change, own.other)
    for j in range(n):
        own.force[j] -= own.other[j]  # M e: inverse dynamics is linear in the accelerations
    solve(work, by_whole, own.force)
    for j in range(n):
        e[j] = k * own.change[j]


@helper
def find_error(system, arrays, work, dt, r, z, out, moved, left_open, by_whole):
    """The estimated error of the step to the state out over the tolerance."""
    own = WORKSPACE(work)
    k_q, k_v = alpha.error_coefficients(r)
    before = own.memory[SPACING] if own.memory[HISTORY] != 0.0 else 0.0
    alpha.differences(dt, before, own.rate, own.v_dot, own.before_v_dot, own.e_q, own.e_v)
    alpha.differences(dt, before, own.x_dot, own.last_x_dot, own.before_x_dot, own.spare_x, own.e_x)
    v = out[: own.change.shape[0]]
    clear(own.side)
    for e, k in ((own.e_q, k_q * dt * dt), (own.e_v, k_v * dt)):
        damp(arrays, work, by_whole, v, k, e)
    for i in range(own.e_x.shape[0]):
        own.e_x[i] *= k_v * dt
    error = alpha.error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
    if error > 1.0:
        for _ in range(alpha.LASTING):
            damp(arrays, work, by_whole, v, 1.0, own.e_q)
            damp(arrays, work, by_whole, v, 1.0, own.e_v)
        damped = alpha.error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
        error = max(damped, error / alpha.strictness(work, z, r))
    return error
