"""The path of a cable as relative coordinates: a `strand` or a distance for each straight part, the angles of joints that wind it up.

The length of a part of a cable is the sum of these, times factors, and of what lies about its pulleys in the drawing. A pulley that grips
ends a part and begins the next one. In the plane a circle turns with its body. In space the circle of a body that turns in a joint about
the circle's axis is fixed to the other body of that joint, and the joint's angle tells how the rim turns: the angle may count turns.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from math import atan2, pi
from typing import Protocol

import numpy as np

from mbsim.assembly.records import LoadTable, RelativeCoordinate
from mbsim.assembly.reference import GLOBAL, ReferenceConfiguration
from mbsim.assembly.relative import RelativeCoordinates
from mbsim.elements.kinds import BEARING, LENGTH, STRAND
from mbsim.elements.primitives import distance
from mbsim.model.cables import Station
from mbsim.model.fields import ItemError
from mbsim.model.winding import Lift, Part, Rub, Term
from mbsim.system.system import Floats

ON_AXIS = 1e-9  # sine of an angle, and distance over the radius, up to which a circle is about the axis of a joint
BACK = 1e-9  # rad: a cable that is drawn to touch a pulley without lying on it may do so by round-off from the other side
STEPS = 20  # of Newton's method
LEAVES = "the cable leaves the plane of a circle by more than 60 degrees on its way there: put an eyelet between"


class Laying(Protocol):
    """What is asked of the builder of a system."""

    reference: ReferenceConfiguration
    relative: RelativeCoordinates
    loads: LoadTable
    acting: str  # the name of the force or the constraint

    @property
    def by_rows(self) -> Collection[str]:
        """The joints that constraint rows keep."""

    def relative_coordinate(self, joint: str, coordinate: str | None) -> int: ...


@dataclass
class _Circle:
    """A station as the kernels know it: its circle fixed in a body that does not turn under the cable."""

    body: int
    at: Floats  # (3,) the centre, global
    radius: float  # below zero where the cable runs about it clockwise, 0: a point
    axis: Floats  # (3,) global
    spin: tuple[str, float] | None = None  # the joint whose angle the rim turns by, and the sense


@dataclass
class _Straight:
    """A straight part, drawn."""

    index: int  # of its relative coordinate
    name: str
    length: float  # m
    leaves: Floats  # (3,) its direction in the plane of the circle that it leaves, unit
    reaches: Floats  # (3,) likewise of the circle that it goes on to


def lay(builder: Laying, name: str, path: list[Station], strict: bool) -> list[Part]:
    """The parts of a cable of this name. `strict`: its lengths have to be known, not only up to turns about circles.

    Raises ItemError, its path below `path`, where a station lies inside of the circle before or after it.
    """
    reference = builder.reference
    circles = [_circle(reference, station) for station in path]
    open_radius = 0.0 if strict or any(station.rubs for station in path) else _open_radius(builder, path, circles)
    straights = []
    for k, (first, second) in enumerate(pairwise(circles)):
        try:
            straights.append(_straight(builder, f"{name}.strand{k}", first, second, open_radius))
        except ValueError as error:
            raise ItemError(("path", k + 1), error) from None
    parts, terms, drawn, flat = list[Part](), list[Term](), 0.0, 0.0
    lifts, rubs = list[Lift](), list[Rub]()
    for k, straight in enumerate(straights):
        if k == 0:
            terms += _spun(builder, name, 0, circles[0], -1.0)
        terms.append(Term(straight.index, straight.name, 1.0))
        drawn, flat = drawn + straight.length, flat + straight.length
        circle, grips = circles[k + 1], bool(path[k + 1].grips)
        last = k + 1 == len(straights)
        if circle.radius != 0.0 and not last:
            angle = _wrapped(circle, straight, straights[k + 1], bool(path[k + 1].lifts)) + 2.0 * pi * (path[k + 1].turns or 0.0)
            if path[k + 1].lifts:
                lifts.append(_lift(builder, name, k + 1, circles, angle, len(terms) - 1))
            drawn += abs(circle.radius) * angle * (0.5 if grips else 1.0)
        if path[k + 1].rubs:
            rubs.append(_rub(builder, name, path, k + 1, circles))
        if last or (grips and circle.radius != 0.0):
            terms += _spun(builder, name, k + 1, circle, 1.0)
            parts.append(Part(terms, drawn, flat, lifts, 2.0 * pi * open_radius, rubs))
            terms, drawn, flat, lifts, rubs = _spun(builder, name, k + 1, circle, -1.0), 0.0, 0.0, [], []
            if not last:
                drawn = 0.5 * abs(circle.radius) * angle
    return parts


def _circle(reference: ReferenceConfiguration, station: Station) -> _Circle:
    body, at = reference.index[station.body], np.array(reference.locate(*station.where))
    axis = np.array([0.0, 0.0, 1.0] if station.axis is None else station.axis)
    found = _Circle(body, at, station.signed_radius, axis)
    if reference.planar or found.radius == 0.0:
        return found
    for name, joint in reference.joints.items():
        if station.body not in (joint.first, joint.second) or "angle" not in joint.driven(3):
            continue
        first, second, frames = reference.seat(joint, "angle")
        z, off = np.array(frames[0][2]), at - reference.position(first)
        if np.linalg.norm(np.cross(z, axis)) < ON_AXIS and np.linalg.norm(np.cross(z, off)) < ON_AXIS * abs(found.radius):
            spins = second[0] == body
            found.body = first[0] if spins else second[0]
            found.spin = name, (1.0 if spins else -1.0) * float(np.sign(z @ axis))
            return found
    return found


def rims(reference: ReferenceConfiguration, path: list[Station]) -> list[tuple[int, float]]:
    """The stations of a cable that no pulley grips whose rims turn by a joint's angle, and the factor of that in its length, m/rad."""
    ends = ((0, -1.0), (len(path) - 1, 1.0))
    found = [(k, _factor(circle, side)) for k, side in ends if (circle := _circle(reference, path[k])).spin is not None]
    return [(k, factor) for k, factor in found if factor != 0.0]


