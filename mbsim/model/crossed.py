"""Expressions that a run watches for where they cross zero: `when` of events, and `stop`. What never changes crosses none."""

from typing import Annotated

from pydantic import AfterValidator

from mbsim.model.expressions.expression import Expression
from mbsim.model.fields import Law, Watched


def _varying(expression: Expression) -> Expression:
    if not expression.names:
        raise ValueError(f"expected an expression that changes and crosses zero, such as t - 2 (got the constant {expression})")
    return expression


CrossedLaw = Annotated[Law, AfterValidator(_varying)]
"""A Law that is no constant."""

CrossedWatched = Annotated[Watched, AfterValidator(_varying)]
"""A Watched that is no constant."""
