"""Efforts within bounds that keep speeds or accelerations from one side: a linear complementarity problem with bounds."""

import numpy as np

from mbsim.system.system import Floats

SWEEPS, CHANGES = 200, 200
ROUND_OFF = 1e-11  # of the largest number of its kind: within it a condition holds


def solve_bounded(D: Floats, b: Floats, low: Floats, high: Floats) -> Floats | None:
    """p (n,) with low <= p <= high, and w = D p + b (n,): zero where p is between its bounds, >= 0 at the lower, <= 0 at the upper one.

    D (n, n) is symmetric and positive semidefinite. The bounds that hold are guessed by Gauss-Seidel sweeps, then changed one by one, the
    first wrong one first (Murty's rule), until all conditions hold. None where that does not come to an end.
    """
    n = len(b)
    p = np.clip(np.zeros(n), low, high)
    diagonal = np.diag(D).copy()
    moves = diagonal > ROUND_OFF * max(diagonal.max(initial=0.0), 1e-300)
    for _ in range(SWEEPS if n > 1 else 1):
        before = p.copy()
        for i in np.flatnonzero(moves):
            p[i] = min(max(p[i] - (D[i] @ p + b[i]) / diagonal[i], low[i]), high[i])
        if np.abs(p - before).max(initial=0.0) <= 1e-14 * np.abs(p).max(initial=0.0):
            break
    lower, upper = p <= low, p >= high
    free = ~(lower | upper)
    size = max(np.abs(b).max(initial=0.0), 1e-300)
    for _ in range(CHANGES):
        p = np.where(upper, high, np.where(lower, low, 0.0))
        if free.any():
            rest = b[free] + D[np.ix_(free, ~free)] @ p[~free]
            p[free] = np.linalg.lstsq(D[np.ix_(free, free)], -rest, rcond=1e-12)[0]
        w = D @ p + b
        large = ROUND_OFF * max(np.abs(p[np.isfinite(p)]).max(initial=0.0), 1e-300)
        wrong = (free & ((p < low - large) | (p > high + large))) | (lower & (w < -ROUND_OFF * size)) | (upper & (w > ROUND_OFF * size))
        if not wrong.any():
            if np.abs(w[free]).max(initial=0.0) > 1e-8 * size:
                return None
            return np.clip(p, low, high)
        k = int(np.flatnonzero(wrong)[0])
        if free[k]:
            lower[k], upper[k] = p[k] < low[k], p[k] > high[k]
        else:
            lower[k] = upper[k] = False
        free[k] = not (lower[k] or upper[k])
    return None