def _open_radius(builder: Laying, path: list[Station], circles: list[_Circle]) -> float:
    """The radius whose turns a length may leave open: of circles that joints turn by angles known up to turns, else of all circles, if one.

    Raises ItemError where there are several of the first.
    """
    ends = {0, len(path) - 1}
    turned = [k for k, c in enumerate(circles) if (k in ends or path[k].grips) and c.spin and c.spin[0] in builder.by_rows]
    radii = {abs(circles[k].radius) for k in turned}
    if len(radii) > 1:
        told = "drums and pulleys of several radii turn, by angles that are known up to full turns in space and absolute coordinates"
        raise ItemError(("path", turned[-1]), ValueError(f"{told}; use `coordinates: joint`, where angles count turns"))
    radii = radii or {abs(c.radius) for c in circles if c.radius != 0.0}
    return radii.pop() if len(radii) == 1 else 0.0


def _factor(circle: _Circle, side: float) -> float:
    """What a rad of the joint that turns a rim adds to the length of what ends there (side 1) or begins there (-1), m."""
    return 0.0 if circle.spin is None else side * circle.spin[1] * circle.radius


def _spun(builder: Laying, name: str, k: int, circle: _Circle, side: float) -> list[Term]:
    """The term of the rim of station k."""
    if circle.spin is None:
        return []
    joint = circle.spin[0]
    index = builder.relative_coordinate(joint, "angle")
    if joint in builder.by_rows:
        builder.loads.angles.setdefault(index, (builder.acting, f"{joint}.angle"))
    builder.relative.named[f"{name}.rim{k}"] = index
    return [Term(index, f"{name}.rim{k}", _factor(circle, side))]


def _straight(builder: Laying, name: str, first: _Circle, second: _Circle, open_radius: float) -> _Straight:
    """A straight part between two stations. Raises ValueError where one lies inside of the other.

    Its direction has to be known where a turn of it changes the length by another amount than whole turns of `open_radius`.
    """
    reference, back = builder.reference, first.radius == 0.0
    apart = second.at - first.at
    if first.radius == 0.0 and second.radius == 0.0:
        length = float(np.linalg.norm(apart))
        if not length > 0.0:
            raise ValueError("the cable goes on to the point where it is: a straight part needs a length")
        index = builder.relative.row(name, LENGTH, distance(), _place(reference, first), _place(reference, second), GLOBAL)
        return _Straight(index, name, length, apart / length, apart / length)
    i, j = (second, first) if back else (first, second)
    sign = -1.0 if back else 1.0
    R_i, R_j = sign * i.radius, sign * j.radius
    e_i, e_j, length = _touching(i, j, R_i, R_j, sign * apart)
    turns = [R_i - R_j] if reference.planar else [R_i, R_j]
    known = open_radius > 0.0 and all(abs(x / open_radius - round(x / open_radius)) < 1e-9 for x in turns)
    data = _data(reference, (i, j), (R_i, R_j), (e_i, e_j), not known)
    index = builder.relative.line(name, RelativeCoordinate(STRAND, i.body, j.body, data=[float(c) for c in data]))
    builder.loads.angles.setdefault(index, (name.partition(".")[0], name))
    leaves, reaches = (e_j, e_i) if back else (e_i, e_j)
    return _Straight(index, name, length, sign * leaves, sign * reaches)


