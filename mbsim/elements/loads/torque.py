"""A torque on a body, in global axes (in the plane about its normal); constant or of laws."""

from mbsim.jit import helper
from mbsim.kernels.laws import given
from mbsim.kernels.spatial_rows import to_body

COMMON = True
DIMENSIONS = (2, 3)
NUMBERS = 6  # -, torque (3)


@helper
def planar_force(arrays, i, j, law, p, h):
    torque, _, _ = given(arrays.laws, law, p)
    h[3 * i + 2] += torque
    return torque * arrays.frames[i, 7]


@helper
def spatial_force(arrays, i, j, law, p, h):
    f, o = arrays.frames[i], 6 * i
    x, y, z = given(arrays.laws, law, p)
    x, y, z = to_body(f, x, y, z)
    h[o + 3] += x
    h[o + 4] += y
    h[o + 5] += z
    return x * f[15] + y * f[16] + z * f[17]
