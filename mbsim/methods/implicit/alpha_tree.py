"""The form of `generalized_alpha` for trees in joint coordinates without constraint rows: an iteration in O(N).

    CONSTANT = M + L,    L = the diagonal of c_v D + c_q K: springs, dampers and limits along the joint coordinates

The residual is inverse dynamics, and the matrix is that of the articulated body algorithm with L beside the inertia D of each joint. Planar
trees have functions of their own for both (`mbsim.kernels.planar_trees`), whose matrix also holds what velocities and forces change where
the tree moves. What is left out is stiffness between bodies, and in space the change of M with the coordinates.
"""

from collections.abc import Mapping

import numpy as np

from mbsim.contracts import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, NO_CONVERGENCE, OK, STEP
from mbsim.jit import Workspace, helper, indices, kernel, matrix, vector
from mbsim.kernels import frame_columns
from mbsim.kernels import planar_trees as planar
from mbsim.kernels.articulated import begin as begin_inertias
from mbsim.kernels.articulated import inward_added
from mbsim.kernels.articulated_rows import roots, unweigh, weigh
from mbsim.kernels.linalg import clear, copy
from mbsim.kernels.tree_columns import KIND
from mbsim.kernels.trees import rotor_forces
from mbsim.methods._states import place_states
from mbsim.methods.aba import rhs
from mbsim.methods.implicit.form import Form, step_arrays
from mbsim.methods.implicit.newton import find_tangent
from mbsim.methods.implicit.step import take
from mbsim.methods.trees.accepted import accept, expand, start
from mbsim.saddle.trees.form import add_inertia
from mbsim.system.system import System
from mbsim.system.work import NO_TABLE, Space

DRIFT = "none"
TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
WORKSPACE = Workspace(
    "alpha_tree",
    sizes=("bodies", "relative", "relative_width", "laws", "slopes", "flat"),
    **step_arrays(extras="n_x"),
    dropped=indices("m"),  # there are no rows
    diagonal=vector("n"),  # L
    twin_frames=matrix("bodies + 1", f"{frame_columns.COLUMNS}"),
    twin_values=matrix("relative", "relative_width"),
    twin_laws=matrix("laws", "3"),
    slopes=vector("slopes"),
    scratch=matrix("3", "n + 16"),
    flat=matrix("flat", f"{planar.WIDTH}"),  # nodes of a planar tree, else none
)


def plan(system: System, options: Mapping[str, object]) -> Space:
    """Neither M nor C."""
    relative, width = system.arrays.relative_values.shape
    sizes = {"bodies": len(system.bodies), "relative": relative, "relative_width": width, "laws": len(system.arrays.laws), "slopes": 0}
    tree = system.arrays.tree
    sizes["flat"] = len(tree) if system.dimension == 2 and set(tree[:, KIND]) <= set(planar.KINDS) else 0
    return Space(WORKSPACE, sizes, NO_TABLE, False, False)


@helper
def weigh_by_dynamics(arrays, work, own, v, e):
    """own.sides[:n] = M e, by inverse dynamics, which is linear in the accelerations."""
    n, force = v.shape[0], own.sides[: v.shape[0]]
    clear(own.other)
    clear(force)
    add_inertia(arrays, v, own.next_v_dot, force)
    for j in range(n):
        own.next_v_dot[j] += e[j]
    add_inertia(arrays, v, own.next_v_dot, own.other)
    for j in range(n):
        own.next_v_dot[j] -= e[j]
        force[j] -= own.other[j]


@helper
def begin(arrays, work, own):
    if own.flat.shape[0] > 0:
        planar.set_constants(arrays.tree, arrays.tree_data, own.flat)


@helper
def choose_rows(work, own):
    """Nothing: there are no rows."""


@helper
def evaluate(system, arrays, work, own, t, q, v, to_v):
    force, flat, v_dot = own.sides[: v.shape[0]], own.flat, own.next_v_dot
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)  # loads only, as M has no rows
    work.counts[COUNT_EVALUATIONS] += 1
    copy(work.h, force, 0)
    if flat.shape[0] > 0:
        planar.outward(arrays.tree, arrays.tree_data, arrays.tree_work, flat, q, v, v_dot, arrays.gravity)
        planar.inward(arrays.tree, flat, arrays.wrenches, force)
        rotor_forces(arrays, v_dot, force)
    else:
        add_inertia(arrays, v, v_dot, force)
    return 0.0


@helper
def factor(system, arrays, work, own, t, out, to_v, to_q):
    n = work.v.shape[0]
    q, v = out[n : out.shape[0] - 1], out[:n]
    clear(own.diagonal)
    system.tangent(
        arrays, own.twin_frames, own.twin_values, own.twin_laws, own.tangent[:0], q, v, work.lam, own.slopes, to_q, to_v,
        work.plan, own.scratch, own.tangent[:0], own.diagonal,
    )  # fmt: skip
    for j in range(n):
        if not np.isfinite(own.diagonal[j]):  # it only steers the iteration
            own.diagonal[j] = 0.0
    work.counts[COUNT_FACTORISATIONS] += 1
    if own.flat.shape[0] > 0:
        return OK if planar.eliminate(arrays.tree, arrays.tree_data, own.flat, own.diagonal, to_q, to_v) else NO_CONVERGENCE
    begin_inertias(arrays.tree, arrays.tree_data, arrays.tree_work, v)
    if inward_added(arrays.tree, arrays.tree_data, arrays.tree_work, own.diagonal) >= 0:
        return NO_CONVERGENCE
    roots(arrays.tree, arrays.tree_work)
    return OK


@helper
def solve(arrays, work, own):
    v_dot = own.change[: own.v_dot.shape[0]]
    copy(own.sides[: v_dot.shape[0]], v_dot, 0)
    if own.flat.shape[0] > 0:
        planar.solve(arrays.tree, own.flat, v_dot)
    else:
        weigh(arrays.tree, arrays.tree_data, arrays.tree_work, v_dot)
        unweigh(arrays.tree, arrays.tree_data, arrays.tree_work, v_dot)


@helper
def solve_rates(arrays, work, own, to_v, v):
    """Nothing: there are no rows."""
    return OK


FORM = Form(
    begin, choose_rows, place_states, evaluate, factor, solve, solve_rates, weigh_by_dynamics, find_tangent,
    is_near=True, adds_up=True, has_tangent=True, renewals=0,
)  # fmt: skip


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    return take(FORM, WORKSPACE(work), method, system, arrays, work, t, dt, z, scratch)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "rhs", "start", "step"]