def _data(
    reference: ReferenceConfiguration,
    circles: tuple[_Circle, _Circle],
    radii: tuple[float, float],
    along: tuple[Floats, Floats],
    strict: bool,
) -> Floats:
    """The numbers (24,) of a `strand`, and of its `bearing`."""
    (i, j), (R_i, R_j), (e_i, e_j), data = circles, radii, along, np.zeros(24)
    places = [_place(reference, i), _place(reference, j)]
    if reference.planar:
        data[0:2], data[2:4] = places[0][1][:2], places[1][1][:2]
        data[4:11] = R_i - R_j, R_j, *e_i[:2], reference.angle(i.body), reference.angle(j.body), float(strict)
    else:
        A_i, A_j = reference.rotations[i.body].T, reference.rotations[j.body].T
        data[0:3], data[3:6], data[6:9], data[9:12] = places[0][1], places[1][1], A_i @ e_i, A_j @ e_j
        data[12:15], data[15:18] = A_i @ np.cross(i.axis, e_i), A_j @ np.cross(j.axis, e_j)
        data[18:21] = R_i, R_j, float(strict)
    return data


def _bearing(reference: ReferenceConfiguration, circle: _Circle, other: _Circle, side: float) -> RelativeCoordinate:
    """The turn of a straight part as the body of a circle at its end sees it. `side`: -1 where it reaches the circle, 1 where it leaves."""
    R_i, R_j = side * circle.radius, side * other.radius
    e_i, e_j, _ = _touching(circle, other, R_i, R_j, other.at - circle.at)
    data = _data(reference, (circle, other), (R_i, R_j), (e_i, e_j), True)
    return RelativeCoordinate(BEARING, circle.body, other.body, data=[float(c) for c in data])


def _touching(i: _Circle, j: _Circle, R_i: float, R_j: float, apart: Floats) -> tuple[Floats, Floats, float]:
    """The direction of a straight part in the planes of its circles (3,), (3,), and its length: the equations of the kind `strand`.

    Raises ValueError where there is none.
    """
    x, y = _across(i.axis)
    w = np.array([apart @ x, apart @ y])
    m = R_i - R_j * float(np.sign(i.axis @ j.axis) or 1.0)
    left = w @ w - m * m
    if not left > 1e-18 * (w @ w + m * m):
        told = f"the centres are {np.linalg.norm(w):.6g} apart, with radii {abs(R_i):g} and {abs(R_j):g}"
        raise ValueError(f"no straight line leads there: one lies inside of the other, or the circles cut each other ({told})")
    ell = float(np.sqrt(left))
    u = (ell * w + m * np.array([-w[1], w[0]])) / (w @ w)
    e_i = u[0] * x + u[1] * y
    z_j = j.axis if R_j != 0.0 else i.axis
    e_j = e_i - (e_i @ z_j) * z_j
    if not np.linalg.norm(e_j) > 0.0:
        raise ValueError(LEAVES)
    e_j /= np.linalg.norm(e_j)
    for _ in range(STEPS if R_j != 0.0 else 0):
        n_i, n_j = np.cross(i.axis, e_i), np.cross(z_j, e_j)
        d = apart - R_j * n_j + R_i * n_i
        slopes = np.array([[-e_i @ d, R_j * (n_i @ e_j)], [-R_i * (n_j @ e_i), -e_j @ d]])
        first, second = np.linalg.solve(slopes, -np.array([n_i @ d, n_j @ d]))
        e_i, e_j = np.cos(first) * e_i + np.sin(first) * n_i, np.cos(second) * e_j + np.sin(second) * n_j
    d = apart - R_j * np.cross(z_j, e_j) + R_i * np.cross(i.axis, e_i)
    length = float(np.linalg.norm(d))
    if e_i @ d < 0.5 * length or (R_j != 0.0 and e_j @ d < 0.5 * length):
        raise ValueError(LEAVES)
    return e_i, e_j, length


def _place(reference: ReferenceConfiguration, circle: _Circle) -> tuple[int, list[float]]:
    A = reference.rotations[circle.body]
    return circle.body, [float(c) for c in A.T @ (circle.at - reference.positions[circle.body])]


