"""The estimated error of a step of coupled stages, and what the step leaves of a change: both go through (I - h mu_0 J)^-1 (`_stages`).

The estimated error e = (I - h mu_0 J)^-1 h (mu_0 f(z) + sum_i E_i f_i) takes no part of what is far faster than the step. Of its two halves
q enters f as a displacement: its effect is one evaluation there. After a step that was refused it goes through the matrix once more.

The accelerations of a row go through the matrix, too. The polynomial p through the stages is as wrong in stiff directions as in others, and
a stiff spring makes a large force of that: f(p) may be off by a thousand times the acceleration. p', whose error is of one order less than
that of p, is not. With the defect d = f(p) - p' the acceleration is p' + (I - h mu_0 J)^-1 d: in stiff directions p', in others f(p).
"""

from math import inf, sqrt

from mbsim.contracts import OK, STATUS_INDEX
from mbsim.integrators._corners import is_beyond
from mbsim.integrators._stages import CONVERGED, FAILED, HISTORY, REFUSED
from mbsim.integrators._turning import turn
from mbsim.jit import helper, unfolded
from mbsim.kernels.linalg import clear, copy


@unfolded
def damp(own, method, system, arrays, work, t, h, start, apart):
    """Errors e_v, e_q, e_x become (I - h mu_0 J)^-1 times them; a code. `apart`: own.first_u may not be what belongs to `start`.

    A step often begins where a law has just changed. Where the displacement e_q changes it back, the opposite one is taken: the law may
    jump there, and J is that of this side.
    """
    n, end, c, k = work.v.shape[0], start.shape[0] - 1, h * own.eigenvalues[0], own.first_u.shape[0] - 1
    n_x, z, u, turned = own.e_x.shape[0], own.moved, own.right, own.turned
    code = own.miss(own.pencil, method, system, arrays, work, t, start, own.first_u, own.missed[1]) if apart else OK
    if code != OK:
        return code
    missed, way, is_other = own.missed[0], 1.0, True
    while code == OK and is_other:
        copy(start, z, 0)
        for j in range(n, end - n_x):
            z[j] += way * own.e_q[j - n]
        copy(own.first_u, u, 0)
        for j in range(n):
            u[j] -= way * own.e_v[j] / c
        for j in range(n_x):
            u[k - n_x + j] -= way * own.e_x[j] / c
        code = own.miss(own.pencil, method, system, arrays, work, t, z, u[: k + 1], missed)
        is_other = code == OK and way > 0.0 and is_beyond(system, arrays, work, t, z[n:end], turned)
        way = -1.0 if is_other else way
    if code == OK:
        for j in range(k):
            missed[j] = way * (missed[j] - own.missed[1, j] if apart else missed[j])
        turn(own.turning, own.since, start, missed, 1.0)
        own.solve(own.pencil, 0, missed[:k])
        turn(own.turning, own.since, start, missed, -1.0)
        for j in range(n):
            own.e_v[j] = c * missed[j]
        if turned.shape[0] == n:
            copy(own.e_v, turned, 0)
        elif end - n_x > n:
            system.rates(arrays, t, start[n:end], own.e_v, turned)
        for j in range(end - n_x - n):
            own.e_q[j] += c * turned[j]
        for j in range(n_x):
            own.e_x[j] = c * missed[k - n_x + j]
    return code


@unfolded
def measure(own, method, system, arrays, work, t, h, start, end, f, weights):
    """The estimated error of the step over the tolerance; STATUS_INDEX becomes the component with the largest share."""
    memory, n, last = own.memory, work.v.shape[0], start.shape[0] - 1
    if memory[CONVERGED] == 0.0:
        return FAILED
    s, k, n_x = own.c.shape[0], own.first_u.shape[0] - 1, own.e_x.shape[0]
    first = own.eigenvalues[0]
    for j in range(n):
        v_dot = first * own.first_u[j]
        for i in range(s):
            v_dot += own.E[i] * own.U[i, j]
        own.e_v[j] = h * v_dot
    for j in range(last - n - n_x):
        q_dot = first * f[n + j]
        for i in range(s):
            q_dot += own.E[i] * own.rates[i, j]
        own.e_q[j] = h * q_dot
    for j in range(n_x):
        x = first * own.first_u[k - n_x + j]
        for i in range(s):
            x += own.E[i] * own.U[i, k - n_x + j]
        own.e_x[j] = h * x
    err = inf
    for _ in range(2):
        if damp(own, method, system, arrays, work, t, h, start, False) != OK:
            return FAILED
        total, most = 0.0, -1.0
        for j in range(last):
            e = own.e_v[j] if j < n else (own.e_q[j - n] if j < last - n_x else own.e_x[j - last + n_x])
            share = abs(e) / weights[j]
            total += share * share
            if share > most:
                most = share
                work.status[STATUS_INDEX] = j
        err = sqrt(total / last)
        if not err >= 1.0 or (memory[REFUSED] == 0.0 and memory[HISTORY] > 0.0):
            break
    return err if err < FAILED else FAILED


@helper
def find_rates(own, system, arrays, work, t, h, x, z):
    """Of the polynomial at the part x of a step: own.first_u, with the multipliers; own.e_q becomes h mu_0 times what q_dot(z) is more."""
    n, last, n_x, c = work.v.shape[0], z.shape[0] - 1, own.e_x.shape[0], h * own.eigenvalues[0]
    s, size = own.U.shape
    for errors in (own.first_u, own.e_v, own.e_q, own.e_x):
        clear(errors)
    if own.turned.shape[0] == n:
        copy(z[:n], own.turned, 0)
    elif last - n_x > n:
        system.rates(arrays, t, z[n:last], z[:n], own.turned)
    for j in range(last - n_x - n):
        own.e_q[j] = c * own.turned[j]
    for i in range(s):
        b = 0.0
        for k in range(s - 1, -1, -1):
            b = b * x + (k + 1) * own.P[i, k]
        for j in range(size):
            own.first_u[j] += b * own.U[i, j]
        for j in range(last - n_x - n):
            own.e_q[j] -= c * b * own.rates[i, j]


@unfolded
def calm(own, method, system, arrays, work, t, h, x, z, v_dot):
    """The accelerations v_dot of a row z at t, the part x of a step, without what stiff forces make of its error.

    They stay where z cannot be evaluated.
    """
    n, c, kept = work.v.shape[0], h * own.eigenvalues[0], own.missed[2]
    copy(own.first_u, kept, 0)  # what a trial that is repeated begins from
    find_rates(own, system, arrays, work, t, h, x, z)
    if damp(own, method, system, arrays, work, t, h, z, False) == OK:
        for j in range(n):
            v_dot[j] = own.first_u[j] + own.e_v[j] / c
    copy(kept, own.first_u, 0)
