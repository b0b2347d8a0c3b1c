"""The events of a model against closed forms and SciPy's events, with every integrator; what they set; what is refused."""

import re
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from mechanisms import INTEGRATORS, close
from scipy.integrate import solve_ivp

import mbsim
from mbsim.model.file.errors import ModelError
from mbsim.results import Result

BALL = """
name: bouncing ball
dimension: 2
gravity: [0, -9.81]
bodies:
  ball: {mass: 1, inertia: 0.01, position: [0, 1]}
events:
  floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -0.8*der(ball.y)}}}
simulation: {end: 2}
"""
PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.0833, position: [0.5, 0]}
joints:
  O: {type: revolute, bodies: [ground, rod], at: [0, 0]}
"""
FALL = """
name: fall
dimension: 2
gravity: [0, -9.81]
bodies: {b: {mass: 1, inertia: 1, position: [0, 1]}}
events:
  EVENTS
simulation: {end: 1}
"""
OSCILLATOR = """
name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: x^2/2}
initial: {x: 1}
"""


def names(result: Result) -> list[str]:
    return [event["event"] for event in result.events]


def times(result: Result) -> np.ndarray:
    return np.array([event["time"] for event in result.events])


def bounces(count: int, e: float = 0.8) -> np.ndarray:
    """When a ball from 1 m lands: each flight takes e times as long as the one before."""
    first = np.sqrt(2.0 / 9.81)
    return first + 2.0 * first * np.cumsum([0.0, *(e**k for k in range(1, count))])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_ball_bounces(integrator: str) -> None:
    """Case 1 of the closed forms: 0.451523640985731 s, and 0.260741728327106 m at 2 s."""
    exact = integrator not in ("bdf", "lsoda", "ida")  # the others are exact for parabolas
    settings: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-10} if integrator in mechanisms.ADAPTIVE else {"step": 0.013}
    result = mbsim.simulate(mechanisms.model(BALL), integrator=integrator, **settings)
    close(times(result), bounces(3), atol=1e-12 if exact else 1e-6)
    assert result["q"][-1][1] == pytest.approx(0.260741728327106, abs=1e-11 if exact else 2e-6)
    assert np.abs(result["energy_balance"]).max() < (1e-10 if exact else 1e-5)
    lost = sum(event["energy"] for event in result.events)
    assert lost == pytest.approx(-9.81 * (1.0 - 0.64**3), abs=1e-5)
    assert result["energy_work"][-1] == pytest.approx(lost, abs=1e-9)
    assert (np.diff(result.time) > 0.0).all()


@pytest.mark.parametrize("method", ["generalized_alpha", "rattle", "svd", "riemann", "nullspace", "broyden", "baumgarte", "cfa"])
def test_every_method_goes_on_after_an_event(method: str) -> None:
    """A pendulum is thrown back at -0.5 rad with 2 rad/s: from then on it returns after the same time, and its energy is that of then."""
    events = "events: {back: {when: rod.angle + 0.5, direction: down, do: {set: {der(rod.angle): 2}}}}\nsimulation: {end: 1}"
    settings = {"step": 1e-3} if method in ("rattle", "generalized_alpha") else {}
    result = mbsim.simulate(mechanisms.model(PENDULUM + events), method=method, **settings)
    at = times(result)
    accuracy = 1e-5 if method in ("rattle", "generalized_alpha") else 1e-6
    close(at, [0.26177187837, 0.5572445517, 0.8527172251], atol=accuracy)
    assert np.diff(at)[0] == pytest.approx(np.diff(at)[1], abs=accuracy)
    for event in result.events:
        close(event["changes"]["der(rod.angle)"][1], 2.0, atol=1e-12)
        # the joint holds: the centre of mass moves with the rod
        close(event["changes"]["der(rod.x)"][1], 2.0 * 0.5 * np.sin(0.5), atol=1e-8)
    assert result["residual_velocity"].max() < 1e-8


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_angles_of_joints_are_watched_in_both_coordinates(coordinates: str) -> None:
    events = "events: {hit: {when: O.angle + 0.5, direction: down}}\nsimulation: {end: 1}\n"
    result = mbsim.simulate(mechanisms.model(f"coordinates: {coordinates}\n{PENDULUM}{events}"))
    assert names(result) == ["hit"]
    close(times(result), [0.26177187837], atol=1e-8)


def test_a_clutch_loses_what_the_closed_form_says() -> None:
    text = """
