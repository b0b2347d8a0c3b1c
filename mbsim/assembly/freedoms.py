"""The degrees of freedom of a system in joint coordinates, counted a second time: in absolute coordinates."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mbsim.assembly.bodies import Bodies
from mbsim.constraints._table import EquationConstraint
from mbsim.diagnosis.redundancy import redundancy
from mbsim.kernels.rotations import quaternions
from mbsim.model.file.errors import ModelError
from mbsim.model.formulas import with_fields
from mbsim.model.schema import Body, Model
from mbsim.system.system import Floats, System


def absolute_freedoms(model: Model, system: System, t: float, q: Floats) -> int | None:
    """The degrees of freedom of the bodies at (t, q) of a system in joint coordinates, counted by the rows of all joints.

    None of a system that is not in joint coordinates, and where the file names these in what it drives or constrains.
    """
    named = any(d.coordinate is not None for d in model.drivers.values()) or any(
        isinstance(c, EquationConstraint) for c in model.constraints.values()
    )
    if not system.in_joint_coordinates or named:
        return None
    try:
        absolute = Bodies(replace(model, in_joint_coordinates=False, forces={}, measures={}, bodies=_alike(model.bodies))).system()
    except ModelError:
        return None
    system.phi(t, q)  # leaves the poses in `frames`
    frames = system.arrays.frames[:-1]
    if system.dimension == 2:
        poses = frames[:, [0, 1, 4]]
    else:
        poses = np.hstack([frames[:, :3], quaternions(frames[:, 3:12].reshape(-1, 3, 3))])
    known = dict(zip(system.coordinates, q.tolist(), strict=True))
    states = [known[name] for name in absolute.coordinates[poses.size :]]  # of the user's, which stand behind
    return redundancy(absolute, t, np.array([*poses.ravel(), *states]), shown=False).degrees_of_freedom


def _alike(bodies: Mapping[str, Body]) -> dict[str, Body]:
    """The bodies with the same mass and inertia: some weigh the rows that are counted, and in joint coordinates bodies may have none."""
    mass = sum(body.mass for body in bodies.values()) / len(bodies) or 1.0
    trace = sum(body.inertia[k][k] for body in bodies.values() for k in range(3))
    moment = trace / (3 * len(bodies)) or mass
    inertia = [[moment if i == j else 0.0 for j in range(3)] for i in range(3)]
    return {name: with_fields(body, {"mass": mass, "inertia": inertia}) for name, body in bodies.items()}
