"""E . (velocity of j at the contact - that of the surface) = 0: what is round about c does not slip on a surface of the ground along E.

The contact is c - R n (`over_surface.py`), and the points of the surface move up and down. In the plane E is (1, f_1) over its length. In
space it is that over the x axis where g[9] is 0, else n x that. The multiplier is the force on body j along E.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.given_surfaces import direction, direction_rate, normal, normal_rate, rates, rise, touch
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body, to_global

DIMENSIONS = (2, 3)
APART = "surfaces"
LEVEL = "velocity"
LAWS = "own"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    x, y = planar.separation(fi, fj, g)
    _, fx, _, _, _, _, _, _, _, du, _ = touch(laws, law, x, 0.0, y)
    s = sqrt(1.0 + fx * fx)
    planar.along_row(fi, fj, g, 1.0 / s, fx / s, J, r)
    J[r, 5] += g[7]  # -R n x E
    ft, _, _, _ = rise(laws, law, du, 0.0)
    xi[r] = -ft * fx / s


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    x, y = planar.separation(fi, fj, g)
    vx, vy = planar.separation_rate(fi, fj, g)
    fx, _, fx_dot, _, ft, ft_dot = rates(laws, law, x, 0.0, y, vx, 0.0, vy)
    s = sqrt(1.0 + fx * fx)
    fall = fx * fx_dot / (s * s * s)
    bx, by = planar.separation_bias(fi, fj, g)
    eta[r] = -fall * vx + (fx_dot / s - fx * fall) * (vy - ft) + (bx + fx * (by - ft_dot)) / s


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    x, y, z = separation(fi, fj, g)
    _, fx, fy, _, _, _, _, _, _, du, dw = touch(laws, law, x, y, z)
    nx, ny, nz = normal(fx, fy)
    ex, ey, ez = direction(g[9] != 0.0, fx, fy)
    J[r, 0], J[r, 1], J[r, 2], J[r, 3], J[r, 4], J[r, 5] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # of the ground
    J[r, 6], J[r, 7], J[r, 8] = ex, ey, ez
    ft, _, _, _ = rise(laws, law, du, dw)
    xi[r] = -ft * ez
    x, y, z = to_global(fj, g[3], g[4], g[5])
    x, y, z = cross(x - g[15] * nx, y - g[15] * ny, z - g[15] * nz, ex, ey, ez)
    J[r, 9], J[r, 10], J[r, 11] = to_body(fj, x, y, z)


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    x, y, z = separation(fi, fj, g)
    vx, vy, vz = separation_rate(fi, fj, g)
    fx, fy, fx_dot, fy_dot, ft, ft_dot = rates(laws, law, x, y, z, vx, vy, vz)
    nx, ny, nz = normal(fx, fy)
    mx, my, mz = normal_rate(fx, fy, fx_dot, fy_dot)
    ex, ey, ez = direction(g[9] != 0.0, fx, fy)
    sx, sy, sz = direction_rate(g[9] != 0.0, fx, fy, fx_dot, fy_dot)
    # the slip is c' - R omega x n - (0, 0, f_t)
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    px, py, pz = cross(wx, wy, wz, nx, ny, nz)
    R = g[15]
    slip = sx * (vx - R * px) + sy * (vy - R * py) + sz * (vz - R * pz - ft)
    px, py, pz = cross(wx, wy, wz, mx, my, mz)
    bx, by, bz = separation_bias(fi, fj, g)
    eta[r] = slip + ex * (bx - R * px) + ey * (by - R * py) + ez * (bz - R * pz - ft_dot)
