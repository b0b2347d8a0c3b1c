"""Poses, constraint rows and loads of planar bodies: q = v-integrated (x, y, angle) of the centre of mass, three speeds a body.

A frame row is [x, y, cos, sin, angle, x_dot, y_dot, omega]. For a point s in body axes, S = A s is its arm in global axes and
d/dt (r + S) = r_dot + omega (-S_y, S_x). `g` is a row of `Arrays.geometry`: [s_i (2), s_j (2), a_i (2), angle offset].
`J` is the row pair of body blocks [x_i, y_i, angle_i, x_j, y_j, angle_j] of `Arrays.jacobian`.
"""

from math import cos, sin, sqrt

from mbsim.jit import helper


@helper
def pose(frames, n_b, q):
    for b in range(n_b):
        f = frames[b]
        f[0], f[1], f[4] = q[3 * b], q[3 * b + 1], q[3 * b + 2]
        f[2], f[3] = cos(f[4]), sin(f[4])


@helper
def speed(frames, n_b, v):
    for b in range(n_b):
        f = frames[b]
        f[5], f[6], f[7] = v[3 * b], v[3 * b + 1], v[3 * b + 2]


@helper
def turned(f, x, y):
    """Body axes to global."""
    return f[2] * x - f[3] * y, f[3] * x + f[2] * y


@helper
def point_rows(fi, fj, g, J, row):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    J[row, 0], J[row, 2], J[row, 3], J[row, 5] = -1.0, ay, 1.0, -by
    J[row + 1, 1], J[row + 1, 2], J[row + 1, 4], J[row + 1, 5] = -1.0, -ax, 1.0, bx


@helper
def point_phi(fi, fj, g, phi, row):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    phi[row] = fj[0] + bx - fi[0] - ax
    phi[row + 1] = fj[1] + by - fi[1] - ay


@helper
def point_eta(fi, fj, g, eta, row):
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    wi, wj = fi[7] * fi[7], fj[7] * fj[7]
    eta[row] = wi * ax - wj * bx
    eta[row + 1] = wi * ay - wj * by


@helper
def plane_row(fi, fj, g, J, row):
    """a . d: the arm of a about the centre of i reaches to the point of j, because a turns with i."""
    nx, ny = turned(fi, g[4], g[5])
    bx, by = turned(fj, g[2], g[3])
    dx, dy = fj[0] + bx - fi[0], fj[1] + by - fi[1]
    J[row, 0], J[row, 1], J[row, 2] = -nx, -ny, nx * dy - ny * dx
    J[row, 3], J[row, 4], J[row, 5] = nx, ny, ny * bx - nx * by


@helper
def plane_phi(fi, fj, g):
    nx, ny = turned(fi, g[4], g[5])
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    return nx * (fj[0] + bx - fi[0] - ax) + ny * (fj[1] + by - fi[1] - ay)


@helper
def plane_eta(fi, fj, g):
    nx, ny = turned(fi, g[4], g[5])
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    wi, wj = fi[7], fj[7]
    dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
    ux, uy = fj[5] - wj * by - fi[5] + wi * ay, fj[6] + wj * bx - fi[6] - wi * ax
    # n.. = -wi^2 n, n. = wi (-ny, nx), d.. (without accelerations) = wi^2 S_i - wj^2 S_j
    bias = nx * (wi * wi * ax - wj * wj * bx) + ny * (wi * wi * ay - wj * wj * by)
    return bias - wi * wi * (nx * dx + ny * dy) + 2.0 * wi * (nx * uy - ny * ux)


@helper
def spring(fi, fj, p):
    """Direction, length, rate and arms of a spring; p: [s_i (3), s_j (3), stiffness, damping, free length]."""
    ax, ay = turned(fi, p[0], p[1])
    bx, by = turned(fj, p[3], p[4])
    dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
    length = sqrt(dx * dx + dy * dy)
    if length > 0.0:
        dx, dy = dx / length, dy / length
    ux, uy = fj[5] - fj[7] * by - fi[5] + fi[7] * ay, fj[6] + fj[7] * bx - fi[6] - fi[7] * ax
    return dx, dy, length, dx * ux + dy * uy, ax, ay, bx, by
