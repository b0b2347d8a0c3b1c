"""-(c1 + c2 |u|) u at a point, u its velocity against the medium's (constant or of laws), and -(d1 + d2 |w|) w."""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial
from mbsim.kernels.laws import given

DIMENSIONS = (2, 3)
NUMBERS = 10  # point (3), velocity of the medium (3)
LINEAR, QUADRATIC, ROTATIONAL_LINEAR, ROTATIONAL_QUADRATIC = 6, 7, 8, 9  # c1, c2, d1, d2


@helper
def planar_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    mx, my, _ = given(arrays.laws, law, p)
    px, py = planar.point_of(f, p[0], p[1])
    vx, vy = planar.velocity_at(f, px, py)
    ux, uy = vx - mx, vy - my
    size = -p[LINEAR] - p[QUADRATIC] * sqrt(ux * ux + uy * uy)
    torque = -(p[ROTATIONAL_LINEAR] + p[ROTATIONAL_QUADRATIC] * abs(f[7])) * f[7]
    planar.push_at(arrays.frames, h, i, 1.0, size * ux, size * uy, px, py, torque)
    return size * (ux * vx + uy * vy) + torque * f[7]


@helper
def spatial_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    mx, my, mz = given(arrays.laws, law, p)
    px, py, pz = spatial.point_of(f, p[0], p[1], p[2])
    vx, vy, vz = spatial.velocity_at(f, px, py, pz)
    ux, uy, uz = vx - mx, vy - my, vz - mz
    size = -p[LINEAR] - p[QUADRATIC] * sqrt(ux * ux + uy * uy + uz * uz)
    wx, wy, wz = spatial.to_global(f, f[15], f[16], f[17])
    squared = wx * wx + wy * wy + wz * wz
    turn = -p[ROTATIONAL_LINEAR] - p[ROTATIONAL_QUADRATIC] * sqrt(squared)
    spatial.push_at(arrays.frames, h, i, 1.0, size * ux, size * uy, size * uz, px, py, pz, turn * wx, turn * wy, turn * wz)
    return size * (ux * vx + uy * vy + uz * vz) + turn * squared
