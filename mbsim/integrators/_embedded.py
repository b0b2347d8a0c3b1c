"""Marching with an embedded pair of explicit Runge-Kutta formulas and error control, shared by rk45 and dop853.

`fill` is the march of any formula whose trials, errors and interpolants a `Way` has: `_implicit` is another.

The tableau has s stages, the derivative at the end of the step as stage s (B is row s of A) and, where the interpolant needs them, further
ones. The estimated error e of a step is measured against w_j = atol s_j + rtol max(|z_j|, |z_j at the end|):

    err = |h| e5^2 / sqrt((e5^2 + 0.01 e3^2) n),   e5 = norm of (K' E_0) / w, e3 = norm of (K' E_1) / w

which is the root mean square of h K' E_0 / w if E_1 = 0. A step with err > 1 is repeated. The next step is 0.9 err^(-1/q) times as long,
within bounds (Hairer, Norsett & Wanner 1993, sections II.4 and II.10). Where beams or elastic parts vibrate, w_j of a coordinate is |h|
times as much, if that is less: steps are as long as stability allows, |h| omega = 5 or so for the fastest frequency omega, and an error of
a coordinate in a step becomes one of its speed, omega times it, in the next ones. Else the estimate is blind to a vibration in each step at
whose end its speed is right, and the steps that follow are too long. A trial that cannot be evaluated, or cannot be moved back onto the
constraints, is rejected like an inaccurate one: a long step may leave the domain of the equations.

Output does not shorten the steps: rows inside a step are interpolated by the weights sum_k P_ik x^k, x = (t - t_n) / h, and moved onto the
position constraints, and onto the velocity constraints where the method integrates v. A step ends on the last output time of a call; the
length it would have had is remembered.

Small steps cannot pass a position where branches of the motion meet: the nearer a stage comes to it, the worse the equations are
conditioned, and the error of ever shorter steps grows. A step goes over it with its stages apart from it (`_leaps`). Where the position is
not found and steps shrink below LEAP of path, one step of that length is tried. If it ends on the other side (`singular/orientation.py`)
and the driver finds that branches meet there, it is taken whatever its estimated error.

The last stage is the first of the next step, unless the state was moved meanwhile or the method checks its rank, which must be found with q
on the constraints.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import (
    CLOCK_ROWS,
    CROSSED,
    MARCH_TABLEAU,
    OK,
    SETTING_INDEPENDENT,
    SETTING_VIBRATES,
    STATUS_INDEX,
    WATCH_ASKED,
    WATCH_DUE,
    WATCH_LEAPS,
    WATCH_PASSES,
    WATCH_SPAN,
    WATCH_TIME,
    WATCH_WAY,
)
from mbsim.integrators._accept import place
from mbsim.integrators._trials import ATOL, LONGEST, OPTIONS, RTOL, SAFETY, SCRATCH, SHORTEST, Way, fill
from mbsim.jit import flush_subnormals, helper, kernel, restore_subnormals
from mbsim.kernels.linalg import copy

__all__ = ["EXPLICIT", "OPTIONS", "SCRATCH", "march"]

# rad, arms of the mechanism: way of a step through a singular position; how far from the last such trial, of it, the next one is
LEAP, APART = 1e-3, 0.25


@helper
def stages(first, last, A, c, method, system, arrays, work, t, h, start, y, K):
    """K[first] ... K[last - 1] of the step h from `start` at t. y holds the argument of the last stage. Returns OK or why one failed."""
    for i in range(first, last):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(i):
                s += A[i, k] * K[k, j]
            y[j] = start[j] + h * s
        code = method.rhs(system, arrays, work, t + c[i] * h, y, K[i])
        if code != OK:
            return code
    return OK


@helper
def error(E, h, rtol, atol, independent, start, end, K, work):
    """The estimated error of the step over the tolerance; STATUS_INDEX becomes the component with the largest share.

    If the method integrates its own speeds, these have no names, and a coordinate is named.
    """
    n, n_v = start.shape[0], work.v.shape[0]
    named, first, last = n_v if independent else 0, n_v, n - 1 if work.settings[SETTING_VIBRATES] != 0.0 else n_v
    part = min(1.0, abs(h))
    e5, e3, largest = 0.0, 0.0, -1.0
    for j in range(n):
        a, b = 0.0, 0.0
        for i in range(E.shape[1]):
            a += E[0, i] * K[i, j]
            b += E[1, i] * K[i, j]
        w = atol * work.state_scales[j] + rtol * max(abs(start[j]), abs(end[j]))
        if first <= j < last:
            w *= part
        a, b = abs(a) / w, b / w
        e5 += a * a
        e3 += b * b
        if j >= named and a > largest:
            largest = a
            work.status[STATUS_INDEX] = j
    if e5 == 0.0:
        return 0.0
    return abs(h) * e5 / sqrt((e5 + 0.01 * e3) * n)


@helper
def leap(formula, method, system, arrays, work, t, least, usual, start, end, K):
    """The length of a step from `start` at t that ends beyond a position where rows are dependent; 0 if none does.

    It is tried if it is longer than `least`, the step that the error requires, and shorter than the `usual` step. If it ends beyond, the
    state there is in work.row, and work.watch[WATCH_LEAPS] is t.
    """
    A, c, s = formula[3:6]
    watch, n = work.watch, work.v.shape[0]
    if work.orientation.unit.shape[0] == 0 or t <= watch[WATCH_PASSES]:
        return 0.0
    v, fastest = work.v if work.settings[SETTING_INDEPENDENT] != 0.0 else start[:n], 0.0
    for j in range(n):
        fastest = max(fastest, abs(v[j]) / work.scales[j])
    h = LEAP / fastest if fastest > 0.0 else np.inf
    if not least < h < usual or t - watch[WATCH_LEAPS] < APART * h:
        return 0.0
    watch[WATCH_LEAPS] = t
    if stages(1, s + 1, A, c, method, system, arrays, work, t, h, start, end, K) != OK:
        return 0.0
    way, due = watch[WATCH_WAY], watch[WATCH_DUE]
    watch[WATCH_TIME], watch[WATCH_SPAN], watch[WATCH_ASKED], watch[WATCH_DUE] = t, h, 1.0, 0.0
    code = method.watch(system, arrays, work, t + h, end[n : end.shape[0] - 1], v)
    watch[WATCH_ASKED], watch[WATCH_WAY], watch[WATCH_DUE] = 0.0, way, due
    return h if code == CROSSED else 0.0


@helper
def plain(formula, method, system, arrays, work, t, h, start, end, K):
    """The stages of a step, whose first is known, by the rates of the method."""
    A, c, s = formula[3:6]
    return stages(1, s + 1, A, c, method, system, arrays, work, t, h, start, end, K)


@helper
def measure(formula, method, system, arrays, work, t, h, start, end, K):
    """A code, and `error` of a step from `start` to `end`, where the last stage was evaluated."""
    independent = work.settings[SETTING_INDEPENDENT] != 0.0
    return OK, error(formula[6], h, work.settings[RTOL], work.settings[ATOL], independent, start, end, K, work)


@helper
def prepare(formula, method, system, arrays, work, t, h, start, between, K):
    """The stages that only the interpolant needs; a code."""
    A, c, s = formula[3:6]
    return stages(s + 1, c.shape[0], A, c, method, system, arrays, work, t, h, start, between, K)


@helper
def interpolate(formula, work, x, h, start, K, between):
    """z at the part x of the step."""
    P = formula[7]
    copy(start, between, 0)
    for i in range(P.shape[0]):
        b = 0.0
        for k in range(P.shape[1] - 1, -1, -1):
            b = (b + P[i, k]) * x
        for j in range(between.shape[0]):
            between[j] += h * b * K[i, j]


@helper
def lengthen(formula, h, err, exponent):
    """How many times as long the next step is."""
    return LONGEST if err == 0.0 else min(LONGEST, SAFETY * err**-exponent)


@helper
def shorten(formula, err, exponent):
    """How many times as long the step after one that is refused is."""
    return max(SHORTEST, SAFETY * err**-exponent)


@helper
def forget(formula):
    """Nothing is kept between steps."""


@helper
def place_row(formula, method, system, arrays, work, at, t, h, start, between, row):
    """`place`; a code."""
    return place(method, system, arrays, work, at, between, row)


@helper
def refine(formula, method, system, arrays, work, t, h, z, row):
    """Nothing, as steps are short where forces are stiff."""


@helper
def settle(formula, method, system, arrays, work, t, h, start, end, z):
    """z stays."""
    return False


@helper
def arrives(formula):
    """Always: nothing is iterated."""
    return True


EXPLICIT = Way(plain, measure, prepare, interpolate, lengthen, shorten, forget, place_row, refine, settle, leap, arrives)


@kernel(MARCH_TABLEAU)
def march(A, c, E, P, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch):
    """Fill rows[i] at times[i + 1] from z at clock[0]; z and the clock end at the last accepted step. Returns the rows filled."""
    kept = flush_subnormals()
    last = E.shape[1] - 1
    formula = 0, 0, 0, A, c, last, E, P
    filled = fill(EXPLICIT, formula, c[: last + 1], last, exponent, method, system, arrays, work, times, step, z, rows, clock, scratch)
    clock[CLOCK_ROWS] = filled
    restore_subnormals(kept)
    return filled
