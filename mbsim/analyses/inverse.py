"""Inverse dynamics and kinematics: what forces a prescribed motion needs, and what a mechanism does that its drivers move.

A motion is prescribed by the drivers of a model, enough of them to leave no freedom; closed loops and every kind of system are welcome:

    phi(t, q) = 0,   C v = -xi,   C v_dot = -eta,   C' lam = M v_dot - h

or by a table of coordinates, between whose rows cubic splines give q, v and v_dot: of a tree in joint coordinates without rows all of
them, of another system those that its drivers leave free.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbsim.analyses.driven import follow, require_prescribed, tell_failure
from mbsim.analyses.motion_table import Table, by_drivers, columns_of, times_of
from mbsim.analyses.prescribed import FEWEST_ROWS, Motion, observer, record
from mbsim.analyses.stopped import Ends, StopReachedError, Stops, without_stops
from mbsim.assembly import Assembly, assemble
from mbsim.diagnosis.continuation import NoWayError
from mbsim.march.ending import SimulationError
from mbsim.march.output_times import OutputTimes
from mbsim.march.recording import Efforts
from mbsim.march.settings import DEFAULT_STEP, Asked
from mbsim.results import Result
from mbsim.system.system import Floats, System, require_system

TURNS = 1.0  # of an angle in a table, from which on degrees are meant, perhaps

if TYPE_CHECKING:
    from mbsim.model.schema import Model


def inverse_dynamics(system: System, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Floats:
    """tau (n_v,) with M v_dot = h + tau: the generalised forces, beside the loads that act, that give v_dot = a.

    O(N) for a tree in joint coordinates. Raises ValueError for a system with constraint rows, whose reactions share in tau.
    """
    require_system(system, "inverse_dynamics")
    if system.n_rows:
        raise ValueError("a system with constraint rows has no single inverse dynamics; prescribe its motion by drivers (mbsim inverse)")
    q, v = system._check(q, v)
    a = np.ascontiguousarray(a, float)
    if a.shape != (system.n_v,):
        raise ValueError(f"a has shape {a.shape}, expected ({system.n_v},)")
    if not system.in_joint_coordinates:
        M, h, *_ = system.terms(t, q, v)
        return np.asarray(M @ a - h)
    from mbsim.system.inverse import joint_efforts

    tau, none = np.zeros(system.n_v), np.zeros(0)
    system.functions.dynamics(system.arrays, float(t), q, v, np.zeros((0, system.n_v)), tau, none, np.zeros(1))
    joint_efforts(system.arrays, v, a, tau)
    return tau


def forward_kinematics(system: System, t: float, q: ArrayLike, v: ArrayLike | None = None) -> dict[str, dict[str, Floats]]:
    """Of every body by name: `position` (3,), `orientation` (4,) w first, `velocity` (3,), `angular_velocity` (3,), all global.

    `v` is zero when not given. Raises ValueError for a system without bodies.
    """
    require_system(system, "forward_kinematics")
    if not system.bodies:
        raise ValueError("the system has no bodies")
    q, v = system._check(q, np.zeros(system.n_v) if v is None else v)
    row = np.concatenate([q, v, np.zeros(system.n_v + system.n_rows + 1)])[None]
    observed = observer(system).chunk(np.array([float(t)]), row)
    keys = ("position", "orientation", "velocity", "angular_velocity")
    return {name: {key: observed[f"body_{key}"][0, b] for key in keys} for b, name in enumerate(system.bodies)}


def inverse(
    made: Assembly,
    table: Table | None = None,
    output: "str | Path | None" = None,
    force: bool = False,
    model: "Model | None" = None,
) -> Result:
    """The forces and reactions of the motion that the drivers prescribe, or `table`: a CSV file with columns, or arrays.

    The table has `time` and every coordinate of a tree without rows. Of another system, whose `model` is needed, it has the coordinates
    that its drivers leave free, and the result has an effort for each of them and for each driver.
    The result has the variables of a run; `driver_effort` is what the motion needs, of each driver or of each coordinate of the table.
    Redundant drivers share it by the least sum of squares, which a note says. The work is integrated over the output times.
    What is at `output` and was not written by mbsim is replaced with `force` only. States are held at their starts; a note says so.
    Raises ValueError for a motion that is not fully prescribed or prescribed by speeds, ModelError where a table's mechanism cannot be
    assembled, SimulationError, with the result up to there, where the mechanism cannot follow its drivers, OSError.
    """
    ends, said = Ends([], None), list[str]()
    if made.unilaterals is not None and model is not None:
        model, ends, said = without_stops(model, forces=True)
        made = assemble(model)
    made.require_bilateral("inverse dynamics")
    system = made.system
    efforts: Efforts | None = None
    failure: NoWayError | None = None
    if table is not None and (model is None or _is_tree(system)):
        motion = _read_motion(system, columns_of(table), made.q[system.n_c :])
        Stops(made, ends, model, touching=False).require_none(motion)
        efforts = system.coordinates[: system.n_c], ["N" if unit == "m s-1" else "N m" for unit in system.speed_units]
    else:
        what = "the drivers"
        if table is None:
            asked = output_times(made)
            times = asked.between(0, asked.intervals)
        else:
            assert model is not None
            columns, what = columns_of(table), "the table and the drivers"
            times = times_of(columns, FEWEST_ROWS)
            made, names = by_drivers(model, columns, FEWEST_ROWS)
            efforts = names, [driver.unit for driver in made.system.drivers]
        require_prescribed(made, what, "prescribe them too, or give them in a table" + ends.tell_free())
        try:
            motion, _, failure = Stops(made, ends, model, touching=False).cut(follow(made, times))
        except StopReachedError as error:
            raise SimulationError(f"the first row, at t = {error.at:.9g} s: {error}", error.at, None) from None
    reason = tell_failure(failure) if failure is not None else ""
    notes = [*tell_held_states(made), *_tell_controllers(made), *said]
    if table is not None:
        made = replace(made, warnings=(*made.warnings, *_degrees(system, columns_of(table))))
    result = record(made, motion, output, force, {"method": "inverse"}, notes, efforts=efforts, failure=reason)
    if failure is not None:
        raise SimulationError(reason, failure.at, result)
    assert result is not None  # a motion that did not fail has rows
    return result


def _is_tree(system: System) -> bool:
    """Whether its coordinates are independent, so that RNEA gives the forces of a table of all of them."""
    return system.in_joint_coordinates and not system.n_rows and system.n_c == system.n_v


def tell_held_states(made: Assembly) -> list[str]:
    """What is said of the states, whose rates have no place among the equations that are solved here."""
    system = made.system
    values = ", ".join(f"{name} = {value:g}" for name, value in zip(system.states, made.q[system.n_c :], strict=True))
    return [f"a prescribed motion holds the states at their starts: {values}"] if values else []


def _tell_controllers(made: Assembly) -> list[str]:
    """What is said of controllers, which act beside the efforts that are found."""
    names = made.measures.controllers.labels.names if made.measures is not None else []
    return [f"controllers act beside what is found: {', '.join(names)}; the motion needs driver_effort and their efforts"] if names else []


def _degrees(system: System, columns: Mapping[str, Floats]) -> list[str]:
    """What is said of columns of angles that may be in degrees: those of more than TURNS."""
    found = []
    for name, values in columns.items():
        angle = name.rpartition(".")[2].startswith("angle")
        angle = system.coordinate_units[system.coordinates.index(name)] == "rad" if name in system.coordinates else angle
        most = float(np.abs(values).max(initial=0.0))
        if angle and most > TURNS * 2.0 * np.pi:
            turns = most / (2.0 * np.pi)
            found.append(f"the table's {name} goes to {most:.4g}, {turns:.2g} turns: columns of angles are in rad, not in degrees")
    return found


def output_times(made: Assembly) -> OutputTimes:
    """The times of the rows by the model's `simulation` block. Raises ValueError for a system that no model describes."""
    if made.simulation is None:
        raise ValueError("the time in which the drivers move the system is not known: no model file describes it")
    asked = Asked.of(made.simulation)
    return OutputTimes(asked.start, asked.end, asked.output_step or asked.step or DEFAULT_STEP)


