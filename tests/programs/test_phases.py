"""Units in which joints, drivers and constraints come and go: the numbers of a run, states, inputs, ends, and what is refused."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import SAMPLED, needs_compiler, program, table
from test_library import Library

import mbsim
from mbsim.programs.unit import unit_of

pytestmark = needs_compiler
CAUGHT = """
name: a rod that is let go and caught
dimension: 2
gravity: [0, -9.81]
parameters: {k: 3, push: 0}
bodies:
  arm: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  bob: {mass: 0.5, inertia: 0.02, position: [1.3, 0]}
joints:
  pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}
  weld: {type: fixed, bodies: [arm, bob], at: [1, 0]}
  hook: {type: revolute, bodies: [ground, bob], at: [1.5, -1], locked: false}
forces: {push: {type: force, body: arm, value: [0.2*k + push, k*sin(5*t)]}}
events:
  free: {when: arm.angle + 0.4, do: {unlock: weld}}
  catch: {when: bob.y + 2, do: {lock: hook, switch: {k: k + 1}}}
  again: {when: t - 1.51, do: {lock: weld}}
  idle: {when: t - 1.61, do: {lock: weld}}
  last: {when: t - 1.81, do: {unlock: hook}}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 2.5}
"""
IN_SPACE = """
name: a plate that is hung, hinged and let go
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  plate: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, 0.1, 0.5], angular_velocity: [1, 2, 0.5]}
  rod: {mass: 0.4, inertia: [0.02, 0.03, 0.02], position: [0.9, 0.3, 0.4], velocity: [0.2, 0, 0]}
joints:
  ball: {type: spherical, bodies: [ground, plate], at: [0, 0, 0]}
  hinge: {type: revolute, bodies: [ground, plate], at: [0.1, 0.2, 0.3], axis: [0.6, 0, 0.8], locked: false}
  slide: {type: cylindrical, bodies: [plate, rod], at: [0.5, 0.2, 0.4], axis: [0, 0.6, 0.8], locked: false}
  tie: {type: distance, bodies: [plate, rod], at: [[0.4, 0.1, 0.5], [0.8, 0.3, 0.4]], locked: false}
events:
  turn: {when: t - 0.2, do: {lock: slide}}
  hold: {when: t - 0.4, do: {lock: hinge, unlock: ball}}
  fly: {when: t - 0.7, do: {unlock: [hinge, slide], lock: tie}}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 1}
"""
DRIVEN = """
name: a crank with a clutch
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.2, 0]}
  slider: {mass: 0.5, inertia: 0.02, position: [1, 0]}
joints:
  pin: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  guide: {type: prismatic, bodies: [ground, slider], at: [1, 0], axis: [1, 0]}
drivers: {motor: {joint: pin, angle: 0.5*sin(3*t)}}
constraints: {cam: {type: holonomic, equation: slider.x - 1 - 0.2*crank.angle, locked: false}}
forces: {spring: {type: force, body: slider, value: [-20*(slider.x - 1) + 3*cos(9*t), 0]}}
events:
  slip: {when: t - 0.3, do: {unlock: motor}}
  grip: {when: t - 0.5, do: {lock: motor}}
  press: {when: slider.x - 1.03, once: true, do: {lock: cam}}
  both: {when: t - 0.9, do: {unlock: [motor, cam]}}
  back: {when: t - 1.1, do: {lock: cam}}
measures: {effort: multiplier.cam + 0*t}
simulation: {method: svd, integrator: rk4, step: 0.005, output_step: 0.02, end: 1.5}
"""
LOOPED = """
name: a chain that closes
dimension: 2
coordinates: joint
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5]}
  b: {mass: 1, inertia: 0.1, position: [1, 1]}
  c: {mass: 1, inertia: 0.1, position: [2, 0.5]}
