"""The events of a run as a table: in result files, where xarray finds it along the dimension `event`, and as a sheet to export."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mbsim.results.sheet import Cell, Sheet

if TYPE_CHECKING:
    from mbsim.results.variables import Variables

Event = Mapping[str, Any]


class Numbers(NamedTuple):
    """What a column of numbers over events is."""

    units: str
    long_name: str


TIME, ENERGY, DO = "event_time", "event_energy", "event_do"
SPEEDS = {"event_speed_before": 0, "event_speed_after": 1}  # place in a change
ABOUT = {
    TIME: Numbers("s", "time of the event"),
    ENERGY: Numbers("J", "energy that the mechanism gained at the event; NaN where nothing was changed"),
    "event_speed_before": Numbers("1", "generalized speeds before the event; NaN of those that it did not change"),
    "event_speed_after": Numbers("1", "generalized speeds after the event; NaN of those that it did not change"),
}


def numbers(events: Sequence[Event], key: str) -> np.ndarray:
    """(k,) NaN where an event has no such number."""
    return np.array([float(event.get(key, np.nan)) for event in events])


def speeds(events: Sequence[Event], names: Sequence[str], place: int) -> np.ndarray:
    """(k, n) the speeds before (0) or after (1) each event, NaN of those that it did not change."""
    found = np.full((len(events), len(names)), np.nan)
    for i, event in enumerate(events):
        changes = event.get("changes", {})
        for j, name in enumerate(names):
            if name in changes:
                found[i, j] = float(changes[name][place])
    return found


def columns(events: Sequence[Event], speed_labels: Sequence[str]) -> dict[str, np.ndarray]:
    """The numbers of the table by name, over events (k,), or over events and speeds (k, n)."""
    found = {TIME: numbers(events, "time"), ENERGY: numbers(events, "energy")}
    return found | ({name: speeds(events, speed_labels, place) for name, place in SPEEDS.items()} if speed_labels else {})


def of_result(result: "Variables") -> Sheet:
    """A row for each event: time, name, what it did, energy, and each number that any event changed, before and after it."""
    events: list[Event] = result.attributes.get("events", [])
    found: dict[str, Sequence[Cell]] = {
        "time": numbers(events, "time").tolist(),
        "event": [str(event["event"]) for event in events],
        "do": [str(event["do"]) for event in events],
        "energy": [event.get("energy") for event in events],
    }
    units = {"time": "s", "energy": "J"}
    labels = {name: result.units("v", name) for name in result.labels("speed")}
    labels |= {name: result.units("q", name) for name in result.labels("coordinate")}
    for kind in ("changes", "switched"):
        for name in dict.fromkeys(name for event in events for name in event.get(kind, {})):
            for place, word in enumerate(("before", "after")):
                column = f"{name} {word}"
                found[column] = [event[kind][name][place] if name in event.get(kind, {}) else None for event in events]
                units[column] = labels.get(name, "1")
    return Sheet(str(result.attributes.get("title", "")), found, units)
