"""a . 2 e, e the vector part of the Euler parameters (w, e) from the first body's axes to the second's: a small turn about an axis a.

The axis is one of either body alike, for e has the same components in both. With omega = omega_j - A' omega_i in axes of the second body,
e_dot = (w omega + e x omega) / 2 and w_dot = -e . omega / 2. At constant omega_i and omega_j, omega_dot = omega x omega_j, so the second
rate of 2 e is w omega_dot + e x omega_dot - e omega^2 / 2. P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems (1988), ch. 6.
"""

from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, VALUE
from mbsim.kernels.rotations import product
from mbsim.kernels.spatial_rows import cross, to_body, to_global

DIMENSIONS = (3,)


@helper
def spatial_measure(fi, fj, g, values, k):
    w, x, y, z = product(fi[18], -fi[19], -fi[20], -fi[21], fj[18], fj[19], fj[20], fj[21])
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    a, b, c = g[6], g[7], g[8]
    ux, uy, uz = cross(a, b, c, x, y, z)
    values[k, GRADIENT + 3], values[k, GRADIENT + 4], values[k, GRADIENT + 5] = ux - w * a, uy - w * b, uz - w * c
    values[k, GRADIENT + 9], values[k, GRADIENT + 10], values[k, GRADIENT + 11] = ux + w * a, uy + w * b, uz + w * c
    gx, gy, gz = to_global(fi, fi[15], fi[16], fi[17])
    lx, ly, lz = to_body(fj, gx, gy, gz)
    ox, oy, oz = fj[15] - lx, fj[16] - ly, fj[17] - lz
    rx, ry, rz = cross(ox, oy, oz, fj[15], fj[16], fj[17])
    tx, ty, tz = cross(x, y, z, rx, ry, rz)
    half = 0.5 * (ox * ox + oy * oy + oz * oz)
    values[k, VALUE] = 2.0 * (a * x + b * y + c * z)
    values[k, BIAS] = a * (w * rx + tx - half * x) + b * (w * ry + ty - half * y) + c * (w * rz + tz - half * z)
