"""Square blocks of three and of six unknowns, bodies that no row holds, such as the nodes of beams: their rows stay in registers.

The plain way is `solve_columns` and `subtract_product` of `factor.py`, which take blocks of any size. A block of six takes half of their
time here: what is written to S may be what is read from it next, so they read everything again.
"""

from mbsim.jit import fused, unfolded
from mbsim.kernels.spatial_vectors import put_six, put_three, scaled, scaled_six, six, three

PLANAR, SPATIAL = 3, 6


@fused
def less_three(x, f, r):
    """x - f r."""
    return x[0] - f * r[0], x[1] - f * r[1], x[2] - f * r[2]


@fused
def less_six(x, f, r):
    """x - f r."""
    return x[0] - f * r[0], x[1] - f * r[1], x[2] - f * r[2], x[3] - f * r[3], x[4] - f * r[4], x[5] - f * r[5]


@unfolded
def solve_three(S, at, order, right):
    """The block (3, 3) at `right` becomes A^-1 times it, A = P' L U at `at`."""
    for k in range(2):
        r = order[k]
        if r != k:
            x, y = three(S, right + 3 * k), three(S, right + 3 * r)
            put_three(S, right + 3 * k, y), put_three(S, right + 3 * r, x)
    x0 = three(S, right)
    x1 = less_three(three(S, right + 3), S[at + 3], x0)
    x2 = less_three(less_three(three(S, right + 6), S[at + 6], x0), S[at + 7], x1)
    x2 = scaled(S[at + 8], x2)
    x1 = scaled(S[at + 4], less_three(x1, S[at + 5], x2))
    x0 = scaled(S[at], less_three(less_three(x0, S[at + 1], x1), S[at + 2], x2))
    put_three(S, right, x0), put_three(S, right + 3, x1), put_three(S, right + 6, x2)


@unfolded
def solve_six(S, at, order, right):
    """The block (6, 6) at `right` becomes A^-1 times it, A = P' L U at `at`."""
    for k in range(5):
        r = order[k]
        if r != k:
            x, y = six(S, right + 6 * k), six(S, right + 6 * r)
            put_six(S, right + 6 * k, y), put_six(S, right + 6 * r, x)
    x0 = six(S, right)
    x1 = less_six(six(S, right + 6), S[at + 6], x0)
    x2 = less_six(less_six(six(S, right + 12), S[at + 12], x0), S[at + 13], x1)
    x3 = less_six(less_six(less_six(six(S, right + 18), S[at + 18], x0), S[at + 19], x1), S[at + 20], x2)
    x4 = less_six(less_six(six(S, right + 24), S[at + 24], x0), S[at + 25], x1)
    x4 = less_six(less_six(x4, S[at + 26], x2), S[at + 27], x3)
    x5 = less_six(less_six(six(S, right + 30), S[at + 30], x0), S[at + 31], x1)
    x5 = less_six(less_six(less_six(x5, S[at + 32], x2), S[at + 33], x3), S[at + 34], x4)
    x5 = scaled_six(S[at + 35], x5)
    x4 = scaled_six(S[at + 28], less_six(x4, S[at + 29], x5))
    x3 = scaled_six(S[at + 21], less_six(less_six(x3, S[at + 22], x4), S[at + 23], x5))
    x2 = scaled_six(S[at + 14], less_six(less_six(less_six(x2, S[at + 15], x3), S[at + 16], x4), S[at + 17], x5))
    x1 = less_six(less_six(x1, S[at + 8], x2), S[at + 9], x3)
    x1 = scaled_six(S[at + 7], less_six(less_six(x1, S[at + 10], x4), S[at + 11], x5))
    x0 = less_six(less_six(less_six(x0, S[at + 1], x1), S[at + 2], x2), S[at + 3], x3)
    x0 = scaled_six(S[at], less_six(less_six(x0, S[at + 4], x4), S[at + 5], x5))
    put_six(S, right, x0), put_six(S, right + 6, x1), put_six(S, right + 12, x2)
    put_six(S, right + 18, x3), put_six(S, right + 24, x4), put_six(S, right + 30, x5)


@unfolded
def subtract_three(S, left, right, target, stride):
    """The block (3, 3) at `target` -= that at `left` times that at `right`."""
    r0, r1, r2 = three(S, right), three(S, right + 3), three(S, right + 6)
    for a in range(3):
        f = three(S, left + 3 * a)
        x = less_three(less_three(three(S, target + a * stride), f[0], r0), f[1], r1)
        put_three(S, target + a * stride, less_three(x, f[2], r2))


@unfolded
def subtract_six(S, left, right, target, stride):
    """The block (6, 6) at `target` -= that at `left` times that at `right`."""
    r0, r1, r2 = six(S, right), six(S, right + 6), six(S, right + 12)
    r3, r4, r5 = six(S, right + 18), six(S, right + 24), six(S, right + 30)
    for a in range(6):
        f = six(S, left + 6 * a)
        x = less_six(less_six(less_six(six(S, target + a * stride), f[0], r0), f[1], r1), f[2], r2)
        put_six(S, target + a * stride, less_six(less_six(less_six(x, f[3], r3), f[4], r4), f[5], r5))
