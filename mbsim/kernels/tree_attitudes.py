"""Quaternions of bodies in a tree, with signs that follow the joint coordinates; those of matrices change theirs at half a turn."""

from math import cos, sin

from mbsim.jit import helper
from mbsim.kernels.primitives import BALL, FREE, HELICAL, REVOLUTE
from mbsim.kernels.rotations import of_matrix, product
from mbsim.kernels.tree_columns import AXES, KIND, PARENT, ROTATION_0, TURN, Q


@helper
def attitude(tree, data, node, q):
    """The quaternion (4), body to global, of the body that a node carries."""
    w, x, y, z = of_matrix(data[node, AXES:])
    while node >= 0:
        kind, at = tree[node, KIND], tree[node, Q]
        if kind in (REVOLUTE, HELICAL):
            w, x, y, z = product(cos(0.5 * q[at]), 0.0, 0.0, sin(0.5 * q[at]), w, x, y, z)
        elif kind in (BALL, FREE):
            k = at if kind == BALL else at + TURN
            w, x, y, z = product(q[k], q[k + 1], q[k + 2], q[k + 3], w, x, y, z)
        if kind != FREE:
            a, b, c, d = of_matrix(data[node, ROTATION_0:])  # parent axes to node axes where q is zero
            w, x, y, z = product(a, -b, -c, -d, w, x, y, z)
        node = tree[node, PARENT]
    return w, x, y, z
