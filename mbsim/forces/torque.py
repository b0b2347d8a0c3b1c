"""Torque on a body: about the plane's normal (planar, one value) or a vector in global axes, constant or of time and state."""

from typing import Any

from pydantic import Field, ValidationInfo, field_validator, model_validator

from mbsim.forces._table import Geometry, Load
from mbsim.kernels.primitives import TORQUE
from mbsim.model.fields import BodyName, Law, Point, context_of
from mbsim.model.leaves import Force
from mbsim.model.names import GROUND


class Torque(Force):
    """A torque (N m); its work counts as work of non-conservative forces."""

    body: BodyName = Field(description="the body it acts on")
    value: list[Law] = Field(
        description="N m: one expression (planar) or three in global axes",
        json_schema_extra={"anyOf": [{"type": ["number", "string"]}, {"type": "array"}], "type": ["number", "string", "array"]},
    )

    @field_validator("value", mode="before")
    @classmethod
    def _as_list(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @model_validator(mode="after")
    def _length(self, info: ValidationInfo) -> Any:
        if self.body == GROUND:
            raise ValueError("a torque on the ground moves nothing")
        expected = 1 if context_of(info).dimension == 2 else 3
        if len(self.value) != expected:
            raise ValueError(f"value: expected {'one expression' if expected == 1 else 'three expressions'} (got {len(self.value)})")
        return self

    def loads(self, geometry: Geometry) -> list[Load]:
        body, point = geometry.place(Point(self.body, None), None)
        law, constants = geometry.law(self.value)
        return [Load(TORQUE, body, body, law, [*point, *constants, 0.0, 0.0, 0.0])]
