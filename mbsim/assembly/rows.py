"""Constraint rows, in this order: joints and drivers, contacts' holonomic rows, couplings, equations, rows at velocity level.

Rows at velocity level (kinds that say so, and coordinates of a tree whose speed is driven) have no phi and stand behind all others, so
that phi belongs to the first rows of C v + xi.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from mbsim import registry
from mbsim.assembly.builder import Builder
from mbsim.assembly.foreign import given_by
from mbsim.assembly.locks import seat_anew
from mbsim.assembly.places import with_places
from mbsim.assembly.records import CONSTANT, Element
from mbsim.assembly.reference import Frames, ReferenceConfiguration
from mbsim.constraints._table import EquationConstraint, Place, Row, RowConstraint
from mbsim.elements.kinds import (
    ANGLE,
    APART_EDGES,
    COORDINATE,
    DISTANCE,
    HEIGHT,
    IN_PLANE,
    NEAR_SOLID,
    ROLL,
    ROLL_ROUND,
    TURN,
    at_velocity_level,
    rows_of,
)
from mbsim.elements.primitives import Primitive
from mbsim.model.expressions.expression import Expression
from mbsim.model.rolling_surfaces import RollingSurface
from mbsim.system.joint_speeds import JointSpeed
from mbsim.system.system import DriverRecord, JointRecord

KEEPS_GAP = (HEIGHT, DISTANCE, NEAR_SOLID, APART_EDGES)  # rows of contacts that can hold a gap in place of none
SIMPLE = (ANGLE, TURN, IN_PLANE)  # primitives of coordinates of joints whose rate is a row of its own
_LEVELS = ("holonomic", "nonholonomic")


def add_joint(builder: Builder, name: str) -> None:
    """The rows of a joint. Raises ModelError where its two points must not coincide, or its length is not positive."""
    reference, rows = builder.reference, builder.rows
    joint, start = reference.joints[name], len(rows.names)
    rows.joints[name] = slice(start, start)
    if name in builder.locks.open:
        return
    first, second = reference.joint_points(joint)
    if name in builder.locks.poses:
        reference, first, second = seat_anew(reference, joint, builder.locks.poses[name])
    law = _length_law(builder, name, joint.prescribed())
    for primitive in given_by(joint, f"joint '{name}'", partial(joint.rows, reference.dimension), Primitive):
        if primitive.value is None and reference.coincide(first, second):
            builder.refuse(
                f"joints.{name}", f"the two points of a {joint.type} joint coincide in the file: draw them apart or give `length`"
            )
        _add_element(builder, primitive, first, second, joint.frames(reference.dimension), law, reference)
        count = rows_of(primitive.kind, reference.dimension)
        rows.names += [f"{name}[{len(rows.names) - start + k}]" for k in range(count)]
    rows.joints[name] = slice(start, len(rows.names))


def _length_law(builder: Builder, joint: str, length: Expression | None) -> int:
    """Index of the law of a rod's length (m), -1 where it is constant."""
    if length is None:
        return -1
    try:
        (start,) = builder.at_start([length])
    except ValueError as error:
        builder.refuse(f"joints.{joint}.length", f"at the start: {error}")
    if not start > 0.0:
        builder.refuse(f"joints.{joint}.length", f"must be greater than 0 (at the start it is {start:g})")
    return builder.time_laws([length])


def add_contacts(builder: Builder) -> None:
    """The rows of constraints that are no equations. Raises ModelError."""
    for name, constraint in builder.model.constraints.items():
        if not isinstance(constraint, RowConstraint) or name in builder.locks.open:
            continue
        known = len(builder.laws.surfaces)
        try:
            rows = given_by(constraint, f"constraint '{name}'", partial(constraint.rows, builder), Row)
        except registry.PluginError:
            raise
        except ValueError as error:
            builder.refuse(f"constraints.{name}", str(error))
        for row in rows:
            add_row(builder, f"{name}.{row.label}" if row.label else name, row)
        for at, surface in [*builder.laws.surfaces.items()][known:]:
            centre = tuple(with_places(builder, name, e) for e in surface.centre)
            builder.laws.surfaces[at] = RollingSurface(surface.height, centre)


def add_row(builder: Builder, label: str, row: Row) -> None:
    """A row of the tables at once, or, at velocity level, when `add_late` is called."""
    if at_velocity_level(row.primitive.kind) or row.at_speed:
        builder.rows.late.append((label, row))
    else:
        _append(builder, label, row)


def equations(builder: Builder) -> dict[str, EquationConstraint]:
    """The constraints that are equations."""
    found = builder.model.constraints.items()
    return {name: c for name, c in found if isinstance(c, EquationConstraint) and name not in builder.locks.open}


