"""The rim of a cylinder as one unilateral contact: on a plane, on the faces of a polyhedron, or on a line with a radius about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi

from mbsim.assembly.contact_sites import Measure, Site, Turn
from mbsim.constraints._table import Axes, Meeting, Seats
from mbsim.constraints._table import Geometry as RowGeometry
from mbsim.elements.kinds import PIVOTED_RIM, RIM_APART, RIM_END, SLID_RIM
from mbsim.elements.primitives import Primitive, near_rim, pivot_rim, slip_rim
from mbsim.forces._table import Geometry as ForceGeometry
from mbsim.kernels.primitives import CORNERS, RIM_ON_DISC, RIM_ON_FACES, RIM_ON_LINE, RIM_ON_RIM

_KINDS = {RIM_ON_FACES: "rim_on_faces", RIM_ON_DISC: "rim_on_faces", RIM_ON_LINE: "rim_on_line", RIM_ON_RIM: "rim_on_rim"}
DEEP = 1e9  # m: no depth is too deep of a plane


@dataclass(frozen=True)
class RimSite(Site):
    """`kernels/spatial_rims.py` says what the numbers are. The radius is that of the rim."""

    kind: float = RIM_ON_FACES
    depth: float = DEEP
    touched: tuple[float, ...] = ()  # what stands behind the depth
    endless: bool = False  # a plane

    @property
    def least(self) -> float:
        return 0.0

    @property
    def is_on_plane(self) -> bool:
        return self.endless

    @property
    def is_corner(self) -> bool:
        return False

    @property
    def edge(self) -> str | None:
        return f"-{self.name}.beyond" if self.end is None else f"-max({self.name}.beyond, {self.name}.tilt)"

    @property
    def frames(self) -> tuple[Axes, Axes]:
        """Those of a plane are turned so that the first tangent of the rows is its first one."""
        x, y, z = self.axes
        a, b = 5.0 / 13.0, 12.0 / 13.0
        turned = [[a * p + b * q for p, q in zip(x, y, strict=True)], [a * q - b * p for p, q in zip(x, y, strict=True)], z]
        return turned if self.endless else self.axes, self._own_axes

    def _numbers(self, tangent: float = 0.0) -> tuple[float, ...]:
        return (self.kind, self.radius, tangent, self.depth, *self.touched)

    @property
    def normal(self) -> Primitive:
        return near_rim(self._numbers())

    @property
    def tangents(self) -> list[tuple[Primitive, tuple[Axes, Axes]]]:
        return [(slip_rim(self._numbers(k)), self.frames) for k in (0.0, 1.0)]

    @property
    def measured(self) -> tuple[int, Primitive]:
        return RIM_APART, self.normal

    @property
    def slide_kind(self) -> int:
        return SLID_RIM

    def turns(self, drills: bool) -> list[Turn]:
        return [(pivot_rim(self._numbers(k)), self.frames) for k in ((2.0,) if drills else (0.0, 1.0))]

    @property
    def turn_kind(self) -> int:
        return PIVOTED_RIM

    def limits(self, geometry: RowGeometry | ForceGeometry) -> list[Measure]:
        return [Measure(f"{self.name}.beyond", RIM_END, self.normal, *self.places(geometry), self.frames), *self.tilts(geometry)]

    def meeting(self, seats: Seats) -> Meeting:
        return super().meeting(seats)._replace(frames=(self.axes, self._own_axes))

    @property
    def _meets(self) -> str:
        return "rim" if self.endless else _KINDS[self.kind]

    @property
    def _radii(self) -> tuple[float, float]:
        return self.touched[0] if self.kind in (RIM_ON_LINE, RIM_ON_RIM) else 0.0, self.radius

    @property
    def _drawn_numbers(self) -> dict[str, Sequence[float]]:
        if self.endless:
            return {}
        if self.kind == RIM_ON_RIM:
            return {"which": self.touched[1:]}
        if self.kind == RIM_ON_LINE:
            return {"line": self.touched[1:]}
        return {"faces": self.touched[2:6] if self.kind == RIM_ON_DISC else self.touched[2:]}


def faces(radius: float, planes: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The numbers of faces: of each its normal (3,) and its height, in axes of what is touched."""
    return (radius * (1.0 - cos(pi / CORNERS)), float(len(planes)), *(x for plane in planes for x in plane))


def line(radius: float, half: float, which: float, cone: Sequence[float] = (0.0,) * 6) -> tuple[float, ...]:
    """The numbers of a line: its radius, half its length, which of two places on it, 1 or -1, and of an edge its cone."""
    return (radius, half, which, *cone)


def disc(radius: float, way: float, height: float, bound: float, middle: Sequence[float]) -> tuple[float, ...]:
    """The numbers of a flat end across z: 1 or -1 to where it looks along z, its height, and its radius.

    `middle` (3,) is that of the end that touches it, in body axes from the centre of mass.
    """
    return (*faces(radius, [(0.0, 0.0, way, height)]), bound, *middle)
