"""The `orientation` of a spatial body, in one of four forms."""

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from mbsim.model.fields import Direction, Number, Quaternion
from mbsim.model.file.errors import shown
from mbsim.model.file.plain import Plain
from mbsim.model.leaves import Block
from mbsim.model.rotations import matrix_from_axes, quaternion_from_axis, quaternion_from_matrix
from mbsim.model.schemas import NUMBER, array


def _three_rows(value: Plain) -> Plain:
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(row, list) and len(row) == 3 for row in value):
        raise ValueError(f"expected 3 rows of 3 numbers (got {shown(value)})")
    return value


MatrixField = Annotated[list[list[Number]], BeforeValidator(_three_rows), WithJsonSchema(array(array(NUMBER, 3), 3))]


class Orientation(Block):
    """The orientation of a spatial body at the start, body axes to global axes; exactly one form."""

    axis: Direction | None = Field(default=None, description="axis of a turn from the global axes; with `angle`")
    angle: Number | None = Field(default=None, description="angle of the turn about `axis`, rad")
    quaternion: Quaternion | None = Field(default=None, description="[w, x, y, z], body to global; normalised")
    x_axis: Direction | None = Field(default=None, description="the body's x axis in the global frame; with `y_axis`")
    y_axis: Direction | None = Field(default=None, description="the body's y axis in the global frame; made perpendicular to `x_axis`")
    matrix: MatrixField | None = Field(default=None, description="rotation matrix, body to global, by rows")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if given not in (["axis", "angle"], ["quaternion"], ["x_axis", "y_axis"], ["matrix"]):
            forms = "{axis, angle}, {quaternion}, {x_axis, y_axis} or {matrix}"
            raise ValueError(f"give exactly one of {forms} (got {{{', '.join(given)}}})")
        self.unit_quaternion()
        return self

    def unit_quaternion(self) -> list[float]:
        """[w, x, y, z], body to global; raises ValueError if the matrix or axes are not a rotation."""
        if self.quaternion is not None:
            return self.quaternion
        if self.axis is not None and self.angle is not None:
            return quaternion_from_axis(self.axis, self.angle)
        if self.x_axis is not None and self.y_axis is not None:
            return quaternion_from_matrix(matrix_from_axes(self.x_axis, self.y_axis))
        return quaternion_from_matrix(self.matrix or [])
