"""Projected Gauss-Seidel: one contact after the other, each by its projections. Slow to the last digit, and seldom lost.

Source: Jean, The non-smooth contact dynamics method, CMAME 177, 1999.
"""

from math import sqrt

from mbsim.jit import helper, kernel
from mbsim.unilateral.natural_map import find_rates, load_bound, measure
from mbsim.unilateral.problem import GOOD, ITERATE, NOT_CONVERGED, SOLVED

RELAXED = 1.7  # times the scale of each row: over-relaxation, as of SOR. 149 problems of a heap take less than half the time
LOOKS = 20  # sweeps from one look at the residual to the next


@helper
def change_impulse(problem, k, value, share, p, w):
    """p[k] goes the share of its way to a value, and w with it."""
    change = share * (value - p[k])
    if change != 0.0:
        p[k] += change
        for j in range(w.shape[0]):
            w[j] += problem.D[k, j] * change  # a row, which lies in one piece: D is symmetric


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


@kernel(ITERATE)
def relax(problem, scratch, sweeps):
    """Sweep with over-relaxation from the start in `scratch.p` until the residual is GOOD, at most `sweeps` times.

    The best impulses met stay in `scratch.p`. Returns SOLVED where they are good, or NOT_CONVERGED.
    """
    p, w, best, relaxed = scratch.p, scratch.w, scratch.best, scratch.kept
    for k in range(p.shape[0]):
        relaxed[k] = RELAXED * scratch.scale[k]
    least, size, _ = measure(problem, scratch, p, w)
    for k in range(p.shape[0]):
        best[k] = p[k]
    done, known = 0, size
    while done < sweeps and not least <= GOOD * known:
        sweep(problem, relaxed, LOOKS, 1.0, p, w, scratch.along)
        residual, size, _ = measure(problem, scratch, p, w)
        done += LOOKS
        if residual < least:
            least, known = residual, size
            for k in range(p.shape[0]):
                best[k] = p[k]
        if not residual < 1e300:
            break
    for k in range(p.shape[0]):
        p[k] = best[k]
    scratch.residual[0], scratch.residual[1] = least, known
    return SOLVED if least <= GOOD * known else NOT_CONVERGED
