"""The stages of a step of a collocation method, by a simplified Newton iteration, and the estimated error of the step.

Let h be the step and A the coefficients. Unknown are the rates u_i = [v_dot_i; x_dot_i] of the speeds and of the states: those of the
user's, and of methods with speeds of their own all coordinates.

    v_i = v + h sum_j A_ij v_dot_j,  x_i likewise,  q_i = q + h sum_j A_ij q_dot(q_j, v_j),  u_i = f(t_i, z_i)

Displacements follow from v_i, so only n equations a stage are coupled, not 2 n. Quaternions, whose rates depend on them too, take two
sweeps of substitution in each iteration, and as many as they need before the first one: else its changes would answer coordinates that do
not belong to its speeds, and the iteration would seem to converge slowly. With A = T diag(mu) T^-1 and changes of the derivatives of f
neglected, the changes of T^-1 u are

    (I - h mu df/dv - (h mu)^2 df/dd) du = T^-1 (f - u)

for one real mu and for pairs of complex ones (Hairer & Wanner 1996, IV.8). How this is solved is the pencil's business
(`mbsim.contracts.pencils`): by dense matrices, or by blocks of bodies, where the multipliers of the constraints are unknown, too, and the
constraints hold for the accelerations. Dense derivatives are kept while the iteration converges quickly, and their factors while h stays.
Those by blocks cost little. They are made for each step, at the middle stage as the last step foresees it: the other stages are nearer to
it than to the start, and what the iteration neglects is quadratic in that. Bodies with stiff springs that turn with them are solved for in
axes that turn, too (`_turning`).
"""

from math import inf, sqrt

import numpy as np

from mbsim.contracts import COUNT_ITERATIONS, OK, STATUS_INDEX
from mbsim.integrators._trials import SHORTEST
from mbsim.integrators._turning import turn
from mbsim.jit import helper, unfolded
from mbsim.kernels.linalg import clear, copy

# memory: the start, the length and the end of the last trial; whether its iteration converged; the step before the last; how many steps are
# known before this one; where the derivatives belong to; the step that the factors belong to; the ratio of the last two changes; how many
# iterations the last step took; whether the last step was refused; the length and the error of the last step that was taken; whether the
# last trial went over a singular position by explicit stages; how much shorter the step is after one whose iteration did not converge
AT, LONG, REACHED, CONVERGED, BEFORE, HISTORY, LINEAR_AT, FACTORED, RATIO, TAKEN, REFUSED, GOOD_STEP, GOOD_ERROR, OVER, SHORTER = range(15)
MEMORY = 15
KEEP_LINEAR, FEW = 1e-3, 2  # ratio of two changes, and iterations of a step, up to which derivatives are kept
SWEEPS = 2  # substitutions of quaternions in an iteration
FIRST_SWEEPS = 16  # most of them before the first one, which begins where the step does
SETTLED = 1e-3  # of the tolerance: change of quaternions in a sweep from which on no further one is made
ENOUGH = 0.03  # of the tolerance: the greatest change that an iteration may leave
LITTLE = 0.01  # of that: a change after which none is needed
HALVED = 0.5  # length of the step after one whose iteration did not converge, over its own: at most
EQUAL_TIMES = 1e-9  # of the step: times and lengths that are equal
FAILED = 1e30  # in place of an error, where the iteration did not converge


@helper
def most_iterations(s):
    """As in Hairer's codes."""
    return 7 + (5 * (s - 3)) // 2


@helper
def enough(rtol, s):
    """What an iteration may leave, in tolerances."""
    return max(2.2e-15 / rtol, min(ENOUGH, sqrt(rtol)))


@helper
def extrapolate(own, ratio):
    """The unknowns of the stages of the next step, `ratio` times the last one, by the polynomial of the last one."""
    s, k = own.U.shape
    for i in range(s):
        for j in range(k):
            own.U[i, j] = 0.0
        x = 1.0 + ratio * own.c[i]
        for m in range(s):
            weight = 1.0
            for p in range(s):
                if p != m:
                    weight *= (x - own.c[p]) / (own.c[m] - own.c[p])
            for j in range(k):
                own.U[i, j] += weight * own.last_U[m, j]


