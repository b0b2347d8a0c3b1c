"""Linear relation of speeds with constant factors, such as a differential: sum of factor times speed = `value`. One nonholonomic row."""

from functools import cached_property

from pydantic import Field

from mbsim.constraints._table import EquationConstraint
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.expressions.parsed import combine
from mbsim.model.fields import SpeedTerms, TimeLaw


class SpeedCoupling(EquationConstraint):
    """The multiplier is the torque (force) on each of the speeds, over its factor."""

    EQUATION = "nonholonomic"
    KEY = "terms"

    terms: SpeedTerms = Field(description="speed -> factor: wheel.omega.y, der(crank.x), der(O.angle), der(theta)")
    value: TimeLaw | None = Field(default=None, description="what the sum is, of `t`; default 0")

    @cached_property
    def equation(self) -> Expression:
        """sum of factor times speed - value."""
        terms = [(factor, parse(name)) for name, factor in self.terms.items()]
        return combine(terms if self.value is None else [*terms, (-1.0, self.value)])

    def residual(self) -> Expression:
        return self.equation
