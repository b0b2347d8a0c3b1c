"""Articulated body algorithm (Featherstone 1983; 2008, sec. 7.3): the accelerations of a tree in O(N), without its mass matrix.

    IA_i = I_i + sum X' Ia X,   pA_i = v x* I v - f_ext + sum X' pa              leaves to base
    U = IA S,  D = S' U + rotor,  u = tau - S' pA,  Ia = IA - U D^-1 U',  pa = pA + Ia c + U D^-1 u
    a' = X a_parent + c,  qdd = D^-1 (u - U' a'),  a = a' + S qdd                base to leaves

A motion of several speeds is eliminated one speed after the other, each by a rank-one step: the same as its block, without a matrix to
invert. Links without mass (a joint's nodes but the last) need nothing special, because D is taken of the articulated inertia.
A symmetric 6 x 6 matrix is kept as 21 numbers: [A B; B' C] with A and C symmetric (6 each), B by rows (9).
"""

from mbsim.jit import fused
from mbsim.kernels import tree_columns as col
from mbsim.kernels.primitives import FREE, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.spatial_vectors import (
    ANGULAR_Z,
    LINEAR_Z,
    XX,
    XY,
    XZ,
    YY,
    YZ,
    ZZ,
    add_six,
    add_three,
    dot_six,
    plus_dot,
    plus_six,
    put_six,
    scaled_six,
    six,
    subtract_scaled,
    subtract_symmetric,
    symmetric_columns,
    three,
    transpose_times,
)
from mbsim.kernels.trees import add_columns, bias, force_to_parent, inertial_force, parent_acceleration, speeds_of


@fused
def begin(tree, data, work, v):
    """IA, pA and c of every node by itself; `sweep` comes first."""
    for i in range(tree.shape[0]):
        w, d = work[i], data[i]
        if tree[i, col.BODY] >= 0:
            m = d[col.MASS]
            hx, hy, hz = three(d, col.FIRST_MOMENT)
            put_six(w, col.IA_A, six(d, col.INERTIA))
            put_six(w, col.IA_B, (0.0, -hz, hy, hz, 0.0, -hx))
            w[col.IA_B + 6], w[col.IA_B + 7], w[col.IA_B + 8] = -hy, hx, 0.0
            put_six(w, col.IA_C, (m, m, m, 0.0, 0.0, 0.0))
            put_six(w, col.PA, inertial_force(d, w))
        else:
            for k in range(col.IA_A, col.PA + 6):
                w[k] = 0.0
        put_six(w, col.BIAS, bias(tree[i, col.KIND], w, d, v, tree[i, col.V]))


@fused
def inertia_column(w, k):
    """IA e_k."""
    A, B, C = col.IA_A, col.IA_B, col.IA_C
    if k == 0:
        return w[A + XX], w[A + XY], w[A + XZ], w[B], w[B + 1], w[B + 2]
    if k == 1:
        return w[A + XY], w[A + YY], w[A + YZ], w[B + 3], w[B + 4], w[B + 5]
    if k == 2:
        return w[A + XZ], w[A + YZ], w[A + ZZ], w[B + 6], w[B + 7], w[B + 8]
    if k == 3:
        return w[B], w[B + 3], w[B + 6], w[C + XX], w[C + XY], w[C + XZ]
    if k == 4:
        return w[B + 1], w[B + 4], w[B + 7], w[C + XY], w[C + YY], w[C + YZ]
    return w[B + 2], w[B + 5], w[B + 8], w[C + XZ], w[C + YZ], w[C + ZZ]


@fused
def rank_one(w, U, D, u, at):
    """Eliminate one speed: IA -= U U' / D, pA += U u / D; keeps U, 1 / D, u at `at`."""
    e = 1.0 / D
    put_six(w, at, U)
    w[at + col.STEP_INVERSE], w[at + col.STEP_FORCE] = e, u
    W = scaled_six(e, U)
    subtract_symmetric(w, col.IA_A, U[:3], W[:3])
    subtract_scaled(w, col.IA_B, U[0], W[3:])
    subtract_scaled(w, col.IA_B + 3, U[1], W[3:])
    subtract_scaled(w, col.IA_B + 6, U[2], W[3:])
    subtract_symmetric(w, col.IA_C, U[3:], W[3:])
    add_six(w, col.PA, scaled_six(u, W))