def add_equations(builder: Builder) -> None:
    """The rows of equations, which follow each other. Raises ModelError for speeds of joints that cannot be coupled."""
    laws, coordinates = builder.laws, builder.coordinates
    found = equations(builder)
    residuals = {name: with_places(builder, name, c.residual()) for name, c in found.items()}
    laws.holonomic, laws.nonholonomic = ({name: residuals[name] for name, c in found.items() if level == c.EQUATION} for level in _LEVELS)
    laws.holonomic = {name: builder.less_held(name, equation) for name, equation in laws.holonomic.items()}
    for constraint, equation in laws.nonholonomic.items():
        for name in sorted(equation.names - {*coordinates.names, *coordinates.speeds, *laws.parameters, "t"}):
            _joint_speed(builder, constraint, name)
    laws.first_row = len(builder.rows.names)
    builder.rows.names += [*laws.holonomic, *laws.nonholonomic]


def _joint_speed(builder: Builder, constraint: str, name: str) -> None:
    """der(O.angle) of a joint whose coordinate is none of the system's."""
    reference = builder.reference
    joint, _, coordinate = name.removeprefix("der(").removesuffix(")").partition(".")
    block = reference.joints[joint]
    primitive = block.DRIVES[coordinate][reference.dimension]
    if primitive.kind not in SIMPLE:
        builder.refuse(f"constraints.{constraint}.terms", f"{name} of a {block.type} joint cannot be coupled; use the speeds of its bodies")
    first, second, frames = reference.seat(block, coordinate)
    geometry = reference.geometry(primitive, first, second, frames)
    builder.laws.joint_speeds[name] = JointSpeed(primitive.kind, first[0], second[0], reference.ground, geometry)


def add_late(builder: Builder) -> None:
    """The rows at velocity level, and the drivers in the order of the model file."""
    rows = builder.rows
    rows.n_holonomic = len(rows.names) - len(builder.laws.nonholonomic)
    for label, row in rows.late:
        _append(builder, label, row)
    order: Sequence[str] = list(builder.model.drivers)
    rows.drivers.sort(key=lambda record: order.index(record.name.partition(".")[0]))


def depend_on_time(builder: Builder) -> bool:
    """Whether rows of the tables have time laws."""
    return any(element.law >= 0 for element in builder.rows.elements)


def _append(builder: Builder, label: str, row: Row) -> None:
    kind, at = row.primitive.kind, len(builder.rows.names)
    geometry = _add_element(builder, row.primitive, row.first, row.second, row.frames, row.law).geometry
    if kind in (ROLL, ROLL_ROUND):
        geometry[8] -= row.offset - builder.locks.values.get(label, 0.0)
    elif label in builder.bounds:
        _keep_bound(row, geometry, builder.reference.dimension, builder.bound(label))
    elif kind == COORDINATE:
        geometry[:3] = [*row.state, float(row.at_speed)]
    elif kind == ANGLE and row.from_global:
        geometry[6] = 0.0
    elif kind == ANGLE and not row.unit:  # a driver has it in its law
        geometry[6] += builder.locks.values.get(label, 0.0)
    elif kind in KEEPS_GAP and not row.unit:
        _keep_gap(kind, geometry, builder.reference.dimension, builder.locks.values.get(label, 0.0))
    builder.rows.names.append(label)
    if row.unit:
        builder.rows.drivers.append(DriverRecord(label, at, row.unit, row.joint, kind))


def _keep_bound(row: Row, geometry: list[float], dimension: int, bound: float) -> None:
    """Let the row of a joint's coordinate keep this (m or rad); one of another kind has a law."""
    kind = row.primitive.kind
    if kind == COORDINATE:
        geometry[:4] = [*row.state, 0.0, bound]
    elif kind == ANGLE:
        geometry[6] += bound
    elif kind == TURN:
        geometry[CONSTANT[dimension]] = bound
    elif kind == IN_PLANE:
        along = 4 if dimension == 2 else 6
        for k in range(dimension):
            geometry[k] += bound * geometry[along + k]


def _keep_gap(kind: int, geometry: list[float], dimension: int, gap: float) -> None:
    """Let the row of a contact hold a gap (m), against its plane or its distance."""
    if kind == HEIGHT:
        normal = 4 if dimension == 2 else 6
        for k in range(dimension):
            geometry[k] += gap * geometry[normal + k]
    else:
        geometry[7 if dimension == 2 else 15] += gap


def _add_element(
    builder: Builder,
    primitive: Primitive,
    first: Place,
    second: Place,
    frames: Frames,
    law: int,
    reference: ReferenceConfiguration | None = None,
) -> Element:
    """A line of the tables, whose first row of C is the next one to be named."""
    geometry = (reference or builder.reference).geometry(primitive, first, second, frames)
    element = Element(primitive.kind, len(builder.rows.names), first[0], second[0], law, geometry)
    builder.rows.elements.append(element)
    return element


def record_of(builder: Builder, name: str) -> JointRecord:
    """Where a joint's reaction is found; one that no rows keep has all of them."""
    reference = builder.reference
    joint = reference.joints[name]
    (i, s_i), (j, s_j) = reference.joint_points(joint)
    frame = joint.frames(reference.dimension)[1]
    first, second = (-1 if b == reference.ground else b for b in (i, j))
    rows = builder.rows.joints.get(name, slice(0, len(builder.rows.names)))
    axes = reference.rotations[j].T @ np.array(frame, float).T
    return JointRecord(name, rows, first, second, np.array(s_i), np.array(s_j), axes)
