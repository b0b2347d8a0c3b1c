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
much. `searching/secant.py` has the updates of B; `newton` finds dF/dmu anew in every iteration by one trial step per multiplier: slow, the
yardstick.

`search: frozen` makes one trial. It freezes the rates of its stages, and takes the end of the step to the root along the sums above:

    q_{n+1} <- q_{n+1} (+) h^2 (sum_j w_j Y_j)' d mu,   v_{n+1} <- v_{n+1} + h (sum_j b_j Y_j)' d mu

What this leaves out is of the size of the local error, and the order stays. Where it does not converge, trials of the whole step follow,
and where these do not, the step is refused and taken in parts. It is refused, too, where what is corrected is too much of the way
(`singular/correction.py`). `search: full` makes trials of the whole step until F is zero.

The velocity leaves C v + xi = 0 to alternate sides, by the order of the formula (by O(h^2) with `constant`). With `stage` it is projected
after each step (`drift: full`), which costs no order. With `constant` that costs an order: there it is projected for output only
(`project_velocity`), and the computed one is carried on.
"""

import numpy as np

from mbsim.contracts import (
    ACCEPT,
    COARSE,
    COUNT_EVALUATIONS,
    COUNT_ITERATIONS,
    NOT_FINITE,
    OK,
    RHS,
    SEARCH,
    SETTING_TOLERANCE,
    STATUS_FRESH,
    STATUS_RANK,
    WATCH_SHARE,
    choices,
    method_settings,
)
from mbsim.jit import helper, kernel
from mbsim.kernels.iteration import has_settled, largest, largest_part
from mbsim.kernels.linalg import clear, copy
from mbsim.methods import _augmented
from mbsim.methods._augmented import accelerate, expand, find_rank, start
from mbsim.methods.searching.secant import inverse, update
from mbsim.methods.searching.steps import finish_step, foresee, guess, keep, refuse
from mbsim.methods.searching.trials import WORKSPACE, Step, build, change, jacobian, remainder, settle, trial, vary
from mbsim.saddle.evaluation import evaluate, fail, finish, violations
from mbsim.singular.projection import pace, solve

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
def differentiate(system, arrays, work, own, step, first):
    """own.A = dF/dmu, or by `start: paper` own.B at once, by trial steps. `first`: of a search."""
    rank = own.count[0]
    size = max(largest(own.mu)[0], largest(own.p[:rank])[0], largest(own.f[:rank])[0] if first else 0.0)
    size = VARIATION * max(size, largest(work.lam)[0] if step.staged else 0.0)  # mu itself is far smaller than lam there
    if first and work.settings[START_BY] == PAPER:
        return build(system, arrays, work, own, step, size)  # (20)
    return vary(system, arrays, work, own, step, size)


@helper
def learn(system, arrays, work, own, step, first, row):
    """own.B, about (dF/dmu)^-1, by the words `root_finder` and `start`; OK or why not. `row`: of the largest violation."""
    start_by, finder = work.settings[START_BY], work.settings[ROOT_FINDER]
    if not first and finder != NEWTON:
        update(own, own.count[0], finder == BFS)  # (19), or Broyden's
        return OK
    if first and start_by == FORMULA:
        jacobian(work.C, own, work.phi.shape[0], finder == BFS)
    else:
        code = differentiate(system, arrays, work, own, step, first)
        if code != OK or (first and start_by == PAPER):
            return code
    return OK if inverse(own.A, own.B, own.count[0], own.exchanged, own.By) else refuse(work, step, row)


@helper
def look(system, arrays, work, own, step, gathers):
    """The end of the step by own.mu, and own.F there; own.f and own.y become those of the rows picked. `gathers` as of `trial`.

    Returns OK or why not, and size and row of the largest violation. The other rows follow from the picked ones.
    """
    code = trial(system, arrays, work, own, step, gathers)  # (14), (15): the end of the step is a function of mu
    if code != OK:
        return code, np.nan, -1
    left = remainder(system, arrays, work, own, step, gathers)  # (16)-(18): F(mu) = 0 there
    for a in range(own.count[0]):
        own.y[a] = own.F[own.picked[a]] - own.f[a]
        own.f[a] = own.F[own.picked[a]]
    return code, left.size, left.row


@kernel(SEARCH)
def search(A, c, method, system, arrays, work, t, dt, z, end, offsets, K):
    """The step from z at t to `end` at t + dt by an explicit formula (`searching.trials.Step`): F(mu) = 0 at its end."""
    own, settings = WORKSPACE(work), work.settings
    step = Step(A, c, t, dt, z, end, offsets, K, settings[MULTIPLIER] == STAGE)
    freezes = step.staged and settings[HOW] == FROZEN and settings[START_BY] == FORMULA
    code = guess(system, arrays, work, own, step)
    if code != OK:
        return code
    size, row = np.inf if step.staged else 0.0, -1
    for iteration in range(ITERATIONS):
        first, before = iteration == 0, size
        work.counts[COUNT_ITERATIONS] += 1
        code, size, row = look(system, arrays, work, own, step, first)
        if code != OK:
            return code
        if not np.isfinite(size):
            return COARSE if step.staged and not first else fail(work, NOT_FINITE, z.shape[0] + row)
        if has_settled(size, before, settings[SETTING_TOLERANCE]):
            return finish_step(method.rhs, system, arrays, work, own, step)
        code = learn(system, arrays, work, own, step, first, row)  # B, (19) and (20)
        if code == OK and first and step.staged:
            code = foresee(arrays, work, own, step)
        if code != OK:
            return code
        if first and freezes:
            if settle(system, arrays, work, own, step, size):
                keep(own)
                return finish_step(method.rhs, system, arrays, work, own, step)
            code, size, row = look(system, arrays, work, own, step, True)  # the first trial and its derivative after all
            if code == OK:
                code = learn(system, arrays, work, own, step, True, row)
            if code != OK:
                return code
        change(own, own.mu)  # (19): mu <- mu - B F
        for a in range(own.count[0]):
            own.defect[own.picked[a]] += own.p[a]
    return refuse(work, step, row)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """z_dot of the augmented equations at the projected velocity, which is what is reported; the step does not use it."""
    own = WORKSPACE(work)
    n = work.v.shape[0]
    q, v = z[n : z.shape[0] - 1], work.v
    copy(z[:n], v, 0)
    evaluate(system, arrays, work, t, q, v)
    rank, code = find_rank(arrays, work, own, -1 if work.status[STATUS_FRESH] else work.status[STATUS_RANK], z.shape[0])
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
    """Move the accepted z onto the constraints and keep the largest correction, over the one that is let pass. Returns the status code."""
    code = _augmented.accept(project, start, system, arrays, work, t, z)
    if code <= OK:
        work.watch[WATCH_SHARE] = max(work.watch[WATCH_SHARE], WORKSPACE(work).share[0])
    return code


__all__ = ["WORKSPACE", "accept", "expand", "rhs", "search", "start"]
