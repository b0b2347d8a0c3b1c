"""Lambda root-finding: the multipliers of a step are the root of the constraints at its end. Yang, Duan & Di 2006, eqs. 14-20.

    M v_dot = h + C' lam,  q_dot = N v,  lam constant over the step, by Runge and Kutta's method of order 4 from (q_n, v_n)
    F(lam) = 0,   F = 2 / h^2 phi(t_{n+1}, q_{n+1}) in holonomic rows,  1 / h (C v_{n+1} + xi) in nonholonomic rows

(the paper has the opposite sign of lam and holonomic rows only). With these factors dF/dlam is A = C_{n+1} (Y_n + 2 Y_mid)'/3 in holonomic
rows, Y = C M^-1, up to a relative O(h^2), and C_{n+1} Y_mid' in nonholonomic ones up to O(h). The search starts with B = A^-1 of the first
trial step, instead of the paper's trial step per multiplier (eq. 20), and from the lam that keeps phi to second order in h,
C v_dot + eta = -2/h (C v + xi), plus what that lacked in the step before:

    bfs      the paper's rank-2 update, eq. 19, of a symmetric B:
             p = lam+ - lam, y = F+ - F, mu = 1 + y'B y / p'y,  B += (mu p p' - B y p' - p y'B) / p'y
    broyden  Broyden's rank-1 update, which lets B be as unsymmetric as it is:  B += (p - B y) p'B / p'B y
    newton   dF/dlam anew in every iteration by one trial step per multiplier: slow, the yardstick

phi is kept at every step and q is of order 4 although v leaves C v + xi = 0 by O(h^2), to alternate sides: a projection of what is
carried on would cost the order, so v is projected for output only (`project_velocity`). With nonholonomic rows everything is of order 2.
The rule integrates index 3 and is not Broyden's method for a static problem. docs/methods.md, section broyden.
"""

import numpy as np

from mbsim.jit import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    RHS,
    SETTING_METHOD,
    SETTING_RHEONOMIC,
    SETTING_TOLERANCE,
    SINGULAR_MASS,
    STATUS_CHANGED,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_RANK,
    STEP,
    helper,
    kernel,
)
from mbsim.kernels.gauss import gauss_basic_multipliers, gauss_factor, gauss_multipliers, gauss_solve
from mbsim.kernels.linalg import cholesky, clear, copy, eliminated_solve, lu, solve_lower, solve_upper
from mbsim.methods import _augmented
from mbsim.methods._augmented import accept, expand, start
from mbsim.methods._iteration import largest, settled

OWNS_STEP = True
ORDER = 4  # of q and of the velocity, accelerations and multipliers reported
ORDER_NONHOLONOMIC = 2  # where there are nonholonomic rows
DRIFT = "none"
SCRATCH = 5  # rows as long as z
OPTIONS = {
    "root_finder": {"help": "how the multipliers of a step are found", "default": "broyden", "choices": ("bfs", "broyden", "newton")},
    "project_velocity": {"help": "report the velocity projected on its constraints, but integrate the computed one", "default": True},
}
BFS, BROYDEN, NEWTON = 0.0, 1.0, 2.0
ITERATIONS = 40  # trial steps; four to seven are usual
VARIATION = 1e-4  # of the size of lam, in the differences of `newton`: F is almost linear, and phi is divided by h^2


def space(n, m):
    """Those of the augmented equations and the step's own.

    Matrices: [1] C M^-1 at the start of the step, [2] B, [6] C M^-1 in the middle of the first trial step. Vectors: [0] M^-1 h and xi at
    the start; [1] lam and F of all rows, then F, F before, the change of lam, B y and p'B of the picked ones, then what lam lacked in
    the step before. Indices: [0] rows as exchanged.
    """
    matrices, vectors, _ = _augmented.space(n, m)
    matrices[1], matrices[2], matrices[6] = (m, n), (m, m), (m, n)
    return matrices, [n + m, 8 * m, *vectors[2:]], [m, m]


@helper
def respond(C, L, skyline, Y):
    """Y = C M^-1 from M = L L'."""
    for i in range(C.shape[0]):
        copy(C[i], Y[i], 0)
        solve_lower(L, C.shape[1], skyline, Y[i])
        solve_upper(L, C.shape[1], skyline, Y[i])


