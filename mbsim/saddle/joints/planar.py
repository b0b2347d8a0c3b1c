"""The elimination of `mbsim.saddle.joints.factor` for planar bodies whose constraints are independent: one sweep down the table, one back.

M is diagonal, and only four entries of the two rows of a pin vary. So the blocks of S = C M^-1 C' are not computed beforehand: each node
adds its own when it is eliminated, to what the nodes before it left there. A pin's diagonal block D is inverted,

    S_fg -= B_f D^-1 B_g',   y_f -= B_f D^-1 y,   then   lam = D^-1 (y - sum B_f' lam_f)   on the way back,

which waits for one quotient; Cholesky waits for two roots and two quotients, one after the other. Other nodes are factored, L L'. The
elimination stops at a small pivot, and `factor.py`, which decides ranks and refines the solution, begins anew.
"""

from math import sqrt

from mbsim.jit import fused, helper, index
from mbsim.kernels.linalg import clear
from mbsim.kernels.spatial_vectors import three
from mbsim.saddle import columns as col
from mbsim.saddle.joints.factor import entry_of, node_of, product_of
from mbsim.saddle.lines import first_line, lines_of

WEAKER, INDEPENDENT, CLOSE = 0, 1, 2  # what the pivots of an elimination show: see `eliminate`


@helper
def accelerate(W, h, bodies):
    """bodies (n_b + 1, 6) <- a row a body: the diagonal of M^-1 = W W', then M^-1 h; the ground's are zeros.

    They are set each time: where multipliers overflowed once, 0 times infinity has left what is not a number there.
    """
    clear(bodies[bodies.shape[0] - 1])
    for i in range(bodies.shape[0] - 1):
        w, body, o = W[i], bodies[i], 3 * i
        x, y, turn = three(w, col.ROOT)
        k, l, m = x * x, y * y, turn * turn
        body[col.INVERSE_X], body[col.INVERSE_Y], body[col.INVERSE_ANGLE] = k, l, m
        body[col.ACCELERATION_X], body[col.ACCELERATION_Y], body[col.ACCELERATION_ANGLE] = k * h[o], l * h[o + 1], m * h[o + 2]


@helper
def velocities(bodies, out):
    """out (n,) <- what `solve_independent` made of M^-1 h."""
    for i in range(bodies.shape[0] - 1):
        for k in range(3):
            out[3 * i + k] = bodies[i, col.ACCELERATION + k]


@fused
def block_below(J, p, q, first, size, second, rows, of_first, of_second, S, o):
    """Add the block C_second M^-1 C_first' (rows, size) to S[o:]; bodies p and q of the first node are side of_first and of_second, -1:
    none, of the second."""
    for r in range(rows):
        for c in range(size):
            s, x, y = 0.0, J[second + r], J[first + c]
            for k in range(3):
                if of_first >= 0:
                    s += x[col.SECOND * of_first + k] * p[col.INVERSE_MASS + k] * y[k]
                if of_second >= 0:
                    s += x[col.SECOND * of_second + k] * q[col.INVERSE_MASS + k] * y[col.SECOND + k]
            S[o + r * size + c] += s


@fused
def factor_block(J, p, q, first, size, weak, near, S, at, y):
    """What is left of a node's block of S, L with inverted pivots in S[at:], and L^-1 y in place; returns as `eliminate`."""
    found = INDEPENDENT
    for r in range(size):
        x, o, left, length = J[first + r], at + r * size, y[first + r], 0.0
        for k in range(3):
            length += p[col.INVERSE_MASS + k] * x[k] * x[k] + q[col.INVERSE_MASS + k] * x[col.SECOND + k] * x[col.SECOND + k]
            left -= p[col.ACCELERATION + k] * x[k] + q[col.ACCELERATION + k] * x[col.SECOND + k]
        for c in range(r):
            s, z = S[o + c], J[first + c]
            for k in range(3):
                s += p[col.INVERSE_MASS + k] * x[k] * z[k] + q[col.INVERSE_MASS + k] * x[col.SECOND + k] * z[col.SECOND + k]
            for k in range(c):
                s -= S[o + k] * S[at + c * size + k]
            s *= S[at + c * size + c]
            S[o + c] = s
            left -= s * y[first + c]
        s = S[o + r] + length
        for c in range(r):
            s -= S[o + c] * S[o + c]
        if not (s > weak * length and s < 1e300):
            return WEAKER
        if not s > near * length:
            found = CLOSE
        s = 1.0 / sqrt(s)
        S[o + r], y[first + r] = s, left * s
    return found


