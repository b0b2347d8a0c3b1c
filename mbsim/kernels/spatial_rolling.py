"""What the rows of contacts with a plane share (`height`, `slip`; of a blade `edge`). Layouts: `spatial_rows.py`.

The plane goes through the point s_i of the first body with the unit normal n = a_i; the second body has the point s_j (a centre, or the
contact point of a blade) and the unit vector b_j. In global axes, N, B and E those of n, b and the tangent e = c_i of the row:

    D    = from the plane's point to the body's,  c = N . B,  s = sqrt(1 - c^2)
    rho  = R (-N + c B) / s                       from the body's point to the contact: of a disk about b; of a ball b = 0
    L    = N x B / s                              across a blade along b, in place of E; R = 0
    height   N . D - R s = 0
    slip     E . (V_j - V_i) = 0,  V_j = velocity of j at the contact, V_i = velocity there of what the plane belongs to

The plane may move: its seven laws are the place p of its point (3), the velocity of the surface against it (3), and the spin about N.
Such a plane belongs to the ground, s_i = 0. Then D is from p, and V_i = w + spin N x (D + rho) with w = p' + velocity.
eta is the rate of C v + xi along the motion of constant v (omega in body axes), with

    rho' = R (-N' + c' B + c B') / s + rho c c' / s^2,   L' = (N' x B + N x B') / s + L c c' / s^2
"""

from math import nan, sqrt

from mbsim.jit import helper
from mbsim.kernels.laws import laws_of
from mbsim.kernels.primitives import FLAT
from mbsim.kernels.spatial_rows import cross, separation, swept, swept_twice, to_body, to_global


@helper
def lean(fi, fj, g):
    """N, B, c and s."""
    nx, ny, nz = to_global(fi, g[6], g[7], g[8])
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    c = nx * bx + ny * by + nz * bz
    s = sqrt(max(1.0 - c * c, 0.0))
    return nx, ny, nz, bx, by, bz, c, s if s > FLAT else nan  # beyond flat the contact would jump to the other side


@helper
def contact(blade, fi, fj, g):
    """Direction of the row, and from the body's point to the contact."""
    nx, ny, nz, bx, by, bz, c, s = lean(fi, fj, g)
    if blade:
        x, y, z = cross(nx, ny, nz, bx, by, bz)
        return x / s, y / s, z / s, 0.0, 0.0, 0.0
    k = g[15] / s
    x, y, z = to_global(fi, g[12], g[13], g[14])
    return x, y, z, k * (c * bx - nx), k * (c * by - ny), k * (c * bz - nz)


@helper
def contact_rates(blade, fi, fj, g):
    """Rates of what `contact` returns."""
    nx, ny, nz, bx, by, bz, c, s = lean(fi, fj, g)
    mx, my, mz = swept(fi, g[6], g[7], g[8])
    ax, ay, az = swept(fj, g[9], g[10], g[11])
    rate = mx * bx + my * by + mz * bz + nx * ax + ny * ay + nz * az
    dx, dy, dz, rx, ry, rz = contact(blade, fi, fj, g)
    stretch = c * rate / (s * s)
    if blade:
        px, py, pz = cross(mx, my, mz, bx, by, bz)
        qx, qy, qz = cross(nx, ny, nz, ax, ay, az)
        return (px + qx) / s + stretch * dx, (py + qy) / s + stretch * dy, (pz + qz) / s + stretch * dz, 0.0, 0.0, 0.0
    k = g[15] / s
    x, y, z = swept(fi, g[12], g[13], g[14])
    return (
        x,
        y,
        z,
        k * (rate * bx + c * ax - mx) + stretch * rx,
        k * (rate * by + c * ay - my) + stretch * ry,
        k * (rate * bz + c * az - mz) + stretch * rz,
    )


