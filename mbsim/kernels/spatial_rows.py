"""Spatial bodies, q = (r, unit quaternion), v = (r_dot global, omega in body axes): what elements and systems of them share.

A frame row is [r (3), A (9, row by row, body to global), r_dot (3), omega (3), quaternion (4), in trees only where a TWIST asks for it].
With s in body axes, S = A s is its arm in global axes, d/dt S = A (omega x s), so the row of a global direction n on a point has the
rotation part s x (A' n).
`g` is a row of `Arrays.geometry`: [s_i (3), s_j (3), a_i (3), b_j (3), c_i (3), a constant], c_i = y_i unless a row says else.
`J` holds the body blocks [r_i (3), rotation_i (3), r_j (3), rotation_j (3)] of each row.
"""

from mbsim.jit import helper
from mbsim.kernels.rotations import rotation


@helper
def pose(frames, n_b, q):
    for b in range(n_b):
        f, o = frames[b], 7 * b
        f[0], f[1], f[2] = q[o], q[o + 1], q[o + 2]
        rotation(q[o + 3], q[o + 4], q[o + 5], q[o + 6], f[3:])
        f[18], f[19], f[20], f[21] = q[o + 3], q[o + 4], q[o + 5], q[o + 6]


@helper
def speed(frames, n_b, v):
    for b in range(n_b):
        for c in range(6):
            frames[b, 12 + c] = v[6 * b + c]


@helper
def to_global(f, x, y, z):
    return f[3] * x + f[4] * y + f[5] * z, f[6] * x + f[7] * y + f[8] * z, f[9] * x + f[10] * y + f[11] * z


@helper
def to_body(f, x, y, z):
    return f[3] * x + f[6] * y + f[9] * z, f[4] * x + f[7] * y + f[10] * z, f[5] * x + f[8] * y + f[11] * z


@helper
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@helper
def swept(f, x, y, z):
    """A (omega x s): the rate of a direction fixed in the body."""
    ux, uy, uz = cross(f[15], f[16], f[17], x, y, z)
    return to_global(f, ux, uy, uz)


@helper
def swept_twice(f, x, y, z):
    """A (omega x (omega x s))."""
    ux, uy, uz = cross(f[15], f[16], f[17], x, y, z)
    ux, uy, uz = cross(f[15], f[16], f[17], ux, uy, uz)
    return to_global(f, ux, uy, uz)


@helper
def separation(fi, fj, g):
    """d: from the point on i to the point on j, global axes."""
    ax, ay, az = to_global(fi, g[0], g[1], g[2])
    bx, by, bz = to_global(fj, g[3], g[4], g[5])
    return fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay, fj[2] + bz - fi[2] - az


@helper
def separation_rate(fi, fj, g):
    ax, ay, az = swept(fi, g[0], g[1], g[2])
    bx, by, bz = swept(fj, g[3], g[4], g[5])
    return fj[12] + bx - fi[12] - ax, fj[13] + by - fi[13] - ay, fj[14] + bz - fi[14] - az


@helper
def separation_bias(fi, fj, g):
    """d.. without the accelerations."""
    ax, ay, az = swept_twice(fi, g[0], g[1], g[2])
    bx, by, bz = swept_twice(fj, g[3], g[4], g[5])
    return bx - ax, by - ay, bz - az


@helper
def plane_row(fi, fj, g, J, r):
    along_row(fi, fj, g, g[6], g[7], g[8], J, r)


@helper
def along_row(fi, fj, g, ax, ay, az, J, r):
    """Row of a_i . d with a_i = (ax, ay, az) in body axes of i."""
    nx, ny, nz = to_global(fi, ax, ay, az)
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -nx, -ny, -nz, nx, ny, nz
    # on i: a x (A_i' D), D from the centre of i to the point of j
    bx, by, bz = to_global(fj, g[3], g[4], g[5])
    dx, dy, dz = to_body(fi, fj[0] + bx - fi[0], fj[1] + by - fi[1], fj[2] + bz - fi[2])
    J[r, 3], J[r, 4], J[r, 5] = cross(ax, ay, az, dx, dy, dz)
    nx, ny, nz = to_body(fj, nx, ny, nz)
    J[r, 9], J[r, 10], J[r, 11] = cross(g[3], g[4], g[5], nx, ny, nz)


@helper
def plane_phi(fi, fj, g):
    nx, ny, nz = to_global(fi, g[6], g[7], g[8])
    dx, dy, dz = separation(fi, fj, g)
    return nx * dx + ny * dy + nz * dz


@helper
def plane_eta(fi, fj, g):
    return along_eta(fi, fj, g, g[6], g[7], g[8])


@helper
def along_eta(fi, fj, g, ax, ay, az):
    """Bias of a_i . d, likewise."""
    dx, dy, dz = separation(fi, fj, g)
    nx, ny, nz = swept_twice(fi, ax, ay, az)
    s = nx * dx + ny * dy + nz * dz
    dx, dy, dz = separation_rate(fi, fj, g)
    nx, ny, nz = swept(fi, ax, ay, az)
    s += 2.0 * (nx * dx + ny * dy + nz * dz)
    dx, dy, dz = separation_bias(fi, fj, g)
    nx, ny, nz = to_global(fi, ax, ay, az)
    return s + nx * dx + ny * dy + nz * dz


