"""Systems of one model that differ in what holds, as those of contacts that close and open: loads are made for the first one alone.

Loads, relative coordinates and laws of forces follow from the model, and from what rows have put into the same tables before them. Where
that is the same, all that they add is the same, too. A row of six dominoes has 504 contacts with 1512 relative coordinates.
"""

from typing import NamedTuple

from mbsim.assembly.builder import Builder
from mbsim.assembly.records import LoadTable, RelativeCoordinate
from mbsim.assembly.states import StateTable
from mbsim.model.expressions.expression import Expression


class Tables(NamedTuple):
    """What loads add to, and read."""

    parameters: list[str]
    numbers: list[float]  # of the last of them, those that are no parameters of the model
    time: list[Expression]
    state: list[Expression]
    local: dict[int, tuple[str, int]]
    named: dict[str, int]
    lines: list[RelativeCoordinate]

    @classmethod
    def of(cls, builder: Builder) -> "Tables":
        """As they are now."""
        laws, relative = builder.laws, builder.relative
        lists = list(laws.parameters), list(builder.numbers), list(laws.time), list(laws.state)
        return cls(*lists, dict(laws.local), dict(relative.named), list(relative.lines))

    def same_as(self, other: "Tables") -> bool:
        """Whether loads find the same: the numbers of what is held are no matter of theirs."""
        if [e.key for e in self.time] != [e.key for e in other.time] or [e.key for e in self.state] != [e.key for e in other.state]:
            return False
        mine, its = ((t.parameters, t.local, t.named, t.lines) for t in (self, other))
        return mine == its


class Laid(NamedTuple):
    """The tables of a builder before and after its loads, and these."""

    before: Tables
    after: Tables
    loads: LoadTable
    states: StateTable

    @classmethod
    def of(cls, before: Tables, builder: Builder) -> "Laid | None":
        """None for loads that know of rows, or of what runs beside the system: events that watch reactions, units, given surfaces."""
        if builder.reactions or builder.flowing or builder.laws.surfaces:
            return None
        return cls(before, Tables.of(builder), builder.loads, builder.states)

    def lay(self, now: Tables, builder: Builder) -> bool:
        """Give a builder, whose tables are `now`, what the loads have added; whether it may have that."""
        if builder.laws.surfaces or not now.same_as(self.before):
            return False
        after, laws, relative = self.after, builder.laws, builder.relative
        laws.parameters[:] = after.parameters
        builder.numbers[len(now.numbers) :] = after.numbers[len(now.numbers) :]
        laws.state[:], laws.local = after.state, dict(after.local)
        relative.named.update(after.named)
        relative.lines[:] = after.lines
        builder.loads, builder.states, laws.rates = self.loads, self.states, self.states.rates
        return True
