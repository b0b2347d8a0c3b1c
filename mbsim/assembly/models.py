"""Model file -> Model -> System and a consistent start."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mbsim import registry
from mbsim.assembly.assembled import Assembly, Change
from mbsim.assembly.beside import beside
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.events import planned
from mbsim.assembly.flowing import with_unit_events, with_units
from mbsim.assembly.held_speeds import hold_speeds, joint_speeds, rows_of
from mbsim.assembly.moved import find_moved
from mbsim.assembly.phases import begin, coming
from mbsim.assembly.point_masses import point_masses, refuse_turned, with_point_masses
from mbsim.assembly.samples import samples
from mbsim.assembly.start import start, what_moved
from mbsim.assembly.switching import corners_of
from mbsim.assembly.unilateral import placed, with_unilaterals
from mbsim.diagnosis.consistent import StartError, assemble_velocity
from mbsim.diagnosis.redundancy import open_friction, redundancy, said, said_of_open_friction
from mbsim.model.coverage import expressions
from mbsim.model.file.errors import ModelError, Problem, did_you_mean
from mbsim.model.load import load
from mbsim.model.names import owner
from mbsim.model.notes import notes
from mbsim.model.report import LEFT_OUT
from mbsim.model.schema import Model
from mbsim.model.source import file_or_text
from mbsim.observe.measures import Measures
from mbsim.scene.describe import later
from mbsim.system.equations import DerivationError, UnusableError
from mbsim.system.system import System
from mbsim.system.tables import TableError, complaint


def load_model(
    source: str | Path | Mapping[str, Any] | Model,
    parameters: Mapping[str, float | str] | None = None,
    simulation: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
) -> Model:
    """Read and check a model; `parameters`, keys of `simulation` and blocks of `tables` given here replace the model's own.

    `source` is a path, the name of a shipped model, YAML text (of several lines), or the data of such a text as a dictionary. A `Model` is
    read again, with what was given when it was read and what is given now.
    Raises mbsim.ModelError with every problem, OSError when a file cannot be read, TypeError for data that is no model's,
    and for what is given here and has no names.
    """
    for word, given_here in (("parameters", parameters), ("simulation", simulation), ("tables", tables)):
        if given_here is not None and not isinstance(given_here, Mapping):
            raise TypeError(f"{word}: expected a dictionary of values by their names (got {given_here!r})")
    if isinstance(source, Model):
        if not (parameters or simulation or tables):
            return source
        kept = source.overrides.over(parameters, simulation, tables)
        return load(source.text, registry, kept.parameters, kept.simulation, source.file, kept.tables)
    given, file = file_or_text(source)
    return load(given, registry, parameters=parameters, simulation=simulation, file=file, tables=tables)


def assemble(model: str | Path | Mapping[str, object] | Model) -> Assembly:
    """The system of a model and its start; the model is one that was read, or what `load_model` takes.

    Raises ModelError for equations of the wrong form and starts that cannot be assembled, and what `load_model` raises.
    """
    read = load_model(model)
    model = with_unilaterals(with_point_masses(read))
    try:
        source, locks = begin(model)
        model = with_unit_events(model, source)
        system = with_units(source, source.system())
        system = replace(system, corners=partial(corners_of, source), samples=samples(source, system))
        comes = coming(model, locks, source)
        whole = system if comes is None else comes.whole
        _check_complete(model, whole)
    except (DerivationError, TableError) as error:
        raise ModelError([model.problem(_gap_of(read, error.path), str(error))]) from None
    except UnusableError as error:
        raise ModelError([_unusable(model, error)]) from None
    given = source.given(system)
    try:
        made = start(system, given)
    except StartError as error:
        refuse_turned(model, point_masses(read), whole, given.t, given.q)  # which may be why
        reason = "; ".join(filter(None, [str(error), complaint(system)]))
        raise ModelError([model.problem(_place(model, error), reason)]) from error
    except np.linalg.LinAlgError as error:
        reason = f"the start cannot be assembled: the numbers of the model are too large or too far apart ({str(error).lower()})"
        raise ModelError([model.problem("", reason)]) from error
    refuse_turned(model, point_masses(read), whole, made.start, made.q)
    ranks = redundancy(system, made.start, made.q)
    found = [*notes(model), *said(system, ranks)]
    loaded = {
        one.joint: {row for group in one.groups for each in group.components for row in each} for one in model.unilaterals if one.joint
    }
    warnings = _open(model, open_friction(system, ranks, loaded))
    if isinstance(made.correction, Change):
        far = find_moved(model, system, made.start, made.correction.q, made.q)
        named = model.initial.values if model.coordinates else None
        found += [*far.notes, *what_moved(system, made.correction, made.q, made.v, named, speeds_only=bool(far.notes))]
        warnings += tuple(beside(model, far.size, far.bodies))
    if model.simulation.start_from == "equilibrium":
        made, said_of_it = _settle(model, made)
        found += said_of_it
    return replace(
        made,
        text=model.text,
        parameters=model.parameters,
        simulation=model.simulation,
        steady=dict(model.steady),
        held=partial(hold_speeds, model, assemble) if model.joints and not model.in_joint_coordinates else None,
        measures=Measures.of(model, whole),
        events=planned(model, source, system),
        coming=comes,
        unilaterals=placed(model, source.builder.laws.parameters if isinstance(source, Bodies) else list(source.forces.parameters)),
        described=later(replace(model, bodies=read.bodies, couplings=read.couplings), source.builder.reference)
        if isinstance(source, Bodies)
        else "",
        notes=tuple(found),
        folder=str(Path(model.file).parent),
        files=tuple(file for files in _files(model) for file in files),
        warnings=warnings,
    )


def _open(model: Model, joints: list[str]) -> tuple[str, ...]:
    """What is to be said of joints whose friction depends on reactions that are not unique. Raises ModelError for `share: unique`."""
    if not joints or model.simulation.share == "minimum_norm":
        return ()
    told = said_of_open_friction(joints)
    if model.simulation.share == "unique":
        instead = "so no one motion is known; make joints freer, or take the shortest reactions (`share: minimum_norm`)"
        raise ModelError([model.problem(("joints", joints[0], "friction"), f"{told}, {instead}")])
    shortest = "it is that of the shortest ones, and so is the motion; with freer joints, which determine them, it is another one"
    return (f"{told}: {shortest} (`share: minimum_norm`, if it is meant so)",)


def _files(model: Model) -> Iterator[list[str]]:
    """The files that masses and elastic parts are made of."""
    yield from (body.files() for body in model.bodies.values())
    yield from (part.files() for part in model.elastic.values())


def _settle(model: Model, made: Assembly) -> tuple[Assembly, list[str]]:
    """The same in the equilibrium that its start leads to, and what the user is to know of that. Raises ModelError.

    Drivers hold their coordinates; those of speeds are let go, and the speeds that drivers prescribe are the first of the run. Where the
    model gives speeds of a steady motion, it is that motion, and no driver is let go.
    """
    from mbsim.diagnosis.equilibrium import equilibrium  # scipy.linalg, which other starts do not need
    from mbsim.diagnosis.turning import has_bodies_alone, of_speeds

    if model.unilaterals:
        names = ", ".join(one.name for one in model.unilaterals)
        reason = f"runs begin in no equilibrium with rigid stops, contacts and dry friction ({names}); "
        reason += "put into the model what `mbsim equilibrium --write FILE` gives, and start from the model"
        raise ModelError([model.problem(("simulation", "start_from"), reason)])
    system, holder = made.system, made
    drivers: Mapping[str, str] = {}
    borne: Mapping[str, str] = {}
    try:
        if joint_speeds(model, model.steady):
            held, drivers, borne = hold_speeds(model, assemble, model.steady, keep=("all",))
            holder = held if drivers else made
        kept = np.ones(holder.system.n_rows, bool)
        if not model.steady:
            kept[[driver.row for driver in system.drivers if driver.row >= system.n_holonomic]] = False
        steady = {name: value for name, value in model.steady.items() if name not in drivers and name not in borne}
        begun = of_speeds(system, made.q, made.v) if borne and has_bodies_alone(system) else None
        found = equilibrium(holder.system, made.start, holder.q, kept, steady, rows_of(holder.system, drivers), bool(borne), begun)
        v = assemble_velocity(system, made.start, found.q, found.v, np.zeros(system.n_v, bool)) if system.n_rows else found.v
    except ValueError as error:
        raise ModelError([model.problem(("simulation", "start_from"), str(error))]) from error
    what = "a steady motion" if model.steady else "an equilibrium"
    notes = [] if found.stable else [f"the run starts in {what} that is unstable"]
    notes += [f"start_from: {told}" for told in (found.relaxed, found.unsure) if told]
    notes += [f"{name} stays only with an effort of {effort:.6g}, which the run does not have" for name, effort in found.needed().items()]
    return replace(made, q=found.q, v=v), notes


def _gap_of(model: Model, path: str) -> str | tuple[str, ...]:
    """The place of what an error says of an equation: of a contact in the user's own coordinates its row is that of its gap."""
    name = path.removeprefix("constraints.").removesuffix(".equation")
    return ("contacts", name, "gap") if name in model.contacts and name not in model.constraints else path


