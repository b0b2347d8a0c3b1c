"""`generalized_alpha` for trees in joint coordinates with constraint rows: loops, drivers, couplings, equations.

The residual is that of `generalized_alpha.py`, by inverse dynamics of the tree. The matrix of the iteration is written for the bodies,
whose joints are further equations: [M + c_v D + c_q K] of bodies with the exact tangents of loads and rows, springs along joints on the
diagonal of these (`mbsim.kernels.tree_blocks`). So the cost of an iteration is linear in the number of bodies, for loops of a given length.
What is left out only steers the iteration: how the directions of joints change with the motion, and laws that read the state of the system.
Where that converges too slowly the matrix is the whole tangent by differences of the residual, dense. Which rows are left out because they
depend on others is what the kernels of `aba` have found at the last state that they evaluated. What is reported comes from them, too.
"""

import numpy as np

from mbsim.jit import (
    COARSE,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    SETTING_TOLERANCE,
    SINGULAR_MASS,
    STATUS_CHANGED,
    STATUS_RANK,
    STEP,
    kernel,
)
from mbsim.kernels.linalg import copy
from mbsim.methods._evaluation import driving_power, fail
from mbsim.methods._iteration import QUICK, SURE, finite, greatest, largest, largest_part, round_off, settled
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.alpha import INDEX, INDEX_3, ITERATIONS, SPECTRAL_RADIUS
from mbsim.methods.implicit.alpha_loop_blocks import (
    BY_WHOLE,
    HISTORY,
    LAST_STEP,
    POWER,
    SPACING,
    WORKSPACE,
    advance,
    choose_rows,
    correct,
    find_error,
    find_places,
    find_residual,
    find_tangent,
    find_whole,
    keep_rates,
    plan,
    solve,
)
from mbsim.methods.trees.aba_rows import accept, expand, project, rhs, start

