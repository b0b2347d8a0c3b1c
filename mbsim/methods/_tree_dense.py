"""The constraint force algorithm with A as a matrix: the paper's general form, and its odd-even form for the chains of a tree.

    A[j, j] = W_j' (I_j^-1 + X_j I_p^-1 X_j') W_j                        joint j between body j and its parent p
    A[j, p] = -W_j' X_j I_p^-1 W_p,    A[a, b] = W_a' X_a I_p^-1 X_b' W_b of two joints outside of the same body

General: all of A, Cholesky. Odd-even (Liu, Hu & Zhang 2016, eqs. 39-44): joints of bodies that branch are the nodes, the others make
chains; in every round each joint of a chain is coupled to those twice as far away as before (D: to the nodes at the chain's ends),

    E = B_i A_(i+h)^-1,  G = B_(i-h)' A_(i-h)^-1,  A_i -= E B_i' + G B_(i-h),  B_i = -E B_(i+h),  D_i -= E D_(i+h) + G D_(i-h)

until none is; then a dense matrix of the nodes, then each joint of a chain by itself. The A are factored, A = L L', and products are
made of B L^-T: inverses of the A lose two digits.
"""

from mbsim.jit import helper
from mbsim.kernels.primitives import FREE
from mbsim.kernels.trees import force_to_parent
from mbsim.methods._tree_joints import free_force, geometry

# one row a joint of a chain: A, B (6 x 6), D (6 x 12: the node towards the base, the one outwards), x, L of A = L L'
BLOCK, NEXT, ENDS, RIGHT, ROOT, CHAINS = 0, 36, 72, 144, 150, 186


@helper
def blocked(tree, i):
    """Number of unknowns of the joint whose last node is i."""
    return 0 if tree[i, 4] < 0 or tree[i, 0] == FREE else 6 - tree[i, 8]


@helper
def rows(tree, data, work, store, joints, tau):
    """Of every joint: W' X in store[72:], W' X I_p^-1 in store[108:], and the right side x = -W' (V_j - X V_p) in store[150:]."""
    n_n = tree.shape[0]
    for i in range(n_n):
        if tree[i, 4] >= 0:
            geometry(tree, data, work, joints, i)
            free_force(tree, work, joints, i, tau, store[i])
            for k in range(6):
                store[i, 168 + k] = store[i, 162 + k]
    hang(tree, store, joints)
    for i in range(n_n):
        if tree[i, 4] < 0:
            continue
        o, g, p = store[i], joints[i], tree[i, 7]
        for r in range(6):
            s = 0.0
            for k in range(6):
                s += o[6 * r + k] * o[168 + k]
            o[174 + r] = s
        for a in range(blocked(tree, i)):
            e, x = 12 + 6 * a, 0.0
            z = 72 + 6 * a
            o[z], o[z + 1], o[z + 2], o[z + 3], o[z + 4], o[z + 5] = force_to_parent(
                g, g[e], g[e + 1], g[e + 2], g[e + 3], g[e + 4], g[e + 5]
            )
            for k in range(6):
                x -= g[e + k] * o[174 + k]
                s = 0.0
                if p >= 0:
                    x += o[z + k] * store[p, 174 + k]
                    for j in range(6):
                        s += o[z + j] * store[p, 6 * j + k]
                o[108 + 6 * a + k] = s
            o[150 + a] = x


@helper
def hang(tree, store, joints):
    """G of every body less X' G0 of the joints outside of it, G0 being what G held before."""
    for i in range(tree.shape[0] - 1, -1, -1):
        if tree[i, 4] >= 0 and tree[i, 7] >= 0:
            o, u = store[i], store[tree[i, 7]]
            f0, f1, f2, f3, f4, f5 = o[162], o[163], o[164], o[165], o[166], o[167]
            s0, s1, s2, s3, s4, s5 = force_to_parent(joints[i], f0, f1, f2, f3, f4, f5)
            u[168] -= s0
            u[169] -= s1
            u[170] -= s2
            u[171] -= s3
            u[172] -= s4
            u[173] -= s5


