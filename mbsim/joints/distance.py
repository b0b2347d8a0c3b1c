"""Distance joint: two points stay a fixed length apart, or a given function of time, as if a massless rod with ball ends joined them."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from mbsim.elements.primitives import Primitive, distance
from mbsim.joints._table import TableJoint
from mbsim.model.expressions.expression import Expression, evaluate
from mbsim.model.fields import TimeLaw, context_of
from mbsim.model.points import NamedPoints, Places


class Distance(TableJoint):
    """A massless rod between a point of each body; with a length of `t` an actuator."""

    SYMBOL = "rod"
    ROWS = {2: [distance()], 3: [distance()]}

    at: Places | None = Field(  # type: ignore[assignment]  # two places, one a body
        default=None,
        description="where the rod's end on each body is at the start, global frame, m, with `bodies`; or the names of `points`",
    )
    length: TimeLaw | None = Field(default=None, description="m, may be a function of `t`; the distance in the file when not given")

    _constant: float | None = PrivateAttr(default=None)  # the length, where it is not a function of time

    @model_validator(mode="after")
    def _positive(self, info: ValidationInfo) -> Self:
        if self.length is not None and "t" not in self.length.names:
            self._constant = evaluate(self.length, context_of(info).parameters)
            if not self._constant > 0.0:
                raise ValueError(f"length must be greater than 0 (got {self._constant:g})")
        return self

    def rows(self, dimension: int) -> list[Primitive]:
        return [distance(self._constant if self.prescribed() is None else 0.0)]

    def prescribed(self) -> Expression | None:
        return self.length if self._constant is None else None

    def places(self) -> Sequence[list[float] | None]:
        return (None, None) if self.at is None or isinstance(self.at, NamedPoints) else self.at
