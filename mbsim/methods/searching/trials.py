"""One step of a search by `broyden`: the trial with what is searched, what the constraints leave at its end, and how that depends on it.

docs/root_finding.md has the equations.
"""

from typing import NamedTuple

import numpy as np

from mbsim.contracts import COUNT_FACTORISATIONS, OK, SETTING_TOLERANCE, SINGULAR_MASS
from mbsim.jit import Workspace, helper, indices, matrix, vector
from mbsim.kernels.gauss import factor_mass
from mbsim.kernels.iteration import has_settled
from mbsim.kernels.linalg import clear, copy, solve_lower, solve_upper
from mbsim.methods import _augmented
from mbsim.methods._augmented import accelerate_damped, factored_mass, stage
from mbsim.methods.searching.secant import inverse, update
from mbsim.saddle.evaluation import evaluate, fail, unit_quaternions

CORRECTIONS = 12  # of the end of a step with frozen rates: two to four are usual
SLOW = 0.1  # a correction that leaves more of F than this finds the derivative anew

WORKSPACE = Workspace(
    "broyden",
    _augmented.WORKSPACE,
    first=vector("n + n_q + 1"),  # rates at the start of the step, without what is searched
    at=vector("n + n_q + 2"),  # where: t, z
    Y=matrix("m", "n"),  # C M^-1 at the last stage
    first_Y=matrix("m", "n"),  # at the start of the step
    Yq=matrix("m", "n"),  # 2 sum_j w_j Y_j
    Yv=matrix("m", "n"),  # sum_j b_j Y_j
    picked=indices("m"),  # independent rows at the start of the step
    count=indices("1"),  # how many
    begun=indices("1"),  # whether a step has, at `at`: 0 or 1
    share=vector("1"),  # what the last step corrected, as in WATCH_SHARE
    A=matrix("m", "m"),  # dF/dmu of the rows picked
    B=matrix("m", "m"),  # about its inverse
    exchanged=indices("m"),  # rows of A
    first_xi=vector("m"),  # xi at the start
    guess=vector("m"),  # first guess of mu: what the violation of velocities there asks for, times the step
    free=vector("m"),  # and what does not depend on the step
    mu=vector("m"),
    F=vector("m"),
    f=vector("m"),  # F of the rows picked
    y=vector("m"),  # its change
    p=vector("m"),  # change of mu
    total=vector("m"),  # the sum of these
    By=vector("m"),  # B y
    yB=vector("m"),  # p' B, or y' B
    defect=vector("m"),  # what the first guess of mu lacked: in this step, or, with a constant multiplier, in the one before
    simpson=matrix("4", "n + n_q + 1"),  # of the work of drivers
)


class Step(NamedTuple):
    """A step by an explicit formula from z at t to `end` at t + dt."""

    A: np.ndarray  # (s + 1, s) coefficients of the formula, the last row those of the end
    c: np.ndarray  # (s,) times of the stages
    t: float
    dt: float
    z: np.ndarray
    end: np.ndarray
    offsets: np.ndarray  # (s + 1, size of z), or (0, size of z): rates that are added
    K: np.ndarray  # (s + 1, size of z) rates of the stages; the last row those at the start without what is searched
    staged: bool  # whether mu is what is added to the multipliers of each stage; else mu are the multipliers


class Violation(NamedTuple):
    """The largest residual of the constraints at the end of a step."""

    size: float  # links, rad
    row: int


