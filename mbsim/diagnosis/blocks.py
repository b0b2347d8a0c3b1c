"""The start and the rank of large systems of bodies by block elimination, in time that grows with the number of joints, not its cube.

The same equations as the dense ones in `start.py` and `redundancy.py`. A dependent row is one that the others leave nothing of
(`mbsim.saddle.joints.independent`), where the dense ones look at singular values.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts, formulations, registry
from mbsim.system.system import Floats, System
from mbsim.system.work import work_arrays

DENSE_ROWS = 150  # constraint rows, or speeds where these are fewer, up to which a dense decomposition takes some 10 ms or less


def is_large(system: System) -> bool:
    """Whether the blocks serve better: only bodies have them. A few bodies with many contacts are not large."""
    return system.dimension is not None and not system.in_joint_coordinates and min(system.n_rows, system.n_v) > DENSE_ROWS


@cache
def _method() -> Any:
    return registry.module("methods", formulations.BLOCKS)


@cache
def _asked() -> Any:
    return registry.module("methods", "blocks.beginning")


class Blocks:
    """The constraints of a system of bodies, factored by blocks. Raises ValueError where the method `cfa` cannot plan it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._work = work_arrays(system, _method(), [0.0] * contracts.SETTINGS, {})
        z = np.zeros(system.n_v)
        if _method().start(system.functions, system.arrays, self._work, 0.0, z, z, z.copy()) != contracts.OK:
            raise ValueError(f"the mass matrix is singular at {system.speeds[self._work.status[contracts.STATUS_INDEX]]}")
        self._own = _method().WORKSPACE(self._work)
        self._roots = self._own.W
        self._free_roots = self._roots.copy()

    def hold(self, fixed: NDArray[np.bool_]) -> None:
        """Displacements (n_v,) that must stay: as if of bodies of infinite mass. A spatial body turns freely or not at all."""
        n_b = len(self.system.bodies)
        held = fixed.reshape(n_b, -1)
        self._roots[:] = self._free_roots
        self._roots[:n_b, :3][held[:, :3]] = 0.0
        if held.shape[1] == 6:
            self._roots[:n_b, 3:][held[:, 3:].any(axis=1)] = 0.0

    def displacement(self, t: float, q: Floats, b: Floats) -> Floats:
        """The smallest d (n_v,) in the M norm with C d = b on the first rows, as many as b has, but for the dependent ones of them."""
        d = np.zeros(self.system.n_v)
        _asked().displacement(self.system.functions, self.system.arrays, self._work, t, q, b, d)
        return d

    def velocity_residual(self, t: float, q: Floats, v: Floats) -> Floats:
        """C v + xi (m,)."""
        out = np.zeros(self.system.n_rows)
        _asked().velocity_residual(self.system.functions, self.system.arrays, self._work, t, q, v, out)
        return out

    def dependencies(self, t: float, q: Floats) -> list[Floats]:
        """The combinations x (m,) of rows with x C = 0, one for each row too many, in units of the rows' lengths."""
        self.displacement(t, q, np.zeros(self.system.n_rows))
        lengths = np.sqrt(self._own.lengths)
        found = []
        for row in np.flatnonzero(self._own.dropped):
            x = np.zeros(self.system.n_rows)
            x[row] = 1.0
            _asked().combination(self.system.functions, self.system.arrays, self._work, t, q, x)
            if lengths[row] > 0.0:  # else the row itself is zero
                x *= lengths
            found.append(x / np.abs(x).max())
        return found
