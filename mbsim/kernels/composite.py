"""Mass matrix of a tree by composite rigid bodies (Featherstone 2008, sec. 6.2), only the entries that a tree can have, and its factors.

Ic_i = I_i + sum over children of X' Ic X;   M[j, i] = S_j' X' ... X' Ic_i S_i for every ancestor j of i
"""

from mbsim.jit import helper
from mbsim.kernels.trees import OWN, column, component, force_to_parent, momentum, speeds_of, turn_back


@helper
def composite(tree, data, work):
    """The composite inertia of every node in work[OWN:OWN + 10], laid out as in data[MASS:], behind 12 places that `momentum` skips."""
    n_n = tree.shape[0]
    for i in range(n_n):
        for k in range(10):
            work[i, OWN + 12 + k] = data[i, 12 + k]
    for i in range(n_n - 1, -1, -1):
        parent = tree[i, 1]
        if parent < 0:
            continue
        w, I, J = work[i], work[i, OWN:], work[parent, OWN:]
        px, py, pz = w[9], w[10], w[11]
        m = I[12]
        hx, hy, hz = turn_back(w, I[13], I[14], I[15])
        # E' I E by rows of I E, then columns
        ax, ay, az = turn_back(w, I[16], I[19], I[20])
        bx, by, bz = turn_back(w, I[19], I[17], I[21])
        cx, cy, cz = turn_back(w, I[20], I[21], I[18])
        xx, xy, xz = turn_back(w, ax, bx, cx)
        _, yy, yz = turn_back(w, ay, by, cy)
        _, _, zz = turn_back(w, az, bz, cz)
        trace = 2.0 * (hx * px + hy * py + hz * pz) + m * (px * px + py * py + pz * pz)
        J[12] += m
        J[13] += hx + m * px
        J[14] += hy + m * py
        J[15] += hz + m * pz
        J[16] += xx + trace - 2.0 * hx * px - m * px * px
        J[17] += yy + trace - 2.0 * hy * py - m * py * py
        J[18] += zz + trace - 2.0 * hz * pz - m * pz * pz
        J[19] += xy - hx * py - px * hy - m * px * py
        J[20] += xz - hx * pz - px * hz - m * px * pz
        J[21] += yz - hy * pz - py * hz - m * py * pz


@helper
def mass_matrix(tree, data, work, M):
    """M (n, n), both triangles; zeros between branches are left as they are."""
    composite(tree, data, work)
    for i in range(tree.shape[0] - 1, -1, -1):
        kind, at, w, d = tree[i, 0], tree[i, 3], work[i], data[i]
        count = speeds_of(kind)
        for k in range(count):
            s0, s1, s2, s3, s4, s5 = column(kind, k, w, d)
            n0, n1, n2, f0, f1, f2 = momentum(w[OWN:], s0, s1, s2, s3, s4, s5)
            for c in range(k, count):
                M[at + k, at + c] = M[at + c, at + k] = component(kind, c, w, d, n0, n1, n2, f0, f1, f2)
            j, u = i, w
            while tree[j, 1] >= 0:
                n0, n1, n2, f0, f1, f2 = force_to_parent(u, n0, n1, n2, f0, f1, f2)
                j = tree[j, 1]
                u = work[j]
                for c in range(speeds_of(tree[j, 0])):
                    o = tree[j, 3] + c
                    M[at + k, o] = M[o, at + k] = component(tree[j, 0], c, u, data[j], n0, n1, n2, f0, f1, f2)


@helper
def inner_speeds(tree, inner):
    """inner[j] = the next speed towards the base, -1 at it: the graph of M."""
    for i in range(tree.shape[0]):
        parent = tree[i, 1]
        while parent >= 0 and speeds_of(tree[parent, 0]) == 0:
            parent = tree[parent, 1]
        last = tree[parent, 3] + speeds_of(tree[parent, 0]) - 1 if parent >= 0 else -1
        for k in range(speeds_of(tree[i, 0])):
            inner[tree[i, 3] + k] = last if k == 0 else tree[i, 3] + k - 1


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
def factor_solve(M, inner, x):
    """x = (L' D L)^-1 x in place."""
    n = M.shape[0]
    for i in range(n - 1, -1, -1):
        j = inner[i]
        while j >= 0:
            x[j] -= M[i, j] * x[i]
            j = inner[j]
    for i in range(n):
        s = x[i] / M[i, i]
        j = inner[i]
        while j >= 0:
            s -= M[i, j] * x[j]
            j = inner[j]
        x[i] = s
