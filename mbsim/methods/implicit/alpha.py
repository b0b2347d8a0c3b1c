"""Options, coefficients and estimated error of `generalized_alpha`, for all forms of the equations.

With d = alpha_m - alpha_f the local errors of q and v are k_q h^3 v_ddot and k_v h^3 v_dddot:

    k_q = 1/6 - beta - d/2,   k_v = -1/12 + d^2 - d alpha_m + d/2

v_ddot and v_dddot are differences of v_dot over the last steps. The method damps components that are much faster than the step. They must
not shorten it: both differences go through the matrix of the iteration, A^-1 M, as in Shampine's estimate for stiff integrators.

The errors of steps add up. Let T be the time in which the motion changes, s the size of the motion and e = k (h / T)^3 s the error of a
step; e and s are measured in tolerances. A run over T has T / h steps, and its error is e T / h = (e^2 k s)^(1/3). The run is within the
tolerance where e sqrt(k s) <= 1, and each step is held to that.

The method damps some errors within a few steps. These do not add up, and e <= 1 is enough for them. So an error above the bound goes
through A^-1 M again, LASTING times; what is left then has to satisfy e sqrt(k s) <= 1. This matters where the step changes: stiff modes of
bodies that constraints hold then ring in v_dot with alternating signs. If they counted as an error that lasts, the step would shrink until
it resolves them. Methods that go on with the better of two formulas need none of this, because they estimate the error of the worse one.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import SETTING_TOLERANCE, STATUS_INDEX, choices, method_settings
from mbsim.jit import helper
from mbsim.kernels.iteration import ROUND_OFF, SURE, TIGHT, round_off
from mbsim.kernels.linalg import copy

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
# The last change of an iteration may be a millionth of the first one. The first change is how far the step ends from the extrapolated
# v_dot, a difference of third order or more. The error of a step is larger, so a millionth does not count. MOST_LEFT bounds it, in
# tolerances.
MILLIONTH, MOST_LEFT = 1e-6, 100.0
QUIET = 0.01  # part of `atol` that an iteration may leave in a speed where the error is controlled
LASTING = 3  # times that an error which is too large goes through A^-1 M once more
NOISE = 0.3  # of `round_off` over the step: the part of it in the estimated error of a speed, 4 k / (c_q / h^2) units in the last place


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
    """Rescale a, which is v_dot a share of a step after `last`, for a step that is `ratio` times the one before."""
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
def is_controlled(work):
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
def allow_left(work, dt, z, r):
    """Return the displacement that an iteration of a step from z may leave of a change.

    A displacement d that is left is an error d / dt^2 of v_dot. The estimated error of a speed is dt times differences of v_dot. Without a
    bound for small steps, the estimate would measure the rest of the iteration, and the step would shrink for ever.
    """
    tolerance = work.settings[SETTING_TOLERANCE]
    return min(tolerance, QUIET * work.settings[ATOL] * abs(dt) / strictness(work, z, r)) if is_controlled(work) else tolerance


@helper
def far_below(first, tolerance, links):
    """Return the displacement that an iteration may leave where the first change was much larger (MILLIONTH).

    The displacement of a body is the sum of up to `links` changes. Their rests have independent signs, so they add up by squares.
    """
    return min(MILLIONTH * first, MOST_LEFT * tolerance) / sqrt(links)


@helper
def settled_change(now, before, tolerance, enough, least, first):
    """Return whether an iteration ends with the change `now`, which is then not made. `before` is the size of the change before it.

    A change ends it far below the tolerance and `enough` (`allow_left`), or below the tolerance where it no longer halves. A change of
    round-off, `least`, ends it too, but not the `first` one: displacements of round-off say that accelerations across the constraints are
    known. Those along the constraints, in which errors add up, may still be wrong.
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
    """Return the displacement that a step leaves open: the last change where the iteration stood still at round-off, else 0."""
    return size if size > 0.5 * before else 0.0


@helper
def error_size(system, arrays, work, dt, r, z, out, e_q, e_v, e_x, moved, left_open):
    """Return the root mean square of the errors of a step, each over the error that is allowed.

    v has the errors e_v, q the displacement e_q, the states of the user e_x. z and out are the states before and after the step, `moved`
    is scratch of their length, and `left_open` comes from `unknown`. STATUS_INDEX becomes the place of the largest error.
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
