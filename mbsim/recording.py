"""The rows of a run on their way into its result: evaluated, looked at for what ends the run, judged and recorded."""

from pathlib import Path
from typing import Any

import numpy as np

from mbsim import jit
from mbsim.analysis.contradiction import first_contradiction
from mbsim.analysis.observe import Observer
from mbsim.analysis.ranks import RankMonitor
from mbsim.analysis.redundancy import Redundancy
from mbsim.assembly import Assembly
from mbsim.estimate import ErrorEstimate
from mbsim.marching import Interrupts
from mbsim.precision import Precision
from mbsim.quality import Quality
from mbsim.results import FileRecorder, Layout, MemoryRecorder, Result
from mbsim.settings import Settings
from mbsim.system.system import Floats, System
from mbsim.system.tables import blocks

ESTIMATE = "error_estimate"


class Stopped(Exception):
    """The run ends before its end; the reason, where it is not given, is in the work's status."""

    def __init__(self, reason: str = "", at: float | None = None) -> None:
        super().__init__(reason)
        self.at = at  # s: of the last row that is kept, where that is not the last accepted state


class Recording:
    """What becomes of the output rows of one run. `monitor` knows the rank of the constraints along the motion."""

    def __init__(
        self,
        system: System,
        work: jit.Work,
        made: Assembly,
        settings: Settings,
        found: Redundancy,
        precision: Precision,
        estimate: ErrorEstimate | None,
        interrupts: Interrupts,
    ) -> None:
        """`work` is the observer's own; `found` is the redundancy at the start."""
        self._system, self._made, self._settings, self._found = system, made, settings, found
        self._precision, self._estimate, self._interrupts = precision, estimate, interrupts
        self._observer = Observer(system, work, made.measures)
        self._quality = Quality()
        self.monitor = RankMonitor(system, settings.end)
        self._recorder: FileRecorder | MemoryRecorder

    def open(self, output: str | Path | None, count: int, force: bool) -> None:
        """Begin a result of `count` rows, in a file or in memory. Raises OSError."""
        system, made, settings = self._system, self._made, self._settings
        layout = Layout(
            system.name, system.coordinates, system.coordinate_units, system.speeds, system.speed_units, system.rows,
            system.bodies, [j.name for j in system.joints], [d.name for d in system.drivers], [d.unit for d in system.drivers],
            made.measures.series if made.measures is not None else {},
        )  # fmt: skip
        unique = self._observer.unique_reactions(settings.start, made.q, self._found)
        attributes = {name: getattr(settings, name) for name in Settings.__dataclass_fields__}
        attributes["versions"] = {"numba": jit.NUMBA_VERSION}
        static = {"joint_reaction_unique": unique, "multiplier_unique": self._found.unique}
        arguments = (layout, made.text, made.parameters, attributes, static, blocks(system))
        self._recorder = MemoryRecorder(*arguments) if output is None else FileRecorder(output, *arguments, count, force)

    def keep(self, times: Floats, rows: Floats) -> None:
        """Record output rows (k, width), as far as they are sound. Raises Stopped where the run ends with them.

        It ends before a row at which speeds contradict each other, and after one from which on the motion is not determined.
        """
        variables = self._observer.chunk(times, rows)
        k, stop = len(times), None
        try:
            self._interrupts.at_once = True
            if not self._interrupts.asked:
                k, stop = self._sound(times, rows, variables["residual_velocity"])
        except KeyboardInterrupt:  # looking through them takes long; they are kept as they are
            self._append(variables, None if self._estimate is None else np.full(len(times), np.nan))
            raise
        finally:
            self._interrupts.at_once = False
        if k < len(times):
            variables = {name: values[:k] for name, values in variables.items()}
        if k:
            self._append(variables, None if self._estimate is None else self._estimate.chunk(times[:k], rows[:k], variables))
            self._quality.chunk(variables)
        if stop is not None:
            raise stop

    def _append(self, variables: dict[str, Floats], estimate: Floats | None) -> None:
        if estimate is not None:
            variables[ESTIMATE] = estimate
        self._recorder.append(variables)

    def _sound(self, times: Floats, rows: Floats, residuals: Floats) -> tuple[int, Stopped | None]:
        """How many of the rows are kept, and why the run ends there, if it does."""
        k, far = self._precision.unresolved(rows[:, : self._system.n_q])
        begun = times[0] > self._settings.start
        if far and begun:
            times, rows = times[: k + 1], rows[: k + 1]
        n, (k, names) = len(times), first_contradiction(self._system, times, rows, residuals[: len(times)])
        self.monitor.chunk(times[:k], rows[:k])
        rest = self.monitor.rest
        if rest is not None:
            reason = f"the motion is not determined: it comes to rest on a singular position of {', '.join(rest.constraints)}"
            return int(np.searchsorted(times, rest.time, "right")), Stopped(reason, rest.time)
        if names:
            reason = f"the velocity constraints {', '.join(names)} contradict each other"
            return k, Stopped(reason, float(times[k - 1]) if k else None)
        return n, Stopped(far, float(times[-1])) if far and begun else None

    def close(self, status: str, ended: dict[str, Any]) -> None:
        """End the result; `ended` are attributes that are known at the end only."""
        if self.monitor.changes:
            ended |= {"rank_changes": self.monitor.as_dicts()}
        ended |= {"notes": [*self._made.notes, *self._quality.notes()], "warnings": self._quality.warnings()}
        self._recorder.close(status, ended)

    def result(self) -> Result:
        """What was recorded."""
        return self._recorder.result()
