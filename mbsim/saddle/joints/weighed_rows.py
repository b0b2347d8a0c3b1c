"""The rows of a system of bodies weighed by the masses, and the blocks of S = C M^-1 C', by the table of `mbsim.saddle.joints.table`.

With M^-1 = W W' (block diagonal, constant) and Y = C W the matrix is S = Y Y'. A block of S is zero unless its two joints share a body.
The ground has a row of zeros in W and b places at the end of the vectors of speeds, so that no loop has to test for it. `columns.py`
names the columns of the tables.
"""

from math import sqrt

from mbsim.jit import helper, unfolded
from mbsim.kernels.ranks import ROUND_OFF
from mbsim.kernels.spatial_vectors import three
from mbsim.saddle import columns as col
from mbsim.saddle.joints.factor import joint_count, node_of, rows_between
from mbsim.saddle.lines import after, first_line, speeds_of_body


@helper
def inverse_roots(masses, b, W):
    """W with M^-1 = W W' for b = 3 or 6 speeds a body; -1, or the speed at which M is not positive definite.

    W is (n_b + 1, ROOTS) or, of planar bodies, (n_b + 1, 3).
    """
    for i in range(masses.shape[0]):
        m, I, w, R = masses[i, col.BODY_MASS], masses[i, col.BODY_INERTIA :], W[i, col.ROOT :], W[i, col.ROOT_ROTATION :]
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
        if not s > ROUND_OFF * I[4]:
            return b * i + 4
        c = sqrt(s)
        r = (I[7] - q * p) / c
        s = I[8] - q * q - r * r
        if not s > ROUND_OFF * I[8]:
            return b * i + 5
        d = sqrt(s)
        R[0], R[1], R[2] = 1.0 / a, -p / (a * c), (p * r / c - q) / (a * d)
        R[4], R[5], R[8] = 1.0 / c, -r / (c * d), 1.0 / d
    return -1


