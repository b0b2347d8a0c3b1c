"""A unit whose integrator is the importer's (model exchange): its states, and the calls that give it rates, constraints and samples.

The states are z = [speeds; coordinates and states; work] of a method that keeps the speeds themselves. The work is one where it is shown.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim import contracts
from mbsim.analyses.stepping import Inside, Stepper
from mbsim.assembly import assemble
from mbsim.contracts import ARRAYS, SYSTEM, WORK
from mbsim.formulations import AS_THEY_ARE, MANY_BODIES, Traits
from mbsim.jit import Kernel
from mbsim.model.names import der
from mbsim.programs.memory import Call
from mbsim.programs.outputs import NotExportedError
from mbsim.results.schema import per_second
from mbsim.system.system import Floats, System

if TYPE_CHECKING:
    from mbsim.model.schema import Model

TOLERANCE = 1e-5  # of coordinates and speeds over their nominal values: where no tolerance is given, corrections up to it wait
WORK_DONE = "energy_work"


class State(NamedTuple):
    """A continuous state, or the rate of one."""

    name: str
    unit: str  # UDUNITS spelling, `1` where there is none
    place: int  # in z, or in z_dot


@dataclass(frozen=True)
class Exchange:
    """What model exchange adds to a unit. N numbers of z, the work among them."""

    states: list[State]
    derivatives: list[State]  # in the same order
    rates: Call
    accept: Call  # z onto the constraints
    sample: Call | None  # the held states that are due
    z_dot: Floats  # (N,)
    kept: Floats  # (N,) scratch: z before a correction that is only tried
    nominals: Floats  # (N,)
    table: Floats  # (k, SAMPLE_COLUMNS) when samples are taken


def suited(model: "Model", free: Collection[str], kind: str, settings: Mapping[str, Any]) -> Inside:
    """What a unit is made of, by a method that integrates the speeds v themselves.

    Other methods change their speeds when a basis turns, so that a solver outside would begin anew. Where nobody names a method, or the
    model's file names such a one and the unit takes no steps of its own, it is one of `AS_THEY_ARE`. Raises NotExportedError.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    if kind == "me" and "integrator" in given:
        raise NotExportedError("a unit for model exchange is integrated by its importer: leave the integrator out, or take --kind cs")
    of_file = _word("auto" if model.simulation is None else model.simulation.method)
    named = _word(given.get("method", "auto"))
    if named == "auto" and kind == "both":
        named = of_file
    if named not in ("auto", *AS_THEY_ARE):
        raise NotExportedError(
            f"the method {named!r} has other states than coordinates and speeds, or makes its own steps, which no solver outside does for "
            f"it: name one of {', '.join(AS_THEY_ARE)} (--method)"
        )
    if named == "auto" and of_file not in AS_THEY_ARE:
        given["method"] = _automatic(assemble(model).system)
    if kind == "me":
        given["integrator"] = "dop853"  # any: it is not written
    return Stepper(model, free, **given).inside()


def _word(method: object) -> str:
    """The name of a method without its options."""
    return str(method or "auto").partition("(")[0].strip()


def _automatic(system: System) -> str:
    traits = Traits.of(system)
    if traits.in_joint_coordinates:
        return "aba"
    return "cfa" if traits.bodies >= MANY_BODIES or traits.is_tree else "lagrange"


def exchange_of(inside: Inside, control: Floats, outputs: Sequence[str], like: Exchange | None = None) -> Exchange:
    """`control` begins with the time; `outputs` are the names of what is shown; `like` is that of the first phase, which others share.

    Raises NotExportedError for samples that call Python.
    """
    formulation = inside.formulation
    system, functions, work = formulation.system, formulation.functions, formulation.work
    time, z_dot = control[:1], np.zeros(formulation.size) if like is None else like.z_dot
    blocks = (SYSTEM, system.functions), (ARRAYS, system.arrays), (WORK, work)
    rates = Call(functions.rhs, (*blocks, time, inside.z, z_dot))
    accept = Call(functions.accept, (functions.project, functions.start, *blocks, time, inside.z))
    sample, table = _sample(system, inside, time, None if like is None else like.table)
    if like is not None:
        return replace(like, rates=rates, accept=accept, sample=sample)
    scales = work.state_scales
    nominals = np.where(np.isfinite(scales) & (scales > 0.0), scales, 1.0)
    states = _states(system, {WORK_DONE, der(WORK_DONE)} & set(outputs) != set())
    rate = [State(der(one.name), per_second(one.unit), one.place) for one in states]
    return Exchange(states, rate, rates, accept, sample, z_dot, np.zeros(formulation.size), nominals, table)


def _states(system: System, with_work: bool) -> list[State]:
    names = [*system.speeds, *system.coordinates, *[WORK_DONE] * with_work]
    units = [*system.speed_units, *system.coordinate_units, *["J"] * with_work]
    return [State(name, unit or "1", i) for i, (name, unit) in enumerate(zip(names, units, strict=True))]


def _sample(system: System, inside: Inside, time: Floats, table: Floats | None) -> tuple[Call | None, Floats]:
    """The call that gives held states their next values, and when it is due: a `table` that phases share."""
    samples = system.samples
    if samples is None:
        return None, np.zeros((0, contracts.SAMPLE_COLUMNS))
    if not isinstance(samples.function, Kernel):
        raise NotExportedError("a controller of the model is a Python function or solves the equations of motion, which no unit does")
    table = samples.table(inside.settings.start) if table is None else table
    n, n_q, row = system.n_v, system.n_q, inside.row[0]
    arguments = (ARRAYS, system.arrays), time, row[:n_q], row[n_q : n_q + n], table, inside.z[n : n + n_q]
    return Call(samples.function, arguments), table
