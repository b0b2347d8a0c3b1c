"""A geometrically exact beam element between the frames of two nodes, whose x axes are along the beam.

d = log(H_1^-1 H_2) is the screw that carries the frame of the first node into that of the second: a displacement u and a rotation theta,
in the axes of either. Strains are (d - d_0) / length. The stress resultants sigma = K (d - d_0) + damping K d_dot do the work
sigma . d_dot, so the wrench of the element on the first node is J' sigma, d_dot = J (twist of the second node seen from the first), J the
inverse of the left tangent of the exponential map. The energy (d - d_0)' K (d - d_0) / 2 does not change with a motion of the whole: there
is no locking, and a rigid turn leaves no strain. V. Sonneville, A. Cardona, O. Bruels, Geometrically exact beam finite element formulated
on the special Euclidean group SE(3), Comput. Methods Appl. Mech. Engrg. 268 (2014) 451-474.

With ad the commutator of screws, J = 1 - ad/2 + a ad^2 + b ad^4. With G(-s) = (theta/2) cot(theta/2) - 1 at s = theta^2, the functions are
shared = -G/s, a = 2 shared - G', b = (shared - G')/s: ad has the eigenvalues 0 and, twice each, +-i theta, where J and its derivative agree
with the series of Bernoulli numbers.
"""

from math import atan2, pi, sqrt, tan

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_rows import cross, push_pair, to_body, to_global, velocity_at

DIMENSIONS = (2, 3)
NUMBERS = 45
# Planar: K row by row (9), d_0 (3). Spatial: K (36), d_0 (6). Then damping (s), whether it is a cable (no compression), the length (m).
REST_2, DAMPING_2, CABLE_2, LENGTH_2 = 9, 12, 13, 14
REST_3, DAMPING_3, CABLE_3, LENGTH_3 = 36, 42, 43, 44
KNOWN = 0.95 * pi  # the screw jumps at pi
SERIES = 0.25  # theta^2 below which series are exact to round-off, and closed forms lose digits
SMALL = 1e-4  # sine of half an angle, likewise


@helper
def shared_of(s):
    """(1 - (theta/2) cot(theta/2)) / s at s = theta^2: 1/12 + s/720 + ..."""
    if s < SERIES:
        p = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * (1.0 / 1209600.0 + s * (1.0 / 47900160.0))))
        return p + s * s * s * s * s * (691.0 / 1307674368000.0 + s * (1.0 / 74724249600.0))
    half = 0.5 * sqrt(s)
    return (1.0 - half / tan(half)) / s


@helper
def fourth_of(s):
    """b: -1/720 - 2 s/30240 - 3 s^2/1209600 - ..."""
    if s < SERIES:
        p = 1.0 / 720.0 + s * (2.0 / 30240.0 + s * (3.0 / 1209600.0 + s * (4.0 / 47900160.0)))
        return -p - s * s * s * s * (5.0 * 691.0 / 1307674368000.0 + s * (6.0 / 74724249600.0))
    half = 0.5 * sqrt(s)
    cotangent = 1.0 / tan(half)
    slope = 0.125 * (1.0 + cotangent * cotangent) - 0.125 * cotangent / half  # G'
    return ((1.0 - half * cotangent) / s - slope) / s


@helper
def unknown(x):
    """NaN in place of x, with a derivative: what no finite number may stand for."""
    return x / 0.0 - x / 0.0


@helper
def resultant(p, at, width, row, d, rest):
    """K (d - d_0), one row of it."""
    s = 0.0
    for c in range(width):
        s += p[at + width * row + c] * (d[c] - p[rest + c])
    return s


@helper
def damped(p, width, row, rate):
    """K d_dot, one row of it."""
    s = 0.0
    for c in range(width):
        s += p[width * row + c] * rate[c]
    return s


@helper
def pulled(elastic, viscous, cable):
    """What the damper adds to the force along the beam, `elastic` before a cable is cut off at zero: all, but together they push no cable.

    So the force is continuous in strain and rate. A damper that began at once where a cable becomes taut would jump there, and where it has
    to stand between both an implicit step has no solution.
    """
    if cable > 0.0:
        return max(elastic + viscous, 0.0) - max(elastic, 0.0)
    return viscous


# In the plane J is written out: u = E p, E = [g, h; -h, g], p the second node's place seen from the first, h = theta/2, g = h cot(h).