@helper
def surface(fi, fj, g, laws, law, rx, ry, rz):
    """Of a plane that moves: w + spin N x X, X from the plane's point to the contact; zero of one at rest."""
    if law < 0:
        return 0.0, 0.0, 0.0
    dx, dy, dz = separation(fi, fj, g)
    px, py, pz = laws_of(laws, law, 0)
    x, y, z = cross(g[6], g[7], g[8], dx + rx - px, dy + ry - py, dz + rz - pz)
    ux, uy, uz = laws_of(laws, law, 1)
    wx, wy, wz = laws_of(laws, law + 3, 0)
    spin = laws[law + 6, 0]
    return ux + wx + spin * x, uy + wy + spin * y, uz + wz + spin * z


@helper
def slip_eta(blade, fi, fj, g, laws, law):
    """eta of a slip row."""
    ex, ey, ez, rx, ry, rz = contact(blade, fi, fj, g)
    ax, ay, az, sx, sy, sz = contact_rates(blade, fi, fj, g)  # E', rho'
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    bx, by, bz = to_global(fj, g[3], g[4], g[5])
    yx, yy, yz = fj[0] + bx + rx - fi[0], fj[1] + by + ry - fi[1], fj[2] + bz + rz - fi[2]  # from the centre of i to the contact
    cx, cy, cz = swept(fj, g[3], g[4], g[5])
    cx, cy, cz = fj[12] + cx, fj[13] + cy, fj[14] + cz  # velocity of the body's point
    # u = V_j - V_i
    jx, jy, jz = cross(wx, wy, wz, rx, ry, rz)
    ix, iy, iz = cross(ox, oy, oz, yx, yy, yz)
    px, py, pz = surface(fi, fj, g, laws, law, rx, ry, rz)
    ux, uy, uz = cx + jx - fi[12] - ix - px, cy + jy - fi[13] - iy - py, cz + jz - fi[14] - iz - pz
    # u'
    vx, vy, vz = cx + sx - fi[12], cy + sy - fi[13], cz + sz - fi[14]  # rate of y
    dx, dy, dz = swept_twice(fj, g[3], g[4], g[5])
    jx, jy, jz = cross(wx, wy, wz, sx, sy, sz)
    ix, iy, iz = cross(ox, oy, oz, vx, vy, vz)
    dx, dy, dz = dx + jx - ix, dy + jy - iy, dz + jz - iz
    if law >= 0:
        ax2, ay2, az2 = laws_of(laws, law, 2)
        bx2, by2, bz2 = laws_of(laws, law + 3, 1)
        spin, speeding = laws[law + 6, 0], laws[law + 6, 1]
        px, py, pz = laws_of(laws, law, 0)
        hx, hy, hz = separation(fi, fj, g)
        hx, hy, hz = cross(g[6], g[7], g[8], hx + rx - px, hy + ry - py, hz + rz - pz)
        px, py, pz = laws_of(laws, law, 1)
        kx, ky, kz = cross(g[6], g[7], g[8], vx - px, vy - py, vz - pz)
        dx -= ax2 + bx2 + speeding * hx + spin * kx
        dy -= ay2 + by2 + speeding * hy + spin * ky
        dz -= az2 + bz2 + speeding * hz + spin * kz
    return ax * ux + ay * uy + az * uz + ex * dx + ey * dy + ez * dz


@helper
def slip_row(blade, fi, fj, g, laws, law, J, row):
    """The body blocks of a slip row in J[row]; returns xi."""
    ex, ey, ez, rx, ry, rz = contact(blade, fi, fj, g)
    J[row, 0], J[row, 1], J[row, 2], J[row, 6], J[row, 7], J[row, 8] = -ex, -ey, -ez, ex, ey, ez
    bx, by, bz = to_global(fj, g[3], g[4], g[5])
    bx, by, bz = bx + rx, by + ry, bz + rz
    x, y, z = cross(bx, by, bz, ex, ey, ez)
    J[row, 9], J[row, 10], J[row, 11] = to_body(fj, x, y, z)
    x, y, z = cross(fj[0] + bx - fi[0], fj[1] + by - fi[1], fj[2] + bz - fi[2], -ex, -ey, -ez)
    J[row, 3], J[row, 4], J[row, 5] = to_body(fi, x, y, z)
    x, y, z = surface(fi, fj, g, laws, law, rx, ry, rz)
    return -(ex * x + ey * y + ez * z)
