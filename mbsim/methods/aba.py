"""Articulated body algorithm for trees in joint coordinates, O(N): Featherstone 1983; `mbsim.kernels.articulated` has the equations.

The comparison that Liu, Hu & Zhang (2016) call recursive. It finds v_dot without the joint forces; the reactions of a result are those
of inverse dynamics, as for every method on a tree. docs/methods.md, section aba.
"""

from mbsim.jit import OK, RHS, SINGULAR_MASS, STATUS_INDEX, kernel
from mbsim.kernels.articulated import begin, inward, outward
from mbsim.methods._tree import accept, applied, expand, finished, start

NEEDS = "tree"
DRIFT = "none"


def space(n, m):
    """Nothing but the displacement that makes quaternions unit."""
    return [], [0, 0, 0, 0, 0, n], []


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    tree, data, nodes, g = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.gravity
    applied(system, arrays, work, t, z)
    begin(tree, data, nodes, z)
    bad = inward(tree, data, nodes, work.h)
    if bad >= 0:
        work.status[STATUS_INDEX] = tree[bad, 3]
        return SINGULAR_MASS
    outward(tree, data, nodes, g[0], g[1], g[2], work.a)
    finished(system, arrays, work, z, dz)
    return OK


__all__ = ["accept", "expand", "rhs", "space", "start"]
