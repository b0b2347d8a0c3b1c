"""The constraint force algorithm on a tree in the paper's odd-even form, for its chains (Liu, Hu & Zhang 2016, eqs. 39-44).

Joints of bodies that branch are the nodes, the others make chains; in every round each joint of a chain is coupled to those twice as far
away as before (D: to the nodes at the chain's ends),

    E = B_i A_(i+h)^-1,  G = B_(i-h)' A_(i-h)^-1,  A_i -= E B_i' + G B_(i-h),  B_i = -E B_(i+h),  D_i -= E D_(i+h) + G D_(i-h)

until none is; then a dense matrix of the nodes (`papers/tree_dense.py`), then each joint of a chain by itself. The A are factored,
A = L L', and products are made of B L^-T: inverses of the A lose two digits.
"""

from mbsim.jit import helper
from mbsim.kernels.tree_columns import BODY, INNER
from mbsim.methods.papers.tree_dense import count_blocked, fill, own, rows, solve, towards, transmit
from mbsim.methods.trees import columns as col


@helper
def factor(c):
    """Of a row of chains: A = L L' in c[ROOT:], L with inverted pivots, and L^-1 before B, D and x."""
    for i in range(6):
        o = col.ROOT + 6 * i
        for j in range(i + 1):
            s = c[col.BLOCK + 6 * i + j]
            for k in range(j):
                s -= c[o + k] * c[col.ROOT + 6 * j + k]
            c[o + j] = 1.0 / s**0.5 if i == j else s * c[col.ROOT + 7 * j]
        for k in range(i):
            l = c[o + k]
            for b in range(6):
                c[col.NEXT + 6 * i + b] -= l * c[col.NEXT + 6 * k + b]
            for b in range(col.ENDS_ROW):
                c[col.ENDS + col.ENDS_ROW * i + b] -= l * c[col.ENDS + col.ENDS_ROW * k + b]
            c[col.RIGHT + i] -= l * c[col.RIGHT + k]
        e = c[o + i]
        for b in range(6):
            c[col.NEXT + 6 * i + b] *= e
        for b in range(col.ENDS_ROW):
            c[col.ENDS + col.ENDS_ROW * i + b] *= e
        c[col.RIGHT + i] *= e


@helper
def neighbours(order):
    """Of each joint of a chain its outer and its inner neighbour in it, the node towards the base and the one outwards; -1: none."""
    n = order.shape[0] // col.NEIGHBOURS
    return order[:n], order[n : 2 * n], order[2 * n : 3 * n], order[3 * n :]


@helper
def sort_joints(tree, first, order):
    """The places of the joints and their neighbours, as in `trees/columns.py`; returns the number of unknowns of the nodes."""
    n_n = tree.shape[0]
    outward, inward, end_inward, end_outward = neighbours(order)
    for i in range(n_n):
        first[i] = 0  # counts the joints outside of the body, until all are counted
    for i in range(n_n):
        if tree[i, BODY] >= 0 and tree[i, INNER] >= 0:
            first[tree[i, INNER]] += 1
    for i in range(n_n):
        branches = first[i] > 1 or (tree[i, BODY] >= 0 and tree[i, INNER] >= 0 and first[tree[i, INNER]] > 1)
        outward[i] = 1 if branches else 0  # until the neighbours are entered
    size = 0
    for i in range(n_n):
        own_size = count_blocked(tree, i)
        first[i] = col.ABSENT if own_size == 0 else size if outward[i] == 1 else col.CHAINED
        size += own_size if outward[i] == 1 else 0
        outward[i] = inward[i] = end_inward[i] = end_outward[i] = -1
    for i in range(n_n):
        p = tree[i, INNER]
        if first[i] == col.ABSENT or p < 0 or first[p] == col.ABSENT:
            continue
        if first[i] == col.CHAINED and first[p] == col.CHAINED:
            inward[i], outward[p] = p, i
        elif first[i] == col.CHAINED:
            end_inward[i] = p
        elif first[p] == col.CHAINED:
            end_outward[p] = i
    for i in range(n_n):
        if first[i] == col.CHAINED and inward[i] >= 0:
            end_inward[i] = end_inward[inward[i]]
    for i in range(n_n - 1, -1, -1):
        if first[i] == col.CHAINED and outward[i] >= 0:
            end_outward[i] = end_outward[outward[i]]
    return size


@helper
def start_chains(tree, store, joints, chains, first, order):
    """Blocks of the chains; a joint with fewer than six unknowns is filled up with the identity."""
    outward, _, end_inward, end_outward = neighbours(order)
    for i in range(tree.shape[0]):
        if first[i] != col.CHAINED:
            continue
        c, o, size = chains[i], store[i], count_blocked(tree, i)
        for k in range(col.ROOT):
            c[k] = 0.0
        for a in range(6):
            c[col.BLOCK + 7 * a] = 1.0
        outer, left, right = outward[i], end_inward[i], end_outward[i]
        for a in range(size):
            c[col.RIGHT + a] = o[col.ZETA + a]
            for b in range(size):
                c[col.BLOCK + 6 * a + b] = own(o, joints[i], a, b)
            if outer >= 0:
                for b in range(count_blocked(tree, outer)):
                    c[col.NEXT + 6 * a + b] = towards(store[outer], joints[i], b, a)
            if left >= 0 and tree[i, INNER] == left:
                for b in range(count_blocked(tree, left)):
                    c[col.ENDS + col.ENDS_ROW * a + b] = towards(o, joints[left], a, b)
            if right >= 0 and tree[right, INNER] == i:
                for b in range(count_blocked(tree, right)):
                    c[col.ENDS + col.ENDS_ROW * a + col.ENDS_OUTER + b] = towards(store[right], joints[i], b, a)


