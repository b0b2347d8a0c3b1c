"""Contacts with friction, and stops and friction of joints beside them: what a run decides at an event is found by one kernel.

It knows the ordinary cases, of one solution. All others, and all that has no solution, it leaves to `mbsim.march.unilateral`, which
decides from the same state and says what is wrong.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from mbsim.assembly.unilaterals import Look, Unilateral, Unilaterals, tangent_rows
from mbsim.contracts import Work
from mbsim.integrators._rubbing_arrays import AS_UNIT, FIRED_ALONG, FIRED_EDGE, SPATIALS, Rubbing, rubbing
from mbsim.integrators._settling_arrays import AT_ONCE, GAINS, POISSON, SETTLED, UNIQUE
from mbsim.jit import GIVEN, bound
from mbsim.march.asked import TANGENTS
from mbsim.march.contact_kept import Kept, may_come_again
from mbsim.march.contact_modes import Decided
from mbsim.march.contact_problems import gives_way, slowest
from mbsim.march.formulation import Formulation
from mbsim.march.simple_contacts import CODES, MODES, MOST_IN_ALL, TOLD, Sides, Simple, Struck, are_tried, brakes_of, hand_over, mean_mass
from mbsim.system.system import Floats
from mbsim.unilateral.impacts import POISSON_LAW
from mbsim.unilateral.sharing import Carries

CARRIES = list(Carries)  # by their numbers
TOLD_OF = TOLD | {Look.EDGE: FIRED_EDGE, Look.ALONG: FIRED_ALONG}


def is_decided(one: Unilateral) -> bool:
    """Whether the kernel knows such a one: the friction of a cable on its rims it does not."""
    return not any(group.wrap is not None for group in one.groups) and bool(one.normal or one.joint or one.of)


def are_decided(each: Collection[Unilateral], simultaneous: bool) -> bool:
    """Whether the kernel may decide of these."""
    return simultaneous and len(each) <= MOST_IN_ALL and all(map(is_decided, each))


def rubbing_of(
    found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, base: Formulation, width: int, as_unit: bool, coarse: float = 1.0
) -> Rubbing:
    """The arrays of the kernel for such ones; `lines` are those of Work.events, `width` is that of the longest output row of a base.

    `as_unit`: nobody asks how unique impulses are.
    """
    each, given, system = found.each, dict[str, np.ndarray](), base.system
    sizes = [bool(one.normal) + one.tangents for one in each]
    groups = [group for one in each for group in one.groups]
    parts = [{} if one.of else part for one in each for group in one.groups for part in group.components]
    given["first"] = np.concatenate([[0], np.cumsum(sizes)])
    given["normal"] = np.array([bool(one.normal) for one in each])
    given["tangents"] = np.array([one.tangents for one in each])
    given["weaker"] = np.array([gives_way(one) for one in each])
    for name, look in (("gaps", Look.GAP), ("presses", Look.PRESS), ("sticks", Look.HOLD), ("edges", Look.EDGE), ("turned", Look.ALONG)):
        given[name] = np.array([lines.get((i, look), -1) for i in range(len(each))])
    given["brake"] = brakes_of(each)
    given["under"] = np.array(found.under)
    blocks = list(dict.fromkeys(one.path for one in each))
    given["blocks"] = np.array([blocks.index(one.path) for one in each])
    given["spatial"] = np.array([place for own in found.slip_places for place in own or [-1] * SPATIALS])
    which = {pair: k for k, pair in enumerate(found.sides)}
    given["pairs"] = np.array([which.get(one.pair, -1) for one in each])
    given["nexts"] = np.concatenate([[0], np.cumsum([len(corners) for corners in found.next_corners])])
    given["corners"] = np.array([corner for corners in found.next_corners for corner in corners], np.int64)
    given["groups"] = np.concatenate([[0], np.cumsum([len(one.groups) for one in each])])
    given["parts"] = np.concatenate([[0], np.cumsum([len(group.components) for group in groups], dtype=np.int64)])
    looks = [(i, look) for i, one in enumerate(each) for look in (Look.SPEED,) * bool(one.normal) + TANGENTS[: one.tangents]]
    given["speeds"] = np.array([lines[key] for key in looks])
    given["places"] = np.array([place for places in found.places for place in places])
    given["turns"] = np.repeat([one.turns for one in each], sizes)
    given["lengths"] = np.array([unit.startswith("m") for unit in system.speed_units])
    given["law"] = np.zeros(3)
    given["law"][[AT_ONCE, POISSON, AS_UNIT]] = True, law == POISSON_LAW, as_unit
    given = {name: array.astype(np.int64) for name, array in given.items()}
    given["slip_factors"] = np.array([group.slips for group in groups], float)
    given["hold_factors"] = np.array([group.holds for group in groups], float)
    rows = system.n_rows if parts else 0
    given["weights"] = np.zeros((len(parts), rows))
    place = {name: k for k, name in enumerate(system.rows)}
    for weights, part in zip(given["weights"], parts, strict=True):
        for name in part.keys() & place:  # a joint that has been unlocked has no reaction, and does not rub
            weights[place[name]] = part[name]
    given["levers"] = np.repeat([one.lever for one in each], sizes)
    given["signs"] = np.array([sign for one in each for sign in (one.sign,) * bool(one.normal) + (1.0,) * one.tangents])
    given["mass"] = mean_mass(system)
    names = ("near", "slow", "restitution", "closing", "friction", "static", "bound", "static_bound")
    numbers = [
        (one.near, slowest(one, coarse), one.restitution, one.closing_speed, one.friction, one.static, one.fixed, one.fixed_static)
        for one in each
    ]
    given |= dict(zip(names, np.array(numbers).T.copy(), strict=True))
    return rubbing(system.n_q, system.n_v, rows, width, system.n_events, given)


def held_names(each: Sequence[Unilateral]) -> list[str]:
    """(N,) the rows that hold the directions: the normal one of each where it has one, then those of its tangents."""
    return [name for one in each for name in ([one.normal] if one.normal else []) + (tangent_rows(one) if one.tangent else [])]


def take_decided(s: Rubbing, decided: Decided, kept: Kept | None = None) -> None:
    """Give what was decided to the arrays of the kernel; `kept` has what it left there before."""
    if kept is not None:
        kept.put(decided, lambda: take_decided(s, decided))
        return
    for i, mode in enumerate(decided.mode):
        s.mode[i], s.absent[i], s.shared[i] = CODES[mode], i in decided.absent, decided.carries[i]
        s.slip[tangents_of(s, i)] = decided.slip[i] if decided.rubs(i) else 0.0
        s.eased[tangents_of(s, i)] = decided.eased[i]


def tangents_of(s: Rubbing, i: int) -> slice:
    """The directions of contact i along its tangents."""
    return slice(int(s.first[i] + s.normal[i]), int(s.first[i + 1]))


class Rough:
    """Those of a run."""

    def __init__(self, found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, coarse: float) -> None:
        """`lines` are those of Work.events of what is looked at."""
        self.found, self._lines, self._law, self._coarse = found, lines, law, coarse
        self._held, self._sides = held_names(found.each), Sides()
        self._kept: Kept | None = None
        self._tangents: list[slice] = []  # of each
        self._made: tuple[Formulation, Rubbing, Callable[[float], int]] | None = None

    def settle(
        self, base: Formulation, at: float, q: Floats, v: Floats, fired: Collection[tuple[int, Look]], held: Mapping[str, float],
        decided: Decided, force: float,
    ) -> Struck | None:  # fmt: skip
        """Decide what holds from (q, v) at `at` on, in place in `decided`, by the system without what contacts hold.

        None where the kernel leaves it to others.
        """
        if self._made is None or self._made[0] is not base:
            from mbsim.integrators._rubbing import rub  # compiles

            s, system = rubbing_of(self.found, self._lines, self._law, base, base.width, False, self._coarse), base.system
            self._tangents = [tangents_of(s, i) for i in range(len(self.found.each))]
            self._kept = Kept(s.mode, s.absent, s.shared, s.slip, s.eased) if may_come_again(self.found.each) else None
            self._made = base, s, bound(rub, base.functions, system.functions, system.arrays, base.work, GIVEN, s)
        (_, s, call), each = self._made, self.found.each
        hand_over(s, self.found, base, at, q, v, force)
        for i, look in fired:
            s.fired[i] |= TOLD_OF[look]
        s.held[:] = [held.get(name, 0.0) for name in self._held]
        take_decided(s, decided, self._kept)
        if call(at) != SETTLED:
            return None
        decided.mode[:], decided.carries[:] = [MODES[x] for x in s.mode.tolist()], [CARRIES[x] for x in s.shared.tolist()]
        for i, (slip, mine) in enumerate(zip(decided.slip, self._tangents, strict=True)):
            slip[:] = s.slip[mine]
            decided.eased[i] = float(s.eased[mine.start]) if len(slip) else 1.0
        impulses, speeds = dict[str, list[float]](), dict[str, tuple[float, float]]()
        for i, one in enumerate(each if s.impulses.any() else ()):
            k = int(s.first[i])
            if (own := s.impulses[k : s.first[i + 1]]).any():
                impulses[one.name], speeds[one.name] = own.tolist(), (float(s.before[k]), float(s.speed[k]))
        return Struck(s.v.copy(), impulses, speeds, bool(s.report[GAINS]), bool(s.report[UNIQUE]))

    def set_sides(self, work: Work, decided: Decided) -> bool:
        """What `Telling.set_sides` does, by a kernel; whether it could be done."""
        from mbsim.integrators._rubbing_lines import set_contact_sides  # compiles

        if self._made is None:
            return False
        take_decided(self._made[1], decided, self._kept)
        self._sides.of(set_contact_sides, work, self._made[1])()
        return True


def quick_way(
    found: Unilaterals, lines: Mapping[tuple[int, Look], int], law: str, simultaneous: bool, coarse: float
) -> Simple | Rough | None:
    """What decides of all of these by a kernel; None where none does, or where nothing is worth compiling it."""
    if are_tried(found.each):
        return Simple(found, lines, law, simultaneous)
    if any(one.tangents for one in found.each) and are_decided(found.each, simultaneous):
        return Rough(found, lines, law, coarse)
    return None
