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
from mbsim.kernels.spatial_vectors import (
    ANGULAR_Z,
    LINEAR_Z,
    ZERO,
    add_six,
    dot_six,
    minus_six,
    put_six,
    scaled_six,
    six,
    transpose_times,
)
from mbsim.kernels.tree_columns import BODY, FORCE, INNER, KIND, ROTATION, SPEEDS, V
from mbsim.kernels.trees import force_to_parent, motion_to_node, speeds_of
from mbsim.methods._tree_columns import BLOCKED, DRIVEN, FREED, GAMMA, INVERSE, MOTION, PIVOTS, PSI, RESULTANT, ZETA, L, Z
from mbsim.methods._tree_joints import free_force, geometry, is_unit, other_axis, solve_small


@fused
def through(w, row, at, out):
    """out (6 x 6) = X times the matrix at row[at:]."""
    for k in range(6):
        o = at + k
        column = row[o], row[o + 6], row[o + 12], row[o + 18], row[o + 24], row[o + 30]
        out[k], out[6 + k], out[12 + k], out[18 + k], out[24 + k], out[30 + k] = motion_to_node(w, column)


@fused
def take_out(A, o, size):
    """L D L' of A (size x size in rows of 6) in place, the same steps on Z and z: what is left of the joint's unknowns."""
    for k in range(size):
        pivot = A[7 * k]
        if not pivot > 0.0:
            return False
        e = 1.0 / pivot
        o[PIVOTS + k] = e
        for i in range(k + 1, size):
            l = A[6 * i + k] * e
            for j in range(k + 1, i + 1):
                A[6 * i + j] -= l * A[6 * j + k]
            for j in range(6):
                o[Z + 6 * i + j] -= l * o[Z + 6 * k + j]
            o[ZETA + i] -= l * o[ZETA + k]
            o[L + 6 * i + k] = l
    return True


@fused
def unit_joint(o, u, w, scratch, free, inner, tau):
    """Take out a joint of one speed whose S is the unit vector `free`, so that W picks the five other ones; False where Phi is singular."""
    X, A = scratch[0], scratch[1]
    put_six(o, DRIVEN, ZERO)
    o[DRIVEN + free] = tau
    if inner:
        through(w, u, PSI, X)
        R = scratch[2]
        pushed = motion_to_node(w, six(X, 6 * free))
        put_six(R, 0, minus_six(motion_to_node(w, six(u, GAMMA)), scaled_six(tau, pushed)))
        Phi = scratch[3]
        for a in range(5):
            i = other_axis(a, free)
            put_six(Phi, 0, motion_to_node(w, six(X, 6 * i)))
            for b in range(a + 1):
                j = other_axis(b, free)
                A[6 * a + b] = o[PSI + 6 * i + j] + Phi[j]
            for k in range(6):
                o[Z + 6 * a + k] = X[6 * i + k]
            o[ZETA + a] = R[i] - o[GAMMA + i] - o[PSI + 6 * i + free] * tau
    else:
        for a in range(5):
            i = other_axis(a, free)
            for b in range(a + 1):
                A[6 * a + b] = o[PSI + 6 * i + other_axis(b, free)]
            for k in range(6):
                o[Z + 6 * a + k] = 0.0
            o[ZETA + a] = -o[GAMMA + i] - o[PSI + 6 * i + free] * tau
    if not take_out(A, o, 5):
        return False
    if inner:
        for k in range(6):
            u[GAMMA + k] -= X[6 * free + k] * tau
        absorb(o, u, 5)
    return True


@fused
def absorb(o, u, size):
    """Psi, which is symmetric, and gamma of the inner body without the joint taken out."""
    for k in range(size):
        e = o[PIVOTS + k]
        for i in range(6):
            y = e * o[Z + 6 * k + i]
            for j in range(i + 1):
                u[PSI + 6 * i + j] -= y * o[Z + 6 * k + j]
            u[GAMMA + i] -= y * o[ZETA + k]
    for i in range(6):
        for j in range(i):
            u[PSI + 6 * j + i] = u[PSI + 6 * i + j]


@fused
def any_joint(o, u, g, scratch, size, inner):
    """The same of any joint, with its W by rows in g[BLOCKED:] and T tau in o[DRIVEN:]."""
    X, A, Phi, R = scratch[0], scratch[1], scratch[3], scratch[2]
    for k in range(36):
        Phi[k] = o[PSI + k]
    for k in range(6):
        R[k] = -o[GAMMA + k]
    if inner:
        through(g, u, PSI, X)
        for i in range(6):
            add_six(Phi, 6 * i, motion_to_node(g, six(X, 6 * i)))
        add_six(R, 0, motion_to_node(g, six(u, GAMMA)))
    else:
        for k in range(36):
            X[k] = 0.0
    for i in range(6):
        for k in range(6):
            R[i] -= Phi[6 * i + k] * o[DRIVEN + k]
    for a in range(size):
        W = BLOCKED + 6 * a
        s = 0.0
        for k in range(6):
            s += g[W + k] * R[k]
            y = 0.0
            for i in range(6):
                y += g[W + i] * X[6 * i + k]
            o[Z + 6 * a + k] = y
        o[ZETA + a] = s
        for b in range(a + 1):
            s = 0.0
            for i in range(6):
                for k in range(6):
                    s += g[W + i] * Phi[6 * i + k] * g[BLOCKED + 6 * b + k]
            A[6 * a + b] = s
    if not take_out(A, o, size):
        return False
    if inner:
        for k in range(6):
            for i in range(6):
                u[GAMMA + k] -= X[6 * i + k] * o[DRIVEN + i]
        absorb(o, u, size)
    return True


