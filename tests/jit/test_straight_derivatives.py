"""Derivatives of recorded operations, beside those of mpmath."""

from collections.abc import Callable
from typing import Any

import pytest
from mpmath import mp, mpf

from mbsim.jit.straight.derivatives import differentiate, is_zero
from mbsim.jit.straight.graph import Graph, Traced, apply, compare, larger, pick, select
from mbsim.jit.straight.trigonometry import sine_and_cosine

X, Y = 0.37, 0.82


def value(x: Any) -> float:
    """At the known state."""
    return float(x.graph.values[x.at]) if isinstance(x, Traced) else float(x)


CASES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "products": (lambda x, y: x * y * x - y / x + 3.0 * x - -y, lambda x, y: x * y * x - y / x + 3 * x + y),
    "constants": (lambda x, y: 2.0 / (x - 3.0) + (1.0 - y) ** 3, lambda x, y: 2 / (x - 3) + (1 - y) ** 3),
    "roots": (lambda x, y: apply("sqrt", x * x + y), lambda x, y: mp.sqrt(x * x + y)),
    "sines": (lambda x, y: sine_and_cosine(3.0 * x)[0] * sine_and_cosine(x + y)[1], lambda x, y: mp.sin(3 * x) * mp.cos(x + y)),
    "far sines": (lambda x, y: sine_and_cosine(100.0 * x + y)[0], lambda x, y: mp.sin(100 * x + y)),
    "absolute": (lambda x, y: abs(x - y) * abs(x), lambda x, y: (y - x) * x),
    "chosen": (lambda x, y: select(compare("<", x, y), x * y, x + y), lambda x, y: x * y),
    "larger": (lambda x, y: larger(x, y) * larger(0.2, x), lambda x, y: y * x),
    "rounded": (lambda x, y: apply("floor", 10.0 * x) * y + apply("rint", y) * x, lambda x, y: 3 * y + x),
    "picked": (lambda x, y: pick((2.0, 5.0), apply("rint", x + y)) * x, lambda x, y: 5 * x),
    "powers": (lambda x, y: apply("pow", x, y) + apply("pow", x, 2.5), lambda x, y: x**y + x ** mpf(2.5)),
    "atan2": (lambda x, y: apply("atan2", x * x, y), lambda x, y: mp.atan2(x * x, y)),
    **{
        name: (lambda x, y, name=name: apply(name, x * y), lambda x, y, name=name: getattr(mp, name)(x * y))  # type: ignore[misc]
        for name in ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
    },
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_exact(name: str) -> None:
    traced, exact = CASES[name]
    graph = Graph()
    x, y = graph.input(0, X), graph.input(1, Y)
    found = differentiate([traced(x, y)], {x.at: {0: 1.0}, y.at: {1: 1.0}})[0]
    mp.prec = 200
    for column in range(2):
        order = (1, 0) if column == 0 else (0, 1)
        assert value(found.get(column, 0.0)) == pytest.approx(float(mp.diff(exact, (mpf(X), mpf(Y)), order)), rel=1e-14, abs=1e-15)


def test_numbers_between_are_independent_where_they_are_seeds() -> None:
    """Of what depends on them through other ways than theirs nothing is counted."""
    graph = Graph()
    x = graph.input(0, X)
    between = x * x
    found = differentiate([between * between + x], {between.at: {3: 2.0}})[0]
    assert found.keys() == {3} and value(found[3]) == pytest.approx(4.0 * X * X)


def test_structural_zeros_have_no_entry() -> None:
    graph = Graph()
    x, y = graph.input(0, X), graph.input(1, Y)
    first, second, third = differentiate([x + 1.0, 2.5, x * 0.0 + y], {x.at: {0: 1.0}})
    assert first.keys() == {0} and not second and not third
    assert is_zero(x * 0.0) and is_zero(0.0) and not is_zero(x)


def test_a_derivative_that_does_not_exist_is_no_number() -> None:
    graph = Graph()
    x = graph.input(0, 0.0)
    assert value(differentiate([apply("sqrt", x)], {x.at: {0: 1.0}})[0][0]) == float("inf")
