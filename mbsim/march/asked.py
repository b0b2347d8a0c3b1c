"""What a mechanism does without what its contacts hold, asked of the method of the run: velocities, accelerations, responses, reactions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.assembly.unilaterals import Look, Unilaterals, Weights
from mbsim.diagnosis.consistent import StartError, assemble_position, assemble_velocity
from mbsim.kernels.relative import ALWAYS, WHEN
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import link_of
from mbsim.system.system import Floats, System

ADDS = 1e-3  # of the accelerations without: what an effort adds is known to at least 13 digits then
UNSEEN, STRONGEST, TRIALS = 2.0**40, 2.0**120, 4  # of an effort: how much stronger the next one is where it adds nothing; bounds
TANGENTS = (Look.SLIDE, Look.ACROSS)


class Now(NamedTuple):
    """A state without what contacts hold; (N,) along all their normals and tangents, those of a contact behind each other."""

    first: NDArray[np.int64]  # (n + 1,) where the directions of each contact begin
    gap: Floats  # (n,) m or rad; NaN where there is no normal
    height: Floats  # (n,) the same, but above a side the height, on its line beyond its ends, too
    speed: Floats  # (N,)
    acceleration: Floats  # (N,)
    v_dot: Floats  # (n_v,)
    lam: Floats  # multipliers of the other rows

    def rows(self, i: int) -> NDArray[np.int64]:
        """The directions of contact i."""
        return np.arange(self.first[i], self.first[i + 1])


class Directions:
    """Along which directions a mechanism is asked: the normals and tangents of contacts, those of one behind each other."""

    def __init__(self, found: Unilaterals, lines: Mapping[tuple[int, Look], int]) -> None:
        """`lines` are those of Work.events of what is looked at."""
        self.found = found
        sizes = [len(one.pushes) for one in found.each]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.gaps = np.array([lines.get((i, Look.GAP), -1) for i in range(len(found.each))], np.int64)  # lines; -1: there is no normal
        self.edges = np.array([lines.get((i, Look.EDGE), -1) if one.pair else -1 for i, one in enumerate(found.each)], np.int64)  # of sides
        looks = [(i, look) for i, one in enumerate(found.each) for look in ((Look.SPEED,) if one.normal else ()) + TANGENTS[: one.tangents]]
        self.speeds = np.array([lines[key] for key in looks], np.int64)  # lines
        self.turns = np.repeat([one.turns for one in found.each], sizes)  # which are angles
        self.signs = np.concatenate([[one.sign] * bool(one.normal) + [1.0] * one.tangents for one in found.each])
        self.places = np.array([place for places in found.places for place in places], np.int64)  # in Arrays.parameters
        self.units = np.ones(len(self.places))  # N or N m: efforts by which it was asked last, powers of two


class Asked:
    """The system at one time and configuration."""

    def __init__(self, base: Formulation, along: Directions, time: float, q: Floats) -> None:
        """`base` is the system without what contacts hold."""
        self.time, self._base, self._along, self._q = time, base, along, q
        found = along.found
        self._rows = {name: k for k, name in enumerate(base.system.rows)}
        self._columns: dict[int, Now] = {}
        self._v, self._free = np.zeros(base.system.n_v), cast("Now | None", None)
        self._out = np.zeros((base.system.n_events, contracts.EVENTS))
        clear_numbers(found, base.system.arrays.parameters)
        find_all(base.system)
        base.work.slipping[:, contracts.SLIP_PLACE] = -1.0

    @property
    def system(self) -> System:
        """The one without what contacts hold, as last evaluated."""
        return self._base.system

    @property
    def length(self) -> float:
        """The length of the mechanism's links, m."""
        return link_of(self._base.work)

    @property
    def units(self) -> Floats:
        """Along each direction (N,) a link, m, or 1 rad: in these units motions along lengths and along angles are of like size."""
        return np.where(self._along.turns, 1.0, self.length)

    @property
    def mobility(self) -> float:
        """What a unit effort adds to accelerations where nothing holds it, in `units`: 1 over the mean inertia of the bodies, 1/(kg m2)."""
        bodies, length = self.system.bodies, self.length
        mass = float(self.system.arrays.masses[: len(bodies), 0].mean()) if bodies else 1.0
        return 1.0 / (mass * length * length) if 0.0 < mass < np.inf else 1.0

    def accelerated(self, now: Now) -> float:
        """The largest acceleration of a state, of the directions and of the mechanism, in `units`, rad/s2."""
        return max(float(np.abs(now.acceleration / self.units).max(initial=0.0)), self.turning(now.v_dot))

    @property
    def moves(self) -> Floats:
        """(n_v,) a link, m, of speeds along lengths, and 1 rad of those of angles."""
        slides = np.array([unit.startswith("m") for unit in self.system.speed_units], bool)
        return np.where(slides, self.length, 1.0)

    def turning(self, v_dot: Floats) -> float:
        """The largest of accelerations or speeds (n_v,), those along lengths in links: rad/s2 or rad/s."""
        return float(np.abs(v_dot / self.moves).max(initial=0.0))

    def at(self, v: Floats) -> Now:
        """What it does at v. Raises Stopped."""
        self._v = v
        self._free = self._evaluated()
        return self._free

    def moved(self, d: Floats, v: Floats) -> Now:
        """What it does at the configuration that is displaced by d (n_v,), at the speeds there that are nearest to v. Raises Stopped."""
        system, free, q = self._base.system, np.zeros(len(v), bool), self._base.system.move(self._q, d)
        try:
            if system.n_rows:
                q = assemble_position(system, self.time, q, free) if system.n_holonomic else q
                v = assemble_velocity(system, self.time, q, v, free)
        except StartError as error:
            raise Stopped("what contacts hold cannot be found ahead of a dead point", self.time) from error
        return Asked(self._base, self._along, self.time, q).at(v)

    def _evaluated(self) -> Now:
        base, system = self._base, self._base.system
        z, row = np.zeros(base.size), np.zeros(base.width)
        base.configuration(z)[:] = self._q
        if base.start(self.time, self._q, self._v, z) != contracts.OK or not base.expands(self.time, z, row):
            raise Stopped("what contacts hold cannot be found: the mechanism without them cannot be evaluated", self.time)
        n_q, n = system.n_q, system.n_v
        v_dot, out, along = row[n_q + n : n_q + 2 * n].copy(), self._out, self._along
        lam, rates = row[n_q + 2 * n : -1].copy(), system.rates(self.time, self._q, self._v)
        system.functions.event(system.arrays, self.time, self._q, self._v, rates, v_dot, lam, out)
        gap = np.where(along.gaps >= 0, out[along.gaps, contracts.EVENT_VALUE], np.nan)
        height = heights(gap, np.where(along.edges >= 0, out[along.edges, contracts.EVENT_VALUE], 0.0))
        speeds, rates = out[along.speeds, contracts.EVENT_VALUE], out[along.speeds, contracts.EVENT_RATE]
        return Now(along.first, gap, height, speeds, rates, v_dot, lam)

    def _pushed(self, k: int) -> Now:
        """What a unit effort along direction k adds; it does not depend on v.

        It is asked by an effort that adds accelerations of the size of those without: to those of a planet one of 1 N adds nothing.
        """
        if k in self._columns:
            return self._columns[k]
        free = self._free or self._evaluated()
        largest, units = float(np.abs(free.acceleration).max(initial=0.0)), self._along.units
        for _ in range(TRIALS):
            changes = self._changes(k, free, units[k])
            added = float(np.abs(changes[0]).max(initial=0.0))
            if added >= ADDS * largest:
                break
            units[k] = min(units[k] * (2.0 ** np.ceil(np.log2(largest / added)) if added > 0.0 else UNSEEN), STRONGEST)
        else:  # nothing moves by it
            units[k] = 1.0
            changes = self._changes(k, free, 1.0)
        by = 1.0 / units[k]
        self._columns[k] = Now(self._along.first, free.gap, free.height, free.speed, *(by * change for change in changes))
        return self._columns[k]

    def _changes(self, k: int, free: Now, effort: float) -> tuple[Floats, Floats, Floats]:
        """What an effort along direction k adds to accelerations along all, to v_dot and to reactions."""
        numbers, place = self._base.system.arrays.parameters, self._along.places[k]
        numbers[place] = self._along.signs[k] * effort
        pushed = self._evaluated()
        numbers[place] = 0.0
        return pushed.acceleration - free.acceleration, pushed.v_dot - free.v_dot, pushed.lam - free.lam

    def responses(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """D (k, k) of these directions, and what unit efforts along them add to v_dot (n_v, k)."""
        each = [self._pushed(int(k)) for k in rows]
        D = np.array([one.acceleration[rows] for one in each]).reshape(len(rows), len(rows)).T
        return 0.5 * (D + D.T), np.array([one.v_dot for one in each]).reshape(len(rows), self._base.system.n_v).T

    def added(self, where: NDArray[np.int64], rows: NDArray[np.int64], p: Floats) -> Floats:
        """What efforts p along some directions add to the accelerations along others."""
        return sum((x * self._pushed(int(k)).acceleration[where] for k, x in zip(rows, p, strict=True)), np.zeros(len(where)))

    def reactions(self, now: Now, components: Sequence[Weights], rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Components of reactions (k,) without efforts, and what unit efforts along some directions add to them (k, len(rows))."""
        weights = np.zeros((len(components), len(now.lam)))
        for c, each in enumerate(components):
            for name, weight in each.items():
                weights[c, self._rows[name]] = weight
        response = np.array([weights @ self._pushed(int(k)).lam for k in rows]).reshape(len(rows), len(components)).T
        return weights @ now.lam, response


def heights(gap: Floats, edge: Floats) -> Floats:
    """The heights above sides (n,), of their gaps h + 2 max(0, -edge) (`mbsim.assembly.contact_pairs`); edge is 0 where there is none."""
    found: Floats = gap - 2.0 * np.maximum(0.0, -edge)
    return found


def clear_numbers(found: Unilaterals, numbers: Floats) -> None:
    """No efforts, in Arrays.parameters."""
    numbers[found.all_places] = 0.0
    if len(found.still_places):
        numbers[found.still_places] = 1.0


def find_all(system: System) -> None:
    """Let all relative coordinates be found at each evaluation: those of contacts, too, that do not touch (`Telling.give`)."""
    relative = system.arrays.relative
    relative[:, WHEN] = np.where(relative[:, WHEN] < 0, ALWAYS, relative[:, WHEN])
