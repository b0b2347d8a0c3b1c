"""What happens in a run, as records: what its events have made of it, what they leave, how they open and close joints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from mbsim.assembly.assembled import Locking
from mbsim.march.ending import Crowd, join_names
from mbsim.march.events import Events
from mbsim.march.formulation import Formulation
from mbsim.march.output_times import SAME_TIME
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.march.contact_modes import Decided
    from mbsim.march.unilateral import Modes
    from mbsim.model.events import Event

CROWDED, CROWD = 1e-7, 30  # of the run: events that follow so closely; so many of them have no end


def cause(event: "Event") -> str:
    """What contradicts the constraints where a state is not met."""
    return f"what the event '{event.name}' {'locks' if event.do.lock else 'sets'}"


def same(t: float) -> float:
    """s: how far from t another time counts as the same."""
    return SAME_TIME * max(1.0, abs(t))


class Doors(NamedTuple):
    """How events open and close joints, drivers and constraints."""

    change: Callable[[Locking], tuple[Formulation, Events]]  # goes on with the system that is then. Raises ValueError
    open_now: Callable[[], frozenset[str]]  # what does not hold
    settle: Callable[[], None]  # records the rows so far, before parameters or the system become others
    modes: "Modes | None" = None  # of stops and dry friction


@dataclass(frozen=True)
class Happened:
    """What the events of one time have made of a run."""

    stops: bool
    moved: bool  # whether the state or a law has changed: the march begins anew
    row: Floats  # (width,) the output row after them


class Memory(NamedTuple):
    """What the events of a run leave for its next ones, besides arrays."""

    time: float  # s, of the last ones
    crowd: int
    names: list[str]
    due: list[tuple[float, int]]
    ended: str
    table: list[dict[str, object]]
    modes: "Decided | None" = None  # of stops and contacts


@dataclass
class Last:
    """The events that came last: when they came, and how many in close succession."""

    time: float = -inf
    crowd: int = 0
    names: list[str] = field(default_factory=list)

    def add(self, at: float, names: Sequence[str], span: float) -> None:
        """Some more. Raises Crowd where they follow each other in ever shorter times, of a run of `span` s."""
        self.crowd = self.crowd + 1 if at - self.time < CROWDED * span else 0
        self.time = at
        self.names = [*self.names, *names][-CROWD:]
        if self.crowd >= CROWD:
            raise Crowd(
                f"events follow each other without end: {join_names(list(dict.fromkeys(self.names)))}, {CROWD} in a row, each less than "
                f"{CROWDED * span:.1g} s after the one before; what they set does not lead away from where they happen",
                at,
            )
