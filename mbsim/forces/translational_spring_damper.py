"""Spring and damper along a joint: stiffness (displacement - free_displacement) + damping d(displacement)/dt back, or a law over both."""

from typing import Self

from pydantic import Field, model_validator

from mbsim.forces._table import BodyForce, Geometry, Load, along, coordinate_of
from mbsim.model.fields import DisplacementLaw, JointName, NonNegativeNumber, Number


class TranslationalSpringDamper(BodyForce):
    """Pushes a joint back to `free_displacement`. The spring's energy is potential; that of a damper or a law is work."""

    SYMBOL = "spring"
    LOCAL = frozenset({"displacement", "rate"})
    AGAINST = True

    joint: JointName = Field(description="the prismatic or cylindrical joint along which it acts")
    coordinate: str | None = Field(default=None, description="which of the joint's displacements, where it has several (joint coordinates)")
    stiffness: NonNegativeNumber = Field(default=0.0, description="N/m")
    damping: NonNegativeNumber = Field(default=0.0, description="N s/m")
    free_displacement: Number = Field(default=0.0, description="m; where the spring is free")
    value: DisplacementLaw | None = Field(
        default=None,
        description="force, N, in place of stiffness, damping, free_displacement: a law that may contain `displacement` and `rate`",
    )

    @model_validator(mode="after")
    def _given_once(self) -> Self:
        linear = sorted(self.model_fields_set & {"stiffness", "damping", "free_displacement"})
        if self.value is not None and linear:
            raise ValueError(f"give either 'value' or {', '.join(linear)}, not both")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        relative = geometry.relative_coordinate(self.joint, coordinate_of(geometry, self.joint, self.coordinate, False))
        return along(geometry, relative, self.value, "displacement", (self.stiffness, self.damping, self.free_displacement))
