"""A force on a point of a body, in the axes of the second body; constant or of laws."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial
from mbsim.kernels.laws import given

DIMENSIONS = (2, 3)
NUMBERS = 6  # point (3), force (3)


@helper
def planar_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    x, y, _ = given(arrays.laws, law, p)
    fx, fy = planar.turned(arrays.frames[j], x, y)
    px, py = planar.point_of(f, p[0], p[1])
    vx, vy = planar.velocity_at(f, px, py)
    planar.push_at(arrays.frames, h, i, 1.0, fx, fy, px, py, 0.0)
    return fx * vx + fy * vy


@helper
def spatial_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    x, y, z = given(arrays.laws, law, p)
    fx, fy, fz = spatial.to_global(arrays.frames[j], x, y, z)
    px, py, pz = spatial.point_of(f, p[0], p[1], p[2])
    x, y, z = spatial.velocity_at(f, px, py, pz)
    spatial.push_at(arrays.frames, h, i, 1.0, fx, fy, fz, px, py, pz, 0.0, 0.0, 0.0)
    return fx * x + fy * y + fz * z
