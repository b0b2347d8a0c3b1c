"""Equilibria and steady motions: Newton's method with the exact tangents, and relaxation where it does not lead anywhere.

Newton's method (`unbalanced`) is trusted while its steps contract and go downhill, and where it leads to a stable equilibrium or to one
close by. Else the mechanism relaxes (`relaxation`): it creeps downhill from the start, and where that leads nowhere it runs against
damping. Where an equilibrium is unstable a stable one is looked for from both sides of it, along the motion that grows fastest.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.circles import on_circles, require_begun, require_the_same
from mbsim.diagnosis.given_speeds import require_constant, require_lasting
from mbsim.diagnosis.held import refuse_samples
from mbsim.diagnosis.linearised import linearise
from mbsim.diagnosis.relaxation import STRIDE, crept, run_down
from mbsim.diagnosis.spectrum import spectrum
from mbsim.diagnosis.turning import Turning
from mbsim.diagnosis.unbalanced import REACHED, Problem, State
from mbsim.system.system import Floats, System

ITERATIONS = 60  # of Newton's method
CONTRACTION = 0.5  # of successive steps of Newton's method, else it is not trusted
CLOSE = 0.02  # rad and, of the size of the mechanism, m: an unstable equilibrium as close as this to the start is what was meant
BESIDE = 0.05  # likewise: from an unstable equilibrium to where a stable one is looked for
NO_EFFORT = 1e-6  # of the largest multiplier, and N or N m: an effort below keeps nothing


class NoEquilibriumError(ValueError):
    """No equilibrium was found; `residual` is the best (N, N m) and `where` the name of its coordinate."""

    def __init__(self, residual: float, where: str, reason: str = "") -> None:
        self.residual, self.where = residual, where
        super().__init__(f"no equilibrium found from here: {reason or f'the best residual is {residual:.3g} in {where}'}")


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium or a steady motion. n speeds, m rows."""

    q: Floats  # (n_q,) the states included
    v: Floats  # (n,)
    lam: Floats  # (m,) zero of the rows that were left out
    efforts: dict[str, float]  # what keeps each given speed, N or N m
    residual: float  # the largest unbalanced force, N or N m
    where: str  # the speed that it belongs to
    growing: int  # eigenvalues with a positive real part
    steps: int  # of Newton's method and of the relaxation
    relaxed: str = ""  # how and why the mechanism was relaxed; empty where Newton's method led there
    beside: Floats | None = None  # (n_q,) of one that is unstable: the stable equilibrium that the mechanism leaves it for
    unsure: str = ""  # what is left of the forces, where it is a part of them that counts and may be round-off
    turning: Turning | None = None  # of a steady motion on circles

    @property
    def stable(self) -> bool:
        """Whether no small motion grows."""
        return self.growing == 0

    def needed(self) -> dict[str, float]:
        """The efforts (N, N m) of the given speeds that do not stay by themselves."""
        least = NO_EFFORT * max(1.0, float(np.abs(self.lam).max(initial=0.0)))
        return {name: effort for name, effort in self.efforts.items() if abs(effort) > least}


def equilibrium(
    system: System,
    t: float,
    q: Floats,
    kept: NDArray[np.bool_] | None = None,
    steady: Mapping[str, float] | None = None,
    held: Mapping[str, int] | None = None,
    moving: bool = False,
    begun: Turning | None = None,
) -> Equilibrium:
    """The equilibrium that q (n_q,) leads to, or with `steady` (speed -> value) the steady motion; time is held at t.

    `kept` (m,) bool leaves rows out, those of drivers that are let go. `held`: given speeds that are rows of their own, by name; they are
    not there in the small motions by which stability is judged. With `moving` a steady motion is looked for whose speeds
    the rows prescribe, and of bodies on circles the twists with which they may begin (`begun`). Raises NoEquilibriumError where none is
    found, ValueError for wrong names, for rows that forbid rest and for motions that are not steady.
    """
    refuse_samples(system, "an equilibrium")
    problem = Problem(system, t, q, kept, dict(steady or {}), dict(held or {}))
    problem.moving |= moving
    not_on_circles = on_circles(problem, q, begun)
    if moving:
        require_begun(problem, q, not_on_circles)
    _require_rest(problem, q)
    start = problem.at(q)
    problem.floor = float(np.abs(problem.w * system.terms(t, q, start.v)[1]).max(initial=0.0))
    if problem.turning is not None:
        centrifugal = system.M(t, q) @ problem.turning.accelerations(q)
        problem.floor = max(problem.floor, float(np.abs(problem.w * centrifugal).max(initial=0.0)))
    found, steps, way, uphill = _newton(problem, start)
    growing, away = _growing(problem, found) if found is not None else (0, None)
    reason = how = ""
    if found is None:
        reason = "Newton's method does not contract from the start"
    elif way > CLOSE and (growing or (uphill and not problem.moving)):
        reason = f"Newton's method leads {'to an unstable equilibrium' if growing else 'uphill'}"
    if reason:
        for name, relax in (("relaxation with artificial damping", crept), ("a run with artificial damping", run_down)):
            lower, more = relax(problem, start)
            steps += more
            if lower is not None:
                found, how = lower, name
                growing, away = _growing(problem, lower)
            if lower is not None or problem.endless:
                break
    if found is None:
        found, more = _descend(problem, start)
        steps += more
        growing, away = _growing(problem, found) if problem.balanced(found) else (0, None)
    beside = None
    if away is not None and not problem.moving:
        beside, more = _left_for(problem, found, away)
        steps += more
        if beside is not None and way > CLOSE:
            found, growing, beside, how = beside, 0, None, how or "relaxation beside it"
    said = f"{reason}; the equilibrium that {how} leads to is given" if how else ""
    return _report(problem, found, growing, steps, said, None if beside is None else beside.q, not_on_circles)


