"""`generalized_alpha` for bodies in absolute coordinates: the same equations, with exact tangents and an elimination over the bodies.

    [[M + c_v D + c_q K, -C'], [C, 0]] [d v_dot; d lam] = [h + C' lam - M v_dot; -phi / c_q or -(C v + xi) / c_v]

c_v = d v / d v_dot and c_q = d q / d v_dot of the step. Velocity-level rows have C + c_q / c_v d(C v + xi)/dd instead of C. States of the
user's and laws that read the state of the system are further unknowns: a state x at the end of a step meets x = base + c_v x_dot.

The cost of an iteration is linear in the number of bodies of a tree. The tangent is that of the predicted end, and taken anew where the
iteration is slow with it. What index 2 takes from the speeds is found with the elimination of `cfa`, and what is reported comes from its
kernels. generalized_alpha.py has the method.
"""

import numpy as np

from mbsim.jit import (
    COARSE,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    SETTING_TOLERANCE,
    STATUS_CHANGED,
    STEP,
    kernel,
)
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.sparse_blocks import find_slots, own_lines
from mbsim.methods._evaluation import driving_power, fail
from mbsim.methods._iteration import QUICK, SURE, finite, greatest, largest, largest_part, round_off, settled
from mbsim.methods.cfa import accept, expand, project, rhs, start
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.alpha import INDEX, INDEX_3, ITERATIONS, SPECTRAL_RADIUS
from mbsim.methods.implicit.alpha_blocks import (
    BY_PACE,
    HISTORY,
    LAST_STEP,
    POWER,
    SPACING,
    WORKSPACE,
    advance,
    correct,
    find_error,
    find_residual,
    find_tangent,
    keep_rates,
    miss_states,
    note_pace,
    plan,
    predict_by_pace,
    prepare,
    solve_step,
)

DRIFT = "none"
TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
SLOW = 0.2  # ratio of two changes above which the tangent is taken anew


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    own = WORKSPACE(work)
    memory, lam, x = own.memory, own.step_lam, own.x
    table, tolerance = work.plan[own_lines(work.plan) :], work.settings[SETTING_TOLERANCE]
    r, level = work.settings[SPECTRAL_RADIUS], work.settings[INDEX]
    rows, m, n = work.phi.shape[0], work.lam.shape[0], work.v.shape[0]
    end, n_x = z.shape[0] - 1, own.states.shape[0]
    force, b = own.sides[:n], own.sides[n : n + m]
    out, spare = scratch[0], scratch[1]
    to_v, to_q = alpha.step_slopes(r, dt)
    least = round_off(work, z[n : end - n_x])
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, spare)
        if code != OK:
            return code
        copy(spare[:n], own.v_dot, 0)  # that of `cfa` stands nowhere else
        copy(spare[:n], own.a, 0)
        copy(work.lam, lam, 0)
        copy(spare[end - n_x : end], own.last_x_dot, 0)
        copy(spare[end - n_x : end], own.a_x, 0)
        memory[POWER], memory[HISTORY], memory[BY_PACE] = spare[end], 0.0, 0.0
        find_slots(table, own.slots)
    copy(lam, own.first_lam, 0)
    by_error, ratio, enough = alpha.controlled(work), 1.0, alpha.left(work, dt, z, r)
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
    prepare(work, dt, z, r)
    if memory[HISTORY] > 1.0 and memory[BY_PACE] != 0.0:
        predict_by_pace(own, dt, to_q)
    clear(own.sides)
    worst, gap, size, first, at, tried = np.inf, np.inf, np.inf, 0.0, -1, 0
    for _ in range(ITERATIONS):
        find_residual(system, arrays, work, t + dt, z, to_v, to_q, out)
        work.counts[COUNT_ITERATIONS] += 1
        before_worst, before_gap, before_size = worst, gap, size
        worst, at = largest_part(work.phi, work.row_scales)
        if n_x > 0:
            share = miss_states(system, arrays, work, t + dt, out[n:end], out[:n], to_v)
            if share > worst or np.isnan(share):
                worst, at = share, -1
        gap = 0.0  # of the rows at velocity level that are kept
        for i in range(m):
            if i < rows:
                b[i] = -work.phi[i] / to_q
            else:
                s = own.rates[i]
                b[i] = -s / to_v
                s = abs(dt * s) / work.row_scales[i]
                if (s > gap and own.dropped[i] == 0) or np.isnan(s):
                    gap = s
                    at = i if gap > worst else at
        if not (np.isfinite(worst + gap) and finite(force)):
            if extrapolated:  # from the last state itself
                copy(own.v_dot, x, 0)
                copy(own.first_lam, lam, 0)
                copy(z[end - n_x : end], own.states, 0)
                extrapolated, factored, tried, worst, gap, size, first = False, False, 0, np.inf, np.inf, np.inf, 0.0
                continue
            if not np.isfinite(worst + gap):
                return fail(work, NOT_FINITE, z.shape[0] + at if at >= 0 else end - 1)
            return fail(work, NOT_FINITE, largest(force)[1])
        for attempt in range(2):
            if not factored:
                if not find_tangent(system, arrays, work, t + dt, out, to_v, to_q):
                    return fail(work, NO_CONVERGENCE, at)
                factored, tried = True, 0
            solve_step(work)
            size = abs(dt * to_v) * greatest(own.change, work.scales, n)
            if tried > 0 and size > max(tolerance, least, SLOW * before_size) and attempt == 0:
                factored = False
                continue
            break
        first = size if first == 0.0 else first
        rate = size / before_size if tried > 0 and before_size > 0.0 else 1.0
        # what is left after this correction is no more than rate / (1 - rate) times it, of the residuals likewise
        sure = rate < QUICK and size * rate <= max(SURE * enough, alpha.far_below(first, tolerance, 1))
        sure = sure and max(worst, gap) * rate <= SURE * tolerance
        done = settled(worst, before_worst, tolerance, least) and settled(gap, before_gap, tolerance)
        done = done and alpha.settled_change(size, before_size, tolerance, enough, least, by_error and tried == 0)
        if sure and not done:
            correct(work)
            advance(system, arrays, work, z, to_v, to_q, out)
        if sure or done:
            if level != INDEX_3 and rows > 0:
                if not done:
                    system.constraints(arrays, t + dt, out[n:end], work.C, work.xi)
                at = keep_rates(arrays, work, to_v, out[:n])
                if at >= 0:
                    return fail(work, NOT_FINITE, z.shape[0] + at)
            for i in range(n_x):
                own.new_x_dot[i] = (own.states[i] - own.base[i]) / to_v
            if by_error:
                error = find_error(system, arrays, work, dt, r, z, out, spare, alpha.unknown(size, before_size))
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
            note_pace(own, dt, to_q, ratio)
            copy(own.v_dot, own.before_v_dot, 0)
            copy(own.first_lam, own.before_lam, 0)
            copy(x, own.v_dot, 0)
            copy(out, z, 0)
            return OK
        correct(work)
        tried += 1
    return fail(work, NO_CONVERGENCE, at)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start", "step"]
