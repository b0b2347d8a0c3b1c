"""Mass matrix of a tree by composite rigid bodies (Featherstone 2008, sec. 6.2), only the entries that a tree can have, and its factors.

Ic_i = I_i + sum over children of X' Ic X;   M[j, i] = S_j' X' ... X' Ic_i S_i for every ancestor j of i

M[i, i] has the inertia of the joint's rotor besides.
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_vectors import add_six, add_three, symmetric_columns, three, transpose_times
from mbsim.kernels.tree_columns import COMPOSITE, KIND, MASS, PARENT, POSITION, RIGID, RIGID_INERTIA, RIGID_MOMENT, ROTATION, ROTOR, V
from mbsim.kernels.trees import column, component, congruent, force_to_parent, momentum, speeds_of


@helper
def composite(tree, data, work):
    """The composite inertia of every node."""
    n_n = tree.shape[0]
    for i in range(n_n):
        for k in range(RIGID):
            work[i, COMPOSITE + k] = data[i, MASS + k]
    for i in range(n_n - 1, -1, -1):
        if tree[i, PARENT] < 0:
            continue
        w, u = work[i], work[tree[i, PARENT]]
        px, py, pz = three(w, POSITION)
        m = w[COMPOSITE]
        hx, hy, hz = transpose_times(w, ROTATION, three(w, COMPOSITE + RIGID_MOMENT))
        a, b, c = symmetric_columns(w, COMPOSITE + RIGID_INERTIA)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = congruent(w, a, b, c)
        trace = 2.0 * (hx * px + hy * py + hz * pz) + m * (px * px + py * py + pz * pz)
        xx = xx + trace - 2.0 * hx * px - m * px * px
        yy = yy + trace - 2.0 * hy * py - m * py * py
        zz = zz + trace - 2.0 * hz * pz - m * pz * pz
        xy = xy - hx * py - px * hy - m * px * py
        xz = xz - hx * pz - px * hz - m * px * pz
        yz = yz - hy * pz - py * hz - m * py * pz
        u[COMPOSITE] += m
        add_three(u, COMPOSITE + RIGID_MOMENT, (hx + m * px, hy + m * py, hz + m * pz))
        add_six(u, COMPOSITE + RIGID_INERTIA, (xx, yy, zz, xy, xz, yz))


@helper
def mass_matrix(tree, data, work, M):
    """M (n, n), both triangles; zeros between branches are left as they are."""
    composite(tree, data, work)
    for i in range(tree.shape[0] - 1, -1, -1):
        kind, at, w, d = tree[i, KIND], tree[i, V], work[i], data[i]
        count = speeds_of(kind)
        for k in range(count):
            s = momentum(w, COMPOSITE, column(kind, k, w, d))
            for c in range(k, count):
                M[at + k, at + c] = M[at + c, at + k] = component(kind, c, w, d, s)
            M[at + k, at + k] += d[ROTOR]
            j, u = i, w
            while tree[j, PARENT] >= 0:
                s = force_to_parent(u, s)
                j = tree[j, PARENT]
                u = work[j]
                for c in range(speeds_of(tree[j, KIND])):
                    o = tree[j, V] + c
                    M[at + k, o] = M[o, at + k] = component(tree[j, KIND], c, u, data[j], s)


@helper
def mass_diagonal(tree, data, work, out):
    """out (n,) = the diagonal of M. Overwrites the composite inertias."""
    composite(tree, data, work)
    for i in range(tree.shape[0]):
        kind, at, w, d = tree[i, KIND], tree[i, V], work[i], data[i]
        for k in range(speeds_of(kind)):
            out[at + k] = component(kind, k, w, d, momentum(w, COMPOSITE, column(kind, k, w, d))) + d[ROTOR]


@helper
def inner_speeds(tree, inner):
    """inner[j] = the next speed towards the base, -1 at it: the graph of M."""
    for i in range(tree.shape[0]):
        parent = tree[i, PARENT]
        while parent >= 0 and speeds_of(tree[parent, KIND]) == 0:
            parent = tree[parent, PARENT]
        last = tree[parent, V] + speeds_of(tree[parent, KIND]) - 1 if parent >= 0 else -1
        for k in range(speeds_of(tree[i, KIND])):
            inner[tree[i, V] + k] = last if k == 0 else tree[i, V] + k - 1


@helper
def factor(M, inner):
    """M = L' D L in place within the tree's sparsity (Featherstone 2008, sec. 6.5); -1, or the speed at which M is not definite."""
    for k in range(M.shape[0] - 1, -1, -1):
        if not M[k, k] > 0.0:
            return k
        i = inner[k]
        while i >= 0:
            a = M[k, i] / M[k, k]
            j = i
            while j >= 0:
                M[i, j] -= a * M[k, j]
                j = inner[j]
            M[k, i] = a
            i = inner[i]
    return -1


@helper
def solve_inward(M, inner, x):
    """x = L'^-1 x in place."""
    for i in range(M.shape[0] - 1, -1, -1):
        j = inner[i]
        while j >= 0:
            x[j] -= M[i, j] * x[i]
            j = inner[j]


@helper
def solve_outward(M, inner, x):
    """x = L^-1 x in place."""
    for i in range(M.shape[0]):
        s = x[i]
        j = inner[i]
        while j >= 0:
            s -= M[i, j] * x[j]
            j = inner[j]
        x[i] = s


@helper
def factor_solve(M, inner, x):
    """x = (L' D L)^-1 x in place."""
    n = M.shape[0]
    solve_inward(M, inner, x)
    for i in range(n):
        s = x[i] / M[i, i]
        j = inner[i]
        while j >= 0:
            s -= M[i, j] * x[j]
            j = inner[j]
        x[i] = s
