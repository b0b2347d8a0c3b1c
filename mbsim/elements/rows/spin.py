"""b_j . (omega_j - omega_i) = f(t): the multiplier is the torque about b. In the plane b has no meaning."""

from mbsim.elements.rows.angle import planar_eta, planar_row
from mbsim.jit import helper
from mbsim.kernels.spatial_rows import swept, to_body, to_global

__all__ = ["planar_eta", "planar_row"]
DIMENSIONS = (2, 3)
LEVEL = "velocity"


@helper
def spatial_row(fi, fj, g, J, r):
    x, y, z = to_global(fj, g[9], g[10], g[11])
    J[r, 3], J[r, 4], J[r, 5] = to_body(fi, -x, -y, -z)
    J[r, 9], J[r, 10], J[r, 11] = g[9], g[10], g[11]


@helper
def spatial_eta(fi, fj, g):
    x, y, z = swept(fj, g[9], g[10], g[11])
    ox, oy, oz = to_global(fi, fi[15], fi[16], fi[17])
    return -(x * ox + y * oy + z * oz)
