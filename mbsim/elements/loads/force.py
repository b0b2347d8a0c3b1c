"""A force on a point of a body, in global axes; constant or of laws."""

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial
from mbsim.kernels.laws import given

COMMON = True
DIMENSIONS = (2, 3)
NUMBERS = 6  # point (3), force (3)


@helper
def planar_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    fx, fy, _ = given(arrays.laws, law, p)
    ax, ay = planar.turned(f, p[0], p[1])
    torque = ax * fy - ay * fx
    planar.push(h, arrays.frames.shape[0] - 1, i, fx, fy, torque)
    return fx * f[5] + fy * f[6] + torque * f[7]


@helper
def spatial_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    x, y, z = given(arrays.laws, law, p)
    spatial.push(h, arrays.frames.shape[0] - 1, i, f, 0, p, x, y, z)
    ux, uy, uz = spatial.swept(f, p[0], p[1], p[2])
    return x * (f[12] + ux) + y * (f[13] + uy) + z * (f[14] + uz)
