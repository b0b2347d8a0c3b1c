"""What contacts of the rim of a cylinder share (`rim_apart`, `rim_end`, `slip_rim`, `pivot_rim`). Layouts: `spatial_rows.py`.

The rim is a circle of the second body: its centre C, its axis b, which points out of the cylinder, its radius R = g[17]. The first body
has the faces of a convex polyhedron, a flat end, a line or a rim; g[16] says which (RIM_ON_FACES, RIM_ON_DISC: `spatial_rim_faces.py`,
RIM_ON_LINE: `spatial_rim_lines.py`, RIM_ON_RIM: `spatial_rim_rims.py`). Each file tells, in global axes,

    n, E    the normal, from the first body to the second, and a tangent; where g[18] is 1, n x E is meant
    k, q    the arms of the places that touch, from the centres of mass of both bodies
    h       the gap, n . (r_j + q - r_i - k)

and their rates, those of k and q as the places move on what they touch. As the places are nearest to each other, h' = n . w with the
velocity w of the material point of the second body against that of the first. So every row is E . w, and

    eta = E' . w + E . (omega_j x q' - omega_i x k')

g = [point (3), C (3), z (3), b (3), y (3), 0, kind, R, E, depth, ...]; a contact that is deeper than `depth` is none. What follows is told
in the files.
"""

from mbsim.jit import helper
from mbsim.kernels.primitives import RIM_ON_DISC, RIM_ON_FACES, RIM_ON_RIM
from mbsim.kernels.spatial_edges import END, store
from mbsim.kernels.spatial_rim_faces import beyond_disc, beyond_faces, faces_count, faces_motion, faces_place, middle_over
from mbsim.kernels.spatial_rim_lines import beyond_line, line_counts, line_motion, line_place
from mbsim.kernels.spatial_rim_rims import rims_count, rims_motion, rims_place
from mbsim.kernels.spatial_rows import cross, to_global
from mbsim.kernels.spatial_turning import turning_eta, turning_row


@helper
def place(fi, fj, g, kept):
    """n, E without n x, k, q, h. Where a face is `kept`, it is the one that the rim is on, else the one that it is highest above."""
    if g[16] == RIM_ON_FACES or g[16] == RIM_ON_DISC:
        return faces_place(fi, fj, g, kept)
    return rims_place(fi, fj, g) if g[16] == RIM_ON_RIM else line_place(fi, fj, g)


@helper
def motion(fi, fj, g, kept):
    """The rates of n, E, k, q."""
    if g[16] == RIM_ON_FACES or g[16] == RIM_ON_DISC:
        return faces_motion(fi, fj, g, kept)
    return rims_motion(fi, fj, g) if g[16] == RIM_ON_RIM else line_motion(fi, fj, g)


@helper
def ends(fi, fj, g, flat):
    """How far the place is beyond the ends of what is touched, and its gradient; `flat` as of `beyond_faces`. Two rims have no ends."""
    if g[16] == RIM_ON_FACES:
        return beyond_faces(fi, fj, g, flat)
    if g[16] == RIM_ON_DISC:
        return beyond_disc(fi, fj, g, flat)
    if g[16] == RIM_ON_RIM:
        return -g[17], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return beyond_line(fi, fj, g)


@helper
def beyond(fi, fj, g):
    """How far the place is beyond the ends of what is touched, m, below zero where it is not; and what `store` takes of it."""
    return ends(fi, fj, g, True)


@helper
def along(fi, fj, ex, ey, ez, kx, ky, kz, qx, qy, qz, J, r):
    """The row E . w in J[r]."""
    ux, uy, uz = cross(kx, ky, kz, -ex, -ey, -ez)
    vx, vy, vz = cross(qx, qy, qz, ex, ey, ez)
    store(fi, fj, ex, ey, ez, ux, uy, uz, vx, vy, vz, J, r)


@helper
def along_bias(fi, fj, ex, ey, ez, kx, ky, kz, qx, qy, qz, fx, fy, fz, k1x, k1y, k1z, q1x, q1y, q1z):
    """Its eta; f is E'."""
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    x, y, z = cross(ox, oy, oz, kx, ky, kz)
    vx, vy, vz = cross(wx, wy, wz, qx, qy, qz)
    slip = fx * (fj[12] - fi[12] + vx - x) + fy * (fj[13] - fi[13] + vy - y) + fz * (fj[14] - fi[14] + vz - z)
    x, y, z = cross(ox, oy, oz, k1x, k1y, k1z)
    vx, vy, vz = cross(wx, wy, wz, q1x, q1y, q1z)
    return slip + ex * (vx - x) + ey * (vy - y) + ez * (vz - z)


@helper
def height(fi, fj, g):
    """h."""
    _, _, _, _, _, _, _, _, _, _, _, _, h = place(fi, fj, g, True)
    return h


@helper
def height_row(fi, fj, g, J, r):
    """The row of h."""
    nx, ny, nz, _, _, _, kx, ky, kz, qx, qy, qz, _ = place(fi, fj, g, True)
    along(fi, fj, nx, ny, nz, kx, ky, kz, qx, qy, qz, J, r)


