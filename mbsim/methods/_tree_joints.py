"""Joints of a tree as the constraint force algorithm needs them: I^-1 of the bodies, and of each joint S, T and W across all its nodes."""

from mbsim.jit import fused
from mbsim.kernels.primitives import BALL, FREE, PRISMATIC, REVOLUTE
from mbsim.kernels.trees import column, motion_to_node, speeds_of, turn, turn_back

# columns of `store` (matrices[0]), one row a node: I^-1, Psi, Z, L, D, z, gamma, T (tau - b), G, V
INVERSE, PSI, Z, L, D, ZETA, GAMMA, DRIVEN, G, V, STORE = 0, 36, 72, 108, 144, 150, 156, 162, 168, 174, 180
# columns of `joints` (matrices[1]): E and p over all nodes of a joint, its W by rows (6 x 6), S by rows (3 x 6)
ACROSS, BLOCKED, FREED, JOINTS = 0, 12, 48, 66


@fused
def invert_bodies(tree, data, store):
    """I^-1 about each node's origin: [J^-1, -J^-1 C; C J^-1, 1/m - C J^-1 C], C = skew(centre), J about the centre."""
    for i in range(tree.shape[0]):
        if tree[i, 4] < 0:
            continue
        d, o = data[i], store[i]
        m, x, y, z = d[12], d[31], d[32], d[33]
        a, b, c = d[16] - m * (y * y + z * z), d[17] - m * (x * x + z * z), d[18] - m * (x * x + y * y)
        e, f, g = d[19] + m * x * y, d[20] + m * x * z, d[21] + m * y * z
        k00, k01, k02, k11, k12, k22 = b * c - g * g, f * g - e * c, e * g - b * f, a * c - f * f, e * f - a * g, a * b - e * e
        det = a * k00 + e * k01 + f * k02
        o[0], o[1], o[2], o[7], o[8], o[14] = k00 / det, k01 / det, k02 / det, k11 / det, k12 / det, k22 / det
        o[6], o[12], o[13] = o[1], o[2], o[8]
        for r in range(3):  # -J^-1 C: row r is -(J^-1)_r x ... = centre x row, because (row' C) = -(centre x row)'
            p, q, s = o[6 * r], o[6 * r + 1], o[6 * r + 2]
            o[6 * r + 3], o[6 * r + 4], o[6 * r + 5] = y * s - z * q, z * p - x * s, x * q - y * p
            for k in range(3):
                o[18 + 6 * k + r] = o[6 * r + 3 + k]
        for r in range(3):  # C times the block above it, column by column
            p, q, s = o[3 + r], o[9 + r], o[15 + r]
            o[21 + r], o[27 + r], o[33 + r] = y * s - z * q, z * p - x * s, x * q - y * p
            o[21 + 7 * r] += 1.0 / m


@fused
def is_unit(tree, i):
    """Whether i is the only node of its joint and S is a unit vector."""
    return tree[i, 6] == 1 and tree[i, 0] in (REVOLUTE, PRISMATIC)


@fused
def geometry(tree, data, work, joints, i):
    """Of the joint whose last node is i, over all its nodes: E, p; S in the last node; W, orthonormal and across S."""
    g = joints[i]
    for k in range(12):
        g[k] = work[i, k]
    count, node = tree[i, 8], i
    if is_unit(tree, i):  # most joints: W is the other five unit vectors
        free = 2 if tree[i, 0] == REVOLUTE else 5
        for k in range(12, 66):
            g[k] = 0.0
        for a in range(5):
            g[12 + 6 * a + (a if a < free else a + 1)] = 1.0
        g[48 + free] = 1.0
        return
    at = 0
    for step in range(tree[i, 6]):
        w, kind = work[node], tree[node, 0]
        if step > 0:  # g: from this node outwards; now also from its parent
            x, y, z = turn_back(w, g[9], g[10], g[11])
            g[9], g[10], g[11] = x + w[9], y + w[10], z + w[11]
            for r in range(3):
                g[3 * r], g[3 * r + 1], g[3 * r + 2] = turn_back(w, g[3 * r], g[3 * r + 1], g[3 * r + 2])
        if kind != FREE:
            for k in range(speeds_of(kind)):
                s0, s1, s2, s3, s4, s5 = column(kind, k, w, data[node])
                if step > 0:  # outwards through the nodes between: their frames compose to g without this node's own
                    s0, s1, s2, s3, s4, s5 = carried(tree, work, i, step, s0, s1, s2, s3, s4, s5)
                o = 48 + 6 * (at if kind == BALL else count - 1 - at)
                g[o], g[o + 1], g[o + 2], g[o + 3], g[o + 4], g[o + 5] = s0, s1, s2, s3, s4, s5
                at += 1
        node = tree[node, 1]
    if tree[i, 0] == FREE:
        return
    for k in range(48 + 6 * count, 66):
        g[k] = 0.0
    across(g, count)


