"""The drivers of a model: which rows prescribe the motion, and what their multipliers are.

A position that is prescribed gives a holonomic row, a speed one at velocity level. In joint coordinates a coordinate or speed of the
tree is a row by itself (`COORDINATE`); everything else is as in absolute coordinates.
"""

from typing import NoReturn

import numpy as np

from mbsim.assembly.builder import Builder
from mbsim.assembly.records import CONSTANT, Element
from mbsim.assembly.reference import GLOBAL, XYZ, Frames
from mbsim.assembly.rows import SIMPLE, add_row
from mbsim.constraints._table import Place, Row
from mbsim.elements.kinds import ANGLE, COORDINATE, DISTANCE, IN_PLANE, SPIN, TURN
from mbsim.elements.primitives import Primitive, angle, distance, glide, in_plane, stretch
from mbsim.elements.primitives import spin as turning_speed
from mbsim.model.drivers import Driver
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import Point
from mbsim.model.lockable import lockable
from mbsim.system.system import DriverRecord, Floats, System

TORQUES = (ANGLE, TURN, SPIN)  # the primitives whose multiplier is one


def drive(builder: Builder, name: str, driver: Driver) -> None:
    """Add the rows of a driver between bodies. Raises ModelError where the mechanism has nothing of that name to drive."""
    key, law = driver.laws()[0]
    if driver.joint is not None:
        coordinate = driver.coordinate if key in ("speed", "value") else key
        _drive_joint(builder, name, key, driver.joint, coordinate, law, key == "speed")
    elif driver.coordinate is not None:
        _drive_state(builder, name, driver.coordinate, law)
    elif driver.point is not None:
        for axis, value in driver.laws():
            _add(builder, f"{name}.{axis}", in_plane(axis), _origin(builder), builder.place(driver.point, None), value)
    else:
        first, second = (builder.place(point, None) for point in driver.points or ())
        path = f"drivers.{name}.points"
        if first[0] == second[0]:
            builder.refuse(path, "both points belong to the same body; their distance cannot change")
        if key == "speed" and builder.reference.coincide(first, second):
            builder.refuse(path, "the two points coincide in the file: their distance has no direction; draw them apart")
        _add(builder, name, stretch() if key == "speed" else distance(0.0), first, second, law)


def _drive_joint(builder: Builder, name: str, key: str, joint: str, coordinate: str | None, law: Expression, at_speed: bool) -> None:
    """A coordinate of a joint (None: its only one) that rows keep, or its speed; `key` is where the file says so."""
    block, path = builder.reference.joints[joint], f"drivers.{name}.{key}"
    dimension = builder.dimension
    choices = block.driven(dimension)
    if coordinate is None and key == "value" and len(choices) == 1:
        coordinate = choices[0]
    if coordinate == "length" and {name, joint} & lockable(builder.model):
        builder.refuse(path, f"the joint {joint} and its length, which is driven, cannot come and go; drive the distance of two `points`")
    if coordinate == "length" and (element := _distance(builder, joint)) is not None:  # the joint's own row, with the law in place of L
        if element.law >= 0:
            builder.refuse(path, f"the joint {joint} has a length that is a function of t; give it once")
        element.law = builder.time_laws([law])
        element.geometry[CONSTANT[dimension]] = 0.0
        builder.rows.drivers.append(DriverRecord(name, element.row, "N", joint, DISTANCE))
        return
    if coordinate is None and _distance(builder, joint) is not None:
        builder.refuse(path, f"the joint {joint} keeps its length; in its place drive the two `points` with `speed`")
    if coordinate is None and len(choices) == 1:
        coordinate = choices[0]
    if coordinate is None or coordinate not in choices:
        refuse_coordinate(builder, path, block.type, coordinate, choices)
    primitive = block.DRIVES[coordinate][dimension]
    if at_speed:
        if primitive.kind not in SIMPLE:
            builder.refuse(path, f"the speed of the {coordinate} of a {block.type} joint cannot be driven; drive the {coordinate}")
        primitive = glide(primitive.a) if primitive.kind == IN_PLANE else turning_speed("z")
    first, second, frames = builder.reference.seat(block, coordinate, at_speed)
    _add(builder, name, primitive, first, second, law, frames, joint)


