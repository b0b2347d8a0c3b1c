"""Loads on spatial bodies that few models have, each as [force (3), its point (3), couple (3), power] on the first body, in global axes.

Loads between two bodies act on the second at the same point, turned round. The power is that of what stores no energy. Rows `p` of
`Arrays.load_data` begin with a point of each body in body axes; frames are those of `spatial_rows.py`.
"""

from math import atan2, pi, sqrt, tan, tanh

from mbsim.jit import helper
from mbsim.kernels.one_sided import elastic_energy, hunt_crossley
from mbsim.kernels.spatial_rows import cross, to_body, to_global

KNOWN = 0.95 * pi  # a bushing's rotation vector jumps at pi
SMALL = 1e-4  # angle below which a series is exact to round-off


@helper
def point_of(f, x, y, z):
    """Where a point of the body is, global."""
    x, y, z = to_global(f, x, y, z)
    return f[0] + x, f[1] + y, f[2] + z


@helper
def velocity_at(f, px, py, pz):
    """Of the point of the body that is at (px, py, pz)."""
    wx, wy, wz = to_global(f, f[15], f[16], f[17])
    x, y, z = cross(wx, wy, wz, px - f[0], py - f[1], pz - f[2])
    return f[12] + x, f[13] + y, f[14] + z


@helper
def attraction(fi, fj, p, mass):
    """mu m / r^2 towards a point of body j; p[3:6] that point, p[6] mu."""
    px, py, pz = point_of(fj, p[3], p[4], p[5])
    dx, dy, dz = px - fi[0], py - fi[1], pz - fi[2]
    squared = dx * dx + dy * dy + dz * dz
    size = p[6] * mass / (squared * sqrt(squared))
    return size * dx, size * dy, size * dz, fi[0], fi[1], fi[2], 0.0, 0.0, 0.0, 0.0


@helper
def attraction_energy(fi, fj, p, mass):
    px, py, pz = point_of(fj, p[3], p[4], p[5])
    return -p[6] * mass / sqrt((px - fi[0]) ** 2 + (py - fi[1]) ** 2 + (pz - fi[2]) ** 2)


@helper
def drag(f, p, mx, my, mz):
    """-(c1 + c2 |u|) u at a point, u its velocity against (mx, my, mz), the medium's, and -(d1 + d2 |w|) w; p[6:10] c1, c2, d1, d2."""
    px, py, pz = point_of(f, p[0], p[1], p[2])
    vx, vy, vz = velocity_at(f, px, py, pz)
    ux, uy, uz = vx - mx, vy - my, vz - mz
    size = -p[6] - p[7] * sqrt(ux * ux + uy * uy + uz * uz)
    wx, wy, wz = to_global(f, f[15], f[16], f[17])
    squared = wx * wx + wy * wy + wz * wz
    turn = -p[8] - p[9] * sqrt(squared)
    power = size * (ux * vx + uy * vy + uz * vz) + turn * squared
    return size * ux, size * uy, size * uz, px, py, pz, turn * wx, turn * wy, turn * wz, power


@helper
def to_axes(f, p, x, y, z):
    """Global to the axes of the bushing on body f: p[6:15] holds its x, y, z axes in body axes."""
    x, y, z = to_body(f, x, y, z)
    return p[6] * x + p[7] * y + p[8] * z, p[9] * x + p[10] * y + p[11] * z, p[12] * x + p[13] * y + p[14] * z


@helper
def from_axes(f, p, x, y, z):
    """The axes of the bushing on body f to global."""
    return to_global(f, p[6] * x + p[9] * y + p[12] * z, p[7] * x + p[10] * y + p[13] * z, p[8] * x + p[11] * y + p[14] * z)


@helper
def rotation_vector(fi, fj, p):
    """theta of the rotation from the bushing's axes on i to those on j, in the former; p[15:24] the latter; NaN near half a turn."""
    r0, r3, r6 = to_axes(fi, p, *to_global(fj, p[15], p[16], p[17]))
    r1, r4, r7 = to_axes(fi, p, *to_global(fj, p[18], p[19], p[20]))
    r2, r5, r8 = to_axes(fi, p, *to_global(fj, p[21], p[22], p[23]))
    x, y, z, cosine = 0.5 * (r7 - r5), 0.5 * (r2 - r6), 0.5 * (r3 - r1), 0.5 * (r0 + r4 + r8 - 1.0)
    sine = sqrt(x * x + y * y + z * z)
    angle = atan2(sine, cosine)
    scale = angle / sine if sine > SMALL else 1.0 + angle * angle / 6.0
    if angle > KNOWN:
        scale = angle / 0.0 - angle / 0.0
    return scale * x, scale * y, scale * z


@helper
def deflection(fi, fj, p):
    """Of a bushing: (place of its point on j in its axes on i, rotation vector), and that point, global; p[24]: whether turns matter."""
    ax, ay, az = point_of(fi, p[0], p[1], p[2])
    px, py, pz = point_of(fj, p[3], p[4], p[5])
    x, y, z = to_axes(fi, p, px - ax, py - ay, pz - az)
    a, b, c = 0.0, 0.0, 0.0
    if p[24] > 0.0:
        a, b, c = rotation_vector(fi, fj, p)
    return (x, y, z, a, b, c), (px, py, pz)


