"""Where the bodies of a mechanism are, and how large it is."""

import numpy as np
from numpy.typing import NDArray

from mbsim.system.system import Floats, System

ROUNDED = 1e-14  # of the largest coordinate of a point: a smaller extent is round-off


def extent(system: System, t: float, q: Floats, unknown: float = 1.0) -> float:
    """The size of the mechanism in m, over bodies and joints; `unknown` where it has none or where its lengths are not known.

    What the places of its points are rounded by is no size: that of a wheel whose axle, at another sum of the same numbers, is its centre.
    """
    points = positions(system, t, q)
    if system.joints:
        seconds = np.array([joint.second for joint in system.joints])
        ends = np.array([joint.second_point for joint in system.joints], float)
        moves = seconds >= 0
        bodies = seconds[moves]
        ends[moves] = points[bodies] + np.einsum("kij,kj->ki", _axes(system, bodies), ends[moves])
        points = np.concatenate([points, ends])
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
    rounded = ROUNDED * float(np.abs(points).max()) if len(points) else 0.0
    return size if rounded < size < np.inf else unknown


def positions(system: System, t: float, q: Floats) -> Floats:
    """Where the bodies' centres of mass are, (n_b, 3); their poses are left in `system.arrays.frames`."""
    n_b = len(system.bodies)
    found = np.zeros((n_b, 3))
    if n_b:
        system.functions.residual(system.arrays, t, np.ascontiguousarray(q), np.zeros(system.n_holonomic))
        found[:, : system.dimension] = system.arrays.frames[:n_b, : system.dimension]
    return found


def _axes(system: System, bodies: NDArray[np.int64]) -> Floats:
    """(k, 3, 3) columns: the axes of bodies (k,), of the poses in `frames`."""
    f = system.arrays.frames[bodies]
    if system.dimension == 3:
        return np.array(f[:, 3:12].reshape(-1, 3, 3))
    R = np.zeros((len(bodies), 3, 3))
    R[:, 0, 0], R[:, 0, 1], R[:, 1, 0], R[:, 1, 1], R[:, 2, 2] = f[:, 2], -f[:, 3], f[:, 3], f[:, 2], 1.0
    return R