@helper
def begin(own, method, system, arrays, work, t, h, start, f):
    """The first guess of a step from `start` at t, where z_dot is f, and the derivatives there; a code."""
    memory, n, end = own.memory, work.v.shape[0], start.shape[0] - 1
    n_x, (s, size) = own.e_x.shape[0], own.U.shape
    if memory[AT] != t:  # the last trial was taken
        goes_on = memory[CONVERGED] > 0.0 and abs(t - memory[REACHED]) <= EQUAL_TIMES * memory[LONG]
        memory[HISTORY] = 1.0 if goes_on else 0.0
        if goes_on:
            memory[BEFORE] = memory[LONG]
            for i in range(s):
                copy(own.U[i], own.last_U[i], 0)
    first = own.first_u
    if memory[HISTORY] > 0.0:
        copy(own.last_U[s - 1], first, 0)
    elif memory[AT] != t:
        clear(first)
    copy(f[:n], first, 0)
    copy(f[end - n_x : end], first, size - 1 - n_x)
    first[size - 1] = f[end]
    code = OK
    if memory[HISTORY] == 0.0 and memory[AT] != t and size - 1 - n_x > n:
        code = find_multipliers(own, method, system, arrays, work, t, start)
    memory[AT], memory[LONG], memory[CONVERGED] = t, h, 0.0
    by_blocks = own.pencil.table.shape[0] > 0  # which cost little
    if by_blocks and memory[HISTORY] > 0.0:
        memory[LINEAR_AT] = np.nan  # they belong to the middle of the step
    elif code == OK and memory[LINEAR_AT] != t and (by_blocks or not (memory[RATIO] <= KEEP_LINEAR or memory[TAKEN] <= FEW)):
        code = linearise(own, method, system, arrays, work, t, start, own.first_u)
    if memory[HISTORY] > 0.0:
        extrapolate(own, h / memory[BEFORE])
    else:
        for i in range(s):
            copy(first, own.U[i], 0)
    return code


@helper
def linearise(own, method, system, arrays, work, t, z, u):
    """The derivatives at a state with these unknowns; a code."""
    own.memory[LINEAR_AT], own.memory[FACTORED] = t, 0.0
    copy(z, own.since, 0)
    return own.linearise(own.pencil, method, system, arrays, work, t, z, u)


@helper
def find_multipliers(own, method, system, arrays, work, t, start):
    """Those at a start, before which nothing is known."""
    size = own.first_u.shape[0] - 1
    code = linearise(own, method, system, arrays, work, t, start, own.first_u)
    if code == OK:
        code = own.miss(own.pencil, method, system, arrays, work, t, start, own.first_u, own.missed[0])
    if code == OK:
        code = own.factor(own.pencil, 0, 0.0, 0.0)
    if code == OK:
        copy(own.missed[0, :size], own.right, 0)
        own.solve(own.pencil, 0, own.right[:size])
        for j in range(work.v.shape[0], size):
            own.first_u[j] += own.right[j]
        own.memory[LINEAR_AT] = np.nan
    return code


