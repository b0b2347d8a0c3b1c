"""Kinematics of a mechanism without freedom: positions, velocities and accelerations in time, or over a cycle of one coordinate."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbsim.analyses.cycle import Cycle, add_cycle
from mbsim.analyses.driven import Followed, follow, require_prescribed, tell_failure, tell_passage
from mbsim.analyses.inverse import output_times, tell_held_states
from mbsim.analyses.prescribed import record
from mbsim.analyses.stopped import StopReachedError, Stops, without_stops
from mbsim.analyses.transfer import Variables, transfer_functions, transmission_angles
from mbsim.assembly import Assembly
from mbsim.diagnosis.continuation import Passage
from mbsim.march.ending import SimulationError
from mbsim.results import Result

if TYPE_CHECKING:
    from mbsim.model.schema import Model


def kinematics(
    source: "Model | str | Path | Mapping[str, Any]",
    cycle: str | Cycle | None = None,
    *,
    transfer: Iterable[str] = (),
    transmission: Iterable[str] = (),
    parameters: Mapping[str, float | str] | None = None,
    output: str | Path | None = None,
    force: bool = False,
) -> Result:
    """The motion of a mechanism that its drivers, or a cycle of one coordinate, leave no freedom.

    `source` is a model as `mbsim.load_model` takes it, with `parameters`. `cycle` is `"crank.angle=0:2*pi:361"`; the variable `time` is
    then the value of that coordinate, and `v` and `acceleration` are the transfer functions of first and second order of all coordinates.
    Without it the rows are at the output times of the model. `transfer` names further outputs and `transmission` joints
    (`mbsim.analyses.transfer`). The result has the variables of a run, in memory or in the HDF5 file `output`; singular positions are its
    attribute `singular_positions`.

    Raises ValueError for a mechanism that keeps freedoms, which it names, and for a wrong cycle or name; ModelError for the model;
    SimulationError, with the value reached and the result up to there, where the mechanism cannot be assembled; OSError.
    """
    from mbsim.assembly import assemble, load_model

    outputs, angles = list(transfer), list(transmission)
    model, ends, said = without_stops(load_model(source, parameters))
    if cycle is None:
        if outputs:
            raise ValueError("a transfer function is that of a cycled coordinate; give a cycle")
        made = assemble(model)
        times = output_times(made)
        require_prescribed(made, "the drivers", "prescribe them too, or cycle one of them" + ends.tell_free())
        values, name, unit = times.between(0, times.intervals), "", "s"
    else:
        asked = Cycle.of(cycle, model.parameters) if isinstance(cycle, str) else cycle
        turning = add_cycle(model, asked)
        made, model, unit, name = turning.made, turning.model, turning.unit, asked.coordinate
        require_prescribed(made, f"the drivers and the cycle of {name}", "prescribe them too" + ends.tell_free())
        values = asked.values()
    made = replace(made, notes=(*made.notes, *said))
    try:
        followed = Stops(made, ends, model).cut(follow(made, values), name or "t", unit)
    except StopReachedError as error:
        raise SimulationError(f"the first row, at {name or 't'} = {error.at:.9g} {unit}: {error}", error.at, None) from None
    return _record(made, model, followed, float(values[0]), name, unit, (outputs, angles), output, force)


def _record(
    made: Assembly,
    model: "Model",
    followed: Followed,
    first: float,
    name: str,
    unit: str,
    asked: tuple[list[str], list[str]],
    output: str | Path | None,
    force: bool,
) -> Result:
    """The result of what was reached; raises SimulationError where that is not all."""
    motion, passages, failure = followed
    reason = ""
    if failure is not None:
        reason = tell_failure(failure, name or "t", unit)
    if not len(motion.times):
        reason = f"the first row, at {name or 't'} = {first:.9g} {unit}, is not reached from the start: {reason}"
        raise SimulationError(reason, failure.at if failure is not None else made.start, None)
    series: Variables = {}
    if name:
        series |= transfer_functions(model, made.system, motion, asked[0], unit)
    series |= transmission_angles(model, made.system, motion, asked[1])
    attributes = {"method": "kinematics"} | ({"cycle": name, "cycle_unit": unit} if name else {})
    notes = tell_held_states(made) + [tell_passage(passage, name or "t", unit) for passage in passages if not passage.dead]
    facts = {"singular_positions": [_facts(passage) for passage in passages]}
    result = record(made, motion, output, force, attributes, notes, series=series, facts=facts, failure=reason)
    assert result is not None
    if failure is not None:
        raise SimulationError(reason, failure.at, result)
    return result


def _facts(passage: Passage) -> dict[str, object]:
    """A singular position as JSON types; `at` and `beside` are values of the cycled coordinate, or times."""
    known = passage.branches != {}
    return {
        "at": passage.t,
        "dead_point": passage.dead,
        "moving": passage.moving,
        "branches": {name: list(pair) for name, pair in passage.branches.items()},
        "beside": passage.beside if known else None,
    }
