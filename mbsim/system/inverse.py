"""Inverse dynamics of a tree: the joint forces of a prescribed motion, by recursive Newton-Euler, O(N). Luh, Walker & Paul 1980."""

from mbsim.jit import RATES, kernel
from mbsim.kernels.trees import component, gather, speeds_of, spread


@kernel(RATES)  # the same arguments: v, a -> tau
def joint_efforts(arrays, v, a, tau):
    """tau (n,) = S' f with v_dot = a, less what tau holds on entry, the joint forces that act already; `dynamics` comes first."""
    tree, data, work, g = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.gravity
    spread(tree, data, work, v, a, True, g[0], g[1], g[2])
    gather(tree, data, work)
    for i in range(tree.shape[0]):
        w = work[i]
        for k in range(speeds_of(tree[i, 0])):
            at = tree[i, 3] + k
            tau[at] = component(tree[i, 0], k, w, data[i], w[37], w[38], w[39], w[40], w[41], w[42]) - tau[at]
