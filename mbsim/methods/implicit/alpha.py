"""Options, coefficients and estimated error of `generalized_alpha`, for both of its implementations.

With d = alpha_m - alpha_f the local errors of q and v are k_q h^3 v_ddot and k_v h^3 v_dddot:

    k_q = 1/6 - beta - d/2,   k_v = -1/12 + d^2 - d alpha_m + d/2

v_ddot and v_dddot are differences of v_dot over the last steps. Components that are much faster than the step are damped; so that they do
not shorten it, both go through the matrix of the iteration, A^-1 M, as Shampine's estimate for stiff integrators does.

A run of some of the motion's times T has T / h steps, whose errors add up. Of a motion of the size s, an error of a step e = k (h / T)^3 s
becomes e T / h = (e^2 k s)^(1/3). This is within the tolerance, in which e and s are measured, where e sqrt(k s) <= 1: that is what a step
is held to. What a step damps is gone after some steps and does not add up: there e <= 1 will do. So an error above that goes through A^-1 M
again, LASTING times, and what then is left may have e sqrt(k s) = 1. Where steps change, stiff modes of bodies that constraints hold go on
ringing in v_dot, with signs that alternate; taken for an error that lasts, that would shorten the steps until they resolve the modes.
Methods that go on with the better of two formulas have it without asking, as their estimate is of the worse one.
"""

from math import sqrt

import numpy as np

from mbsim.jit import SETTING_TOLERANCE, STATUS_INDEX, choices, helper, method_settings
from mbsim.kernels.linalg import copy
from mbsim.methods._iteration import ROUND_OFF, SURE, TIGHT, round_off

OPTIONS = {
    "spectral_radius": {
        "help": "spectral radius of the amplification at infinite frequency: 1 damps nothing, 0 most",
        "default": 0.9,
        "least": 0.0,
        "most": 1.0,
    },
    "index": {"help": "constraints that a step satisfies: 3 positions, 2 positions and velocities", "default": "2", "choices": ("3", "2")},
    "rtol": {"help": "relative tolerance of the error of a step; equal steps when neither is given", "default": None, "above": 1e-14},
    "atol": {
        "help": "absolute tolerance of the error of a step: rad, links of the mechanism, and these per s",
        "default": None,
        "above": 0.0,
    },
}
SPECTRAL_RADIUS, INDEX, RTOL, ATOL = method_settings(OPTIONS, "spectral_radius", "index", "rtol", "atol")
(INDEX_3,) = choices(OPTIONS, "index", "3")
ITERATIONS = 30
# What may be left of a change, of the first one of a step: that is how far the step ends from the extrapolated v_dot, a difference of
# third order or more. The error of a step is larger, so that a millionth does not count. The second number bounds it, in tolerances.
MILLIONTH, MOST_LEFT = 1e-6, 100.0
QUIET = 0.01  # part of `atol` that an iteration may leave in a speed where the error is controlled
LASTING = 3  # times that an error which is too large goes through A^-1 M once more
NOISE = 0.3  # of `round_off` over the step: what it makes of the estimated error of a speed, 4 k / (c_q / h^2) units in the last place


