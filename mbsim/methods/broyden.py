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
    SETTING_RHEONOMIC,
    SETTING_TOLERANCE,
    SINGULAR_MASS,
    STATUS_CHANGED,
    STATUS_FRESH,
    STATUS_RANK,
    STEP,
    Workspace,
    choices,
    helper,
    indices,
    kernel,
    matrix,
    method_settings,
    vector,
)
from mbsim.kernels.gauss import factor_mass, gauss_basic_multipliers
from mbsim.kernels.linalg import clear, copy, eliminated_solve, lu, solve_lower, solve_upper
from mbsim.methods import _augmented
from mbsim.methods._augmented import accelerate, accept, expand, ranked, start
from mbsim.methods._evaluation import driving_power, evaluate, fail, finish, unit_quaternions, violations
from mbsim.methods._iteration import largest, settled
from mbsim.methods._project import solve

OWNS_STEP = True
ORDER = 4  # of q and of the velocity, accelerations and multipliers reported
ORDER_NONHOLONOMIC = 2  # where there are nonholonomic rows
DRIFT = "none"
SCRATCH = 5  # rows as long as z
OPTIONS = {
    "root_finder": {"help": "how the multipliers of a step are found", "default": "broyden", "choices": ("bfs", "broyden", "newton")},
    "project_velocity": {"help": "report the velocity projected on its constraints, but integrate the computed one", "default": True},
}
ROOT_FINDER, PROJECT_VELOCITY = method_settings(OPTIONS, "root_finder", "project_velocity")
BFS, NEWTON = choices(OPTIONS, "root_finder", "bfs", "newton")
ITERATIONS = 40  # trial steps; four to seven are usual
VARIATION = 1e-4  # of the size of lam, in the differences of `newton`: F is almost linear, and phi is divided by h^2


WORKSPACE = Workspace(
    "broyden",
    _augmented.WORKSPACE,
    Y=matrix("m", "n"),  # C M^-1 at the start of the step
    middle=matrix("m", "n"),  # the same in the middle of the first trial step
    A=matrix("m", "m"),  # dF/dlam of the rows picked
    B=matrix("m", "m"),  # about its inverse
    exchanged=indices("m"),  # rows of A
    free=vector("n"),  # M^-1 h at the start
    first_xi=vector("m"),  # xi at the start
    lam=vector("m"),
    F=vector("m"),
    f=vector("m"),  # F of the rows picked
    y=vector("m"),  # its change
    p=vector("m"),  # change of lam
    By=vector("m"),  # B y
    yB=vector("m"),  # p' B, or y' B
    defect=vector("m"),  # what the first guess of lam lacked in the step before
)


@helper
def respond(C, L, skyline, Y):
    """Y = C M^-1 from M = L L'."""
    for i in range(C.shape[0]):
        copy(C[i], Y[i], 0)
        solve_lower(L, C.shape[1], skyline, Y[i])
        solve_upper(L, C.shape[1], skyline, Y[i])


@helper
def slope(system, arrays, work, t, z, dz):
    """z_dot with the multipliers as they stand; returns -1 or the speed at which M is not positive definite."""
    own = WORKSPACE(work)
    L, lam = own.L, own.lam
    m, n = work.C.shape
    end = z.shape[0] - 1
    evaluate(system, arrays, work, t, z[n:end], z[:n])
    work.counts[COUNT_FACTORISATIONS] += 1
    bad = factor_mass(work.M, work.skyline, L)
    copy(work.h, dz, 0)
    for i in range(m):
        for j in range(n):
            dz[j] += work.C[i, j] * lam[i]
    solve_lower(L, n, work.skyline, dz[:n])
    solve_upper(L, n, work.skyline, dz[:n])
    system.rates(arrays, t, z[n:end], z[:n], dz[n:end])
    dz[end] = driving_power(work, lam)
    return bad


@helper
def trial(system, arrays, work, t, dt, z, power, scratch, gather):
    """The step from z with constant multipliers, into scratch[0], and F of its end; `power` is that of the forces at z.

    When asked to `gather` what dF/dlam needs, Y in the middle and C of the end are left in the work. Returns (OK or why not, largest
    residual, its row).
    """
    out, k, y, total = scratch[0], scratch[1], scratch[2], scratch[3]
    own = WORKSPACE(work)
    Y, lam, F = own.Y, own.lam, own.F
    m, n = work.C.shape
    end = z.shape[0] - 1
    rows = work.phi.shape[0]
    copy(own.free, k, 0)  # the first stage is at z, whatever lam
    k[end] = power
    for i in range(m):
        k[end] -= lam[i] * own.first_xi[i]
        for j in range(n):
            k[j] += Y[i, j] * lam[i]
    system.rates(arrays, t, z[n:end], z[:n], k[n:end])
    copy(k, total, 0)
    for stage in range(1, 4):
        part = dt if stage == 3 else 0.5 * dt
        for j in range(end + 1):
            y[j] = z[j] + part * k[j]
        bad = slope(system, arrays, work, t + part, y, k)
        if bad >= 0:
            return fail(work, SINGULAR_MASS, bad), 0.0, 0
        if gather and stage == 2:
            respond(work.C, own.L, work.skyline, own.middle)
        weight = 1.0 if stage == 3 else 2.0
        for j in range(end + 1):
            total[j] += weight * k[j]
    for j in range(end + 1):
        out[j] = z[j] + dt / 6.0 * total[j]
    q = out[n:end]
    unit_quaternions(system, arrays, work, q)  # as they will be reported
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
        return fail(work, NOT_FINITE, z.shape[0] + at), worst, at
    return OK, worst, at


