"""Changes of the rank along a motion: when, which rows, how long; in the result, its file, `run`, `info` and `check --motion`."""

import json
import sys
from pathlib import Path
from typing import Any

import h5py
import mechanisms
import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import mbsim
from mbsim.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "physics"))
from test_singular_positions import flat, folding, toggle, windows

BLADE = """
name: blade that lifts
dimension: 2
bodies: {b: {mass: 1, inertia: 1, velocity: [1, 0]}}
constraints: {blade: {type: nonholonomic, equation: "der(b.y)*max(0, 0.5 - b.x)"}}
forces: {f: {type: force, body: b, value: [0, 1]}}
simulation: {end: 1, step: 0.01}
"""


def changes(model: Any, **settings: Any) -> list[dict[str, Any]]:
    return list(mbsim.simulate(mechanisms.model(model), **settings).attributes.get("rank_changes", []))


@pytest.mark.parametrize("output_step", [None, 0.013, 0.05])
def test_passages_between_rows_are_found(output_step: float | None) -> None:
    """The folding four-bar is flat where its crank is at an odd multiple of pi."""
    made = mechanisms.model(folding(1e-3, 0.3))
    fine = mbsim.simulate(made, method="svd")
    angle = fine.select("q", "crank.angle") - 0.3
    expected = np.interp([np.pi, 3 * np.pi, 5 * np.pi], angle, fine.time)
    found = changes(folding(1e-3, 0.3), method="svd", output_step=output_step)
    np.testing.assert_allclose([change["time"] for change in found], expected, rtol=0, atol=1e-6)
    for change in found:
        assert (change["before"], change["rank"], change["after"]) == (8, 7, 8)
        assert change["singular_value"] < 1e-5


def test_several_rows_at_once() -> None:
    """Two windows lie flat together: two dependencies, of the forces along the rods."""
    (first, *_) = changes(windows(2, 1e-3, 1.0))
    assert (first["before"], first["rank"], first["after"]) == (14, 12, 14)
    assert first["constraints"] == ["O0[0]", "O1[0]", "O2[0]", "A0[0]", "B0[0]", "A1[0]", "B1[0]"]


def test_a_near_miss_is_no_passage() -> None:
    """With a shorter frame the linkage does not fold: its weakest singular value has a minimum, not a zero."""
    made = folding(1e-3, 0.0)
    made["joints"]["R"]["at"] = [3.8, 0.0]
    assert changes(made, end=1.0) == []


@pytest.mark.parametrize("method", ["svd", "lagrange"])
def test_a_row_of_the_result_on_the_position_and_a_start_there(method: str) -> None:
    (change,) = changes(toggle(1e-2), method=method)
    assert change["time"] == pytest.approx(0.5, abs=1e-9) and change["constraints"] == ["O[0]", "A[0]", "B[0]", "push"]
    first = changes(flat((1, 1), 3.0), method=method)[0]
    assert (first["time"], first["rank"], first["after"]) == (0.0, 7, 8)


@pytest.mark.parametrize("method", ["svd", "riemann", "lagrange", "nullspace"])
def test_a_rank_that_stays_lower(method: str) -> None:
    """From x = 0.5 on nothing holds the body, which the force then moves by t^2/2."""
    result = mbsim.simulate(mechanisms.model(BLADE), method=method)
    (change,) = result.attributes["rank_changes"]
    assert change["time"] == pytest.approx(0.5, abs=0.011)
    assert (change["before"], change["rank"], change["after"], change["constraints"]) == (1, 0, 0, ["blade"])
    assert result.select("q", "b.y")[-1] == pytest.approx(0.125, abs=2e-3)


@pytest.mark.parametrize("name", ["pendulum", "four_bar", "quick_return", "spatial_slider_crank", "rolling_disk", "spinning_top"])
def test_shipped_models_have_none(name: str) -> None:
    assert "rank_changes" not in mbsim.simulate(mechanisms.shipped(name), output_step=0.01).attributes


def test_in_the_file_and_the_commands(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model, output = tmp_path / "toggle.yaml", tmp_path / "toggle.h5"
    model.write_text(yaml.safe_dump(toggle(1e-2), sort_keys=False))
    with caplog.at_level("INFO", logger="mbsim"):
        done = CliRunner().invoke(main, ["run", str(model), "-o", str(output)])
    assert done.exit_code == 0, done.output
    line = "t = 0.5 s: passes a singular position, rank 8 instead of 9: O[0], A[0], B[0], push"
    with h5py.File(output) as file:
        (change,) = json.loads(file["rank_changes"].asstr()[()])
    with mbsim.open_result(output) as kept:
        assert kept.attributes["rank_changes"] == [change]
    assert line in CliRunner().invoke(main, ["info", "--wide", str(output)]).output
    assert json.loads(CliRunner().invoke(main, ["info", str(output), "--json"]).output)["rank_changes"] == [change]
    done = CliRunner().invoke(main, ["check", str(model), "--motion"])
    assert done.exit_code == 0 and line in done.output and "motion to t = 1 s: 1 change of the rank" in done.output
    facts = json.loads(CliRunner().invoke(main, ["check", str(model), "--motion", "--json"]).output)
    assert facts["rank_changes"] == [change] and facts["motion_failure"] is None


def test_a_failed_run_keeps_them() -> None:
    made = toggle(1e-2)
    made["drivers"]["push"]["displacement"] = "2*cos(0.5 - t) - 2*cos(0.5) + max(0, t - 0.7)^2"
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(mechanisms.model(made), end=3.0)
    assert caught.value.result is not None
    assert caught.value.result.attributes["rank_changes"][0]["time"] == pytest.approx(0.5, abs=1e-9)


GATE = """
name: a blade that lifts in a narrow gate
dimension: 2
bodies: {b: {mass: 1, inertia: 1, velocity: [1, 0]}}
constraints: {blade: {type: nonholonomic, equation: "der(b.y)*max(0, abs(0.6 - b.x) - 0.02)"}}
simulation: {end: 1, step: 0.005}
"""


def test_rows_of_one_direction_are_looked_at_one_by_one_where_their_lengths_change() -> None:
    """The unit row is the same before and after the gate, and lost in it for 0.04 s of 1 s."""
    lost, found = changes(yaml.safe_load(GATE))
    assert (lost["before"], lost["rank"], found["after"]) == (1, 0, 1)
    assert [lost["time"], found["time"]] == pytest.approx([0.58, 0.62], abs=0.01)
