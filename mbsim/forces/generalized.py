"""Generalised force on one of the user's own coordinates: adds `value` to that coordinate's row of h."""

from pydantic import Field

from mbsim.forces._table import CoordinateForce
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import CoordinateName, Law


class Generalized(CoordinateForce):
    """Q for der(coordinate); its work counts as work of non-conservative forces."""

    coordinate: CoordinateName = Field(description="one of `coordinates`")
    value: Law = Field(description="expression of t, coordinates and der(coordinate)")

    def generalised_force(self) -> tuple[str, Expression]:
        return self.coordinate, self.value