@helper
def times(p, at, x):
    """A row of a 6 x 6 matrix times x."""
    s = 0.0
    for c in range(6):
        s += p[at + c] * x[c]
    return s


@helper
def conjugate(a, b, c, x, y, z):
    """The torque that does the work (x, y, z) . theta_dot: J^-T with theta_dot = J^-1 omega, J the left Jacobian of the exponential map."""
    squared = a * a + b * b + c * c
    angle = sqrt(squared)
    factor = (1.0 - 0.5 * angle / tan(0.5 * angle)) / squared if angle > 10.0 * SMALL else 1.0 / 12.0 + squared / 720.0
    ux, uy, uz = cross(a, b, c, x, y, z)
    wx, wy, wz = cross(a, b, c, ux, uy, uz)
    return x + 0.5 * ux + factor * wx, y + 0.5 * uy + factor * wy, z + 0.5 * uz + factor * wz


@helper
def bushing(fi, fj, p):
    """K x + D (rates) - preload; p[25:61] K, p[61:97] D, p[97:103] preload, on the second body. Rates are those seen from body i."""
    x, (px, py, pz) = deflection(fi, fj, p)
    fx, fy, fz = times(p, 25, x) - p[97], times(p, 31, x) - p[98], times(p, 37, x) - p[99]
    tx, ty, tz = conjugate(x[3], x[4], x[5], times(p, 43, x) - p[100], times(p, 49, x) - p[101], times(p, 55, x) - p[102])
    ax, ay, az = velocity_at(fi, px, py, pz)
    bx, by, bz = velocity_at(fj, px, py, pz)
    ux, uy, uz = to_axes(fi, p, bx - ax, by - ay, bz - az)
    ax, ay, az = to_global(fi, fi[15], fi[16], fi[17])
    bx, by, bz = to_global(fj, fj[15], fj[16], fj[17])
    wx, wy, wz = to_axes(fi, p, bx - ax, by - ay, bz - az)
    u = (ux, uy, uz, wx, wy, wz)
    d = (times(p, 61, u), times(p, 67, u), times(p, 73, u), times(p, 79, u), times(p, 85, u), times(p, 91, u))
    power = 0.0
    for c in range(6):
        power -= d[c] * u[c]
    fx, fy, fz = from_axes(fi, p, fx + d[0], fy + d[1], fz + d[2])
    tx, ty, tz = from_axes(fi, p, tx + d[3], ty + d[4], tz + d[5])
    return fx, fy, fz, px, py, pz, tx, ty, tz, power


@helper
def bushing_energy(fi, fj, p):
    x, _ = deflection(fi, fj, p)
    potential = 0.0
    for c in range(6):
        potential += x[c] * (0.5 * times(p, 25 + 6 * c, x) - p[97 + c])
    return potential


@helper
def depth(fi, fj, p):
    """How deep the sphere on i is below the plane on j, the centre of the sphere and the normal; p[6:9] normal on j, p[9] radius."""
    cx, cy, cz = point_of(fi, p[0], p[1], p[2])
    ax, ay, az = point_of(fj, p[3], p[4], p[5])
    nx, ny, nz = to_global(fj, p[6], p[7], p[8])
    return p[9] - nx * (cx - ax) - ny * (cy - ay) - nz * (cz - az), cx, cy, cz, nx, ny, nz


@helper
def contact(fi, fj, p):
    """Normal force by Hunt & Crossley and friction mu N tanh(u / u_t), at the sphere's deepest point; p[10:15] k, e, c, mu, u_t."""
    delta, cx, cy, cz, nx, ny, nz = depth(fi, fj, p)
    px, py, pz = cx - p[9] * nx, cy - p[9] * ny, cz - p[9] * nz
    if delta <= 0.0:
        return 0.0, 0.0, 0.0, px, py, pz, 0.0, 0.0, 0.0, 0.0
    ax, ay, az = velocity_at(fi, px, py, pz)
    bx, by, bz = velocity_at(fj, px, py, pz)
    ux, uy, uz = ax - bx, ay - by, az - bz
    away = nx * ux + ny * uy + nz * uz
    ux, uy, uz = ux - away * nx, uy - away * ny, uz - away * nz
    slip = sqrt(ux * ux + uy * uy + uz * uz)
    normal = hunt_crossley(delta, -away, p[10], p[11], p[12])
    friction = -p[13] * normal * tanh(slip / p[14])
    power = (normal - p[10] * delta ** p[11]) * away + friction * slip
    size = friction / slip if slip > 0.0 else 0.0
    return normal * nx + size * ux, normal * ny + size * uy, normal * nz + size * uz, px, py, pz, 0.0, 0.0, 0.0, power


@helper
def contact_energy(fi, fj, p):
    delta, _, _, _, _, _, _ = depth(fi, fj, p)
    return elastic_energy(delta, p[10], p[11]) if not delta <= 0.0 else 0.0
