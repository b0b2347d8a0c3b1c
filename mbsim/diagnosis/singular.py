"""A start on a singular position: the rank that the motion has as soon as it leaves it, a state beside it, and whether it leaves at all.
And a motion that comes to rest on one.

On a singular position C v + xi = 0 leaves more velocities open than the mechanism has. The velocity that is given says where the motion
goes on, and the equations hold on the constraints a little later. At rest nothing says it but the acceleration: with the rows of lower
rank it is unique; the next order of the constraints, u'(eta(q, a) - eta(q, 0)) = 0 for every dependency u' C = 0, tells whether they
follow. If not, the mechanism has several ways to go, and the motion is not determined.
"""

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.consistent import StartError, assemble_position, assemble_velocity
from mbsim.diagnosis.redundancy import column_scales, decompose, singular_values
from mbsim.kernels.ranks import CONSISTENT, LANDED, RANK_TOLERANCE
from mbsim.system.system import Floats, System

# rad, arms of the mechanism (`column_scales`): displacement at which a start shows to be singular. Rows redundant on the constraints look
# independent at its square
PROBE = LANDED
STILL = 1e-10  # of the largest speed: that at which drivers stand still
PARTS, BEFORE = 8, 32  # of a step; how many of them are looked at before it ends
SEARCHED, SAME = 60, 1e-2  # evaluations in a search for a time; of a step, times that are taken for one
AT_REST, HELD = 1e-6, 1e-3  # of the largest speed and the largest acceleration so far
FOLLOWS = 1e-2  # of what the dependencies make of a velocity that has left its constraints; one that keeps them leaves less


class Beside(NamedTuple):
    """A state on the constraints near a singular start, on the motion from it."""

    rank: int  # of C there and on
    t: float
    q: Floats
    v: Floats


def beside_start(system: System, t: float, q: Floats, v: Floats, rank: int, dt: float, reach: float = inf) -> Beside | None:
    """The state `dt` later when (t, q), where C has `rank`, is singular and v (n_v,), or at rest v_dot, leads away from it; else None.

    It is earlier where a coordinate would move by more than `reach` (rad, arms of the mechanism).
    """
    if not _may_rise(system, rank):
        return None
    a, C = np.zeros(system.n_v), system.C(t, q)
    scales = column_scales(system, C)
    if not v.any():
        if all(_rank(system, t, system.move(q, PROBE * d), RANK_TOLERANCE) <= rank for d in _tangents(C, scales, rank)):
            return None
        a = _acceleration(system, t, q)
    moved = v if v.any() else a
    fastest = float(np.abs(moved / scales).max(initial=0.0))
    if fastest == 0.0:
        return None
    found = _rank(system, t, system.move(q, PROBE / fastest * moved), RANK_TOLERANCE)
    if found <= rank:
        return None
    dt = min(dt, reach / fastest if v.any() else sqrt(2.0 * reach / fastest))
    nothing = np.zeros(system.n_v, bool)
    try:
        q = assemble_position(system, t + dt, system.move(q, dt * v + 0.5 * dt * dt * a), nothing)
        v = assemble_velocity(system, t + dt, q, v + dt * a, nothing)
    except StartError:
        return None
    return Beside(found, t + dt, q, v)


def find_undetermined(system: System, t: float, q: Floats, v: Floats, rank: int) -> list[str]:
    """The rows that depend on each other at a start at rest on a singular position from which the motion is not determined."""
    if not _may_rise(system, rank) or v.any():
        return []
    _, _, C, xi, eta, _ = system.terms(t, q, v)
    scales = column_scales(system, C)
    tangents = _tangents(C, scales, rank)
    if xi.any() or all(_rank(system, t, system.move(q, PROBE * d), RANK_TOLERANCE) <= rank for d in tangents):
        return []
    a = _acceleration(system, t, q)
    bent = system.eta(t, q, a) - eta
    found = decompose(C * scales, system.arrays.row_shares)
    bent /= found.norms
    left, least = found.U[:, rank:].T, CONSISTENT * float(np.sum((a / scales) ** 2))
    if np.abs(left @ bent).max(initial=0.0) <= least:
        return []
    part = np.abs(left[np.abs(left @ bent) > least]).max(axis=0) > 1e-3
    return [name for name, takes in zip(system.rows, part, strict=True) if takes]