@fused
def eliminate_node(plan, J, bodies, weak, near, e, entry, product, S, y):
    """The turn of node e, which is no pin; returns as `eliminate`. The blocks below become B L^-T."""
    first, size, at, below, products = node_of(plan, e)
    p, q = bodies[plan[col.HEADS + e, col.BODIES]], bodies[plan[col.HEADS + e, col.BODIES + 1]]
    found = factor_block(J, p, q, first, size, weak, near, S, at, y)
    if found == WEAKER:
        return found
    for n in range(entry, entry + below):
        o, rows, second = entry_of(plan, n)
        block_below(J, p, q, first, size, second, rows, plan[n, col.SIDES], plan[n, col.SIDES + 1], S, o)
        for r in range(rows):
            for c in range(size):
                s = S[o + c]
                for k in range(c):
                    s -= S[o + k] * S[at + c * size + k]
                s *= S[at + c * size + c]
                S[o + c] = s
                y[second + r] -= s * y[first + c]
            o += size
    for n in range(product, product + products):
        a, rows, b, columns, o = product_of(plan, n)
        for r in range(rows):
            for c in range(columns):
                s = 0.0
                for k in range(size):
                    s += S[a + r * size + k] * S[b + c * size + k]
                S[o + r * columns + c] -= s
    return found


@fused
def return_to_node(plan, J, bodies, e, entry, S, y):
    """The multipliers of node e, which is no pin, and what they do to its bodies."""
    first, size, at, below, _ = node_of(plan, e)
    p, q = bodies[plan[col.HEADS + e, col.BODIES]], bodies[plan[col.HEADS + e, col.BODIES + 1]]
    for n in range(entry, entry + below):
        o, rows, second = entry_of(plan, n)
        for r in range(rows):
            for c in range(size):
                y[first + c] -= S[o + r * size + c] * y[second + r]
    for r in range(size - 1, -1, -1):
        s, x = y[first + r] * S[at + r * size + r], J[first + r]
        y[first + r] = s
        for c in range(r):
            y[first + c] -= S[at + r * size + c] * s
        for k in range(3):
            p[col.ACCELERATION + k] += p[col.INVERSE_MASS + k] * x[k] * s
            q[col.ACCELERATION + k] += q[col.INVERSE_MASS + k] * x[col.SECOND + k] * s


@fused
def solve_independent(plan, J, weak, near, S, bodies, y):
    """y (m,) <- the multipliers lam with C M^-1 C' lam = y - C a, and a += M^-1 C' lam, a the accelerations in bodies (n_b + 1, 6).

    Returns as `eliminate`; where a pivot is WEAKER, nothing of it counts. J (m, 6): body blocks of the rows of C.
    """
    clear(S)
    found = eliminate(plan, J, weak, near, S, bodies, y)
    if found != WEAKER:
        substitute(plan, J, S, bodies, y)
    return found


