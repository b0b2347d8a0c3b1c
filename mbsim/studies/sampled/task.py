"""What all runs of a study have in common, as plain data: a job, whose tasks are the values of batches of runs."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mbsim.jit.straight.emission import LANES
from mbsim.results.functionals import VECTOR, Floats
from mbsim.straight.forms import PROBES, LanesError, choose_form
from mbsim.studies.engine.journal import Batch, Histories
from mbsim.studies.runner.other_analyses import DYNAMIC
from mbsim.studies.runner.outcome import Outcome
from mbsim.studies.runner.runner import Runner

if TYPE_CHECKING:
    from mbsim.studies.runner.in_lanes import InLanes

AXES = "xyz"
CPU, CUDA = "cpu", "cuda"
DEVICES = (CPU, CUDA)  # that march the runs of a study
GOLDEN = 0.6180339887498949  # its multiples are spread evenly, and keep to no raster of a grid


class DeviceError(ValueError):
    """A study that the device which is asked for cannot run."""


@dataclass(frozen=True)
class Task:
    """What all runs of a study have in common."""

    text: str  # of the model file
    file: str
    vary: tuple[tuple[str, bool], ...]  # name and whether it is added
    outputs: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[str, float | str], ...] = ()
    simulation: tuple[tuple[str, Any], ...] = ()
    analysis: str = "dynamic"
    keep: tuple[str, ...] = ()
    every: int = 1
    alone: bool = False  # each run is marched by itself
    device: str = CPU  # one of DEVICES
    runs: int = 0  # how many there will be; 0: not known
    probes: tuple[tuple[float, ...], ...] = ()  # the values of some of them

    def of_many(self, runs: int, probes: Floats) -> Self:
        """The same, of so many runs, some of which (`spread`) have these values (k, n): they may go in lanes."""
        return replace(self, runs=runs, probes=tuple(map(tuple, probes.tolist())))

    @cached_property
    def key(self) -> str:
        """A hash of all of it but the place of the file and what the plan says."""
        plain = {
            name: value
            for name, value in {**asdict(self), "file": ""}.items()
            if name not in ("runs", "probes") and not (name == "device" and value == CPU)
        }
        return hashlib.sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()

    def open(self) -> "Batches":
        """A new runner that takes batches. Raises what `runner` raises."""
        return Batches(self)

    def words(self, values: Floats) -> str:
        """The values of the first run of a batch (runs, n)."""
        return str(values[0].tolist())

    def runner(self) -> Runner:
        """A new runner. Raises ModelError, PathError, ExpressionError, ValueError."""
        from mbsim.model.file.positions import read

        names = [name for name, _ in self.vary]
        return Runner(
            read(self.text, self.file), names, dict(self.outputs), parameters=dict(self.parameters), simulation=dict(self.simulation),
            analysis=self.analysis, add=[name for name, add in self.vary if add],
        )  # fmt: skip


def spread(runs: int) -> list[int]:
    """Some of so many runs, the first among them, all over the study: neighbours on a grid differ by one number alone."""
    return list(dict.fromkeys(int(k * GOLDEN % 1.0 * runs) for k in range(PROBES)))


class Batches:
    """A runner at work on batches."""

    def __init__(self, task: Task, runner: Runner | None = None) -> None:
        """`runner`: one of this task that is there already. Raises what `Task.runner` raises, and DeviceError."""
        self._task, self._runner = task, runner or task.runner()
        self._lanes: InLanes | None = None
        self.why_alone = ""  # why each run is marched by itself
        self.at_once = 1  # runs that are marched together
        if task.device == CUDA:
            self._lanes = self._find_gpu()
            return
        if task.alone or task.runs < 2:
            self.why_alone = (
                "it is asked for" if task.alone else "how many there will be is not known" if task.runs == 0 else "there is one"
            )
            return
        try:
            self._lanes, self.at_once = self._find_lanes(), LANES
        except LanesError as error:
            self.why_alone = str(error)

    def _find_lanes(self) -> "InLanes":
        """Raises LanesError."""
        task, runner = self._task, self._runner
        if not runner.in_place:
            raise LanesError(runner.why_anew or "runs are not marches")
        choose_form(runner.made.system, runner.settings, task.runs)
        from mbsim.studies.runner.in_lanes import InLanes  # it compiles

        return InLanes(runner, np.array(task.probes).reshape(len(task.probes), len(task.vary)), task.runs)

    def _find_gpu(self) -> "InLanes":
        """Raises DeviceError."""
        task, runner = self._task, self._runner
        try:
            if task.alone:
                raise LanesError("`alone: true` marches each run by itself")
            if not task.probes:
                raise LanesError("how many runs there will be is not known; a GPU takes grids and samples")
            if not runner.in_place:
                raise LanesError((runner.why_anew if runner.analysis == DYNAMIC else "") or "runs are not marches")
            from mbsim.studies.runner.on_gpu import OnGpu

            found = OnGpu(runner, np.array(task.probes).reshape(len(task.probes), len(task.vary)), task.runs)
        except LanesError as error:
            raise DeviceError(f"the study does not run by CUDA: {error}") from None
        self.at_once = found.at_once
        return found

    def run(self, values: Floats) -> Batch:
        """The runs with these values (runs, n), in their order. Raises DeviceError."""
        task, runner = self._task, self._runner
        keep = ("t", *task.keep) if task.keep else ()
        runner.keeps_result = False
        try:
            outcomes: list[Outcome] = (self._lanes or runner).run_many(values, keep)
        except LanesError as error:  # of a GPU
            raise DeviceError(f"the study does not go on by CUDA: {error}") from None
        finally:
            runner.keeps_result = True
        histories = _histories(task, runner, outcomes) if task.keep else None
        return Batch(
            np.array([outcome.values for outcome in outcomes]).reshape(len(values), len(task.outputs)),
            np.array([outcome.failed for outcome in outcomes], bool),
            [outcome.reason for outcome in outcomes],
            sum(outcome.anew for outcome in outcomes),
            histories,
        )

    def cancel(self) -> None:
        """End the run that another thread makes, and let none follow."""
        self._runner.cancel()


def labels_of(task: Task, runner: Runner) -> dict[str, str]:
    """The labels of the histories that are kept, with their units: a vector has three. Raises FunctionalError."""
    found: dict[str, str] = {}
    names = runner.names()
    for name in task.keep:
        quantity = names.find(name)
        of_vector = quantity.kind == VECTOR
        found |= dict.fromkeys([f"{name}:{axis}" for axis in AXES] if of_vector else [name], quantity.units)
    return found


def times_of(task: Task, runner: Runner) -> Floats:
    """The times of the rows that are kept, s."""
    from mbsim.march.output_times import OutputTimes

    settings = runner.settings
    times = OutputTimes(settings.start, settings.end, settings.interval)
    return times.between(0, times.intervals)[:: task.every]


def _histories(task: Task, runner: Runner, outcomes: list[Outcome]) -> Histories:
    """At the times that all runs share; a run that ended before, or has rows at other times, has NaN there."""
    times, labels = times_of(task, runner), labels_of(task, runner)
    values = np.full((len(outcomes), len(times), len(labels)), np.nan)
    for run, outcome in enumerate(outcomes):
        if outcome.failed:
            continue
        mine = outcome.wanted["t"][:: task.every]
        k = min(len(mine), len(times))
        same = np.flatnonzero(np.abs(mine[:k] - times[:k]) <= 1e-9 * max(1.0, abs(float(times[-1]))))
        columns = [outcome.wanted[name][:: task.every].reshape(len(mine), -1) for name in task.keep]
        values[run, same] = np.concatenate(columns, axis=1)[same]
    return Histories(times, values)


def list_outputs(outputs: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Outputs as plain data."""
    return tuple((name, str(text)) for name, text in outputs.items())
