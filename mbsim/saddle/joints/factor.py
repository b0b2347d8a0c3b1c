"""Block elimination over the joints of a system of bodies: S lam = b, by the table of `mbsim.saddle.joints.table`.

S (`weighed_rows.py`) is factored in the order of the table, S = L L' (Cholesky by blocks, right-looking). Eliminating a node factors its
diagonal block, turns the blocks below it into X = B L^-T, and subtracts X_a X_b' from the block where a and b meet. `columns.py` names
the columns of the table.

A pivot is the square of the distance of a row from the rows before it. Rows that depend on others are left out: an inverse pivot of zero
takes a row out of everything that follows without a branch. `independent.py` chooses these rows, because it sees all rows at once.
Where there are too many of them, every row with a pivot below PIVOT_TOLERANCE of its squared length is left out instead.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.ranks import BLOCK_TOLERANCE, ROUND_OFF
from mbsim.saddle import columns as col
from mbsim.saddle.lines import first_line, lines_of

PIVOT_TOLERANCE = BLOCK_TOLERANCE * BLOCK_TOLERANCE  # of a row's squared length
BREAKDOWN = ROUND_OFF  # likewise, below which a row that counts as independent cannot be solved for any more: sums over blocks
SHORT = 1e-26  # of |lam|^2: what the multipliers along the dependencies may keep; the distance to the shortest ones is no longer than that
SPARE = 5  # iterations beyond the number of dependencies, in which conjugate gradients end but for round-off


@helper
def joint_count(plan):
    """Number of nodes that are joints or drivers; the user's equations are one more, the last."""
    return lines_of(plan, col.GROUPS) - (1 if plan[col.FACTS, col.EQUATIONS] > 0 else 0)


@helper
def node_of(plan, e):
    """First row of C, number of rows, place of the diagonal block, entries below and products of a node."""
    node = plan[col.HEADS + e]
    return node[col.FIRST], node[col.SIZE], node[col.DIAGONAL], node[col.BELOW], node[col.UPDATES]


@helper
def rows_between(plan, e):
    """First row of C and number of rows of a node that is not the equations, and its two bodies."""
    node = plan[col.HEADS + e]
    return node[col.FIRST], node[col.SIZE], node[col.BODIES], node[col.BODIES + 1]


@helper
def entry_of(plan, k):
    """Place of the block, number of rows and first row of C of an entry below a node."""
    return plan[k, col.LEFT], plan[k, col.LATER_SIZE], plan[k, col.LATER_FIRST]


@helper
def product_of(plan, k):
    """Place and number of rows of the two blocks of a product, and the place of the block that it is taken from."""
    return plan[k, col.FROM_LEFT], plan[k, col.LEFT_ROWS], plan[k, col.FROM_RIGHT], plan[k, col.RIGHT_COLUMNS], plan[k, col.TARGET]


@helper
def pivot_inverse(s, length, row, rows, tolerance, dropped):
    """1 / sqrt(s), 0 for a row that is left out (row >= rows, or in dropped), -1 where a row that is not breaks down.

    `tolerance` above zero: leave out what has a pivot below this part of its length, and note it in dropped (m,).
    """
    if row >= rows:
        return 0.0
    if tolerance > 0.0:
        dropped[row] = 0 if s > tolerance * length else 1
        if not s < 1e300:
            return -1.0
    if dropped[row] == 1:
        return 0.0
    if not (s > BREAKDOWN * length and s < 1e300):
        return -1.0
    return 1.0 / sqrt(s)