@helper
def slope(system, arrays, work, own, t, z, dz, staged):
    """dz without what is searched: of the augmented equations, or, not `staged`, of the forces alone. own.Y becomes C M^-1."""
    m, n = work.C.shape
    end = z.shape[0] - 1
    if staged:
        code = stage(system, arrays, work, own, t, z, dz, factored_mass, accelerate_damped)
        if code != OK:
            return code
    else:
        evaluate(system, arrays, work, t, z[n:end], z[:n])
        work.counts[COUNT_FACTORISATIONS] += 1
        bad = factor_mass(work.M, work.skyline, own.L)
        if bad >= 0:
            return fail(work, SINGULAR_MASS, bad)
        copy(work.h, dz, 0)
        solve_lower(own.L, n, work.skyline, dz[:n])
        solve_upper(own.L, n, work.skyline, dz[:n])
        system.rates(arrays, t, z[n:end], z[:n], dz[n:end])
        dz[end] = work.power[0]
    for i in range(m):
        copy(work.C[i], own.Y[i], 0)
        solve_lower(own.L, n, work.skyline, own.Y[i])
        solve_upper(own.L, n, work.skyline, own.Y[i])
    return OK


@helper
def push(mu, Y, xi, dz, staged):
    """What mu adds to dz. Not `staged`, mu are the multipliers, and do the work of drivers; else it is an error of the formula's size."""
    end = dz.shape[0] - 1
    for i in range(mu.shape[0]):
        if not staged:
            dz[end] -= mu[i] * xi[i]
        for j in range(Y.shape[1]):
            dz[j] += mu[i] * Y[i, j]


@helper
def gather(own, Y, w, b):
    """Add a stage to the sums that dF/dmu is made of."""
    for i in range(Y.shape[0]):
        for j in range(Y.shape[1]):
            own.Yq[i, j] += 2.0 * w * Y[i, j]
            own.Yv[i, j] += b * Y[i, j]


@helper
def trial(system, arrays, work, own, step, gathers):
    """Take the step with own.mu. Returns OK or why not. `gathers`: what dF/dmu is made of becomes that of this trial."""
    A, z, end, K, s = step.A, step.z, step.end, step.K, step.A.shape[1]
    if gathers:
        for i in range(own.Yq.shape[0]):
            clear(own.Yq[i])
            clear(own.Yv[i])
    for i in range(s + 1):
        if i == 0:
            copy(own.first, K[0], 0)
            push(own.mu, own.first_Y, own.first_xi, K[0], step.staged)
        else:
            for j in range(end.shape[0]):
                x = 0.0
                for k in range(i):
                    x += A[i, k] * K[k, j]
                end[j] = z[j] + step.dt * x
            if step.offsets.shape[0] > 0:
                for j in range(end.shape[0]):
                    end[j] += step.dt * step.offsets[i, j]
            if i == s:
                break
            code = slope(system, arrays, work, own, step.t + step.c[i] * step.dt, end, K[i], step.staged)
            if code != OK:
                return code
            push(own.mu, own.Y, work.xi, K[i], step.staged)
        if gathers:
            w = 0.0
            for k in range(i + 1, s):
                w += A[s, k] * A[k, i]
            if i == 0:
                gather(own, own.first_Y, w, A[s, i])
            else:
                gather(own, own.Y, w, A[s, i])
    return OK


@helper
def left_out(own, i):
    """Whether a velocity row is none of those picked. It follows from position rows as their velocities do: not before the projection."""
    found = True
    for a in range(own.count[0]):
        found = found and own.picked[a] != i
    return found


@helper
def remainder(system, arrays, work, own, step, gathers):
    """own.F at the end of a step; returns the largest Violation. work.C becomes that of the end where it is asked for."""
    F, t, dt, end = own.F, step.t + step.dt, step.dt, step.end
    m, n = work.C.shape
    rows, q = work.phi.shape[0], end[n : end.shape[0] - 1]
    unit_quaternions(system, arrays, work, q)  # as they will be reported
    system.residual(arrays, t, q, work.phi)
    if rows < m or gathers:
        system.constraints(arrays, t, q, work.C, work.xi)
    worst, at = 0.0, -1
    for i in range(m):
        if i < rows:
            s = work.phi[i]
            F[i] = 2.0 / (dt * dt) * s
        else:
            s = work.xi[i]
            for j in range(n):
                s += work.C[i, j] * end[j]
            F[i] = s / dt
            if left_out(own, i):
                continue
        size = abs(s) / work.row_scales[i]
        if i >= rows:
            size *= abs(dt)
        if size > worst or np.isnan(size):
            worst, at = size, i
    return Violation(worst, at)


