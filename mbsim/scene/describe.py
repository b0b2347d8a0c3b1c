"""Model -> what drawing needs, as plain data. Points and axes are in the axes of their body, points from its centre of mass, SI units.

Body index -1 is the ground, at the origin with the global axes. The keys are described in docs/results.md.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mbsim.joints._table import Axes, TableJoint
from mbsim.model.fields import Point
from mbsim.model.schema import Model
from mbsim.scene.cables import cables
from mbsim.scene.contacts import contacts, meetings
from mbsim.scene.elastic import described
from mbsim.scene.forces import forces
from mbsim.scene.gears import gears

VERSION = 1
DIGITS = 9  # of the numbers in the file: a picture needs no more
_NUMBER = f"%.{DIGITS}g"
_USUAL = (0.0, 1.0, -1.0)  # most numbers; they are short already


class Reference(Protocol):
    """What is asked of the reference configuration (mbsim.assembly.reference)."""

    dimension: int
    names: list[str]
    ground: int
    joints: dict[str, TableJoint]
    positions: list[NDArray[np.float64]]  # (3,) of each body and of the ground
    rotations: list[NDArray[np.float64]]  # (3, 3)

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]: ...

    def direction(self, body: int, vector: Sequence[float]) -> list[float]: ...

    def joint_points(self, joint: TableJoint) -> tuple[tuple[int, list[float]], tuple[int, list[float]]]: ...


def later(model: Model, reference: Reference) -> Callable[[], str]:
    """What makes the scene of a model of bodies at its first call: most assemblies are neither recorded nor drawn."""
    return cache(partial(describe, model, reference))


def describe(model: Model, reference: Reference) -> str:
    """The scene of a model of bodies as JSON; an empty text for a model in its own coordinates."""
    if not model.bodies:
        return ""
    joints = [_joint(reference, name, joint) for name, joint in reference.joints.items()]
    scene = {
        "version": VERSION,
        "dimension": reference.dimension,
        "gravity": [*model.gravity, 0.0][:3],
        "ground": {
            "points": {point: [*at, 0.0][:3] for point, at in model.ground.points.items()},
            "shape": model.ground.drawn(),
        },
        "bodies": [_body(model, reference, i, name) for i, name in enumerate(reference.names)],
        "joints": joints,
        "gears": gears(model, reference, joints),
        "drivers": [
            {"name": name, "joint": driver.joint or (driver.coordinate or "").removeprefix("der(").partition(".")[0]}
            for name, driver in model.drivers.items()
        ],
        "forces": forces(model, reference),
        "beams": [
            {"name": name, "nodes": [reference.names.index(node) for node in beam.nodes], "outline": beam.outline()}
            for name, beam in model.beams.items()
        ],
        "elastic": described(model, reference.names),
        "cables": cables(model, reference),
        "contacts": contacts(model, reference),
        "meetings": meetings(model, reference),
    }
    return json.dumps(_short(scene), separators=(",", ":"))


def _body(model: Model, reference: Reference, i: int, name: str) -> dict[str, Any]:
    body = model.bodies[name]
    return {
        "name": name,
        "mass": body.mass,
        "inertia": body.inertia_matrix,
        "position": list(reference.positions[i]),
        "quaternion": body.quaternion,
        "points": {point: [*at, 0.0][:3] for point, at in body.points.items()},
        "shape": body.drawn(),
    }


def _joint(reference: Reference, name: str, joint: TableJoint) -> dict[str, Any]:
    (i, first), (j, second) = reference.joint_points(joint)
    frames: tuple[Axes, Axes] = joint.frames(reference.dimension)
    axes = [[reference.direction(body, axis) for axis in frame] for body, frame in zip((i, j), frames, strict=True)]
    bodies = [-1 if body == reference.ground else body for body in (i, j)]
    look = {"symbol": joint.SYMBOL, "slides": joint.slides(reference.dimension)}
    return {"name": name, "type": joint.type, **look, "bodies": bodies, "points": [first, second], "axes": axes, "cut": joint.cut}


def _short(value: Any) -> Any:
    """The same data with numbers of DIGITS digits, as JSON knows them."""
    kind = type(value)
    if kind is list or kind is tuple:
        return [_short(item) for item in value]
    if kind is dict:
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, float):  # numpy's too
        return value + 0.0 if value in _USUAL else float(_NUMBER % value) + 0.0
    return value
