"""Articulated body algorithm for trees in joint coordinates, O(N): Featherstone 1983; `mbsim.kernels.articulated` has the equations.

The comparison that Liu, Hu & Zhang (2016) call recursive. It finds v_dot without the joint forces; the reactions of a result are those
of inverse dynamics, as for every method on a tree. Trees with constraint rows have kernels of their own. docs/methods/aba.md.
"""

from mbsim.contracts import COUNT_EVALUATIONS, OK, RHS, SINGULAR_MASS
from mbsim.jit import Workspace, kernel
from mbsim.kernels.articulated import begin, inward, outward
from mbsim.kernels.tree_columns import V
from mbsim.methods.trees.accepted import accept, expand, start
from mbsim.saddle.evaluation import fail, finish
from mbsim.system.work import NO_TABLE, Space

KERNELS = [("bare tree", "aba"), ("tree with rows", "trees.aba_rows")]
DRIFT = "none"
SOURCE = {"paper": "Liu, Hu & Zhang 2016", "equations": "their comparison, the recursive method of table 1"}


WORKSPACE = Workspace("aba")  # what it needs of each node is in Arrays.tree_work


def plan(system, options):
    """Neither M nor C."""
    return Space(WORKSPACE, {}, NO_TABLE, False, False)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot of a tree by one sweep inward and one outward. Returns the status code."""
    tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
    n = work.v.shape[0]
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    system.dynamics(arrays, t, q, v, work.M[:0], work.h, work.eta, work.power)  # loads only: wrenches of the nodes, joint forces in h
    work.counts[COUNT_EVALUATIONS] += 1
    begin(tree, data, nodes, v)
    bad = inward(tree, data, nodes, work.h)
    if bad >= 0:
        return fail(work, SINGULAR_MASS, tree[bad, V])
    outward(tree, data, nodes, arrays.gravity, work.a)
    finish(system, arrays, work, t, v, q, dz)
    return OK


__all__ = ["accept", "expand", "plan", "rhs", "start"]
