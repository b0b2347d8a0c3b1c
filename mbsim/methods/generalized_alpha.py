"""The generalized-alpha method on the constraints themselves: implicit, of order 2, damping what the step cannot resolve.

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

The residuals are exact. The matrix of the iteration is [M, -C'; C, 0] of the predicted end; where that converges too slowly (stiff
springs, strong dampers) it is the tangent of the residual, by differences of it, held as long as it serves: differences only steer the
iteration. Not HHT-alpha (alpha_m = 0) and not Newmark's method (both 0). docs/methods/generalized_alpha.md.
"""

import numpy as np

from mbsim.jit import (
    COARSE,
    COUNT_FACTORISATIONS,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    SETTING_TOLERANCE,
    STATUS_CHANGED,
    STATUS_HELD,
    STATUS_RANK,
    STEP,
    Workspace,
    helper,
    indices,
    kernel,
    matrix,
    vector,
)
from mbsim.kernels.gauss import gauss_basic_multipliers
from mbsim.kernels.linalg import clear, copy, eliminated_solve, lu
from mbsim.methods._augmented import accept, expand, factored, rhs, start
from mbsim.methods._evaluation import driving_power, evaluate, fail, violations
from mbsim.methods._iteration import largest, largest_part, round_off, settled
from mbsim.methods._project import solve
from mbsim.methods._states import STATES, settle_states
from mbsim.methods.implicit.alpha import (
    INDEX,
    INDEX_3,
    ITERATIONS,
    LASTING,
    OPTIONS,
    SPECTRAL_RADIUS,
    coefficients,
    controlled,
    differences,
    error_coefficients,
    error_size,
    left,
    next_a,
    settled_change,
    step_slopes,
    strictness,
    to_step,
    unknown,
)

OWNS_STEP = True
STIFF = True  # implicit: it is for stiff forces
KERNELS = [  # by what the system is (`mbsim.formulations`)
    ("bodies by blocks", "implicit.alpha_bodies"),
    ("bare tree", "implicit.alpha_tree"),
    ("large tree with rows", "implicit.alpha_loops"),
    ("always", "generalized_alpha"),
]
ORDER = 2
DRIFT = "none"
SCRATCH = 2  # rows as long as z
SLOW = 0.3  # ratio of two changes above which the matrix of the iteration is replaced
VARIATION = 1e-6  # links/s, rad/s: of the speeds, in the differences of the residual


WORKSPACE = Workspace(
    "generalized_alpha",
    STATES,
    v_dot=vector("n"),  # at the last state
    a=vector("n"),  # the method's own, there
    memory=vector("4"),  # see POWER
    before_v_dot=vector("n"),  # at the state before the last, with error control
    before_x_dot=vector("n_x"),
    e_q=vector("n"),  # estimated errors: of q as a displacement
    e_v=vector("n"),
    e_x=vector("n_x"),
    spare_x=vector("n_x"),
    lam=vector("m"),
    change=vector("m"),  # of lam, in an iteration
    first_lam=vector("m"),  # at the start of the step
    tangent=matrix("n + m", "n + m"),  # factors of [-d force / d v_dot, -C'; C, 0]
    tangent_order=indices("n + m"),  # its rows as exchanged
    tangent_rows=indices("m"),  # the rows of C that it has, as picked
    tangent_rank=indices("1"),  # how many these are
    right=vector("n + m"),
    solution=vector("n + m"),
    x=vector("n"),  # the v_dot that is looked for
    force=vector("n"),  # h + C' lam - M x
    other=vector("n"),  # the same with another x
    last_x_dot=vector("n_x"),  # of the states at the last state
    a_x=vector("n_x"),  # the method's own of them, as `a` of the speeds
    unsettled=indices("1"),  # whether the states at the end of the step were not found
)
# at the last state; the step that `a` belongs to; whether the tangent is in use; how far the state before the last is, 0 without one
POWER, STEP_TAKEN, BY_TANGENT, SPACING = 0, 1, 2, 3


