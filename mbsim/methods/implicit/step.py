"""One step of `generalized_alpha`, whatever the form of the equations.

    M v_dot = h + C' lam  at (t_{n+1}, q_{n+1}, v_{n+1})
    q_{n+1} = q_n (+) (h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1}))
    v_{n+1} = v_n + h ((1 - gamma) a_n + gamma a_{n+1})
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v_dot_{n+1} + alpha_f v_dot_n
    states x with x_dot = g(t, q, v, x) as v is, with an a of their own

    phi(t_{n+1}, q_{n+1}) = 0 in holonomic rows, C v + xi = 0 in nonholonomic ones
    index 2:  then v -= c_v M^-1 C' e, v_dot -= M^-1 C' e, lam -= e, so that C v + xi = 0 in all rows; c_v = d v / d v_dot of the step

Chung & Hulbert 1993; constraints: Arnold & Bruels 2007; quaternions by q (+) d: Bruels, Cardona & Arnold 2012; e: with a displacement
c_q M^-1 C' e, c_q = d q / d v_dot, this is the stabilised index 2 of Arnold, Cardona & Bruels 2016 in the M norm, where h does not depend
on v. There phi = 0 is met by that displacement and lam by C v + xi = 0, and each shift of q moves every spring: such an iteration does not
converge with stiff ones. Here q is found with lam alone, and e after it; h is that at v before e, O(h^2) away. alpha_m = (2 r - 1) /
(r + 1), alpha_f = r / (r + 1), gamma = 1/2 + alpha_f - alpha_m, beta = (gamma + 1/2)^2 / 4, with r the spectral radius at infinite
frequency: 1 damps nothing, 0 annihilates it in a step. a is the method's own, of order 1, and is not the acceleration reported.

The unknowns are v_dot and lam, and the residuals exact:

    A [d v_dot; d lam] = [h + C' lam - M v_dot; -phi / c_q or -(C v + xi) / c_v]

A is one of two matrices, which steer the iteration only (`iterate`): CONSTANT is [M, -C'; C, 0] with what a form takes of c_v D + c_q K,
formed anew in each step; TANGENT is the whole tangent of the residual by its differences, held over the steps as long as it serves. Not
HHT-alpha (alpha_m = 0) and not Newmark's method (both 0). docs/methods/generalized_alpha.md.

After an impact v_dot of what is much faster than the step, as the stretch of a beam, is that of its vibration, and h^2 v_dot is no part of
the step's displacement. Where the first step does not converge from there, it is one of the implicit Euler method, which needs no v_dot
(`predict_softly`): q_{n+1} = q_n (+) h v_{n+1}, v_{n+1} = v_n + h v_dot_{n+1}. One step of order 1 leaves the order of a run.
"""

import numpy as np

from mbsim.contracts import COARSE, COUNT_ITERATIONS, NO_CONVERGENCE, NOT_FINITE, OK, SETTING_TOLERANCE, STATUS_CHANGED
from mbsim.jit import helper, unfolded
from mbsim.kernels.iteration import QUICK, SURE, finite, greatest, has_settled, largest, largest_part, round_off
from mbsim.kernels.linalg import clear, copy
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.alpha import INDEX, INDEX_3, ITERATIONS, SPECTRAL_RADIUS
from mbsim.methods.implicit.error import find_error
from mbsim.methods.implicit.form import (
    BEFORE_SPACING,
    BEGUN,
    CONSTANT,
    HISTORY,
    LAST_STEP,
    MATRIX,
    MISSED,
    NEXT_MISSED,
    NEXT_POWER,
    POWER,
    SAME_STEP,
    SOFTLY,
    SPACING,
    TANGENT,
    TANGENT_STEP,
    WORST,
)
from mbsim.methods.implicit.newton import advance, correct, correct_multipliers, factor, find_misses, find_residual, solve, take_tangent
from mbsim.saddle.evaluation import driving_power, fail

