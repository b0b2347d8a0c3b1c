"""How events are found within steps: without Python where they act on nothing, without changing the motion, however often they happen."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.march.events import Events
from mbsim.results import Result

PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
EVENTS
simulation: {end: 2, output_step: 0.25}
"""
NOTED = """events:
  first: {when: rod.angle + 0.5}
  second: {when: rod.angle + 1.2, direction: down}
  third: {when: der(rod.angle), once: true}
  fourth: {when: sin(30*t)}
"""
OSCILLATOR = """
name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: x^2/2}
initial: {x: 1}
events: {tick: {when: sin(40*t), direction: DIRECTION}}
simulation: {end: 3, output_step: 1}
"""
ROPE = """
name: rope
dimension: 2
gravity: [0, -9.81]
ground: {points: {O: [0, 0]}}
bodies: {ball: {mass: 1, inertia: 0.01, position: [0.5, 0]}}
joints: {rope: {type: distance, points: [ground.O, ball], length: 2, locked: false}}
events: {taut: {when: sqrt(ball.x^2 + ball.y^2) - 2, direction: DIRECTION, do: {lock: rope}}}
simulation: {end: 1.5}
"""
SAMPLED = """
name: sampled
dimension: 2
states: {n: {next: n + 1, start: 0, sample: 0.1}}
bodies: {b: {mass: 1, inertia: 1, position: [0, 1], velocity: [1, 0]}}
events:
  lift: {when: b.x - 0.3, do: {set: {der(b.y): 1}}}
  five: {when: n - 5.5}
  there: {when: b.x - 0.5}
  quick: {when: b.x - 0.55, do: {set: {der(b.x): 2}}}
  slow: {when: n - 7.5, do: {set: {der(b.x): 1}}}
simulation: {end: 1, output_step: 0.25}
"""


def times(result: Result, name: str) -> np.ndarray:
    return np.array([event["time"] for event in result.events if event["event"] == name])


@pytest.mark.parametrize("integrator", ["dop853", "rk45", "rk4"])
def test_events_that_act_on_nothing_need_no_python_and_change_no_number(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows at output times are bit for bit those of a run without events; each event has a row of its own."""

    def fails(*given: Any) -> None:
        raise AssertionError("an event was searched in Python")

    monkeypatch.setattr(Events, "end", fails)
    settings = {"step": 0.02} if integrator == "rk4" else {}
    plain = mbsim.simulate(mechanisms.model(PENDULUM.replace("EVENTS", "")), integrator=integrator, **settings)
    result = mbsim.simulate(mechanisms.model(PENDULUM.replace("EVENTS\n", NOTED)), integrator=integrator, **settings)
    places = np.searchsorted(result.time, plain.time)
    assert np.array_equal(result.time[places], plain.time)
    for name in ("q", "v", "acceleration", "multiplier"):
        assert np.array_equal(result[name][places], plain[name]), name
    assert len(result.events) == len(result.time) - len(plain.time)
    close(times(result, "fourth"), np.pi / 30.0 * np.arange(1, 20), atol=1e-14)
    assert len(times(result, "third")) == 1
    for event in result.events:
        if event["event"] == "first":
            assert result.select("rod.angle")[result.time == event["time"]] == pytest.approx(-0.5, abs=1e-12)


@pytest.mark.parametrize("integrator", ["dop853", "rk4", "radau"])
def test_an_expression_that_runs_faster_than_the_steps_is_followed(integrator: str) -> None:
    """Steps of 0.3 s and more go over two periods of sin(40 t); of some hundred crossings none is missed where notes have to wait."""
    settings = {"step": 0.3} if integrator == "rk4" else {"rtol": 1e-4}
    for direction, of_period in (("up", 1), ("any", 2)):
        result = mbsim.simulate(mechanisms.model(OSCILLATOR.replace("DIRECTION", direction)), integrator=integrator, **settings)
        wanted = 2.0 * np.pi / 40.0 / of_period * np.arange(1, 200)
        close(times(result, "tick"), wanted[wanted < 3.0], atol=1e-13)


@pytest.mark.parametrize("direction", ["up", "any"])
@pytest.mark.parametrize("integrator", ["dop853", "rk4"])
def test_what_stays_at_zero_does_not_happen_again(integrator: str, direction: str) -> None:
    """A rope that is locked taut keeps its length to round-off, on both sides of it."""
    result = mbsim.simulate(mechanisms.model(ROPE.replace("DIRECTION", direction)), integrator=integrator)
    close(times(result, "taut"), [np.sqrt(2.0 * np.sqrt(3.75) / 9.81)], atol=1e-10)
    assert result.time[-1] == 1.5


@pytest.mark.parametrize("integrator", ["dop853", "rk45", "rk4"])
def test_events_at_samples(integrator: str) -> None:
    """Each sample is taken once, whether an event comes just before or just after it; what a sample carries over zero happens there."""
    result = mbsim.simulate(mechanisms.model(SAMPLED), integrator=integrator)
    assert result["states"][-1, 0] == 11.0
    for name, at in (("lift", 0.3), ("five", 0.5), ("there", 0.5), ("quick", 0.55), ("slow", 0.7)):
        close(times(result, name), [at], atol=1e-12)
    close(result.select("b.x")[-1], 0.55 + 2.0 * 0.15 + 0.3, atol=1e-11)


def test_many_events_between_two_output_times() -> None:
    """More than there is room for in compiled code at once."""
    text = OSCILLATOR.replace("sin(40*t)", "x").replace("DIRECTION", "any").replace("end: 3, output_step: 1", "end: 200, output_step: 200")
    result = mbsim.simulate(mechanisms.model(text), integrator="dop853", rtol=1e-11, atol=1e-12)
    close(times(result, "tick"), np.pi * (np.arange(64) + 0.5), atol=1e-8)


def test_what_another_event_finds_beyond_zero_has_happened_too() -> None:
    """A dip of 1/100 of the one step, in whose middle another event is: its own ends do not tell of it."""
    result = mbsim.simulate(
        {
            "name": "drift", "dimension": 2, "gravity": [0, 0], "bodies": {"a": {"mass": 1, "inertia": 1, "velocity": [1, 0]}},
            "events": {
                "dip": {"when": "1 - 2*exp(-((a.x - 0.5)/0.01)^2)", "direction": "down"},
                "mark": {"when": "a.x - 0.5"},
            },
            "simulation": {"end": 1, "output_step": 1},
        }
    )  # fmt: skip
    assert [event["event"] for event in result.events] == ["dip", "mark"]
    assert result.events[0]["time"] == pytest.approx(0.5 - 0.01 * np.sqrt(np.log(2.0)), abs=1e-12)
