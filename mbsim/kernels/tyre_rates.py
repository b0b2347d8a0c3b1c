"""Speeds of a tyre as rates of relative coordinates: their gradients by the speeds of both bodies, and what is left of their second rates.

Body i has the wheel, body j the road; directions and the contact are those of `mbsim.kernels.tyres`. The columns of a relative coordinate
begin with the centre, a point of the road, the axis and the normal, as those of the load do.
"""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.spatial_rows import cross, point_of, to_body, to_global, velocity_at
from mbsim.kernels.tyre_columns import AXIS
from mbsim.kernels.tyres import axes

PLANAR_AXIS = 4  # column of the axis of a planar wheel


@helper
def planar_measure(fi, g, ahead, values, k):
    """The speed of the centre along the axis, or with `ahead` along the direction of travel, of a model that is seen from above."""
    px, py = planar.point_of(fi, g[0], g[1])
    yx, yy = planar.turned(fi, g[PLANAR_AXIS], g[PLANAR_AXIS + 1])
    dx, dy = (yy, -yx) if ahead else (yx, yy)
    x, y, w = px - fi[0], py - fi[1], fi[7]
    ux, uy = planar.velocity_at(fi, px, py)
    values[k, GRADIENT], values[k, GRADIENT + 1], values[k, GRADIENT + 2] = dx, dy, x * dy - y * dx
    values[k, GRADIENT + 3], values[k, GRADIENT + 4], values[k, GRADIENT + 5] = 0.0, 0.0, 0.0
    # d' . u + d . (omega x (omega x s))
    values[k, VALUE], values[k, BIAS] = 0.0, w * (dx * uy - dy * ux) - w * w * (dx * x + dy * y)


@helper
def angular_velocity(f):
    return to_global(f, f[15], f[16], f[17])


@helper
def plus_scaled(a, s, b):
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@helper
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def times(a, b):
    """a x b."""
    return cross(a[0], a[1], a[2], b[0], b[1], b[2])


@helper
def put(values, k, at, sign, f, d, q):
    """The gradient of the speed along d of a body's point at q: that of one body begins at column `at`."""
    x, y, z = cross(q[0] - f[0], q[1] - f[1], q[2] - f[2], d[0], d[1], d[2])
    x, y, z = to_body(f, x, y, z)
    values[k, at], values[k, at + 1], values[k, at + 2] = sign * d[0], sign * d[1], sign * d[2]
    values[k, at + 3], values[k, at + 4], values[k, at + 5] = sign * x, sign * y, sign * z


@helper
def spatial_measure(fi, fj, g, aside, of_centre, values, k):
    """The speed of the wheel against the road at the contact, or with `of_centre` of its centre: ahead, or `aside` to the left."""
    xx, xy, xz, yx, yy, yz, nx, ny, nz, s, c, cx, cy, cz, px, py, pz, r = axes(fi, fj, g)
    x, y, n, contact, centre = (xx, xy, xz), (yx, yy, yz), (nx, ny, nz), (px, py, pz), (cx, cy, cz)
    e = to_global(fi, g[AXIS], g[AXIS + 1], g[AXIS + 2])
    wi, wj = angular_velocity(fi), angular_velocity(fj)
    # rates of the axis, the normal, the sine and the cosine of the camber, and the two directions
    e_rate, n_rate = times(wi, e), times(wj, n)
    s_rate = dot(n_rate, e) + dot(n, e_rate)
    c_rate = -s * s_rate / c
    x_rate = plus_scaled(times(e_rate, n), 1.0, times(e, n_rate))
    x_rate = x_rate[0] / c - x[0] * c_rate / c, x_rate[1] / c - x[1] * c_rate / c, x_rate[2] / c - x[2] * c_rate / c
    y_rate = plus_scaled(times(n_rate, x), 1.0, times(n, x_rate))
    # rates of the centre, the distance r of the contact from it along m = (n - s e) / c, and the contact
    ax, ay, az = point_of(fj, g[3], g[4], g[5])
    centre_rate, road_rate = velocity_at(fi, cx, cy, cz), velocity_at(fj, ax, ay, az)
    height = cx - ax, cy - ay, cz - az
    r_rate = (dot(n_rate, height) + dot(n, plus_scaled(centre_rate, -1.0, road_rate))) / c - r * c_rate / c
    m = (nx - s * e[0]) / c, (ny - s * e[1]) / c, (nz - s * e[2]) / c
    m_rate = plus_scaled(plus_scaled(n_rate, -s_rate, e), -s, e_rate)
    m_rate = m_rate[0] / c - m[0] * c_rate / c, m_rate[1] / c - m[1] * c_rate / c, m_rate[2] / c - m[2] * c_rate / c
    contact_rate = plus_scaled(plus_scaled(centre_rate, -r_rate, m), -r, m_rate)
    d, d_rate = (y, y_rate) if aside else (x, x_rate)
    q, q_rate = (centre, centre_rate) if of_centre else (contact, contact_rate)
    put(values, k, GRADIENT, 1.0, fi, d, q)
    put(values, k, GRADIENT + 6, -1.0, fj, d, contact)
    slip = plus_scaled(velocity_at(fi, q[0], q[1], q[2]), -1.0, velocity_at(fj, px, py, pz))
    turned_i = times(wi, plus_scaled(q_rate, -1.0, (fi[12], fi[13], fi[14])))
    turned_j = times(wj, plus_scaled(contact_rate, -1.0, (fj[12], fj[13], fj[14])))
    values[k, VALUE] = 0.0
    values[k, BIAS] = dot(d_rate, slip) + dot(d, plus_scaled(turned_i, -1.0, turned_j))
