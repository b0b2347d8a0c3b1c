"""Units with rigid stops, backlash, contacts and dry friction: the numbers of a run, impacts, states, refusals."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import needs_compiler, program, table
from stopping import ARM, CRANK, LOADED, RUB, by, joint
from stopping import CASES as IN_THE_PLANE
from stopping import DISK as RUBBING_DISK
from stopping_in_space import CASES as IN_SPACE
from test_library import Library
from test_phases import shown_by

import mbsim
from mbsim.programs.unit import unit_of

pytestmark = needs_compiler
CASES = IN_THE_PLANE | IN_SPACE
DEFAULT = ("crank in joint coordinates", "friction and stops", "disk", "ball", "rod", "stool", "box in space")


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
    did = {event["do"] for event in stepper.events}
    assert did >= {"impact", "closed"} or did >= {"impact", "sticks"} or "slips" in did
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


def over_a_drum() -> dict[str, Any]:
    """Two weights on a rope that rubs on a fixed drum."""
    path = ["left", {"center": "ground", "at": [0, 2], "radius": 0.2, "wraps": "clockwise", "friction": 0.2}, "right"]
    ends = {"left": [-0.2, 0], "right": [0.2, -0.5]}
    return {
        "dimension": 2, "gravity": [0, -9.81], "bodies": {name: {"mass": 1, "inertia": 0.01, "position": at} for name, at in ends.items()},
        "joints": {f"{x}_rail": {"type": "prismatic", "bodies": ["ground", x], "at": [at[0], 0], "axis": [0, 1]} for x, at in ends.items()},
        "constraints": {"rope": {"type": "pulley_cable", "path": path}}, "simulation": {"end": 1, "impacts": "events"},
    }  # fmt: skip


def gaps(n: int) -> dict[str, Any]:
    """Points that slide on floors, in the user's own coordinates: equations have systems of their own."""
    places = [f"{x}{k}" for k in range(n) for x in "xy"]
    return {
        "coordinates": places, "initial": {f"y{k}": 1 for k in range(n)},
        "energy": {"kinetic": " + ".join(f"der({x})^2/2" for x in places)},
        "contacts": {f"floor{k}": {"gap": f"y{k}", "slide": f"der(x{k})", "friction": 0.1} for k in range(n)},
        "simulation": {"end": 1, "impacts": "events"},
    }  # fmt: skip


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (over_a_drum(), {}, "cables that rub on their rims (rope_friction): what sticks and slips is decided in Python"),
    (gaps(6), {}, "what stops, contacts and friction hold, and what events lock and unlock, can be in more than 300 ways"),
    (by(ARM, impacts="steps"), {}, "`impacts: steps`: a unit finds each impact"),
    (
        joint(CRANK) | {"events": {"e": {"when": "t - 1", "do": {"unlock": "guide"}}}},
        {},
        "'guide' has stops or friction, and comes and goes",
    ),
    (
        yaml.safe_load(LOADED) | {"constraints": {"hook": {"type": "holonomic", "equation": "bob.x - 1", "locked": False}}},
        {},
        "friction that a reaction of a joint loads (pin_friction, slide_friction), where joints",
    ),
    (RUBBING_DISK, {"derivatives": True}, "friction that depends on reactions has no exact derivatives"),
]


@pytest.mark.parametrize(("source", "given", "message"), REFUSED, ids=["cable", "gaps", "steps", "coming", "loaded", "derivatives"])
def test_what_is_refused(source: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        unit_of(mechanisms.model(source), **given)
    assert message in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["arm", "events", "disks", "box in space"])
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


def random_disks(random: np.random.Generator) -> dict[str, Any]:
    """Two disks on a floor, which spin, rub, bounce and are pushed."""
    bodies, forces = dict[str, Any](), dict[str, Any]()
    for k, name in enumerate(("a", "b")):
        radius, mass, high = random.uniform(0.05, 0.2), random.uniform(0.5, 2.0), float(random.choice([0.0, 0.3]))
        bodies[name] = {
            "mass": mass, "inertia": random.uniform(0.3, 1.0) * mass * radius**2, "position": [0.6 * k, radius + high],
            "velocity": [random.uniform(-2.0, 2.0), 0], "angular_velocity": random.uniform(-30.0, 30.0),
            "shape": {"type": "cylinder", "radius": radius, "length": 0.1},
        }  # fmt: skip
        forces[name] = {"type": "force", "body": name, "value": [f"{random.uniform(-8, 8)!r}*sin({random.uniform(2, 6)!r}*t) + push", 0]}
    ends = [bodies[name]["position"] for name in ("a", "b")]
    forces["spring"] = {
        "type": "spring_damper",
        "bodies": ["a", "b"],
        "at": ends,
        "stiffness": random.uniform(5.0, 30.0),
        "free_length": 0.3,
    }
    laws = [
        {"friction": mu, "static": mu * float(random.uniform(1.0, 1.3)), "restitution": e, "closing_speed": 0.02}
        for mu, e in zip(random.uniform(0.05, 0.7, 2).tolist(), random.choice([0.0, 0.3, 0.7], 2).tolist(), strict=True)
    ]
    floor = {"bodies": ["a", "b", "ground"], "plane": {"normal": [0, 1]}, **laws[0]}
    law = str(random.choice(["newton", "poisson"]))
    return {
        "dimension": 2, "gravity": [0, -9.81], "parameters": {"push": 0}, "bodies": bodies, "forces": forces,
        "contacts": {"floor": floor, "pair": {"between": ["a", "b"], **laws[1]}},
        "simulation": {
            "method": "lagrange", "integrator": "rk4", "step": 0.002, "output_step": 0.02, "end": 2, "impacts": "events", "impact_law": law
        },
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "rubs"), [(seed, rubs) for rubs in (False, True) for seed in range(12 - 8 * rubs)])
def test_random_mechanisms_are_those_of_a_stepper(seed: int, rubs: bool, tmp_path: Path) -> None:
    """With inputs that jump; where a run cannot go on, neither can the unit."""
    random = np.random.default_rng(seed)
    text = random_disks(random) if rubs else random_chain(random)
    names = ["a.x", "a.angle", "b.x", "b.y", "b.angle"] if rubs else ["a.angle", "b.x", "c.x"]
    if not rubs and seed % 3 == 2:
        text, names = joint(yaml.safe_dump(text)), ["j0.angle", "j2.displacement"]
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
