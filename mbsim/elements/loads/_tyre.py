"""What both tyres share as loads: the push on the wheel and the road, the energy of the spring, and where the wheel lifts off."""

from math import nan

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import push_pair
from mbsim.kernels.tyre_columns import LOAD
from mbsim.kernels.tyres import depth_and_rate, stored_energy, switch


@helper
def push(arrays, h, i, j, ahead, left, normal, moment, x, y, n, point):
    """A force ahead, to the left and along the normal of the road, at a point, and a moment about the normal; axes are global."""
    fx, fy, fz = (
        ahead * x[0] + left * y[0] + normal * n[0],
        ahead * x[1] + left * y[1] + normal * n[1],
        ahead * x[2] + left * y[2] + normal * n[2],
    )
    push_pair(arrays.frames, h, i, j, fx, fy, fz, point[0], point[1], point[2], moment * n[0], moment * n[1], moment * n[2])


@helper
def planar_energy(arrays, i, j, law, p):
    return 0.0


@helper
def planar_switch(arrays, i, j, law, p, k):
    return nan


@helper
def planar_switch_rate(arrays, i, j, law, p, k):
    return nan


@helper
def spatial_energy(arrays, i, j, law, p):
    return stored_energy(arrays.frames[i], arrays.frames[j], p)


@helper
def spatial_switch(arrays, i, j, law, p, k):
    return switch(arrays.frames[i], arrays.frames[j], p, k)


@helper
def spatial_switch_rate(arrays, i, j, law, p, k):
    _, rate = depth_and_rate(arrays.frames[i], arrays.frames[j], p)
    return rate if k == 0 and p[LOAD] == 0.0 else nan
