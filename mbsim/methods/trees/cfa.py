"""Constraint force algorithm on a tree by elimination from the leaves to the base: no fill-in, O(N). Liu, Hu & Zhang 2016, eqs. 22-29.

With the bias taken out (inverse dynamics at v_dot = 0 gives b and a wrench fb through every joint), accelerations V_j (6) are linear:

    V_j = I_j^-1 (F_j - sum over outer joints X' F),   F_j = T_j (tau - b)_j + W_j s_j,   W_j' (V_j - X_j V_parent) = 0

W: the directions that the joint blocks, T: dual to its speeds' columns S (T' S = 1, W' S = 0). The s are the unknowns, A s = -B F_T in the
paper. Joints that share a body form a clique of A; taking the outermost joint out changes only the body it hangs on:

    V_p = Psi (G - ...) + gamma                        of a body with what hangs on it so far; at first I^-1 and 0
    Phi = Psi_j + X Psi_p X',  W' Phi W = L D L',  Z = L^-1 W' X Psi_p,  z = L^-1 W' (X gamma_p - gamma_j - Phi T tau)
    Psi_p -= Z' D^-1 Z,   gamma_p -= Psi_p X' T tau + Z' D^-1 z,      then outwards  L' s = D^-1 (Z G + z)

A rotor of inertia r makes the joint's own force f an unknown, too: T' (V_j - X_j V_parent) + f / r = (tau - b) / r. Then W has the
columns T, too, T tau is left out, and the diagonal of A has 1 / r there.

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
    plus_dot,
    put_six,
    scaled_six,
    six,
    transpose_times,
)
from mbsim.kernels.tree_columns import BODY, FORCE, INNER, KIND, ROTATION, SPEEDS, UNKNOWNS, V
from mbsim.kernels.trees import force_to_parent, motion_to_node, speeds_of
from mbsim.methods.trees import columns as col
from mbsim.methods.trees.joints import free_force, geometry, is_unit, other_axis, solve_small


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
        o[col.PIVOTS + k] = e
        for i in range(k + 1, size):
            l = A[6 * i + k] * e
            for j in range(k + 1, i + 1):
                A[6 * i + j] -= l * A[6 * j + k]
            for j in range(6):
                o[col.Z + 6 * i + j] -= l * o[col.Z + 6 * k + j]
            o[col.ZETA + i] -= l * o[col.ZETA + k]
            o[col.L + 6 * i + k] = l
    return True


@fused
def unit_joint(o, u, w, scratch, free, inner, tau):
    """Take out a joint of one speed whose S is the unit vector `free`, so that W picks the five other ones; False where Phi is singular."""
    X, A, R, Phi = scratch[col.OF_X], scratch[col.OF_A], scratch[col.OF_R], scratch[col.OF_PHI]
    put_six(o, col.DRIVEN, ZERO)
    o[col.DRIVEN + free] = tau
    if inner:
        through(w, u, col.PSI, X)
        pushed = motion_to_node(w, six(X, 6 * free))
        put_six(R, 0, minus_six(motion_to_node(w, six(u, col.GAMMA)), scaled_six(tau, pushed)))
        for a in range(5):
            i = other_axis(a, free)
            put_six(Phi, 0, motion_to_node(w, six(X, 6 * i)))
            for b in range(a + 1):
                j = other_axis(b, free)
                A[6 * a + b] = o[col.PSI + 6 * i + j] + Phi[j]
            for k in range(6):
                o[col.Z + 6 * a + k] = X[6 * i + k]
            o[col.ZETA + a] = R[i] - o[col.GAMMA + i] - o[col.PSI + 6 * i + free] * tau
    else:
        for a in range(5):
            i = other_axis(a, free)
            for b in range(a + 1):
                A[6 * a + b] = o[col.PSI + 6 * i + other_axis(b, free)]
            for k in range(6):
                o[col.Z + 6 * a + k] = 0.0
            o[col.ZETA + a] = -o[col.GAMMA + i] - o[col.PSI + 6 * i + free] * tau
    if not take_out(A, o, 5):
        return False
    if inner:
        for k in range(6):
            u[col.GAMMA + k] -= X[6 * free + k] * tau
        absorb(o, u, 5)
    return True


@fused
def absorb(o, u, size):
    """Psi, which is symmetric, and gamma of the inner body without the joint taken out."""
    for k in range(size):
        e = o[col.PIVOTS + k]
        for i in range(6):
            y = e * o[col.Z + 6 * k + i]
            for j in range(i + 1):
                u[col.PSI + 6 * i + j] -= y * o[col.Z + 6 * k + j]
            u[col.GAMMA + i] -= y * o[col.ZETA + k]
    for i in range(6):
        for j in range(i):
            u[col.PSI + 6 * j + i] = u[col.PSI + 6 * i + j]


@fused
def any_joint(o, u, g, scratch, size, inner):
    """The same of any joint, with its W by rows in g[BLOCKED:] and T tau in o[DRIVEN:]."""
    X, A, R, Phi = scratch[col.OF_X], scratch[col.OF_A], scratch[col.OF_R], scratch[col.OF_PHI]
    for k in range(36):
        Phi[k] = o[col.PSI + k]
    for k in range(6):
        R[k] = -o[col.GAMMA + k]
    if inner:
        through(g, u, col.PSI, X)
        for i in range(6):
            add_six(Phi, 6 * i, motion_to_node(g, six(X, 6 * i)))
        add_six(R, 0, motion_to_node(g, six(u, col.GAMMA)))
    else:
        for k in range(36):
            X[k] = 0.0
    for i in range(6):
        for k in range(6):
            R[i] -= Phi[6 * i + k] * o[col.DRIVEN + k]
    for a in range(size):
        W = col.BLOCKED + 6 * a
        s = g[col.LENT + a]
        for k in range(6):
            s += g[W + k] * R[k]
            y = 0.0
            for i in range(6):
                y += g[W + i] * X[6 * i + k]
            o[col.Z + 6 * a + k] = y
        o[col.ZETA + a] = s
        for b in range(a + 1):
            s = g[col.COMPLIANCE + a] if b == a else 0.0
            for i in range(6):
                for k in range(6):
                    s += g[W + i] * Phi[6 * i + k] * g[col.BLOCKED + 6 * b + k]
            A[6 * a + b] = s
    if not take_out(A, o, size):
        return False
    if inner:
        for k in range(6):
            for i in range(6):
                u[col.GAMMA + k] -= X[6 * i + k] * o[col.DRIVEN + i]
        absorb(o, u, size)
    return True


@fused
def unknowns(o, size, G):
    """s in o[ZETA:] from L' s = D^-1 (Z G + z)."""
    for k in range(size - 1, -1, -1):
        s = plus_dot(o[col.ZETA + k], six(o, col.Z + 6 * k), G) * o[col.PIVOTS + k]
        for i in range(k + 1, size):
            s -= o[col.L + 6 * i + k] * o[col.ZETA + i]
        o[col.ZETA + k] = s


