"""Tables: functions of one argument that a model gives as points and that laws call by name.

A cubic spline (not-a-knot; through three points a parabola, through two a straight line) or straight lines connect the points. A
periodic table repeats; any other has no value outside its points. The spline is computed on first use, so that reading a model needs
neither NumPy nor SciPy.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from mbsim.model.file.errors import ExpressionError
from mbsim.model.file.plain import Mapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLACK = 1e-9  # of the range: an argument may lie this far beyond an end, so that round-off of the last time is not an error
HIGHEST = 3  # order of a nonzero derivative


@dataclass(frozen=True, eq=False)
class Table:
    """y over x, x increasing. A table without points has a wrong block; the error is reported at the block only."""

    name: str
    index: int  # among the model's tables
    points: tuple[tuple[float, float], ...] = ()
    interpolation: str = "cubic"  # or linear
    periodic: bool = False

    @property
    def smooth(self) -> bool:
        """Whether it has two derivatives."""
        return self.interpolation == "cubic"

    @property
    def low(self) -> float:
        """The first x."""
        return self.points[0][0]

    @property
    def high(self) -> float:
        """The last x."""
        return self.points[-1][0]

    @property
    def slack(self) -> float:
        """The distance beyond an end up to which the table is still evaluated."""
        return SLACK * (self.high - self.low)

    def covers(self, low: float, high: float) -> bool:
        """Whether the table has a value everywhere between two arguments."""
        return self.periodic or (self.low - self.slack <= low and high <= self.high + self.slack)

    def outside(self, x: float) -> str:
        """The message for an argument at which the table has no value."""
        return f"the table '{self.name}' has no value at {x:.9g}: it covers {self.low:g} to {self.high:g}"

    def block(self) -> Mapped:
        """A block of `tables` for this table, with its points."""
        given: Mapped = {"points": [list(point) for point in self.points]}
        given |= {"interpolation": self.interpolation} if self.interpolation != "cubic" else {}
        return given | ({"periodic": True} if self.periodic else {})

    @cached_property
    def coefficients(self) -> "NDArray[np.float64]":
        """(n - 1, 5): the beginning of each piece, and its polynomial in the distance from there, constant first.

        Raises ValueError if points are so close together that a coefficient overflows.
        """
        import numpy as np

        x, y = np.array(self.points).T
        pieces = np.zeros((len(x) - 1, 5))
        pieces[:, 0], pieces[:, 1] = x[:-1], y[:-1]
        with np.errstate(all="ignore"):
            if self.interpolation == "linear":
                pieces[:, 2] = np.diff(y) / np.diff(x)
            else:
                from scipy.interpolate import CubicSpline

                try:
                    spline = CubicSpline(x, y, bc_type="periodic" if self.periodic else "not-a-knot")
                    pieces[:, 2:] = spline.c[2::-1].T
                except (ValueError, np.linalg.LinAlgError):  # slopes that are not finite
                    pieces[:] = np.nan
        if not np.isfinite(pieces).all():
            raise ValueError(f"no spline goes through the points of the table '{self.name}': some lie too close together")
        return pieces

    def values(self, x: "NDArray[np.float64]", order: int = 0) -> "NDArray[np.float64]":
        """The values, or the derivatives of this order, at every x of an array; NaN where it has no value."""
        import numpy as np

        x = np.asarray(x, float)
        inside = np.isfinite(x) & (self.periodic | ((x >= self.low - self.slack) & (x <= self.high + self.slack)))
        at = np.where(inside, x, self.low)
        if self.periodic:
            at = at - np.floor((at - self.low) / (self.high - self.low)) * (self.high - self.low)
        begin, *powers = self.coefficients[np.clip(np.searchsorted(self.coefficients[:, 0], at, "right") - 1, 0, None)].T
        s, found = (at - begin.T).T, np.zeros(at.T.shape)
        for k in range(len(powers) - 1, order - 1, -1):
            found = found * s + math.perm(k, order) * powers[k]
        return np.where(inside, found.T, np.nan)

    def derivative(self, x: float, order: int) -> float:
        """A derivative at one x; NaN where it has no value."""
        if not self.covers(x, x):
            return math.nan
        at = self.low + (x - self.low) % (self.high - self.low) if self.periodic else x
        begin, *powers = self.coefficients[max(int((self.coefficients[:, 0] <= at).sum()) - 1, 0)].tolist()
        return float(sum(math.perm(k, order) * powers[k] * (at - begin) ** (k - order) for k in range(order, len(powers))))

    def value(self, x: float, offset: int = 0) -> float:
        """At one x. Raises ExpressionError, at the character `offset`, where it has no value."""
        if not self.covers(x, x):
            raise ExpressionError(self.outside(x), offset)
        import numpy as np

        try:
            return float(self.values(np.array([x]))[0])
        except ValueError as error:
            raise ExpressionError(str(error), offset) from None
