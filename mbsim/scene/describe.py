"""Model -> what drawing needs, as plain data. Points and axes are in the axes of their body, points from its centre of mass, SI units.

Body index -1 is the ground, at the origin with the global axes. The keys are described in docs/results.md.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mbsim.joints._table import Axes, TableJoint
from mbsim.model.expressions import evaluate, parse
from mbsim.model.fields import Point
from mbsim.model.names import GROUND
from mbsim.model.schema import Model
from mbsim.scene.contacts import contacts
from mbsim.scene.forces import forces
from mbsim.scene.gears import gears

VERSION = 1
DIGITS = 9  # of the numbers in the file: a picture needs no more
WORDS = frozenset({"type", "file"})  # keys of a shape whose values are texts


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


def describe(model: Model, reference: Reference) -> str:
    """The scene of a model of bodies as JSON; an empty text for a model in its own coordinates."""
    if not model.bodies:
        return ""
    joints = [_joint(reference, name, joint) for name, joint in reference.joints.items()]
    scene = {
        "version": VERSION,
        "dimension": reference.dimension,
        "gravity": [*model.gravity, 0.0][:3],
        "ground": {"points": _points(_raw(model, GROUND).get("points"), model), "shape": _shape(_raw(model, GROUND), model)},
        "bodies": [_body(model, reference, i, name) for i, name in enumerate(reference.names)],
        "joints": joints,
        "gears": gears(model, reference, joints),
        "drivers": [
            {"name": name, "joint": driver.joint or (driver.coordinate or "").removeprefix("der(").partition(".")[0]}
            for name, driver in model.drivers.items()
        ],
        "forces": forces(model, reference),
        "contacts": contacts(model, reference),
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
        "shape": _from_centre(_shape(_raw(model, name), model), _centre(model, reference, i, name)),
    }


def _centre(model: Model, reference: Reference, i: int, name: str) -> NDArray[np.float64]:
    """(3,) the centre of mass in the axes that a body's shapes are given in: with a density these begin at the body's origin."""
    raw = _raw(model, name)
    if "density" not in raw:
        return np.zeros(3)
    origin = np.array([*_value(raw.get("position", [0.0, 0.0, 0.0]), model), 0.0][:3], float)
    found: NDArray[np.float64] = reference.rotations[i].T @ (reference.positions[i] - origin)
    return found


def _from_centre(shapes: list[dict[str, Any]], centre: NDArray[np.float64]) -> list[dict[str, Any]]:
    """The shapes with their positions from the centre of mass on."""
    places = [[*shape.get("position", [0.0, 0.0, 0.0]), 0.0][:3] for shape in shapes]
    return [shape | {"position": list(np.array(place, float) - centre)} for shape, place in zip(shapes, places, strict=True)]


def _joint(reference: Reference, name: str, joint: TableJoint) -> dict[str, Any]:
    (i, first), (j, second) = reference.joint_points(joint)
    frames: tuple[Axes, Axes] = joint.frames(reference.dimension)
    axes = [[reference.direction(body, axis) for axis in frame] for body, frame in zip((i, j), frames, strict=True)]
    bodies = [-1 if body == reference.ground else body for body in (i, j)]
    return {"name": name, "type": joint.type, "bodies": bodies, "points": [first, second], "axes": axes, "cut": joint.cut}


# What the file says of shapes is read as it stands: numbers, texts and expressions over the parameters.


def _raw(model: Model, body: str) -> Mapping[str, Any]:
    """The block of a body, or of the ground, as written in the file."""
    data = model.document.data if isinstance(model.document.data, dict) else {}
    bodies = data.get("bodies")
    found = data.get(GROUND) if body == GROUND else bodies.get(body) if isinstance(bodies, dict) else None
    return found if isinstance(found, dict) else {}


def _points(given: Any, model: Model) -> dict[str, list[float]]:
    if not isinstance(given, dict):
        return {}
    return {str(name): [*_value(at, model), 0.0][:3] for name, at in given.items() if isinstance(at, list)}


def _shape(block: Mapping[str, Any], model: Model) -> list[dict[str, Any]]:
    """The shapes given for a body, always as a list."""
    given = block.get("shape")
    shapes = given if isinstance(given, list) else [given] if isinstance(given, dict) else []
    return [_value(shape, model) for shape in shapes if isinstance(shape, dict)]


def _value(given: Any, model: Model, key: str = "") -> Any:
    """Plain data with its expressions evaluated."""
    if isinstance(given, dict):
        return {str(name): _value(item, model, str(name)) for name, item in given.items()}
    if isinstance(given, list):
        return [_value(item, model, key) for item in given]
    if isinstance(given, str) and key not in WORDS:
        return evaluate(parse(given), model.parameters)
    return given


def _short(value: Any) -> Any:
    """The same data with numbers of DIGITS digits, as JSON knows them."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    if isinstance(value, float):  # numpy's too
        return float(f"{value:.{DIGITS}g}") + 0.0
    return value