@helper
def height_eta(fi, fj, g, kept):
    """Its eta."""
    nx, ny, nz, _, _, _, kx, ky, kz, qx, qy, qz, _ = place(fi, fj, g, kept)
    mx, my, mz, _, _, _, k1x, k1y, k1z, q1x, q1y, q1z = motion(fi, fj, g, kept)
    return along_bias(fi, fj, nx, ny, nz, kx, ky, kz, qx, qy, qz, mx, my, mz, k1x, k1y, k1z, q1x, q1y, q1z)


@helper
def slip_row(fi, fj, g, J, r):
    """The row of the slip along E."""
    nx, ny, nz, ex, ey, ez, kx, ky, kz, qx, qy, qz, _ = place(fi, fj, g, True)
    if g[18] == 1.0:
        ex, ey, ez = cross(nx, ny, nz, ex, ey, ez)
    along(fi, fj, ex, ey, ez, kx, ky, kz, qx, qy, qz, J, r)


@helper
def tangent_rate(g, nx, ny, nz, ex, ey, ez, mx, my, mz, fx, fy, fz):
    """E' as g[18] means E; m and f are the rates of n and of E without n x."""
    if g[18] == 1.0:
        x, y, z = cross(mx, my, mz, ex, ey, ez)
        fx, fy, fz = cross(nx, ny, nz, fx, fy, fz)
        return fx + x, fy + y, fz + z
    if g[18] == 2.0:
        return mx, my, mz
    return fx, fy, fz


@helper
def slip_eta(fi, fj, g):
    """Its eta."""
    nx, ny, nz, ex, ey, ez, kx, ky, kz, qx, qy, qz, _ = place(fi, fj, g, True)
    mx, my, mz, fx, fy, fz, k1x, k1y, k1z, q1x, q1y, q1z = motion(fi, fj, g, True)
    fx, fy, fz = tangent_rate(g, nx, ny, nz, ex, ey, ez, mx, my, mz, fx, fy, fz)
    if g[18] == 1.0:
        ex, ey, ez = cross(nx, ny, nz, ex, ey, ez)
    return along_bias(fi, fj, ex, ey, ez, kx, ky, kz, qx, qy, qz, fx, fy, fz, k1x, k1y, k1z, q1x, q1y, q1z)


@helper
def pivot_row(fi, fj, g, J, r):
    """The row of turning along E, or along n where g[18] is 2."""
    nx, ny, nz, ex, ey, ez, _, _, _, _, _, _, _ = place(fi, fj, g, True)
    if g[18] == 1.0:
        ex, ey, ez = cross(nx, ny, nz, ex, ey, ez)
    ex, ey, ez = (nx, ny, nz) if g[18] == 2.0 else (ex, ey, ez)
    turning_row(fi, fj, ex, ey, ez, J, r)


@helper
def pivot_eta(fi, fj, g):
    """Its eta."""
    nx, ny, nz, ex, ey, ez, _, _, _, _, _, _, _ = place(fi, fj, g, True)
    mx, my, mz, fx, fy, fz, _, _, _, _, _, _ = motion(fi, fj, g, True)
    fx, fy, fz = tangent_rate(g, nx, ny, nz, ex, ey, ez, mx, my, mz, fx, fy, fz)
    return turning_eta(fi, fj, fx, fy, fz)


@helper
def counted(fi, fj, g):
    """Whether the place is one, ends apart."""
    if g[16] == RIM_ON_FACES or g[16] == RIM_ON_DISC:
        return faces_count(fi, fj, g)
    return rims_count(fi, fj, g) if g[16] == RIM_ON_RIM else line_counts(fi, fj, g)


@helper
def middle_is_over(fi, fj, g):
    """Whether the middle of the end is over the face that is touched. Lines and rims have no faces."""
    return (g[16] == RIM_ON_FACES or g[16] == RIM_ON_DISC) and middle_over(fi, fj, g)


@helper
def bounded(fi, fj, g):
    """As `beyond`, for the gap."""
    return ends(fi, fj, g, False)


@helper
def gap(fi, fj, g, J, r):
    """h where the place is within its ends, elsewhere more; its gradient in J[r]."""
    nx, ny, nz, _, _, _, kx, ky, kz, qx, qy, qz, h = place(fi, fj, g, False)
    out, ex, ey, ez, ux, uy, uz, vx, vy, vz = bounded(fi, fj, g)
    ox, oy, oz = cross(kx, ky, kz, -nx, -ny, -nz)
    wx, wy, wz = cross(qx, qy, qz, nx, ny, nz)
    # see `mbsim.assembly.contact_pairs`: h + 2 max(0, b - h); at an end, where a corner hands over, the rate is that of h
    more = out - h if out > h and not (out <= 0.0 and middle_is_over(fi, fj, g)) else 0.0
    f, e = (-1.0, 2.0) if more > END * g[17] else (1.0, 0.0)
    counts = counted(fi, fj, g) and h > -g[19]
    f, e = (f, e) if counts else (0.0, 0.0)
    store(
        fi, fj, f * nx + e * ex, f * ny + e * ey, f * nz + e * ez, f * ox + e * ux, f * oy + e * uy, f * oz + e * uz,
        f * wx + e * vx, f * wy + e * vy, f * wz + e * vz, J, r,
    )  # fmt: skip
    far = 2.0 * g[17] if g[17] > 0.0 else 2.0 * g[26]
    return h + 2.0 * more if counts else far
