"""Constraint rows in joint coordinates: the force vector that a row is on a body, taken down the tree of joints."""

from mbsim.jit import fused
from mbsim.kernels.primitives import FREE, HELICAL, PRISMATIC
from mbsim.kernels.spatial_vectors import three
from mbsim.kernels.tree_columns import BLUR, CENTRE, KIND, PARENT, PITCH, POSITION, V
from mbsim.kernels.trees import component, force_to_parent, speeds_of, wrench_of


@fused
def size(a):
    """The sum of the sizes of three numbers."""
    return abs(a[0]) + abs(a[1]) + abs(a[2])


@fused
def larger_share(x, whole, share):
    """The larger one of `share` and |x| / whole, the part of an entry that is left of what it would be if nothing cancelled."""
    return max(share, abs(x) / whole) if whole > 0.0 else share


larger_share.derivative = "0.0"  # for mbsim.jit.forward: ranks are decided by it, nothing else


@fused
def common_node(tree, i, j):
    """The outermost node that carries both nodes, -1: the ground. Parents come first, so the later of two nodes never carries the other."""
    while i != j:
        if i > j:
            i = tree[i, PARENT]
        else:
            j = tree[j, PARENT]
    return i


@fused
def force_and_moment(row, at, planar):
    """The sizes of force and moment about the centre of mass of a body's speeds in row[at:]."""
    if planar:
        return abs(row[at]) + abs(row[at + 1]), abs(row[at + 2])
    return size(three(row, at)), size(three(row, at + 3))


@fused
def longest_arm(rows, first, count, at, planar):
    """The longest arm (m) about the centre of mass of the forces that `count` rows from `first` on are on one side.

    Rows that hold a point act at one place. The row along the arm has no moment of its own: it fades out without a term that cancels.
    """
    longest = 0.0
    for r in range(first, first + count):
        force, moment = force_and_moment(rows[r], at, planar)
        if force > 0.0:
            longest = max(longest, moment / force)
    return longest


longest_arm.derivative = "0.0"


@fused
def row_to_coordinates(tree, data, work, i, top, row, at, planar, arm, out):
    """out (n,) += one side of a row: the force vector of a body's speeds in row[at:], on node i, down to node `top`, not included.

    Returns the force vector on `top`, and the share of the row that has not cancelled on the way, or faded as its `arm` (m, `longest_arm`)
    came to lie along the force: of the entry of which most is left.
    """
    d = data[i]
    s = wrench_of(work[i], d, row, at, planar)
    force, moment = force_and_moment(row, at, planar)
    moment = max(moment, arm * force) + (size(three(d, CENTRE)) + d[BLUR]) * force
    share = 0.0
    while i != top:
        kind, o, w, d = tree[i, KIND], tree[i, V], work[i], data[i]
        for k in range(speeds_of(kind)):
            x = component(kind, k, w, d, s)
            out[o + k] += x
            straight = kind == PRISMATIC or (kind == FREE and k < 3)
            whole = force if straight else moment + abs(d[PITCH]) * force if kind == HELICAL else moment
            share = larger_share(x, whole, share)
        s = force_to_parent(w, s)
        moment += size(three(w, POSITION)) * force
        i = tree[i, PARENT]
    return s, share
