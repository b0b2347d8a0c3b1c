"""What contacts of a ball with a solid share (`from_solid`, `solid_side`, `slip_solid`, `pivot_solid`). Layouts: `spatial_rows.py`.

The solid of the first body has its centre at s_i and the axes z = a_i, y = c_i, x = y x z. With p the ball's centre in these axes, and r
from the point of the solid that is nearest to it to p:

    distance = |r|,   n = r / |r|

n turns without a jump where the nearest point goes from a face over an edge to a corner. g[21] says which solid it is.

BOX: the half edges are h = g[16:19], and r_k = p_k less its part within -h_k .. h_k. One that has no thickness is a line or a point: so a
capsule and a ball are boxes, too. CYLINDER: about z, of the radius g[16] and half the length g[18]. With rho the distance from the axis,
r = (rho less its part below the radius) e_rho + (z less its part within the length) z. HULL: a convex polyhedron (`spatial_hulls.py`).

What is a point and touches a sharp solid (g[20] is above zero, of all others 0) has no n at |r| = 0. Then n is that of a face: of the one
that it is highest above, or where it is kept, of the one whose surface p is in. Along an edge both faces are equal. So heights above others
than the face that the other body's centre is beyond count as lower by EVEN of the edges: boxes of one size may stand on each other. And
corners may be as deep in a solid as g[20] says: what a run accepts as no overlap, or how far a step that goes through contacts leads. So
much lower count the heights above these other faces that p is not above.

E is the direction Y turned as A is turned onto n by the shortest way (`elements/rows/slip_round.py`), both fixed in the solid, or where
g[19] is 1, n x E. It is not known at n = -A, which is the normal of no face and of no edge of a box; other axes are chosen for a hull.
"""

from math import nan, sqrt

from mbsim.jit import helper
from mbsim.kernels.primitives import SOLID_A, SOLID_CYLINDER, SOLID_HULL, SOLID_Y
from mbsim.kernels.spatial_hulls import hull_face, hull_next, nearest_of_hull
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body, to_global
from mbsim.kernels.spatial_turning import turning_eta, turning_row

HALF, SECOND, SHARP, FORM = 16, 19, 20, 21  # places in g
AX, AY, AZ = SOLID_A
YX, YY, YZ = SOLID_Y
BEHIND = 1e-9  # of 1 + A . n
EVEN = 1e-9  # of the edges: heights above two faces that are equal but for round-off


@helper
def in_solid(g, x, y, z):
    """A vector in axes of the first body in those of the box."""
    ax, ay, az = cross(g[12], g[13], g[14], g[6], g[7], g[8])
    return ax * x + ay * y + az * z, g[12] * x + g[13] * y + g[14] * z, g[6] * x + g[7] * y + g[8] * z


@helper
def from_solid(g, x, y, z):
    """A vector in the axes of the box in those of the first body."""
    ax, ay, az = cross(g[12], g[13], g[14], g[6], g[7], g[8])
    return ax * x + g[12] * y + g[6] * z, ay * x + g[13] * y + g[7] * z, az * x + g[14] * y + g[8] * z


@helper
def centre(fi, fj, g):
    """p."""
    x, y, z = separation(fi, fj, g)
    x, y, z = to_body(fi, x, y, z)
    return in_solid(g, x, y, z)


@helper
def beyond(p, h):
    """r_k."""
    return p - h if p > h else (p + h if p < -h else 0.0)


@helper
def side(p):
    return 1.0 if p >= 0.0 else -1.0


@helper
def other_centre(fi, fj, g):
    """The centre of the other body, in axes of the solid."""
    x, y, z = to_body(fi, fj[0] - fi[0], fj[1] - fi[1], fj[2] - fi[2])
    return in_solid(g, x - g[0], y - g[1], z - g[2])


@helper
def face(fi, fj, g, px, py, pz, kept):
    """n of a face, and the height above it: of the one whose plane p is in, if it is `kept`, else of the one that it is highest above.

    Where p touches, n is always that of the face that would be kept. Where a corner slides over an edge both heights are zero at one time,
    and a height that counts as lower comes to zero a moment sooner: an impact there would be none, as the corner leaves the other face.
    """
    x, y, z = other_centre(fi, fj, g)
    nx, ny, nz, height = face_of(g, px, py, pz, x, y, z, kept)
    if not kept and abs(height) <= 2.0 * EVEN * size_of(g):
        nx, ny, nz, _ = face_of(g, px, py, pz, x, y, z, True)
    return nx, ny, nz, height


@helper
def size_of(g):
    """What heights are equal by, times EVEN."""
    return g[24] if g[21] == SOLID_HULL else g[16] + g[17] + g[18]


