"""Units with rigid stops, backlash, contacts without friction and given friction: the numbers of a run, impacts, states, refusals."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import needs_compiler, program, table
from test_library import Library
from test_phases import shown_by

import mbsim
from mbsim.programs.unit import unit_of

pytestmark = needs_compiler
ARM = """
name: a bouncing arm
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0}
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0], stops: {lower: -0.5, upper: 0.4, restitution: 0.6}}}
forces: {push: {type: joint_torque, joint: pin, value: push + 12*sin(4*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
ROW = """
name: sliders in a row
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0, 0], velocity: [3, 0]}
  b: {mass: 2, inertia: 1, position: [1, 0]}
  c: {mass: 1, inertia: 1, position: [2, 0]}
joints:
  p: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0], stops: {lower: -0.5, restitution: 0.7}}
  q: {type: prismatic, bodies: [a, b], at: [0.5, 0], axis: [1, 0], stops: {lower: -0.4, restitution: 0.8}}
  r: {type: prismatic, bodies: [b, c], at: [1.5, 0], axis: [1, 0], stops: {lower: -0.3, upper: 0.5, restitution: 0.5}}
forces: {push: {type: force, body: c, value: [-4, 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
FOUR = """
name: a four-bar with stops
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.1, position: [0.75, 1.25]}
  c: {mass: 1, inertia: 0.1, position: [1.5, 0.75]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0], stops: {lower: -0.6, upper: 0.5, restitution: 0.5}}
  q: {type: revolute, bodies: [a, b], at: [0, 1]}
  r: {type: revolute, bodies: [b, c], at: [1.5, 1.5], stops: {lower: -0.8, upper: 1.2, restitution: 0.3}}
  s: {type: revolute, bodies: [ground, c], at: [1.5, 0]}
forces: {push: {type: joint_torque, joint: p, value: 15*sin(5*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
CRANK = """
name: a slider-crank with a stop of its slider
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.1, 0.05]}
  rod: {mass: 1, inertia: 0.03, position: [0.4, 0.05]}
  slider: {mass: 1, inertia: 0.01, position: [0.6, 0]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, rod], at: [0.2, 0.1]}
  B: {type: revolute, bodies: [rod, slider], at: [0.6, 0]}
  guide: {type: prismatic, bodies: [ground, slider], at: [0.6, 0], axis: [1, 0], stops: {lower: -0.1, restitution: 0}}
forces: {push: {type: joint_torque, joint: O, value: 6*cos(6*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 2, impacts: events}
"""
CRANKS = """
name: redundant parallelograms with stops on two cranks
dimension: 2
gravity: [0, -9.81]
bodies:
  c0: {mass: 1, inertia: 0.0833, position: [0.0, 0.5]}
  c1: {mass: 1, inertia: 0.0833, position: [1.0, 0.5]}
  c2: {mass: 1, inertia: 0.0833, position: [2.0, 0.5]}
  d0: {mass: 1, inertia: 0.0833, position: [0.5, 1]}
  d1: {mass: 1, inertia: 0.0833, position: [1.5, 1]}
joints:
  p0: {type: revolute, bodies: [ground, c0], at: [0, 0], stops: {lower: -0.6, upper: 0.7, restitution: 0.4}}
  p1: {type: revolute, bodies: [ground, c1], at: [1, 0], stops: {lower: -0.6, upper: 0.7, restitution: 0.4}}
  p2: {type: revolute, bodies: [ground, c2], at: [2, 0]}
  u0: {type: revolute, bodies: [c0, d0], at: [0, 1]}
  u1: {type: revolute, bodies: [d0, c1], at: [1, 1]}
  v1: {type: revolute, bodies: [c1, d1], at: [1, 1]}
  v2: {type: revolute, bodies: [d1, c2], at: [2, 1]}
forces: {push: {type: joint_torque, joint: p0, value: -1+9*sin(5*t)}}
simulation: {method: svd, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
GEAR = """
name: gears with play
dimension: 2
bodies:
  pinion: {mass: 1, inertia: 0.02, position: [0, 0]}
  wheel: {mass: 3, inertia: 0.05, position: [0.3, 0]}
joints:
  A: {type: revolute, bodies: [ground, pinion], at: [0, 0]}
  B: {type: revolute, bodies: [ground, wheel], at: [0.3, 0]}
  mesh: {type: gear, joints: [A, B], teeth: [20, 40], backlash: {play: 0.02, restitution: 0.3, closing_speed: 1.0e-3}}
forces:
  motor: {type: joint_torque, joint: A, value: sin(9*t)}
  brake: {type: joint_torque, joint: B, value: -0.3*der(B.angle)}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
SPACE = """
name: a double pendulum in space with stops
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [1.2, 0.1, 0]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0.8, 0.6], stops: {lower: -0.5, upper: 0.4, restitution: 0.5}}
  q:
    {type: cylindrical, bodies: [a, b], at: [1, 0, 0], axis: [1, 0, 0],
     stops: {coordinate: displacement, lower: -0.2, upper: 0.2, restitution: 0.7}}
forces: {push: {type: force, body: b, value: [0, 3*sin(6*t), 4]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
DISKS = """
name: disks between walls
dimension: 2
gravity: [0, -9.81]
bodies:
  one: {mass: 1, inertia: 0.005, position: [0, 0.5], velocity: [2, 0], shape: {type: cylinder, radius: 0.1, length: 0.02}}
  two: {mass: 2, inertia: 0.005, position: [0.6, 0.3], shape: {type: cylinder, radius: 0.1, length: 0.02}}
contacts:
  floor: {bodies: [one, two, ground], plane: {normal: [0, 1]}, restitution: 0.7}
  pair: {between: [one, two], restitution: 0.9}
  right: {bodies: [two, ground], plane: {normal: [-1, 0], through: [1, 0]}, restitution: 0.5}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
SPHERES = """
name: spheres on a plane
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 1, inertia: [0.005, 0.005, 0.005], position: [0, 0.01, 0.5], velocity: [2, 0, 0], shape: {type: sphere, radius: 0.1}}
  two: {mass: 2, inertia: [0.005, 0.005, 0.005], position: [0.6, 0, 0.3], shape: {type: sphere, radius: 0.1}}
contacts:
  floor: {bodies: [one, two, ground], plane: {normal: [0, 0, 1]}, restitution: 0.6}
  pair: {between: [one, two], restitution: 0.9}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 2, impacts: events}
"""
EVENTS = """
name: stops and events that set, switch, lock and unlock
dimension: 2
gravity: [0, -9.81]
parameters: {k: 0}
bodies:
  arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}
  bob: {mass: 0.5, inertia: 0.02, position: [1.3, 0]}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0], stops: {lower: -0.5, upper: 0.4, restitution: 0.5}}
  weld: {type: fixed, bodies: [arm, bob], at: [1, 0]}
  hook: {type: revolute, bodies: [ground, bob], at: [1.3, -1.5], locked: false}
forces: {push: {type: joint_torque, joint: pin, value: k + 12*sin(4*t)}}
events:
  kick: {when: t - 0.33, do: {set: {der(arm.angle): 1}}}
  more: {when: t - 1.25, do: {switch: {k: 8}}}
  free: {when: t - 1.4, do: {unlock: weld}}
  catch: {when: t - 1.6, do: {lock: hook}}
  less: {when: t - 2.0, do: {switch: {k: -9}}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
RUB = """
name: an arm with dry friction and stops
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0}
bodies: {arm: {mass: 1, inertia: 0.0833, position: [0.5, 0]}}
joints:
  pin:
    {type: revolute, bodies: [ground, arm], at: [0, 0],
     stops: {lower: -0.5, upper: 0.4, restitution: 0.4}, friction: {torque: 4, static: 5}}
forces: {push: {type: joint_torque, joint: pin, value: push + 5 + 12*sin(4*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
OSCILLATORS = """
name: Coulomb oscillator and a slider on it
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0.2, 0]}
  b: {mass: 0.5, inertia: 1, position: [0.2, 0], velocity: [1, 0]}
joints:
  p: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0], friction: {force: 1.5}}
  q: {type: prismatic, bodies: [a, b], at: [0, 0], axis: [1, 0], friction: {force: 0.7, static: 0.9}}
forces: {spring: {type: force, body: a, value: [-30*a.x, 0]}, drive: {type: force, body: b, value: [3*sin(3*t), 0]}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""
RUBBING = """
name: a four-bar with friction in two hinges
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.1, position: [0.75, 1.25]}
  c: {mass: 1, inertia: 0.1, position: [1.5, 0.75]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0], friction: {torque: 2}}
  q: {type: revolute, bodies: [a, b], at: [0, 1]}
  r: {type: revolute, bodies: [b, c], at: [1.5, 1.5], stops: {lower: -0.8, upper: 1.2, restitution: 0.3}}
  s: {type: revolute, bodies: [ground, c], at: [1.5, 0]}
forces: {push: {type: joint_torque, joint: p, value: 15*sin(5*t)}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 3, impacts: events}
"""


def joint(text: str, **settings: Any) -> dict[str, Any]:
    """A model in joint coordinates."""
    read: dict[str, Any] = yaml.safe_load(text) | {"coordinates": "joint"}
    del read["simulation"]["method"]
    read["simulation"] |= settings
    return read


def by(text: str, **settings: Any) -> dict[str, Any]:
    """A model with other settings."""
    read: dict[str, Any] = yaml.safe_load(text)
    read["simulation"] |= settings
    return read


SHOWN = ["arm.angle", "der(arm.angle)", "multiplier.pin_lower", "energy_work"]
ROWS = ["a.x", "b.x", "c.x", "der(b.x)", "multiplier.r_lower", "energy_work"]
CASES: dict[str, tuple[Any, list[str]]] = {
    "arm": (ARM, SHOWN),
    "crank in joint coordinates": (joint(CRANK), ["O.angle", "A.angle"]),
    "disks": (DISKS, ["one.x", "one.y", "two.x", "two.y"]),
    "crank": (CRANK, ["slider.x", "crank.angle", "joint_force:guide", "multiplier.guide_lower"]),
    "row": (ROW, ROWS),
    "one after the other": (by(ROW, simultaneous=False), ROWS),
    "poisson": (by(ROW, impact_law="poisson"), ROWS),
    "error control": (by(ROW, integrator="dop853", rtol=1e-10, atol=1e-10), ROWS),
    "four-bar": (FOUR, ["a.angle", "c.x", "multiplier.p_lower", "multiplier.r_upper"]),
    "four-bar in joint coordinates": (joint(FOUR), ["p.angle", "r.angle"]),
    "redundant cranks": (CRANKS, ["c0.angle", "d1.x", "multiplier.p0_upper", "multiplier.p1_upper"]),
    "redundant cranks by cfa": (by(CRANKS, method="cfa"), ["c0.angle", "d1.x"]),
    "redundant cranks in joint coordinates": (joint(CRANKS), ["p0.angle", "v1.angle"]),
    "gears": (GEAR, ["pinion.angle", "wheel.angle", "multiplier.mesh_lower"]),
    "gears in joint coordinates": (joint(GEAR), ["A.angle", "B.angle"]),
    "space": (SPACE, ["a.x", "b.z", "b.qx", "multiplier.p_upper"]),
    "space in joint coordinates": (joint(SPACE), ["p.angle", "q.displacement"]),
    "spheres": (SPHERES, ["one.x", "one.y", "one.z", "two.x", "two.z"]),
    "events": (EVENTS, ["arm.angle", "bob.x", "bob.y"]),
    "friction and stops": (RUB, ["arm.angle", "multiplier.pin_friction", "multiplier.pin_lower", "energy_work"]),
    "friction and stops in joint coordinates": (joint(RUB), ["pin.angle"]),
    "oscillators": (OSCILLATORS, ["a.x", "b.x", "der(b.x)"]),
    "a four-bar that rubs": (RUBBING, ["a.angle", "c.x", "multiplier.p_friction"]),
    "a four-bar that rubs in joint coordinates": (joint(RUBBING), ["p.angle", "r.angle"]),
}
DEFAULT = ("crank in joint coordinates", "friction and stops")


@pytest.mark.parametrize("case", [case if case in DEFAULT else pytest.param(case, marks=pytest.mark.slow) for case in CASES])
def test_a_unit_gives_the_numbers_of_a_run(case: str, tmp_path: Path) -> None:
    """Coordinates, reactions and work, through impacts, closed stops and what opens; and again after a reset, bit for bit."""
    source, names = CASES[case]
    model = mechanisms.model(source)
    h, end = model.simulation.output_step, model.simulation.end
    library, stepper = Library(tmp_path, model, outputs=names, native=True), mbsim.Stepper(model)
    unit, found = library.create(), []
    for _ in range(round(end / h)):
        assert library.step(unit, h) == 0, library.c.unit_message(unit)
        stepper.step(h)
        wanted = shown_by(stepper, model, names)
        found.append(library.outputs(unit, len(wanted)))
        np.testing.assert_allclose(found[-1], wanted, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(found[-1][:1], wanted[:1], rtol=1e-9, atol=1e-9)
    assert {"impact", "closed"} <= {event["do"] for event in stepper.events} or any(event["do"] == "slips" for event in stepper.events)
    library.c.unit_reset(unit)
    for row in found:
        assert library.step(unit, h) == 0 and library.outputs(unit, len(row)) == row
    library.c.unit_free(unit)


def test_inputs_and_states(tmp_path: Path) -> None:
    """Inputs jump while a stop is closed; a state is restored with another stop closed, and in another instance."""
    library = Library(tmp_path, mechanisms.model(ARM), inputs=["push"], outputs=["arm.angle", "multiplier.pin_lower"], native=True)
    stepper, random, c = mbsim.Stepper(mechanisms.model(ARM), ["push"]), np.random.default_rng(3), library.c
    unit, other = library.create(), library.create()
    kept = ctypes.create_string_buffer(c.unit_state_size())
    steps, found = [(random.uniform(0.005, 0.04), 40.0 * (-1) ** (k // 25) * random.uniform()) for k in range(150)], []
    for k, (h, push) in enumerate(steps):
        if k == 60:
            c.unit_save(unit, kept)
        assert library.set(unit, 0, push) == 0 and library.step(unit, h) == 0, c.unit_message(unit)
        stepper.step(h, push=push)
        found.append(library.outputs(unit, 2))
        np.testing.assert_allclose(found[-1], shown_by(stepper, None, ["arm.angle", "multiplier.pin_lower"]), rtol=1e-7, atol=1e-7)
    assert {(event["event"], event["do"]) for event in stepper.events} >= {(f"pin_{x}", "closed") for x in ("lower", "upper")}
    assert "open" in {event["do"] for event in stepper.events}
    for again in (unit, other):
        assert c.unit_restore(again, kept) == 0
        for (h, push), wanted in zip(steps[60:], found[60:], strict=True):
            assert library.set(again, 0, push) == 0 and library.step(again, h) == 0
            assert library.outputs(again, 2) == wanted
        c.unit_free(again)


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_fmu_tells_of_impacts(fmi: int, tmp_path: Path) -> None:
    """The standard's checks; the numbers of a run, and the times of all that happens to 1e-9 s: impacts, what sticks and slips."""
    pytest.importorskip("fmpy")
    from fmpy.validation import validate_fmu
    from test_event_mode import simulated
    from test_unit_events import rows_of

    model, path = mechanisms.model(RUB), tmp_path / "arm.fmu"
    mbsim.export(model, path, outputs=["arm.angle"], fmi=fmi, native=True)
    assert not validate_fmu(str(path))
    result = mbsim.simulate(model)
    found, said = simulated(path, stop_time=3.0, output_interval=0.02, step_size=0.02)
    np.testing.assert_allclose(found["arm.angle"], rows_of(result, ["arm.angle"], 0.02)[:, 0], rtol=1e-9, atol=1e-9)
    told = [(line.split(": ")[1], float(line.split()[2])) for line in said]
    kind = {"pin_lower": "stop", "pin_upper": "stop", "pin_friction": "friction"}
    wanted = [(f"the {kind[event['event']]} '{event['event']}' ({event['do']})", event["time"]) for event in result.events]
    if wanted[0][1] == 0.0:  # what is so at the start a unit does not tell
        wanted = wanted[1:]
    assert [what for what, _ in told] == [what for what, _ in wanted]
    np.testing.assert_allclose([at for _, at in told], [at for _, at in wanted], rtol=0, atol=1e-9)


def test_a_stop_is_closed_at_the_start(tmp_path: Path) -> None:
    """It opens when its reaction pulls."""
    text = yaml.safe_load(ARM)
    text["joints"]["pin"]["stops"]["upper"] = 0
    text["forces"]["push"]["value"] = "15*cos(3*t)"
    model = mechanisms.model(text)
    library, stepper = Library(tmp_path, model, outputs=["arm.angle", "multiplier.pin_upper"], native=True), mbsim.Stepper(model)
    unit = library.create()
    assert library.outputs(unit, 2)[1] == pytest.approx(0.5 * 9.81 - 15)
    for _ in range(100):
        stepper.step(0.02)
        assert library.step(unit, 0.02) == 0, library.c.unit_message(unit)
        wanted = shown_by(stepper, model, ["arm.angle", "multiplier.pin_upper"])
        np.testing.assert_allclose(library.outputs(unit, 2), wanted, rtol=1e-8, atol=1e-8)
    assert [event["do"] for event in stepper.events][:2] == ["closed", "open"]
    library.c.unit_free(unit)


def rough(**changed: Any) -> dict[str, Any]:
    """ARM with another block of its joint."""
    text: dict[str, Any] = yaml.safe_load(ARM)
    text["joints"]["pin"] |= changed
    return text


def in_space() -> dict[str, Any]:
    """SPACE with friction."""
    text: dict[str, Any] = yaml.safe_load(SPACE)
    text["joints"]["p"]["friction"] = {"torque": 0.1}
    return text


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (rough(friction={"coefficient": 0.1, "radius": 0.1}), {}, "and the ends of lines and sides (pin_friction): what sticks and slips"),
    (ARM, {"kind": "me"}, "rigid stops, contacts and friction (pin_lower, pin_upper) in model exchange"),
    (by(ARM, impacts="steps"), {}, "`impacts: steps`: a unit finds each impact"),
    (in_space(), {}, "friction about angles in space (p_friction): units know it with `coordinates: joint`"),
    (
        joint(CRANK) | {"events": {"e": {"when": "t - 1", "do": {"unlock": "guide"}}}},
        {},
        "'guide' has stops or friction, and comes and goes",
    ),
    (ARM, {"derivatives": True}, "joints, drivers or constraints of the model come and go"),
]


@pytest.mark.parametrize(("source", "given", "message"), REFUSED, ids=["friction", "exchange", "steps", "space", "coming", "derivatives"])
def test_what_is_refused(source: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        unit_of(mechanisms.model(source), **given)
    assert message in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["arm", "events", "disks"])
def test_a_compiler_has_no_warnings(case: str, tmp_path: Path) -> None:
    """And the example goes to its end."""
    model = mechanisms.model(CASES[case][0])
    found = table(program(tmp_path, model, native=True))
    assert found["time"][-1] == pytest.approx(model.simulation.end)


def random_chain(random: np.random.Generator) -> dict[str, Any]:
    """Two rods and a slider with stops and friction here and there, shaken."""
    stops = [{"lower": -random.uniform(0.2, 0.6), "upper": random.uniform(0.2, 0.6)} for _ in range(3)]
    for one in stops:
        one["restitution"] = float(random.choice([0.0, 0.4, 0.8]))
        del one[str(random.choice(["lower", "upper"]))]
    kinds: list[dict[str, Any]] = [{"stops": one} for one in stops]
    which = int(random.integers(3))
    kinds[which]["friction"] = {"force" if which == 2 else "torque": random.uniform(0.5, 3.0), "static": 3.5}
    ends = [["ground", "a"], ["a", "b"], ["ground", "c"]]
    places = {"at": [0, 0]}, {"at": [1, 0]}, {"at": [0, -1], "axis": [1, 0], "type": "prismatic"}
    joints = {
        f"j{k}": {"type": "revolute", "bodies": pair, **place, **kind}
        for k, (pair, place, kind) in enumerate(zip(ends, places, kinds, strict=True))
    }
    bodies = {"a": [0.5, 0], "b": [1.5, 0], "c": [0, -1]}
    spring = {"type": "spring_damper", "bodies": ["b", "c"], "at": [[1.5, 0], [0, -1]], "stiffness": 20, "free_length": 1.5}
    turn = f"{random.uniform(5, 25)!r}*sin({random.uniform(2, 6)!r}*t)"
    return {
        "dimension": 2, "gravity": [0, -9.81], "joints": joints, "parameters": {"push": 0},
        "bodies": {name: {"mass": 1, "inertia": 0.1, "position": at} for name, at in bodies.items()},
        "forces": {"spring": spring, "turn": {"type": "joint_torque", "joint": "j0", "value": f"{turn} + push"}},
        "simulation": {"method": "lagrange", "integrator": "rk4", "step": 0.002, "output_step": 0.02, "end": 2, "impacts": "events"},
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_chains_are_those_of_a_stepper(seed: int, tmp_path: Path) -> None:
    """With inputs that jump; where a run cannot go on, neither can the unit."""
    random = np.random.default_rng(seed)
    text = random_chain(random)
    if seed % 3 == 2:
        text = joint(yaml.safe_dump(text))
    names = ["j0.angle", "j2.displacement"] if seed % 3 == 2 else ["a.angle", "b.x", "c.x"]
    library = Library(tmp_path, mechanisms.model(text), outputs=names, native=True, inputs=["push"])
    stepper, unit = mbsim.Stepper(mechanisms.model(text), ["push"]), library.create()
    for k in range(100):
        given = {"push": float(5.0 * random.normal())} if k % 10 == 0 else {}
        for push in given.values():
            assert library.set(unit, 0, push) == 0
        try:
            stepper.step(0.02, given)
        except mbsim.SimulationError:
            assert library.step(unit, 0.02) == -1
            break
        assert library.step(unit, 0.02) == 0, library.c.unit_message(unit)
        wanted = shown_by(stepper, None, names)
        np.testing.assert_allclose(library.outputs(unit, len(wanted)), wanted, rtol=1e-7, atol=1e-7)
    library.c.unit_free(unit)