def _read_motion(system: System, table: Mapping[str, Floats], states: Floats) -> Motion:
    """The motion of a table; `states` (n_x,) are held."""
    if not _is_tree(system):
        raise ValueError("a table prescribes the coordinates of a tree (coordinates: joint) without loops, drivers and quaternions")
    coordinates = system.coordinates[: system.n_c]
    missing = [name for name in ("time", *coordinates) if name not in table]
    unknown = [name for name in table if name not in ("time", *coordinates)]
    if missing or unknown:
        found = f" (it has {', '.join(table)[:100]})"
        raise ValueError(
            f"the table lacks {', '.join(missing)}{found}" if missing else f"the table has unknown columns {', '.join(unknown)}"
        )
    times = times_of(table, FEWEST_ROWS)
    from scipy.interpolate import CubicSpline

    given = np.array([table[name] for name in coordinates]).T
    q = np.hstack([given, np.broadcast_to(states, (len(times), system.n_x))])
    spline = CubicSpline(times, given)
    v, a = np.ascontiguousarray(spline(times, 1)), np.ascontiguousarray(spline(times, 2))
    efforts = np.array([inverse_dynamics(system, t, *row) for t, *row in zip(times, q, v, a, strict=True)])
    return Motion(times, q, v, a, np.zeros((len(times), 0)), efforts)
