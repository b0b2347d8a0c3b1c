"""Which contacts a block of the model file has: of everything that touches with everything that it touches.

A side of a convex polygon is a plane with bounds: the planes of the other sides and, for what is round, planes across its ends. With h the
height of what touches above the side, and b how far it is beyond the bounds, its gap is h + 2 max(0, b - h). That is zero on the side
alone, and above zero everywhere else outside of the polygon, so nothing is found behind a side, or beside it.

A corner that falls onto a corner, as of a box on one of the same width, is next to two sides. For it b is less by EVEN of the polygon: so
the gap of each side comes to zero, and not just next to it. Which side counts then says `Unilaterals.at_corners`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import dist, inf
from typing import Any, NamedTuple

from mbsim.assembly import cylinder_sites
from mbsim.assembly.contact_sites import Bound, Site
from mbsim.assembly.solid_sites import Side, Solid, polyhedron, touching
from mbsim.constraints._table import Axes, Plane
from mbsim.kernels.primitives import SOLID_CYLINDER
from mbsim.model.contacts import RESISTANCES, ContactBlock, ContactPlane, body_of, outline
from mbsim.model.contacts import Place as Ball
from mbsim.model.names import GROUND
from mbsim.model.rotations import dot, matrix_from_quaternion
from mbsim.model.shapes import TOUCHING, Convex, Mesh

_IDENTITY: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
EVEN = 5e-12  # of the radius about the corner that is farthest from the first one: less than gaps that are too low to be seen
MOST_CORNERS = 32  # of the convex hull of a mesh, each of which is a contact
ORIGIN = [0.0, 0.0, 0.0]
Corners = list[list[float]]  # of a polygon, (3,) each


class Face(NamedTuple):
    """A plane of a body."""

    through: list[float] | None  # as of a site
    at: list[float]
    normal: list[float]  # (3,) out of it, global at the start


@dataclass(frozen=True)
class _Pairs:
    """The contacts of a block; `number` counts what its laws name."""

    name: str
    block: ContactBlock
    bodies: Mapping[str, Any]  # and the ground
    named: Mapping[str, str]  # body -> the name of those of its shapes that touch; empty: all
    dimension: int
    number: "count[int]"

    def _site(self, first: str, through: list[float] | None, at: list[float], second: str, ball: Ball, axes: Axes) -> Site:
        drawn = _drawn(self.bodies[second], ball.at)
        rough = self.block.is_rough
        return Site("", self.dimension, first, through, at, second, ball.at, ball.radius, None, axes, rough, drawn)

    def on_plane(self, first: str, face: Face, second: str, ball: Ball) -> Site:
        """Of a ball, or of the rim of a cylinder, with a plane."""
        site = self._site(first, face.through, face.at, second, ball, _axes(face.normal, self.dimension))
        if ball.axis is None:
            return site
        return cylinder_sites.on_plane(site, _turned(self.bodies[second], ball.axis))

    def on_rim_points(self, first: str, face: Face, second: str, ball: Ball) -> Iterator[Site]:
        """Of the points of a rim on which an end stands, with a plane."""
        if ball.axis is not None:
            end = self.on_plane(first, face, second, ball)
            for point in cylinder_sites.points_of_rim(ball.at, ball.axis, ball.radius):
                yield replace(self.on_plane(first, face, second, Ball(point, 0.0)), still=True, end=end)

    def with_round(self, first: str, through: list[float] | None, at: list[float], rim: float, second: str, ball: Ball) -> Site:
        """Of a ball with another one, with a corner (rim 0) or with a hole (rim below zero)."""
        if rim < 0.0 and -rim <= ball.radius:
            raise ValueError(f"the radius of a hole must be greater than that of what is in it (got {-rim:g} and {ball.radius:g})")
        site = self._site(first, through, at, second, ball, _IDENTITY)
        if self.dimension == 3:
            centre = [*through, 0.0][:3] if through is not None else _drawn(self.bodies[first], at)
            site = replace(site, axes=_towards([a - b for a, b in zip(site.drawn_at, centre, strict=True)]))
        return replace(site, rim=rim, width=0.0 if rim < 0.0 else 2.0 * (rim + ball.radius))

    def on_side(self, first: str, face: Face, bounds: Sequence[tuple[Face, float]], second: str, ball: Ball, width: float) -> Site:
        """Of a ball with a side that planes bound, from heights over these on."""
        found = [
            Bound(f"{self.name}.height{next(self.number)}", plane.through, plane.at, _axes(plane.normal, 2), least)
            for plane, least in bounds
        ]
        return replace(self.on_plane(first, face, second, ball), bounds=tuple(found), width=width)

    def with_line(self, first: str, plane: ContactPlane, second: str, ball: Ball) -> Iterator[Site]:
        """Of a ball with a line that has ends: with the line, and where it is round with either end."""
        assert plane.ends is not None
        a, b = plane.ends
        normal, length = plane.normal, sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5
        along = [(y - x) / length for x, y in zip(a, b, strict=True)]
        bounds = [(Face(a, ORIGIN, [-x for x in along]), 0.0), (Face(b, ORIGIN, along), 0.0)]
        if plane.depth is not None:
            below = [x - plane.depth * n for x, n in zip(a, normal, strict=True)]
            bounds.append((Face(below, ORIGIN, [-x for x in normal]), ball.radius))
        width = 0.0 if plane.depth is None else plane.depth + 2.0 * ball.radius
        yield self.on_side(first, Face(a, ORIGIN, normal), bounds, second, ball, width)
        if ball.radius > 0.0:
            yield from (self.with_round(first, end, ORIGIN, 0.0, second, ball) for end in plane.ends)

    def with_polygon(self, first: str, corners: Corners, second: str, ball: Ball) -> Iterator[Site]:
        """Of a ball with the sides of a convex polygon, and where it is round with its corners."""
        sides = [_side(self.bodies[first], a, b) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
        labels = [f"{self.name}.height{next(self.number)}" for _ in sides]
        planes = [
            Bound(label, None, face.at, _axes(face.normal, 2), ball.radius) for label, (face, _, _) in zip(labels, sides, strict=True)
        ]
        width = _width(corners) + 2.0 * ball.radius
        even = 0.0 if ball.radius > 0.0 else EVEN * max(dist(corners[0], corner) for corner in corners)
        disk_on = labels[0] if ball.radius > 0.0 else ""
        for k, (face, start, end) in enumerate(sides):
            site = self.on_side(first, face, [(start, 0.0), (end, 0.0)] if ball.radius > 0.0 else [], second, ball, width)
            yield replace(
                site, height=labels[k], bounds=(*planes[:k], *planes[k + 1 :], *site.bounds), pair=labels[0], even=even, disk_on=disk_on
            )
        if ball.radius > 0.0:
            yield from (replace(self.with_round(first, None, corner, 0.0, second, ball), disk_on=disk_on) for corner in corners)

    def between(self, first: str, second: str) -> Iterator[Site]:
        """Of two bodies' shapes."""
        if self.dimension == 3:
            yield from self._between_solids(first, second)
            return
        one, other = (self._shapes(body) for body in (first, second))
        for a in one:
            for b in other:
                if isinstance(a, Ball) and isinstance(b, Ball):
                    yield self.with_round(first, None, a.at, a.radius, second, b)
                else:
                    yield from self._corners_on_sides(first, a, second, b)
                    yield from self._corners_on_sides(second, b, first, a)

    def _between_solids(self, first: str, second: str) -> Iterator[Site]:
        """Of two bodies' shapes in space."""
        for a in self._solids(first):
            for b in self._solids(second):
                if not (a.is_ball and b.is_ball):
                    one, other = (Side(body, s, _attitude(self.bodies[body])) for body, s in ((first, a), (second, b)))
                    pair = cylinder_sites.touching if a.is_round or b.is_round else touching
                    yield from pair(one, other, self.block.is_rough)
                else:
                    yield self.with_round(first, None, a.at, a.radius, second, Ball(b.at, b.radius))

    def _solids(self, body: str) -> list[Solid]:
        """What touches of a body in space. Raises ValueError."""
        if (given := self._given(body)) is not None:
            return [Solid(given.at, _IDENTITY, (0.0, 0.0, 0.0), given.radius)]
        found = []
        for shape in self.shapes(body):
            rows = matrix_from_quaternion(shape["rotation"]["quaternion"])
            axes = [[row[k] for row in rows] for k in range(3)]
            if shape["type"] == "box":
                a, b, c = (0.5 * x for x in shape["size"])
                found.append(Solid(shape["position"], axes, (a, b, c), 0.0))
            elif shape["type"] == "capsule":
                found.append(Solid(shape["position"], axes, (0.0, 0.0, 0.5 * shape["length"]), shape["radius"]))
            elif shape["type"] == "sphere":
                found.append(Solid(shape["position"], axes, (0.0, 0.0, 0.0), shape["radius"]))
            elif shape["type"] == "cylinder":
                found.append(Solid(shape["position"], axes, (shape["radius"], 0.0, 0.5 * shape["length"]), 0.0, SOLID_CYLINDER))
            else:
                found.append(polyhedron(shape["position"], axes, _corners(body, shape)))
        if not found:
            raise ValueError(self._nothing(body))
        return found

    def shapes(self, body: str) -> list[dict[str, Any]]:
        """Those of a body that touch, in space polyhedra and meshes with the corners of their convex hulls. Raises ValueError.

        An empty list where the block says by `points` or `radius` what touches.
        """
        if self.block.points is not None or self.block.radius is not None:
            return []
        wanted, block = self.named[body], self.bodies[body]
        found = []
        for shape, drawn in zip(block.shape or (), block.shapes(), strict=True):
            if shape.role in TOUCHING and wanted in ("", shape.name):
                corners = {"corners": shape.corners(MOST_CORNERS)} if isinstance(shape, Mesh | Convex) and self.dimension == 3 else {}
                found.append({**drawn, **corners})
        if not found and wanted:
            known = dict.fromkeys(shape.name for shape in block.shape or () if shape.role in TOUCHING and shape.name)
            raise ValueError(f"{body} has no shape called '{wanted[:60]}' that touches; it has: {', '.join(known) or 'none'}")
        return found

    def _given(self, body: str) -> Ball | None:
        """The ball of a block with a `radius`. Raises ValueError."""
        if self.block.radius is None:
            return None
        if body == GROUND:
            raise ValueError("the ground touches by its `shape`: leave out 'radius', or give 'bodies' with a 'ball' of the ground")
        return Ball(ORIGIN, self.block.radius)

    @staticmethod
    def _nothing(body: str) -> str:
        return f"what of {body} touches? give 'radius', or {'the ground' if body == GROUND else 'the body'} a `shape`"

    def _corners_on_sides(self, first: str, polygon: Ball | Corners, second: str, shape: Ball | Corners) -> Iterator[Site]:
        """Of a ball, or of the corners of a polygon, with another polygon, if that is one."""
        if isinstance(polygon, Ball):
            return
        if isinstance(shape, Ball):
            yield from self.with_polygon(first, polygon, second, shape)
            return
        found = [list(self.with_polygon(first, polygon, second, Ball(corner, 0.0))) for corner in shape]
        for before, own, after in zip([found[-1], *found[:-1]], found, [*found[1:], found[0]], strict=True):
            yield from (replace(site, beside=(a.height, b.height)) for a, site, b in zip(before, own, after, strict=True))

    def _shapes(self, body: str) -> list[Ball | Corners]:
        """Disks, and convex polygons as corners (3,) counterclockwise, in body axes from the centre of mass. Raises ValueError."""
        if (given := self._given(body)) is not None:
            return [given]
        found: list[Ball | Corners] = []
        for shape in self.shapes(body):
            corners = outline(shape)
            if corners is not None:
                found.append(_convex(body, corners))
            elif shape["type"] in ("sphere", "cylinder"):
                found += self.block.places(body, [shape], {}, self.dimension)
            else:
                known = "spheres, cylinders as disks, boxes and plates"
                raise ValueError(f"the {shape['type']} of {body} is not known between two bodies ({known} are); give 'radius'")
        if not found:
            raise ValueError(self._nothing(body))
        return found


