"""An equation between positions: `equation` = 0, over coordinates or body states, t and parameters. Differentiated exactly, twice."""

from pydantic import Field

from mbsim.constraints._table import EquationConstraint
from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import SmoothLaw


class Holonomic(EquationConstraint):
    """phi(t, q) = 0."""

    EQUATION = "holonomic"
    OF_SPEEDS = False

    equation: SmoothLaw = Field(description="expression that is kept zero; must not contain der(...)")

    def residual(self) -> Expression:
        return self.equation