@fused
def eliminate_motion(kind, d, w, tau, at, added):
    """IA and pA as seen through the joint (without c); False where its inertia D along a speed, and what is `added`, is not positive.

    Only the speed of a motion with one is given more inertia.
    """
    if kind == REVOLUTE:
        U = inertia_column(w, ANGULAR_Z)
        D = U[ANGULAR_Z] + added + d[col.ROTOR]
        if not D > 0.0:
            return False
        rank_one(w, U, D, tau[at] - w[col.PA + ANGULAR_Z], col.STEPS)
    elif kind == PRISMATIC:
        U = inertia_column(w, LINEAR_Z)
        D = U[LINEAR_Z] + added + d[col.ROTOR]
        if not D > 0.0:
            return False
        rank_one(w, U, D, tau[at] - w[col.PA + LINEAR_Z], col.STEPS)
    elif kind == HELICAL:
        h = d[col.PITCH]
        U, T = inertia_column(w, ANGULAR_Z), inertia_column(w, LINEAR_Z)
        D = U[ANGULAR_Z] + h * T[ANGULAR_Z] + h * (U[LINEAR_Z] + h * T[LINEAR_Z]) + added + d[col.ROTOR]
        if not D > 0.0:
            return False
        rank_one(w, plus_six(U, scaled_six(h, T)), D, tau[at] - w[col.PA + ANGULAR_Z] - h * w[col.PA + LINEAR_Z], col.STEPS)
    else:
        for k in range(speeds_of(kind)):  # a ball's speeds are those about the node's axes; a free body is solved for its acceleration
            U = inertia_column(w, k)
            D = U[0] if k == 0 else U[1] if k == 1 else U[2] if k == 2 else U[3] if k == 3 else U[4] if k == 4 else U[5]
            D += d[col.ROTOR]
            if not D > 0.0:
                return False
            u = (0.0 if kind == FREE else tau[at + k]) - w[col.PA + k]
            rank_one(w, U, D, u, col.STEPS + col.STEP_SIZE * k)
    return True


@fused
def times_bias(w):
    """pA + Ia c."""
    c = six(w, col.BIAS)
    x, y, z = symmetric_columns(w, col.IA_A)
    u, v, t = symmetric_columns(w, col.IA_C)
    p, q, r = three(w, col.IA_B), three(w, col.IA_B + 3), three(w, col.IA_B + 6)
    return (
        plus_dot(w[col.PA], x + p, c),
        plus_dot(w[col.PA + 1], y + q, c),
        plus_dot(w[col.PA + 2], z + r, c),
        plus_dot(w[col.PA + 3], (p[0], q[0], r[0]) + u, c),
        plus_dot(w[col.PA + 4], (p[1], q[1], r[1]) + v, c),
        plus_dot(w[col.PA + 5], (p[2], q[2], r[2]) + t, c),
    )


@fused
def turn_block(w):
    """E' B E of the 3 x 3 block B, by columns."""
    a = transpose_times(w, col.ROTATION, three(w, col.IA_B))
    b = transpose_times(w, col.ROTATION, three(w, col.IA_B + 3))
    c = transpose_times(w, col.ROTATION, three(w, col.IA_B + 6))
    x = transpose_times(w, col.ROTATION, (a[0], b[0], c[0]))
    y = transpose_times(w, col.ROTATION, (a[1], b[1], c[1]))
    z = transpose_times(w, col.ROTATION, (a[2], b[2], c[2]))
    return x, y, z


@fused
def turn_symmetric(w, at):
    """E' A E of the symmetric matrix at w[at:]."""
    a, b, c = symmetric_columns(w, at)
    a, b, c = transpose_times(w, col.ROTATION, a), transpose_times(w, col.ROTATION, b), transpose_times(w, col.ROTATION, c)
    xx, _, _ = transpose_times(w, col.ROTATION, (a[0], b[0], c[0]))
    xy, yy, _ = transpose_times(w, col.ROTATION, (a[1], b[1], c[1]))
    xz, yz, zz = transpose_times(w, col.ROTATION, (a[2], b[2], c[2]))
    return xx, yy, zz, xy, xz, yz


