"""Events in units for co-simulation: the numbers of a run, what is done at once and later, the end of a motion, event mode, states."""

import copy
import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import CART, SAMPLED, needs_compiler, program, table
from test_library import Library

import mbsim

pytestmark = needs_compiler

BALL = """
name: bouncing ball
dimension: 2
gravity: [0, -9.81]
parameters: {rebound: 0.8}
bodies: {ball: {mass: 1, inertia: 0.01, position: [0, 1], velocity: [0.3, 0]}}
events:
  floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -rebound*der(ball.y)}}}
  top: {when: der(ball.y), direction: down}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.01, end: 1.5}
"""
RELAY = """
name: relay with a delay
dimension: 2
parameters: {F: 1}
bodies: {sat: {mass: 1, inertia: 1, position: [-0.2, 0], velocity: [0.1, 0]}}
forces: {jet: {type: force, body: sat, value: [F, 0]}}
events:
  left: {when: sat.x + 0.5*der(sat.x) + 0.05, direction: down, after: 0.013, do: {switch: {F: 1}}}
  right: {when: sat.x + 0.5*der(sat.x) - 0.05, direction: up, after: 0.013, do: {switch: {F: -1}}}
measures: {force: F + 0*t}
simulation: {method: lagrange, integrator: rk4, step: 0.01, output_step: 0.01, end: 4}
"""
# constraint rows, coordinates and speeds that are set, a state, a parameter, once, events that carry others over zero, a time
EVENTFUL: dict[str, Any] = {
    "hit": {"when": "pole.angle + 0.1", "do": {"set": {"der(pole.angle)": "-0.7*der(pole.angle)", "count": "count + 1"}}},
    "jump": {"when": "t - 0.333", "do": {"set": {"cart.x": "cart.x + 0.05"}}},
    "over": {"when": "cart.x - 0.05", "direction": "up", "once": True, "do": {"set": {"count": "count + 10"}}},
    "softer": {"when": "count - 1.5", "direction": "up", "do": {"switch": {"stiffness": "0.5*stiffness"}}},
    "seen": {"when": "der(cart.x)", "direction": "up"},
}


def eventful(**changed: Any) -> dict[str, Any]:
    """The cart and its pole with EVENTFUL."""
    text: dict[str, Any] = yaml.safe_load(CART)
    text["states"] = {"count": {"rate": 0, "start": 0}}
    text["events"] = EVENTFUL
    return text | changed


def rows_of(result: Any, names: list[str], h: float) -> np.ndarray:
    """The rows of a run at multiples of h, after what events have done there."""
    times = np.asarray(result.time)
    ends = np.arange(round(times[0] / h), round(times[-1] / h) + 1) * h
    places = np.searchsorted(times, ends + 1e-9) - 1
    np.testing.assert_allclose(times[places], ends, atol=1e-9)
    columns = {**dict(zip(result.labels("coordinate"), result["q"].T, strict=True))}
    columns |= dict(zip(result.labels("speed"), result["v"].T, strict=True))
    return np.column_stack([columns[name][places] if name in columns else np.asarray(result[name])[places] for name in names])


CASES: dict[str, tuple[Any, list[str]]] = {
    "set": (BALL, ["ball.y", "der(ball.y)", "ball.x"]),
    "switch after a delay": (RELAY, ["sat.x", "der(sat.x)", "force"]),
    "with constraints": (eventful(), ["cart.x", "pole.angle", "der(pole.angle)", "count"]),
}