class Rest(NamedTuple):
    """Where a motion came to rest on a singular position and is not determined from there on."""

    time: float  # s
    constraints: list[str]  # the rows that depend on each other there, beyond those that always do


def lost_near(
    system: System, t: float, q: Floats, v: Floats | None, rank: int, span: float, largest: Floats, reached: float, ends: bool = False
) -> Rest | None:
    """Where a motion that is on a singular position at (t, q), v (n_v,) is lost within some steps of `span` s; None where it goes on.

    Without v only a motion that its drivers determine is looked at. Such a motion is looked at where they are slowest: steps need not end
    there. Where they become slower up to the end of the next step, that step is waited for, but for a motion that `ends`. `largest` are
    the largest speed and acceleration, `reached` is the singular value, of the largest, up to which the position counts as singular.
    """
    if rank == system.n_v and system.failure is None and _may_be_singular(system):
        found = _slowest(system, t, q, span, STILL * largest[0], reached)
        if found >= t + span and not ends:
            return None
        t, v = found, np.zeros(system.n_v)
    elif v is None:
        return None
    names = comes_to_rest(system, t, q, v, rank, largest, reached)
    return Rest(t, names) if names else None


def _slowest(system: System, t: float, q: Floats, span: float, still: float, reached: float) -> float:
    """The time at which drivers ask for the smallest speeds while they move by no more than `reached` from q at t, or by one step ahead.

    Where they stay below `still` that is where they begin to.
    """
    C = system.C(t, q)
    found = decompose(C * column_scales(system, C), system.arrays.row_shares)
    count = int(np.sum(found.sigma > reached * found.sigma[0]))

    def speed(at: float) -> float:
        return float(np.linalg.norm(found.U[:, :count].T @ (system.xi(at, q) / found.norms) / found.sigma[:count]))

    times = t + span * np.arange(-BEFORE, PARTS + 1) / PARTS
    speeds = np.array([speed(at) for at in times])
    ways = 0.5 * (speeds[1:] + speeds[:-1]) * np.diff(times)
    first = int(np.argmax(np.cumsum(ways[:BEFORE][::-1])[::-1] <= reached)) if ways[BEFORE - 1] <= reached else BEFORE - 1
    least = first + int(np.argmin(speeds[first:]))
    if least == len(times) - 1:
        return t + span
    low, high, part = times[max(least - 1, 0)], times[least + 1], 0.5 * (sqrt(5.0) - 1.0)
    for _ in range(SEARCHED):
        a, b = high - part * (high - low), low + part * (high - low)
        low, high = (low, b) if speed(a) <= speed(b) else (a, high)
    slowest = 0.5 * (low + high) if speed(0.5 * (low + high)) <= speeds[least] else float(times[least])
    if speed(slowest) > still:
        return slowest
    low = float(times[max(int(np.flatnonzero(speeds[: least + 1] > still).max(initial=0)), first)])
    for _ in range(SEARCHED):
        middle = 0.5 * (low + slowest)
        low, slowest = (middle, slowest) if speed(middle) > still else (low, middle)
    same = abs(slowest - t) <= SAME * span and speed(t) <= AT_REST / STILL * still
    return t if same else slowest