def _unusable(model: Model, error: UnusableError) -> Problem:
    """The problem at the character of the expression in the file; an expression that was made of a driver's contains its text."""
    for path, expression in expressions(model):
        if expression is error.expression:
            return model.problem(path, error.message, error.offset)
    fitting = [path for path, expression in expressions(model) if f"({expression.text})" in error.expression.text]
    return model.problem(fitting[0] if fitting else "", str(error))


def _check_complete(model: Model, system: System) -> None:
    """Raise ModelError where the system lacks something that the model declares, or a speed that it gives."""
    rows = {owner(label) for label in system.rows}
    drivers = {record.name.partition(".")[0] for record in system.drivers}
    acting = {name for names in system.acting.values() for name in names}  # on the user's own coordinates
    built: dict[str, tuple[Collection[str], Collection[str]]] = {
        "bodies": (model.bodies, {*system.bodies}),
        "beams": (model.beams, {*system.loads}),
        "elastic": (model.elastic, {*system.loads} & rows),
        "joints": ({**model.joints, **model.couplings}, {*(record.name for record in system.joints), *rows}),
        "drivers": (model.drivers, drivers),
        "forces": (model.forces, {*system.loads, *acting}),
        "controllers": (model.controllers, {*system.loads, *acting, *map(owner, system.states)}),
        "constraints": (model.constraints, rows),
        "states": (model.own_states(), {*system.states}),
    }
    speeds = {*system.speeds, *joint_speeds(model, model.steady)}
    wrong = [name for name in model.steady if name not in speeds]  # joint coordinates: which exist shows here
    if wrong:
        raise ModelError([model.problem(("steady", name), f"unknown speed '{name}'{did_you_mean(name, system.speeds)}") for name in wrong])
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
    name = owner(error.residuals[0][0]) if error.residuals else ""
    sections: dict[str, Collection[str]] = {
        "joints": {**model.joints, **model.couplings},
        "drivers": model.drivers,
        "constraints": model.constraints,
        "elastic": model.elastic,
    }
    return next((f"{section}.{name}" for section, blocks in sections.items() if name in blocks), "")
