"""Loads on planar bodies that few models have, each as [force (2), its point (2), couple, power] on the first body, in global axes.

Loads between two bodies act on the second at the same point, turned round. The power is that of what stores no energy. Rows `p` of
`Arrays.load_data` begin with a point of each body in body axes (3 places each); frames are those of `planar_rows.py`.
"""

from math import sqrt, tanh

from mbsim.jit import helper
from mbsim.kernels.one_sided import elastic_energy, hunt_crossley
from mbsim.kernels.planar_rows import turned


@helper
def point_of(f, x, y):
    """Where a point of the body is, global."""
    ax, ay = turned(f, x, y)
    return f[0] + ax, f[1] + ay


@helper
def velocity_at(f, px, py):
    """Of the point of the body that is at (px, py)."""
    return f[5] - f[7] * (py - f[1]), f[6] + f[7] * (px - f[0])


@helper
def attraction(fi, fj, p, mass):
    """mu m / r^2 towards a point of body j; p[3:6] that point, p[6] mu."""
    px, py = point_of(fj, p[3], p[4])
    dx, dy = px - fi[0], py - fi[1]
    squared = dx * dx + dy * dy
    size = p[6] * mass / (squared * sqrt(squared))
    return size * dx, size * dy, fi[0], fi[1], 0.0, 0.0


@helper
def attraction_energy(fi, fj, p, mass):
    px, py = point_of(fj, p[3], p[4])
    return -p[6] * mass / sqrt((px - fi[0]) ** 2 + (py - fi[1]) ** 2)


@helper
def drag(f, p, mx, my):
    """-(c1 + c2 |u|) u at a point, u its velocity against (mx, my), the medium's, and -(d1 + d2 |w|) w; p[6:10] c1, c2, d1, d2."""
    px, py = point_of(f, p[0], p[1])
    vx, vy = velocity_at(f, px, py)
    ux, uy = vx - mx, vy - my
    size = -p[6] - p[7] * sqrt(ux * ux + uy * uy)
    torque = -(p[8] + p[9] * abs(f[7])) * f[7]
    return size * ux, size * uy, px, py, torque, size * (ux * vx + uy * vy) + torque * f[7]


@helper
def deflection(fi, fj, p):
    """Of a bushing: (x, y) of its point on j in its axes on i, angle; point on j; x axis. p[6:8] the x axis on i, p[8] the angle drawn."""
    ax, ay = point_of(fi, p[0], p[1])
    px, py = point_of(fj, p[3], p[4])
    cx, cy = turned(fi, p[6], p[7])
    dx, dy = px - ax, py - ay
    return cx * dx + cy * dy, cx * dy - cy * dx, fj[4] - fi[4] - p[8], px, py, cx, cy


@helper
def times(p, at, x, y, z):
    return p[at] * x + p[at + 1] * y + p[at + 2] * z


@helper
def bushing(fi, fj, p):
    """K x + D x_dot - preload; p[9:18] K, p[18:27] D, p[27:30] preload, on the second body. Rates are those seen from body i."""
    x, y, angle, px, py, cx, cy = deflection(fi, fj, p)
    ax, ay = velocity_at(fi, px, py)
    bx, by = velocity_at(fj, px, py)
    u, v, w = cx * (bx - ax) + cy * (by - ay), cx * (by - ay) - cy * (bx - ax), fj[7] - fi[7]
    du, dv, dw = times(p, 18, u, v, w), times(p, 21, u, v, w), times(p, 24, u, v, w)
    fx, fy = times(p, 9, x, y, angle) + du - p[27], times(p, 12, x, y, angle) + dv - p[28]
    torque = times(p, 15, x, y, angle) + dw - p[29]
    return cx * fx - cy * fy, cy * fx + cx * fy, px, py, torque, -du * u - dv * v - dw * w


@helper
def bushing_energy(fi, fj, p):
    x, y, angle, _, _, _, _ = deflection(fi, fj, p)
    elastic = x * times(p, 9, x, y, angle) + y * times(p, 12, x, y, angle) + angle * times(p, 15, x, y, angle)
    return 0.5 * elastic - p[27] * x - p[28] * y - p[29] * angle


@helper
def depth(fi, fj, p):
    """How deep the disk on i is below the line on j, the centre of the disk and the normal; p[6:9] normal on j, p[9] radius."""
    cx, cy = point_of(fi, p[0], p[1])
    ax, ay = point_of(fj, p[3], p[4])
    nx, ny = turned(fj, p[6], p[7])
    return p[9] - nx * (cx - ax) - ny * (cy - ay), cx, cy, nx, ny


@helper
def contact(fi, fj, p):
    """Normal force by Hunt & Crossley and friction mu N tanh(u / u_t), at the disk's deepest point; p[10:15] k, e, c, mu, u_t."""
    delta, cx, cy, nx, ny = depth(fi, fj, p)
    px, py = cx - p[9] * nx, cy - p[9] * ny
    if delta <= 0.0:
        return 0.0, 0.0, px, py, 0.0, 0.0
    ax, ay = velocity_at(fi, px, py)
    bx, by = velocity_at(fj, px, py)
    away = nx * (ax - bx) + ny * (ay - by)
    slip = nx * (ay - by) - ny * (ax - bx)
    normal = hunt_crossley(delta, -away, p[10], p[11], p[12])
    friction = -p[13] * normal * tanh(slip / p[14])
    power = (normal - p[10] * delta ** p[11]) * away + friction * slip
    return normal * nx - friction * ny, normal * ny + friction * nx, px, py, 0.0, power


@helper
def contact_energy(fi, fj, p):
    delta, _, _, _, _ = depth(fi, fj, p)
    return elastic_energy(delta, p[10], p[11]) if not delta <= 0.0 else 0.0