@helper
def own(o, g, a, b):
    """Entry (a, b) of A[j, j]."""
    s = 0.0
    for i in range(6):
        for k in range(6):
            s += g[12 + 6 * a + i] * o[6 * i + k] * g[12 + 6 * b + k]
        s += o[108 + 6 * a + i] * o[72 + 6 * b + i]
    return s


@helper
def towards(o, g, a, b):
    """Entry (a, b) of A[j, p]: o of the joint j, g of the joint of its parent."""
    s = 0.0
    for k in range(6):
        s -= o[108 + 6 * a + k] * g[12 + 6 * b + k]
    return s


@helper
def among(o, u, a, b):
    """Entry (a, b) of A between two joints outside of the same body."""
    s = 0.0
    for k in range(6):
        s += o[108 + 6 * a + k] * u[72 + 6 * b + k]
    return s


@helper
def fill(tree, store, joints, A, x, first):
    """A (lower triangle) and x of the joints with first[i] >= 0, their place."""
    n_n = tree.shape[0]
    for i in range(n_n):
        at = first[i]
        if at < 0:
            continue
        p, size, o = tree[i, 7], blocked(tree, i), store[i]
        for a in range(size):
            x[at + a] = o[150 + a]
            for k in range(at + a + 1):
                A[at + a, k] = 0.0
            for b in range(a + 1):
                A[at + a, at + b] = own(o, joints[i], a, b)
        if p < 0:
            continue
        if first[p] >= 0:
            for a in range(size):
                for b in range(blocked(tree, p)):
                    A[at + a, first[p] + b] = towards(o, joints[p], a, b)
        for j in range(p + 1, i):
            if tree[j, 7] == p and tree[j, 4] >= 0 and first[j] >= 0:
                for a in range(size):
                    for b in range(blocked(tree, j)):
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
    """F = T (tau - b) + W s of every joint, s in store[150:]: into the joint's wrench, and G less those of the outer joints."""
    for i in range(tree.shape[0]):
        if tree[i, 4] < 0:
            continue
        o = store[i]
        for a in range(blocked(tree, i)):
            for k in range(6):
                o[162 + k] += joints[i, 12 + 6 * a + k] * o[150 + a]
        for k in range(6):
            o[168 + k] = o[162 + k]
            work[i, 37 + k] += o[162 + k]
    hang(tree, store, joints)


@helper
def general(tree, data, work, store, joints, A, tau, x, first):
    """All of A; returns -1, or the node at which it is not positive definite."""
    rows(tree, data, work, store, joints, tau)
    size = 0
    for i in range(tree.shape[0]):
        first[i] = size if blocked(tree, i) > 0 else -1
        size += blocked(tree, i)
    fill(tree, store, joints, A, x, first)
    bad = solve(A, x, size)
    for i in range(tree.shape[0]):
        if first[i] >= 0:
            if first[i] <= bad < first[i] + blocked(tree, i):
                return i
            for a in range(blocked(tree, i)):
                store[i, 150 + a] = x[first[i] + a]
    transmit(tree, work, store, joints)
    return -1


@helper
def factor(c):
    """Of a row of chains: A = L L' in c[ROOT:], L with inverted pivots, and L^-1 before B, D and x."""
    for i in range(6):
        o = 150 + 6 * i
        for j in range(i + 1):
            s = c[6 * i + j]
            for k in range(j):
                s -= c[o + k] * c[150 + 6 * j + k]
            c[o + j] = 1.0 / s**0.5 if i == j else s * c[150 + 7 * j]
        for k in range(i):
            l = c[o + k]
            for b in range(6):
                c[36 + 6 * i + b] -= l * c[36 + 6 * k + b]
            for b in range(12):
                c[72 + 12 * i + b] -= l * c[72 + 12 * k + b]
            c[144 + i] -= l * c[144 + k]
        e = c[o + i]
        for b in range(6):
            c[36 + 6 * i + b] *= e
        for b in range(12):
            c[72 + 12 * i + b] *= e
        c[144 + i] *= e


