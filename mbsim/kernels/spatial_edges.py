"""What contacts of two edges share: of boxes, and of capsules, whose edge is the line between their ends. Layouts: `spatial_rows.py`.

An edge is fixed in its body: its middle M, its direction a, half its length l. With those of the other body M', b, l', and d = M' - M

    n = +- a x b / |a x b|                        to where the centre of the second box is
    t, t'   of the nearest points M + t a and M' + t' b:  (d + t' b - t a) . a = 0 = (d + t' b - t a) . b
    height  n . d;  beyond  max(|t| - l, |t'| - l'),  below zero where the nearest points are on the edges
    slip    along E = a or n x a, of the point R n before the first edge and the one R' n before the second

g = [centre (3), centre' (3), z (3), z' (3), y (3), least height, y' (3), half edges (3), half edges' (3), i, i', k, k', R, R', E]. i and i'
are axes of the boxes, along which the edges are; E is 0 or 1. Of the four edges along an axis two are meant by k = 1 and two by -1: those
whose middle lies to sides of the two other axes whose product is k. To where n looks one of them is the farthest edge, and counts; where
the box is turned just so that n is across a face, one of either k is. A capsule is a box without thickness whose four edges are one.

So is an edge of a hull. It counts where n is between the normals p and q of its faces, that is where n . c and n . e are not below zero,
c = a x p and e = q x a, with a along p x q. g[32] is 1 where one of the edges is so, else 0, and behind it are c (3), e (3) of the first
body, c' (3), e' (3) of the second, in their axes; zero of a capsule. Then n is not to where a centre is, but out of the first hull.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import cross, swept, swept_twice, to_body, to_global
from mbsim.kernels.spatial_turning import turning_eta, turning_row

PARALLEL = 1e-6  # of the sine of the angle between edges: then no point of them is nearest
EVEN = 1e-9  # of a component of n: what is less is zero but for round-off
END = 1e-9  # of lengths: what is less beyond an end is at the end


@helper
def pick(k, x, y, z):
    return x if k == 0.0 else (y if k == 1.0 else z)


@helper
def farthest(i, k, ux, uy, uz, hx, hy, hz):
    """Of a box with the half edges h: the middle of the edge along axis i that is meant by k, whether it is the farthest to where u looks,
    all in axes of the box, and half the length of the edge."""
    p, q = (1.0, 2.0) if i == 0.0 else ((2.0, 0.0) if i == 1.0 else (0.0, 1.0))
    up, uq = pick(p, ux, uy, uz), pick(q, ux, uy, uz)
    large = abs(up) >= abs(uq)
    first = up if large else uq
    sign = 1.0 if first >= 0.0 else -1.0
    other = k * sign
    small = uq if large else up
    sp, sq = (sign, other) if large else (other, sign)
    a, b = sp * pick(p, hx, hy, hz), sq * pick(q, hx, hy, hz)
    x = a if p == 0.0 else (b if q == 0.0 else 0.0)
    y = a if p == 1.0 else (b if q == 1.0 else 0.0)
    z = a if p == 2.0 else (b if q == 2.0 else 0.0)
    one = pick(p, hx, hy, hz) * pick(q, hx, hy, hz) == 0.0
    return x, y, z, one or other * small >= -EVEN, pick(i, hx, hy, hz)


@helper
def along(g, o, x, y, z):
    return g[o] * x + g[o + 1] * y + g[o + 2] * z


@helper
def edges(fi, fj, g):
    """Both edges in axes of their bodies: M, a, M', b; l, l'; where n looks for a x b, 1 or -1; and whether they count."""
    xx, xy, xz = cross(g[12], g[13], g[14], g[6], g[7], g[8])
    ux, uy, uz = cross(g[16], g[17], g[18], g[9], g[10], g[11])
    i, j = g[25], g[26]
    ax, ay, az = pick(i, xx, g[12], g[6]), pick(i, xy, g[13], g[7]), pick(i, xz, g[14], g[8])
    bx, by, bz = pick(j, ux, g[16], g[9]), pick(j, uy, g[17], g[10]), pick(j, uz, g[18], g[11])
    ex, ey, ez = to_global(fi, ax, ay, az)
    hx, hy, hz = to_global(fj, bx, by, bz)
    nx, ny, nz = cross(ex, ey, ez, hx, hy, hz)
    sx, sy, sz = to_global(fi, g[0], g[1], g[2])
    px, py, pz = to_global(fj, g[3], g[4], g[5])
    dx, dy, dz = fj[0] + px - fi[0] - sx, fj[1] + py - fi[1] - sy, fj[2] + pz - fi[2] - sz
    way = 1.0 if nx * dx + ny * dy + nz * dz >= 0.0 else -1.0
    length = sqrt(nx * nx + ny * ny + nz * nz)
    scale = way / max(length, PARALLEL)
    nx, ny, nz = scale * nx, scale * ny, scale * nz
    if g[32] != 0.0:
        vx, vy, vz = to_body(fi, nx, ny, nz)
        wx, wy, wz = to_body(fj, -nx, -ny, -nz)
        c, e = along(g, 33, vx, vy, vz), along(g, 36, vx, vy, vz)
        h, k = along(g, 39, wx, wy, wz), along(g, 42, wx, wy, wz)
        out = 1.0 if c + e + h + k >= 0.0 else -1.0
        counts = length > PARALLEL and out * c >= -EVEN and out * e >= -EVEN and out * h >= -EVEN and out * k >= -EVEN
        return g[0], g[1], g[2], ax, ay, az, g[3], g[4], g[5], bx, by, bz, g[21], g[24], out * way, counts
    vx, vy, vz = to_body(fi, nx, ny, nz)
    wx, wy, wz = xx * vx + xy * vy + xz * vz, g[12] * vx + g[13] * vy + g[14] * vz, g[6] * vx + g[7] * vy + g[8] * vz
    x, y, z, own, l = farthest(i, g[27], wx, wy, wz, g[19], g[20], g[21])
    sx, sy, sz = g[0] + xx * x + g[12] * y + g[6] * z, g[1] + xy * x + g[13] * y + g[7] * z, g[2] + xz * x + g[14] * y + g[8] * z
    vx, vy, vz = to_body(fj, -nx, -ny, -nz)
    wx, wy, wz = ux * vx + uy * vy + uz * vz, g[16] * vx + g[17] * vy + g[18] * vz, g[9] * vx + g[10] * vy + g[11] * vz
    x, y, z, its, m = farthest(j, g[28], wx, wy, wz, g[22], g[23], g[24])
    px, py, pz = g[3] + ux * x + g[16] * y + g[9] * z, g[4] + uy * x + g[17] * y + g[10] * z, g[5] + uz * x + g[18] * y + g[11] * z
    return sx, sy, sz, ax, ay, az, px, py, pz, bx, by, bz, l, m, way, length > PARALLEL and own and its


@helper
def lines(fi, fj, g):
    """In global axes: the arms of both middles from their bodies' centres, a, b, d."""
    sx, sy, sz, ax, ay, az, px, py, pz, bx, by, bz, _, _, _, _ = edges(fi, fj, g)
    sx, sy, sz = to_global(fi, sx, sy, sz)
    px, py, pz = to_global(fj, px, py, pz)
    ax, ay, az = to_global(fi, ax, ay, az)
    bx, by, bz = to_global(fj, bx, by, bz)
    dx, dy, dz = fj[0] + px - fi[0] - sx, fj[1] + py - fi[1] - sy, fj[2] + pz - fi[2] - sz
    return sx, sy, sz, px, py, pz, ax, ay, az, bx, by, bz, dx, dy, dz


