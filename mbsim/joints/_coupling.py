"""What the couplings share: c1 x1 + c2 x2 = its value in the reference configuration, for a coordinate x1 of one joint and x2 of another.

In space and absolute coordinates an angle is known up to full turns. Then the row is known up to multiples of a period: 2 pi c where one
of the two is such an angle; where both are, the largest number that 2 pi c1 and 2 pi c2 are multiples of, which there is when c1 / c2 is a
fraction. The nearest multiple is taken off (`mbsim.system._couplings`), so the row is smooth, and right for any number of turns, as long
as it is violated by less than half a period.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from mbsim.model.leaves import Coupling


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

    @abstractmethod
    def tied(self) -> tuple[str | None, str | None]:
        """The coordinate of each joint; None: its angle or, without one, its only coordinate."""

    @abstractmethod
    def coefficients(self, first: Side, second: Side) -> Coefficients:
        """Of the row between these coordinates. Raises ValueError where they cannot be tied."""
