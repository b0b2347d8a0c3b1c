"""Spatial bodies in joint coordinates with the elements that few models have: `tree_spatial.py` with the helpers of `spatial_extended.py`.

A gauge of the kind STATE is a joint coordinate; loads along it are joint forces. The other gauges are between bodies; the angle of a joint
that is cut is known within half a turn either way of the drawing, and not a number beyond that.
"""

from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, MEASURE, RESIDUAL, helper, kernel
from mbsim.kernels.composite import mass_matrix
from mbsim.kernels.primitives import ABOUT, TWIST
from mbsim.kernels.spatial_gauges import within_half_a_turn
from mbsim.kernels.tree_attitudes import attitude
from mbsim.kernels.trees import place, poses, rnea_backward, rnea_forward, sweep
from mbsim.system import _couplings as couplings
from mbsim.system import _gauges as gauges
from mbsim.system import _trees as trees
from mbsim.system.spatial import accelerations, apply_loads, blocks, body_energy, violations
from mbsim.system.spatial_extended import gauge_bodies, more_accelerations, more_blocks, more_loads, more_stored, more_violations
from mbsim.system.tree_spatial import move, rates

PLANAR = False


@helper
def set_down(arrays, q):
    """The bodies' rows of `frames` from the nodes, with quaternions where a constraint asks for them."""
    tree, data, frames = arrays.tree, arrays.tree_data, arrays.frames
    place(tree, data, arrays.tree_work, frames, PLANAR)
    for e in range(arrays.primitives.shape[0]):
        if arrays.primitives[e, 0] == TWIST:
            for side in range(2):
                body = arrays.primitives[e, 2 + side]
                node = trees.node_of(arrays, body)
                if node >= 0:
                    frames[body, 18], frames[body, 19], frames[body, 20], frames[body, 21] = attitude(tree, data, node, q)


@helper
def set_out(arrays, q):
    """Poses of nodes and bodies."""
    poses(arrays.tree, arrays.tree_data, arrays.tree_work, q)
    set_down(arrays, q)


@kernel(MEASURE, linked=True)
def measure(arrays, q, v):
    sweep(arrays.tree, arrays.tree_data, arrays.tree_work, q, v)
    set_down(arrays, q)
    gauge_bodies(arrays)
    for k in range(arrays.gauges.shape[0]):
        if arrays.gauges[k, 0] == ABOUT:  # of a cut joint: no quaternions tell its turns
            arrays.gauge_values[k, 0] = within_half_a_turn(arrays.gauge_values[k, 3])
    gauges.read_states(arrays, q, v)


@kernel(CONSTRAINTS, linked=True)
def constraints(arrays, t, q, C, xi):
    if C.shape[0] > 0:
        set_out(arrays, q)
        blocks(arrays, xi)
        more_blocks(arrays, xi)
        trees.joint_rows(arrays, C, xi, PLANAR)
        if couplings.coupled(arrays) > 0:
            gauge_bodies(arrays)
            couplings.rows_of_tree(arrays, C, PLANAR)


@kernel(RESIDUAL, linked=True)
def residual(arrays, t, q, phi):
    set_out(arrays, q)
    violations(arrays, phi)
    more_violations(arrays, phi)
    trees.driven(arrays, q, phi)
    if couplings.coupled(arrays) > 0:
        gauge_bodies(arrays)
        couplings.residuals(arrays, q, phi)


@kernel(DYNAMICS, linked=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    measure(arrays, q, v)
    trees.clear(arrays.wrenches)
    power[0] = trees.efforts(arrays, v, h) + apply_loads(arrays, arrays.wrenches) + more_loads(arrays, arrays.wrenches)
    gauges.push_states(arrays, h)
    trees.external(arrays, PLANAR)
    if M.shape[0] > 0 or arrays.primitives.shape[0] > 0:
        rnea_forward(tree, data, work, v, v, False, arrays.gravity)
    if arrays.primitives.shape[0] > 0:
        accelerations(arrays, eta)
        more_accelerations(arrays, eta)
        couplings.biases(arrays, eta)
        trees.joint_biases(arrays, eta, PLANAR)
        couplings.biases_of_tree(arrays, eta, PLANAR)
    if M.shape[0] > 0:
        rnea_backward(tree, data, work)
        trees.joint_forces(arrays, h)
        mass_matrix(tree, data, work, M)


@kernel(ENERGY)
def energy(arrays, t, q, v, out):
    measure(arrays, q, v)
    body_energy(arrays, out)
    stored = more_stored(arrays)
    out[1] += stored
    out[2] += stored


__all__ = ["constraints", "dynamics", "energy", "measure", "move", "rates", "residual"]
