"""Accelerations of bodies in joint coordinates, by the forward sweep of recursive Newton-Euler. Luh, Walker & Paul 1980."""

import numpy as np

from mbsim.kernels.tree_columns import ACCELERATION, AXES, CENTRE, NODE_OF, VELOCITY
from mbsim.system.system import Floats, System


def body_accelerations(system: System, times: Floats, q: Floats, v: Floats, a: Floats, rotations: Floats) -> tuple[Floats, Floats]:
    """(k, n_b, 3) of the centres of mass, m/s^2, and (k, n_b, 3) of the turning, rad/s^2, global axes.

    At times (k,), configurations with states (k, n_q), speeds (k, n_v) and their rates (k, n_v), and rotations
    (k, n_b, 3, 3) from body axes to global ones. The arrays of the system are overwritten.
    """
    from mbsim.system.inverse import joint_efforts  # compiled for results that hold accelerations of trees

    arrays, n = system.arrays, len(system.bodies)
    nodes = arrays.tree[:n, NODE_OF]
    centres = arrays.tree_data[nodes, CENTRE : CENTRE + 3]
    axes = arrays.tree_data[nodes, AXES : AXES + 9].reshape(-1, 3, 3)  # body axes in node axes: columns
    gravity = np.zeros(3)
    gravity[: len(arrays.gravity)] = arrays.gravity
    turning, moving = np.zeros((len(times), n, 3)), np.zeros((len(times), n, 3))
    none, power, tau, no_mass = np.zeros(0), np.zeros(1), np.zeros(system.n_v), np.zeros((0, system.n_v))
    eta = np.zeros(system.n_rows) if system.n_rows else none
    for k, t in enumerate(times.tolist()):
        tau[:] = 0.0
        system.functions.dynamics(arrays, t, np.ascontiguousarray(q[k]), np.ascontiguousarray(v[k]), no_mass, tau, eta, power)
        joint_efforts(arrays, np.ascontiguousarray(v[k]), np.ascontiguousarray(a[k]), tau)
        work = arrays.tree_work[nodes]
        R = np.einsum("bij,bkj->bik", rotations[k], axes)  # from node axes
        omega, speed = work[:, VELOCITY : VELOCITY + 3], work[:, VELOCITY + 3 : VELOCITY + 6]
        alpha, linear = work[:, ACCELERATION : ACCELERATION + 3], work[:, ACCELERATION + 3 : ACCELERATION + 6]
        # of the node's origin, which the spatial acceleration lacks omega x velocity of, then of the centre of mass
        found = linear + np.cross(omega, speed) + np.cross(alpha, centres) + np.cross(omega, np.cross(omega, centres))
        turning[k], moving[k] = np.einsum("bij,bj->bi", R, alpha), np.einsum("bij,bj->bi", R, found) + gravity
    return moving, turning
