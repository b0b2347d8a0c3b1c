"""What the commands equilibrium, modes, linearize and inverse do, from Python. A model is given as `mbsim.load_model` takes it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.analyses import inverse as inverses
from mbsim.analyses import linear, linear_files, static
from mbsim.analyses.equilibria import COUNT, MOST_STEPS, Equilibria, follow
from mbsim.analyses.holding import Holding
from mbsim.analyses.holding import holding as held_loads
from mbsim.analyses.linear import Modes
from mbsim.analyses.root_locus import Locus, locus
from mbsim.analyses.statespace import StateSpace, state_space
from mbsim.analyses.static import Balance
from mbsim.assembly import Assembly
from mbsim.model.fields import LARGEST
from mbsim.results import Result

if TYPE_CHECKING:
    from mbsim.model.schema import Model

    Source = Model | Assembly | str | Path | Mapping[str, Any]

FROM_THE_MODEL = {"start_from": "model"}  # of a simulation block: an equilibrium is looked for here, not where the model is assembled


def equilibrium(
    source: "Source",
    *,
    keep: str | Collection[str] = (),
    steady: Mapping[str, float] | None = None,
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Balance:
    """The equilibrium that the start of a model leads to, as `mbsim equilibrium` finds it; or a steady motion.

    `source` is a model as `mbsim.load_model` takes it, with `parameters`, or an assembled one. Drivers are let go, but for those in `keep`
    (names, or "all"), which hold their coordinates. `steady` are speeds that stay (m/s, rad/s), beside those of the model's block; `{}`
    asks for rest, whatever that block says. `output` is a result file of one row (over what is not a result only with `force`).

    Raises mbsim.diagnosis.equilibrium.NoEquilibriumError (a ValueError) where there is none or none is found, ValueError for unknown names,
    TypeError where `steady` or `parameters` is no dictionary, ModelError, OSError.
    """
    made = _assemble(source, parameters, FROM_THE_MODEL)
    speeds = made.steady if steady is None else {**made.steady, **_numbers("steady", steady)} if steady != {} else {}
    found = static.balance(made, [keep] if isinstance(keep, str) else keep, speeds)
    if output is not None:
        static.record(found, output, force)
    return found


def equilibria(
    source: "Model | str | Path | Mapping[str, Any]",
    parameter: str,
    first: float,
    last: float,
    *,
    count: int = COUNT,
    branch: int = 0,
    keep: str | Collection[str] = (),
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Equilibria:
    """The equilibria over a parameter from `first` to `last` along their curve, with limit points and bifurcations.

    It is what `mbsim equilibrium --vary` does. `source`, `keep`, `parameters` and `output` as of `equilibrium`. The range of the parameter
    takes at least `count` steps. At bifurcation `branch` (from 1 on) the curve that crosses there is followed.

    Raises what `equilibrium` raises, and ValueError for a parameter that the model does not have or that nothing depends on, a range that
    is none, a `count` or a `branch` that are no whole numbers.
    """
    ends = _numbers("the range", {"first": first, "last": last})
    if ends["first"] == ends["last"]:
        raise ValueError(f"the range: first and last value must differ (got {first:g} twice)")
    for name, number, least, most in (("count", count, 1, MOST_STEPS), ("branch", branch, 0, MOST_STEPS)):
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise ValueError(f"{name}: expected a whole number from {least} to {most} (got {number!r})")
    load, _ = loading(source, parameter, dict(parameters or {}))
    kept = [keep] if isinstance(keep, str) else keep
    return follow(load, parameter, ends["first"], ends["last"], count, branch, kept, output, force)


def holding(
    source: "Model | str | Path | Mapping[str, Any]",
    parameter: str,
    *,
    keep: str | Collection[str] = (),
    parameters: Mapping[str, float | str] | None = None,
) -> Holding:
    """The values of a parameter for which friction and contacts hold the model at its start, as `mbsim equilibrium --holding` finds them.

    `source`, `keep` and `parameters` as of `equilibrium`. Raises ValueError for a parameter that the model does not have, for one without
    stops, contacts and friction, and where it does not rest with the value that the parameter has.
    """
    load, model = loading(source, parameter, dict(parameters or {}))
    return held_loads(load, parameter, float(model.parameters[parameter]), [keep] if isinstance(keep, str) else keep)


def modes(
    source: "Source",
    at: str | Result = "auto",
    *,
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Modes:
    """The small motions about a state, as `mbsim modes` finds them: eigenvalues, frequencies, damping ratios, shapes. Drivers hold.

    `source` is a model as `mbsim.load_model` takes it, with `parameters`, or an assembled one. `at` is "equilibrium", "steady"
    (the steady motion that drivers or the speeds of the start lead to), "start", "RESULT:TIME" (a row of a result file), or a result,
    whose last row is meant. "auto" takes the start where it is a steady motion, else "steady", else the equilibrium. `output` is an HDF5
    file, which `mbsim view` and `mbsim plot` show.

    Raises mbsim.diagnosis.equilibrium.NoEquilibriumError (a ValueError), ValueError for another `at`, ModelError, OSError.
    """
    made = _assemble(source, parameters, _start(at))
    found = linear.modes(made, at)
    if output is not None:
        linear_files.save_modes(found, Path(output), force, made.scene)
    return found


def root_locus(
    source: "Model | str | Path | Mapping[str, Any]",
    parameter: str,
    values: ArrayLike,
    at: str = "auto",
    *,
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Locus:
    """The eigenvalues over `values` (k,) of a parameter, and where a motion becomes stable or unstable: `mbsim modes --vary`.

    `source`, `at` and `output` as of `modes`; `parameters` are the others. `values` increase.

    Raises what `modes` raises, and ValueError for a parameter that the model does not have and values that do not increase.
    """
    given = np.asarray(values, float)
    if given.ndim != 1 or len(given) < 2 or not np.isfinite(given).all() or not (np.diff(given) > 0.0).all():
        raise ValueError(f"values: expected at least two numbers that increase (got {str(values)[:60]})")
    load, model = loading(source, parameter, dict(parameters or {}), _start(at))
    found = locus(load, parameter, given, at)
    if output is not None:
        linear_files.save_locus(found, Path(output), model.name, force)
    return found


def linearize(
    source: "Source",
    inputs: Sequence[str],
    outputs: Sequence[str],
    at: str | Result = "auto",
    *,
    parameters: Mapping[str, float | str] | None = None,
) -> StateSpace:
    """z' = A z + B w, y = C z + D w about a state, as `mbsim linearize` finds it; `source`, `at` and `parameters` as of `modes`.

    `inputs` are `force:NAME`, `force:NAME.x` or `driver:NAME`, `outputs` `measure:NAME`, a coordinate, a speed or a state. An input is
    added to the value of a force, or is the effort of a driver in place of its law. The result has the matrices with the names and units
    of their rows and columns, `response(frequencies_hz)`, and `save(path)` for .h5 and .mat.

    Raises what `modes` raises, and ValueError for names that are unknown.
    """
    for what, names in (("inputs", inputs), ("outputs", outputs)):
        if isinstance(names, str) or not names:
            raise ValueError(f"{what}: expected a list of names (got {names!r})")
    return state_space(_assemble(source, parameters, _start(at)), inputs, outputs, at)


def inverse(
    source: "Source",
    table: str | Path | Mapping[str, ArrayLike] | None = None,
    *,
    end: float | None = None,
    output_step: float | None = None,
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Result:
    """The forces and reactions of a motion that drivers or a table prescribe, as `mbsim inverse` finds them.

    `source` is a model as `mbsim.load_model` takes it, with `parameters`, `end` and `output_step` (s), or an assembled one. The drivers
    leave no freedom; or `table` prescribes what they leave: a CSV file or arrays (k,) by name, `time` and coordinates. The result has the
    variables of a run, and in `driver_effort` what the motion needs.

    Raises ValueError for a motion that is not fully prescribed, ModelError, SimulationError, with the result up to there, where the
    mechanism cannot follow its drivers, OSError.
    """
    settings = {name: value for name, value in (("end", end), ("output_step", output_step)) if value is not None}
    if isinstance(source, Assembly):
        made, model = _assemble(source, parameters, settings), None
    else:
        from mbsim.assembly import assemble, load_model

        model = load_model(source, parameters, settings)
        made = assemble(model)
    return inverses.inverse(made, table, output, force, model)


def loading(
    source: Any, parameter: str, given: dict[str, float | str], settings: Mapping[str, Any] = FROM_THE_MODEL
) -> "tuple[Callable[[float], Assembly], Model]":
    """What assembles a model with a value of one of its parameters, and the model. Raises ValueError, ModelError.

    The text is parsed once, and of its blocks only those that depend on the parameter are read again.
    """
    from mbsim import registry
    from mbsim.assembly import assemble, load_model
    from mbsim.model.file.errors import did_you_mean
    from mbsim.model.file.positions import read
    from mbsim.model.reread import Rereading
    from mbsim.model.targets import target

    model = load_model(source, given, settings)
    if parameter not in model.parameters:
        hint = did_you_mean(parameter, model.parameters) if model.parameters else "; the model has no parameters"
        raise ValueError(f"unknown parameter '{parameter}'{hint}")
    kept, document = model.overrides, read(model.text, model.file)
    if kept.tables:
        return lambda value: assemble(load_model(model, {parameter: value})), model
    again = Rereading(document, registry, [target(document, parameter)], kept.simulation, kept.parameters)

    def assembled(value: float) -> Assembly:
        found = again.numbers([value]).model
        return assemble(replace(found, overrides=kept.over({parameter: value}, None, None)))

    return assembled, model


def _assemble(source: "Source", parameters: Mapping[str, float | str] | None, settings: Mapping[str, object]) -> Assembly:
    """The assembled model, with these parameters and keys of the simulation block."""
    if isinstance(source, Assembly):
        if parameters or (settings and settings is not FROM_THE_MODEL):
            given = ", ".join([*(parameters or {}), *settings])
            raise ValueError(f"{given}: an assembled model has its numbers; give them where the model is read")
        return source
    from mbsim.assembly import assemble, load_model

    return assemble(load_model(source, parameters, settings))


def _start(at: str | Result) -> Mapping[str, Any]:
    return FROM_THE_MODEL if at == "equilibrium" else {}


def _numbers(what: str, given: Mapping[str, float]) -> dict[str, float]:
    """Raises ValueError for what is no finite number, TypeError for what is no dictionary."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{what}: expected a dictionary of values by their names (got {given!r})")
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not abs(value) <= LARGEST:
            raise ValueError(f"{what}: {name}: expected a number that is not greater than {LARGEST:g} in size (got {value!r})")
    return {name: float(value) for name, value in given.items()}
