"""Joints of a tree as the constraint force algorithm needs them: I^-1 of the bodies, and of each joint S, T and W across all its nodes."""

from mbsim.jit import fused
from mbsim.kernels.primitives import BALL, FREE, PRISMATIC, REVOLUTE
from mbsim.kernels.spatial_vectors import (
    ANGULAR_Z,
    LINEAR_Z,
    ZERO,
    cross,
    plus,
    put_six,
    put_three,
    six,
    three,
    times,
    transpose_times,
)
from mbsim.kernels.tree_columns import (
    BODY,
    CENTRE,
    INERTIA,
    KIND,
    MASS,
    NODES,
    PARENT,
    POSITION,
    ROTATION,
    ROTOR,
    SPEEDS,
    TURN,
    UNKNOWNS,
    V,
)
from mbsim.kernels.trees import column, motion_to_node, speeds_of
from mbsim.methods.trees.columns import BLOCKED, COMPLIANCE, DRIVEN, FREED, INVERSE, JOINTS, LENT


@fused
def put_column(matrix, r, c, a):
    """Three entries of a 6 x 6 matrix by rows, from row r of column c down."""
    matrix[6 * r + c], matrix[6 * r + 6 + c], matrix[6 * r + 12 + c] = a


@fused
def invert_bodies(tree, data, store):
    """I^-1 about each node's origin: [J^-1, -J^-1 C; C J^-1, 1/m - C J^-1 C], C = skew(centre), J about the centre."""
    for i in range(tree.shape[0]):
        if tree[i, BODY] < 0:
            continue
        d, o = data[i], store[i, INVERSE:]
        m, centre = d[MASS], three(d, CENTRE)
        x, y, z = centre
        xx, yy, zz, xy, xz, yz = six(d, INERTIA)
        a, b, c = xx - m * (y * y + z * z), yy - m * (x * x + z * z), zz - m * (x * x + y * y)
        e, f, g = xy + m * x * y, xz + m * x * z, yz + m * y * z
        k00, k01, k02, k11, k12, k22 = b * c - g * g, f * g - e * c, e * g - b * f, a * c - f * f, e * f - a * g, a * b - e * e
        det = a * k00 + e * k01 + f * k02
        put_three(o, 0, (k00 / det, k01 / det, k02 / det))
        put_three(o, 6, (k01 / det, k11 / det, k12 / det))
        put_three(o, 12, (k02 / det, k12 / det, k22 / det))
        for r in range(3):  # -J^-1 C: row r is centre x row, because (row' C) = -(centre x row)'; its transpose below J^-1
            row = cross(centre, three(o, 6 * r))
            put_three(o, 6 * r + 3, row)
            put_column(o, 3, r, row)
        for c in range(3, 6):  # C times the block above it, whose columns are the rows of its transpose
            put_column(o, 3, c, cross(centre, three(o, 6 * c)))
            o[7 * c] += 1.0 / m


@fused
def is_unit(tree, i):
    """Whether i is the only node of its joint, S is a unit vector, and the five other directions are the unknowns."""
    return tree[i, NODES] == 1 and tree[i, KIND] in (REVOLUTE, PRISMATIC) and tree[i, UNKNOWNS] == 5


@fused
def other_axis(a, free):
    """The a-th of the five places in a spatial vector besides `free`."""
    return a if a < free else a + 1


@fused
def geometry(tree, data, work, joints, i):
    """Of the joint whose last node is i, over all its nodes: E, p; S in the last node; W, orthonormal and across S."""
    g = joints[i]
    for k in range(ROTATION, POSITION + 3):
        g[k] = work[i, k]
    count, node = tree[i, SPEEDS], i
    if is_unit(tree, i):  # most joints: W is the other five unit vectors
        free = ANGULAR_Z if tree[i, KIND] == REVOLUTE else LINEAR_Z
        for k in range(BLOCKED, JOINTS):
            g[k] = 0.0
        for a in range(5):
            g[BLOCKED + 6 * a + other_axis(a, free)] = 1.0
        g[FREED + free] = 1.0
        return
    at = 0
    for step in range(tree[i, NODES]):
        w, kind = work[node], tree[node, KIND]
        if step > 0:  # g: from this node outwards; now also from its parent
            p = plus(transpose_times(w, ROTATION, three(g, POSITION)), three(w, POSITION))
            put_three(g, POSITION, p)
            for k in range(ROTATION, ROTATION + 9, 3):
                put_three(g, k, transpose_times(w, ROTATION, three(g, k)))
        if kind != FREE:
            for k in range(speeds_of(kind)):
                s = column(kind, k, w, data[node])
                if step > 0:  # outwards through the nodes between: their frames compose to g without this node's own
                    s = carried(tree, work, i, step, s)
                put_six(g, FREED + 6 * (at if kind == BALL else count - 1 - at), s)
                at += 1
        node = tree[node, PARENT]
    if tree[i, KIND] == FREE:
        return
    for k in range(FREED + 6 * count, JOINTS):
        g[k] = 0.0
    across(g, count)
    if tree[i, UNKNOWNS] == 6:
        for k in range(count):
            o, row = FREED + 6 * k, 6 - count + k
            square = 0.0
            for j in range(6):
                square += g[o + j] * g[o + j]
            for j in range(6):
                g[BLOCKED + 6 * row + j] = g[o + j] / square
            g[COMPLIANCE + row] = 1.0 / data[i, ROTOR]


