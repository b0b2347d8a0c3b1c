"""The constraint primitives that joints and drivers are tables of: rows of the kinds in `mbsim/elements/rows`. Plain data.

Every primitive acts between two bodies; a joint frame (axes x, y, z, right-handed) is fixed in each of them, and both coincide at
the start as the file draws it. Subscript i: first body, j: second body, d: from the joint's point on i to that on j.
Motions, which joints in joint coordinates are tables of, stand here too (`mbsim.kernels.primitives`).
"""

from typing import NamedTuple

from mbsim.elements import kinds
from mbsim.kernels.primitives import BALL, FREE, HELICAL, PRISMATIC, REVOLUTE, WELD, Motion, sliding, turning

__all__ = [
    "BALL", "FREE", "HELICAL", "PRISMATIC", "REVOLUTE", "WELD", "Motion", "Primitive", "angle", "apart_edges",
    "axis_distance", "distance", "edge", "glide", "height", "in_plane", "near_rim", "near_solid", "over_surface", "perpendicular", "pivot",
    "pivot_edges", "pivot_rim", "pivot_round", "pivot_solid", "planar_edge", "point", "roll", "roll_round", "screw", "sliding", "slip",
    "slip_cylinder", "slip_edges", "slip_rim", "slip_round", "slip_solid", "slip_surface", "spin", "stretch", "turn", "turning", "twist",
]  # fmt: skip


class Primitive(NamedTuple):
    """One line of a joint's table."""

    kind: int
    rows: int  # scalar equations; POINT: as many as the dimension
    a: str = "x"  # axis on the first body
    b: str = "x"  # axis on the second body
    value: float | None = 0.0  # a constant of the row: length, pitch; None: the distance of the two points in the file
    other: float | None = None  # a further constant, in space in place of the axis on the second body
    more: tuple[float, ...] = ()  # constants in columns of their own


def point() -> Primitive:
    """d = 0: the two points coincide."""
    return Primitive(kinds.POINT, 0)


def in_plane(a: str) -> Primitive:
    """a_i . d = f(t): the point of j stays in the plane through the point of i across a (f = 0), or is driven along a."""
    return Primitive(kinds.IN_PLANE, 1, a)


def perpendicular(a: str, b: str) -> Primitive:
    """a_i . b_j = 0: two axes stay perpendicular. Spatial only."""
    return Primitive(kinds.PERPENDICULAR, 1, a, b)


def angle() -> Primitive:
    """angle_j - angle_i - (its value in the file) = f(t). Planar only."""
    return Primitive(kinds.ANGLE, 1)


def turn() -> Primitive:
    """sin(theta - f(t)) = 0 for theta the angle from x_i to x_j about z. Spatial only; the multiplier is the torque about z."""
    return Primitive(kinds.TURN, 1)


def distance(length: float | None = None) -> Primitive:
    """|d| - L = f(t): the two points stay L > 0 apart (f = 0), or f with L = 0; the multiplier is the thrust between them."""
    return Primitive(kinds.DISTANCE, 1, value=length)


def screw(pitch: float) -> Primitive:
    """z_i . d - p theta = 0 up to whole threads, for theta the angle from x_i to x_j about z: `rows/screw.py`. Spatial only."""
    return Primitive(kinds.SCREW, 1, "z", "x", pitch)


def twist() -> Primitive:
    """The turn of j against i is about an axis across z_i and z_j: `rows/twist.py`. Spatial only."""
    return Primitive(kinds.TWIST, 1)


def height(radius: float) -> Primitive:
    """A disk of radius R about z_j, or with z_j = 0 a ball, touches the plane across z_i: `rows/height.py`."""
    return Primitive(kinds.HEIGHT, 1, "z", "z", radius)


def slip(radius: float) -> Primitive:
    """y_i . (velocity of j at the contact - velocity of the plane there) = 0, z_i and z_j as for `height`. Spatial only."""
    return Primitive(kinds.SLIP, 1, "z", "z", radius)


def roll(radius: float) -> Primitive:
    """x_i . d + R (angle_j - angle_i) = its value in the file: a wheel that does not slip on the line along x_i. Planar only."""
    return Primitive(kinds.ROLL, 1, "x", "x", radius)


def roll_round(first: float, second: float) -> Primitive:
    """A disk does not slip on another, or inside one: radii from both centres to the contact, `rows/roll_round.py`. Planar only."""
    return Primitive(kinds.ROLL_ROUND, 1, value=second, other=first)


def slip_round(first: float, second: float) -> Primitive:
    """No slip of a ball on another along the tangent that stands for y_i, radii likewise: `rows/slip_round.py`. Spatial only."""
    return Primitive(kinds.SLIP_ROUND, 1, "z", "z", second, first)


