"""What solvers of z_dot = f(t, z) take of the linear system of a form, in compiled code: `mbsim.march.flow_blocks`.

The equations are M a = h + C' lam and C a + eta = 0. Their derivatives by accelerations and multipliers are M and C. Those by positions and
speeds come in parts: the blocks of c_v D + c_q K are linear in c_v and c_q, so D and K are stored apart, for all steps. Laws that read the
state of the system are further unknowns; what the loads that follow them change by depends on neither c_v nor c_q. States of the user's
stay as they are.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from mbsim.contracts import ARRAYS, SYSTEM
from mbsim.jit import A1, A2, I1, I2, Compiled, helper, kernel, void
from mbsim.kernels.linalg import clear, copy
from mbsim.saddle import columns as col
from mbsim.saddle.bodies.form import BODIES
from mbsim.saddle.lines import first_line, lines_of
from mbsim.saddle.trees.form import TREES

NOTHING = 1e-200  # for c_v = 0, by which rows at velocity level are divided
# system, arrays, table, time, q v a lam, C xi M h eta power, force, side
FIND_MISS = void(SYSTEM, ARRAYS, I2, A1, A1, A1, A1, A1, A2, A1, A2, A1, A1, A1, A1, A1)
# arrays, table, C, dropped, rigid
FIND_RIGID = void(ARRAYS, I2, A2, I1, A1)
# system, arrays, table, time, twins (4), coordinates and speeds of bodies, lam slopes C dropped, scratch (2), rigid damping stiffness
FIND_PARTS = void(SYSTEM, ARRAYS, I2, A1, A2, A2, A2, A2, A1, A1, A1, A1, A2, I1, A2, A2, A1, A1, A1)


class Flow(NamedTuple):
    """The kernels of a form."""

    find_miss: Compiled
    find_rigid: Compiled
    find_parts: Compiled


@cache
def flow_of(tree: bool) -> Flow:
    """The kernels of trees in joint coordinates, or of bodies in absolute ones; compiled when they are asked for."""
    react, begin, place, pose = TREES if tree else BODIES

    def find_miss(system, arrays, table, time, q, v, a, lam, C, xi, M, h, eta, power, force, side):
        """force (n,) = h + C' lam - M a, side (m,) = -(C a + eta), and power (1,) what the work grows by, at the time time[0]."""
        t = time[0]
        system.constraints(arrays, t, q, C, xi)
        system.dynamics(arrays, t, q, v, M, h, eta, power)
        copy(h, force, 0)
        react(arrays, table, C, v, a, lam, a, force, side)
        for i in range(lam.shape[0]):
            side[i] = -(side[i] + eta[i])
            power[0] -= lam[i] * xi[i]

    @helper
    def place_rigid(arrays, table, C, dropped, rigid):
        begin(arrays, table, rigid)
        place(arrays, table, C, dropped, rigid)

    def find_rigid(arrays, table, C, dropped, rigid):
        """The blocks of M with the rows and the joints, and ones on the diagonal of laws, at the state of `find_miss`."""
        place_rigid(arrays, table, C, dropped, rigid)

    def find_parts(
        system, arrays, table, time, frames, relative_values, laws, jacobian, q, v, lam, slopes, C, dropped, spare, local,
        rigid, damping, stiffness,
    ):  # fmt: skip
        """The blocks of `find_rigid` with the laws, of D, and of K, there. A row that is left out has dropped[r] = 1."""
        pose(arrays, table, q, v)
        place_rigid(arrays, table, C, dropped, rigid)
        if slopes.shape[0] > 0:
            system.slopes(arrays, time[0], q, v, slopes)
        for k in range(slopes.shape[0]):
            of_state = k < lines_of(table, col.READS) and table[first_line(table, col.READS) + k, col.OF_STATE] == 1
            if of_state or not np.isfinite(slopes[k]):  # as of sqrt(x) at 0: it only steers the iteration
                slopes[k] = 0.0
        clear(damping)
        clear(stiffness)
        if lines_of(table, col.PUSHES) > 0:  # what depends on neither c_v nor c_q belongs to the first
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

    made = []
    for signature, function in ((FIND_MISS, find_miss), (FIND_RIGID, find_rigid), (FIND_PARTS, find_parts)):
        function.__name__ = function.__qualname__ = f"{'tree' if tree else 'bodies'}_{function.__name__}"
        made.append(kernel(signature)(function))
    return Flow(*made)
