"""n . (c - P) = R: the point c of j stays R above its foot P on a surface of the ground; in the plane above a line.

`mbsim.kernels.given_surfaces` has n and P. The multiplier is the force on body j along n.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.given_surfaces import normal, normal_rate, rates, rise, touch
from mbsim.kernels.spatial_rows import cross, separation, separation_bias, separation_rate, to_body

DIMENSIONS = (2, 3)
APART = "surfaces"
LAWS = "own"


@helper
def planar_row(fi, fj, g, laws, law, J, xi, r):
    x, y = planar.separation(fi, fj, g)
    _, fx, _, _, _, _, _, _, _, du, _ = touch(laws, law, x, 0.0, y)
    nx, _, ny = normal(fx, 0.0)
    planar.along_row(fi, fj, g, nx, ny, J, r)
    ft, _, _, _ = rise(laws, law, du, 0.0)
    xi[r] = -ft * ny


@helper
def planar_phi(fi, fj, g, laws, law, phi, r):
    x, y = planar.separation(fi, fj, g)
    f, fx, _, _, _, _, _, _, _, _, _ = touch(laws, law, x, 0.0, y)
    phi[r] = (y - f) * sqrt(1.0 + fx * fx) - g[7]


@helper
def planar_eta(fi, fj, g, laws, law, eta, r):
    x, y = planar.separation(fi, fj, g)
    vx, vy = planar.separation_rate(fi, fj, g)
    fx, _, fx_dot, _, ft, ft_dot = rates(laws, law, x, 0.0, y, vx, 0.0, vy)
    nx, _, ny = normal(fx, 0.0)
    mx, _, my = normal_rate(fx, 0.0, fx_dot, 0.0)
    bx, by = planar.separation_bias(fi, fj, g)
    eta[r] = mx * vx + my * (vy - ft) + nx * bx + ny * (by - ft_dot)


@helper
def spatial_row(fi, fj, g, laws, law, J, xi, r):
    x, y, z = separation(fi, fj, g)
    _, fx, fy, _, _, _, _, _, _, du, dw = touch(laws, law, x, y, z)
    nx, ny, nz = normal(fx, fy)
    J[r, 0], J[r, 1], J[r, 2], J[r, 3], J[r, 4], J[r, 5] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # of the ground
    J[r, 6], J[r, 7], J[r, 8] = nx, ny, nz
    ft, _, _, _ = rise(laws, law, du, dw)
    xi[r] = -ft * nz
    nx, ny, nz = to_body(fj, nx, ny, nz)
    J[r, 9], J[r, 10], J[r, 11] = cross(g[3], g[4], g[5], nx, ny, nz)


@helper
def spatial_phi(fi, fj, g, laws, law, phi, r):
    x, y, z = separation(fi, fj, g)
    f, fx, fy, _, _, _, _, _, _, _, _ = touch(laws, law, x, y, z)
    phi[r] = (z - f) * sqrt(1.0 + fx * fx + fy * fy) - g[15]


@helper
def spatial_eta(fi, fj, g, laws, law, eta, r):
    x, y, z = separation(fi, fj, g)
    vx, vy, vz = separation_rate(fi, fj, g)
    fx, fy, fx_dot, fy_dot, ft, ft_dot = rates(laws, law, x, y, z, vx, vy, vz)
    nx, ny, nz = normal(fx, fy)
    mx, my, mz = normal_rate(fx, fy, fx_dot, fy_dot)
    bx, by, bz = separation_bias(fi, fj, g)
    eta[r] = mx * vx + my * vy + mz * (vz - ft) + nx * bx + ny * by + nz * (bz - ft_dot)
