"""Lambda root-finding: the multipliers of a step are the root of the constraints at its end. Yang, Duan & Di 2006, eqs. 14-20, extended.

    M v_dot = h + C' (lam_i + mu),  q_dot = N v    at the stages i of an explicit formula
    F(mu) = 0,   F = 2 / h^2 phi(t_{n+1}, q_{n+1}) in holonomic rows,  1 / h (C v_{n+1} + xi) in nonholonomic rows

mu is constant over the step. `multiplier: constant` is the paper, lam_i = 0; it is of order 2 in the velocity whatever the formula is.
`multiplier: stage` takes for lam_i the multipliers of the augmented equations at the stage. mu is then of the size of the formula's local
error, and everything is of the formula's order. docs/root_finding.md derives it.

With b and A of the formula, w_j = sum_i b_i a_ij and Y_j = C M^-1 at stage j, to leading order

    dF/dmu = C_{n+1} (2 sum_j w_j Y_j)' in holonomic rows,   C_{n+1} (sum_j b_j Y_j)' in nonholonomic ones

The search starts with B = (dF/dmu)^-1 of the first trial, by `start: trials` of a trial step per multiplier, or by `start: paper` as eq. 20
is printed; and from the mu that keeps phi to second order in h, with `constant` plus what that lacked in the step before. With `stage` the
start does not know of the step before: mu is of the order h^(p-1) of this step, and what another one needed may be orders of magnitude too
much. `search/secant.py` has the updates of B; `newton` finds dF/dmu anew in every iteration by one trial step per multiplier: slow, the
yardstick.

`search: frozen` makes one trial. It freezes the rates of its stages, and takes the end of the step to the root along the sums above:

    q_{n+1} <- q_{n+1} (+) h^2 (sum_j w_j Y_j)' d mu,   v_{n+1} <- v_{n+1} + h (sum_j b_j Y_j)' d mu

What this leaves out is of the size of the local error, and the order stays. Where it does not converge, trials of the whole step follow,
and where these do not, the step is refused and taken in parts. It is refused, too, where what is corrected is too much of the way
(`_correction`). `search: full` makes trials of the whole step until F is zero.

The velocity leaves C v + xi = 0 to alternate sides, by the order of the formula (by O(h^2) with `constant`). With `stage` it is projected
after each step (`drift: full`), which costs no order. With `constant` that costs an order: there it is projected for output only
(`project_velocity`), and the computed one is carried on.
"""

import numpy as np

from mbsim.jit import (
    ACCEPT,
    COARSE,
    COUNT_EVALUATIONS,
    COUNT_ITERATIONS,
    NO_CONVERGENCE,
    NOT_FINITE,
    OK,
    RHS,
    SEARCH,
    SETTING_RHEONOMIC,
    SETTING_TOLERANCE,
    STATUS_CHANGED,
    STATUS_FRESH,
    STATUS_RANK,
    WATCH_SHARE,
    choices,
    helper,
    kernel,
    method_settings,
)
from mbsim.kernels.gauss import gauss_basic_multipliers
from mbsim.kernels.linalg import clear, copy, multiply_mass
from mbsim.methods import _augmented
from mbsim.methods._augmented import accelerate, expand, factored, ranked, start
from mbsim.methods._correction import LEAST, followed
from mbsim.methods._evaluation import evaluate, fail, finish, violations
from mbsim.methods._iteration import largest, largest_part, settled
from mbsim.methods._project import lengths, pace, solve
from mbsim.methods.search.secant import inverse, update
from mbsim.methods.search.trials import WORKSPACE, build, change, jacobian, remainder, settle, slope, trial, vary

SEARCHES = True  # it takes the formula of an integrator that declares FORMULA, and finds its own multipliers with it
DRIFT = "full"  # by velocities only: phi is at round-off already
DRIFT_BY = {"multiplier": {"constant": "none"}}  # where an option asks for another
EQUAL_STEPS = {"multiplier": "constant"}  # options that error control does not go with: the velocity alternates with the sizes of steps
ORDER_BY = {"multiplier": {"constant": 2}}  # where an option lowers that of the integrator: docs/root_finding.md
SOURCE = {
    "paper": "Yang, Duan & Di 2006",
    "equations": "extended: multipliers of the stages and what the constraints add, in place of (14)-(18)",
    "by": {
        "multiplier": {"constant": "(14)-(18)"},
        "root_finder": {"bfs": "(19)"},
        "start": {"trials": "a trial step a multiplier in place of (20)", "paper": "(20)"},
    },
}
OPTIONS = {
    "multiplier": {
        "help": "what a search is for: what is added to the multipliers of each stage, or all of them, constant over a step (Yang et al.)",
        "default": "stage",
        "choices": ("stage", "constant"),
    },
    "search": {
        "help": "what is evaluated anew in the search: nothing where that converges (with `multiplier: stage` only), or every stage",
        "default": "frozen",
        "choices": ("frozen", "full"),
    },
    "root_finder": {"help": "how the multipliers of a step are found", "default": "broyden", "choices": ("bfs", "broyden", "newton")},
    "start": {
        "help": "the first derivative of a search: from the first trial, by differences of one trial step per multiplier, or by an update "
        "for each of these steps from the unit matrix, which is eq. 20 of Yang et al. as printed",
        "default": "formula",
        "choices": ("formula", "trials", "paper"),
    },
    "project_velocity": {"help": "report the velocity projected on its constraints, but integrate the computed one", "default": True},
}
MULTIPLIER, HOW, ROOT_FINDER, START_BY, PROJECT_VELOCITY = method_settings(
    OPTIONS, "multiplier", "search", "root_finder", "start", "project_velocity"
)
(STAGE,) = choices(OPTIONS, "multiplier", "stage")
(FROZEN,) = choices(OPTIONS, "search", "frozen")
FORMULA, PAPER = choices(OPTIONS, "start", "formula", "paper")
BFS, NEWTON = choices(OPTIONS, "root_finder", "bfs", "newton")
ITERATIONS = 40  # trial steps; four to seven are usual with `constant`
VARIATION = 1e-4  # of the size of lam, in the differences of `newton`: F is almost linear, and phi is divided by h^2


