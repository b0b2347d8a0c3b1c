"""A model as a unit: everything that its program in C is made of, worked out from a stepper."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim import jit, registry
from mbsim.analyses.stepping import Inside, Stepper
from mbsim.assembly import assemble, load_model
from mbsim.contracts import ARRAYS, METHOD, STAGES, SYSTEM, TELL, WORK, Stages
from mbsim.kernels import observed_columns as col
from mbsim.model.file.errors import ModelError, did_you_mean
from mbsim.observe.observer import joint_table
from mbsim.programs.derivatives import Derivatives, derivatives_of, why_without
from mbsim.programs.exchange import TOLERANCE, Exchange, exchange_of, suited
from mbsim.programs.happening import Events, events_of, problems_of
from mbsim.programs.memory import ALL, Call, Memory
from mbsim.programs.outputs import NotExportedError, Outputs, default_names, outputs_of
from mbsim.programs.phases import Phases, phases_of
from mbsim.programs.quantities import Behind
from mbsim.programs.stops import Stops, problems_of_stops, stops_of
from mbsim.system.native import NativeCodeError

if TYPE_CHECKING:
    from mbsim.model.schema import Model

KINDS = ("cs", "me", "both")  # co-simulation, model exchange
NESTED = "controllers of the model are units (type: fmu), and no unit contains others: connect them outside"
SOLVES = (
    "a controller of the model solves the equations of motion at its samples (computed_torque, gravity_compensation) or is a Python "
    "function, which no unit does: give its effort by a law, as that of `pd` with a `feedforward`"
)
MARCHES = "rk4, rk45, dop853, radau, predictor_corrector, or a method that makes its own steps, as generalized_alpha"


@dataclass(frozen=True)
class Argument:
    """A parameter of the model that may be given from outside."""

    name: str
    start: float
    place: int  # in Arrays.parameters
    is_input: bool  # else it is a parameter, which is given before the start or seldom


@dataclass(frozen=True)
class Part:
    """What a unit calls in one of its phases (`mbsim.programs.phases`)."""

    inside: Inside
    march: Call | None  # None: for model exchange alone
    expand: Call
    shown: Outputs
    look: list[Call]  # what finds the outputs, one after the other
    events: Events | None
    residual: Call | None  # that finds the poses of the bodies, and by how much rows of positions miss; None: there is one phase
    missed: np.ndarray  # (n_holonomic,) by how much
    stops: Stops | None

    @property
    def calls(self) -> list[Call]:
        """All of them."""
        found = [self.expand, *self.look, *filter(None, (self.march, self.residual))]
        found += [] if self.stops is None else self.stops.calls
        return found if self.events is None else found + self.events.calls

    @property
    def arrays(self) -> list[np.ndarray]:
        """What a snapshot has to hold and no call names."""
        return [self.missed] if self.events is None else [self.missed, *self.events.arrays]


@dataclass(frozen=True)
class Unit:
    """What a program of a model is made of."""

    name: str  # an identifier of C
    title: str
    arguments: list[Argument]
    outputs: Outputs
    memory: Memory
    parts: list[Part]  # of each phase; most units have one
    phases: Phases | None  # where joints, drivers and constraints come and go
    exchanges: list[Exchange]  # of each phase; none for co-simulation alone
    slopes: list[Derivatives]  # of each phase; none: it gives no directional derivatives
    # (5,) the time, the last step, the time from which equal steps are counted, and that of the last samples, s; how far z may be off
    control: np.ndarray
    # (5,) equal steps; whether the laws have changed; whether outputs, and rates, are those of the state; the phase
    counters: np.ndarray
    way: np.ndarray  # (2,) the times of a march
    shown: np.ndarray  # (outputs,)

    @property
    def exchange(self) -> Exchange | None:
        """Of the phase at the start; None: for co-simulation alone."""
        return self.exchanges[0] if self.exchanges else None

    @property
    def derivatives(self) -> Derivatives | None:
        """Of the phase at the start."""
        return self.slopes[0] if self.slopes else None

    @property
    def inside(self) -> Inside:
        """Of the phase at the start, as the next three."""
        return self.parts[0].inside

    @property
    def march(self) -> Call | None:
        """What takes the steps."""
        return self.parts[0].march

    @property
    def look(self) -> list[Call]:
        """What finds the outputs."""
        return self.parts[0].look

    @property
    def events(self) -> Events | None:
        """What there is for events."""
        return self.parts[0].events

    @property
    def table_memory(self) -> np.ndarray:
        """What counted angles remember."""
        return _told(self.look)

    @property
    def step(self) -> float:
        """The time between rows of a run, s."""
        return self.inside.settings.interval


def unit_of(
    source: "str | Path | Mapping[str, Any] | Model",
    inputs: Collection[str] = (),
    outputs: Sequence[str] = (),
    parameters: Collection[str] = (),
    name: str | None = None,
    set_to: Mapping[str, float | str] | None = None,
    kind: str = "cs",
    derivatives: bool | None = None,
    **settings: Any,
) -> Unit:
    """A unit of a model, as `Stepper` takes it with its settings; `set_to` are parameters of the model with other values.

    `inputs` and `parameters` are parameters of the model's laws, `outputs` names of results; without any, coordinates, speeds, states and
    measures. `kind`: one of KINDS. `derivatives`: whether it gives directional ones; None: for model exchange, where there are some. Raises
    NotExportedError for what no unit can have, ModelError, ValueError.
    """
    model = load_model(source, set_to)
    both = [*dict.fromkeys([*inputs, *parameters])]
    problems = [f"unknown parameter {x!r}{did_you_mean(str(x), model.parameters)}" for x in both if x not in model.parameters]
    problems += [f"{x!r} is an input and a parameter: name it once" for x in inputs if x in set(parameters)]
    problems += problems_of(model, both) + problems_of_stops(model)
    if kind not in KINDS:
        problems.append(f"kind: expected {', '.join(KINDS[:-1])} or {KINDS[-1]} (got {kind!r})")
    if problems:
        raise NotExportedError("; ".join([*problems, *_unknown_outputs(model, outputs)]))
    try:
        inside = Stepper(model, both, **settings).inside() if kind == "cs" else suited(model, both, kind, settings)
    except NativeCodeError:
        raise NotExportedError(NESTED) from None
    _require_kernels(inside, kind)
    made = inside.made
    phases = phases_of(model, inside)
    behind = None if phases is None else phases.behind
    wanted = list(outputs) or default_names(made)
    shown = [outputs_of(model, one, wanted, behind) for one in ([made] if phases is None else phases.made)]
    names = list(made.parameters)
    arguments = [Argument(x, float(made.parameters[x]), names.index(x), x in inputs) for x in both]
    if derivatives is None:
        derivatives = kind != "cs" and not any(why_without(one.system) for one in ([made] if phases is None else phases.made))
    insides = [inside] if phases is None else [phase.inside for phase in phases.each]
    return _laid_out(model, name or identifier(made.system.name), insides, phases, arguments, shown, kind, derivatives)


def _unknown_outputs(model: "Model", outputs: Sequence[str]) -> list[str]:
    """What is wrong with the outputs that a user names, beside what is wrong already."""
    try:
        outputs_of(model, assemble(model), outputs)
    except NotExportedError as error:
        return [str(error)]
    except (ModelError, NativeCodeError):  # told once the rest is right
        return []
    return []


def identifier(name: str) -> str:
    """A name as an identifier of C."""
    found = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "unit"
    return f"unit_{found}" if found[0].isdigit() else found


def _require_kernels(inside: Inside, kind: str) -> None:
    """Raises NotExportedError for what calls Python."""
    settings, system = inside.settings, inside.formulation.system
    if inside.made.unilaterals is not None and settings.impacts == "steps":
        raise NotExportedError("`impacts: steps`: a unit finds each impact; take `impacts: events`")
    if system.units is not None or (system.samples is not None and system.samples.native):
        raise NotExportedError(NESTED)
    if system.samples is not None and not isinstance(system.samples.function, jit.Kernel):
        raise NotExportedError(SOLVES)
    if system.failure is not None:
        raise NotExportedError("a force of the model is a Python function, which no unit can call: give it as an expression or as a table")
    if kind == "me":
        return
    if inside.march.is_of_a_library:
        owns = registry.declaration("methods", settings.method, "OWNS_STEP", False)
        which = f"the method {settings.method!r}" if owns else f"the integrator {settings.integrator!r}"
        raise NotExportedError(f"{which} takes its steps in Python: name {MARCHES} (--integrator, --method)")


def _laid_out(
    model: "Model",
    name: str,
    insides: Sequence[Inside],
    phases: Phases | None,
    arguments: list[Argument],
    shown: Sequence[Outputs],
    kind: str,
    derivatives: bool,
) -> Unit:
    """The unit of some phases, whose arrays stand in one memory; `shown` has the outputs of each."""
    inside = insides[0]
    settings, system = inside.settings, inside.formulation.system
    control, counters, way = np.zeros(5), np.zeros(5, np.int64), np.zeros(2)
    control[[0, 3, 4]] = settings.start, settings.start, TOLERANCE
    values = np.zeros(len(shown[0].outputs))
    room = _Room(control, way, values, kind, None if phases is None else phases.wide, None if phases is None else phases.behind)
    parts: list[Part] = []
    for k, (one, its) in enumerate(zip(insides, shown, strict=True)):
        base = one if phases is None else insides[phases.each[k].base]
        parts.append(_part(model, one, base, its, room, parts[0] if parts else None))
    exchanges, names = list[Exchange](), [output.name for output in shown[0].outputs]
    for one in insides if kind != "cs" else []:
        exchanges.append(exchange_of(one, control, names, exchanges[0] if exchanges else None))
    slopes = [derivatives_of(one, control, len(values)) for one in insides] if derivatives else []
    memory = Memory()
    for array in (control, counters, way, values, inside.march.parts[1], inside.march.scratch, *([] if phases is None else phases.arrays)):
        memory.hold(array)
    for k, part in enumerate(parts):
        calls, arrays, phase = part.calls, part.arrays, ALL if phases is None else k
        for each in exchanges[k : k + 1]:
            calls += filter(None, (each.rates, each.accept, each.sample))
            arrays += [each.table, each.kept, each.nominals]
        for slope in slopes[k : k + 1]:
            calls += [slope.left, slope.along]
            arrays += [slope.scratch, slope.pivots]
        for array in arrays:
            memory.hold(array, phase)
        for call in calls:
            memory.hold_call(call, phase)
    memory.lay_out()
    return Unit(name, system.name, arguments, shown[0], memory, parts, phases, exchanges, slopes, control, counters, way, values)


class _Room(NamedTuple):
    """What all phases have in common."""

    control: np.ndarray
    way: np.ndarray
    values: np.ndarray
    kind: str
    wide: np.ndarray | None  # the output row of the phase with the longest one, and what stands behind it
    behind: Behind | None


def _part(model: "Model", inside: Inside, base: Inside, shown: Outputs, room: _Room, first: Part | None) -> Part:
    """A phase, whose `base` is without closed stops; `first` is that at the start, None while it is made."""
    formulation, control, wide = inside.formulation, room.control, room.wide
    system = formulation.system
    blocks = ((SYSTEM, system.functions), (ARRAYS, system.arrays), (WORK, formulation.work))
    marching = None if room.kind == "me" else _marching(inside, blocks, room.way)
    expanding = Call(formulation.functions.expand, (formulation.functions.rhs, *blocks, control[:1], inside.z, inside.row[0]))
    memories = [None, None] if first is None else [_told(first.look), None if first.events is None else first.events.value_memory]
    look = _looking(inside, shown, control, room.values, wide, memories[0])
    events = events_of(
        model, inside, control, lambda what, found: _looking(inside, what, control, found, wide, memories[1]), room.kind != "cs",
        None if first is None else first.events, room.behind,
    )  # fmt: skip
    missed, residual = np.zeros(system.n_holonomic), None
    if wide is not None and events is not None:
        residual = Call(system.functions.residual, ((ARRAYS, system.arrays), control[:1], events.q, missed))
    stops = None
    if events is not None and room.behind is not None:
        stops = stops_of(inside, base, events, control, room.behind.nothing + 1, None if first is None else first.stops)
    return Part(inside, marching, expanding, shown, look, events, residual, missed, stops)


def _told(look: Sequence[Call]) -> np.ndarray:
    """What counted angles remember: an argument of the kernel `tell`."""
    (found,) = [call.arguments[3] for call in look if call.kernel.signature is TELL]
    memory: np.ndarray = found
    return memory


def _marching(inside: Inside, blocks: tuple[Any, ...], way: np.ndarray) -> Call:
    kernel, clock, step = inside.march.parts
    given = kernel.args if isinstance(kernel, partial) else ()
    before = [(STAGES, one) if isinstance(one, Stages) else one for one in given]
    rest = (way, step, inside.z, inside.row, clock, inside.march.scratch)
    return Call(kernel.func if isinstance(kernel, partial) else kernel, (*before, (METHOD, inside.formulation.functions), *blocks, *rest))


def _looking(
    inside: Inside, shown: Outputs, control: np.ndarray, values: np.ndarray, wide: np.ndarray | None, memory: np.ndarray | None
) -> list[Call]:
    """The calls that find the outputs at a state; the time is the first number of `control`.

    `wide` is the output row with what stands behind it, `memory` what counted angles remember, both where phases share them.
    """
    system, table = inside.formulation.system, shown.table
    width = col.REACTIONS + col.REACTION * len(system.joints)
    width += col.FRAME * len(system.bodies) if system.in_joint_coordinates else 0
    observed, rows = np.zeros((1, width)), table.table
    calls = []
    if table.looks_at_bodies:
        import importlib

        observe = importlib.import_module(f"mbsim.system.observe{'_trees' * system.in_joint_coordinates}").observe
        work = inside.formulation.beside(inside.settings).work
        blocks = ((SYSTEM, system.functions), (ARRAYS, system.arrays), (WORK, work))
        calls.append(Call(observe, (*blocks, joint_table(system), control[:1], inside.row, observed)))
    from mbsim.system.tell import tell  # compiles

    found = values if shown.combined is None else np.zeros(len(rows))
    row = inside.row[0] if wide is None else wide
    memory = table.memory if memory is None else memory
    told = (ARRAYS, system.arrays), rows, table.numbers, memory, control[:1], row, observed[0], found
    calls.append(Call(tell, told))
    if shown.combined is not None:
        calls.append(Call(shown.combined, ((ARRAYS, system.arrays), control[:1], found, values)))
    return calls
