"""The rank of matrices whose rows and columns are of very different sizes, as those of mechanisms with stiff and with soft parts.

A thin strip is a million times stiffer in shear than in bending. Beside the largest entries its bending is less than round-off of these;
but rows and columns may be divided by their sizes, which does not change what is zero. Then bending is small by as much as it is soft. What
is left of a row in which everything cancels would become as large as the others. So entries count only where they are more than their own
round-off, which is found by computing them again, about states that are hardly others.
"""

from typing import NamedTuple

import numpy as np

from mbsim.kernels.ranks import ROUND_OFF
from mbsim.system.system import Floats

LOOKS, NEARBY = 3, 1e-13  # at states beside; how far they are, of the size of coordinates, rad, and of multipliers
SURE = 10.0  # times how far entries are off: more is not zero
TIMES = 8  # rows and columns are divided by the roots of their sizes


class Even(NamedTuple):
    """rows A columns = U sigma V', the singular values from the largest on; all from `rank` on are zero but for round-off."""

    rows: Floats  # (m,)
    columns: Floats  # (n,)
    U: Floats  # (m, m)
    sigma: Floats  # (min(m, n),)
    Vt: Floats  # (n, n)
    rank: int

    @classmethod
    def of(cls, A: Floats, scatter: Floats) -> "Even":
        """Of A (m, n), whose entries are off by `scatter` (m, n)."""
        known = np.where(np.abs(A) > SURE * scatter, A, 0.0)
        rows, columns = np.ones(len(A)), np.ones(A.shape[1])
        for _ in range(TIMES):
            left = np.abs(rows[:, None] * known * columns)
            largest, along = left.max(axis=1, initial=0.0), left.max(axis=0, initial=0.0)
            rows /= np.sqrt(np.where(largest > 0.0, largest, 1.0))
            columns /= np.sqrt(np.where(along > 0.0, along, 1.0))
        U, sigma, Vt = np.linalg.svd(rows[:, None] * known * columns)
        k, off = len(sigma), rows[:, None] * scatter * columns
        least = SURE * ((np.abs(U[:, :k]).T @ off) * np.abs(Vt[:k])).sum(axis=1) + max(A.shape) * ROUND_OFF
        sure = np.flatnonzero(sigma > least)
        return cls(rows, columns, U, sigma, Vt, int(sure[-1]) + 1 if len(sure) else 0)

    def null(self, most: int) -> Floats:
        """X (n, k), k <= most, with A X = 0."""
        return np.asarray(self.columns[:, None] * self.Vt[max(self.rank, len(self.Vt) - most) :].T)

    def solved(self, b: Floats) -> Floats:
        """The x with the least |A x - b| that is shortest, both measured in these rows and columns."""
        r = self.rank
        return np.asarray(self.columns * (self.Vt[:r].T @ ((self.U[:, :r].T @ (self.rows * b)) / self.sigma[:r])))
