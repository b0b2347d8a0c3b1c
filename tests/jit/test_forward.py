"""Derivatives of helpers, made from their source: choices between tuples, against differences."""

import math

import pytest

from mbsim.jit import helper
from mbsim.jit.forward import derivative


@helper
def constant_beside(x, c):
    a, b = (x * x, math.sin(x)) if c > 0.0 else (1.0, 0.0)
    return a + 3.0 * b


@helper
def constant_first(x, c):
    a, b = (1.0, 0.0) if c > 0.0 else (x * x, math.sin(x))
    return a + 3.0 * b


@helper
def constants_around(x, c):
    a, b, d = (1.0, 2.0, 3.0) if c > 1.0 else ((x, x * x, 0.0) if c > 0.0 else (0.0, 0.0, 4.0))
    return a * b + d


@helper
def of_numbers(x, c):
    a = x * x if c > 0.0 else 2.0
    return a * x


@pytest.mark.parametrize("function", [constant_beside, constant_first, constants_around, of_numbers])
@pytest.mark.parametrize("c", [-1.0, 0.5, 2.0])
def test_a_choice_with_constants_on_one_side(function, c: float) -> None:
    x, h = 0.7, 1e-5
    value, slope = derivative(function, True, False).python(x, 1.0, c)
    assert value == function.py_func(x, c)
    assert slope == pytest.approx((function.py_func(x + h, c) - function.py_func(x - h, c)) / (2.0 * h), abs=1e-9)
