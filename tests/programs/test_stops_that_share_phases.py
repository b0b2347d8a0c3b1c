"""Units whose stops and frictions of joints share phases: a system for each number of them that hold, whatever joints they are of."""

import ctypes
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from exported import needs_compiler, program, table
from stopping import CASES as IN_THE_PLANE
from stopping import by
from test_library import Library
from test_phases import shown_by

import mbsim
from mbsim.jit.portable import Objects
from mbsim.programs.contents import given_of
from mbsim.programs.llvmtext import text_of
from mbsim.programs.unit import unit_of

pytestmark = needs_compiler
IDEAL: dict[str, Any] = {"step": 0.002, "output_step": 0.01, "end": 0.5, "impacts": "events"}


def chain(n: int, space: bool = False, friction: float = 0.0, **more: Any) -> dict[str, Any]:
    """Links that fall onto the stops of their joints; every other one has its axis across in space."""
    bodies, joints, forces, before = dict[str, Any](), dict[str, Any](), dict[str, Any](), "ground"
    beside = [0, 0] if space else [0]
    for k in range(n):
        link, joint = f"b{k}", f"j{k}"
        bodies[link] = {"mass": 1, "inertia": [0.01, 0.02, 0.02] if space else 0.02, "position": [0.2 * k + 0.1, *beside]}
        stops = {"lower": -0.3 - 0.02 * k, "upper": 0.4 + 0.03 * k, "restitution": 0.3 * (k % 2), "closing_speed": 0.02}
        joints[joint] = {"type": "revolute", "bodies": [before, link], "at": [0.2 * k, *beside], "stops": stops}
        joints[joint] |= {"axis": [[0, 1, 0], [0, 0, 1]][k % 2]} if space else {}
        joints[joint] |= {"friction": {"torque": friction + 0.05 * k}} if friction else {}
        forces[f"d{k}"] = {"type": "joint_torque", "joint": joint, "value": f"-0.1*der({joint}.angle)"}
        before = link
    gravity = [0, 0, -9.81] if space else [0, -9.81]
    text: dict[str, Any] = {"dimension": len(gravity), "gravity": gravity, "bodies": bodies, "joints": joints, "forces": forces}
    return text | {"simulation": IDEAL} | more


def held(model: Any) -> list[str]:
    """The multipliers of all that can hold."""
    return [f"multiplier.{row}" for row in unit_of(model).inside.made.whole.rows if row.endswith(("_lower", "_upper", "_friction"))]


ROBOT = chain(7, True, 0.2, coordinates="joint")
TURNED = chain(1, True, 0.5)  # it sticks after more than a quarter turn, and is pushed back onto a stop
TURNED["gravity"], TURNED["simulation"] = [0, 0, 0], IDEAL | {"end": 1.8}
TURNED["forces"]["d0"]["value"] = "0.74*step(t, 0.55, 1, 0.6, 0) - 1.2*step(t, 1, 0, 1.05, 1)"
TURNED["joints"]["j0"]["stops"] |= {"lower": -2.5, "upper": 2.5}
CASES: dict[str, tuple[dict[str, Any], int]] = {  # and the number of systems
    "robot with friction": (ROBOT, 9),  # all of its joints stick at the start, and that system is not used again
    "robot in absolute coordinates": (chain(7, True), 8),
    "chain of ten": (chain(10), 11),
    "angle in space": (TURNED, 2),
    "slides and turns": (
        {
            "dimension": 2,
            "gravity": [0, -9.81],
            "bodies": {
                "low": {"mass": 1, "inertia": 0.1, "position": [0, 0]},
                "high": {"mass": 0.5, "inertia": 0.02, "position": [0.4, 0]},
            },
            "joints": {
                "rail": {
                    "type": "prismatic", "bodies": ["ground", "low"], "at": [0, 0], "axis": [0.8, 0.6],
                    "stops": {"lower": -0.1, "upper": 0.05, "restitution": 0.4}, "friction": {"force": 0.3},
                },
                "pin": {
                    "type": "revolute", "bodies": ["low", "high"], "at": [0.1, 0],
                    "stops": {"lower": -0.5, "upper": 0.2, "restitution": 0.2}, "friction": {"torque": 0.05},
                },
            },
            "forces": {"shake": {"type": "force", "body": "low", "value": ["25*sin(9*t)", 0]}},
            "simulation": IDEAL | {"end": 1},
        },
        4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [case if case in ("chain of ten", "angle in space") else pytest.param(case, marks=pytest.mark.slow)
                                  for case in CASES])  # fmt: skip
def test_a_unit_gives_the_numbers_of_a_run(case: str, tmp_path: Path) -> None:
    """What is closed, opens, sticks and slips, with its reactions; and again from a state in the middle, in another instance."""
    text, systems = CASES[case]
    model = mechanisms.model(text)
    names = [f"{body}.{x}" for body in text["bodies"] for x in ("x", "y")] if "coordinates" not in text else ["j0.angle", "j6.angle"]
    names += held(model)
    assert len(unit_of(model).parts) == systems
    library, stepper = Library(tmp_path, model, outputs=names, native=True), mbsim.Stepper(model)
    unit, other, kept = library.create(), library.create(), ctypes.create_string_buffer(library.c.unit_state_size())
    found, h, middle = list[list[float]](), model.simulation.output_step, 0
    for k in range(round(model.simulation.end / h)):
        assert library.step(unit, h) == 0, library.c.unit_message(unit)
        stepper.step(h)
        wanted = shown_by(stepper, None, names)
        found.append(library.outputs(unit, len(wanted)))
        np.testing.assert_allclose(found[-1], wanted, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(found[-1][0], wanted[0], rtol=1e-8, atol=1e-8)
        if not middle and stepper.events and any(wanted[-len(held(model)) :]):
            middle = k + 1
            library.c.unit_save(unit, kept)
    assert middle and {event["do"] for event in stepper.events} >= {"impact", "closed"}
    for again in (unit, other):
        assert library.c.unit_restore(again, kept) == 0
        for row in found[middle:]:
            assert library.step(again, h) == 0 and library.outputs(again, len(names)) == row
        library.c.unit_free(again)


def test_friction_sticks_beyond_a_quarter_turn() -> None:
    """What the case of an angle in space is for."""
    result = mbsim.simulate(mechanisms.model(TURNED), end=0.95)
    assert [event["do"] for event in result.events] == ["slips", "sticks"]
    assert abs(np.arctan2(result["b0.z"][-1], result["b0.x"][-1])) > 0.6 * np.pi


def test_other_systems_where_a_method_plans() -> None:
    """cfa works out beforehand what follows from the bodies of its rows. Where these are too many, what is closed has another method."""
    unit = unit_of(mechanisms.model(chain(10)))
    assert {part.inside.settings.method for part in unit.parts} == {"cfa", "lagrange"} and unit.inside.settings.method == "cfa"
    assert "@call_march_of = " in text_of(given_of(unit, Objects(True)))  # numbers that differ between phases have tables
    few = unit_of(mechanisms.model(chain(3, simulation=IDEAL | {"method": "cfa"})))
    assert {part.inside.settings.method for part in few.parts} == {"cfa"} and len(few.parts) == 8


@pytest.mark.slow
def test_more_systems_than_a_byte_counts(tmp_path: Path) -> None:
    """A unit has up to 300 of them; a compiler warns of tables that are too narrow."""
    model = mechanisms.model(by(IN_THE_PLANE["polygons"][0], method="cfa", end=0.04))
    assert len(unit_of(model).parts) > 127
    assert table(program(tmp_path, model, native=True))["time"][-1] == pytest.approx(0.04)