name: clutch
coordinates: [a, b]
parameters: {J1: 2, J2: 3}
energy: {kinetic: "(J1*der(a)^2 + J2*der(b)^2)/2"}
initial: {der(a): 10}
events:
  engage:
    when: t - 1
    do: {set: {der(a): (J1*der(a) + J2*der(b))/(J1 + J2), der(b): (J1*der(a) + J2*der(b))/(J1 + J2)}}
simulation: {end: 2}
"""
    result = mbsim.simulate(mechanisms.model(text))
    assert result.events[0]["time"] == pytest.approx(1.0, abs=1e-12)
    assert result.events[0]["energy"] == pytest.approx(-0.5 * 2.0 * 3.0 / 5.0 * 10.0**2, abs=1e-9)
    close(result["v"][-1], [4.0, 4.0], atol=1e-10)


def test_switched_parameters_change_laws_and_measures_until_the_run_ends() -> None:
    text = """
name: relay
dimension: 2
parameters: {F: 2}
bodies: {b: {mass: 1, inertia: 1}}
forces: {push: {type: force, body: b, value: [F, 0]}}
measures: {given: F}
events:
  back: {when: b.x - 1, direction: up, do: {switch: {F: -2*F}}}
simulation: {end: 2, output_step: 0.5}
"""
    made = mbsim.assemble(mechanisms.model(text))
    for _ in range(2):  # the second run begins as the first one
        result = mbsim.simulate(made)
        assert result.events[0]["switched"] == {"F": [2.0, -4.0]}
        close(times(result), [1.0], atol=1e-10)
        close(result.select("b.x")[-1], 1.0 + 2.0 - 0.5 * 4.0, atol=1e-9)
        close(result["given"], [2.0, 2.0, 2.0, -4.0, -4.0, -4.0], atol=0.0)
    assert result.parameters == {"F": 2.0}


def test_the_first_crossing_of_a_duffing_oscillator_is_that_of_scipy() -> None:
    text = """
name: duffing
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: "-x^2/2 + x^4/4", dissipation: 0.05*der(x)^2}
forces: {drive: {type: generalized, coordinate: x, value: 0.4*cos(1.4*t)}}
initial: {x: 1}
events: {across: {when: x, do: stop}}
simulation: {end: 100, rtol: 1e-12, atol: 1e-12}
"""

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], y[0] - y[0] ** 3 - 0.1 * y[1] + 0.4 * np.cos(1.4 * t)]

    def across(t: float, y: np.ndarray) -> float:
        return float(y[0])

    across.terminal = True  # type: ignore[attr-defined]
    truth = solve_ivp(rates, (0.0, 100.0), [1.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12, events=across)
    result = mbsim.simulate(mechanisms.model(text))
    assert result.attributes["stopped"] == "the event 'across'"
    assert result.time[-1] == pytest.approx(truth.t_events[0][0], abs=1e-9)
    assert abs(result.select("x")[-1]) < 1e-12


def test_order_is_kept_across_events() -> None:
    """rk4 on an oscillator that turns round at x = 0.3: the error falls by 16 as the step is halved."""
    text = OSCILLATOR + "events: {back: {when: x - 0.3, direction: down, do: {set: {der(x): -der(x)}}}}\nsimulation: {end: 6}"
    turn = np.arccos(0.3)
    truth = np.cos(np.mod(6.0 + turn, 2.0 * turn) - turn)
    errors = [abs(mbsim.simulate(mechanisms.model(text), integrator="rk4", step=h).select("x")[-1] - truth) for h in (0.1, 0.05, 0.025)]
    assert 3.6 < np.log2(errors[0] / errors[1]) < 4.4 and 3.6 < np.log2(errors[1] / errors[2]) < 4.4


def test_states_count_events() -> None:
    text = OSCILLATOR + "states: {n: 0}\nevents: {count: {when: x, do: {set: {n: n + 1}}}}\nsimulation: {end: 20}"
    result = mbsim.simulate(mechanisms.model(text))
    assert result["states"][-1] == 6.0
    close(times(result), np.pi * (np.arange(6) + 0.5), atol=1e-7)


@pytest.mark.parametrize("integrator", ["rk4", "dop853", "radau"])
def test_delays_directions_and_once(integrator: str) -> None:
    text = (
        OSCILLATOR
        + """