def sites(name: str, block: ContactBlock, bodies: Mapping[str, Any], dimension: int) -> list[Site]:
    """The contacts of a block, of bodies by name, the ground among them. Raises ValueError."""
    touching = block.between or block.bodies or ["", ""]
    pairs = _Pairs(name, block, bodies, {body_of(each): each.partition(".")[2] for each in touching}, dimension, count())
    found: list[Site] = []
    if block.between is not None:
        found += pairs.between(*map(body_of, touching))
    else:
        second, first = map(body_of, touching)
        face, plane = block.ball or block.hole, block.plane
        balls = block.places(second, pairs.shapes(second), bodies[second].points, dimension)
        for ball in balls:
            if face is not None:
                if ball.axis is not None:
                    raise ValueError(f"the cylinder of {second} is known to touch planes only; give 'points' or 'radius'")
                rim = -face.radius if block.hole is not None else face.radius
                found.append(pairs.with_round(first, face.at, ORIGIN, rim, second, ball))
            elif plane is not None and plane.ends is not None:
                found += pairs.with_line(first, plane, second, ball)
            elif plane is not None:
                found.append(pairs.on_plane(first, Face(plane.through, ORIGIN, plane.normal), second, ball))
        if plane is not None and face is None:
            ground = Face(plane.through, ORIGIN, plane.normal)
            found += [site for ball in balls for site in pairs.on_rim_points(first, ground, second, ball)]
    if block.resistances and block.points is None and (corner := next((site for site in found if site.is_corner), None)) is not None:
        key = RESISTANCES[min(block.resistances)]
        raise ValueError(
            f"'{key}' is known of what is round and of `points`: {corner.second} touches {corner.first} by a corner, which does not roll; "
            "give those that roll a block of their own"
        )
    return [replace(site, name=name if len(found) == 1 else f"{name}_{k + 1}") for k, site in enumerate(found)]


