"""scripts/attack/units.py: some models here, all shipped ones as `slow`."""

import pytest
import units as attack
import yaml
from rescaled import rescaled

FEW = ("four_bar 0", "rssr 0", "sarrus 6")  # rows of the last depend on each other: which are picked is not to hang on units


@pytest.mark.parametrize("name", FEW)
def test_random_mechanisms_move_alike_in_other_units(name: str) -> None:
    block = next(block for drawn, block in attack.drawn(attack.FULL) if drawn == name)
    finding = attack.judge(name, block)
    assert finding.verdict == "right", finding.detail


@pytest.mark.parametrize("control", [False, True], ids=["equal steps", "error control"])
@pytest.mark.parametrize("name", ["four_bar", "chaplygin_sleigh", "cam_follower"])
def test_nothing_differs_where_nothing_is_rounded(name: str, control: bool) -> None:
    """A factor of two changes no digit of a number: what differs then is a constant that lacks a unit."""
    block = dict(attack.shipped())[name]
    finding = attack.judge(name, block, base=1024.0, control=control)
    assert (finding.verdict, finding.detail) == ("right", "")


RIGID = """
name: gears with play that pull a cart
dimension: 2
gravity: [0, -9.81]
bodies:
  pinion: {mass: 1, inertia: 0.02, position: [0, 1]}
  wheel: {mass: 1, inertia: 0.05, position: [0.3, 1]}
  roller: {mass: 2, inertia: 0.01, position: [0.6, 0.1], shape: {type: cylinder, radius: 0.1, length: 0.05}}
joints:
  A: {type: revolute, bodies: [ground, pinion], at: [0, 1]}
  B: {type: revolute, bodies: [ground, wheel], at: [0.3, 1], friction: {torque: 0.05, static: 0.06}}
  mesh: {type: gear, joints: [A, B], teeth: [20, 40], backlash: {play: 0.02, restitution: 0.3, closing_speed: 1.0e-3}}
forces:
  motor: {type: joint_torque, joint: A, value: sin(6*t)}
  pull: {type: force, body: roller, value: [3*sin(2*t), 0]}
contacts: {floor: {bodies: [roller, ground], plane: {normal: [0, 1]}, friction: 0.5, rolling_resistance: 0.01, closing_speed: 1.0e-3}}
simulation: {end: 2, step: 0.01}
"""


def test_play_and_resistance_in_other_units() -> None:
    finding = attack.judge("rigid", rescaled(yaml.safe_load(RIGID)), control=True)
    assert finding.verdict == "right", finding.detail


@pytest.mark.slow
@pytest.mark.parametrize("control", [False, True], ids=["equal steps", "error control"])
@pytest.mark.parametrize(("name", "block"), list(attack.ordinary()))
def test_shipped_models_do(name: str, block: dict[str, object], control: bool) -> None:
    finding = attack.judge(name, block, control=control)
    assert finding.verdict == "right", finding.detail
