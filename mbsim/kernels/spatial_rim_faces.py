"""The rim of a cylinder on the faces of a convex polyhedron, or on a plane: its lowest point (`spatial_rims.py`).

With n the normal of a face, H its height, S the centre of the solid, c = n . b and s = sqrt(1 - c^2)

    e = (c b - n)/s        from the centre of the rim to where it is lowest
    h = n . (C - S) - H - sigma(s)

sigma(s) is R s. A rim that lies flat has no lowest point. So an end stands on CORNERS points of its rim, which are contacts of their own,
and its lowest point counts where s > STANDS only. There the lowest of the points is up to kappa s above the lowest one of the rim,
kappa = R (1 - cos(pi/CORNERS)). So that nothing sinks in as s passes STANDS, the rim is higher by

    delta = kappa STANDS ((FLAT - s)/(FLAT - STANDS))^3       where s < FLAT,

8e-6 R at most, and sigma = R s - delta. From FLAT on the points count no longer: each is at rest where it touches while the rim rolls. What
touches is at rho e + z b from C, rho = sigma s + sigma' c^2, z = c (s sigma' - sigma). That is up to sigma' - R farther out than the rim,
5e-3 R at most, and by so much less it is beyond an edge: else an end as wide as what it is on would be beyond it on all sides.

From g[20] on: kappa, the number of faces, then of each n (3) and H, in axes of the solid. One face alone is a plane,
or with a radius behind it the flat end of a cylinder. A rim whose radius is zero is a point, and counts however it lies. Behind the radius
is the middle C of the end that stands on the point (3), in axes of the second body; of a rim it is that of the rim.

Where C is over a face, and the lowest point as well, whatever is below the face has come through it: what comes in by a side has C beside
the face. So h alone is the gap, however deep. That matters where an end is as wide as what it falls onto.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.primitives import FLAT, RIM_ON_FACES, STANDS
from mbsim.kernels.spatial_rows import cross, swept, to_body, to_global
from mbsim.kernels.spatial_solids import from_solid, in_solid, tangent

LYING_FLAT = 1e-9  # of s: a row of a rim that lies flat stays finite until the run looks


@helper
def support(R, kappa, s):
    """sigma and its first two derivatives by s."""
    u = (FLAT - s) / (FLAT - STANDS)
    u = u if u > 0.0 else 0.0
    size = kappa * STANDS
    slope = size / (FLAT - STANDS)
    return R * s - size * u * u * u, R + 3.0 * slope * u * u, -6.0 * slope / (FLAT - STANDS) * u


@helper
def on_solid(fi, fj, g):
    """C - S and b in axes of the solid."""
    x, y, z = to_global(fi, g[0], g[1], g[2])
    px, py, pz = to_global(fj, g[3], g[4], g[5])
    px, py, pz = to_body(fi, fj[0] + px - fi[0] - x, fj[1] + py - fi[1] - y, fj[2] + pz - fi[2] - z)
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    bx, by, bz = to_body(fi, bx, by, bz)
    px, py, pz = in_solid(g, px, py, pz)
    bx, by, bz = in_solid(g, bx, by, bz)
    return px, py, pz, bx, by, bz


@helper
def sine(nx, ny, nz, bx, by, bz):
    """s, to the last digit where it is small."""
    x, y, z = cross(nx, ny, nz, bx, by, bz)
    return sqrt(x * x + y * y + z * z)


@helper
def face_of(fi, fj, g, kept):
    """The place in g of the face that the rim is highest above, or if it is `kept`, of the one that it is on."""
    px, py, pz, bx, by, bz = on_solid(fi, fj, g)
    best, most = 22, -1e300
    for f in range(int(g[21])):
        o = 22 + 4 * f
        s = sine(g[o], g[o + 1], g[o + 2], bx, by, bz)
        sigma, _, _ = support(g[17], g[20], s)
        height = g[o] * px + g[o + 1] * py + g[o + 2] * pz - g[o + 3] - sigma
        value = -abs(height) if kept else height
        if value > most:
            best, most = o, value
    return best


@helper
def lowest(fi, fj, g, o):
    """Of the face at g[o], in global axes: n, e, b, then c, s, rho, z and h."""
    px, py, pz, _, _, _ = on_solid(fi, fj, g)
    height = g[o] * px + g[o + 1] * py + g[o + 2] * pz - g[o + 3]
    nx, ny, nz = from_solid(g, g[o], g[o + 1], g[o + 2])
    nx, ny, nz = to_global(fi, nx, ny, nz)
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    c = nx * bx + ny * by + nz * bz
    s = sine(nx, ny, nz, bx, by, bz)
    s = s if s > LYING_FLAT else LYING_FLAT
    sigma, first, _ = support(g[17], g[20], s)
    rho, z = sigma * s + first * c * c, c * (s * first - sigma)
    return nx, ny, nz, (c * bx - nx) / s, (c * by - ny) / s, (c * bz - nz) / s, bx, by, bz, c, s, rho, z, height - sigma


@helper
def faces_place(fi, fj, g, kept):
    """As `spatial_rims.place`."""
    o = face_of(fi, fj, g, kept)
    nx, ny, nz, ex, ey, ez, bx, by, bz, _, _, rho, z, h = lowest(fi, fj, g, o)
    qx, qy, qz = to_global(fj, g[3], g[4], g[5])
    qx, qy, qz = qx + rho * ex + z * bx, qy + rho * ey + z * by, qz + rho * ez + z * bz
    kx, ky, kz = fj[0] + qx - fi[0] - h * nx, fj[1] + qy - fi[1] - h * ny, fj[2] + qz - fi[2] - h * nz
    ex, ey, ez, _, _ = tangent(g, g[o], g[o + 1], g[o + 2])
    ex, ey, ez = from_solid(g, ex, ey, ez)
    ex, ey, ez = to_global(fi, ex, ey, ez)
    return nx, ny, nz, ex, ey, ez, kx, ky, kz, qx, qy, qz, h


@helper
def faces_motion(fi, fj, g, kept):
    """As `spatial_rims.motion`. e turns about b by n . (b x e)' = 0."""
    o = face_of(fi, fj, g, kept)
    nx, ny, nz, ex, ey, ez, bx, by, bz, c, s, rho, z, h = lowest(fi, fj, g, o)
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    mx, my, mz = cross(ox, oy, oz, nx, ny, nz)
    dx, dy, dz = cross(wx, wy, wz, bx, by, bz)
    c1 = mx * bx + my * by + mz * bz + nx * dx + ny * dy + nz * dz
    s1 = -c * c1 / s
    sigma, first, second = support(g[17], g[20], s)
    rho1 = (sigma - s * first + second * c * c) * s1
    z1 = c1 * (s * first - sigma) + c * s * second * s1
    tx, ty, tz = cross(bx, by, bz, ex, ey, ez)
    x, y, zz = cross(wx, wy, wz, tx, ty, tz)
    turn = (mx * tx + my * ty + mz * tz + nx * x + ny * y + nz * zz) / -s
    ux, uy, uz = cross(wx, wy, wz, ex, ey, ez)
    ux, uy, uz = ux + turn * tx, uy + turn * ty, uz + turn * tz
    qx, qy, qz = to_global(fj, g[3], g[4], g[5])
    ax, ay, az = qx + rho * ex + z * bx, qy + rho * ey + z * by, qz + rho * ez + z * bz
    qx, qy, qz = swept(fj, g[3], g[4], g[5])
    qx, qy, qz = (
        qx + rho * ux + rho1 * ex + z * dx + z1 * bx,
        qy + rho * uy + rho1 * ey + z * dy + z1 * by,
        qz + rho * uz + rho1 * ez + z * dz + z1 * bz,
    )
    x, y, zz = cross(wx, wy, wz, ax, ay, az)
    kx, ky, kz = fj[0] + ax - fi[0] - h * nx, fj[1] + ay - fi[1] - h * ny, fj[2] + az - fi[2] - h * nz
    gx, gy, gz = cross(ox, oy, oz, kx, ky, kz)
    h1 = nx * (fj[12] + x - fi[12] - gx) + ny * (fj[13] + y - fi[13] - gy) + nz * (fj[14] + zz - fi[14] - gz)
    kx, ky, kz = (
        fj[12] + qx - fi[12] - h * mx - h1 * nx,
        fj[13] + qy - fi[13] - h * my - h1 * ny,
        fj[14] + qz - fi[14] - h * mz - h1 * nz,
    )
    ex, ey, ez, _, _ = tangent(g, g[o], g[o + 1], g[o + 2])
    ex, ey, ez = from_solid(g, ex, ey, ez)
    ex, ey, ez = swept(fi, ex, ey, ez)
    return mx, my, mz, ex, ey, ez, kx, ky, kz, qx, qy, qz


