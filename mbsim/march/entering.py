"""Which side a corner has come in by: a step of Moreau and Jean may lead it into a polygon or a solid before it is stopped.

Where the height above one side alone is near zero, that is the side. A box that falls onto one of the same width is different: its corners
are on the planes of other sides all the time, and those are no deeper than round-off.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.assembly.unilaterals import Look, Unilaterals
from mbsim.elements.kinds import FROM_SOLID, NEAR_SOLID, SLID_SOLID, SLIP_SOLID, SOLID_SIDE
from mbsim.kernels.spatial_solids import SHARP
from mbsim.march.asked import heights
from mbsim.system.system import Floats, System

Places = NDArray[np.int64]


class Sides:
    """The sides of polygons, in the plane."""

    def __init__(self, found: Unilaterals, lines: Mapping[tuple[int, Look], int]) -> None:
        """`lines` are those of Work.events of what is looked at."""
        self._found = found
        self.each = np.flatnonzero([bool(one.pair) for one in found.each])
        self.edges = np.array([lines[int(i), Look.EDGE] for i in self.each], np.int64)
        self._near = np.array([found.each[i].near for i in self.each])
        pairs = [found.each[i].pair for i in self.each]
        self._first = np.flatnonzero([k == 0 or pair != pairs[k - 1] for k, pair in enumerate(pairs)])  # where those of a corner begin
        self._end = np.append(self._first[1:], len(pairs))
        self.height = np.zeros(len(found.each))
        self.begin()

    def begin(self, gap: Floats | None = None, height: Floats | None = None) -> None:
        """Look at a step from gaps and heights (n,) on; without them nothing is known of before."""
        self._gap, self._before = gap, height

    def set_gaps(self, gap: Floats, out: Floats, touches: float) -> None:
        """Set `height` (n,), and the gaps (n,) of corners that are inside of a polygon, or no more than `touches` of its size outside.

        The gap of the side by which a corner came in is the height above it, those of the others are infinite. It is the one that it has
        gone through last in the step, or in a step before; on a corner it is one of those that part both polygons, and of these the one
        that it is least far behind. `out` is Work.events.
        """
        self.height = gap.copy()
        if not len(self.each):
            return
        self.height[self.each] = heights(gap[self.each], out[self.edges, contracts.EVENT_VALUE])
        least = np.maximum.reduceat(self.height[self.each], self._first)
        for k in np.flatnonzero(least <= touches * np.minimum.reduceat(self._near, self._first)):
            sides = self.each[self._first[k] : self._end[k]]
            through = self._entered(sides) if least[k] < -touches * self._near[self._first[k]] else -1
            if through < 0:
                parting = [i for i in sides.tolist() if self._found.parts(i, self.height)] or sides.tolist()
                through = max(parting, key=self.height.__getitem__)
            gap[sides] = np.inf
            gap[through] = self.height[through]

    def _entered(self, sides: Places) -> int:
        """The side of a polygon through which what is inside of it has come in; -1 where that is not known."""
        if self._gap is None or self._before is None:
            return -1
        before, now = self._before[sides], self.height[sides]
        if (crossed := np.flatnonzero((before > 0.0) & (now < 0.0))).size:
            return int(sides[crossed[np.argmax(before[crossed] / (before - now)[crossed])]])
        inside = np.flatnonzero(np.isfinite(self._gap[sides]))
        return int(sides[inside[0]]) if len(inside) == 1 else -1


class _Numbers(NamedTuple):
    """Numbers of a system that say how deep corners are: their lines in an array, and of which contacts they are."""

    array: Floats
    lines: Places
    contacts: Places
    least: Floats  # how deep they are without steps through contacts, m


class Corners:
    """The corners that touch solids, in space: kernels are told how deep they may be in them."""

    def __init__(self, found: Unilaterals, base: System, full: System) -> None:
        """`base` is the system without what contacts hold, `full` that with all their rows."""
        self._numbers = [_told_of_relative(found, base), _told_of_relative(found, full), _told_of_rows(found, full)]

    def set_depths(self, depths: Floats) -> None:
        """How deep each contact (n,) may be, m."""
        for array, lines, contacts, least in self._numbers:
            if len(lines):
                array[lines, SHARP] = np.maximum(depths[contacts], least)


def _told_of_relative(found: Unilaterals, system: System) -> _Numbers:
    """The relative coordinates that a system measures of contacts with solids."""
    place = {one.name: i for i, one in enumerate(found.each)}
    kinds, data, of = (FROM_SOLID, SLID_SOLID, SOLID_SIDE), system.arrays.relative_data, list[tuple[int, int]]()
    for name, k in system.relative.items():
        i = place.get(name.rpartition(".")[0])
        if i is not None and system.arrays.relative[k, 0] in kinds and data[k, SHARP] > 0.0:
            of.append((k, i))
    lines, contacts = np.array(of, np.int64).reshape(-1, 2).T
    return _Numbers(data, lines, contacts, data[lines, SHARP] if len(lines) else np.zeros(0))


def _told_of_rows(found: Unilaterals, system: System) -> _Numbers:
    """The rows of a system that hold contacts with solids."""
    place = {row: i for i, one in enumerate(found.each) for row in (one.normal, one.tangent) if row}
    kinds, data, of = (NEAR_SOLID, SLIP_SOLID), system.arrays.geometry, list[tuple[int, int]]()
    for k, (kind, first) in enumerate(system.arrays.primitives[:, :2].tolist()):
        i = place.get(system.rows[first].partition(".")[0])
        if i is not None and kind in kinds and data[k, SHARP] > 0.0:
            of.append((k, i))
    lines, contacts = np.array(of, np.int64).reshape(-1, 2).T
    return _Numbers(data, lines, contacts, data[lines, SHARP] if len(lines) else np.zeros(0))