@fused
def leaf_to_root(tree, data, work, store, joints, scratch, tau):
    """The forces F of every joint, in store[RESULTANT:] less those of the outer joints; returns -1, or the node where A is singular."""
    for i in range(tree.shape[0]):
        if tree[i, BODY] >= 0:
            o = store[i]
            for k in range(36):
                o[col.PSI + k] = o[col.INVERSE + k]
            put_six(o, col.GAMMA, ZERO)
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
                good = any_joint(o, u, joints[i], scratch, tree[i, UNKNOWNS], inner)
        if not good:
            return i
    for i in range(tree.shape[0]):
        if tree[i, BODY] < 0:
            continue
        o, u = store[i], store[max(tree[i, INNER], 0)]
        put_six(o, col.RESULTANT, six(o, col.DRIVEN))
        if tree[i, KIND] != FREE:
            size = 5 if is_unit(tree, i) else tree[i, UNKNOWNS]
            if tree[i, INNER] >= 0:
                unknowns(o, size, six(u, col.RESULTANT))
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
            o[col.RESULTANT + other_axis(a, free)] += o[col.ZETA + a]
    elif tree[i, KIND] != FREE:
        for a in range(tree[i, UNKNOWNS]):
            for k in range(6):
                o[col.RESULTANT + k] += joints[i, col.BLOCKED + 6 * a + k] * o[col.ZETA + a]
    add_six(w, FORCE, six(o, col.RESULTANT))
    if tree[i, INNER] >= 0:
        put_six(u, col.RESULTANT, minus_six(six(u, col.RESULTANT), force_to_parent(w if short else joints[i], six(o, col.RESULTANT))))


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
                s += o[col.INVERSE + 6 * r + k] * o[col.RESULTANT + k]
            o[col.MOTION + r] = s
        x = six(o, col.MOTION)
        if kind == FREE:
            put_six(a, at, transpose_times(work[i], ROTATION, x[3:]) + x[:3])
            continue
        short = is_unit(tree, i)
        if tree[i, INNER] >= 0:
            x = minus_six(x, motion_to_node(work[i] if short else joints[i], six(store[tree[i, INNER]], col.MOTION)))
        if short:
            a[at] = x[ANGULAR_Z] if kind == REVOLUTE else x[LINEAR_Z]
            continue
        g, count = joints[i], tree[i, SPEEDS]
        first = at + speeds_of(kind) - count
        y0, y1, y2 = dot_six(six(g, col.FREED), x), dot_six(six(g, col.FREED + 6), x), dot_six(six(g, col.FREED + 12), x)
        y0, y1, y2 = solve_small(g, count, y0, y1, y2)
        if count > 0:
            a[first] = y0
        if count > 1:
            a[first + 1] = y1
        if count > 2:
            a[first + 2] = y2
