"""`generalized_alpha` for trees in joint coordinates without constraint rows: the same equations, an iteration in O(N).

    (M + L) d v_dot = h - M v_dot,    L = the diagonal of c_v D + c_q K: springs, dampers and limits along the joint coordinates

The residual is inverse dynamics, and the matrix is that of the articulated body algorithm with L beside the inertia D of each joint. Planar
trees have functions of their own for both (`mbsim.kernels.planar_trees`), whose matrix also holds what velocities and forces change where
the tree moves. What is left out, stiffness between bodies and in space the change of M with the coordinates, only steers the iteration.
Where that converges too slowly without it the matrix is the whole tangent by differences of the residual, dense, and held as long as it
serves (`find_whole`). generalized_alpha.py has the method, _alpha_bodies.py the iteration.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbsim.jit import (
    COARSE,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    SETTING_TOLERANCE,
    STATUS_CHANGED,
    STEP,
    Workspace,
    helper,
    indices,
    kernel,
    matrix,
    vector,
)
from mbsim.kernels import frame_columns
from mbsim.kernels import planar_trees as planar
from mbsim.kernels.articulated import begin, inward_added
from mbsim.kernels.articulated_rows import roots, unweigh, weigh
from mbsim.kernels.linalg import clear, copy, eliminated_solve, lu
from mbsim.kernels.tree_columns import KIND
from mbsim.kernels.trees import rnea_backward, rnea_forward
from mbsim.methods._evaluation import fail
from mbsim.methods._iteration import QUICK, SURE, finite, largest, largest_part, round_off
from mbsim.methods._states import STATES, settle_states
from mbsim.methods._work import NO_TABLE, Space
from mbsim.methods.aba import rhs
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.alpha import ITERATIONS, SPECTRAL_RADIUS, coefficients
from mbsim.methods.trees.accepted import accept, expand, start
from mbsim.system._trees import joint_forces, rotor_forces
from mbsim.system.system import System

DRIFT = "none"
TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
SLOW = 0.3  # ratio of two changes above which the whole tangent is taken, or taken anew
SURE_HELD = 0.01  # as SURE, of a tangent that is held: parts of a change then shrink by different ratios, and what is left is slow
LEAST = 0.1  # ratio that is counted on then
HELD = 0.03  # ratio up to which the whole tangent of an earlier step serves the next one
VARIATION = 1e-6  # links/s, rad/s: of the speeds, in the differences of the residual
WORKSPACE = Workspace(
    "alpha_tree",
    STATES,
    sizes=("bodies", "relative", "relative_width", "laws", "slopes", "flat"),
    v_dot=vector("n"),  # at the last state
    a=vector("n"),  # the method's own, there
    memory=vector("6"),  # see POWER
    before_v_dot=vector("n"),  # at the state before the last
    x=vector("n"),  # the v_dot that is looked for
    force=vector("n"),  # h - M x
    other=vector("n"),
    change=vector("n"),  # of x
    diagonal=vector("n"),  # L
    whole=matrix("n", "n"),  # factors of the whole tangent
    whole_order=indices("n"),
    twin_frames=matrix("bodies + 1", f"{frame_columns.COLUMNS}"),
    twin_values=matrix("relative", "relative_width"),
    twin_laws=matrix("laws", "3"),
    slopes=vector("slopes"),
    scratch=matrix("3", "n + 16"),
    flat=matrix("flat", f"{planar.WIDTH}"),  # nodes of a planar tree, else none
    last_x_dot=vector("n_x"),  # of the states at the last state
    a_x=vector("n_x"),  # the method's own of them, as `a` of the speeds
    before_x_dot=vector("n_x"),
    e_q=vector("n"),  # estimated errors
    e_v=vector("n"),
    e_x=vector("n_x"),
    spare_x=vector("n_x"),
)
# at the last state; the step that `a` belongs to; whether the whole tangent is in use; how far the state before the last is, 0 without
# one; the step that the whole tangent belongs to; the largest ratio of two changes since the tangent was looked at
POWER, LAST_STEP, BY_WHOLE, SPACING, STEP_OF_WHOLE, WORST = 0, 1, 2, 3, 4, 5


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """Neither M nor C."""
    relative, width = system.arrays.relative_values.shape
    sizes = {"bodies": len(system.bodies), "relative": relative, "relative_width": width, "laws": len(system.arrays.laws), "slopes": 0}
    tree = system.arrays.tree
    sizes["flat"] = len(tree) if system.dimension == 2 and set(tree[:, KIND]) <= set(planar.KINDS) else 0
    return Space(WORKSPACE, sizes, NO_TABLE, False, False)


@helper
def add_inertia(arrays, v, x, force):
    """force (n,) -= M x + what the velocities and the loads on the bodies add."""
    tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
    rnea_forward(tree, data, nodes, v, x, True, arrays.gravity)
    rnea_backward(tree, data, nodes)
    joint_forces(arrays, force)
    rotor_forces(arrays, x, force)


@helper
def advance(system, arrays, work, t, dt, z, r, out, force):
    """The state out at t + dt that belongs to v_dot = x; whether the states of the user's were found. force is scratch."""
    own = WORKSPACE(work)
    x, n, n_x = own.x, work.v.shape[0], own.base.shape[0]
    _, _, beta, gamma = coefficients(r)
    q = out[n : z.shape[0] - 1]
    copy(z[n : z.shape[0] - 1], q, 0)
    for j in range(n):
        a = alpha.next_a(r, x[j], own.v_dot[j], own.a[j])
        out[j] = z[j] + dt * ((1.0 - gamma) * own.a[j] + gamma * a)
        force[j] = dt * z[j] + dt * dt * ((0.5 - beta) * own.a[j] + beta * a)
    system.move(arrays, q, force)
    found = True
    if n_x > 0:
        for i in range(n_x):
            a = alpha.next_a(r, 0.0, own.last_x_dot[i], own.a_x[i])
            own.base[i] = z[n + q.shape[0] - n_x + i] + dt * ((1.0 - gamma) * own.a_x[i] + gamma * a)
        found = settle_states(system, arrays, own, t + dt, q, out[:n], alpha.step_slopes(r, dt)[0])
    return found


