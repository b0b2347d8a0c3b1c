"""Model -> System and a consistent start."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mbsim import registry
from mbsim.analysis.measures import Measures
from mbsim.analysis.redundancy import redundancy, said
from mbsim.analysis.start import Change, StartError, assemble_position, assemble_velocity, change, what_moved
from mbsim.assembled import Assembly, assemble_system
from mbsim.bodies import Bodies
from mbsim.drivers import driver_equation
from mbsim.elements.kinds import COORDINATE
from mbsim.joint_coordinates import JointCoordinates
from mbsim.model.coverage import expressions
from mbsim.model.errors import ModelError, Problem
from mbsim.model.load import load
from mbsim.model.notes import notes
from mbsim.model.report import LEFT_OUT
from mbsim.model.schema import Model
from mbsim.system.equations import DerivationError, UnusableError
from mbsim.system.system import DriverRecord, Floats, System
from mbsim.system.tables import TableError, complaint


def load_model(
    source: str | Path,
    parameters: Mapping[str, float | str] | None = None,
    simulation: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
) -> Model:
    """Read and check a model file; `parameters`, keys of `simulation` and blocks of `tables` given here replace the file's.

    Raises mbsim.ModelError with every problem of the file, OSError when it cannot be read.
    """
    return load(source, registry, parameters=parameters, simulation=simulation, tables=tables)


def assemble(model: Model) -> Assembly:
    """The system of a model and its start. Raises ModelError for equations of the wrong form and starts that cannot be assembled."""
    try:
        builder = _builder(model)
        system = builder.system()
        _check_complete(model, system)
    except (DerivationError, TableError) as error:
        raise ModelError([model.problem(error.path, str(error))]) from None
    except UnusableError as error:
        raise ModelError([_unusable(model, error)]) from None
    try:
        made: Assembly = builder.start(system, Assembly) if isinstance(builder, JointCoordinates) else builder.start(system)
    except StartError as error:
        reason = "; ".join(filter(None, [str(error), complaint(system)]))
        raise ModelError([model.problem(_place(model, error), reason)]) from error
    except np.linalg.LinAlgError as error:
        reason = f"the start cannot be assembled: the numbers of the model are too large or too far apart ({str(error).lower()})"
        raise ModelError([model.problem("", reason)]) from error
    made = replace(made, notes=(*made.notes, *notes(model)))
    made = replace(made, notes=(*made.notes, *said(system, redundancy(system, made.start, made.q))))
    if isinstance(made.correction, Change):
        given = model.initial.values if model.coordinates else None
        made = replace(made, notes=(*made.notes, *what_moved(system, made.correction, made.q, made.v, given)))
    return replace(made, measures=Measures(model, system)) if model.measures else made


def _builder(model: Model) -> "_Coordinates | Bodies | JointCoordinates":
    if model.coordinates:
        return _Coordinates(model)
    return JointCoordinates(model, Bodies(model)) if model.in_joint_coordinates else Bodies(model)


def _unusable(model: Model, error: UnusableError) -> Problem:
    """At the character of the expression in the file. One that was made of a driver's is found by what it was made of."""
    for path, expression in expressions(model):
        if expression is error.expression:
            return model.problem(path, error.message, error.offset)
    fitting = [path for path, expression in expressions(model) if f"({expression.text})" in error.expression.text]
    return model.problem(fitting[0] if fitting else "", str(error))


def _check_complete(model: Model, system: System) -> None:
    """All that the model declares is in the system. Raises ModelError where a builder has lost something."""
    rows = {label.partition("[")[0].partition(".")[0] for label in system.rows}
    drivers = {record.name.partition(".")[0] for record in system.drivers}
    forces = model.forces if model.coordinates else system.loads  # of the user's own coordinates: terms of h
    built: dict[str, tuple[Mapping[str, Any], Collection[str]]] = {
        "bodies": (model.bodies, system.bodies),
        "joints": ({**model.joints, **model.couplings}, {*(record.name for record in system.joints), *rows}),
        "drivers": (model.drivers, drivers),
        "forces": (model.forces, forces),
        "constraints": (model.constraints, rows),
    }
    lost: list[tuple[str, ...]] = [
        (section, name) for section, (declared, found) in built.items() for name in declared if name not in found
    ]
    if any(model.gravity) and system.arrays.gravity[: len(model.gravity)].tolist() != model.gravity:
        lost.append(("gravity",))
    if lost:
        raise ModelError([model.problem(path, LEFT_OUT) for path in lost])


def _place(model: Model, error: StartError) -> str:
    """The block of the file to point at: the constraint that is violated most."""
    if not error.residuals and model.energy is not None:
        return "energy.kinetic"
    name = error.residuals[0][0].partition("[")[0].partition(".")[0] if error.residuals else ""
    sections: dict[str, Mapping[str, Any]] = {
        "joints": {**model.joints, **model.couplings},
        "drivers": model.drivers,
        "constraints": model.constraints,
    }
    return next((f"{section}.{name}" for section, blocks in sections.items() if name in blocks), "")


class _Coordinates:
    """A model in the user's own coordinates."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def system(self) -> System:
        from mbsim.system.generalized import Equations, generalized_system

        model = self.model
        assert model.coordinates is not None and model.energy is not None
        forces: dict[str, Any] = dict(model.forces)
        constraints: dict[str, Any] = dict(model.constraints)
        drivers = {name: (str(d.coordinate), driver_equation(d)) for name, d in model.drivers.items()}
        holonomic = {name: equation for name, (coordinate, equation) in drivers.items() if not coordinate.startswith("der(")}
        nonholonomic = {name: equation for name, (_, equation) in drivers.items() if name not in holonomic}
        equations = Equations(
            coordinates=model.coordinates,
            kinetic=model.energy.kinetic,
            potential=model.energy.potential,
            dissipation=model.energy.dissipation,
            forces=[(name, f.coordinate, f.value) for name, f in forces.items()],
            holonomic=holonomic | {n: c.equation for n, c in constraints.items() if c.EQUATION == "holonomic"},
            nonholonomic=nonholonomic | {n: c.equation for n, c in constraints.items() if c.EQUATION == "nonholonomic"},
        )
        found = generalized_system(model.name, equations, model.parameters, model.tables)
        acting: dict[str, list[str]] = {}
        for name, coordinate, _ in equations.forces:
            acting.setdefault(f"der({coordinate})", []).append(name)
        records = [DriverRecord(name, found.rows.index(name), "1", "", COORDINATE) for name in drivers]
        return replace(found, drivers=records, acting=acting)

    def start(self, system: System) -> Assembly:
        model = self.model
        values, fix = model.initial.values, set(model.initial.fix)
        q = np.array([values.get(name, 0.0) for name in system.coordinates], float)
        v = np.array([values.get(name, 0.0) for name in system.speeds], float)
        fixed_q = np.array([name in fix for name in system.coordinates], bool)
        fixed_v = np.array([name in fix for name in system.speeds], bool)
        return _assembled(model, system, q, v, fixed_q, fixed_v)


def _assembled(model: Model, system: System, q: Floats, v: Floats, fixed_q: Any, fixed_v: Any) -> Assembly:
    start = model.simulation.start
    found_q = assemble_position(system, start, q, fixed_q) if system.n_holonomic else q
    found_v = assemble_velocity(system, start, found_q, v, fixed_v) if system.n_rows else v
    return Assembly(system, start, found_q, found_v, change(q, found_q, v, found_v), model.text, model.parameters, model.simulation)


__all__ = ["Assembly", "ModelError", "assemble", "assemble_system", "load_model"]
