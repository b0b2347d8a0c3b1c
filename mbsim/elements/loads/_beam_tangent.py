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
def across(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@helper
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def total(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@helper
def times(s, a):
    return (s * a[0], s * a[1], s * a[2])


@helper
def products(u, theta, x):
    """Of a vector x: theta x x, theta x (theta x x), u x x, u x (theta x x) + theta x (u x x)."""
    once, other = across(theta, x), across(u, x)
    return once, across(theta, once), other, total(across(u, once), across(theta, other))


@helper
def by_turn(half, shared, x, of):
    """A x, `half` = -1/2, or A' x, 1/2: `of` = products of x."""
    once, twice, _, _ = of
    return (
        x[0] + half * once[0] + shared * twice[0], x[1] + half * once[1] + shared * twice[1], x[2] + half * once[2] + shared * twice[2],
    )  # fmt: skip


@helper
def by_both(half, shared, lever, of):
    """U x, `half` = -1/2, or U' x, 1/2; `lever` = 2 shared' theta . u."""
    _, twice, other, mixed = of
    return (
        half * other[0] + shared * mixed[0] + lever * twice[0], half * other[1] + shared * mixed[1] + lever * twice[1],
        half * other[2] + shared * mixed[2] + lever * twice[2],
    )  # fmt: skip


@helper
def turn_change(half, at, x, of, e):
    """What A x or A' x changes by along the turn e."""
    theta, _, shared, slope, _, _ = at
    once, twice, _, _ = of
    own = across(e, x)
    both, more = total(across(e, once), across(theta, own)), 2.0 * slope * dot(theta, e)
    return (
        half * own[0] + shared * both[0] + more * twice[0], half * own[1] + shared * both[1] + more * twice[1],
        half * own[2] + shared * both[2] + more * twice[2],
    )  # fmt: skip


@helper
def both_change(half, at, x, of, du, e):
    """What U x or U' x changes by along the displacement du and the turn e."""
    theta, u, shared, slope, curvature, product = at
    once, twice, other, mixed = of
    moved, own = across(du, x), across(e, x)
    first = total(total(across(du, once), across(theta, moved)), total(across(u, own), across(e, other)))
    second = total(across(e, once), across(theta, own))
    by = dot(theta, e)
    a, b, c = 2.0 * slope * (dot(theta, du) + dot(u, e)) + 4.0 * curvature * by * product, 2.0 * slope * by, 2.0 * slope * product
    return (
        half * moved[0] + shared * first[0] + a * twice[0] + b * mixed[0] + c * second[0],
        half * moved[1] + shared * first[1] + a * twice[1] + b * mixed[1] + c * second[1],
        half * moved[2] + shared * first[2] + a * twice[2] + b * mixed[2] + c * second[2],
    )  # fmt: skip


@helper
def screw_rate(at, v, w):
    """J (v, w), as two vectors."""
    theta, u, shared, slope, _, product = at
    of_v, of_w = products(u, theta, v), products(u, theta, w)
    forward = total(by_turn(-0.5, shared, v, of_v), by_both(-0.5, shared, 2.0 * slope * product, of_w))
    return forward, by_turn(-0.5, shared, w, of_w)


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
    product = dot(theta, u)
    at = (theta, u, shared, slope, curvature_of(s), product)
    r = to_body(fi, fj[0] - fi[0], fj[1] - fi[1], fj[2] - fi[2])
    n = (resultant(p, 0, 6, 0, d, REST_3), resultant(p, 0, 6, 1, d, REST_3), resultant(p, 0, 6, 2, d, REST_3))
    m = (resultant(p, 0, 6, 3, d, REST_3), resultant(p, 0, 6, 4, d, REST_3), resultant(p, 0, 6, 5, d, REST_3))
    v, w, a, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if beta > 0.0:
        x = twist_between(fi, fj)
        v, w = (x[0], x[1], x[2]), (x[3], x[4], x[5])
        a = to_body(fi, fj[12] - fi[12], fj[13] - fi[13], fj[14] - fi[14])
        spin = (w[0] + fi[15], w[1] + fi[16], w[2] + fi[17])  # of the second node
        rate = screw_rate(at, v, w)
        viscous = stressed(p, rate[0], rate[1], False)
        n, m = total(n, times(beta, viscous[0])), total(m, times(beta, viscous[1]))
    cut = p[CABLE_3] > 0.0 and n[0] < 0.0
    if cut:
        n = (0.0, n[1], n[2])
    of_v, of_w, of_n, of_m = products(u, theta, v), products(u, theta, w), products(u, theta, n), products(u, theta, m)
    lever = 2.0 * slope * product
    force = by_turn(0.5, shared, n, of_n)
    moment = total(by_both(0.5, shared, lever, of_n), by_turn(0.5, shared, m, of_m))
    other = total(moment, times(-1.0, across(r, force)))  # on the second node, turned round
    for k in range(9):
        c, turn = k % 3, (0.0, 0.0, 0.0)
        unit = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        if k < 3:  # the second node along a global axis
            ev, ew = (fi[3 + 3 * c], fi[4 + 3 * c], fi[5 + 3 * c]), (0.0, 0.0, 0.0)
        elif k < 6:  # about an axis of its own
            ew = to_body(fi, fj[3 + c], fj[6 + c], fj[9 + c])
            ev = across(r, ew)
        else:  # the first one about an axis of its own
            ev, ew, turn = (0.0, 0.0, 0.0), times(-1.0, unit), unit
        du, e = screw_rate(at, times(c_q, ev), times(c_q, ew))
        dr = times(c_q, total(ev, across(ew, r)))
        du_all, e_all = du, e
        if beta > 0.0:
            swept = across(ew, spin)
            dv = total(total(times(c_v, ev), across(dr, spin)), times(c_q, total(across(r, swept), across(a, turn))))
            rate = screw_rate(at, dv, total(times(c_v, ew), times(c_q, swept)))
            forward = total(turn_change(-0.5, at, v, of_v, e), both_change(-0.5, at, w, of_w, du, e))
            du_all = total(du, times(beta, total(rate[0], forward)))
            e_all = total(e, times(beta, total(rate[1], turn_change(-0.5, at, w, of_w, e))))
        dn, dm = stressed(p, du_all, e_all, cut)
        of_dn = products(u, theta, dn)
        change = total(by_turn(0.5, shared, dn, of_dn), turn_change(0.5, at, n, of_n, e))
        torque = total(by_both(0.5, shared, lever, of_dn), by_turn(0.5, shared, dm, products(u, theta, dm)))
        torque = total(torque, total(both_change(0.5, at, n, of_n, du, e), turn_change(0.5, at, m, of_m, e)))
        second = total(torque, times(-1.0, total(across(dr, force), across(r, change))))
        second = total(second, times(-c_q, across(ew, other)))
        change = total(change, times(c_q, across(turn, force)))
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