@helper
def face_of(g, px, py, pz, x, y, z, kept):
    """As `face`, from the centre x, y, z of the other body."""
    if g[21] == SOLID_HULL:
        return hull_face(g, px, py, pz, x, y, z, EVEN, kept)
    if g[21] == SOLID_CYLINDER:
        return face_of_cylinder(g, px, py, pz, x, y, z, kept)
    return face_of_box(g, px, py, pz, x, y, z, kept)


@helper
def lower(height, wanted, even, deep, kept):
    """By how much the height above a face counts as lower: not at all of the one that is `wanted`. What is `kept` may be just above it."""
    return 0.0 if wanted else (max(even, deep) if height <= (2.0 * even if kept else even) else even)


@helper
def face_of_cylinder(g, px, py, pz, x, y, z, kept):
    rho = sqrt(px * px + py * py)
    round_, flat = rho - g[16], abs(pz) - g[18]
    even = EVEN * size_of(g)
    above = sqrt(x * x + y * y) - g[16] >= abs(z) - g[18]
    first = -abs(round_) if kept else round_
    second = -abs(flat) if kept else flat
    barrel = first - lower(round_, above, even, g[20], kept) >= second - lower(flat, not above, even, g[20], kept)
    ex, ey = (px / rho, py / rho) if rho > 0.0 else (1.0, 0.0)
    return ex if barrel else 0.0, ey if barrel else 0.0, 0.0 if barrel else side(pz), round_ if barrel else flat


@helper
def face_of_box(g, px, py, pz, x, y, z, kept):
    hx, hy, hz = abs(px) - g[16], abs(py) - g[17], abs(pz) - g[18]
    cx, cy, cz = abs(x) - g[16], abs(y) - g[17], abs(z) - g[18]
    even = EVEN * size_of(g)
    ax, ay, az = (-abs(hx), -abs(hy), -abs(hz)) if kept else (hx, hy, hz)
    wx = lower(hx, cx >= cy and cx >= cz, even, g[20], kept)
    wy = lower(hy, cy > cx and cy >= cz, even, g[20], kept)
    wz = lower(hz, cz > cx and cz > cy, even, g[20], kept)
    ax, ay, az = ax - wx, ay - wy, az - wz
    along_x, along_y = ax >= ay and ax >= az, ay > ax and ay >= az
    sx, sy, sz = side(px), side(py), side(pz)
    nx, ny, nz = (sx, 0.0, 0.0) if along_x else ((0.0, sy, 0.0) if along_y else (0.0, 0.0, sz))
    taken = wx if along_x else (wy if along_y else wz)
    highest = (ax if along_x else (ay if along_y else az)) + max(taken - even, 0.0)
    return nx, ny, nz, highest if not kept else (hx if along_x else (hy if along_y else hz))


@helper
def next_face(fi, fj, g):
    """n of the face behind whose edge p is least far, but for the one that it is in, and the height above it."""
    px, py, pz = centre(fi, fj, g)
    nx, ny, nz, _ = face(fi, fj, g, px, py, pz, True)
    if g[21] == SOLID_HULL:
        return hull_next(g, px, py, pz, nx, ny, nz)
    if g[21] == SOLID_CYLINDER:
        rho = sqrt(px * px + py * py)
        ex, ey = (px / rho, py / rho) if rho > 0.0 else (1.0, 0.0)
        on_end = nz != 0.0
        return ex if on_end else 0.0, ey if on_end else 0.0, 0.0 if on_end else side(pz), rho - g[16] if on_end else abs(pz) - g[18]
    hx = abs(px) - g[16] if nx == 0.0 else -1e300
    hy = abs(py) - g[17] if ny == 0.0 else -1e300
    hz = abs(pz) - g[18] if nz == 0.0 else -1e300
    along_x, along_z = hx >= hy and hx >= hz, hz > hx and hz >= hy
    x = side(px) if along_x else 0.0
    y = side(py) if not (along_x or along_z) else 0.0
    z = side(pz) if along_z else 0.0
    return x, y, z, max(hx, hy, hz)


@helper
def nearest(fi, fj, g, kept):
    """n in the axes of the solid, and the distance; above a face, the height."""
    px, py, pz = centre(fi, fj, g)
    if g[20] != 0.0:
        return face(fi, fj, g, px, py, pz, kept)
    if g[21] == SOLID_HULL:
        rx, ry, rz, _, _, _, _ = nearest_of_hull(g, px, py, pz)
    elif g[21] == SOLID_CYLINDER:
        rho = sqrt(px * px + py * py)
        out = (rho - g[16]) / rho if rho > g[16] else 0.0
        rx, ry, rz = out * px, out * py, beyond(pz, g[18])
    else:
        rx, ry, rz = beyond(px, g[16]), beyond(py, g[17]), beyond(pz, g[18])
    length = sqrt(rx * rx + ry * ry + rz * rz)
    if not length > 0.0:
        return face(fi, fj, g, px, py, pz, kept)
    return rx / length, ry / length, rz / length, length