@helper
def faces_count(fi, fj, g):
    """Whether the rim does not lie flat."""
    o = face_of(fi, fj, g, False)
    _, _, _, bx, by, bz = on_solid(fi, fj, g)
    return g[17] == 0.0 or sine(g[o], g[o + 1], g[o + 2], bx, by, bz) > STANDS


@helper
def lowest_in_solid(fi, fj, g, o):
    """The lowest point above the face at g[o], in axes of the solid from S."""
    _, _, _, ex, ey, ez, bx, by, bz, _, _, rho, z, _ = lowest(fi, fj, g, o)
    x, y, zz = to_global(fi, g[0], g[1], g[2])
    qx, qy, qz = to_global(fj, g[3], g[4], g[5])
    qx, qy, qz = qx + rho * ex + z * bx, qy + rho * ey + z * by, qz + rho * ez + z * bz
    px, py, pz = to_body(fi, fj[0] + qx - fi[0] - x, fj[1] + qy - fi[1] - y, fj[2] + qz - fi[2] - zz)
    return in_solid(g, px, py, pz)


@helper
def middle_over(fi, fj, g):
    """Whether the middle of the end is over the face that the rim is highest above, and not beside it."""
    if g[16] == RIM_ON_FACES:
        o = face_of(fi, fj, g, False)
        px, py, pz, _, _, _ = on_solid(fi, fj, g)
        for f in range(int(g[21])):
            a = 22 + 4 * f
            if a != o and g[a] * px + g[a + 1] * py + g[a + 2] * pz >= g[a + 3]:
                return False
        return True
    x, y, z = to_global(fi, g[0], g[1], g[2])
    px, py, pz = to_global(fj, g[27], g[28], g[29])
    px, py, pz = to_body(fi, fj[0] + px - fi[0] - x, fj[1] + py - fi[1] - y, fj[2] + pz - fi[2] - z)
    px, py, pz = in_solid(g, px, py, pz)
    px, py, pz = cross(px, py, pz, g[22], g[23], g[24])
    return px * px + py * py + pz * pz < g[26] * g[26]


