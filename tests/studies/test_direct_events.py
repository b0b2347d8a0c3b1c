"""Direct differentiation through events against closed forms, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from numpy.testing import assert_allclose

from mbsim.cli import main
from mbsim.model.file.positions import read
from mbsim.studies.runner.direct import Derivatives, Direct, DirectError
from mbsim.studies.runner.runner import Runner

G = 9.81


def derived(model: dict[str, Any], vary: list[str], outputs: dict[str, str], **settings: Any) -> Derivatives:
    runner = Runner(read(yaml.safe_dump({"name": "model", **model}, sort_keys=False), "model.yaml"), vary, outputs, **settings)
    return Direct(runner)(runner.base)


def ball(do: Any, parameters: dict[str, float], when: str = "ball.y", end: float = 2.0, **more: Any) -> dict[str, Any]:
    """A ball that falls from h."""
    return {
        "dimension": 2,
        "gravity": [0, -G],
        "parameters": parameters,
        "bodies": {"ball": {"mass": 1, "inertia": 0.01, "position": [0, "h"]}},
        "events": {"floor": {"when": when, "direction": "down", "do": do, **more}},
        "simulation": {"end": end},
    }


def mass(events: dict[str, Any], parameters: dict[str, float], end: float = 2.0) -> dict[str, Any]:
    """A mass of 1 kg with the speed v and the force F."""
    return {
        "coordinates": ["x"],
        "parameters": {"v": 1.0, "F": 0.0, **parameters},
        "energy": {"kinetic": "der(x)^2/2"},
        "forces": {"push": {"type": "generalized", "coordinate": "x", "value": "F"}},
        "initial": {"der(x)": "v"},
        "events": events,
        "simulation": {"end": end},
    }


def height(t: float, e: float, h: float) -> float:
    """Of a ball that bounces, at t."""
    first = np.sqrt(2.0 * h / G)
    at, speed = first, e * np.sqrt(2.0 * G * h)
    while at + 2.0 * speed / G < t:
        at, speed = at + 2.0 * speed / G, e * speed
    return float(speed * (t - at) - 0.5 * G * (t - at) ** 2)


def by(f: Any, x: float) -> float:
    """The derivative of a closed form, by differences of order 4."""
    d = 1e-4
    return float((8.0 * (f(x + d) - f(x - d)) - (f(x + 2.0 * d) - f(x - 2.0 * d))) / (12.0 * d))


BOUNCE = {"set": {"der(ball.y)": "-e*der(ball.y)"}}


@pytest.mark.parametrize(("method", "integrator"), [("auto", "auto"), ("nullspace", "radau"), ("lagrange", "rk45"), ("nullspace", "bdf")])
def test_a_bouncing_ball(method: str, integrator: str) -> None:
    """y(2) of the third flight, and when it begins: t_3 = sqrt(2 h / g) (1 + 2 e + 2 e^2)."""
    e, h = 0.8, 1.0
    outputs = {"y": "final(ball.y)", "t": "event_time(floor, 3)", "n": "event_count(floor)", "W": "final(energy_work)"}
    found = derived(ball(BOUNCE, {"e": e, "h": h}), ["e", "h"], outputs, method=method, integrator=integrator)
    first = np.sqrt(2.0 * h / G)
    assert found.values[0] == pytest.approx(0.260741728327106, abs=1e-6)
    exact = [
        [by(lambda x: height(2.0, x, h), e), by(lambda x: height(2.0, e, x), h)],
        [first * (2.0 + 4.0 * e), first * (1.0 + 2.0 * e + 2.0 * e * e) / (2.0 * h)],
        [0.0, 0.0],
        [6.0 * e**5 * G * h, (e**6 - 1.0) * G],
    ]
    assert_allclose(found.jacobian, exact, rtol=1e-5, atol=1e-6)


def test_events_of_one_time_act_together() -> None:
    """Two bodies that are one: each event gives what it does for the state before both."""
    bounce = {"direction": "down", "do": {"set": {"der({0}.y)": "-e*der({0}.y)"}}}
    model = {
        **ball(BOUNCE, {"e": 0.8, "h": 1.0}),
        "bodies": {name: {"mass": 1, "inertia": 0.01, "position": [x, "h"]} for x, name in enumerate("pq")},
        "joints": {"tie": {"type": "fixed", "bodies": ["p", "q"], "at": [0.5, "h"]}},
        "events": {name: {"when": f"{name}.y", **yaml.safe_load(yaml.safe_dump(bounce).replace("{0}", name))} for name in "pq"},
    }
    found = derived(model, ["e", "h"], {"y": "final(q.y)", "angle": "final(q.angle)"})
    assert_allclose(
        found.jacobian, [[by(lambda x: height(2.0, x, 1.0), 0.8), by(lambda x: height(2.0, 0.8, x), 1.0)], [0.0, 0.0]], atol=1e-5
    )


def test_the_end_of_a_run_by_an_event() -> None:
    found = derived(ball("stop", {"h": 1.0}), ["h"], {"t": "final(t)", "v": "final(der(ball.y))", "when": "event_time(floor)"})
    assert_allclose(found.jacobian[:, 0], [np.sqrt(0.5 / G), -np.sqrt(0.5 * G), np.sqrt(0.5 / G)], rtol=1e-6)


def test_an_event_that_only_records_has_a_time_and_changes_nothing() -> None:
    found = derived(ball("record", {"h": 1.0}), ["h"], {"y": "final(ball.y)", "when": "event_time(floor)"})
    assert_allclose(found.jacobian[:, 0], [1.0, np.sqrt(0.5 / G)], rtol=1e-6)


def test_a_switch_behind_a_delay() -> None:
    """At x = d the force comes after w: x(T) = v T + F (T - d/v - w)^2 / 2, and F depends on the speed of that moment."""
    events = {"go": {"when": "x - d", "direction": "up", "after": "w", "do": {"switch": {"F": "k*der(x)"}}}}
    v, d, w, k, end = 1.0, 0.5, 0.3, 2.0, 2.0
    outputs = {"x": "final(x)", "u": "final(der(x))", "when": "event_time(go)"}
    found = derived(mass(events, {"v": v, "d": d, "w": w, "k": k}), ["v", "d", "w", "k"], outputs)
    left = end - d / v - w
    force = k * v
    exact = [
        [end + 0.5 * k * left**2 + force * left * d / v**2, -force * left / v, -force * left, 0.5 * v * left**2],
        [1.0 + k * left + force * d / v**2, -force / v, -force, v * left],
        [-d / v**2, 1.0 / v, 1.0, 0.0],
    ]
    assert_allclose(found.jacobian, exact, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("once", "jumps"), [(True, 1), (False, 3)])
def test_a_position_that_is_set_back(once: bool, jumps: int) -> None:
    """At x = d the mass is put to 0: later places are d lower each time, and an event that happens once does it once."""
    events = {"back": {"when": "x - d", "direction": "up", "once": once, "do": {"set": {"x": "0.5*d - 0.5*d"}}}}
    found = derived(mass(events, {"v": 1.0, "d": 0.6}), ["d", "v"], {"x": "final(x)", "n": "event_count(back)"})
    assert found.values[0] == pytest.approx(2.0 - 0.6 * jumps) and found.values[1] == jumps
    assert_allclose(found.jacobian, [[-jumps, 2.0], [0.0, 0.0]], atol=1e-8)


def test_an_event_that_another_one_carries_over_zero() -> None:
    """At x = d the mass is thrown back, which carries its speed over zero; that doubles the speed: x(T) = d - 2 k v (T - d/v)."""
    events = {
        "wall": {"when": "x - d", "direction": "up", "do": {"set": {"der(x)": "-k*der(x)"}}},
        "turned": {"when": "der(x)", "direction": "down", "do": {"set": {"der(x)": "2*der(x)"}}},
    }
    v, d, k = 1.0, 0.5, 0.7
    found = derived(mass(events, {"v": v, "d": d, "k": k}), ["v", "d", "k"], {"x": "final(x)", "when": "event_time(turned)"})
    exact = [[-2.0 * k * 2.0, 1.0 + 2.0 * k, -2.0 * (v * 2.0 - d)], [-d / v**2, 1.0 / v, 0.0]]
    assert_allclose(found.jacobian, exact, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("method", ["auto", "lagrange", "nullspace"])
def test_speeds_of_a_mechanism_that_are_set_onto_constraints(method: str) -> None:
    """A pendulum in absolute coordinates is thrown back at the bottom: then its energy is e^2 of what it was."""
    l, e, a = 0.8, 0.6, 1.0
    model = {
        "dimension": 2,
        "gravity": [0, -G],
        "parameters": {"l": l, "e": e, "a": a},
        "ground": {"points": {"O": [0, 0]}},
        "bodies": {"bob": {"mass": 1, "inertia": 1e-9, "points": {"O": [0, "l"]}}},
        "joints": {"pin": {"type": "revolute", "points": ["ground.O", "bob.O"]}},
        "initial": {"bob.angle": "a", "fix": ["bob.angle"]},
        "events": {"bottom": {"when": "bob.angle", "direction": "down", "do": {"set": {"der(bob.angle)": "-e*der(bob.angle)"}}}},
        "simulation": {"end": 0.8, "method": method},
    }
    found = derived(model, ["e", "a", "l"], {"W": "final(energy_work)"})
    high = 1.0 - np.cos(a)
    exact = [2.0 * e * G * l * high, (e * e - 1.0) * G * l * np.sin(a), (e * e - 1.0) * G * high]
    assert_allclose(found.jacobian[0], exact, rtol=1e-6)


REFUSED = {
    "grazing": (
        mass({"top": {"when": "x - d"}}, {"F": -1.0, "d": 0.5}), {"x": "final(x)"}, ["d"], r"the event top.*(touched|without speed)"
    ),
    "start": (mass({"go": {"when": "x - d"}}, {"d": 0.0}), {"x": "final(x)"}, ["d"], "the run begins at 'the event go'"),
    "end": (
        mass({"go": {"when": "x - 2", "do": {"set": {"x": 0}}}}, {}), {"x": "final(x)"}, ["v"], "an event happens at the end of the run"
    ),
    "switched": (
        mass({"go": {"when": "x - 1", "do": {"switch": {"F": 2}}}}, {}), {"f": "max(force_effort:push)"}, ["v"],
        "takes a parameter that an event switches",
    ),
    "together": (
        mass({"one": {"when": "x - 1", "do": {"set": {"der(x)": 2}}}, "two": {"when": "t - 1", "do": {"set": {"x": 0}}}}, {}),
        {"x": "final(x)"}, ["v"], "change together",
    ),
    "carried": (
        mass({"one": {"when": "t - 1", "do": {"set": {"x": -1}}}, "two": {"when": "x - 0.5", "do": "stop", "direction": "down"}}, {}),
        {"x": "final(x)"}, ["v"], "'two' is carried over zero by 'one'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_derivative_is_refused_by_name(case: str) -> None:
    model, outputs, vary, said = REFUSED[case]
    with pytest.raises(DirectError, match=said):
        derived(model, vary, outputs)


def test_an_optimisation_takes_gradients_through_an_event(tmp_path: Path) -> None:
    """The restitution with which the ball is at 0.3 m at 1.1 s, in its second flight: a root of a quadratic."""
    (tmp_path / "ball.yaml").write_text(yaml.safe_dump({"name": "model", **ball(BOUNCE, {"e": 0.9, "h": 1.0}, end=1.1)}))
    study = {
        "model": "ball.yaml", "vary": {"e": {"from": 0.75, "to": 1.0, "start": 0.95}}, "outputs": {"off": "(final(ball.y) - 0.3)^2"},
        "optimize": {"minimize": "off", "method": "l-bfgs-b", "gradient": "direct"},
    }  # fmt: skip
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(study))
    done = CliRunner().invoke(main, ["optimize", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "s.h5"), "-j", "1"])
    assert done.exit_code == 0, done.output
    first = np.sqrt(2.0 / G)
    exact = (0.3 + 0.5 * G * (1.1 - first) ** 2) / ((1.1 - first) * np.sqrt(2.0 * G))
    assert f"e = {exact:.3g}"[:8] in done.output and "by differences" not in done.output
