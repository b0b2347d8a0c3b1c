"""What a mechanism does without what its contacts hold, asked of the method of the run: velocities, accelerations, responses, reactions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.assembly.unilaterals import Look, Unilaterals, Weights
from mbsim.march.ending import Stopped
from mbsim.march.formulation import Formulation
from mbsim.system.system import Floats, System

TANGENTS = (Look.SLIDE, Look.ACROSS)


class Now(NamedTuple):
    """A state without what contacts hold; (N,) along all their normals and tangents, those of a contact behind each other."""

    first: NDArray[np.int64]  # (n + 1,) where the directions of each contact begin
    gap: Floats  # (n,) m or rad; NaN where there is no normal
    speed: Floats  # (N,)
    acceleration: Floats  # (N,)
    v_dot: Floats  # (n_v,)
    lam: Floats  # multipliers of the other rows

    def rows(self, i: int) -> NDArray[np.int64]:
        """The directions of contact i."""
        return np.arange(self.first[i], self.first[i + 1])


class Asked:
    """The system at one time and configuration."""

    def __init__(self, base: Formulation, found: Unilaterals, lines: Mapping[tuple[int, Look], int], time: float, q: Floats) -> None:
        """`base` is the system without what `found` hold; `lines` are their lines of Work.events."""
        self.time, self._base, self._found, self._q = time, base, found, q
        sizes = [len(one.pushes) for one in found.each]
        self._first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._gaps = [lines.get((i, Look.GAP), -1) for i in range(len(found.each))]
        self._speeds = [
            lines[i, look] for i, one in enumerate(found.each) for look in ((Look.SPEED,) if one.normal else ()) + TANGENTS[: one.tangents]
        ]
        self._signs = np.concatenate([[one.sign] * bool(one.normal) + [1.0] * one.tangents for one in found.each])
        self._places = [place for places in found.places for place in places]
        self._rows = {name: k for k, name in enumerate(base.system.rows)}
        self._columns: dict[int, Now] = {}
        self._v = np.zeros(base.system.n_v)
        clear_numbers(found, base.system.arrays.parameters)
        base.work.slipping[:, contracts.SLIP_PLACE] = -1.0

    @property
    def system(self) -> System:
        """The one without what contacts hold, as last evaluated."""
        return self._base.system

    def at(self, v: Floats) -> Now:
        """What it does at v. Raises Stopped."""
        self._v = v
        return self._evaluated()

    def _evaluated(self) -> Now:
        base, system = self._base, self._base.system
        z, row = np.zeros(base.size), np.zeros(base.width)
        base.configuration(z)[:] = self._q
        if base.start(self.time, self._q, self._v, z) != contracts.OK or not base.expands(self.time, z, row):
            raise Stopped("what contacts hold cannot be found: the mechanism without them cannot be evaluated", self.time)
        n_q, n = system.n_q, system.n_v
        v_dot, out = row[n_q + n : n_q + 2 * n].copy(), np.zeros((system.n_events, contracts.EVENTS))
        lam, rates = row[n_q + 2 * n : -1].copy(), system.rates(self.time, self._q, self._v)
        system.functions.event(system.arrays, self.time, self._q, self._v, rates, v_dot, lam, out)
        gap = np.array([out[k, contracts.EVENT_VALUE] if k >= 0 else np.nan for k in self._gaps])
        speeds = out[self._speeds]
        return Now(self._first, gap, speeds[:, contracts.EVENT_VALUE], speeds[:, contracts.EVENT_RATE], v_dot, lam)

    def _pushed(self, k: int) -> Now:
        """What a unit effort along direction k adds; it does not depend on v."""
        if k not in self._columns:
            free = self._evaluated()
            numbers = self._base.system.arrays.parameters
            numbers[self._places[k]] = self._signs[k]
            pushed = self._evaluated()
            numbers[self._places[k]] = 0.0
            changes = (pushed.acceleration - free.acceleration, pushed.v_dot - free.v_dot, pushed.lam - free.lam)
            self._columns[k] = Now(self._first, free.gap, free.speed, *changes)
        return self._columns[k]

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


def clear_numbers(found: Unilaterals, numbers: Floats) -> None:
    """No efforts, in Arrays.parameters."""
    for places, own in zip(found.places, found.slip_places, strict=True):
        numbers[list(places)] = 0.0
        if own:
            numbers[list(own)] = 0.0, 0.0, 0.0, 1.0
