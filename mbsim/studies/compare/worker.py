"""One combination of method, integrator and step as a task: run to its end whatever happens, in this process or in one of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mbsim.results import Result
from mbsim.studies.compare.measures import SAME_TIME
from mbsim.studies.engine.task import Job
from mbsim.studies.engine.worker import Child, DiedError, Local, Worker

if TYPE_CHECKING:
    from mbsim.assembly import Assembly
    from mbsim.system.system import System

Points = tuple[tuple[float, str], ...]  # times, and what is wanted there

REPEAT_BUDGET = 20.0  # s of marching after which a combination is not repeated again
WARM_STEPS = 2  # of the run before the first that is timed: it loads or compiles what the combination needs


@dataclass(frozen=True)
class Source:
    """A model as text, so that another process can load it."""

    file: str
    text: str
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    simulation: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)  # blocks with their points, as read from files with the model

    def open(self) -> "Combinations":
        """Load it. Raises what loading and the assembly raise."""
        from mbsim import registry
        from mbsim.assembly import assemble
        from mbsim.model.load import load

        return Combinations(assemble(load(self.text, registry, self.parameters, self.simulation, self.file, self.tables)))

    def words(self, task: "Task | None") -> str:
        """As of `Job`."""
        return str(task)


@dataclass(frozen=True)
class Given:
    """An Assembly, or a System with its start (system, q, v), whose functions cannot be sent to another process."""

    source: "Assembly | WithStart"

    def open(self) -> "Combinations":
        """Assemble it."""
        from mbsim.assembly import assemble_system

        return Combinations(assemble_system(self.source[0], 0.0, *self.source[1:]) if isinstance(self.source, tuple) else self.source)

    def words(self, task: "Task | None") -> str:
        """As of `Job`."""
        return str(task)


@dataclass(frozen=True)
class Task:
    """One combination: the keywords for `simulate`, the number of repeats, and the labels wanted at given times."""

    settings: Mapping[str, Any]
    repeats: int = 1
    wanted: Points = ()


@dataclass
class Outcome:
    """The outcome of a task. `result` holds the rows up to a failure."""

    status: str  # done, stopped (before its end), failed or refused
    reason: str = ""
    result: Result | None = None
    march_times: list[float] = field(default_factory=list)  # s
    wall_times: list[float] = field(default_factory=list)  # s, of the whole call of `simulate`
    values: list[float] = field(default_factory=list)  # the wanted values; NaN if the run did not reach the time


WithStart = tuple["System", ArrayLike, ArrayLike]
Labels = tuple[list[str], list[str]]  # of the coordinates and of the speeds


class Combinations:
    """An assembled model at work on combinations."""

    def __init__(self, made: "Assembly") -> None:
        self._made = made

    def run(self, task: Task | None) -> "Outcome | Labels":
        """Run a combination. None asks for the labels of the system, without its states."""
        system = self._made.system
        return (system.coordinates[: system.n_c], system.speeds) if task is None else execute(self._made, task)

    def cancel(self) -> None:
        """Nothing: a worker of combinations is stopped with its process."""


class Runner:
    """Runs tasks of one model by a worker."""

    def __init__(self, worker: "Worker[Task | None, Outcome | Labels]") -> None:
        self.worker = worker

    def open(self) -> Labels:
        """Assemble the model. Raises what the assembly raises, DiedError."""
        try:
            labels = self.worker.run(None)
        except DiedError as error:
            raise DiedError(f"assembling the model: {error}") from None
        assert not isinstance(labels, Outcome)
        return labels

    def run(self, task: Task) -> Outcome:
        """Never raises."""
        try:
            outcome = self.worker.run(task)
            assert isinstance(outcome, Outcome)
        except DiedError as error:
            return Outcome("failed", str(error))
        except Exception as error:
            return Outcome("failed", f"{type(error).__name__}: {error}")
        return outcome

    def close(self) -> None:
        """Release its resources."""
        self.worker.close()


def in_process(source: "Assembly | WithStart") -> Runner:
    """A runner of an Assembly, or of a System with its start, in this process. A crash or a hang then affects the caller."""
    return Runner(Local(Given(source)))


def isolated(source: "Job[Task | None, Outcome | Labels]", timeout: float) -> Runner:
    """A runner in a child process, which is replaced if it dies, or takes longer than `timeout` (s) for one task."""
    return Runner(Child(source, timeout))


def simulate(made: "Assembly", **settings: Any) -> Result:
    """mbsim.simulate without the options that the file gives to its own method, so that a row means the same for every model."""
    from dataclasses import replace

    from mbsim.analyses.dynamic import simulate as run
    from mbsim.march.settings import Asked

    if made.simulation is not None and made.simulation.options:
        made = replace(made, simulation=replace(Asked.of(made.simulation), options={}))
    return run(made, **settings, allow_wrong=True)


def execute(made: "Assembly", task: Task) -> Outcome:
    """Run a task to its end, whatever happens."""
    from mbsim.march.ending import SimulationError

    outcome = Outcome("done", values=[float("nan")] * len(task.wanted))
    settings = dict(task.settings)
    try:
        simulate(made, **{**settings, "end": made.start + WARM_STEPS * settings["step"]})
        began = perf_counter()
        for repeat in range(task.repeats):
            result = simulate(made, **settings)
            outcome.result = outcome.result or result
            outcome.march_times.append(float(result.attributes["march_time"]))
            outcome.wall_times.append(float(result.attributes["wall_time"]))
            if perf_counter() - began > REPEAT_BUDGET and repeat < task.repeats - 1:
                break
        for index, (time, name) in enumerate(task.wanted):
            outcome.values[index] = _value_at(made, settings, outcome.result, time, name)
    except SimulationError as error:
        outcome.status, outcome.reason, outcome.result = "stopped", str(error), outcome.result or error.result
    except ValueError as error:
        outcome.status, outcome.reason = "refused", str(error)
    except Exception as error:
        # A failure of one combination, in a method or in a user's function, must not affect the others.
        outcome.status, outcome.reason = "failed", f"{type(error).__name__}: {error}"
    return outcome


def _value_at(made: "Assembly", settings: dict[str, Any], result: Result | None, time: float, name: str) -> float:
    """A label at a time. If the result has no row there, a run that ends there gives it. NaN if the run does not reach the time."""
    assert result is not None
    near = SAME_TIME * max(abs(float(result.time[-1] - result.time[0])), 1e-300)
    if time > result.time[-1] + near:
        return float("nan")
    row = int(abs(result.time - time).argmin())
    if abs(result.time[row] - time) > near:
        result = simulate(made, **{**settings, "end": time})
        row = len(result.time) - 1
    return float(value_of(result, name)[row])


def value_of(result: Result, name: str) -> np.ndarray:
    """(time,) of the quantity of a published value: a coordinate, a speed, der(a speed), an energy, variable.label.component."""
    if name in result.labels("coordinate"):
        return result.select("q", name)
    if name in result.labels("state"):
        return result.select("states", name)
    if name in result.labels("speed"):
        return result.select("v", name)
    if name.startswith("der(") and name[4:-1] in result.labels("speed"):
        return result.select("acceleration", name[4:-1])
    variable, _, rest = name.partition(".")
    return result.select(variable, *(rest.rsplit(".", 1) if variable.startswith("joint_") else [rest] * bool(rest)))


def read_text(path: Path) -> str:
    """The text of a model file, decoded as by the loader."""
    from mbsim.model.file.positions import MAX_BYTES, decode

    with path.open("rb") as stream:
        return decode(stream.read(MAX_BYTES + 1), str(path))