@helper
def squared(masses, v):
    """v' M v."""
    bodies, s = masses.shape[0], 0.0
    if v.shape[0] == 3 * bodies:
        for j in range(3 * bodies):
            s += masses[j // 3, col.BODY_MASS if j % 3 < 2 else col.BODY_INERTIA] * v[j] * v[j]
        return s
    for b in range(bodies):
        o = 6 * b
        for c in range(3):
            s += masses[b, col.BODY_MASS] * v[o + c] * v[o + c]
            for d in range(3):
                s += masses[b, col.BODY_INERTIA + 3 * c + d] * v[o + 3 + c] * v[o + 3 + d]
    return s


@helper
def weigh_three(w, x, out):
    """out[:3] = W x of one planar body, or of the translation of a spatial one; W is diagonal there."""
    out[0], out[1], out[2] = w[col.ROOT] * x[0], w[col.ROOT + 1] * x[1], w[col.ROOT + 2] * x[2]


@unfolded
def weigh(w, b, x, out):
    """out (b,) = W' x, also the row x W, of one body."""
    weigh_three(w, x, out)
    if b == 6:
        p, q, r = x[3], x[4], x[5]
        R = w[col.ROOT_ROTATION :]
        out[3], out[4], out[5] = R[0] * p, R[1] * p + R[4] * q, R[2] * p + R[5] * q + R[8] * r


@helper
def weigh_forces(W, b, n_b, h, out):
    """out (n + b,) = W' h, and zeros for the ground."""
    for i in range(n_b):
        weigh(W[i], b, h[b * i :], out[b * i :])
    for k in range(b):
        out[b * n_b + k] = 0.0


@helper
def unweigh(W, b, n_b, u, out):
    """out (n,) = W u."""
    for i in range(n_b):
        o = b * i
        weigh_three(W[i], u[o:], out[o:])
        if b == 6:
            R = W[i, col.ROOT_ROTATION :]
            x, y, z = u[o + 3], u[o + 4], u[o + 5]
            out[o + 3], out[o + 4], out[o + 5] = R[0] * x + R[1] * y + R[2] * z, R[4] * y + R[5] * z, R[8] * z


@helper
def weigh_rows(plan, J, C, W, n_b, u, Y, E, S, lengths, y):
    """Y = C W, y -= Y u, and the diagonal blocks of S = Y Y' with their diagonal in lengths (m,), in one pass over the rows.

    Y (m, 2 b) from the body blocks J of the rows of joints and drivers; E (rows of equations, n + b) from C; y (m,), u (n + b,).
    """
    b, equations, first_equation = speeds_of_body(plan), plan[col.FACTS, col.EQUATIONS], plan[col.FACTS, col.FIRST_EQUATION]
    for e in range(joint_count(plan)):
        first, size, at, _, _ = node_of(plan, e)
        i, j = plan[col.HEADS + e, col.BODIES], plan[col.HEADS + e, col.BODIES + 1]
        w, x = W[i], W[j]
        if b == 3:
            o, p = 3 * i, 3 * j
            (w0, w1, w2), (x0, x1, x2) = three(w, col.ROOT), three(x, col.ROOT)
            u0, u1, u2, v0, v1, v2 = u[o], u[o + 1], u[o + 2], u[p], u[p + 1], u[p + 2]
            if size == 2:  # the same as below, kept in registers
                z, row = Y[first], J[first]
                a0, a1, a2, b0, b1, b2 = w0 * row[0], w1 * row[1], w2 * row[2], x0 * row[3], x1 * row[4], x2 * row[5]
                z[0], z[1], z[2], z[3], z[4], z[5] = a0, a1, a2, b0, b1, b2
                z, row = Y[first + 1], J[first + 1]
                c0, c1, c2, d0, d1, d2 = w0 * row[0], w1 * row[1], w2 * row[2], x0 * row[3], x1 * row[4], x2 * row[5]
                z[0], z[1], z[2], z[3], z[4], z[5] = c0, c1, c2, d0, d1, d2
                y[first] -= (a0 * u0 + a1 * u1 + a2 * u2) + (b0 * v0 + b1 * v1 + b2 * v2)
                y[first + 1] -= (c0 * u0 + c1 * u1 + c2 * u2) + (d0 * v0 + d1 * v1 + d2 * v2)
                S[at] = lengths[first] = (a0 * a0 + a1 * a1 + a2 * a2) + (b0 * b0 + b1 * b1 + b2 * b2)
                S[at + 2] = (a0 * c0 + a1 * c1 + a2 * c2) + (b0 * d0 + b1 * d1 + b2 * d2)
                S[at + 3] = lengths[first + 1] = (c0 * c0 + c1 * c1 + c2 * c2) + (d0 * d0 + d1 * d1 + d2 * d2)
                continue
            for r in range(size):
                z, row = Y[first + r], J[first + r]
                a0, a1, a2 = w0 * row[0], w1 * row[1], w2 * row[2]
                b0, b1, b2 = x0 * row[3], x1 * row[4], x2 * row[5]
                z[0], z[1], z[2], z[3], z[4], z[5] = a0, a1, a2, b0, b1, b2
                y[first + r] -= (a0 * u0 + a1 * u1 + a2 * u2) + (b0 * v0 + b1 * v1 + b2 * v2)
                length = (a0 * a0 + a1 * a1 + a2 * a2) + (b0 * b0 + b1 * b1 + b2 * b2)
                o = at + r * size
                for c in range(r):
                    z = Y[first + c]
                    S[o + c] = (a0 * z[0] + a1 * z[1] + a2 * z[2]) + (b0 * z[3] + b1 * z[4] + b2 * z[5])
                S[o + r] = lengths[first + r] = length
        else:
            o, p = 6 * i, 6 * j
            for r in range(size):
                z = Y[first + r]
                weigh(w, 6, J[first + r], z)
                weigh(x, 6, J[first + r, 6:], z[6:])
                left = y[first + r]
                for c in range(6):
                    left -= z[c] * u[o + c] + z[6 + c] * u[p + c]
                y[first + r] = left
                for c in range(r + 1):
                    other, s = Y[first + c], 0.0
                    for k in range(12):
                        s += z[k] * other[k]
                    S[at + r * size + c] = s
                lengths[first + r] = S[at + r * size + r]
    at = plan[first_line(plan, col.ENTRIES) - 1, col.DIAGONAL]  # of the last group
    for k in range(equations):
        row, out = C[first_equation + k], E[k]
        for i in range(n_b):
            weigh(W[i], b, row[b * i :], out[b * i :])
        left = y[first_equation + k]
        for o in range(b * n_b):
            left -= out[o] * u[o]
        y[first_equation + k] = left
        for c in range(k + 1):
            s = 0.0
            for o in range(b * n_b):
                s += out[o] * E[c, o]
            S[at + k * equations + c] = s
        lengths[first_equation + k] = S[at + k * equations + k]


@helper
def add_rates(plan, J, C, n_b, v, out):
    """out (m,) += C v."""
    b, equations, at = speeds_of_body(plan), plan[col.FACTS, col.EQUATIONS], plan[col.FACTS, col.FIRST_EQUATION]
    for e in range(joint_count(plan)):
        first, size = plan[col.HEADS + e, col.FIRST], plan[col.HEADS + e, col.SIZE]
        for side in range(2):
            body = plan[col.HEADS + e, col.BODIES + side]
            o, p = b * body, b * side
            if body < n_b and b == 3:
                for r in range(first, first + size):
                    out[r] += J[r, p] * v[o] + J[r, p + 1] * v[o + 1] + J[r, p + 2] * v[o + 2]
            elif body < n_b:
                for r in range(first, first + size):
                    for c in range(6):
                        out[r] += J[r, p + c] * v[o + c]
    for k in range(at, at + equations):
        for c in range(b * n_b):
            out[k] += C[k, c] * v[c]


@helper
def subtract_rows(plan, Y, E, u, out):
    """out (m,) -= (C W) u for u (n + b,)."""
    b, equations, at = speeds_of_body(plan), plan[col.FACTS, col.EQUATIONS], plan[col.FACTS, col.FIRST_EQUATION]
    for e in range(joint_count(plan)):
        first, size, i, j = rows_between(plan, e)
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


@unfolded
def add_row(b, y, s, i, j, u):
    """u of the two bodies of a row y += y' s."""
    for c in range(b):
        u[i + c] += y[c] * s
    for c in range(b):
        u[j + c] += y[b + c] * s


@helper
def add_reactions(plan, Y, E, lam, u):
    """u (n + b,) += (C W)' lam; the ground's places are written too, with zeros."""
    b, equations, at = speeds_of_body(plan), plan[col.FACTS, col.EQUATIONS], plan[col.FACTS, col.FIRST_EQUATION]
    for e in range(joint_count(plan)):
        first, size, i, j = rows_between(plan, e)
        i, j = b * i, b * j
        for r in range(first, first + size):
            y, s = Y[r], lam[r]
            if b == 3:
                add_row(3, y, s, i, j, u)
            else:
                add_row(6, y, s, i, j, u)
    for k in range(equations):
        s = lam[at + k]
        for c in range(u.shape[0] - b):
            u[c] += E[k, c] * s


@helper
def meet(plan, Y, E, S):
    """The blocks of S = Y Y' beside the diagonal, and zeros where the elimination fills in."""
    b, entry = speeds_of_body(plan), first_line(plan, col.ENTRIES)
    if plan[col.FACTS, col.FILLS] > 0:
        for k in range(entry, first_line(plan, col.PRODUCTS)):
            if plan[k, col.FILLED] > 0:
                at = plan[k, col.LEFT]
                for o in range(at, at + plan[k, col.FILLED]):
                    S[o] = 0.0
    for k in range(first_line(plan, col.MEETINGS), after(plan, col.MEETINGS)):
        r, rows, p, size, at = plan[k, col.ROW_A], plan[k, col.SIZE_A], plan[k, col.ROW_B], plan[k, col.SIZE_B], plan[k, col.MEETING_PLACE]
        o, q = b * plan[k, col.SIDE_A], b * plan[k, col.SIDE_B]
        if plan[k, col.MEETING_LATER] == 0:
            for c in range(at, at + rows * size):
                S[c] = 0.0
        if b == 3 and rows == 2 and size == 2:
            a0, a1, a2, b0, b1, b2 = Y[r, o], Y[r, o + 1], Y[r, o + 2], Y[r + 1, o], Y[r + 1, o + 1], Y[r + 1, o + 2]
            c0, c1, c2, d0, d1, d2 = Y[p, q], Y[p, q + 1], Y[p, q + 2], Y[p + 1, q], Y[p + 1, q + 1], Y[p + 1, q + 2]
            S[at] += a0 * c0 + a1 * c1 + a2 * c2
            S[at + 1] += a0 * d0 + a1 * d1 + a2 * d2
            S[at + 2] += b0 * c0 + b1 * c1 + b2 * c2
            S[at + 3] += b0 * d0 + b1 * d1 + b2 * d2
        elif b == 3:
            for a in range(rows):
                y0, y1, y2 = Y[r + a, o], Y[r + a, o + 1], Y[r + a, o + 2]
                for c in range(size):
                    S[at] += y0 * Y[p + c, q] + y1 * Y[p + c, q + 1] + y2 * Y[p + c, q + 2]
                    at += 1
        else:
            for a in range(rows):
                y = Y[r + a, o:]
                for c in range(size):
                    x = Y[p + c, q:]
                    s = y[0] * x[0] + y[1] * x[1] + y[2] * x[2]
                    S[at] += s + y[3] * x[3] + y[4] * x[4] + y[5] * x[5]
                    at += 1
    if plan[col.FACTS, col.EQUATIONS] > 0:
        meet_equations(plan, Y, E, S)


@helper
def meet_equations(plan, Y, E, S):
    """The blocks of the users' equations, the last node, with all others."""
    b, equations, entry = speeds_of_body(plan), plan[col.FACTS, col.EQUATIONS], first_line(plan, col.ENTRIES)
    for e in range(joint_count(plan)):
        first, size, below = plan[col.HEADS + e, col.FIRST], plan[col.HEADS + e, col.SIZE], plan[col.HEADS + e, col.BELOW]
        at = plan[entry + below - 1, col.LEFT]  # the last below every node
        entry += below
        for a in range(equations):
            for r in range(size):
                s = 0.0
                for side in range(2):
                    o = b * plan[col.HEADS + e, col.BODIES + side]
                    for c in range(b):
                        s += E[a, o + c] * Y[first + r, b * side + c]
                S[at + a * size + r] = s
