"""angle_j - angle_i - (its value in the file, g[6]) = f(t)."""

from mbsim.jit import helper

COMMON = True
DIMENSIONS = (2,)


@helper
def planar_row(fi, fj, g, J, r):
    J[r, 2], J[r, 5] = -1.0, 1.0


@helper
def planar_phi(fi, fj, g):
    return fj[4] - fi[4] - g[6]


@helper
def planar_eta(fi, fj, g):
    return 0.0