SLOW = 0.3  # ratio of two changes above which TANGENT is taken, or taken anew
RENEW = 0.2  # and CONSTANT, which costs less
SURE_HELD = 0.01  # as SURE, of a matrix that is not near the tangent: parts of a change shrink by different ratios, what is left is slow
FAR = 0.3  # ratio of what two guesses miss
LEAST_RATE = 0.1  # ratio that is counted on then


@unfolded
def begin(form, own, method, system, arrays, work, t, z, spare):
    """v_dot and lam at a start, before which nothing is known."""
    n, end, n_x, memory = work.v.shape[0], z.shape[0] - 1, own.states.shape[0], own.memory
    code = method.rhs(system, arrays, work, t, z, spare)
    if code == OK:
        copy(spare[:n], own.v_dot, 0)
        copy(spare[:n], own.a, 0)
        copy(work.lam, own.next_lam, 0)
        copy(spare[end - n_x : end], own.last_x_dot, 0)
        copy(spare[end - n_x : end], own.a_x, 0)
        memory[POWER], memory[HISTORY], memory[MISSED], memory[MATRIX], memory[BEGUN] = spare[end], 0.0, 0.0, CONSTANT, np.nan
        form.begin(arrays, work, own)
    return code


@helper
def pace_ratio(own, dt):
    """How much farther the end of the step is from the last displacement than this from the one before, as these stand for mid-steps."""
    last, before = own.memory[SPACING], own.memory[BEFORE_SPACING]
    return (dt + last) / (last + before)


@unfolded
def predict(own, work, dt, z, r, to_q):
    """What the end of a step is without the unknowns, and the first guess of these, from the last two states where they are known.

    Where forces are stiff the displacements of the last two steps give it (MISSED): these are smooth, and v_dot is not. It holds what
    the step does to vibrations that it does not resolve.
    """
    memory, n_x, end = own.memory, own.states.shape[0], z.shape[0] - 1
    _, _, beta, gamma = alpha.coefficients(r)
    if abs(memory[LAST_STEP] - dt) > SAME_STEP * abs(dt):
        if not alpha.is_controlled(work):
            memory[HISTORY] = 0.0
        elif memory[HISTORY] > 0.0 and alpha.would_grow(r, dt / memory[LAST_STEP]):
            alpha.to_new_step(r, dt / memory[SPACING], own.v_dot, own.before_v_dot, own.a)
            alpha.to_new_step(r, dt / memory[SPACING], own.last_x_dot, own.before_x_dot, own.a_x)
        elif memory[LAST_STEP] > 0.0:
            alpha.to_step(dt / memory[LAST_STEP], own.v_dot, own.a)
            alpha.to_step(dt / memory[LAST_STEP], own.last_x_dot, own.a_x)
    memory[LAST_STEP] = dt
    copy(own.v_dot, own.next_v_dot, 0)
    copy(own.next_lam, own.first_lam, 0)
    if memory[HISTORY] > 0.0:
        alpha.extrapolate(dt / memory[SPACING], own.v_dot, own.before_v_dot, own.next_v_dot)
        alpha.extrapolate(dt / memory[SPACING], own.first_lam, own.before_lam, own.next_lam)
    for j in range(own.v_dot.shape[0]):
        a = alpha.next_a(r, 0.0, own.v_dot[j], own.a[j])
        own.ahead_v[j] = z[j] + dt * ((1.0 - gamma) * own.a[j] + gamma * a)
        own.ahead[j] = dt * z[j] + dt * dt * ((0.5 - beta) * own.a[j] + beta * a)
    if memory[HISTORY] > 1.0 and memory[MISSED] > 0.0:
        share = pace_ratio(own, dt)
        for j in range(own.v_dot.shape[0]):
            d = dt * (own.pace[j] + share * (own.pace[j] - own.before_pace[j]))
            own.next_v_dot[j] = (d - own.ahead[j]) / to_q
    for i in range(n_x):
        a = alpha.next_a(r, 0.0, own.last_x_dot[i], own.a_x[i])
        own.base[i] = z[end - n_x + i] + dt * ((1.0 - gamma) * own.a_x[i] + gamma * a)
        own.states[i] = z[end - n_x + i] + dt * own.last_x_dot[i]