@helper
def reduce(c, other, E):
    """c less E E' and less E times what the factored `other` holds; E (6 x 6) is the coupling of c to `other`, times L^-T."""
    for a in range(6):
        for k in range(6):
            e = E[6 * a + k]
            if e == 0.0:
                continue
            for b in range(6):
                c[col.BLOCK + 6 * a + b] -= e * E[6 * b + k]
            for b in range(col.ENDS_ROW):
                c[col.ENDS + col.ENDS_ROW * a + b] -= e * other[col.ENDS + col.ENDS_ROW * k + b]
            c[col.RIGHT + a] -= e * other[col.RIGHT + k]


@helper
def rounds(tree, chains, spare, first, order):
    """Eqs. 39 and 40 until no two joints of a chain are coupled, then each of them factored."""
    outward, inward, _, _ = neighbours(order)
    n_n = tree.shape[0]
    coupled = True
    while coupled:
        coupled = False
        for i in range(n_n):
            if first[i] == col.CHAINED:
                for k in range(col.ROOT):
                    spare[i, k] = chains[i, k]
                factor(spare[i])
        for i in range(n_n):
            if first[i] != col.CHAINED:
                continue
            c, outer, inner = chains[i], outward[i], inward[i]
            E = c[col.ROOT :]
            if inner >= 0:  # its B is the coupling the other way round
                for a in range(6):
                    for k in range(6):
                        E[6 * a + k] = spare[inner, col.NEXT + 6 * k + a]
                reduce(c, spare[inner], E)
            if outer >= 0:
                coupled = True
                o = spare[outer]
                for a in range(6):
                    for k in range(6):
                        s = c[col.NEXT + 6 * a + k]
                        for b in range(k):
                            s -= E[6 * a + b] * o[col.ROOT + 6 * k + b]
                        E[6 * a + k] = s * o[col.ROOT + 7 * k]
                reduce(c, o, E)
                for a in range(6):
                    for b in range(6):
                        s = 0.0
                        for k in range(6):
                            s -= E[6 * a + k] * o[col.NEXT + 6 * k + b]
                        c[col.NEXT + 6 * a + b] = s
            else:
                for k in range(36):
                    c[col.NEXT + k] = 0.0
        for i in range(n_n):  # neighbours twice as far; kept aside so that all are of the same round
            if first[i] == col.CHAINED:
                outer, inner = outward[i], inward[i]
                spare[i, 0] = float(outward[outer]) if outer >= 0 else -1.0
                spare[i, 1] = float(inward[inner]) if inner >= 0 else -1.0
        for i in range(n_n):
            if first[i] == col.CHAINED:
                outward[i], inward[i] = int(spare[i, 0]), int(spare[i, 1])
    for i in range(n_n):
        if first[i] == col.CHAINED:
            factor(chains[i])


@helper
def odd_even(tree, data, work, store, joints, A, chains, spare, tau, x, first, order):
    """The paper's form; returns -1, or the node at which its matrix is not positive definite."""
    n_n = tree.shape[0]
    rows(tree, data, work, store, joints, tau)
    _, _, end_inward, end_outward = neighbours(order)
    size = sort_joints(tree, first, order)
    start_chains(tree, store, joints, chains, first, order)
    rounds(tree, chains, spare, first, order)
    fill(tree, store, joints, A, x, first)
    for i in range(n_n):  # node rows less the chains that end there: D0' A^-1 (x - D s)
        if first[i] != col.CHAINED:
            continue
        c, left, right = chains[i], end_inward[i], end_outward[i]
        for side in range(2):
            node = left if side == 0 else right
            if node < 0 or (tree[i, INNER] != node if side == 0 else tree[node, INNER] != i):
                continue
            row = spare[i]
            for a in range(count_blocked(tree, node)):
                for k in range(6):
                    f = 0.0
                    if k < count_blocked(tree, i):
                        f = towards(store[i], joints[node], k, a) if side == 0 else towards(store[node], joints[i], a, k)
                    for j in range(k):
                        f -= c[col.ROOT + 6 * k + j] * row[j]
                    f *= c[col.ROOT + 7 * k]
                    row[k] = f
                    x[first[node] + a] -= f * c[col.RIGHT + k]
                    for other in range(2):
                        far = left if other == 0 else right
                        if far >= 0:
                            for b in range(count_blocked(tree, far)):
                                if first[far] + b <= first[node] + a:
                                    A[first[node] + a, first[far] + b] -= f * c[col.ENDS + col.ENDS_ROW * k + col.ENDS_OUTER * other + b]
    bad = solve(A, x, size)
    for i in range(n_n):
        if first[i] >= 0 and first[i] <= bad < first[i] + count_blocked(tree, i):
            return i
    for i in range(n_n):
        if first[i] >= 0:
            for a in range(count_blocked(tree, i)):
                store[i, col.ZETA + a] = x[first[i] + a]
        elif first[i] == col.CHAINED:
            c = chains[i]
            for k in range(6):
                for side in range(2):
                    node = end_inward[i] if side == 0 else end_outward[i]
                    if node >= 0:
                        for b in range(count_blocked(tree, node)):
                            c[col.RIGHT + k] -= c[col.ENDS + col.ENDS_ROW * k + col.ENDS_OUTER * side + b] * x[first[node] + b]
            for a in range(5, -1, -1):
                s = c[col.RIGHT + a] * c[col.ROOT + 7 * a]
                for k in range(a):
                    c[col.RIGHT + k] -= c[col.ROOT + 6 * a + k] * s
                if a < count_blocked(tree, i):
                    store[i, col.ZETA + a] = s
    transmit(tree, work, store, joints)
    return -1
