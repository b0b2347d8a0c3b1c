"""Block elimination over the joints of a system of bodies: S lam = b with S = C M^-1 C', by the table of `mbsim.methods._order`.

With M^-1 = W W' (block diagonal, constant) and Y = C W the matrix is S = Y Y', and only the blocks of joints that share a body are
other than zero. They are factored in the order of the table, S = L L' (Cholesky by blocks, right-looking): when a node is eliminated its
diagonal block is factored, the blocks below it become X = B L^-T, and X_a X_b' is taken from the block where a and b meet.

A row whose pivot, the square of its distance from the rows before it, is below PIVOT_TOLERANCE of its own length squared depends on
those: its inverse pivot is set to zero, which takes it out of everything that follows without a branch. What the forward
substitution leaves in such a row is by how much its equation is missed by the rows it depends on.

The ground has a row of zeros in W and b places at the end of the vectors of speeds, so that no loop asks for it.
"""

from math import sqrt

from mbsim.jit import helper

PIVOT_TOLERANCE = 1e-11  # of a squared length: a row within 3e-6 rad of those before it is dependent. Off by round-off, a redundant row
# shows 1e-16 times the square of its coefficients; the dense methods, which see the distance itself, decide at 1e-8.
BREAKDOWN = 1e-13  # likewise, below which a row that counted as independent at the last accepted state cannot be solved for any more


@helper
def inverse_roots(masses, b, W):
    """W with M^-1 = W W' for b = 3 or 6 speeds a body; -1, or the speed at which M is not positive definite.

    W (n_b + 1, 12), a row a body: of each translation; then of the rotation, 1 number (planar) or 3 x 3, upper triangular (spatial).
    """
    for i in range(masses.shape[0]):
        m, I, w = masses[i, 0], masses[i, 1:], W[i]
        if not m > 0.0:
            return b * i
        w[0] = w[1] = w[2] = 1.0 / sqrt(m)
        if b == 3:
            if not I[0] > 0.0:
                return b * i + 2
            w[2] = 1.0 / sqrt(I[0])
            continue
        # I = L L'; W = L^-T
        if not I[0] > 0.0:
            return b * i + 3
        a = sqrt(I[0])
        p, q = I[3] / a, I[6] / a
        s = I[4] - p * p
        if not s > 1e-14 * I[4]:
            return b * i + 4
        c = sqrt(s)
        r = (I[7] - q * p) / c
        s = I[8] - q * q - r * r
        if not s > 1e-14 * I[8]:
            return b * i + 5
        d = sqrt(s)
        w[3], w[4], w[5] = 1.0 / a, -p / (a * c), (p * r / c - q) / (a * d)
        w[7], w[8], w[11] = 1.0 / c, -r / (c * d), 1.0 / d
    return -1


@helper
def weigh_six(w, x, out):
    """out (6,) = W' x, also the row x W, of one spatial body."""
    a, b, c = x[3], x[4], x[5]
    out[0], out[1], out[2] = w[0] * x[0], w[1] * x[1], w[2] * x[2]
    out[3], out[4], out[5] = w[3] * a, w[4] * a + w[7] * b, w[5] * a + w[8] * b + w[11] * c


@helper
def weigh_forces(W, b, n_b, h, out):
    """out (n + b,) = W' h, and zeros for the ground."""
    for i in range(n_b):
        w = W[i]
        if b == 3:
            o = 3 * i
            out[o], out[o + 1], out[o + 2] = w[0] * h[o], w[1] * h[o + 1], w[2] * h[o + 2]
        else:
            weigh_six(w, h[6 * i :], out[6 * i :])
    for k in range(b):
        out[b * n_b + k] = 0.0


@helper
def unweigh(W, b, n_b, u, out):
    """out (n,) = W u."""
    for i in range(n_b):
        o, w = b * i, W[i]
        if b == 3:
            out[o], out[o + 1], out[o + 2] = w[0] * u[o], w[1] * u[o + 1], w[2] * u[o + 2]
        else:
            x, y, z = u[o + 3], u[o + 4], u[o + 5]
            out[o], out[o + 1], out[o + 2] = w[0] * u[o], w[1] * u[o + 1], w[2] * u[o + 2]
            out[o + 3], out[o + 4], out[o + 5] = w[3] * x + w[4] * y + w[5] * z, w[7] * y + w[8] * z, w[11] * z


