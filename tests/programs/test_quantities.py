"""What units show, against what runs record and measures find of the same names, in every kind of coordinates."""

from pathlib import Path
from typing import Any

import exported
import mechanisms
import numpy as np
import pytest
import yaml
from exported import CART, needs_compiler

import mbsim
from mbsim.model.names import der
from mbsim.observe.facts import Facts
from mbsim.programs.quantities import Table

SPACE = """
name: arm in space
gravity: [0.3, -0.2, -9.81]
bodies:
  arm: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0.2, 0.1, 0.3], points: {tip: [0.4, 0.1, 0.3]}}
  hand: {mass: 1, inertia: [0.01, 0.02, 0.015], position: [0.5, 0.2, 0.3], points: {end: [0.6, 0.3, 0.2]}}
  slide: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0.6, 0.2, 0.1]}
joints:
  shoulder: {type: revolute, bodies: [ground, arm], at: [0, 0, 0.3], axis: [0.2, 0.1, 1]}
  elbow: {type: universal, bodies: [arm, hand], at: [0.4, 0.1, 0.3], axes: [[0, 1, 0], [1, 0, 0]]}
  guide: {type: prismatic, bodies: [hand, slide], at: [0.6, 0.2, 0.1], axis: [0, 0, 1]}
initial: {arm.angular_velocity: [2, 1, 9]}
initial_of_joints: {der(shoulder.angle): 9}
simulation: {method: lagrange, integrator: rk4, step: 0.001, output_step: 0.02, end: 1}
"""
LAWS = {  # measures of names and of functions of bodies
    2: {"far": "distance(pole.tip, cart)", "turned": "angle(pole, cart)", "corner": "angle(pole.tip, cart, ground)", "all": "energy(pole)",
        "moving": "kinetic_energy(pole)", "high": "potential_energy(pole)", "law": "max(pole.tip.x, 0)^2 + step(t, 0, 0, 1, 2)*sin(far)"},
    3: {"far": "distance(hand.end, ground)", "turned": "angle(arm, slide)", "corner": "angle(hand.end, arm, slide)", "all": "energy(hand)",
        "moving": "kinetic_energy(arm)", "high": "potential_energy(slide)"},
}  # fmt: skip


def _names(model: Any, table: Table) -> list[str]:
    """All that a unit of the model may show."""
    axes = "xyz"[: model.dimension]
    names = [f"{body}.{axis}" for body in model.bodies for axis in axes]
    names += [f"{body}.{point}.{axis}" for body, block in model.bodies.items() for point in block.points for axis in axes]
    names += [f"{name.rpartition('.')[0]}.velocity.{name[-1]}" for name in names] + [der(name) for name in names]
    names += [f"{body}.{spin}.{axis}" for body in model.bodies for spin in ("omega", "angular_velocity") for axis in "xyz"]
    names += [f"{body}.{name}" for body in model.bodies for name in ("angle", "angular_velocity")]
    names += [f"{quantity}.{joint}.{axis}" for joint in model.joints for axis in "xyz"
              for quantity in ("joint_force", "joint_torque", "joint_force_local", "joint_torque_local")]  # fmt: skip
    free = [f"{joint}.{motion}" for joint in model.joints for motion in ("angle", "displacement", "angle1", "angle2")]
    names += [*free, *map(der, free), "energy_kinetic", "energy_potential", "energy_work"]
    return [name for name in dict.fromkeys(names) if table.find(name) is not None]


@needs_compiler
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_numbers_are_those_of_a_run(dimension: int, coordinates: str, tmp_path: Path) -> None:
    text = {"initial": {}, "initial_of_joints": {}} | yaml.safe_load(CART if dimension == 2 else SPACE)
    if coordinates == "joint":
        text |= {"coordinates": "joint", "initial": text["initial_of_joints"]}
        text["simulation"] |= {"method": "aba"}
        text = yaml.safe_load(yaml.safe_dump(text).replace("stiffness*cart.x", "stiffness*rail.displacement"))
    del text["initial_of_joints"]
    plain = mbsim.assemble(mechanisms.model(text))
    names = _names(mechanisms.model(text), Table(Facts.of(mechanisms.model(text)), plain.system))
    assert len(names) > (40 if dimension == 2 else 100)
    text["measures"] = {f"m{k}": {"value": name, "unit": "1"} for k, name in enumerate(names)} | {
        name: {"value": value, "unit": "1"} for name, value in LAWS[dimension].items()
    }
    result = mbsim.simulate(mechanisms.model(text))
    shown = [*names, *LAWS[dimension]]
    found = exported.table(exported.program(tmp_path, mechanisms.model(text), outputs=shown, native=True))
    for k, name in enumerate(shown):
        wanted = result[f"m{k}" if k < len(names) else name]
        np.testing.assert_allclose(found[name], wanted, rtol=1e-10, atol=1e-10 * (1.0 + abs(wanted).max()), err_msg=name)
