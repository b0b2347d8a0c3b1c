"""Articulated body algorithm (Featherstone 1983; 2008, sec. 7.3): the accelerations of a tree in O(N), without its mass matrix.

    IA_i = I_i + sum X' Ia X,   pA_i = v x* I v - f_ext + sum X' pa              leaves to base
    U = IA S,  D = S' U,  u = tau - S' pA,  Ia = IA - U D^-1 U',  pa = pA + Ia c + U D^-1 u
    a' = X a_parent + c,  qdd = D^-1 (u - U' a'),  a = a' + S qdd                base to leaves

A motion of several speeds is eliminated one speed after the other, each by a rank-one step: the same as its block, without a matrix to
invert. Links without mass (a joint's nodes but the last) need nothing special, because D is taken of the articulated inertia.
Symmetric 6x6 matrices are kept as 21 numbers: angular (xx yy zz xy xz yz), angular-linear (9, by rows), linear (as angular).
"""

from mbsim.jit import fused
from mbsim.kernels.primitives import FREE, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.trees import add_columns, bias, force_to_parent, inertial_force, motion_to_node, speeds_of, turn, turn_back

# in tree_work: IA (21), pA (6), c (6), then 8 for each speed: U (6), 1 / D, u
IA, PA, BIAS, STEPS = 49, 70, 76, 82


@fused
def begin(tree, data, work, v):
    """IA, pA and c of every node by itself; `sweep` comes first."""
    for i in range(tree.shape[0]):
        w, d = work[i], data[i]
        if tree[i, 4] >= 0:
            hx, hy, hz, m = d[13], d[14], d[15], d[12]
            for k in range(6):
                w[49 + k] = d[16 + k]
            w[55], w[56], w[57], w[58], w[59], w[60], w[61], w[62], w[63] = 0.0, -hz, hy, hz, 0.0, -hx, -hy, hx, 0.0
            w[64], w[65], w[66], w[67], w[68], w[69] = m, m, m, 0.0, 0.0, 0.0
            w[70], w[71], w[72], w[73], w[74], w[75] = inertial_force(d, w)
        else:
            for k in range(49, 76):
                w[k] = 0.0
        w[76], w[77], w[78], w[79], w[80], w[81] = bias(tree[i, 0], w, d, v, tree[i, 3])


@fused
def inertia_column(w, k):
    """IA e_k."""
    if k == 0:
        return w[49], w[52], w[53], w[55], w[56], w[57]
    if k == 1:
        return w[52], w[50], w[54], w[58], w[59], w[60]
    if k == 2:
        return w[53], w[54], w[51], w[61], w[62], w[63]
    if k == 3:
        return w[55], w[58], w[61], w[64], w[67], w[68]
    if k == 4:
        return w[56], w[59], w[62], w[67], w[65], w[69]
    return w[57], w[60], w[63], w[68], w[69], w[66]


@fused
def rank_one(w, U0, U1, U2, U3, U4, U5, D, u, at):
    """Eliminate one speed: IA -= U U' / D, pA += U u / D; keeps U, 1 / D, u at `at`."""
    e = 1.0 / D
    w[at], w[at + 1], w[at + 2], w[at + 3], w[at + 4], w[at + 5], w[at + 6], w[at + 7] = U0, U1, U2, U3, U4, U5, e, u
    V0, V1, V2, V3, V4, V5 = e * U0, e * U1, e * U2, e * U3, e * U4, e * U5
    w[49] -= U0 * V0
    w[50] -= U1 * V1
    w[51] -= U2 * V2
    w[52] -= U0 * V1
    w[53] -= U0 * V2
    w[54] -= U1 * V2
    w[55] -= U0 * V3
    w[56] -= U0 * V4
    w[57] -= U0 * V5
    w[58] -= U1 * V3
    w[59] -= U1 * V4
    w[60] -= U1 * V5
    w[61] -= U2 * V3
    w[62] -= U2 * V4
    w[63] -= U2 * V5
    w[64] -= U3 * V3
    w[65] -= U4 * V4
    w[66] -= U5 * V5
    w[67] -= U3 * V4
    w[68] -= U3 * V5
    w[69] -= U4 * V5
    w[70] += V0 * u
    w[71] += V1 * u
    w[72] += V2 * u
    w[73] += V3 * u
    w[74] += V4 * u
    w[75] += V5 * u


