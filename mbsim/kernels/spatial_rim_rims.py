"""The rims of two cylinders on each other: the points of two circles that are nearest to each other (`spatial_rims.py`).

With the circles' centres C, axes b out of the cylinders and radii R, and those of the first C', b', R'; e and e' from the centres to the
points, t = b x e and t' = b' x e' along the rims there, and d = C + R e - C' - R' e' the way from the one to the other,

    F' = d . t' = 0,    F = d . t = 0
    n = t' x t / |t' x t|, out of the first cylinder;  h = n . d

There is no closed form of e and e'. But where the rims touch, the point is on the line along u = b' x b in which their planes meet, and
the circles cut pieces of that line which meet at their ends. So two places can touch: the end of the first piece at the beginning of the
second (g[21] = 1), and the other way round (-1). Where ends are nearly parallel and apart, that line does not reach the circles. Then one
begins where the circles cross as one looks along b', at the crossing on the same side along u that is less high above the other end.

From there Newton's steps find the nearest points, and what moves with them follows from F = F' = 0. n counts between the normals of barrel
and end of both cylinders.

From g[20] on: R', 1 or -1. g[17] is R.
"""

from math import cos, sin, sqrt

from mbsim.jit import helper
from mbsim.kernels.spatial_rim_lines import line_of
from mbsim.kernels.spatial_rows import cross, to_global

STEPS = 12  # of Newton
LONGEST = 0.3  # rad of one step
PARALLEL = 1e-6  # of |t' x t| and of |b' x b|: rims along each other, or in one plane, have no such place
EVEN = 1e-9  # of a component of n: what is less is zero but for round-off
MET = 1e-9  # of d . t over R and R': then the points are the nearest ones
LEAST = 1e-9  # of the determinant of F and F' by both angles, over R R'


@helper
def begin(R, along, height, mx, my, mz, ux, uy, uz):
    """e where a circle is cut by the line that is `height` from its centre along m; `along` is 1 or -1."""
    x = height / R
    x = x if abs(x) < 1.0 else (1.0 if x > 0.0 else -1.0)
    y = along * sqrt(1.0 - x * x)
    return x * mx + y * ux, x * my + y * uy, x * mz + y * uz


@helper
def crossing(R, S, k, side, ax, ay, az, bx, by, bz, ux, uy, uz, dx, dy, dz):
    """e' of one of two crossings as seen along a, how high it is above the end of the other, and whether it is on the side k along u."""
    on = dx * ax + dy * ay + dz * az
    vx, vy, vz = dx - on * ax, dy - on * ay, dz - on * az
    D = sqrt(vx * vx + vy * vy + vz * vz)
    D = D if D > PARALLEL * R else PARALLEL * R
    x = (D * D + S * S - R * R) / (2.0 * D * S)
    x = x if abs(x) < 1.0 else (1.0 if x > 0.0 else -1.0)
    y = side * sqrt(1.0 - x * x)
    vx, vy, vz = vx / D, vy / D, vz / D
    wx, wy, wz = cross(ax, ay, az, vx, vy, vz)
    ex, ey, ez = x * vx + y * wx, x * vy + y * wy, x * vz + y * wz
    high = (S * ex - dx) * bx + (S * ey - dy) * by + (S * ez - dz) * bz
    return ex, ey, ez, high, k * (ex * ux + ey * uy + ez * uz) > 0.0


@helper
def begin_apart(R, S, k, ax, ay, az, bx, by, bz, ux, uy, uz, dx, dy, dz):
    """e' and e where the circles cross as seen along a."""
    ex, ey, ez, high, right = crossing(R, S, k, 1.0, ax, ay, az, bx, by, bz, ux, uy, uz, dx, dy, dz)
    x, y, z, other, good = crossing(R, S, k, -1.0, ax, ay, az, bx, by, bz, ux, uy, uz, dx, dy, dz)
    if (good and not right) or (good == right and other < high):
        ex, ey, ez = x, y, z
    fx, fy, fz = S * ex - dx, S * ey - dy, S * ez - dz
    on = fx * bx + fy * by + fz * bz
    fx, fy, fz = fx - on * bx, fy - on * by, fz - on * bz
    length = sqrt(fx * fx + fy * fy + fz * fz)
    length = length if length > PARALLEL * R else PARALLEL * R
    return ex, ey, ez, fx / length, fy / length, fz / length


