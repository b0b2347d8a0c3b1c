"""The estimates behind a verdict, on numbers whose errors are known."""

import itertools
from math import inf, isinf, isnan, nan

import numpy as np
import pytest

from mbsim.studies.compare.measures import find_shared, rotation_angle
from mbsim.studies.compare.verdict import (
    AGREES,
    DISAGREES,
    SAFETY,
    UNRESOLVED,
    Check,
    Judgement,
    Scale,
    fit_order,
    judge,
    own_errors,
)  # fmt: skip

KNOWN = {"position": Scale(1.0, 1e-9, 1e-10), "velocity": Scale(1.0, 1e-8, 1e-10), "reaction": Scale(1.0, 1e-6, 1e-8)}


def ladder(order, steps, bias=0.0, constant=0.3):
    """Errors C h^p + bias, and the differences of successive runs."""
    values = [constant * h**order + bias for h in steps]
    return values, [abs(a - b) for a, b in itertools.pairwise(values)]


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("steps", [[0.1, 0.05], [0.1, 0.05, 0.025, 0.0125], [0.1, 0.02, 0.01]])
def test_own_errors_bound_the_error_closely(order, steps):
    errors, differences = ladder(order, steps)
    for error, own in zip(errors, own_errors(differences, steps, order, 0.0), strict=True):
        assert error * (1 - 1e-9) <= own < 2.1 * error


def test_a_method_of_lower_order_than_claimed_is_seen():
    steps = [0.1, 0.05, 0.025]
    errors, differences = ladder(1, steps)
    assert own_errors(differences, steps, 4, 0.0)[-1] > 0.8 * errors[-1]


def test_runs_that_do_not_converge_have_no_own_error():
    assert isinf(own_errors([0.1, 0.15, 0.2], [4, 3, 2, 1], 4, 1e-9)[-1])
    for last in (float("inf"), float("nan")):  # runs in which other events happen
        assert all(map(isinf, own_errors([0.1, last], [4, 2, 1], 4, 0.0)))
    assert own_errors([1e-4, 1e-8, 1.1e-8], [4, 3, 2, 1], 4, 1e-9, plateau=1e-6)[-1] == 1.1e-8
    assert own_errors([1e-4, 1e-12, 3e-12], [4, 3, 2, 1], 4, 1e-9)[-1] == 0.0
    assert own_errors([], [1.0], 4, 1e-9) == [inf]
    assert own_errors([], [], 4, 1e-9) == []


@pytest.mark.parametrize("order", [1, 2, 4])
def test_order_of_synthetic_errors(order):
    steps = [0.1, 0.05, 0.025]
    errors, _ = ladder(order, steps)
    assert fit_order(steps, errors, Scale(1.0, 1e-9, 1e-12)) == (pytest.approx(order, abs=1e-9), 3)


def test_order_leaves_out_what_does_not_show_it():
    steps = [0.4, 0.2, 0.1, 0.05, 0.025]
    scale = Scale(1.0, 1e-9, 1e-9)
    assert fit_order(steps, [0.5, 0.3, 1e-4, 1e-4 / 16, 1e-4 / 256], scale) == (pytest.approx(4.0), 3)
    assert fit_order(steps, [1e-4, 1e-4 / 16, 5e-9, 5e-9, 5e-9], scale) == (pytest.approx(4.0), 2)  # near the reference's error
    assert fit_order(steps, [1e-4, 1e-4 / 16, 6e-6, 6e-6, 1e-7], scale) == (pytest.approx(4.0), 2)  # a plateau
    assert fit_order(steps, [5.7e-4, 3.4e-5, 5.7e-5, 1e-5, 2e-5], scale)[1] == 1  # an end stop, met within a step, whose errors are of luck
    order, points = fit_order(steps, [nan, 1e-4, inf, inf, nan], scale)
    assert isnan(order) and points == 1


