"""Stops, contacts without friction and friction that nothing loads: what a run decides at an event is found by one kernel, as in units."""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.assembly.unilaterals import Look, Unilateral, Unilaterals
from mbsim.contracts import Work
from mbsim.integrators._rubbing_arrays import Rubbing
from mbsim.integrators._settling_arrays import (
    AT_ONCE,
    BLAMED,
    CLOSED,
    FIRED_GAP,
    FIRED_HOLD,
    FIRED_PRESS,
    FIRED_SLIDE,
    GAINS,
    IDLE,
    INSIDE,
    NO_IMPACT,
    NO_MODES,
    NOT_EVALUATED,
    NOT_KNOWN,
    OPEN,
    POISSON,
    SETTLED,
    SLIPS,
    STICKS,
    UNDECIDED,
    UNIQUE,
    Settling,
    settling,
)
from mbsim.jit import GIVEN, Compiled, bound
from mbsim.march.asked import clear_numbers
from mbsim.march.contact_kept import Kept, may_come_again
from mbsim.march.contact_modes import Decided, Mode
from mbsim.march.contact_problems import LED, beyond
from mbsim.march.ending import Crowd, Stopped, join_names
from mbsim.march.formulation import Formulation
from mbsim.system.system import Floats, System
from mbsim.unilateral.impacts import POISSON_LAW
from mbsim.unilateral.pressing import MOST
from mbsim.unilateral.sharing import Carries

LOOKS = (Look.GAP, Look.SPEED, Look.PRESS)  # of what has no friction and no ends
TOLD = {Look.GAP: FIRED_GAP, Look.PRESS: FIRED_PRESS, Look.HOLD: FIRED_HOLD, Look.SLIDE: FIRED_SLIDE}
MODES = {OPEN: Mode.OPEN, CLOSED: Mode.CLOSED, STICKS: Mode.STICKS, SLIPS: Mode.SLIPS, IDLE: Mode.IDLE}
MOST_KNOWN = 16  # work arrays of which calls are held
MOST_IN_ALL = 400  # the arrays grow with the square
CODES = {mode: code for code, mode in MODES.items()}


class Struck(NamedTuple):
    """What the kernel has decided."""

    v: Floats  # (n_v,) speeds after impacts
    impulses: dict[str, list[float]]  # N s or N m s
    speeds: dict[str, tuple[float, float]]  # of the gaps of these, before and after, m/s or rad/s
    gains: bool
    unique: bool


def is_simple(one: Unilateral) -> bool:
    """Whether it only keeps a gap from closing, with no end beyond which it does not, or is the friction of a joint that nothing loads."""
    if one.groups or one.pair:
        return False
    return one.looks == LOOKS if one.normal else bool(one.joint) and one.tangents == 1


def are_simple(each: Collection[Unilateral]) -> bool:
    """Whether the kernel decides of these."""
    return all(map(is_simple, each)) and prod(2 if one.normal else 3 for one in each) <= MOST


def are_tried(each: Collection[Unilateral]) -> bool:
    """Whether the kernel decides of these where few of them touch at one time."""
    return all(map(is_simple, each)) and len(each) <= MOST_IN_ALL and prod(1 if one.normal else 3 for one in each) <= MOST


def brakes_of(each: Sequence[Unilateral]) -> NDArray[np.int64]:
    """(n,) of each stop the friction of its coordinate, -1 where there is none."""
    rubs = {(one.joint, one.coordinate): i for i, one in enumerate(each) if not one.normal}
    return np.array([rubs.get((one.joint, one.coordinate), -1) if one.normal and one.joint else -1 for one in each], np.int64)


def mean_mass(system: System) -> Floats:
    """(1,) of the bodies in kg; 0 where there are none, or where it is not known."""
    mass = float(system.arrays.masses[: len(system.bodies), 0].mean()) if system.bodies else 0.0
    return np.array([mass if np.isfinite(mass) else 0.0])


def hand_over(s: Settling | Rubbing, found: Unilaterals, base: Formulation, at: float, q: Floats, v: Floats, force: float) -> None:
    """Give the state before a decision to the arrays of the kernel, and what contacts hold to nobody."""
    clear_numbers(found, base.system.arrays.parameters)
    if base.work.length[0] == 0.0:
        base.lengths.measure(at, q, inertia=lambda: 1.0)  # by which steps are controlled, and no step is taken of it
    s.q[:], s.v[:], s.force[0], s.fired[:] = q, v, force, 0


def settling_of(
    found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, simultaneous: bool, base: Formulation, width: int
) -> Settling:
    """The arrays of the kernel for such ones; `lines` are those of Work.events, `width` is that of the longest output row of a base."""
    each, given, system = found.each, dict[str, np.ndarray](), base.system
    for name, *looks in (("gaps", Look.GAP), ("speeds", Look.SPEED, Look.SLIDE), ("efforts_left", Look.PRESS, Look.HOLD)):
        given[name] = np.array([next((lines[i, x] for x in looks if (i, x) in lines), -1) for i in range(len(each))], np.int64)
    given["rubs"] = np.array([not one.normal for one in each], np.int64)
    given["brake"] = brakes_of(each)
    given["places"] = np.array([places[0] for places in found.places], np.int64)
    given["turns"] = np.array([one.turns for one in each], np.int64)
    given["law"] = np.zeros(2, np.int64)
    given["law"][AT_ONCE], given["law"][POISSON] = simultaneous, law == POISSON_LAW
    given["mass"] = mean_mass(system)
    numbers = [(one.sign if one.normal else 1.0, one.near, one.restitution, one.closing_speed, one.fixed, one.fixed_static) for one in each]
    given |= dict(zip(("signs", "near", "restitution", "closing", "bound", "static"), np.array(numbers).T.copy(), strict=True))
    return settling(system.n_q, system.n_v, width, system.n_events, given)


