"""Torque on a body: about the plane's normal (one value) or a vector in global or a body's axes, constant or of time and state."""

from typing import Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from mbsim.elements.kinds import TORQUE, TURNED_TORQUE
from mbsim.forces._table import Axes, BodyForce, Geometry, Load, axes_body
from mbsim.model.fields import BodyName, Law, Point, context_of
from mbsim.model.leaves import Where
from mbsim.model.names import GROUND


class Torque(BodyForce):
    """A torque (N m); its work counts as work of non-conservative forces."""

    SYMBOL = "turning"

    body: BodyName = Field(description="the body it acts on")
    value: list[Law] = Field(
        description="N m: one expression (planar) or three in `axes`",
        json_schema_extra={"anyOf": [{"type": ["number", "string"]}, {"type": "array"}], "type": ["number", "string", "array"]},
    )

    axes: Axes = Field(
        default="global", description="space: global, body (its own) or the name of another body, with whose axes the torque turns"
    )

    @field_validator("value", mode="before")
    @classmethod
    def _as_list(cls, value: object) -> Any:
        return value if isinstance(value, list) else [value]

    @model_validator(mode="after")
    def _length(self, info: ValidationInfo) -> Self:
        if self.body == GROUND:
            raise ValueError("a torque on the ground moves nothing")
        if self.axes != "global" and context_of(info).dimension == 2:
            raise ValueError("axes: in the plane every torque is about its normal")
        expected = 1 if context_of(info).dimension == 2 else 3
        if len(self.value) != expected:
            raise ValueError(f"value: expected {'one expression' if expected == 1 else 'three expressions'} (got {len(self.value)})")
        return self

    def acts_at(self) -> list[Where]:
        return [(Point(self.body, None), None)]

    def loads(self, geometry: Geometry) -> list[Load]:
        body, point = geometry.place(Point(self.body, None), None)
        law, constants = geometry.law(self.value)
        axes, _ = geometry.place(Point(axes_body(self.axes, self.body), None), None)
        kind = TORQUE if axes == geometry.ground() else TURNED_TORQUE
        return [Load(kind, body, body if kind == TORQUE else axes, law, [*point, *constants, 0.0, 0.0, 0.0])]