@fused
def carried(tree, work, i, step, s0, s1, s2, s3, s4, s5):
    """A motion vector of the node `step` before node i, in node i."""
    for k in range(step - 1, -1, -1):
        node = i
        for _ in range(k):
            node = tree[node, 1]
        s0, s1, s2, s3, s4, s5 = motion_to_node(work[node], s0, s1, s2, s3, s4, s5)
    return s0, s1, s2, s3, s4, s5


@fused
def across(g, count):
    """W: unit vectors made orthogonal to S and to each other; those that keep least of their length are left out."""
    made = 0
    for e in range(6):  # S, then W, orthonormalised in g[12:48] from the end: S last
        for k in range(6):
            g[12 + 6 * e + k] = 0.0
    base = 6 - count
    for j in range(count):
        o = 12 + 6 * (base + j)
        for k in range(6):
            g[o + k] = g[48 + 6 * j + k]
        orthogonal(g, o, base, j)
        unit(g, o)
    while made < base:
        best, longest = 0, -1.0
        for e in range(6):
            rest = 1.0
            for j in range(count):
                rest -= g[12 + 6 * (base + j) + e] ** 2
            for j in range(made):
                rest -= g[12 + 6 * j + e] ** 2
            if rest > longest + 1e-9:
                best, longest = e, rest
        o = 12 + 6 * made
        for k in range(6):
            g[o + k] = 1.0 if k == best else 0.0
        for _ in range(2):  # twice is enough
            orthogonal(g, o, base, count)
            orthogonal(g, o, 0, made)
        unit(g, o)
        made += 1


@fused
def orthogonal(g, o, first, count):
    for j in range(first, first + count):
        s = 0.0
        for k in range(6):
            s += g[o + k] * g[12 + 6 * j + k]
        for k in range(6):
            g[o + k] -= s * g[12 + 6 * j + k]


@fused
def unit(g, o):
    s = 0.0
    for k in range(6):
        s += g[o + k] * g[o + k]
    s = 1.0 / s**0.5
    for k in range(6):
        g[o + k] *= s


@fused
def free_force(tree, work, joints, i, tau, out):
    """out (6 from DRIVEN) = T tau, T = S (S' S)^-1, of the joint whose last node is i; of a free body its whole force."""
    kind, count = tree[i, 0], tree[i, 8]
    first = tree[i, 3] + speeds_of(kind) - count
    g = joints[i]
    if kind == FREE:
        at = tree[i, 3]
        out[165], out[166], out[167] = turn(work[i], tau[at], tau[at + 1], tau[at + 2])
        out[162], out[163], out[164] = tau[at + 3], tau[at + 4], tau[at + 5]
        return
    x0 = tau[first] if count > 0 else 0.0
    x1 = tau[first + 1] if count > 1 else 0.0
    x2 = tau[first + 2] if count > 2 else 0.0
    x0, x1, x2 = solve_small(g, count, x0, x1, x2)
    for k in range(6):
        out[162 + k] = g[48 + k] * x0 + g[54 + k] * x1 + g[60 + k] * x2


@fused
def solve_small(g, count, x0, x1, x2):
    """(S' S)^-1 x for up to three columns."""
    if count == 0:
        return 0.0, 0.0, 0.0
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(6):
        a += g[48 + k] * g[48 + k]
        if count > 1:
            b += g[48 + k] * g[54 + k]
            d += g[54 + k] * g[54 + k]
        if count > 2:
            c += g[48 + k] * g[60 + k]
            e += g[54 + k] * g[60 + k]
            f += g[60 + k] * g[60 + k]
    if count == 1:
        return x0 / a, 0.0, 0.0
    l1 = b / a
    d -= l1 * b
    x1 -= l1 * x0
    if count == 2:
        x1 /= d
        return (x0 - b * x1) / a, x1, 0.0
    l2 = c / a
    e -= l2 * b
    f -= l2 * c
    x2 -= l2 * x0
    l3 = e / d
    f -= l3 * e
    x2 = (x2 - l3 * x1) / f
    x1 = (x1 - e * x2) / d
    return (x0 - b * x1 - c * x2) / a, x1, x2
