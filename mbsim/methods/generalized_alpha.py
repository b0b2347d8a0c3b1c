"""The generalized-alpha method on the constraints themselves: implicit, of order 2, damping what the step cannot resolve.

    M v_dot = h + C' lam  at (t_{n+1}, q_{n+1}, v_{n+1})
    q_{n+1} = q_n (+) (h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1}) + M^-1 C' eta)
    v_{n+1} = v_n + h ((1 - gamma) a_n + gamma a_{n+1})
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v_dot_{n+1} + alpha_f v_dot_n

    index 3:  phi(t_{n+1}, q_{n+1}) = 0 in holonomic rows, C v + xi = 0 in nonholonomic ones, eta = 0
    index 2:  both, in holonomic rows by lam and eta

Chung & Hulbert 1993; constraints: Arnold & Bruels 2007; quaternions by q (+) d: Bruels, Cardona & Arnold 2012; eta: the stabilised
index 2 of Arnold, Cardona & Bruels 2016, here in the M norm and with C and M where the step is predicted to end. alpha_m = (2 r - 1) /
(r + 1), alpha_f = r / (r + 1), gamma = 1/2 + alpha_f - alpha_m, beta = (gamma + 1/2)^2 / 4, with r the spectral radius at infinite
frequency: 1 damps nothing, 0 annihilates it in a step. a is the method's own, of order 1, and is not the acceleration reported.

The residuals are exact. The matrix of the iteration is [M, -C'; C, 0] of the predicted end; where that converges too slowly (stiff
springs, strong dampers) it is the tangent of the residual, by differences of it, held as long as it serves: differences only steer the
iteration. Not HHT-alpha (alpha_m = 0) and not Newmark's method (both 0). docs/methods.md, section generalized_alpha.
"""

import numpy as np

from mbsim.jit import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    SETTING_METHOD,
    SETTING_TOLERANCE,
    SINGULAR_MASS,
    STATUS_CHANGED,
    STATUS_INDEX,
    STATUS_RANK,
    STEP,
    helper,
    kernel,
)
from mbsim.kernels.gauss import gauss_basic_multipliers, gauss_factor, gauss_solve
from mbsim.kernels.linalg import clear, copy, eliminated_solve, lu
from mbsim.methods import _augmented
from mbsim.methods._augmented import accept, expand, rhs, start
from mbsim.methods._iteration import largest, settled

OWNS_STEP = True
ORDER = 2
DRIFT = "none"
SCRATCH = 6  # rows as long as z
OPTIONS = {
    "spectral_radius": {
        "help": "spectral radius of the amplification at infinite frequency: 1 damps nothing, 0 most",
        "default": 0.9,
        "least": 0.0,
        "most": 1.0,
    },
    "index": {"help": "constraints that a step satisfies: 3 positions, 2 positions and velocities", "default": "2", "choices": ("3", "2")},
}
INDEX_3 = 0.0
ITERATIONS = 30
SLOW = 0.3  # ratio of two changes above which the matrix of the iteration is replaced
VARIATION = 1e-6  # m/s, rad/s: of the speeds, in the differences of the residual


def space(n, m):
    """Those of the augmented equations and the step's own.

    Matrices: [1] the tangent's factors. Vectors: [0] v_dot and a at the last state, their sizes n, then the power there, the step and
    whether the tangent is in use; [1] lam, its change and lam at the start of the step (each m), the right side of the tangent
    (n + m) and its solution. Indices: [0] rows as exchanged, then the rank and the rows of the tangent.
    """
    matrices, vectors, _ = _augmented.space(n, m)
    matrices[1] = (n + m, n + m)
    return matrices, [2 * n + 3, 5 * m + 2 * n, *vectors[2:]], [n + 2 * m + 1, m]


