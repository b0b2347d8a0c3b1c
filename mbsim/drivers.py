"""The drivers of a model: which rows prescribe the motion, and what their multipliers are.

A position that is prescribed gives a holonomic row, a speed one at velocity level. In joint coordinates a coordinate or speed of the
tree is a row by itself (`COORDINATE`); everything else is as in absolute coordinates.
"""

from typing import Any

from mbsim.constraints._table import Row
from mbsim.elements.kinds import ANGLE, COORDINATE, DISTANCE, IN_PLANE, SPIN, TURN
from mbsim.elements.primitives import Primitive, angle, distance, glide, in_plane, stretch
from mbsim.elements.primitives import spin as turning_speed
from mbsim.model.drivers import Driver
from mbsim.model.expressions import Expression, parse
from mbsim.model.fields import Point
from mbsim.model.tree import linear
from mbsim.rows import SIMPLE, add_row
from mbsim.system.system import DriverRecord

AXES = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
TORQUES = (ANGLE, TURN, SPIN)  # the primitives whose multiplier is one


def drive(bodies: Any, name: str, driver: Driver) -> None:
    """Add the rows of a driver to the builder of bodies. Raises ModelError where the mechanism has nothing of that name to drive."""
    key, law = driver.laws()[0]
    if driver.joint is not None:
        coordinate = driver.coordinate if key in ("speed", "value") else key
        drive_joint(bodies, name, key, driver.joint, coordinate, law, key == "speed")
    elif driver.coordinate is not None:
        drive_state(bodies, name, driver.coordinate, law)
    elif driver.point is not None:
        for axis, value in driver.laws():
            _add(bodies, f"{name}.{axis}", in_plane(axis), _origin(bodies), bodies.place(driver.point, None), value)
    else:
        first, second = (bodies.place(point, None) for point in driver.points or ())
        if first[0] == second[0]:
            bodies.refuse(f"drivers.{name}.points", "both points belong to the same body; their distance cannot change")
        if key == "speed" and bodies.coincide(first, second):
            bodies.refuse(f"drivers.{name}.points", "the two points coincide in the file: their distance has no direction; draw them apart")
        _add(bodies, name, stretch() if key == "speed" else distance(0.0), first, second, law)


def drive_joint(bodies: Any, name: str, key: str, joint: str, coordinate: str | None, law: Expression, at_speed: bool) -> None:
    """A coordinate of a joint (None: its only one) that rows keep, or its speed; `key` is where the file says so."""
    block, path = bodies.model.joints[joint], f"drivers.{name}.{key}"
    choices = block.driven(bodies.dimension)
    if coordinate == "length" and (element := _distance(bodies, joint)) is not None:  # the joint's own row, with the law in place of L
        if bodies.table[element][4] >= 0:
            bodies.refuse(path, f"the joint {joint} has a length that is a function of t; give it once")
        bodies.table[element][4] = bodies.time_laws([law])
        bodies.geometry[element][7 if bodies.dimension == 2 else 15] = 0.0
        bodies.drivers.append(DriverRecord(name, bodies.table[element][1], "N", joint, DISTANCE))
        return
    if coordinate is None and _distance(bodies, joint) is not None:
        bodies.refuse(path, f"the joint {joint} keeps its length; in its place drive the two `points` with `speed`")
    if coordinate is None and len(choices) == 1:
        coordinate = choices[0]
    if coordinate not in choices:
        refuse(bodies, path, block.type, coordinate, choices)
    primitive: Primitive = block.DRIVES[coordinate][bodies.dimension]
    if at_speed:
        if primitive.kind not in SIMPLE:
            bodies.refuse(path, f"the speed of the {coordinate} of a {block.type} joint cannot be driven; drive the {coordinate}")
        primitive = glide(primitive.a) if primitive.kind == IN_PLANE else turning_speed("z")
    first, second, frames = bodies.seat(block, coordinate, at_speed)
    _add(bodies, name, primitive, first, second, law, frames, joint)


def refuse(bodies: Any, path: str, word: str, coordinate: str | None, choices: list[str]) -> None:
    """A joint of the type `word` has no such coordinate, or more than one to choose from."""
    if coordinate is None and choices:
        bodies.refuse(path, f"a {word} joint has more than one coordinate; give `coordinate`: {', '.join(choices)}")
    found = f"; it has: {' or '.join(choices)}" if choices else ""
    bodies.refuse(path, f"a {word} joint has no {coordinate or 'coordinate'} to drive{found}")


def drive_state(bodies: Any, name: str, state: str, law: Expression) -> None:
    """A coordinate or speed of a body (crank.x, der(crank.angle), disk.omega.z) or of a joint (O.angle, der(O.angle))."""
    at_speed = state.startswith("der(")
    thing, _, part = state.removeprefix("der(").removesuffix(")").partition(".")
    if thing not in bodies.model.bodies:
        drive_joint(bodies, name, "coordinate", thing, part, law, at_speed)
        return
    ground, body = _origin(bodies), bodies.place(Point(thing, None), None)
    if part.startswith("omega."):  # body axes
        _add(bodies, name, turning_speed(part[-1]), ground, body, law, (AXES, bodies.rotations[body[0]].T.tolist()))
    elif part == "angle":
        _add(bodies, name, turning_speed("z") if at_speed else angle(), ground, body, law)
    else:
        _add(bodies, name, glide(part) if at_speed else in_plane(part), ground, body, law)


def drive_tree(bodies: Any, name: str, state: tuple[int | None, int], unit: str, law: Expression, joint: str) -> None:
    """A coordinate of the tree or, without one, a speed, in places of q and v; `unit` is that of the coordinate or speed."""
    coordinate, speed = state
    effort = "N m" if unit.startswith("rad") else "N"
    places, ground = (float(coordinate or 0), float(speed)), _origin(bodies)
    row = Row("", Primitive(COORDINATE, 1), ground, ground, (AXES, AXES), bodies.time_laws([law]))
    add_row(bodies, name, row._replace(unit=effort, joint=joint, at_speed=coordinate is None, state=places))


def driver_equation(driver: Driver) -> Expression:
    """What a driver of one of the user's own coordinates, or of its rate, keeps zero."""
    return linear([(1.0, parse(driver.coordinate or "")), (-1.0, driver.laws()[0][1])])


def _distance(bodies: Any, joint: str) -> int | None:
    """The element of a joint that is nothing but a DISTANCE."""
    label = f"{joint}[0]"
    if label not in bodies.rows or f"{joint}[1]" in bodies.rows:
        return None
    row = bodies.rows.index(label)
    return next((e for e, line in enumerate(bodies.table) if line[0] == DISTANCE and line[1] == row), None)


def _origin(bodies: Any) -> tuple[int, list[float]]:
    return bodies.ground(), [0.0, 0.0, 0.0]


def _add(
    bodies: Any, label: str, primitive: Primitive, first: Any, second: Any, law: Expression, frames: Any = (AXES, AXES), joint: str = ""
) -> None:
    row = Row("", primitive, first, second, frames, bodies.time_laws([law]))
    unit = "N m" if primitive.kind in TORQUES else "N"
    add_row(bodies, label, row._replace(unit=unit, joint=joint, from_global=not joint))
