"""The tangents of a beam element by hand: how its wrench changes as its nodes move, in closed form.

With r the place of the second node and B its axes, both seen from the first, the relative motion x = (v, w) is, of displacements of the
nodes (global) and turns phi (body axes),

    v = R_i' (dx_j - dx_i) + r x (B phi_j)        w = B phi_j - phi_i        dr = v - r x w        dd = J x

The wrench on the first node, in its axes, is (n, m) = J' sigma; on the second one it is turned round, with the moment m - r x n. J and its
derivatives are those of A = 1 - theta x /2 + shared (theta x)^2 along u and theta (`beam.py`): J = [A, U; 0, A], U that of A along u.
Nine relative directions are less than the twelve of two nodes, and each is a few products of vectors. `mbsim.jit.forward` gives the same
numbers to round-off; it takes several times as long.
"""

from mbsim.elements.loads._beam import (
    CABLE_2,
    CABLE_3,
    DAMPING_2,
    DAMPING_3,
    REST_2,
    REST_3,
    curvature_of,
    damped,
    fourth_of,
    planar_screw,
    resultant,
    shared_of,
    spatial_screw,
    twist_between,
)
from mbsim.jit import helper, unfolded
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.spatial_rows import to_body, to_global
from mbsim.kernels.spatial_vectors import cross, dot, plus, scaled


@helper
def planar_change(p, at, ex, ey, w, turn, c_q, c_v):
    """What force (2) and moment on the first node change by, and the moment on the second one turned round, in the first one's axes.

    Along the relative motion (ex, ey, w), and along a turn of the first node, which takes all with it but the velocities.
    """
    x, y, half, g, slope, curve, gain_x, gain_y, n, m, fx, fy, vx, vy, omega, own, ax, ay, cut = at
    rx, ry, theta = c_q * (ex - y * w), c_q * (ey + x * w), c_q * w
    more_x = (0.5 * x - slope * y + curve * x) * theta + (half + slope) * rx + (0.5 - g) * ry
    more_y = (slope * x + 0.5 * y + curve * y) * theta + (half + slope) * ry + (g - 0.5) * rx
    d = (c_q * (g * ex + half * ey + gain_x * w), c_q * (g * ey - half * ex + gain_y * w), theta)
    if p[DAMPING_2] > 0.0:
        tx, ty, tw = c_v * ex + own * ry + c_q * turn * ay, c_v * ey - own * rx - c_q * turn * ax, c_v * w
        d = (
            d[0] + p[DAMPING_2] * (g * tx + half * ty + gain_x * tw + theta * (slope * vx + 0.5 * vy) + more_x * omega),
            d[1] + p[DAMPING_2] * (g * ty - half * tx + gain_y * tw + theta * (slope * vy - 0.5 * vx) + more_y * omega),
            d[2] + p[DAMPING_2] * tw,
        )
    dn, dm, dt = 0.0 if cut else damped(p, 3, 0, d), damped(p, 3, 1, d), damped(p, 3, 2, d)
    dx, dy = g * dn - half * dm + (slope * n - 0.5 * m) * theta, half * dn + g * dm + (0.5 * n + slope * m) * theta
    torque = dt + gain_x * dn + gain_y * dm + n * more_x + m * more_y
    return dx - c_q * turn * fy, dy + c_q * turn * fx, torque, torque - rx * fy - x * dy + ry * fx + y * dx


@helper
def put_planar(fi, K, c, x, y, first, second):
    """Column c of K: less the change of the loads."""
    X, Y = planar.turned(fi, x, y)
    K[0, c], K[1, c], K[2, c], K[3, c], K[4, c], K[5, c] = -X, -Y, -first, X, Y, second


