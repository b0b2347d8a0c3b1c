"""Equilibria with stops, contacts and dry friction: what is closed presses, what sticks stays below its bound, nothing is beyond.

    r = -h - C' lam - W' p = 0,   g >= 0,   p_N >= 0,   g p_N = 0,   |p_T| <= s

W are the rows of the normals and tangents, g the gaps. First all that touches at the start holds, with its friction: a pose that friction
holds is an equilibrium, one of many. What does not hold slips: its friction is let go, and the equilibrium is one without it, which
it holds as well. Which contacts are closed is found by going from one set of rows to the next: what would be beyond is closed,
what would pull is opened. At the end the forces solve the whole problem (`mbsim.unilateral`), with redundant contacts.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mbsim.analyses.let_go import rows_kept
from mbsim.assembly import Assembly
from mbsim.assembly.assembled import Locking
from mbsim.assembly.unilaterals import Look, tangent_rows
from mbsim.diagnosis.contact_balance import RESTS, Contact, Held, hold
from mbsim.diagnosis.equilibrium import CLOSE, Equilibrium, NoEquilibriumError, equilibrium
from mbsim.diagnosis.extent import extent
from mbsim.diagnosis.linearised import Solution
from mbsim.diagnosis.relaxation import crept
from mbsim.diagnosis.unbalanced import ROUND_OFF as ROUND_OFF_OF_STIFFNESS
from mbsim.diagnosis.unbalanced import Problem, State
from mbsim.model.names import owner
from mbsim.system.system import Floats, System

TOUCHES = 1e-9  # m or rad, or of a bound: what is nearer is closed
LOOKS, HALVINGS = 33, 45  # on a way from one configuration to another
EXACTLY = 1e-11  # of the largest force: what may be left where the ends of an interval are looked for
ROUNDS = 100  # sets of contacts that are tried
ROUND_OFF = 1e-12  # of the largest force: a bound that is less is none
MAYBE_ROUND_OFF = 1e-3  # of the largest force: what is left and is more moves the mechanism
NO_FORCE = 1e-9  # of the largest force: what is less presses nothing


@dataclass(frozen=True)
class Touching:
    """What a stop, a contact or the friction of a joint does at rest."""

    name: str
    sticks: bool
    normal: float  # N or N m; NaN of the friction of a joint
    friction: tuple[float, ...]  # N or N m, along its tangents
    used: float  # of the bound of its friction; NaN where it has none


@dataclass(frozen=True)
class Resting:
    """An equilibrium with what touches there."""

    made: Assembly  # with the rows of what holds
    found: Equilibrium
    released: list[str]  # drivers that were let go
    touching: tuple[Touching, ...]
    unique: bool  # whether rigid bodies determine the forces
    notes: list[str]


def rest(made: Assembly, keep: Collection[str]) -> Resting:
    """The equilibrium that the start leads to. `keep` as of `balance`, whose errors it raises."""
    search = _Search(made, keep)
    q = made.q
    start = search.system(frozenset(search.rubbing(q)))
    closed, stuck = search.closed(start, q), frozenset(search.rubbing(q))
    slipped: list[str] = []
    steps = 0
    for _ in range(ROUNDS):
        system = search.system(stuck)
        way = search.crept(system, q, closed, stuck)
        q, steps = way.q, steps + way.steps
        if way.changes:
            closed ^= way.changes
            continue
        try:
            found = equilibrium(system, made.start, q, search.kept(system, closed, stuck))
        except NoEquilibriumError as error:
            if stuck:
                slips = stuck - search.hold(system, q, closed, stuck).sticking or stuck
                slipped, stuck, closed, q = slipped + search.names(slips), stuck - slips, search.closed(start, made.q), made.q
                continue
            reached = search.falls_on(system, q, closed)
            if reached is None:
                raise _unheld(error, slipped) from None
            closed |= {reached}
            continue
        steps += found.steps
        on_way = search.met(system, q, found.q, closed, stuck)
        if on_way is not None:  # as far as it gets
            first, q = on_way
            closed |= {first}
            continue
        if found.beside is not None and search.is_far(found.q):  # it does not stay there
            on_way = search.met(system, found.q, found.beside, closed, stuck)
            q = found.beside if on_way is None else on_way[1]
            closed |= set() if on_way is None else {on_way[0]}
            continue
        held = search.hold(system, found.q, closed, stuck)
        if held.rests:
            all_of_it = closed | search.closed(system, found.q)  # with those that only share what presses
            shared = search.hold(system, found.q, all_of_it, stuck)
            closed, held = (all_of_it, shared) if shared.rests else (closed, held)
            return search.result(system, replace(found, steps=steps), closed, stuck, held, slipped)
        slips = stuck - held.sticking
        if slips:
            slipped, stuck, closed, q = slipped + search.names(slips), stuck - slips, search.closed(start, made.q), made.q
            continue
        if closed == held.closed:
            raise NoEquilibriumError(
                held.residual, "", f"the forces of {', '.join(search.names(closed | stuck)) or 'the constraints'} could not be found"
            )
        closed -= {min(closed - held.closed, key=lambda i: held.pulls.get(i, 0.0))}  # one at a time, so that it goes downhill
        q = found.q
    raise NoEquilibriumError(np.nan, "", f"what touches could not be decided of {', '.join(search.names(range(len(search.each))))}")


def _unheld(error: NoEquilibriumError, slipped: list[str]) -> NoEquilibriumError:
    if not slipped:
        return error
    said = str(error).partition(": ")[2]
    why = f"friction does not hold the start ({', '.join(slipped)}), and without it: {said}"
    return NoEquilibriumError(error.residual, error.where, why)


def holds_start(made: Assembly, keep: Collection[str]) -> bool:
    """Whether what touches at the start holds the mechanism there."""
    search = _Search(made, keep)
    stuck = frozenset(search.rubbing(made.q))
    system = search.system(stuck)
    return search.hold(system, made.q, search.closed(system, made.q), stuck, EXACTLY).rests


class Way(NamedTuple):
    """A way downhill, as far as the same contacts are closed."""

    changes: frozenset[int]  # what is closed or opened at its end
    q: Floats
    steps: int


class _Search:
    """The systems of a model in which some of its stops, contacts and frictions hold."""

    def __init__(self, made: Assembly, keep: Collection[str]) -> None:
        assert made.unilaterals is not None and made.coming is not None
        if sided := [one.name for one in made.unilaterals.each if Look.EDGE in one.looks]:
            raise ValueError(f"an equilibrium does not know sides with ends and polygons ({', '.join(sided)}): `mbsim run` does")
        self.made, self._keep, self.found, self.each = made, keep, made.unilaterals, made.unilaterals.each
        self._ours = {name for one in self.each for name in (one.normal, one.tangent) if name}
        self._systems: dict[frozenset[int], System] = {}
        self.released: list[str] = []
        M, h, *_ = made.system.terms(made.start, made.q, np.zeros(made.system.n_v))
        self._floor = float(np.abs(h / np.sqrt(np.maximum(np.diag(M), 1e-300))).max(initial=0.0))  # the forces at the start, scaled

    def names(self, which: Collection[int]) -> list[str]:
        """Of stops, contacts and frictions."""
        return [self.each[i].name for i in sorted(which)]

    def system(self, stuck: frozenset[int]) -> System:
        """The system with the rows of all normals, at their bounds, and of these tangents, as they are at the start."""
        if stuck not in self._systems:
            made, coming = self.made, self.made.coming
            assert coming is not None
            held = coming.change(made, Locking([self.each[i].tangent for i in stuck], (), made.start, made.q)) if stuck else made
            assert held.coming is not None
            locks = held.coming.locks
            normals = {one.normal for one in self.each if one.normal}
            self._systems[stuck] = coming.restore(held, replace(locks, open=locks.open - normals)).system
        return self._systems[stuck]

    def kept(self, system: System, closed: Collection[int], stuck: Collection[int]) -> np.ndarray:
        """Which rows (m,) of it hold."""
        kept, self.released = rows_kept(system, self._keep, self._ours)
        active = {self.each[i].normal for i in closed} | {self.each[i].tangent for i in stuck if self.found.loaded(i, closed)}
        holds = [owner(row) not in self._ours or owner(row) in active for row in system.rows]
        return np.asarray(kept & np.array(holds, bool))

    def gaps(self, system: System, q: Floats) -> Floats:
        """(n,) m or rad; infinite of frictions of joints."""
        phi = system.phi(self.made.start, q)
        rows = {row: k for k, row in enumerate(system.rows)}
        return np.array([one.sign * phi[rows[one.normal]] if one.normal else np.inf for one in self.each])

    def closed(self, system: System, q: Floats) -> frozenset[int]:
        """What touches."""
        return frozenset(i for i, gap in enumerate(self.gaps(system, q)) if gap <= TOUCHES * self.each[i].near)

    def rubbing(self, q: Floats) -> list[int]:
        """What has friction at the start: joints, and contacts that touch."""
        touching = self.closed(self.system(frozenset()), q)
        return [i for i, one in enumerate(self.each) if one.tangent and (i in touching if one.normal else self.found.loaded(i, touching))]

    def crept(self, system: System, q: Floats, closed: frozenset[int], stuck: frozenset[int]) -> Way:
        """The way downhill from q, up to where something is met or would pull; none where it leads nowhere."""
        kept = self.kept(system, closed, stuck)
        problem = Problem(system, self.made.start, q, kept, {}, {})
        state = problem.at(q)
        problem.floor = float(np.abs(problem.w * system.terms(self.made.start, q, state.v)[1]).max(initial=0.0))
        if problem.balanced(state):
            return Way(frozenset(), q, 0)
        near, last = np.array([one.near for one in self.each]), [q]
        is_open = np.array([i not in closed for i in range(len(near))])
        places = {int(row): k for k, row in enumerate(np.flatnonzero(kept))}
        rows = {row: k for k, row in enumerate(system.rows)}
        presses = [(places[rows[self.each[i].normal]], self.each[i].sign) for i in closed]
        opened: set[int] = set()

        def ends(at: State) -> bool:
            if bool((np.where(is_open, self.gaps(system, at.q) / near, np.inf) < -TOUCHES).any()):
                return True
            last[0] = at.q
            if any(sign * at.lam[k] < -NO_FORCE * np.abs(at.lam).max() for k, sign in presses):
                opened.update(closed - self.hold(system, at.q, closed, stuck).closed)
            return bool(opened)

        found, steps = crept(problem, state, ends)
        if found is None:
            return Way(frozenset(), q, steps)
        if opened:
            return Way(frozenset(opened), found.q, steps)
        on_way = self.met(system, last[0], found.q, closed, stuck)
        return Way(frozenset(), found.q, steps) if on_way is None else Way(frozenset({on_way[0]}), on_way[1], steps)

    def met(self, system: System, q: Floats, end: Floats, closed: Collection[int], stuck: Collection[int]) -> tuple[int, Floats] | None:
        """What is closed first on the way from q to an equilibrium, and where; None where nothing is beyond its bound there."""
        near = np.array([one.near for one in self.each])
        is_open = np.array([i not in closed for i in range(len(near))])
        problem = Problem(system, self.made.start, q, self.kept(system, closed, stuck), {}, {})
        still = np.zeros(system.n_v), np.zeros(system.n_x)

        def beyond(part: float) -> tuple[float, int, Floats]:
            between = end if part == 1.0 else problem.moved(problem.at(q + part * (end - q)), *still).q
            gaps = np.where(is_open, self.gaps(system, between) / near, np.inf)
            return float(gaps.min(initial=np.inf)), int(np.argmin(gaps)), between

        if beyond(1.0)[0] >= -TOUCHES:
            return None
        last = 1.0
        for part in np.linspace(0.0, 1.0, LOOKS)[1:]:
            if beyond(float(part))[0] < -TOUCHES:
                last = float(part)
                break
        inside = max(0.0, last - 1.0 / (LOOKS - 1))
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + last)
            inside, last = (inside, middle) if beyond(middle)[0] < -TOUCHES else (middle, last)
        _, first, _ = beyond(last)
        return first, beyond(inside)[2] if inside > 0.0 else q

    def is_far(self, q: Floats) -> bool:
        """Whether a configuration is another one than the start, so that it was not meant."""
        system = self.made.system
        slides = np.array([unit.startswith("m") for unit in system.coordinate_units[: system.n_c]], bool)
        change = np.abs(q - self.made.q)[: system.n_c]
        return bool((np.where(slides, change / extent(system, self.made.start, self.made.q), change) > CLOSE).any())

    def falls_on(self, system: System, q: Floats, closed: Collection[int]) -> int | None:
        """What is closed first where the mechanism begins to move from q by its forces; None where nothing is."""
        kept = self.kept(system, closed, ())
        M, h, C, *_ = system.terms(self.made.start, q, np.zeros(system.n_v))
        a, _ = Solution(np.tril(M) + np.tril(M, -1).T, C[kept])(h, np.zeros(int(kept.sum())))
        rows, gaps = {row: k for k, row in enumerate(system.rows)}, self.gaps(system, q)
        times = {}
        for i, one in enumerate(self.each):
            if one.normal and i not in closed:
                closing = -one.sign * float(C[rows[one.normal]] @ a)
                if closing > TOUCHES * float(np.abs(a).max()):
                    times[i] = max(float(gaps[i]), 0.0) / closing
        return min(times, key=lambda i: times[i]) if times else None

    def hold(self, system: System, q: Floats, closed: Collection[int], stuck: Collection[int], rests: float = RESTS) -> Held:
        """The forces of what touches there; `rests` as of `mbsim.diagnosis.contact_balance.hold`."""
        kept = self.kept(system, (), ())
        rows = {row: k for k, row in enumerate(system.rows)}
        contacts = []
        for i, one in enumerate(self.each):
            if i in closed or (i in stuck and not one.normal and self.found.loaded(i, closed)):
                tangents = [rows[name] for name in tangent_rows(one)] if i in stuck else []
                normal = rows[one.normal] if one.normal else None
                groups = [
                    (group.factor(True, system), [{rows[name]: x for name, x in part.items()} for part in group.components])
                    for group in one.groups
                ]
                contacts.append(Contact(i, normal, one.sign, tangents, one.static, one.fixed_static, groups if i in stuck else []))
        M, h, C, *_ = system.terms(self.made.start, q, np.zeros(system.n_v))
        given = np.tril(M) + np.tril(M, -1).T, h, C, kept, contacts, rests, self._floor
        held = hold(*given)
        if held.rests or held.residual > MAYBE_ROUND_OFF:
            return held
        problem = Problem(system, self.made.start, q, kept, {}, {})
        problem.equations(problem.at(q))
        return hold(*given, ROUND_OFF_OF_STIFFNESS * problem.stiffness)

    def result(
        self, system: System, found: Equilibrium, closed: frozenset[int], stuck: frozenset[int], held: Held, slipped: list[str]
    ) -> Resting:
        """The equilibrium with the rows of what holds, and only these."""
        made, coming = self.made, self.made.coming
        assert coming is not None
        stuck = frozenset(i for i in stuck if self.found.loaded(i, closed))
        names = [self.each[i].normal for i in closed] + [self.each[i].tangent for i in stuck]
        final = coming.change(replace(made, system=made.system), Locking(names, (), made.start, found.q)) if names else made
        lam = dict(zip(system.rows, held.lam.tolist(), strict=True))
        touching = tuple(self._told(i, i in stuck, held) for i in sorted(closed | stuck))
        notes = []
        if stuck:
            most = max((one for one in touching if one.sticks), key=lambda one: one.used, default=None)
            if most is not None:
                notes.append(f"friction holds the mechanism where it is, {most.name} with {100.0 * most.used:.3g} % of its bound")
        if slipped:
            notes.append(f"friction does not hold the start: {', '.join(slipped)}; this is the equilibrium without their friction")
        largest = max((abs(one.normal) for one in touching if not np.isnan(one.normal)), default=0.0)
        bare = [one.name for one in touching if abs(one.normal) <= NO_FORCE * largest or one.normal == 0.0]
        if bare:
            notes.append(
                f"{', '.join(bare)} {'touches' if len(bare) == 1 else 'touch'} without a force; stability is judged as if held there"
            )
        if not held.unique:
            notes.append("rigid bodies do not determine how what touches shares its forces; one way is given")
        at = replace(found, lam=np.array([lam[row] for row in final.system.rows]))
        return Resting(final, at, self.released, touching, held.unique, notes)

    def _told(self, i: int, sticks: bool, held: Held) -> Touching:
        one, p = self.each[i], held.p[i]
        normal = float(p[0]) if one.normal else np.nan
        friction = tuple(float(x) for x in p[int(bool(one.normal)) :])
        least = ROUND_OFF * max(float(np.abs(each).max(initial=0.0)) for each in held.p.values())
        used = float(np.linalg.norm(friction)) / held.bounds[i] if sticks and held.bounds[i] > least else 0.0 if sticks else np.nan
        return Touching(one.name, sticks, normal, friction, used)


def facts(touching: Collection[Touching]) -> Mapping[str, object]:
    """What touches, as plain data."""
    return {
        one.name: {
            "sticks": one.sticks,
            "normal": None if np.isnan(one.normal) else one.normal,
            "friction": list(one.friction),
            "used": None if np.isnan(one.used) else one.used,
        }
        for one in touching
    }