@helper
def residual(system, arrays, work, t, dt, z, r, out, force):
    """The state out at t + dt that belongs to v_dot = x, and force = h + C' lam - M x there; phi, C, xi, M are left in the work."""
    own = WORKSPACE(work)
    x, last_a = own.x, own.a
    _, _, beta, gamma = coefficients(r)
    m, n = work.C.shape
    end = z.shape[0] - 1
    q = out[n:end]
    copy(z[n:end], q, 0)
    for j in range(n):
        a = next_a(r, x[j], own.v_dot[j], last_a[j])
        out[j] = z[j] + dt * ((1.0 - gamma) * last_a[j] + gamma * a)
        force[j] = dt * z[j] + dt * dt * ((0.5 - beta) * last_a[j] + beta * a)
    system.move(arrays, q, force)
    for i in range(own.base.shape[0]):
        a = next_a(r, 0.0, own.last_x_dot[i], own.a_x[i])
        own.base[i] = z[n + q.shape[0] - own.base.shape[0] + i] + dt * ((1.0 - gamma) * own.a_x[i] + gamma * a)
    found = settle_states(system, arrays, own, t + dt, q, out[:n], step_slopes(r, dt)[0])
    own.unsettled[0] = 0 if found else 1
    system.residual(arrays, t + dt, q, work.phi)
    evaluate(system, arrays, work, t + dt, q, out[:n])
    for j in range(n):
        s = work.h[j]
        for k in range(work.skyline[j], j + 1):
            s -= work.M[j, k] * x[k]
        for k in range(j + 1, n):
            if work.skyline[k] <= j:
                s -= work.M[k, j] * x[k]
        for i in range(m):
            s += work.C[i, j] * own.lam[i]
        force[j] = s


@helper
def find_tangent(system, arrays, work, t, dt, z, r, step, rank, out):
    """The factors of [-d force / d v_dot, -C'; C, 0], by differences of the force; rows of C as picked. False when singular.

    `step` is the change of v_dot by which the force is varied, of slides in links.
    """
    own = WORKSPACE(work)
    K, x, order = own.tangent, own.x, own.order
    n = x.shape[0]
    own.tangent_rank[0] = rank
    for a in range(rank):
        own.tangent_rows[a] = order[a]
    for i in range(n + rank):
        for j in range(n + rank):
            K[i, j] = 0.0
    for a in range(rank):
        for j in range(n):
            K[j, n + a] = -work.C[order[a], j]
            K[n + a, j] = work.C[order[a], j]
    for j in range(n):
        kept, change = x[j], step * work.scales[j]
        x[j] = kept + change
        residual(system, arrays, work, t, dt, z, r, out, own.other)
        x[j] = kept
        for i in range(n):
            K[i, j] = (own.force[i] - own.other[i]) / change
    residual(system, arrays, work, t, dt, z, r, out, own.other)  # leaves its phi and C in the work
    work.counts[COUNT_FACTORISATIONS] += 1
    return lu(K, n + rank, own.tangent_order)


@helper
def tangent_solve(own, n, rank):
    """own.solution of the tangent's equations, and its first part, the change of v_dot, in own.d."""
    right, solution = own.right, own.solution
    copy(own.force, right, 0)
    for a in range(rank):
        right[n + a] = own.b[own.tangent_rows[a]]
    for i in range(n + rank):
        solution[i] = right[own.tangent_order[i]]
    eliminated_solve(own.tangent, n + rank, solution)
    copy(solution[:n], own.d, 0)


@helper
def keep_rates(work, own, rank, to_v, v):
    """The speeds v onto C v + xi = 0, with x and lam, by the factors of M and C."""
    b, d, rows, m = own.b, own.d, work.phi.shape[0], own.lam.shape[0]
    violations(work, v, b)
    for i in range(m):
        b[i] = b[i] / to_v if i < rows else 0.0
    clear(d)
    solve(work, own, rank, d)
    gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, own.change)
    for j in range(v.shape[0]):
        v[j] += to_v * d[j]
        own.x[j] += d[j]
    for i in range(m):
        own.lam[i] += own.change[i]


