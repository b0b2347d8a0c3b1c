"""Shapes that the model file gives (`shape:`), as meshes in the axes of their body.

A shape is `{type: box, size: [x, y, z]}`, `{type: cylinder, radius, length}` and `capsule` (about z), `{type: sphere, radius}`,
`{type: plate, polygon: [[x, y], ...], thickness}`, `{type: convex, vertices: [[x, y, z], ...]}` or `{type: mesh, file, scale}`; each with
`position` and `rotation` (a quaternion, or axis and angle) in the body. Mesh files are looked for in the model's folder.
"""

from pathlib import Path
from typing import Any

import numpy as np

from mbsim.model.hulls import hull_of
from mbsim.model.solids import read_mesh
from mbsim.scene.meshes import Mesh, box, capsule, cylinder, prism, sphere
from mbsim.scene.read import LONGEST, Floats, SceneError
from mbsim.scene.turns import matrices

DAMAGED = (LookupError, TypeError, ValueError, AttributeError, OverflowError)  # what a shape of a damaged file raises


def solid(shape: dict[str, Any], folder: Path, thickness: float = 1.0) -> Mesh:
    """The mesh of a given shape; `thickness` (m) is that of planar ones that give none. Raises SceneError for one that cannot be made."""
    try:
        with np.errstate(all="ignore"):
            made = _make(shape, folder, thickness).moved(*place(shape))
        if not (np.abs(made.vertices) <= LONGEST).all():
            raise ValueError("it is too large")
    except (*DAMAGED, OSError) as error:
        raise SceneError(f"a shape of type {str(shape.get('type'))[:20]} cannot be drawn: {error}") from None
    return made


def colour_of(shape: dict[str, Any]) -> tuple[int, int, int] | None:
    """The colour that is given for a shape; None where there is none, or a damaged one."""
    try:
        red, green, blue = (round(255.0 * min(max(float(part), 0.0), 1.0)) for part in shape["color"])
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    return red, green, blue


def _make(shape: dict[str, Any], folder: Path, thickness: float) -> Mesh:
    kind = shape["type"]
    if kind == "box":
        return box(np.array([*shape["size"], thickness][:3], float))
    if kind == "sphere":
        return sphere(float(shape["radius"]), 32)
    if kind in ("cylinder", "capsule"):
        half = float(shape["length"]) / 2.0
        return {"cylinder": cylinder, "capsule": capsule}[kind](float(shape["radius"]), -half, half)
    if kind == "plate":
        polygon = np.array(shape["polygon"], float)
        half = float(shape.get("thickness", thickness)) / 2.0
        area = np.sum(polygon[:, 0] * np.roll(polygon[:, 1], -1) - np.roll(polygon[:, 0], -1) * polygon[:, 1])
        return prism(polygon if area > 0.0 else polygon[::-1], -half, half)
    if kind == "convex":
        found = hull_of(shape["vertices"])
        return Mesh(found.corners, found.triangles)
    if kind == "mesh":
        return _file(folder / str(shape["file"]), shape.get("scale", 1.0))
    raise ValueError("its type is unknown")


def _file(path: Path, scale: object) -> Mesh:
    found = read_mesh(path)
    return Mesh(np.asarray(found.vertices, float) * np.asarray(scale, float), np.asarray(found.faces, np.int64))


def place(shape: dict[str, Any]) -> tuple[Floats, Floats]:
    """Where a given shape is in its body (3,), and how it is turned there (3, 3). Raises what a damaged one makes Python raise."""
    position = np.array([*shape.get("position", [0.0, 0.0, 0.0]), 0.0][:3], float)
    rotation = shape.get("rotation")
    if rotation is None:
        return position, np.eye(3)
    if isinstance(rotation, int | float):  # of a planar body
        half = float(rotation) / 2.0
        return position, matrices(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]))
    if isinstance(rotation, dict) and "quaternion" in rotation:
        rotation = rotation["quaternion"]
    if isinstance(rotation, dict):
        axis, half = np.array(rotation["axis"], float), float(rotation["angle"]) / 2.0
        return position, matrices(np.array([np.cos(half), *(np.sin(half) * axis / np.linalg.norm(axis))]))
    q = np.array(rotation, float)
    return position, matrices(q / np.linalg.norm(q))
