"""Where the bodies of a mechanism are, and how large it is."""

import numpy as np

from mbsim.system.system import Floats, System


def extent(system: System, t: float, q: Floats, unknown: float = 1.0) -> float:
    """The size of the mechanism in m, over bodies and joints; `unknown` where it has none or where its lengths are not known."""
    points = [*positions(system, t, q)]
    for joint in system.joints:
        b, arm = joint.second, joint.second_point
        points.append(arm if b < 0 else points[b] + _axes(system, b) @ arm)
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if points else 0.0
    return size if 0.0 < size < np.inf else unknown


def positions(system: System, t: float, q: Floats) -> Floats:
    """Where the bodies' centres of mass are, (n_b, 3); their poses are left in `system.arrays.frames`."""
    n_b = len(system.bodies)
    found = np.zeros((n_b, 3))
    if n_b:
        system.functions.residual(system.arrays, t, np.ascontiguousarray(q), np.zeros(system.n_holonomic))
        found[:, : system.dimension] = system.arrays.frames[:n_b, : system.dimension]
    return found


def _axes(system: System, b: int) -> Floats:
    """(3, 3) columns: the axes of body b, of the poses in `frames`."""
    f = system.arrays.frames[b]
    if system.dimension == 3:
        return np.array(f[3:12].reshape(3, 3))
    return np.array([[f[2], -f[3], 0.0], [f[3], f[2], 0.0], [0.0, 0.0, 1.0]])
