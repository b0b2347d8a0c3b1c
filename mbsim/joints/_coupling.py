"""What the couplings share: c1 x1 + c2 x2 = its value in the reference configuration, for a coordinate x1 of one joint and x2 of another.

In space and absolute coordinates an angle is known up to full turns. Then the row is known up to multiples of a period: 2 pi c where one
of the two is such an angle; where both are, the largest number that 2 pi c1 and 2 pi c2 are multiples of, which there is when c1 / c2 is a
fraction. The nearest multiple is taken off (`mbsim.system._couplings`), so the row is smooth, and right for any number of turns, as long
as it is violated by less than half a period.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

from pydantic import Field, model_validator

from mbsim.model.leaves import Coupling
from mbsim.model.stops import BacklashOfCoupling


class Side(NamedTuple):
    """The coordinate of one of the two joints."""

    turns: bool  # it is an angle
    periodic: bool  # known up to full turns


class Coefficients(NamedTuple):
    """Of a coupling's row. The multiplier is the effort (N m or N) along the second coordinate over its coefficient."""

    first: float
    second: float
    period: float  # 0: the row has none


class RowCoupling(Coupling, ABC):
    """A coupling that is a row over two relative coordinates."""

    backlash: BacklashOfCoupling | None = Field(
        default=None, description="play: how far the second coordinate is free while the first one stands still, rad or m; or a block"
    )

    @model_validator(mode="after")
    def _always_there(self) -> Self:
        if self.backlash is not None and not self.locked:
            raise ValueError(f"a {self.type} with 'backlash' cannot come and go: leave out 'locked', or 'backlash'")
        return self

    @abstractmethod
    def tied(self) -> tuple[str | None, str | None]:
        """The coordinate of each joint; None: its angle or, without one, its only coordinate."""

    @abstractmethod
    def coefficients(self, first: Side, second: Side) -> Coefficients:
        """Of the row between these coordinates. Raises ValueError where they cannot be tied."""


class Flank(RowCoupling):
    """One of the two flanks of a coupling with play: the row at the end of that."""

    of: Any  # the coupling
    name: str  # that the file has for it
    bound: float  # rad or m

    def tied(self) -> tuple[str | None, str | None]:
        tied: tuple[str | None, str | None] = self.of.tied()
        return tied

    def coefficients(self, first: Side, second: Side) -> Coefficients:
        """Those of the coupling. Raises ValueError where these leave so little of a turn that the play is not known."""
        found: Coefficients = self.of.coefficients(first, second)
        if found.period and not 2.0 * abs(self.bound) < found.period:
            raise ValueError(
                f"in space an angle is known up to full turns: then a flank must be nearer than {0.5 * found.period:.6g} to where it is "
                f"drawn (got {self.bound:g}); use `coordinates: joint`, where angles count turns"
            )
        return found