@helper
def line_rates(fi, fj, g):
    """Rates of a, b and d, then their second rates without accelerations."""
    sx, sy, sz, ax, ay, az, px, py, pz, bx, by, bz, _, _, _, _ = edges(fi, fj, g)
    ux, uy, uz = swept(fi, sx, sy, sz)
    vx, vy, vz = swept(fj, px, py, pz)
    ux, uy, uz = fj[12] + vx - fi[12] - ux, fj[13] + vy - fi[13] - uy, fj[14] + vz - fi[14] - uz
    sx, sy, sz = swept_twice(fi, sx, sy, sz)
    px, py, pz = swept_twice(fj, px, py, pz)
    cx, cy, cz = swept(fi, ax, ay, az)
    ex, ey, ez = swept(fj, bx, by, bz)
    ax, ay, az = swept_twice(fi, ax, ay, az)
    bx, by, bz = swept_twice(fj, bx, by, bz)
    return cx, cy, cz, ex, ey, ez, ux, uy, uz, ax, ay, az, bx, by, bz, px - sx, py - sy, pz - sz


@helper
def crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz):
    """n, |a x b|, t, t', a . b."""
    nx, ny, nz = cross(ax, ay, az, bx, by, bz)
    length = max(sqrt(nx * nx + ny * ny + nz * nz), PARALLEL)
    k, c = way / length, ax * bx + ay * by + az * bz
    da, db = dx * ax + dy * ay + dz * az, dx * bx + dy * by + dz * bz
    square = length * length
    return k * nx, k * ny, k * nz, length, (da - c * db) / square, (c * da - db) / square, c


