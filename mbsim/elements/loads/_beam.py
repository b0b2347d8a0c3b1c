"""What the forces of a beam element and their tangents share: the screw between its nodes and its rate. `beam.py` has the formulas."""

from math import atan2, pi, sqrt, tan

from mbsim.jit import helper
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_rows import cross, to_body, to_global, velocity_at

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
def curvature_of(s):
    """The second derivative of `shared_of`: 2/30240 + 6 s/1209600 + ..."""
    if s < SERIES:
        p = 2.0 / 30240.0 + s * (6.0 / 1209600.0 + s * (12.0 / 47900160.0 + s * (20.0 * 691.0 / 1307674368000.0)))
        p += s * s * s * s * (30.0 / 74724249600.0 + s * (42.0 * 3617.0 / 10670622842880000.0))
        return p + s * s * s * s * s * s * (56.0 * 43867.0 / 5109094217170944000.0)
    half = 0.5 * sqrt(s)
    c = 1.0 / tan(half)
    square = 1.0 + c * c
    bent = (c / (half * half) + square / half - 2.0 * c * square) / (64.0 * half)  # G''
    return (bent + 2.0 * fourth_of(s)) / s


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
def twist_between(fi, fj):
    """Of the second node seen from the first, in its axes: velocity of the point that is at the first node, and angular velocity."""
    bx, by, bz = velocity_at(fj, fi[0], fi[1], fi[2])
    vx, vy, vz = to_body(fi, bx - fi[12], by - fi[13], bz - fi[14])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    wx, wy, wz = to_body(fi, wx, wy, wz)
    return (vx, vy, vz, wx - fi[15], wy - fi[16], wz - fi[17])
