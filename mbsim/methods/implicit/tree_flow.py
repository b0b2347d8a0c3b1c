"""What solvers of z_dot = f(t, z) take of trees in joint coordinates, to solve with the blocks of bodies: `mbsim.march.flow_blocks`.

The equations of a tree are M a = h + C' lam and C a + eta = 0. Their derivatives by accelerations and multipliers are M and C. Those by
positions and speeds come in parts: the blocks of c_v D + c_q K are linear in c_v and c_q, so D and K are stored apart, for all steps.
"""

from mbsim.jit import A1, A2, ARRAYS, I1, I2, SYSTEM, helper, kernel, void
from mbsim.kernels import sparse_columns as col
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.sparse_blocks import add_masses, place_rows
from mbsim.kernels.tree_blocks import place_across, place_joints, poses_of_bodies
from mbsim.kernels.trees import place
from mbsim.methods.implicit.alpha_tree import add_inertia


@helper
def miss(system, arrays, t, q, v, a, lam, C, xi, M, h, eta, power, force, side):
    """force (n,) = h + C' lam - M a, side (m,) = -(C a + eta), and power (1,) what the work grows by."""
    system.constraints(arrays, t, q, C, xi)
    system.dynamics(arrays, t, q, v, M, h, eta, power)  # loads only, as M has no rows
    copy(h, force, 0)
    add_inertia(arrays, v, a, force)
    for i in range(lam.shape[0]):
        s = eta[i]
        for j in range(a.shape[0]):
            s += C[i, j] * a[j]
            force[j] += C[i, j] * lam[i]
        side[i] = -s
        power[0] -= lam[i] * xi[i]


@kernel(void(SYSTEM, ARRAYS, A1, A1, A1, A1, A1, A2, A1, A2, A1, A1, A1, A1, A1))
def find_miss(system, arrays, time, q, v, a, lam, C, xi, M, h, eta, power, force, side):
    """`miss` at time[0]."""
    miss(system, arrays, time[0], q, v, a, lam, C, xi, M, h, eta, power, force, side)


@helper
def tangent(system, arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, c_q, table, spare, local, S):
    """S += c_q K + D."""
    system.tangent(
        arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, c_q, 1.0, table, spare, local, S
    )  # fmt: skip


@kernel(void(SYSTEM, ARRAYS, A2, A2, A2, A2, A1, A1, A1, A1, A2, I1, I2, A2, A2, A1, A1, A1))
def find_parts(
    system, arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, table, spare, local, rigid, damping, stiffness
):  # fmt: skip
    """The blocks of M with the rows and the joints, of D, and of K, at the state that `find_miss` has evaluated last.

    q and v are scratch: coordinates and speeds of the bodies in absolute coordinates. dropped (m,) is 1 where a row is left out.
    """
    planar = table[0, col.SPEEDS] == 3
    if not planar:
        place(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, planar)  # velocities too, which no load may have asked for
    poses_of_bodies(arrays, planar, q, v)
    clear(rigid)
    clear(damping)
    clear(stiffness)
    add_masses(arrays, table, 1.0, rigid)
    place_rows(arrays, table, dropped, rigid)
    place_joints(arrays, table, C.shape[1], rigid)
    place_across(table, C, dropped, rigid)
    tangent(system, arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, 0.0, table, spare, local, damping)
    tangent(system, arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, 1.0, table, spare, local, stiffness)
    for k in range(stiffness.shape[0]):
        stiffness[k] -= damping[k]