@helper
def weigh_rows(plan, J, C, W, n_b, Y, E):
    """Y (m, 2 b) = the body blocks J of the rows of joints and drivers times W; E (rows of equations, n + b) = those of C times W."""
    b, equations, at = plan[0, 4], plan[0, 5], plan[0, 6]
    for e in range(plan[0, 0] - (1 if equations > 0 else 0)):
        first, size, i, j = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 5], plan[1 + e, 6]
        w, x = W[i], W[j]
        if b == 3:
            for r in range(first, first + size):
                y, row = Y[r], J[r]
                y[0], y[1], y[2] = w[0] * row[0], w[1] * row[1], w[2] * row[2]
                y[3], y[4], y[5] = x[0] * row[3], x[1] * row[4], x[2] * row[5]
        else:
            for r in range(first, first + size):
                weigh_six(w, J[r], Y[r])
                weigh_six(x, J[r, 6:], Y[r, 6:])
    for k in range(equations):
        row, out = C[at + k], E[k]
        for i in range(n_b):
            w, o = W[i], b * i
            if b == 3:
                out[o], out[o + 1], out[o + 2] = w[0] * row[o], w[1] * row[o + 1], w[2] * row[o + 2]
            else:
                weigh_six(w, row[o:], out[o:])


@helper
def add_rates(plan, J, C, n_b, v, out):
    """out (m,) += C v."""
    b, equations, at = plan[0, 4], plan[0, 5], plan[0, 6]
    for e in range(plan[0, 0] - (1 if equations > 0 else 0)):
        first, size = plan[1 + e, 0], plan[1 + e, 1]
        for side in range(2):
            body = plan[1 + e, 5 + side]
            if body < n_b:
                for r in range(first, first + size):
                    for c in range(b):
                        out[r] += J[r, b * side + c] * v[b * body + c]
    for k in range(at, at + equations):
        for c in range(b * n_b):
            out[k] += C[k, c] * v[c]


@helper
def subtract_rows(plan, Y, E, u, out):
    """out (m,) -= (C W) u for u (n + b,)."""
    b, equations, at = plan[0, 4], plan[0, 5], plan[0, 6]
    for e in range(plan[0, 0] - (1 if equations > 0 else 0)):
        first, size, i, j = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 5], plan[1 + e, 6]
        if b == 3:
            i, j = 3 * i, 3 * j
            for r in range(first, first + size):
                y = Y[r]
                s = y[0] * u[i] + y[1] * u[i + 1] + y[2] * u[i + 2]
                out[r] -= s + y[3] * u[j] + y[4] * u[j + 1] + y[5] * u[j + 2]
        else:
            i, j = 6 * i, 6 * j
            for r in range(first, first + size):
                y = Y[r]
                s = y[0] * u[i] + y[1] * u[i + 1] + y[2] * u[i + 2] + y[3] * u[i + 3] + y[4] * u[i + 4] + y[5] * u[i + 5]
                p = y[6] * u[j] + y[7] * u[j + 1] + y[8] * u[j + 2] + y[9] * u[j + 3] + y[10] * u[j + 4] + y[11] * u[j + 5]
                out[r] -= s + p
    for k in range(equations):
        s = 0.0
        for c in range(u.shape[0] - b):
            s += E[k, c] * u[c]
        out[at + k] -= s


@helper
def add_reactions(plan, Y, E, lam, u):
    """u (n + b,) += (C W)' lam; the ground's places are written too, with zeros."""
    b, equations, at = plan[0, 4], plan[0, 5], plan[0, 6]
    for e in range(plan[0, 0] - (1 if equations > 0 else 0)):
        first, size, i, j = plan[1 + e, 0], plan[1 + e, 1], b * plan[1 + e, 5], b * plan[1 + e, 6]
        for r in range(first, first + size):
            y, s = Y[r], lam[r]
            if b == 3:
                u[i] += y[0] * s
                u[i + 1] += y[1] * s
                u[i + 2] += y[2] * s
                u[j] += y[3] * s
                u[j + 1] += y[4] * s
                u[j + 2] += y[5] * s
            else:
                for c in range(6):
                    u[i + c] += y[c] * s
                for c in range(6):
                    u[j + c] += y[6 + c] * s
    for k in range(equations):
        s = lam[at + k]
        for c in range(u.shape[0] - b):
            u[c] += E[k, c] * s