def take_decided(s: Settling, decided: Decided, kept: Kept | None = None) -> None:
    """Give what was decided to the arrays of the kernel; `kept` has what it left there before."""
    if kept is not None:
        kept.put(decided, lambda: take_decided(s, decided))
        return
    for i, mode in enumerate(decided.mode):
        s.mode[i], s.absent[i] = CODES[mode], i in decided.absent
        s.holds[i] = mode in (Mode.CLOSED, Mode.STICKS) and decided.carries[i] == Carries.ALL
        s.slip[i] = decided.slip[i][0] if mode == Mode.SLIPS else 0.0


class Sides:
    """The calls of a kernel that tells the work arrays of stretches on which side of zero each line is, bound once for each."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Work, Settling | Rubbing, Callable[[], object]]] = {}

    def of(self, kernel: Compiled, work: Work, s: Settling | Rubbing) -> Callable[[], object]:
        """That for these arrays; `s` has what was decided."""
        found = self._known.get(id(work))
        if found is None or found[0] is not work or found[1] is not s:
            while len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]
            found = self._known[id(work)] = work, s, bound(kernel, work, s)
        return found[2]


class Simple:
    """Those of a run."""

    def __init__(self, found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, simultaneous: bool) -> None:
        """`lines` are those of Work.events of what is looked at."""
        self.found, self._lines, self._law, self._sides = found, lines, (law, simultaneous), Sides()
        self._kept: Kept | None = None
        self._made: tuple[Formulation, Settling, Callable[[float], int]] | None = None

    def settle(
        self, base: Formulation, at: float, q: Floats, v: Floats, fired: Collection[tuple[int, Look]], held: Mapping[str, float],
        decided: Decided, force: float,
    ) -> Struck | None:  # fmt: skip
        """Decide what holds from (q, v) at `at` on, in place in `decided`, by the system without what contacts hold. Raises Stopped.

        None where the kernel leaves it to others.
        """
        if self._made is None or self._made[0] is not base:
            from mbsim.integrators._settling import settle  # compiles

            s, system = settling_of(self.found, self._lines, *self._law, base, base.width), base.system
            self._kept = Kept(s.mode, s.absent, s.holds, s.slip) if may_come_again(self.found.each) else None
            self._made = base, s, bound(settle, base.functions, system.functions, system.arrays, base.work, GIVEN, s)
        (_, s, call), each = self._made, self.found.each
        hand_over(s, self.found, base, at, q, v, force)
        for i, look in fired:
            s.fired[i] |= TOLD[look]
        for i, one in enumerate(each):
            s.held[i] = held.get(one.normal or one.tangent, 0.0)
        take_decided(s, decided, self._kept)
        code = int(call(at))
        if code == NOT_KNOWN:
            return None
        if code != SETTLED:
            raise self._why(code, s, at)
        decided.mode[:] = [MODES[x] for x in s.mode.tolist()]
        for i, (mode, holds, slip) in enumerate(zip(decided.mode, s.holds.tolist(), s.slip.tolist(), strict=True)):
            decided.carries[i] = Carries.NOTHING if mode == Mode.CLOSED and not holds else Carries.ALL
            decided.slip[i][:] = slip
        hit = np.flatnonzero(s.impulses).tolist()
        impulses = {each[i].name: [float(s.impulses[i])] for i in hit}
        speeds = {each[i].name: (float(s.before[i]), float(s.speed[i])) for i in hit}
        return Struck(s.v.copy(), impulses, speeds, bool(s.report[GAINS]), bool(s.report[UNIQUE]))

    def set_sides(self, work: Work, decided: Decided) -> bool:
        """What `Telling.set_sides` does, by a kernel; whether it could be done."""
        from mbsim.integrators._settling_lines import set_sides  # compiles

        if self._made is None:
            return False
        take_decided(self._made[1], decided, self._kept)
        self._sides.of(set_sides, work, self._made[1])()
        return True

    def _why(self, code: int, s: Settling, at: float) -> Stopped:
        """Why nothing could be decided."""
        blamed = int(s.report[BLAMED])
        name = join_names([one.name for one in self.found.each]) if blamed < 0 else self.found.each[blamed].name
        if code == UNDECIDED:
            return Crowd(f"what slips could not be decided of {name}", at)
        if code == NOT_EVALUATED:
            return Stopped("what contacts hold cannot be found: the mechanism without them cannot be evaluated", at)
        if code == INSIDE:
            return Stopped(beyond(self.found.each[blamed], -float(s.gap[blamed])), at)
        what = {NO_IMPACT: "the impact", NO_MODES: "what holds"}[code]
        who = "no friction that reactions load takes part" if any(s.rubs) else "no friction takes part"
        return Stopped(f"{what} has no solution at '{name}': {who}, so {LED}", at)