@fused
def eliminate(plan, J, weak, near, S, bodies, y):
    """The sweep down the table, on what S and y hold already; returns what the pivots show.

    WEAKER: one is below `weak` of its row's squared length, where the sweep ends; CLOSE: one is below `near` of it; else INDEPENDENT.
    """
    found = INDEPENDENT
    nodes, entry = lines_of(plan, col.GROUPS), first_line(plan, col.ENTRIES)
    product = first_line(plan, col.PRODUCTS)
    for e in range(nodes):
        below, products = plan[col.HEADS + e, col.BELOW], plan[col.HEADS + e, col.UPDATES]
        if plan[col.HEADS + e, col.PIN] == 0:
            shown = eliminate_node(plan, J, bodies, weak, near, e, entry, product, S, y)
            if shown == WEAKER:
                return shown
            found = max(found, shown)
            entry += below
            product += products
            continue
        first, at = index(plan[col.HEADS + e, col.FIRST]), index(plan[col.HEADS + e, col.DIAGONAL])
        p, q = bodies[index(plan[col.HEADS + e, col.BODIES])], bodies[index(plan[col.HEADS + e, col.BODIES + 1])]
        # the rows are (-1, 0, f, 1, 0, g) and (0, -1, r, 0, 1, s)
        f, g, k = J[first, col.ANGLE], J[first, col.SECOND_ANGLE], p[col.INVERSE_ANGLE]
        r, s, l = J[first + 1, col.ANGLE], J[first + 1, col.SECOND_ANGLE], q[col.INVERSE_ANGLE]
        long = p[col.INVERSE_X] + q[col.INVERSE_X] + k * f * f + l * g * g
        longer = p[col.INVERSE_Y] + q[col.INVERSE_Y] + k * r * r + l * s * s
        a, b, c = S[at] + long, S[at + 2] + (k * f * r + l * g * s), S[at + 3] + longer
        determinant = a * c - b * b
        if not (a > weak * long and determinant > weak * longer * a and determinant < 1e300):
            return WEAKER
        if not (a > near * long and determinant > near * longer * a):
            found = CLOSE
        inverse = 1.0 / determinant
        S[at], S[at + 2], S[at + 3] = c * inverse, -b * inverse, a * inverse
        u, v = p[col.ACCELERATION_ANGLE], q[col.ACCELERATION_ANGLE]
        y0 = y[first] + (p[col.ACCELERATION_X] - q[col.ACCELERATION_X] - f * u - g * v)
        y1 = y[first + 1] + (p[col.ACCELERATION_Y] - q[col.ACCELERATION_Y] - r * u - s * v)
        y[first], y[first + 1] = y0, y1
        y0, y1 = c * y0 - b * y1, a * y1 - b * y0  # D^-1 y, but for the determinant
        for n in range(entry, entry + below):
            o, second = index(plan[n, col.LEFT]), index(plan[n, col.LATER_FIRST])
            if plan[n, col.BOTH_PINS] == 1:  # a pin too, on one of the two bodies
                side = index(max(plan[n, col.SIDES], plan[n, col.SIDES + 1]))
                if plan[n, col.SIDES] >= 0:
                    body, u, v = p, f, r
                    equal = side == 0
                else:
                    body, u, v = q, g, s
                    equal = side == 1
                x, z, turn = body[col.INVERSE_X], body[col.INVERSE_Y], body[col.INVERSE_ANGLE]
                k, l = turn * J[second, col.SECOND * side + col.ANGLE], turn * J[second + 1, col.SECOND * side + col.ANGLE]
                b00, b01 = S[o] + (x if equal else -x) + k * u, S[o + 1] + k * v
                b10, b11 = S[o + 2] + l * u, S[o + 3] + (z if equal else -z) + l * v
                S[o], S[o + 1], S[o + 2], S[o + 3] = b00, b01, b10, b11
                y[second] -= inverse * (b00 * y0 + b01 * y1)
                y[second + 1] -= inverse * (b10 * y0 + b11 * y1)
                if below == 1:  # and the one product at once
                    o = index(plan[n, col.LATER_DIAGONAL])
                    u, v = b00 * c - b01 * b, b01 * a - b00 * b
                    S[o] -= inverse * (u * b00 + v * b01)
                    S[o + 2] -= inverse * (u * b10 + v * b11)
                    S[o + 3] -= inverse * ((b10 * c - b11 * b) * b10 + (b11 * a - b10 * b) * b11)
            else:
                block_below(J, p, q, first, 2, second, plan[n, col.LATER_SIZE], plan[n, col.SIDES], plan[n, col.SIDES + 1], S, o)
                for i in range(plan[n, col.LATER_SIZE]):
                    y[second + i] -= inverse * (S[o + 2 * i] * y0 + S[o + 2 * i + 1] * y1)
        if below > 1 or (below == 1 and plan[entry, col.BOTH_PINS] == 0):
            for n in range(product, product + products):
                i, rows, j, columns, o = product_of(plan, n)
                for k in range(rows):
                    u, v = S[i + 2 * k], S[i + 2 * k + 1]
                    u, v = inverse * (u * c - v * b), inverse * (v * a - u * b)
                    for l in range(columns):
                        S[o + k * columns + l] -= u * S[j + 2 * l] + v * S[j + 2 * l + 1]
        entry += below
        product += products
    return found


@fused
def substitute(plan, J, S, bodies, y):
    """The sweep back: y becomes the multipliers, and the accelerations in `bodies` those with them."""
    entry = first_line(plan, col.PRODUCTS)
    for e in range(lines_of(plan, col.GROUPS) - 1, -1, -1):
        below = plan[col.HEADS + e, col.BELOW]
        entry -= below
        if plan[col.HEADS + e, col.PIN] == 0:
            return_to_node(plan, J, bodies, e, entry, S, y)
            continue
        first, at = index(plan[col.HEADS + e, col.FIRST]), index(plan[col.HEADS + e, col.DIAGONAL])
        p, q = bodies[index(plan[col.HEADS + e, col.BODIES])], bodies[index(plan[col.HEADS + e, col.BODIES + 1])]
        y0, y1 = y[first], y[first + 1]
        for n in range(entry, entry + below):
            o, second = index(plan[n, col.LEFT]), index(plan[n, col.LATER_FIRST])
            for i in range(plan[n, col.LATER_SIZE]):
                y0 -= S[o + 2 * i] * y[second + i]
                y1 -= S[o + 2 * i + 1] * y[second + i]
        u, v = S[at] * y0 + S[at + 2] * y1, S[at + 2] * y0 + S[at + 3] * y1
        y[first], y[first + 1] = u, v
        p[col.ACCELERATION_X] -= p[col.INVERSE_X] * u
        p[col.ACCELERATION_Y] -= p[col.INVERSE_Y] * v
        p[col.ACCELERATION_ANGLE] += p[col.INVERSE_ANGLE] * (J[first, col.ANGLE] * u + J[first + 1, col.ANGLE] * v)
        q[col.ACCELERATION_X] += q[col.INVERSE_X] * u
        q[col.ACCELERATION_Y] += q[col.INVERSE_Y] * v
        q[col.ACCELERATION_ANGLE] += q[col.INVERSE_ANGLE] * (J[first, col.SECOND_ANGLE] * u + J[first + 1, col.SECOND_ANGLE] * v)
