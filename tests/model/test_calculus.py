"""The derivative by time that becomes part of a law: of every function and operator, against SymPy's of the same expression."""

import pytest
import sympy

from mbsim.model.expressions.calculus import derivative, substitute
from mbsim.model.expressions.evaluation import evaluate
from mbsim.model.expressions.expression import Expression, parse
from mbsim.model.expressions.functions import FUNCTIONS
from mbsim.model.expressions.symbolic import to_sympy
from mbsim.model.expressions.tables import Table
from mbsim.model.file.errors import ExpressionError

ARGUMENTS = {"atan2": "(x, 2 + y)", "min": "(x, y, x*y)", "max": "(x, y, x*y)", "pulse": "(x, 1)", "if_else": "(x < y, x*y, x^2)"}
SHOWN = {name: f"{name}{ARGUMENTS.get(name, '(0.5*x + 0.1*y)')}" for name in FUNCTIONS if name != "der"}
SHOWN |= {
    "long step": "step(x, 0.2, y, 0.9, 2*x)",
    "sum": "x - 3*y + 2*t",
    "product": "x*y*t*x",
    "quotient": "x/(2 + y)",
    "power": "(1 + x)^3 - (2 + x)^0.5",
    "any power": "(1.5 + x)^y",
    "nested": "sin(x*cos(y^2))/sqrt(1 + x^2)",
}
POINTS = [{"x": 0.31, "y": 0.72, "t": 1.3}, {"x": 0.83, "y": 0.44, "t": 0.2}, {"x": 0.61, "y": 0.63, "t": -0.7}]
RATES = {"x": "0.7*y", "y": "-0.4 + x", "t": "1"}


def rate(name: str) -> Expression | None:
    return parse(RATES[name]) if name in RATES else None


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_it_is_that_of_sympy(text: str) -> None:
    symbols = {name: sympy.Symbol(name, real=True) for name in RATES}
    whole = to_sympy(parse(text), symbols)
    expected = sum((whole.diff(symbols[name]) * to_sympy(parse(of), symbols) for name, of in RATES.items()), sympy.Integer(0))
    found = to_sympy(derivative(parse(text), rate), symbols)
    for point in POINTS:
        values = {symbols[name]: value for name, value in point.items()}
        assert abs(float((found - expected).subs(values))) < 1e-13


def test_tables_are_derived_by_their_orders() -> None:
    table = Table("path", 0, ((0.0, 0.0), (0.5, 0.2), (1.0, 1.0), (2.0, 1.5)))
    e = parse("path(x^2)", tables={"path": table})
    call = derivative(e, rate).lookups[0]
    assert call.table is table and call.order == 1
    twice = derivative(derivative(e, rate), rate)
    assert {node.order for node in twice.lookups} == {1, 2} and twice.key != derivative(e, rate).key != e.key


def test_a_name_without_a_rate_is_refused_at_its_place() -> None:
    with pytest.raises(ExpressionError, match="the rate of 'z' is not known") as error:
        derivative(parse("x + 2*z"), rate)
    assert error.value.offset == 6


def test_only_whole_names_are_replaced() -> None:
    made = substitute(parse("target + target.kp*a - der(target.x)"), {"target": parse("1 + t"), "a": parse("target")})
    assert made.text == "(1 + t) + target.kp*(target) - der(target.x)"
    assert made.names == {"t", "target.kp", "target", "der(target.x)"}


def test_nesting_has_its_bound() -> None:
    deep = parse("sin(" * 50 + "x" + ")" * 50)
    with pytest.raises(ExpressionError, match="nested more than"):
        substitute(parse("cos(" * 20 + "a" + ")" * 20), {"a": deep})


@pytest.mark.parametrize(("n", "first", "second"), [(0.0, 0.0, 0.0), (1.0, 3.0, 0.0), (2.0, 0.0, 6.0)])
def test_powers_at_zero(n: float, first: float, second: float) -> None:
    """d/dt a t^n at t = 0: of t^0 it is 0, not 0 t^-1, whether the exponent is a number or a parameter."""
    rates = {"t": parse("1"), "a": parse("0"), "n": parse("0")}
    for text in ("a*t^n", f"a*t^{n:g}"):
        once = derivative(parse(text), rates.get)
        values = {"a": 3.0, "t": 0.0, "n": n}
        assert evaluate(once, values) == first and evaluate(derivative(once, rates.get), values) == second
