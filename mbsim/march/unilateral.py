"""Which stops and contacts of a run are closed, which of them and which frictions stick, and when that changes.

Between events a run has the rows of what holds and the efforts of what slips, and its method and integrator march that. At an event all of
it is decided anew (`mbsim.unilateral`), by what the mechanism does without what holds: its velocities and accelerations along all normals
and tangents, and D, what unit efforts along these add to them. Both come from the method of the run, so they are right with any method,
and with redundant rows. First come the impulses of an impact, where a contact closes; then the efforts that hold from then on.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from mbsim.assembly.unilaterals import Look, Unilateral, Unilaterals, tangent_rows
from mbsim.contracts import Work
from mbsim.march.asked import Asked, Directions, Now
from mbsim.march.contact_modes import HOLDS, Decided, Mode, Settled, nothing_decided
from mbsim.march.contact_problems import (
    OF_FREE,
    OPENS,
    ROUND_OFF,
    Fired,
    Posed,
    ahead,
    as_it_moves,
    at_dead_points,
    beyond,
    contacts_of,
    doubles,
    fastest_rest,
    gives_way,
    leave_to_constraints,
    levers_along,
    loaded_beyond,
    loads_of,
    posed,
    require,
    require_newton,
    stuck,
)
from mbsim.march.contact_telling import AT_REST, SIZE, TOUCHES, Telling
from mbsim.march.ending import Crowd, Stopped, join_names
from mbsim.march.formulation import Formulation
from mbsim.march.rough_contacts import quick_way
from mbsim.march.simple_contacts import Struck
from mbsim.system.system import Floats
from mbsim.unilateral.accelerations import accelerations
from mbsim.unilateral.impacts import NEWTON_LAW, POISSON_LAW, impact, one_after_the_other
from mbsim.unilateral.problem import OPEN, SEVERAL, SLIP, SOLVED, STICK
from mbsim.unilateral.sharing import Carries, Shared

DEEP = 1e-6  # m or rad, or of the bound: a gap that is less than zero by more is refused
LOW = 1e-11  # m or rad, or of the size of what a gap is measured by: a flight that is lower than round-off is none
KICKED = 1e-6  # m/s or rad/s: what leaves slower stays, if it is pressed; `closing_speed` may be less
CLOSES = 1e-12  # likewise: a gap that shrinks faster than this is closing
DRIFTS = 1e-9  # likewise: so fast a gap that is closed shrinks by the drift of its row
NO_IMPULSE = 1e-12  # of the largest impulse: round-off, as of contacts of other bodies
WEAK = 1e-9  # of the largest reaction: what is pressed by less leaves where another contact does
ROUNDS = 50  # of decisions which of what is at rest slips


@dataclass
class Modes:
    """The stops, contacts and frictions of a run."""

    found: Unilaterals
    lines: int  # of Work.events: their first
    base: Callable[[], Formulation]  # the system without what they hold
    law: str = NEWTON_LAW  # of impacts
    simultaneous: bool = True  # impacts at one time
    coarse: float = 1.0  # as of `contact_problems.coarseness`
    decided: Decided = field(init=False)
    _released: Decided | None = field(init=False, default=None)  # what held before an event, until it is decided anew
    _largest: Floats = field(init=False, default_factory=lambda: np.zeros(1))  # of what is watched: how large it was
    _stops: list[list[int]] = field(init=False)  # of the coordinate along which a friction acts

    def __post_init__(self) -> None:
        self.begin()
        keys = [(i, look) for i, one in enumerate(self.each) for look in one.looks]
        self._line = {key: line for line, key in enumerate(keys, self.lines)}
        self._which = {line: key for key, line in self._line.items()}
        stops = [j for j, one in enumerate(self.each) if one.normal and one.joint]
        place = [(one.joint, one.coordinate) for one in self.each]
        self._stops = [[] if one.normal else [j for j in stops if place[j] == place[i]] for i, one in enumerate(self.each)]
        self._stopped = [i for i, found in enumerate(self._stops) if found]
        self._rubbing = [i for i, one in enumerate(self.each) if not one.normal]
        self._at_joints = [i for i, one in enumerate(self.each) if one.joint]
        self._near = np.array([one.near for one in self.each])
        self._along, self._telling = Directions(self.found, self._line), Telling(self.found, self._line, self.coarse)
        self._quick = quick_way(self.found, self._line, self.law, self.simultaneous, self.coarse)

    @property
    def each(self) -> tuple[Unilateral, ...]:
        """All of them."""
        return self.found.each

    @property
    def mode(self) -> list[Mode]:
        """Of each contact."""
        return self.decided.mode

    @property
    def slip(self) -> list[Floats]:
        """Of each contact (tangents,), a unit vector of what slips."""
        return self.decided.slip

    def begin(self, absent: frozenset[int] = frozenset()) -> None:
        """Before the start nothing holds and nothing slips."""
        self.decided = nothing_decided(self.each, absent)

    def release(self) -> set[str]:
        """The rows that hold, which do not from now on until all is settled anew: an event that sets or locks goes before them."""
        self._released = self._released or self.decided
        rows = {row for i, one in enumerate(self.each) for row in self.decided.rows(i, one)}
        self.begin(self.decided.absent)
        return rows

    def which(self, line: int) -> tuple[int, Look]:
        """Of which contact a line of Work.events tells what."""
        return self._which[line]

    def settle(self, at: float, q: Floats, v: Floats, fired: Fired, held: Mapping[str, float], open_now: Collection[str]) -> Settled:
        """Decide what holds from the state (q, v) at `at` on. Raises Stopped.

        `held`: the multipliers of what held before, by row; `open_now`: what does not hold, joints among them.
        """
        held_rows = {i: self.decided.rows(i, self.each[i]) for i in self.decided.busy()}
        told, absent = self.decided.copy(), frozenset(i for i in self._at_joints if self.each[i].joint in open_now)
        before, self._released = self._released or told, None
        if absent != before.absent:
            self.decided = self.decided.copy()._replace(absent=absent)
            for i in absent:
                self.mode[i] = Mode.OPEN if self.each[i].normal else Mode.IDLE
        quick = self._quick and self._quick.settle(self.base(), at, q, v, fired, held, self.decided, self._force(held))
        struck = quick or self._decide(at, q, v, fired, held)
        if fired and self.decided.same_as(told):  # an effort that does not hold, of what sticks all the same: else without end
            leave_to_constraints(Asked(self.base(), self._along, at, q), v, fired, self.decided, self.each)
        lock, unlock, modes = list[str](), list[str](), dict[str, Mode]()
        for i in sorted({*held_rows, *self.decided.busy(), *before.busy()}):
            one, was, now = self.each[i], held_rows.get(i, set()), self.decided.rows(i, self.each[i])
            lock, unlock = [*lock, *sorted(now - was)], [*unlock, *sorted(was - now)]
            turns = self.mode[i] == Mode.SLIPS and before.slip[i] @ self.slip[i] < 0.0
            if i not in absent and (before.mode[i] != self.mode[i] or turns):
                modes[one.name] = self.mode[i]
        new = not self.decided.same_as(told)
        return Settled(struck.v, lock, unlock, struck.impulses, struck.speeds, modes, struck.gains, struck.unique, new)

    def _decide(self, at: float, q: Floats, v: Floats, fired: Fired, held: Mapping[str, float]) -> Struck:
        """Decide what holds, in place. Raises Stopped."""
        absent = self.decided.absent
        asked = Asked(self.base(), self._along, at, q)
        now = asked.at(v)
        scale = max(1.0, float(np.abs(v).max(initial=0.0)))
        for i in np.flatnonzero(now.gap < -DEEP * self._near).tolist():
            if i not in absent:
                raise Stopped(beyond(self.each[i], -now.gap[i]), at)
        touching = self._touching(now, fired)
        speeds = {i: float(now.speed[now.rows(i)][0]) for i in touching}
        touching = self.found.at_corners(touching, speeds, now.height)
        impulses, gaps = dict[str, list[float]](), dict[str, tuple[float, float]]()
        gains, unique = False, True
        if any(speeds[i] < -CLOSES * scale for i in touching):
            v, p, gains, unique = self._impact(asked, now, v, touching)
            fired, now, most = [], asked.at(v), max(float(np.abs(each).max()) for each in p.values())
            hits = any(speeds[i] < -(DRIFTS if self.mode[i] in HOLDS else CLOSES) * scale for i in touching)  # else rows have drifted
            for i in touching:
                if hits and np.abs(p[i]).max() > NO_IMPULSE * most:
                    impulses[self.each[i].name] = p[i].tolist()
                    gaps[self.each[i].name] = speeds[i], float(now.speed[now.rows(i)][0])
        if not self._stays(asked, now, fired, AT_REST * scale, held := dict(held)):
            self._choose(asked, now, touching, fired, held, scale)
        carrying = [i for i in touching if self.mode[i] in HOLDS and self.decided.carries[i] != Carries.NOTHING]
        for k in doubles(asked, np.array([now.rows(i)[0] for i in carrying], np.int64)):
            self.decided.carries[carrying[k]] = Carries.NOTHING
        return Struck(v, impulses, gaps, gains, unique)

    def _rubs(self, i: int, closed: Collection[int]) -> bool:
        """Whether there is what the friction i acts in: its joint holds, or the contact that it is a resistance of is `closed`."""
        return i not in self.decided.absent and self.found.loaded(i, closed)

    def _touching(self, now: Now, fired: Fired) -> list[int]:
        """Those with a normal direction that are closed, or next to it, and not beyond an edge."""
        closed = np.flatnonzero(now.gap <= TOUCHES * self._near).tolist()
        near = {*closed, *self.decided.busy(), *(i for i, look in fired if look == Look.GAP)}
        near |= {j for i in near for j in self.found.flat_beside(i, now.height)}
        left = {i for i, look in fired if look == Look.EDGE} | self.decided.absent
        return [i for i in sorted(near - left) if self.each[i].normal]

    def _impact(self, asked: Asked, now: Now, v: Floats, touching: list[int]) -> tuple[Floats, dict[int, Floats], bool, bool]:
        """The speeds after an impact, its impulses by contact, and whether it gains energy and is unique."""
        rubs = [i for i in self._rubbing if self.each[i].groups and self._rubs(i, touching)]
        taking = sorted([*touching, *rubs])
        rebounds = {i: -self.each[i].restitution * now.speed[now.rows(i)][0] for i in touching}
        if self.law != NEWTON_LAW or not self.simultaneous:  # one that closes presses others, which rebound, too
            rebounds = dict.fromkeys(rebounds, max(rebounds.values()))
        restitution = [self.each[i].restitution if rebounds.get(i, 0.0) > self.each[i].closing_speed else 0.0 for i in taking]
        of = contacts_of(self.each, taking, {i: self.each[i].friction for i in taking}, {}, restitution)
        rows = np.concatenate([now.rows(i) for i in taking])
        D, moves = asked.responses(rows)
        loads = loads_of(self.each, asked, now, taking, rows, set(taking), impulses=True)
        made = posed(D, now.speed[rows], of, np.zeros(len(rows)), loads, asked.units[rows], levers_along(self.each, taking))
        D, before, of, loads = made.D, made.b, made.of, made.loads
        if self.simultaneous:
            hit = impact(D, before, of, self.law, loads)
            require_newton(self.each, hit.answer, taking, lambda: impact(D, before, of, POISSON_LAW, loads), asked.time)
        else:
            slow = min(self.each[i].closing_speed / asked.units[now.rows(i)[0]] for i in touching)
            hit = one_after_the_other(D, before, of, self.law, loads, slow)
        if hit.answer.code != SEVERAL:  # then it is the one that keeps the least energy
            require(self.each, hit.answer, taking, "the impact", asked, D, of)
        impulses = made.efforts(hit.impulses)
        p = {i: impulses[of.first[k] : of.first[k + 1]] for k, i in enumerate(taking)}
        return v + moves @ impulses, p, hit.gains, hit.answer.code == SOLVED and hit.answer.impulses_unique != "not unique"

    def _force(self, held: Mapping[str, float]) -> float:
        """The size of forces, N or N m, by which it is told what is no force."""
        size = max(float(self._largest.max()), *map(abs, held.values())) if held else float(self._largest.max())
        return size if size > 0.0 else SIZE

    def _stays(self, asked: Asked, now: Now, fired: Fired, rest: float, held: dict[str, float]) -> bool:
        """Whether what holds stays although an effort tells that it does not: others carry the load; else `held` as of `yields`."""
        if not fired or any(look not in (Look.PRESS, Look.HOLD) for _, look in fired):
            return False
        taking = [i for i, mode in enumerate(self.mode) if mode not in (Mode.OPEN, Mode.IDLE)]
        slips = {
            i: self.slip[i]
            for i in taking
            if self.mode[i] == Mode.SLIPS and np.linalg.norm(now.speed[now.rows(i)][-self.each[i].tangents :]) > rest
        }
        made, size = self._problem(asked, now, taking, set(slips), slips, now.acceleration), self._force(held) * asked.length
        if (shared := made.shared(size)) is None:
            held |= made.yields(self.each, taking, size, held)
        told = [(self.decided.carries[i], self.decided.eased[i]) for i in taking]  # just these do not carry it
        return not (shared and shared.does(told)) and self._keep(taking, slips, shared)

    def _keep(self, taking: list[int], slips: Mapping[int, Floats], shared: Shared | None) -> bool:
        """Keep contacts at rest, and slipping where `slips` has them, by what carries their load; whether anything does."""
        if shared is None:
            return False
        first = np.cumsum([0, *(len(self.each[i].pushes) for i in taking)])
        for k, i in enumerate(taking):
            self.decided.carries[i], self.decided.eased[i] = shared.carries[k], shared.eased[k]
            if i not in slips:
                self.mode[i] = Mode.STICKS if self.each[i].tangent else Mode.CLOSED
                self.slip[i] = shared.slip[first[k + 1] - self.each[i].tangents : first[k + 1]].copy()
        return True

    def _problem(
        self, asked: Asked, now: Now, taking: list[int], sliding: Collection[int], slips: Mapping[int, Floats], accelerated: Floats
    ) -> Posed:
        """The problem on accelerations of some contacts. What is `sliding` has the friction of slip, all others that of rest."""
        each, rows = self.each, np.concatenate([now.rows(i) for i in taking])
        D, _ = asked.responses(rows)
        fixed = {i: each[i].fixed if i in sliding else each[i].fixed_static for i in taking}
        friction = {i: each[i].friction if i in sliding else each[i].static for i in taking}
        of = contacts_of(each, taking, friction, fixed, [0.0] * len(taking))
        direction = np.zeros(len(rows))
        for k, i in enumerate(taking):
            if i in slips:
                direction[of.first[k + 1] - each[i].tangents : of.first[k + 1]] = slips[i]
        loads = loads_of(each, asked, now, taking, rows, set(sliding), impulses=False)
        return posed(D, accelerated[rows], of, direction, loads, asked.units[rows], levers_along(each, taking))

    def _stays_closed(self, now: Now, i: int, rest: float, back: bool, sizes: Floats) -> bool:
        """Whether a gap that is zero leads nowhere: it grows slowly, or it came `back` from a flight that is too low to be seen.

        `sizes` (N,) of accelerations along the directions.
        """
        speed: float = now.speed[now.rows(i)][0]
        if speed <= max(rest, min(self.each[i].closing_speed, KICKED)):
            return True
        return back and bool(0.5 * speed * speed <= LOW * self.each[i].near * sizes[now.rows(i)[0]])

    def _choose(self, asked: Asked, now: Now, touching: list[int], fired: Fired, held: Mapping[str, float], scale: float) -> None:
        """Modes and directions of slip, from the accelerations of `now`."""
        rest, each, largest = AT_REST * scale, self.each, self._force(held)
        least = OF_FREE * largest * asked.length * asked.mobility  # of accelerations: where nothing can move all of them are round-off
        sizes = float(np.abs(now.acceleration / asked.units).max(initial=least)) * asked.units  # each in its own unit
        closed = [i for i in touching if self._stays_closed(now, i, rest, (i, Look.GAP) in fired, sizes)]
        leaves, gives = {i for i in closed if (i, Look.PRESS) in fired}, any(look == Look.HOLD for _, look in fired)
        if leaves or gives:  # and what is pressed by nothing: else they would leave one after the other, without end
            beside = {j for i in self._stopped for j in self._stops[i]}  # a stop may take over what friction of its coordinate held
            leaves |= {i for i in closed if i not in beside and each[i].sign * held.get(each[i].normal, 0.0) <= WEAK * largest}
        slips, broken, dead = dict[int, Floats](), set[int](), set[int]()
        begins: dict[int, Floats] = {}  # in space: how several supports of a body slip together follows from a load just beyond the bound
        gave_way: dict[int, Floats] = {}  # in space it slips where the lower friction lets it, which its friction at rest does not tell
        ends = {each[i].path for i, look in fired if look == Look.ALONG}
        for i in sorted([*closed, *self._rubbing]):
            one = each[i]
            if not one.tangent or not self._rubs(i, closed):
                continue
            along = now.speed[now.rows(i)][-one.tangents :]
            force = np.array([held.get(name, 0.0) for name in tangent_rows(one)])
            if (i, Look.HOLD) in fired and self.mode[i] == Mode.STICKS and force.any():  # without a force nothing says where it slips
                towards = -force / max(float(np.linalg.norm(force)), 1e-300)
                at_stops = [j for j in self._stops[i] if j in closed]
                if one.tangents == 2 and one.static != one.friction:
                    gave_way[i] = towards
                elif one.tangents == 2 and not slips and len(closed) > 1:
                    begins[i] = towards
                elif all(towards[0] * each[j].sign > 0.0 for j in at_stops):  # else it stays, and the stop helps
                    slips[i] = towards
                    leaves.update(at_stops)
            elif np.linalg.norm(along) > fastest_rest(one, rest, ends, self.coarse) and (i, Look.SLIDE) not in fired:
                slips[i] = along / np.linalg.norm(along)
            elif gives and self.decided.gives_way(i) and (i, Look.ALONG) not in fired:
                slips[i] = self.slip[i]
        broken |= gave_way.keys()
        accelerated = np.where(np.abs(now.acceleration) > ROUND_OFF * sizes, now.acceleration, 0.0)
        if slips:  # what slips before says how the others do
            slips, begins = slips | begins, {}
        resting = accelerated
        if begins:
            accelerated = loaded_beyond(now, accelerated, closed)
        for _ in range(ROUNDS):
            left = [i for i in closed if i not in leaves]
            taking = sorted([*left, *(i for i in self._rubbing if self._rubs(i, left) and i not in dead)])
            if not taking:
                need = {i: WEAK * largest * asked.responses(now.rows(i)[:1])[0].item() for i in leaves if (i, Look.PRESS) not in fired}
                back = {i for i, x in need.items() if accelerated[k := now.rows(i)[0]] < -max(OPENS * sizes[k], x)}
                if not back:
                    break
                leaves -= back
                continue
            sliding, rows = set(slips) | broken, np.concatenate([now.rows(i) for i in taking])
            made = self._problem(asked, now, taking, sliding, slips, accelerated)
            of, size = made.of, asked.accelerated(now)
            found = accelerations(made.D, made.b, of, made.direction, made.loads).answer
            if begins and (found.code != SOLVED or all(found.modes[k] == STICK for k, i in enumerate(taking) if i in begins)):
                slips, begins, accelerated = slips | begins, {}, resting
                continue
            if found.code == SEVERAL and (new := at_dead_points(each, taking, made, slips, asked.mobility, size)):
                dead |= new  # what it is there nothing says, and it begins to slip at once
                continue
            if found.code == SEVERAL and not slips and (still := stuck(found, made, size)) is not None:
                found = still
            elif found.code == SEVERAL and (shared := made.shared(largest * asked.length)) is not None:
                self.begin(self.decided.absent)
                self._keep(taking, slips, shared)
                for i, along in slips.items():
                    self.mode[i], self.slip[i] = Mode.SLIPS, along
                return
            elif found.code == SEVERAL and (more := {i for i in taking if self.mode[i] == Mode.OPEN and self.each[i].normal}):
                leaves |= more  # what is open stays open, if it can
                continue
            require(self.each, found, taking, "what holds", asked, made.D, of)
            held_back = {i: gave_way[i] for k, i in enumerate(taking) if i in gave_way and i not in slips and found.modes[k] == STICK}
            if told := held_back | as_it_moves(each, now, taking, found, slips, self.coarse):
                slips |= told
                continue
            new = {i for k, i in enumerate(taking) if found.modes[k] == SLIP and i not in sliding and gives_way(each[i])}
            # what has just begun to leave is not accelerated yet
            added = {i: asked.added(now.rows(i)[:1], rows, made.efforts(found.p))[0] for i in leaves}
            back = {i for i in leaves if accelerated[now.rows(i)][0] + added[i] < -OPENS * sizes[now.rows(i)[0]]}
            if not new and not back:
                break
            broken, leaves = broken | new, leaves - back
        else:
            raise Crowd(f"what slips could not be decided of {join_names([one.name for one in each])}", asked.time)
        self.begin(self.decided.absent)
        for k, i in enumerate(taking):
            one = each[i]
            mine = slice(of.first[k], of.first[k + 1])
            if one.normal and not found.p[mine][0] > 0.0:
                along = now.rows(i)[0]
                passes = bool(one.pair) and accelerated[along] == 0.0  # along a side onto which nothing presses it
                if passes or (found.modes[k] == OPEN and found.w[mine][0] * made.units[mine][0] > OPENS * sizes[along]):
                    continue
            if not one.tangent:
                self.mode[i] = Mode.CLOSED
            elif not self._rubs(i, [j for j, mode in enumerate(self.mode) if mode in HOLDS]):
                continue
            elif i in slips or found.modes[k] == SLIP:
                self.mode[i], self.slip[i] = Mode.SLIPS, slips[i] if i in slips else found.slip[mine][-one.tangents :].copy()
            else:
                self.mode[i] = Mode.STICKS
        by_nothing = at_dead_points(each, taking, made, slips, asked.mobility, size) if taking else set()
        efforts = made.efforts(found.p) if taking else np.zeros(0)
        for i, along in ahead(asked, now, taking, efforts, dead | by_nothing, bool(dead)).items():
            self.mode[i], self.slip[i] = Mode.SLIPS, along
        # one row is enough to hold a coordinate: that of a stop if it is pressed without friction
        for i, stops in [(i, self._stops[i]) for i in self._stopped]:
            for j in stops:
                if self.mode[i] == Mode.STICKS and self.mode[j] == Mode.CLOSED:
                    pressed = found.p[of.first[taking.index(j)]] + each[j].sign * found.p[of.first[taking.index(i)]] > 0.0
                    self.mode[i], self.mode[j] = (Mode.IDLE, Mode.CLOSED) if pressed else (Mode.STICKS, Mode.OPEN)

    # what a stretch of the run is told

    def give(self, formulation: Formulation, changes: bool = True) -> None:
        """Give the efforts of what slips, and the lines of events of what holds, to the system that is marched, where they change."""
        self._largest = self._telling.largest(formulation)
        if changes:
            self._telling.give(self.decided, formulation)

    def set_sides(self, work: Work) -> None:
        """Where an expression is zero but for round-off its side is that of the mode."""
        if self._quick is None or not self._quick.set_sides(work, self.decided):
            self._telling.set_sides(self.decided, work.events)
