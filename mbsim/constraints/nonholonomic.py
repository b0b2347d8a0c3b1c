"""An equation linear in velocities: `equation` = 0, over der(coordinate), coordinates, t and parameters. Differentiated exactly."""

from pydantic import Field

from mbsim.model.fields import Law
from mbsim.model.leaves import Constraint


class Nonholonomic(Constraint):
    """C(t, q) v + xi(t, q) = 0."""

    EQUATION = "nonholonomic"

    equation: Law = Field(description="expression that is kept zero; linear in der(...)")
