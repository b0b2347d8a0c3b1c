"""Constraint rows of a builder of bodies, in order: joints and drivers, contacts' holonomic rows, equations, rows at velocity level.

Rows at velocity level (kinds that say so, and coordinates of a tree whose speed is driven) have no phi and stand behind all others, so
that phi belongs to the first rows of C v + xi.
"""

from collections.abc import Sequence
from typing import Any

from mbsim.constraints._table import Row
from mbsim.elements.kinds import ANGLE, COORDINATE, IN_PLANE, ROLL, TURN, at_velocity_level
from mbsim.system.joint_speeds import JointSpeed
from mbsim.system.system import DriverRecord

SIMPLE = (ANGLE, TURN, IN_PLANE)  # primitives of coordinates of joints whose rate is a row of its own


def add_contacts(bodies: Any) -> None:
    """The rows of constraints that are no equations. Raises ModelError."""
    for name, constraint in bodies.model.constraints.items():
        if constraint.EQUATION:
            continue
        try:
            rows: list[Row] = constraint.rows(bodies)
        except ValueError as error:
            bodies.refuse(f"constraints.{name}", str(error))
        for row in rows:
            add_row(bodies, f"{name}.{row.label}" if row.label else name, row)


def add_row(bodies: Any, label: str, row: Row) -> None:
    """A row of the tables at once, or, at velocity level, when `add_late` is called."""
    if at_velocity_level(row.primitive.kind) or row.at_speed:
        bodies.late.append((label, row))
    else:
        _append(bodies, label, row)


def add_equations(bodies: Any) -> None:
    """The rows of equations, which follow each other."""
    equations = {level: {n: c.equation for n, c in bodies.model.constraints.items() if level == c.EQUATION} for level in _LEVELS}
    bodies.laws.holonomic, bodies.laws.nonholonomic = (equations[level] for level in _LEVELS)
    for constraint, equation in equations["nonholonomic"].items():
        for name in sorted(equation.names - {*bodies.coordinates, *bodies.speeds, *bodies.model.parameters, "t"}):
            _joint_speed(bodies, constraint, name)
    bodies.laws.first_row = len(bodies.rows)
    bodies.rows += [*bodies.laws.holonomic, *bodies.laws.nonholonomic]


def _joint_speed(bodies: Any, constraint: str, name: str) -> None:
    """der(O.angle) of a joint whose coordinate is none of the system's."""
    joint, _, coordinate = name.removeprefix("der(").removesuffix(")").partition(".")
    block = bodies.model.joints[joint]
    primitive = block.DRIVES[coordinate][bodies.dimension]
    if primitive.kind not in SIMPLE:
        bodies.refuse(f"constraints.{constraint}.terms", f"{name} of a {block.type} joint cannot be coupled; use the speeds of its bodies")
    first, second, frames = bodies.seat(block, coordinate)
    geometry = bodies.geometry_of(primitive, first, second, frames)
    bodies.laws.joint_speeds[name] = JointSpeed(primitive.kind, first[0], second[0], len(bodies.names), geometry)


_LEVELS = ("holonomic", "nonholonomic")


def add_late(bodies: Any) -> int:
    """The rows at velocity level; returns how many rows of all are holonomic."""
    n_holonomic = len(bodies.rows) - len(bodies.laws.nonholonomic)
    for label, row in bodies.late:
        _append(bodies, label, row)
    order: Sequence[str] = list(bodies.model.drivers)
    bodies.drivers.sort(key=lambda record: order.index(record.name.partition(".")[0]))
    return n_holonomic


def depend_on_time(bodies: Any) -> bool:
    """Whether rows of the tables have time laws."""
    return any(row[4] >= 0 for row in bodies.table)


def _append(bodies: Any, label: str, row: Row) -> None:
    kind, at = row.primitive.kind, len(bodies.rows)
    bodies.row_count = at
    bodies.add_primitive(row.primitive, row.first, row.second, row.frames, row.law)
    geometry = bodies.geometry[-1]
    if kind == ROLL:
        geometry[8] -= row.offset
    elif kind == COORDINATE:
        geometry[:3] = [*row.state, float(row.at_speed)]
    elif kind == ANGLE and row.from_global:
        geometry[6] = 0.0
    bodies.rows.append(label)
    if row.unit:
        bodies.drivers.append(DriverRecord(label, at, row.unit, row.joint, kind))
