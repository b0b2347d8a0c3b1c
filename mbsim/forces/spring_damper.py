"""Spring and damper between two points: tension = stiffness (length - free_length) + damping d(length)/dt, or a law over both."""

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from mbsim.elements.kinds import SPRING
from mbsim.forces._table import BodyForce, Geometry, Load, along
from mbsim.model.fields import BodyName, LengthLaw, NonNegativeNumber, Point, PointRef, Vector


class SpringDamper(BodyForce):
    """Pulls its two points together when longer than `free_length`. The spring's energy is potential; that of a damper or a law is work."""

    LOCAL = frozenset({"length", "rate"})

    bodies: Annotated[list[BodyName], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="the two bodies; with `at`"
    )
    at: Annotated[list[Vector], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="its end on each body, global at the start, m; with `bodies`"
    )
    points: Annotated[list[PointRef], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="a point of each body; in place of `bodies` and `at`"
    )
    stiffness: NonNegativeNumber = Field(default=0.0, description="N/m")
    damping: NonNegativeNumber = Field(default=0.0, description="N s/m")
    free_length: NonNegativeNumber | None = Field(default=None, description="m; the length at the start when not given")
    value: LengthLaw | None = Field(
        default=None, description="tension, N, in place of stiffness, damping and free_length: a law that may contain `length` and `rate`"
    )

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        if (self.points is None) == (self.bodies is None and self.at is None) or (self.bodies is None) != (self.at is None):
            raise ValueError("give either 'points', or 'bodies' and 'at'")
        linear = sorted(self.model_fields_set & {"stiffness", "damping", "free_length"})
        if self.value is not None and linear:
            raise ValueError(f"give either 'value' or {', '.join(linear)}, not both")
        first, second = self.ends()
        if first.body == second.body:
            raise ValueError(f"a spring_damper needs two different bodies (got '{first.body}' twice)")
        return self

    def ends(self) -> tuple[Point, Point]:
        """The two points; those given by `at` are named by their body only."""
        if self.points is not None:
            return self.points[0], self.points[1]
        assert self.bodies is not None
        return Point(self.bodies[0], None), Point(self.bodies[1], None)

    def loads(self, geometry: Geometry) -> list[Load]:
        at: Sequence[list[float] | None] = self.at or (None, None)
        (first, second), (a, b) = self.ends(), at
        i, s_i = geometry.place(first, a)
        j, s_j = geometry.place(second, b)
        if self.value is not None:
            return along(geometry, geometry.relative_distance((i, s_i), (j, s_j)), self.value, "length", (0.0, 0.0, 0.0))
        free = self.free_length
        if free is None:
            free = sum((p - q) ** 2 for p, q in zip(geometry.locate(first, a), geometry.locate(second, b), strict=True)) ** 0.5
        return [Load(SPRING, i, j, -1, [*s_i, *s_j, self.stiffness, self.damping, free])]