def _left_for(problem: Problem, at: State, away: Floats) -> tuple[State | None, int]:
    """The stable equilibrium that the mechanism creeps to from an unstable one, a little along `away` (n,) or against it; and the steps."""
    steps = 0
    for side in (away, -away):
        found, more = crept(problem, problem.moved(at, side, np.zeros(problem.system.n_x)))
        steps += more
        if found is not None and not _growing(problem, found)[0]:
            return found, steps
    return None, steps


def _report(problem: Problem, found: State, growing: int, steps: int, relaxed: str, beside: Floats | None, why: str) -> Equilibrium:
    system = problem.system
    forces = np.abs(found.r / problem.w)
    worst = int(np.argmax(forces)) if len(forces) else 0
    residual, where = (float(forces[worst]), system.speeds[worst]) if len(forces) else (0.0, "")
    if not problem.balanced(found):
        rates = np.abs(found.x_dot)
        if rates.max(initial=0.0) > 1e-8 and np.abs(found.r).max(initial=0.0) <= REACHED * max(problem.floor, found.reactions):
            state = system.states[int(np.argmax(rates))]
            raise NoEquilibriumError(residual, state, f"the state {state} keeps a rate of {rates.max():.3g}")
        if problem.endless:
            raise NoEquilibriumError(residual, where, f"nothing stops the motion of {where}, in which {residual:.3g} stays unbalanced")
        raise NoEquilibriumError(residual, where)
    lam = np.zeros(system.n_rows)
    lam[problem.kept] = found.lam
    unsure = ""
    if problem.hides(found):
        unsure = f"a force of {residual:.3g} is left in {where}, which may be round-off of the stiffest parts"
        unsure += ": along what is soft the equilibrium is not known"
    if problem.turning is not None:
        require_the_same(problem, found)
    elif problem.moving:
        require_constant(system, problem.t, found.q, found.v, problem.kept, problem.wanted, why)
        tangents = problem.tangents(found)
        require_lasting(system, found.v, tangents.K, np.vstack([tangents.C[problem.kept], problem.E]), problem.w, why)
    efforts = dict.fromkeys(problem.wanted, 0.0) | dict(zip(problem.speeds, found.mu.tolist(), strict=True))
    named = {system.speeds[k]: effort for k, effort in efforts.items()} | {name: float(lam[row]) for name, row in problem.held.items()}
    return Equilibrium(found.q, found.v, lam, named, residual, where, growing, steps, relaxed, beside, unsure, problem.turning)


def _newton(problem: Problem, at: State) -> tuple[State | None, int, float, bool]:
    """Where Newton's method contracts to, the number of steps, how far it went, and whether against the forces."""
    before, way, uphill = np.inf, 0.0, False
    for k in range(ITERATIONS):
        d, dx = problem.step(at)
        size = float(np.linalg.norm(np.concatenate([problem.measure * d, dx])))
        if k == 0 and problem.balanced(at):  # the start itself
            before = max(size, 1e-3)
        if not np.isfinite(size) or size > CONTRACTION * before or (k == 0 and size > 1.0) or size <= 1e-14:
            break
        trial = problem.moved(at, d, dx)
        if problem.balanced(at) and problem.left(trial) >= problem.left(at):  # round-off
            break
        uphill = uphill or (not problem.balanced(at) and float(at.r @ (d / problem.w)) > 0.0)
        way += problem.length(d)
        at, before = trial, size
    return (at if problem.balanced(at) else None), k, way, uphill


def _descend(problem: Problem, at: State) -> tuple[State, int]:
    """Newton's method with steps that are halved until the residual shrinks: the last resort, and the best residual."""
    for k in range(ITERATIONS):
        d, dx = problem.step(at)
        part = min(1.0, STRIDE / max(problem.length(d), 1e-300))
        while part > 1e-6:
            trial = problem.moved(at, part * d, part * dx)
            if trial.size < (1.0 - 0.1 * part) * at.size:
                break
            part *= 0.5
        else:
            return at, k
        at = trial
    return at, ITERATIONS


def _growing(problem: Problem, at: State) -> tuple[int, Floats | None]:
    """How many eigenvalues of the small motions about a state have a positive real part; and the displacement (n,) that grows."""
    lam = np.zeros(problem.system.n_rows)
    lam[problem.kept] = at.lam
    kept = problem.kept.copy()
    kept[list(problem.held.values())] = False
    turning = problem.turning
    a = np.zeros(problem.system.n_v) if turning is None else turning.accelerations(at.q)
    linear = linearise(problem.system, problem.t, at.q, at.v, kept, a, lam, turning=turning)
    found = spectrum(linear)
    if not found.growing:
        return 0, None
    d = (linear.basis @ found.vectors[:, int(np.argmax(found.values.real))]).real[: problem.system.n_v]
    return found.growing, d * BESIDE / max(problem.length(d), 1e-300)


def count_growing(problem: Problem, at: State) -> int:
    """How many small motions about a state grow."""
    return _growing(problem, at)[0]


def _require_rest(problem: Problem, q: Floats) -> None:
    """Raise ValueError where rows at velocity level prescribe speeds, so that nothing can rest."""
    system = problem.system
    late = np.flatnonzero(problem.kept & (np.arange(system.n_rows) >= system.n_holonomic))
    if problem.moving or not len(late):
        return
    xi = system.xi(problem.t, q)
    moving = [system.rows[k] for k in late if abs(xi[k]) > 0.0]
    if moving:
        prescribe = "prescribes a speed" if len(moving) == 1 else "prescribe speeds"
        raise ValueError(f"{', '.join(moving)} {prescribe}, so that nothing can rest; ask for a steady motion, with its speeds given")