@helper
def planar_screw(fi, fj):
    """(u (2), theta), p (2), g, dg/dtheta."""
    dx, dy = fj[0] - fi[0], fj[1] - fi[1]
    x, y = fi[2] * dx + fi[3] * dy, fi[2] * dy - fi[3] * dx
    theta = fj[4] - fi[4]
    s, h = theta * theta, 0.5 * theta
    shared = shared_of(s)
    g, slope = 1.0 - s * shared, -2.0 * theta * (shared - s * fourth_of(s))
    if theta > KNOWN or theta < -KNOWN:
        g = unknown(g)
    return (g * x + h * y, g * y - h * x, theta), x, y, g, slope


@helper
def planar_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    d, x, y, g, slope = planar_screw(fi, fj)
    half = 0.5 * d[2]
    # what u gains by the angle of the second node alone, about the first
    gain_x, gain_y = half * x - g * y + slope * x + 0.5 * y, g * x + half * y + slope * y - 0.5 * x
    n, m, t = resultant(p, 0, 3, 0, d, REST_2), resultant(p, 0, 3, 1, d, REST_2), resultant(p, 0, 3, 2, d, REST_2)
    drawn, power = n, 0.0
    if p[CABLE_2] > 0.0 and n < 0.0:
        n = 0.0
    if p[DAMPING_2] > 0.0:
        bx, by = planar.velocity_at(fj, fi[0], fi[1])
        bx, by, w = bx - fi[5], by - fi[6], fj[7] - fi[7]
        vx, vy = fi[2] * bx + fi[3] * by, fi[2] * by - fi[3] * bx
        rate = (g * vx + half * vy + gain_x * w, g * vy - half * vx + gain_y * w, w)
        dn, dm, dt = p[DAMPING_2] * damped(p, 3, 0, rate), p[DAMPING_2] * damped(p, 3, 1, rate), p[DAMPING_2] * damped(p, 3, 2, rate)
        dn = pulled(drawn, dn, p[CABLE_2])
        n, m, t = n + dn, m + dm, t + dt
        power = -dn * rate[0] - dm * rate[1] - dt * rate[2]
    fx, fy = g * n - half * m, half * n + g * m
    torque = t + n * gain_x + m * gain_y
    planar.push_pair(arrays.frames, h, i, j, fi[2] * fx - fi[3] * fy, fi[3] * fx + fi[2] * fy, fi[0], fi[1], torque)
    return power


@helper
def planar_energy(arrays, i, j, law, p):
    d, _, _, _, _ = planar_screw(arrays.frames[i], arrays.frames[j])
    energy = 0.0
    for c in range(3):
        energy += 0.5 * (d[c] - p[REST_2 + c]) * resultant(p, 0, 3, c, d, REST_2)
    if p[CABLE_2] > 0.0:
        n = resultant(p, 0, 3, 0, d, REST_2)
        if n < 0.0:
            energy -= 0.5 * n * (d[0] - p[REST_2])
    return energy


@helper
def turn_between(fi, fj):
    """The rotation vector from the axes of i to those of j, in either's axes; NaN near half a turn."""
    w, x, y, z = product(fi[18], -fi[19], -fi[20], -fi[21], fj[18], fj[19], fj[20], fj[21])
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = sqrt(x * x + y * y + z * z)
    half = atan2(sine, w)
    scale = 2.0 * half / sine if sine > SMALL else 2.0 + half * half / 3.0
    if half > 0.5 * KNOWN:
        scale = unknown(scale)
    return scale * x, scale * y, scale * z


@helper
def spatial_screw(fi, fj):
    """(u (3), theta (3)), and theta^2."""
    a, b, c = turn_between(fi, fj)
    x, y, z = to_body(fi, fj[0] - fi[0], fj[1] - fi[1], fj[2] - fi[2])
    s = a * a + b * b + c * c
    ux, uy, uz = cross(a, b, c, x, y, z)
    wx, wy, wz = cross(a, b, c, ux, uy, uz)
    shared = shared_of(s)
    return (x - 0.5 * ux + shared * wx, y - 0.5 * uy + shared * wy, z - 0.5 * uz + shared * wz, a, b, c), s


@helper
def commutator(d, x):
    """ad_d x = (theta x v + u x w, theta x w) of the screw x = (v, w)."""
    ax, ay, az = cross(d[3], d[4], d[5], x[0], x[1], x[2])
    bx, by, bz = cross(d[0], d[1], d[2], x[3], x[4], x[5])
    cx, cy, cz = cross(d[3], d[4], d[5], x[3], x[4], x[5])
    return (ax + bx, ay + by, az + bz, cx, cy, cz)


