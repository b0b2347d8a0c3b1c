"""Planar bodies in joint coordinates: the contracts of `mbsim.jit` over the nodes of a tree (`mbsim.kernels.trees`).

M by composite rigid bodies, h by recursive Newton-Euler with v_dot = 0, poses and velocities of the bodies into `frames`, so that loads
and rows are those of `mbsim.system.planar`. A row of a body becomes a row of joint speeds by its wrench, taken from node to node towards
the base; its eta gains J times the accelerations that the bodies have with v_dot = 0. `dynamics` called with an M of no rows evaluates
laws and loads only and leaves the joint forces that are applied in h: what the methods for trees ask for.
"""

from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, RESIDUAL, kernel
from mbsim.kernels.composite import mass_matrix
from mbsim.kernels.trees import count_turns, place, poses, rnea_backward, rnea_forward, sweep
from mbsim.system import _trees as trees
from mbsim.system.plain import move, rates
from mbsim.system.planar import accelerations, apply_loads, blocks, body_energy, violations

PLANAR = True


@kernel(CONSTRAINTS, linked=True)
def constraints(arrays, t, q, C, xi):
    if C.shape[0] > 0:
        poses(arrays.tree, arrays.tree_data, arrays.tree_work, q)
        place(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, PLANAR)
        count_turns(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, q)
        blocks(arrays, xi)
        trees.joint_rows(arrays, C, xi, PLANAR)


@kernel(RESIDUAL, linked=True)
def residual(arrays, t, q, phi):
    poses(arrays.tree, arrays.tree_data, arrays.tree_work, q)
    place(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, PLANAR)
    count_turns(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, q)
    violations(arrays, phi)
    trees.driven(arrays, q, phi)


@kernel(DYNAMICS, linked=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    sweep(tree, data, work, q, v)
    power[0] = trees.efforts(arrays, v, h)
    if arrays.wrenches.shape[0] > 0 or arrays.primitives.shape[0] > 0:
        place(tree, data, work, arrays.frames, PLANAR)
        count_turns(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, q)
        trees.clear(arrays.wrenches)
        if arrays.wrenches.shape[0] > 0:
            power[0] += apply_loads(arrays, arrays.wrenches)
            trees.external(arrays, PLANAR)
    if M.shape[0] > 0 or arrays.primitives.shape[0] > 0:
        rnea_forward(tree, data, work, v, v, False, arrays.gravity)
    if arrays.primitives.shape[0] > 0:
        accelerations(arrays, eta)
        trees.joint_biases(arrays, eta, PLANAR)
    if M.shape[0] > 0:
        rnea_backward(tree, data, work)
        trees.joint_forces(arrays, h)
        mass_matrix(tree, data, work, M)


@kernel(ENERGY)
def energy(arrays, t, q, v, out):
    sweep(arrays.tree, arrays.tree_data, arrays.tree_work, q, v)
    place(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, PLANAR)
    count_turns(arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, q)
    body_energy(arrays, out)


__all__ = ["constraints", "dynamics", "energy", "move", "rates", "residual"]
