"""What a run tells of itself at its end: notes, warnings, why it failed, and facts for its result."""

from mbsim import contracts
from mbsim.assembly import Assembly
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.march.conditioning import note_of_jumps
from mbsim.march.corners import stepped_over
from mbsim.march.ending import Ending, Stopped
from mbsim.march.formulation import Formulation
from mbsim.march.gaining import gained
from mbsim.march.happenings import Happenings
from mbsim.march.output_times import OutputTimes
from mbsim.march.passages import Passages
from mbsim.march.pieces import March
from mbsim.march.ringing import ringing
from mbsim.march.settings import Settings
from mbsim.march.stretch import Stretch, Stretches
from mbsim.march.windows import Windows
from mbsim.system.sample_error import SampleError
from mbsim.system.system import Floats


class Telling:
    """A part of `mbsim.analyses.dynamic.Run`, whose attributes it reads."""

    made: Assembly
    settings: Settings
    formulation: Formulation
    z: Floats
    at: float
    _stretch: Stretch
    _stretches: Stretches
    _passages: Passages
    _times: OutputTimes
    _march: March
    _monitor: RankMonitor
    _happenings: Happenings
    _stopped: str
    _windows: Windows | None

    def _said(self) -> tuple[list[str], list[str]]:
        """Notes and warnings of rows and steps that are not what they seem, at the end."""
        notes, warnings = self._stretch.following.said()
        warnings += [*self._passages.said(), *gained(self._happenings.until(self.at))]
        jumps = note_of_jumps(self.made, self.settings)
        notes += filter(None, [stepped_over(self.formulation), ringing(self.formulation, self.settings, self.at), jumps])
        counts, step = self.formulation.work.counts, self.settings.step
        taken, cut = int(counts[contracts.COUNT_STEPS]), int(counts[contracts.COUNT_REJECTED])
        if not self.settings.controls_error and cut and taken > (planned := self._times.steps(step, self.at)):
            from mbsim.march.failures import in_parts

            start = (self.settings.start, self.made.q, self.made.v) if self.settings.explicit_steps else None
            notes.append(in_parts(self.formulation.system, step, cut, taken, planned, start))
        notes += self._stretches.told_of_steps(self._stretch)
        notes += [] if self._windows is None else self._windows.notes(self.at)
        return notes, warnings

    def _failure(self, stop: Stopped) -> Ending:
        """Why the run ended, in the user's names."""
        from mbsim.march.failures import blame, too_stiff

        cause = stop.cause if stop.cause is not None else self._raised()
        self.at = self.at if stop.at is None else stop.at
        named = cause is not None and not isinstance(cause, SampleError)  # units say themselves what they are
        reason = f"{type(cause).__name__}: {cause}" if named else str(cause or stop) or self._march.reason
        if not reason:
            reason = blame(self.formulation, self._step_before(), self.at, self.z, self._passages.refused)
            system = self.formulation.system
            if system.units is not None and (words := system.units.last_words(system.arrays.parameters)):
                reason += f"; {words}"
        slow = self.formulation.work.status[contracts.STATUS_CODE] in (contracts.NO_HEADWAY, contracts.STEP_TOO_SMALL)
        if cause is None and slow and (crowded := stepped_over(self.formulation)):
            reason += f"; {crowded}"
        if cause is None and (self.settings.explicit_steps or (self.settings.explicit and slow)):
            reason += too_stiff(self.formulation.system, self.settings.step, (self.settings.start, self.made.q, self.made.v))
        return Ending("failed", f"stopped at t = {self.at:.9g} s: {reason}", cause)

    def _step_before(self) -> float:
        """That of the run, s, or under error control the mean one so far, if it is shorter: nothing was looked at farther ahead."""
        step, steps = self.settings.step, int(self.formulation.work.counts[contracts.COUNT_STEPS])
        return min(step, (self.at - self.settings.start) / steps) if self.settings.controls_error and steps else step

    def _raised(self) -> BaseException | None:
        """What one of the user's callables raised since it was last asked for."""
        system = self.formulation.system
        error: BaseException | None = system.failure() if system.failure is not None else None
        return error

    def _facts(self, ending: Ending, took: float) -> dict[str, object]:
        """What is known of the run at its end only, for the result; `took` is in s."""
        counts = self.formulation.work.counts
        facts: dict[str, object] = {"counts": {name: int(counts[i]) for i, name in enumerate(contracts.COUNT_NAMES)}}
        facts |= {"wall_time": took, "march_time": self._march.time, "march_cpu_time": self._march.cpu_time, "end": self.at}
        if self._stopped:
            facts["stopped"] = self._stopped
        if events := self._happenings.until(self.at):
            facts["events"] = events
        if self._monitor.changes:
            facts["rank_changes"] = self._monitor.as_dicts()
        if not self.settings.controls_error:
            cut = bool(events) or self.formulation.system.samples is not None
            whole = cut and not counts[contracts.COUNT_REJECTED]  # locating an event takes steps, too
            facts["planned_steps"] = int(counts[contracts.COUNT_STEPS]) if whole else self._times.steps(self.settings.step, self.at)
        return facts | ({"failure": ending.failure} if ending.failure else {})
