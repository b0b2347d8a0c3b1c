"""What solvers of z_dot = f(t, z) take of bodies in absolute coordinates, to solve with their blocks: `mbsim.march.flow_blocks`.

The equations are M a = h + C' lam and C a + eta = 0, and the blocks are those of `implicit/alpha_bodies.py`. Laws that read the state of
the system are further unknowns; what the loads that follow them change by depends on neither c_v nor c_q. States of the user's stay as they
are.
"""

import numpy as np

from mbsim.jit import A1, A2, ARRAYS, I1, I2, SYSTEM, helper, kernel, void
from mbsim.kernels import sparse_columns as col
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.sparse_blocks import add_masses, add_reactions, first_read, place_rows, subtract_inertia
from mbsim.kernels.wide_rows import place_wide, rate_wide, react_wide

NOTHING = 1e-200  # for c_v = 0, by which rows at velocity level are divided


@kernel(void(SYSTEM, ARRAYS, I2, A1, A1, A1, A1, A1, A2, A1, A2, A1, A1, A1, A1, A1))
def find_miss(system, arrays, table, time, q, v, a, lam, C, xi, M, h, eta, power, force, side):
    """force (n,) = h + C' lam - M a, side (m,) = -(C a + eta), and power (1,) what the work grows by, at time[0]."""
    system.constraints(arrays, time[0], q, C, xi)
    system.dynamics(arrays, time[0], q, v, M, h, eta, power)
    copy(h, force, 0)
    add_reactions(arrays, table, lam, a, force, side)
    react_wide(table, C, lam, force)
    rate_wide(table, C, a, side)
    subtract_inertia(arrays, arrays.jacobian.shape[1] == 6, a, force)
    for i in range(lam.shape[0]):
        side[i] = -(side[i] + eta[i])
        power[0] -= lam[i] * xi[i]


@helper
def place_rigid(arrays, table, C, dropped, S):
    """The blocks of M with the rows, and ones on the diagonal of laws."""
    clear(S)
    add_masses(arrays, table, 1.0, S)
    place_rows(arrays, table, dropped, S)
    place_wide(table, C, dropped, S)


@kernel(void(ARRAYS, I2, A2, I1, A1))
def find_rigid(arrays, table, C, dropped, rigid):
    """`place_rigid` at the state that `find_miss` has evaluated last."""
    place_rigid(arrays, table, C, dropped, rigid)


@kernel(void(SYSTEM, ARRAYS, I2, A1, A2, A2, A2, A2, A1, A1, A1, A1, A2, I1, A2, A2, A1, A1, A1))
def find_parts(
    system, arrays, table, time, frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, spare, local,
    rigid, damping, stiffness,
):  # fmt: skip
    """The blocks of M with the rows and the laws, of D, and of K, at the state that `find_miss` has evaluated last.

    A row that is left out has dropped[r] = 1.
    """
    place_rigid(arrays, table, C, dropped, rigid)
    system.slopes(arrays, time[0], q, v, slopes)
    for k in range(slopes.shape[0]):
        of_state = k < table[1, col.READS] and table[first_read(table) + k, col.OF_STATE] == 1
        if of_state or not np.isfinite(slopes[k]):  # as of sqrt(x) at 0: it only steers the iteration
            slopes[k] = 0.0
    clear(damping)
    clear(stiffness)
    if table[1, col.PUSHES] > 0:  # what depends on neither c_v nor c_q belongs to the first
        system.tangent(
            arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, 0.0, NOTHING, table, spare, local, stiffness
        )  # fmt: skip
        for k in range(stiffness.shape[0]):
            rigid[k] += stiffness[k]
            damping[k] = -stiffness[k]
    system.tangent(
        arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, 0.0, 1.0, table, spare, local, damping
    )  # fmt: skip
    for k in range(stiffness.shape[0]):
        stiffness[k] = -(damping[k] + stiffness[k])
    system.tangent(
        arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, 1.0, 1.0, table, spare, local, stiffness
    )  # fmt: skip
