"""Projected Gauss-Seidel: one contact after the other, each by its projections. Slow to the last digit, and seldom lost.

Source: Jean, The non-smooth contact dynamics method, CMAME 177, 1999.
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.unilateral.natural_map import find_rates, load_bound


@helper
def change_impulse(problem, k, value, share, p, w):
    """p[k] goes the share of its way to a value, and w with it."""
    change = share * (value - p[k])
    if change != 0.0:
        p[k] += change
        for j in range(w.shape[0]):
            w[j] += problem.D[j, k] * change


@helper
def sweep(problem, scale, sweeps, share, p, w, along):
    """Go through all contacts `sweeps` times, in place of p and w, with the share of each change."""
    find_rates(problem, p, w)
    for _ in range(sweeps):
        for i in range(problem.normal.shape[0]):
            first, last = problem.first[i], problem.first[i + 1]
            tangent = first + problem.normal[i]
            if tangent > first:
                change_impulse(problem, first, max(0.0, p[first] - scale[first] * w[first]), share, p, w)
            if tangent == last:
                continue
            s = load_bound(problem, i, p, along)
            if tangent > first:
                s += problem.friction[i] * p[first]
            if problem.sliding[i]:
                for k in range(tangent, last):
                    change_impulse(problem, k, -s * problem.direction[k], share, p, w)
                continue
            if tangent + 1 == last:
                y = p[tangent] - scale[tangent] * w[tangent]
                change_impulse(problem, tangent, min(s, max(-s, y)), share, p, w)
                continue
            length = 0.0
            for k in range(tangent, last):
                y = p[k] - scale[k] * w[k]
                length += y * y
            length = sqrt(length)
            shorter = s / length if length > s else 1.0
            # All rows from the same w: one after the other would leave the disk.
            y0 = shorter * (p[tangent] - scale[tangent] * w[tangent])
            y1 = shorter * (p[tangent + 1] - scale[tangent + 1] * w[tangent + 1])
            y2 = shorter * (p[last - 1] - scale[last - 1] * w[last - 1])
            change_impulse(problem, tangent, y0, share, p, w)
            change_impulse(problem, tangent + 1, y1, share, p, w)
            if tangent + 3 == last:
                change_impulse(problem, tangent + 2, y2, share, p, w)