def near_solid(distance: float, box: tuple[float, ...]) -> Primitive:
    """A ball's centre stays a distance from a solid with the axes y_i and z_i: `kernels/spatial_solids.py`. Spatial only."""
    return Primitive(kinds.NEAR_SOLID, 1, "z", "z", distance, more=box)


def slip_solid(radius: float, box: tuple[float, ...]) -> Primitive:
    """A ball of a radius does not slip on a solid: `rows/slip_solid.py`. Spatial only."""
    return Primitive(kinds.SLIP_SOLID, 1, "z", "z", radius, more=box)


def apart_edges(distance: float, edges: tuple[float, ...]) -> Primitive:
    """Edges of boxes with the axes z_i and z_j stay a distance from each other: `kernels/spatial_edges.py`. Spatial only."""
    return Primitive(kinds.APART_EDGES, 1, "z", "z", distance, more=edges)


def slip_edges(edges: tuple[float, ...]) -> Primitive:
    """An edge does not slip on another one: `rows/slip_edges.py`. Spatial only."""
    return Primitive(kinds.SLIP_EDGES, 1, "z", "z", more=edges)


def pivot() -> Primitive:
    """y_i . (omega_j - omega_i) = 0: a body does not turn on a plane, along a tangent or about the normal. Spatial only."""
    return Primitive(kinds.PIVOT, 1, "z", "z")


def pivot_round(drills: bool) -> Primitive:
    """A ball does not turn on another one, along a tangent as of `slip_round`, or it does not drill. Spatial only."""
    return Primitive(kinds.PIVOT_ROUND, 1, "z", "z", float(drills))


def pivot_solid(box: tuple[float, ...]) -> Primitive:
    """A ball does not turn on a solid: `rows/pivot_solid.py`. Spatial only."""
    return Primitive(kinds.PIVOT_SOLID, 1, "z", "z", more=box)


def pivot_edges(edges: tuple[float, ...]) -> Primitive:
    """What is round about an edge does not turn on another edge: `rows/pivot_edges.py`. Spatial only."""
    return Primitive(kinds.PIVOT_EDGES, 1, "z", "z", more=edges)


def near_rim(rim: tuple[float, ...]) -> Primitive:
    """The rim of a cylinder about z_j touches what has the axes y_i and z_i: `kernels/spatial_rims.py`. Spatial only."""
    return Primitive(kinds.NEAR_RIM, 1, "z", "z", more=rim)


def slip_rim(rim: tuple[float, ...]) -> Primitive:
    """It does not slip: `rows/slip_rim.py`. Spatial only."""
    return Primitive(kinds.SLIP_RIM, 1, "z", "z", more=rim)


def pivot_rim(rim: tuple[float, ...]) -> Primitive:
    """It does not turn: `rows/pivot_rim.py`. Spatial only."""
    return Primitive(kinds.PIVOT_RIM, 1, "z", "z", more=rim)


def axis_distance(length: float) -> Primitive:
    """The point of j stays L > 0 from the line through that of i along z_i: `rows/axis_distance.py`. Spatial only."""
    return Primitive(kinds.AXIS_DISTANCE, 1, "z", "z", length)


def slip_cylinder(radius: float, around: bool) -> Primitive:
    """No slip of a ball on a cylinder about z_i, along it or around it: `rows/slip_cylinder.py`. Spatial only."""
    return Primitive(kinds.SLIP_CYLINDER, 1, "z", "z", radius, float(around))


def over_surface(radius: float) -> Primitive:
    """The point of j stays a radius above its foot on a given surface of the ground: `rows/over_surface.py`."""
    return Primitive(kinds.OVER_SURFACE, 1, "z", "z", radius)


def slip_surface(radius: float, across: bool) -> Primitive:
    """No slip on it along its tangent over the x axis, or in space across that: `rows/slip_surface.py`."""
    return Primitive(kinds.SLIP_SURFACE, 1, "z", "z", radius, float(across))


def edge() -> Primitive:
    """No velocity of the point of j across a blade along z_j in the plane across z_i: `rows/edge.py`. Spatial."""
    return Primitive(kinds.EDGE, 1, "z", "z")


def planar_edge() -> Primitive:
    """x_i . (velocity of the point of i) = 0, j the ground."""
    return Primitive(kinds.EDGE, 1, "x", "x")


def spin(b: str) -> Primitive:
    """b_j . (omega_j - omega_i) = f(t): the multiplier is the torque about b. Planar: b has no meaning."""
    return Primitive(kinds.SPIN, 1, b, b)


def glide(a: str) -> Primitive:
    """d/dt (a_i . d) = f(t): the multiplier is the force along a."""
    return Primitive(kinds.GLIDE, 1, a)


def stretch() -> Primitive:
    """d/dt |d| = f(t), |d| > 0: the multiplier is the thrust between the points."""
    return Primitive(kinds.STRETCH, 1)