@unfolded
def planar_tangent(arrays, i, j, law, p, c_q, c_v, K):
    fi, fj = arrays.frames[i], arrays.frames[j]
    d, x, y, g, slope = planar_screw(fi, fj)
    theta, half = d[2], 0.5 * d[2]
    s = theta * theta
    shared_slope = -fourth_of(s)
    curve = -2.0 * shared_of(s) - s * (10.0 * shared_slope + 4.0 * s * curvature_of(s))
    gain_x, gain_y = half * x - g * y + slope * x + 0.5 * y, g * x + half * y + slope * y - 0.5 * x
    n, m = resultant(p, 0, 3, 0, d, REST_2), resultant(p, 0, 3, 1, d, REST_2)
    ax, ay, vx, vy, own, w = 0.0, 0.0, 0.0, 0.0, fj[7], fj[7] - fi[7]
    if p[DAMPING_2] > 0.0:
        bx, by = fj[5] - fi[5], fj[6] - fi[6]
        ax, ay = fi[2] * bx + fi[3] * by, fi[2] * by - fi[3] * bx
        vx, vy = ax + own * y, ay - own * x
        rate = (g * vx + half * vy + gain_x * w, g * vy - half * vx + gain_y * w, w)
        n, m = n + p[DAMPING_2] * damped(p, 3, 0, rate), m + p[DAMPING_2] * damped(p, 3, 1, rate)
    cut = p[CABLE_2] > 0.0 and n < 0.0
    if cut:
        n = 0.0
    at = (
        x, y, half, g, slope, curve, gain_x, gain_y, n, m, g * n - half * m, half * n + g * m, vx, vy, w, own, ax, ay, cut,
    )  # fmt: skip
    along_x, along_y = planar_change(p, at, 1.0, 0.0, 0.0, 0.0, c_q, c_v), planar_change(p, at, 0.0, 1.0, 0.0, 0.0, c_q, c_v)
    about, turned = planar_change(p, at, 0.0, 0.0, 1.0, 0.0, c_q, c_v), planar_change(p, at, 0.0, 0.0, 0.0, 1.0, c_q, c_v)
    C, S = fi[2], fi[3]
    a, b = along_x, along_y
    put_planar(fi, K, 3, C * a[0] - S * b[0], C * a[1] - S * b[1], C * a[2] - S * b[2], C * a[3] - S * b[3])
    put_planar(fi, K, 4, S * a[0] + C * b[0], S * a[1] + C * b[1], S * a[2] + C * b[2], S * a[3] + C * b[3])
    e = about
    put_planar(fi, K, 5, e[0] + y * a[0] - x * b[0], e[1] + y * a[1] - x * b[1], e[2] + y * a[2] - x * b[2], e[3] + y * a[3] - x * b[3])
    put_planar(fi, K, 2, turned[0] - e[0], turned[1] - e[1], turned[2] - e[2], turned[3] - e[3])
    for k in range(6):
        K[k, 0], K[k, 1] = -K[k, 3], -K[k, 4]
    return True


@helper
def apply(M, x):
    """M x of a matrix by its rows (9)."""
    return (
        M[0] * x[0] + M[1] * x[1] + M[2] * x[2], M[3] * x[0] + M[4] * x[1] + M[5] * x[2], M[6] * x[0] + M[7] * x[1] + M[8] * x[2],
    )  # fmt: skip


@helper
def apply_transposed(M, x):
    """M' x."""
    return (
        M[0] * x[0] + M[3] * x[1] + M[6] * x[2], M[1] * x[0] + M[4] * x[1] + M[7] * x[2], M[2] * x[0] + M[5] * x[1] + M[8] * x[2],
    )  # fmt: skip


@helper
def added(M, N):
    return (M[0] + N[0], M[1] + N[1], M[2] + N[2], M[3] + N[3], M[4] + N[4], M[5] + N[5], M[6] + N[6], M[7] + N[7], M[8] + N[8])


@helper
def matrix_of(y, c, z, a):
    """e -> e x y + c e + z (a . e), by rows."""
    return (
        c + z[0] * a[0], y[2] + z[0] * a[1], z[0] * a[2] - y[1],
        z[1] * a[0] - y[2], c + z[1] * a[1], y[0] + z[1] * a[2],
        y[1] + z[2] * a[0], z[2] * a[1] - y[0], c + z[2] * a[2],
    )  # fmt: skip


@helper
def maps_of(at):
    """A, and U by rows, which is that of A along u."""
    theta, u, shared, slope, _, product = at
    a = matrix_of(scaled(0.5, theta), 1.0 - shared * dot(theta, theta), scaled(shared, theta), theta)
    c = -2.0 * product * (shared + slope * dot(theta, theta))
    by_u = matrix_of(scaled(0.5, u), c, scaled(shared, u), theta)
    return a, added(by_u, matrix_of((0.0, 0.0, 0.0), 0.0, theta, plus(scaled(shared, u), scaled(2.0 * slope * product, theta))))


@helper
def turn_slope(half, at, x):
    """The derivative of A x, `half` = -1/2, or of A' x, 1/2, by theta: that of U x or U' x by u, too."""
    theta, _, shared, slope, _, _ = at
    once = cross(theta, x)
    twice = cross(theta, once)
    y, z = plus(scaled(half, x), scaled(shared, once)), plus(scaled(2.0 * slope, twice), scaled(-shared, x))
    return matrix_of(y, shared * dot(theta, x), z, theta)


@helper
def both_slope(at, x):
    """The derivative of U x, or of U' x, by theta."""
    theta, u, shared, slope, curvature, product = at
    once, other = cross(theta, x), cross(u, x)
    twice, mixed = cross(theta, once), plus(cross(u, once), cross(theta, other))
    lever = 2.0 * slope * product
    y, c = plus(scaled(shared, other), scaled(lever, once)), shared * dot(u, x) + lever * dot(theta, x)
    z = plus(scaled(2.0 * slope, twice), scaled(-shared, x))
    w = plus(scaled(4.0 * curvature * product, twice), plus(scaled(2.0 * slope, mixed), scaled(-lever, x)))
    return added(matrix_of(y, c, z, u), matrix_of((0.0, 0.0, 0.0), 0.0, w, theta))


@helper
def stressed(p, u, theta, cut):
    """K (u, theta), as two vectors; without the first row where a cable is slack."""
    d = (u[0], u[1], u[2], theta[0], theta[1], theta[2])
    n = 0.0 if cut else damped(p, 6, 0, d)
    return (n, damped(p, 6, 1, d), damped(p, 6, 2, d)), (damped(p, 6, 3, d), damped(p, 6, 4, d), damped(p, 6, 5, d))


