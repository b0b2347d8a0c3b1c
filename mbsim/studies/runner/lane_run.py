"""A run in a lane."""

from collections.abc import Callable

from mbsim.model.reread import Numbers

NO_LANE = -1  # of a run that cannot be started plainly


class LaneRun:
    """A run with its lane, or NO_LANE."""

    __slots__ = ("_numbers", "_read", "computed", "lane", "stayed")

    def __init__(self, lane: int, numbers: Numbers | None, read: Callable[[], Numbers] | None = None) -> None:
        """`read` gives the numbers of a run with a lane where they are not known."""
        self.lane, self._numbers, self._read = lane, numbers, read
        self.stayed = False  # whether it came to its end in the lane
        self.computed = numbers is None or numbers.fields is not None  # by formulas; those that are read so late are

    @property
    def numbers(self) -> Numbers:
        """Those of the model; most runs that stay in their lanes are not asked for them."""
        if self._numbers is None:
            assert self._read is not None
            self._numbers = self._read()
        return self._numbers
