"""Which stops and contacts of a run are closed, which of them and which frictions stick, and when that changes.

Between events a run has the rows of what holds and the efforts of what slips, and its method and integrator march that. At an event all of
it is decided anew (`mbsim.unilateral`), by what the mechanism does without what holds: its velocities and accelerations along all normals
and tangents, and D, what unit efforts along these add to them. Both come from the method of the run, so they are right with any method,
and with redundant rows. First come the impulses of an impact, where a contact closes; then the efforts that hold from then on.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.assembly.unilaterals import Look, Unilateral, Unilaterals
from mbsim.forces._push import BEGIN
from mbsim.integrators._seek import SIDE
from mbsim.march.asked import Asked, Now, clear_numbers
from mbsim.march.ending import Stopped, join_names
from mbsim.march.formulation import Formulation
from mbsim.system.system import Floats
from mbsim.unilateral.accelerations import accelerations
from mbsim.unilateral.answer import Answer
from mbsim.unilateral.impacts import NEWTON_LAW, impact
from mbsim.unilateral.problem import NO_SOLUTION, OPEN, SEVERAL, SLIP, SOLVED, STICK, Contacts, Load, contacts

TOUCHES = 1e-9  # m or rad, or of the bound: what is nearer is closed if it does not open
SIZE = 1e-3  # m, rad, N, N m or a second of these: what is watched counts as at least so large
DEEP = 1e-6  # likewise: a gap that is less than zero by more is refused
AT_REST = 1e-10  # of the largest speed, or m/s or rad/s: slower than this is at rest
KICKED = 1e-6  # m/s or rad/s: what leaves slower stays, if it is pressed; `closing_speed` may be less
CLOSES = 1e-12  # likewise: a gap that shrinks faster than this is closing
BEGINS = 1.0 / BEGIN  # m/s: added to the slip of a contact in space along the direction in which it begins
OPENS = 1e-11  # of the largest acceleration: a gap that grows faster than this opens
ROUND_OFF = 1e-9  # likewise: an acceleration that is zero where a load changes its sign
ROUNDS = 50  # of decisions which of what is at rest slips

Fired = Collection[tuple[int, Look]]


class Mode(StrEnum):
    """What a contact does."""

    OPEN = "open"
    CLOSED = "closed"  # without friction
    STICKS = "sticks"
    SLIPS = "slips"
    IDLE = "idle"  # a friction at rest where a closed stop holds


HOLDS = (Mode.CLOSED, Mode.STICKS, Mode.SLIPS)  # the normal row of a contact


class Settled(NamedTuple):
    """What has been decided at one time."""

    v: Floats  # (n_v,) after impacts
    lock: list[str]
    unlock: list[str]
    impulses: dict[str, list[float]]  # N s or N m s, of impacts: normal, then tangential
    speeds: dict[str, tuple[float, float]]  # of the gaps of these, before and after, m/s or rad/s
    modes: dict[str, Mode]  # of what changed
    gains: bool  # whether an impact has gained energy
    unique: bool  # whether its impulses are

    def lines(self, at: float, energy: float | None) -> list[dict[str, object]]:
        """What was decided at `at`, for the table of events; `energy` (J) is what the mechanism gained."""
        found: list[dict[str, object]] = []
        for name, impulse in self.impulses.items():
            impulses = {name: impulse[0], **{f"{name}_stick{k}": x for k, x in enumerate(impulse[1:])}}
            line: dict[str, object] = {"time": at, "event": name, "do": "impact", "impulses": impulses, "gap_speed": [*self.speeds[name]]}
            found.append(line | ({} if self.unique else {"unique": False}) | ({"gains": True} if self.gains else {}))
        for name, mode in self.modes.items():
            found.append({"time": at, "event": name, "do": str(mode)})
        if found and energy is not None:
            found[0]["energy"] = energy
        return found


@dataclass
class Modes:
    """The stops, contacts and frictions of a run."""

    found: Unilaterals
    lines: int  # of Work.events: their first
    base: Callable[[], Formulation]  # the system without what they hold
    mode: list[Mode] = field(default_factory=list)
    slip: list[Floats] = field(default_factory=list)  # unit directions (tangents,) of what slips
    _stops: list[list[int]] = field(init=False)  # of the coordinate along which a friction acts

    def __post_init__(self) -> None:
        self.begin()
        self._line: dict[tuple[int, Look], int] = {}
        for i, one in enumerate(self.each):
            for look in one.looks:
                self._line[i, look] = self.lines + len(self._line)
        self._which = {line: key for key, line in self._line.items()}
        stops = [j for j, one in enumerate(self.each) if one.normal and one.joint]
        place = [(one.joint, one.coordinate) for one in self.each]
        self._stops = [[] if one.normal else [j for j in stops if place[j] == place[i]] for i, one in enumerate(self.each)]

    @property
    def each(self) -> tuple[Unilateral, ...]:
        """All of them."""
        return self.found.each

    def begin(self) -> None:
        """Before the start nothing holds and nothing slips."""
        self.mode = [Mode.OPEN if one.normal else Mode.IDLE for one in self.each]
        self.slip = [np.zeros(one.tangents) for one in self.each]

    def which(self, line: int) -> tuple[int, Look]:
        """Of which contact a line of Work.events tells what."""
        return self._which[line]

    def settle(self, at: float, q: Floats, v: Floats, fired: Fired, held: Mapping[str, float]) -> Settled:
        """Decide what holds from the state (q, v) at `at` on; `held`: the multipliers of what held before, by row. Raises Stopped."""
        before = [(mode, slip.copy(), self._locked(i, mode)) for i, (mode, slip) in enumerate(zip(self.mode, self.slip, strict=True))]
        asked = Asked(self.base(), self.found, self._line, at, q)
        now = asked.at(v)
        scale = max(1.0, float(np.abs(v).max(initial=0.0)))
        for one, gap in zip(self.each, now.gap, strict=True):
            if gap < -DEEP * one.near:
                raise Stopped(f"the bodies of '{one.name}' are inside each other, or beyond the stop, by {-gap:.3g}", at)
        touching = [i for i, one in enumerate(self.each) if one.normal and self._touches(i, now.gap[i], fired)]
        speeds = {i: float(now.speed[now.rows(i)][0]) for i in touching}
        touching = self.found.at_corners(touching, speeds)
        impulses, gaps = dict[str, list[float]](), dict[str, tuple[float, float]]()
        gains, unique = False, True
        if any(speeds[i] < -CLOSES * scale for i in touching):
            v, p, gains, unique = self._impact(asked, now, v, touching)
            fired, now = [], asked.at(v)
            for i in touching:
                if p[i].any():
                    impulses[self.each[i].name] = p[i].tolist()
                    gaps[self.each[i].name] = speeds[i], float(now.speed[now.rows(i)][0])
        self._choose(asked, now, touching, fired, held, scale)
        lock, unlock, modes = [], [], {}
        for i, one in enumerate(self.each):
            mode, slip, was = before[i]
            locked = self._locked(i, self.mode[i])
            lock += sorted(locked - was)
            unlock += sorted(was - locked)
            if mode != self.mode[i] or (mode == Mode.SLIPS and slip @ self.slip[i] < 0.0):
                modes[one.name] = self.mode[i]
        return Settled(v, lock, unlock, impulses, gaps, modes, gains, unique)

    def _locked(self, i: int, mode: Mode) -> set[str]:
        """The rows that hold in a mode."""
        one, found = self.each[i], set()
        if one.normal and mode in HOLDS:
            found.add(one.normal)
        if one.tangent and mode == Mode.STICKS:
            found.add(one.tangent)
        return found

    def _touches(self, i: int, gap: float, fired: Fired) -> bool:
        return (i, Look.EDGE) not in fired and (self.mode[i] in HOLDS or (i, Look.GAP) in fired or gap <= TOUCHES * self.each[i].near)

    def _impact(self, asked: Asked, now: Now, v: Floats, touching: list[int]) -> tuple[Floats, dict[int, Floats], bool, bool]:
        """The speeds after an impact, its impulses by contact, and whether it gains energy and is unique."""
        taking = [i for i, one in enumerate(self.each) if i in touching or (not one.normal and one.groups)]
        restitution = []
        for i in taking:
            rebound = -self.each[i].restitution * now.speed[now.rows(i)][0] if self.each[i].normal else 0.0
            restitution.append(self.each[i].restitution if rebound > self.each[i].closing_speed else 0.0)
        of = self._contacts(taking, {i: self.each[i].friction for i in taking}, {}, restitution)
        rows = np.concatenate([now.rows(i) for i in taking])
        D, moves = asked.responses(rows)
        loads = self._loads(asked, now, taking, rows, set(taking), impulses=True)
        hit = impact(D, now.speed[rows], of, NEWTON_LAW, loads)
        if hit.answer.code != SEVERAL:  # then it is the one that keeps the least energy
            self._require(hit.answer, taking, "the impact", asked.time)
        first = of.first
        p = {i: hit.impulses[first[k] : first[k + 1]] for k, i in enumerate(taking)}
        return v + moves @ hit.impulses, p, hit.gains, hit.answer.code == SOLVED and hit.answer.impulses_unique != "not unique"

    def _choose(self, asked: Asked, now: Now, touching: list[int], fired: Fired, held: Mapping[str, float], scale: float) -> None:
        """Modes and directions of slip, from the accelerations of `now`."""
        rest, each = AT_REST * scale, self.each
        closed = [i for i in touching if now.speed[now.rows(i)][0] <= max(rest, min(each[i].closing_speed, KICKED))]
        leaves = {i for i in closed if (i, Look.PRESS) in fired}
        slips: dict[int, Floats] = {}
        broken: set[int] = set()
        for i, one in enumerate(each):
            if not one.tangent or (one.normal and i not in closed):
                continue
            along = now.speed[now.rows(i)][-one.tangents :]
            if (i, Look.HOLD) in fired and self.mode[i] == Mode.STICKS:
                force = np.array([held[name] for name in _tangent_rows(one)])
                towards = -force / max(float(np.linalg.norm(force)), 1e-300)
                at_stops = [j for j in self._stops[i] if j in closed]
                if all(towards[0] * each[j].sign > 0.0 for j in at_stops):  # else it stays, and the stop helps
                    slips[i] = towards
                    leaves.update(at_stops)
            elif np.linalg.norm(along) > rest and (i, Look.SLIDE) not in fired:
                slips[i] = along / np.linalg.norm(along)
        size = float(np.abs(now.acceleration).max(initial=0.0))
        accelerated = np.where(np.abs(now.acceleration) > ROUND_OFF * size, now.acceleration, 0.0)
        for _ in range(ROUNDS):
            taking = [i for i, one in enumerate(each) if (i in closed and i not in leaves) or not one.normal]
            if not taking:
                break
            rows = np.concatenate([now.rows(i) for i in taking])
            D, _ = asked.responses(rows)
            sliding = set(slips) | broken
            fixed = {i: each[i].fixed if i in sliding else each[i].fixed_static for i in taking}
            friction = {i: each[i].friction if i in sliding else each[i].static for i in taking}
            of = self._contacts(taking, friction, fixed, [0.0] * len(taking))
            direction = np.zeros(len(rows))
            for k, i in enumerate(taking):
                if i in slips:
                    direction[of.first[k + 1] - each[i].tangents : of.first[k + 1]] = slips[i]
            loads = self._loads(asked, now, taking, rows, sliding, impulses=False)
            found = accelerations(D, accelerated[rows], of, direction, loads).answer
            if found.code == SEVERAL and not slips and (stuck := _stuck(found, D, accelerated[rows], of, loads)) is not None:
                found = stuck
            self._require(found, taking, "what holds", asked.time)
            new = {i for k, i in enumerate(taking) if found.modes[k] == SLIP and i not in sliding and each[i].tangent}
            new = {
                i
                for i in new
                if (each[i].fixed, each[i].friction, _slips(each[i])) != (each[i].fixed_static, each[i].static, _holds(each[i]))
            }
            # what has just begun to leave is not accelerated yet
            back = {i for i in leaves if accelerated[now.rows(i)][0] + asked.added(now.rows(i)[:1], rows, found.p)[0] < -OPENS * size}
            if not new and not back:
                break
            broken, leaves = broken | new, leaves - back
        else:
            raise Stopped(f"what slips could not be decided of {join_names([one.name for one in each])}", asked.time)
        self.begin()
        for i, one in enumerate(each):
            if i not in taking:
                continue
            k = taking.index(i)
            mine = slice(of.first[k], of.first[k + 1])
            if one.normal and found.modes[k] == OPEN and found.w[mine][0] > OPENS * size:
                continue
            if not one.tangent:
                self.mode[i] = Mode.CLOSED
            elif i in slips or found.modes[k] == SLIP:
                self.mode[i], self.slip[i] = Mode.SLIPS, slips[i] if i in slips else found.slip[mine][-one.tangents :].copy()
            else:
                self.mode[i] = Mode.STICKS
        for i, stops in enumerate(self._stops):  # one row is enough to hold a coordinate: that of a stop if it is pressed without friction
            for j in stops:
                if self.mode[i] == Mode.STICKS and self.mode[j] == Mode.CLOSED:
                    pressed = found.p[of.first[taking.index(j)]] + each[j].sign * found.p[of.first[taking.index(i)]] > 0.0
                    self.mode[i], self.mode[j] = (Mode.IDLE, Mode.CLOSED) if pressed else (Mode.STICKS, Mode.OPEN)

    def _contacts(self, which: list[int], friction: Mapping[int, float], fixed: Mapping[int, float], restitution: list[float]) -> Contacts:
        each = [self.each[i] for i in which]
        return contacts(
            [int(bool(one.normal)) for one in each],
            [one.tangents for one in each],
            [friction[i] for i in which],
            None,
            [fixed.get(i, 0.0) for i in which],
            restitution,
        )

    def _loads(self, asked: Asked, now: Now, taking: list[int], rows: NDArray[np.int64], sliding: set[int], impulses: bool) -> list[Load]:
        """The reactions that load the frictions of joints; of impulses those that impulses alone make."""
        found = []
        for k, i in enumerate(taking):
            for group in self.each[i].groups:
                free, response = asked.reactions(now, group.components, rows)
                found.append(Load(k, group.slips if i in sliding else group.holds, 0.0 * free if impulses else free, response))
        return found

    def _require(self, found: Answer, taking: list[int], what: str, at: float) -> None:
        """Raise Stopped where a problem has no solution, or not one."""
        if found.code == SOLVED:
            return
        name = self.each[taking[found.contact]].name if found.contact >= 0 else join_names([self.each[i].name for i in taking])
        if found.code in (NO_SOLUTION, SEVERAL):
            many = "no solution" if found.code == NO_SOLUTION else "more than one solution"
            raise Stopped(f"{what} has {many} at '{name}': with this friction the contact jams (Painleve's paradox)", at)
        raise Stopped(f"{what} at '{name}' could not be found: it is {found.residual:.2g} off", at)

    # what a stretch of the run is told

    def give(self, formulation: Formulation) -> None:
        """Give the efforts of what slips, and the lines of events of what holds, to the system that is marched."""
        system, work = formulation.system, formulation.work
        events, numbers = work.events, system.arrays.parameters
        rows = {name: k for k, name in enumerate(system.rows)}
        clear_numbers(self.found, numbers)
        slipping = group = component = 0
        work.components[:] = 0.0
        for i, one in enumerate(self.each):
            mode, first = self.mode[i], group
            for load in one.loads:
                factor = load.slips if mode == Mode.SLIPS else load.holds
                work.groups[group] = component, len(load.components), factor
                for weights in load.components:
                    for name, weight in weights.items():
                        if name in rows:
                            work.components[component, rows[name]] = weight
                    component += 1
                group += 1
            if mode == Mode.SLIPS:
                self._give_slip(i, numbers)
            if one.loads:
                place, factor = self._slip_place(i)
                work.slipping[slipping] = place if mode == Mode.SLIPS else -1.0, factor, one.fixed, first, group - first
                slipping += 1
            for look in one.looks:
                line = events[self._line[i, look]]
                line[contracts.EVENT_ACTIVE], line[contracts.EVENT_ROW] = float(look in self._watched(i)), 0.0
                if not line[contracts.EVENT_ACTIVE]:
                    continue
                if look == Look.PRESS:
                    line[contracts.EVENT_ROW : contracts.EVENTS] = rows[one.normal] + 1, 1, one.sign, 0.0, 0, 0
                elif look == Look.HOLD:
                    at = rows[_tangent_rows(one)[0]] + 1
                    line[contracts.EVENT_ROW : contracts.EVENTS] = at, one.tangents, 0.0, one.fixed_static, first, group - first

    def _slip_place(self, i: int) -> tuple[int, float]:
        """The number that is the friction of what slips, and its sign."""
        if self.each[i].tangents == 2:
            return self.found.slip_places[i][0], -1.0
        return self.found.places[i][-1], -float(self.slip[i][0])

    def _give_slip(self, i: int, numbers: Floats) -> None:
        place, factor = self._slip_place(i)
        numbers[place] = factor * self.each[i].fixed
        if self.each[i].tangents == 2:
            _, *start, still = self.found.slip_places[i]
            numbers[start], numbers[still] = BEGINS * self.slip[i], 0.0

    def _watched(self, i: int) -> set[Look]:
        """What is looked at: nothing along a coordinate that friction or a stop keeps where it is but what keeps it."""
        one, mode = self.each[i], self.mode[i]
        if mode == Mode.OPEN:
            kept = any(i in stops and self.mode[k] == Mode.STICKS for k, stops in enumerate(self._stops))
            return set() if kept else {Look.GAP}
        found = {Look.PRESS, Look.EDGE} & set(one.looks)
        if mode == Mode.STICKS:
            found.add(Look.HOLD)
        if mode == Mode.SLIPS:
            found.add(Look.ALONG if one.tangents == 2 else Look.SLIDE)
        return found  # nothing of what is idle: it has no normal

    def set_sides(self, events: Floats) -> None:
        """Where an expression is zero but for round-off its side is that of the mode."""
        values, rates = events[:, contracts.EVENT_LAST_VALUE], events[:, contracts.EVENT_LAST_RATE]
        for i, one in enumerate(self.each):
            for look in self._watched(i):
                k, side, near, unit = self._line[i, look], 1.0, 0.0, 1.0
                if look in (Look.GAP, Look.EDGE):
                    near = TOUCHES * one.near
                elif look == Look.SLIDE:
                    side, near = float(self.slip[i][0]), AT_REST
                elif look == Look.ALONG:
                    near, unit = AT_REST * BEGINS, BEGINS
                # what is zero but for round-off is not fast for its size
                events[k, contracts.EVENT_FASTEST] = 0.0
                events[k, contracts.EVENT_LARGEST] = max(events[k, contracts.EVENT_LARGEST], SIZE * unit)
                if side * values[k] <= near:
                    values[k], events[k, contracts.EVENT_LEFT] = side * max(SIDE, side * values[k]), 0.0
                    if near:  # a gap that opens, a slip that begins: a rate against it is round-off
                        rates[k] = side * max(0.0, side * rates[k])


def _stuck(found: Answer, D: Floats, b: Floats, of: Contacts, loads: list[Load]) -> Answer | None:
    """Of several solutions for contacts at rest the one in which all of them stay at rest; None where this is none.

    A slide that jams stays where it is although it may fall as well: without a friction its moment does not press.
    """
    p = np.linalg.lstsq(D, -b, rcond=1e-12)[0]
    if np.abs(D @ p + b).max(initial=0.0) > OPENS * max(1.0, float(np.abs(b).max(initial=0.0))):
        return None
    for k, normal in enumerate(of.normal):
        at, end = of.first[k], of.first[k + 1]
        bound = of.fixed[k] + sum(load.factor * float(np.linalg.norm(load.free + load.response @ p)) for load in loads if load.contact == k)
        if normal:
            if p[at] < 0.0:
                return None
            bound += of.friction[k] * p[at]
        if np.linalg.norm(p[at + normal : end]) > bound * (1.0 + OPENS):
            return None
    return found._replace(code=SOLVED, contact=-1, p=p, w=D @ p + b, modes=np.full(len(of.normal), STICK), slip=np.zeros(len(b)))


def _tangent_rows(one: Unilateral) -> list[str]:
    """The rows that keep its tangents."""
    return [one.tangent] if one.tangents == 1 else [f"{one.tangent}.slip{k}" for k in range(one.tangents)]


def _slips(one: Unilateral) -> list[float]:
    return [group.slips for group in one.groups]


def _holds(one: Unilateral) -> list[float]:
    return [group.holds for group in one.groups]
