"""`generalized_alpha` for bodies in absolute coordinates: the same equations, with exact tangents and an elimination over the bodies.

    [[M + c_v D + c_q K, -C'], [C, 0]] [d v_dot; d lam] = [h + C' lam - M v_dot; -phi / c_q or -(C v + xi) / c_v]

c_v = d v / d v_dot and c_q = d q / d v_dot of the step. Velocity-level rows have C + c_q / c_v d(C v + xi)/dd instead of C. States of the
user's and laws that read the state of the system are further unknowns: a state x at the end of a step meets x = base + c_v x_dot.

The cost of an iteration is linear in the number of bodies of a tree. The tangent is that of the predicted end, and taken anew where the
iteration is slow with it. With index 2 the displacement M^-1 C' eta that keeps phi beside C v + xi is found with K = D = 0. What is
reported comes from the kernels of `cfa`. generalized_alpha.py has the method.
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
    SINGULAR_MASS,
    STATUS_CHANGED,
    STEP,
    Workspace,
    helper,
    index,
    indices,
    kernel,
    matrix,
    vector,
)
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.sparse_blocks import (
    add_masses,
    add_reactions,
    factor,
    find_slots,
    own_lines,
    place_rows,
    row_rates,
    solve,
    subtract_inertia,
)
from mbsim.kernels.wide_rows import place_wide, rate_wide, react_wide
from mbsim.methods import _alpha as alpha
from mbsim.methods import cfa
from mbsim.methods._alpha import INDEX, INDEX_3, ITERATIONS, SPECTRAL_RADIUS, coefficients
from mbsim.methods._evaluation import driving_power, fail
from mbsim.methods._iteration import QUICK, SURE, finite, largest, settled
from mbsim.methods._sparse_order import sparse_plan
from mbsim.methods._work import Space
from mbsim.methods.cfa import accept, expand, project, rhs, start
from mbsim.system.system import System

TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
FRAME = 22  # columns of Arrays.frames
SLOW = 0.2  # ratio of two changes above which the tangent is taken anew
WORKSPACE = Workspace(
    "alpha_bodies",
    cfa.WORKSPACE,
    sizes=("blocks", "relative", "relative_width", "laws", "slopes", "extras"),
    v_dot=vector("n"),  # at the last state
    a=vector("n"),  # the method's own, there
    memory=vector("4"),  # see POWER
    step_lam=vector("m"),
    before_v_dot=vector("n"),  # at the state before the last
    before_lam=vector("m"),
    first_lam=vector("m"),  # at the start of the step
    x=vector("n"),  # the v_dot that is looked for
    shift=vector("n"),  # M^-1 C' eta
    force=vector("n"),  # h + C' lam - M x
    rates=vector("m"),  # C v + xi
    blocks=vector("blocks"),  # factors of the tangent
    blocks_order=indices("n + m + extras"),
    plain=vector("blocks"),  # and of the same with K = D = 0
    plain_order=indices("n + m + extras"),
    slots=indices("n + m + extras"),  # which of [speeds; multipliers; states; laws] stands where in the order of the elimination
    right=vector("n + m + extras"),  # in that order
    change=vector("n + m + extras"),  # of [v_dot; lam; states; laws] by a solution
    frames=matrix("bodies + 1", f"{FRAME}"),  # twins
    relative_values=matrix("relative", "relative_width"),
    laws=matrix("laws", "3"),
    slopes=vector("slopes"),  # of laws by what they read
    states=vector("n_x"),  # that are looked for
    base=vector("n_x"),  # states = base + c_v rates
    missed=vector("n_x"),  # base + c_v rates - states
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
# at the last state; the step that `a` belongs to; whether there is a state before the last, as far away where steps are equal; how far
POWER, LAST_STEP, HISTORY, SPACING = 0, 1, 2, 3


def plan(system: System, options: Mapping[str, Any]) -> Space:
    """The tables of both eliminations, that of `cfa` first. Raises ValueError where one body has too many joints."""
    found, own = cfa.plan(system, {}), sparse_plan(system)
    relative, width = system.arrays.relative_values.shape
    sizes = {**found.sizes, "blocks": own.places, "relative": relative, "relative_width": width, "slopes": own.slopes}
    sizes |= {"laws": len(system.arrays.laws), "extras": len(own.slots) - system.n_v - system.n_rows}
    return Space(WORKSPACE, sizes, np.vstack([found.table, own.table]), False, False)


@helper
def advance(system, arrays, work, dt, z, r, out):
    """The state out at t + dt that belongs to v_dot = x; own.force is scratch."""
    own = WORKSPACE(work)
    force, x, n = own.force, own.x, work.v.shape[0]
    _, _, beta, gamma = coefficients(r)
    q = out[n : z.shape[0] - 1]
    copy(z[n : z.shape[0] - 1], q, 0)
    for j in range(n):
        a = alpha.next_a(r, x[j], own.v_dot[j], own.a[j])
        out[j] = z[j] + dt * ((1.0 - gamma) * own.a[j] + gamma * a)
        force[j] = dt * z[j] + dt * dt * ((0.5 - beta) * own.a[j] + beta * a) + own.shift[j]
    system.move(arrays, q, force)
    first = q.shape[0] - own.base.shape[0]
    for i in range(own.base.shape[0]):
        a = alpha.next_a(r, 0.0, own.last_x_dot[i], own.a_x[i])
        own.base[i] = z[n + first + i] + dt * ((1.0 - gamma) * own.a_x[i] + gamma * a)
        q[first + i] = own.states[i]


@helper
def miss_states(system, arrays, work, t, q, v, to_v):
    """own.missed = base + c_v rates - states; returns the largest one relative to the size of its terms."""
    own, worst = WORKSPACE(work), 0.0
    first = q.shape[0] - own.base.shape[0]
    system.rates(arrays, t, q, v, own.q_dot)
    for i in range(own.base.shape[0]):
        change = to_v * own.q_dot[first + i]
        own.missed[i] = own.base[i] + change - own.states[i]
        size = abs(own.base[i]) + abs(change) + abs(own.states[i])
        share = abs(own.missed[i]) / size if size > 0.0 else 0.0
        if share > worst or np.isnan(share):
            worst = share
    return worst


@helper
def find_residual(system, arrays, work, t, dt, z, r, out):
    """`advance`, and force = h + C' lam - M x, phi and C v + xi there."""
    own = WORKSPACE(work)
    table, force, x, n = work.plan[own_lines(work.plan) :], own.force, own.x, work.v.shape[0]
    advance(system, arrays, work, dt, z, r, out)
    q = out[n : z.shape[0] - 1]
    system.constraints(arrays, t + dt, q, work.C, work.xi)
    system.residual(arrays, t + dt, q[:0], work.phi)  # at the poses that `constraints` has left
    system.dynamics(arrays, t + dt, q, out[:n], work.M, work.h, work.eta[:0], work.power)
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
def greatest(x, n):
    """The largest size of the first n entries, four at a time."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        a, b, c, d = max(a, abs(x[i])), max(b, abs(x[i + 1])), max(c, abs(x[i + 2])), max(d, abs(x[i + 3]))
    for i in range(n - n % 4, n):
        a = max(a, abs(x[i]))
    return max(a, b, c, d)


@helper
def solve_step(work, blocks, order, force, b, dropped, missed):
    """own.change = the solution for the forces (n,), the rows' right sides b (m,) and those of the states.

    Laws are met, so theirs are zero.
    """
    own = WORKSPACE(work)
    table, right, change, slots = work.plan[own_lines(work.plan) :], own.right, own.change, own.slots
    n, m, n_x = force.shape[0], b.shape[0], missed.shape[0]
    copy(force, change, 0)
    for i in range(m):
        change[n + i] = 0.0 if dropped[i] == 1 else b[i]
    for i in range(n + m, change.shape[0]):
        change[i] = missed[i - n - m] if i - n - m < n_x else 0.0
    for k in range(right.shape[0]):
        right[k] = change[index(slots[k])]
    solve(table, blocks, order, right)
    for k in range(right.shape[0]):
        change[index(slots[k])] = right[k]


@helper
def correct(arrays, work, shifts, rows, to_q):
    """x and lam by the solution in own.change and, where the step `shifts`, the shift that keeps phi of the first `rows` rows."""
    own = WORKSPACE(work)
    table, n, x, lam, change, b = work.plan[own_lines(work.plan) :], work.v.shape[0], own.x, own.step_lam, own.change, own.asked
    m = b.shape[0]
    for i in range(n):
        x[i] += change[i]
    for i in range(m):
        lam[i] += change[n + i]
    for i in range(own.states.shape[0]):
        own.states[i] += change[n + m + i]
    if shifts:
        row_rates(arrays, table, change, own.rates)
        rate_wide(table, work.C, change, own.rates)
        for i in range(m):
            b[i] = -(work.phi[i] + to_q * own.rates[i]) if i < rows else 0.0
        clear(own.force)
        solve_step(work, own.plain, own.plain_order, own.force, b, own.dropped, own.missed[:0])
        for i in range(n):
            own.shift[i] += change[i]


@helper
def find_error(system, arrays, work, dt, r, z, out, moved):
    """The estimated error of the step to the state out over the tolerance."""
    own = WORKSPACE(work)
    k_q, k_v = alpha.error_coefficients(r)
    before = own.memory[SPACING] if own.memory[HISTORY] != 0.0 else 0.0
    alpha.differences(dt, before, own.x, own.v_dot, own.before_v_dot, own.e_q, own.e_v)
    alpha.differences(dt, before, own.new_x_dot, own.last_x_dot, own.before_x_dot, own.spare_x, own.e_x)
    clear(own.asked)
    for e, k in ((own.e_q, k_q * dt * dt), (own.e_v, k_v * dt)):
        clear(own.force)
        subtract_inertia(arrays, arrays.jacobian.shape[1] == 6, e, own.force)
        solve_step(work, own.blocks, own.blocks_order, own.force, own.asked, own.dropped, own.missed[:0])
        for j in range(e.shape[0]):
            e[j] = -k * own.change[j]
    for i in range(own.e_x.shape[0]):
        own.e_x[i] *= k_v * dt
    return alpha.error_size(system, arrays, work, z, out, own.e_q, own.e_v, own.e_x, moved)


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    own = WORKSPACE(work)
    memory, lam, x, force, shift, b = own.memory, own.step_lam, own.x, own.force, own.shift, own.asked
    table, tolerance = work.plan[own_lines(work.plan) :], work.settings[SETTING_TOLERANCE]
    r, level = work.settings[SPECTRAL_RADIUS], work.settings[INDEX]
    rows, m, n = work.phi.shape[0], work.lam.shape[0], work.v.shape[0]
    end, n_x = z.shape[0] - 1, own.states.shape[0]
    out, spare = scratch[0], scratch[1]
    to_v, to_q = alpha.step_slopes(r, dt)
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, spare)
        if code != OK:
            return code
        copy(spare[:n], own.v_dot, 0)  # that of `cfa` stands nowhere else
        copy(spare[:n], own.a, 0)
        copy(work.lam, lam, 0)
        copy(spare[end - n_x : end], own.last_x_dot, 0)
        copy(spare[end - n_x : end], own.a_x, 0)
        memory[POWER], memory[HISTORY] = spare[end], 0.0
        find_slots(table, own.slots)
    copy(lam, own.first_lam, 0)
    clear(shift)
    by_error, ratio, enough = alpha.controlled(work), 1.0, alpha.left(work, dt)
    if abs(memory[LAST_STEP] - dt) > 1e-6 * abs(dt):
        if by_error:  # a_n is v_dot at a time that is a share of the step away
            if memory[LAST_STEP] > 0.0:
                alpha.to_step(dt / memory[LAST_STEP], own.v_dot, own.a)
                alpha.to_step(dt / memory[LAST_STEP], own.last_x_dot, own.a_x)
        else:
            memory[HISTORY] = 0.0
    extrapolated, factored = memory[HISTORY] != 0.0, False
    if by_error and extrapolated:
        ratio = dt / memory[SPACING]
    copy(own.v_dot, x, 0)
    if extrapolated:
        alpha.extrapolate(ratio, own.v_dot, own.before_v_dot, x)
        alpha.extrapolate(ratio, own.first_lam, own.before_lam, lam)
    for i in range(n_x):
        own.states[i] = z[end - n_x + i] + dt * own.last_x_dot[i]
    memory[LAST_STEP] = dt
    worst, gap, size, at, tried = np.inf, np.inf, np.inf, -1, 0
    for iteration in range(ITERATIONS):
        find_residual(system, arrays, work, t, dt, z, r, out)
        work.counts[COUNT_ITERATIONS] += 1
        before_worst, before_gap, before_size = worst, gap, size
        worst, at = largest(work.phi)
        if n_x > 0:
            share = miss_states(system, arrays, work, t + dt, out[n:end], out[:n], to_v)
            if share > worst or np.isnan(share):
                worst, at = share, -1
        gap = 0.0  # of the velocity constraints that are kept
        for i in range(m):
            if i < rows and level == INDEX_3:
                b[i] = -work.phi[i] / to_q
            else:
                s = own.rates[i]
                b[i] = -s / to_v
                if abs(s) > gap or np.isnan(s):
                    gap = abs(s)
                    at = i if gap > worst else at
        if not (np.isfinite(worst + gap) and finite(force)):
            if extrapolated:  # from the last state itself
                copy(own.v_dot, x, 0)
                copy(own.first_lam, lam, 0)
                copy(z[end - n_x : end], own.states, 0)
                clear(shift)
                extrapolated, factored, tried, worst, gap, size = False, False, 0, np.inf, np.inf, np.inf
                continue
            if not np.isfinite(worst + gap):
                return fail(work, NOT_FINITE, z.shape[0] + at if at >= 0 else end - 1)
            return fail(work, NOT_FINITE, largest(force)[1])
        if iteration == 0 and level != INDEX_3 and rows > 0:
            clear(own.plain)
            add_masses(arrays, table, 1.0, own.plain)
            place_rows(arrays, table, own.dropped, own.plain)
            place_wide(table, work.C, own.dropped, own.plain)
            work.counts[COUNT_FACTORISATIONS] += 1
            if factor(table, own.plain, own.plain_order) >= 0:
                return fail(work, SINGULAR_MASS, 0)
        for attempt in range(2):
            if not factored:
                if not find_tangent(system, arrays, work, t + dt, out, to_v, to_q):
                    return fail(work, NO_CONVERGENCE, at)
                factored, tried = True, 0
            solve_step(work, own.blocks, own.blocks_order, force, b, own.dropped, own.missed)
            size = abs(dt * to_v) * greatest(own.change, n)
            if tried > 0 and size > max(tolerance, SLOW * before_size) and attempt == 0:
                factored = False
                continue
            break
        rate = size / before_size if tried > 0 and before_size > 0.0 else 1.0
        # what is left after this correction is no more than rate / (1 - rate) times it, of the residuals likewise
        sure = rate < QUICK and size * rate <= SURE * enough and max(worst, gap) * rate <= SURE * tolerance
        done = settled(worst, before_worst, tolerance) and settled(gap, before_gap, tolerance)
        done = done and alpha.settled_change(size, before_size, tolerance, enough)
        if sure and not done:
            correct(arrays, work, level != INDEX_3 and rows > 0, rows, to_q)
            advance(system, arrays, work, dt, z, r, out)
        if sure or done:
            for i in range(n_x):
                own.new_x_dot[i] = (own.states[i] - own.base[i]) / to_v
            if by_error:
                error = find_error(system, arrays, work, dt, r, z, out, spare)
                spare[0] = error
                if not error <= 1.0:
                    copy(own.first_lam, lam, 0)
                    return COARSE
            power = driving_power(work, lam)
            out[end] = z[end] + 0.5 * dt * (memory[POWER] + power)
            memory[POWER] = power
            for j in range(n):
                own.a[j] = alpha.next_a(r, x[j], own.v_dot[j], own.a[j])
            for i in range(n_x):
                own.a_x[i] = alpha.next_a(r, own.new_x_dot[i], own.last_x_dot[i], own.a_x[i])
                own.before_x_dot[i], own.last_x_dot[i] = own.last_x_dot[i], own.new_x_dot[i]
            copy(own.v_dot, own.before_v_dot, 0)
            copy(own.first_lam, own.before_lam, 0)
            copy(x, own.v_dot, 0)
            copy(out, z, 0)
            memory[HISTORY], memory[SPACING] = 1.0, dt
            return OK
        correct(arrays, work, level != INDEX_3 and rows > 0, rows, to_q)
        tried += 1
    return fail(work, NO_CONVERGENCE, at)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start", "step"]