@helper
def find_residual(system, arrays, work, t, dt, z, r, out, force):
    """`advance`, and force = h - M x there."""
    n, x = work.v.shape[0], WORKSPACE(work).x
    found = advance(system, arrays, work, t, dt, z, r, out, force)
    q = out[n : z.shape[0] - 1]
    system.dynamics(arrays, t + dt, q, out[:n], work.M, work.h, work.eta, work.power)  # loads only, as M has no rows
    work.counts[COUNT_EVALUATIONS] += 1
    copy(work.h, force, 0)
    flat = WORKSPACE(work).flat
    if flat.shape[0] > 0:
        planar.outward(arrays.tree, arrays.tree_data, arrays.tree_work, flat, q, out[:n], x, arrays.gravity)
        planar.inward(arrays.tree, flat, arrays.wrenches, force)
        rotor_forces(arrays, x, force)
    else:
        add_inertia(arrays, out[:n], x, force)
    return found


@helper
def factor(system, arrays, work, t, out, to_v, to_q):
    """The articulated inertias with L, at the state that was evaluated last; False where one is not positive."""
    own = WORKSPACE(work)
    n = work.v.shape[0]
    q, v = out[n : out.shape[0] - 1], out[:n]
    clear(own.diagonal)
    system.tangent(
        arrays, own.twin_frames, own.twin_values, own.twin_laws, own.whole[:0], q, v, work.lam, own.slopes, to_q, to_v,
        work.plan, own.scratch, own.whole[:0], own.diagonal,
    )  # fmt: skip
    for j in range(n):
        if not np.isfinite(own.diagonal[j]):  # it only steers the iteration
            own.diagonal[j] = 0.0
    work.counts[COUNT_FACTORISATIONS] += 1
    if own.flat.shape[0] > 0:
        return planar.eliminate(arrays.tree, arrays.tree_data, own.flat, own.diagonal, to_q, to_v)
    begin(arrays.tree, arrays.tree_data, arrays.tree_work, v)
    if inward_added(arrays.tree, arrays.tree_data, arrays.tree_work, own.diagonal) >= 0:
        return False
    roots(arrays.tree, arrays.tree_work)
    return True


