"""How a run ends before its end: what its parts raise, and what the user gets."""

from collections.abc import Sequence
from dataclasses import dataclass

from mbsim.diagnosis.singular import Rest
from mbsim.model.represent import some
from mbsim.results import Result

LISTED, FIRST = 6, 3  # names in a message; of more names so many


class Stopped(Exception):
    """The run ends here. Where no reason is given it is in the work's status; `cause` is what a callable of the user's raised."""

    def __init__(self, reason: str = "", at: float | None = None, cause: BaseException | None = None) -> None:
        super().__init__(reason)
        self.at = at  # s: of the last row that is kept, where that is not the last accepted state
        self.cause = cause


class Crowd(Stopped):
    """Events of contacts have no end: a run goes on by steps, where it may."""


class SimulationError(RuntimeError):
    """A run that could not go on. `time` (s) is the last accepted one; `result` holds everything up to it."""

    def __init__(self, message: str, at: float, result: Result | None) -> None:
        super().__init__(message)
        self.time = at
        self.result = result


class SimulationInterrupted(KeyboardInterrupt):
    """A run that Ctrl-C ended. `time` (s) is the last accepted one; `result` holds everything up to it."""

    def __init__(self, message: str, at: float, result: Result | None) -> None:
        super().__init__(message)
        self.time = at
        self.result = result


@dataclass
class Ending:
    """How a run ended: `complete`, `failed` or `interrupted`, and why; `cause` is what was raised."""

    status: str
    failure: str = ""
    cause: BaseException | None = None


def tell_lost(rest: Rest) -> Stopped:
    """A run that ends where the motion is not determined any more."""
    return Stopped(f"the motion is not determined: it comes to rest on a singular position of {join_names(rest.constraints)}", rest.time)


def tell_dead_point(at: Rest, drivers: Sequence[str]) -> Stopped:
    """A run that ends where its drivers ask for speeds beyond all bounds."""
    who = f"the driver {drivers[0]}" if len(drivers) == 1 else f"the drivers {join_names(drivers)}"
    return Stopped(f"{who} cannot go farther: this is a dead point, a singular position of {join_names(at.constraints)}", at.time)


def join_names(names: Sequence[str]) -> str:
    """Names in a message: of many the first ones, and how many more there are."""
    return some(names, LISTED, FIRST)