@helper
def jacobian(C, own, rows, symmetric):
    """A = dF/dmu of the picked rows from C at the end of a step."""
    order, A, rank = own.picked, own.A, own.count[0]
    for a in range(rank):
        i = order[a]
        for c in range(rank):
            s = 0.0
            for j in range(C.shape[1]):
                s += C[i, j] * (own.Yq[order[c], j] if i < rows else own.Yv[order[c], j])
            A[a, c] = s
    if symmetric:
        for a in range(rank):
            for c in range(a):
                A[a, c] = A[c, a] = 0.5 * (A[a, c] + A[c, a])


@helper
def change(own, x):
    """own.p = -B f, added to x at the picked rows."""
    rank = own.count[0]
    for a in range(rank):
        own.p[a] = 0.0
        for c in range(rank):
            own.p[a] -= own.B[a, c] * own.f[c]
        x[own.picked[a]] += own.p[a]


@helper
def settle(system, arrays, work, own, step, size):
    """Take the end of a step to the root with frozen rates; own.total is what is added to mu. Returns whether it got there.

    `size`: that of the violation.
    """
    n, dt, end, rank = work.v.shape[0], step.dt, step.end, own.count[0]
    last = end.shape[0] - 1
    clear(own.total)
    for correction in range(CORRECTIONS):
        change(own, own.total)
        clear(own.d)
        for a in range(rank):
            i = own.picked[a]
            for j in range(n):
                own.d[j] += 0.5 * dt * dt * own.p[a] * own.Yq[i, j]
                end[j] += dt * own.p[a] * own.Yv[i, j]
        system.move(arrays, end[n:last], own.d)
        before = size
        size = remainder(system, arrays, work, own, step, True).size
        if not np.isfinite(size):
            return False
        if has_settled(size, before, work.settings[SETTING_TOLERANCE]):
            return True
        if correction > 0 and size > before:
            return False
        for a in range(rank):
            own.f[a] = own.F[own.picked[a]]
        if size > SLOW * before:
            jacobian(work.C, own, work.phi.shape[0], False)
            if not inverse(own.A, own.B, rank, own.exchanged, own.By):
                return False
    return False


@helper
def build(system, arrays, work, own, step, size):
    """own.B as the paper has it: from the unit matrix, an update (eq. 19) for each multiplier's trial step in turn (eq. 20)."""
    mu, order, last, rank = own.mu, own.picked, own.total, own.count[0]
    for a in range(rank):
        last[a] = own.f[a]
        for b in range(rank):  # F is phi times 2 / h^2, or C v + xi over h
            own.B[a, b] = 0.0 if a != b else 0.5 * step.dt * step.dt if order[a] < work.phi.shape[0] else step.dt
    for b in range(rank):
        mu[order[b]] += size
        code = trial(system, arrays, work, own, step, False)
        remainder(system, arrays, work, own, step, False)
        if code != OK:
            return code
        for a in range(rank):
            own.p[a] = size if a == b else 0.0
            own.y[a], last[a] = own.F[order[a]] - last[a], own.F[order[a]]
        update(own, rank, True)
    for b in range(rank):
        mu[order[b]] -= size
    return OK


@helper
def vary(system, arrays, work, own, step, size):
    """own.A = dF/dmu of the picked rows, by one trial step for each multiplier; own.f is F as it stands."""
    mu, order, rank = own.mu, own.picked, own.count[0]
    for b in range(rank):
        kept = mu[order[b]]
        mu[order[b]] = kept + size
        code = trial(system, arrays, work, own, step, False)
        remainder(system, arrays, work, own, step, False)
        mu[order[b]] = kept
        if code != OK:
            return code
        for a in range(rank):
            own.A[a, b] = (own.F[order[a]] - own.f[a]) / size
    return OK