@helper
def angle_row(fi, fj, ax, ay, az, g, J, row):
    """Row of a_i . b_j with a_i = (ax, ay, az) in body axes of i: a x (A_i' b) on i, b x (A_j' a) on j."""
    x, y, z = to_global(fj, g[9], g[10], g[11])
    x, y, z = to_body(fi, x, y, z)
    J[row, 3], J[row, 4], J[row, 5] = cross(ax, ay, az, x, y, z)
    x, y, z = to_global(fi, ax, ay, az)
    x, y, z = to_body(fj, x, y, z)
    J[row, 9], J[row, 10], J[row, 11] = cross(g[9], g[10], g[11], x, y, z)


@helper
def angle_phi(fi, fj, ax, ay, az, g):
    ax, ay, az = to_global(fi, ax, ay, az)
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    return ax * bx + ay * by + az * bz


@helper
def angle_eta(fi, fj, ax, ay, az, ux, uy, uz, wx, wy, wz, g):
    """Bias of a_i . b_j; a with rate u and second rate w in body axes of i (zero for a fixed axis)."""
    omx, omy, omz = fi[15], fi[16], fi[17]
    x, y, z = swept_twice(fi, ax, ay, az)
    cx, cy, cz = cross(omx, omy, omz, ux, uy, uz)
    dx, dy, dz = to_global(fi, 2.0 * cx + wx, 2.0 * cy + wy, 2.0 * cz + wz)
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    s = (x + dx) * bx + (y + dy) * by + (z + dz) * bz
    x, y, z = swept(fi, ax, ay, az)
    dx, dy, dz = to_global(fi, ux, uy, uz)
    bx, by, bz = swept(fj, g[9], g[10], g[11])
    s += 2.0 * ((x + dx) * bx + (y + dy) * by + (z + dz) * bz)
    x, y, z = to_global(fi, ax, ay, az)
    bx, by, bz = swept_twice(fj, g[9], g[10], g[11])
    return s + x * bx + y * by + z * bz


@helper
def product_rate(fi, fj, ax, ay, az, g):
    """Rate of a_i . b_j for a fixed in body i."""
    x, y, z = swept(fi, ax, ay, az)
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    s = x * bx + y * by + z * bz
    x, y, z = to_global(fi, ax, ay, az)
    bx, by, bz = swept(fj, g[9], g[10], g[11])
    return s + x * bx + y * by + z * bz


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
def push(h, n_b, b, f, s, p, fx, fy, fz):
    """Add the global force (fx, fy, fz) at the body point p[s:s + 3] of body b with frame f."""
    if b < n_b:
        o = 6 * b
        h[o] += fx
        h[o + 1] += fy
        h[o + 2] += fz
        fx, fy, fz = to_body(f, fx, fy, fz)
        x, y, z = cross(p[s], p[s + 1], p[s + 2], fx, fy, fz)
        h[o + 3] += x
        h[o + 4] += y
        h[o + 5] += z


@helper
def push_at(frames, h, b, sign, fx, fy, fz, px, py, pz, tx, ty, tz):
    """Add `sign` times a force (fx, fy, fz) at (px, py, pz) and a couple, all global, to the loads of body b."""
    if b < frames.shape[0] - 1:
        f, o = frames[b], 6 * b
        x, y, z = cross(px - f[0], py - f[1], pz - f[2], fx, fy, fz)
        x, y, z = to_body(f, tx + x, ty + y, tz + z)
        h[o] += sign * fx
        h[o + 1] += sign * fy
        h[o + 2] += sign * fz
        h[o + 3] += sign * x
        h[o + 4] += sign * y
        h[o + 5] += sign * z


@helper
def push_pair(frames, h, i, j, fx, fy, fz, px, py, pz, tx, ty, tz):
    """The same on body i, and turned round on body j."""
    push_at(frames, h, i, 1.0, fx, fy, fz, px, py, pz, tx, ty, tz)
    push_at(frames, h, j, -1.0, fx, fy, fz, px, py, pz, tx, ty, tz)


@helper
def inertia(arrays, M, h):
    """M, where it is wanted, and the gravity and gyroscopic forces, -omega x (I omega) in body axes, in h."""
    frames, masses = arrays.frames, arrays.masses
    for b in range(frames.shape[0] - 1):
        m, I, f, o = masses[b, 0], masses[b, 1:], frames[b], 6 * b
        for c in range(3):
            h[o + c] = m * arrays.gravity[c]
        if M.shape[0] > 0:
            for c in range(3):
                M[o + c, o + c] = m
                for k in range(3):
                    M[o + 3 + c, o + 3 + k] = I[3 * c + k]
        x, y, z = f[15], f[16], f[17]
        lx, ly, lz = I[0] * x + I[1] * y + I[2] * z, I[3] * x + I[4] * y + I[5] * z, I[6] * x + I[7] * y + I[8] * z
        h[o + 3], h[o + 4], h[o + 5] = cross(lx, ly, lz, x, y, z)


@helper
def body_energies(arrays):
    """Kinetic energy, and potential energy of gravity."""
    frames = arrays.frames
    kinetic, potential = 0.0, 0.0
    for b in range(frames.shape[0] - 1):
        f, m, I = frames[b], arrays.masses[b, 0], arrays.masses[b, 1:]
        for c in range(3):
            kinetic += 0.5 * m * f[12 + c] * f[12 + c]
            potential -= m * arrays.gravity[c] * f[c]
            for k in range(3):
                kinetic += 0.5 * f[15 + c] * I[3 * c + k] * f[15 + k]
    return kinetic, potential