def comes_to_rest(system: System, t: float, q: Floats, v: Floats, rank: int, largest: Floats, reached: float = LANDED) -> list[str]:
    """The rows that depend on each other where a motion with `rank` is at rest on a singular position and not determined from there on.

    Of the `largest` speed and acceleration so far, AT_REST and HELD count as rest and equilibrium, slides in arms of the mechanism. Speeds
    that no driver asks for and that the second order of the constraints, u' eta(q, v) = 0, excludes count as rest too: on the position
    itself a computed v is open in those directions. A mechanism without freedom that is held there has two ways to go when it is driven on,
    or none; another one follows its acceleration, as at a start. None of this holds where the second order excludes no velocity.
    """
    if not _may_be_singular(system):
        return []
    still, held = AT_REST * largest[0], HELD * largest[1]
    M, h, C, xi, eta, _ = system.terms(t, q, np.zeros(system.n_v))
    scales = column_scales(system, C)
    U, sigma, V, lengths, _ = decompose(C * scales, system.arrays.row_shares)
    lower = int(np.sum(sigma > reached * sigma[0]))
    if lower >= rank:
        return []
    u, open_ways = U[:, lower:].T / lengths, V[lower:] * scales  # rows that always depend on each other exclude nothing
    pairs = [*open_ways, *(a + b for i, a in enumerate(open_ways) for b in open_ways[:i])]
    bends = np.array([u @ (0.5 * (system.eta(t, q, d) + system.eta(t, q, -d)) - eta) for d in pairs])
    size = float(np.abs(bends).max())
    asked = np.abs(V[:lower].T @ (U[:, :lower].T @ (xi / lengths) / sigma[:lower])).max(initial=0.0)
    own = float(np.linalg.norm(V[lower:] @ (v / scales)))
    if size <= CONSISTENT or asked > still or (own > still and np.abs(u @ system.eta(t, q, v)).max() <= FOLLOWS * size * own * own):
        return []
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return []
    free, Y = np.linalg.solve(L, h), np.linalg.solve(L, (C.T / lengths) @ U[:, :lower]).T
    a = np.linalg.solve(L.T, free + np.linalg.lstsq(Y, -U[:, :lower].T @ (eta / lengths) - Y @ free, rcond=None)[0])
    stays = np.abs(a / scales).max() <= held
    if rank < system.n_v if stays else np.abs(u @ (system.eta(t, q, a) - eta)).max() <= CONSISTENT * float(np.sum((a / scales) ** 2)):
        return []
    _, sizes, combined = np.linalg.svd(bends)
    part = np.abs(U[:, lower:] @ combined[: int(np.sum(sizes > CONSISTENT))].T).max(axis=1) > 1e-3
    return [name for name, takes in zip(system.rows, part, strict=True) if takes]


def _tangents(C: Floats, scales: Floats, rank: int) -> Floats:
    """A basis of the null space of C, its rows (n - rank, n): orthonormal with slides in arms of the mechanism."""
    return decompose(C * scales).V[rank:] * scales


def _acceleration(system: System, t: float, q: Floats) -> Floats:
    """v_dot at rest with the rows of C that are independent there; zeros where the mass matrix is singular."""
    M, h, C, _, eta, _ = system.terms(t, q, np.zeros(system.n_v))
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.zeros(system.n_v)
    Y, free = np.linalg.solve(L, C.T).T, np.linalg.solve(L, h)
    size = np.linalg.norm(Y, axis=1)
    size[size == 0.0] = 1.0
    correction = np.linalg.lstsq(Y / size[:, None], (-eta - Y @ free) / size, rcond=RANK_TOLERANCE)[0]
    a: Floats = np.linalg.solve(L.T, free + correction)
    return a


def _may_be_singular(system: System) -> bool:
    return system.n_rows > 0 and not is_large(system) and system.failure is None


def _may_rise(system: System, rank: int) -> bool:
    """Whether C may have more than `rank` independent rows elsewhere."""
    return _may_be_singular(system) and rank < min(system.n_rows, system.n_v)


def _rank(system: System, t: float, q: Floats, tolerance: float) -> int:
    C = system.C(t, q)
    return int(np.sum(singular_values(C * column_scales(system, C), system.arrays.row_shares) > tolerance))