def refuse_coordinate(builder: Builder, path: str, word: str, coordinate: str | None, choices: list[str]) -> NoReturn:
    """A joint of the type `word` has no such coordinate, or more than one to choose from."""
    if coordinate is None and choices:
        builder.refuse(path, f"a {word} joint has more than one coordinate; give `coordinate`: {', '.join(choices)}")
    found = f"; it has: {' or '.join(choices)}" if choices else ""
    builder.refuse(path, f"a {word} joint has no {coordinate or 'coordinate'} to drive{found}")


def _drive_state(builder: Builder, name: str, state: str, law: Expression) -> None:
    """A coordinate or speed of a body (crank.x, der(crank.angle), disk.omega.z) or of a joint (O.angle, der(O.angle))."""
    at_speed = state.startswith("der(")
    thing, _, part = state.removeprefix("der(").removesuffix(")").partition(".")
    if thing not in builder.model.bodies:
        _drive_joint(builder, name, "coordinate", thing, part, law, at_speed)
        return
    ground, body = _origin(builder), builder.place(Point(thing, None), None)
    if part.startswith("omega."):  # body axes
        _add(builder, name, turning_speed(part[-1]), ground, body, law, (XYZ, builder.reference.rotations[body[0]].T.tolist()))
    elif part == "angle":
        _add(builder, name, turning_speed("z") if at_speed else angle(), ground, body, law)
    else:
        _add(builder, name, glide(part) if at_speed else in_plane(part), ground, body, law)


def drive_tree(builder: Builder, name: str, state: tuple[int | None, int], unit: str, law: Expression, joint: str) -> None:
    """A coordinate of the tree or, without one, a speed, in places of q and v; `unit` is that of the speed."""
    coordinate, speed = state
    effort = "N m" if unit.startswith("rad") else "N"
    places, ground = (float(coordinate or 0), float(speed)), _origin(builder)
    primitive = Primitive(COORDINATE, 1)
    index = builder.time_laws([law]) if coordinate is None else builder.row_law(name, COORDINATE, law)
    row = Row("", primitive, ground, ground, GLOBAL, index)
    add_row(builder, name, row._replace(unit=effort, joint=joint, at_speed=coordinate is None, state=places))


def check_branches(builder: Builder, system: System, t: float, q: Floats) -> None:
    """A spatial angle driver keeps sin(theta - f) = 0, which also holds half a turn off. Raises ModelError where it does at (t, q)."""
    turned = [driver for driver in builder.rows.drivers if driver.kind == TURN]
    if turned:
        system.phi(t, q)  # leaves the poses in `frames` and the laws' values in `laws`
    for driver in turned:
        element = next(e for e in builder.rows.elements if e.row == driver.row)
        g, frames = element.geometry, system.arrays.frames
        A_i, A_j = frames[element.first, 3:12].reshape(3, 3), frames[element.second, 3:12].reshape(3, 3)
        x, y = A_i @ g[6:9], A_i @ g[12:15]
        f = angle_of(element, system)
        if (np.cos(f) * x + np.sin(f) * y) @ (A_j @ g[9:12]) < 0.0:
            message = f"at the start the angle is {f:.4g} rad, more than a quarter turn from where the file draws joint {driver.joint}"
            builder.refuse(f"drivers.{driver.name}", f"{message}; draw the bodies nearer to it")


def angle_of(element: Element, system: System) -> float:
    """The spatial angle that the row of an element keeps, of a system whose residual has just been evaluated, rad."""
    law = float(system.arrays.laws[element.law, 0]) if element.law >= 0 else 0.0
    return element.geometry[CONSTANT[3]] + law


def _distance(builder: Builder, joint: str) -> Element | None:
    """The element of a joint that is nothing but a DISTANCE."""
    rows = builder.rows.joints.get(joint, slice(0, 0))
    if rows.stop - rows.start != 1:
        return None
    return next((e for e in builder.rows.elements if e.kind == DISTANCE and e.row == rows.start), None)


def _origin(builder: Builder) -> Place:
    return builder.ground(), [0.0, 0.0, 0.0]


def _add(
    builder: Builder,
    label: str,
    primitive: Primitive,
    first: Place,
    second: Place,
    law: Expression,
    frames: Frames = GLOBAL,
    joint: str = "",
) -> None:
    row = Row("", primitive, first, second, frames, builder.row_law(label, primitive.kind, law))
    unit = "N m" if primitive.kind in TORQUES else "N"
    add_row(builder, label, row._replace(unit=unit, joint=joint, from_global=not joint))