def _across(z: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across a third, right-handed with it; global x and y across global z."""
    e = np.eye(3)[0 if abs(z[0]) < 0.9 else 1]
    x = e - (e @ z) * z
    x /= np.linalg.norm(x)
    return x, np.cross(z, x)


def slides(reference: ReferenceConfiguration, path: list[Station], k: int) -> list[tuple[str, float]]:
    """How far a cable has slid over the rim of station k, as words of relative coordinates and factors: see `Rub.slide`."""
    ends = [0, *(i for i in range(1, len(path) - 1) if path[i].grips), len(path) - 1]
    first, last = max(i for i in ends if i < k), min(i for i in ends if i > k)
    found = [(f"strand{i}", -0.5 if i < k else 0.5) for i in range(first, last)]
    for i, side, half in ((first, -1.0, -0.5), (k, 1.0, -0.5), (k, -1.0, 0.5), (last, 1.0, 0.5)):
        found += [(f"rim{i}", half * factor) for factor in [_factor(_circle(reference, path[i]), side)] if factor != 0.0]
    return found


def drawn_angle(reference: ReferenceConfiguration, path: list[Station], k: int) -> float:
    """The angle by which a cable lies on the circle of station k in the drawing, rad. Raises ItemError where it cannot lie there."""
    before, circle, after = (_circle(reference, path[i]) for i in (k - 1, k, k + 1))
    try:
        reaches, leaves = (_touching(circle, other, side * circle.radius, side * other.radius, other.at - circle.at)[0] * side
                           for other, side in ((before, -1.0), (after, 1.0)))  # fmt: skip
    except ValueError as error:
        raise ItemError(("path", k), error) from None
    return _between(circle, reaches, leaves) + 2.0 * pi * (path[k].turns or 0.0)


def _rub(builder: Laying, name: str, path: list[Station], k: int, circles: list[_Circle]) -> Rub:
    """Of station k, whose straight parts are there."""
    _spun(builder, name, k, circles[k], 1.0)
    turns = []
    for word, other, side in (("reaches", circles[k - 1], -1.0), ("leaves", circles[k + 1], 1.0)):
        index = builder.relative.line(f"{name}.{word}{k}", _bearing(builder.reference, circles[k], other, side))
        turns.append(Term(index, f"{name}.{word}{k}", side * float(np.sign(circles[k].radius))))
    words = [(f"{name}.{word}", factor) for word, factor in slides(builder.reference, path, k)]
    named = builder.relative.named
    return Rub(k, [Term(named[word], word, factor) for word, factor in words if word in named], (turns[0], turns[1]))


def _lift(builder: Laying, name: str, k: int, circles: list[_Circle], angle: float, term: int) -> Lift:
    """Of station k, whose straight parts are the terms `term` and the next one."""
    before, circle, after = circles[k - 1 : k + 2]
    places = _place(builder.reference, before), _place(builder.reference, after)
    beside = builder.relative.row(f"{name}.beside{k}", LENGTH, distance(), *places, GLOBAL)
    turns = []
    for word, strand, side in (("reaches", k - 1, -1.0), ("leaves", k, 1.0)):
        line = builder.relative.lines[builder.relative.named[f"{name}.strand{strand}"]]
        index = builder.relative.line(f"{name}.{word}{k}", replace(line, kind=BEARING))
        turns.append(Term(index, f"{name}.{word}{k}", side * float(np.sign(circle.radius))))
    return Lift((term, term + 1), abs(circle.radius) * angle, Term(beside, f"{name}.beside{k}", 1.0), angle, (turns[0], turns[1]))


def _wrapped(circle: _Circle, before: _Straight, after: _Straight, lifts: bool) -> float:
    """The angle by which the cable lies on a circle in the drawing, 0 .. 2 pi, rad; where it `lifts` -pi .. pi."""
    return _between(circle, before.reaches, after.leaves, lifts)


def _between(circle: _Circle, reaches: Floats, leaves: Floats, lifts: bool = False) -> float:
    """The same of the directions (3,) in which the cable reaches the circle and leaves it."""
    x, y = _across(circle.axis)
    a, b = (np.array([along @ x, along @ y]) for along in (reaches, leaves))
    angle = atan2(a[0] * b[1] - a[1] * b[0], a @ b) * float(np.sign(circle.radius))
    if lifts:
        return angle
    return angle if angle >= 0.0 else 0.0 if angle > -BACK else angle + 2.0 * pi