@helper
def factor_forward(plan, S, lengths, rows, tolerance, dropped, inverse, y):
    """S = L L' in place, y (m,) = L^-1 y on the rows that are not left out; on those, what is left of y.

    Returns the smallest pivot relative to its row's length (squares), and -1 or the row at which it breaks down.
    """
    nodes, entry = lines_of(plan, col.GROUPS), first_line(plan, col.ENTRIES)
    product = first_line(plan, col.PRODUCTS)
    weakest = 1.0
    for e in range(nodes):
        first, size, at, below, products = node_of(plan, e)
        if size == 2:
            s = S[at]
            i0 = pivot_inverse(s, lengths[first], first, rows, tolerance, dropped)
            if i0 > 0.0:
                weakest = min(weakest, s / lengths[first])
            l = S[at + 2] * i0
            s = S[at + 3] - l * l
            i1 = pivot_inverse(s, lengths[first + 1], first + 1, rows, tolerance, dropped)
            if i1 > 0.0:
                weakest = min(weakest, s / lengths[first + 1])
            if i0 < 0.0 or i1 < 0.0:
                return weakest, first if i0 < 0.0 else first + 1
            inverse[first], inverse[first + 1], S[at + 2] = i0, i1, l
            y0 = y[first] * (i0 if i0 > 0.0 else 1.0)
            y1 = (y[first + 1] - l * y0) * (i1 if i1 > 0.0 else 1.0)
            y[first], y[first + 1] = y0, y1
            for k in range(entry, entry + below):
                o, count, row = entry_of(plan, k)
                for c in range(count):
                    x0 = S[o] * i0
                    x1 = (S[o + 1] - x0 * l) * i1
                    S[o], S[o + 1] = x0, x1
                    y[row + c] -= x0 * y0 + x1 * y1
                    o += 2
            for k in range(product, product + products):
                p, n_p, q, n_q, o = product_of(plan, k)
                if n_p == 2 and n_q == 2:
                    a0, a1, b0, b1 = S[p], S[p + 1], S[p + 2], S[p + 3]
                    c0, c1, d0, d1 = S[q], S[q + 1], S[q + 2], S[q + 3]
                    S[o] -= a0 * c0 + a1 * c1
                    S[o + 1] -= a0 * d0 + a1 * d1
                    S[o + 2] -= b0 * c0 + b1 * c1
                    S[o + 3] -= b0 * d0 + b1 * d1
                else:
                    for a in range(n_p):
                        x0, x1 = S[p + 2 * a], S[p + 2 * a + 1]
                        for c in range(n_q):
                            S[o + a * n_q + c] -= x0 * S[q + 2 * c] + x1 * S[q + 2 * c + 1]
        else:
            for r in range(size):
                o = at + r * size
                for c in range(r):
                    s = S[o + c]
                    for k in range(c):
                        s -= S[o + k] * S[at + c * size + k]
                    S[o + c] = s * inverse[first + c]
                s, left = S[o + r], y[first + r]
                for k in range(r):
                    s -= S[o + k] * S[o + k]
                    left -= S[o + k] * y[first + k]
                i0 = pivot_inverse(s, lengths[first + r], first + r, rows, tolerance, dropped)
                if i0 < 0.0:
                    return weakest, first + r
                if i0 > 0.0:
                    weakest = min(weakest, s / lengths[first + r])
                    left *= i0
                inverse[first + r], y[first + r] = i0, left
            for k in range(entry, entry + below):
                o, count, row = entry_of(plan, k)
                for r in range(count):
                    left = y[row + r]
                    for c in range(size):
                        s = S[o + c]
                        for p in range(c):
                            s -= S[o + p] * S[at + c * size + p]
                        s *= inverse[first + c]
                        S[o + c] = s
                        left -= s * y[first + c]
                    y[row + r] = left
                    o += size
            for k in range(product, product + products):
                p, n_p, q, n_q, o = product_of(plan, k)
                for a in range(n_p):
                    for c in range(a + 1 if plan[k, col.ON_DIAGONAL] == 1 else n_q):
                        s = 0.0
                        for r in range(size):
                            s += S[p + a * size + r] * S[q + c * size + r]
                        S[o + a * n_q + c] -= s
        entry += below
        product += products
    return weakest, -1


