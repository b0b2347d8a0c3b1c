"""Elastic joint between a frame on each of two bodies: force and torque = -K x - D x_dot + preload on the second.

x = [displacement (3), rotation vector theta (3)] of the second frame against the first, in axes of the first (in the plane [x, y, angle]);
x_dot: the velocity and the angular velocity seen from the first. The elastic torque is what does the work of K x on theta:
J(theta)^-T (K x), J the left Jacobian of the exponential map, omega = J theta_dot. So x' K x / 2 - preload' x is potential at rotations
of any size (below half a turn).
"""

from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from mbsim.elements.kinds import BUSHING
from mbsim.forces._table import BodyForce, Geometry, Load
from mbsim.model.fields import BodyName, Number, context_of, numbers
from mbsim.model.file.errors import shown
from mbsim.model.leaves import Where
from mbsim.model.orientation import Orientation
from mbsim.model.points import NamedPoints, Place, Points, check_given, ends, where

ROUND_OFF = 1e-9  # relative; entries typed twice may differ in the last digit, and a zero eigenvalue comes out as round-off


def _matrix(value: Any, info: ValidationInfo) -> list[list[float]]:
    """As many numbers as the bushing has freedoms (a diagonal), or rows of a symmetric positive semidefinite matrix."""
    size = 3 if context_of(info).dimension == 2 else 6
    rows = isinstance(value, list) and len(value) == size and all(isinstance(row, list) and len(row) == size for row in value)
    if not rows and (not isinstance(value, list) or len(value) != size or any(isinstance(item, list) for item in value)):
        raise ValueError(f"expected {size} numbers or a {size}x{size} matrix (got {shown(value)})")
    matrix = np.array([numbers(row, info, k) for k, row in enumerate(value)]) if rows else np.diag(numbers(value, info))
    scale = float(np.abs(matrix).max())
    if np.abs(matrix - matrix.T).max() > ROUND_OFF * scale:
        i, j = np.unravel_index(np.abs(matrix - matrix.T).argmax(), matrix.shape)
        raise ValueError(f"the matrix must be symmetric (row {i + 1}, column {j + 1}: {matrix[i, j]:g}, and {matrix[j, i]:g} across)")
    least = float(np.linalg.eigvalsh(matrix).min())
    if least < -ROUND_OFF * scale:
        raise ValueError(f"the matrix must be positive semidefinite (its least eigenvalue is {least:g})")
    symmetric: list[list[float]] = ((matrix + matrix.T) / 2.0).tolist()
    return symmetric


def _preload(value: object, info: ValidationInfo) -> list[float]:
    size = 3 if context_of(info).dimension == 2 else 6
    if not isinstance(value, list) or len(value) != size:
        raise ValueError(f"expected {size} numbers (got {shown(value)})")
    return numbers(value, info)


def _axes(quaternion: list[float]) -> list[list[float]]:
    """The three axes, global, of a frame turned by a unit quaternion."""
    w, x, y, z = quaternion
    return [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]


_LIST = {"type": "array", "items": {"type": ["number", "string", "array"]}}
Matrix = Annotated[list[list[float]], PlainValidator(_matrix), WithJsonSchema(_LIST)]
Preload = Annotated[list[float], PlainValidator(_preload), WithJsonSchema(_LIST)]


class Bushing(BodyForce):
    """A rubber mount. The elastic energy and that of the preload are potential; the damper's work is not."""

    SYMBOL = "mount"
    LOADED = 1

    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="the two bodies; with `at`"
    )
    at: Place | None = Field(default=None, description="where it is at the start, global frame, m, with `bodies`; or the names of `points`")
    points: Points = Field(
        default=None,
        validate_default=True,
        description="a point of each body, in place of `at`: [frame.A, engine.A], or with `bodies` their names alone, [A, A]. "
        "It is free where they coincide",
    )
    orientation: Orientation | None = Field(default=None, description="space: its axes at the start; the global ones when not given")
    angle: Number | None = Field(default=None, description="plane: angle of its axes at the start, rad; 0 when not given")
    stiffness: Matrix = Field(
        description="[x, y, z, about x, about y, about z], N/m and N m/rad, or a 6x6 matrix; plane: [x, y, angle] or 3x3"
    )
    damping: Matrix | None = Field(default=None, description="likewise, N s/m and N m s/rad")
    preload: Preload | None = Field(default=None, description="force and torque on the second body where it is undeformed, N and N m")

    @model_validator(mode="after")
    def _given_once(self, info: ValidationInfo) -> Self:
        check_given(self)
        planar = context_of(info).dimension == 2
        if self.orientation is not None and planar:
            raise ValueError("orientation: in the plane give 'angle'")
        if self.angle is not None and not planar:
            raise ValueError("angle: in space give 'orientation'")
        return self

    def acts_at(self) -> list[Where]:
        return where(self)

    def loads(self, geometry: Geometry) -> list[Load]:
        first, second = ends(self)
        at = None if isinstance(self.at, NamedPoints) else self.at
        i, s_i = geometry.place(first, at)
        j, s_j = geometry.place(second, at)
        K = np.array(self.stiffness)
        D = np.zeros_like(K) if self.damping is None else np.array(self.damping)
        preload = [0.0] * len(K) if self.preload is None else self.preload
        if len(K) == 3:
            x = [float(np.cos(self.angle or 0.0)), float(np.sin(self.angle or 0.0)), 0.0]
            axes = [*geometry.direction(i, x)[:2], geometry.reference_angle(i, j)]
        else:
            quaternion = [1.0, 0.0, 0.0, 0.0] if self.orientation is None else self.orientation.unit_quaternion()
            frame = _axes(quaternion)
            turns = K[3:].any() or any(preload[3:])  # else it may turn freely, farther than a rotation vector goes
            axes = [x for body in (i, j) for axis in frame for x in geometry.direction(body, axis)] + [float(turns)]
        return [Load(BUSHING, i, j, -1, [*s_i, *s_j, *axes, *K.ravel(), *D.ravel(), *preload])]