@helper
def speed(fi, fj, g):
    """The rate of p, in axes of the first body."""
    x, y, z = separation(fi, fj, g)
    x, y, z = to_body(fi, x, y, z)
    x, y, z = cross(fi[15], fi[16], fi[17], x, y, z)
    ux, uy, uz = separation_rate(fi, fj, g)
    ux, uy, uz = to_body(fi, ux, uy, uz)
    return ux - x, uy - y, uz - z


@helper
def turn_of(fi, fj, g, nx, ny, nz, length):
    """The rate n' of n in the axes of the solid, and n' . p': what the height gains by it. Of a plane face all are zero."""
    ux, uy, uz = speed(fi, fj, g)
    ux, uy, uz = in_solid(g, ux, uy, uz)
    px, py, pz = centre(fi, fj, g)
    if g[21] == SOLID_CYLINDER:
        mx, my, mz = turn_on_cylinder(g, px, py, pz, ux, uy, uz, nx, ny, nz)
    elif g[20] != 0.0 or not length > 0.0:
        mx, my, mz = 0.0, 0.0, 0.0
    elif g[21] == SOLID_HULL:
        _, _, _, ex, ey, ez, turns = nearest_of_hull(g, px, py, pz)
        mx, my, mz = across(turns * ux, turns * uy, turns * uz, ex, ey, ez, nx, ny, nz, length)
    else:
        vx = ux if beyond(px, g[16]) != 0.0 else 0.0
        vy = uy if beyond(py, g[17]) != 0.0 else 0.0
        vz = uz if beyond(pz, g[18]) != 0.0 else 0.0
        mx, my, mz = across(vx, vy, vz, 0.0, 0.0, 0.0, nx, ny, nz, length)
    return mx, my, mz, mx * ux + my * uy + mz * uz


@helper
def across(ux, uy, uz, ex, ey, ez, nx, ny, nz, length):
    """The rate of a direction n over a length: u less what is along e and n, over it."""
    on, along = ux * ex + uy * ey + uz * ez, nx * ux + ny * uy + nz * uz
    return (ux - on * ex - along * nx) / length, (uy - on * ey - along * ny) / length, (uz - on * ez - along * nz) / length


@helper
def turn_on_cylinder(g, px, py, pz, ux, uy, uz, nx, ny, nz):
    """n' where p moves by u: of e_rho by the part around the axis, of n at the rim by turning in the plane of the axis, too."""
    rho = sqrt(px * px + py * py)
    if not rho > 0.0 or (nx == 0.0 and ny == 0.0):
        return 0.0, 0.0, 0.0
    ex, ey = px / rho, py / rho
    out = ux * ex + uy * ey
    along, share = nx * ex + ny * ey, (nx * ex + ny * ey) / rho
    mx, my, mz = share * (ux - out * ex), share * (uy - out * ey), 0.0
    if g[20] != 0.0 or nz == 0.0:
        return mx, my, mz
    length = sqrt((rho - g[16]) * (rho - g[16]) + beyond(pz, g[18]) * beyond(pz, g[18]))
    rate = (along * uz - nz * out) / length  # of the angle of n above the plane across the axis
    return mx - rate * nz * ex, my - rate * nz * ey, rate * along


@helper
def tangent(g, nx, ny, nz):
    """E without n x, k and 1 + A . n."""
    below = 1.0 + AX * nx + AY * ny + AZ * nz
    below = below if below > BEHIND else nan
    k = (YX * nx + YY * ny + YZ * nz) / below
    return YX - k * (AX + nx), YY - k * (AY + ny), YZ - k * (AZ + nz), k, below


@helper
def tangent_row(fi, fj, g, J, r):
    """The row of the slip along E: of the point at -R n from the ball's centre, R = g[15]."""
    nx, ny, nz, _ = nearest(fi, fj, g, True)
    ex, ey, ez, _, _ = tangent(g, nx, ny, nz)
    if g[19] != 0.0:
        ex, ey, ez = cross(nx, ny, nz, ex, ey, ez)
    nx, ny, nz = from_solid(g, nx, ny, nz)
    nx, ny, nz = to_global(fi, nx, ny, nz)
    ex, ey, ez = from_solid(g, ex, ey, ez)
    ex, ey, ez = to_global(fi, ex, ey, ez)
    J[r, 0], J[r, 1], J[r, 2], J[r, 6], J[r, 7], J[r, 8] = -ex, -ey, -ez, ex, ey, ez
    x, y, z = to_global(fj, g[3], g[4], g[5])
    x, y, z = x - g[15] * nx, y - g[15] * ny, z - g[15] * nz
    ax, ay, az = cross(x, y, z, ex, ey, ez)
    J[r, 9], J[r, 10], J[r, 11] = to_body(fj, ax, ay, az)
    ax, ay, az = cross(x + fj[0] - fi[0], y + fj[1] - fi[1], z + fj[2] - fi[2], -ex, -ey, -ez)
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, ax, ay, az)


