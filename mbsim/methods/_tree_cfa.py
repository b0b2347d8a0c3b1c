"""Constraint force algorithm on a tree by elimination from the leaves to the base: no fill-in, O(N). Liu, Hu & Zhang 2016, eqs. 22-29.

With the bias taken out (inverse dynamics at v_dot = 0 gives b and a wrench fb through every joint), accelerations V_j (6) are linear:

    V_j = I_j^-1 (F_j - sum over outer joints X' F),   F_j = T_j (tau - b)_j + W_j s_j,   W_j' (V_j - X_j V_parent) = 0

W: the directions that the joint blocks, T: dual to its speeds' columns S (T' S = 1, W' S = 0). The s are the unknowns, A s = -B F_T in the
paper. Joints that share a body form a clique of A; taking the outermost joint out changes only the body it hangs on:

    V_p = Psi (G - ...) + gamma                        of a body with what hangs on it so far; at first I^-1 and 0
    Phi = Psi_j + X Psi_p X',  W' Phi W = L D L',  Z = L^-1 W' X Psi_p,  z = L^-1 W' (X gamma_p - gamma_j - Phi T tau)
    Psi_p -= Z' D^-1 Z,   gamma_p -= Psi_p X' T tau + Z' D^-1 z,      then outwards  L' s = D^-1 (Z G + z)

The wrench that the joint transmits is fb + F: with it the physical reaction, which W s alone (the paper's F_S) is not.
"""

from mbsim.jit import fused
from mbsim.kernels.primitives import FREE, REVOLUTE
from mbsim.kernels.trees import force_to_parent, motion_to_node, speeds_of, turn_back
from mbsim.methods._tree_joints import free_force, geometry, is_unit, solve_small


@fused
def through(w, psi, out):
    """out (6 x 6 by rows) = X psi."""
    for k in range(6):
        a, b, c = psi[k], psi[6 + k], psi[12 + k]
        out[k], out[6 + k], out[12 + k], out[18 + k], out[24 + k], out[30 + k] = motion_to_node(
            w, a, b, c, psi[18 + k], psi[24 + k], psi[30 + k]
        )


@fused
def take_out(A, o, size):
    """L D L' of A (size x size in rows of 6) in place, the same steps on Z and z: what is left of the joint's unknowns."""
    for k in range(size):
        pivot = A[7 * k]
        if not pivot > 0.0:
            return False
        e = 1.0 / pivot
        o[144 + k] = e
        for i in range(k + 1, size):
            l = A[6 * i + k] * e
            for j in range(k + 1, i + 1):
                A[6 * i + j] -= l * A[6 * j + k]
            for j in range(6):
                o[72 + 6 * i + j] -= l * o[72 + 6 * k + j]
            o[150 + i] -= l * o[150 + k]
            o[108 + 6 * i + k] = l
    return True


@fused
def unit_joint(o, u, w, scratch, free, inner, tau):
    """Take out a joint of one speed whose S is the unit vector `free`, so that W picks the five other ones; False where Phi is singular."""
    X, A = scratch[0], scratch[1]
    for k in range(6):
        o[162 + k] = 0.0
    o[162 + free] = tau
    if inner:
        through(w, u[36:], X)
        g0, g1, g2, g3, g4, g5 = motion_to_node(w, u[156], u[157], u[158], u[159], u[160], u[161])
        f0, f1, f2, f3, f4, f5 = motion_to_node(
            w, X[6 * free], X[6 * free + 1], X[6 * free + 2], X[6 * free + 3], X[6 * free + 4], X[6 * free + 5]
        )
        R = scratch[2]
        R[0], R[1], R[2], R[3], R[4], R[5] = g0 - f0 * tau, g1 - f1 * tau, g2 - f2 * tau, g3 - f3 * tau, g4 - f4 * tau, g5 - f5 * tau
        Q = scratch[3]
        for a in range(5):
            i = a if a < free else a + 1
            Q[0], Q[1], Q[2], Q[3], Q[4], Q[5] = motion_to_node(
                w, X[6 * i], X[6 * i + 1], X[6 * i + 2], X[6 * i + 3], X[6 * i + 4], X[6 * i + 5]
            )
            for b in range(a + 1):
                j = b if b < free else b + 1
                A[6 * a + b] = o[36 + 6 * i + j] + Q[j]
            for k in range(6):
                o[72 + 6 * a + k] = X[6 * i + k]
            o[150 + a] = R[i] - o[156 + i] - o[36 + 6 * i + free] * tau
    else:
        for a in range(5):
            i = a if a < free else a + 1
            for b in range(a + 1):
                A[6 * a + b] = o[36 + 6 * i + (b if b < free else b + 1)]
            for k in range(6):
                o[72 + 6 * a + k] = 0.0
            o[150 + a] = -o[156 + i] - o[36 + 6 * i + free] * tau
    if not take_out(A, o, 5):
        return False
    if inner:
        for k in range(6):
            u[156 + k] -= X[6 * free + k] * tau
        absorb(o, u, 5)
    return True


