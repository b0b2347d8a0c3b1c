"""Where solids touch each other in space: a ball or a corner on a solid, an edge on an edge.

A capsule is a box without thickness along two axes, a ball one without any, with a radius about it. So what two of them touch with is the
corners of each on the other, as balls of its radius, and their edges on each other. A convex polyhedron has its own corners and edges, and
a box that meets one is one. What cylinders do is in `cylinder_sites.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from mbsim.assembly.contact_sites import Measure, Site, Turn
from mbsim.assembly.unilaterals import FLAT, near_of
from mbsim.constraints._table import Axes
from mbsim.constraints._table import Geometry as RowGeometry
from mbsim.elements.kinds import EDGES_APART, EDGES_END, FROM_SOLID, PIVOTED_EDGES, PIVOTED_SOLID, SLID_EDGES, SLID_SOLID, SOLID_SIDE
from mbsim.elements.primitives import Primitive, apart_edges, near_solid, pivot_edges, pivot_solid, slip_edges, slip_solid
from mbsim.forces._table import Geometry as ForceGeometry
from mbsim.kernels.primitives import SOLID_A, SOLID_BOX, SOLID_CYLINDER, SOLID_HULL
from mbsim.model.hulls import Hull, HullEdge, hull_of

MOST_PAIRS = 600  # of edges of two hulls: each is a contact
BEHIND = 1e-3  # of 1 + A . n: closer to it a face of a hull has no good tangents


class Solid(NamedTuple):
    """A box with a radius about it, a cylinder or a convex polyhedron, in axes of its body from the centre of mass, m."""

    at: list[float]  # (3,)
    axes: Axes  # x, y, z as rows
    half: tuple[float, float, float]  # edges of a box; of a cylinder its radius, 0 and half its length
    radius: float
    form: float = SOLID_BOX
    hull: Hull | None = None  # in its axes

    @property
    def thick(self) -> list[int]:
        """The axes along which a box has edges."""
        return [k for k in range(3) if self.half[k] > 0.0]

    @property
    def width(self) -> float:
        """The least distance between two parallel planes that touch it from both sides, m."""
        if self.hull is not None:
            return float((self.hull.heights - (self.hull.corners @ self.hull.normals.T).min(axis=0)).min())
        half = min(self.half[0], self.half[2]) if self.is_round else min(self.half)
        return 2.0 * (self.radius + half)

    @property
    def is_ball(self) -> bool:
        return self.form == SOLID_BOX and not self.thick

    @property
    def is_round(self) -> bool:
        """Whether it is a cylinder."""
        return self.form == SOLID_CYLINDER

    def corners(self) -> Iterator[list[float]]:
        """(3,) each, in body axes."""
        if self.hull is not None:
            yield from (self.placed(corner) for corner in self.hull.corners.tolist())
            return
        for signs in product(*((-1.0, 1.0) if h > 0.0 else (0.0,) for h in self.half)):
            yield self.placed([s * h for s, h in zip(signs, self.half, strict=True)])

    def placed(self, p: Sequence[float]) -> list[float]:
        return [o + sum(p[m] * self.axes[m][k] for m in range(3)) for k, o in enumerate(self.at)]

    def turned(self, direction: Sequence[float]) -> list[float]:
        """A direction (3,) in its axes, in those of the body."""
        return [sum(direction[m] * self.axes[m][k] for m in range(3)) for k in range(3)]

    def as_hull(self) -> "Solid":
        """A box as a polyhedron; others as they are."""
        if self.form != SOLID_BOX or len(self.thick) < 3:
            return self
        return polyhedron(self.at, self.axes, list(product(*((-h, h) for h in self.half))))

    def rods(self) -> Iterator["Rod"]:
        """The edges of a polyhedron, or the line of a capsule."""
        if self.hull is None:
            yield Rod(self.at, self.axes, self.half[2], (0.0,) * 6)
            return
        for edge in self.hull.edges:
            yield self._rod(edge)

    def _rod(self, edge: HullEdge) -> "Rod":
        a, (p, q) = edge.direction, edge.normals
        cone = [*self.turned(np.cross(a, p).tolist()), *self.turned(np.cross(q, a).tolist())]
        frame = [self.turned(axis) for axis in (np.cross(p, a).tolist(), p.tolist(), a.tolist())]
        return Rod(self.placed(edge.middle.tolist()), frame, edge.half, tuple(cone))

    def numbers(self, sharp: bool) -> tuple[float, ...]:
        """What stands behind `sharp` in the geometry of what touches it (`kernels/spatial_solids.py`, `spatial_hulls.py`)."""
        if self.hull is None:
            return (self.form,)
        hull, edges = self.hull, [] if sharp else self.hull.edges
        faces = [x for n, h in zip(hull.normals.tolist(), hull.heights.tolist(), strict=True) for x in (*n, h)]
        lines = [x for edge in edges for x in (*edge.middle.tolist(), *edge.direction.tolist(), edge.half)]
        size = float(np.abs(hull.corners).max())
        return (self.form, float(len(hull.heights)), float(len(edges)), size, *faces, *lines)


class Rod(NamedTuple):
    """An edge: its middle (3,), axes of which z is along it, half its length, and between which normals it counts; all in body axes."""

    at: list[float]
    axes: Axes
    half: float
    cone: tuple[float, ...]  # (6,) of `kernels/spatial_edges.py`; zeros: between all


def polyhedron(at: list[float], axes: Axes, points: Sequence[Sequence[float]]) -> Solid:
    """The convex hull of points (n, 3) in axes of a shape, which are turned where a face would have no tangents. Raises ValueError."""
    p, frame = np.array(points, float), np.array(axes, float)
    middle = 0.5 * (p.min(axis=0) + p.max(axis=0))
    hull = hull_of(p - middle)
    turn = _about_axis(0.4)
    for _ in range(8):
        if (hull.normals @ np.array(SOLID_A) > BEHIND - 1.0).all():
            break
        hull, frame = hull_of(hull.corners @ turn.T), turn @ frame
    origin = np.array(at) + np.array(axes, float).T @ middle
    return Solid(origin.tolist(), frame.tolist(), (0.0, 0.0, 0.0), 0.0, SOLID_HULL, hull)


def _about_axis(angle: float) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """(3, 3) the turn about (1, 1, 1)."""
    c, s, third = np.cos(angle), np.sin(angle), 1.0 / 3.0
    a, b, d = c + third * (1.0 - c), third * (1.0 - c) - s * third**0.5, third * (1.0 - c) + s * third**0.5
    return np.array([[a, b, d], [d, a, b], [b, d, a]])


@dataclass(frozen=True)
class ShapeSite(Site):
    """Of two shapes, the first of which has its centre `at`, the second at `centre`; `axes` are those of the first, global at the start."""

    distance: float = 0.0  # of what touches, where it is closed, m

    @property
    def least(self) -> float:
        return self.distance

    @property
    def is_on_plane(self) -> bool:
        return False

    @property
    def _radii(self) -> tuple[float, float]:
        return self.distance - self.radius, self.radius

    @property
    def is_corner(self) -> bool:
        return self.distance == 0.0 and not self.still

    @property
    def edge(self) -> str | None:
        if self.end is not None:
            return f"-max({self.name}.beyond, {self.name}.tilt)"
        return f"-{self.name}.beyond" if self._ends else None

    @property
    def _ends(self) -> bool:
        """Whether what touches may slide over an end, and not go on there."""
        return True


@dataclass(frozen=True)
class SolidSite(ShapeSite):
    """A ball, or with a radius of zero a corner, on a solid. `kernels/spatial_solids.py` says what the numbers are."""

    half: tuple[float, float, float] = (0.0, 0.0, 0.0)
    form: tuple[float, ...] = (SOLID_BOX,)

    @property
    def _sizes(self) -> tuple[float, float]:
        first, second = super()._sizes
        of_hull = self.form[3] if self.form[0] == SOLID_HULL else 0.0
        return max(first, self.distance - self.radius, of_hull, *self.half), second

    @property
    def frames(self) -> tuple[Axes, Axes]:
        return self.axes, self.axes

    @property
    def _ends(self) -> bool:
        return self.distance == 0.0  # what is round goes on over an edge

    def _numbers(self, second: float = 0.0) -> tuple[float, ...]:
        return (*self.half, second, FLAT * near_of(self.size) if self._ends else 0.0, *self.form)

    @property
    def _meets(self) -> str:
        return "solid"

    @property
    def _drawn_numbers(self) -> dict[str, Sequence[float]]:
        return {"half": self.half, "sharp": [float(self._ends)], "form": self.form}

    @property
    def normal(self) -> Primitive:
        return near_solid(self.distance, self._numbers())

    @property
    def tangents(self) -> list[tuple[Primitive, tuple[Axes, Axes]]]:
        return [(slip_solid(self.radius, self._numbers(k)), self.frames) for k in (0.0, 1.0)]

    @property
    def measured(self) -> tuple[int, Primitive]:
        return FROM_SOLID, self.normal

    @property
    def slide_kind(self) -> int:
        return SLID_SOLID

    def turns(self, drills: bool) -> list[Turn]:
        return [(pivot_solid(self._numbers(k)), self.frames) for k in ((2.0,) if drills else (0.0, 1.0))]

    @property
    def turn_kind(self) -> int:
        return PIVOTED_SOLID

    def limits(self, geometry: RowGeometry | ForceGeometry) -> list[Measure]:
        ends = [Measure(f"{self.name}.beyond", SOLID_SIDE, self.normal, *self.places(geometry), self.frames)] if self._ends else []
        return [*ends, *self.tilts(geometry)]


@dataclass(frozen=True)
class EdgeSite(ShapeSite):
    """An edge on an edge. `kernels/spatial_edges.py` says what the numbers are."""

    numbers: tuple[float, ...] = ()  # what stands behind the axis y' of the second body
    across: tuple[float, ...] = ()  # (3,) that axis, in body axes
    second_axes: tuple[tuple[float, ...], ...] = ()  # of the second box, global at the start
    cones: tuple[float, ...] = (0.0,)  # of edges of polyhedra

    @property
    def _sizes(self) -> tuple[float, float]:
        first, second = super()._sizes
        return max(first, *self.numbers[0:3], self.numbers[10]), max(second, *self.numbers[3:6], self.numbers[11])

    @property
    def frames(self) -> tuple[Axes, Axes]:
        return self.axes, [list(axis) for axis in self.second_axes]

    def _numbers(self, second: float = 0.0) -> tuple[float, ...]:
        return (*self.across, *self.numbers, second, *self.cones)

    @property
    def _meets(self) -> str:
        return "edges"

    @property
    def _radii(self) -> tuple[float, float]:
        return self.numbers[10], self.numbers[11]

    @property
    def _drawn_numbers(self) -> dict[str, Sequence[float]]:
        return {"half": self.numbers[0:3], "its_half": self.numbers[3:6], "edge": self.numbers[6:10], "cones": self.cones}

    @property
    def normal(self) -> Primitive:
        return apart_edges(self.distance, self._numbers())

    @property
    def tangents(self) -> list[tuple[Primitive, tuple[Axes, Axes]]]:
        return [(slip_edges(self._numbers(k)), self.frames) for k in (0.0, 1.0)]

    @property
    def measured(self) -> tuple[int, Primitive]:
        return EDGES_APART, self.normal

    @property
    def slide_kind(self) -> int:
        return SLID_EDGES

    def turns(self, drills: bool) -> list[Turn]:
        return [(pivot_edges(self._numbers(k)), self.frames) for k in ((2.0,) if drills else (0.0, 1.0))]

    @property
    def turn_kind(self) -> int:
        return PIVOTED_EDGES

    def limits(self, geometry: RowGeometry | ForceGeometry) -> list[Measure]:
        return [Measure(f"{self.name}.beyond", EDGES_END, self.normal, *self.places(geometry), self.frames)]


class Side(NamedTuple):
    """A body, its shape, and the attitude in which it is drawn."""

    body: str
    solid: Solid
    attitude: Axes  # (3, 3) body to global

    @property
    def drawn(self) -> Axes:
        """The axes of the shape, global at the start."""
        return [global_axis(self, axis) for axis in self.solid.axes]


def touching(one: Side, other: Side, rough: bool) -> Iterator[Site]:
    """The contacts of two shapes that are not both balls, and of which none is a cylinder; `rough` where there is friction."""
    polyhedra = one.solid.hull is not None or other.solid.hull is not None
    if polyhedra:
        one, other = (side._replace(solid=side.solid.as_hull()) for side in (one, other))
    for solid, ball in ((one, other), (other, one)):
        if not solid.solid.is_ball:
            for corner in ball.solid.corners():
                yield on_solid(solid, ball, corner, rough)
    yield from edges_of_hulls(one, other, rough) if polyhedra else edges_of_boxes(one, other, rough)


def edges_of_boxes(one: Side, other: Side, rough: bool) -> Iterator[Site]:
    """Of boxes and capsules. The gap is open again where one is deeper in the other than half of the length of either edge."""
    a, b = one.solid, other.solid
    signs = [(1.0, -1.0) if len(solid.thick) > 1 else (1.0,) for solid in (a, b)]
    for i, j, k, m in product(a.thick, b.thick, *signs):
        numbers = (*a.half, *b.half, float(i), float(j), k, m, a.radius, b.radius)
        yield EdgeSite(
            "", 3, one.body, None, a.at, other.body, b.at, b.radius, None, one.drawn, rough, [0.0] * 3,
            width=min(a.width, b.width, a.half[int(i)], b.half[int(j)]), distance=a.radius + b.radius, numbers=numbers,
            across=tuple(b.axes[1]),
            second_axes=tuple(map(tuple, other.drawn)),
        )  # fmt: skip


def edges_of_hulls(one: Side, other: Side, rough: bool) -> Iterator[Site]:
    """Each as a box without thickness."""
    a, b = one.solid, other.solid
    if a.is_ball or b.is_ball:
        return
    rods = list(a.rods()), list(b.rods())
    if (count := len(rods[0]) * len(rods[1])) > MOST_PAIRS:
        raise ValueError(
            f"{one.body} and {other.body} have {len(rods[0])} and {len(rods[1])} edges: {count} pairs, and at most {MOST_PAIRS} are taken; "
            "give simpler shapes"
        )
    for first, second in product(*rods):
        numbers = (0.0, 0.0, first.half, 0.0, 0.0, second.half, 2.0, 2.0, 1.0, 1.0, a.radius, b.radius)
        drawn = [[global_axis(side, axis) for axis in rod.axes] for side, rod in ((one, first), (other, second))]
        yield EdgeSite(
            "", 3, one.body, None, first.at, other.body, second.at, b.radius, None, drawn[0], rough, [0.0] * 3,
            width=min(a.width, b.width, first.half, second.half), distance=a.radius + b.radius, numbers=numbers,
            across=tuple(second.axes[1]),
            second_axes=tuple(map(tuple, drawn[1])),
            cones=(1.0, *first.cone, *second.cone),
        )  # fmt: skip


def on_solid(side: Side, ball: Side, corner: list[float], rough: bool) -> SolidSite:
    """Of a ball of a shape, or with a radius of zero a corner of it, at `corner` (3,) in body axes, with a solid."""
    distance = side.solid.radius + ball.solid.radius
    return SolidSite(
        "", 3, side.body, None, side.solid.at, ball.body, corner, ball.solid.radius, None, side.drawn, rough, [0.0] * 3,
        width=side.solid.width + 2.0 * ball.solid.radius, distance=distance, half=side.solid.half, form=side.solid.numbers(distance == 0.0),
    )  # fmt: skip


def global_axis(side: Side, direction: Sequence[float]) -> list[float]:
    """A direction (3,) in body axes, global at the start."""
    return [sum(side.attitude[k][m] * direction[m] for m in range(3)) for k in range(3)]
