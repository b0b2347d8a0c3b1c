"""An equation linear in velocities: `equation` = 0, over der(coordinate), coordinates, t and parameters. Differentiated exactly."""

from pydantic import Field

from mbsim.constraints._table import EquationConstraint
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import Law


class Nonholonomic(EquationConstraint):
    """C(t, q) v + xi(t, q) = 0."""

    EQUATION = "nonholonomic"

    equation: Law = Field(description="expression that is kept zero; linear in der(...)")

    def residual(self) -> Expression:
        return self.equation
