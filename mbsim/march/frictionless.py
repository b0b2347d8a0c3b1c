"""Stops and contacts of a run in which no friction takes part: what is decided at an event is found by one kernel, as in units."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from mbsim.assembly.unilaterals import Look, Unilateral, Unilaterals
from mbsim.integrators._settling_arrays import (
    AT_ONCE,
    BLAMED,
    CLOSED,
    FIRED_GAP,
    FIRED_PRESS,
    GAINS,
    INSIDE,
    NO_IMPACT,
    NO_MODES,
    NOT_EVALUATED,
    POISSON,
    SETTLED,
    UNDECIDED,
    UNIQUE,
    Settling,
    settling,
)
from mbsim.march.asked import clear_numbers
from mbsim.march.contact_modes import HOLDS, Decided, Mode
from mbsim.march.contact_problems import beyond
from mbsim.march.ending import Crowd, Stopped, join_names
from mbsim.march.formulation import Formulation
from mbsim.march.lengths import Lengths
from mbsim.system.system import Floats
from mbsim.unilateral.impacts import POISSON_LAW
from mbsim.unilateral.pressing import MOST_ROWS
from mbsim.unilateral.sharing import Carries

LOOKS = (Look.GAP, Look.SPEED, Look.PRESS)  # of what has no friction and no ends


class Struck(NamedTuple):
    """What the kernel has decided."""

    v: Floats  # (n_v,) speeds after impacts
    impulses: dict[str, list[float]]  # N s or N m s
    speeds: dict[str, tuple[float, float]]  # of the gaps of these, before and after, m/s or rad/s
    gains: bool
    unique: bool


def is_frictionless(one: Unilateral) -> bool:
    """Whether it only keeps a gap from closing: no friction, and no end beyond which it does not."""
    return bool(one.normal) and not one.tangents and not one.pair and not one.groups and one.looks == LOOKS


def are_frictionless(each: Collection[Unilateral]) -> bool:
    """Whether the kernel decides of these."""
    return len(each) <= MOST_ROWS and all(map(is_frictionless, each))


def settling_of(
    found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, simultaneous: bool, base: Formulation, width: int
) -> Settling:
    """The arrays of the kernel for such contacts; `lines` are those of Work.events, `width` is that of the longest output row of a base."""
    each, integers = found.each, dict[str, np.ndarray]()
    for name, look in (("gaps", Look.GAP), ("speeds", Look.SPEED), ("presses", Look.PRESS)):
        integers[name] = np.array([lines[i, look] for i in range(len(each))], np.int64)
    integers["places"] = np.array([places[0] for places in found.places], np.int64)
    integers["turns"] = np.array([one.turns for one in each], np.int64)
    integers["law"] = np.zeros(2, np.int64)
    integers["law"][AT_ONCE], integers["law"][POISSON] = simultaneous, law == POISSON_LAW
    system = base.system
    return settling(system.n_q, system.n_v, width, system.n_events, integers | {
        "signs": np.array([one.sign for one in each]), "near": np.array([one.near for one in each]),
        "restitution": np.array([one.restitution for one in each]), "closing": np.array([one.closing_speed for one in each]),
    })  # fmt: skip


class Frictionless:
    """Those of a run."""

    def __init__(self, found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, simultaneous: bool) -> None:
        """`lines` are those of Work.events of what is looked at."""
        self.found, self._lines, self._law = found, lines, (law, simultaneous)
        self._made: tuple[Formulation, Settling] | None = None

    def settle(
        self, base: Formulation, at: float, q: Floats, v: Floats, fired: Collection[tuple[int, Look]], held: Mapping[str, float],
        decided: Decided, force: float,
    ) -> Struck:  # fmt: skip
        """Decide what is closed from (q, v) at `at` on, in place in `decided`, by the system without what contacts hold. Raises Stopped."""
        if self._made is None or self._made[0] is not base:
            self._made = base, settling_of(self.found, self._lines, *self._law, base, base.width)
        from mbsim.integrators._settling import settle  # compiles

        s, each, system = self._made[1], self.found.each, base.system
        clear_numbers(self.found, system.arrays.parameters)
        if base.work.length[0] == 0.0:
            Lengths(system, base.work).measure(at, q)
        s.q[:], s.v[:], s.force[0], s.fired[:] = q, v, force, 0
        for i, look in fired:
            s.fired[i] |= FIRED_GAP if look == Look.GAP else FIRED_PRESS
        for i, one in enumerate(each):
            s.mode[i], s.absent[i] = decided.mode[i] in HOLDS, i in decided.absent
            s.holds[i] = s.mode[i] and decided.carries[i] == Carries.ALL
            s.held[i] = held.get(one.normal, 0.0)
        code = int(settle(base.functions, system.functions, system.arrays, base.work, at, s))
        if code != SETTLED:
            raise self._why(code, s, at)
        for i in range(len(each)):
            closed = s.mode[i] == CLOSED
            decided.mode[i] = Mode.CLOSED if closed else Mode.OPEN
            decided.carries[i] = Carries.NOTHING if closed and not s.holds[i] else Carries.ALL
        hit = np.flatnonzero(s.impulses).tolist()
        impulses = {each[i].name: [float(s.impulses[i])] for i in hit}
        speeds = {each[i].name: (float(s.before[i]), float(s.speed[i])) for i in hit}
        return Struck(s.v.copy(), impulses, speeds, bool(s.report[GAINS]), bool(s.report[UNIQUE]))

    def _why(self, code: int, s: Settling, at: float) -> Stopped:
        """Why nothing could be decided."""
        blamed = int(s.report[BLAMED])
        name = join_names([one.name for one in self.found.each]) if blamed < 0 else self.found.each[blamed].name
        if code == UNDECIDED:
            return Crowd(f"what is closed could not be decided of {name}", at)
        if code == NOT_EVALUATED:
            return Stopped("what contacts hold cannot be found: the mechanism without them cannot be evaluated", at)
        if code == INSIDE:
            return Stopped(beyond(self.found.each[blamed], -float(s.gap[blamed])), at)
        what = {NO_IMPACT: "the impact", NO_MODES: "what holds"}[code]
        why = "no friction takes part, so a driver or what else is prescribed leads the motion beyond what is closed"
        return Stopped(f"{what} has no solution at '{name}': {why}", at)