joints:
  p: {type: revolute, bodies: [ground, a], at: [0, 0]}
  q: {type: revolute, bodies: [a, b], at: [0, 1]}
  r: {type: revolute, bodies: [b, c], at: [2, 1]}
  s: {type: revolute, bodies: [ground, c], at: [2, 0]}
events:
  breaks: {when: t - 0.2, do: {unlock: s}}
  closes: {when: t - 0.6, do: {lock: s, set: {der(p.angle): 0.5*der(p.angle)}}}
measures: {height: c.y}
simulation: {integrator: rk4, step: 0.005, output_step: 0.02, end: 1}
"""


def caught(**changed: Any) -> dict[str, Any]:
    """CAUGHT with other blocks."""
    text: dict[str, Any] = yaml.safe_load(CAUGHT)
    return text | changed


def by(**settings: Any) -> dict[str, Any]:
    """CAUGHT with other settings."""
    return caught(simulation={"output_step": 0.02, "end": 2.5, **settings})


SHOWN = ["arm.angle", "bob.x", "der(bob.angle)", "joint_force:hook", "joint_torque:weld:z", "energy_work", "multiplier.hook[1]"]
CASES: dict[str, tuple[Any, list[str], float]] = {
    "plane": (CAUGHT, SHOWN, 1e-9),
    "space": (IN_SPACE, ["plate.x", "plate.qx", "rod.z", "der(rod.z)", "joint_force:slide", "joint_force:tie:z"], 1e-9),
    "drivers and equations": (DRIVEN, ["crank.angle", "slider.x", "der(slider.x)", "driver_effort.motor", "effort"], 1e-9),
    "joint coordinates": (LOOPED, ["p.angle", "r.angle", "height", "joint_force:s"], 1e-9),
    "generalized_alpha": (by(method="generalized_alpha", step=0.005), SHOWN, 1e-7),
    "error control": (by(method="lagrange", integrator="dop853", rtol=1e-9, atol=1e-9), SHOWN, 1e-5),
    "stages": (by(method="lagrange", integrator="radau", rtol=1e-8, atol=1e-8), SHOWN, 1e-5),
    "cfa": (by(method="cfa", integrator="rk4", step=0.005), SHOWN, 1e-9),
    "nullspace": (by(method="nullspace", integrator="rk4", step=0.005), SHOWN, 1e-9),
    "samples": (
        caught(
            controllers={"lead": {**SAMPLED["lead"], "joint": "pin", "kp": 1, "kd": 0.1, "ki": 0}},
        ),
        SHOWN,
        1e-9,
    ),
}
DEFAULT = ("plane", "space", "drivers and equations", "joint coordinates")


def shown_by(stepper: mbsim.Stepper, model: Any, names: list[str]) -> list[float]:
    """What a stepper tells of these names, in the order of a unit's outputs."""
    variables, whole = stepper.variables(), stepper.inside().made.whole
    axes, found = "xyz", list[float]()
    for name in names:
        variable, _, label = name.replace(":", ".").partition(".")
        joint, _, axis = label.rpartition(".")
        joints = [one.name for one in whole.joints]
        if variable in ("joint_force", "joint_torque"):
            joint, which = (joint, [axes.index(axis)]) if axis in tuple(axes) else (label, list(range(whole.dimension or 3)))
            found += [float(variables[variable][0, joints.index(joint), k]) for k in which]
        elif variable == "multiplier":
            found.append(float(variables[variable][0, whole.rows.index(label)]))
        elif variable == "driver_effort":
            found.append(float(variables[variable][0, [d.name for d in whole.drivers].index(label)]))
        elif name in variables:
            found.append(float(variables[name][0]))
        else:
            found.append(stepper[name])
    return found


