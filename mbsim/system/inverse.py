"""Inverse dynamics of a tree: the joint forces of a prescribed motion, by recursive Newton-Euler, O(N). Luh, Walker & Paul 1980."""

from mbsim.contracts import ARRAYS
from mbsim.jit import A1, kernel, void
from mbsim.kernels.spatial_vectors import six
from mbsim.kernels.tree_columns import FORCE, KIND, ROTOR, V
from mbsim.kernels.trees import component, rnea_backward, rnea_forward, speeds_of


@kernel(void(ARRAYS, A1, A1, A1))
def joint_efforts(arrays, v, a, tau):
    """tau (n,) = S' f + rotor a with v_dot = a, less what tau holds on entry, the joint forces that act already; `dynamics` comes first."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    rnea_forward(tree, data, work, v, a, True, arrays.gravity)
    rnea_backward(tree, data, work)
    for i in range(tree.shape[0]):
        kind, w = tree[i, KIND], work[i]
        for k in range(speeds_of(kind)):
            at = tree[i, V] + k
            tau[at] = component(kind, k, w, data[i], six(w, FORCE)) + data[i, ROTOR] * a[at] - tau[at]