@helper
def slope(system, arrays, work, t, z, lam, dz):
    """z_dot with given multipliers; returns -1 or the speed at which M is not positive definite."""
    L = work.matrices[5]
    m, n = work.C.shape
    end = z.shape[0] - 1
    system.constraints(arrays, t, z[n:end], work.C, work.xi)
    system.dynamics(arrays, t, z[n:end], z[:n], work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    for i in range(n):
        for j in range(work.skyline[i], i + 1):
            L[i, j] = work.M[i, j]
    bad = cholesky(L, n, work.skyline)
    copy(work.h, dz, 0)
    power = work.power[0]
    for i in range(m):
        power -= lam[i] * work.xi[i]
        for j in range(n):
            dz[j] += work.C[i, j] * lam[i]
    solve_lower(L, n, work.skyline, dz[:n])
    solve_upper(L, n, work.skyline, dz[:n])
    system.rates(arrays, z[n:end], z[:n], dz[n:end])
    dz[end] = power
    return bad


@helper
def trial(system, arrays, work, t, dt, z, lam, power, F, scratch, gather):
    """The step from z with constant multipliers, into scratch[0], and F of its end; `power` is that of the forces at z.

    When asked to `gather` what dF/dlam needs, Y in the middle and C of the end are left in the work. Returns (OK or why not, largest
    residual, its row).
    """
    out, k, y, total = scratch[0], scratch[1], scratch[2], scratch[3]
    free, first_xi = work.vectors[0][: work.v.shape[0]], work.vectors[0][work.v.shape[0] :]
    Y = work.matrices[1]
    m, n = work.C.shape
    end = z.shape[0] - 1
    rows = work.phi.shape[0]
    copy(free, k, 0)  # the first stage is at z, whatever lam
    k[end] = power
    for i in range(m):
        k[end] -= lam[i] * first_xi[i]
        for j in range(n):
            k[j] += Y[i, j] * lam[i]
    system.rates(arrays, z[n:end], z[:n], k[n:end])
    copy(k, total, 0)
    for stage in range(1, 4):
        part = dt if stage == 3 else 0.5 * dt
        for j in range(end + 1):
            y[j] = z[j] + part * k[j]
        bad = slope(system, arrays, work, t + part, y, lam, k)
        if bad >= 0:
            work.status[STATUS_INDEX] = bad
            return SINGULAR_MASS, 0.0, 0
        if gather and stage == 2:
            respond(work.C, work.matrices[5], work.skyline, work.matrices[6])
        weight = 1.0 if stage == 3 else 2.0
        for j in range(end + 1):
            total[j] += weight * k[j]
    for j in range(end + 1):
        out[j] = z[j] + dt / 6.0 * total[j]
    q = out[n:end]
    if end != 2 * n:  # quaternions back to unit length, as they will be reported
        clear(y)
        system.move(arrays, q, y[:n])
    system.residual(arrays, t + dt, q, work.phi)
    if rows < m or gather:
        system.constraints(arrays, t + dt, q, work.C, work.xi)
    worst, at = 0.0, -1
    for i in range(m):
        if i < rows:
            s = work.phi[i]
            F[i] = 2.0 / (dt * dt) * s
        else:
            s = work.xi[i]
            for j in range(n):
                s += work.C[i, j] * out[j]
            F[i] = s / dt
        if abs(s) > worst or np.isnan(s):
            worst, at = abs(s), i
    if not np.isfinite(worst):
        work.status[STATUS_INDEX] = z.shape[0] + at
        return NOT_FINITE, worst, at
    return OK, worst, at


@helper
def jacobian(C, Y, middle, rows, order, rank, symmetric, A):
    """A = dF/dlam of the picked rows from Y at the start and in the middle and C at the end of a step."""
    for a in range(rank):
        i = order[a]
        start, mid = (1.0 / 3.0, 2.0 / 3.0) if i < rows else (0.0, 1.0)
        for c in range(rank):
            s = 0.0
            for j in range(C.shape[1]):
                s += C[i, j] * (start * Y[order[c], j] + mid * middle[order[c], j])
            A[a, c] = s
    if symmetric:
        for a in range(rank):
            for c in range(a):
                A[a, c] = A[c, a] = 0.5 * (A[a, c] + A[c, a])


@helper
def inverse(A, B, r, exchanged, x):
    """B = A^-1 (r, r); A is destroyed, x (r,) scratch."""
    if not lu(A, r, exchanged):
        return False
    for j in range(r):
        for i in range(r):
            x[i] = 1.0 if exchanged[i] == j else 0.0
        eliminated_solve(A, r, x)
        for i in range(r):
            B[i, j] = x[i]
    return True


@helper
def update(B, p, y, By, yB, r, symmetric):
    """B so that B y = p: by the symmetric change of rank 2 or by Broyden's of rank 1. By, yB (r,) are scratch."""
    py, pBy, yBy = 0.0, 0.0, 0.0
    for a in range(r):
        By[a], yB[a] = 0.0, 0.0
        for b in range(r):
            By[a] += B[a, b] * y[b]
            yB[a] += (y[b] if symmetric else p[b]) * B[b, a]
        py += p[a] * y[a]
        pBy += p[a] * By[a]
        yBy += y[a] * By[a]
    if symmetric and py != 0.0:
        mu = 1.0 + yBy / py
        for a in range(r):
            for b in range(r):
                B[a, b] += (mu * p[a] * p[b] - By[a] * p[b] - p[a] * yB[b]) / py
    if not symmetric and pBy != 0.0:
        for a in range(r):
            for b in range(r):
                B[a, b] += (p[a] - By[a]) * yB[b] / pBy


@helper
def vary(system, arrays, work, t, dt, z, power, order, rank, size, f, out, scratch):
    """out = dF/dlam of the picked rows, by one trial step for each multiplier; f (rank,) is F as it stands."""
    lam, F = work.vectors[1][: work.lam.shape[0]], work.vectors[1][work.lam.shape[0] : 2 * work.lam.shape[0]]
    for b in range(rank):
        kept = lam[order[b]]
        lam[order[b]] = kept + size
        code = trial(system, arrays, work, t, dt, z, lam, power, F, scratch, False)[0]
        lam[order[b]] = kept
        if code != OK:
            return code
        for a in range(rank):
            out[a, b] = (F[order[a]] - f[a]) / size
    return OK


@helper
def driving_work(rhs, system, arrays, work, t, dt, z, scratch):
    """W at the end of the step from z to scratch[0] by Simpson's rule: -lam' xi with a lam constant over the step is of order 2 only.

    The middle is interpolated (cubic Hermite) between the projected states of both ends.
    """
    end, first, last, mid = scratch[0], scratch[1], scratch[2], scratch[3]
    n, size = work.v.shape[0], z.shape[0]
    code = rhs(system, arrays, work, t, z, first)
    for j in range(size):
        mid[j] = 0.5 * (work.v[j] if j < n else z[j]) + 0.125 * dt * first[j]
    if code == OK:
        code = rhs(system, arrays, work, t + dt, end, last)
    for j in range(size):
        mid[j] += 0.5 * (work.v[j] if j < n else end[j]) - 0.125 * dt * last[j]
    if code == OK:
        code = rhs(system, arrays, work, t + 0.5 * dt, mid, scratch[4])
    end[size - 1] = z[size - 1] + dt / 6.0 * (first[size - 1] + 4.0 * scratch[4, size - 1] + last[size - 1])
    return code


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    _, Y, B, Q, G, L, middle = work.matrices
    A = G  # which only the factorisation at the start of the step needs
    finder, tolerance = work.settings[SETTING_METHOD], work.settings[SETTING_TOLERANCE]
    m, n = work.C.shape
    end = z.shape[0] - 1
    memory, exchanged, order = work.vectors[1], work.indices[0], work.indices[1]
    lam, F, f, before = memory[:m], memory[m : 2 * m], memory[2 * m : 3 * m], memory[3 * m : 4 * m]
    p, By, yB, defect = memory[4 * m : 5 * m], memory[5 * m : 6 * m], memory[6 * m : 7 * m], memory[7 * m :]
    free, first_xi = work.vectors[0][:n], work.vectors[0][n:]
    _, _, scale, w, b, d = work.vectors
    if work.status[STATUS_CHANGED]:
        clear(defect)

    # what the first stage of every trial needs
    system.constraints(arrays, t, z[n:end], work.C, work.xi)
    system.dynamics(arrays, t, z[n:end], z[:n], work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    rank, bad = gauss_factor(work.M, work.C, m, work.skyline, -1, L, Q, G, scale, order)
    if rank < 0:
        work.status[STATUS_INDEX] = z.shape[0] + bad if rank == -2 else bad
        return NOT_FINITE if rank == -2 else SINGULAR_MASS
    work.status[STATUS_RANK] = rank
    work.status[STATUS_FRESH] = 0
    power = work.power[0]
    copy(work.xi, first_xi, 0)
    for i in range(m):  # the multipliers that the constraints ask for to second order in h, and by how much that fell short last
        s = work.xi[i]
        for j in range(n):
            s += work.C[i, j] * z[j]
        b[i] = -work.eta[i] - (2.0 if i < work.phi.shape[0] else 1.0) / dt * s
    copy(work.h, d, 0)
    gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, d, w)
    gauss_basic_multipliers(m, rank, G, scale, order, w, lam)
    for i in range(m):
        lam[i] += defect[i]
    copy(work.h, free, 0)
    solve_lower(L, n, work.skyline, free)
    solve_upper(L, n, work.skyline, free)
    respond(work.C, L, work.skyline, Y)

    worst, at = 0.0, -1
    for iteration in range(ITERATIONS):
        last = worst
        code, worst, at = trial(system, arrays, work, t, dt, z, lam, power, F, scratch, iteration == 0)
        work.counts[COUNT_ITERATIONS] += 1
        if code != OK:
            return code
        if settled(worst, last, tolerance):
            if work.settings[SETTING_RHEONOMIC] != 0.0:
                code = driving_work(method.rhs, system, arrays, work, t, dt, z, scratch)
            copy(scratch[0], z, 0)
            return code
        copy(f, before, 0)
        for a in range(rank):  # the other rows follow from the picked ones
            f[a] = F[order[a]]
        if iteration == 0:
            jacobian(work.C, Y, middle, work.phi.shape[0], order, rank, finder == BFS, A)
        elif finder == NEWTON:
            size = VARIATION * max(largest(lam)[0], largest(p[:rank])[0])
            code = vary(system, arrays, work, t, dt, z, power, order, rank, size, f, A, scratch)
            if code != OK:
                return code
        if iteration == 0 or finder == NEWTON:
            if not inverse(A, B, rank, exchanged, By):
                break
        else:
            for a in range(rank):
                before[a] = f[a] - before[a]
            update(B, p, before, By, yB, rank, finder == BFS)
        for a in range(rank):
            p[a] = 0.0
            for c in range(rank):
                p[a] -= B[a, c] * f[c]
        for a in range(rank):
            lam[order[a]] += p[a]
            defect[order[a]] += p[a]
    work.status[STATUS_INDEX] = at
    return NO_CONVERGENCE


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """z_dot of the augmented equations at the projected velocity, which is what is reported; the step does not use it."""
    S, _, _, Q, G, L, _ = work.matrices
    _, _, scale, w, b, d = work.vectors
    order = work.indices[1]
    m, n = work.C.shape
    end = z.shape[0] - 1
    q, v = z[n:end], work.v
    copy(z[:n], v, 0)
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    limit = -1 if work.status[STATUS_FRESH] else work.status[STATUS_RANK]
    rank, bad = gauss_factor(work.M, work.C, m, work.skyline, limit, L, Q, G, scale, order)
    if rank < 0:
        work.status[STATUS_INDEX] = z.shape[0] + bad if rank == -2 else bad
        return NOT_FINITE if rank == -2 else SINGULAR_MASS
    work.status[STATUS_RANK] = rank
    work.status[STATUS_FRESH] = 0
    if work.settings[SETTING_METHOD + 1] != 0.0 and rank > 0:
        for i in range(m):
            b[i] = -work.xi[i]
            for j in range(n):
                b[i] -= work.C[i, j] * v[j]
        clear(d)
        gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, d, w)
        for j in range(n):
            v[j] += d[j]
        system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
        work.counts[COUNT_EVALUATIONS] += 1
    for i in range(m):
        b[i] = -work.eta[i]
    copy(work.h, work.a, 0)
    gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, work.a, w)
    gauss_multipliers(m, rank, G, scale, order, w, work.lam, S, work.dense)
    copy(work.a, dz, 0)
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    for i in range(m):
        power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


__all__ = ["accept", "expand", "rhs", "space", "start", "step"]