@helper
def store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, J, r):
    """The row whose rate is E . (r_j' - r_i') + u . omega_i + v . omega_j, all global."""
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -ex, -ey, -ez, ex, ey, ez
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, ux, uy, uz)
    J[r, 9], J[r, 10], J[r, 11] = to_body(fj, vx, vy, vz)


@helper
def height_row(fi, fj, g):
    """What `store` takes of the height: E = n, u, v."""
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    sx, sy, sz, px, py, pz, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    nx, ny, nz, _, t, s, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    ux, uy, uz = cross(sx + t * ax, sy + t * ay, sz + t * az, -nx, -ny, -nz)
    vx, vy, vz = cross(px + s * bx, py + s * by, pz + s * bz, nx, ny, nz)
    return nx, ny, nz, ux, uy, uz, vx, vy, vz


@helper
def height(fi, fj, g):
    """n . d."""
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    _, _, _, _, _, _, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    nx, ny, nz, _, _, _, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    return nx * dx + ny * dy + nz * dz


@helper
def normal_rates(way, ax, ay, az, bx, by, bz, dx, dy, dz, ex, ey, ez, fx, fy, fz, ux, uy, uz):
    """n', t', t''s rate, and (a . b)'; e, f and u are the rates of a, b and d."""
    nx, ny, nz, length, t, s, c = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    x, y, z = cross(ex, ey, ez, bx, by, bz)
    mx, my, mz = cross(ax, ay, az, fx, fy, fz)
    k = way / length
    mx, my, mz = k * (mx + x), k * (my + y), k * (mz + z)
    along = nx * mx + ny * my + nz * mz
    rate = ex * bx + ey * by + ez * bz + ax * fx + ay * fy + az * fz
    da, db = dx * ax + dy * ay + dz * az, dx * bx + dy * by + dz * bz
    pa = ux * ax + uy * ay + uz * az + dx * ex + dy * ey + dz * ez
    pb = ux * bx + uy * by + uz * bz + dx * fx + dy * fy + dz * fz
    square = length * length
    first = (pa - rate * db - c * pb + 2.0 * c * rate * t) / square
    second = (rate * da + c * pa - pb + 2.0 * c * rate * s) / square
    return mx - along * nx, my - along * ny, mz - along * nz, first, second, along


@helper
def height_eta(fi, fj, g):
    """n..' d + 2 n' . d' + n . d.. without accelerations."""
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    _, _, _, _, _, _, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    ex, ey, ez, fx, fy, fz, ux, uy, uz, ax2, ay2, az2, bx2, by2, bz2, dx2, dy2, dz2 = line_rates(fi, fj, g)
    nx, ny, nz, length, _, _, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    mx, my, mz, _, _, along = normal_rates(way, ax, ay, az, bx, by, bz, dx, dy, dz, ex, ey, ez, fx, fy, fz, ux, uy, uz)
    # N = a x b, over its length: N'' less what is along n
    k = way / length
    x, y, z = cross(ax2, ay2, az2, bx, by, bz)
    px, py, pz = cross(ex, ey, ez, fx, fy, fz)
    qx, qy, qz = cross(ax, ay, az, bx2, by2, bz2)
    x, y, z = k * (x + 2.0 * px + qx), k * (y + 2.0 * py + qy), k * (z + 2.0 * pz + qz)
    inner = mx * mx + my * my + mz * mz + nx * x + ny * y + nz * z
    x, y, z = x - inner * nx - 2.0 * along * mx, y - inner * ny - 2.0 * along * my, z - inner * nz - 2.0 * along * mz
    turning = x * dx + y * dy + z * dz + 2.0 * (mx * ux + my * uy + mz * uz)
    return turning + nx * dx2 + ny * dy2 + nz * dz2


