"""What is simulated: arrays, compiled functions and the names of every coordinate, row, body and joint.

Glossary (docs/methods.md has the equations): q configuration (n_q), v velocity (n_v), N(q) with q_dot = N v, M mass matrix,
h applied and gyroscopic forces, phi holonomic residual (n_holonomic), C v + xi = 0 velocity constraints (holonomic rows first),
C v_dot + eta = 0 acceleration constraints, lam multipliers: M v_dot = h + C' lam. States x of the user's (n_x) with x_dot = g(t, q, v, x)
stand in q behind the coordinates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsim.jit import Arrays, SystemFunctions

if TYPE_CHECKING:
    from mbsim.model.tables import Table
    from mbsim.system.tangents import Tangents

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JointRecord:
    """Where a joint's reaction is found. Body index -1 is the ground."""

    name: str
    rows: slice  # of C
    first: int
    second: int
    first_point: Floats  # (3,) in axes of the first body, from its centre of mass
    second_point: Floats  # (3,) in axes of the second body
    second_axes: Floats  # (3, 3) columns: the joint's x, y, z axes in axes of the second body


@dataclass(frozen=True)
class DriverRecord:
    """A rheonomic row whose multiplier is the effort along the joint's coordinate."""

    name: str
    row: int
    unit: str  # of the effort: N or N m
    joint: str
    kind: int  # primitive


@dataclass(frozen=True, eq=False)
class System:
    """A constrained mechanical system in the notation above. SI units; `functions` follow the contracts of `mbsim.jit`."""

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
    rheonomic: bool = False  # some xi is not zero
    dimension: int | None = None
    bodies: list[str] = field(default_factory=list)
    joints: list[JointRecord] = field(default_factory=list)
    drivers: list[DriverRecord] = field(default_factory=list)
    has_energy: bool = True
    cuts: list[str] = field(default_factory=list)  # joint coordinates: the joints that close loops, cut and kept by rows
    observed: NDArray[np.int64] | None = None  # joint coordinates: where each joint's reaction is found (mbsim.system.observe)
    tables: "Mapping[str, Table]" = field(default_factory=dict)  # those that laws may call
    loads: list[str] = field(default_factory=list)  # the force that each row of Arrays.loads belongs to
    load_types: list[str] = field(default_factory=list)  # its YAML word
    angles: dict[int, tuple[str, str]] = field(default_factory=dict)  # index of an angle known near the drawing only -> force, angle
    acting: dict[str, list[str]] = field(default_factory=dict)  # the user's coordinates: speed -> the forces in its equation
    applied: dict[str, tuple[str, str]] = field(default_factory=dict)  # the user's coordinates: force -> coordinate, text of its law
    parameter_names: list[str] = field(default_factory=list)  # of Arrays.parameters, where `applied` is not empty
    states: list[str] = field(default_factory=list)  # the last n_x of `coordinates`
    parameters_at: Any = None  # of laws that are Python functions: (t, q, v) -> Arrays.parameters at this state
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

    def tangents(self, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None, lam: ArrayLike | None = None) -> "Tangents":
        """The derivatives of the equations of motion (`mbsim.system.tangents`) at v_dot = a and multipliers lam, zero where not given.

        They are exact but for systems of Python callables. Raises ValueError for wrong sizes.
        """
        from mbsim.system.tangents import tangents

        return tangents(self, t, q, v, a, lam)

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


def empty_arrays(n_rows: int, parameters: Sequence[float] = ()) -> Arrays:
    """Arrays of a system without bodies."""
    table = np.zeros((0, 5), np.int64)
    none = np.zeros((0, 1))
    return Arrays(
        np.array(parameters, float), np.zeros((0, 3)), none, np.zeros(3), none, table, none, table, none, none, table, np.ones(n_rows),
        *no_tree(), *no_relative(), tables=np.zeros((0, 6)),
    )  # fmt: skip


def no_tree() -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """`tree`, `tree_data`, `tree_work` and `wrenches` of a system that is not in joint coordinates."""
    return np.zeros((0, 10), np.int64), np.zeros((0, 37)), np.zeros((0, 136)), np.zeros(0)


def no_relative() -> tuple[NDArray[np.int64], Floats, Floats]:
    """The three arrays of relative coordinates of a system that has none."""
    return np.zeros((0, 5), np.int64), np.zeros((0, 24)), np.zeros((0, 17))