@unfolded
def predict_softly(own, dt, z):
    """What the end of a step of the implicit Euler method is without the unknowns, and as the first guess that the speeds stay."""
    n_x, end = own.states.shape[0], z.shape[0] - 1
    clear(own.next_v_dot)
    clear(own.next_lam)
    for j in range(own.v_dot.shape[0]):
        own.ahead_v[j], own.ahead[j] = z[j], dt * z[j]
    for i in range(n_x):
        own.base[i] = own.states[i] = z[end - n_x + i]
    own.memory[TANGENT_STEP] = 0.0  # that of other steps


@unfolded
def restart(own, z):
    """The last state as the first guess."""
    copy(own.v_dot, own.next_v_dot, 0)
    copy(own.first_lam, own.next_lam, 0)
    copy(z[z.shape[0] - 1 - own.states.shape[0] : z.shape[0] - 1], own.states, 0)


@unfolded
def iterate(form, own, system, arrays, work, t, dt, z, r, to_v, to_q, out):
    """Newton's iteration to the state out at the time t: a code, whether out was evaluated, and the displacement that is not known of it.

    Where CONSTANT is slow it is formed anew here, `renewals` times; then TANGENT takes its place, for this step and the next ones. A step
    whose changes grow begins again at the last state.
    """
    memory, by_error, n = own.memory, alpha.is_controlled(work), work.v.shape[0]
    tolerance, enough = work.settings[SETTING_TOLERANCE], alpha.allow_left(work, dt, z, r)
    least = round_off(work, z[n : z.shape[0] - 1 - own.states.shape[0]])
    extrapolated, factored, tried, renewed = memory[HISTORY] > 0.0, False, 0, 0  # `tried`: corrections by these factors
    worst, gap, size, first, at = np.inf, np.inf, np.inf, 0.0, -1
    for _ in range(ITERATIONS):
        before_worst, before_gap, before_size = worst, gap, size
        found, share = find_residual(form, own, system, arrays, work, t, z, to_v, to_q, out)
        worst, gap, at = find_misses(own, work, dt, share, to_v, to_q)
        work.counts[COUNT_ITERATIONS] += 1
        again = False
        if not (found and np.isfinite(worst + gap) and finite(own.sides[:n])):
            if not extrapolated and (tried == 0 or not form.has_tangent):
                if not found:
                    return fail(work, NO_CONVERGENCE, -1), False, 0.0
                blamed = z.shape[0] + at if at >= 0 else z.shape[0] - 2
                return fail(work, NOT_FINITE, largest(own.sides[:n])[1] if np.isfinite(worst + gap) else blamed), False, 0.0
            if not extrapolated:
                take_tangent(memory)
            again = True
        while not again:
            if not factored:
                code = factor(form, own, system, arrays, work, t, dt, z, to_v, to_q, out)
                if code != OK:
                    return fail(work, code, at) if code == NO_CONVERGENCE else code, False, 0.0
                factored, tried = True, 0
            solve(form, own, arrays, work)
            size = abs(dt * to_v) * greatest(own.change, work.scales, n) if finite(own.change[:n]) else np.inf
            renews = not form.has_tangent or (memory[MATRIX] == CONSTANT and renewed < form.renewals)
            slow = size > max(tolerance, least, (RENEW if renews else SLOW) * before_size)
            if not slow or tried == 0 or (tried == 1 and memory[MATRIX] == TANGENT):
                break
            factored = False
            if renews:
                renewed += 1
            else:
                take_tangent(memory)
                again = size > before_size
        if again:
            restart(own, z)
            extrapolated, factored, tried, first = False, False, 0, 0.0
            worst, gap, size = np.inf, np.inf, np.inf
            continue
        first = size if first == 0.0 else first
        rate = size / before_size if tried > 0 and before_size > 0.0 else 1.0
        if tried > 0:
            memory[WORST] = max(memory[WORST], rate)
        # what is left after this correction is no more than rate / (1 - rate) times it, of the residuals likewise
        if memory[MATRIX] == TANGENT or not form.is_near:
            sure = size * max(rate, LEAST_RATE) <= SURE_HELD * enough
        else:
            missed = max(first, memory[MISSED] if extrapolated else 0.0)
            sure = size * rate <= max(SURE * enough, alpha.far_below(missed, tolerance, n if form.adds_up else 1))
        sure = sure and rate < QUICK and max(worst, gap) * rate <= SURE * tolerance
        done = has_settled(worst, before_worst, tolerance, least) and has_settled(gap, before_gap, tolerance)
        done = done and alpha.settled_change(size, before_size, tolerance, enough, least, by_error and tried == 0)
        if done:  # `size` knows nothing of the multipliers; what their extrapolation misses would grow from step to step
            correct_multipliers(own)
            return OK, True, alpha.unknown(size, before_size)
        correct(own)
        if sure:
            if not advance(form, own, system, arrays, work, t, z, to_v, to_q, out):
                return fail(work, NO_CONVERGENCE, -1), False, 0.0
            return OK, False, alpha.unknown(size, before_size)
        tried += 1
    return fail(work, NO_CONVERGENCE, at), False, 0.0


