"""What is simulated: arrays, compiled functions and the names of every coordinate, row, body and joint.

Glossary (docs/methods/ has the equations): q configuration (n_q), v velocity (n_v), N(q) with q_dot = N v, M mass matrix,
h applied and gyroscopic forces, phi holonomic residual (n_holonomic), C v + xi = 0 velocity constraints (holonomic rows first),
C v_dot + eta = 0 acceleration constraints, lam multipliers: M v_dot = h + C' lam. States x of the user's (n_x) with x_dot = g(t, q, v, x)
stand in q behind the coordinates.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsim.contracts import Arrays
from mbsim.elements.dispatch import load_apart
from mbsim.system.arrays import zeros
from mbsim.system.terms import Floats, Terms

if TYPE_CHECKING:
    from mbsim.model.expressions.expression import Expression
    from mbsim.model.expressions.tables import Table
    from mbsim.system.tangents import Tangents

__all__ = ["DriverRecord", "Floats", "JointRecord", "System", "empty_arrays", "require_system"]


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


class SlipSizes(NamedTuple):
    """Of frictions that reactions load, of those that there are while the rows of the system hold."""

    n_slipping: int = 0
    n_groups: int = 0
    n_components: int = 0
    known: bool = False  # whether there are any in some system of the model


NO_SLIPS = SlipSizes()


@dataclass(frozen=True, eq=False)
class System(Terms):
    """A constrained mechanical system in the notation above. SI units; `functions` follow the contracts of `mbsim.contracts`."""

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
    load_against: list[bool] = field(default_factory=list)  # whether its law is positive against the growth of its coordinate
    angles: dict[int, tuple[str, str]] = field(default_factory=dict)  # index of an angle known near the drawing only -> force, angle
    acting: dict[str, list[str]] = field(default_factory=dict)  # the user's coordinates: speed -> the forces in its equation
    applied: dict[str, "tuple[str, str | Expression]"] = field(default_factory=dict)  # the user's coordinates: force -> coordinate, law
    relative: Mapping[str, int] = field(default_factory=dict)  # rows of Arrays.relative by the names that laws call them
    parameter_names: list[str] = field(default_factory=list)  # of Arrays.parameters, where `applied` is not empty
    parameters_at: Any = None  # of laws that are Python functions: (t, q, v) -> Arrays.parameters at this state

    units: Any = None  # `mbsim.assembly.fmu_flow.Units`: functional mock-up units for model exchange, whose states are among those in q
    samples: Any = None  # `mbsim.system.samples.Samples`: what states that are held between samples become at these
    corners: Callable[[Any], Any] | None = None  # of this system: `mbsim.system.corners.Corners`; none of systems of Python callables
    n_events: int = 0  # of `functions.event`: the stop expression and the events of the run
    n_noted: int = 0  # of these those that act on nothing
    slips: SlipSizes = NO_SLIPS  # of dry friction that reactions load
    levers: Mapping[str, float] = field(default_factory=dict)  # of rows whose multiplier is bound by a force: the couple over it, m
    n_corners: int = 0  # of `functions.corners`: the numbers that are looked at in a march

    def __post_init__(self) -> None:
        load_apart(self.arrays)

    def tangents(self, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None, lam: ArrayLike | None = None) -> "Tangents":
        """The derivatives of the equations of motion (`mbsim.system.tangents`) at v_dot = a and multipliers lam, zero where not given.

        They are exact but for systems of Python callables. Raises ValueError for wrong sizes.
        """
        from mbsim.system.tangents import tangents

        return tangents(self, t, q, v, a, lam)


def empty_arrays(n_rows: int, parameters: Sequence[float] = ()) -> Arrays:
    """Arrays of a system without bodies."""
    return zeros()._replace(parameters=np.array(parameters, float), row_shares=np.ones(n_rows))


def require_system(given: object, function: str) -> None:
    """Raise TypeError where a public function that takes a System is given something else."""
    if not isinstance(given, System):
        raise TypeError(f"{function} takes the system of an assembled model, `mbsim.assemble(model).system` (got {type(given).__name__})")
