"""Vectors of three numbers and spatial vectors of six, (angular, linear), as tuples, and where they stand in the row of a table.

Tuples of numbers stay in registers; small arrays would be stored and loaded again. `at` is the first column of what is meant in the row.
A 3 x 3 matrix stands by rows; a symmetric one as its entries XX, YY, ZZ, XY, XZ, YZ.
"""

from mbsim.jit import fused

XX, YY, ZZ, XY, XZ, YZ = 0, 1, 2, 3, 4, 5  # places in a symmetric 3 x 3 matrix
ANGULAR_Z, LINEAR_Z = 2, 5  # places in a spatial vector: about the z axis, along it
ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@fused
def three(row, at):
    return row[at], row[at + 1], row[at + 2]


@fused
def six(row, at):
    return row[at], row[at + 1], row[at + 2], row[at + 3], row[at + 4], row[at + 5]


@fused
def put_three(row, at, a):
    row[at], row[at + 1], row[at + 2] = a


@fused
def put_six(row, at, s):
    row[at], row[at + 1], row[at + 2], row[at + 3], row[at + 4], row[at + 5] = s


@fused
def add_three(row, at, a):
    row[at] += a[0]
    row[at + 1] += a[1]
    row[at + 2] += a[2]


@fused
def add_six(row, at, s):
    add_three(row, at, s[:3])
    add_three(row, at + 3, s[3:])


@fused
def cross(a, b):
    """a x b of vectors of three."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@fused
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@fused
def dot_six(s, t):
    return s[0] * t[0] + s[1] * t[1] + s[2] * t[2] + s[3] * t[3] + s[4] * t[4] + s[5] * t[5]


@fused
def plus_dot(c, s, t):
    """c + s' t of spatial vectors, term after term."""
    return c + s[0] * t[0] + s[1] * t[1] + s[2] * t[2] + s[3] * t[3] + s[4] * t[4] + s[5] * t[5]


@fused
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@fused
def plus_six(s, t):
    return plus(s[:3], t[:3]) + plus(s[3:], t[3:])


@fused
def minus_six(s, t):
    return s[0] - t[0], s[1] - t[1], s[2] - t[2], s[3] - t[3], s[4] - t[4], s[5] - t[5]


@fused
def scaled(c, a):
    """c a of a vector of three."""
    return c * a[0], c * a[1], c * a[2]


@fused
def scaled_six(c, s):
    return scaled(c, s[:3]) + scaled(c, s[3:])


@fused
def times(row, at, a):
    """A a of the matrix A."""
    return dot(three(row, at), a), dot(three(row, at + 3), a), dot(three(row, at + 6), a)


@fused
def transpose_times(row, at, a):
    """A' a of the matrix A."""
    return (
        row[at] * a[0] + row[at + 3] * a[1] + row[at + 6] * a[2],
        row[at + 1] * a[0] + row[at + 4] * a[1] + row[at + 7] * a[2],
        row[at + 2] * a[0] + row[at + 5] * a[1] + row[at + 8] * a[2],
    )


@fused
def symmetric_columns(row, at):
    """The three columns of the symmetric matrix A."""
    xx, yy, zz, xy, xz, yz = six(row, at)
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


@fused
def symmetric_times(row, at, a):
    """A a of the symmetric matrix A."""
    x, y, z = symmetric_columns(row, at)
    return dot(x, a), dot(y, a), dot(z, a)


@fused
def subtract_symmetric(row, at, a, b):
    """Take a b', which is symmetric, from a symmetric matrix."""
    row[at + XX] -= a[0] * b[0]
    row[at + YY] -= a[1] * b[1]
    row[at + ZZ] -= a[2] * b[2]
    row[at + XY] -= a[0] * b[1]
    row[at + XZ] -= a[0] * b[2]
    row[at + YZ] -= a[1] * b[2]


@fused
def subtract_scaled(row, at, c, b):
    """Take c b from a vector of three."""
    row[at] -= c * b[0]
    row[at + 1] -= c * b[1]
    row[at + 2] -= c * b[2]
