"""Where boxes, capsules and balls touch each other in space: a ball or a corner on a box, an edge on an edge.

A capsule is a box without thickness along two axes, a ball one without any, with a radius about it. So what two of them touch with is the
corners of each on the other, as balls of its radius, and their edges on each other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from mbsim.assembly.contact_sites import Measure, Site, Turn
from mbsim.constraints._table import Axes
from mbsim.constraints._table import Geometry as RowGeometry
from mbsim.elements.kinds import BOX_SIDE, EDGES_APART, EDGES_END, FROM_BOX, PIVOTED_BOX, PIVOTED_EDGES, SLID_BOX, SLID_EDGES
from mbsim.elements.primitives import Primitive, apart_edges, near_box, pivot_box, pivot_edges, slip_box, slip_edges
from mbsim.forces._table import Geometry as ForceGeometry


class Solid(NamedTuple):
    """A box with a radius about it, in axes of its body from the centre of mass, m."""

    at: list[float]  # (3,)
    axes: Axes  # x, y, z as rows
    half: tuple[float, float, float]  # edges
    radius: float

    @property
    def thick(self) -> list[int]:
        """The axes along which it has edges."""
        return [k for k in range(3) if self.half[k] > 0.0]

    def corners(self) -> Iterator[list[float]]:
        """(3,) each."""
        for signs in product(*((-1.0, 1.0) if h > 0.0 else (0.0,) for h in self.half)):
            steps = [s * h for s, h in zip(signs, self.half, strict=True)]
            yield [o + sum(steps[m] * self.axes[m][k] for m in range(3)) for k, o in enumerate(self.at)]


@dataclass(frozen=True)
class _ShapeSite(Site):
    """Of two shapes, the first of which has its centre `at`, the second at `centre`; `axes` are those of the first, global at the start."""

    distance: float = 0.0  # of what touches, where it is closed, m

    @property
    def least(self) -> float:
        return self.distance

    @property
    def is_on_plane(self) -> bool:
        return False

    @property
    def is_corner(self) -> bool:
        return self.distance == 0.0

    @property
    def edge(self) -> str | None:
        return f"-{self.name}.beyond" if self._ends else None

    @property
    def _ends(self) -> bool:
        """Whether what touches may slide over an end, and not go on there."""
        return True


@dataclass(frozen=True)
class BoxSite(_ShapeSite):
    """A ball, or with a radius of zero a corner, on a box. `kernels/spatial_boxes.py` says what the numbers are."""

    half: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def frames(self) -> tuple[Axes, Axes]:
        return self.axes, self.axes

    @property
    def _ends(self) -> bool:
        return self.distance == 0.0  # what is round goes on over an edge

    def _numbers(self, second: float = 0.0) -> tuple[float, ...]:
        return (*self.half, second, float(self._ends))

    @property
    def normal(self) -> Primitive:
        return near_box(self.distance, self._numbers())

    @property
    def tangents(self) -> list[tuple[Primitive, tuple[Axes, Axes]]]:
        return [(slip_box(self.radius, self._numbers(k)), self.frames) for k in (0.0, 1.0)]

    @property
    def measured(self) -> tuple[int, Primitive]:
        return FROM_BOX, self.normal

    @property
    def slide_kind(self) -> int:
        return SLID_BOX

    def turns(self, drills: bool) -> list[Turn]:
        return [(pivot_box(self._numbers(k)), self.frames) for k in ((2.0,) if drills else (0.0, 1.0))]

    @property
    def turn_kind(self) -> int:
        return PIVOTED_BOX

    def limits(self, geometry: RowGeometry | ForceGeometry) -> list[Measure]:
        return [Measure(f"{self.name}.beyond", BOX_SIDE, self.normal, *self.places(geometry), self.frames)] if self._ends else []


@dataclass(frozen=True)
class EdgeSite(_ShapeSite):
    """An edge on an edge. `kernels/spatial_edges.py` says what the numbers are."""

    numbers: tuple[float, ...] = ()  # what stands behind the axis y' of the second body
    across: tuple[float, ...] = ()  # (3,) that axis, in body axes
    second_axes: tuple[tuple[float, ...], ...] = ()  # of the second box, global at the start

    @property
    def frames(self) -> tuple[Axes, Axes]:
        return self.axes, [list(axis) for axis in self.second_axes]

    def _numbers(self, second: float = 0.0) -> tuple[float, ...]:
        return (*self.across, *self.numbers, second)

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
    """A body, its shape, and the axes of that as they are drawn, global."""

    body: str
    solid: Solid
    drawn: Axes


def touching(one: Side, other: Side, rough: bool) -> Iterator[Site]:
    """The contacts of two shapes that are not both balls; `rough` where there is friction."""
    for box, ball in ((one, other), (other, one)):
        if box.solid.thick:
            for corner in ball.solid.corners():
                yield _on_box(box, ball, corner, rough)
    a, b = one.solid, other.solid
    signs = [(1.0, -1.0) if len(solid.thick) > 1 else (1.0,) for solid in (a, b)]
    for i, j, k, m in product(a.thick, b.thick, *signs):
        numbers = (*a.half, *b.half, float(i), float(j), k, m, a.radius, b.radius)
        yield EdgeSite(
            "", 3, one.body, None, a.at, other.body, b.at, b.radius, None, one.drawn, rough, [0.0] * 3,
            distance=a.radius + b.radius, numbers=numbers, across=tuple(b.axes[1]), second_axes=tuple(map(tuple, other.drawn)),
        )  # fmt: skip


def _on_box(box: Side, ball: Side, corner: list[float], rough: bool) -> Site:
    distance = box.solid.radius + ball.solid.radius
    return BoxSite(
        "", 3, box.body, None, box.solid.at, ball.body, corner, ball.solid.radius, None, box.drawn, rough, [0.0] * 3,
        distance=distance, half=box.solid.half,
    )  # fmt: skip
