"""The consistent start of a system whose arrays change in place: the arithmetic of `mbsim.diagnosis.consistent` without its allocations.

Kernels are bound to their arrays once, and what two passes of the velocity have in common is factored once. The numbers are the same.
"""

import numpy as np
from numpy.typing import NDArray

from mbsim import jit
from mbsim.assembly.start import Given
from mbsim.diagnosis.blocks import is_large
from mbsim.diagnosis.consistent import ACCEPTED, CUTOFF, assemble_position, assemble_velocity
from mbsim.diagnosis.redundancy import RANK_TOLERANCE, column_scales, singular_values
from mbsim.system.system import Floats, System

FULL = 1e-4  # singular value of C with unit rows, of the largest, above which a start is far from every singular position


class FastStart:
    """Starts of one system, at one time."""

    def __init__(self, system: System, t: float) -> None:
        self._system, self._t = system, t
        n, m = system.n_v, system.n_rows
        self._q, self._v = np.zeros(system.n_q), np.zeros(n)
        self._M, self._h, self._C, self._xi, self._eta = np.zeros((n, n)), np.zeros(n), np.zeros((m, n)), np.zeros(m), np.zeros(m)
        self._phi = np.zeros(system.n_holonomic)
        functions, arrays = system.functions, system.arrays
        self._constraints = jit.bound(functions.constraints, arrays, t, self._q, self._C, self._xi)
        self._residual = jit.bound(functions.residual, arrays, t, self._q, self._phi)
        work = self._q, self._v, self._M, self._h, self._eta, np.zeros(1)
        self._dynamics = jit.bound(functions.dynamics, arrays, t, *work)
        self._weakest = 0.0  # singular value of L^-1 C' at the last start, of the largest
        self._plain = system.failure is None and not is_large(system)

    def __call__(self, given: Given) -> tuple[Floats, Floats]:
        """(q, v) on the constraints. Raises StartError, and what `given.check` raises."""
        system = self._system
        self._weakest = 0.0
        q = self._position(given) if system.n_holonomic else given.q
        given.check(q)
        speeds = given.speeds(q)
        return q, self._velocity(q, speeds, given.fixed_v) if system.n_rows else speeds

    def _position(self, given: Given) -> Floats:
        if not self._plain:
            return assemble_position(self._system, self._t, given.q, given.fixed_q)
        self._q[:] = given.q
        self._residual()
        if np.abs(self._phi).max() <= 1e-12:  # POSITION_TOLERANCE: the file draws it assembled
            return given.q
        free = ~given.fixed_q
        return assemble_position(self._system, self._t, given.q, given.fixed_q, lambda t, q, b: self._step(q, free, b))

    def _step(self, q: Floats, free: NDArray[np.bool_], b: Floats) -> Floats:
        """As `consistent._step`."""
        d = np.zeros(self._system.n_v)
        if free.any():
            L, Y = self._factors(q, free, len(b))
            d[free] = np.linalg.solve(L.T, np.linalg.lstsq(Y, b, rcond=CUTOFF)[0])
        return d

    def _factors(self, q: Floats, free: NDArray[np.bool_], rows: int) -> tuple[Floats, Floats]:
        self._q[:] = q
        self._constraints()
        self._dynamics()
        L = np.linalg.cholesky(self._M[np.ix_(free, free)])
        return np.asarray(L), np.asarray(np.linalg.solve(L, self._C[:rows][:, free].T).T)

    def _velocity(self, q: Floats, speeds: Floats, fixed: NDArray[np.bool_]) -> Floats:
        free = ~fixed
        if not self._plain or not free.any():
            return assemble_velocity(self._system, self._t, q, speeds, fixed)
        try:
            L, Y = self._factors(q, free, self._system.n_rows)
        except np.linalg.LinAlgError:  # which says what has no inertia
            return assemble_velocity(self._system, self._t, q, speeds, fixed)
        v = speeds
        for _ in range(2):  # the second pass removes the round-off of the first
            d = np.zeros(len(v))
            y, _, _, sizes = np.linalg.lstsq(Y, -(self._C @ v + self._xi), rcond=CUTOFF)
            d[free] = np.linalg.solve(L.T, y)
            v = v + d
        self._weakest = float(sizes[-1] / sizes[0]) if len(self._C) <= len(v) and len(sizes) == len(self._C) else 0.0
        residual = self._C @ v + self._xi
        if not np.abs(residual).max(initial=0.0) <= ACCEPTED * max(1.0, float(np.abs(v).max(initial=0.0))):
            return assemble_velocity(self._system, self._t, q, speeds, fixed)
        return v

    def is_regular(self, q: Floats) -> bool:
        """Whether all rows of C are independent at q, far from every singular position."""
        if not self._system.n_rows or self._weakest > FULL:
            return True
        if not self._plain:
            return False
        self._q[:] = q
        self._constraints()
        if len(self._C) > self._C.shape[1]:
            return False
        scaled = self._C * column_scales(self._system, self._C)
        values = singular_values(scaled, self._system.arrays.row_shares)
        return bool(values[-1] > max(FULL, RANK_TOLERANCE) * values[0])