@helper
def beyond(fi, fj, g):
    """How far the nearest points are beyond the ends of the edges, and what `store` takes of it: E, u, v."""
    _, _, _, _, _, _, _, _, _, _, _, _, l, m, way, _ = edges(fi, fj, g)
    sx, sy, sz, px, py, pz, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    _, _, _, length, t, s, c = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    square = length * length
    da, db = dx * ax + dy * ay + dz * az, dx * bx + dy * by + dz * bz
    first = abs(t) - l >= abs(s) - m
    sign = (1.0 if t >= 0.0 else -1.0) if first else (1.0 if s >= 0.0 else -1.0)
    k = sign / square
    # of t: E = a - c b, what a and b have of it; of t' likewise
    ex, ey, ez = (ax - c * bx, ay - c * by, az - c * bz) if first else (c * ax - bx, c * ay - by, c * az - bz)
    on = 2.0 * c * t - db if first else 2.0 * c * s + da
    fa, fb = (1.0, -c) if first else (c, -1.0)
    ux, uy, uz = cross(ax, ay, az, fa * dx + on * bx, fa * dy + on * by, fa * dz + on * bz)
    vx, vy, vz = cross(bx, by, bz, fb * dx + on * ax, fb * dy + on * ay, fb * dz + on * az)
    x, y, z = cross(sx, sy, sz, ex, ey, ez)
    ux, uy, uz = ux - x, uy - y, uz - z
    x, y, z = cross(px, py, pz, ex, ey, ez)
    vx, vy, vz = vx + x, vy + y, vz + z
    return max(abs(t) - l, abs(s) - m), k * ex, k * ey, k * ez, k * ux, k * uy, k * uz, k * vx, k * vy, k * vz


@helper
def slip_row(fi, fj, g, J, r):
    """The row of the slip along E."""
    R, S, second = g[29], g[30], g[31] != 0.0
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    sx, sy, sz, px, py, pz, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    nx, ny, nz, _, t, s, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    ex, ey, ez = cross(nx, ny, nz, ax, ay, az)
    ex, ey, ez = (ex, ey, ez) if second else (ax, ay, az)
    ux, uy, uz = cross(sx + t * ax + R * nx, sy + t * ay + R * ny, sz + t * az + R * nz, -ex, -ey, -ez)
    vx, vy, vz = cross(px + s * bx - S * nx, py + s * by - S * ny, pz + s * bz - S * nz, ex, ey, ez)
    store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, J, r)


@helper
def slip_eta(fi, fj, g):
    """Its eta: E' . s + E . s', s the velocity of the second point against the first."""
    R, S, second = g[29], g[30], g[31] != 0.0
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    sx, sy, sz, px, py, pz, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    cx, cy, cz, fx, fy, fz, ux, uy, uz, _, _, _, _, _, _, _, _, _ = line_rates(fi, fj, g)
    nx, ny, nz, _, t, s, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    mx, my, mz, t1, s1, _ = normal_rates(way, ax, ay, az, bx, by, bz, dx, dy, dz, cx, cy, cz, fx, fy, fz, ux, uy, uz)
    x, y, z = cross(nx, ny, nz, ax, ay, az)
    ex, ey, ez = (x, y, z) if second else (ax, ay, az)
    x, y, z = cross(mx, my, mz, ax, ay, az)
    hx, hy, hz = cross(nx, ny, nz, cx, cy, cz)
    hx, hy, hz = (hx + x, hy + y, hz + z) if second else (cx, cy, cz)  # E'
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    # arms of both points and their rates
    kx, ky, kz = sx + t * ax + R * nx, sy + t * ay + R * ny, sz + t * az + R * nz
    qx, qy, qz = px + s * bx - S * nx, py + s * by - S * ny, pz + s * bz - S * nz
    x, y, z = cross(ox, oy, oz, sx, sy, sz)
    kx1, ky1, kz1 = x + t1 * ax + t * cx + R * mx, y + t1 * ay + t * cy + R * my, z + t1 * az + t * cz + R * mz
    x, y, z = cross(wx, wy, wz, px, py, pz)
    qx1, qy1, qz1 = x + s1 * bx + s * fx - S * mx, y + s1 * by + s * fy - S * my, z + s1 * bz + s * fz - S * mz
    x, y, z = cross(ox, oy, oz, kx, ky, kz)
    vx, vy, vz = cross(wx, wy, wz, qx, qy, qz)
    slip = hx * (fj[12] - fi[12] + vx - x) + hy * (fj[13] - fi[13] + vy - y) + hz * (fj[14] - fi[14] + vz - z)
    x, y, z = cross(ox, oy, oz, kx1, ky1, kz1)
    vx, vy, vz = cross(wx, wy, wz, qx1, qy1, qz1)
    return slip + ex * (vx - x) + ey * (vy - y) + ez * (vz - z)