@pytest.mark.parametrize("case", [case if case in DEFAULT else pytest.param(case, marks=pytest.mark.slow) for case in CASES])
def test_a_unit_gives_the_numbers_of_a_run(case: str, tmp_path: Path) -> None:
    """To the tolerance within which constraints are held; and again after a reset, bit for bit."""
    source, names, within = CASES[case]
    model = mechanisms.model(source)
    h, end = model.simulation.output_step, model.simulation.end
    library, stepper = Library(tmp_path, model, outputs=names, native=True), mbsim.Stepper(model)
    unit, found = library.create(), []
    for _ in range(round(end / h)):
        assert library.step(unit, h) == 0, library.c.unit_message(unit)
        stepper.step(h)
        wanted = shown_by(stepper, model, names)
        found.append(library.outputs(unit, len(wanted)))
        np.testing.assert_allclose(found[-1], wanted, rtol=within, atol=within)
    assert {event["event"] for event in stepper.events} == {*model.events}
    library.c.unit_reset(unit)
    for row in found:
        assert library.step(unit, h) == 0 and library.outputs(unit, len(row)) == row
    library.c.unit_free(unit)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["plane", "space", "error control", "samples"])
def test_a_compiler_has_no_warnings(case: str, tmp_path: Path) -> None:
    """And the example goes to its end."""
    model = mechanisms.model(CASES[case][0])
    found = table(program(tmp_path, model, native=True))
    assert found["time"][-1] == pytest.approx(model.simulation.end)


def test_inputs_and_states(tmp_path: Path) -> None:
    """A state of one phase is restored in another one, and in another instance; inputs jump in all of them."""
    names = ["arm.angle", "bob.x", "joint_force.hook.x"]
    library = Library(tmp_path, mechanisms.model(CAUGHT), inputs=["push"], outputs=names, native=True)
    stepper, random, c = mbsim.Stepper(mechanisms.model(CAUGHT), ["push"]), np.random.default_rng(5), library.c
    unit, other = library.create(), library.create()
    kept = ctypes.create_string_buffer(c.unit_state_size())
    steps, found = [(random.uniform(0.005, 0.04), random.normal()) for _ in range(100)], []
    for k, (h, push) in enumerate(steps):
        if k == 40:
            c.unit_save(unit, kept)
        assert library.set(unit, 0, push) == 0 and library.step(unit, h) == 0, c.unit_message(unit)
        stepper.step(h, push=push)
        found.append(library.outputs(unit, 3))
        np.testing.assert_allclose(found[-1], shown_by(stepper, None, ["arm.angle", "bob.x", "joint_force:hook:x"]), rtol=1e-9, atol=1e-9)
    assert len({event["event"] for event in stepper.events}) > 3
    for again in (unit, other):
        assert c.unit_restore(again, kept) == 0
        for (h, push), wanted in zip(steps[40:], found[40:], strict=True):
            assert library.set(again, 0, push) == 0 and library.step(again, h) == 0
            assert library.outputs(again, 3) == wanted
        c.unit_free(again)


FAR = {"events": {"catch": {"when": "t - 0.1", "do": {"lock": "far"}}}, "joints": {
    **yaml.safe_load(CAUGHT)["joints"],
    "far": {"type": "distance", "bodies": ["ground", "bob"], "at": [[2, 2], [1.3, 0]], "length": 1, "locked": False},
}}  # fmt: skip


def test_what_cannot_be_locked_says_so(tmp_path: Path) -> None:
    model = mechanisms.model(caught(**FAR))
    library = Library(tmp_path, model, outputs=["bob.x"], native=True)
    unit = library.create()
    assert library.step(unit, 0.09) == 0 and library.step(unit, 0.1) == -1
    assert "what an event locks is off its place: the event 'catch'" in library.c.unit_message(unit).decode()
    assert library.c.unit_time(unit) == pytest.approx(0.1, abs=1e-12)
    library.c.unit_free(unit)
    with pytest.raises(mbsim.SimulationError, match="'far' cannot be locked there"):
        mbsim.simulate(model, end=0.2)