@helper
def damp(work, own, rank, stiff, k, e):
    """e = k A^-1 M e, with the matrix A of the iteration: see `_alpha`."""
    n = e.shape[0]
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += (work.M[i, j] if j <= i else work.M[j, i]) * e[j]
        own.force[i] = s
    if stiff:
        tangent_solve(own, n, rank)
    else:
        copy(own.force, own.d, 0)
        solve(work, own, rank, own.d)
    for j in range(n):
        e[j] = k * own.d[j]


@helper
def find_error(system, arrays, work, dt, r, z, out, moved, left_open, rank, stiff):
    """The estimated error of the step to the state out over the tolerance."""
    own = WORKSPACE(work)
    k_q, k_v = error_coefficients(r)
    differences(dt, own.memory[SPACING], own.x, own.v_dot, own.before_v_dot, own.e_q, own.e_v)
    differences(dt, own.memory[SPACING], own.x_dot, own.last_x_dot, own.before_x_dot, own.spare_x, own.e_x)
    clear(own.b)
    for e, k in ((own.e_q, k_q * dt * dt), (own.e_v, k_v * dt)):
        damp(work, own, rank, stiff, k, e)
    for i in range(own.e_x.shape[0]):
        own.e_x[i] *= k_v * dt
    error = error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
    if error > 1.0:
        for _ in range(LASTING):
            damp(work, own, rank, stiff, 1.0, own.e_q)
            damp(work, own, rank, stiff, 1.0, own.e_v)
        damped = error_size(system, arrays, work, dt, r, z, out, own.e_q, own.e_v, own.e_x, moved, left_open)
        error = max(damped, error / strictness(work, z, r))
    return error


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    own = WORKSPACE(work)
    memory, lam, b, d, x, force = own.memory, own.lam, own.b, own.d, own.x, own.force
    tolerance = work.settings[SETTING_TOLERANCE]
    r, index = work.settings[SPECTRAL_RADIUS], work.settings[INDEX]
    rows = work.phi.shape[0]
    m, n = work.C.shape
    end = z.shape[0] - 1
    out, spare = scratch[0], scratch[1]
    to_v, to_q = step_slopes(r, dt)
    least = round_off(work, z[n : end - own.a_x.shape[0]])
    if work.status[STATUS_CHANGED]:
        code = method.rhs(system, arrays, work, t, z, spare)
        if code != OK:
            return code
        copy(work.a, own.v_dot, 0)
        copy(work.a, own.a, 0)
        copy(work.lam, lam, 0)
        copy(spare[end - own.a_x.shape[0] : end], own.last_x_dot, 0)
        copy(spare[end - own.a_x.shape[0] : end], own.a_x, 0)
        memory[POWER], memory[BY_TANGENT], memory[SPACING] = spare[end], 0.0, 0.0

    rank = work.status[STATUS_RANK]
    copy(own.v_dot, x, 0)
    copy(lam, own.first_lam, 0)
    stiff = memory[BY_TANGENT] != 0.0
    renew = stiff and (abs(memory[STEP_TAKEN] - dt) > 1e-6 * abs(dt) or own.tangent_rank[0] != rank)
    by_error, enough = controlled(work), left(work, dt, z, r)
    if by_error and memory[STEP_TAKEN] > 0.0 and memory[STEP_TAKEN] != dt:  # a_n is v_dot at a time that is a share of the step away
        to_step(dt / memory[STEP_TAKEN], own.v_dot, own.a)
        to_step(dt / memory[STEP_TAKEN], own.last_x_dot, own.a_x)
    memory[STEP_TAKEN] = dt
    worst, gap, size, at = np.inf, np.inf, np.inf, -1
    tried = 0  # changes made with the matrix at hand
    for iteration in range(ITERATIONS):
        residual(system, arrays, work, t, dt, z, r, out, force)
        work.counts[COUNT_ITERATIONS] += 1
        before_worst, before_gap = worst, gap
        worst, at = largest_part(work.phi, work.row_scales)
        gap, held = 0.0, abs(work.status[STATUS_HELD])  # of the rows at velocity level that are kept
        violations(work, out[:n], b)
        for k in range(m):
            i = k if held == m else work.rows[k]
            if i < rows:
                b[i] = -work.phi[i] / to_q
            else:
                s = abs(dt * b[i]) / work.row_scales[i]
                if (s > gap and k < held) or np.isnan(s):
                    gap = s
                    at = i if gap > worst else at
                b[i] /= to_v
        if own.unsettled[0] != 0:
            return fail(work, NO_CONVERGENCE, -1)
        sound = np.isfinite(worst + gap + largest(force)[0] + largest(work.eta)[0])  # eta is reported, not used
        if not sound and (stiff or tried == 0):
            return fail(work, NOT_FINITE, z.shape[0] + at if not np.isfinite(worst + gap) else largest(force)[1])
        if iteration == 0:  # where the predicted state is; the rank is that of the states before, which are on the constraints
            rank, code = factored(arrays, work, own, rank, z.shape[0])
            if code != OK:
                return code
        before_size = size
        if sound and not renew:
            if stiff:
                tangent_solve(own, n, rank)
            else:
                copy(force, d, 0)
                solve(work, own, rank, d)
            size = abs(dt * to_v) * largest_part(d, work.scales)[0]
        if not sound or (tried > 1 and size > max(tolerance, least, SLOW * before_size)):
            if not sound or size > before_size:  # from the beginning
                copy(own.v_dot, x, 0)
                copy(own.first_lam, lam, 0)
            stiff, renew, tried = True, True, 0
            memory[BY_TANGENT] = 1.0
            continue
        if renew:
            if not find_tangent(system, arrays, work, t, dt, z, r, VARIATION / to_v, rank, out):
                break
            renew, tried = False, 0
            tangent_solve(own, n, rank)
            size = abs(dt * to_v) * largest_part(d, work.scales)[0]
        done = settled(worst, before_worst, tolerance, least) and settled(gap, before_gap, tolerance)
        if done and settled_change(size, before_size, tolerance, enough, least, by_error and tried == 0):
            if index != INDEX_3 and rows > 0:
                rank, code = factored(arrays, work, own, rank, z.shape[0])
                if code != OK:
                    return code
                keep_rates(work, own, rank, to_v, out[:n])
            if by_error:
                error = find_error(system, arrays, work, dt, r, z, out, spare, unknown(size, before_size), rank, stiff)
                spare[0] = error
                if not error <= 1.0:
                    copy(own.first_lam, lam, 0)
                    return COARSE
                copy(own.v_dot, own.before_v_dot, 0)
                copy(own.last_x_dot, own.before_x_dot, 0)
                memory[SPACING] = dt
            power = driving_power(work, lam)
            out[end] = z[end] + 0.5 * dt * (memory[POWER] + power)
            memory[POWER] = power
            for j in range(n):
                own.a[j] = next_a(r, x[j], own.v_dot[j], own.a[j])
            for i in range(own.a_x.shape[0]):
                own.a_x[i] = next_a(r, own.x_dot[i], own.last_x_dot[i], own.a_x[i])
            copy(own.x_dot, own.last_x_dot, 0)
            copy(x, own.v_dot, 0)
            copy(out, z, 0)
            return OK
        if stiff:
            for a in range(rank):
                lam[own.tangent_rows[a]] += own.solution[n + a]
        else:
            gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, own.change)
            for i in range(m):
                lam[i] += own.change[i]
        for j in range(n):
            x[j] += d[j]
        tried += 1
    return fail(work, NO_CONVERGENCE, at)


__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "rhs", "start", "step"]
