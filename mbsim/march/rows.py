"""The output rows of a run between its march and its recording: with those at events among them, in chunks that are worth recording.

Recording costs about as much for one row as for a hundred. Where events cut a run into short pieces, their rows wait for each other.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mbsim import contracts
from mbsim.march.ending import Stopped
from mbsim.march.events import Found, Noted
from mbsim.march.output_times import SAME_TIME
from mbsim.march.recording import Held, Part, Recording
from mbsim.march.stretch import Stretch
from mbsim.system.system import Floats

WAIT = 256  # rows of one stretch that wait at most
MOST, MOST_BYTES = 1024, 8e6  # rows of several stretches, and what they take


class Rows:
    """Takes the rows of one run as they come."""

    def __init__(self, recording: Recording, stretch: Stretch) -> None:
        self.last = -np.inf  # s: the time of the last row
        self._recording, self._counted = recording, 0  # steps, up to the rows that were kept
        self._waiting: list[tuple[Floats, Floats, NDArray[np.intp]]] = []
        self._count = 0  # of rows that wait
        self._parts: list[Part] = []  # of what contacts did before, in their order
        self._size = 0, 0  # rows and bytes of these, with what contacts were told
        self._stretch = stretch

    def go_on(self, stretch: Stretch) -> None:
        """The rows to come are of another stretch of the run. Raises as `flush`."""
        self.part()
        self._stretch = stretch

    def part(self) -> None:
        """What contacts do changes: the rows that wait are those of before. Raises as `flush`.

        They are recorded later, together with those to come: what contacts did is put back then.
        """
        if not self._recording.may_wait():
            self.flush()
        elif self._waiting:
            held = self._recording.hold(self._stretch.formulation.work)
            part = self._waited(held)
            self._add(part)
            count, size = self._size
            self._size = count, size = count + len(part.times), size + part.rows.nbytes + held.nbytes
            if count >= MOST or size >= MOST_BYTES:
                self.flush()

    def _add(self, part: Part) -> None:
        """Put a part behind those of before; the same in all is one with the last."""
        last = self._parts[-1] if self._parts else None
        if last is not None and last.watch is part.watch and last.held is not None and last.held.same_as(part.held):
            self._parts[-1] = last.followed_by(part)
        else:
            self._parts.append(part)

    def keep(self, times: Floats, rows: Floats, noted: Sequence[Noted] = (), located: Found | None = None) -> None:
        """Take output rows, and those at events; with those between, where rows do not follow the motion. Raises as `Recording.keep`."""
        ends: list[int] = []
        if noted or located is not None:
            times, rows = with_rows_of_events(times, rows, noted, located, self.last)
            if self._stretch.watch.estimate is not None:  # it takes rows that are equally far apart
                ends = np.searchsorted(times, [one.time for one in noted], "right").tolist()
        begin = 0
        for end in (*ends, len(times)):
            if end > begin:
                self._keep(times[begin:end], np.ascontiguousarray(rows[begin:end]))
            begin = end

    def _keep(self, times: Floats, rows: Floats) -> None:
        self.last = float(times[-1])
        steps = int(self._stretch.formulation.work.counts[contracts.COUNT_STEPS])
        found = self._stretch.following.chunk(times, rows, steps - self._counted)
        self._counted = steps
        self._wait(*found)

    def changed(self, at: float, row: Floats) -> None:
        """Take the row of a state that an event has made. Raises as `keep`."""
        self._wait(np.array([at]), row[None].copy(), np.arange(1))
        self._stretch.following.jump(at, row)
        self.last = at

    def _wait(self, times: Floats, rows: Floats, own: NDArray[np.intp]) -> None:
        self._waiting.append((times, rows, own + self._count))
        self._count += len(times)
        if self._count >= WAIT:
            self.flush()

    def flush(self) -> None:
        """Record the rows that wait. Raises as `Recording.keep`."""
        now = self._recording.hold(self._stretch.formulation.work) if self._parts else None
        if self._waiting:
            self._add(self._waited(now))
        parts, self._parts, self._size = self._parts, [], (0, 0)
        if parts:
            self._recording.keep(parts, now)
        self._recording.go_on(self._stretch.watch)

    def _waited(self, held: Held | None) -> Part:
        """The rows that wait, which do not any more."""
        ends = np.cumsum([len(part[0]) for part in self._waiting]).tolist()
        times, rows, own = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        self._waiting, self._count = [], 0
        return Part(times, rows, own, ends, self._stretch.watch, held)

    def end(self) -> Stopped | None:
        """Record the rows that wait, at the end of a run that does not go on; why it ends with them, where they are not sound."""
        try:
            self.flush()
        except Stopped as earlier:
            return earlier
        return None


class LastRow:
    """The last row of a run, in place of `Rows`."""

    def __init__(self, stretch: Stretch) -> None:
        self.last = -np.inf  # s: its time
        self.go_on(stretch)

    def keep(self, times: Floats, rows: Floats, noted: Sequence[Noted] = (), located: Found | None = None) -> None:
        """As of `Rows`."""
        if located is not None:
            self.changed(float(located.times[-1]), located.rows[-1])
        elif len(times):
            self.changed(float(times[-1]), rows[-1])

    def changed(self, at: float, row: Floats) -> None:
        """As of `Rows`."""
        self._stretch.last_row[0], self.last = row, at

    def go_on(self, stretch: Stretch) -> None:
        """As of `Rows`."""
        self._stretch = stretch

    def part(self) -> None:
        """As of `Rows`."""

    def flush(self) -> None:
        """As of `Rows`."""

    def end(self) -> None:
        """As of `Rows`."""


def with_rows_of_events(times: Floats, rows: Floats, noted: Sequence[Noted], located: Found | None, after: float) -> tuple[Floats, Floats]:
    """Output rows with those at events among them that come after a time (s). At one time there is one row: that of an event that acts."""
    if located is not None:
        at = float(located.times[-1])
        count = int(times.searchsorted(at - SAME_TIME * max(1.0, abs(at))))  # rows before it
        times, rows = times[:count], rows[:count]
        if at > after:
            times, rows = np.concatenate([times, [at]]), np.concatenate([rows, located.rows[-1:]])
    if not noted:
        return times, rows
    new: list[Noted] = []
    for one in noted:
        same = SAME_TIME * max(1.0, abs(one.time))
        apart = not len(times) or np.abs(times - one.time).min() > same
        if apart and one.time > max(after, new[-1].time + same if new else after):
            new.append(one)
    if not new:
        return times, rows
    places = np.searchsorted(times, [one.time for one in new])
    return np.insert(times, places, [one.time for one in new]), np.insert(rows, places, [one.row for one in new], axis=0)