@helper
def jacobian(C, own, rows, rank, symmetric):
    """A = dF/dlam of the picked rows from Y at the start and in the middle and C at the end of a step."""
    Y, middle, order, A = own.Y, own.middle, own.order, own.A
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
def update(own, r, symmetric):
    """B so that B y = p: by the symmetric change of rank 2 or by Broyden's of rank 1."""
    B, p, y, By, yB = own.B, own.p, own.y, own.By, own.yB
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
def vary(system, arrays, work, t, dt, z, power, rank, size, scratch):
    """A = dF/dlam of the picked rows, by one trial step for each multiplier; f is F as it stands."""
    own = WORKSPACE(work)
    lam, order = own.lam, own.order
    for b in range(rank):
        kept = lam[order[b]]
        lam[order[b]] = kept + size
        code = trial(system, arrays, work, t, dt, z, power, scratch, False)[0]
        lam[order[b]] = kept
        if code != OK:
            return code
        for a in range(rank):
            own.A[a, b] = (own.F[order[a]] - own.f[a]) / size
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
    own = WORKSPACE(work)
    L, B, order, b, d, lam, f, p, defect = own.L, own.B, own.order, own.b, own.d, own.lam, own.f, own.p, own.defect
    finder, tolerance = work.settings[ROOT_FINDER], work.settings[SETTING_TOLERANCE]
    m, n = work.C.shape
    end = z.shape[0] - 1
    if work.status[STATUS_CHANGED]:
        clear(defect)

    # what the first stage of every trial needs
    evaluate(system, arrays, work, t, z[n:end], z[:n])
    rank, code = ranked(arrays, work, own, -1, z.shape[0])
    if code != OK:
        return code
    power = work.power[0]
    copy(work.xi, own.first_xi, 0)
    for i in range(m):  # the multipliers that the constraints ask for to second order in h, and by how much that fell short last
        s = work.xi[i]
        for j in range(n):
            s += work.C[i, j] * z[j]
        b[i] = -work.eta[i] - (2.0 if i < work.phi.shape[0] else 1.0) / dt * s
    copy(work.h, d, 0)
    solve(work, own, rank, d)
    gauss_basic_multipliers(m, rank, own.G, own.scale, order, own.w, lam)
    for i in range(m):
        lam[i] += defect[i]
    copy(work.h, own.free, 0)
    solve_lower(L, n, work.skyline, own.free)
    solve_upper(L, n, work.skyline, own.free)
    respond(work.C, L, work.skyline, own.Y)

    worst, at = 0.0, -1
    for iteration in range(ITERATIONS):
        last = worst
        code, worst, at = trial(system, arrays, work, t, dt, z, power, scratch, iteration == 0)
        work.counts[COUNT_ITERATIONS] += 1
        if code != OK:
            return code
        if settled(worst, last, tolerance):
            if work.settings[SETTING_RHEONOMIC] != 0.0:
                code = driving_work(method.rhs, system, arrays, work, t, dt, z, scratch)
            copy(scratch[0], z, 0)
            return code
        for a in range(rank):  # the other rows follow from the picked ones
            own.y[a] = own.F[order[a]] - f[a]
            f[a] = own.F[order[a]]
        if iteration == 0:
            jacobian(work.C, own, work.phi.shape[0], rank, finder == BFS)
        elif finder == NEWTON:
            size = VARIATION * max(largest(lam)[0], largest(p[:rank])[0])
            code = vary(system, arrays, work, t, dt, z, power, rank, size, scratch)
            if code != OK:
                return code
        if iteration == 0 or finder == NEWTON:
            if not inverse(own.A, B, rank, own.exchanged, own.By):
                break
        else:
            update(own, rank, finder == BFS)
        for a in range(rank):
            p[a] = 0.0
            for c in range(rank):
                p[a] -= B[a, c] * f[c]
        for a in range(rank):
            lam[order[a]] += p[a]
            defect[order[a]] += p[a]
    return fail(work, NO_CONVERGENCE, at)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """z_dot of the augmented equations at the projected velocity, which is what is reported; the step does not use it."""
    own = WORKSPACE(work)
    n = work.v.shape[0]
    q, v = z[n : z.shape[0] - 1], work.v
    copy(z[:n], v, 0)
    evaluate(system, arrays, work, t, q, v)
    rank, code = ranked(arrays, work, own, -1 if work.status[STATUS_FRESH] else work.status[STATUS_RANK], z.shape[0])
    if code != OK:
        return code
    if work.settings[PROJECT_VELOCITY] != 0.0 and rank > 0:
        violations(work, v, own.b)
        clear(own.d)
        solve(work, own, rank, own.d)
        for j in range(n):
            v[j] += own.d[j]
        system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
        work.counts[COUNT_EVALUATIONS] += 1
    accelerate(arrays, work, own, rank, work.eta)
    finish(system, arrays, work, t, v, q, dz)
    return OK


__all__ = ["WORKSPACE", "accept", "expand", "rhs", "start", "step"]
