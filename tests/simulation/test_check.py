"""`mbsim check` on every shipped model."""

import json
from pathlib import Path
from typing import Any

import mechanisms
import pytest
import yaml
from click.testing import CliRunner
from mechanisms import MODELS

import mbsim
from mbsim.cli import main
from mbsim.cli.check import examine, text
from mbsim.diagnosis.redundancy import contradictions, redundancy

LONG = ("porter_governor",)  # looks for a steady motion: the derivatives of spatial trees with all elements compile for a minute


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in sorted(path.stem for path in MODELS.glob("*.yaml"))]
)
def test_every_shipped_model_is_examined(name: str) -> None:
    done = CliRunner().invoke(main, ["check", str(MODELS / f"{name}.yaml"), "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["rank"] + facts["degrees_of_freedom"] == facts["speeds"]
    assert facts["constraint_rows"] - facts["rank"] == facts["redundant"]
    assert facts["mass_matrix"] == "positive definite"
    assert facts["residual_position"] < 1e-9 and facts["residual_velocity"] < 1e-9


def hinged_in_space() -> dict[str, Any]:
    """A planar four-bar of spatial bodies: three rows too many."""
    body = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    ends = {"A": ("ground", "a", [0, 0, 0]), "B": ("a", "b", [0, 1, 0]), "C": ("b", "c", [2, 1.5, 0]), "D": ("ground", "c", [2.5, 0, 0])}
    return {
        "name": "four-bar in space",
        "dimension": 3,
        "gravity": [0, -9.81, 0],
        "bodies": {
            "a": body | {"position": [0, 0.5, 0]},
            "b": body | {"position": [1, 1.25, 0]},
            "c": body | {"position": [2.25, 0.75, 0]},
        },
        "joints": {k: {"type": "revolute", "bodies": [i, j], "at": at, "axis": [0, 0, 1]} for k, (i, j, at) in ends.items()},
        "simulation": {"end": 1},
    }


def examined(source: dict[str, Any] | str) -> dict[str, Any]:
    model = mechanisms.model(source)
    return examine(mbsim.assemble(model), {name: joint.type for name, joint in model.joints.items()})


def test_suggested_joints_make_the_rows_independent() -> None:
    """The suggested models are built, as the text says, and have the same degrees of freedom and no redundant row."""
    facts = examined(hinged_in_space())
    assert (facts["gruebler"], facts["degrees_of_freedom"], facts["redundant"]) == (-2, 1, 3)
    (suggestion,) = facts["freer_joints"]
    built = {"cylindrical", "universal", "spherical"}
    choices = [choice for choice in suggestion["choices"] if {exchange["new"] for exchange in choice} <= built]
    assert len(choices) > 10
    for choice in choices:
        made = hinged_in_space()
        for exchange in choice:
            joint = made["joints"][exchange["joint"]]
            axis = joint.pop("axis")
            if exchange["new"] == "cylindrical":
                joint["axis"] = axis
            elif exchange["new"] == "universal":
                joint["axes"] = [[1, 0, 0] if exchange["freed"] == ["turning about x"] else [0, 1, 0], axis]
            joint["type"] = exchange["new"]
        freer = examined(made)
        assert (freer["degrees_of_freedom"], freer["redundant"]) == (1, 0), choice


def test_components_that_are_not_unique() -> None:
    """In the plane of the motion the reactions are determined; across it the bearings share load and moments."""
    facts = examined(hinged_in_space())
    assert facts["reaction_components_not_unique"] == {name: ["force z", "torque x", "torque y"] for name in "ABCD"}
    assert facts["reactions_not_unique"] == list("ABCD")


def test_groups_that_share_joints_are_one_question() -> None:
    """Two hinges in one place have five rows too many; no exchange of three joints frees as many without freeing the rod."""
    facts = examined(mechanisms.parallel_pendulum(3, 2))
    assert len(facts["dependent_groups"]) == 5 and facts["redundant"] == 5
    (suggestion,) = facts["freer_joints"]
    assert len(suggestion["rows"]) == 10
    assert all(sum(len(exchange["freed"]) for exchange in choice) == 5 for choice in suggestion["choices"])


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_joint_outside_of_a_redundant_loop_is_unique(coordinates: str) -> None:
    """Two welds between the same two bodies share the load; the hinge that carries both bodies has one reaction."""
    facts = examined(f"""
name: two welds
dimension: 2
coordinates: {coordinates}
bodies: {{a: {{mass: 2, inertia: 0.1, position: [0.5, 0]}}, b: {{mass: 1, inertia: 1, position: [2, 0]}}}}
joints:
  hinge: {{type: revolute, bodies: [ground, a], at: [0, 0]}}
  weld: {{type: fixed, bodies: [a, b], at: [1, 0]}}
  other: {{type: fixed, bodies: [a, b], at: [1.5, 0]}}
simulation: {{end: 1}}
""")
    assert facts["reactions_not_unique"] == ["weld", "other"]


@pytest.mark.parametrize("states", [1, 3])
def test_freer_joints_of_a_model_with_states(states: int) -> None:
    """States are no poses: with one of them `check` ended in a traceback, with three it saw other poses."""
    made = mechanisms.parallel_pendulum(3, 2)
    (wanted,) = examined(made)["freer_joints"]
    made["states"] = {f"s{k}": {"rate": 1, "start": 0.7} for k in range(states)}
    (found,) = examined(made)["freer_joints"]
    assert found == wanted


def test_drivers_that_part_later_contradict_each_other() -> None:
    """Two drivers of one motion agree in angle and speed at the start, not in acceleration."""
    made = mechanisms.parallel_pendulum(2, 2)
    made["drivers"] = {"m0": {"joint": "pin0", "angle": "t"}, "m1": {"joint": "pin1", "angle": "t + t^2"}}
    facts = examined(made)
    at = facts["dependent_groups"].index(["m0", "m1"])
    assert facts["contradictions"][at]["velocity"] < 1e-12
    assert facts["contradictions"][at]["acceleration"] == pytest.approx(2**0.5)  # of 2 rad/s2 over a unit vector
    others = [left for k, left in enumerate(facts["contradictions"]) if k != at]
    assert all(max(left.values()) < 1e-12 for left in others)
    system = mbsim.assemble(mechanisms.model(made))
    assert contradictions(system.system, 0.0, system.q, system.v, redundancy(system.system, 0.0, system.q).groups)[at]


def test_assemble_prints_a_start_that_needs_no_assembling(tmp_path: Path) -> None:
    """The block goes back into the file, and nothing moves any more."""
    text = (MODELS / "four_bar.yaml").read_text()
    rough = text.replace("initial: {", "initial: {crank.angle: 1.3, ").replace("fix: [", "fix: [crank.angle, ")
    path = tmp_path / "rough.yaml"
    path.write_text(rough)
    done = CliRunner().invoke(main, ["assemble", str(path), "-o", str(tmp_path / "initial.yaml")])
    assert done.exit_code == 0, done.output
    for words in ("position residuals", "coordinates changed: ", "pinned by `fix`: crank.angle, crank.angular_velocity", "initial:"):
        assert words in done.output
    line = next(line for line in rough.splitlines() if line.startswith("initial:"))
    path.write_text(rough.replace(line, (tmp_path / "initial.yaml").read_text()))
    facts = json.loads(CliRunner().invoke(main, ["assemble", str(path), "--json"]).output)
    assert max(abs(r["before"]) for r in facts["residuals_position"] + facts["residuals_velocity"]) < 1e-9
    for entry in facts["coordinates"] + facts["speeds"]:
        assert entry["found"] == pytest.approx(entry["given"], abs=1e-9)
    assert facts["fixed"] == ["crank.angle", "crank.angular_velocity"]


def test_assemble_names_the_rows_of_what_it_refuses(tmp_path: Path) -> None:
    path = tmp_path / "apart.yaml"
    path.write_text(
        yaml.safe_dump(mechanisms.parallel_pendulum(2, 1) | {"constraints": {"c": {"type": "holonomic", "equation": "rod.x - 9"}}})
    )
    done = CliRunner().invoke(main, ["assemble", str(path)])
    assert done.exit_code == 2 and "cannot be assembled" in done.output and "position residuals" in done.output


@pytest.mark.parametrize("name", ["spatial_slider_crank", "space_robot", "double_pendulum", "rolling_disk"])
def test_assemble_on_every_kind_of_coordinates(name: str) -> None:
    done = CliRunner().invoke(main, ["assemble", str(MODELS / f"{name}.yaml")])
    assert done.exit_code == 0 and "\ninitial:\n" in done.output, done.output


RESTING = """
name: a table on four legs, a ball that hits the floor, and a ball above it
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 8, inertia: [0.4, 0.5, 0.6], position: [0, 0, 0.5],
          points: {a: [0.4, 0.3, -0.5], b: [-0.4, 0.3, -0.5], c: [0.4, -0.3, -0.5], d: [-0.4, -0.3, -0.5]}}
  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [3, 0, 0.1], velocity: [0.5, 0, -1], shape: {type: sphere, radius: 0.1}}
contacts:
  floor: {bodies: [table, ground], points: [a, b, c, d], plane: {normal: [0, 0, 1]}, friction: 0.3}
  other: {bodies: [ball, ground], plane: {normal: [0, 0, 1]}, friction: 0.3, restitution: 0.5}
simulation: {end: 1}
"""


def test_contacts_at_the_start_are_told() -> None:
    """The table sticks on legs that share its load, the ball has an impact; sunk in, both are named with their depths."""
    legs = [f"floor_{k}" for k in (1, 2, 3, 4)]
    found = examined(RESTING)["contacts"]
    assert (found["watched"], found["impacts"], found["refused"]) == (5, ["other"], "")
    assert found["modes"] == dict.fromkeys(legs, "sticks")
    assert legs in found["dependent"]
    sunk = examined(RESTING.replace("[0, 0, 0.5]", "[0, 0, 0.48]").replace("[3, 0, 0.1]", "[3, 0, 0.07]"))
    assert sunk["contacts"]["inside"] == pytest.approx({**dict.fromkeys(legs, 0.02), "other": 0.03})
    assert "inside each other" in sunk["contacts"]["refused"]
    assert "    inside each other, or beyond a stop, by 0.03: other" in text(sunk)
    steps = examined(RESTING.replace("end: 1", "end: 1, step: 0.001, impacts: steps"))["contacts"]  # with an error estimate
    assert steps == found


def test_check_fails_where_a_run_stops_at_its_start(tmp_path: Path) -> None:
    (tmp_path / "sunk.yaml").write_text(RESTING.replace("[0, 0, 0.5]", "[0, 0, 0.48]"))
    (tmp_path / "stands.yaml").write_text(RESTING)
    sunk, stands = (CliRunner().invoke(main, ["check", str(tmp_path / f"{name}.yaml")]) for name in ("sunk", "stands"))
    assert (sunk.exit_code, stands.exit_code) == (1, 0)
    assert "WARNING: a run would stop: the bodies of 'floor_1' are inside each other" in sunk.output
