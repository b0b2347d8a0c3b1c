"""What a prescribed motion tells: efforts, reactions, the work of the drivers, and its variables.

    C' lam = M v_dot - h,   W_dot = power - lam' xi

W is integrated over the output times by cubic splines, an error of the fourth order in their distance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbsim.assembly import Assembly
from mbsim.diagnosis.extended_curve import least
from mbsim.diagnosis.redundancy import Redundancy, idle_multipliers, redundancy
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.march.formulation import allocate_for_observer
from mbsim.march.recording import Efforts, recorder
from mbsim.observe.observer import Observer
from mbsim.observe.quantities import Rows
from mbsim.results import Result
from mbsim.results.schema import Series
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.observe.measures import Measures

FEWEST_ROWS = 4  # of a cubic spline whose ends take the neighbouring cubic
OF_NO_WORK = ("energy_work", "energy_balance")  # variables that are left out where the work is not known


@dataclass(frozen=True)
class Motion:
    """A prescribed motion at some times: output rows' parts."""

    times: Floats  # (k,)
    q: Floats  # (k, n_q)
    v: Floats  # (k, n_v)
    a: Floats  # (k, n_v)
    lam: Floats  # (k, m)
    efforts: Floats | None = None  # (k, n_v) of a table

    def rows(self, work: Floats) -> Floats:
        """Output rows (k, n_q + 2 n_v + m + 1) with the work (k,)."""
        return np.hstack([self.q, self.v, self.a, self.lam, work[:, None]])


def observer(system: System, measures: "Measures | None" = None, whole: System | None = None) -> Observer:
    """An observer of a system that no method solves; arguments as of Observer."""
    return Observer(system, allocate_for_observer(system), measures, whole)


def multipliers(system: System, t: float, q: Floats, v: Floats, a: Floats) -> Floats:
    """lam (m,) with C' lam = M a - h, the shortest; of redundant drivers, those whose efforts have the least sum of squares."""
    M, h, C, _, _, _ = system.terms(t, q, v)
    lam = least(C.T, M @ a - h, RANK_TOLERANCE)
    driven = [driver.row for driver in system.drivers]
    if not driven or len(C) <= C.shape[1]:
        return lam
    idle = np.linalg.qr(idle_multipliers(system, t, q))[0]
    own = idle[driven]
    if not idle.size or np.abs(own).max(initial=0.0) < 1e-9:
        return lam
    lam = lam - idle @ least(own, lam[driven], RANK_TOLERANCE)
    _, sigma, V = np.linalg.svd(own)
    rest = idle @ V[int(np.sum(sigma > RANK_TOLERANCE * sigma[0])) :].T  # what leaves the efforts alone
    shortest: Floats = lam - rest @ (rest.T @ lam)
    return shortest


def tell_redundant_drivers(system: System, found: Redundancy) -> tuple[str, ...]:
    """What is said where drivers are redundant; nothing where they are not."""
    names = [driver.name for driver in system.drivers if not found.unique[driver.row]]
    if not names:
        return ()
    units = {driver.unit for driver in system.drivers if not found.unique[driver.row]}
    mixed = "; N and N m are counted alike" if len(units) > 1 else ""
    return (
        f"redundant actuation: the efforts of {', '.join(names)} share what the motion needs; those of the least sum of squares are "
        f"given{mixed}",
    )


def work(system: System, motion: Motion) -> Floats:
    """Of the non-conservative and driving forces since the first time (k,); NaN where the system has no energies."""
    if not system.has_energy:
        return np.full(len(motion.times), np.nan)
    power = np.zeros(len(motion.times))
    for k, t in enumerate(motion.times):
        _, _, _, xi, _, power[k] = system.terms(t, motion.q[k], motion.v[k])
        power[k] -= float(motion.lam[k] @ xi)
    if motion.efforts is not None:
        power += np.sum(motion.efforts * motion.v, axis=1)
    order = np.argsort(motion.times)
    found = np.zeros(len(power))
    found[order] = _integral(motion.times[order], power[order])
    since: Floats = found - found[0]
    return since


def _integral(times: Floats, values: Floats) -> Floats:
    """Of the values (k,) from the first time to each."""
    from scipy.integrate import cumulative_trapezoid
    from scipy.interpolate import CubicSpline

    if len(times) < FEWEST_ROWS or not np.isfinite(values).all():
        return np.asarray(cumulative_trapezoid(values, times, initial=0.0))
    return np.asarray(CubicSpline(times, values).antiderivative()(times))


def variables(made: Assembly, motion: Motion) -> dict[str, Floats]:
    """The variables of a run and the measures (k, ...); without the energies that are not known."""
    found = observer(made.system, made.measures, made.whole).chunk(motion.times, motion.rows(work(made.system, motion)))
    if motion.efforts is not None:
        found["driver_effort"] = motion.efforts
    return {name: values for name, values in found.items() if name not in OF_NO_WORK or not np.isnan(values).all()}


def record(
    made: Assembly,
    motion: Motion,
    output: str | Path | None,
    force: bool,
    attributes: Mapping[str, object],
    notes: Sequence[str] = (),
    *,
    efforts: Efforts | None = None,
    series: Mapping[str, tuple[Series, Floats]] | None = None,
    facts: Mapping[str, object] | None = None,
    failure: str = "",
) -> Result | None:
    """The result of a motion, in the file `output` or in memory; None of a motion without rows. Raises OSError.

    `series` are further variables by name, `facts` further attributes; `failure` says why the motion ended early.
    """
    system, series = made.system, series or {}
    if not len(motion.times):
        return None
    first, last = float(motion.times[0]), float(motion.times[-1])
    found = redundancy(system, first, motion.q[0])
    given = {"integrator": "none", "start": first, "end": last, **attributes}
    further = {name: kind for name, (kind, _) in series.items()}
    recorded = recorder(
        made, observer(system), found, (first, motion.q[0]), given, output, len(motion.times), force, efforts=efforts, further=further
    )
    status = "failed"
    try:
        recorded.append({**variables(made, motion), **{name: values for name, (_, values) in series.items()}})
        status = "failed" if failure else "complete"
    finally:
        said: dict[str, object] = {"notes": [*made.notes, *tell_redundant_drivers(system, found), *notes], **(facts or {})}
        said |= {"warnings": list(made.warnings)} if made.warnings else {}
        said |= {"failure": failure} if failure else {}
        recorded.close(status, {"counts": {}, "wall_time": 0.0, **said})
    return recorded.result()


def rows_of(system: System, motion: Motion) -> Rows:
    """What is observed of a motion."""
    found = observer(system).chunk(motion.times, motion.rows(np.zeros(len(motion.times))))
    return Rows(found, {})