@helper
def coefficients(r):
    """alpha_m, alpha_f, beta, gamma of the spectral radius r."""
    alpha_m, alpha_f = (2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


@helper
def residual(system, arrays, work, t, dt, z, r, last, x, lam, shift, out, force):
    """The state out at t + dt that belongs to v_dot = x, and force = h + C' lam - M x there; phi, C, xi, M are left in the work."""
    alpha_m, alpha_f, beta, gamma = coefficients(r)
    m, n = work.C.shape
    end = z.shape[0] - 1
    q = out[n:end]
    copy(z[n:end], q, 0)
    for j in range(n):
        a = ((1.0 - alpha_f) * x[j] + alpha_f * last[j] - alpha_m * last[n + j]) / (1.0 - alpha_m)
        out[j] = z[j] + dt * ((1.0 - gamma) * last[n + j] + gamma * a)
        force[j] = dt * z[j] + dt * dt * ((0.5 - beta) * last[n + j] + beta * a) + shift[j]
    system.move(arrays, q, force)
    system.residual(arrays, t + dt, q, work.phi)
    system.constraints(arrays, t + dt, q, work.C, work.xi)
    system.dynamics(arrays, t + dt, q, out[:n], work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    for j in range(n):
        s = work.h[j]
        for k in range(work.skyline[j], j + 1):
            s -= work.M[j, k] * x[k]
        for k in range(j + 1, n):
            if work.skyline[k] <= j:
                s -= work.M[k, j] * x[k]
        for i in range(m):
            s += work.C[i, j] * lam[i]
        force[j] = s


@helper
def tangent(system, arrays, work, t, dt, z, r, last, x, lam, shift, step, force, rank, order, out, other, K, exchanged):
    """K = the factors of [-d force / d v_dot, -C'; C, 0], by differences of the force; rows of C as picked. False when singular.

    `step` is the change of v_dot by which the force is varied.
    """
    n = x.shape[0]
    for i in range(n + rank):
        for j in range(n + rank):
            K[i, j] = 0.0
    for a in range(rank):
        for j in range(n):
            K[j, n + a] = -work.C[order[a], j]
            K[n + a, j] = work.C[order[a], j]
    for j in range(n):
        kept = x[j]
        x[j] = kept + step
        residual(system, arrays, work, t, dt, z, r, last, x, lam, shift, out, other)
        x[j] = kept
        for i in range(n):
            K[i, j] = (force[i] - other[i]) / step
    residual(system, arrays, work, t, dt, z, r, last, x, lam, shift, out, other)  # leaves its phi and C in the work
    work.counts[COUNT_FACTORISATIONS] += 1
    return lu(K, n + rank, exchanged)


@helper
def tangent_solve(K, size, exchanged, right, solution):
    """solution = K^-1 right, both (size,)."""
    for i in range(size):
        solution[i] = right[exchanged[i]]
    eliminated_solve(K, size, solution)


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    _, K, _, Q, G, L, _ = work.matrices
    last, memory, scale, w, b, d = work.vectors
    exchanged, order = work.indices
    tolerance = work.settings[SETTING_TOLERANCE]
    r, index = work.settings[SETTING_METHOD], work.settings[SETTING_METHOD + 1]
    alpha_m, alpha_f, beta, gamma = coefficients(r)
    rows = work.phi.shape[0]
    m, n = work.C.shape
    end = z.shape[0] - 1
    lam, change, first_lam = memory[:m], memory[m : 2 * m], memory[2 * m : 3 * m]
    right, solution = memory[3 * m : 4 * m + n], memory[4 * m + n :]
    held = exchanged[n + m :]  # the rank and the rows of the tangent
    x, shift, force, other = scratch[0][:n], scratch[1][:n], scratch[2][:n], scratch[3][:n]
    out, spare = scratch[4], scratch[5]
    to_v = dt * gamma * (1.0 - alpha_f) / (1.0 - alpha_m)  # d v / d v_dot
    to_q = dt * dt * beta * (1.0 - alpha_f) / (1.0 - alpha_m)  # d q / d v_dot
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, spare)
        if code != OK:
            return code
        copy(work.a, last, 0)
        copy(work.a, last, n)
        copy(work.lam, lam, 0)
        last[2 * n], last[2 * n + 2] = spare[end], 0.0

    rank = work.status[STATUS_RANK]
    copy(last[:n], x, 0)
    copy(lam, first_lam, 0)
    clear(shift)
    stiff = last[2 * n + 2] != 0.0
    renew = stiff and (abs(last[2 * n + 1] - dt) > 1e-6 * abs(dt) or held[0] != rank)
    last[2 * n + 1] = dt
    worst, gap, size, at = 0.0, 0.0, 0.0, -1
    tried = 0  # changes made with the matrix at hand
    for iteration in range(ITERATIONS):
        residual(system, arrays, work, t, dt, z, r, last, x, lam, shift, out, force)
        work.counts[COUNT_ITERATIONS] += 1
        before_worst, before_gap = worst, gap
        worst, at = largest(work.phi)
        gap = 0.0  # of the velocity constraints that are kept
        for i in range(m):
            s = work.xi[i]
            for j in range(n):
                s += work.C[i, j] * out[j]
            if i < rows and index == INDEX_3:
                b[i] = -work.phi[i] / to_q
            else:
                b[i] = -s / to_v
                if abs(s) > gap or np.isnan(s):
                    gap = abs(s)
                    at = i if gap > worst else at
        sound = np.isfinite(worst + gap + largest(force)[0] + largest(work.eta)[0])  # eta is reported, not used
        if not sound and (stiff or tried == 0):
            work.status[STATUS_INDEX] = z.shape[0] + at if not np.isfinite(worst + gap) else largest(force)[1]
            return NOT_FINITE
        if iteration == 0:  # where the predicted state is; the rank is that of the states before, which are on the constraints
            work.counts[COUNT_FACTORISATIONS] += 1
            rank, bad = gauss_factor(work.M, work.C, m, work.skyline, rank, L, Q, G, scale, order)
            if rank < 0:
                work.status[STATUS_INDEX] = z.shape[0] + bad if rank == -2 else bad
                return NOT_FINITE if rank == -2 else SINGULAR_MASS
        before_size = size
        if sound and not renew:
            copy(force, d, 0)
            if stiff:
                copy(force, right, 0)
                for a in range(rank):
                    right[n + a] = b[held[1 + a]]
                tangent_solve(K, n + rank, exchanged, right, solution)
                copy(solution[:n], d, 0)
            else:
                gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, d, w)
            size = abs(dt * to_v) * largest(d)[0]
        if not sound or (tried > 1 and size > max(tolerance, SLOW * before_size)):
            if not sound or size > before_size:  # from the beginning
                copy(last[:n], x, 0)
                copy(first_lam, lam, 0)
                clear(shift)
            stiff, renew, tried = True, True, 0
            last[2 * n + 2] = 1.0
            continue
        if renew:
            held[0] = rank
            for a in range(rank):
                held[1 + a] = order[a]
            if not tangent(
                system, arrays, work, t, dt, z, r, last, x, lam, shift, VARIATION / to_v, force, rank, order, out, other, K, exchanged
            ):
                break
            renew, tried = False, 0
            copy(force, right, 0)
            for a in range(rank):
                right[n + a] = b[order[a]]
            tangent_solve(K, n + rank, exchanged, right, solution)
            copy(solution[:n], d, 0)
            size = abs(dt * to_v) * largest(d)[0]
        if settled(size, before_size, tolerance) and settled(worst, before_worst, tolerance) and settled(gap, before_gap, tolerance):
            power = work.power[0]
            for i in range(m):
                power -= lam[i] * work.xi[i]
            out[end] = z[end] + 0.5 * dt * (last[2 * n] + power)
            last[2 * n] = power
            for j in range(n):
                last[n + j] = ((1.0 - alpha_f) * x[j] + alpha_f * last[j] - alpha_m * last[n + j]) / (1.0 - alpha_m)
            copy(x, last, 0)
            copy(out, z, 0)
            return OK
        if stiff:
            for a in range(rank):
                lam[held[1 + a]] += solution[n + a]
        else:
            gauss_basic_multipliers(m, rank, G, scale, order, w, change)
            for i in range(m):
                lam[i] += change[i]
        for j in range(n):
            x[j] += d[j]
        tried += 1
        if index != INDEX_3:
            for i in range(m):
                s = 0.0
                if i < rows:
                    s = work.phi[i]
                    for j in range(n):
                        s += to_q * work.C[i, j] * d[j]
                b[i] = -s
            clear(d)
            gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, d, w)
            for j in range(n):
                shift[j] += d[j]
    work.status[STATUS_INDEX] = at
    return NO_CONVERGENCE


__all__ = ["accept", "expand", "rhs", "space", "start", "step"]
