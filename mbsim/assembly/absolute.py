"""Absolute coordinates: position and attitude of every body; all joints are kept by rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbsim.assembly.builder import Builder
from mbsim.assembly.drivers import check_branches, drive
from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.assembly.relative import RelativeCoordinates
from mbsim.assembly.start import Given
from mbsim.contracts import Arrays
from mbsim.forces._table import Load
from mbsim.kernels.rotations import matrices
from mbsim.model.drivers import Driver
from mbsim.system.system import Floats, JointRecord, System


class AbsoluteCoordinates:
    """See mbsim.assembly.builder.Coordinates. Speeds: velocity in global axes; angular velocity, in space in axes of the body."""

    quaternions: list[tuple[int, int, int]] | None = None

    def __init__(self, reference: ReferenceConfiguration) -> None:
        self.reference = reference
        planar, n_b = reference.planar, reference.ground
        parts = ("x", "y", "angle") if planar else ("x", "y", "z", "qw", "qx", "qy", "qz")
        rates = [f"der({{}}.{c})" for c in parts[:3]] + ([] if planar else [f"{{}}.omega.{c}" for c in "xyz"])
        self.names = [f"{name}.{c}" for name in reference.names for c in parts]
        self.units = (["m", "m", "rad"] if planar else ["m"] * 3 + ["1"] * 4) * n_b
        self.speeds = [s.format(name) for name in reference.names for s in rates]
        self.speed_units = (["m s-1", "m s-1", "rad s-1"] if planar else ["m s-1"] * 3 + ["rad s-1"] * 3) * n_b
        poses = [[*body.position, *([body.angle or 0.0] if planar else body.quaternion)] for body in reference.model.bodies.values()]
        self.q = np.array([x for pose in poses for x in pose], float)
        self.skyline = np.arange(len(self.speeds)) if planar else np.arange(len(self.speeds)) // 3 * 3
        self.by_rows = list(reference.joints)
        self.cuts: list[str] = []

    def drive(self, builder: Builder, name: str, driver: Driver) -> None:
        drive(builder, name, driver)

    def check(self, builder: Builder) -> None:
        """All names of states are known since the model was read."""

    def free_coordinates(self, joint: str) -> list[str]:
        return self.reference.joints[joint].driven(self.reference.dimension)

    def relative_coordinate(self, relative: RelativeCoordinates, joint: str, coordinate: str | None) -> int:
        return relative.of_joint(joint, coordinate)

    def effort(self, relative: RelativeCoordinates, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        return relative.effort(joint, coordinate, law, constants)

    def complete(self, builder: Builder, arrays: Arrays) -> Arrays:
        return arrays

    def observed(self, joints: Sequence[JointRecord]) -> NDArray[np.int64] | None:
        return None

    def given(self, builder: Builder, system: System) -> Given:
        """The reference configuration, and what `initial` and `fix` say."""
        model, reference = builder.model, self.reference
        planar, dimension, n_b = reference.planar, reference.dimension, reference.ground
        values, fix = model.initial.values, frozenset(model.initial.fix)
        n_per, b_per = (3, 3) if planar else (7, 6)
        q = self.q.reshape(n_b, n_per).copy()
        v = np.zeros((n_b, 6))  # velocity, angular velocity; both global
        fixed_q, fixed_v, named_q, named_v = (np.zeros((n_b, b_per), bool) for _ in range(4))
        for i, (name, body) in enumerate(model.bodies.items()):
            if body.velocity is not None:
                v[i, :dimension] = body.velocity
            if body.angular_velocity is not None:
                v[i, 3:] = body.angular_velocity
            for c, axis in enumerate("xyz"[:dimension]):
                q[i, c] = values.get(f"{name}.{axis}", q[i, c])
                v[i, c] = values.get(f"der({name}.{axis})", v[i, c])
                fixed_q[i, c] = f"{name}.{axis}" in fix or f"{name}.position" in fix
                fixed_v[i, c] = f"der({name}.{axis})" in fix or f"{name}.velocity" in fix
                named_q[i, c] = f"{name}.{axis}" in values or f"{name}.position" in values
                named_v[i, c] = body.velocity is not None or f"der({name}.{axis})" in values or f"{name}.velocity" in values
            if f"{name}.position" in values:
                q[i, :dimension] = values[f"{name}.position"]
            if f"{name}.velocity" in values:
                v[i, :dimension] = values[f"{name}.velocity"]
            if planar:
                q[i, 2] = values.get(f"{name}.angle", q[i, 2])
                v[i, 5] = values.get(f"der({name}.angle)", v[i, 5])
            if f"{name}.angular_velocity" in values:
                v[i, 5 if planar else slice(3, 6)] = values[f"{name}.angular_velocity"]
            fixed_q[i, dimension:] = f"{name}.angle" in fix or f"{name}.orientation" in fix
            fixed_v[i, dimension:] = f"der({name}.angle)" in fix or f"{name}.angular_velocity" in fix
            named_q[i, dimension:] = f"{name}.angle" in values
            turns = f"der({name}.angle)" in values or f"{name}.angular_velocity" in values
            named_v[i, dimension:] = turns or body.angular_velocity is not None
        t = model.simulation.start
        return Given(
            t,
            q.ravel(),
            lambda found: v[:, [0, 1, 5]].ravel() if planar else _in_body_axes(found, v),
            fixed_q.ravel(),
            fixed_v.ravel(),
            (fixed_q | named_q).ravel(),
            (fixed_v | named_v).ravel(),
            lambda found: check_branches(builder, system, t, found),
        )


def _in_body_axes(q: Floats, v: Floats) -> Floats:
    """Speeds (6 n_b,) of spatial bodies at q (7 n_b,): of v (n_b, 6), all in global axes, the angular velocities in axes of the bodies."""
    out = v.copy()
    for b, pose in enumerate(q.reshape(len(v), 7)):
        out[b, 3:] = matrices(pose[3:]).T @ v[b, 3:]
    return out.ravel()
