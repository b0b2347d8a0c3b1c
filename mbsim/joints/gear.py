"""Gear: the angles (or displacements) of two joints keep a ratio, as of two gears, a belt, a lever or a hydraulic pair."""

from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field, model_validator

from mbsim.model.errors import shown
from mbsim.model.fields import Number
from mbsim.model.leaves import Coupling

LARGEST = 1_000_000  # ratio, number of teeth


class Gear(Coupling):
    """Rate of the first coordinate = `ratio` times that of the second; both count from where they are drawn."""

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
    def _one_form(self) -> Any:
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
