"""The names, dimensions and units of everything that a run records, and the labels of one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

TIME_DIMENSION = "time"
EVENT_DIMENSION = "event"  # of the table of events (mbsim.results.event_table), whose names begin with it


class Series(NamedTuple):
    """One recorded variable. Units in UDUNITS spelling; "1" also stands for a variable whose labels differ in their units."""

    dimensions: tuple[str, ...]
    units: str
    long_name: str
    shape: str = ""  # of a matrix or vector of the constraint force equations: `(6 n, N)`


SERIES = {
    # "s", not "seconds": the longer spelling makes xarray turn the times into timedeltas of whole nanoseconds.
    "time": Series(("time",), "s", "time"),
    "q": Series(("time", "coordinate"), "1", "generalized coordinates"),
    "v": Series(("time", "speed"), "1", "generalized speeds"),
    "acceleration": Series(("time", "speed"), "1", "time derivatives of the generalized speeds"),
    "states": Series(("time", "state"), "1", "states of the user's and of forces"),
    "multiplier": Series(("time", "constraint"), "1", "Lagrange multipliers of the constraints"),
    "body_position": Series(("time", "body", "xyz"), "m", "position of the centre of mass, global frame"),
    "body_orientation": Series(("time", "body", "quaternion"), "1", "unit quaternion from body to global axes"),
    "body_velocity": Series(("time", "body", "xyz"), "m s-1", "velocity of the centre of mass, global frame"),
    "body_angular_velocity": Series(("time", "body", "xyz"), "rad s-1", "angular velocity, global frame"),
    "joint_force": Series(("time", "joint", "xyz"), "N", "force on the joint's second body, global frame"),
    "joint_torque": Series(("time", "joint", "xyz"), "N m", "torque on the joint's second body at its joint point, global frame"),
    "joint_force_local": Series(("time", "joint", "xyz"), "N", "force on the joint's second body, axes of the joint"),
    "joint_torque_local": Series(("time", "joint", "xyz"), "N m", "torque on the joint's second body, axes of the joint"),
    "driver_effort": Series(("time", "driver"), "1", "force or torque that the driver exerts"),
    "force_effort": Series(("time", "force_element"), "1", "force or torque of the force element"),
    "force_power": Series(("time", "force_element"), "W", "power of the force element on what it acts on"),
    "force_loss": Series(("time", "force_element"), "W", "power that the force element takes out and does not store"),
    "force_length": Series(("time", "force_with_length"), "1", "length of the force element, or the coordinate along which it acts"),
    "force_rate": Series(("time", "force_with_length"), "1", "rate of that length or coordinate"),
    "force_vector": Series(("time", "force_on_body", "xyz"), "N", "force on the body that is acted on, global frame"),
    "force_torque": Series(
        ("time", "force_with_torque", "xyz"), "N m", "torque of the force element at its point of that body, global frame"
    ),
    "beam_force": Series(("time", "beam_element", "xyz"), "N", "normal force and shear forces of the element of a beam, its axes"),
    "beam_moment": Series(("time", "beam_element", "xyz"), "N m", "torque and bending moments of the element, its axes"),
    "beam_strain": Series(("time", "beam_element", "xyz"), "1", "elongation and shear strains of the element"),
    "beam_curvature": Series(("time", "beam_element", "xyz"), "rad m-1", "twist and curvatures of the element, less those that are drawn"),
    "beam_energy": Series(("time", "beam_element"), "J", "elastic energy of the element"),
    "interface_force": Series(("time", "interface", "xyz"), "N", "force on the interface of an elastic part, axes of the part"),
    "interface_torque": Series(("time", "interface", "xyz"), "N m", "torque on the interface about its origin, axes of the part"),
    "elastic_stress": Series(("time", "stress_point", "stress"), "Pa", "stresses of an elastic part, axes of the part"),
    "elastic_mises": Series(("time", "stress_point"), "Pa", "equivalent stress of von Mises"),
    "controller_target": Series(("time", "controller"), "1", "target of the controller's coordinate, or of its rate"),
    "controller_error": Series(("time", "controller"), "1", "target less the controller's coordinate, or its rate"),
    "controller_saturation": Series(("time", "controller"), "1", "1 where the upper limit of the effort holds, -1 at the lower, else 0"),
    "energy_kinetic": Series(("time",), "J", "kinetic energy"),
    "energy_potential": Series(("time",), "J", "potential energy"),
    "energy_work": Series(("time",), "J", "work of the non-conservative and driving forces since the start"),
    "energy_balance": Series(("time",), "J", "kinetic + potential energy - work, less its value at the start"),
    "error_estimate": Series(("time",), "1", "estimated error of the positions, m or rad; of runs with a fixed step"),
    "residual_position": Series(("time",), "1", "largest absolute residual of the position constraints phi"),
    "residual_velocity": Series(("time",), "1", "largest absolute residual of the velocity constraints C v + xi"),
    "residual_acceleration": Series(("time",), "1", "largest absolute residual of the acceleration constraints C v_dot + eta"),
    "joint_reaction_unique": Series(("joint",), "1", "whether the reaction of the joint is determined uniquely"),
    "multiplier_unique": Series(("constraint",), "1", "whether the multiplier of the constraint is determined uniquely"),
}
# The constraint force equations (mbsim.observe.constraint_forces), which a run records on request, for n bodies and N speeds. Rows and
# columns of a square matrix have dimensions of different names, as xarray wants it.
EQUATION_PREFIX = "equations_"  # before the name that the paper has
_WRENCH, _FREE, _BLOCKED, _ACROSS = "equation_wrench", "equation_free", "equation_blocked", "_column"
EQUATIONS = {
    EQUATION_PREFIX + name: Series((TIME_DIMENSION, *dimensions), "1", long_name, shape)
    for name, dimensions, shape, long_name in (
        ("P", (_WRENCH, _WRENCH + _ACROSS), "(6 n, 6 n)", "unit blocks, and minus the transformation of a force to the inner body"),
        ("H", (_WRENCH, _FREE), "(6 n, N)", "free directions of the joints, dual to S"),
        ("S", (_WRENCH, _FREE), "(6 n, N)", "motions of the joints for a unit of each speed"),
        ("W", (_WRENCH, _BLOCKED), "(6 n, 6 n - N)", "blocked directions of the joints"),
        ("I", (_WRENCH, _WRENCH + _ACROSS), "(6 n, 6 n)", "inertia of the bodies about their joints, kg m2, kg m and kg"),
        ("A", (_BLOCKED, _BLOCKED + _ACROSS), "(6 n - N, 6 n - N)", "W' P' I^-1 P W"),
        ("B", (_BLOCKED, _FREE), "(6 n - N, N)", "W' P' I^-1 P H"),
        ("C", (_FREE, _FREE + _ACROSS), "(N, N)", "H' P' I^-1 P H"),
        ("F_T", (_FREE,), "(N,)", "equivalent control forces: applied joint forces less the bias"),
        ("F_S", (_BLOCKED,), "(6 n - N,)", "constraint forces of the equivalent forces"),
        ("Q_dot", (_FREE,), "(N,)", "accelerations of the joint coordinates"),
        ("V_dot", (_WRENCH,), "(6 n,)", "the part of the bodies' accelerations that Q_dot causes, at the joints' points"),
        ("bias", (_WRENCH,), "(6 n,)", "forces through the joints at Q_dot = 0"),
    )
}
# The dimensions along which a variable's units change from label to label, and the text dataset that holds those units.
LABEL_UNITS = {
    "q": "coordinate_units",
    "states": "state_units",
    "v": "speed_units",
    "acceleration": "acceleration_units",
    "driver_effort": "driver_units",
    "force_effort": "force_effort_units",
    "force_length": "force_length_units",
    "force_rate": "force_rate_units",
    "controller_target": "controller_units",
    "controller_error": "controller_units",
    EQUATION_PREFIX + "F_T": "equation_free_units",
    EQUATION_PREFIX + "Q_dot": "equation_acceleration_units",
    EQUATION_PREFIX + "F_S": "equation_blocked_units",
    EQUATION_PREFIX + "V_dot": "equation_wrench_acceleration_units",
    EQUATION_PREFIX + "bias": "equation_wrench_units",
}
JSON_ATTRIBUTES = ("choices", "counts", "options", "versions")  # dictionaries; HDF5 attributes hold none
# Attributes that may exceed what HDF5 allows one; read back as attributes.
JSON_DATASETS = ("events", "rank_changes", "notes", "warnings", "certificates", "singular_positions")
MEASURES_ATTRIBUTE = "measures"  # of the file: the names of the user's own datasets, in their order
FIXED_LABELS = {"xyz": ["x", "y", "z"], "quaternion": ["w", "x", "y", "z"], "stress": ["xx", "yy", "zz", "xy", "yz", "zx"]}
# Variables in which a bare label is searched, in this order.
LABELLED = {
    "coordinate": "q",
    "speed": "v",
    "state": "states",
    "driver": "driver_effort",
    "force_element": "force_effort",
    "beam_element": "beam_moment",
    "interface": "interface_force",
    "stress_point": "elastic_mises",
    "constraint": "multiplier",
    "joint": "joint_force",
    "body": "body_position",
}


@dataclass(frozen=True)
class ForceLabels:
    """The force elements of a run: all; those with a length or along a coordinate; those on bodies; those with a torque of their own.

    Units in UDUNITS spelling.
    """

    names: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)  # of their effort
    along: list[str] = field(default_factory=list)
    length_units: list[str] = field(default_factory=list)
    rate_units: list[str] = field(default_factory=list)
    on_bodies: list[str] = field(default_factory=list)
    with_torque: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ControllerLabels:
    """The controllers of a run, which are among its forces, and the units of their targets in UDUNITS spelling."""

    names: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class EquationLabels:
    """The rows and columns of the constraint force equations, where they are recorded. Units in UDUNITS spelling."""

    wrenches: list[str] = field(default_factory=list)  # six of each body
    wrench_units: list[str] = field(default_factory=list)
    wrench_acceleration_units: list[str] = field(default_factory=list)
    free: list[str] = field(default_factory=list)  # speeds in the order of the equations
    free_units: list[str] = field(default_factory=list)  # of efforts
    acceleration_units: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    blocked_units: list[str] = field(default_factory=list)  # "1" where a direction is both a moment and a force


@dataclass(frozen=True)
class Layout:
    """The labels of a run and the units that go with them, in UDUNITS spelling ("1" if the model does not give them).

    An empty list means that the model has none: its variables are then absent from the result. `driver_units` are those of
    the effort: N or N m.
    """

    title: str
    coordinates: list[str]
    coordinate_units: list[str]
    speeds: list[str]
    speed_units: list[str]
    constraints: list[str]
    bodies: list[str]
    joints: list[str]
    drivers: list[str]
    driver_units: list[str]
    states: list[str] = field(default_factory=list)
    state_units: list[str] = field(default_factory=list)
    measures: Mapping[str, Series] = field(default_factory=dict)  # the user's own, by name, over time; long_name is the expression
    forces: ForceLabels = field(default_factory=ForceLabels)
    controllers: ControllerLabels = field(default_factory=ControllerLabels)
    equations: EquationLabels = field(default_factory=EquationLabels)
    beam_elements: list[str] = field(default_factory=list)
    interfaces: list[str] = field(default_factory=list)
    stress_points: list[str] = field(default_factory=list)

    def series(self) -> dict[str, Series]:
        """Every variable that the run may have."""
        return {**SERIES, **EQUATIONS, **self.measures}

    def labels(self) -> dict[str, list[str]]:
        """The labels of every dimension that the result has, except time."""
        found = {
            "coordinate": list(self.coordinates),
            "state": list(self.states),
            "speed": list(self.speeds),
            "constraint": list(self.constraints),
            "body": list(self.bodies),
            "joint": list(self.joints),
            "driver": list(self.drivers),
            "force_element": list(self.forces.names),
            "force_with_length": list(self.forces.along),
            "force_on_body": list(self.forces.on_bodies),
            "force_with_torque": list(self.forces.with_torque),
            "controller": list(self.controllers.names),
            "beam_element": list(self.beam_elements),
            "interface": list(self.interfaces),
            "stress_point": list(self.stress_points),
            "stress": FIXED_LABELS["stress"] if self.stress_points else [],
            _WRENCH: list(self.equations.wrenches),
            _WRENCH + _ACROSS: list(self.equations.wrenches),
            _FREE: list(self.equations.free),
            _FREE + _ACROSS: list(self.equations.free),
            _BLOCKED: list(self.equations.blocked),
            _BLOCKED + _ACROSS: list(self.equations.blocked),
            "xyz": FIXED_LABELS["xyz"] if self.bodies or self.joints else [],
            "quaternion": FIXED_LABELS["quaternion"] if self.bodies else [],
        }
        return {dimension: names for dimension, names in found.items() if names}

    def label_units(self) -> dict[str, tuple[str, list[str]]]:
        """Text dataset -> (dimension, units of its labels)."""
        accelerations = {units: per_second(units) for units in set(self.speed_units)}
        found = {
            "coordinate_units": ("coordinate", list(self.coordinate_units)),
            "state_units": ("state", list(self.state_units)),
            "speed_units": ("speed", list(self.speed_units)),
            "acceleration_units": ("speed", [accelerations[units] for units in self.speed_units]),
            "driver_units": ("driver", list(self.driver_units)),
            "force_effort_units": ("force_element", list(self.forces.units)),
            "force_length_units": ("force_with_length", list(self.forces.length_units)),
            "force_rate_units": ("force_with_length", list(self.forces.rate_units)),
            "controller_units": ("controller", list(self.controllers.units)),
            "equation_wrench_units": (_WRENCH, list(self.equations.wrench_units)),
            "equation_wrench_acceleration_units": (_WRENCH, list(self.equations.wrench_acceleration_units)),
            "equation_free_units": (_FREE, list(self.equations.free_units)),
            "equation_acceleration_units": (_FREE, list(self.equations.acceleration_units)),
            "equation_blocked_units": (_BLOCKED, list(self.equations.blocked_units)),
        }
        return {name: entry for name, entry in found.items() if entry[1]}


def measure(units: str, expression: str) -> Series:
    """A measure of the user's."""
    return Series((TIME_DIMENSION,), units, expression)


def per_second(units: str) -> str:
    """The units of a time derivative: `m s-1` -> `m s-2`, `rad` -> `rad s-1`."""
    return f"{units.removesuffix('s-1')}s-2" if units.endswith("s-1") else f"{units} s-1" if units != "1" else "s-1"
