"""Where an effort vanishes, whose rate is not known: by its values alone."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from mbsim import contracts
from mbsim.integrators import _seek

LOW, HIGH, ZERO = 0.067014, 0.067029, 0.06702339815244278  # s: the ends of a step, and where the effort vanishes


def looked(effort: Callable[[float], float]) -> tuple[float, int]:
    """The time at which an effort, positive at LOW, is found to vanish, and how many looks that took."""
    events = np.zeros((1, contracts.EVENTS))
    events[0, contracts.EVENT_ACTIVE], events[0, contracts.EVENT_LARGEST] = 1.0, 0.5
    work, times = SimpleNamespace(events=events, event=np.full(contracts.EVENT_RATES, np.nan)), list[float]()

    def look(held: object, at: float) -> int:
        times.append(at)
        events[0, contracts.EVENT_VALUE], events[0, contracts.EVENT_RATE] = effort(at), np.nan
        work.event[contracts.EVENT_TIME_NEW] = at
        return contracts.OK

    ends = LOW, HIGH, 1.0, effort(LOW), np.nan, effort(HIGH), np.nan
    at, code = _seek.find_zero(look, None, work, 0, *ends)
    assert code == contracts.OK
    return float(at), len(times)


@pytest.mark.parametrize("behind", [25.0, 14.0, 1.0, 400.0])
@pytest.mark.parametrize("bend", [0.0, 1e4])
def test_a_slope_that_is_another_behind_zero_costs_no_looks(behind: float, bend: float) -> None:
    """A force that loads friction has another slope where it presses than where it pulls. By lines through both sides it took 31 looks."""

    def effort(t: float) -> float:
        left = ZERO - t
        return (25.0 if left > 0.0 else behind) * left + bend * left * left

    at, looks = looked(effort)
    assert abs(at - ZERO) <= 2.0 * np.spacing(ZERO) and looks <= 10


@pytest.mark.parametrize("before", [0.0, -4e3, 4e3])
def test_an_effort_that_jumps_over_zero_is_found_behind_its_jump(before: float) -> None:
    """No slope tells where it jumps: looks halve the way."""
    at, looks = looked(lambda t: 1.0 + before * (ZERO - t) if t < ZERO else -0.2)
    assert ZERO <= at <= ZERO + 2.0 * np.spacing(ZERO) and looks <= _seek.LOOKS


def test_noise_of_an_effort_costs_few_looks() -> None:
    """Values that are known to 1e-13 tell no more of the time than a look or two there."""
    noise = np.random.default_rng(3)
    at, looks = looked(lambda t: 20.0 * (ZERO - t) + 1e-13 * float(noise.uniform(-1.0, 1.0)))
    assert abs(at - ZERO) < 2e-14 and looks < 60
