"""Where a search by `broyden` begins, what it corrects, and what is left to do at the root. docs/root_finding.md has the equations."""

from mbsim.contracts import (
    COARSE,
    NO_CONVERGENCE,
    OK,
    SETTING_RHEONOMIC,
    SETTING_TOLERANCE,
    STATUS_CHANGED,
    STATUS_FRESH,
    STATUS_RANK,
    WATCH_SHARE,
)
from mbsim.jit import helper
from mbsim.kernels.gauss import gauss_basic_multipliers
from mbsim.kernels.linalg import clear, copy, multiply_mass
from mbsim.methods._augmented import factor_counting
from mbsim.methods.searching.trials import change, slope
from mbsim.saddle.evaluation import fail
from mbsim.singular.correction import NEVER_COUNTS, judge_correction
from mbsim.singular.projection import lengths, solve


@helper
def has_begun(work, own, step):
    """Whether the step begins where one began that was refused: what `begin` found is the same."""
    same = work.status[STATUS_CHANGED] != 0 and own.begun[0] != 0 and own.at[0] == step.t
    for j in range(step.z.shape[0]):
        same = same and own.at[j + 1] == step.z[j]
    return same


@helper
def begin(system, arrays, work, own, step):
    """What the first stage of every trial needs, and the parts of the first guess of mu. Returns OK or why not."""
    m, n = work.C.shape
    t, z = step.t, step.z
    own.begun[0] = 0
    own.at[0] = t
    copy(z, own.at[1:], 0)
    work.status[STATUS_FRESH] = 1
    code = slope(system, arrays, work, own, t, z, own.first, step.staged)
    work.status[STATUS_FRESH] = 0
    if code != OK:
        return code
    rank = work.status[STATUS_RANK]
    if rank < m or not step.staged:  # the shortest multipliers of dependent rows have overwritten the factors, or there are none yet
        rank, code = factor_counting(arrays, work, own, rank if step.staged else -1, z.shape[0])
        if code != OK:
            return code
        if not step.staged:
            work.status[STATUS_RANK] = rank
    own.begun[0], own.count[0] = 1, rank
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
    if not step.staged:
        for i in range(m):
            own.b[i] = -work.eta[i]
        copy(work.h, own.d, 0)
        solve(work, own, rank, own.d)
        gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, own.free)
    return OK


@helper
def guess(system, arrays, work, own, step):
    """The first own.mu of a search: it keeps phi to second order in the step, with what that lacked in the step before where mu are all of
    the multipliers. Returns OK or why not."""
    if step.staged or work.status[STATUS_CHANGED]:
        clear(own.defect)
    if not has_begun(work, own, step):
        code = begin(system, arrays, work, own, step)
        if code != OK:
            return code
    for i in range(own.mu.shape[0]):
        own.mu[i] = own.free[i] + own.guess[i] / step.dt + own.defect[i]
    copy(own.first, step.K[step.A.shape[1]], 0)
    own.share[0] = 0.0
    return OK


@helper
def share(arrays, work, own, step):
    """Return COARSE where the constraints correct too much of the way of the formula's own step, else OK. own.total counts, too."""
    n, x, dt, end = work.v.shape[0], work.displacement, step.dt, step.end
    clear(own.d)
    for i in range(own.defect.shape[0]):
        for j in range(n):
            own.d[j] += 0.5 * dt * dt * (own.defect[i] + own.total[i]) * own.Yq[i, j]
    fast, far = lengths(arrays, work, end[n : end.shape[0] - 1], end[:n], NEVER_COUNTS * work.settings[SETTING_TOLERANCE])
    multiply_mass(work.M, work.skyline, own.d, x)
    moved = 0.0
    for j in range(n):
        moved += x[j] * own.d[j]
    code = judge_correction(work, step.t + dt, dt, fast, far, moved)
    own.share[0] = work.watch[WATCH_SHARE]
    return code


@helper
def foresee(arrays, work, own, step):
    """`share` of what the first correction would be: a step that is too long is refused before anything is searched."""
    clear(own.total)
    change(own, own.total)
    return share(arrays, work, own, step)


@helper
def keep(own):
    """Add to mu what was found with frozen rates."""
    for i in range(own.mu.shape[0]):
        own.mu[i] += own.total[i]
        own.defect[i] += own.total[i]


@helper
def refuse(work, step, row):
    """The code of a search that finds no root; STATUS_INDEX becomes the row. With multipliers of the stages a shorter step may do."""
    return fail(work, COARSE if step.staged else NO_CONVERGENCE, row)


@helper
def driving_work(rhs, system, arrays, work, own, step):
    """W at the end of the step by Simpson's rule: -lam' xi with a lam constant over the step is of order 2 only.

    The middle is interpolated (cubic Hermite) between the projected states of both ends.
    """
    t, dt, z, end = step.t, step.dt, step.z, step.end
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
def finish_step(rhs, system, arrays, work, own, step):
    """What is left to do at the root: OK, or why the step is not taken."""
    if step.staged:
        clear(own.total)
        return share(arrays, work, own, step)
    if work.settings[SETTING_RHEONOMIC] != 0.0:
        return driving_work(rhs, system, arrays, work, own, step)
    return OK
