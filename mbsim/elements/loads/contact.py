"""A sphere (in the plane a disk) on a plane (a line): normal force by Hunt & Crossley, friction mu N tanh(u / u_t) at its deepest point."""

from math import nan, sqrt, tanh

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.one_sided import elastic_energy, hunt_crossley
from mbsim.kernels.spatial_rows import point_of, push_pair, to_global, velocity_at

DIMENSIONS = (2, 3)
NUMBERS = 15
SWITCHES = ("the surface", "the release of the surface")
# After the centre on i and a point of the plane on j: its normal on j (3).
NORMAL, RADIUS, STIFFNESS, EXPONENT, DAMPING, FRICTION, TRANSITION_SPEED = 6, 9, 10, 11, 12, 13, 14


@helper
def planar_depth(fi, fj, p):
    """How deep the disk on i is below the line on j, the centre of the disk and the normal."""
    cx, cy = planar.point_of(fi, p[0], p[1])
    ax, ay = planar.point_of(fj, p[3], p[4])
    nx, ny = planar.turned(fj, p[NORMAL], p[NORMAL + 1])
    return p[RADIUS] - nx * (cx - ax) - ny * (cy - ay), cx, cy, nx, ny


@helper
def planar_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    delta, cx, cy, nx, ny = planar_depth(fi, fj, p)
    if delta <= 0.0:
        return 0.0
    px, py = cx - p[RADIUS] * nx, cy - p[RADIUS] * ny
    ax, ay = planar.velocity_at(fi, px, py)
    bx, by = planar.velocity_at(fj, px, py)
    away = nx * (ax - bx) + ny * (ay - by)
    slip = nx * (ay - by) - ny * (ax - bx)
    normal = hunt_crossley(delta, -away, p[STIFFNESS], p[EXPONENT], p[DAMPING])
    friction = -p[FRICTION] * normal * tanh(slip / p[TRANSITION_SPEED])
    planar.push_pair(arrays.frames, h, i, j, normal * nx - friction * ny, normal * ny + friction * nx, px, py, 0.0)
    return (normal - p[STIFFNESS] * delta ** p[EXPONENT]) * away + friction * slip


@helper
def planar_energy(arrays, i, j, law, p):
    delta, _, _, _, _ = planar_depth(arrays.frames[i], arrays.frames[j], p)
    return elastic_energy(delta, p[STIFFNESS], p[EXPONENT]) if not delta <= 0.0 else 0.0


@helper
def planar_switch(arrays, i, j, law, p, k):
    fi, fj = arrays.frames[i], arrays.frames[j]
    delta, cx, cy, nx, ny = planar_depth(fi, fj, p)
    if k == 0 or delta <= 0.0:
        return delta if k == 0 else nan
    ax, ay = planar.velocity_at(fi, cx - p[RADIUS] * nx, cy - p[RADIUS] * ny)
    bx, by = planar.velocity_at(fj, cx - p[RADIUS] * nx, cy - p[RADIUS] * ny)
    return 1.0 - 1.5 * p[DAMPING] * (nx * (ax - bx) + ny * (ay - by))


@helper
def planar_switch_rate(arrays, i, j, law, p, k):
    if k > 0:
        return nan
    fi, fj = arrays.frames[i], arrays.frames[j]
    _, cx, cy, nx, ny = planar_depth(fi, fj, p)
    ax, ay = planar.velocity_at(fi, cx, cy)
    bx, by = planar.velocity_at(fj, cx, cy)
    return nx * (bx - ax) + ny * (by - ay)


@helper
def spatial_depth(fi, fj, p):
    """How deep the sphere on i is below the plane on j, the centre of the sphere and the normal."""
    cx, cy, cz = point_of(fi, p[0], p[1], p[2])
    ax, ay, az = point_of(fj, p[3], p[4], p[5])
    nx, ny, nz = to_global(fj, p[NORMAL], p[NORMAL + 1], p[NORMAL + 2])
    return p[RADIUS] - nx * (cx - ax) - ny * (cy - ay) - nz * (cz - az), cx, cy, cz, nx, ny, nz


@helper
def spatial_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    delta, cx, cy, cz, nx, ny, nz = spatial_depth(fi, fj, p)
    if delta <= 0.0:
        return 0.0
    px, py, pz = cx - p[RADIUS] * nx, cy - p[RADIUS] * ny, cz - p[RADIUS] * nz
    ax, ay, az = velocity_at(fi, px, py, pz)
    bx, by, bz = velocity_at(fj, px, py, pz)
    ux, uy, uz = ax - bx, ay - by, az - bz
    away = nx * ux + ny * uy + nz * uz
    ux, uy, uz = ux - away * nx, uy - away * ny, uz - away * nz
    slip = sqrt(ux * ux + uy * uy + uz * uz)
    normal = hunt_crossley(delta, -away, p[STIFFNESS], p[EXPONENT], p[DAMPING])
    friction = -p[FRICTION] * normal * tanh(slip / p[TRANSITION_SPEED])
    size = friction / slip if slip > 0.0 else 0.0
    fx, fy, fz = normal * nx + size * ux, normal * ny + size * uy, normal * nz + size * uz
    push_pair(arrays.frames, h, i, j, fx, fy, fz, px, py, pz, 0.0, 0.0, 0.0)
    return (normal - p[STIFFNESS] * delta ** p[EXPONENT]) * away + friction * slip


@helper
def spatial_energy(arrays, i, j, law, p):
    delta, _, _, _, _, _, _ = spatial_depth(arrays.frames[i], arrays.frames[j], p)
    return elastic_energy(delta, p[STIFFNESS], p[EXPONENT]) if not delta <= 0.0 else 0.0


@helper
def spatial_switch(arrays, i, j, law, p, k):
    fi, fj = arrays.frames[i], arrays.frames[j]
    delta, cx, cy, cz, nx, ny, nz = spatial_depth(fi, fj, p)
    if k == 0 or delta <= 0.0:
        return delta if k == 0 else nan
    px, py, pz = cx - p[RADIUS] * nx, cy - p[RADIUS] * ny, cz - p[RADIUS] * nz
    ax, ay, az = velocity_at(fi, px, py, pz)
    bx, by, bz = velocity_at(fj, px, py, pz)
    return 1.0 - 1.5 * p[DAMPING] * (nx * (ax - bx) + ny * (ay - by) + nz * (az - bz))


@helper
def spatial_switch_rate(arrays, i, j, law, p, k):
    if k > 0:
        return nan
    fi, fj = arrays.frames[i], arrays.frames[j]
    _, cx, cy, cz, nx, ny, nz = spatial_depth(fi, fj, p)
    ax, ay, az = velocity_at(fi, cx, cy, cz)
    bx, by, bz = velocity_at(fj, cx, cy, cz)
    return nx * (bx - ax) + ny * (by - ay) + nz * (bz - az)
