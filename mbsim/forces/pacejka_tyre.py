"""Tyre by Pacejka's magic formula, D sin(C atan(B x - E (B x - atan(B x)))), along and across: `elements/loads/pacejka_tyre.py`."""

from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.elements.kinds import PACEJKA_TYRE
from mbsim.forces._tyre import Tyre
from mbsim.model.fields import Number, PositiveNumber, context_of
from mbsim.model.leaves import Block


class TyreCurve(Block):
    """The magic formula of a slip at the nominal load, and how it changes with the load."""

    stiffness: PositiveNumber = Field(description="B C D over the load: the slope at no slip, 1 or 1/rad")
    peak: PositiveNumber = Field(description="mu = D over the load: the greatest force")
    shape: PositiveNumber = Field(description="C")
    curvature: Number = Field(default=0.0, description="E, at most 1")
    stiffness_change: Number = Field(default=0.0, description="of `stiffness`, by the load's excess over the nominal one, over that")
    peak_change: Number = Field(default=0.0, description="of `peak`, likewise")

    @model_validator(mode="after")
    def _falls_back(self) -> Self:
        if self.curvature > 1.0:
            raise ValueError(f"curvature must not be greater than 1 (got {self.curvature:g}): the force would change its sign")
        return self

    def numbers(self) -> list[float]:
        """As the element reads them."""
        return [self.stiffness, self.peak, self.shape, self.curvature, self.stiffness_change, self.peak_change]


class Trail(Block):
    """How far behind the contact the side force acts: length cos(C atan(B x - E (B x - atan(B x)))), x the tangent of the slip angle."""

    length: PositiveNumber = Field(description="m: without slip")
    factor: PositiveNumber = Field(description="B")
    shape: PositiveNumber = Field(default=1.0, description="C")
    curvature: Number = Field(default=0.0, description="E, at most 1")

    @model_validator(mode="after")
    def _falls_back(self) -> Self:
        if self.curvature > 1.0:
            raise ValueError(f"curvature must not be greater than 1 (got {self.curvature:g}): the trail would grow again")
        return self

    def numbers(self) -> list[float]:
        """As the element reads them."""
        return [self.length, self.factor, self.shape, self.curvature]


class PacejkaTyre(Tyre):
    """A tyre up to full slip; its work counts as work of non-conservative forces, but for that of its spring."""

    lateral: TyreCurve = Field(description="side force over slip angle")
    longitudinal: TyreCurve | None = Field(default=None, description="space: driving force over slip ratio; none when not given")
    trail: Trail | None = Field(default=None, description="the pneumatic trail; the side force acts at the contact when not given")
    nominal_load: PositiveNumber | None = Field(default=None, description="N: the load that the curves are of; `load` when not given")

    @model_validator(mode="after")
    def _loaded(self, info: ValidationInfo) -> Self:
        if self.nominal_load is None and self.load is None:
            raise ValueError("missing key 'nominal_load' (it goes with 'stiffness')")
        if context_of(info).dimension == 2 and self.longitudinal is not None:
            raise ValueError("in the plane a tyre is seen from above and rolls freely: leave out longitudinal")
        return self

    @property
    def kind(self) -> int:
        return int(PACEJKA_TYRE)

    def numbers(self) -> list[float]:
        none = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        along = self.longitudinal.numbers() if self.longitudinal is not None else none
        trail = self.trail.numbers() if self.trail is not None else [0.0, 1.0, 1.0, 0.0]
        return [self.nominal_load or self.load or 1.0, *along, *self.lateral.numbers(), *trail]