@helper
def transposed(d, f):
    """ad_d' f = (n x theta, n x u + m x theta) of the wrench f = (n, m)."""
    ax, ay, az = cross(f[0], f[1], f[2], d[3], d[4], d[5])
    bx, by, bz = cross(f[0], f[1], f[2], d[0], d[1], d[2])
    cx, cy, cz = cross(f[3], f[4], f[5], d[3], d[4], d[5])
    return (ax, ay, az, bx + cx, by + cy, bz + cz)


@helper
def wrench_of(d, s, f):
    """J' f."""
    b = fourth_of(s)
    a = shared_of(s) + b * s
    f1 = transposed(d, f)
    f2 = transposed(d, f1)
    f3 = transposed(d, f2)
    f4 = transposed(d, f3)
    return (
        f[0] - 0.5 * f1[0] + a * f2[0] + b * f4[0], f[1] - 0.5 * f1[1] + a * f2[1] + b * f4[1],
        f[2] - 0.5 * f1[2] + a * f2[2] + b * f4[2], f[3] - 0.5 * f1[3] + a * f2[3] + b * f4[3],
        f[4] - 0.5 * f1[4] + a * f2[4] + b * f4[4], f[5] - 0.5 * f1[5] + a * f2[5] + b * f4[5],
    )  # fmt: skip


@helper
def rate_of(d, s, x):
    """J x."""
    b = fourth_of(s)
    a = shared_of(s) + b * s
    x1 = commutator(d, x)
    x2 = commutator(d, x1)
    x3 = commutator(d, x2)
    x4 = commutator(d, x3)
    return (
        x[0] - 0.5 * x1[0] + a * x2[0] + b * x4[0], x[1] - 0.5 * x1[1] + a * x2[1] + b * x4[1],
        x[2] - 0.5 * x1[2] + a * x2[2] + b * x4[2], x[3] - 0.5 * x1[3] + a * x2[3] + b * x4[3],
        x[4] - 0.5 * x1[4] + a * x2[4] + b * x4[4], x[5] - 0.5 * x1[5] + a * x2[5] + b * x4[5],
    )  # fmt: skip


@helper
def twist_between(fi, fj):
    """Of the second node seen from the first, in its axes: velocity of the point that is at the first node, and angular velocity."""
    bx, by, bz = velocity_at(fj, fi[0], fi[1], fi[2])
    vx, vy, vz = to_body(fi, bx - fi[12], by - fi[13], bz - fi[14])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    wx, wy, wz = to_body(fi, wx, wy, wz)
    return (vx, vy, vz, wx - fi[15], wy - fi[16], wz - fi[17])


@helper
def spatial_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    d, s = spatial_screw(fi, fj)
    drawn = resultant(p, 0, 6, 0, d, REST_3)
    n = drawn
    if p[CABLE_3] > 0.0 and n < 0.0:
        n = 0.0
    f = (
        n, resultant(p, 0, 6, 1, d, REST_3), resultant(p, 0, 6, 2, d, REST_3),
        resultant(p, 0, 6, 3, d, REST_3), resultant(p, 0, 6, 4, d, REST_3), resultant(p, 0, 6, 5, d, REST_3),
    )  # fmt: skip
    power = 0.0
    if p[DAMPING_3] > 0.0:
        beta, rate = p[DAMPING_3], rate_of(d, s, twist_between(fi, fj))
        dn = pulled(drawn, beta * damped(p, 6, 0, rate), p[CABLE_3])
        g = (
            dn, beta * damped(p, 6, 1, rate), beta * damped(p, 6, 2, rate),
            beta * damped(p, 6, 3, rate), beta * damped(p, 6, 4, rate), beta * damped(p, 6, 5, rate),
        )  # fmt: skip
        for c in range(6):
            power -= g[c] * rate[c]
        f = (f[0] + g[0], f[1] + g[1], f[2] + g[2], f[3] + g[3], f[4] + g[4], f[5] + g[5])
    w = wrench_of(d, s, f)
    fx, fy, fz = to_global(fi, w[0], w[1], w[2])
    tx, ty, tz = to_global(fi, w[3], w[4], w[5])
    push_pair(arrays.frames, h, i, j, fx, fy, fz, fi[0], fi[1], fi[2], tx, ty, tz)
    return power


@helper
def spatial_energy(arrays, i, j, law, p):
    d, _ = spatial_screw(arrays.frames[i], arrays.frames[j])
    energy = 0.0
    for c in range(6):
        energy += 0.5 * (d[c] - p[REST_3 + c]) * resultant(p, 0, 6, c, d, REST_3)
    if p[CABLE_3] > 0.0:
        n = resultant(p, 0, 6, 0, d, REST_3)
        if n < 0.0:
            energy -= 0.5 * n * (d[0] - p[REST_3])
    return energy