@helper
def beyond_faces(fi, fj, g, flat):
    """As `spatial_rims.beyond`: the largest height of the lowest point above another face; if `flat` counts, how far the rim lies flat."""
    o = face_of(fi, fj, g, flat)
    px, py, pz = lowest_in_solid(fi, fj, g, o)
    other, most = o, -1e300
    for f in range(int(g[21])):
        a = 22 + 4 * f
        if a != o:
            height = g[a] * px + g[a + 1] * py + g[a + 2] * pz - g[a + 3]
            if height > most:
                other, most = a, height
    return beyond_by(fi, fj, g, o, flat, most, g[other], g[other + 1], g[other + 2])


@helper
def beyond_disc(fi, fj, g, flat):
    """The same of the flat end of a cylinder, whose radius is g[26]: how far the lowest point is beyond it."""
    px, py, pz = lowest_in_solid(fi, fj, g, 22)
    on = px * g[22] + py * g[23] + pz * g[24]
    px, py, pz = px - on * g[22], py - on * g[23], pz - on * g[24]
    length = sqrt(px * px + py * py + pz * pz)
    scale = 1.0 / (length if length > LYING_FLAT * g[26] else LYING_FLAT * g[26])
    return beyond_by(fi, fj, g, 22, flat, length - g[26], scale * px, scale * py, scale * pz)


@helper
def beyond_by(fi, fj, g, o, flat, most, gx, gy, gz):
    """`most`, to which the lowest point above the face at g[o] is beyond along a direction in axes of the solid, and its gradient."""
    nx, ny, nz, ex, ey, ez, bx, by, bz, c, s, rho, z, _ = lowest(fi, fj, g, o)
    qx, qy, qz = to_global(fj, g[3], g[4], g[5])
    qx, qy, qz = qx + rho * ex + z * bx, qy + rho * ey + z * by, qz + rho * ez + z * bz
    kx, ky, kz = fj[0] + qx - fi[0], fj[1] + qy - fi[1], fj[2] + qz - fi[2]
    x, y, zz = cross(nx, ny, nz, bx, by, bz)
    low = g[17] * (STANDS - s)
    sigma, first, second = support(g[17], g[20], s)
    most -= first - g[17]
    if flat and g[17] > 0.0 and low > most:
        k = g[17] * c / s
        return low, 0.0, 0.0, 0.0, k * x, k * y, k * zz, -k * x, -k * y, -k * zz
    gx, gy, gz = from_solid(g, gx, gy, gz)
    gx, gy, gz = to_global(fi, gx, gy, gz)
    tx, ty, tz = cross(bx, by, bz, ex, ey, ez)
    on_e, on_b = gx * ex + gy * ey + gz * ez, gx * bx + gy * by + gz * bz
    # the place moves by the turn of e, and by c' through rho and z
    k = -c / s
    on_c = on_e * (sigma - s * first + second * c * c) * k + on_b * (s * first - sigma + c * s * second * k)
    on_c -= second * k
    on_turn = -rho * (gx * tx + gy * ty + gz * tz) / s
    ax, ay, az = cross(nx, ny, nz, tx, ty, tz)
    ax, ay, az = on_c * x + on_turn * ax, on_c * y + on_turn * ay, on_c * zz + on_turn * az
    ux, uy, uz = cross(kx, ky, kz, -gx, -gy, -gz)
    vx, vy, vz = cross(qx, qy, qz, gx, gy, gz)
    return most, gx, gy, gz, ux + ax, uy + ay, uz + az, vx - ax, vy - ay, vz - az


@helper
def tilt(fi, fj, g):
    """R (s - FLAT) above the face that the rim is highest above, and what `store` takes of it."""
    o = face_of(fi, fj, g, False)
    nx, ny, nz, _, _, _, bx, by, bz, c, s, _, _, _ = lowest(fi, fj, g, o)
    x, y, z = cross(nx, ny, nz, bx, by, bz)
    k = -g[17] * c / s
    return g[17] * (s - FLAT), 0.0, 0.0, 0.0, k * x, k * y, k * z, -k * x, -k * y, -k * z