@fused
def absorb(o, u, size):
    """Psi, which is symmetric, and gamma of the inner body without the joint taken out."""
    for k in range(size):
        e = o[144 + k]
        for i in range(6):
            y = e * o[72 + 6 * k + i]
            for j in range(i + 1):
                u[36 + 6 * i + j] -= y * o[72 + 6 * k + j]
            u[156 + i] -= y * o[150 + k]
    for i in range(6):
        for j in range(i):
            u[36 + 6 * j + i] = u[36 + 6 * i + j]


@fused
def any_joint(o, u, g, scratch, size, inner):
    """The same of any joint, with its W by rows in g[BLOCKED:] and T tau in o[DRIVEN:]."""
    X, A, Q, R = scratch[0], scratch[1], scratch[3], scratch[2]
    for k in range(36):
        Q[k] = o[36 + k]
    for k in range(6):
        R[k] = -o[156 + k]
    if inner:
        through(g, u[36:], X)
        for i in range(6):
            s0, s1, s2, s3, s4, s5 = motion_to_node(g, X[6 * i], X[6 * i + 1], X[6 * i + 2], X[6 * i + 3], X[6 * i + 4], X[6 * i + 5])
            Q[6 * i] += s0
            Q[6 * i + 1] += s1
            Q[6 * i + 2] += s2
            Q[6 * i + 3] += s3
            Q[6 * i + 4] += s4
            Q[6 * i + 5] += s5
        s0, s1, s2, s3, s4, s5 = motion_to_node(g, u[156], u[157], u[158], u[159], u[160], u[161])
        R[0], R[1], R[2], R[3], R[4], R[5] = R[0] + s0, R[1] + s1, R[2] + s2, R[3] + s3, R[4] + s4, R[5] + s5
    else:
        for k in range(36):
            X[k] = 0.0
    for i in range(6):
        for k in range(6):
            R[i] -= Q[6 * i + k] * o[162 + k]
    for a in range(size):
        s = 0.0
        for k in range(6):
            s += g[12 + 6 * a + k] * R[k]
            y = 0.0
            for i in range(6):
                y += g[12 + 6 * a + i] * X[6 * i + k]
            o[72 + 6 * a + k] = y
        o[150 + a] = s
        for b in range(a + 1):
            s = 0.0
            for i in range(6):
                for k in range(6):
                    s += g[12 + 6 * a + i] * Q[6 * i + k] * g[12 + 6 * b + k]
            A[6 * a + b] = s
    if not take_out(A, o, size):
        return False
    if inner:
        for k in range(6):
            for i in range(6):
                u[156 + k] -= X[6 * i + k] * o[162 + i]
        absorb(o, u, size)
    return True


@fused
def unknowns(o, size, G0, G1, G2, G3, G4, G5):
    """s in o[ZETA:] from L' s = D^-1 (Z G + z)."""
    for k in range(size - 1, -1, -1):
        z = 72 + 6 * k
        s = o[150 + k] + o[z] * G0 + o[z + 1] * G1 + o[z + 2] * G2 + o[z + 3] * G3 + o[z + 4] * G4 + o[z + 5] * G5
        s *= o[144 + k]
        for i in range(k + 1, size):
            s -= o[108 + 6 * i + k] * o[150 + i]
        o[150 + k] = s