@helper
def meet(plan, Y, E, S, lengths):
    """The blocks of S = Y Y', and zeros where the elimination fills in; lengths (m,) its diagonal."""
    nodes, meetings, b, equations = plan[0, 0], plan[0, 1], plan[0, 4], plan[0, 5]
    for k in range(S.shape[0]):
        S[k] = 0.0
    for k in range(1 + nodes, 1 + nodes + meetings):
        r, rows, side, p, size, other, at, diagonal = plan[k]
        o, q = b * side, b * other
        if b == 3 and rows == 2 and size == 2:
            y, x, v, w = Y[r, o:], Y[r + 1, o:], Y[p, q:], Y[p + 1, q:]
            S[at] += y[0] * v[0] + y[1] * v[1] + y[2] * v[2]
            S[at + 1] += y[0] * w[0] + y[1] * w[1] + y[2] * w[2]
            S[at + 2] += x[0] * v[0] + x[1] * v[1] + x[2] * v[2]
            S[at + 3] += x[0] * w[0] + x[1] * w[1] + x[2] * w[2]
        elif b == 3:
            for a in range(rows):
                y = Y[r + a, o:]
                for c in range(a + 1 if diagonal == 1 else size):
                    x = Y[p + c, q:]
                    S[at + a * size + c] += y[0] * x[0] + y[1] * x[1] + y[2] * x[2]
        else:
            for a in range(rows):
                y = Y[r + a, o:]
                for c in range(a + 1 if diagonal == 1 else size):
                    x = Y[p + c, q:]
                    s = y[0] * x[0] + y[1] * x[1] + y[2] * x[2]
                    S[at + a * size + c] += s + y[3] * x[3] + y[4] * x[4] + y[5] * x[5]
    if equations > 0:
        meet_equations(plan, Y, E, S)
    for e in range(nodes):
        first, size, at = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 2]
        for a in range(size):
            lengths[first + a] = S[at + a * (size + 1)]


@helper
def meet_equations(plan, Y, E, S):
    """The blocks of the users' equations, the last node, with all others and with themselves."""
    nodes, b, equations = plan[0, 0], plan[0, 4], plan[0, 5]
    entry = 1 + nodes + plan[0, 1]
    for e in range(nodes - 1):
        first, size, below = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 3]
        at = plan[entry + below - 1, 0]  # the last below every node
        entry += below
        for a in range(equations):
            for r in range(size):
                s = 0.0
                for side in range(2):
                    o = b * plan[1 + e, 5 + side]
                    for c in range(b):
                        s += E[a, o + c] * Y[first + r, b * side + c]
                S[at + a * size + r] = s
    at = plan[nodes, 2]
    for a in range(equations):
        for c in range(a + 1):
            s = 0.0
            for k in range(E.shape[1]):
                s += E[a, k] * E[c, k]
            S[at + a * equations + c] = s


@helper
def pivot_inverse(s, length, row, rows, fresh, dropped):
    """1 / sqrt(s), 0 for a row that is left out (row >= rows, or dependent), -1 where a row that was independent breaks down.

    `fresh`: decide the rank anew and note it in dropped (m,).
    """
    if row >= rows:
        return 0.0
    if fresh:
        dropped[row] = 0 if s > PIVOT_TOLERANCE * length else 1
        if not s < 1e300:
            return -1.0
    if dropped[row] == 1:
        return 0.0
    if not (s > BREAKDOWN * length and s < 1e300):
        return -1.0
    return 1.0 / sqrt(s)


