"""RATTLE: a symmetric step of order 2 that keeps phi and C v + xi to round-off and lets the energy oscillate but not drift.

    M_n (u - v_n) = h/2 (h(t_n, q_n, u) + C_n' lam),   q_{n+1} = q_n (+) h u,   phi(t_{n+1}, q_{n+1}) = 0
    M_{n+1} (v_{n+1} - u) = h/2 (h(t_{n+1}, q_{n+1}, u) + C_{n+1}' mu),   C_{n+1} v_{n+1} + xi_{n+1} = 0
    x_{n+1} = x_n + h/2 (g(t_n, q_n, u, x_n) + g(t_{n+1}, q_{n+1}, u, x_{n+1}))   of states x with x_dot = g

Andersen 1983; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4. The second half is the adjoint of the first, so that a
step of h and one of -h lead back. For a constant M and forces without velocities it is the variational (symplectic) method of the
paper; with the mass matrix and the velocity forces of general coordinates or of quaternions it is symmetric but not symplectic. The
multipliers of nonholonomic rows have no position to find them from: the first half uses those that the second half of the step
before found at the same (t_n, q_n), which keeps the symmetry (nonholonomic leapfrog, McLachlan & Perlmutter 2006).

u is found by Newton's method with the matrix of q_n held, C_n M_n^-1 C_n', and the velocity forces along with it by fixed point, which
converges for dampers with h c / m < 2 only. Not to be confused with SHAKE, which has no second multiplier and v off the constraints.
docs/methods/rattle.md.
"""

import numpy as np

from mbsim.contracts import COUNT_ITERATIONS, NO_CONVERGENCE, NOT_FINITE, OK, SETTING_TOLERANCE, STATUS_CHANGED, STEP
from mbsim.jit import Workspace, kernel, vector
from mbsim.kernels.gauss import gauss_basic_multipliers
from mbsim.kernels.iteration import has_settled, largest, largest_part, round_off
from mbsim.kernels.linalg import clear, copy
from mbsim.methods._augmented import accept, expand, factored_mass, find_rank, rhs, start
from mbsim.methods._states import STATES, settle_states, state_rates
from mbsim.saddle.evaluation import driving_power, evaluate, fail, violations
from mbsim.singular.projection import solve

OWNS_STEP = True
ORDER = 2
DRIFT = "none"  # what it keeps needs no correction, and a correction would spoil the symmetry
SCRATCH = 4  # rows as long as z
ITERATIONS = 60  # linear convergence, by about h times the rate at which the directions of the constraints turn
WORKSPACE = Workspace(
    "rattle",
    STATES,
    lam=vector("m"),  # multipliers at the last state
    change=vector("m"),  # of one correction
)


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    own = WORKSPACE(work)
    lam, change, b = own.lam, own.change, own.b
    rows = work.phi.shape[0]
    m, n = work.C.shape
    end = z.shape[0] - 1
    q = z[n:end]
    u, d, force, displacement = scratch[0][:n], scratch[1][:n], scratch[2][:n], scratch[3][:n]
    begin = scratch[1][n:end]
    tolerance, least = work.settings[SETTING_TOLERANCE], round_off(work, q[: q.shape[0] - own.base.shape[0]])
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, scratch[0])
        if code != OK:
            return code
        copy(work.lam, lam, 0)

    # the first half
    copy(q, begin, 0)
    copy(z[:n], u, 0)
    clear(force)
    rank, worst, size, at = 0, 0.0, 0.0, 0
    moving = True  # the forces depend on u, as far as is known
    for iteration in range(ITERATIONS + 1):
        if moving:
            evaluate(system, arrays, work, t, begin, u)
        if iteration == 0:
            rank, _, code = factored_mass(arrays, work, own, u, rows, -1, 0, z.shape[0])
            if code != OK:
                return code
            for j in range(n):  # C' lam of the step before is the first guess
                s = 0.0
                for i in range(m):
                    s += work.C[i, j] * lam[i]
                d[j] = 0.5 * dt * (work.h[j] + s)
        elif moving:
            moving = False
            for j in range(n):
                d[j] = 0.5 * dt * (work.h[j] - force[j])
                moving = moving or d[j] != 0.0
        else:
            clear(d)
        copy(work.h, force, 0)
        for i in range(rows):
            b[i] = -work.phi[i] / dt
        solve(work, own, 0 if iteration == 0 else rank, d)
        if iteration > 0:
            gauss_basic_multipliers(rows, rank, own.G, own.scale, own.order, own.w, change)
            for i in range(rows):
                lam[i] += 2.0 / dt * change[i]
        for j in range(n):
            u[j] += d[j]
        last_worst, last_size = worst, size
        copy(begin, q, 0)
        for j in range(n):
            displacement[j] = dt * u[j]
        system.move(arrays, q, displacement)
        system.residual(arrays, t + dt, q, work.phi)
        worst, at = largest_part(work.phi, work.row_scales)
        size = abs(dt) * largest_part(d, work.scales)[0]  # links, rad, like phi
        work.counts[COUNT_ITERATIONS] += 1
        if not np.isfinite(worst + size):
            return fail(work, NOT_FINITE, z.shape[0] + at)
        if iteration > 0 and has_settled(worst, last_worst, tolerance, least) and has_settled(size, last_size, tolerance, least):
            break
        if iteration == ITERATIONS:
            return fail(work, NO_CONVERGENCE, at if worst > tolerance else -1)
    if not moving and work.power[0] != 0.0:  # the forces do not depend on u, their power does
        evaluate(system, arrays, work, t, begin, u)
    power = driving_power(work, lam)

    # the states, whose values at the end act in the second half
    n_x = own.base.shape[0]
    if n_x > 0:
        state_rates(system, arrays, own, t, begin, u, own.x_dot)
        for i in range(n_x):
            own.base[i] = begin[begin.shape[0] - n_x + i] + 0.5 * dt * own.x_dot[i]
        if not settle_states(system, arrays, own, t + dt, q, u, 0.5 * dt):
            return fail(work, NO_CONVERGENCE, -1)

    # the second half
    evaluate(system, arrays, work, t + dt, q, u)
    rank, code = find_rank(arrays, work, own, -1, z.shape[0])
    if code != OK:
        return code
    worst, at = largest(work.eta)
    if not np.isfinite(worst):  # it is not used here, but the accelerations reported are nothing without it
        return fail(work, NOT_FINITE, z.shape[0] + at)
    violations(work, u, b)
    for j in range(n):
        d[j] = 0.5 * dt * work.h[j]
    solve(work, own, rank, d)
    gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, lam)
    power += work.power[0]
    for j in range(n):
        z[j] = u[j] + d[j]
    for i in range(m):
        lam[i] *= 2.0 / dt
        power -= lam[i] * work.xi[i]
    z[end] += 0.5 * dt * power
    return OK


__all__ = ["WORKSPACE", "accept", "expand", "rhs", "start", "step"]