events:
  up: {when: x, direction: up}
  first: {when: x, once: true}
  late: {when: x, direction: down, once: true, after: 0.25, do: {set: {der(x): 0}}}
simulation: {end: 6, rtol: 1e-10, atol: 1e-12}
"""
    )
    settings: dict[str, Any] = {"step": 0.01, "rtol": None, "atol": None} if integrator == "rk4" else {}
    model = mechanisms.model(text if not settings else text.replace(", rtol: 1e-10, atol: 1e-12", ""))
    result = mbsim.simulate(model, integrator=integrator, **settings)
    assert names(result) == ["first", "late", "up"]
    # after the delay it is let go at -sin(0.25), and is at zero a quarter of a period later
    close(times(result), [np.pi / 2, np.pi / 2 + 0.25, np.pi + 0.25], atol=1e-7)
    assert result["q"][-1][0] == pytest.approx(-np.sin(0.25) * np.cos(6.0 - np.pi / 2 - 0.25), abs=1e-7)


def test_two_crossings_in_one_step_are_found() -> None:
    """The steps of a parabola are as long as the run: it is above 0.99 m for 0.09 s."""
    text = FALL.replace("EVENTS", "high: {when: b.y - 1 - 0.99*4/2/9.81}").replace("position: [0, 1]", "position: [0, 1], velocity: [0, 2]")
    result = mbsim.simulate(mechanisms.model(text))
    middle, half = 2.0 / 9.81, np.sqrt(2.0 * 0.01 * 4.0 / 2.0 / 9.81 / 9.81)
    close(times(result), [middle - half, middle + half], atol=1e-10)


def test_what_is_carried_over_zero_happens_at_the_same_time() -> None:
    text = FALL.replace("EVENTS", "fall: {when: b.y - 0.5, direction: down, do: {set: {b.y: 3}}}\n  top: {when: b.y - 2, direction: up}")
    result = mbsim.simulate(mechanisms.model(text))
    assert names(result)[:2] == ["fall", "top"] and times(result)[0] == times(result)[1]


def test_what_is_carried_over_zero_keeps_its_delay_happens_once_and_may_end_the_run() -> None:
    events = "fall: {when: b.y - 0.5, direction: down, do: {set: {b.y: 3, der(b.y): 0}}}\n  top: {when: b.y - 2, direction: up, KEYS}"
    late = mbsim.simulate(mechanisms.model(FALL.replace("EVENTS", events.replace("KEYS", "after: 0.25"))))
    at = np.sqrt(1.0 / 9.81)
    assert names(late) == ["fall", "top"]
    close(times(late), [at, at + 0.25], atol=1e-10)
    once = mbsim.simulate(mechanisms.model(FALL.replace("EVENTS", events.replace("KEYS", "once: true"))), end=3.0)
    assert names(once).count("fall") > 2 and names(once).count("top") == 1
    ended = mbsim.simulate(mechanisms.model(FALL.replace("EVENTS", events.replace("KEYS", "do: record"))), stop="b.y - 2.5")
    assert ended.attributes["stopped"] == "b.y - 2.5 crossed zero" and ended.time[-1] == pytest.approx(at, abs=1e-9)


STOPPED = {
    "a: {when: b.y - 0.5, do: {set: {b.y: 0}}}\n  z: {when: b.y - 0.2, do: {set: {b.y: 0.7}}}": "more than 100 events at one time: a, z",
    "a: {when: b.y - 0.5, direction: down, do: {set: {der(b.y): 0}}}": "events follow each other without end: a",
    "a: {when: sqrt(0.3 - t)}": "the event 'a' is not finite",
    "a: {when: t - 0.5, do: {set: {b.x: 1/(b.x - b.x)}}}": "what the event 'a' gives b.x is not finite",
}


@pytest.mark.parametrize("events", STOPPED)
def test_a_run_stops_and_names_the_event(events: str) -> None:
    with pytest.raises(mbsim.SimulationError) as raised:
        mbsim.simulate(mechanisms.model(FALL.replace("EVENTS", events)))
    assert STOPPED[events] in str(raised.value)
    assert raised.value.result is not None and len(raised.value.result.time) > 1


def test_a_ball_that_comes_to_rest_is_told_of() -> None:
    """Infinitely many bounces end at 4.06371276887158 s (closed form); the results so far are kept."""
    with pytest.raises(mbsim.SimulationError, match=r"in ever shorter times, the last .* s after the one before: floor\.") as raised:
        mbsim.simulate(mechanisms.model(BALL), end=5.0)
    assert raised.value.time == pytest.approx(4.06371276887158, abs=1e-5)
    assert len(raised.value.result.events) > 60


TIED = """
name: two plates in one frame
dimension: 2
gravity: [0, -9.81]
bodies:
  p: {mass: 1, inertia: 0.01, position: [0, 1]}
  q: {mass: 2, inertia: 0.02, position: [1, 1]}
