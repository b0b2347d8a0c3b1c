"""A tyre whose forces are in proportion to its slips: F_x = k_x kappa, F_y = k_y alpha - k_c camber, together at most mu N.

The side force of the slip acts the trail t behind the contact: M = -t k_y alpha about the normal, less where the friction bounds the force.
Slips and normal force N: `mbsim.kernels.tyres`; in the plane, seen from above, F_y alone.
"""

from math import asin, sqrt

from mbsim.elements.loads._tyre import (  # noqa: F401  # the functions of the contract
    planar_energy,
    planar_switch,
    planar_switch_rate,
    push,
    spatial_energy,
    spatial_switch,
    spatial_switch_rate,
)
from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar
from mbsim.kernels.tyre_columns import CURVES, LOAD, LOW_SPEED
from mbsim.kernels.tyres import axes, lagged, normal_force, planar_slip, slip_speeds, slips, spin

DIMENSIONS = (2, 3)
NUMBERS = 23
SWITCHES = ("the surface", "the release of the surface")
# k_x (N), k_y (N/rad), k_c (N/rad), mu (0: no bound), the pneumatic trail (m)
ALONG, ASIDE, CAMBER, FRICTION, TRAIL = CURVES, CURVES + 1, CURVES + 2, CURVES + 3, CURVES + 4


@helper
def bounded(along, aside, most):
    """The share of both forces that friction transmits."""
    size = sqrt(along * along + aside * aside)
    return most / size if size > most else 1.0


@helper
def planar_force(arrays, i, j, law, p, h):
    alpha, px, py, yx, yy, aside = planar_slip(arrays.frames[i], p)
    _, alpha = lagged(arrays.laws, law, p, 0.0, alpha)
    force = p[ASIDE] * alpha
    if p[FRICTION] > 0.0:
        force *= bounded(0.0, force, p[FRICTION] * p[LOAD])
    planar.push_pair(arrays.frames, h, i, j, force * yx, force * yy, px, py, -p[TRAIL] * force)
    return force * aside - p[TRAIL] * force * arrays.frames[i][7]


@helper
def spatial_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    xx, xy, xz, yx, yy, yz, nx, ny, nz, s, c, cx, cy, cz, px, py, pz, r = axes(fi, fj, p)
    along, aside, away, ahead = slip_speeds(fi, fj, xx, xy, xz, yx, yy, yz, nx, ny, nz, cx, cy, cz, px, py, pz)
    normal, elastic = normal_force(r, c, away, p)
    if not normal > 0.0:
        return -elastic * away  # the damper takes what the spring gives back
    kappa, alpha = slips(along, aside, ahead, p[LOW_SPEED])
    kappa, alpha = lagged(arrays.laws, law, p, kappa, alpha)
    ahead, left = p[ALONG] * kappa, p[ASIDE] * alpha - p[CAMBER] * asin(s)
    moment = -p[TRAIL] * p[ASIDE] * alpha
    if p[FRICTION] > 0.0:
        share = bounded(ahead, left, p[FRICTION] * normal)
        ahead, left, moment = share * ahead, share * left, share * moment
    push(arrays, h, i, j, ahead, left, normal, moment, (xx, xy, xz), (yx, yy, yz), (nx, ny, nz), (px, py, pz))
    return (normal - elastic) * away + ahead * along + left * aside + moment * spin(fi, fj, nx, ny, nz)