@helper
def slopes(R, S, ex, ey, ez, fx, fy, fz, tx, ty, tz, sx, sy, sz, dx, dy, dz):
    """dF'/de', dF'/de, dF/de', dF/de; e, t and S are of the first rim, f, s and R of the second."""
    on = tx * sx + ty * sy + tz * sz
    return -S - dx * ex - dy * ey - dz * ez, R * on, -S * on, R - dx * fx - dy * fy - dz * fz


@helper
def nearest_of_rims(R, S, k, ax, ay, az, bx, by, bz, dx, dy, dz):
    """e', e, and whether these are the nearest points; a is b', S is R', d is C - C'."""
    ux, uy, uz = cross(ax, ay, az, bx, by, bz)
    length = sqrt(ux * ux + uy * uy + uz * uz)
    length = length if length > PARALLEL else PARALLEL
    ux, uy, uz = ux / length, uy / length, uz / length
    mx, my, mz = cross(ux, uy, uz, ax, ay, az)
    lx, ly, lz = cross(ux, uy, uz, bx, by, bz)
    high = (dx * bx + dy * by + dz * bz) / length
    other = (dx * ax + dy * ay + dz * az) / length
    ex, ey, ez = begin(S, k, high, mx, my, mz, ux, uy, uz)
    fx, fy, fz = begin(R, -k, other, lx, ly, lz, ux, uy, uz)
    if abs(high) >= S or abs(other) >= R:
        ex, ey, ez, fx, fy, fz = begin_apart(R, S, k, ax, ay, az, bx, by, bz, ux, uy, uz, dx, dy, dz)
    first, nearest = 1.0, False
    for _ in range(STEPS):
        tx, ty, tz = cross(ax, ay, az, ex, ey, ez)
        sx, sy, sz = cross(bx, by, bz, fx, fy, fz)
        x, y, z = dx + R * fx - S * ex, dy + R * fy - S * ey, dz + R * fz - S * ez
        p, q = x * tx + y * ty + z * tz, x * sx + y * sy + z * sz
        first = max(abs(p), abs(q))
        pp, pq, qp, qq = slopes(R, S, ex, ey, ez, fx, fy, fz, tx, ty, tz, sx, sy, sz, x, y, z)
        whole = pp * qq - pq * qp
        nearest = pp < 0.0 and whole < 0.0
        if first <= 1e-16 * (R + S):
            break
        least = LEAST * R * S
        whole = whole if abs(whole) > least else (-least if whole < 0.0 else least)
        v, w = (pq * q - qq * p) / whole, (qp * p - pp * q) / whole
        v = LONGEST if v > LONGEST else (-LONGEST if v < -LONGEST else v)
        w = LONGEST if w > LONGEST else (-LONGEST if w < -LONGEST else w)
        c, s = cos(v), sin(v)
        ex, ey, ez = c * ex + s * tx, c * ey + s * ty, c * ez + s * tz
        c, s = cos(w), sin(w)
        fx, fy, fz = c * fx + s * sx, c * fy + s * sy, c * fz + s * sz
    return ex, ey, ez, fx, fy, fz, nearest and first <= MET * (R + S)


@helper
def met(fi, fj, g):
    """In global axes: e', e, t', t, d, n, |t' x t| with its sign, b', b, the arms of C' and C, and whether it is a place."""
    sx, sy, sz, cx, cy, cz, ax, ay, az, bx, by, bz, dx, dy, dz = line_of(fi, fj, g)
    R, S = g[17], g[20]
    ex, ey, ez, fx, fy, fz, exists = nearest_of_rims(R, S, g[21], ax, ay, az, bx, by, bz, dx, dy, dz)
    dx, dy, dz = dx + R * fx - S * ex, dy + R * fy - S * ey, dz + R * fz - S * ez
    px, py, pz = cross(ax, ay, az, ex, ey, ez)
    qx, qy, qz = cross(bx, by, bz, fx, fy, fz)
    nx, ny, nz = cross(px, py, pz, qx, qy, qz)
    length = sqrt(nx * nx + ny * ny + nz * nz)
    exists = exists and length > PARALLEL
    length = length if length > PARALLEL else PARALLEL
    out = nx * (ax + ex - bx - fx) + ny * (ay + ey - by - fy) + nz * (az + ez - bz - fz)
    length = length if out >= 0.0 else -length
    return (
        ex, ey, ez, fx, fy, fz, px, py, pz, qx, qy, qz, dx, dy, dz, nx / length, ny / length, nz / length, length,
        ax, ay, az, bx, by, bz, sx, sy, sz, cx, cy, cz, exists,
    )  # fmt: skip