@fused
def eliminate_motion(kind, d, w, tau, at):
    """IA and pA as seen through the joint (without c); returns the smallest D over its inertia, or 0 when one is not positive."""
    if kind == REVOLUTE:
        U0, U1, U2, U3, U4, U5 = inertia_column(w, 2)
        if not U2 > 0.0:
            return False
        rank_one(w, U0, U1, U2, U3, U4, U5, U2, tau[at] - w[72], STEPS)
    elif kind == PRISMATIC:
        U0, U1, U2, U3, U4, U5 = inertia_column(w, 5)
        if not U5 > 0.0:
            return False
        rank_one(w, U0, U1, U2, U3, U4, U5, U5, tau[at] - w[75], STEPS)
    elif kind == HELICAL:
        h = d[34]
        U0, U1, U2, U3, U4, U5 = inertia_column(w, 2)
        T0, T1, T2, T3, T4, T5 = inertia_column(w, 5)
        D = U2 + h * T2 + h * (U5 + h * T5)
        if not D > 0.0:
            return False
        rank_one(w, U0 + h * T0, U1 + h * T1, U2 + h * T2, U3 + h * T3, U4 + h * T4, U5 + h * T5, D, tau[at] - w[72] - h * w[75], STEPS)
    else:
        for k in range(speeds_of(kind)):  # a ball's speeds are those about the node's axes; a free body is solved for its acceleration
            U0, U1, U2, U3, U4, U5 = inertia_column(w, k)
            D = U0 if k == 0 else U1 if k == 1 else U2 if k == 2 else U3 if k == 3 else U4 if k == 4 else U5
            if not D > 0.0:
                return False
            u = (0.0 if kind == FREE else tau[at + k]) - w[70 + k]
            rank_one(w, U0, U1, U2, U3, U4, U5, D, u, STEPS + 8 * k)
    return True


@fused
def times_bias(w):
    """pA + Ia c."""
    a, b, c, x, y, z = w[76], w[77], w[78], w[79], w[80], w[81]
    return (
        w[70] + w[49] * a + w[52] * b + w[53] * c + w[55] * x + w[56] * y + w[57] * z,
        w[71] + w[52] * a + w[50] * b + w[54] * c + w[58] * x + w[59] * y + w[60] * z,
        w[72] + w[53] * a + w[54] * b + w[51] * c + w[61] * x + w[62] * y + w[63] * z,
        w[73] + w[55] * a + w[58] * b + w[61] * c + w[64] * x + w[67] * y + w[68] * z,
        w[74] + w[56] * a + w[59] * b + w[62] * c + w[67] * x + w[65] * y + w[69] * z,
        w[75] + w[57] * a + w[60] * b + w[63] * c + w[68] * x + w[69] * y + w[66] * z,
    )


@fused
def rotate_back(w, a, b, c, d, e, f, g, h, i):
    """E' B E of a 3x3 matrix by rows."""
    a, b, c = turn_back(w, a, b, c)
    d, e, f = turn_back(w, d, e, f)
    g, h, i = turn_back(w, g, h, i)
    a, d, g = turn_back(w, a, d, g)
    b, e, h = turn_back(w, b, e, h)
    c, f, i = turn_back(w, c, f, i)
    return a, b, c, d, e, f, g, h, i


@fused
def rotate_symmetric(w, xx, yy, zz, xy, xz, yz):
    """E' A E of a symmetric matrix."""
    a, b, c = turn_back(w, xx, xy, xz)
    d, e, f = turn_back(w, xy, yy, yz)
    g, h, i = turn_back(w, xz, yz, zz)
    xx = w[0] * a + w[3] * d + w[6] * g
    xy = w[0] * b + w[3] * e + w[6] * h
    xz = w[0] * c + w[3] * f + w[6] * i
    yy = w[1] * b + w[4] * e + w[7] * h
    yz = w[1] * c + w[4] * f + w[7] * i
    zz = w[2] * c + w[5] * f + w[8] * i
    return xx, yy, zz, xy, xz, yz


