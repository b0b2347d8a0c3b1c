"""Gear: the angles (or displacements) of two joints keep a ratio, as of two gears, a belt, a lever or a hydraulic pair."""

from fractions import Fraction
from math import pi
from typing import Annotated, Self

from pydantic import Field, model_validator

from mbsim.joints._coupling import Coefficients, RowCoupling, Side
from mbsim.model.fields import Number
from mbsim.model.file.errors import shown

LARGEST = 1_000_000  # ratio, number of teeth
WHOLE = 1000  # a ratio given as a number has to be a fraction whose denominator, or whose inverse's, is not greater
EXACT = 1e-12  # relative; a ratio this close to a fraction is that fraction


class Gear(RowCoupling):
    """Rate of the first coordinate = `ratio` times that of the second; both count from the reference configuration."""

    SYMBOL = "wheels"

    coordinates: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="which coordinate of each joint, where it has several: angle, displacement; default: the angle"
    )
    ratio: Number | None = Field(
        default=None, description="rate of the first joint over that of the second; negative: they turn oppositely"
    )
    teeth: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="in place of `ratio`: teeth of the gear at the first and at the second joint"
    )
    internal: bool = Field(default=False, description="with `teeth`: one gear is a ring around the other, so both turn in the same sense")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.ratio is None) == (self.teeth is None):
            raise ValueError("give exactly one of 'ratio' and 'teeth'")
        if self.ratio == 0.0:
            raise ValueError("ratio must not be 0")
        if self.ratio is not None and not 1.0 / LARGEST <= abs(self.ratio) <= LARGEST:
            raise ValueError(f"ratio must be between 1/{LARGEST} and {LARGEST} in size (got {self.ratio:g})")
        if self.teeth is not None and not all(1 <= count <= LARGEST for count in self.teeth):
            raise ValueError(f"teeth are counted: expected whole numbers from 1 to {LARGEST} (got {shown(self.teeth)})")
        if self.internal and self.teeth is None:
            raise ValueError("'internal' goes with 'teeth'; a ratio has its sign")
        return self

    def value(self) -> Fraction | float:
        """The ratio; exact where it is one of teeth."""
        if self.teeth is None:
            return self.ratio or 0.0
        return Fraction(self.teeth[1], self.teeth[0]) * (1 if self.internal else -1)

    def pitch(self) -> float:
        return float(self.value())

    def tied(self) -> tuple[str | None, str | None]:
        first, second = self.coordinates or (None, None)
        return first, second

    def coefficients(self, first: Side, second: Side) -> Coefficients:
        """-1 / ratio and 1."""
        if first.turns != second.turns:
            turning, sliding = self.joints if first.turns else reversed(self.joints)
            raise ValueError(f"joint {turning} turns and joint {sliding} slides: use a rack_and_pinion")
        ratio = self.value()
        if not (first.periodic and second.periodic):
            periods = [2.0 * pi * c for side, c in ((first, abs(1.0 / float(ratio))), (second, 1.0)) if side.periodic]
            return Coefficients(-1.0 / float(ratio), 1.0, periods[0] if periods else 0.0)
        whole = ratio if isinstance(ratio, Fraction) else _fraction(ratio)
        return Coefficients(-float(1 / whole), 1.0, 2.0 * pi / abs(whole.numerator))


def _fraction(ratio: float) -> Fraction:
    """The fraction that a ratio is. Raises ValueError."""
    for near in (Fraction(ratio).limit_denominator(WHOLE), 1 / (Fraction(1.0 / ratio).limit_denominator(WHOLE) or Fraction(1))):
        if abs(float(near) - ratio) <= EXACT * abs(ratio):
            return near
    raise ValueError(
        f"the ratio {ratio:.12g} is no fraction of whole numbers up to {WHOLE}, and an angle in space is known up to full turns only; "
        "give `teeth`, or use `coordinates: joint`, where angles count turns"
    )
