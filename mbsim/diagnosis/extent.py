"""Where the bodies of a mechanism are, and how large it is."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from mbsim.system.remembered import remembered
from mbsim.system.system import Floats, System

ROUNDED = 1e-14  # of the largest coordinate of a point: a smaller extent is round-off


def extent(system: System, t: float, q: Floats, unknown: float = 1.0) -> float:
    """The size of the mechanism in m, over bodies and joints; `unknown` where it has none or where its lengths are not known.

    What the places of its points are rounded by is no size: that of a wheel whose axle, at another sum of the same numbers, is its centre.
    """
    points = positions(system, t, q)
    if system.joints:
        moves, bodies, own = _ends(system)
        ends = own.copy()
        if len(bodies):
            ends[moves] = points[bodies] + np.einsum("kij,kj->ki", _axes(system, bodies), own[moves])
        points = np.concatenate([points, ends])
    if not len(points):
        return unknown
    highest, lowest = points.max(axis=0), points.min(axis=0)
    across = highest - lowest
    size = sqrt(float(across.dot(across)))
    rounded = ROUNDED * max(float(highest.max()), -float(lowest.min()))
    return size if rounded < size < np.inf else unknown


@remembered
def _ends(system: System) -> tuple[NDArray[np.bool_], NDArray[np.int64], Floats]:
    """Of the joints: whether their second body moves, these bodies, and where the joints are on the second bodies (n_joints, 3)."""
    seconds = np.array([joint.second for joint in system.joints], np.int64)
    moves = seconds >= 0
    return moves, seconds[moves], np.array([joint.second_point for joint in system.joints], float)


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
