"""The events of a run as moving pictures show them: their names, for a while after each."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

SHOWN = 0.6  # s of the picture's own time for which an event is named
MOST = 3  # names at once


class Moment(NamedTuple):
    """An event of a run."""

    time: float  # s
    name: str


def moments(events: Sequence[Mapping[str, Any]]) -> tuple[Moment, ...]:
    """Those of a list of events as `Result.events` is, in their order."""
    return tuple(Moment(float(event["time"]), str(event["event"])) for event in events)


def named(of: Sequence[Moment], since: float, t: float, speed: float) -> str:
    """The names of the latest events at the time t (s) of a motion that is shown at a `speed`; '' where none was for a while.

    `since` is the time of the frame before: an event since then is named, too, however quickly the motion is shown.
    """
    first = min(since, t - SHOWN * speed)
    found: list[str] = []
    for one in reversed(of):
        if first < one.time <= t and one.name not in found:
            found.append(one.name)
    return ", ".join([*reversed(found[:MOST]), "..."] if len(found) > MOST else reversed(found))