joints:
  tie: {type: fixed, bodies: [p, q], at: [0.5, 1]}
  pin: {type: revolute, bodies: [ground, p], at: [0, 1], locked: false}
events:
  left: {when: p.y, direction: down, do: {set: {der(p.y): -0.8*der(p.y)}}}
  right: {when: q.y, direction: down, do: {set: {der(q.y): -0.8*der(q.y)}}}
simulation: {end: 2}
"""


def test_events_of_one_time_act_together() -> None:
    """Each gives what it does for the state before all of them: the frame bounces as the ball does, and stays level."""
    result = mbsim.simulate(mechanisms.model(TIED))
    y, angle = (np.asarray(result["q"])[:, list(result.labels("coordinate")).index(name)] for name in ("p.y", "p.angle"))
    assert y[-1] == pytest.approx(0.260741728327106, abs=1e-7) and np.abs(angle).max() < 1e-10
    assert [line["event"] for line in result.events] == ["left", "right"] * 3
    assert "energy" in result.events[0] and "energy" not in result.events[1] and result.events[0]["changes"] == result.events[1]["changes"]


@pytest.mark.parametrize(
    ("both", "said"),
    [
        (["set: {der(p.y): 1}", "set: {der(p.y): 2}"], "the events 'a' and 'b' give der(p.y) different values at one time, 1 and 2"),
        (
            ["set: {der(p.y): 1, der(p.angle): 0}", "set: {der(q.y): 2, der(q.angle): 0}"],
            "what the events 'a' and 'b' set contradicts the constraints tie",
        ),
        (["lock: pin", "unlock: pin"], ""),  # what would lock what holds does nothing
        (["unlock: tie", "lock: [tie, pin]"], "the event 'b' locks what 'a' unlocks at the same time: tie"),
    ],
    ids=["values", "constraints", "nothing", "locks"],
)
def test_events_of_one_time_that_contradict_each_other_stop_the_run(both: list[str], said: str) -> None:
    events = {name: {"when": "t - 0.1", "do": yaml.safe_load(f"{{{do}}}")} for name, do in zip("ab", both, strict=True)}
    model = mechanisms.model(yaml.safe_load(TIED) | {"events": events, "simulation": {"end": 0.2}})
    if not said:
        mbsim.simulate(model)
        return
    with pytest.raises(mbsim.SimulationError, match=re.escape(said)):
        mbsim.simulate(model)


def test_what_constraints_forbid_stops_the_run() -> None:
    events = "events: {lift: {when: t - 0.5, do: {set: {der(rod.x): 1, der(rod.y): 1, der(rod.angle): 9}}}}\nsimulation: {end: 1}"
    with pytest.raises(mbsim.SimulationError, match=r"what the event 'lift' sets contradicts the constraints O"):
        mbsim.simulate(mechanisms.model(PENDULUM + events))


REFUSED = {
    "a: {when: tt - 1}": ":13: events.a.when: unknown name 'tt'; did you mean 't'?",
    "a: {do: stop}": ":3: events.a: missing key 'when'",
    "a: {when: t - 1, do: stopp}": ":24: events.a.do: unknown action 'stopp'; did you mean 'stop'?; allowed: record, stop",
    "a: {when: t - 1, do: {lift: 3}}": "events.a.do.lift: unknown action 'lift'; allowed: lock, set, switch, unlock",
    "a: {when: t - 1, do: {set: {b.yy: 1}}}": "events.a.do.set.b.yy: unknown coordinate, speed or state 'b.yy'; did you mean 'b.y'?",
    "a: {when: t - 1, do: {set: {b.y: 1*g}}}": "events.a.do.set.b.y: unknown name 'g'",
    "a: {when: t - 1, do: {set: {}}}": "events.a.do.set: expected names with their new values, such as {der(arm.angle): 0} (got {})",
    "a: {when: t - 1, do: {switch: {m: 2}}}": "events.a.do.switch.m: unknown parameter 'm'",
    "a: {when: b.x, direction: upp}": "events.a.direction: unknown value 'upp'; did you mean 'up'?",
    "a: {when: b.x, after: -1}": "events.a.after: must not be negative (got -1)",
    "a: {when: b.x, once: 5}": "events.a.once: expected true or false (got 5)",
    "a: 3": "events.a: expected a mapping (keys and values) (got 3)",
}


@pytest.mark.parametrize("events", REFUSED)
def test_wrong_events_are_refused_at_their_place(events: str) -> None:
    with pytest.raises(ModelError) as raised:
        mechanisms.model(FALL.replace("EVENTS", events))
    assert REFUSED[events] in str(raised.value), str(raised.value)


FIXED = """
name: fixed
dimension: 2
parameters: {m: 1, twice: 2*m}
bodies: {b: {mass: m, inertia: 1}}
events: {a: {when: t - 1, do: {switch: {m: 2}}}}
simulation: {end: 1}
"""


def test_a_parameter_that_gives_numbers_is_not_switched() -> None:
    with pytest.raises(ModelError, match=r"events.a.do.switch.m: 'm' cannot be switched"):
        mbsim.assemble(mechanisms.model(FIXED))


def test_one_number_of_an_orientation_is_not_set() -> None:
    text = "name: a\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nevents: {a: {when: t - 1, do: {set: {b.qx: 1}}}}\nsimulation: {end: 2}"
    with pytest.raises(ModelError, match="an orientation is not set by one of its four numbers"):
        mbsim.assemble(mechanisms.model(text))


def test_files_keep_events(tmp_path: Path) -> None:
    path = tmp_path / "ball.h5"
    made = mbsim.simulate(mechanisms.model(BALL), output=path)
    with mbsim.open_result(path) as read:
        assert read.events == mbsim.simulate(mechanisms.model(BALL)).events == made.events


def test_studies_and_direct_differentiation_run_models_with_events() -> None:
    """The energy after one bounce over the restitution: 2 e E by differences."""
    text = BALL.replace("dimension: 2", "dimension: 2\nparameters: {e: 0.8}").replace("-0.8*", "-e*").replace("end: 2", "end: 1")
    model, outputs = mechanisms.model(text), {"energy": "final(energy_kinetic) + final(energy_potential)"}
    found = mbsim.sensitivity(model, {"e": {"from": 0.7, "to": 0.9}}, outputs)
    assert found.array("derivative")[0, 0] == pytest.approx(2.0 * 0.8 * 9.81, rel=1e-5)
    direct = mbsim.sensitivity(model, {"e": {"from": 0.7, "to": 0.9}}, outputs, method="direct")
    assert direct.array("derivative")[0, 0] == pytest.approx(2.0 * 0.8 * 9.81, rel=1e-6)