@unfolded
def spatial_tangent(arrays, i, j, law, p, c_q, c_v, K):
    fi, fj = arrays.frames[i], arrays.frames[j]
    d, s = spatial_screw(fi, fj)
    u, theta = (d[0], d[1], d[2]), (d[3], d[4], d[5])
    shared, slope, beta = shared_of(s), -fourth_of(s), p[DAMPING_3]
    at = (theta, u, shared, slope, curvature_of(s), dot(theta, u))
    A, U = maps_of(at)
    r = to_body(fi, fj[0] - fi[0], fj[1] - fi[1], fj[2] - fi[2])
    n = (resultant(p, 0, 6, 0, d, REST_3), resultant(p, 0, 6, 1, d, REST_3), resultant(p, 0, 6, 2, d, REST_3))
    m = (resultant(p, 0, 6, 3, d, REST_3), resultant(p, 0, 6, 4, d, REST_3), resultant(p, 0, 6, 5, d, REST_3))
    a = spin = (0.0, 0.0, 0.0)
    rate_by_u = rate_by_theta = A  # of J (v, w) with damping
    if beta > 0.0:
        x = twist_between(fi, fj)
        v, w = (x[0], x[1], x[2]), (x[3], x[4], x[5])
        a = to_body(fi, fj[12] - fi[12], fj[13] - fi[13], fj[14] - fi[14])
        spin = (w[0] + fi[15], w[1] + fi[16], w[2] + fi[17])  # of the second node
        viscous = stressed(p, plus(apply(A, v), apply(U, w)), apply(A, w), False)
        n, m = plus(n, scaled(beta, viscous[0])), plus(m, scaled(beta, viscous[1]))
        rate_by_u = turn_slope(-0.5, at, w)
        rate_by_theta = added(turn_slope(-0.5, at, v), both_slope(at, w))
    cut = p[CABLE_3] > 0.0 and n[0] < 0.0
    if cut:
        n = (0.0, n[1], n[2])
    force_by_theta = turn_slope(0.5, at, n)  # of J' (n, m): that of the moment by u, too
    moment_by_theta = added(both_slope(at, n), turn_slope(0.5, at, m))
    force = apply_transposed(A, n)
    moment = plus(apply_transposed(U, n), apply_transposed(A, m))
    other = plus(moment, scaled(-1.0, cross(r, force)))  # on the second node, turned round
    for k in range(9):
        c, ew, turn = k % 3, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if k < 3:  # the second node along a global axis
            ev = (fi[3 + 3 * c], fi[4 + 3 * c], fi[5 + 3 * c])
        elif k < 6:  # about an axis of its own
            ew = to_body(fi, fj[3 + c], fj[6 + c], fj[9 + c])
            ev = cross(r, ew)
        else:  # the first one about an axis of its own
            turn = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            ev, ew = (0.0, 0.0, 0.0), scaled(-1.0, turn)
        du, e, dr = plus(apply(A, ev), apply(U, ew)), apply(A, ew), plus(ev, cross(ew, r))  # per c_q
        to_u, to_theta = scaled(c_q, du), scaled(c_q, e)
        if beta > 0.0:
            swept = cross(ew, spin)
            dv = plus(cross(dr, spin), plus(cross(r, swept), cross(a, turn)))
            du_v = plus(apply(A, dv), plus(apply(U, swept), plus(apply(rate_by_u, du), apply(rate_by_theta, e))))
            e_v = plus(apply(A, swept), apply(rate_by_u, e))
            to_u = plus(to_u, scaled(beta, plus(scaled(c_v, du), scaled(c_q, du_v))))
            to_theta = plus(to_theta, scaled(beta, plus(scaled(c_v, e), scaled(c_q, e_v))))
        dn, dm = stressed(p, to_u, to_theta, cut)
        change = plus(apply_transposed(A, dn), scaled(c_q, apply(force_by_theta, e)))
        torque = plus(apply(force_by_theta, du), apply(moment_by_theta, e))
        torque = plus(scaled(c_q, torque), plus(apply_transposed(U, dn), apply_transposed(A, dm)))
        second = plus(torque, scaled(-1.0, cross(r, change)))
        second = plus(second, scaled(-c_q, plus(cross(dr, force), cross(ew, other))))
        change = plus(change, scaled(c_q, cross(turn, force)))
        X, Y, Z = to_global(fi, change[0], change[1], change[2])
        x, y, z = to_global(fi, second[0], second[1], second[2])
        x, y, z = to_body(fj, x, y, z)
        at_c = 6 + k if k < 6 else k - 3
        K[0, at_c], K[1, at_c], K[2, at_c], K[6, at_c], K[7, at_c], K[8, at_c] = -X, -Y, -Z, X, Y, Z
        K[3, at_c], K[4, at_c], K[5, at_c] = -torque[0], -torque[1], -torque[2]
        K[9, at_c], K[10, at_c], K[11, at_c] = x, y, z
        if k < 3:
            for row in range(12):
                K[row, c] = -K[row, at_c]
    return True