def _axes(normal: Sequence[float], dimension: int) -> Axes:
    """Two tangents and the normal of a plane."""
    return Plane.model_construct(normal=list(normal)[:dimension]).axes(dimension)


def _towards(d: list[float]) -> Axes:
    """Two tangents and the normal along d, or along the last axis where d has no length."""
    length = sum(x * x for x in d) ** 0.5
    return _axes([x / length for x in d] if length > 0.0 else [0.0, 0.0, 1.0], 3)


def _corners(body: str, shape: Mapping[str, Any]) -> Corners:
    """The corners (3,) of a polyhedron, in the axes of the shape. Raises ValueError where a plate is not convex."""
    if shape["type"] == "plate":
        half = 0.5 * shape["thickness"]
        return [[x, y, z] for x, y, _ in _convex(body, [[x, y, 0.0] for x, y in shape["polygon"]]) for z in (-half, half)]
    return [[*corner] for corner in shape["corners"]]


def _attitude(body: object) -> Axes:
    """(3, 3) body to global at the start."""
    return matrix_from_quaternion(body.quaternion) if hasattr(body, "quaternion") else _IDENTITY


def _drawn(body: object, at: list[float]) -> list[float]:
    """A point of a body, global at the start."""
    turned = _turned(body, at)
    return [x + y for x, y in zip([*body.position, 0.0][:3], turned, strict=True)] if hasattr(body, "position") else turned


