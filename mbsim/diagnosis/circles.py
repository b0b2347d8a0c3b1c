"""Steady motions on circles: which bodies turn where some speeds are given, and whether the motion that was found goes on for ever."""

from collections.abc import Iterator
from copy import copy
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.carried import NotSteadyError, carried
from mbsim.diagnosis.turning import Turning, has_bodies_alone, of_speeds
from mbsim.diagnosis.unbalanced import Problem, State
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.system import Floats

MET = 1e-7  # of the largest speed: what constraints and given speeds may be off
REFINED = 3  # times that speeds are solved for: a body of next to no inertia leaves them a few digits
TRIED = 8  # choices of the bodies that begin
ANGLES = (1.0, 2.3)  # rad: where a motion is looked at again; nothing looks the same at both by chance


def on_circles(problem: Problem, q: Floats, begun: Turning | None) -> str:
    """Put the twists of a steady motion on circles into the problem where there is one; else the reason, or nothing.

    Those bodies begin that the given speeds and the rows that prescribe speeds belong to; where that leads nowhere, the twists `begun`.
    """
    if not problem.moving or not has_bodies_alone(problem.system):
        return ""
    plain, reason = problem.motion(q), ""
    for twists in _tried(problem, q, begun):
        try:
            found = carried(problem.system, problem.t, q, problem.kept, twists)
        except NotSteadyError as error:
            reason = reason or str(error)
            continue
        speeds = found.speeds(q)
        if unmet := _unmet(problem, q, speeds) or _unsteady(problem, q, found):
            reason = reason or unmet
            continue
        if found.goes_on_circles(q) or np.abs(speeds - plain).max() > MET * np.abs(speeds).max():
            problem.turning = found
        return ""
    return reason


def _tried(problem: Problem, q: Floats, begun: Turning | None) -> Iterator[Turning]:
    """Twists of the bodies that begin."""
    for seeds in _seeds(problem, q):
        v = _of_seeds(problem, q, seeds)
        if v is not None and v.any():
            yield of_speeds(problem.system, q, v)
    if begun is not None and begun.moving.any():
        yield begun


def _seeds(problem: Problem, q: Floats) -> list[NDArray[np.int64]]:
    """Which bodies begin: those of given speeds, and of each row that prescribes a speed one; the second before the first."""
    system, width = problem.system, problem.system.n_v // len(problem.system.bodies)
    C, xi = system.C(problem.t, q), system.xi(problem.t, q)
    named = {k // width for k, value in problem.wanted.items() if value}
    choices = []
    for row in C[problem.kept & (xi != 0.0)]:
        bodies = np.flatnonzero(row.reshape(-1, width).any(axis=1))
        if len(bodies) and not named & {*bodies.tolist()}:
            choices.append(bodies[::-1].tolist())
    return [np.array(sorted({*named, *one}), int) for one in islice(product(*choices), TRIED)]


def _of_seeds(problem: Problem, q: Floats, seeds: NDArray[np.int64]) -> Floats | None:
    """The smallest speeds (n,) of the bodies that begin, where those beside them in the rows that prescribe speeds stand still.

    None where the rows do not allow that.
    """
    system, w = problem.system, problem.w
    width = system.n_v // len(system.bodies)
    C, xi = system.C(problem.t, q)[problem.kept], system.xi(problem.t, q)[problem.kept]
    begins = np.isin(np.arange(system.n_v) // width, seeds)
    beside = (C[xi != 0.0] != 0.0).any(axis=0) & ~begins
    rows, right, v = np.vstack([C, problem.E]), np.concatenate([-xi, problem.given]), np.zeros(system.n_v)
    for _ in range(REFINED):
        v = v + w * np.linalg.lstsq(rows * np.where(beside, 0.0, w), right - rows @ np.where(beside, 0.0, v), rcond=RANK_TOLERANCE)[0]
    off = np.abs(right - rows @ np.where(beside, 0.0, v))
    return np.where(begins, v, 0.0) if off.max(initial=0.0) <= MET * np.abs(v).max(initial=0.0) else None


def _unmet(problem: Problem, q: Floats, v: Floats) -> str:
    """What the speeds (n,) do not meet, in words."""
    system = problem.system
    fastest = float(np.abs(v).max(initial=0.0))
    off = np.where(problem.kept, np.abs(system.C(problem.t, q) @ v + system.xi(problem.t, q)), 0.0)
    if off.max(initial=0.0) > MET * fastest:
        return f"bodies that turn together do not meet {system.rows[int(np.argmax(off))]}"
    for k, value in problem.wanted.items():
        if abs(v[k] - value) > MET * max(fastest, abs(value)):
            return f"where bodies turn together {system.speeds[k]} is {v[k]:.6g}, not {value:.6g}"
    return ""


def _unsteady(problem: Problem, q: Floats, found: Turning) -> str:
    """The row that prescribes another speed later, in words."""
    system, fastest = problem.system, found.fastest()
    xi, kept = system.xi(problem.t, q), problem.kept
    for angle in ANGLES if fastest and kept.any() else ():
        later = system.xi(problem.t + angle / fastest, found.advanced(q, angle / fastest))
        change = np.where(kept, np.abs(later - xi), 0.0)
        if change.max() > MET * np.abs(xi).max():
            return f"{system.rows[int(np.argmax(change))]} prescribes a speed that changes with the time"
    return ""


def require_begun(problem: Problem, q: Floats, why: str) -> None:
    """Raise NotSteadyError where nothing moves at the start, or where what moves has accelerations; `why` it is not on circles."""
    if problem.turning is not None:
        return
    if why:
        raise NotSteadyError(why)
    v = problem.motion(q)
    fastest = float(np.abs(v).max(initial=0.0))
    if fastest == 0.0:
        raise NotSteadyError("no driver keeps a speed")
    eta = np.where(problem.kept, np.abs(problem.system.eta(problem.t, q, v)), 0.0)
    if eta.max(initial=0.0) > MET * max(1.0, fastest) ** 2:
        raise NotSteadyError(f"{problem.system.rows[int(np.argmax(eta))]} needs accelerations")


def require_the_same(problem: Problem, at: State) -> None:
    """Raise NotSteadyError where the forces do not balance, or constraints are not met, farther along the circles, at its time."""
    assert problem.turning is not None
    system, fastest = problem.system, problem.turning.fastest()
    for angle in ANGLES if fastest else ():
        later = copy(problem)
        later.t = problem.t + angle / fastest
        there = later.at(problem.turning.advanced(at.q, angle / fastest))
        if later.balanced(there) and not (reason := _unmet(later, there.q, there.v)):
            continue
        if later.balanced(there):
            raise NotSteadyError(f"the motion does not last: {reason}")
        k = int(np.argmax(np.abs(there.r)))
        where = f"the force along {system.speeds[k]}" if np.abs(there.r).max(initial=0.0) > 0.0 else "what the constraints keep"
        raise NotSteadyError(f"the motion does not last: {where} is another one when the bodies have turned by {angle:g} rad")