def judged(error, own, checks=()):
    judgement = Judgement({"position": error, "velocity": error, "reaction": error}, {"position": own, "velocity": own, "reaction": own})
    judge(judgement, KNOWN, checks)
    return judgement.verdict


def test_verdicts():
    assert judged(1e-3, 1e-3) == AGREES
    assert judged(2.9e-3, 1e-3) == AGREES
    assert judged(1e-3, 1e-5) == DISAGREES
    assert judged(nan, 1e-5) == DISAGREES
    assert judged(0.5, inf) == UNRESOLVED
    assert judged(0.5, 0.6) == UNRESOLVED  # as large as the motion
    assert judged(0.9, 0.15) == UNRESOLVED  # two runs that are both far off may be near each other
    assert judged(1e-10, 0.0) == AGREES  # round-off


@pytest.mark.parametrize("measure", ["position", "velocity", "reaction"])
def test_each_measure_alone_can_disagree(measure):
    errors, own = dict.fromkeys(KNOWN, 1e-7), dict.fromkeys(KNOWN, 1e-7)
    judgement = Judgement(errors | {measure: 1e-3}, own)
    judge(judgement, KNOWN, [])
    assert judgement.verdict == DISAGREES
    assert judgement.reason.startswith(f"{measure} error 1.0e-03")


def test_published_values():
    def check(found, own):
        return [Check(1.0, "rod.x", 0.5, 1e-4, found, own)]

    assert judged(1e-7, 1e-7, check(0.50009, 0.0)) == AGREES
    assert judged(1e-7, 1e-7, check(0.501, 1e-3)) == AGREES  # beyond the tolerance, but a coarse step
    assert judged(1e-7, 1e-7, check(0.52, 1e-2)) == UNRESOLVED  # 200 tolerances are no agreement, explained or not
    assert judged(1e-7, 1e-7, check(0.501, 1e-6)) == DISAGREES
    assert judged(1e-7, 1e-7, check(nan, inf)) == DISAGREES  # the run did not get there
    assert judged(1e-7, 1e-7, check(0.501, inf)) == UNRESOLVED


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("bias", [0.0, 1e-3])
def test_a_wrong_limit_is_caught_and_a_coarse_step_is_not(order, bias):
    steps = [0.1 / 2**k for k in range(12)]
    errors, differences = ladder(order, steps, bias)
    own = own_errors(differences, steps, order, 1e-9, 1e-6)
    verdicts = [judged(error, estimate) for error, estimate in zip(errors, own, strict=True)]
    assert verdicts[-1] == (DISAGREES if bias else AGREES)
    assert bias or DISAGREES not in verdicts
    assert all(v == DISAGREES for v, h in zip(verdicts, steps, strict=True) if bias and 2 * SAFETY * 0.3 * h**order < bias)


def test_angle_between_quaternions_is_blind_to_the_sign_and_exact_when_tiny():
    rng = np.random.default_rng(1)
    a = rng.standard_normal((50, 4))
    a /= np.linalg.norm(a, axis=1)[:, None]
    for angle in (0.0, 1e-12, 1e-3, 2.0, np.pi):
        axis = rng.standard_normal((50, 3))
        axis /= np.linalg.norm(axis, axis=1)[:, None]
        w, x = np.cos(angle / 2), np.sin(angle / 2) * axis
        turn = np.column_stack([a[:, 0] * w - np.sum(a[:, 1:] * x, axis=1), a[:, :1] * x + w * a[:, 1:] + np.cross(a[:, 1:], x)])
        for sign in (1.0, -1.0):
            np.testing.assert_allclose(rotation_angle(a, sign * turn), angle, rtol=1e-3, atol=1e-15)


def test_shared_times():
    a, b = np.array([0.0, 0.1, 0.2 + 1e-13, 0.25, 0.3]), np.array([0.0, 0.2, 0.3, 0.4])
    i, j = find_shared(a, b)
    assert list(i) == [0, 2, 4] and list(j) == [0, 1, 2]
