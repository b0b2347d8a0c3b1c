"""The constraint force algorithm on a tree with A as a matrix: the paper's general form, by Cholesky.

A[j, j] = W_j' (I_j^-1 + X_j I_p^-1 X_j') W_j                        joint j between body j and its parent p
A[j, p] = -W_j' X_j I_p^-1 W_p,    A[a, b] = W_a' X_a I_p^-1 X_b' W_b of two joints outside of the same body
"""

from mbsim.jit import helper
from mbsim.kernels.primitives import FREE
from mbsim.kernels.spatial_vectors import add_six, minus_six, put_six, six
from mbsim.kernels.tree_columns import BODY, FORCE, INNER, KIND, UNKNOWNS
from mbsim.kernels.trees import force_to_parent
from mbsim.methods.trees.columns import ABSENT, BLOCKED, COMPLIANCE, DRIVEN, INVERSE, LENT, MOTION, MOVED, RESULTANT, ROWS, ZETA
from mbsim.methods.trees.joints import free_force, geometry


@helper
def count_blocked(tree, i):
    """Number of unknowns of the joint whose last node is i."""
    return 0 if tree[i, BODY] < 0 or tree[i, KIND] == FREE else tree[i, UNKNOWNS]


@helper
def rows(tree, data, work, store, joints, tau):
    """Of every joint: W' X in store[ROWS:], W' X I_p^-1 in store[MOVED:], and the right side x = -W' (V_j - X V_p) in store[ZETA:]."""
    n_n = tree.shape[0]
    for i in range(n_n):
        if tree[i, BODY] >= 0:
            geometry(tree, data, work, joints, i)
            free_force(tree, work, joints, i, tau, store[i])
            put_six(store[i], RESULTANT, six(store[i], DRIVEN))
    hang(tree, store, joints)
    for i in range(n_n):
        if tree[i, BODY] < 0:
            continue
        o, g, p = store[i], joints[i], tree[i, INNER]
        for r in range(6):
            s = 0.0
            for k in range(6):
                s += o[INVERSE + 6 * r + k] * o[RESULTANT + k]
            o[MOTION + r] = s
        for a in range(count_blocked(tree, i)):
            x, z = g[LENT + a], ROWS + 6 * a
            put_six(o, z, force_to_parent(g, six(g, BLOCKED + 6 * a)))
            for k in range(6):
                x -= g[BLOCKED + 6 * a + k] * o[MOTION + k]
                s = 0.0
                if p >= 0:
                    x += o[z + k] * store[p, MOTION + k]
                    for j in range(6):
                        s += o[z + j] * store[p, INVERSE + 6 * j + k]
                o[MOVED + 6 * a + k] = s
            o[ZETA + a] = x


@helper
def hang(tree, store, joints):
    """G of every body less X' F of the joints outside of it, F being in store[DRIVEN:]."""
    for i in range(tree.shape[0] - 1, -1, -1):
        if tree[i, BODY] >= 0 and tree[i, INNER] >= 0:
            u = store[tree[i, INNER]]
            put_six(u, RESULTANT, minus_six(six(u, RESULTANT), force_to_parent(joints[i], six(store[i], DRIVEN))))


@helper
def own(o, g, a, b):
    """Entry (a, b) of A[j, j]."""
    s = g[COMPLIANCE + a] if a == b else 0.0
    for i in range(6):
        for k in range(6):
            s += g[BLOCKED + 6 * a + i] * o[INVERSE + 6 * i + k] * g[BLOCKED + 6 * b + k]
        s += o[MOVED + 6 * a + i] * o[ROWS + 6 * b + i]
    return s


@helper
def towards(o, g, a, b):
    """Entry (a, b) of A[j, p]: o of the joint j, g of the joint of its parent."""
    s = 0.0
    for k in range(6):
        s -= o[MOVED + 6 * a + k] * g[BLOCKED + 6 * b + k]
    return s


@helper
def among(o, u, a, b):
    """Entry (a, b) of A between two joints outside of the same body."""
    s = 0.0
    for k in range(6):
        s += o[MOVED + 6 * a + k] * u[ROWS + 6 * b + k]
    return s


@helper
def fill(tree, store, joints, A, x, first):
    """A (lower triangle) and x of the joints that have a place in it."""
    n_n = tree.shape[0]
    for i in range(n_n):
        at = first[i]
        if at < 0:
            continue
        p, size, o = tree[i, INNER], count_blocked(tree, i), store[i]
        for a in range(size):
            x[at + a] = o[ZETA + a]
            for k in range(at + a + 1):
                A[at + a, k] = 0.0
            for b in range(a + 1):
                A[at + a, at + b] = own(o, joints[i], a, b)
        if p < 0:
            continue
        if first[p] >= 0:
            for a in range(size):
                for b in range(count_blocked(tree, p)):
                    A[at + a, first[p] + b] = towards(o, joints[p], a, b)
        for j in range(p + 1, i):
            if tree[j, INNER] == p and tree[j, BODY] >= 0 and first[j] >= 0:
                for a in range(size):
                    for b in range(count_blocked(tree, j)):
                        A[at + a, first[j] + b] = among(o, store[j], a, b)


@helper
def solve(A, x, size):
    """x = A^-1 x by Cholesky, in place; the row that is not positive, else -1."""
    for i in range(size):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            if i > j:
                A[i, j] = s / A[j, j]
            elif not s > 0.0:
                return i
            else:
                A[i, i] = s**0.5
        s = x[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s / A[i, i]
    for i in range(size - 1, -1, -1):
        s = x[i] / A[i, i]
        x[i] = s
        for k in range(i):
            x[k] -= A[i, k] * s
    return -1


@helper
def transmit(tree, work, store, joints):
    """F = T (tau - b) + W s of every joint, s in store[ZETA:]: into the joint's wrench, and G less those of the outer joints."""
    for i in range(tree.shape[0]):
        if tree[i, BODY] < 0:
            continue
        o = store[i]
        for a in range(count_blocked(tree, i)):
            for k in range(6):
                o[DRIVEN + k] += joints[i, BLOCKED + 6 * a + k] * o[ZETA + a]
        put_six(o, RESULTANT, six(o, DRIVEN))
        add_six(work[i], FORCE, six(o, DRIVEN))
    hang(tree, store, joints)


@helper
def general(tree, data, work, store, joints, A, tau, x, first):
    """All of A; returns -1, or the node at which it is not positive definite."""
    rows(tree, data, work, store, joints, tau)
    size = 0
    for i in range(tree.shape[0]):
        first[i] = size if count_blocked(tree, i) > 0 else ABSENT
        size += count_blocked(tree, i)
    fill(tree, store, joints, A, x, first)
    bad = solve(A, x, size)
    for i in range(tree.shape[0]):
        if first[i] >= 0:
            if first[i] <= bad < first[i] + count_blocked(tree, i):
                return i
            for a in range(count_blocked(tree, i)):
                store[i, ZETA + a] = x[first[i] + a]
    transmit(tree, work, store, joints)
    return -1