@unfolded
def keep_rates(form, own, system, arrays, work, t, to_v, out, evaluated):
    """Index 2: the speeds of out onto C v + xi = 0, with v_dot and lam."""
    n = work.v.shape[0]
    if not evaluated:
        system.constraints(arrays, t, out[n : out.shape[0] - 1], work.C, work.xi)
    code = form.solve_rates(arrays, work, own, to_v, out[:n])
    if code == OK:
        for j in range(n):
            out[j] += to_v * own.change[j]
        for i in range(own.states.shape[0]):
            own.change[n + own.rates.shape[0] + i] = 0.0
        correct(own)
    return code


@unfolded
def compare_guesses(form, own, work, dt, to_q):
    """Where displacements were a nearer prediction of the step than v_dot, by how much v_dot missed it, as a displacement; else 0.

    Where displacements add up over the bodies, their sums are compared, and nearer means by far (FAR).
    """
    by_v_dot, by_pace, sum_v_dot, sum_pace, most = 0.0, 0.0, 0.0, 0.0, 0.0
    ratio, share = dt / own.memory[SPACING], pace_ratio(own, dt)
    for j in range(own.v_dot.shape[0]):
        d, last, pace = own.moved[j], own.v_dot[j], own.pace[j]
        missed_v_dot = d - own.ahead[j] - to_q * (last + ratio * (last - own.before_v_dot[j]))
        missed_pace = d - dt * (pace + share * (pace - own.before_pace[j]))
        own.other[j] = missed_v_dot
        sum_v_dot = missed_v_dot + (sum_v_dot if form.adds_up else 0.0)
        sum_pace = missed_pace + (sum_pace if form.adds_up else 0.0)
        by_v_dot, by_pace = max(by_v_dot, abs(sum_v_dot)), max(by_pace, abs(sum_pace))
    if by_pace < (FAR if form.adds_up else 1.0) * by_v_dot:
        most = largest_part(own.other, work.scales)[0]
    return most


