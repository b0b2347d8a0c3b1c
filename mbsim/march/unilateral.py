"""Which stops of a run are closed and which dry frictions stick, and when that changes.

Between events a run has the rows of what holds and the efforts of what slips, and its method and integrator march that. At an event all of
it is decided anew, by what the mechanism does without what holds: its accelerations b, and D, what unit efforts along the coordinates add
to them. Both come from the method of the run, so they are right in any coordinates, with redundant rows, too.

- An impact gives impulses p, with the speeds of gaps w = w_before + D p. Newton's law: w >= -e w_before and p >= 0, one of them an equation.
- Then efforts p with the accelerations a = b + D p: of a stop a >= 0 and p >= 0, one of them an equation; of a friction at rest |p| is at
  most what it holds, and a is zero where it is less and against p where it is not.

A friction of a given effort takes no part in an impact: in no time it gives no impulse.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import NamedTuple

import numpy as np

from mbsim import contracts
from mbsim.assembly.unilateral import Look, Unilaterals
from mbsim.march.bounded import solve_bounded
from mbsim.march.ending import Stopped, join_names
from mbsim.march.events import SIDE
from mbsim.march.formulation import Formulation
from mbsim.system.system import Floats

TOUCHES = 1e-9  # of the bound, or rad or m: a stop that is nearer is closed if it does not open
AT_REST = 1e-10  # of the largest speed, or rad/s or m/s: slower than this is at rest
CLOSES = 1e-12  # likewise: a gap that shrinks faster than this is closing
ROUNDS = 20  # of decisions which of the frictions at rest slip

Fired = Collection[tuple[int, Look]]


class Mode(StrEnum):
    """What a stop or a friction does."""

    OPEN = "open"
    CLOSED = "closed"
    STICKS = "sticks"
    SLIPS = "slips"
    IDLE = "idle"  # a friction at rest where a closed stop holds


class Settled(NamedTuple):
    """What has been decided at one time."""

    v: Floats  # (n_v,) after impacts
    lock: list[str]
    unlock: list[str]
    impulses: dict[str, float]  # N s or N m s, of impacts
    speeds: dict[str, tuple[float, float]]  # of the gaps of these, before and after, m/s or rad/s
    modes: dict[str, Mode]  # of what changed


@dataclass
class Modes:
    """The stops and frictions of a run."""

    found: Unilaterals
    lines: int  # of Work.events: their first
    base: Callable[[], Formulation]  # the system without what they hold
    mode: list[Mode] = field(default_factory=list)
    slip: list[float] = field(default_factory=list)  # 1 or -1: the sign of the speed of a friction that slips

    def __post_init__(self) -> None:
        self.begin()
        self._line = {}
        k = self.lines
        for i, one in enumerate(self.found.each):
            for look in one.looks:
                self._line[i, look] = k
                k += 1
        self._which = {line: key for key, line in self._line.items()}

    def begin(self) -> None:
        """Before the start nothing holds and nothing slips."""
        each = self.found.each
        self.mode, self.slip = [Mode.OPEN if one.is_stop else Mode.IDLE for one in each], [0.0] * len(each)

    def which(self, line: int) -> tuple[int, Look]:
        """Of which stop or friction a line of Work.events tells what."""
        return self._which[line]

    def settle(self, at: float, q: Floats, v: Floats, fired: Fired, held: Mapping[str, float]) -> Settled:
        """Decide what holds from the state (q, v) at `at` on; `held`: the multipliers of what held before, by name. Raises Stopped."""
        each = self.found.each
        before, slipped = list(self.mode), list(self.slip)
        trial = _Trial(self.base(), self, at, q)
        now = trial.at(v, [0.0] * len(each))
        scale = max(1.0, float(np.abs(v).max(initial=0.0)))
        touching = [i for i, one in enumerate(each) if one.is_stop and self._touches(i, now.gap[i], fired)]
        closing = [i for i in touching if now.speed[i] < -CLOSES * scale]
        impulses: dict[str, float] = {}
        speeds: dict[str, tuple[float, float]] = {}
        if closing:
            v, impulses = self._impact(trial, now, v, touching)
            after = trial.at(v, [0.0] * len(each))
            speeds = {each[i].name: (float(now.speed[i]), float(after.speed[i])) for i in touching if each[i].name in impulses}
            now = after
        self._choose(trial, now, v, touching, [] if closing else fired, held, scale)
        holds = {Mode.CLOSED, Mode.STICKS}
        return Settled(
            v,
            [one.name for one, a, b in zip(each, before, self.mode, strict=True) if b in holds and a not in holds],
            [one.name for one, a, b in zip(each, before, self.mode, strict=True) if a in holds and b not in holds],
            impulses,
            speeds,
            {one.name: self.mode[i] for i, one in enumerate(each) if (before[i], slipped[i]) != (self.mode[i], self.slip[i])},
        )

    def _touches(self, i: int, gap: float, fired: Fired) -> bool:
        one = self.found.each[i]
        return self.mode[i] == Mode.CLOSED or (i, Look.GAP) in fired or gap <= TOUCHES * max(1.0, abs(one.bound))

    def _impact(self, trial: "_Trial", now: "_Now", v: Floats, touching: list[int]) -> tuple[Floats, dict[str, float]]:
        """The speeds after an impact, and its impulses."""
        each = self.found.each
        D, moves = trial.responses(now, v, touching)
        before, wanted = now.speed[touching], np.zeros(len(touching))
        for k, i in enumerate(touching):
            rebound = -each[i].restitution * before[k]
            wanted[k] = rebound if rebound > each[i].closing_speed else 0.0
        p = solve_bounded(D, before - wanted, np.zeros(len(touching)), np.full(len(touching), inf))
        if p is None:
            raise Stopped(f"the impact of {join_names([each[i].name for i in touching])} has no solution that could be found", trial.time)
        return v + moves @ p, {each[i].name: float(p[k]) for k, i in enumerate(touching) if p[k] > 0.0}

    def _choose(
        self, trial: "_Trial", now: "_Now", v: Floats, touching: list[int], fired: Fired, held: Mapping[str, float], scale: float
    ) -> None:
        """Modes of stops that touch and of frictions, from accelerations at v."""
        each, rest = self.found.each, AT_REST * scale
        stops = [i for i in touching if now.speed[i] <= rest]
        frictions = [i for i, one in enumerate(each) if not one.is_stop and (abs(now.speed[i]) <= rest or (i, Look.SPEED) in fired)]
        slips = {i: float(np.sign(now.speed[i])) for i, one in enumerate(each) if not one.is_stop and i not in frictions}
        leaves = [i for i in stops if (i, Look.EFFORT) in fired]
        for i in frictions:
            if (i, Look.EFFORT) in fired:
                slips[i] = -float(np.sign(held[each[i].name]))
        for _ in range(ROUNDS):
            pushes = [-slips[i] * one.kinetic if i in slips else 0.0 for i, one in enumerate(each)]
            now = trial.at(v, pushes)
            asked = [i for i in stops if i not in leaves] + [i for i in frictions if i not in slips]
            D, _ = trial.responses(now, v, asked)
            b = now.acceleration[asked]
            high = np.array([each[i].static for i in asked])
            low = np.array([0.0 if each[i].is_stop else -each[i].static for i in asked])
            p = solve_bounded(D, b, low, high)
            if p is None:
                names = join_names([each[i].name for i in asked])
                raise Stopped(f"no efforts could be found that hold {names} within their bounds", trial.time)
            new = {i: -float(np.sign(x)) for i, x in zip(asked, p, strict=True) if not each[i].is_stop and abs(x) >= each[i].static}
            if back := [i for i in leaves if now.acceleration[i] + self._added(trial, now, v, i, asked, p) < 0.0]:
                leaves = [i for i in leaves if i not in back]
            elif not new:
                break
            slips |= new
        else:
            raise Stopped("which frictions slip could not be decided: " + join_names([each[i].name for i in frictions]), trial.time)
        effort = dict(zip(asked, p, strict=True))
        for i, one in enumerate(each):
            if one.is_stop:
                self.mode[i] = Mode.CLOSED if i in effort and (effort[i] > 0.0 or not self._opens(i, asked, D, b, p)) else Mode.OPEN
        for i, one in enumerate(each):
            if not one.is_stop:
                beside = any(
                    other.is_stop and self.mode[j] == Mode.CLOSED and other.variable == one.variable for j, other in enumerate(each)
                )
                self.mode[i] = Mode.SLIPS if i in slips else Mode.IDLE if beside else Mode.STICKS
                self.slip[i] = slips.get(i, 0.0)

    def _added(self, trial: "_Trial", now: "_Now", v: Floats, i: int, asked: list[int], p: Floats) -> float:
        """What efforts p of those asked add to the acceleration of i."""
        if not asked:
            return 0.0
        D, _ = trial.responses(now, v, [*asked, i])
        return float(D[-1, :-1] @ p)

    def _opens(self, i: int, asked: list[int], D: Floats, b: Floats, p: Floats) -> bool:
        """Whether the gap of a stop without effort grows."""
        k = asked.index(i)
        a = b + D @ p
        return bool(a[k] > 1e-12 * max(1.0, float(np.abs(b).max())))

    # what a stretch of the run is told

    def give(self, formulation: Formulation) -> None:
        """Give the efforts of what slips, and the lines of events of what holds, to the system that is marched."""
        system, events = formulation.system, formulation.work.events
        rows = {name: k for k, name in enumerate(system.rows)}
        for i, one in enumerate(self.found.each):
            system.arrays.parameters[self.found.places[i]] = -self.slip[i] * one.kinetic if self.mode[i] == Mode.SLIPS else 0.0
            for look in one.looks:
                events[self._line[i, look], contracts.EVENT_ACTIVE] = float(look == _WATCHED.get(self.mode[i]))
            line = events[self._line[i, Look.EFFORT]]
            line[contracts.EVENT_ROW] = 0.0
            if self.mode[i] in (Mode.CLOSED, Mode.STICKS):
                line[contracts.EVENT_ROW] = rows[one.name] + 1
                line[contracts.EVENT_FACTOR] = one.sign if one.is_stop else 0.0
                line[contracts.EVENT_OFFSET] = 0.0 if one.is_stop else one.static

    def set_sides(self, events: Floats) -> None:
        """Where an expression is zero but for round-off its side is that of the mode."""
        values = events[:, contracts.EVENT_LAST_VALUE]
        for i, one in enumerate(self.found.each):
            if self.mode[i] == Mode.OPEN:
                k, side = self._line[i, Look.GAP], 1.0
                near = TOUCHES * max(1.0, abs(one.bound))
            elif self.mode[i] == Mode.SLIPS:
                k, side, near = self._line[i, Look.SPEED], self.slip[i], AT_REST
            else:
                k, side, near = self._line[i, Look.EFFORT], 1.0, 0.0
            if side * values[k] <= near:
                values[k] = side * max(SIDE, side * values[k])


_WATCHED = {Mode.OPEN: Look.GAP, Mode.CLOSED: Look.EFFORT, Mode.STICKS: Look.EFFORT, Mode.SLIPS: Look.SPEED}


class _Now(NamedTuple):
    """What the mechanism does at a state, with given efforts of what slips; (k,) of all stops and frictions."""

    gap: Floats  # NaN of frictions
    speed: Floats
    acceleration: Floats
    v_dot: Floats  # (n_v,)
    pushes: list[float]


class _Trial:
    """The system without what stops and frictions hold, at one time and configuration."""

    def __init__(self, base: Formulation, modes: Modes, time: float, q: Floats) -> None:
        self.time, self._base, self._modes, self._q = time, base, modes, q
        self._columns: dict[int, tuple[Floats, Floats]] = {}

    def at(self, v: Floats, pushes: list[float]) -> _Now:
        """What it does at v with these efforts along the coordinates. Raises Stopped."""
        base, system = self._base, self._base.system
        for place, push, one in zip(self._modes.found.places, pushes, self._modes.found.each, strict=True):
            system.arrays.parameters[place] = one.sign * push
        z, row = np.zeros(base.size), np.zeros(base.width)
        base.configuration(z)[:] = self._q
        if base.start(self.time, self._q, v, z) != contracts.OK or not base.expands(self.time, z, row):
            raise Stopped("what stops and frictions do cannot be found: the mechanism without them cannot be evaluated", self.time)
        n_q, n = system.n_q, system.n_v
        v_dot, out = row[n_q + n : n_q + 2 * n], np.zeros((system.n_events, contracts.EVENTS))
        system.functions.event(system.arrays, self.time, self._q, v, system.rates(self.time, self._q, v), v_dot, out)
        each, line = self._modes.found.each, self._modes._line
        gap = np.array([out[line[i, Look.GAP], contracts.EVENT_VALUE] if one.is_stop else np.nan for i, one in enumerate(each)])
        speeds = out[[line[i, Look.SPEED] for i in range(len(each))]]
        return _Now(gap, speeds[:, contracts.EVENT_VALUE], speeds[:, contracts.EVENT_RATE], v_dot.copy(), list(pushes))

    def responses(self, now: _Now, v: Floats, asked: list[int]) -> tuple[Floats, Floats]:
        """What unit efforts of those asked add to their accelerations (k, k), and to v_dot (n_v, k). Raises Stopped."""
        for j in asked:
            if j not in self._columns:
                pushes = list(now.pushes)
                pushes[j] += 1.0
                pushed = self.at(v, pushes)
                self._columns[j] = pushed.acceleration - now.acceleration, pushed.v_dot - now.v_dot
        n = len(now.v_dot)
        D = np.array([[self._columns[j][0][i] for j in asked] for i in asked]).reshape(len(asked), len(asked))
        return D, np.array([self._columns[j][1] for j in asked]).reshape(len(asked), n).T