@helper
def find_whole(system, arrays, work, t, dt, z, r, step, out):
    """The factors of -d force / d v_dot by differences, v_dot varied by `step`, of slides in links; False when it is singular."""
    own = WORKSPACE(work)
    n = work.v.shape[0]
    for j in range(n):
        kept, varied = own.x[j], step * work.scales[j]
        own.x[j] = kept + varied
        find_residual(system, arrays, work, t, dt, z, r, out, own.other)
        own.x[j] = kept
        for i in range(n):
            own.whole[i, j] = (own.force[i] - own.other[i]) / varied
    find_residual(system, arrays, work, t, dt, z, r, out, own.force)
    work.counts[COUNT_FACTORISATIONS] += 1
    own.memory[STEP_OF_WHOLE] = dt
    return lu(own.whole, n, own.whole_order)


@helper
def solve(arrays, own, by_whole, force):
    """own.change = the solution for these forces."""
    change = own.change
    if by_whole:
        for i in range(change.shape[0]):
            change[i] = force[own.whole_order[i]]
        eliminated_solve(own.whole, change.shape[0], change)
    else:
        copy(force, change, 0)
        if own.flat.shape[0] > 0:
            planar.solve(arrays.tree, own.flat, change)
            return
        weigh(arrays.tree, arrays.tree_data, arrays.tree_work, change)
        unweigh(arrays.tree, arrays.tree_data, arrays.tree_work, change)


@helper
def damp(arrays, own, by_whole, v, k, e):
    """e = k A^-1 M e, with the matrix A of the iteration: see `_alpha`."""
    clear(own.force)
    clear(own.other)
    for j in range(v.shape[0]):
        own.change[j] = own.x[j] + e[j]
    add_inertia(arrays, v, own.x, own.force)
    add_inertia(arrays, v, own.change, own.other)
    for j in range(v.shape[0]):
        own.force[j] -= own.other[j]  # M e: inverse dynamics is linear in the accelerations
    solve(arrays, own, by_whole, own.force)
    for j in range(v.shape[0]):
        e[j] = k * own.change[j]


