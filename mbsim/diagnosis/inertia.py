"""In which speeds a system has no inertia."""

import numpy as np

from mbsim.kernels.ranks import ROUND_OFF as OF_A_PIVOT
from mbsim.system.system import Floats

NONE = 10.0 * OF_A_PIVOT  # eigenvalue of M with diagonal 1, of which round-off leaves 1e-16 times the size
ROUND_OFF = 1e-13  # root of a diagonal entry over the largest: below it, of a point mass on an axis, is what rounding its place left
TAKES_PART = 0.05  # entry of a unit vector of the null space from which its speed is named


def massless(M: Floats) -> list[int]:
    """Indices of the speeds that span the null space of a mass matrix (n, n); none where it is not finite."""
    if not np.isfinite(M).all():
        return []
    scale = np.sqrt(np.abs(np.diag(M)))
    largest = scale.max(initial=0.0) or 1.0
    scale[scale <= ROUND_OFF * largest] = largest
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    parts = np.abs(vectors[:, values <= NONE]).max(axis=1, initial=0.0)
    return [int(k) for k in np.flatnonzero(parts > TAKES_PART)]
