"""Where events of contacts crowd, steps go through them for a while (`mbsim.march.moreau`), and hand back when it is quiet.

Events that come ever closer, as those of a ball that comes to rest, are left to their `closing_speed`. Steps take over where many events
follow each other within one mean step and do not come closer, and where a run would end because events have no end. Windows that follow
each other closely have longer steps each time, so that a run gets on.
"""

from collections import deque

from mbsim.assembly import Assembly
from mbsim.elements.kinds import BEAM, MODAL
from mbsim.march.ending import join_names
from mbsim.march.settings import Settings
from mbsim.march.through import Through

MANY = 100  # events in one mean step
CLOSER = 0.5  # of the time of the first half of them: the second half takes less where they come closer
PARTS = 20.0  # steps in a mean step of the integrator
LONGER = 4.0  # the steps of a window that follows another closely
CLOSELY = 10.0  # windows: within so many of its lengths
REFUSED = 12  # times in a row that a window cannot end


def through_contacts(made: Assembly, settings: Settings) -> Through | None:
    """How all of a run goes through contacts; None where events are located. Raises ValueError for what steps do not know."""
    if settings.impacts != "steps":
        return None
    if made.unilaterals is None or made.events is None:
        raise ValueError("impacts: steps is for models with stops, contacts or dry friction, and this one has none: leave it out")
    if unknown := _unknown(made):
        raise ValueError(f"impacts: steps does not know {unknown}: take `impacts: events`")
    return Through(settings.step, False, settings.impact_law)


def _unknown(made: Assembly) -> str:
    """What of a model steps do not know; empty where they know all."""
    if made.system.units is not None:
        return "units for model exchange"
    if made.system.samples is not None:
        return "states that are held between samples"
    assert made.events is not None and made.unilaterals is not None
    if resists := [one.name for one in made.unilaterals.each if one.of]:
        return f"contacts that resist rolling or drilling ({resists[0]})"
    if wrapped := [one.name for one in made.unilaterals.each if any(group.wrap is not None for group in one.groups)]:
        return f"friction of a cable on a circle ({wrapped[0]})"
    own = zip(made.events.events, made.events.solved, strict=True)
    watching = [event.name for event, solved in own if solved and not event.do.unilateral]
    return f"events that watch forces or accelerations ({join_names(watching)})" if watching else ""


class Windows:
    """Of one run."""

    def __init__(self, made: Assembly, settings: Settings) -> None:
        """Of a run with contacts."""
        stiff = {BEAM, MODAL} & set(made.system.arrays.loads[:, 0])  # beams and elastic parts: steps, which are explicit, are unstable
        self.may = settings.impacts == "auto" and settings.simultaneous and not stiff and not _unknown(made)
        self._settings = settings
        self.restart()

    def restart(self) -> None:
        """Begin as before the first window."""
        self.count = self._refused = 0
        self._times = deque[float](maxlen=MANY + 1)
        self._ended, self._length, self._step = -float("inf"), 0.0, 0.0  # of the last window, s
        self._begun, self._took, self._open = self._settings.start, 0.0, False

    def crowded(self, at: float, steps: int) -> str:
        """Why steps take over at an event at `at`, after so many steps of the run; empty where they do not."""
        if not self.may:
            return ""
        times = self._times
        times.append(at)
        if len(times) <= MANY or times[-1] - times[0] >= self.mean(at, steps):
            return ""
        middle = times[MANY // 2]
        if times[-1] - middle < CLOSER * (middle - times[0]):
            return ""
        return f"{MANY} events within {times[-1] - times[0]:.3g} s"

    def mean(self, at: float, steps: int) -> float:
        """The mean step (s) of a run that has taken so many up to `at`."""
        return (at - self._settings.start) / max(1, steps)

    def begin(self, at: float, steps: int) -> Through:
        """A window from `at` on."""
        settings = self._settings
        step = settings.step
        if settings.controls_error:
            step = min((self.mean(at, steps) or settings.step) / PARTS, settings.step)
        if self._open or at - self._ended <= CLOSELY * self._length:
            step = max(step, min(LONGER * self._step, settings.interval))
        if not self._open:
            self._begun, self._open = at, True
            self.count += 1
        self._step = step
        self._times.clear()
        return Through(step, True, settings.impact_law)

    def end(self, at: float) -> None:
        """The window has ended."""
        self._ended, self._length, self._refused = at, at - self._begun, 0
        self._took, self._open = self._took + self._length, False

    def notes(self, at: float) -> list[str]:
        """What is to be said at the end of the run, at `at`."""
        if not self.count:
            return []
        took = self._took + (at - self._begun if self._open else 0.0)
        often = f"{self.count} time{'s' * (self.count != 1)}"
        return [f"where events of contacts crowd, steps of order one took over {often}, for {took:.3g} s in all: see the table of events"]

    def refused(self) -> bool:
        """A window could not end where it was to; whether it may be tried again."""
        self._refused += 1
        return self._refused < REFUSED
