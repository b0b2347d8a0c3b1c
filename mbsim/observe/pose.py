"""The poses of the bodies at one configuration, in absolute and in joint coordinates."""

import numpy as np
from numpy.typing import ArrayLike

from mbsim.kernels import frame_columns as frame
from mbsim.kernels.rotations import quaternions
from mbsim.observe.observer import poses
from mbsim.system.system import Floats, System


def pose_at(system: System, t: float, q: ArrayLike) -> tuple[Floats, Floats]:
    """Positions (n_bodies, 3) of the centres of mass and orientations (n_bodies, 4), w, x, y, z, at q (n_q,) and the time t (s)."""
    q = np.asarray(q, float)
    if not system.in_joint_coordinates:
        found = poses(system, q[None, : system.n_c], np.zeros((1, system.n_v)))
        return found["body_position"][0], found["body_orientation"][0]
    system.phi(t, q)  # leaves the poses in `frames`
    frames = system.arrays.frames[: len(system.bodies)]
    if system.dimension == 2:
        flat = frames[:, [frame.PLANE_POSITION, frame.PLANE_POSITION + 1, frame.PLANE_ANGLE]].reshape(1, -1)
        found = poses(system, flat, np.zeros_like(flat))
        return found["body_position"][0], found["body_orientation"][0]
    attitude = frames[:, frame.SPACE_ATTITUDE : frame.SPACE_ATTITUDE + 9].reshape(-1, 3, 3)
    return frames[:, frame.SPACE_POSITION : frame.SPACE_POSITION + 3].copy(), quaternions(attitude)