def many(n: int) -> dict[str, Any]:
    """A model of which n joints come and go, each by itself."""
    joints = {f"j{k}": {"type": "revolute", "bodies": ["ground", f"b{k}"], "at": [k, 0]} for k in range(n)}
    bodies = {f"b{k}": {"mass": 1, "inertia": 1, "position": [k + 0.3, 0]} for k in range(n)}
    events = {f"e{k}": {"when": f"t - {k + 1}", "do": {"unlock": f"j{k}"}} for k in range(n)}
    return {"dimension": 2, "bodies": bodies, "joints": joints, "events": events, "simulation": {"end": 9, "method": "lagrange"}}


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="in more than 300 ways"):
        unit_of(mechanisms.model(many(9)))


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
def test_the_checks_of_the_standard_find_nothing(fmi: int, tmp_path: Path) -> None:
    """And FMPy's run is that of mbsim."""
    fmpy = pytest.importorskip("fmpy")
    from fmpy.validation import validate_fmu

    model, path = mechanisms.model(CAUGHT), tmp_path / "caught.fmu"
    mbsim.export(model, path, outputs=["arm.angle", "joint_force:hook:x"], fmi=fmi)
    assert not validate_fmu(str(path))
    found, stepper = fmpy.simulate_fmu(str(path), stop_time=2.5, output_interval=0.02, step_size=0.02), mbsim.Stepper(model)
    for row in list(found)[1:]:
        stepper.step(0.02)
        wanted = [stepper.time, *shown_by(stepper, model, ["arm.angle", "joint_force:hook:x"])]
        np.testing.assert_allclose(list(row), wanted, rtol=1e-8, atol=1e-8)


# no expression that what is locked makes zero: round-off would decide whether it crosses
WHEN = ["arm.angle + 0.4", "arm.angle + 1.1", "bob.y + 1", "bob.x - 1.1", "t - 0.413", "t - 0.877", "sin(9*t + 1)", "der(bob.y) + 1"]
WAYS: list[dict[str, Any]] = [
    *({"method": method, "integrator": "rk4", "step": 0.005} for method in ("lagrange", "nullspace", "cfa", "svd")),
    {"method": "generalized_alpha", "step": 0.005},
]


def random_events(random: np.random.Generator) -> dict[str, Any]:
    """Up to five events that lock, unlock, set and switch, at once or later."""
    events: dict[str, Any] = {}
    for k, when in enumerate(random.choice(WHEN, random.integers(2, 6), replace=False)):
        names = [str(name) for name in random.permutation(["pin", "weld", "hook"])]
        do: dict[str, Any] = {["lock", "unlock"][random.integers(2)]: names[0]}
        if random.random() < 0.3:
            do = {"lock": names[0], "unlock": names[1]}
        if random.random() < 0.2:
            do["switch"] = {"k": "0.9*k"}
        events[f"e{k}"] = {"when": str(when), "do": do, "direction": ["any", "up", "down"][random.integers(3)]}
        if random.random() < 0.3:
            events[f"e{k}"]["after"] = [0.013, 0.1][random.integers(2)]
        if random.random() < 0.2:
            events[f"e{k}"]["once"] = True
    return events


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_locks_are_those_of_a_stepper(seed: int, tmp_path: Path) -> None:
    """With inputs that jump; where a run cannot go on, neither can the unit."""
    random = np.random.default_rng(seed)
    settings = {"end": 2, "output_step": 0.02, **WAYS[seed % len(WAYS)]}
    text = caught(events=random_events(random), simulation=settings)
    names = ["arm.angle", "bob.x", "der(bob.angle)", "joint_force:hook", "energy_work"]
    library = Library(tmp_path, mechanisms.model(text), outputs=names, native=True, inputs=["push"])
    stepper, unit = mbsim.Stepper(mechanisms.model(text), ["push"]), library.create()
    for k in range(100):
        given = {"push": float(random.normal())} if k % 3 == 0 else {}
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
