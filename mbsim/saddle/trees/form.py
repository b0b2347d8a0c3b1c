"""The linear system of trees in joint coordinates: that of their bodies, whose joints are further equations (`trees/joints.py`)."""

from mbsim.jit import helper
from mbsim.kernels.trees import joint_forces, rnea_backward, rnea_forward, rotor_forces
from mbsim.kernels.trees import place as place_nodes
from mbsim.saddle.bodies.factor import place_rows
from mbsim.saddle.bodies.form import begin
from mbsim.saddle.bodies.wide_rows import place_wide
from mbsim.saddle.form import Equations
from mbsim.saddle.lines import speeds_of_body
from mbsim.saddle.trees.joints import place_joints, poses_of_bodies


@helper
def add_inertia(arrays, v, a, force):
    """force (n,) -= M a + what the velocities and the loads on the bodies add."""
    tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
    rnea_forward(tree, data, nodes, v, a, True, arrays.gravity)
    rnea_backward(tree, data, nodes)
    joint_forces(arrays, force)
    rotor_forces(arrays, a, force)


@helper
def react(arrays, table, C, v, a, lam, x, force, out):
    """force (n,) += C' lam - M a and what the velocities and the loads on the bodies add; out (m,) = C x."""
    add_inertia(arrays, v, a, force)
    for i in range(lam.shape[0]):
        s = 0.0
        for j in range(x.shape[0]):
            s += C[i, j] * x[j]
            force[j] += C[i, j] * lam[i]
        out[i] = s


@helper
def place(arrays, table, C, dropped, S):
    """Rows between bodies, joints, and rows over joint coordinates."""
    place_rows(arrays, table, dropped, S)
    place_joints(arrays, table, C.shape[1], S)
    place_wide(table, C, 1, dropped, S)


@helper
def pose(arrays, table, q, v):
    """Those of the bodies in absolute coordinates."""
    planar = speeds_of_body(table) == 3
    if not planar:
        # velocities too, which no load may have asked for
        place_nodes(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, planar)
    poses_of_bodies(arrays, planar, q, v)


TREES = Equations(react, begin, place, pose)
