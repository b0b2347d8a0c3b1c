"""Planar bodies, q = v-integrated (x, y, angle) of the centre of mass, three speeds a body: what elements and systems of them share.

A frame row is [x, y, cos, sin, angle, x_dot, y_dot, omega]. For a point s in body axes, S = A s is its arm in global axes and
d/dt (r + S) = r_dot + omega (-S_y, S_x). `g` is a row of `Arrays.geometry`: [s_i (2), s_j (2), a_i (2), angle offset, a constant].
`J` is the row pair of body blocks [x_i, y_i, angle_i, x_j, y_j, angle_j] of `Arrays.jacobian`.
"""

from math import cos, sin

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
def arms(fi, fj, g):
    """From the centres to the points of both bodies, global axes."""
    ax, ay = turned(fi, g[0], g[1])
    bx, by = turned(fj, g[2], g[3])
    return ax, ay, bx, by


@helper
def separation(fi, fj, g):
    """d, from the point of the first body to that of the second."""
    ax, ay, bx, by = arms(fi, fj, g)
    return fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay


@helper
def separation_rate(fi, fj, g):
    """d_dot."""
    ax, ay, bx, by = arms(fi, fj, g)
    return fj[5] - fj[7] * by - fi[5] + fi[7] * ay, fj[6] + fj[7] * bx - fi[6] - fi[7] * ax


@helper
def separation_bias(fi, fj, g):
    """d_ddot without accelerations."""
    ax, ay, bx, by = arms(fi, fj, g)
    wi, wj = fi[7] * fi[7], fj[7] * fj[7]
    return wi * ax - wj * bx, wi * ay - wj * by


@helper
def plane_row(fi, fj, g, J, r):
    """a . d: the arm of a about the centre of i reaches to the point of j, because a turns with i."""
    nx, ny = turned(fi, g[4], g[5])
    along_row(fi, fj, g, nx, ny, J, r)


@helper
def along_row(fi, fj, g, nx, ny, J, r):
    """The same for a = (nx, ny) in global axes."""
    bx, by = turned(fj, g[2], g[3])
    dx, dy = fj[0] + bx - fi[0], fj[1] + by - fi[1]
    J[r, 0], J[r, 1], J[r, 2] = -nx, -ny, nx * dy - ny * dx
    J[r, 3], J[r, 4], J[r, 5] = nx, ny, ny * bx - nx * by


@helper
def plane_phi(fi, fj, g):
    nx, ny = turned(fi, g[4], g[5])
    dx, dy = separation(fi, fj, g)
    return nx * dx + ny * dy


@helper
def plane_eta(fi, fj, g):
    nx, ny = turned(fi, g[4], g[5])
    return along_eta(fi, fj, g, nx, ny)


@helper
def along_eta(fi, fj, g, nx, ny):
    """The same for a = (nx, ny) in global axes, which turns with i."""
    dx, dy = separation(fi, fj, g)
    ux, uy = separation_rate(fi, fj, g)
    bx, by = separation_bias(fi, fj, g)
    wi = fi[7]
    # n.. = -wi^2 n, n. = wi (-ny, nx)
    bias = nx * bx + ny * by
    return bias - wi * wi * (nx * dx + ny * dy) + 2.0 * wi * (nx * uy - ny * ux)


@helper
def line_law(laws, law, order, g):
    """a . p, or its rates: how far the point of a line that moves is along a; such a line is the ground's, whose axes are global."""
    return g[4] * laws[law, order] + g[5] * laws[law + 1, order] if law >= 0 else 0.0


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
def push(h, n_b, b, fx, fy, torque):
    """Add a force and a torque about the centre of mass to the loads of body b."""
    if b < n_b:
        h[3 * b] += fx
        h[3 * b + 1] += fy
        h[3 * b + 2] += torque


@helper
def push_at(frames, h, b, sign, fx, fy, px, py, torque):
    """Add `sign` times a force (fx, fy) at (px, py) and a couple to the loads of body b."""
    if b < frames.shape[0] - 1:
        f = frames[b]
        h[3 * b] += sign * fx
        h[3 * b + 1] += sign * fy
        h[3 * b + 2] += sign * ((px - f[0]) * fy - (py - f[1]) * fx + torque)


@helper
def push_pair(frames, h, i, j, fx, fy, px, py, torque):
    """The same on body i, and turned round on body j."""
    push_at(frames, h, i, 1.0, fx, fy, px, py, torque)
    push_at(frames, h, j, -1.0, fx, fy, px, py, torque)


@helper
def inertia(arrays, M, h):
    """M, where it is wanted, and gravity in h."""
    for b in range(arrays.frames.shape[0] - 1):
        m = arrays.masses[b, 0]
        if M.shape[0] > 0:
            M[3 * b, 3 * b], M[3 * b + 1, 3 * b + 1], M[3 * b + 2, 3 * b + 2] = m, m, arrays.masses[b, 1]
        h[3 * b], h[3 * b + 1], h[3 * b + 2] = m * arrays.gravity[0], m * arrays.gravity[1], 0.0


@helper
def body_energies(arrays):
    """Kinetic energy, and potential energy of gravity."""
    frames = arrays.frames
    kinetic, potential = 0.0, 0.0
    for b in range(frames.shape[0] - 1):
        f, m = frames[b], arrays.masses[b, 0]
        kinetic += 0.5 * (m * (f[5] * f[5] + f[6] * f[6]) + arrays.masses[b, 1] * f[7] * f[7])
        potential -= m * (arrays.gravity[0] * f[0] + arrays.gravity[1] * f[1])
    return kinetic, potential
