"""Straight-line code as a function of Python over one run: every operation, lists, and marks of comparisons that come out otherwise."""

import math

import numpy as np
import pytest

from mbsim.jit.straight.emission import OTHER_CASE, OUT_OF_RANGE, Straight
from mbsim.jit.straight.graph import CALLED, Graph, apply, compare, larger, pick, require, select
from mbsim.jit.straight.scalar import FUNCTIONS, Lists, function_of

IN_NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
NUMPYS = {name: getattr(np, IN_NUMPY.get(name, name)) for name in FUNCTIONS}
GUARDS = 40


def test_every_operation_is_what_was_recorded() -> None:
    graph = Graph()
    x, y = graph.input(0, 0.3), graph.input(1, 0.7)
    values = [x + y, x - y, x * y, x / y, -x, abs(y - x - 1.0), apply("sqrt", x), apply("rint", 3.0 * y), apply("floor", x - 1.0)]
    values += [apply(name, x, y) if name in ("atan2", "pow") else apply(name, x) for name in CALLED]
    values += [select(compare("<", x, y), x, y), larger(x, y), pick((1.0, 4.0, math.inf), apply("floor", 2.0 * y)), x * -2.5e-300]
    code = Straight(graph, tuple((2 + k, graph.place(value)) for k, value in enumerate(values)), GUARDS)
    lists, slots = Lists(), np.zeros(GUARDS + 1)
    slots[:2] = 0.3, 0.7
    function_of(code, "all_of_them", NUMPYS, lists)(slots, np.array(lists.numbers))
    wanted = [graph.values[graph.place(value)] for value in values]
    np.testing.assert_allclose(slots[2 : 2 + len(values)], wanted, rtol=4e-16)
    assert slots[GUARDS] == 0.0


@pytest.mark.parametrize(("x", "mark"), [(0.3, 0.0), (2.0, OTHER_CASE), (-2.0, OUT_OF_RANGE), (math.nan, OTHER_CASE)])
def test_the_first_comparison_that_comes_out_otherwise_marks_the_run(x: float, mark: float) -> None:
    graph = Graph()
    number = graph.input(0, 0.3)
    chosen = number if number < 1.0 else -number  # decides
    require(compare(">", number, -1.0))
    code = Straight(graph, ((1, graph.place(2.0 * chosen)),), GUARDS)
    slots = np.zeros(GUARDS + 1)
    slots[0] = x
    run = function_of(code, "guarded", NUMPYS, Lists())
    run(slots, np.zeros(1))
    assert slots[GUARDS] == mark
    slots[0] = -2.0
    run(slots, np.zeros(1))
    assert slots[GUARDS] == (mark or OUT_OF_RANGE)  # the first mark stays