LOOPED = """
name: four bars in joint coordinates
dimension: 2
coordinates: joint
gravity: [0, -9.81]
parameters: {k: 3}
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.1, position: [1, 1]}
  c: {mass: 1, inertia: 0.1, position: [2, 0.5]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0]}
  q: {type: revolute, bodies: [a, b], at: [0, 1]}
  r: {type: revolute, bodies: [b, c], at: [2, 1]}
  s: {type: revolute, bodies: [ground, c], at: [2.5, -0.6]}
forces: {spring: {type: joint_torque, joint: p, value: 20 - k*p.angle}}
events:
  hit: {when: p.angle - 0.2, do: {set: {der(p.angle): -0.9*der(p.angle)}, switch: {k: k + 1}}}
  jump: {when: t - 0.5, do: {set: {p.angle: p.angle + 0.02}}}
simulation: {integrator: rk4, step: 0.005, output_step: 0.02, end: 1.5}
"""
TWICE_HELD = """
name: pendulum held twice
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0.1, position: [0.3, 0.1]}}
joints:
  first: {type: revolute, bodies: [ground, rod], at: [0, 0]}
  again: {type: point_on_line, bodies: [ground, rod], at: [0, 0], axis: [1, 0]}
events:
  hit: {when: rod.angle + 1, do: {set: {der(rod.angle): -0.7*der(rod.angle)}}}
  jump: {when: t - 0.333, do: {set: {rod.angle: rod.angle + 0.1}}}
simulation: {method: svd, integrator: rk4, step: 0.005, output_step: 0.02, end: 1.5}
"""
BREAKING = """
name: a brake that a reaction applies
dimension: 2
gravity: [0, -9.81]
parameters: {k: 0}
bodies: {bob: {mass: 2, inertia: 0.01, position: [1, 0]}}
joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}}
forces: {brake: {type: force, body: bob, value: [-k*der(bob.x), -k*der(bob.y)]}}
events:
  heavy: {when: 'sqrt(joint_force.pin.x^2 + joint_force.pin.y^2) - 40', direction: up, do: {switch: {k: k + 5}}}
  slower: {when: der(der(bob.x)), do: {set: {der(bob.angle): 0.9*der(bob.angle)}}}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 2}
"""
SPINNING = """
name: a top that is turned back
dimension: 3
gravity: [0, 0, -9.81]
bodies: {top: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, 0.1, 0.5], angular_velocity: [1, 5, 2]}}
joints: {ball: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}
events: {hit: {when: top.z - 0.2, do: {set: {top.omega.x: -top.omega.x}}}}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 2}
"""
TIED = """
name: plates in one frame that land together
dimension: 2
gravity: [0, -9.81]
parameters: {e: 0.8}
bodies:
  p: {mass: 1, inertia: 0.01, position: [0, 1]}
  q: {mass: 2, inertia: 0.02, position: [1, 1]}
joints: {tie: {type: fixed, bodies: [p, q], at: [0.5, 1]}}
events:
  left: {when: p.y, direction: down, do: {set: {der(p.y): -e*der(p.y)}}}
  right: {when: q.y, direction: down, do: {set: {der(q.y): -e*der(q.y)}}}
  softer: {when: p.y, direction: down, do: {switch: {e: 0.9*e}}}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 1.5}
"""
CASES |= {
    "together": (TIED, ["p.y", "p.angle", "q.y", "der(q.y)"]),
    "rows that depend on each other": (TWICE_HELD, ["rod.x", "rod.angle", "der(rod.angle)"]),
    "joint coordinates with a loop": (LOOPED, ["p.angle", "q.angle", "der(q.angle)"]),
    "reactions and accelerations": (BREAKING, ["bob.x", "bob.angle", "der(bob.angle)"]),
    "in space": (SPINNING, ["top.x", "top.z", "top.qw", "top.omega.x"]),
    "with samples": (eventful(controllers=SAMPLED), ["cart.x", "pole.angle", "count"]),
    "generalized_alpha": (
        eventful(simulation={"method": "generalized_alpha", "step": 0.005, "output_step": 0.02, "end": 1}),
        ["cart.x", "pole.angle", "count"],
    ),
}  # fmt: skip
DEFAULT = ("together", "set", "switch after a delay", "with constraints", "rows that depend on each other", "joint coordinates with a loop")


@pytest.mark.parametrize("case", [case if case in DEFAULT else pytest.param(case, marks=pytest.mark.slow) for case in CASES])
def test_a_unit_gives_the_numbers_of_a_run(case: str, tmp_path: Path) -> None:
    """At the times of a run, the state after what events have done there."""
    source, names = CASES[case]
    model = mechanisms.model(source)
    result = mbsim.simulate(model)
    assert len(result.events) > 2
    h = model.simulation.output_step
    wanted = rows_of(result, names, h)
    library = Library(tmp_path, model, outputs=names, native=True)
    unit = library.create()
    found = [library.outputs(unit, len(names))]
    for _ in wanted[1:]:
        assert library.step(unit, h) == 0, library.c.unit_message(unit)
        found.append(library.outputs(unit, len(names)))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    library.c.unit_free(unit)