@fused
def leaf_to_root(tree, data, work, store, joints, scratch, tau):
    """The forces F of every joint, in store[G] less those of the outer joints; returns -1, or the node where A is singular."""
    for i in range(tree.shape[0]):
        if tree[i, 4] >= 0:
            o = store[i]
            for k in range(36):
                o[36 + k] = o[k]
            for k in range(6):
                o[156 + k] = 0.0
    for i in range(tree.shape[0] - 1, -1, -1):
        if tree[i, 4] < 0:
            continue
        inner = tree[i, 7] >= 0
        o, u = store[i], store[max(tree[i, 7], 0)]
        good = True
        if is_unit(tree, i):
            if tree[i, 0] == REVOLUTE:
                good = unit_joint(o, u, work[i], scratch, 2, inner, tau[tree[i, 3]])
            else:
                good = unit_joint(o, u, work[i], scratch, 5, inner, tau[tree[i, 3]])
        else:
            geometry(tree, data, work, joints, i)
            free_force(tree, work, joints, i, tau, o)
            if tree[i, 0] != FREE:
                good = any_joint(o, u, joints[i], scratch, 6 - tree[i, 8], inner)
        if not good:
            return i
    for i in range(tree.shape[0]):
        if tree[i, 4] < 0:
            continue
        o, u = store[i], store[max(tree[i, 7], 0)]
        for k in range(6):
            o[168 + k] = o[162 + k]
        if tree[i, 0] != FREE:
            size = 5 if is_unit(tree, i) else 6 - tree[i, 8]
            if tree[i, 7] >= 0:
                unknowns(o, size, u[168], u[169], u[170], u[171], u[172], u[173])
            else:
                unknowns(o, size, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        add_blocked(tree, work, joints, o, u, i)
    return -1


@fused
def add_blocked(tree, work, joints, o, u, i):
    """F = T tau + W s into G of the body and the joint's total wrench (work[FORCE] += F), and off the inner body's G."""
    w = work[i]
    short = is_unit(tree, i)
    if short:
        free = 2 if tree[i, 0] == REVOLUTE else 5
        for a in range(5):
            o[168 + (a if a < free else a + 1)] += o[150 + a]
    elif tree[i, 0] != FREE:
        for a in range(6 - tree[i, 8]):
            for k in range(6):
                o[168 + k] += joints[i, 12 + 6 * a + k] * o[150 + a]
    for k in range(6):
        w[37 + k] += o[168 + k]
    if tree[i, 7] >= 0:
        s0, s1, s2, s3, s4, s5 = force_to_parent(w if short else joints[i], o[168], o[169], o[170], o[171], o[172], o[173])
        u[168] -= s0
        u[169] -= s1
        u[170] -= s2
        u[171] -= s3
        u[172] -= s4
        u[173] -= s5


@fused
def joint_accelerations(tree, data, work, store, joints, a):
    """V = I^-1 G of every body, and a = T' (V - X V_parent): the paper's eq. 28."""
    for i in range(tree.shape[0]):
        if tree[i, 4] < 0:
            continue
        o, kind, at = store[i], tree[i, 0], tree[i, 3]
        for r in range(6):
            s = 0.0
            for k in range(6):
                s += o[6 * r + k] * o[168 + k]
            o[174 + r] = s
        x0, x1, x2, x3, x4, x5 = o[174], o[175], o[176], o[177], o[178], o[179]
        if kind == FREE:
            a[at + 3], a[at + 4], a[at + 5] = x0, x1, x2
            a[at], a[at + 1], a[at + 2] = turn_back(work[i], x3, x4, x5)
            continue
        short = is_unit(tree, i)
        if tree[i, 7] >= 0:
            u = store[tree[i, 7]]
            s0, s1, s2, s3, s4, s5 = motion_to_node(work[i] if short else joints[i], u[174], u[175], u[176], u[177], u[178], u[179])
            x0, x1, x2, x3, x4, x5 = x0 - s0, x1 - s1, x2 - s2, x3 - s3, x4 - s4, x5 - s5
        if short:
            a[at] = x2 if kind == REVOLUTE else x5
            continue
        g, count = joints[i], tree[i, 8]
        first = at + speeds_of(kind) - count
        y0 = g[48] * x0 + g[49] * x1 + g[50] * x2 + g[51] * x3 + g[52] * x4 + g[53] * x5
        y1 = g[54] * x0 + g[55] * x1 + g[56] * x2 + g[57] * x3 + g[58] * x4 + g[59] * x5
        y2 = g[60] * x0 + g[61] * x1 + g[62] * x2 + g[63] * x3 + g[64] * x4 + g[65] * x5
        y0, y1, y2 = solve_small(g, count, y0, y1, y2)
        if count > 0:
            a[first] = y0
        if count > 1:
            a[first + 1] = y1
        if count > 2:
            a[first + 2] = y2
