"""A checked study: what runs, with which values, and what is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mbsim.model.file.positions import Document
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.blocks import Fit, Optimize, Sensitivity, Varied
from mbsim.studies.sampled.sampling import Plan
from mbsim.studies.sampled.task import DEVICES, Batches, DeviceError, Task


@dataclass(frozen=True)
class Study:
    """See the module. `units` are those of the outputs, `labels` those of the histories that are kept, with their units."""

    title: str
    task: Task
    plan: Plan
    varied: Mapping[str, Varied]
    runner: Runner  # of the thread that read it
    units: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    optimize: Optimize | None = None
    fit: Fit | None = None
    sensitivity: Sensitivity | None = None
    text: str = ""  # of the study file
    file: str = ""
    document: Document | None = None

    @property
    def names(self) -> list[str]:
        """What varies."""
        return list(self.varied)

    @cached_property
    def batches(self) -> Batches:
        """The runs of the thread that read it."""
        return Batches(self.task, self.runner)

    def on(self, device: str) -> "Study":
        """The same on one of `task.DEVICES`. Raises DeviceError where it does not run there."""
        if device == self.task.device:
            return self
        if device not in DEVICES:
            raise DeviceError(f"unknown device '{device[:60]}'; allowed: {', '.join(DEVICES)}")
        if any((self.optimize, self.fit, self.sensitivity)):
            raise DeviceError("optimisations, fits and sensitivities do not run by CUDA: a GPU takes grids and samples")
        found = replace(self, task=replace(self.task, device=device))
        _ = found.batches  # says what is wrong
        return found

    @property
    def folder(self) -> Path:
        """At which relative paths begin."""
        return Path(self.file).parent

    def identity(self) -> dict[str, Any]:
        """What decides every number of the study, as plain data: a study that is resumed has the same."""
        axes = {self.names[k]: list(axis.values) for k, axis in self.plan.axes.items()}
        drawn = {
            self.names[k]: [d.name, [list(pair) for pair in d.parameters], repr(d.low), repr(d.high)]
            for k, d in self.plan.distributions.items()
        }
        sampling = self.plan.sampling
        return {"task": self.task.key, "axes": axes, "distributions": drawn, "sampling": [sampling.kind, sampling.count, sampling.seed]}