def test_inputs_and_states(tmp_path: Path) -> None:
    """The bits of a stepper with the same inputs, in steps of unequal size; of a state that is restored; of one that was reset."""
    names = ["cart.x", "pole.angle", "der(pole.angle)", "count"]
    library = Library(tmp_path, mechanisms.model(eventful()), inputs=["push"], outputs=names, native=True)
    stepper, random = mbsim.Stepper(mechanisms.model(eventful()), ["push"]), np.random.default_rng(17)
    c, unit = library.c, library.create()
    kept = ctypes.create_string_buffer(c.unit_state_size())
    steps = [(random.uniform(0.001, 0.02), random.normal()) for _ in range(80)]
    found = []
    for k, (h, force) in enumerate(steps):
        if k == 20:  # between events: what is counted, switched and set before belongs to the state
            c.unit_save(unit, kept)
        assert library.set(unit, 0, force) == 0 and library.step(unit, h) == 0
        stepper.step(h, push=force)
        found.append(library.outputs(unit, 4))
        assert found[-1] == [stepper[name] for name in names]
    done = [event["event"] for event in stepper.events]
    assert {"hit", "jump", "softer"} <= {*done} and done.index("hit") < len(done) - 1
    other = library.create()
    for again in (unit, other):
        assert c.unit_restore(again, kept) == 0
        for (h, force), wanted in zip(steps[20:], found[20:], strict=True):
            assert library.set(again, 0, force) == 0 and library.step(again, h) == 0
            assert library.outputs(again, 4) == wanted
    c.unit_reset(other)
    for (h, force), wanted in zip(steps, found, strict=True):
        assert library.set(other, 0, force) == 0 and library.step(other, h) == 0
        assert library.outputs(other, 4) == wanted
    for each in (unit, other):
        c.unit_free(each)


ENDS: list[tuple[dict[str, Any], str]] = [
    ({"events": {"wall": {"when": "pole.angle + 0.3", "do": "stop"}}}, "the event 'wall'"),
    ({"simulation": {**yaml.safe_load(CART)["simulation"], "stop": "pole.angle + 0.3"}}, "the stop expression"),
    (
        {"events": {"kick": {"when": "t - 0.1", "do": {"set": {"cart.x": 3}}}, "far": {"when": "cart.x - 2", "do": "stop"}}},
        "the event 'far'",
    ),
]


@pytest.mark.parametrize(("changed", "what"), ENDS, ids=["event", "expression", "carried"])
def test_a_motion_ends_where_a_run_does(changed: dict[str, Any], what: str, tmp_path: Path) -> None:
    text = yaml.safe_load(CART) | changed
    result = mbsim.simulate(mechanisms.model(text))
    library = Library(tmp_path, mechanisms.model(text), outputs=["cart.x"], native=True)
    c, unit = library.c, library.create()
    statuses = []
    while not statuses or statuses[-1] == 0:
        statuses.append(library.step(unit, 0.02))
    assert statuses[-1] == 1 and c.unit_time(unit) == pytest.approx(float(result.time[-1]), abs=1e-15) and c.unit_time(unit) < 1.0
    assert library.outputs(unit, 1) == [float(result["q"][-1, result.labels("coordinate").index("cart.x")])]
    assert f"ended by: {what}".encode() in c.unit_message(unit)
    assert library.step(unit, 0.02) == -1 and b"the motion has ended" in c.unit_message(unit)
    c.unit_reset(unit)
    assert library.step(unit, 0.02) == 0
    c.unit_free(unit)


def test_the_example_ends_with_the_motion(tmp_path: Path) -> None:
    text = yaml.safe_load(CART) | ENDS[0][0]
    result = mbsim.simulate(mechanisms.model(text))
    found = table(program(tmp_path, mechanisms.model(text), outputs=["cart.x"], native=True))
    assert found["time"][-1] == pytest.approx(float(result.time[-1]), abs=1e-15)
    assert found["cart.x"][-1] == float(result["q"][-1, result.labels("coordinate").index("cart.x")])


FAILS: list[tuple[dict[str, Any], str]] = [
    (
        {k: {"when": "t - 0.1", "do": {"set": {"count": f"{i} + 1"}}} for i, k in enumerate("ab")},
        "one thing different values: the event 'a', the event 'b'",
    ),
    (
        {k: {"when": "t - 0.1", "do": {"set": {f"der({k}.x)": i, f"der({k}.y)": 0}}} for i, k in enumerate(("cart", "pole"))},
        "contradicts the constraints: the event 'cart', the event 'pole'",
    ),
    ({"stuck": {"when": "t - 0.1", "do": {"set": {"cart.y": 1}}}}, "contradicts the constraints: the event 'stuck'"),
    (
        {"root": {"when": "t - 0.1", "do": {"set": {"cart.x": "sqrt(-1 - cart.x^2)"}}}},
        "a value that is set is not finite: the event 'root'",
    ),
    (
        {
            "a": {"when": "count - 0.5", "do": {"set": {"count": 0}}},
            "b": {"when": "count - 0.5", "direction": "down", "do": {"set": {"count": 1}}},
            "first": {"when": "t - 0.1", "do": {"set": {"count": 1}}},
        },
        "make each other happen",
    ),
]


