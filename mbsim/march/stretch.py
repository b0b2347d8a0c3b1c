"""The parts of a run that belong to one system. A run has another one wherever joints, drivers or constraints come and go."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from mbsim import contracts
from mbsim.assembly import Assembly
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.diagnosis.redundancy import redundancy
from mbsim.march.between import Following
from mbsim.march.conditioning import Conditioning, Other
from mbsim.march.estimate import ErrorEstimate
from mbsim.march.events import Events, Snapshot, with_events
from mbsim.march.formulation import Formulation, formulate
from mbsim.march.kernels import Stepper, stepper
from mbsim.march.passages import Passages
from mbsim.march.pieces import Interrupts, March
from mbsim.march.precision import Precision
from mbsim.march.settings import Settings
from mbsim.march.soundness import Soundness
from mbsim.system.system import Floats

SAME = 1e-9  # s: singular positions nearer to each other in time are one


class Watch(NamedTuple):
    """What looks at the recorded rows of a stretch."""

    soundness: Soundness
    conditioning: Conditioning
    estimate: ErrorEstimate | None  # None where the integrator controls the error


class Stretch:
    """A system as a run marches it from a state at one time (s) on."""

    def __init__(self, made: Assembly, settings: Settings, interrupts: Interrupts, dense: bool = False, other: Other | None = None) -> None:
        """It begins at the start of `made`; `dense` and `other` as of `mbsim.analyses.dynamic.Run`. Raises ValueError for a method or a
        basis that the system does not take."""
        system, looking = with_events(made.system, settings, made.parameters, made.events)
        self.found = redundancy(made.system, made.start, made.q)
        if named := settings.options.get("basis"):
            from mbsim.march.chosen_basis import require_basis

            require_basis(made.system, str(named), made.start, made.q, self.found)
        self._settings, self._steps = settings, stepper(settings, system)
        self.formulation = formulate(system, settings)
        new_march = partial(March.of_run, self.formulation, self._steps, settings, interrupts)
        self.march = new_march()
        self.events = Events(self.formulation, new_march, looking, settings.stop, made.events)
        self._fresh = Snapshot(self.formulation.work, np.zeros(0))
        self._observing: list[contracts.Work] = []
        self.last_row = np.zeros((1, self.formulation.width))  # which a quick march fills, always the same array
        self._begin(made, other)
        self.following = Following(self.formulation, self._steps, settings, dense)

    def _begin(self, made: Assembly, other: Other | None = None) -> None:
        """Look at the run from its state in `made` on, whose system this is."""
        self.made, system, settings = made, self.formulation.system, self._settings
        self.precision = Precision(self.formulation, settings, made.q)
        self.monitor = RankMonitor(system, settings.end)
        self.monitor.begin(made.start, made.q, self.found.rank)
        begun = replace(settings, start=made.start)
        self.passages = Passages(self.formulation, begun, self.found.rank, self.monitor, self.march.try_step)
        self.march.lands, self.events.goes_on = self.passages.lands, self._passes
        self.march.pauses = self.events.take_notes
        self.watch = Watch(
            Soundness(system, made.start, self.precision, self.monitor),
            Conditioning(system, settings, other),
            error_estimate(self.formulation, settings, self._steps, self.found.degrees_of_freedom),
        )

    def begins_again(self, made: Assembly) -> bool:
        """Whether it goes on from another state, with the numbers of another system that has the same rows."""
        mine = self.made.system.arrays
        if any(array.shape != new.shape for array, new in zip(mine, made.system.arrays, strict=True)):
            return False
        for array, new in zip(mine, made.system.arrays, strict=True):
            array[...] = new
        self._fresh.restore()
        self.march.begin_anew()
        self.found = redundancy(self.made.system, made.start, made.q)
        self._begin(replace(made, system=self.made.system))
        return True

    def observing(self, k: int) -> contracts.Work:
        """The work arrays of observer k of the run."""
        while len(self._observing) <= k:
            self._observing.append(self.formulation.beside(self._settings).work)
        return self._observing[k]

    def _passes(self, at: float, z: Floats) -> bool:
        """Whether a march that locates an event goes on from z at `at`, through a singular position, which is noted once."""
        known = len(self.monitor.changes)
        found = self.passages.resumes(at, z) or self.passages.crosses(at, z)
        new, times = self.monitor.changes[known:], [change.time for change in self.monitor.changes[:known]]
        self.monitor.changes[known:] = [change for change in new if all(abs(change.time - t) > SAME for t in times)]
        return found

    def follow(self, before: "Stretch") -> None:
        """Go on counting where the stretch before ended."""
        work, its = self.formulation.work, before.formulation.work
        work.counts[:] = its.counts
        kept = [contracts.EVENT_ACTIVE, contracts.EVENT_LARGEST, contracts.EVENT_FASTEST]
        work.events[:, kept] = its.events[:, kept]
        self.march.time, self.march.cpu_time = before.march.time, before.march.cpu_time
        self.monitor.changes = before.monitor.changes
        self.following = before.following
        self.following.go_on(self.formulation, self._steps)


class Stretches:
    """Those of a run behind its first one, by what does not hold in them: rows that were seen before need no new system.

    The arrays of the first one are those of the assembly that was given, which other runs read. So it is not among them.
    """

    def __init__(self, settings: Settings, interrupts: Interrupts, dense: bool) -> None:
        self._new = partial(Stretch, settings=settings, interrupts=interrupts, dense=dense)
        self._known: dict[frozenset[str], Stretch] = {}

    def after(self, before: Stretch, made: Assembly) -> Stretch:
        """The one that goes on from the state in `made`. Raises ValueError as `Stretch`."""
        assert made.coming is not None
        known = self._known.get(made.coming.locks.open)
        if known is None or known is before or not known.begins_again(made):
            known = self._known[made.coming.locks.open] = self._new(made)
        known.follow(before)
        return known


def error_estimate(formulation: Formulation, settings: Settings, of: Stepper, freedoms: int) -> ErrorEstimate | None:
    """What estimates the error of a march with a fixed step; None where the integrator controls it, or where samples call Python."""
    twice = replace(settings, step=2.0 * settings.step)
    samples = formulation.system.samples
    if settings.controls_error or (samples is not None and samples.calls_python):  # they are called once a sample
        return None
    return ErrorEstimate(formulation.beside(twice), of, settings.step, freedoms)
