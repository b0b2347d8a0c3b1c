"""What happens in a run, as records: what its events have made of it, what they leave, how they open and close joints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mbsim.assembly.assembled import Locking
from mbsim.march.ending import Crowd, join_names
from mbsim.march.events import Events
from mbsim.march.formulation import Formulation
from mbsim.march.output_times import SAME_TIME
from mbsim.system.system import Floats

if TYPE_CHECKING:
    from mbsim.march.contact_modes import Decided
    from mbsim.march.precision import Precision
    from mbsim.march.quick_placing import QuickPlacing
    from mbsim.march.unilateral import Modes

CROWDED, CROWD = 1e-7, 30  # of the run: events that follow so closely; so many of them have no end
SHORTER, VANISHES = 5, 1e-9  # so many intervals, each shorter than the one before, and the last one of the first: they come to an end
ABRUPT = 1e-4  # of the interval before: one that is so much shorter belongs to other events


def same(t: float) -> float:
    """s: how far from t another time counts as the same."""
    return SAME_TIME * max(1.0, abs(t))


class Placer(Protocol):
    """What puts decided states into a march."""

    @property
    def quick(self) -> "QuickPlacing | None":
        """By a kernel."""

    precision: "Precision"


class Doors(NamedTuple):
    """How events open and close joints, drivers and constraints."""

    # goes on with the system that is then, measured later or not. Raises ValueError
    change: Callable[[Locking, bool], tuple[Formulation, Events]]
    open_now: Callable[[], frozenset[str]]  # what does not hold
    settle: Callable[[], None]  # records the rows so far, before parameters or the system become others
    part: Callable[[], None]  # ends the rows of what contacts did until now
    now: "Callable[[], Placer]"  # the stretch that goes on
    modes: "Modes | None" = None  # of stops and dry friction


@dataclass(frozen=True)
class Happened:
    """What the events of one time have made of a run."""

    stops: bool
    moved: bool  # whether the state or a law has changed: the march begins anew
    row: Floats  # (width,) the output row after them


class Memory(NamedTuple):
    """What the events of a run leave for its next ones, besides arrays."""

    last: "Last"
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
    interval: float = inf  # s, before the last ones
    longest: float = inf  # s, the first of intervals that have become shorter ever since
    shorter: int = 0  # how many these are

    def add(self, at: float, names: Sequence[str], span: float, bounded: bool = False) -> None:
        """Some more. Raises Crowd where they follow each other in ever shorter times, of a run of `span` s.

        Times that shrink like those of a ball that bounces come to an end: what is set then does not lead back any more, and the ball
        falls through its floor. `bounded`: the events themselves see to it that they do not.
        """
        interval, self.time = at - self.time, at
        self.crowd = self.crowd + 1 if interval < CROWDED * span else 0
        shrinks = self.interval < inf and self.interval > interval > ABRUPT * self.interval
        again = interval <= 0.0 and self.shorter > 0 and list(names) == self.names[-len(names) :]  # at once, with the last digit
        self.shorter, self.longest = (self.shorter + 1, self.longest) if shrinks or again else (0, interval)
        self.interval = interval
        self.names = [*self.names, *names][-CROWD:]
        if self.shorter >= SHORTER and interval < VANISHES * self.longest and not bounded:
            which = join_names(list(dict.fromkeys(self.names[-SHORTER:])))
            raise Crowd(
                f"events follow each other in ever shorter times, the last {interval:.1g} s after the one before: {which}. They come to an "
                "end there, and what they set leads no further: `contacts` and `stops` bring to rest what bounces, or an event locks it",
                at,
            )
        if self.crowd >= CROWD:
            raise Crowd(
                f"events follow each other without end: {join_names(list(dict.fromkeys(self.names)))}, {CROWD} in a row, each less than "
                f"{CROWDED * span:.1g} s after the one before; what they set does not lead away from where they happen",
                at,
            )