@helper
def sort_joints(tree, first, order):
    """first[i] = place of a node's joint, -1 of a chain's, -2 of none; order[i] = outer and inner neighbour in the chain, its two nodes."""
    n_n = tree.shape[0]
    for i in range(n_n):
        first[i] = 0  # counts the joints outside of the body, until all are counted
    for i in range(n_n):
        if tree[i, 4] >= 0 and tree[i, 7] >= 0:
            first[tree[i, 7]] += 1
    for i in range(n_n):
        order[4 * i] = 1 if first[i] > 1 or (tree[i, 4] >= 0 and tree[i, 7] >= 0 and first[tree[i, 7]] > 1) else 0
    size = 0
    for i in range(n_n):
        own_size = blocked(tree, i)
        first[i] = -2 if own_size == 0 else size if order[4 * i] == 1 else -1
        size += own_size if order[4 * i] == 1 else 0
        for k in range(4):
            order[4 * i + k] = -1
    for i in range(n_n):
        p = tree[i, 7]
        if first[i] == -2 or p < 0 or first[p] == -2:
            continue
        if first[i] == -1 and first[p] == -1:
            order[4 * i + 1], order[4 * p] = p, i
        elif first[i] == -1:
            order[4 * i + 2] = p
        elif first[p] == -1:
            order[4 * p + 3] = i
    for i in range(n_n):
        if first[i] == -1 and order[4 * i + 1] >= 0:
            order[4 * i + 2] = order[4 * order[4 * i + 1] + 2]
    for i in range(n_n - 1, -1, -1):
        if first[i] == -1 and order[4 * i] >= 0:
            order[4 * i + 3] = order[4 * order[4 * i] + 3]
    return size


@helper
def start_chains(tree, store, joints, chains, first, order):
    """Blocks of the chains; a joint with fewer than six unknowns is filled up with the identity."""
    for i in range(tree.shape[0]):
        if first[i] != -1:
            continue
        c, o, size = chains[i], store[i], blocked(tree, i)
        for k in range(150):
            c[k] = 0.0
        for a in range(6):
            c[7 * a] = 1.0
        outer, left, right = order[4 * i], order[4 * i + 2], order[4 * i + 3]
        for a in range(size):
            c[144 + a] = o[150 + a]
            for b in range(size):
                c[6 * a + b] = own(o, joints[i], a, b)
            if outer >= 0:
                for b in range(blocked(tree, outer)):
                    c[36 + 6 * a + b] = towards(store[outer], joints[i], b, a)
            if left >= 0 and tree[i, 7] == left:
                for b in range(blocked(tree, left)):
                    c[72 + 12 * a + b] = towards(o, joints[left], a, b)
            if right >= 0 and tree[right, 7] == i:
                for b in range(blocked(tree, right)):
                    c[78 + 12 * a + b] = towards(store[right], joints[i], b, a)


@helper
def reduce(c, other, E):
    """c less E E' and less E times what the factored `other` holds; E (6 x 6) is the coupling of c to `other`, times L^-T."""
    for a in range(6):
        for k in range(6):
            e = E[6 * a + k]
            if e == 0.0:
                continue
            for b in range(6):
                c[6 * a + b] -= e * E[6 * b + k]
            for b in range(12):
                c[72 + 12 * a + b] -= e * other[72 + 12 * k + b]
            c[144 + a] -= e * other[144 + k]