@fused
def inertia_to_parent(w, u):
    """IA of the parent u += X' Ia X: with P = skew(p), B_p = B + P C and A_p = A - B P + P B_p' (all turned back first)."""
    axx, ayy, azz, axy, axz, ayz = turn_symmetric(w, col.IA_A)
    (b0, b3, b6), (b1, b4, b7), (b2, b5, b8) = turn_block(w)
    cxx, cyy, czz, cxy, cxz, cyz = turn_symmetric(w, col.IA_C)
    x, y, z = three(w, col.POSITION)
    # the entries of B P that are needed
    xx, xy, xz = b1 * z - b2 * y, b2 * x - b0 * z, b0 * y - b1 * x
    yy, yz, zz = b5 * x - b3 * z, b3 * y - b4 * x, b6 * y - b7 * x
    # B += P C
    b0 += y * cxz - z * cxy
    b1 += y * cyz - z * cyy
    b2 += y * czz - z * cyz
    b3 += z * cxx - x * cxz
    b4 += z * cxy - x * cyz
    b5 += z * cxz - x * czz
    b6 += x * cxy - y * cxx
    b7 += x * cyy - y * cxy
    b8 += x * cyz - y * cxz
    # A += - B_old P + P B_new'
    add_three(u, col.IA_A, (axx - xx + y * b2 - z * b1, ayy - yy + z * b3 - x * b5, azz - zz + x * b7 - y * b6))
    add_three(u, col.IA_A + XY, (axy - xy + y * b5 - z * b4, axz - xz + y * b8 - z * b7, ayz - yz + z * b6 - x * b8))
    add_six(u, col.IA_B, (b0, b1, b2, b3, b4, b5))
    add_three(u, col.IA_B + 6, (b6, b7, b8))
    add_six(u, col.IA_C, (cxx, cyy, czz, cxy, cxz, cyz))


@fused
def inward(tree, data, work, tau):
    """Leaves to base; returns -1, or the node whose inertia along its motion is not positive."""
    for i in range(tree.shape[0] - 1, -1, -1):
        w, parent = work[i], tree[i, col.PARENT]
        if not eliminate_motion(tree[i, col.KIND], data[i], w, tau, tree[i, col.V], 0.0):
            return i
        if parent >= 0:
            add_six(work[parent], col.PA, force_to_parent(w, times_bias(w)))
            inertia_to_parent(w, work[parent])
    return -1


@fused
def inward_added(tree, data, work, added):
    """`inward` of M + diag(`added`), with added (n,) zero at the speeds of balls and free bodies; for `weigh` and `unweigh` only."""
    for i in range(tree.shape[0] - 1, -1, -1):
        w, parent, at, kind = work[i], tree[i, col.PARENT], tree[i, col.V], tree[i, col.KIND]
        more = added[at] if kind in (REVOLUTE, PRISMATIC, HELICAL) else 0.0
        if not eliminate_motion(kind, data[i], w, added, at, more):
            return i
        if parent >= 0:
            inertia_to_parent(w, work[parent])
    return -1


@fused
def back(w, at, s):
    """qdd of one eliminated speed."""
    return w[at + col.STEP_INVERSE] * (w[at + col.STEP_FORCE] - dot_six(six(w, at), s))


@fused
def outward(tree, data, work, gravity, a):
    """Base to leaves: a (n,) = v_dot, and the nodes' accelerations less gravity in work[ACCELERATION]."""
    for i in range(tree.shape[0]):
        kind, at, w = tree[i, col.KIND], tree[i, col.V], work[i]
        put_six(w, col.ACCELERATION, plus_six(parent_acceleration(work, tree[i, col.PARENT], w, gravity), six(w, col.BIAS)))
        if kind in (REVOLUTE, PRISMATIC, HELICAL):
            a[at] = back(w, col.STEPS, six(w, col.ACCELERATION))
            add_columns(kind, w, data[i], a, at, col.ACCELERATION)
            continue
        for k in range(speeds_of(kind) - 1, -1, -1):  # in the reverse order of their elimination
            x = back(w, col.STEPS + col.STEP_SIZE * k, six(w, col.ACCELERATION))
            w[col.ACCELERATION + k] += x
            a[at + k] = x
        if kind == FREE:  # the steps gave angular, then linear in node axes; the speeds are linear, global, then angular
            angular, linear = three(a, at), three(a, at + col.TURN)
            put_six(a, at, transpose_times(w, col.ROTATION, linear) + angular)