@helper
def coefficients(r):
    """alpha_m, alpha_f, beta, gamma of the spectral radius r."""
    alpha_m, alpha_f = (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


@helper
def step_slopes(r, dt):
    """d v / d v_dot and d q / d v_dot of a step, at its end."""
    alpha_m, alpha_f, beta, gamma = coefficients(r)
    share = (1.0 - alpha_f) / (1.0 - alpha_m)
    return dt * gamma * share, dt * dt * beta * share


@helper
def next_a(r, rate, last, a):
    """The method's own acceleration at the end of a step with v_dot (or the rate of a state) `rate` there; `last` and `a` at its start."""
    alpha_m, alpha_f, _, _ = coefficients(r)
    return ((1.0 - alpha_f) * rate + alpha_f * last - alpha_m * a) / (1.0 - alpha_m)


@helper
def would_grow(r, ratio):
    """Whether what is wrong in a, after a jump of v_dot say, would grow from step to step, each `ratio` times as long as the one before.

    A step keeps -alpha_m / (1 - alpha_m) of it, and `to_step` makes `ratio` times as much of that.
    """
    alpha_m, _, _, _ = coefficients(r)
    return ratio > 1.0 and ratio * abs(alpha_m) >= 1.0 - alpha_m


@helper
def to_step(ratio, last, a):
    """a, which is v_dot at a time that is a share of the step away from `last`, for a step that is `ratio` times the one before."""
    for i in range(a.shape[0]):
        a[i] = last[i] + ratio * (a[i] - last[i])


@helper
def to_new_step(r, ratio, last, before_last, a):
    """a anew, on the line through the last two values, for a step that is `ratio` times as long as these are apart."""
    alpha_m, alpha_f, _, _ = coefficients(r)
    for i in range(a.shape[0]):
        a[i] = last[i] + (alpha_m - alpha_f) * ratio * (last[i] - before_last[i])


@helper
def extrapolate(ratio, last, before_last, x):
    """x on the line through the last two values, `ratio` times as far as these are apart."""
    for i in range(x.shape[0]):
        x[i] = last[i] + ratio * (last[i] - before_last[i])


@helper
def error_coefficients(r):
    """k_q and k_v."""
    alpha_m, alpha_f, beta, _ = coefficients(r)
    d = alpha_m - alpha_f
    return 1.0 / 6.0 - beta - 0.5 * d, -1.0 / 12.0 + d * d - d * alpha_m + 0.5 * d


@helper
def controlled(work):
    """Whether the error of a step is controlled."""
    return not np.isnan(work.settings[RTOL])


@helper
def strictness(work, z, r):
    """sqrt(k s), at least 1: by how much the tolerance of a step from z is smaller than that of the run."""
    rtol, atol = work.settings[RTOL], work.settings[ATOL]
    k_q, k_v = error_coefficients(r)
    s, end = 0.0, z.shape[0] - 1
    for j in range(end):
        share = abs(z[j]) / (atol * work.state_scales[j] + rtol * abs(z[j]))
        s += share * share
    return max(1.0, sqrt((abs(k_q) + abs(k_v)) * sqrt(s / end)))


@helper
def left(work, dt, z, r):
    """What an iteration of a step from z may leave of a change, as a displacement.

    A displacement d that is left is an error d / dt^2 of v_dot. The estimated error of a speed is dt times differences of v_dot. Without
    a bound for small steps it would measure what the iteration leaves, and shorten them for ever.
    """
    tolerance = work.settings[SETTING_TOLERANCE]
    return min(tolerance, QUIET * work.settings[ATOL] * abs(dt) / strictness(work, z, r)) if controlled(work) else tolerance


@helper
def far_below(first, tolerance, links):
    """What an iteration may leave of a change where the first change, a displacement too, was larger by far: see MILLIONTH.

    `links`: of how many changes the displacement of a body is the sum, at most. What they leave adds up as by chance.
    """
    return min(MILLIONTH * first, MOST_LEFT * tolerance) / sqrt(links)


@helper
def settled_change(now, before, tolerance, enough, least, first):
    """`settled` of a change which is not made any more, `enough` by `left`; of the `first` one that it is round-off does not count.

    Where displacements are round-off, accelerations across the constraints are, and not those along them, which errors add up in.
    """
    return now <= max(min(TIGHT * tolerance, SURE * enough), 0.0 if first else least) or (now <= tolerance and now > 0.5 * before)


@helper
def differences(dt, before, x, last, before_last, first, second):
    """first = x - last, second = dt^2 times the second derivative of what is x now, `last` a step dt ago and `before_last` `before` more.

    Without a state before the last (before = 0) the second is the first, which is larger.
    """
    for i in range(x.shape[0]):
        first[i] = second[i] = x[i] - last[i]
        if before > 0.0:
            second[i] = 2.0 * dt / (dt + before) * (x[i] - last[i] - dt / before * (last[i] - before_last[i]))


@helper
def unknown(size, before):
    """The displacement that a step does not know: the last change where the iteration stood still at round-off, else 0."""
    return size if size > 0.5 * before else 0.0


@helper
def error_size(system, arrays, work, dt, r, z, out, e_q, e_v, e_x, moved, left_open):
    """The root mean square of the errors over what a step may err, of v by e_v, of q by the displacement e_q, of the states by e_x.

    z and out are the states before and after the step, `moved` is scratch of their length, `left_open` from `unknown`.
    STATUS_INDEX becomes the largest one's place.
    """
    strict = strictness(work, z, r)
    rtol, atol = work.settings[RTOL] / strict, work.settings[ATOL] / strict
    n, end, n_x = e_v.shape[0], z.shape[0] - 1, e_x.shape[0]
    known_q = max(NOISE * round_off(work, out[n : end - n_x]), left_open)  # no shorter step makes what is estimated smaller
    known_v = known_q / abs(dt)
    copy(out, moved, 0)
    system.move(arrays, moved[n:end], e_q)
    s, most = 0.0, -1.0
    for j in range(end):
        size = max(abs(z[j]), abs(out[j]))
        if j < n:
            e, known = e_v[j], known_v * work.scales[j]
        elif j < end - n_x:
            e, known = moved[j] - out[j], known_q * work.state_scales[j]
        else:
            e, known = e_x[j - end + n_x], NOISE * ROUND_OFF * size
        share = abs(e) / max(atol * work.state_scales[j] + rtol * size, known)
        s += share * share
        if share > most:
            most = share
            work.status[STATUS_INDEX] = j
    return sqrt(s / end)