@helper
def rounds(tree, chains, spare, first, order):
    """Eqs. 39 and 40 until no two joints of a chain are coupled, then each of them factored."""
    n_n = tree.shape[0]
    coupled = True
    while coupled:
        coupled = False
        for i in range(n_n):
            if first[i] == -1:
                for k in range(150):
                    spare[i, k] = chains[i, k]
                factor(spare[i])
        for i in range(n_n):
            if first[i] != -1:
                continue
            c, outer, inner = chains[i], order[4 * i], order[4 * i + 1]
            E = c[150:]
            if inner >= 0:  # its B is the coupling the other way round
                for a in range(6):
                    for k in range(6):
                        E[6 * a + k] = spare[inner, 36 + 6 * k + a]
                reduce(c, spare[inner], E)
            if outer >= 0:
                coupled = True
                o = spare[outer]
                for a in range(6):
                    for k in range(6):
                        s = c[36 + 6 * a + k]
                        for b in range(k):
                            s -= E[6 * a + b] * o[150 + 6 * k + b]
                        E[6 * a + k] = s * o[150 + 7 * k]
                reduce(c, o, E)
                for a in range(6):
                    for b in range(6):
                        s = 0.0
                        for k in range(6):
                            s -= E[6 * a + k] * o[36 + 6 * k + b]
                        c[36 + 6 * a + b] = s
            else:
                for k in range(36):
                    c[36 + k] = 0.0
        for i in range(n_n):  # neighbours twice as far; kept aside so that all are of the same round
            if first[i] == -1:
                outer, inner = order[4 * i], order[4 * i + 1]
                spare[i, 0] = float(order[4 * outer]) if outer >= 0 else -1.0
                spare[i, 1] = float(order[4 * inner + 1]) if inner >= 0 else -1.0
        for i in range(n_n):
            if first[i] == -1:
                order[4 * i], order[4 * i + 1] = int(spare[i, 0]), int(spare[i, 1])
    for i in range(n_n):
        if first[i] == -1:
            factor(chains[i])


@helper
def odd_even(tree, data, work, store, joints, A, chains, spare, tau, x, first, order):
    """The paper's form; returns -1, or the node at which its matrix is not positive definite."""
    n_n = tree.shape[0]
    rows(tree, data, work, store, joints, tau)
    size = sort_joints(tree, first, order)
    start_chains(tree, store, joints, chains, first, order)
    rounds(tree, chains, spare, first, order)
    fill(tree, store, joints, A, x, first)
    for i in range(n_n):  # node rows less the chains that end there: D0' A^-1 (x - D s)
        if first[i] != -1:
            continue
        c, left, right = chains[i], order[4 * i + 2], order[4 * i + 3]
        for side in range(2):
            node = left if side == 0 else right
            if node < 0 or (tree[i, 7] != node if side == 0 else tree[node, 7] != i):
                continue
            row = spare[i]
            for a in range(blocked(tree, node)):
                for k in range(6):
                    f = 0.0
                    if k < blocked(tree, i):
                        f = towards(store[i], joints[node], k, a) if side == 0 else towards(store[node], joints[i], a, k)
                    for j in range(k):
                        f -= c[150 + 6 * k + j] * row[j]
                    f *= c[150 + 7 * k]
                    row[k] = f
                    x[first[node] + a] -= f * c[144 + k]
                    for other in range(2):
                        far = left if other == 0 else right
                        if far >= 0:
                            for b in range(blocked(tree, far)):
                                if first[far] + b <= first[node] + a:
                                    A[first[node] + a, first[far] + b] -= f * c[72 + 12 * k + 6 * other + b]
    bad = solve(A, x, size)
    for i in range(n_n):
        if first[i] >= 0 and first[i] <= bad < first[i] + blocked(tree, i):
            return i
    for i in range(n_n):
        if first[i] >= 0:
            for a in range(blocked(tree, i)):
                store[i, 150 + a] = x[first[i] + a]
        elif first[i] == -1:
            c = chains[i]
            for k in range(6):
                for side in range(2):
                    node = order[4 * i + 2 + side]
                    if node >= 0:
                        for b in range(blocked(tree, node)):
                            c[144 + k] -= c[72 + 12 * k + 6 * side + b] * x[first[node] + b]
            for a in range(5, -1, -1):
                s = c[144 + a] * c[150 + 7 * a]
                for k in range(a):
                    c[144 + k] -= c[150 + 6 * a + k] * s
                if a < blocked(tree, i):
                    store[i, 150 + a] = s
    transmit(tree, work, store, joints)
    return -1
