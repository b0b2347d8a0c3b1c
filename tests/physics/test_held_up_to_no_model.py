"""The loads that friction holds, of a parameter that the model has not beyond a value, as a mass below zero."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main

CAPSTAN = """
name: capstan
dimension: 2
gravity: [0, -9.81]
parameters: {light: 1, heavy: 2, slack: 0.5}
bodies:
  a: {mass: light, inertia: 0.1, position: [-0.2, -1]}
  b: {mass: heavy, inertia: 0.1, position: [0.2, -1]}
joints:
  left: {type: prismatic, bodies: [ground, a], at: [-0.2, -1], axis: [0, 1]}
  right: {type: prismatic, bodies: [ground, b], at: [0.2, -1], axis: [0, 1]}
constraints:
  rope: {type: pulley_cable, path: [a, {center: ground, at: [0, 0], radius: 0.2, wraps: clockwise, friction: 0.5, static: 0.5 + slack}, b]}
simulation: {end: 1}
"""


def test_a_bollard_holds_between_two_masses() -> None:
    """exp(-+ pi) of the other mass, with the coefficient 1 at rest. The search from 2 kg down looks at masses below zero, too."""
    found = mbsim.holding(CAPSTAN, "heavy")
    assert [found.least, found.largest] == pytest.approx(np.exp([-np.pi, np.pi]), rel=1e-9)
    assert found.notes == ()


def test_where_there_is_no_model_the_interval_ends(tmp_path: Path) -> None:
    """The coefficient at rest is not less than that of slip, so `slack` is not below zero; 0.5 pi is enough to hold 2 kg."""
    path = tmp_path / "capstan.yaml"
    path.write_text(CAPSTAN)
    done = CliRunner().invoke(main, ["equilibrium", str(path), "--holding", "slack"])
    assert done.exit_code == 0, done.output
    first, note = done.output.splitlines()
    assert first.startswith("capstan: rests where it starts from slack = ") and first.endswith(" to any value above")
    assert "there is no such model: static goes with 'friction', and is not less than it" in note
    assert mbsim.holding(CAPSTAN, "slack").least == pytest.approx(0.0, abs=1e-12)
