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

from mbsim.elements.loads._beam import (  # noqa: F401  # columns that others read
    CABLE_2,
    CABLE_3,
    DAMPING_2,
    DAMPING_3,
    KNOWN,
    LENGTH_2,
    LENGTH_3,
    REST_2,
    REST_3,
    damped,
    fourth_of,
    planar_screw,
    resultant,
    shared_of,
    spatial_screw,
    twist_between,
)
from mbsim.elements.loads._beam_tangent import planar_tangent, spatial_tangent  # noqa: F401  # functions of the contract
from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.spatial_rows import cross, push_pair, to_global

DIMENSIONS = (2, 3)
NUMBERS = 45


@helper
def pulled(elastic, viscous, cable):
    """What the damper adds to the force along the beam, `elastic` before a cable is cut off at zero: all, but together they push no cable.

    So the force is continuous in strain and rate. A damper that began at once where a cable becomes taut would jump there, and where it has
    to stand between both an implicit step has no solution.
    """
    if cable > 0.0:
        return max(elastic + viscous, 0.0) - max(elastic, 0.0)
    return viscous


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
