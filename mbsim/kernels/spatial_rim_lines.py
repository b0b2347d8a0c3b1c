"""The rim of a cylinder and a line with ends: an edge of a polyhedron, or with a radius S about it a capsule's or a cylinder's axis.

In space (`spatial_rims.py`), with the line's middle M, its direction a and half its length l; e the direction from C to the place of the
rim, t = b x e that of the rim there, d = C + R e - M, and d_p = d - (d . a) a, the place is where |d_p| is least:

    F = d_p . t = 0,    dF/de = R (1 - (a . t)^2) - d_p . e > 0
    n = d_p / |d_p| where S > 0;  a x t / |a x t| out of both of two sharp edges (S = 0)
    h = n . d - S

Across a the circle is an ellipse, and what is looked for its points nearest to the line: one outside of its evolute, two within. Let m be a
across b, y = b x m and e = cos m + sin y. With U = -d . m + (d . a)(a . m), V = |d . y|, K = R (a . m)^2 and T = |tan| of the angle of e

    V = U T + K T / sqrt(1 + T^2),

whose right side grows and is concave up to where the nearest place ends to be one, so that Newton's steps from T = 0 come from below.
g[22] is 1 for the place next to m, which is that on the other side where there is only one, and -1 for the other of two.

From g[20] on: S, l, 1 or -1, and the cones c (3), e (3) of an edge as in `spatial_edges.py`, zeros of a line.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import cross, to_body, to_global

MOST = 80  # steps of Newton
FARTHEST = 1e12  # of T: the place is across m
ALONG = 1e-6  # of the sine of the angle between a and b: then a has no direction across b, and needs none
PARALLEL = 1e-6  # of |a x t|: sharp edges that touch along each other have no place
EVEN = 1e-9  # of a component of n: what is less is zero but for round-off
AXIAL = 2e-6  # of n along b: next to where barrel and line are parallel, so that the rim touches where the barrel is not known to
TINY = 1e-300


@helper
def steepness(U, V, K):
    """T."""
    T = 0.0
    for _ in range(MOST):
        root = sqrt(1.0 + T * T)
        slope = U + K / (root * root * root)
        step = (V - U * T - K * T / root) / (slope if slope > TINY else TINY)
        T = T + step
        T = T if T < FARTHEST else FARTHEST
        if not step > 4e-16 * (1.0 + T):
            break
    return T


@helper
def towards(ax, ay, az, bx, by, bz, dx, dy, dz):
    """m and the length of what a has across b."""
    on = ax * bx + ay * by + az * bz
    mx, my, mz = ax - on * bx, ay - on * by, az - on * bz
    length = sqrt(mx * mx + my * my + mz * mz)
    if length > ALONG:
        return mx / length, my / length, mz / length, length
    on = dx * bx + dy * by + dz * bz
    mx, my, mz = on * bx - dx, on * by - dy, on * bz - dz
    size = sqrt(mx * mx + my * my + mz * mz)
    if size > TINY:
        return mx / size, my / size, mz / size, length
    x, y, z = (1.0, 0.0, 0.0) if abs(bx) < 0.6 else (0.0, 1.0, 0.0)
    mx, my, mz = cross(bx, by, bz, x, y, z)
    size = sqrt(mx * mx + my * my + mz * mz)
    return mx / size, my / size, mz / size, length


@helper
def nearest_of_rim(R, k, ax, ay, az, bx, by, bz, dx, dy, dz):
    """e, and whether there is such a place; d is C - M."""
    mx, my, mz, size = towards(ax, ay, az, bx, by, bz, dx, dy, dz)
    yx, yy, yz = cross(bx, by, bz, mx, my, mz)
    am = ax * mx + ay * my + az * mz
    U = (dx * ax + dy * ay + dz * az) * am - dx * mx - dy * my - dz * mz
    side = dx * yx + dy * yy + dz * yz
    V, K = abs(side), R * am * am
    U = U if size > ALONG else abs(U)
    within = abs(U) < K and (abs(U) * abs(U)) ** (1.0 / 3.0) + (V * V) ** (1.0 / 3.0) < (K * K) ** (1.0 / 3.0)
    way = (1.0 if k > 0.0 else -1.0) if within else (1.0 if U >= 0.0 else -1.0)
    T = steepness(way * U, V, K)
    cosine = 1.0 / sqrt(1.0 + T * T)
    first = way * cosine
    second = -T * cosine if side > 0.0 else T * cosine
    return first * mx + second * yx, first * my + second * yy, first * mz + second * yz, within or k > 0.0


@helper
def line_of(fi, fj, g):
    """In global axes: the arms of M and C, a, b, d = C - M; of a rim on a rim (`spatial_rim_rims.py`) M is C' and a is b'."""
    sx, sy, sz = to_global(fi, g[0], g[1], g[2])
    cx, cy, cz = to_global(fj, g[3], g[4], g[5])
    ax, ay, az = to_global(fi, g[6], g[7], g[8])
    bx, by, bz = to_global(fj, g[9], g[10], g[11])
    return sx, sy, sz, cx, cy, cz, ax, ay, az, bx, by, bz, fj[0] + cx - fi[0] - sx, fj[1] + cy - fi[1] - sy, fj[2] + cz - fi[2] - sz


@helper
def normal_of(fi, g, px, py, pz, ax, ay, az, bx, by, bz, ex, ey, ez):
    """n, and the length of what it is made of with the sign that it has; p is d_p."""
    if g[20] > 0.0:
        length = sqrt(px * px + py * py + pz * pz)
        length = length if length > TINY else TINY
        return px / length, py / length, pz / length, length
    tx, ty, tz = cross(bx, by, bz, ex, ey, ez)
    nx, ny, nz = cross(ax, ay, az, tx, ty, tz)
    length = sqrt(nx * nx + ny * ny + nz * nz)
    length = length if length > PARALLEL else PARALLEL
    ox, oy, oz = to_global(fi, g[23] + g[26], g[24] + g[27], g[25] + g[28])
    out = nx * (ox - ex - bx) + ny * (oy - ey - by) + nz * (oz - ez - bz)
    length = length if out >= 0.0 else -length
    return nx / length, ny / length, nz / length, length


@helper
def touched(fi, fj, g):
    """In global axes: e, d, the way along the line, n, the length with its sign, then a, b and the arms of M and C."""
    sx, sy, sz, cx, cy, cz, ax, ay, az, bx, by, bz, dx, dy, dz = line_of(fi, fj, g)
    R = g[17]
    ex, ey, ez, _ = nearest_of_rim(R, g[22], ax, ay, az, bx, by, bz, dx, dy, dz)
    dx, dy, dz = dx + R * ex, dy + R * ey, dz + R * ez
    way = dx * ax + dy * ay + dz * az
    px, py, pz = dx - way * ax, dy - way * ay, dz - way * az
    nx, ny, nz, length = normal_of(fi, g, px, py, pz, ax, ay, az, bx, by, bz, ex, ey, ez)
    return ex, ey, ez, dx, dy, dz, way, nx, ny, nz, length, ax, ay, az, bx, by, bz, sx, sy, sz, cx, cy, cz


@helper
def line_place(fi, fj, g):
    """As `spatial_rims.place`."""
    ex, ey, ez, dx, dy, dz, way, nx, ny, nz, _, ax, ay, az, _, _, _, sx, sy, sz, cx, cy, cz = touched(fi, fj, g)
    R, S = g[17], g[20]
    return (
        nx, ny, nz, ax, ay, az, sx + way * ax + S * nx, sy + way * ay + S * ny, sz + way * az + S * nz,
        cx + R * ex, cy + R * ey, cz + R * ez, nx * dx + ny * dy + nz * dz - S,
    )  # fmt: skip


@helper
def turning(R, ex, ey, ez, dx, dy, dz, way, ax, ay, az, tx, ty, tz):
    """dF/de, away from zero, and a . t."""
    at = ax * tx + ay * ty + az * tz
    on_e = dx * ex + dy * ey + dz * ez
    slope = R * (1.0 - at * at) - on_e + way * (ax * ex + ay * ey + az * ez)
    least = EVEN * R
    return (slope if slope > least else least), at


@helper
def line_motion(fi, fj, g):
    """As `spatial_rims.motion`."""
    ex, ey, ez, dx, dy, dz, way, nx, ny, nz, length, ax, ay, az, bx, by, bz, sx, sy, sz, cx, cy, cz = touched(fi, fj, g)
    R, S = g[17], g[20]
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    tx, ty, tz = cross(bx, by, bz, ex, ey, ez)
    slope, at = turning(R, ex, ey, ez, dx, dy, dz, way, ax, ay, az, tx, ty, tz)
    # as if e were fixed in the body
    vx, vy, vz = cross(wx, wy, wz, cx + R * ex, cy + R * ey, cz + R * ez)
    mx, my, mz = cross(ox, oy, oz, sx, sy, sz)
    vx, vy, vz = fj[12] + vx - fi[12] - mx, fj[13] + vy - fi[13] - my, fj[14] + vz - fi[14] - mz
    a1x, a1y, a1z = cross(ox, oy, oz, ax, ay, az)
    t1x, t1y, t1z = cross(wx, wy, wz, tx, ty, tz)
    way1 = vx * ax + vy * ay + vz * az + dx * a1x + dy * a1y + dz * a1z
    rate = vx * tx + vy * ty + vz * tz + dx * t1x + dy * t1y + dz * t1z - way1 * at
    rate -= way * (a1x * tx + a1y * ty + a1z * tz + ax * t1x + ay * t1y + az * t1z)
    turn = -rate / slope
    # as it moves
    x, y, z = cross(wx, wy, wz, ex, ey, ez)
    e1x, e1y, e1z = x + turn * tx, y + turn * ty, z + turn * tz
    t1x, t1y, t1z = t1x - turn * ex, t1y - turn * ey, t1z - turn * ez
    vx, vy, vz = vx + R * turn * tx, vy + R * turn * ty, vz + R * turn * tz
    way1 = way1 + R * turn * at
    if S > 0.0:
        x, y, z = vx - way1 * ax - way * a1x, vy - way1 * ay - way * a1y, vz - way1 * az - way * a1z
    else:
        x, y, z = cross(a1x, a1y, a1z, tx, ty, tz)
        px, py, pz = cross(ax, ay, az, t1x, t1y, t1z)
        x, y, z = x + px, y + py, z + pz
    on = nx * x + ny * y + nz * z
    x, y, z = (x - on * nx) / length, (y - on * ny) / length, (z - on * nz) / length
    qx, qy, qz = cross(wx, wy, wz, cx, cy, cz)
    return (
        x, y, z, a1x, a1y, a1z,
        mx + way1 * ax + way * a1x + S * x, my + way1 * ay + way * a1y + S * y, mz + way1 * az + way * a1z + S * z,
        qx + R * e1x, qy + R * e1y, qz + R * e1z,
    )  # fmt: skip


@helper
def line_counts(fi, fj, g):
    """Whether there is a place, and n is one of the rim and of the edge."""
    _, _, _, _, _, _, ax, ay, az, bx, by, bz, dx, dy, dz = line_of(fi, fj, g)
    _, _, _, exists = nearest_of_rim(g[17], g[22], ax, ay, az, bx, by, bz, dx, dy, dz)
    ex, ey, ez, _, _, _, _, nx, ny, nz, length, _, _, _, _, _, _, _, _, _, _, _, _ = touched(fi, fj, g)
    inward, axial = nx * ex + ny * ey + nz * ez, nx * bx + ny * by + nz * bz
    counts = exists and inward <= EVEN and axial <= AXIAL
    if g[20] > 0.0:
        return counts
    x, y, z = to_body(fi, nx, ny, nz)
    first, second = g[23] * x + g[24] * y + g[25] * z, g[26] * x + g[27] * y + g[28] * z
    return counts and abs(length) > PARALLEL and first >= -EVEN and second >= -EVEN


@helper
def beyond_line(fi, fj, g):
    """As `spatial_rims.beyond`: how far the place is beyond the ends of the line."""
    ex, ey, ez, dx, dy, dz, way, _, _, _, _, ax, ay, az, bx, by, bz, sx, sy, sz, cx, cy, cz = touched(fi, fj, g)
    R = g[17]
    tx, ty, tz = cross(bx, by, bz, ex, ey, ez)
    slope, at = turning(R, ex, ey, ez, dx, dy, dz, way, ax, ay, az, tx, ty, tz)
    k = R * at / slope
    sign = 1.0 if way >= 0.0 else -1.0
    # way' = X . v + Y . a' + Z . t', all as if e were fixed in the body
    x, y, z = ax - k * (tx - at * ax), ay - k * (ty - at * ay), az - k * (tz - at * az)
    yx, yy, yz = (
        dx + k * (at * dx + way * tx),
        dy + k * (at * dy + way * ty),
        dz + k * (at * dz + way * tz),
    )
    zx, zy, zz = -k * (dx - way * ax), -k * (dy - way * ay), -k * (dz - way * az)
    ux, uy, uz = cross(ax, ay, az, yx, yy, yz)
    px, py, pz = cross(sx, sy, sz, x, y, z)
    vx, vy, vz = cross(tx, ty, tz, zx, zy, zz)
    qx, qy, qz = cross(cx + R * ex, cy + R * ey, cz + R * ez, x, y, z)
    return (
        abs(way) - g[21], sign * x, sign * y, sign * z, sign * (ux - px), sign * (uy - py), sign * (uz - pz),
        sign * (vx + qx), sign * (vy + qy), sign * (vz + qz),
    )  # fmt: skip
