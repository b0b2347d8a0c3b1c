"""Runs one combination at a time, isolated in a separate process that is replaced if it dies or takes too long, or in this process.

The process is a plain child that reads tasks from its stdin and writes outcomes to its stdout, as pickles between the two of us.
Python's process pools are not suitable: they run the caller's script again in the child, which fails for a script without a `__main__`
guard, and a pool whose child was killed is broken.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import IO, Any, Protocol

from mbsim.results import Result
from mbsim.studies.compare.measures import SAME_TIME

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


@dataclass(frozen=True)
class Task:
    """One combination: the keywords for `simulate`, the number of repeats, and the labels wanted at given times."""

    settings: Mapping[str, Any]
    repeats: int = 1
    wanted: tuple[tuple[float, str], ...] = ()


@dataclass
class Outcome:
    """The outcome of a task. `result` holds the rows up to a failure."""

    status: str  # done, stopped (before its end), failed or refused
    reason: str = ""
    result: Result | None = None
    march_times: list[float] = field(default_factory=list)  # s
    wall_times: list[float] = field(default_factory=list)  # s, of the whole call of `simulate`
    values: list[float] = field(default_factory=list)  # the wanted values; NaN if the run did not reach the time


Labels = tuple[list[str], list[str]]  # of the coordinates and of the speeds


def labels(system: Any) -> Labels:
    """Those of a system, without its states."""
    return system.coordinates[: system.n_c], system.speeds


class DiedError(RuntimeError):
    """The process died, or was too slow, before it could assemble the model."""


class Runner(Protocol):
    """Runs tasks of one model."""

    def open(self) -> Labels:
        """Assemble the model. Raises what the assembly raises."""

    def run(self, task: Task) -> Outcome:
        """Never raises."""

    def close(self) -> None:
        """Release its resources."""


class InProcess:
    """Runs in this process, for a System, whose functions cannot be sent to another. A crash or a hang then affects the caller."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._made: Any = None

    def open(self) -> Labels:
        """Assemble the model."""
        self._made = _assembled(self._source)
        return labels(self._made.system)

    def run(self, task: Task) -> Outcome:
        """Run here."""
        return execute(self._made, task)

    def close(self) -> None:
        """Nothing to release."""


class Process:
    """Runs in a child process, one for all tasks of a model. A child that died or was too slow is replaced at the next task."""

    SERVE = "from mbsim.studies.compare.worker import serve; serve()"  # what the child runs

    def __init__(self, source: Source, timeout: float) -> None:
        self._source, self.timeout = source, timeout  # s, for one task
        self._child: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[Any] = queue.Queue()

    def open(self) -> Labels:
        """Start the child and let it assemble the model."""
        answer = self._ask(None)
        if isinstance(answer, Outcome):  # it died
            raise DiedError(f"assembling the model: {answer.reason}")
        if isinstance(answer, BaseException):
            raise answer
        labels: Labels = answer
        return labels

    def run(self, task: Task) -> Outcome:
        """Run in the child."""
        answer = self._ask(task)
        return answer if isinstance(answer, Outcome) else Outcome("failed", f"{type(answer).__name__}: {answer}")

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for stream in (self._child.stdin, self._child.stdout):
                if stream is not None:
                    stream.close()
            self._child = None

    def _ask(self, task: Task | None) -> Any:
        if self._child is None:
            self._start()
        assert self._child is not None and self._child.stdin is not None
        try:
            pickle.dump(task, self._child.stdin)
            self._child.stdin.flush()
            answer = self._answers.get(timeout=self.timeout)
        except queue.Empty:
            answer = Outcome("failed", f"not finished after {self.timeout:g} s, the limit")
            self.close()
        except OSError:  # the child closed its end
            answer = None
        if answer is None:
            answer = Outcome("failed", self._obituary())
            self.close()
        return answer

    def _start(self) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        self._child = subprocess.Popen(
            [sys.executable, "-c", self.SERVE],
            env={**os.environ, "PYTHONPATH": paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._answers = queue.Queue()
        threading.Thread(target=_listen, args=(self._child.stdout, self._answers), daemon=True).start()
        assert self._child.stdin is not None
        pickle.dump(self._source, self._child.stdin)

    def _obituary(self) -> str:
        assert self._child is not None
        code = self._child.wait()
        if code >= 0:
            return f"its process ended with exit code {code}"
        try:
            return f"its process was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"its process was ended by signal {-code}"


def _listen(stream: IO[bytes], answers: "queue.Queue[Any]") -> None:
    """Pass on the answers of the child; None when it is gone."""
    try:
        while True:
            answers.put(pickle.load(stream))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # ValueError: closed meanwhile
        answers.put(None)


def serve() -> None:
    """The child: reads a Source, then tasks, from stdin and writes an answer for each to stdout. None asks to assemble the model."""
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends the child
    source, made = pickle.load(stdin), None
    while True:
        try:
            task = pickle.load(stdin)
        except EOFError:  # the parent is gone
            return
        answer: Any = None
        try:
            made = made or _assembled(source)
            answer = labels(made.system) if task is None else execute(made, task)
        except Exception as error:
            # A model that cannot be assembled, or a bug: the parent must be told in any case.
            answer = error
        try:
            said = pickle.dumps(answer)
        except Exception:  # an exception of any class may not be picklable
            said = pickle.dumps(RuntimeError(f"{type(answer).__name__}: {answer}"))
        stdout.write(said)
        stdout.flush()


def _assembled(source: Any) -> Any:
    """The Assembly of a Source, an Assembly, or a System with its start (system, q, v)."""
    from mbsim import registry
    from mbsim.assembly import Assembly, assemble, assemble_system
    from mbsim.model.load import load

    if isinstance(source, tuple):
        return assemble_system(source[0], 0.0, *source[1:])
    if isinstance(source, Assembly):
        return source
    given = {"parameters": source.parameters, "simulation": source.simulation, "tables": source.tables}
    return assemble(load(source.text, registry, file=source.file, **given))


def simulate(made: Any, **settings: Any) -> Result:
    """mbsim.simulate without the options that the file gives to its own method, so that a row means the same for every model."""
    from dataclasses import replace

    from mbsim.analyses.dynamic import simulate as run
    from mbsim.march.settings import Asked

    if made.simulation is not None and made.simulation.options:
        made = replace(made, simulation=replace(Asked.of(made.simulation), options={}))
    return run(made, **settings, allow_wrong=True)


def execute(made: Any, task: Task) -> Outcome:
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


def _value_at(made: Any, settings: dict[str, Any], result: Result | None, time: float, name: str) -> float:
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


def value_of(result: Result, name: str) -> Any:
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
