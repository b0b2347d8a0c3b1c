"""What the stops, contacts and dry friction of a model do at its start, as a run by events decides it before its first step."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mbsim import contracts
from mbsim.analyses.dynamic import Run
from mbsim.assembly import Assembly
from mbsim.assembly.unilaterals import Look, Unilaterals
from mbsim.march.ending import Crowd, Stopped
from mbsim.march.rows import LastRow
from mbsim.march.settings import Settings
from mbsim.march.unilateral import DEEP
from mbsim.march.windows import Windows
from mbsim.model.names import owner
from mbsim.unilateral.sharing import Carries


class AtStart(NamedTuple):
    """Stops, contacts and frictions at the start, by name."""

    watched: int  # how many there are
    inside: dict[str, float]  # how far bodies are inside each other, or beyond a stop, m or rad
    impacts: list[str]  # what closes with an impact
    modes: dict[str, str]  # what holds or slips: closed, sticks, slips
    dependent: list[list[str]]  # constraints that hold and depend on each other, those of contacts among them: they share a load
    idle: list[str]  # of these contacts what carries nothing, although it is closed
    refused: str  # why a run by events stops there
    stops: bool = False  # whether the model's run does: steps through contacts may take over


class _Beginning(Run):
    """A run that only begins, and records nothing."""

    impacts: str  # of the model's run; this one is by events
    may: bool  # whether steps through contacts may take over in that

    def _taker(self) -> LastRow:
        return LastRow(self._stretch)

    def found(self, each: Unilaterals) -> AtStart:
        """What it decides of `each`."""
        count = len(each.each)
        try:
            self._begin()
        except Stopped as stopped:
            inside = self._inside(each)
            by_steps = {"events": False, "auto": isinstance(stopped, Crowd) and self.may, "steps": True}[self.impacts]
            return AtStart(count, inside, [], {}, [], [], str(stopped), bool(inside) or not by_steps)
        decided = self._happenings.remembered().modes
        assert decided is not None
        busy, groups = decided.busy(), [dict.fromkeys(map(owner, group)) for group in self._stretch.found.groups]
        return AtStart(
            count,
            {},
            [str(line["event"]) for line in self._happenings.table if line["do"] == "impact"],
            {each.each[i].name: str(decided.mode[i]) for i in busy},
            [list(group) for group in groups if any(name in each.rows for name in group)],
            [each.each[i].name for i in busy if decided.carries[i] == Carries.NOTHING],
            "",
        )

    def _inside(self, each: Unilaterals) -> dict[str, float]:
        """Of all that are inside each other how far."""
        planned, at, row = self.made.events, self.settings.start, np.zeros(self.formulation.width)
        assert planned is not None
        lines = np.zeros((len(self._events), contracts.EVENTS))
        if self.formulation.expand(at, self.z, row) != contracts.OK:
            return {}
        self._events.evaluate(at, row, lines)
        values = lines[len(lines) - len(planned.events) :, contracts.EVENT_VALUE]
        gaps = {event.name: float(value) for event, value in zip(planned.events, values, strict=True)}
        inside = {one.name: -gaps.get(f"{one.name}.{Look.GAP}", np.inf) for one in each.each}
        return {one.name: inside[one.name] for one in each.each if inside[one.name] > DEEP * one.near}


def contacts_at_start(made: Assembly, settings: Settings) -> AtStart | None:
    """What stops, contacts and dry friction do at the start of an assembled model; None of a model without any, or with units.

    Raises ValueError for settings that do not fit.
    """
    if made.unilaterals is None or made.events is None or made.system.units is not None:
        return None
    beginning = _Beginning(made, replace(settings, impacts="events"))
    beginning.impacts, beginning.may = settings.impacts, Windows(made, settings).may
    return beginning.found(made.unilaterals)
