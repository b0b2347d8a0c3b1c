"""Spring and damper between two points: tension = stiffness (length - free_length) + damping d(length)/dt, or a law over both."""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import SPRING
from mbsim.forces._table import BodyForce, Geometry, Load, along
from mbsim.model.fields import BodyName, LengthLaw, NonNegativeNumber
from mbsim.model.leaves import Where
from mbsim.model.points import NamedPoints, Places, Points, check_given, ends, where


class SpringDamper(BodyForce):
    """Pulls its two points together when longer than `free_length`. The spring's energy is potential; that of a damper or a law is work."""

    SYMBOL = "spring"
    LOADED = 1
    LOCAL = frozenset({"length", "rate"})
    AGAINST = True

    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="the two bodies; with `at`"
    )
    at: Places | None = Field(
        default=None, description="its end on each body, global at the start, m, with `bodies`; or the names of `points`"
    )
    points: Points = Field(
        default=None,
        validate_default=True,
        description="a point of each body: [frame.A, rod.B], or with `bodies` their names alone, [A, B]; in place of `at`",
    )
    stiffness: NonNegativeNumber = Field(default=0.0, description="N/m")
    damping: NonNegativeNumber = Field(default=0.0, description="N s/m")
    free_length: NonNegativeNumber | None = Field(default=None, description="m; the length at the start when not given")
    value: LengthLaw | None = Field(
        default=None, description="tension, N, in place of stiffness, damping and free_length: a law that may contain `length` and `rate`"
    )

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        check_given(self)
        linear = sorted(self.model_fields_set & {"stiffness", "damping", "free_length"})
        if self.value is not None and linear:
            raise ValueError(f"give either 'value' or {', '.join(linear)}, not both")
        return self

    def acts_at(self) -> list[Where]:
        return where(self)

    def loads(self, geometry: Geometry) -> list[Load]:
        at: Sequence[list[float] | None] = (None, None) if self.at is None or isinstance(self.at, NamedPoints) else self.at
        (first, second), (a, b) = ends(self), at
        i, s_i = geometry.place(first, a)
        j, s_j = geometry.place(second, b)
        if self.value is not None:
            return along(geometry, geometry.relative_distance((i, s_i), (j, s_j)), self.value, "length", (0.0, 0.0, 0.0))
        free = self.free_length
        if free is None:
            free = sum((p - q) ** 2 for p, q in zip(geometry.locate(first, a), geometry.locate(second, b), strict=True)) ** 0.5
        return [Load(SPRING, i, j, -1, [*s_i, *s_j, self.stiffness, self.damping, free])]
