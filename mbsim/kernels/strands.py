"""The straight part of a cable between two circles, one of which may be a point: where it touches them, and how it turns.

Seen against the axis of the first circle, which the cable leaves, w leads from its centre to that of the second, which the cable goes on
to. A cable that runs counter-clockwise about a centre has it to its left. With u along the cable, n to its left and ell the length between
the points where it touches, w = ell u - m n for m = R_first - R_second, radii below zero of what the cable runs about clockwise. So
ell^2 = |w|^2 - m^2, d(ell + m angle of u) = u . dw, ell d(angle of u) = n . dw.
"""

from math import atan2, pi, sqrt

from mbsim.jit import helper

KNOWN = 0.75 * pi  # how far the direction of a cable may turn from the drawing where it has to be known: no step leaps over the rest


@helper
def unknown(x):
    """NaN in place of x, with a derivative: what no finite number may stand for."""
    return x / 0.0 - x / 0.0


@helper
def tangent(x, y, m):
    """ell, u: NaN where there is no such line, as one circle is within the other."""
    squared = x * x + y * y
    left = squared - m * m
    ell = sqrt(left) if left > 0.0 else unknown(left)
    return ell, (ell * x - m * y) / squared, (ell * y + m * x) / squared


@helper
def turned_by(ux, uy, ax, ay):
    """The angle from the direction a to u, -pi .. pi."""
    return atan2(ax * uy - ay * ux, ax * ux + ay * uy)


@helper
def within(angle, strict):
    """An angle that is known within half a turn of the drawing; NaN beyond where a number says that it has to be."""
    if strict > 0.0 and (angle > KNOWN or angle < -KNOWN):
        return unknown(angle)
    return angle
