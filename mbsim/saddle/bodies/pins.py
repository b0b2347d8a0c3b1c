"""The inverse of a planar body's block with the two rows that hold it, by far the most common block of an elimination.

    [A  B]      A (3, 3),  B (3, 2),  C (2, 3)       n = c_0 x c_1, so that C n = 0;   m = b_0 x b_1, so that m' B = 0
    [C  0]      A v + B l = y,  C v = z:             v = P z + n s,  C P = I;   m' A n s = m' (y - A P z);   l = Q' (y - A v),  Q' B = I

c_i are the rows of C and b_i the columns of B. What is left of the body is one unknown, s, the turn about its joint: one pivot, no choice
of pivots, and sums that do not wait for each other. The plain way is `factor_block` of `factor.py`, which takes the blocks that this
refuses.
"""

from mbsim.jit import fused, unfolded
from mbsim.kernels.spatial_vectors import cross, dot, three

PIN, REST = 5, 3  # unknowns of a planar body with two rows, and what other groups see of it


@fused
def scaled(f, a):
    """f times a vector of three."""
    return f * a[0], f * a[1], f * a[2]


@fused
def times(a0, a1, a2, x):
    """A x by the rows of A."""
    return dot(a0, x), dot(a1, x), dot(a2, x)


@fused
def left_over(p, f, n):
    """p - f n."""
    return p[0] - f * n[0], p[1] - f * n[1], p[2] - f * n[2]


@fused
def put_line(S, at, f, m, x, y):
    """A line of the inverse: f m' and two more numbers."""
    S[at], S[at + 1], S[at + 2], S[at + 3], S[at + 4] = f * m[0], f * m[1], f * m[2], x, y


@unfolded
def invert_pin(S, at):
    """The block at `at` becomes its inverse. False, and nothing is changed, where it has not this form or is singular."""
    a0, a1, a2 = three(S, at), three(S, at + PIN), three(S, at + 2 * PIN)
    b0, b1 = (S[at + 3], S[at + 8], S[at + 13]), (S[at + 4], S[at + 9], S[at + 14])
    c0, c1 = three(S, at + 15), three(S, at + 20)
    n, m = cross(c0, c1), cross(b0, b1)
    nn, mm = dot(n, n), dot(m, m)
    turned = times(a0, a1, a2, n)
    d = dot(m, turned)
    free = abs(S[at + 18]) + abs(S[at + 19]) + abs(S[at + 23]) + abs(S[at + 24])
    if not (free == 0.0 and 0.0 < abs(nn) < 1e300 and 0.0 < abs(mm) < 1e300 and 0.0 < abs(d) < 1e300):
        return False
    inverse, inverse_n, inverse_m = 1.0 / d, 1.0 / nn, 1.0 / mm
    p0, p1 = scaled(inverse_n, cross(c1, n)), scaled(inverse_n, cross(n, c0))
    q0, q1 = scaled(inverse_m, cross(b1, m)), scaled(inverse_m, cross(m, b0))
    a_p0, a_p1 = times(a0, a1, a2, p0), times(a0, a1, a2, p1)
    s0, s1 = inverse * dot(m, a_p0), inverse * dot(m, a_p1)
    x0, x1 = left_over(p0, s0, n), left_over(p1, s1, n)
    for k in range(3):
        put_line(S, at + PIN * k, inverse * n[k], m, x0[k], x1[k])
    r0, r1 = left_over(a_p0, s0, turned), left_over(a_p1, s1, turned)  # A times x0 and x1
    f0, f1 = inverse * dot(q0, turned), inverse * dot(q1, turned)
    put_line(S, at + 15, -f0, m, -dot(q0, r0), -dot(q0, r1))
    put_line(S, at + 20, -f1, m, -dot(q1, r0), -dot(q1, r1))
    for k in range(3):
        S[at + 15 + k] += q0[k]
        S[at + 20 + k] += q1[k]
    return True


@fused
def five(S, at):
    return S[at], S[at + 1], S[at + 2], S[at + 3], S[at + 4]


@fused
def dot_five(a, x):
    return a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + (a[3] * x[3] + a[4] * x[4])


@fused
def column(S, at):
    """A column of the block (5, 3) whose first number is at `at`."""
    return S[at], S[at + 3], S[at + 6], S[at + 9], S[at + 12]


@fused
def put_column(S, at, x):
    S[at], S[at + 3], S[at + 6], S[at + 9], S[at + 12] = x


@unfolded
def spread_pin(S, at, right):
    """The block (5, 3) at `right` becomes the inverse at `at` times it."""
    a0, a1, a2, a3, a4 = five(S, at), five(S, at + 5), five(S, at + 10), five(S, at + 15), five(S, at + 20)
    x, y, z = column(S, right), column(S, right + 1), column(S, right + 2)
    put_column(S, right, (dot_five(a0, x), dot_five(a1, x), dot_five(a2, x), dot_five(a3, x), dot_five(a4, x)))
    put_column(S, right + 1, (dot_five(a0, y), dot_five(a1, y), dot_five(a2, y), dot_five(a3, y), dot_five(a4, y)))
    put_column(S, right + 2, (dot_five(a0, z), dot_five(a1, z), dot_five(a2, z), dot_five(a3, z), dot_five(a4, z)))


@unfolded
def subtract_pin(S, left, right, target, stride):
    """(3, 3) at `target` -= (3, 5) at `left` times (5, 3) at `right`."""
    x, y, z = column(S, right), column(S, right + 1), column(S, right + 2)
    for a in range(REST):
        line, to = five(S, left + PIN * a), target + a * stride
        S[to], S[to + 1], S[to + 2] = S[to] - dot_five(line, x), S[to + 1] - dot_five(line, y), S[to + 2] - dot_five(line, z)


@unfolded
def solve_pin(S, at, y, first):
    """y[first:first + 5] becomes the inverse at `at` times it, which is returned too."""
    x = five(y, first)
    y0, y1, y2 = dot_five(five(S, at), x), dot_five(five(S, at + 5), x), dot_five(five(S, at + 10), x)
    y3, y4 = dot_five(five(S, at + 15), x), dot_five(five(S, at + 20), x)
    y[first], y[first + 1], y[first + 2], y[first + 3], y[first + 4] = y0, y1, y2, y3, y4
    return y0, y1, y2, y3, y4


@unfolded
def subtract_left(S, left, x, y, later):
    """y[later:later + 3] -= (3, 5) at `left` times x."""
    a, b, c = dot_five(five(S, left), x), dot_five(five(S, left + 5), x), dot_five(five(S, left + 10), x)
    y[later], y[later + 1], y[later + 2] = y[later] - a, y[later + 1] - b, y[later + 2] - c


@unfolded
def subtract_right(S, right, y, later, first):
    """y[first:first + 5] -= (5, 3) at `right` times y[later:later + 3]."""
    x = three(y, later)
    a, b, c = dot(three(S, right), x), dot(three(S, right + 3), x), dot(three(S, right + 6), x)
    d, e = dot(three(S, right + 9), x), dot(three(S, right + 12), x)
    y0, y1, y2, y3, y4 = five(y, first)
    y[first], y[first + 1], y[first + 2], y[first + 3], y[first + 4] = y0 - a, y1 - b, y2 - c, y3 - d, y4 - e