@helper
def rims_place(fi, fj, g):
    """As `spatial_rims.place`."""
    (
        ex, ey, ez, fx, fy, fz, px, py, pz, _, _, _, dx, dy, dz, nx, ny, nz, _, _, _, _, _, _, _, sx, sy, sz, cx, cy, cz, _,
    ) = met(fi, fj, g)  # fmt: skip
    R, S = g[17], g[20]
    return (
        nx, ny, nz, px, py, pz, sx + S * ex, sy + S * ey, sz + S * ez, cx + R * fx, cy + R * fy, cz + R * fz,
        nx * dx + ny * dy + nz * dz,
    )  # fmt: skip


@helper
def rims_motion(fi, fj, g):
    """As `spatial_rims.motion`."""
    (
        ex, ey, ez, fx, fy, fz, px, py, pz, qx, qy, qz, dx, dy, dz, nx, ny, nz, length, _, _, _, _, _, _, sx, sy, sz, cx, cy, cz, _,
    ) = met(fi, fj, g)  # fmt: skip
    R, S = g[17], g[20]
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    # as if both points were fixed in their bodies
    kx, ky, kz = cross(ox, oy, oz, sx + S * ex, sy + S * ey, sz + S * ez)
    lx, ly, lz = cross(wx, wy, wz, cx + R * fx, cy + R * fy, cz + R * fz)
    vx, vy, vz = fj[12] + lx - fi[12] - kx, fj[13] + ly - fi[13] - ky, fj[14] + lz - fi[14] - kz
    p1x, p1y, p1z = cross(ox, oy, oz, px, py, pz)
    q1x, q1y, q1z = cross(wx, wy, wz, qx, qy, qz)
    p = vx * px + vy * py + vz * pz + dx * p1x + dy * p1y + dz * p1z
    q = vx * qx + vy * qy + vz * qz + dx * q1x + dy * q1y + dz * q1z
    pp, pq, qp, qq = slopes(R, S, ex, ey, ez, fx, fy, fz, px, py, pz, qx, qy, qz, dx, dy, dz)
    whole = pp * qq - pq * qp
    least = LEAST * R * S
    whole = whole if abs(whole) > least else (-least if whole < 0.0 else least)
    v, w = (pq * q - qq * p) / whole, (qp * p - pp * q) / whole
    # as they move along the rims
    p1x, p1y, p1z = p1x - v * ex, p1y - v * ey, p1z - v * ez
    q1x, q1y, q1z = q1x - w * fx, q1y - w * fy, q1z - w * fz
    x, y, z = cross(p1x, p1y, p1z, qx, qy, qz)
    ux, uy, uz = cross(px, py, pz, q1x, q1y, q1z)
    x, y, z = (x + ux) / length, (y + uy) / length, (z + uz) / length
    on = nx * x + ny * y + nz * z
    return (
        x - on * nx, y - on * ny, z - on * nz, p1x, p1y, p1z, kx + S * v * px, ky + S * v * py, kz + S * v * pz,
        lx + R * w * qx, ly + R * w * qy, lz + R * w * qz,
    )  # fmt: skip


@helper
def rims_count(fi, fj, g):
    """Whether there is a place, and n is one of both rims."""
    (
        ex, ey, ez, fx, fy, fz, _, _, _, _, _, _, _, _, _, nx, ny, nz, _, ax, ay, az, bx, by, bz, _, _, _, _, _, _, exists,
    ) = met(fi, fj, g)  # fmt: skip
    one = nx * ax + ny * ay + nz * az >= -EVEN and nx * ex + ny * ey + nz * ez >= -EVEN
    return exists and one and nx * bx + ny * by + nz * bz <= EVEN and nx * fx + ny * fy + nz * fz <= EVEN
