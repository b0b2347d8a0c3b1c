"""Gaps that are zero but for round-off and drift: what opens slowly, and what bounces lower than it can be told."""

from functools import cache

import numpy as np
import pytest

import mbsim
from mbsim.contracts import EVENTS
from mbsim.integrators import _seek
from mbsim.march.crossing import Ends, crossing
from mbsim.march.event_lines import keep_all
from mbsim.results import Result

# A rack with play between a slide that hits its stop and a wheel whose motor is told anew a hundred times a second.
PLAY = """\
dimension: 2
gravity: [0, -9.81]
tables: {path: {points: [[0, 0], [0.5, 0.3], [1, 0.6], [1.5, 0.2], [3, 0.2]]}}
bodies:
  cart: {mass: 2, inertia: 0.1, position: [0, 0]}
  rod: {mass: 1, inertia: 0.03, position: [0, -0.3]}
  wheel: {mass: 1, inertia: 0.02, position: [2, 0]}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0], stops: {lower: -0.4, upper: 0.5, restitution: 0.4}}
  pin: {type: revolute, bodies: [cart, rod], at: [0, 0]}
  axle: {type: revolute, bodies: [ground, wheel], at: [2, 0]}
  mesh: {type: rack_and_pinion, joints: [axle, rail], radius: 0.1, backlash: {play: 0.004, restitution: 0.2, closing_speed: 1.0e-3}}
controllers:
  motor: {type: pid, joint: axle, target: 10*path(t), kp: 3, ki: 1, kd: 0.3, limit: 3, sample: 0.01}
simulation: {end: 0.9}
"""


@cache
def by_dop853(end: float) -> Result:
    return mbsim.simulate(PLAY, integrator="dop853", end=end)


@pytest.mark.parametrize(
    ("integrator", "end", "tolerance"), [("radau", 0.9, 1e-6), ("ida", 0.9, 2e-5), pytest.param("bdf", 1.7, 2e-3, marks=pytest.mark.slow)]
)
def test_a_slide_with_play_goes_on(integrator: str, end: float, tolerance: float) -> None:
    """All stopped: events without end, at a stop where the slide rose by 2e-12 m, and at a flank that opened with a gap of -7e-13 m.

    `ida` came back from a flight of 5e-13 m, went on into the stop, and looked at each of its steps anew.
    """
    if integrator == "ida":
        pytest.importorskip("sksundae")
    found, other = mbsim.simulate(PLAY, integrator=integrator, end=end), by_dop853(end)
    assert found.time[-1] == end
    np.testing.assert_allclose(found["q"][-1], other["q"][-1], atol=tolerance)


@pytest.mark.parametrize(("integrator", "end"), [("lsoda", 2.0), ("ida", 0.7)])
def test_solvers_of_libraries_go_on_where_what_is_watched_jumps(integrator: str, end: float) -> None:
    """They were asked for steps of 1e-15 s: an effort was already below zero where a sample began, and a gap had not left it."""
    if integrator == "ida":
        pytest.importorskip("sksundae")
    found, other = mbsim.simulate(PLAY, integrator=integrator, end=end), by_dop853(end)
    assert len(found.events) == len(other.events)
    np.testing.assert_allclose(found["q"][-1], other["q"][-1], atol=2e-5)


STILL = 1e-9


@pytest.mark.parametrize(
    ("height", "end", "crosses"),
    [
        (0.0, -1e-12, None),  # noise of what has not moved
        (1e-12, -1e-12, None),
        (1e-6, -1e-12, 1.0),  # it was away, and is back
        (0.0, -1e-6, 0.0),  # it goes against its side at once
    ],
)
def test_what_was_zero_crosses_where_it_was_away_or_goes_far(height: float, end: float, crosses: float | None) -> None:
    """A parabola of some height over a second from zero to `end`."""

    def look(t: float) -> tuple[float, float]:
        return 4.0 * height * t * (1.0 - t) + end * t, 4.0 * height * (1.0 - 2.0 * t) + end

    found = crossing(look, Ends(0.0, 1e-300, 0.0, 1.0, look(1.0)[0]), -1.0, STILL)
    assert found is None if crosses is None else found == pytest.approx(crosses, abs=1e-5)


def test_one_that_has_left_crosses_by_the_least_amount() -> None:
    found = crossing(lambda t: (1.0 - 2.0 * t, -2.0), Ends(0.0, 1.0, -2.0, 0.5 + 1e-13, -2e-13), -1.0, 0.0)
    assert found == pytest.approx(0.5, abs=1e-15)


def test_all_lines_are_kept_as_each_is() -> None:
    """`keep_all` is `keep_values` of every line: values that left zero or not, rates that are known or not."""
    random = np.random.default_rng(5)
    for _ in range(50):
        lines = random.normal(size=(40, EVENTS)) * 10.0 ** random.integers(-14, 2, (40, 1))
        lines[:, sizes()] = np.abs(lines[:, sizes()])
        lines[::3, _seek.EVENT_LEFT] = 0.0
        values, rates = random.normal(size=40) * 10.0 ** random.integers(-14, 1, 40), random.normal(size=40)
        rates[::7] = np.nan
        whole, single = lines.copy(), lines.copy()
        keep_all(whole, values, rates)
        for k in range(40):
            _seek.keep_values(single, k, values[k], rates[k])
        np.testing.assert_array_equal(whole, single)


def sizes() -> list[int]:
    """Those that are sizes."""
    return [_seek.EVENT_LARGEST, _seek.EVENT_FASTEST]
