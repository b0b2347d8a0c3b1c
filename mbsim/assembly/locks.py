"""Joints, drivers and constraints that come and go: which of them hold, and as what.

What an event locks holds as it is at that moment. So a joint's frames are placed anew: they coincide then. An equation keeps the value that
it has then, a driver goes on from where its coordinate is, a gear from the angles of that moment. Rows at velocity level need nothing.

A joint that comes and goes is never one of the tree in joint coordinates: the coordinates stay the same throughout a run.
"""

from typing import TYPE_CHECKING

from mbsim.assembly.lock_records import Poses
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.elements.kinds import DISTANCE
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.expressions.parsed import combine
from mbsim.model.lockable import lockable
from mbsim.model.schema import Model

if TYPE_CHECKING:
    from mbsim.constraints._table import Place
    from mbsim.joints._table import TableJoint

HELD = "held"  # the number that a row keeps in place of zero


def held_name(name: str) -> str:
    """What laws call the number that a driver or an equation keeps in place of zero."""
    return f"{name}.{HELD}"


def bounds(model: Model) -> dict[str, float]:
    """Where the rows of stops and frictions of joints keep these, m or rad, by row: those of frictions from where the file draws them."""
    return {one.normal or one.tangent: one.bound for one in model.unilaterals if one.joint}


def held_rows(model: Model) -> list[str]:
    """The rows of drivers and equations of positions that come and go. Those of contacts are none: what closes has no gap.

    Stops and frictions of joints are none either: what they keep stands in `Arrays.geometry`.
    """
    found, stops = list[str](), bounds(model)
    for name in sorted(lockable(model) - stops.keys()):
        if name in model.drivers:
            driver = model.drivers[name]
            found += [f"{name}.{key}" for key, _ in driver.laws()] if driver.form == "point" else [name]
        elif name in model.constraints and name not in model.contacts and model.constraints[name].EQUATION == "holonomic":
            found.append(name)
    return found


def less(expression: Expression, name: str) -> Expression:
    """An expression less the number that a driver or an equation of this name keeps."""
    return combine([(1.0, expression), (-1.0, parse(held_name(name)))])


def seat_anew(reference: ReferenceConfiguration, joint: "TableJoint", poses: Poses) -> "tuple[ReferenceConfiguration, Place, Place]":
    """The reference configuration in which a joint holds as its bodies stand now, and its points in their axes.

    The first body keeps its frame. That of the second is where the first one's is; where their points are apart by a length, both stay.
    """
    first, second = reference.joint_points(joint)
    apart = any(primitive.kind == DISTANCE for primitive in joint.rows(reference.dimension))
    now = reference.seen_from(first[0], poses.centres, poses.axes, poses.angles)
    if not apart:
        local = now.rotations[second[0]].T @ (now.position(first) - now.positions[second[0]])
        second = second[0], [float(x) for x in local]
    return now, first, second
