"""Elimination of bodies with the rows that hold them: A x = y by the table of `mbsim.saddle.bodies.table`, A unsymmetric, real or complex.

    A_gg = P' L U,   X_gf = A_gg^-1 A_gf,   A_ef -= A_eg X_gf        for every group g in the order of the table, e and f coupled to it
    x_g = A_gg^-1 y_g,   y_e -= A_eg x_g;   backwards x_g -= sum X_gf x_f

All blocks lie in S, row by row. Rows are exchanged inside a group only. `columns.py` names the columns of the table.
"""

from mbsim.jit import helper, index, unfolded
from mbsim.saddle import columns as col
from mbsim.saddle.bodies.pins import PIN, REST, invert_pin, solve_pin, spread_pin, subtract_left, subtract_pin, subtract_right
from mbsim.saddle.bodies.squares import PLANAR, SPATIAL, solve_six, solve_three, subtract_six, subtract_three
from mbsim.saddle.lines import first_line, lines_of, speeds_of_body

INVERTED = -1  # the order of a group whose block is its inverse


@helper
def find_slots(table, slots):
    """slots (k,): which of [speeds; multipliers; states; laws] is unknown k in the order of the elimination."""
    line = first_line(table, col.SLOTS)
    for k in range(slots.shape[0]):
        slots[k] = table[line + k // col.WIDTH, k % col.WIDTH]


@unfolded
def factor_block(S, at, size, order):
    """P A = L U of a block in place, pivots inverted, order (size,) the rows as exchanged; False when it is singular."""
    for k in range(size):
        r, largest = k, abs(S[at + k * size + k])
        for i in range(k + 1, size):
            if abs(S[at + i * size + k]) > largest:
                r, largest = i, abs(S[at + i * size + k])
        order[k] = r
        if not 0.0 < largest < 1e300:
            return False
        o = at + k * size
        if r != k:
            p = at + r * size
            for j in range(size):
                S[o + j], S[p + j] = S[p + j], S[o + j]
        inverse = 1.0 / S[o + k]
        S[o + k] = inverse
        for i in range(k + 1, size):
            p = at + i * size
            f = S[p + k] * inverse
            S[p + k] = f
            for j in range(k + 1, size):
                S[p + j] -= f * S[o + j]
    return True


@unfolded
def solve_columns(S, at, size, order, right, count):
    """The block (size, count) at `right` becomes A^-1 times it."""
    for k in range(size):
        r = order[k]
        if r != k:
            o, p = right + k * count, right + r * count
            for j in range(count):
                S[o + j], S[p + j] = S[p + j], S[o + j]
    for k in range(size):
        o = right + k * count
        for i in range(k + 1, size):
            f, p = S[at + i * size + k], right + i * count
            for j in range(count):
                S[p + j] -= f * S[o + j]
    for k in range(size - 1, -1, -1):
        o = right + k * count
        for i in range(k + 1, size):
            f, p = S[at + k * size + i], right + i * count
            for j in range(count):
                S[o + j] -= f * S[p + j]
        inverse = S[at + k * size + k]
        for j in range(count):
            S[o + j] *= inverse


@unfolded
def multiply_columns(S, at, size, right, count):
    """The block (size, count) at `right` becomes the one at `at` times it, for a size of five."""
    for c in range(count):
        a, b = right + c, right + 3 * count + c
        x0, x1, x2, x3, x4 = S[a], S[a + count], S[a + 2 * count], S[b], S[b + count]
        for k in range(size):
            o = at + k * size
            S[a + k * count] = S[o] * x0 + S[o + 1] * x1 + S[o + 2] * x2 + S[o + 3] * x3 + S[o + 4] * x4


@unfolded
def solve_vector(S, at, size, order, y, first):
    """The same of y[first:first + size]."""
    for k in range(size):
        r = order[k]
        if r != k:
            y[first + k], y[first + r] = y[first + r], y[first + k]
    for k in range(size):
        x = y[first + k]
        for i in range(k + 1, size):
            y[first + i] -= S[at + i * size + k] * x
    for k in range(size - 1, -1, -1):
        x = y[first + k]
        for i in range(k + 1, size):
            x -= S[at + k * size + i] * y[first + i]
        y[first + k] = x * S[at + k * size + k]


@unfolded
def subtract_product(S, left, rows, size, right, columns, target, stride):
    """(rows, columns) at `target` -= (rows, size) at `left` times (size, columns) at `right`."""
    for a in range(rows):
        for c in range(columns):
            s = 0.0
            for k in range(size):
                s += S[left + a * size + k] * S[right + k * columns + c]
            S[target + a * stride + c] -= s


@unfolded
def subtract_columns(S, at, rows, columns, x, first, y, second):
    """y[second:second + rows] -= the block (rows, columns) at `at` times x[first:first + columns]."""
    for a in range(rows):
        s = 0.0
        for c in range(columns):
            s += S[at + a * columns + c] * x[first + c]
        y[second + a] -= s


@helper
def factor(table, S, order):
    """Factor all blocks; order (n + m,) holds the row exchanges. Returns -1, or the group whose block is singular.

    The block of a group whose order is INVERTED is its inverse.
    """
    entry, product = first_line(table, col.ENTRIES), first_line(table, col.PRODUCTS)
    for g in range(lines_of(table, col.GROUPS)):
        group = table[col.HEADS + g]
        size, at, first = group[col.SIZE], index(group[col.DIAGONAL]), index(group[col.FIRST])
        pin = size == PIN and group[col.OUTER] == REST and invert_pin(S, at)
        if pin:
            order[first] = INVERTED
        elif not (factor_block(S, at, PLANAR, order[first:]) if size == PLANAR else factor_block(S, at, size, order[first:])):
            return g
        for k in range(entry, entry + group[col.BELOW]):
            right, count = index(table[k, col.RIGHT]), table[k, col.LATER_SIZE]
            if pin and count == REST:
                spread_pin(S, at, right)
            elif pin:
                multiply_columns(S, at, PIN, right, count)
            elif size == PLANAR and count == PLANAR:
                solve_three(S, at, order[first:], right)
            elif size == SPATIAL and count == SPATIAL:
                solve_six(S, at, order[first:], right)
            else:
                solve_columns(S, at, size, order[first:], right, count)
        entry += group[col.BELOW]
        for k in range(product, product + group[col.UPDATES]):
            line = table[k]
            left, rows = index(line[col.FROM_LEFT]), line[col.LEFT_ROWS]
            right, columns = index(line[col.FROM_RIGHT]), line[col.RIGHT_COLUMNS]
            if pin and rows == REST and columns == REST:
                subtract_pin(S, left, right, index(line[col.TARGET]), index(line[col.STRIDE]))
            elif size == PLANAR and rows == PLANAR and columns == PLANAR:
                subtract_three(S, left, right, index(line[col.TARGET]), index(line[col.STRIDE]))
            elif size == SPATIAL and rows == SPATIAL and columns == SPATIAL:
                subtract_six(S, left, right, index(line[col.TARGET]), index(line[col.STRIDE]))
            else:
                subtract_product(S, left, rows, size, right, columns, line[col.TARGET], line[col.STRIDE])
        product += group[col.UPDATES]
    return -1


@helper
def solve(table, S, order, y):
    """y (n + m,), in the order of the elimination, becomes the solution."""
    entry = first_line(table, col.ENTRIES)
    for g in range(lines_of(table, col.GROUPS)):
        group = table[col.HEADS + g]
        size, first, at = group[col.SIZE], index(group[col.FIRST]), index(group[col.DIAGONAL])
        pin, x = order[first] == INVERTED, (0.0, 0.0, 0.0, 0.0, 0.0)
        if pin:
            x = solve_pin(S, at, y, first)
        elif size == PLANAR:
            solve_vector(S, at, PLANAR, order[first:], y, first)
        elif size == SPATIAL:
            solve_vector(S, at, SPATIAL, order[first:], y, first)
        else:
            solve_vector(S, at, size, order[first:], y, first)
        for k in range(entry, entry + group[col.BELOW]):
            left, later, outer = index(table[k, col.LEFT]), index(table[k, col.LATER_FIRST]), table[k, col.LATER_SIZE]
            if pin and outer == REST:
                subtract_left(S, left, x, y, later)
            elif size == PLANAR and outer == PLANAR:
                subtract_columns(S, left, PLANAR, PLANAR, y, first, y, later)
            elif size == SPATIAL and outer == SPATIAL:
                subtract_columns(S, left, SPATIAL, SPATIAL, y, first, y, later)
            else:
                subtract_columns(S, left, outer, size, y, first, y, later)
        entry += group[col.BELOW]
    for g in range(lines_of(table, col.GROUPS) - 1, -1, -1):
        group = table[col.HEADS + g]
        first, count, size = index(group[col.FIRST]), group[col.BELOW], group[col.SIZE]
        entry -= count
        for k in range(entry, entry + count):
            right, later, outer = index(table[k, col.RIGHT]), index(table[k, col.LATER_FIRST]), table[k, col.LATER_SIZE]
            if size == PIN and outer == REST:
                subtract_right(S, right, y, later, first)
            elif size == PLANAR and outer == PLANAR:
                subtract_columns(S, right, PLANAR, PLANAR, y, later, y, first)
            elif size == SPATIAL and outer == SPATIAL:
                subtract_columns(S, right, SPATIAL, SPATIAL, y, later, y, first)
            else:
                subtract_columns(S, right, size, outer, y, later, y, first)


@helper
def add_masses(arrays, table, scale, S):
    """The mass matrix of the bodies times `scale` on their diagonal blocks, which hold zeros."""
    for g in range(lines_of(table, col.GROUPS)):
        group = table[col.HEADS + g]
        body, at, size = group[col.BODY], group[col.DIAGONAL], group[col.SIZE]
        if body < 0:
            continue
        masses = arrays.masses[body]
        if speeds_of_body(table) == 3:
            S[at], S[at + size + 1], S[at + 2 * size + 2] = scale * masses[0], scale * masses[0], scale * masses[1]
        else:
            for c in range(3):
                S[at + c * size + c] = scale * masses[0]
                for k in range(3):
                    S[at + (3 + c) * size + 3 + k] = scale * masses[1 + 3 * c + k]


@helper
def place_rows(arrays, table, dropped, S):
    """C, added to what stands there, and -C' from the body blocks of the rows; a row that is left out (dropped[r] = 1) becomes lam_r = 0.

    The diagonal of states and laws becomes 1, added likewise.
    """
    J, b, line = arrays.jacobian, speeds_of_body(table), first_line(table, col.ROWS)
    for r in range(dropped.shape[0]):
        left_out = dropped[r] == 1
        if left_out:
            S[table[line + r, col.OWN_PLACE]] = 1.0
        for side in range(2):
            at, over = table[line + r, col.SIDE * side], table[line + r, col.SIDE * side + 1]
            stride = table[line + r, col.SIDE * side + 2]
            if at >= 0:
                for c in range(b):
                    x = J[r, b * side + c]
                    S[at + c] = 0.0 if left_out else S[at + c] + x
                    S[over + c * stride] = 0.0 if left_out else -x
    for k in range(lines_of(table, col.EXTRAS)):
        S[table[first_line(table, col.EXTRAS) + k, 0]] += 1.0


@unfolded
def react(arrays, b, lam, v, h, out):
    """`add_reactions` with b speeds a body."""
    J, n_b = arrays.jacobian, arrays.frames.shape[0] - 1
    for r in range(lam.shape[0]):
        x, s = lam[r], 0.0
        for side in range(2):
            body = index(arrays.row_bodies[r, side])  # a very large number where a row has no blocks
            if body < n_b:
                for c in range(b):
                    s += J[r, b * side + c] * v[b * body + c]
                    h[b * body + c] += J[r, b * side + c] * x
        out[r] = s


@helper
def add_reactions(arrays, table, lam, v, h, out):
    """h (n,) += C' lam and out (m,) = C v from the body blocks of the rows; out is 0 of rows that have none."""
    if speeds_of_body(table) == 3:
        react(arrays, 3, lam, v, h, out)
    else:
        react(arrays, 6, lam, v, h, out)


@helper
def subtract_inertia(arrays, planar, x, force):
    """force (n,) -= M x of bodies."""
    for body in range(arrays.masses.shape[0]):
        masses = arrays.masses[body]
        if planar:
            o = 3 * body
            force[o] -= masses[0] * x[o]
            force[o + 1] -= masses[0] * x[o + 1]
            force[o + 2] -= masses[1] * x[o + 2]
        else:
            o = 6 * body
            for c in range(3):
                force[o + c] -= masses[0] * x[o + c]
                s = 0.0
                for k in range(3):
                    s += masses[1 + 3 * c + k] * x[o + 3 + k]
                force[o + 3 + c] -= s