@helper
def driving_work(rhs, system, arrays, work, own, t, dt, z, end):
    """W at the end of the step from z by Simpson's rule: -lam' xi with a lam constant over the step is of order 2 only.

    The middle is interpolated (cubic Hermite) between the projected states of both ends.
    """
    first, last, mid, rates = own.simpson[0], own.simpson[1], own.simpson[2], own.simpson[3]
    n, size = work.v.shape[0], z.shape[0]
    code = rhs(system, arrays, work, t, z, first)
    for j in range(size):
        mid[j] = 0.5 * (work.v[j] if j < n else z[j]) + 0.125 * dt * first[j]
    if code == OK:
        code = rhs(system, arrays, work, t + dt, end, last)
    for j in range(size):
        mid[j] += 0.5 * (work.v[j] if j < n else end[j]) - 0.125 * dt * last[j]
    if code == OK:
        code = rhs(system, arrays, work, t + 0.5 * dt, mid, rates)
    end[size - 1] = z[size - 1] + dt / 6.0 * (first[size - 1] + 4.0 * rates[size - 1] + last[size - 1])
    return code


@helper
def begin(system, arrays, work, own, t, z, staged):
    """What the first stage of every trial needs, and the parts of the first guess of mu. Returns OK or why not."""
    m, n = work.C.shape
    own.found[0] = 0.0
    own.at[0] = t
    copy(z, own.at[1:], 0)
    work.status[STATUS_FRESH] = 1
    code = slope(system, arrays, work, own, t, z, own.first, staged)
    work.status[STATUS_FRESH] = 0
    if code != OK:
        return code
    rank = work.status[STATUS_RANK]
    if rank < m or not staged:  # the shortest multipliers of dependent rows have overwritten the factors, or there are none yet
        rank, code = factored(arrays, work, own, rank if staged else -1, z.shape[0])
        if code != OK:
            return code
        if not staged:
            work.status[STATUS_RANK] = rank
    own.found[0] = 1.0 + rank
    copy(work.xi, own.first_xi, 0)
    for i in range(m):
        copy(own.Y[i], own.first_Y[i], 0)
        own.picked[i] = own.order[i]
        s = work.xi[i]
        for j in range(n):
            s += work.C[i, j] * z[j]
        own.b[i] = -s * (2.0 if i < work.phi.shape[0] else 1.0)
    clear(own.d)
    solve(work, own, rank, own.d)
    gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, own.guess)
    clear(own.free)
    if not staged:
        for i in range(m):
            own.b[i] = -work.eta[i]
        copy(work.h, own.d, 0)
        solve(work, own, rank, own.d)
        gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, own.free)
    return OK


@helper
def share(arrays, work, own, t, dt, end):
    """OK or COARSE: what the constraints correct of the formula's own step, own.total included, held against its way."""
    n, x = work.v.shape[0], work.displacement
    clear(own.d)
    for i in range(own.defect.shape[0]):
        for j in range(n):
            own.d[j] += 0.5 * dt * dt * (own.defect[i] + own.total[i]) * own.Yq[i, j]
    fast, far = lengths(arrays, work, end[n : end.shape[0] - 1], end[:n], LEAST * work.settings[SETTING_TOLERANCE])
    multiply_mass(work.M, work.skyline, own.d, x)
    moved = 0.0
    for j in range(n):
        moved += x[j] * own.d[j]
    code = followed(work, t, dt, fast, far, moved)
    own.found[1] = work.watch[WATCH_SHARE]
    return code