@helper
def pivot_row(fi, fj, g, J, r):
    """The row of turning along E, or along n where g[31] is 2."""
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    _, _, _, _, _, _, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    nx, ny, nz, _, _, _, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    ex, ey, ez = cross(nx, ny, nz, ax, ay, az)
    ex, ey, ez = (ex, ey, ez) if g[31] == 1.0 else (ax, ay, az)
    ex, ey, ez = (nx, ny, nz) if g[31] == 2.0 else (ex, ey, ez)
    turning_row(fi, fj, ex, ey, ez, J, r)


@helper
def pivot_eta(fi, fj, g):
    """Its eta."""
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, way, _ = edges(fi, fj, g)
    _, _, _, _, _, _, ax, ay, az, bx, by, bz, dx, dy, dz = lines(fi, fj, g)
    cx, cy, cz, fx, fy, fz, ux, uy, uz, _, _, _, _, _, _, _, _, _ = line_rates(fi, fj, g)
    nx, ny, nz, _, _, _, _ = crossing(way, ax, ay, az, bx, by, bz, dx, dy, dz)
    mx, my, mz, _, _, _ = normal_rates(way, ax, ay, az, bx, by, bz, dx, dy, dz, cx, cy, cz, fx, fy, fz, ux, uy, uz)
    x, y, z = cross(mx, my, mz, ax, ay, az)
    hx, hy, hz = cross(nx, ny, nz, cx, cy, cz)
    hx, hy, hz = (hx + x, hy + y, hz + z) if g[31] == 1.0 else (cx, cy, cz)
    hx, hy, hz = (mx, my, mz) if g[31] == 2.0 else (hx, hy, hz)
    return turning_eta(fi, fj, hx, hy, hz)


@helper
def gap(fi, fj, g, J, r):
    """The height where the nearest points are on the edges, else more than the least one; its gradient in J[r]."""
    least = g[15]
    _, _, _, _, _, _, _, _, _, _, _, _, l, m, _, counts = edges(fi, fj, g)
    far = l + m + least
    h = height(fi, fj, g)
    out, ex, ey, ez, ux, uy, uz, vx, vy, vz = beyond(fi, fj, g)
    nx, ny, nz, ox, oy, oz, wx, wy, wz = height_row(fi, fj, g)
    above = h - least
    # see `mbsim.assembly.contact_pairs`: h + 2 max(0, b - h); at an end, where a corner hands over, the rate is that of h
    more = out - above if out > above else 0.0
    f, e = (-1.0, 2.0) if more > END * (l + m) else (1.0, 0.0)
    counts = counts and above > -(l if l < m else m)
    f, e = (f, e) if counts else (0.0, 0.0)
    store(
        fi, fj, f * nx + e * ex, f * ny + e * ey, f * nz + e * ez, f * ox + e * ux, f * oy + e * uy, f * oz + e * uz,
        f * wx + e * vx, f * wy + e * vy, f * wz + e * vz, J, r,
    )  # fmt: skip
    value = least + above + 2.0 * more
    return value if counts else far + least
