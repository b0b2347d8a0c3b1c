"""The constraint primitives that joints and drivers are tables of. Plain data: no Numba here, leaves import it.

Every primitive acts between two bodies; a joint frame (axes x, y, z, right-handed) is fixed in each of them, and both coincide at
the start as the file draws it. Subscript i: first body, j: second body, d: from the joint's point on i to that on j.
`planar_rows.py` and `spatial_rows.py` hold the equations.
"""

from typing import NamedTuple

POINT, IN_PLANE, PERPENDICULAR, ANGLE, TURN, COORDINATE = 0, 1, 2, 3, 4, 5  # COORDINATE: a joint coordinate is driven (trees only)
FORCE, TORQUE, SPRING, EFFORT = 0, 1, 2, 3  # kinds of load; EFFORT: on a joint coordinate (trees only)
# Kinds from EXTENDED on are those of the modules system/*_extended.py: models without them neither compile nor run them. Constraints
# (one row each) and loads (body columns: gauge and ground where it acts along a gauge) are counted apart.
EXTENDED = 100
DISTANCE, SCREW, TWIST = 100, 101, 102
COUPLING = 110  # a row over the gauges of two joints; geometry: two gauges, two coefficients, constant, period (0: none)
# 120 .. 139: contacts with a plane and prescribed speeds. Kinds from SLIP on are at velocity level: no phi, rows behind all others.
FLAT = 5e-3  # sine of the angle between axis and normal below which a disk lies flat and has no one lowest point: its rows are NaN
HEIGHT, ROLL, SLIP, EDGE, SPIN, GLIDE, STRETCH = 120, 121, 130, 131, 132, 133, 134
# Loads along gauges (system/_gauges.py): a law's value, a law's value turned round, spring and damper, friction, one-sided stops
GAUGED, OPPOSED, GAUGE_SPRING, GAUGE_FRICTION, GAUGE_LIMIT = 100, 101, 102, 103, 104
# Loads on bodies (kernels/planar_loads.py, spatial_loads.py): force and torque in a body's axes, drag; between two bodies, from
# ATTRACTION on: point gravity, bushing, contact
TURNED_FORCE, TURNED_TORQUE, DRAG, ATTRACTION, BUSHING, CONTACT = 110, 111, 112, 113, 114, 115
LENGTH, ALONG, ABOUT, STATE = (
    0,
    1,
    2,
    3,
)  # gauges: distance of two points, displacement along a_i, angle about z, a joint coordinate (trees)
WELD, REVOLUTE, PRISMATIC, HELICAL, BALL, FREE = 0, 1, 2, 3, 4, 5  # motions of a tree's node against its parent: 0, 1, 1, 1, 3, 6 speeds


class Primitive(NamedTuple):
    """One line of a joint's table."""

    kind: int
    rows: int  # scalar equations; POINT: as many as the dimension
    a: str = "x"  # axis on the first body
    b: str = "x"  # axis on the second body
    value: float | None = 0.0  # a constant of the row: length, pitch; None: the distance of the two points in the file


def point() -> Primitive:
    """d = 0: the two points coincide."""
    return Primitive(POINT, 0)


def in_plane(a: str) -> Primitive:
    """a_i . d = f(t): the point of j stays in the plane through the point of i across a (f = 0), or is driven along a."""
    return Primitive(IN_PLANE, 1, a)


def perpendicular(a: str, b: str) -> Primitive:
    """a_i . b_j = 0: two axes stay perpendicular. Spatial only."""
    return Primitive(PERPENDICULAR, 1, a, b)


def angle() -> Primitive:
    """angle_j - angle_i - (its value in the file) = f(t). Planar only."""
    return Primitive(ANGLE, 1)


def turn() -> Primitive:
    """sin(theta - f(t)) = 0 for theta the angle from x_i to x_j about z. Spatial only; the multiplier is the torque about z."""
    return Primitive(TURN, 1)


def distance(length: float | None = None) -> Primitive:
    """|d| - L = f(t): the two points stay L > 0 apart (f = 0), or f with L = 0; the multiplier is the thrust between them."""
    return Primitive(DISTANCE, 1, value=length)


def screw(pitch: float) -> Primitive:
    """z_i . d - p theta = 0 up to whole threads 2 pi p, for theta the angle from x_i to x_j about z. Spatial only.

    Whole threads do not matter because the row is known to hold at the start: what is left of them is the violation, and it is small.
    """
    return Primitive(SCREW, 1, "z", "x", pitch)


def twist() -> Primitive:
    """2 z = 0 for (w, x, y, z) the unit quaternion from frame i to frame j: the turn is about an axis across z_i and z_j. Spatial only.

    Its rate is that of the relative angular velocity along the unit vector halfway between z_i and z_j, so two shafts along them turn
    at one speed. Of products of axes it would be (y_i . x_j - x_i . y_j) / 2 = 2 w z, which vanishes in every turn by 180 degrees, too.
    """
    return Primitive(TWIST, 1)


def height(radius: float) -> Primitive:
    """n_i . d = R sqrt(1 - (n_i . b_j)^2), n = z_i, b = z_j: a disk of radius R about b, or with b = 0 a ball, touches the plane across n.

    The multiplier is the force of the plane on body j along n.
    """
    return Primitive(HEIGHT, 1, "z", "z", radius)


def slip(radius: float) -> Primitive:
    """y_i . (velocity of j at the contact - velocity of the plane there) = 0, z_i and z_j as for `height`. Spatial only.

    The multiplier is the force of the plane on body j along y_i.
    """
    return Primitive(SLIP, 1, "z", "z", radius)


def roll(radius: float) -> Primitive:
    """x_i . d + R (angle_j - angle_i) = its value in the file: a wheel that does not slip on the line along x_i. Planar only."""
    return Primitive(ROLL, 1, "x", "x", radius)


def edge() -> Primitive:
    """No velocity of a point across a blade; the multiplier is the force that keeps it.

    Planar: x_i . (velocity of the point of i) = 0, j the ground. Spatial: across z_j (the blade) in the plane with the normal z_i; the
    point is that of j, the force points along z_i x z_j.
    """
    return Primitive(EDGE, 1, "z", "z")


def planar_edge() -> Primitive:
    """See `edge`."""
    return Primitive(EDGE, 1, "x", "x")


def spin(b: str) -> Primitive:
    """b_j . (omega_j - omega_i) = f(t): the multiplier is the torque about b. Planar: b has no meaning."""
    return Primitive(SPIN, 1, b, b)


def glide(a: str) -> Primitive:
    """d/dt (a_i . d) = f(t): the multiplier is the force along a."""
    return Primitive(GLIDE, 1, a)


def stretch() -> Primitive:
    """d/dt |d| = f(t), |d| > 0: the multiplier is the thrust between the points."""
    return Primitive(STRETCH, 1)


class Motion(NamedTuple):
    """One line of what a joint leaves free in joint coordinates; the second body moves against the first along them, in this order."""

    kind: int  # REVOLUTE, PRISMATIC, HELICAL about or along `axis`; BALL, FREE and WELD need none
    axis: str = "z"
    frame: int = 0  # whose axis: 0 the joint frame of the first body, 1 of the second
    name: str = ""  # of the coordinate


def turning(name: str, axis: str = "z", frame: int = 0) -> Motion:
    """A rotation about an axis, rad."""
    return Motion(REVOLUTE, axis, frame, name)


def sliding(name: str, axis: str = "z", frame: int = 0) -> Motion:
    """A translation along an axis, m."""
    return Motion(PRISMATIC, axis, frame, name)
