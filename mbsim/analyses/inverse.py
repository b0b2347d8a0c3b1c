"""Inverse dynamics and kinematics: what forces a prescribed motion needs, and what a mechanism does that its drivers move.

A motion is prescribed by the drivers of a model, enough of them to leave no freedom; closed loops and every kind of system are welcome:

    phi(t, q) = 0,   C v = -xi,   C v_dot = -eta,   C' lam = M v_dot - h

or, for a tree in joint coordinates without rows, by a table of its coordinates, between whose rows cubic splines give q, v and v_dot.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mbsim.analyses.formulation import allocate_for_observer
from mbsim.analyses.output_times import OutputTimes
from mbsim.analyses.recording import Efforts, recorder
from mbsim.analyses.settings import STEP, Asked
from mbsim.assembly import Assembly
from mbsim.diagnosis.consistent import assemble_position
from mbsim.diagnosis.redundancy import RANK_TOLERANCE, redundancy
from mbsim.observe.observer import Observer
from mbsim.results import Result
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.observe.measures import Measures

FEWEST_ROWS = 4  # of a table: a cubic spline whose ends take the neighbouring cubic needs four


def inverse_dynamics(system: System, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Floats:
    """tau (n_v,) with M v_dot = h + tau: the generalised forces, beside the loads that act, that give v_dot = a.

    O(N) for a tree in joint coordinates. Raises ValueError for a system with constraint rows, whose reactions share in tau.
    """
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
    if not system.bodies:
        raise ValueError("the system has no bodies")
    q, v = system._check(q, np.zeros(system.n_v) if v is None else v)
    row = np.concatenate([q, v, np.zeros(system.n_v + system.n_rows + 1)])[None]
    observed = _observer(system).chunk(np.array([float(t)]), row)
    keys = ("position", "orientation", "velocity", "angular_velocity")
    return {name: {key: observed[f"body_{key}"][0, b] for key in keys} for b, name in enumerate(system.bodies)}


@dataclass(frozen=True)
class Motion:
    """A prescribed motion at some times: output rows' parts."""

    times: Floats  # (k,)
    q: Floats  # (k, n_q)
    v: Floats  # (k, n_v)
    a: Floats  # (k, n_v)
    lam: Floats  # (k, m)
    efforts: Floats | None = None  # (k, n_v) of a table


def inverse(made: Assembly, table: "str | Path | None" = None, output: "str | Path | None" = None, force: bool = False) -> Result:
    """The forces and reactions of the motion that the drivers prescribe, or the CSV file `table` (columns `time` and the coordinates).

    The result has the variables of a run; `driver_effort` is what the motion needs, of each driver or of each coordinate of the table.
    What is at `output` and was not written by mbsim is replaced with `force` only. States are held at their starts; a note says so.
    Raises ValueError for a motion that is not fully prescribed or prescribed by speeds, StartError where it is impossible, OSError.
    """
    system = made.system
    efforts: Efforts | None = None
    if table is None:
        motion = _driven(made, _output_times(made))
    else:
        motion = _tabulated(system, _read(Path(table)), made.q[system.n_c :])
        efforts = system.speeds, ["N" if unit == "m s-1" else "N m" for unit in system.speed_units]
    first, last = float(motion.times[0]), float(motion.times[-1])
    found = redundancy(system, first, motion.q[0])
    attributes = {"method": "inverse", "integrator": "none", "start": first, "end": last}
    result = recorder(
        made, _observer(system), found, (first, motion.q[0]), attributes, output, rows=len(motion.times), force=force, efforts=efforts
    )
    status = "failed"
    try:
        result.append(_recorded(made, motion))
        status = "complete"
    finally:
        result.close(status, {"counts": {}, "wall_time": 0.0, "notes": [*made.notes, *_held(made)]})
    return result.result()


def _held(made: Assembly) -> list[str]:
    """What is said of the states, whose rates have no place among the equations that are solved here."""
    system = made.system
    values = ", ".join(f"{name} = {value:g}" for name, value in zip(system.states, made.q[system.n_c :], strict=True))
    return [f"inverse dynamics holds the states at their starts: {values}"] if values else []


def _output_times(made: Assembly) -> OutputTimes:
    """Of the model's `simulation` block. Raises ValueError for a system that no model describes."""
    if made.simulation is None:
        raise ValueError("the time in which the drivers move the system is not known: no model file describes it")
    asked = Asked.of(made.simulation)
    return OutputTimes(asked.start, asked.end, asked.output_step or asked.step or STEP)


