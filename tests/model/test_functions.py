"""A function of the expression language is declared once and has the same value wherever expressions are used."""

import itertools
import math

import numpy as np
import pytest
import sympy

from mbsim.kernels.rounding import floored
from mbsim.model.expressions.expression import evaluate, parse
from mbsim.model.expressions.functions import FUNCTIONS, MEASURING
from mbsim.model.expressions.parsed import ExpressionError
from mbsim.model.expressions.symbolic import to_sympy
from mbsim.results import columns
from mbsim.system import codegen

SAMPLES = (-0.75, 0.0, 0.25, 0.5)  # within the domain of most functions, and where cases change
COUNTS = [(name, count) for name, f in FUNCTIONS.items() if f.value is not None for count in sorted({f.fewest, f.most or 3})]


@pytest.mark.parametrize(("name", "count"), COUNTS)
def test_numbers_columns_expressions_and_code_agree(name: str, count: int) -> None:
    letters = "abcde"[:count]
    expression = parse(f"{name}({', '.join(letters)})")
    made = to_sympy(expression, {letter: sympy.Symbol(letter, real=True) for letter in letters})
    source = codegen.write(made)
    seen = 0
    for values in itertools.product(SAMPLES, repeat=count):
        named = dict(zip(letters, values, strict=True))
        try:
            expected = evaluate(expression, named)
        except ExpressionError:  # outside of the domain, or no number
            continue
        seen += 1
        with np.errstate(all="ignore"):
            column = columns.COLUMNS[name](*(np.array([value]) for value in values))
        code = eval(source, {**vars(math), "floored": floored, **named})
        assert (float(column[0]), code) == pytest.approx((expected, expected), rel=1e-14, abs=1e-15)
    assert seen >= min(2, len(SAMPLES) ** count)


def test_every_function_is_known_in_each_of_its_uses() -> None:
    for name, function in FUNCTIONS.items():
        assert function.fewest <= (function.most or function.fewest)
        if function.value is not None:
            assert function.symbol or function.cases is not None
            assert name in columns.COLUMNS
    assert not FUNCTIONS.keys() & MEASURING.keys()
    assert set(codegen._KNOWN) <= set(vars(math))


def test_messages_name_the_arguments() -> None:
    for text, message in (
        ("sin(1, 2)", "sin takes 1 argument (got 2)"),
        ("atan2(1)", "atan2 takes 2 arguments (y, x) (got 1)"),
        ("max(1)", "max takes 2 or more arguments (got 1)"),
        ("step(1, 2)", "step takes 1 argument (x) or 5 (x, x0, h0, x1, h1) (got 2)"),
        ("COS(1)", "unknown function 'COS'; did you mean 'cos'?"),
    ):
        with pytest.raises(ExpressionError) as caught:
            parse(text)
        assert caught.value.message == message