@helper
def forward(plan, S, inverse, y):
    """y (m,) = L^-1 y, and what is left of y in the rows left out, after `factor_forward`."""
    entry = first_line(plan, col.ENTRIES)
    for e in range(lines_of(plan, col.GROUPS)):
        first, size, at, below, _ = node_of(plan, e)
        for r in range(size):
            s = y[first + r]
            for k in range(r):
                s -= S[at + r * size + k] * y[first + k]
            y[first + r] = s * inverse[first + r] if inverse[first + r] > 0.0 else s
        for k in range(entry, entry + below):
            o, count, row = entry_of(plan, k)
            for r in range(count):
                s = y[row + r]
                for c in range(size):
                    s -= S[o + r * size + c] * y[first + c]
                y[row + r] = s
        entry += below


@helper
def backward(plan, S, inverse, y):
    """y (m,) = L^-T y on the rows that are not left out, for what y holds in those left out."""
    entry = first_line(plan, col.PRODUCTS)
    for e in range(lines_of(plan, col.GROUPS) - 1, -1, -1):
        first, size, at, below, _ = node_of(plan, e)
        entry -= below
        if size == 2:
            y0, y1 = y[first], y[first + 1]
            for k in range(entry, entry + below):
                o, count, row = entry_of(plan, k)
                for r in range(count):
                    s = y[row + r]
                    y0 -= S[o] * s
                    y1 -= S[o + 1] * s
                    o += 2
            if inverse[first + 1] > 0.0:
                y1 *= inverse[first + 1]
            y0 -= S[at + 2] * y1
            if inverse[first] > 0.0:
                y0 *= inverse[first]
            y[first], y[first + 1] = y0, y1
        else:
            for k in range(entry, entry + below):
                o, count, row = entry_of(plan, k)
                for r in range(count):
                    s = y[row + r]
                    for c in range(size):
                        y[first + c] -= S[o + c] * s
                    o += size
            for r in range(size - 1, -1, -1):
                s = y[first + r]
                if inverse[first + r] > 0.0:
                    s *= inverse[first + r]
                    y[first + r] = s
                for k in range(r):
                    y[first + k] -= S[at + r * size + k] * s


@helper
def leave_out(inverse, y):
    """y = 0 in the rows left out."""
    for i in range(y.shape[0]):
        if inverse[i] == 0.0:
            y[i] = 0.0


@helper
def shortest(plan, S, inverse, lam, levers, r, p, w):
    """lam (m,) <- the shortest multipliers with the same C' lam: lam - N x with N' L (lam - N x) = 0, N the left null space of C.

    Lengths are those of multipliers over their levers (m,), L = diag(1/levers^2).

    For rows left out that depend on rows before them, as by PIVOT_TOLERANCE. A column of N is 1 in a row left out and minus the
    coefficients of the rows it follows from, so that N y is a backward and N' y a forward substitution. Conjugate gradients on N' L N;
    r, p, w (m,) are scratch.
    """
    m = lam.shape[0]
    last, size, most = 0.0, 0.0, SPARE
    for i in range(m):
        p[i] = 0.0
        size += (lam[i] / levers[i]) ** 2
        most += 1 if inverse[i] == 0.0 else 0
    for _ in range(most):
        for i in range(m):
            r[i] = lam[i] / (levers[i] * levers[i])
        forward(plan, S, inverse, r)
        square = 0.0
        for i in range(m):
            if inverse[i] == 0.0:
                square += r[i] * r[i]
        if not square > SHORT * size:
            return
        conjugate = square / last if square < last else 0.0  # begun anew where round-off keeps the residual from shrinking
        for i in range(m):
            p[i] = r[i] + conjugate * p[i] if inverse[i] == 0.0 else 0.0
            w[i] = p[i]
        last = square
        backward(plan, S, inverse, w)
        length, along = 0.0, 0.0
        for i in range(m):
            length += (w[i] / levers[i]) ** 2
            along += lam[i] * w[i] / (levers[i] * levers[i])
        for i in range(m):
            lam[i] -= along / length * w[i]
