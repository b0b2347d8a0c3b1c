"""Second rates of relative coordinates, such as the angle of a joint that closes a loop, or the gap of a contact.

They are the gradient of the coordinate times the accelerations of its two bodies, and what the velocities add. In absolute coordinates
these accelerations are `v_dot`; in joint coordinates those of the nodes of the tree are found from it.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT
from mbsim.kernels.spatial_vectors import three
from mbsim.kernels.tree_columns import ACCELERATION, ATTITUDE
from mbsim.kernels.trees import rnea_forward
from mbsim.system._trees import body_acceleration, node_of

PLANAR = 3  # speeds of a planar body


@helper
def accelerate(arrays, v, v_dot):
    """In a tree: the accelerations of the nodes at the state that the last evaluation left, for `relative_acceleration`."""
    if arrays.tree.shape[0] > 0:
        rnea_forward(arrays.tree, arrays.tree_data, arrays.tree_work, v, v_dot, True, arrays.gravity)


@helper
def along_bodies(arrays, k):
    """In a tree: the gradient of coordinate k times the accelerations of its bodies, which `rnea_forward` left (less gravity)."""
    J, gravity, s = arrays.relative_values[k], arrays.gravity, 0.0
    size = (J.shape[0] - GRADIENT) // 2
    for side in range(2):
        node = node_of(arrays, arrays.relative[k, 1 + side])
        if node >= 0:
            w, o = arrays.tree_work[node], GRADIENT + size * side
            rx, ry, rz, ax, ay, az = body_acceleration(w, arrays.tree_data[node])
            s += J[o] * (rx + gravity[0]) + J[o + 1] * (ry + gravity[1])
            if size == PLANAR:
                (n, m, l), (a, b, c) = three(w, ATTITUDE + 6), three(w, ACCELERATION)
                s += J[o + 2] * (n * a + m * b + l * c)
            else:
                s += J[o + 2] * (rz + gravity[2]) + J[o + 3] * ax + J[o + 4] * ay + J[o + 5] * az
    return s


@helper
def relative_acceleration(arrays, k, v_dot):
    """The second rate of relative coordinate k. In a tree `accelerate`, or an evaluation with v_dot = 0, comes before."""
    i, j, at, speed = arrays.relative[k, 1], arrays.relative[k, 2], arrays.relative[k, 3], arrays.relative[k, 4]
    if at >= 0:
        return v_dot[speed]
    values, n_b = arrays.relative_values[k], arrays.frames.shape[0] - 1
    s = values[BIAS]
    if arrays.tree.shape[0] > 0:
        return s + along_bodies(arrays, k)
    b = (values.shape[0] - GRADIENT) // 2
    for c in range(b):
        s += values[GRADIENT + c] * v_dot[b * i + c] if i < n_b else 0.0
        s += values[GRADIENT + b + c] * v_dot[b * j + c] if j < n_b else 0.0
    return s
