"""How fast two bodies turn against each other along a direction E: E . (omega_j - omega_i), of rolling and drilling.

Layouts: `spatial_rows.py`. E is global; the multiplier is the couple on body j along E. Angular velocities that are constant in the axes of
their bodies are constant in space, so eta is E' . (omega_j - omega_i).
"""

from mbsim.jit import helper
from mbsim.kernels.spatial_rows import to_body, to_global


@helper
def turning_row(fi, fj, ex, ey, ez, J, r):
    """The body blocks of the row along E in J[r]."""
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, -ex, -ey, -ez)
    J[r, 9], J[r, 10], J[r, 11] = to_body(fj, ex, ey, ez)


@helper
def turning_eta(fi, fj, x, y, z):
    """eta of the row along E, whose rate is (x, y, z)."""
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    wx, wy, wz = to_global(fj, fj[15], fj[16], fj[17])
    return x * (wx - ox) + y * (wy - oy) + z * (wz - oz)