@kernel(SEARCH)
def search(A, c, method, system, arrays, work, t, dt, z, end, offsets, K):
    """The step from z at t to `end` at t + dt by an explicit formula. K[i] become the rates of its stages, K[s] those at the start without
    what is searched.

    A (s + 1, s): coefficients of the formula, the last row those of the end; c (s,): times of the stages; offsets (s + 1, size of z), or
    (0, size of z): rates that are added. K has s + 1 rows.
    """
    own = WORKSPACE(work)
    settings = work.settings
    finder, tolerance, staged = settings[ROOT_FINDER], settings[SETTING_TOLERANCE], settings[MULTIPLIER] == STAGE
    refused = COARSE if staged else NO_CONVERGENCE
    if staged or work.status[STATUS_CHANGED]:
        clear(own.defect)
    same = work.status[STATUS_CHANGED] != 0 and own.found[0] > 0.0 and own.at[0] == t  # a step that was refused begins where it began
    for j in range(z.shape[0]):
        same = same and own.at[j + 1] == z[j]
    if not same:
        code = begin(system, arrays, work, own, t, z, staged)
        if code != OK:
            return code
    rank = int(own.found[0]) - 1
    for i in range(own.mu.shape[0]):
        own.mu[i] = own.free[i] + own.guess[i] / dt + own.defect[i]
    copy(own.first, K[A.shape[1]], 0)
    own.found[1] = 0.0
    worst, at = np.inf if staged else 0.0, -1
    for iteration in range(ITERATIONS):
        last = worst
        code = trial(A, c, system, arrays, work, own, t, dt, z, end, offsets, K, staged, iteration == 0)
        work.counts[COUNT_ITERATIONS] += 1
        if code != OK:
            return code
        worst, at = remainder(system, arrays, work, own, t + dt, dt, end, iteration == 0)
        if not np.isfinite(worst):
            return COARSE if staged and iteration > 0 else fail(work, NOT_FINITE, z.shape[0] + at)
        done = settled(worst, last, tolerance)
        if not done:
            for a in range(rank):  # the other rows follow from the picked ones
                own.y[a] = own.F[own.picked[a]] - own.f[a]
                own.f[a] = own.F[own.picked[a]]
            if (iteration == 0 and settings[START_BY] != FORMULA) or (iteration > 0 and finder == NEWTON):
                size = max(largest(own.mu)[0], largest(own.p[:rank])[0], largest(own.f[:rank])[0] if iteration == 0 else 0.0)
                size = VARIATION * max(size, largest(work.lam)[0] if staged else 0.0)  # mu itself is far smaller than lam there
                if iteration == 0 and settings[START_BY] == PAPER:
                    code = build(A, c, system, arrays, work, own, t, dt, z, end, offsets, K, staged, rank, size)
                else:
                    code = vary(A, c, system, arrays, work, own, t, dt, z, end, offsets, K, staged, rank, size)
                if code != OK:
                    return code
            elif iteration == 0:
                jacobian(work.C, own, work.phi.shape[0], rank, finder == BFS)
            if iteration == 0 and settings[START_BY] == PAPER:
                clear(own.p)
            elif iteration == 0 or finder == NEWTON:
                if not inverse(own.A, own.B, rank, own.exchanged, own.By):
                    return fail(work, refused, at)
            else:
                update(own, rank, finder == BFS)
            if iteration == 0 and staged:  # a step that is too long is refused before anything is searched
                clear(own.total)
                change(own, rank, own.total)
                code = share(arrays, work, own, t + dt, dt, end)
                if code != OK:
                    return code
            if iteration == 0 and staged and settings[HOW] == FROZEN and settings[START_BY] == FORMULA:
                if settle(system, arrays, work, own, t + dt, dt, end, rank, worst):
                    for i in range(own.mu.shape[0]):
                        own.mu[i] += own.total[i]
                        own.defect[i] += own.total[i]
                    done = True
                else:  # begin with the derivative and the remainder of the first trial after all
                    code = trial(A, c, system, arrays, work, own, t, dt, z, end, offsets, K, staged, True)
                    worst, at = remainder(system, arrays, work, own, t + dt, dt, end, True)
                    if code != OK:
                        return code
                    for a in range(rank):
                        own.f[a] = own.F[own.picked[a]]
                    jacobian(work.C, own, work.phi.shape[0], rank, finder == BFS)
                    if not inverse(own.A, own.B, rank, own.exchanged, own.By):
                        return fail(work, refused, at)
        if done:
            if staged:
                clear(own.total)
                return share(arrays, work, own, t + dt, dt, end)
            if settings[SETTING_RHEONOMIC] != 0.0:
                code = driving_work(method.rhs, system, arrays, work, own, t, dt, z, end)
            return code
        change(own, rank, own.mu)
        for a in range(rank):
            own.defect[own.picked[a]] += own.p[a]
    return fail(work, refused, at)


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
        if largest_part(own.b, work.row_scales)[0] > work.settings[SETTING_TOLERANCE] * pace(work, v):
            for j in range(n):
                v[j] += own.d[j]
            system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
            work.counts[COUNT_EVALUATIONS] += 1
    accelerate(arrays, work, own, rank, work.eta)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    code = _augmented.accept(project, start, system, arrays, work, t, z)
    if code <= OK:
        work.watch[WATCH_SHARE] = max(work.watch[WATCH_SHARE], WORKSPACE(work).found[1])
    return code


__all__ = ["WORKSPACE", "accept", "expand", "rhs", "search", "start"]
