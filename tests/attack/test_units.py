"""scripts/attack/units.py: some models here, all shipped ones as `slow`."""

from pathlib import Path

import numpy as np
import pytest
import units as attack
import yaml
from elastic_matrices import beam, write
from rescaled import rescaled, scaled_part

import mbsim

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


BEAM = """
dimension: 2
gravity: [0, -9.81]
bodies: {load: {mass: 0.5, inertia: 0.01, position: [1, 0]}}
joints: {hook: {type: revolute, bodies: [boom.end, load], at: [1, 0]}}
beams:
  boom:
    from: [0, 0]
    to: [1, 0]
    elements: 3
    clamped: [start]
    section: {rectangle: [0.02, 0.03]}
    material: {E: 5.0e+6, nu: 0.3, density: 1000}
    damping: {stiffness: 1.0e-3}
    prestress: 2
simulation: {end: 0.05, step: 1.0e-3, output_step: 5.0e-3}
"""


def test_a_beam_in_other_units() -> None:
    finding = attack.judge("beam", rescaled(yaml.safe_load(BEAM)), method="generalized_alpha", base=1024.0)
    assert finding.verdict == "right", finding.detail


def test_an_elastic_part_in_other_units(tmp_path: Path) -> None:
    """Its files are written in these units, too."""
    unit = {"m": 1024.0, "kg": 0.25, "s": 16.0}
    block = {
        "elastic": {"arm": {"modes": 1, "mass": 1.0, "position": [0.5, 0, 0], "damping": {"ratio": 0.1, "stiffness": 1e-3}}},
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0.5, 0, 0], "axis": [0, 0, 1]}},
        "gravity": [0, -1.0, 0], "simulation": {"end": 0.05, "step": 5e-3},
    }  # fmt: skip
    ends = []
    for k, scale in enumerate((dict.fromkeys(unit, 1.0), unit)):
        block["elastic"]["arm"]["matrices"] = write(tmp_path / f"{k}.h5", *scaled_part(*beam(1, 3), **scale))  # type: ignore[index]
        made = rescaled(block)
        made["parameters"] |= {f"unit_{name}": size for name, size in scale.items()}
        ends.append(mbsim.simulate(made)["body_position"][-1, :3] / scale["m"])
    assert np.abs(ends[0] - [[1.0, 0, 0], [0.5, 0, 0], [1.5, 0, 0]]).max() > 1e-4
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("control", [False, True], ids=["equal steps", "error control"])
@pytest.mark.parametrize(("name", "block"), list(attack.ordinary()))
def test_shipped_models_do(name: str, block: dict[str, object], control: bool) -> None:
    finding = attack.judge(name, block, control=control)
    assert finding.verdict == "right", finding.detail
