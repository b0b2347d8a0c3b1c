"""Straight-line code: what is recorded, what is folded, what is held, and that lanes give what Python gives."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from mbsim.jit import COMPILES, helper, kernel
from mbsim.jit.signatures import A1, A2, void
from mbsim.jit.straight.emission import LANES, OTHER_CASE, OUT_OF_RANGE, Straight
from mbsim.jit.straight.graph import MOST, Graph, TraceError, apply, compare, pick, require, select
from mbsim.jit.straight.retarget import Retarget
from mbsim.jit.straight.trigonometry import FARTHEST, sine_and_cosine

compiled = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")


def run(code: Straight, slots: int, **inputs: np.ndarray) -> np.ndarray:
    """The slots (slots, LANES) after the code; `s0=values` fills slot 0."""
    values = np.zeros((slots, LANES))
    for name, given in inputs.items():
        values[int(name[1:])] = given
    code.kernel(values)
    return values


@compiled
def test_sines_are_good_to_a_unit_in_the_last_place() -> None:
    graph = Graph()
    sine, cosine = sine_and_cosine(graph.input(0, 0.3))
    code = Straight(graph, ((2, sine.at), (3, cosine.at)), 1)
    rng, worst = np.random.default_rng(1), 0.0
    near = np.pi / 2 * np.arange(LANES) * 1000
    mp.prec = 200
    for angles in [near, *(rng.uniform(-size, size, LANES) for size in (1e-8, 1.0, 10.0, 1e3, FARTHEST) for _ in range(40))]:
        found = run(code, 4, s0=angles)
        assert not found[1].any()
        for lane, x in enumerate(angles):
            for got, exact in ((found[2, lane], mp.sin(mpf(x))), (found[3, lane], mp.cos(mpf(x)))):
                worst = max(worst, float(abs(mpf(got) - exact) / np.spacing(abs(float(exact)))))
    assert 0.5 < worst < 1.0


@compiled
def test_an_angle_that_is_too_large_leaves_its_lane_alone() -> None:
    graph = Graph()
    code = Straight(graph, ((2, sine_and_cosine(graph.input(0, 0.3))[0].at),), 1)
    angles = np.linspace(0.0, 1.0, LANES)
    angles[2], angles[5] = 2.0 * FARTHEST, np.nan
    assert np.flatnonzero(run(code, 3, s0=angles)[1]).tolist() == [2, 5]


@compiled
def test_each_lane_picks_its_own_number_of_a_list() -> None:
    graph, numbers = Graph(), (2.5, -1.0, float("inf"), 7.0)
    found = pick(numbers, graph.input(0, 1.0))
    assert graph.values[found.at] == -1.0 and pick(numbers, 3) == 7.0
    assert pick(numbers, graph.input(0, 1.0)).at == found.at
    places = np.arange(LANES) * 5 % len(numbers)
    assert run(Straight(graph, ((2, found.at),), 1), 3, s0=places.astype(float))[2].tolist() == [numbers[k] for k in places]


@compiled
def test_a_lane_says_by_what_it_left_first() -> None:
    """A comparison that decided, and a number out of its range."""
    graph = Graph()
    x = graph.input(0, 0.5)
    assert x < 1.0
    require(compare("<", x, 2.0))
    code = Straight(graph, ((2, x.at),), 1)
    values = run(code, 3, s0=np.array([0.0, 1.5, 2.5, np.nan] * (LANES // 4)))
    assert values[1, :4].tolist() == [0.0, OTHER_CASE, OTHER_CASE, OTHER_CASE]
    graph = Graph()
    x = graph.input(0, 0.5)
    require(compare("<", x, 2.0))
    assert run(Straight(graph, ((2, x.at),), 1), 3, s0=3.0, s1=0.0)[1].tolist() == [OUT_OF_RANGE] * LANES
    assert run(Straight(graph, ((2, x.at),), 1), 3, s0=3.0, s1=OTHER_CASE)[1].tolist() == [OTHER_CASE] * LANES


def test_equal_operations_are_one_and_constants_fold() -> None:
    graph = Graph()
    x, y = graph.input(0, 2.0), graph.input(1, 3.0)
    assert (x * y).at == (y * x).at and (x + y).at == (y + x).at and (x - y).at != (y - x).at
    assert (x + 0.0).at == x.at and (1.0 * x).at == x.at and (0.0 - (0.0 - x)).at == x.at
    assert graph.constant((0.0 * x).at) == 0.0 and graph.constant((x - x).at) == 0.0
    assert graph.constant(apply("sqrt", x * 0.0 + 16.0).at) == 4.0
    assert (x**3).at == (x * x * x).at
    before = len(graph.operations)
    y * x
    assert len(graph.operations) == before


def test_comparisons_are_decided_by_the_known_state_and_held() -> None:
    graph = Graph()
    x = graph.input(0, 2.0)
    assert x > 1.0 and not x > 3.0
    assert sorted(graph.guards.values()) == [False, True]
    chosen = select(compare("<", x, 5.0), x, 1.0)
    assert len(graph.guards) == 2 and graph.values[chosen.at] == 2.0


@compiled
def test_a_lane_leaves_where_a_comparison_comes_out_otherwise() -> None:
    graph = Graph()
    x = graph.input(0, 2.0)
    y = x * x if x > 1.0 else -x
    given = np.array([2.0, 0.5, 1.0, 3.0, np.nan, -4.0, 1.5, 9.0])
    found = run(Straight(graph, ((2, y.at),), 1), 3, s0=given)
    assert np.flatnonzero(found[1]).tolist() == [1, 2, 4, 5]
    assert (found[2] == given * given)[[0, 3, 6, 7]].all()


def test_what_cannot_be_recorded_is_refused() -> None:
    graph = Graph()
    x = graph.input(0, 2.0)
    for asked in (int, float, math.floor, [1, 2, 3].__getitem__):
        with pytest.raises(TraceError, match="whole number"):
            asked(x)
    with pytest.raises(TraceError, match="two graphs"):
        x + Graph().input(0, 1.0)
    with pytest.raises(TraceError, match=f"{MOST:,} operations"):
        sum(x * (k + 2.0) for k in range(MOST))


@helper
def _hypotenuse(a, b):
    return math.sqrt(a * a + b * b)


@kernel(void(A1, A1))
def _work(x, out):
    out[0] = max(_hypotenuse(x[0], x[1]), x[2])
    out[1] = math.sin(x[0]) * math.exp(x[1]) + math.atan2(x[1], x[2])
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] ** 2 if x[i] > -100.0 else 0.0
    out[2] = abs(s - 7.0) / min(x[2], 0.5)


@compiled
def test_a_kernel_in_lanes_gives_what_it_gives() -> None:
    graph, out = Graph(), np.zeros(3, object)
    x = np.empty(3, object)
    x[:] = [graph.input(k, 0.5 + k) for k in range(3)]
    Retarget()(_work)(x, out)
    code = Straight(graph, tuple((4 + k, one.at) for k, one in enumerate(out)), 3)
    given = np.random.default_rng(2).uniform(-2.0, 2.0, (3, LANES))
    found = run(code, 7, s0=given[0], s1=given[1], s2=given[2])
    assert not found[3].any()
    for lane in range(LANES):
        plain = np.zeros(3)
        _work(np.ascontiguousarray(given[:, lane]), plain)
        np.testing.assert_allclose(found[4:, lane], plain, rtol=1e-13, atol=1e-14)


@compiled
def test_a_lane_does_not_depend_on_its_place_or_its_neighbours() -> None:
    graph = Graph()
    x = graph.input(0, 0.4)
    code = Straight(graph, ((2, (sine_and_cosine(x)[0] / (1.0 + x * x)).at),), 1)
    rng = np.random.default_rng(3)
    given = rng.uniform(-9.0, 9.0, LANES)
    found = run(code, 3, s0=given)[2]
    for _ in range(5):
        order = rng.permutation(LANES)
        assert run(code, 3, s0=given[order])[2].tobytes() == found[order].tobytes()
        alone = np.full(LANES, np.inf)
        alone[3] = given[0]
        assert run(code, 3, s0=alone)[2, 3] == found[0]


@compiled
def test_operations_on_rows_are_those_of_loops_over_lanes() -> None:
    """Each product and sum is rounded: the numbers are those of a loop, bit for bit."""
    from mbsim.jit.straight.vectors import add_products, copy_rows, find_polynomial, move_row, weigh_rows

    @kernel(void(A2, A1, A2))
    def moved(rows, numbers, out):
        copy_rows(rows, 1, out, 0, 2)
        weigh_rows(numbers, 3, rows, 0, 2, out, 2)
        move_row(rows, 0, rows, 1, rows, 2, out, 3)
        add_products(out, 4, rows, 1, 3, rows, 0, 2)
        find_polynomial(numbers, 4, rows, 3, rows, 4, out, 5)

    rng = np.random.default_rng(6)
    rows, numbers, out = rng.normal(size=(6, LANES)), np.array([0.3, 0.0, -1.7, 0.9]), np.ones((6, LANES))
    rows[2] = np.inf  # which has no weight
    moved(rows, numbers, out)
    plain = np.ones((6, LANES))
    plain[0:2] = rows[1:3]
    plain[2] = 0.0 + numbers[0] * rows[0] + numbers[2] * rows[4]
    plain[3] = rows[0] + rows[1] * rows[2]
    plain[4] = ((1.0 + rows[1] * rows[0]) + rows[2] * rows[2]) + rows[3] * rows[4]
    x = rows[3]
    plain[5] = ((((0.0 + numbers[3]) * x + numbers[2]) * x + numbers[1]) * x + numbers[0]) * x * rows[4]
    assert out.tobytes() == plain.tobytes()
