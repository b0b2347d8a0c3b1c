"""mu m / r^2 from the first body's centre of mass towards a point of the second; m the first body's mass."""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels import spatial_rows as spatial

DIMENSIONS = (2, 3)
NUMBERS = 7
POINT, MU = 3, 6  # of the second body


@helper
def planar_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    px, py = planar.point_of(arrays.frames[j], p[POINT], p[POINT + 1])
    dx, dy = px - f[0], py - f[1]
    squared = dx * dx + dy * dy
    size = p[MU] * arrays.masses[i, 0] / (squared * sqrt(squared))
    planar.push_pair(arrays.frames, h, i, j, size * dx, size * dy, f[0], f[1], 0.0)
    return 0.0


@helper
def planar_energy(arrays, i, j, law, p):
    f = arrays.frames[i]
    px, py = planar.point_of(arrays.frames[j], p[POINT], p[POINT + 1])
    return -p[MU] * arrays.masses[i, 0] / sqrt((px - f[0]) ** 2 + (py - f[1]) ** 2)


@helper
def spatial_force(arrays, i, j, law, p, h):
    f = arrays.frames[i]
    px, py, pz = spatial.point_of(arrays.frames[j], p[POINT], p[POINT + 1], p[POINT + 2])
    dx, dy, dz = px - f[0], py - f[1], pz - f[2]
    squared = dx * dx + dy * dy + dz * dz
    size = p[MU] * arrays.masses[i, 0] / (squared * sqrt(squared))
    spatial.push_pair(arrays.frames, h, i, j, size * dx, size * dy, size * dz, f[0], f[1], f[2], 0.0, 0.0, 0.0)
    return 0.0


@helper
def spatial_energy(arrays, i, j, law, p):
    f = arrays.frames[i]
    px, py, pz = spatial.point_of(arrays.frames[j], p[POINT], p[POINT + 1], p[POINT + 2])
    return -p[MU] * arrays.masses[i, 0] / sqrt((px - f[0]) ** 2 + (py - f[1]) ** 2 + (pz - f[2]) ** 2)
