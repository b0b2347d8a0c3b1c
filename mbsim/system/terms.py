"""The terms of the equations of motion at a state: M, h, C, xi, eta, the residual, the rates and the energy, from compiled functions.

The symbols are those of `mbsim.system.system`.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsim.contracts import Arrays, SystemFunctions

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """Arrays and functions of a system, with the names of its coordinates, speeds and rows. SI units."""

    name: str
    functions: SystemFunctions
    arrays: Arrays
    coordinates: list[str]  # of q: the coordinates, then the states
    coordinate_units: list[str]
    speeds: list[str]
    speed_units: list[str]
    rows: list[str]
    n_holonomic: int
    skyline: NDArray[np.int64]  # (n_v,) first column of each row of M that can be other than zero
    states: list[str] = field(default_factory=list)  # the last n_x of `coordinates`
    columns: Any = None  # Terms -> list[Columns]: columns of the tangents that are found as one (`column_groups`); None: one by one
    failure: Any = None  # of a user's callables: a function that returns the exception they raised, or None

    @property
    def n_q(self) -> int:
        return len(self.coordinates)

    @property
    def n_x(self) -> int:
        """States of the user's, the last places of q."""
        return len(self.states)

    @property
    def n_c(self) -> int:
        """Coordinates of the mechanism, the first places of q."""
        return self.n_q - self.n_x

    @property
    def n_v(self) -> int:
        return len(self.speeds)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def in_joint_coordinates(self) -> bool:
        return self.arrays.tree.shape[0] > 0

    def terms(self, t: float, q: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats, Floats, Floats, Floats, float]:
        """M (n_v, n_v), h (n_v,), C (m, n_v), xi (m,), eta (m,) and the power of the non-conservative forces (W)."""
        q, v = self._check(q, v)
        n, m = self.n_v, self.n_rows
        M, h, C, xi, eta, power = np.zeros((n, n)), np.zeros(n), np.zeros((m, n)), np.zeros(m), np.zeros(m), np.zeros(1)
        self.functions.constraints(self.arrays, float(t), q, C, xi)
        self.functions.dynamics(self.arrays, float(t), q, v, M, h, eta, power)
        self._raise_failure()
        return M, h, C, xi, eta, float(power[0])

    def M(self, t: float, q: ArrayLike) -> Floats:
        """Mass matrix (n_v, n_v)."""
        return self.terms(t, q, np.zeros(self.n_v))[0]

    def h(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """Applied and gyroscopic forces (n_v,)."""
        return self.terms(t, q, v)[1]

    def C(self, t: float, q: ArrayLike) -> Floats:
        """Velocity constraint matrix (m, n_v), holonomic rows first."""
        return self.terms(t, q, np.zeros(self.n_v))[2]

    def xi(self, t: float, q: ArrayLike) -> Floats:
        """Rheonomic term (m,) of C v + xi = 0."""
        return self.terms(t, q, np.zeros(self.n_v))[3]

    def eta(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """Bias (m,) of C v_dot + eta = 0."""
        return self.terms(t, q, v)[4]

    def phi(self, t: float, q: ArrayLike) -> Floats:
        """Holonomic residual (n_holonomic,)."""
        out = np.zeros(self.n_holonomic)
        self.functions.residual(self.arrays, float(t), self._check(q)[0], out)
        self._raise_failure()
        return out

    def rates(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """q_dot (n_q,): N(q) v and the rates of the states."""
        q, v = self._check(q, v)
        out = np.zeros(self.n_q)
        self.functions.rates(self.arrays, float(t), q, v, out)
        return out

    def move(self, q: ArrayLike, d: ArrayLike) -> Floats:
        """q (+) d: the configuration displaced by d (n_v,); quaternions stay unit."""
        q, d = self._check(q, d)
        out = q.copy()
        self.functions.move(self.arrays, out, d)
        return out

    def energy(self, t: float, q: ArrayLike, v: ArrayLike) -> tuple[float, float, float]:
        """Kinetic and potential energy and the energy whose balance is kept (J): their sum, Jacobi's integral when T depends on t."""
        q, v = self._check(q, v)
        out = np.zeros(3)
        self.functions.energy(self.arrays, float(t), q, v, out)
        self._raise_failure()
        return float(out[0]), float(out[1]), float(out[2])

    def _raise_failure(self) -> None:
        """Raise what a user's callable raised meanwhile."""
        error = self.failure() if self.failure is not None else None
        if error is not None:
            raise error

    def _check(self, q: ArrayLike, v: ArrayLike = ()) -> tuple[Floats, Floats]:
        out = [np.ascontiguousarray(x, float) for x in (q, v)]
        for x, size, name in ((out[0], self.n_q, "q"), (out[1], self.n_v, "v")):
            if x.shape != (size,) and not (name == "v" and x.size == 0):
                raise ValueError(
                    f"{name} has shape {x.shape}, expected ({size},): {', '.join(self.coordinates if name == 'q' else self.speeds)}"
                )
        return out[0], out[1]