@helper
def find_error(system, arrays, work, dt, r, z, out, moved, left_open, by_whole):
    """The estimated error of the step to the state out over the tolerance."""
    own = WORKSPACE(work)
    k_q, k_v = alpha.error_coefficients(r)
    alpha.differences(dt, own.memory[SPACING], own.x, own.v_dot, own.before_v_dot, own.e_q, own.e_v)
    alpha.differences(dt, own.memory[SPACING], own.x_dot, own.last_x_dot, own.before_x_dot, own.spare_x, own.e_x)
    v = out[: work.v.shape[0]]
    for e, k in ((own.e_q, k_q * dt * dt), (own.e_v, k_v * dt)):
        damp(arrays, own, by_whole, v, k, e)
    for i in range(own.e_x.shape[0]):
        own.e_x[i] *= k_v * dt
    error = alpha.error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
    if error > 1.0:
        for _ in range(alpha.LASTING):
            damp(arrays, own, by_whole, v, 1.0, own.e_q)
            damp(arrays, own, by_whole, v, 1.0, own.e_v)
        damped = alpha.error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
        error = max(damped, error / alpha.strictness(work, z, r))
    return error


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    own = WORKSPACE(work)
    memory, x, force, change = own.memory, own.x, own.force, own.change
    tolerance, r = work.settings[SETTING_TOLERANCE], work.settings[SPECTRAL_RADIUS]
    n, end, n_x = work.v.shape[0], z.shape[0] - 1, own.a_x.shape[0]
    out, spare = scratch[0], scratch[1]
    to_v, to_q = alpha.step_slopes(r, dt)
    least = round_off(work, z[n : end - n_x])
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, spare)
        if code != OK:
            return code
        copy(work.a, own.v_dot, 0)
        copy(work.a, own.a, 0)
        copy(spare[end - n_x : end], own.last_x_dot, 0)
        copy(spare[end - n_x : end], own.a_x, 0)
        memory[POWER], memory[BY_WHOLE], memory[SPACING] = spare[end], 0.0, 0.0
        if own.flat.shape[0] > 0:
            planar.set_constants(arrays.tree, arrays.tree_data, own.flat)
    by_error, enough = alpha.controlled(work), alpha.left(work, dt, z, r)
    if abs(memory[LAST_STEP] - dt) > 1e-6 * abs(dt):
        if not by_error:
            memory[SPACING] = 0.0
        elif memory[LAST_STEP] > 0.0:  # a_n is v_dot at a time that is a share of the step away
            alpha.to_step(dt / memory[LAST_STEP], own.v_dot, own.a)
            alpha.to_step(dt / memory[LAST_STEP], own.last_x_dot, own.a_x)
    memory[LAST_STEP] = dt
    extrapolated = memory[SPACING] > 0.0
    copy(own.v_dot, x, 0)
    if extrapolated:
        alpha.extrapolate(dt / memory[SPACING], own.v_dot, own.before_v_dot, x)
    by_whole, factored, size, first, tried = memory[BY_WHOLE] != 0.0, False, np.inf, 0.0, 0
    for _ in range(ITERATIONS):
        found = find_residual(system, arrays, work, t, dt, z, r, out, force)
        work.counts[COUNT_ITERATIONS] += 1
        if not (found and finite(force)):
            if extrapolated or tried > 0:  # from the last state itself
                copy(own.v_dot, x, 0)
                by_whole = by_whole or tried > 0
                extrapolated, factored, tried, size, first = False, False, 0, np.inf, 0.0
                continue
            return fail(work, NO_CONVERGENCE, -1) if not found else fail(work, NOT_FINITE, largest(force)[1])
        if not factored:
            if not by_whole and not factor(system, arrays, work, t + dt, out, to_v, to_q):
                by_whole = True
            new = memory[BY_WHOLE] == 0.0 or memory[WORST] > HELD or abs(memory[STEP_OF_WHOLE] - dt) > 1e-6 * abs(dt)
            if by_whole and new and not find_whole(system, arrays, work, t, dt, z, r, VARIATION / to_v, out):
                return fail(work, NO_CONVERGENCE, -1)
            memory[BY_WHOLE], memory[WORST], factored = 1.0 if by_whole else 0.0, 0.0, True
        before_size = size
        solve(arrays, own, by_whole, force)
        size = abs(dt * to_v) * largest_part(change, work.scales)[0]
        if tried > 0 and size > max(tolerance, least, SLOW * before_size) and (not by_whole or tried > 1):  # the whole tangent, here
            if size > before_size:  # from the beginning, as what was found is farther off
                copy(own.v_dot, x, 0)
            by_whole, factored, tried, size, memory[BY_WHOLE] = True, False, 0, np.inf, 0.0
            continue
        first = size if first == 0.0 else first
        rate = size / before_size if tried > 0 and before_size > 0.0 else 1.0
        if tried > 0 and rate > memory[WORST]:
            memory[WORST] = rate
        # what is left after this correction is no more than rate / (1 - rate) times it
        if by_whole:
            sure = rate < QUICK and size * max(rate, LEAST) <= SURE_HELD * enough
        else:
            sure = rate < QUICK and size * rate <= max(SURE * enough, alpha.far_below(first, tolerance, n))
        done = alpha.settled_change(size, before_size, tolerance, enough, least, by_error and tried == 0)
        if sure and not done:
            for j in range(n):
                x[j] += change[j]
            advance(system, arrays, work, t, dt, z, r, out, force)
        if sure or done:
            if by_error:
                error = find_error(system, arrays, work, dt, r, z, out, spare, alpha.unknown(size, before_size), by_whole)
                spare[0] = error
                if not error <= 1.0:
                    return COARSE
            out[end] = z[end] + 0.5 * dt * (memory[POWER] + work.power[0])
            memory[POWER] = work.power[0]
            for j in range(n):
                own.a[j] = alpha.next_a(r, x[j], own.v_dot[j], own.a[j])
            for i in range(n_x):
                own.a_x[i] = alpha.next_a(r, own.x_dot[i], own.last_x_dot[i], own.a_x[i])
                own.before_x_dot[i], own.last_x_dot[i] = own.last_x_dot[i], own.x_dot[i]
            copy(own.v_dot, own.before_v_dot, 0)
            copy(x, own.v_dot, 0)
            copy(out, z, 0)
            memory[SPACING] = dt
            return OK
        for j in range(n):
            x[j] += change[j]
        tried += 1
    return fail(work, NO_CONVERGENCE, -1)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "rhs", "start", "step"]
