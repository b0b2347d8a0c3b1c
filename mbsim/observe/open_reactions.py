"""Which components of the joints' reactions the equations of motion leave open, where constraints depend on each other."""

import numpy as np

from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.redundancy import idle_multipliers
from mbsim.observe.observer import poses, reactions
from mbsim.system.system import Floats, System

OPEN = 1e-6  # of a unit dependency: a change of a component of a reaction, N or N m


def open_components(system: System, t: float, q: Floats) -> dict[str, list[str]]:
    """Joint -> the components of its reaction, in the joint's axes, that the dependencies of the rows leave open: `force x`, `torque z`.

    A vector x with x' C = 0 may be added to the multipliers; the components that it changes are open (Wojtyra 2005).
    """
    if system.dimension is None or system.in_joint_coordinates or is_large(system) or not system.joints or not system.n_rows:
        return {}
    C = system.C(t, q)
    null = idle_multipliers(system, t, q).T
    null /= np.linalg.norm(null, axis=1, keepdims=True)
    b = 3 if system.dimension == 2 else 6
    generalised = np.zeros((len(null), len(system.joints), 6))
    for e, joint in enumerate(system.joints):
        body = joint.second if joint.second >= 0 else joint.first
        generalised[:, e, :b] = null[:, joint.rows] @ C[joint.rows, b * body : b * body + b]
    rows = np.repeat(q[None, : system.n_c], len(null), axis=0)
    pose = poses(system, rows, np.zeros((len(null), system.n_v)))
    reaction = reactions(system, pose, generalised)
    largest = {kind: np.abs(reaction[f"joint_{kind}_local"]).max(axis=0, initial=0.0) for kind in ("force", "torque")}
    return {
        joint.name: names
        for e, joint in enumerate(system.joints)
        if (names := [f"{kind} {c}" for kind in largest for c, x in zip("xyz", largest[kind][e], strict=True) if x > OPEN])
    }
