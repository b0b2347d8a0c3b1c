"""Cable that does not stretch, over pulleys, through eyelets, on drums: its length is constant or a function of time.

One holonomic row, length(t) - length = 0: the multiplier is the tension. A pulley that grips the cable parts it in two, with a row each.
Where a rim has friction, the tension before it and the one behind it differ, and the multiplier is their mean (`_rubbing`).
"""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, ValidationInfo, model_validator

from mbsim.constraints._table import Geometry, Sum, SumConstraint
from mbsim.model.cables import Path, bends
from mbsim.model.expressions.expression import evaluate
from mbsim.model.expressions.parsed import combine
from mbsim.model.fields import ItemError, PositiveNumber, TimeLaw, context_of
from mbsim.model.formulas import with_fields
from mbsim.model.leaves import Bend
from mbsim.model.stops import CLOSING_SPEED, Fraction
from mbsim.model.winding import Part


class PulleyCable(SumConstraint):
    """A cable of a given length."""

    NEEDS = "bodies"
    SYMBOL = "cable"
    OF_SPEEDS = False

    path: Path = Field(description="what the cable passes, from its first end to its last")
    slack: bool = Field(default=False, description="true: it may go slack; it becomes taut again with an impact")
    restitution: Fraction | None = Field(
        default=None, description="with `slack`: speed after an impact over the speed before, 0 to 1; default 0"
    )
    closing_speed: PositiveNumber | None = Field(
        default=None,
        description=f"with `slack`: a rebound that would be slower ends the bouncing, m/s; default {CLOSING_SPEED:g}",
    )
    length: TimeLaw | None = Field(default=None, description="m, may be a function of `t`; the length in the file when not given")

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        if not self.slack:
            given = [key for key in ("restitution", "closing_speed") if getattr(self, key) is not None]
            if given:
                raise ValueError(f"'{given[0]}' goes with 'slack: true'")
        elif context_of(info).in_joint_coordinates:
            raise ValueError("a cable that may go slack needs absolute coordinates: leave out `coordinates: joint`")
        elif not self.locked:
            raise ValueError("a cable that may go slack comes and goes by itself: leave out 'locked'")
        elif any(station.grips for station in self.path):
            raise ValueError("a cable that may go slack is known of smooth pulleys only: leave out 'grips', or give a force pulley_cable")
        lifting = [k for k, station in enumerate(self.path) if station.lifts]
        if lifting:
            told = "a cable that does not stretch does not leave its circles: leave out 'lifts', or give a force pulley_cable"
            raise ItemError(("path", lifting[0], "lifts"), ValueError(told))
        self._rubs(info)
        if self.length is None:
            return self
        if any(station.grips for station in self.path):
            raise ValueError("a pulley that grips parts the cable, and each part is as long as it is drawn: leave out 'length'")
        if "t" not in self.length.names:
            value = evaluate(self.length, context_of(info).parameters)
            if not value > 0.0:
                raise ValueError(f"length must be greater than 0 (got {value:g})")
        return self

    def _rubs(self, info: ValidationInfo) -> None:
        """Raise ItemError where friction cannot be."""
        last, rubbing = None, [k for k, station in enumerate(self.path) if station.rubs]
        for k, station in enumerate(self.path):
            beside = [self.path[k - 1], self.path[k + 1]] if k in rubbing else []
            told = ""
            if k in rubbing and context_of(info).in_joint_coordinates:
                told = "friction on a rim depends on the tension: leave out `coordinates: joint`"
            elif k in rubbing and self.slack:
                told = "a cable that may go slack is known of smooth pulleys only: leave out 'friction', or 'slack'"
            elif k in rubbing and not self.locked:
                told = "a cable with friction is always there: leave out 'locked', or 'friction'"
            elif k in rubbing and last is not None:
                told = "there is one circle with friction between two that grip the cable, or its ends"
            elif context_of(info).dimension == 3 and any(one.center is not None for one in beside):
                told = "in space a circle with friction stands between two points of the path: put an eyelet between"
            if told:
                raise ItemError(("path", k, "friction"), ValueError(told))
            last = k if k in rubbing else None if station.grips else last

    def runs(self) -> Sequence[Bend]:
        return bends(self.path)

    def smooth(self) -> Self:
        """The same cable without friction on rims."""
        return with_fields(self, {"path": [with_fields(station, {"friction": None}) for station in self.path]})

    def sums(self, geometry: Geometry) -> list[Sum]:
        parts = geometry.cable(self.smooth().path, strict=self.slack)  # of the friction other rows tell
        labels = [""] if len(parts) == 1 else [f"part{k + 1}" for k in range(len(parts))]
        return [self._sum(geometry, label, part) for label, part in zip(labels, parts, strict=True)]

    def _sum(self, geometry: Geometry, label: str, part: Part) -> Sum:
        terms = [(term.relative, -term.factor) for term in part.terms]
        offset, law = part.drawn - part.straight, -1
        constant = -part.straight
        if self.length is not None:
            values = geometry.constants([self.length])
            if values is None:
                law, constant = geometry.time_laws([combine([(-1.0, self.length)])]), offset
            else:
                constant = offset - values[0]
        return Sum(label, terms, constant, part.period, law)
