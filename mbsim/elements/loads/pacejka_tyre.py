"""A tyre by the magic formula: F = D sin(C atan(B x - E (B x - atan(B x)))) of each slip x, D = mu N, B C D = K, the slope at x = 0.

Bakker, Nyborg & Pacejka, Tyre modelling for use in vehicle dynamics studies, SAE 870421 (1987). mu and K / N change linearly with the load,
as p_D and p_K do in Pacejka, Tire and Vehicle Dynamics, 3rd ed. (2012), sec. 4.3.2. Combined slips: with k_x = K_x kappa / D_x and
k_y = K_y alpha / D_y, B x is |k| / C in both formulas, and the forces are the parts k_x / |k| and k_y / |k| of theirs. A slip alone has the
magic formula. The side force acts behind the contact by the trail t = t_0 cos(C atan(B x - E (B x - atan(B x)))), x = tan(alpha), which
gives the moment M = -t F_y about the normal (the same book, eqs. 4.E31, 4.E33 and 4.E37, without the residual torque).

Slips and normal force N: `mbsim.kernels.tyres`; in the plane, seen from above, F_y alone.
"""

from math import atan, cos, sin, sqrt, tan

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
NUMBERS = 35
SWITCHES = ("the surface", "the release of the surface")
NOMINAL, AHEAD, ASIDE, TRAIL = CURVES, CURVES + 1, CURVES + 7, CURVES + 13  # the nominal load, N; then the numbers of each curve:
SLOPE, PEAK, SHAPE, CURVATURE, SLOPE_CHANGE, PEAK_CHANGE = 0, 1, 2, 3, 4, 5  # K/N, mu, C, E at it, and changes with the load
LENGTH, FACTOR, TRAIL_SHAPE, TRAIL_CURVATURE = TRAIL, TRAIL + 1, TRAIL + 2, TRAIL + 3  # t_0 (m), B, C, E of the trail
SMALL = 1e-12  # of |k|: below it the formula is its slope


@helper
def curve(p, at, excess):
    """K / N and mu of a curve where the load is (1 + excess) times the nominal one."""
    return p[at + SLOPE] + p[at + SLOPE_CHANGE] * excess, p[at + PEAK] + p[at + PEAK_CHANGE] * excess


@helper
def share(k, size, shape, curvature):
    """F / D of the part k of combined slips of this size."""
    if not size > SMALL:
        return k
    b = size / shape
    return k / size * sin(shape * atan(b - curvature * (b - atan(b))))


@helper
def trail(p, alpha):
    """How far behind the contact the side force acts, m."""
    if p[LENGTH] == 0.0:
        return 0.0
    b = p[FACTOR] * tan(alpha)
    return p[LENGTH] * cos(p[TRAIL_SHAPE] * atan(b - p[TRAIL_CURVATURE] * (b - atan(b))))


@helper
def planar_force(arrays, i, j, law, p, h):
    alpha, px, py, yx, yy, aside = planar_slip(arrays.frames[i], p)
    _, alpha = lagged(arrays.laws, law, p, 0.0, alpha)
    slope, mu = curve(p, ASIDE, p[LOAD] / p[NOMINAL] - 1.0)
    if not mu > 0.0:
        return 0.0
    k = slope / mu * alpha
    force = mu * p[LOAD] * share(k, k if k > 0.0 else -k, p[ASIDE + SHAPE], p[ASIDE + CURVATURE])
    planar.push_pair(arrays.frames, h, i, j, force * yx, force * yy, px, py, -trail(p, alpha) * force)
    return force * aside - trail(p, alpha) * force * arrays.frames[i][7]


@helper
def spatial_force(arrays, i, j, law, p, h):
    fi, fj = arrays.frames[i], arrays.frames[j]
    xx, xy, xz, yx, yy, yz, nx, ny, nz, _, c, cx, cy, cz, px, py, pz, r = axes(fi, fj, p)
    along, aside, away, ahead = slip_speeds(fi, fj, xx, xy, xz, yx, yy, yz, nx, ny, nz, cx, cy, cz, px, py, pz)
    normal, elastic = normal_force(r, c, away, p)
    if not normal > 0.0:
        return -elastic * away  # the damper takes what the spring gives back
    kappa, alpha = slips(along, aside, ahead, p[LOW_SPEED])
    kappa, alpha = lagged(arrays.laws, law, p, kappa, alpha)
    excess = normal / p[NOMINAL] - 1.0
    slope_x, mu_x = curve(p, AHEAD, excess)
    slope_y, mu_y = curve(p, ASIDE, excess)
    k_x = slope_x / mu_x * kappa if mu_x > 0.0 else 0.0
    k_y = slope_y / mu_y * alpha if mu_y > 0.0 else 0.0
    squared = k_x * k_x + k_y * k_y
    size = sqrt(squared) if squared > SMALL * SMALL else 0.0
    ahead = mu_x * normal * share(k_x, size, p[AHEAD + SHAPE], p[AHEAD + CURVATURE])
    left = mu_y * normal * share(k_y, size, p[ASIDE + SHAPE], p[ASIDE + CURVATURE])
    moment = -trail(p, alpha) * left
    push(arrays, h, i, j, ahead, left, normal, moment, (xx, xy, xz), (yx, yy, yz), (nx, ny, nz), (px, py, pz))
    return (normal - elastic) * away + ahead * along + left * aside + moment * spin(fi, fj, nx, ny, nz)