@fused
def carried(tree, work, i, step, s):
    """A motion vector of the node `step` before node i, in node i."""
    for k in range(step - 1, -1, -1):
        node = i
        for _ in range(k):
            node = tree[node, PARENT]
        s = motion_to_node(work[node], s)
    return s


@fused
def across(g, count):
    """W: unit vectors made orthogonal to S and to each other; those that keep least of their length are left out."""
    made = 0
    for e in range(6):  # S, then W, orthonormalised in the rows of W' from the end: S last
        for k in range(6):
            g[BLOCKED + 6 * e + k] = 0.0
    base = 6 - count
    for j in range(count):
        o = BLOCKED + 6 * (base + j)
        for k in range(6):
            g[o + k] = g[FREED + 6 * j + k]
        orthogonal(g, o, base, j)
        unit(g, o)
    while made < base:
        best, longest = 0, -1.0
        for e in range(6):
            rest = 1.0
            for j in range(count):
                rest -= g[BLOCKED + 6 * (base + j) + e] ** 2
            for j in range(made):
                rest -= g[BLOCKED + 6 * j + e] ** 2
            if rest > longest + 1e-9:
                best, longest = e, rest
        o = BLOCKED + 6 * made
        for k in range(6):
            g[o + k] = 1.0 if k == best else 0.0
        for _ in range(2):  # twice is enough
            orthogonal(g, o, base, count)
            orthogonal(g, o, 0, made)
        unit(g, o)
        made += 1


@fused
def orthogonal(g, o, first, count):
    """The row at o less what it has along the rows of W' from `first` on."""
    for j in range(first, first + count):
        s = 0.0
        for k in range(6):
            s += g[o + k] * g[BLOCKED + 6 * j + k]
        for k in range(6):
            g[o + k] -= s * g[BLOCKED + 6 * j + k]


@fused
def unit(g, o):
    """The row at o made unit."""
    s = 0.0
    for k in range(6):
        s += g[o + k] * g[o + k]
    s = 1.0 / s**0.5
    for k in range(6):
        g[o + k] *= s


@fused
def free_force(tree, work, joints, i, tau, out):
    """T tau in out[DRIVEN:], T = S (S' S)^-1, of the joint whose last node is i; of a free body its whole force.

    With a rotor what it passes on is unknown; tau / rotor is part of the right side then.
    """
    at, count = tree[i, V], tree[i, SPEEDS]
    g = joints[i]
    if tree[i, UNKNOWNS] == 6 and count > 0:
        put_six(out, DRIVEN, ZERO)
        for k in range(count):
            row = 6 - count + k
            g[LENT + row] = g[COMPLIANCE + row] * tau[at + k]
        return
    if tree[i, KIND] == FREE:
        put_six(out, DRIVEN, three(tau, at + TURN) + times(work[i], ROTATION, three(tau, at)))
        return
    first = at + speeds_of(tree[i, KIND]) - count
    x0 = tau[first] if count > 0 else 0.0
    x1 = tau[first + 1] if count > 1 else 0.0
    x2 = tau[first + 2] if count > 2 else 0.0
    x0, x1, x2 = solve_small(g, count, x0, x1, x2)
    for k in range(6):
        out[DRIVEN + k] = g[FREED + k] * x0 + g[FREED + 6 + k] * x1 + g[FREED + 12 + k] * x2


@fused
def solve_small(g, count, x0, x1, x2):
    """(S' S)^-1 x for up to three columns."""
    if count == 0:
        return 0.0, 0.0, 0.0
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(6):
        s0, s1, s2 = g[FREED + k], g[FREED + 6 + k], g[FREED + 12 + k]
        a += s0 * s0
        if count > 1:
            b += s0 * s1
            d += s1 * s1
        if count > 2:
            c += s0 * s2
            e += s1 * s2
            f += s2 * s2
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