@helper
def tangent_rates(fi, fj, g):
    """n, n', E and E', in axes of the first body and against it."""
    nx, ny, nz, length = nearest(fi, fj, g, True)
    mx, my, mz, _ = turn_of(fi, fj, g, nx, ny, nz, length)
    ex, ey, ez, k, below = tangent(g, nx, ny, nz)
    rate = (YX * mx + YY * my + YZ * mz - k * (AX * mx + AY * my + AZ * mz)) / below
    fx, fy, fz = -rate * (AX + nx) - k * mx, -rate * (AY + ny) - k * my, -rate * (AZ + nz) - k * mz  # E'
    if g[19] != 0.0:
        x, y, z = cross(mx, my, mz, ex, ey, ez)
        fx, fy, fz = cross(nx, ny, nz, fx, fy, fz)
        fx, fy, fz = fx + x, fy + y, fz + z
        ex, ey, ez = cross(nx, ny, nz, ex, ey, ez)
    nx, ny, nz = from_solid(g, nx, ny, nz)
    mx, my, mz = from_solid(g, mx, my, mz)
    ex, ey, ez = from_solid(g, ex, ey, ez)
    fx, fy, fz = from_solid(g, fx, fy, fz)
    return nx, ny, nz, mx, my, mz, ex, ey, ez, fx, fy, fz


@helper
def pivot_row(fi, fj, g, J, r):
    """The row of turning along E, or along n where g[19] is 2."""
    nx, ny, nz, _ = nearest(fi, fj, g, True)
    ex, ey, ez, _, _ = tangent(g, nx, ny, nz)
    if g[19] == 1.0:
        ex, ey, ez = cross(nx, ny, nz, ex, ey, ez)
    ex, ey, ez = (nx, ny, nz) if g[19] == 2.0 else (ex, ey, ez)
    ex, ey, ez = from_solid(g, ex, ey, ez)
    ex, ey, ez = to_global(fi, ex, ey, ez)
    turning_row(fi, fj, ex, ey, ez, J, r)


@helper
def pivot_eta(fi, fj, g):
    """Its eta."""
    nx, ny, nz, mx, my, mz, ex, ey, ez, fx, fy, fz = tangent_rates(fi, fj, g)
    ex, ey, ez = (nx, ny, nz) if g[19] == 2.0 else (ex, ey, ez)
    fx, fy, fz = (mx, my, mz) if g[19] == 2.0 else (fx, fy, fz)
    x, y, z = cross(fi[15], fi[16], fi[17], ex, ey, ez)
    x, y, z = to_global(fi, x + fx, y + fy, z + fz)
    return turning_eta(fi, fj, x, y, z)


@helper
def tangent_eta(fi, fj, g):
    """Its eta. In axes of the first body the slip is s = u - R w x n, u = p', w = omega_j - omega_i."""
    nx, ny, nz, mx, my, mz, ex, ey, ez, fx, fy, fz = tangent_rates(fi, fj, g)
    R = g[15]
    ox, oy, oz = fi[15], fi[16], fi[17]
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    wx, wy, wz = to_body(fi, wx, wy, wz)
    tx, ty, tz = cross(ox, oy, oz, wx, wy, wz)  # -w'
    wx, wy, wz = wx - ox, wy - oy, wz - oz
    ux, uy, uz = speed(fi, fj, g)
    x, y, z = cross(wx, wy, wz, nx, ny, nz)
    slip = fx * (ux - R * x) + fy * (uy - R * y) + fz * (uz - R * z)
    # u' = d.. - omega_i x (2 u + omega_i x p), in axes of the first body
    x, y, z = separation(fi, fj, g)
    x, y, z = to_body(fi, x, y, z)
    x, y, z = cross(ox, oy, oz, x, y, z)
    x, y, z = cross(ox, oy, oz, x + 2.0 * ux, y + 2.0 * uy, z + 2.0 * uz)
    bx, by, bz = separation_bias(fi, fj, g)
    bx, by, bz = to_body(fi, bx, by, bz)
    bx, by, bz = bx - x, by - y, bz - z
    x, y, z = cross(tx, ty, tz, nx, ny, nz)
    bx, by, bz = bx + R * x, by + R * y, bz + R * z
    x, y, z = cross(wx, wy, wz, mx, my, mz)
    return slip + ex * (bx - R * x) + ey * (by - R * y) + ez * (bz - R * z)