@fused
def unknowns(o, size, G):
    """s in o[ZETA:] from L' s = D^-1 (Z G + z)."""
    for k in range(size - 1, -1, -1):
        z = Z + 6 * k
        s = o[ZETA + k] + o[z] * G[0] + o[z + 1] * G[1] + o[z + 2] * G[2] + o[z + 3] * G[3] + o[z + 4] * G[4] + o[z + 5] * G[5]
        s *= o[PIVOTS + k]
        for i in range(k + 1, size):
            s -= o[L + 6 * i + k] * o[ZETA + i]
        o[ZETA + k] = s


@fused
def leaf_to_root(tree, data, work, store, joints, scratch, tau):
    """The forces F of every joint, in store[RESULTANT:] less those of the outer joints; returns -1, or the node where A is singular."""
    for i in range(tree.shape[0]):
        if tree[i, BODY] >= 0:
            o = store[i]
            for k in range(36):
                o[PSI + k] = o[INVERSE + k]
            put_six(o, GAMMA, ZERO)
    for i in range(tree.shape[0] - 1, -1, -1):
        if tree[i, BODY] < 0:
            continue
        inner = tree[i, INNER] >= 0
        o, u = store[i], store[max(tree[i, INNER], 0)]
        good = True
        if is_unit(tree, i):
            if tree[i, KIND] == REVOLUTE:
                good = unit_joint(o, u, work[i], scratch, ANGULAR_Z, inner, tau[tree[i, V]])
            else:
                good = unit_joint(o, u, work[i], scratch, LINEAR_Z, inner, tau[tree[i, V]])
        else:
            geometry(tree, data, work, joints, i)
            free_force(tree, work, joints, i, tau, o)
            if tree[i, KIND] != FREE:
                good = any_joint(o, u, joints[i], scratch, 6 - tree[i, SPEEDS], inner)
        if not good:
            return i
    for i in range(tree.shape[0]):
        if tree[i, BODY] < 0:
            continue
        o, u = store[i], store[max(tree[i, INNER], 0)]
        put_six(o, RESULTANT, six(o, DRIVEN))
        if tree[i, KIND] != FREE:
            size = 5 if is_unit(tree, i) else 6 - tree[i, SPEEDS]
            if tree[i, INNER] >= 0:
                unknowns(o, size, six(u, RESULTANT))
            else:
                unknowns(o, size, ZERO)
        add_blocked(tree, work, joints, o, u, i)
    return -1


@fused
def add_blocked(tree, work, joints, o, u, i):
    """F = T tau + W s into G of the body and the joint's total wrench (work[FORCE] += F), and off the inner body's G."""
    w = work[i]
    short = is_unit(tree, i)
    if short:
        free = ANGULAR_Z if tree[i, KIND] == REVOLUTE else LINEAR_Z
        for a in range(5):
            o[RESULTANT + other_axis(a, free)] += o[ZETA + a]
    elif tree[i, KIND] != FREE:
        for a in range(6 - tree[i, SPEEDS]):
            for k in range(6):
                o[RESULTANT + k] += joints[i, BLOCKED + 6 * a + k] * o[ZETA + a]
    add_six(w, FORCE, six(o, RESULTANT))
    if tree[i, INNER] >= 0:
        put_six(u, RESULTANT, minus_six(six(u, RESULTANT), force_to_parent(w if short else joints[i], six(o, RESULTANT))))


@fused
def joint_accelerations(tree, data, work, store, joints, a):
    """V = I^-1 G of every body, and a = T' (V - X V_parent): the paper's eq. 28."""
    for i in range(tree.shape[0]):
        if tree[i, BODY] < 0:
            continue
        o, kind, at = store[i], tree[i, KIND], tree[i, V]
        for r in range(6):
            s = 0.0
            for k in range(6):
                s += o[INVERSE + 6 * r + k] * o[RESULTANT + k]
            o[MOTION + r] = s
        x = six(o, MOTION)
        if kind == FREE:
            put_six(a, at, transpose_times(work[i], ROTATION, x[3:]) + x[:3])
            continue
        short = is_unit(tree, i)
        if tree[i, INNER] >= 0:
            x = minus_six(x, motion_to_node(work[i] if short else joints[i], six(store[tree[i, INNER]], MOTION)))
        if short:
            a[at] = x[ANGULAR_Z] if kind == REVOLUTE else x[LINEAR_Z]
            continue
        g, count = joints[i], tree[i, SPEEDS]
        first = at + speeds_of(kind) - count
        y0, y1, y2 = dot_six(six(g, FREED), x), dot_six(six(g, FREED + 6), x), dot_six(six(g, FREED + 12), x)
        y0, y1, y2 = solve_small(g, count, y0, y1, y2)
        if count > 0:
            a[first] = y0
        if count > 1:
            a[first + 1] = y1
        if count > 2:
            a[first + 2] = y2
