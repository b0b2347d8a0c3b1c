"""The events of a run on its page: a list to jump to, and where they are on plots."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import viser

from mbsim.scene.motion import evenly
from mbsim.scene.read import Floats
from mbsim.view.playback import Playback

MOST = 200  # events in the list; a browser takes long for more
NONE = "(choose)"


def event_times(events: Sequence[dict[str, Any]]) -> Floats:
    """(k,) in s."""
    return np.array([float(event["time"]) for event in events])


def rows_to_show(times: Floats, count: int, happened: Floats) -> np.ndarray:
    """At most `count` rows, evenly in time, and the rows at events, s."""
    rows = evenly(times, count)
    if not len(happened) or not len(rows):
        return rows
    return np.unique(np.append(rows, np.minimum(np.searchsorted(times, happened[:MOST]), len(times) - 1)))


def entries(events: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The entries of the list, and their times in s: `2: floor, set, 1.17396 s`."""
    return {
        f"{k}: {event['event']}, {event['do']}, {float(event['time']):.6g} s": float(event["time"]) for k, event in enumerate(events, 1)
    }


class EventList:
    """The list. Choosing an event pauses, and shows the pose at its time."""

    def __init__(self, server: viser.ViserServer, events: Sequence[dict[str, Any]], playback: Playback) -> None:
        """`events` has one or more."""
        self._entries, self._playback = entries(events[:MOST]), playback
        more = f", the first {MOST} of {len(events)}" if len(events) > MOST else ""
        with server.gui.add_folder(f"Events ({min(len(events), MOST)}{more})"):
            self.choice = server.gui.add_dropdown("go to", [NONE, *self._entries], initial_value=NONE)
        self.choice.on_update(lambda _: self.go())

    def go(self) -> None:
        """Show the pose at the event that is chosen."""
        at = self._entries.get(str(self.choice.value))
        if at is None:
            return
        times = self._playback.times
        self._playback.play(False)
        self._playback.go(int(np.abs(times - at).argmin()))
