"""How a run goes on with other rows, and how it hands over between events and steps through contacts."""

from dataclasses import replace

import numpy as np

from mbsim import contracts
from mbsim.assembly.assembled import Locking
from mbsim.march.ending import Crowd, Stopped
from mbsim.march.events import Events
from mbsim.march.formulation import Formulation
from mbsim.march.happenings import Happenings
from mbsim.march.pieces import March
from mbsim.march.recording import Recording
from mbsim.march.rows import LastRow, Rows
from mbsim.march.stretch import Stretch, Stretches
from mbsim.march.through import Through
from mbsim.march.windows import Windows
from mbsim.observe.observer import Observer
from mbsim.system.system import Floats


class Handing:
    """A part of `mbsim.analyses.dynamic.Run`, whose attributes it reads."""

    formulation: Formulation
    z: Floats
    at: float
    _stretch: Stretch
    _stretches: Stretches
    _events: Events
    _rows: Rows | LastRow
    _recording: Recording
    _observers: tuple[Observer, Observer]
    _happenings: Happenings
    _march: March
    _windows: Windows | None

    def _take(self, stretch: Stretch) -> None:
        """Go on with another stretch."""
        raise NotImplementedError

    def _begin_contacts(self) -> None:
        """Before the start no window is open."""
        through = self._stretch.through
        self._happenings.through, self._observers[1].contacts = through is not None, through
        if through is not None:
            through.begin()
        if self._windows is not None:
            self._windows.restart()

    def _go_on_with(self, event: Locking, through: Through | None, later: bool = False) -> tuple[Formulation, Events]:
        """The same, by steps `through` contacts or not. `later`: as of `Stretch.begins_at`."""
        self._rows.part()
        before = self._stretch
        assert before.made.coming is not None
        stretch = None if through is not None else self._stretches.again(before, event, later)
        if stretch is None:
            made = before.made.coming.change(before.made, event) if event.lock or event.unlock else before.made
            if not self._stretches.keeps_numbers(made, through):
                self._rows.flush()
            stretch = self._stretches.after(before, replace(made, start=event.time, q=event.q), through)
        self._take(stretch)
        self._rows.go_on(stretch)
        for k, observer in enumerate(dict.fromkeys(self._observers)):
            observer.go_on(self.formulation.system, stretch.observing(k))
        self._observers[1].contacts = stretch.through
        return self.formulation, self._events

    @property
    def _steps_taken(self) -> int:
        return int(self.formulation.work.counts[contracts.COUNT_STEPS])

    def _state(self, row: Floats) -> tuple[Floats, Floats, float]:
        """q, v and the work of an output row, of whichever stretch."""
        system = self.formulation.system
        return row[: system.n_q].copy(), row[system.n_q : system.n_q + system.n_v].copy(), float(row[-1])

    def _go_through(self, at: float, state: tuple[Floats, Floats, float], crowd: Crowd) -> None:
        """Go on from a state by steps through contacts, until it is quiet. Raises the crowd where a run may not."""
        if self._windows is None or not self._windows.may:
            raise crowd
        made, (q, v, work) = self._stretch.made, state
        assert made.unilaterals is not None and made.coming is not None
        held = sorted(made.unilaterals.rows - made.coming.locks.open)
        through = self._windows.begin(at, self._steps_taken)
        self._go_on_with(Locking((), held, at, q), through)
        self._happenings.go_through(self.formulation, self._events, at, str(crowd), through.step)
        self._happenings.put(at, self.z, q, v, work)

    def _come_back(self) -> None:
        """Locate events again, where steps have come to a quiet time."""
        through, row = self._stretch.through, np.zeros(self.formulation.width)
        assert through is not None and self._windows is not None
        if not self.formulation.expands(self.at, self.z, row):
            raise Stopped
        q, v, work = self._state(row)
        try:
            clear = through.clear_gaps(self.at, q, v)
            self._go_on_with(Locking((), (), self.at, clear), None)
            after = self._happenings.come_back(self.formulation, self._events, self.at, self.z, clear, v, work, row)
        except Stopped as stop:
            if not self._windows.refused():
                raise
            self._go_through(self.at, (q, v, work), Crowd(str(stop)))
            return
        self._windows.end(self.at)
        self._march.begin_anew()
        self._rows.changed(float(np.nextafter(self.at, np.inf)), after)
