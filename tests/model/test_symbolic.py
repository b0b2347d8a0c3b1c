"""Expressions as SymPy: same values as `evaluate`, and derivatives without leftovers that agree with differences."""

import math

import pytest

from mbsim.kernels.powers import raised
from mbsim.kernels.rounding import floored
from mbsim.model.expressions.expression import ExpressionError, evaluate, parse
from mbsim.model.expressions.symbolic import to_sympy
from mbsim.system.codegen import write

sympy = pytest.importorskip("sympy")

SYMBOLS = {name: sympy.Symbol(symbol, real=True) for name, symbol in [("x", "x"), ("y", "y"), ("der(crank.x)", "v")]}
LEFTOVERS = ("Abs", "sign", "DiracDelta", "Heaviside", "Derivative", "Subs", "Max", "Min", "re", "im", "I", "nan", "zoo")

# Every function, away from its kinks (x = 0.6, y = -1.3), and what SymPy is known to rewrite on its own.
TEXTS = [
    "sin(x*y)",
    "cos(x*y)",
    "tan(x*y)",
    "asin(x)",
    "acos(x)",
    "atan(x*y)",
    "atan2(y, x)",
    "sinh(x*y)",
    "cosh(x*y)",
    "tanh(x*y)",
    "exp(x*y)",
    "log(x)*y",
    "sqrt(x)*y",
    "abs(x*y)",
    "sign(y)*x",
    "min(x, y, x*y)",
    "max(x, y^2, 2*x*y)",
    "step(y)*x",
    "step(x, 0.1, y, 1.2, 2)",
    "step(x, 0.1, y, 0.5, x^2)",
    "step(y, 0.1, x^2, 0.5, 3)",
    "ramp(x*y) + ramp(x)^3",
    "pulse(x, 2)*x^2",
    "floor(4*x)*x + ceil(y)*y - round(7*x)*x^2",
    "if_else(x > 0 and not (y > 1 or x == 2), x^2*y, y)",
    "if_else(max(x, y) > abs(y), x, x^3*y)",
    "deg(x)^2",
    "der(crank.x)^2*x",
    "x^y",
    "x^2.3",
    "x^0.5 + x^-1.5",
    "x^(1/3)",
    "sqrt(x^2*y^2)",
    "(y^2)^1.5",
    "sqrt((x - y)^2)",
    "max(abs(x), abs(y))*x",
    "min(1, max(0, x))^2",
    "abs(abs(y) - min(x, abs(x - y)))^3",
    "max(-5, min(10, 6*(step(x, 0, 0, 1, 1) - y) - 3*step(x, 0, y, 1, x)))*x",  # conditions inside conditions that ask the same
    "x/y/x^2 - 1/3*x",
]
POINT = {"x": 0.6, "y": -1.3, "der(crank.x)": 0.4}


def _at(expression, point):
    return float(expression.subs({SYMBOLS[name]: value for name, value in point.items()}))


def _difference(value, name):
    h = 1e-6
    up, down = {**POINT, name: POINT[name] + h}, {**POINT, name: POINT[name] - h}
    return (value(up) - value(down)) / (2 * h)


@pytest.mark.parametrize("text", TEXTS)
def test_values_and_derivatives_agree_with_the_interpreter(text):
    expression = parse(text)
    symbolic = to_sympy(expression, SYMBOLS)
    assert _at(symbolic, POINT) == pytest.approx(evaluate(expression, POINT), rel=1e-14, abs=1e-14)
    for name in ("x", "y"):
        first = sympy.diff(symbolic, SYMBOLS[name])
        wanted = _difference(lambda point: evaluate(expression, point), name)
        assert _at(first, POINT) == pytest.approx(wanted, rel=1e-7, abs=1e-8)
        for other in ("x", "y"):
            second = sympy.diff(first, SYMBOLS[other])
            wanted = _difference(lambda point, first=first: _at(first, point), other)
            assert _at(second, POINT) == pytest.approx(wanted, rel=1e-6, abs=1e-7)
            for part in (symbolic, first, second):
                assert not [leftover for leftover in LEFTOVERS if part.has(getattr(sympy, leftover))]


@pytest.mark.parametrize("text", TEXTS)
def test_printed_as_python_it_has_the_same_value(text):
    """What code generation does with it and with its derivatives: conditions inside conditions (ITE) included."""
    symbolic = to_sympy(parse(text), SYMBOLS)
    scope = {**{name: getattr(math, name) for name in dir(math)}, "raised": raised, "floored": floored, "x": 0.6, "y": -1.3, "v": 0.4}
    assert eval(write(symbolic), scope) == pytest.approx(evaluate(parse(text), POINT), rel=1e-14, abs=1e-14)
    x = SYMBOLS["x"]
    for derivative in (symbolic.diff(x), symbolic.diff(x, 2)):
        assert eval(write(derivative), scope) == pytest.approx(_at(derivative, POINT), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("value", [0.1, 1 / 3, math.pi, 1e-300, 1.7e308, -2.5, 123456789.123, 5e-324])
def test_constants_keep_every_bit(value):
    assert float(to_sympy(parse(value), {})) == value


def test_whole_numbers_are_integers_and_constants_are_folded():
    assert to_sympy(parse("2*3 + 4/2"), {}) == sympy.Integer(8)
    assert isinstance(to_sympy(parse("2e9"), {}), sympy.Float)
    assert to_sympy(parse("x^(1/2)"), SYMBOLS) == sympy.sqrt(SYMBOLS["x"])
    assert to_sympy(parse("if_else(1 < 2, x, 1/0)"), SYMBOLS) == SYMBOLS["x"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x + z", "unknown name 'z'"),
        ("x + 9**9**9", "the power is too large for a number"),
        ("x + log(0 - 1)", "the log of (-1) is not defined"),
        ("x^(50*50)", "the exponent is larger than 100"),
        ("sqrt(-x^2)", "this part has no real, finite value"),
        ("y/(x - x)", "this part has no real, finite value"),
    ],
)
def test_what_has_no_value_is_an_error(text, message):
    with pytest.raises(ExpressionError) as caught:
        to_sympy(parse(text), SYMBOLS)
    assert str(caught.value) == message