@helper
def factor_forward(plan, S, lengths, rows, fresh, dropped, inverse, y):
    """S = L L' in place, y (m,) = L^-1 y on the rows that are not left out; on those, what is left of y.

    Returns the smallest pivot relative to its row's length (squares), and -1 or the row at which it breaks down.
    """
    nodes = plan[0, 0]
    entry = 1 + nodes + plan[0, 1]
    product = entry + plan[0, 2]
    weakest = 1.0
    for e in range(nodes):
        first, size, at, below, products = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 2], plan[1 + e, 3], plan[1 + e, 4]
        if size == 2:
            s = S[at]
            i0 = pivot_inverse(s, lengths[first], first, rows, fresh, dropped)
            if i0 > 0.0:
                weakest = min(weakest, s / lengths[first])
            l = S[at + 2] * i0
            s = S[at + 3] - l * l
            i1 = pivot_inverse(s, lengths[first + 1], first + 1, rows, fresh, dropped)
            if i1 > 0.0:
                weakest = min(weakest, s / lengths[first + 1])
            if i0 < 0.0 or i1 < 0.0:
                return weakest, first if i0 < 0.0 else first + 1
            inverse[first], inverse[first + 1], S[at + 2] = i0, i1, l
            y0 = y[first] * (i0 if i0 > 0.0 else 1.0)
            y1 = (y[first + 1] - l * y0) * (i1 if i1 > 0.0 else 1.0)
            y[first], y[first + 1] = y0, y1
            for k in range(entry, entry + below):
                o, count, row = plan[k, 0], plan[k, 1], plan[k, 2]
                for c in range(count):
                    x0 = S[o] * i0
                    x1 = (S[o + 1] - x0 * l) * i1
                    S[o], S[o + 1] = x0, x1
                    y[row + c] -= x0 * y0 + x1 * y1
                    o += 2
            for k in range(product, product + products):
                p, n_p, q, n_q, o = plan[k, 0], plan[k, 1], plan[k, 2], plan[k, 3], plan[k, 4]
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
                i0 = pivot_inverse(s, lengths[first + r], first + r, rows, fresh, dropped)
                if i0 < 0.0:
                    return weakest, first + r
                if i0 > 0.0:
                    weakest = min(weakest, s / lengths[first + r])
                    left *= i0
                inverse[first + r], y[first + r] = i0, left
            for k in range(entry, entry + below):
                o, count, row = plan[k, 0], plan[k, 1], plan[k, 2]
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
                p, n_p, q, n_q, o, diagonal = plan[k, 0], plan[k, 1], plan[k, 2], plan[k, 3], plan[k, 4], plan[k, 5]
                for a in range(n_p):
                    for c in range(a + 1 if diagonal == 1 else n_q):
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
    nodes = plan[0, 0]
    entry = 1 + nodes + plan[0, 1]
    for e in range(nodes):
        first, size, at, below = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 2], plan[1 + e, 3]
        for r in range(size):
            s = y[first + r]
            for k in range(r):
                s -= S[at + r * size + k] * y[first + k]
            y[first + r] = s * inverse[first + r] if inverse[first + r] > 0.0 else s
        for k in range(entry, entry + below):
            o, count, row = plan[k, 0], plan[k, 1], plan[k, 2]
            for r in range(count):
                s = y[row + r]
                for c in range(size):
                    s -= S[o + r * size + c] * y[first + c]
                y[row + r] = s
        entry += below


@helper
def backward(plan, S, inverse, y):
    """y (m,) = L^-T y on the rows that are not left out, for what y holds in those left out."""
    nodes = plan[0, 0]
    entry = 1 + nodes + plan[0, 1] + plan[0, 2]
    for e in range(nodes - 1, -1, -1):
        first, size, at, below = plan[1 + e, 0], plan[1 + e, 1], plan[1 + e, 2], plan[1 + e, 3]
        entry -= below
        if size == 2:
            y0, y1 = y[first], y[first + 1]
            for k in range(entry, entry + below):
                o, count, row = plan[k, 0], plan[k, 1], plan[k, 2]
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
                o, count, row = plan[k, 0], plan[k, 1], plan[k, 2]
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
def shortest(plan, S, inverse, lam, r, p, w):
    """lam (m,) <- the shortest multipliers with the same C' lam: lam - N x with N' (lam - N x) = 0, N the left null space of C.

    A column of N is 1 in a row left out and minus the coefficients of the rows it follows from, so that N y is a backward and N' y a
    forward substitution. Conjugate gradients on N' N, which is at least the identity; r, p, w (m,) are scratch.
    """
    m = lam.shape[0]
    first, last, size = 0.0, 0.0, 0.0
    for i in range(m):
        p[i] = 0.0
        size += lam[i] * lam[i]
    for iteration in range(m + 1):
        for i in range(m):
            r[i] = lam[i]
        forward(plan, S, inverse, r)
        square = 0.0
        for i in range(m):
            if inverse[i] == 0.0:
                square += r[i] * r[i]
        if iteration == 0:
            first = square
        # squares: round-off of the multipliers, or no further progress
        if not square > 1e-30 * size or (iteration > 3 and square < 1e-26 * first and square >= last):
            return
        for i in range(m):
            p[i] = r[i] + (square / last * p[i] if iteration > 0 else 0.0) if inverse[i] == 0.0 else 0.0
            w[i] = p[i]
        last = square
        backward(plan, S, inverse, w)
        length = 0.0
        for i in range(m):
            length += w[i] * w[i]
        for i in range(m):
            lam[i] -= square / length * w[i]
