"""Constraint rows in joint coordinates: the force vector that a row is on a body, taken down the tree of joints."""

from mbsim.jit import fused
from mbsim.kernels.linalg import RANK_TOLERANCE
from mbsim.kernels.primitives import FREE, HELICAL, PRISMATIC
from mbsim.kernels.trees import component, force_to_parent, speeds_of, wrench_of


@fused
def common_node(tree, i, j):
    """The outermost node that both nodes hang on, -1: the ground. Parents come first: the later of two carries nothing of the other."""
    while i != j:
        if i > j:
            i = tree[i, 1]
        else:
            j = tree[j, 1]
    return i


@fused
def row_to_coordinates(tree, data, work, i, top, row, at, planar, out):
    """out (n,) += one side of a row: the force vector of a body's speeds in row[at:], on node i, down to node `top`, not included.

    Returns the force vector on `top`, and whether some entry is more than round-off: more than RANK_TOLERANCE of what it would be if
    nothing cancelled on the way.
    """
    w, d = work[i], data[i]
    n0, n1, n2, f0, f1, f2 = wrench_of(w, d, row, at, planar)
    force = abs(f0) + abs(f1) + abs(f2)
    moment = abs(row[at + 2]) if planar else abs(row[at + 3]) + abs(row[at + 4]) + abs(row[at + 5])
    moment += (abs(d[31]) + abs(d[32]) + abs(d[33]) + d[37]) * force
    counts = False
    while i != top:
        kind, o, w, d = tree[i, 0], tree[i, 3], work[i], data[i]
        for k in range(speeds_of(kind)):
            x = component(kind, k, w, d, n0, n1, n2, f0, f1, f2)
            out[o + k] += x
            if not counts:
                straight = kind == PRISMATIC or (kind == FREE and k < 3)
                whole = force if straight else moment + abs(d[34]) * force if kind == HELICAL else moment
                counts = abs(x) > RANK_TOLERANCE * whole
        n0, n1, n2, f0, f1, f2 = force_to_parent(w, n0, n1, n2, f0, f1, f2)
        moment += (abs(w[9]) + abs(w[10]) + abs(w[11])) * force
        i = tree[i, 1]
    return n0, n1, n2, f0, f1, f2, counts