def _observer(system: System, measures: "Measures | None" = None) -> Observer:
    return Observer(system, allocate_for_observer(system), measures)


def _recorded(made: Assembly, motion: Motion) -> dict[str, Floats]:
    """The variables of a run; the work is not integrated, so the energy balance is not known."""
    rows = np.hstack([motion.q, motion.v, motion.a, motion.lam, np.full((len(motion.times), 1), np.nan)])
    variables = _observer(made.system, made.measures).chunk(motion.times, rows)
    if motion.efforts is not None:
        variables["driver_effort"] = motion.efforts
    return variables


def _driven(made: Assembly, output_times: OutputTimes) -> Motion:
    system = made.system
    freedoms = redundancy(system, made.start, made.q).degrees_of_freedom
    if freedoms:
        raise ValueError(f"the drivers leave {freedoms} degrees of freedom; prescribe them too, or give a table of joint coordinates")
    if system.n_rows > system.n_holonomic:
        rows = ", ".join(system.rows[system.n_holonomic :])
        raise ValueError(
            f"speeds are prescribed, from which positions follow by integration only: {rows}; `mbsim run` records the same efforts"
        )
    times = output_times.between(0, output_times.intervals)
    q = made.q.copy()
    columns: list[list[Floats]] = [[], [], [], []]
    for k, t in enumerate(times):
        if k:  # where the last velocity and acceleration lead, then onto the constraints
            h = t - times[k - 1]
            q = system.move(q, h * columns[1][-1] + 0.5 * h * h * columns[2][-1])
        q = assemble_position(system, float(t), q, np.zeros(system.n_v, bool))
        C, xi = system.C(t, q), system.xi(t, q)
        v = np.linalg.lstsq(C, -xi, rcond=RANK_TOLERANCE)[0]
        M, h_, C, _, eta, _ = system.terms(t, q, v)
        a = np.linalg.lstsq(C, -eta, rcond=RANK_TOLERANCE)[0]
        lam = np.linalg.lstsq(C.T, M @ a - h_, rcond=RANK_TOLERANCE)[0]
        for column, x in zip(columns, (q, v, a, lam), strict=True):
            column.append(np.asarray(x, float))
    return Motion(times, *(np.array(column) for column in columns))


def _read(path: Path) -> dict[str, Floats]:
    """Columns by name. Raises ValueError with the line that is wrong."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [(n, row) for n, row in enumerate(csv.reader(file), 1) if row and any(cell.strip() for cell in row)]
    if not rows:
        raise ValueError(f"{path}: the table is empty")
    names = [cell.strip() for cell in rows[0][1]]
    values = []
    for n, row in rows[1:]:
        try:
            values.append([float(cell) for cell in row])
        except ValueError:
            raise ValueError(f"{path}:{n}: expected numbers (got {', '.join(row)[:60]})") from None
        if len(row) != len(names) or not np.isfinite(values[-1]).all():
            raise ValueError(f"{path}:{n}: expected {len(names)} finite numbers")
    return dict(zip(names, np.array(values).reshape(-1, len(names)).T, strict=True))


def _tabulated(system: System, table: Mapping[str, Floats], states: Floats) -> Motion:
    """The motion of a table; `states` (n_x,) are held."""
    if not system.in_joint_coordinates or system.n_rows or system.n_c != system.n_v:
        raise ValueError("a table prescribes the coordinates of a tree (coordinates: joint) without loops, drivers and quaternions")
    coordinates = system.coordinates[: system.n_c]
    missing = [name for name in ("time", *coordinates) if name not in table]
    unknown = [name for name in table if name not in ("time", *coordinates)]
    if missing or unknown:
        raise ValueError(f"the table lacks {', '.join(missing)}" if missing else f"the table has unknown columns {', '.join(unknown)}")
    times = np.ascontiguousarray(table["time"])
    if len(times) < FEWEST_ROWS or not (np.diff(times) > 0).all():
        raise ValueError(f"the table needs at least {FEWEST_ROWS} rows with increasing times")
    from scipy.interpolate import CubicSpline

    given = np.array([table[name] for name in coordinates]).T
    q = np.hstack([given, np.broadcast_to(states, (len(times), system.n_x))])
    spline = CubicSpline(times, given)
    v, a = np.ascontiguousarray(spline(times, 1)), np.ascontiguousarray(spline(times, 2))
    efforts = np.array([inverse_dynamics(system, t, *row) for t, *row in zip(times, q, v, a, strict=True)])
    return Motion(times, q, v, a, np.zeros((len(times), 0)), efforts)
