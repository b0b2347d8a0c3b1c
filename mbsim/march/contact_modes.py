"""What the contacts of a run do, and what was decided at one time, as records."""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from mbsim.assembly.unilaterals import Look, Unilateral
from mbsim.system.system import Floats
from mbsim.unilateral.sharing import Carries


class Mode(StrEnum):
    """What a contact does."""

    OPEN = "open"
    CLOSED = "closed"  # without friction
    STICKS = "sticks"
    SLIPS = "slips"
    IDLE = "idle"  # a friction at rest where a closed stop holds


IS_AWAY = (Mode.OPEN, Mode.IDLE)  # it neither holds nor slips
HOLDS = (Mode.CLOSED, Mode.STICKS, Mode.SLIPS)  # the normal row of a contact


class Decided(NamedTuple):
    """What each contact does."""

    mode: list[Mode]
    slip: list[Floats]  # unit directions (tangents,) of what slips, and against which friction at its bound acts
    carries: list[Carries]  # what of its rows carries, where there are more than the load determines
    absent: frozenset[int]  # stops and frictions of joints that do not hold: they are neither watched nor decided
    eased: list[float]  # what the levers of its friction are multiplied by: with less than 1 it carries less of a load that is shared

    def copy(self) -> "Decided":
        """A copy that shares nothing."""
        return Decided(list(self.mode), [slip.copy() for slip in self.slip], list(self.carries), self.absent, list(self.eased))

    def same_as(self, other: "Decided") -> bool:
        """Whether each contact does the same."""
        alike = self.mode == other.mode and self.carries == other.carries and self.absent == other.absent and self.eased == other.eased
        return alike and all(one.tobytes() == its.tobytes() for one, its in zip(self.slip, other.slip, strict=True))

    def busy(self) -> list[int]:
        """Those that hold or slip."""
        return [i for i, mode in enumerate(self.mode) if mode not in IS_AWAY]

    def rows(self, i: int, one: Unilateral) -> set[str]:
        """The rows of contact i that hold."""
        mode, carries = self.mode[i], self.carries[i]
        found = {one.normal} if one.normal and mode in HOLDS and carries != Carries.NOTHING else set()
        return found | ({one.tangent} if one.tangent and mode == Mode.STICKS and carries == Carries.ALL else set())

    def rubs(self, i: int) -> bool:
        """Whether the friction of contact i is an effort at its bound."""
        return self.mode[i] == Mode.SLIPS or self.carries[i] == Carries.BOUND

    def gives_way(self, i: int) -> bool:
        """Whether contact i, at rest, begins to slip with others that do: its friction is at the bound, against a known direction."""
        return self.mode[i] == Mode.SLIPS or (self.carries[i] == Carries.BOUND and len(self.slip[i]) == 1)

    def watched(self, i: int, one: Unilateral, kept: bool) -> set[Look]:
        """What is looked at of contact i; `kept`: a friction keeps the coordinate of this stop."""
        mode, carries = self.mode[i], self.carries[i]
        if i in self.absent:
            return set()
        if mode == Mode.OPEN:
            return set() if kept else {Look.GAP}
        pressing = {Look.PRESS} if carries != Carries.NOTHING else set()
        found = (pressing | {Look.EDGE}) & set(one.looks)
        if mode == Mode.STICKS and carries == Carries.ALL:
            found.add(Look.HOLD)
        if mode == Mode.SLIPS:
            found.add(Look.ALONG if one.tangents == 2 else Look.SLIDE)
        return found  # nothing of what is idle: it has no normal


def nothing_decided(each: tuple[Unilateral, ...], absent: frozenset[int] = frozenset()) -> Decided:
    """Nothing holds and nothing slips."""
    modes = [Mode.OPEN if one.normal else Mode.IDLE for one in each]
    return Decided(modes, [np.zeros(one.tangents) for one in each], [Carries.ALL] * len(each), absent, [1.0] * len(each))


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
    changes: bool  # whether anything does something else than before

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