def _turned(body: object, direction: list[float]) -> list[float]:
    """A direction (3,) in body axes, global at the start."""
    return [dot(row, direction) for row in matrix_from_quaternion(body.quaternion)] if hasattr(body, "quaternion") else direction


def _side(body: object, a: list[float], b: list[float]) -> tuple[Face, Face, Face]:
    """The plane of a side from a to b, counterclockwise, and those across its ends."""
    d = [y - x for x, y in zip(a, b, strict=True)]
    length = (d[0] ** 2 + d[1] ** 2) ** 0.5
    along = [d[0] / length, d[1] / length, 0.0]
    out, back = [along[1], -along[0], 0.0], [-along[0], -along[1], 0.0]
    return Face(None, a, _turned(body, out)), Face(None, a, _turned(body, back)), Face(None, b, _turned(body, along))


def _convex(body: str, corners: Corners) -> Corners:
    """Corners in counterclockwise order. Raises ValueError where the polygon is not convex."""
    turns = [_turn(corners[k - 2], corners[k - 1], corners[k]) for k in range(len(corners))]
    if not (min(turns) > 0.0 or max(turns) < 0.0):
        raise ValueError(f"the polygon of {body} is not convex, or has three corners in line; give several convex shapes")
    return corners if turns[0] > 0.0 else corners[::-1]


def _width(corners: Corners) -> float:
    """The least distance between two parallel lines between which a convex polygon lies, m."""
    found = inf
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        length = ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) ** 0.5
        found = min(found, max(abs(_turn(a, b, c)) for c in corners) / length)
    return found


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
