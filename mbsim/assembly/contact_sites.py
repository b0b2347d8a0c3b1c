"""Where contacts are: a ball or a point of one body, and a plane, a side, a ball, a corner or a hole of another; and what holds them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any, NamedTuple

from mbsim.assembly.unilaterals import near_of, slow_of
from mbsim.constraints._table import Axes, Geometry, Meeting, Place, Row, RowConstraint, Seats, turn_tangents
from mbsim.elements.kinds import ABOUT, ALONG, LENGTH, PIVOTED, PIVOTED_ROUND, RIM_TILT, ROLLED, ROLLED_ROUND, SLID, SLID_ROUND
from mbsim.elements.primitives import (
    Primitive,
    angle,
    distance,
    height,
    in_plane,
    pivot,
    pivot_round,
    roll,
    roll_round,
    slip,
    slip_round,
)
from mbsim.forces._table import Geometry as ForceGeometry
from mbsim.model.fields import Point
from mbsim.model.leaves import Surface, Touch

_SLIDES = {(2, False): ROLLED, (2, True): ROLLED_ROUND, (3, False): SLID, (3, True): SLID_ROUND}  # of what is round or not
NO_AXIS: Axes = [[0.0, 0.0, 0.0]] * 3  # of a ball: it touches straight below its centre
RECESS = 5e-10  # m, or of the size of what a gap is measured by: half of the gap that is closed, and more than rows drift


Turn = tuple[Primitive, tuple[Axes, Axes]]


class Measure(NamedTuple):
    """A relative coordinate that laws read."""

    label: str
    kind: int
    primitive: Primitive
    first: Place
    second: Place
    frames: tuple[Axes, Axes]


class Bound(NamedTuple):
    """A plane of the first body that bounds where its side is touched: behind it the side is, and beyond it it is not."""

    label: str  # what laws call the height of the ball's centre above it
    through: list[float] | None  # as of a site
    at: list[float]
    axes: Axes
    least: float  # the height from which on it is beyond, m


@dataclass(frozen=True)
class Site:
    """One unilateral contact. Lengths in m; points in axes of their bodies, from the centre of mass."""

    name: str
    dimension: int
    first: str  # the body with the plane, the hole, or the first ball
    through: list[float] | None  # a point of the plane, the centre of the hole, global at the start; None: the body's centre of mass
    at: list[float]  # (3,) of the first of two balls, from there
    second: str  # the body with the ball or the point
    centre: list[float]  # (3,)
    radius: float  # of the ball
    rim: float | None  # of the first ball or corner, below zero of a hole; None: there is a plane
    axes: Axes  # of the plane, or of what is round where both touch at the start: two tangents and the normal
    rough: bool  # whether there is friction
    drawn_at: list[float]  # (3,) of the ball, global at the start
    height: str = ""  # what laws call `gap`, where contacts share it
    bounds: tuple[Bound, ...] = ()  # of a side
    pair: str = ""  # the same of all sides of one polygon that it may touch
    disk_on: str = ""  # the same of all contacts of a disk with the sides and then the corners of one polygon
    beside: tuple[str, ...] = ()  # of a corner of a polygon: what laws call the heights of the next corners above this side
    even: float = 0.0  # m: heights above two sides that differ by less are equal
    width: float = 0.0  # of what it can pass through and the ball together; 0: there is no other side
    disk: list[float] | None = None  # of a circle about `centre`, the rim of a cylinder, in place of a ball: its axis, global at the start
    end: "Site | None" = None  # of a point on which an end of a cylinder stands: its rim; it counts where that lies nearly flat
    still: bool = False  # a point of what rolls by others of the block: it has no resistance of its own

    @property
    def size(self) -> float:
        """Of the smaller one of both that touch, m; 0 where neither has one."""
        return min((size for size in self._sizes if size > 0.0), default=0.0)

    @property
    def slow(self) -> float:
        """By what its slips are measured, m/s."""
        return slow_of(self.size)

    @property
    def _sizes(self) -> tuple[float, float]:
        """Of the first and of the second body, as far as the contact knows them; a plane has none."""
        own = [self.at, *(bound.at for bound in self.bounds if bound.through is None)] if self.through is None else []
        return max([abs(self.rim or 0.0), *(hypot(*at) for at in own)]), max(self.radius, hypot(*self.centre))

    @property
    def is_round(self) -> bool:
        """Whether a ball touches another ball, a corner or a hole."""
        return self.rim is not None

    @property
    def gap(self) -> str:
        """What laws call the distance of the centre from the plane, or of the two centres."""
        return self.height or f"{self.name}.distance"

    @property
    def beyond(self) -> str:
        """How far the centre is beyond the bounds of a side, as laws say it; below zero above the side."""
        terms = [f"{bound.label} - ({bound.least!r})" for bound in self.bounds]
        return f"max({', '.join(terms)})" if len(terms) > 1 else terms[0]

    @property
    def height_text(self) -> str:
        """How far it is from closed, as laws say it, not knowing of bounds."""
        return f"{'' if self.sign > 0.0 else '-'}({self.gap} - ({self.least - self._recess!r}))"

    @property
    def _recess(self) -> float:
        """By how much a corner lies behind the sides that end there, m.

        What rolls over the end of a side comes to its corner without an impact. As the row of the side drifts, the corner would be met a
        little before, and would take some of the speed.
        """
        return RECESS * near_of(self.size) if self.rim == 0.0 else 0.0

    @property
    def gap_text(self) -> str:
        """How far it is from closed, as laws say it: see `mbsim.assembly.contact_pairs`."""
        height = self.height_text
        if self.end is not None:
            return f"({height}) + 2*max(0, {self.name}.tilt)"
        return f"({height}) + 2*max(0, {self.beyond} - ({height}){self._less_even})" if self.bounds else height

    @property
    def edge(self) -> str | None:
        """How far the contact is from where what it touches ends, as laws say it; None where that has no end."""
        if self.end is not None:
            return f"-{self.name}.tilt"
        return f"({self.height_text}) - ({self.beyond}{self._less_even})" if self.bounds else None

    @property
    def _less_even(self) -> str:
        return f" - {self.even!r}" if self.even else ""

    @property
    def is_on_plane(self) -> bool:
        """Whether it touches a plane without end, with which it is drawn."""
        return not self.is_round and not self.bounds

    @property
    def slides(self) -> list[str]:
        """What laws call what slips along the tangents."""
        return [f"{self.name}.slide{k}" for k in range(self.dimension - 1)] if self.rough else []

    @property
    def least(self) -> float:
        """The value of `gap` at which the contact is closed."""
        return self.radius if self.rim is None else abs(self.rim + self.radius)

    @property
    def sign(self) -> float:
        """1 where the contact opens as `gap` grows, -1 where it closes then."""
        return -1.0 if self.rim is not None and self.rim < 0.0 else 1.0

    @property
    def to_contact(self) -> tuple[float, float]:
        """Of what is round: from the first centre towards the second, and back from there."""
        return self.sign * (self.rim or 0.0), self.sign * self.radius

    @property
    def frames(self) -> tuple[Axes, Axes]:
        """Of the plane, and of the ball or the circle."""
        return self.axes, self.axes if self.dimension == 2 else self._own_axes

    @property
    def _own_axes(self) -> Axes:
        """Of what touches, in space: the axis of a circle."""
        return NO_AXIS if self.disk is None else [[0.0] * 3, [0.0] * 3, self.disk]

    @property
    def normal(self) -> Primitive:
        """What keeps the contact closed."""
        return distance(self.least) if self.is_round else height(self.radius)

    @property
    def tangents(self) -> list[tuple[Primitive, tuple[Axes, Axes]]]:
        """What keeps it from slipping, and the frames of that, along each tangent."""
        if self.dimension == 2:
            return [(roll_round(*self.to_contact) if self.is_round else roll(self.radius), self.frames)]
        primitive = slip_round(*self.to_contact) if self.is_round else slip(self.radius)
        return [(primitive, (turn_tangents(self.axes), self._own_axes)), (primitive, (self.axes, self._own_axes))]

    @property
    def is_corner(self) -> bool:
        """Whether what touches has no radius, and neither has what it touches: then it does not roll."""
        return self.radius == 0.0 and not self.still

    def turns(self, drills: bool) -> list[Turn]:
        """What keeps it from rolling, along each tangent, or from drilling about the normal; and the frames of that."""
        if self.dimension == 2:
            return [(angle(), self.frames)]
        if self.is_round:
            frames = (self.axes, NO_AXIS)
            return (
                [(pivot_round(drills), frames)]
                if drills
                else [(pivot_round(False), (turn_tangents(self.axes), NO_AXIS)), (pivot_round(False), frames)]
            )
        x, y, normal = self.axes
        axes: list[Axes] = [[x, normal, y]] if drills else [turn_tangents(self.axes), self.axes]
        return [(pivot(), (each, NO_AXIS)) for each in axes]

    def turn_name(self, drills: bool, k: int) -> str:
        """What laws call how far it has turned along the k-th of `turns`."""
        return f"{self.name}.{'drilling' if drills else 'rolling'}{k}"

    @property
    def turn_kind(self) -> int:
        """The kind of relative coordinate that `turns` are."""
        return ABOUT if self.dimension == 2 else PIVOTED_ROUND if self.is_round else PIVOTED

    @property
    def measured(self) -> tuple[int, Primitive]:
        """What `gap` is: a kind of relative coordinate, and the primitive whose geometry it has."""
        if self.is_round:
            return LENGTH, distance()
        return ALONG, in_plane("z")

    @property
    def slide_kind(self) -> int:
        """The kind of relative coordinate that `slides` are."""
        return _SLIDES[self.dimension, self.is_round]

    def limits(self, geometry: Geometry | ForceGeometry) -> list[Measure]:
        """What `edge` is made of beside `gap`."""
        _, second = self.places(geometry)
        found = self.tilts(geometry)
        for bound in self.bounds:
            plane = self.placed(geometry, self.first, bound.through, bound.at)
            found.append(Measure(bound.label, ALONG, in_plane("z"), plane, second, (bound.axes, bound.axes)))
        return found

    def tilts(self, geometry: Geometry | ForceGeometry) -> list[Measure]:
        """How much the end is tilted of which this is a point."""
        end = self.end
        return [] if end is None else [Measure(f"{self.name}.tilt", RIM_TILT, end.normal, *end.places(geometry), end.frames)]

    def meeting(self, seats: Seats) -> Meeting:
        """Where it is drawn."""
        rows = (self.name, *(f"{self.name}_stick" + f".slip{k}" * (self.dimension == 3) for k in range(len(self.slides))))
        return Meeting(self._meets, *self.places(seats), self.frames, self._radii, rows, self._drawn_numbers)

    @property
    def _meets(self) -> str:
        return "round" if self.is_round else "plane"

    @property
    def _radii(self) -> tuple[float, float]:
        return self.to_contact if self.is_round else (0.0, self.radius)

    @property
    def _drawn_numbers(self) -> dict[str, Sequence[float]]:
        return {}

    def places(self, geometry: Seats) -> tuple[Place, Place]:
        """The point of the plane, or the centre of the hole or of the first ball; and the centre of the second."""
        return self.placed(geometry, self.first, self.through, self.at), self.placed(geometry, self.second, None, self.centre)

    @staticmethod
    def placed(geometry: Seats, body: str, through: list[float] | None, at: list[float]) -> Place:
        """A place that is `at` (3,) in body axes from a point of a body, global at the start, or from the centre of mass."""
        index, middle = geometry.place(Point(body, None), through)
        return index, [a + b for a, b in zip(middle, at, strict=True)]


class ContactRow(RowConstraint):
    """What holds a closed contact: its normal row, or those of the tangents."""

    SYMBOL = "ball"

    site: Any
    sticks: bool = False

    def touches(self, dimension: int) -> Touch | None:
        site = self.site
        if self.sticks or site.still or not site.is_on_plane:
            return None
        plane = Surface(site.first, site.through, site.axes[2][:dimension])
        return Touch((Point(site.second, None), site.drawn_at[:dimension]), site.disk, site.radius, plane)

    def meets(self, seats: Seats) -> Meeting | None:
        return None if self.sticks else self.site.meeting(seats)

    def rows(self, geometry: Geometry) -> list[Row]:
        site, (first, second) = self.site, self.site.places(geometry)
        if not self.sticks:
            return [Row("", site.normal, first, second, site.frames)]
        labels = [""] if site.dimension == 2 else ["slip0", "slip1"]
        return [Row(label, primitive, first, second, frames) for label, (primitive, frames) in zip(labels, site.tangents, strict=True)]


class ResistanceRow(RowConstraint):
    """What holds a contact that does not roll, or does not drill."""

    site: Any
    drills: bool = False

    def rows(self, geometry: Geometry) -> list[Row]:
        first, second = self.site.places(geometry)
        turns = self.site.turns(self.drills)
        labels = [""] if len(turns) == 1 else ["slip0", "slip1"]
        return [Row(label, primitive, first, second, frames) for label, (primitive, frames) in zip(labels, turns, strict=True)]


class RimRow(ContactRow):
    """The same of the rim of a cylinder, which is drawn as a wheel."""

    SYMBOL = "wheel"
