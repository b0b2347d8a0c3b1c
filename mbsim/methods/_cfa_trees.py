"""Constraint force algorithm for trees in joint coordinates: motion and joint reactions in one solve. Liu, Hu & Zhang 2016.

`_tree_cfa` has the equations and the elimination from the leaves to the base, O(N); for comparison `_tree_dense` has the paper's general
form and `_tree_odd_even` its odd-even form (eqs. 39-44). F_T = tau - b comes from inverse dynamics at v_dot = 0. The leaf is
`cfa.py`. docs/methods.md, section cfa in joint coordinates.
"""

from mbsim.jit import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, OK, RHS, SETTING_METHOD, SINGULAR_MASS, START, STATUS_INDEX, kernel
from mbsim.kernels.linalg import copy
from mbsim.kernels.tree_columns import V
from mbsim.kernels.trees import rnea_backward, rnea_forward
from mbsim.methods._tree import accept, expand
from mbsim.methods._tree_cfa import joint_accelerations, leaf_to_root
from mbsim.methods._tree_columns import CHAINS, JOINTS, NEIGHBOURS, SCRATCH, STORE
from mbsim.methods._tree_dense import general
from mbsim.methods._tree_joints import invert_bodies
from mbsim.methods._tree_odd_even import odd_even
from mbsim.methods._work import NO_TABLE, Space
from mbsim.system._trees import joint_forces


def plan(system, options):
    """matrices: what is kept of each node, of each joint, scratch of 6 x 6 blocks, the dense matrix, chains; indices: see odd_even."""
    nodes = system.arrays.tree.shape[0]
    size = 0 if options["elimination"] == "leaf_to_root" else 6 * nodes
    chains = nodes if options["elimination"] == "odd_even" else 0
    shapes = [(nodes, STORE), (nodes, JOINTS), (SCRATCH, 36), (size, size), (chains, CHAINS), (chains, CHAINS)]
    return Space(shapes, [size, 0, 0, 0, 0, system.n_v], [nodes + 1, NEIGHBOURS * nodes], NO_TABLE, False, False)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
    store, joints, scratch, A, chains, spare, _ = work.matrices
    n = work.v.shape[0]
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    system.dynamics(arrays, t, q, v, work.M[:0], work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    rnea_forward(tree, data, nodes, v, v, False, arrays.gravity)
    rnea_backward(tree, data, nodes)
    joint_forces(arrays, work.h)  # F_T
    elimination = work.settings[SETTING_METHOD]
    if elimination == 0.0:
        bad = leaf_to_root(tree, data, nodes, store, joints, scratch, work.h)
    elif elimination == 1.0:
        bad = odd_even(tree, data, nodes, store, joints, A, chains, spare, work.h, work.vectors[0], work.indices[0], work.indices[1])
    else:
        bad = general(tree, data, nodes, store, joints, A, work.h, work.vectors[0], work.indices[0])
    if bad >= 0:
        work.status[STATUS_INDEX] = min(tree[bad, V], n - 1)  # a weld has no speed of its own
        return SINGULAR_MASS
    joint_accelerations(tree, data, nodes, store, joints, work.a)
    copy(v, work.v, 0)
    copy(work.a, dz, 0)
    system.rates(arrays, q, v, dz[n:end])
    dz[end] = work.power[0]
    return OK


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    invert_bodies(arrays.tree, arrays.tree_data, work.matrices[0])
    copy(v, z, 0)
    return OK


__all__ = ["accept", "expand", "plan", "rhs", "start"]