@pytest.mark.parametrize(("events", "message"), FAILS, ids=["values", "together", "constraints", "not finite", "without end"])
def test_what_cannot_be_done_says_why(events: dict[str, Any], message: str, tmp_path: Path) -> None:
    library = Library(tmp_path, mechanisms.model(eventful(events=events)), outputs=["cart.x"], native=True)
    c, unit = library.c, library.create()
    for _ in range(4):
        assert library.step(unit, 0.02) == 0
    assert (
        library.step(unit, 0.03) == -1 and message in c.unit_message(unit).decode() and c.unit_time(unit) == pytest.approx(0.1, abs=1e-12)
    )
    c.unit_free(unit)


@pytest.mark.parametrize("e", [0.1, 0.2, 0.5])
def test_no_ball_falls_through_its_floor(e: float, tmp_path: Path) -> None:
    """Bounces that come to an end stop a unit, where round-off would decide whether what is set still leads up, at the time of a run."""
    model = mechanisms.model({
        "name": "ball", "dimension": 2, "gravity": [0, -9.81], "bodies": {"ball": {"mass": 1, "inertia": 0.01, "position": [0, 1]}},
        "events": {"floor": {"when": "ball.y", "direction": "down", "do": {"set": {"der(ball.y)": f"-{e}*der(ball.y)"}}}},
        "simulation": {"end": 4, "step": 0.001},
    })  # fmt: skip
    library = Library(tmp_path, model, outputs=["ball.y"], native=True)
    c, unit = library.c, library.create()
    lands = np.sqrt(2.0 / 9.81) * (1.0 + 2.0 * e / (1.0 - e))
    while (code := library.step(unit, 0.05)) == 0:
        assert c.unit_time(unit) < lands
    message = c.unit_message(unit).decode()
    assert code == -1 and "in ever shorter times" in message and "'floor'" in message
    assert c.unit_time(unit) == pytest.approx(lands, rel=1e-6)
    c.unit_free(unit)


WHEN = [
    "pole.angle + 0.05", "pole.angle - 0.1", "der(pole.angle) + 1", "cart.x - 0.02", "der(cart.x) - 0.1", "t - 0.111", "sin(40*t)",
    "count - 2.5", "pole.tip.x - cart.x - 0.03",
]  # fmt: skip
DO: list[Any] = [
    "record", {"set": {"der(pole.angle)": "-0.8*der(pole.angle)"}}, {"set": {"count": "count + 1"}},
    {"switch": {"stiffness": "1.3*stiffness"}}, {"set": {"count": "count - 1"}, "switch": {"stiffness": "20"}},
    {"set": {"der(cart.x)": "0.5*der(cart.x) + 0.01", "der(pole.angle)": "0.9*der(pole.angle)"}},
]  # fmt: skip
WAYS: list[dict[str, Any]] = [
    {"method": "lagrange", "integrator": "rk4", "step": 0.005},
    {"method": "lagrange", "integrator": "dop853", "rtol": 1e-8, "atol": 1e-8},
    {"method": "nullspace", "integrator": "rk4", "step": 0.005},
    {"method": "generalized_alpha", "step": 0.005},
    {"method": "lagrange", "integrator": "predictor_corrector", "step": 0.005},
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_events_are_those_of_a_stepper(seed: int, tmp_path: Path) -> None:
    """Up to five events of any kind, with delays and inputs that jump, in steps of unequal size."""
    random = np.random.default_rng(seed)
    text = eventful(controllers=SAMPLED) if random.random() < 0.3 else eventful()
    text["events"] = {}
    for k, when in enumerate(random.choice(WHEN, random.integers(1, 6), replace=False)):  # of two with one `when`, round-off tells which
        event: dict[str, Any] = {"when": str(when), "do": copy.deepcopy(DO[random.integers(len(DO))])}
        event["direction"] = ["any", "up", "down"][random.integers(3)]
        if random.random() < 0.2:
            event["once"] = True
        if random.random() < 0.3:
            event["after"] = [0.005, 0.007, 0.1][random.integers(3)]
        text["events"][f"e{k}"] = event
    text["simulation"] = {"end": 2, "output_step": 0.02, **WAYS[random.integers(len(WAYS))]}
    names = ["cart.x", "pole.angle", "der(pole.angle)", "count"]
    stepper = mbsim.Stepper(mechanisms.model(text), ["push"])
    library = Library(tmp_path, mechanisms.model(text), inputs=["push"], outputs=names, native=True)
    unit = library.create()
    for k in range(100):
        h, push = 0.02 if k < 40 else random.uniform(0.002, 0.03), float(random.normal())
        if k % 3 == 0:
            assert library.set(unit, 0, push) == 0
        assert library.step(unit, h) == 0, library.c.unit_message(unit)
        stepper.step(h, {"push": push} if k % 3 == 0 else {})
        np.testing.assert_allclose(library.outputs(unit, 4), [stepper[name] for name in names], rtol=1e-10, atol=1e-10)
    library.c.unit_free(unit)
