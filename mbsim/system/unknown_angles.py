"""Laws with cases over an angle that is not known: they are not numbers either.

An angle in space that is not known is not a number (`mbsim.elements.relative.about`), which stops the run. No comparison holds for it:
`if_else`, `max` and the like would take their last case, and the run would go on with a wrong force.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy


@cache
def _while_known() -> "type[sympy.Function]":
    import sympy

    class while_known(sympy.Function):  # noqa: N801  (as SymPy names functions)
        """Its first argument where the second one is a number, else that."""

        nargs = 2
        WRITTEN = "({0} if {1} == {1} else {1})"

        def fdiff(self, argindex: int = 1) -> "sympy.Expr":
            return sympy.Integer(1 if argindex == 1 else 0)

    return while_known


def while_known(law: "sympy.Expr") -> "sympy.Expr":
    """A law that is no number where a relative coordinate is none that its cases depend on."""
    import sympy

    cases = law.atoms(sympy.Piecewise)
    measured = {symbol for case in cases for symbol in case.free_symbols if symbol.name[0] == "g" and symbol.name[1:].isdigit()}
    for symbol in sorted(measured, key=lambda symbol: int(symbol.name[1:])):
        law = _while_known()(law, symbol)
    return law