@fused
def inertia_to_parent(w, u):
    """IA of the parent u += X' Ia X: with P = skew(p), B_p = B + P C and A_p = A - B P + P B_p' (all turned back first)."""
    axx, ayy, azz, axy, axz, ayz = rotate_symmetric(w, w[49], w[50], w[51], w[52], w[53], w[54])
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = rotate_back(w, w[55], w[56], w[57], w[58], w[59], w[60], w[61], w[62], w[63])
    cxx, cyy, czz, cxy, cxz, cyz = rotate_symmetric(w, w[64], w[65], w[66], w[67], w[68], w[69])
    x, y, z = w[9], w[10], w[11]
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
    u[49] += axx - xx + y * b2 - z * b1
    u[50] += ayy - yy + z * b3 - x * b5
    u[51] += azz - zz + x * b7 - y * b6
    u[52] += axy - xy + y * b5 - z * b4
    u[53] += axz - xz + y * b8 - z * b7
    u[54] += ayz - yz + z * b6 - x * b8
    u[55] += b0
    u[56] += b1
    u[57] += b2
    u[58] += b3
    u[59] += b4
    u[60] += b5
    u[61] += b6
    u[62] += b7
    u[63] += b8
    u[64] += cxx
    u[65] += cyy
    u[66] += czz
    u[67] += cxy
    u[68] += cxz
    u[69] += cyz


@fused
def inward(tree, data, work, tau):
    """Leaves to base; returns -1, or the node whose inertia along its motion is not positive."""
    for i in range(tree.shape[0] - 1, -1, -1):
        w, parent = work[i], tree[i, 1]
        if not eliminate_motion(tree[i, 0], data[i], w, tau, tree[i, 3]):
            return i
        if parent >= 0:
            u = work[parent]
            n0, n1, n2, f0, f1, f2 = times_bias(w)
            n0, n1, n2, f0, f1, f2 = force_to_parent(w, n0, n1, n2, f0, f1, f2)
            u[70] += n0
            u[71] += n1
            u[72] += n2
            u[73] += f0
            u[74] += f1
            u[75] += f2
            inertia_to_parent(w, u)
    return -1


@fused
def back(w, at, s0, s1, s2, s3, s4, s5):
    """qdd of one eliminated speed."""
    U = w[at] * s0 + w[at + 1] * s1 + w[at + 2] * s2 + w[at + 3] * s3 + w[at + 4] * s4 + w[at + 5] * s5
    return w[at + 6] * (w[at + 7] - U)


@fused
def outward(tree, data, work, gx, gy, gz, a):
    """Base to leaves: a (n,) = v_dot, and the nodes' accelerations less gravity in work[ACCELERATION]."""
    for i in range(tree.shape[0]):
        kind, parent, at, w = tree[i, 0], tree[i, 1], tree[i, 3], work[i]
        if parent >= 0:
            u = work[parent]
            s0, s1, s2, s3, s4, s5 = motion_to_node(w, u[43], u[44], u[45], u[46], u[47], u[48])
        else:
            s0, s1, s2 = 0.0, 0.0, 0.0
            s3, s4, s5 = turn(w, -gx, -gy, -gz)
        w[43], w[44], w[45], w[46], w[47], w[48] = s0 + w[76], s1 + w[77], s2 + w[78], s3 + w[79], s4 + w[80], s5 + w[81]
        if kind in (REVOLUTE, PRISMATIC, HELICAL):
            a[at] = back(w, STEPS, w[43], w[44], w[45], w[46], w[47], w[48])
            add_columns(kind, w, data[i], a, at, 43)
            continue
        for k in range(speeds_of(kind) - 1, -1, -1):  # in the reverse order of their elimination
            x = back(w, STEPS + 8 * k, w[43], w[44], w[45], w[46], w[47], w[48])
            w[43 + k] += x
            a[at + k] = x
        if kind == FREE:  # the steps gave angular, then linear in node axes; the speeds are linear, global, then angular
            x, y, z = a[at], a[at + 1], a[at + 2]
            a[at], a[at + 1], a[at + 2] = turn_back(w, a[at + 3], a[at + 4], a[at + 5])
            a[at + 3], a[at + 4], a[at + 5] = x, y, z
