"""What a stretch of a run is told of its contacts: the efforts of what slips, which lines of events are looked at, and their sides."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.assembly.unilaterals import NEARNESS, SLIPS, Look, Unilaterals, tangent_rows
from mbsim.contracts import Work
from mbsim.forces._push import BEGIN
from mbsim.integrators._sides import NOISE, SIDE
from mbsim.kernels.relative import BY_LAWS, NEVER, WHEN
from mbsim.march.asked import clear_numbers, find_all, heights
from mbsim.march.contact_kept import Kept, may_come_again
from mbsim.march.contact_modes import Decided, Mode
from mbsim.march.formulation import Formulation
from mbsim.system.system import Floats, System

TOUCHES = 1e-9  # m or rad, or of the bound: what is nearer is closed if it does not open
SIZE = 1e-3  # m, rad or a second of these, or of the largest effort, N or N m, up to 1: what is watched counts as at least so large
AT_REST = 1e-10  # of the largest speed, or m/s or rad/s: slower than this is at rest
BEGINS = 1.0 / BEGIN  # m/s: added to the slip of a contact in space along the direction in which it begins

MOST_TOLD = 16  # work arrays of which is kept what they were told

Places = NDArray[np.int64]
_TOLD = slice(contracts.EVENT_UNKNOWN_RATE, contracts.EVENT_WIDTH)


class _Sides(NamedTuple):
    """Of which sides of zero the lines of Work.events are, by the modes."""

    decided: Decided
    opened: Places  # what is open
    gaps: Places  # their lines
    which: Places  # other lines
    side: Floats
    near: Floats  # what is zero
    unit: Floats
    efforts: NDArray[np.bool_]  # which of these are efforts, whose unit is that of the largest one


class Telling:
    """Those of a run. What is open and what is closed is told one by one of the closed ones only: of a heap most are open."""

    def __init__(self, found: Unilaterals, lines: Mapping[tuple[int, Look], int], coarse: float = 1.0) -> None:
        """`lines` are those of Work.events of what is looked at; `coarse` as of `contact_problems.coarseness`."""
        self.found, self._line, self._coarse = found, lines, coarse
        each = found.each
        self._lines = np.array(list(lines.values()), np.int64)
        self._efforts = np.array([line for (_, look), line in lines.items() if look in (Look.PRESS, Look.HOLD)], np.int64)
        self._gaps = np.array([lines.get((i, Look.GAP), -1) for i in range(len(each))], np.int64)
        self._edges = np.array([lines.get((i, Look.EDGE), -1) if one.pair else -1 for i, one in enumerate(each)], np.int64)  # of sides
        self._near = np.array([one.near for one in each])
        self._sides: _Sides | None = None  # the last ones
        self._known: Mapping[str, int] | None = None  # the relative coordinates of a system, and those of contacts among them
        self._measured = _measured(found, {})
        self._loaded = [i for i, one in enumerate(each) if one.loads]
        place = [(one.joint, one.coordinate) for one in each]
        rubs = [k for k, one in enumerate(each) if not one.normal and one.joint]
        follow = all((np.diff(x) == 1).all() for x in (self._lines, found.all_places))  # each other, so that a part of an array has them
        self._comes_again = follow and bool(len(each)) and may_come_again(each)
        self._given: dict[int, tuple[Work, Kept]] = {}  # by work arrays
        self._brakes = {j: [k for k in rubs if place[k] == place[j]] for j, one in enumerate(each) if one.normal and one.joint}

    def largest(self, formulation: Formulation) -> Floats:
        """How large the efforts were that are watched."""
        found: Floats = formulation.work.events[self._efforts, contracts.EVENT_LARGEST]
        return found

    def give(self, decided: Decided, formulation: Formulation) -> None:
        """Give all to the system that is marched."""
        system, work = formulation.system, formulation.work
        if self._comes_again:
            self._told_of(system, work).put(decided, lambda: self._give(decided, system, work))
        else:
            self._give(decided, system, work)

    def _told_of(self, system: System, work: Work) -> Kept:
        """What is known of what `_give` fills of a system and its work."""
        found = self._given.get(id(work))
        if found is None or found[0] is not work:
            while len(self._given) >= MOST_TOLD:
                del self._given[next(iter(self._given))]
            lines, places = work.events[self._lines[0] : self._lines[-1] + 1], self.found.all_places
            told = lines[:, contracts.EVENT_ACTIVE], lines[:, _TOLD], system.arrays.parameters[places[0] : places[-1] + 1]
            kept = Kept(*told, work.levers, work.slipping, work.groups, work.components, system.arrays.relative[:, WHEN])
            found = self._given[id(work)] = work, kept
        return found[1]

    def _give(self, decided: Decided, system: System, work: Work) -> None:
        """What `give` does."""
        events, numbers = work.events, system.arrays.parameters
        rows = {name: k for k, name in enumerate(system.rows)}
        clear_numbers(self.found, numbers)
        self._rest(decided, system)
        first = self._give_loads(decided, system, work, rows)
        events[self._lines, contracts.EVENT_ACTIVE] = 0.0
        events[self._lines, _TOLD] = 0.0
        events[self._gaps[self._open(decided)], contracts.EVENT_ACTIVE] = 1.0
        for i in decided.busy():
            one = self.found.each[i]
            if decided.rubs(i):
                self._give_slip(decided, i, numbers)
            for row in tangent_rows(one) if one.tangents and decided.mode[i] == Mode.STICKS else ():
                if row in rows:
                    work.levers[rows[row]] = one.lever * decided.eased[i]
            for look in self._watched(decided, i):
                line = events[self._line[i, look]]
                line[contracts.EVENT_ACTIVE] = 1.0
                if look == Look.PRESS:
                    line[_TOLD] = 1.0, rows[one.normal] + 1, 1, one.sign, 0.0, 0, 0
                elif look == Look.HOLD:
                    at = rows[tangent_rows(one)[0]] + 1
                    line[_TOLD] = 1.0, at, one.tangents, 0.0, one.fixed_static, *first.get(i, (0, 0))

    def _rest(self, decided: Decided, system: System) -> None:
        """Let relative coordinates be found as far as contacts that do not touch need it: how near they are, for events alone."""
        find_all(system)
        if self._known is not system.relative and self._known != system.relative:
            self._known, self._measured = system.relative, _measured(self.found, system.relative)
        is_open = np.zeros(len(self.found.each), bool)
        is_open[self._open(decided)] = True
        contact, place, needed = self._measured
        system.arrays.relative[place[is_open[contact]], WHEN] = needed[is_open[contact]]

    def _give_loads(self, decided: Decided, system: System, work: Work, rows: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """Give what loads the frictions that there are; returns the first group and the number of groups of each."""
        found: dict[int, tuple[int, int]] = {}
        slipping = group = component = 0
        work.components[:] = 0.0
        for i in self._loaded:
            one = self.found.each[i]
            if not one.is_loaded(rows):
                continue
            found[i] = group, len(one.loads)
            for load in one.loads:
                work.groups[group] = load.numbers(decided.mode[i] != Mode.SLIPS, component, system)
                for weights in load.components:
                    for name, weight in weights.items():
                        if name in rows:
                            work.components[component, rows[name]] = weight
                    component += 1
                group += 1
            place, factor = self._slip_place(decided, i)
            work.slipping[slipping] = place if decided.rubs(i) else -1.0, factor, self._fixed(decided, i), *found[i]
            slipping += 1
        return found

    def _slip_place(self, decided: Decided, i: int) -> tuple[int, float]:
        """The number that is the friction of what slips, and its sign."""
        if self.found.each[i].tangents == 2:
            return self.found.slip_places[i][0], -1.0
        return self.found.places[i][-1], -float(decided.slip[i][0])

    def _fixed(self, decided: Decided, i: int) -> float:
        """The friction of contact i that nothing loads, where it slips or is at its bound at rest."""
        one = self.found.each[i]
        return one.fixed if decided.mode[i] == Mode.SLIPS else one.fixed_static

    def _give_slip(self, decided: Decided, i: int, numbers: Floats) -> None:
        place, factor = self._slip_place(decided, i)
        numbers[place] = factor * self._fixed(decided, i)
        if self.found.each[i].tangents == 2:
            _, *start, still = self.found.slip_places[i]
            numbers[start], numbers[still] = BEGINS / self._coarse * decided.slip[i], 0.0

    def _open(self, decided: Decided) -> Places:
        """Those whose gaps are looked at: what is open, but a stop of a coordinate that friction keeps where it is."""
        found = [i for i, mode in enumerate(decided.mode) if mode == Mode.OPEN and i not in decided.absent]
        return np.array(found if not self._brakes else [i for i in found if Look.GAP in self._watched(decided, i)], np.int64)

    def _unseen(self, events: Floats, which: Places) -> Floats:
        """How deep what is open and counts as zero comes behind a side without being pressed on it, m: as deep as it is.

        A corner that passes an end of a side is behind both sides there, by as much as it is behind the nearer one.
        """
        gap = events[self._gaps[which], contracts.EVENT_VALUE]
        found: Floats = -gap
        at_side = np.flatnonzero(self._edges[which] >= 0)
        edge = events[self._edges[which[at_side]], contracts.EVENT_VALUE]
        height = heights(gap[at_side], edge)
        ahead = edge - height
        found[at_side] = np.maximum(-height, np.where(ahead <= TOUCHES * self._near[which[at_side]], ahead, 0.0))
        return found

    def _watched(self, decided: Decided, i: int) -> set[Look]:
        """What is looked at: nothing along a coordinate that friction or a stop keeps where it is but what keeps it."""
        kept = any(decided.mode[k] == Mode.STICKS for k in self._brakes.get(i, ()))
        return decided.watched(i, self.found.each[i], kept)

    def set_sides(self, decided: Decided, events: Floats) -> None:
        """Where an expression is zero but for round-off its side is that of the mode."""
        if self._sides is None or not self._sides.decided.same_as(decided):
            self._sides = self._sides_of(decided)
        opened, gaps, which, side, near, unit, efforts = self._sides[1:]
        _set_sides(events, gaps, np.ones(len(opened)), TOUCHES * self._near[opened], self._near[opened])
        _hush(events, gaps, self._unseen(events, opened))
        if len(which):
            largest = float(np.abs(events[self._efforts, contracts.EVENT_LAST_VALUE]).max(initial=0.0))  # of a watch they are all small
            unit[efforts] = min(largest, 1.0) if largest > 0.0 else 1.0
            _set_sides(events, which, side, near, unit)

    def _sides_of(self, decided: Decided) -> _Sides:
        """What `set_sides` needs, which depends on nothing but the modes."""
        opened = self._open(decided)
        told: list[tuple[int, float, float, float, bool]] = []  # line, side, what is zero, unit, whether it is an effort
        for i in decided.busy():
            for look in self._watched(decided, i):
                side, near, unit = 1.0, 0.0, 1.0
                if look in (Look.GAP, Look.EDGE):
                    near, unit = TOUCHES * self._near[i], self._near[i]
                elif look == Look.SLIDE:
                    side, near = float(decided.slip[i][0]), AT_REST
                elif look == Look.ALONG:
                    unit = BEGINS * min(1.0, float(self._near[i]))
                    near = AT_REST * unit
                told.append((self._line[i, look], side, near, unit, look in (Look.PRESS, Look.HOLD)))
        line, sides, nears, units, efforts = np.array(told, float).reshape(-1, 5).T.copy()
        return _Sides(decided.copy(), opened, self._gaps[opened], line.astype(np.int64), sides, nears, units, efforts != 0.0)


def _measured(found: Unilaterals, known: Mapping[str, int]) -> tuple[Places, Places, Places]:
    """Which relative coordinates are measured of contacts: of which contact, their places, and when they are found of one that is open."""
    words = [(word, BY_LAWS) for word in NEARNESS] + [(word, NEVER) for word in SLIPS]
    each = [(i, known.get(f"{one.name}.{word}", -1), when) for i, one in enumerate(found.each) for word, when in words]
    contact, place, needed = np.array([x for x in each if x[1] >= 0], np.int64).reshape(-1, 3).T
    return contact, place, needed


def _hush(events: Floats, which: np.ndarray, unseen: Floats) -> None:
    """Let gaps of solids that are open and count as zero not close before they are twice as deep as `unseen` (k,).

    Faces that touch and do not press open and close by round-off, without end. Others keep their size: it says how often one looks.
    """
    zero = (events[which, contracts.EVENT_LEFT] == 0.0) & (events[which, contracts.EVENT_WIDTH] > 0.0) & (unseen > 0.0)
    below, size = which[zero], 2.0 / NOISE * unseen[zero]
    events[below, contracts.EVENT_LARGEST] = np.maximum(events[below, contracts.EVENT_LARGEST], size)


def _set_sides(events: Floats, which: np.ndarray, side: Floats, near: Floats, unit: Floats) -> None:
    """Of some lines (k,): their sides, what counts as zero, and of what they are at least `SIZE` large."""
    values, rates = events[which, contracts.EVENT_LAST_VALUE], events[which, contracts.EVENT_LAST_RATE]
    # what is zero but for round-off is not fast for its size
    events[which, contracts.EVENT_FASTEST] = 0.0
    events[which, contracts.EVENT_LARGEST] = np.maximum(events[which, contracts.EVENT_LARGEST], SIZE * unit)
    zero = side * values <= near
    at, s = which[zero], side[zero]
    events[at, contracts.EVENT_LAST_VALUE], events[at, contracts.EVENT_LEFT] = s * np.maximum(SIDE, s * values[zero]), 0.0
    moving = near[zero] > 0.0  # a gap that opens, a slip that begins: a rate against it is round-off
    events[at[moving], contracts.EVENT_LAST_RATE] = s[moving] * np.maximum(0.0, s[moving] * rates[zero][moving])