@helper
def factor(own, h):
    """The factors of all matrices for the step h; a code."""
    if own.memory[FACTORED] == h:
        return OK
    mu, s = own.eigenvalues, own.c.shape[0]
    code = own.factor(own.pencil, 0, h * mu[0], 0.0)
    for p in range(1, s, 2):
        if code == OK:
            code = own.factor(own.pencil, (p + 1) // 2, h * mu[p], h * mu[p + 1])
    if code == OK:
        own.memory[FACTORED] = h
    return code


@unfolded
def turn_rates(own, system, arrays, work, t, h, i):
    """The rates of the coordinates of stage i with its speeds, where they follow from these."""
    n, end = work.v.shape[0], own.Z.shape[1] - 1
    if own.rates.shape[1] == n:
        copy(own.Z[i, :n], own.rates[i], 0)
    else:
        system.rates(arrays, t + own.c[i] * h, own.Z[i, n:end], own.Z[i, :n], own.rates[i])


@unfolded
def advance_states(own, system, arrays, work, t, h, start, weights, sweeps):
    """The states of the stages; returns the root mean square of their changes, in `weights`, and which is the largest.

    Quaternions take at most so many sweeps, and no more once one changes them by little.
    """
    s, size = own.U.shape
    n, end, n_x = work.v.shape[0], start.shape[0] - 1, own.e_x.shape[0]
    coordinates = end - n_x > n  # of which none are states
    turns = 0 if not coordinates else 1 if own.rates.shape[1] == n else sweeps
    total, most, at = 0.0, -1.0, 0
    for i in range(s):
        Z = own.Z[i]
        for j in range(n):
            x = 0.0
            for k in range(s):
                x += own.A[i, k] * own.U[k, j]
            x = start[j] + h * x
            share = abs(x - Z[j]) / weights[j]
            total += share * share
            if share > most:
                most, at = share, j
            Z[j] = x
        for j in range(n_x):
            x = 0.0
            for k in range(s):
                x += own.A[i, k] * own.U[k, size - 1 - n_x + j]
            o = end - n_x + j
            x = start[o] + h * x
            share = abs(x - Z[o]) / weights[o]
            total += share * share
            if share > most:
                most, at = share, o
            Z[o] = x
        x = 0.0
        for k in range(s):
            x += own.A[i, k] * own.U[k, size - 1]
        Z[end] = start[end] + h * x
    for _ in range(turns):
        moved = 0.0
        for i in range(s):
            turn_rates(own, system, arrays, work, t, h, i)
        for i in range(s):
            for j in range(n, end - n_x):
                x = 0.0
                for k in range(s):
                    x += own.A[i, k] * own.rates[k, j - n]
                x = start[j] + h * x
                share = abs(x - own.Z[i, j]) / weights[j]
                moved = max(moved, share)
                total += share * share
                if share > most:
                    most, at = share, j
                own.Z[i, j] = x
        if moved <= SETTLED:
            break
    return sqrt(total / (s * end)), at


@unfolded
def correct(own, method, system, arrays, work, t, h):
    """The changes of the unknowns by what the stages miss; a code. The rates of the work are those at the stages."""
    s, size = own.U.shape
    k = size - 1
    for i in range(s):
        code = own.miss(own.pencil, method, system, arrays, work, t + own.c[i] * h, own.Z[i], own.U[i], own.missed[i])
        if code != OK:
            return code
        own.U[i, k] = own.missed[i, k]
        turn(own.turning, own.since, own.Z[i], own.missed[i], 1.0)
    for p in range(s):
        for j in range(k):
            x = 0.0
            for i in range(s):
                x += own.to_modes[p, i] * own.missed[i, j]
            own.changes[p, j] = x
    own.solve(own.pencil, 0, own.changes[0])
    for p in range(1, s, 2):
        right = own.right
        for j in range(k):
            right[2 * j], right[2 * j + 1] = own.changes[p, j], own.changes[p + 1, j]
        own.solve(own.pencil, (p + 1) // 2, right)
        for j in range(k):
            own.changes[p, j], own.changes[p + 1, j] = right[2 * j], right[2 * j + 1]
    for i in range(s):
        for j in range(k):
            x = 0.0
            for p in range(s):
                x += own.from_modes[i, p] * own.changes[p, j]
            own.missed[i, j] = x
        turn(own.turning, own.since, own.Z[i], own.missed[i], -1.0)
        for j in range(k):
            own.U[i, j] += own.missed[i, j]
    return OK


@unfolded
def iterate(own, system, method, arrays, work, t, h, start, rtol, weights):
    """The stages of the step h from `start`; a code, and whether the iteration converged."""
    s, memory = own.c.shape[0], own.memory
    most, allowed = most_iterations(s), enough(rtol, s)
    memory[SHORTER] = HALVED
    before, ratio, left, at = 0.0, 0.0, 1.0, 0
    for k in range(most):
        code = correct(own, method, system, arrays, work, t, h)
        if code != OK:
            return code, False
        change, at = advance_states(own, system, arrays, work, t, h, start, weights, SWEEPS)
        work.counts[COUNT_ITERATIONS] += 1
        if not change < inf:
            work.status[STATUS_INDEX] = at
            return OK, False
        if change <= LITTLE * allowed:  # of what is left then, round-off is a part, and ratios of it say nothing
            memory[TAKEN], memory[RATIO] = k + 1.0, ratio
            return OK, True
        if k > 0:
            now = change / before
            ratio = now if k == 1 else sqrt(now * ratio)
            if not ratio < 0.99:
                work.status[STATUS_INDEX] = at
                return OK, False
            left = ratio / (1.0 - ratio)
            misses = left * change * ratio ** (most - 2 - k) / allowed
            if misses > 1.0:
                work.status[STATUS_INDEX] = at
                memory[SHORTER] = max(SHORTEST, min(HALVED, 0.8 * misses ** (-1.0 / (most - k))))
                return OK, False
        memory[TAKEN] = k + 1.0
        if k > 0 and left * change <= allowed:
            memory[RATIO] = ratio
            return OK, True
        before = change
    work.status[STATUS_INDEX] = at
    return OK, False


@helper
def leave_out(own, n):
    """Multipliers of rows that depend on others to zero: what is left of them from other choices of rows would grow as it is foreseen."""
    dropped = own.pencil.dropped
    for r in range(dropped.shape[0]):
        for i in range(own.U.shape[0] if dropped[r] == 1 else 0):
            own.U[i, n + r] = 0.0


@unfolded
def advance(own, method, system, arrays, work, t, h, start, end, K, rtol, weights):
    """A trial of a step: `end`; a code. Where the iteration does not converge, `end` is the start, and K[1] is z_dot there."""
    memory = own.memory
    code = begin(own, method, system, arrays, work, t, h, start, K[0])
    converged = False
    middle = own.c.shape[0] // 2
    while code == OK:
        for i in range(own.c.shape[0]):
            copy(start, own.Z[i], 0)
        advance_states(own, system, arrays, work, t, h, start, weights, FIRST_SWEEPS)
        if own.pencil.table.shape[0] > 0 and memory[LINEAR_AT] != t:
            code = linearise(own, method, system, arrays, work, t + own.c[middle] * h, own.Z[middle], own.U[middle])
            memory[LINEAR_AT] = t
            leave_out(own, work.v.shape[0])
        if code == OK:
            code = factor(own, h)
        if code == OK:
            code, converged = iterate(own, system, method, arrays, work, t, h, start, rtol, weights)
        if converged or memory[LINEAR_AT] == t:
            break
        code = linearise(own, method, system, arrays, work, t, start, own.first_u)
        for i in range(own.c.shape[0]):
            copy(own.first_u, own.U[i], 0)
    memory[CONVERGED], memory[REACHED] = 1.0 if converged else 0.0, t + h
    if code != OK:
        memory[RATIO], memory[TAKEN] = 1.0, inf
        return code
    if not converged:
        memory[RATIO], memory[TAKEN] = 1.0, inf
        copy(start, end, 0)
        copy(K[0], K[1], 0)
        return OK
    copy(own.Z[own.c.shape[0] - 1], end, 0)
    return OK