@unfolded
def accept(form, own, work, t, dt, to_q, out, z):
    """z becomes out, and what `keep` needs of the end of the step is noted."""
    memory, end = own.memory, z.shape[0] - 1
    memory[BEGUN], memory[NEXT_POWER] = t, driving_power(work, own.next_lam)
    memory[NEXT_MISSED] = compare_guesses(form, own, work, dt, to_q) if memory[HISTORY] > 1.0 else 0.0
    before = memory[NEXT_POWER] if memory[SOFTLY] == 1.0 else memory[POWER]  # that of the vibration, right after the impact, does not last
    out[end] = z[end] + 0.5 * dt * (before + memory[NEXT_POWER])
    copy(out, z, 0)


@unfolded
def keep(own, r):
    """The state that the last step led to becomes the last state, as a step begins there.

    Who marches may not take a step: then the next one begins where it began, and the last state is still that.
    """
    memory = own.memory
    dt = memory[LAST_STEP]
    if memory[SOFTLY] == 1.0:  # what was before the step says nothing about the next one
        copy(own.next_v_dot, own.v_dot, 0)
        copy(own.next_v_dot, own.a, 0)
        copy(own.x_dot, own.last_x_dot, 0)
        copy(own.x_dot, own.a_x, 0)
        memory[TANGENT_STEP] = 0.0
    for j in range(own.v_dot.shape[0]):
        own.before_pace[j], own.pace[j] = own.pace[j], own.moved[j] / dt
        own.a[j] = alpha.next_a(r, own.next_v_dot[j], own.v_dot[j], own.a[j])
    for i in range(own.a_x.shape[0]):
        own.a_x[i] = alpha.next_a(r, own.x_dot[i], own.last_x_dot[i], own.a_x[i])
    copy(own.v_dot, own.before_v_dot, 0)
    copy(own.next_v_dot, own.v_dot, 0)
    copy(own.last_x_dot, own.before_x_dot, 0)
    copy(own.x_dot, own.last_x_dot, 0)
    copy(own.first_lam, own.before_lam, 0)
    memory[POWER], memory[MISSED], memory[HISTORY] = memory[NEXT_POWER], memory[NEXT_MISSED], min(memory[HISTORY] + 1.0, 2.0)
    memory[BEFORE_SPACING], memory[SPACING] = memory[SPACING], dt


@unfolded
def take(form, own, method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    r, rows, out, spare = work.settings[SPECTRAL_RADIUS], work.phi.shape[0], scratch[0], scratch[1]
    to_v, to_q = alpha.step_slopes(r, dt)
    if work.status[STATUS_CHANGED]:
        code = begin(form, own, method, system, arrays, work, t, z, spare)
        if code != OK:
            return code
    elif own.memory[BEGUN] == t:
        copy(own.first_lam, own.next_lam, 0)
    elif not np.isnan(own.memory[BEGUN]):
        keep(own, r)
    own.memory[BEGUN] = np.nan
    form.choose_rows(work, own)
    predict(own, work, dt, z, r, to_q)
    code, evaluated, left_open = iterate(form, own, system, arrays, work, t + dt, dt, z, r, to_v, to_q, out)
    own.memory[SOFTLY] = 0.0
    if code in (NO_CONVERGENCE, NOT_FINITE) and own.memory[HISTORY] == 0.0 and not alpha.is_controlled(work):
        to_v, to_q, own.memory[SOFTLY] = dt, dt * dt, 1.0
        predict_softly(own, dt, z)
        code, evaluated, left_open = iterate(form, own, system, arrays, work, t + dt, dt, z, r, to_v, to_q, out)
    if code == OK and rows > 0 and work.settings[INDEX] != INDEX_3:
        code = keep_rates(form, own, system, arrays, work, t + dt, to_v, out, evaluated)
    if code != OK:
        return code
    if alpha.is_controlled(work):
        error = find_error(form, own, system, arrays, work, dt, r, z, out, spare, left_open)
        spare[0] = error
        if not error <= 1.0:
            copy(own.first_lam, own.next_lam, 0)
            return COARSE
    accept(form, own, work, t, dt, to_q, out, z)
    return OK
