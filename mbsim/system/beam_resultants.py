"""What an element of a beam carries at the last evaluation, in compiled code: of events that watch it (`mbsim.system.event`)."""

from typing import NamedTuple

from mbsim.elements.loads._beam import (
    CABLE_2,
    CABLE_3,
    DAMPING_2,
    DAMPING_3,
    REST_2,
    REST_3,
    damped,
    planar_screw,
    resultant,
    spatial_screw,
    twist_between,
)
from mbsim.elements.loads.beam import pulled, rate_of
from mbsim.jit import helper
from mbsim.kernels import planar_rows as planar


class Resultant(NamedTuple):
    """Which force (N) or moment (N m) of which element `planar_resultant` or `spatial_resultant` finds."""

    load: int  # row of Arrays.loads
    component: int  # of the element's screw: in the plane along x, along y, about z; in space along and then about x, y, z


@helper
def planar_resultant(arrays, load, component):
    """It of a beam in the plane, the share of damping with it, of the poses and speeds that the last evaluation has left."""
    p = arrays.load_data[load]
    fi, fj = arrays.frames[arrays.loads[load, 1]], arrays.frames[arrays.loads[load, 2]]
    d, x, y, g, slope = planar_screw(fi, fj)
    elastic, viscous = resultant(p, 0, 3, component, d, REST_2), 0.0
    if p[DAMPING_2] > 0.0:
        half = 0.5 * d[2]
        bx, by = planar.velocity_at(fj, fi[0], fi[1])
        bx, by, w = bx - fi[5], by - fi[6], fj[7] - fi[7]
        vx, vy = fi[2] * bx + fi[3] * by, fi[2] * by - fi[3] * bx
        gain_x, gain_y = half * x - g * y + slope * x + 0.5 * y, g * x + half * y + slope * y - 0.5 * x
        rate = (g * vx + half * vy + gain_x * w, g * vy - half * vx + gain_y * w, w)
        viscous = p[DAMPING_2] * damped(p, 3, component, rate)
    if component == 0 and p[CABLE_2] > 0.0:
        return max(elastic, 0.0) + pulled(elastic, viscous, p[CABLE_2])
    return elastic + viscous


@helper
def spatial_resultant(arrays, load, component):
    """The same of a beam in space."""
    p = arrays.load_data[load]
    fi, fj = arrays.frames[arrays.loads[load, 1]], arrays.frames[arrays.loads[load, 2]]
    d, s = spatial_screw(fi, fj)
    elastic, viscous = resultant(p, 0, 6, component, d, REST_3), 0.0
    if p[DAMPING_3] > 0.0:
        viscous = p[DAMPING_3] * damped(p, 6, component, rate_of(d, s, twist_between(fi, fj)))
    if component == 0 and p[CABLE_3] > 0.0:
        return max(elastic, 0.0) + pulled(elastic, viscous, p[CABLE_3])
    return elastic + viscous
