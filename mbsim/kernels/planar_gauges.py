"""Gauges of planar bodies: a scalar between two bodies, its rate, its second rate at constant velocities, and its gradient.

Rows of `Arrays.gauge_data` are laid out as in `planar_rows.py`; `out` is a row of `Arrays.gauge_values`.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.kernels.planar_rows import plane_eta, plane_phi, plane_row, turned
from mbsim.kernels.primitives import ABOUT, ALONG, LENGTH


@helper
def measure(kind, fi, fj, g, values, k):
    """values[k] = [value, rate, second rate, value, effort, gradient (6)] of the gauge `kind` between the frames fi and fj."""
    out = values[k]
    if kind == LENGTH:
        ax, ay = turned(fi, g[0], g[1])
        bx, by = turned(fj, g[2], g[3])
        wi, wj = fi[7], fj[7]
        dx, dy = fj[0] + bx - fi[0] - ax, fj[1] + by - fi[1] - ay
        ux, uy = fj[5] - wj * by - fi[5] + wi * ay, fj[6] + wj * bx - fi[6] - wi * ax
        length = sqrt(dx * dx + dy * dy)
        nx, ny = (dx / length, dy / length) if length > 0.0 else (0.0, 0.0)
        rate = nx * ux + ny * uy
        out[0], out[1] = length, rate
        out[2] = nx * (wi * wi * ax - wj * wj * bx) + ny * (wi * wi * ay - wj * wj * by)
        if length > 0.0:
            out[2] += (ux * ux + uy * uy - rate * rate) / length
        out[5], out[6], out[7], out[8], out[9], out[10] = -nx, -ny, ay * nx - ax * ny, nx, ny, bx * ny - by * nx
    elif kind == ALONG:
        plane_row(fi, fj, g, values[:, 5:], k)
        out[0], out[2] = plane_phi(fi, fj, g), plane_eta(fi, fj, g)
        out[1] = out[5] * fi[5] + out[6] * fi[6] + out[7] * fi[7] + out[8] * fj[5] + out[9] * fj[6] + out[10] * fj[7]
    elif kind == ABOUT:
        out[0], out[1], out[2] = fj[4] - fi[4] - g[6], fj[7] - fi[7], 0.0
        out[7], out[10] = -1.0, 1.0
    out[3], out[4] = out[0], 0.0
