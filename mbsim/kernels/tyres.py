"""Where a tyre meets a plane road, how it slips there, and its normal force.

A tyre is a thin disk about the axis e of body i, e to the left of the direction of travel, on a plane with the normal n of body j:

    x = e x n / c   ahead along the road,   y = n x x   to the left,   c = cos(camber) = |e x n|

The contact is in the plane of the wheel straight below its centre, r = height / c from it. Slips (ISO 8855): with the velocity u of the
tyre's material at the contact against the road, and the speed V of the wheel's centre along x,

    kappa = -u.x / |V|,   alpha = atan(-u.y / |V|)

where |V| is replaced by `LOW_SPEED` when it is smaller: there the tyre is a damper. `p` is a row of `Arrays.load_data`: the centre on i, a
point of the road on j, three numbers each, then the columns of `tyre_columns`.

A tyre with relaxation lengths sigma has deflections u and v, which are states, and slips that lag behind (Pacejka, Tire and Vehicle
Dynamics, 3rd ed. 2012, eqs. 7.7 to 7.11):

    u' = -u.x - |V| u / sigma_x,   kappa = u / sigma_x,   v' = -u.y - |V| v / sigma_y,   alpha = atan(v / sigma_y)

These slips are laws: of `law` kappa, of `law + 1` alpha.
"""

from math import atan, nan, sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.spatial_rows import cross, point_of, to_global, velocity_at
from mbsim.kernels.tyre_columns import (
    AXIS,
    DAMPING,
    LAG,
    LAG_AHEAD,
    LAG_ASIDE,
    LAG_BOTH,
    LOAD,
    LOW_SPEED,
    NORMAL,
    RADIUS,
    STIFFNESS,
)  # fmt: skip

FLAT = 1e-3  # of the cosine of the camber: a wheel that lies flatter on the road has no point of contact


@helper
def axes(fi, fj, p):
    """The directions x, y and n (3 each), the sine and the cosine of the camber, the centre and the contact (3 each), the distance r."""
    cx, cy, cz = point_of(fi, p[0], p[1], p[2])
    ax, ay, az = point_of(fj, p[3], p[4], p[5])
    nx, ny, nz = to_global(fj, p[NORMAL], p[NORMAL + 1], p[NORMAL + 2])
    ex, ey, ez = to_global(fi, p[AXIS], p[AXIS + 1], p[AXIS + 2])
    s = nx * ex + ny * ey + nz * ez
    squared = 1.0 - s * s
    c = sqrt(squared) if squared > FLAT * FLAT else FLAT
    xx, xy, xz = cross(ex, ey, ez, nx, ny, nz)
    xx, xy, xz = xx / c, xy / c, xz / c
    yx, yy, yz = cross(nx, ny, nz, xx, xy, xz)
    r = (nx * (cx - ax) + ny * (cy - ay) + nz * (cz - az)) / c
    px, py, pz = cx - r * (nx - s * ex) / c, cy - r * (ny - s * ey) / c, cz - r * (nz - s * ez) / c
    return xx, xy, xz, yx, yy, yz, nx, ny, nz, s, c, cx, cy, cz, px, py, pz, r


@helper
def slip_speeds(fi, fj, xx, xy, xz, yx, yy, yz, nx, ny, nz, cx, cy, cz, px, py, pz):
    """u.x, u.y, u.n at the contact, and the speed of the centre along x, m/s."""
    ux, uy, uz = velocity_at(fi, px, py, pz)
    vx, vy, vz = velocity_at(fi, cx, cy, cz)
    wx, wy, wz = velocity_at(fj, px, py, pz)
    ux, uy, uz = ux - wx, uy - wy, uz - wz
    ahead = xx * (vx - wx) + xy * (vy - wy) + xz * (vz - wz)
    return xx * ux + xy * uy + xz * uz, yx * ux + yy * uy + yz * uz, nx * ux + ny * uy + nz * uz, ahead


@helper
def slips(along, aside, ahead, low):
    """kappa and alpha."""
    speed = ahead if ahead > 0.0 else -ahead
    speed = speed if speed > low else low
    return -along / speed, atan(-aside / speed)


@helper
def lagged(laws, law, p, kappa, alpha):
    """kappa and alpha, or those that the deflections of the tyre stand for."""
    if p[LAG] == LAG_AHEAD or p[LAG] == LAG_BOTH:
        kappa = laws[law, 0]
    if p[LAG] == LAG_ASIDE or p[LAG] == LAG_BOTH:
        alpha = laws[law + 1, 0]
    return kappa, alpha


@helper
def spin(fi, fj, nx, ny, nz):
    """The angular velocity of the wheel against the road about its normal, rad/s."""
    ix, iy, iz = to_global(fi, fi[15], fi[16], fi[17])
    jx, jy, jz = to_global(fj, fj[15], fj[16], fj[17])
    return nx * (ix - jx) + ny * (iy - jy) + nz * (iz - jz)


@helper
def planar_slip(fi, p):
    """In the plane, seen from above: alpha of a wheel that rolls freely, the contact, the direction to the left, the speed along it."""
    px, py = planar.point_of(fi, p[0], p[1])
    yx, yy = planar.turned(fi, p[AXIS], p[AXIS + 1])
    ux, uy = planar.velocity_at(fi, px, py)
    aside = yx * ux + yy * uy
    _, alpha = slips(0.0, aside, yy * ux - yx * uy, p[LOW_SPEED])
    return alpha, px, py, yx, yy, aside


@helper
def radial(depth, rate, p):
    """The force of the tyre's spring and damper, which never pulls, N, and the part of it that is the spring's."""
    if not depth > 0.0:
        return 0.0, 0.0
    elastic = p[STIFFNESS] * depth
    force = elastic + p[DAMPING] * rate
    return force if force > 0.0 else 0.0, elastic


@helper
def normal_force(r, c, away, p):
    """The force of the road along n, N, and the part of it that stores energy: of a given load none."""
    if p[LOAD] > 0.0:
        return p[LOAD], 0.0
    force, elastic = radial(p[RADIUS] - r, -away / c, p)
    return force / c, elastic / c


@helper
def stored_energy(fi, fj, p):
    """Of the tyre's spring, J."""
    _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, r = axes(fi, fj, p)
    depth = p[RADIUS] - r
    return 0.5 * p[STIFFNESS] * depth * depth if depth > 0.0 and p[LOAD] == 0.0 else 0.0


@helper
def depth_and_rate(fi, fj, p):
    """How deep the road presses into the tyre, m, and the rate of that, m/s."""
    xx, xy, xz, yx, yy, yz, nx, ny, nz, _, c, cx, cy, cz, px, py, pz, r = axes(fi, fj, p)
    _, _, away, _ = slip_speeds(fi, fj, xx, xy, xz, yx, yy, yz, nx, ny, nz, cx, cy, cz, px, py, pz)
    return p[RADIUS] - r, -away / c


@helper
def switch(fi, fj, p, k):
    """The depth (k = 0), and the force of spring and damper while there is a depth: zero where the road is touched, and left."""
    depth, rate = depth_and_rate(fi, fj, p)
    if p[LOAD] > 0.0 or (k > 0 and not depth > 0.0):
        return nan
    return depth if k == 0 else p[STIFFNESS] * depth + p[DAMPING] * rate