CROSSES = True  # singular positions: reads Work.beside
DRIFT = "none"
TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
SLOW = 0.2  # ratio of two changes above which the tangent is taken anew
VARIATION = 1e-6  # links/s, rad/s: of the speeds, in the differences of the residual


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    own = WORKSPACE(work)
    memory, lam, x, force, side = own.memory, own.step_lam, own.rate, own.force, own.side
    tolerance = work.settings[SETTING_TOLERANCE]
    r, level = work.settings[SPECTRAL_RADIUS], work.settings[INDEX]
    rows, m, n = work.phi.shape[0], work.lam.shape[0], work.v.shape[0]
    end, n_x = z.shape[0] - 1, own.base.shape[0]
    out, spare = scratch[0], scratch[1]
    to_v, to_q = alpha.step_slopes(r, dt)
    least = round_off(work, z[n : end - n_x])
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, spare)
        if code != OK:
            return code
        copy(work.a, own.v_dot, 0)
        copy(work.a, own.a, 0)
        copy(work.lam, lam, 0)
        copy(spare[end - n_x : end], own.last_x_dot, 0)
        copy(spare[end - n_x : end], own.a_x, 0)
        memory[POWER], memory[HISTORY], memory[BY_WHOLE] = spare[end], 0.0, 0.0
        find_places(work.plan, own.of_speed, own.of_row)
    choose_rows(own, work.status[STATUS_RANK])
    copy(lam, own.first_lam, 0)
    by_error, ratio, enough = alpha.controlled(work), 1.0, alpha.left(work, dt, z, r)
    if abs(memory[LAST_STEP] - dt) > 1e-6 * abs(dt):
        if by_error:  # a_n is v_dot at a time that is a share of the step away
            if memory[LAST_STEP] > 0.0:
                alpha.to_step(dt / memory[LAST_STEP], own.v_dot, own.a)
                alpha.to_step(dt / memory[LAST_STEP], own.last_x_dot, own.a_x)
        else:
            memory[HISTORY] = 0.0
    extrapolated = memory[HISTORY] != 0.0
    if by_error and extrapolated:
        ratio = dt / memory[SPACING]
    copy(own.v_dot, x, 0)
    if extrapolated:
        alpha.extrapolate(ratio, own.v_dot, own.before_v_dot, x)
        alpha.extrapolate(ratio, own.first_lam, own.before_lam, lam)
    memory[LAST_STEP] = dt
    by_whole, factored, anew = memory[BY_WHOLE] != 0.0, False, False
    worst, gap, size, first, at, tried = np.inf, np.inf, np.inf, 0.0, -1, 0
    for _ in range(ITERATIONS):
        found = find_residual(system, arrays, work, t, dt, z, r, out, force)
        work.counts[COUNT_ITERATIONS] += 1
        before_worst, before_gap, before_size = worst, gap, size
        worst, at = largest_part(work.phi, work.row_scales)
        gap = 0.0  # of the rows at velocity level
        for i in range(m):
            if i < rows:
                side[i] = -work.phi[i] / to_q
            else:
                s = own.rates[i]
                side[i] = -s / to_v
                s = abs(dt * s) / work.row_scales[i]
                if s > gap or np.isnan(s):
                    gap = s
                    at = i if gap > worst else at
        if not (found and np.isfinite(worst + gap) and finite(force)):
            if extrapolated or tried > 0:  # from the last state itself
                by_whole = by_whole or not extrapolated
                copy(own.v_dot, x, 0)
                copy(own.first_lam, lam, 0)
                extrapolated, factored, tried, worst, gap, size, first = False, False, 0, np.inf, np.inf, np.inf, 0.0
                continue
            if not found:
                return fail(work, NO_CONVERGENCE, -1)
            return fail(work, NOT_FINITE, z.shape[0] + at if not np.isfinite(worst + gap) else largest(force)[1])
        again = False
        for attempt in range(2):
            if not factored:
                if not by_whole and not find_tangent(system, arrays, work, to_v, to_q):
                    by_whole = True
                if by_whole and not find_whole(system, arrays, work, t, dt, z, r, VARIATION / to_v, out):
                    return fail(work, NO_CONVERGENCE, at)
                factored, tried = True, 0
            solve(work, by_whole, force)
            size = abs(dt * to_v) * greatest(own.change, work.scales, n)
            if tried > 0 and size > max(tolerance, least, SLOW * before_size) and attempt == 0:
                if anew and not by_whole:  # the tangent of this step was taken anew before
                    by_whole, memory[BY_WHOLE] = True, 1.0
                    again = size > before_size
                anew, factored = True, False
                if again:
                    break
                continue
            break
        if again:  # from the beginning, as what was found is farther off
            copy(own.v_dot, x, 0)
            copy(own.first_lam, lam, 0)
            extrapolated, tried, worst, gap, size = False, 0, np.inf, np.inf, np.inf
            continue
        first = size if first == 0.0 else first
        rate = size / before_size if tried > 0 and before_size > 0.0 else 1.0
        # what is left after this correction is no more than rate / (1 - rate) times it, of the residuals likewise
        sure = rate < QUICK and size * rate <= max(SURE * enough, alpha.far_below(first, tolerance, n))
        sure = sure and max(worst, gap) * rate <= SURE * tolerance
        done = settled(worst, before_worst, tolerance, least) and settled(gap, before_gap, tolerance)
        done = done and alpha.settled_change(size, before_size, tolerance, enough, least, by_error and tried == 0)
        if sure and not done:
            correct(work)
            found = advance(system, arrays, work, t, dt, z, r, out)
            if not found:
                return fail(work, NO_CONVERGENCE, -1)
        if sure or done:
            if level != INDEX_3 and rows > 0:
                if not done:
                    system.constraints(arrays, t + dt, out[n:end], work.C, work.xi)
                if not keep_rates(arrays, work, to_v, out[:n]):
                    return fail(work, SINGULAR_MASS, 0)
            if by_error:
                error = find_error(system, arrays, work, dt, r, z, out, spare, alpha.unknown(size, before_size), by_whole)
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
                own.a_x[i] = alpha.next_a(r, own.x_dot[i], own.last_x_dot[i], own.a_x[i])
                own.before_x_dot[i], own.last_x_dot[i] = own.last_x_dot[i], own.x_dot[i]
            copy(own.v_dot, own.before_v_dot, 0)
            copy(own.first_lam, own.before_lam, 0)
            copy(x, own.v_dot, 0)
            copy(out, z, 0)
            memory[HISTORY], memory[SPACING] = 1.0, dt
            return OK
        correct(work)
        tried += 1
    return fail(work, NO_CONVERGENCE, at)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start", "step"]
