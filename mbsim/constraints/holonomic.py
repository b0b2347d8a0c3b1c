"""An equation between positions: `equation` = 0, over coordinates or body states, t and parameters. Differentiated exactly, twice."""

from pydantic import Field

from mbsim.model.fields import SmoothLaw
from mbsim.model.leaves import Constraint


class Holonomic(Constraint):
    """phi(t, q) = 0."""

    EQUATION = "holonomic"

    equation: SmoothLaw = Field(description="expression that is kept zero; must not contain der(...)")
