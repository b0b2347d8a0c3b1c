"""A torque on a body, in the axes of the second body; constant or of laws."""

from mbsim.jit import helper
from mbsim.kernels.laws import given
from mbsim.kernels.spatial_rows import push_at, to_body, to_global

DIMENSIONS = (3,)
NUMBERS = 6  # -, torque (3)


@helper
def spatial_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    x, y, z = given(arrays.laws, law, p)
    tx, ty, tz = to_global(arrays.frames[j], x, y, z)
    push_at(arrays.frames, h, i, 1.0, 0.0, 0.0, 0.0, f[0], f[1], f[2], tx, ty, tz)
    x, y, z = to_body(f, tx, ty, tz)
    return x * f[15] + y * f[16] + z * f[17]
