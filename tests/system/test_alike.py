"""Formulas that are alike, as one loop: the numbers of a line for each, to the last bit."""

import math
import types

import numpy as np
import pytest
import sympy

from mbsim.system import alike
from mbsim.system.alike import ALIKE, Formula, loops
from mbsim.system.codegen import function

ARGUMENTS = "t, q, v, q_dot, v_dot, lam, out"


def symbols(text: str) -> list[sympy.Symbol]:
    return [sympy.Symbol(name, real=True) for name in text.split()]


def drawn(rng: np.random.Generator) -> list[Formula]:
    """Gaps of sides, slips, and some that no other is like."""
    formulas = []
    for _ in range(9):
        a, b, c, d = symbols(" ".join(f"g{k}" for k in rng.permutation(12)[:4]))
        w, p = symbols(f"w{rng.integers(12)} p{rng.integers(5)}")
        gap = a - sympy.Float(rng.uniform()) + sympy.Float(0.3) * b
        formulas.append((gap + sympy.Piecewise((b - c * sympy.Float(rng.uniform()), b > c), (d, True)) - p, w * d - sympy.sqrt(1 + a**2)))
        formulas.append((w, None))
        formulas.append((sympy.Float(rng.uniform()) * a / w - b**3 * p, sympy.sin(a - d)))
    q, t = symbols("q2 t")
    formulas.append((q * sympy.cos(3 * t), None))
    formulas.append((sympy.atan2(*symbols("v0 q1")) ** sympy.Float(1.7), t))
    return [Formula(k, each) for k, each in enumerate(formulas)]


def lines(formulas: list[Formula]) -> str:
    known = [(f"out[{k}, {c}]", e) for k, columns, *_ in formulas for c, e in enumerate(columns) if e is not None]
    unknown = "".join(f"out[{k}, 1] = nan\n" for k, columns, *_ in formulas if columns[1] is None)
    return function("numbers", "EVENT", ARGUMENTS, known, unknown)


def sources(formulas: list[Formula]) -> tuple[str, list[Formula]]:
    found = loops("alike", "EVENT", ARGUMENTS, formulas)
    return found.source, found.left


def numbers(source: str, names: list[str], read: dict[str, object]) -> np.ndarray:
    space: dict[str, object] = {**vars(math), "kernel": lambda contract: lambda f: f, "EVENT": None, "nan": math.nan}
    exec(source, space)
    out = np.zeros((40, 3))
    for name in names:
        space[name](**read, out=out)  # type: ignore[operator]
    return out


@pytest.mark.parametrize("seed", range(5))
def test_a_loop_gives_the_numbers_of_a_line_for_each(seed: int) -> None:
    rng = np.random.default_rng(seed)
    formulas = drawn(rng)
    arrays = types.SimpleNamespace(relative_values=rng.uniform(0.1, 1.0, (12, 2)), parameters=rng.uniform(0.1, 1.0, 5))
    vectors = {name: rng.uniform(0.1, 1.0, 4) for name in ("q", "v", "q_dot", "v_dot", "lam")}
    read = {"arrays": arrays, "t": 0.3, **vectors}
    expected = np.zeros((40, 3))
    for formula in formulas:
        expected += numbers(lines([formula]), ["numbers"], read)
    source, left = sources(formulas)
    assert 0 < len(left) < len(formulas) - ALIKE
    np.testing.assert_array_equal(
        numbers(source, ["alike"], read) + sum(numbers(lines([each]), ["numbers"], read) for each in left), expected
    )


def test_a_few_are_left_as_they_are() -> None:
    formulas = [Formula(k, (symbol, None)) for k, symbol in enumerate(symbols("g0 g1 g2"))]
    assert sources(formulas) == ("", formulas)
    assert len(formulas) < ALIKE


def test_exponents_stay_in_the_code() -> None:
    """A power of a known number may be compiled otherwise than one of a number that is read."""
    formulas = [Formula(k, (symbol ** sympy.Float(2.5), None)) for k, symbol in enumerate(symbols("g0 g1 g2 g3 g4"))]
    source, left = sources(formulas)
    assert not left and "**2.5" in source and "alike_values" not in source


def test_functions_with_digits_in_their_names_are_no_symbols() -> None:
    a, b = symbols("q0 v1")
    assert alike._code(Formula(0, (sympy.atan2(a, b), None)), "out[{}, {}]").reads == (("q", 0), ("v", 1))
