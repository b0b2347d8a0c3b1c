"""E . (omega_j - omega_i) = 0: a ball does not turn on another one, or inside one, along a tangent E or along n, their line of centres.

E and n are as in `rows/slip_round.py`; g[15] is 0 where the row is along E, 1 along n. The multiplier is the couple on body j.
"""

from mbsim.elements.rows.slip_round import direction, direction_rate, towards, towards_rate
from mbsim.jit import helper
from mbsim.kernels.spatial_turning import turning_eta, turning_row

DIMENSIONS = (3,)
APART = "rounds"
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    nx, ny, nz, _ = towards(fi, fj, g)
    if g[15] == 0.0:
        nx, ny, nz, _, _ = direction(fi, g, nx, ny, nz)
    turning_row(fi, fj, nx, ny, nz, J, r)


@helper
def spatial_eta(fi, fj, g):
    nx, ny, nz, length = towards(fi, fj, g)
    if not length > 0.0:
        return 0.0
    mx, my, mz = towards_rate(fi, fj, g, nx, ny, nz, length)
    if g[15] == 0.0:
        mx, my, mz = direction_rate(fi, g, nx, ny, nz, mx, my, mz)
    return turning_eta(fi, fj, mx, my, mz)
