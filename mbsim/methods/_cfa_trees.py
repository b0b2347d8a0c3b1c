"""Constraint force algorithm for trees in joint coordinates: motion and joint reactions in one solve. Liu, Hu & Zhang 2016.

`trees/cfa.py` has the equations and the elimination from the leaves to the base, O(N); for comparison `papers/tree_dense.py` has the
paper's general form and `papers/tree_odd_even.py` its odd-even form (eqs. 39-44). F_T = tau - b comes from inverse dynamics at v_dot = 0.
The leaf is `cfa.py`. docs/methods/cfa.md.
"""

from mbsim.contracts import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, OK, RHS, SINGULAR_MASS, START, choices, method_settings
from mbsim.jit import Workspace, indices, kernel, matrix, vector
from mbsim.kernels.linalg import copy
from mbsim.kernels.tree_columns import V
from mbsim.kernels.trees import joint_forces, rnea_backward, rnea_forward
from mbsim.methods._elimination import OPTIONS, refuse_parts
from mbsim.methods.papers.tree_dense import general
from mbsim.methods.papers.tree_odd_even import odd_even
from mbsim.methods.trees.accepted import accept, expand
from mbsim.methods.trees.cfa import joint_accelerations, leaf_to_root
from mbsim.methods.trees.columns import CHAINS, JOINTS, STORE
from mbsim.methods.trees.joints import invert_bodies
from mbsim.saddle.evaluation import fail, finish
from mbsim.system.work import NO_TABLE, Space

(ELIMINATION,) = method_settings(OPTIONS, "elimination")
LEAF_TO_ROOT, ODD_EVEN = choices(OPTIONS, "elimination", "leaf_to_root", "odd_even")
WORKSPACE = Workspace(
    "cfa_trees",
    sizes=("nodes", "size", "chains"),
    store=matrix("nodes", f"{STORE}"),  # what is kept of each node
    joints=matrix("nodes", f"{JOINTS}"),  # and of each joint
    scratch=matrix("4", "36"),  # 6 x 6 blocks
    A=matrix("size", "size"),  # the dense matrix, of the forms that have one, and
    b=vector("size"),  # its right side
    chains=matrix("chains", f"{CHAINS}"),
    spare=matrix("chains", f"{CHAINS}"),
    first=indices("nodes + 1"),  # see `papers/tree_dense.py`
    order=indices("4 * nodes"),
)


def plan(system, options):
    """Sizes of the work arrays; neither M nor C. Raises ValueError for nested dissection, which is for absolute coordinates."""
    if options["elimination"] == "nested_dissection":
        raise ValueError("cfa: elimination 'nested_dissection' is for absolute coordinates; leave out `coordinates: joint`")
    refuse_parts(options)
    nodes = system.arrays.tree.shape[0]
    size = 0 if options["elimination"] == "leaf_to_root" else 6 * nodes
    sizes = {"nodes": nodes, "size": size, "chains": nodes if options["elimination"] == "odd_even" else 0}
    return Space(WORKSPACE, sizes, NO_TABLE, False, False)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot of a tree from the forces in its joints, by the elimination that the settings name. Returns the status code."""
    tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
    own = WORKSPACE(work)
    store, joints = own.store, own.joints
    n = work.v.shape[0]
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    system.dynamics(arrays, t, q, v, work.M[:0], work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    rnea_forward(tree, data, nodes, v, v, False, arrays.gravity)
    rnea_backward(tree, data, nodes)
    joint_forces(arrays, work.h)  # F_T
    elimination = work.settings[ELIMINATION]
    if elimination == LEAF_TO_ROOT:
        bad = leaf_to_root(tree, data, nodes, store, joints, own.scratch, work.h)
    elif elimination == ODD_EVEN:
        bad = odd_even(tree, data, nodes, store, joints, own.A, own.chains, own.spare, work.h, own.b, own.first, own.order)
    else:
        bad = general(tree, data, nodes, store, joints, own.A, work.h, own.b, own.first)
    if bad >= 0:
        return fail(work, SINGULAR_MASS, min(tree[bad, V], n - 1))  # a weld has no speed of its own
    joint_accelerations(tree, data, nodes, store, joints, work.a)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Invert the inertias of the bodies and fill z[:n_v] with v. Returns the status code."""
    invert_bodies(arrays.tree, arrays.tree_data, WORKSPACE(work).store)
    copy(v, z, 0)
    return OK


__all__ = ["accept", "expand", "plan", "rhs", "start"]
