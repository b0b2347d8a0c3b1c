"""What commands print of beams: ends and what the sections carry, not each node of the discretisation."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.analyses.static import facts
from mbsim.cli import main
from mbsim.cli.info import KINDS, PARTS
from mbsim.results.schema import Layout

BEAM = """
name: cantilever
dimension: 2
gravity: [0, -9.81]
beams:
  arm:
    from: [0, 0]
    to: [1, 0]
    elements: 20
    section: {rectangle: [0.02, 0.002]}
    material: {density: 7800, E: 2.1e11}
    clamped: [start]
simulation: {end: 0.002, output_step: 0.001}
"""
SPATIAL = (
    BEAM.replace("dimension: 2", "dimension: 3").replace("[0, -9.81]", "[0, 0, -9.81]").replace("[0.02, 0.002]", "[0.002, 0.02]")
    .replace("from: [0, 0]", "from: [0, 0, 0]").replace("to: [1, 0]", "to: [1, 0, 0]")
)  # fmt: skip
WEIGHT = 7800 * 0.02 * 0.002 * 9.81  # N/m


def call(*arguments: object) -> str:
    done = CliRunner().invoke(main, list(map(str, arguments)), prog_name="mbsim")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "beam.yaml").write_text(BEAM)
    return tmp_path / "beam.yaml"


def test_a_result_with_beams_is_described(path: Path) -> None:
    call("-q", "run", path, "-o", path.with_suffix(".h5"))
    told = call("info", path.with_suffix(".h5"))
    assert "beam elements" in told and "20: arm[0], arm[1]" in told and "beam_moment" in told
    facts = json.loads(call("info", path.with_suffix(".h5"), "--json"))
    assert {"name": "beam_energy", "shape": [3, 20]}.items() <= next(x for x in facts["variables"] if x["name"] == "beam_energy").items()


def test_each_dimension_of_a_result_has_its_size() -> None:
    empty = Layout("", [], [], [], [], [], [], [], [], [])
    assert {*empty.labels()} - {*KINDS, *PARTS} == set()


def test_an_equilibrium_tells_the_ends_and_the_sections(path: Path) -> None:
    told = call("equilibrium", path, "--wide")
    assert "arm_end.y" in told and "arm_7" not in told and "generalised forces" not in told
    assert "arm: normal force " in told and "bending moment " in told
    facts = json.loads(call("equilibrium", path, "--json"))
    assert "arm_7.y" in facts["q"]
    beam = facts["beams"]["arm"]
    assert beam["elements"] == 20 and beam["shear_force"]["at"] == beam["bending_moment"]["at"] == 0.025
    assert beam["shear_force"]["largest"] == pytest.approx(WEIGHT * 0.975, rel=1e-5)
    assert beam["bending_moment"]["largest"] == pytest.approx(0.5 * WEIGHT * 0.975**2, rel=2e-3)  # of lumped weights
    assert max(map(abs, beam["normal_force"])) < 0.01 * WEIGHT


def test_in_space_a_torsional_moment_is_told_too(tmp_path: Path) -> None:
    (tmp_path / "beam.yaml").write_text(SPATIAL)
    found = mbsim.equilibrium(mbsim.assemble(mbsim.load_model(tmp_path / "beam.yaml")))
    beam = facts(found)["beams"]["arm"]
    assert beam["torsional_moment"]["largest"] == pytest.approx(0.0, abs=1e-6)
    assert beam["bending_moment"]["largest"] == pytest.approx(0.5 * WEIGHT * 0.975**2, rel=2e-3)


def test_a_check_tells_the_ends(path: Path) -> None:
    told = call("check", path)
    assert "arm_start.x = 0" in told and "arm_7" not in told and "arm: 20 elements" in told
    assert np.allclose(json.loads(call("check", path, "--json"))["q"]["arm_7.x"], 7 / 20)
