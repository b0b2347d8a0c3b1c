"""A system with its constraints at one state as dense factors: accelerations, multipliers, and the response to impulses, K^-1 W.

    M a = h + C' lam,   C a = -eta,        M v = W p + C' lam,   C v = 0

With M = L L' and B = L^-1 C' the motion is what B leaves free: I - Q Q' of an orthonormal basis Q of B. Rows of C may depend on each other;
their multipliers are then the shortest ones for rows of unit size in the metric of M^-1.
"""

import numpy as np
from scipy.linalg import lapack

from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.system import Floats


class SingularMass(Exception):
    """M is not positive definite."""


class Constrained:
    """M (n, n) and C (m, n), factored. Raises SingularMass."""

    def __init__(self, M: Floats, C: Floats) -> None:
        self._L, fault = lapack.dpotrf(M, lower=1)
        if fault:
            raise SingularMass
        self._m = len(C)
        if not self._m:
            return
        B = self._left(C.T)
        sizes = np.sqrt(np.einsum("ij,ij->j", B, B))
        self._sizes = np.where(sizes > 0.0, sizes, 1.0)
        factors, order, tau, _, _ = lapack.dgeqp3(B / self._sizes)
        pivots = np.abs(np.diagonal(factors))
        self._rank = rank = int((pivots > RANK_TOLERANCE * pivots[0]).sum()) if pivots.size and pivots[0] > 0.0 else 0
        self._order = order - 1
        self._R = np.triu(factors[:rank])  # (rank, m)
        self._Q = lapack.dorgqr(np.ascontiguousarray(factors[:, :rank]), tau[:rank])[0] if rank else np.zeros((len(M), 0))
        self._short = np.linalg.qr(self._R.T) if rank < self._m else None

    def free(self, h: Floats, eta: Floats) -> tuple[Floats, Floats]:
        """Accelerations a (n,) and multipliers lam (m,)."""
        y = self._left(h)
        if not self._m:
            return self._back(y), np.zeros(0)
        wanted = lapack.dtrtrs(self._R[:, : self._rank], -(eta / self._sizes)[self._order[: self._rank]], trans=1)[0]
        along = self._Q.T @ y
        return self._back(y + self._Q @ (wanted - along)), self._multipliers(wanted - along)

    def responses(self, W: Floats) -> tuple[Floats, Floats, Floats]:
        """To unit impulses along the columns of W (n, k): D = W' K^-1 W (k, k), K^-1 W (n, k), and the multipliers (m, k)."""
        Y = self._left(W)
        lam = np.zeros((0, W.shape[1]))
        if self._m:
            along = self._Q.T @ Y
            Y, lam = Y - self._Q @ along, self._multipliers(-along)
        return Y.T @ Y, self._back(Y), lam

    def shortest(self, residual: Floats) -> Floats:
        """The smallest d (n,) in the metric of M with C d = residual (m,), on rows that do not depend on others."""
        if not self._m or not self._rank:
            return np.zeros(len(self._L))
        wanted = lapack.dtrtrs(self._R[:, : self._rank], (residual / self._sizes)[self._order[: self._rank]], trans=1)[0]
        return self._back(self._Q @ wanted)

    def _left(self, X: Floats) -> Floats:
        """L^-1 X."""
        found: Floats = lapack.dtrtrs(self._L, X, lower=1)[0]
        return found.reshape(X.shape)

    def _back(self, Y: Floats) -> Floats:
        """L'^-1 Y."""
        found: Floats = lapack.dtrtrs(self._L, Y, lower=1, trans=1)[0]
        return found.reshape(Y.shape)

    def _multipliers(self, change: Floats) -> Floats:
        """lam with B lam = Q change."""
        found = np.zeros((self._m, *change.shape[1:]))
        if self._rank:
            if self._short is None:
                inner = lapack.dtrtrs(self._R, change)[0].reshape(change.shape)
            else:
                Q, R = self._short
                inner = Q @ lapack.dtrtrs(R, change, trans=1)[0].reshape(change.shape)
            found[self._order] = inner
        return (found.T / self._sizes).T
