"""The rows of C made unit, with columns that compare, compiled: where ranks are looked at, state after state."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from mbsim import jit
from mbsim.contracts import ARRAYS, SYSTEM
from mbsim.jit import kernel, void
from mbsim.jit.signatures import Block, Matrix, Packed, Vector
from mbsim.kernels.linalg import divisor
from mbsim.system.system import Floats, System


class _Looked(NamedTuple):
    time: Vector  # (1,) s
    q: Vector  # (n_q,)
    C: Matrix  # (m, n) at (time, q)
    xi: Vector  # (m,)
    scales: Vector  # (n,) what columns are multiplied by
    unit: Matrix  # (m, n) C with its columns scaled and its rows made unit
    divisors: Vector  # (m,) what these rows were divided by


class Looked(Packed, _Looked):
    """The rows of C at a state."""


LOOKED = Looked.block = Block(Looked)


@kernel(void(SYSTEM, ARRAYS, LOOKED))
def look(system, arrays, f):
    """Evaluate C at (time, q) and make its rows unit; those that fade out are shorter, as `divisor` says."""
    C, unit = f.C, f.unit
    system.constraints(arrays, f.time[0], f.q, C, f.xi)
    for i in range(C.shape[0]):
        s = 0.0
        for j in range(C.shape[1]):
            u = C[i, j] * f.scales[j]
            unit[i, j] = u
            s += u * u
        d = divisor(sqrt(s), arrays.row_shares[i])
        f.divisors[i] = d
        for j in range(C.shape[1]):
            unit[i, j] /= d


class UnitRows:
    """The unit rows of C of one system at states that follow each other."""

    def __init__(self, system: System, scales: Floats | None = None) -> None:
        """`scales` (n_v,) multiply the columns, by 1 where they are not given."""
        m, n = system.n_rows, system.n_v
        self._of = Looked(
            np.zeros(1), np.zeros(system.n_q), np.zeros((m, n)), np.zeros(m), np.ones(n) if scales is None else scales.copy(),
            np.zeros((m, n)), np.ones(m),
        )  # fmt: skip
        self._look = jit.bound(look, system.functions, system.arrays, self._of)

    @property
    def C(self) -> Floats:
        """(m, n_v) as it was looked at last."""
        return self._of.C

    @property
    def unit(self) -> Floats:
        """The rows (m, n_v), likewise."""
        return self._of.unit

    @property
    def scales(self) -> Floats:
        """(n_v,) of the columns; they may be changed."""
        return self._of.scales

    def look(self, t: float, q: Floats) -> None:
        """Evaluate them at (t, q)."""
        self._of.time[0], self._of.q[:] = t, q
        self._look()
