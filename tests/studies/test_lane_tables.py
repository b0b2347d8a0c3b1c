"""Tables in straight-line code: the pieces, the derivatives and the ends of those that kernels look up."""

import numpy as np
import pytest

from mbsim.jit import COMPILES
from mbsim.jit.straight.emission import LANES, OUT_OF_RANGE, Straight
from mbsim.jit.straight.graph import Graph, TraceError
from mbsim.kernels.tables import ASKED, COLUMNS, COUNT, FIRST, HIGH, LOW, PERIOD, lookup
from mbsim.straight.lookups import traced_lookup

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")


def table_of(count: int, period: float) -> np.ndarray:
    """One table whose pieces are arbitrary."""
    rng = np.random.default_rng(count)
    tables = rng.normal(size=(1 + count, COLUMNS))
    tables[1:, 0] = np.cumsum(rng.uniform(0.1, 1.0, count))
    tables[0, [FIRST, COUNT]] = 1, count
    tables[0, LOW], tables[0, HIGH] = tables[1, 0], tables[-1, 0] + 0.5
    tables[0, ASKED], tables[0, PERIOD] = np.nan, period
    return tables


@pytest.mark.parametrize("period", [0.0, 40.0])
@pytest.mark.parametrize("count", [1, 2, 3, 8, 29])
def test_pieces_are_those_of_the_kernels(count: int, period: float) -> None:
    """At their begins, between them and at the ends, for all derivatives; beyond the ends a lane leaves."""
    tables = table_of(count, period)
    graph = Graph()
    x = graph.input(0, float(tables[1, 0]) + 0.01)
    found = [traced_lookup(tables.astype(object), 0, order, x) for order in range(4)]
    code = Straight(graph, tuple((2 + order, graph.place(y)) for order, y in enumerate(found)), 1)
    begins, high = tables[1:, 0], tables[0, HIGH]
    asked = np.concatenate([begins, 0.5 * (begins[1:] + begins[:-1]), np.nextafter(begins[1:], 0.0), [high]])
    asked = np.concatenate([asked, asked + period, asked - period]) if period else asked
    asked = np.append(asked, np.full(-len(asked) % LANES, high)).reshape(-1, LANES)
    for given in asked:
        slots = np.zeros((6, LANES))
        slots[0] = given
        code.kernel(slots)
        assert not slots[1].any()
        for order in range(4):
            wanted = np.array([lookup.py_func(tables, 0, order, y) for y in given])
            np.testing.assert_allclose(slots[2 + order], wanted, rtol=1e-12, atol=1e-12)
    slots = np.zeros((6, LANES))
    slots[0] = [begins[0] - 1e-9, high + 1e-9] * (LANES // 2)
    code.kernel(slots)
    assert (slots[1] == (0.0 if period else OUT_OF_RANGE)).all()


def test_a_table_that_varies_has_no_code() -> None:
    graph, tables = Graph(), table_of(3, 0.0).astype(object)
    tables[2, 3] = graph.input(0, 1.0)
    with pytest.raises(TraceError, match="numbers of a table vary"):
        traced_lookup(tables, 0, 0, graph.input(1, 1.0))
