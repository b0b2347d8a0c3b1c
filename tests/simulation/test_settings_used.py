"""What a user gives is used, or refused by name."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim import registry
from mbsim.cli import main

PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: 0.1, %s}
"""
METHODS = [word for word in registry.names("methods") if not registry.declaration("methods", word, "OWNS_STEP", False)]
INEXACT = [word for word in METHODS if registry.declaration("methods", word, "NO_TANGENTS")]


@pytest.mark.parametrize(
    "integrator", [word for word in registry.names("integrators") if "jacobian" in registry.options("integrators", word)]
)
@pytest.mark.parametrize("method", INEXACT)
def test_tangents_that_a_method_does_not_have_are_refused(method: str, integrator: str) -> None:
    with pytest.raises(mbsim.ModelError, match=f"tangents are not those of {method}"):
        mbsim.load_model(PENDULUM % f"method: {method}, integrator: {integrator}, jacobian: tangents")
    with pytest.raises(ValueError, match=f"tangents are not those of {method}"):
        mbsim.simulate(PENDULUM % "", method=method, integrator=integrator, jacobian="tangents")


def test_auto_is_judged_by_what_it_takes() -> None:
    text = PENDULUM % "integrator: bdf, jacobian: tangents"
    assert mbsim.load_model(text).simulation.options == {"jacobian": "tangents"}
    assert mbsim.simulate(text).attributes["method"] not in INEXACT


def test_methods_with_independent_speeds_have_no_tangents() -> None:
    independent = {word for word in METHODS if registry.declaration("methods", word, "INDEPENDENT_SPEEDS", False)}
    assert independent and independent < set(INEXACT)


@pytest.mark.parametrize("method", [word for word in METHODS if not registry.declaration("methods", word, "SEARCHES", False)])
def test_a_tolerance_of_a_drift_that_is_not_corrected_is_refused(method: str) -> None:
    coordinates = "coordinates: joint\n" if method in ("aba", "kane") else ""
    for tolerance in (1e-6, 1e-10):
        with pytest.raises(ValueError, match=f"drift_tolerance is not used: {method} with `drift: none`"):
            mbsim.simulate(coordinates + PENDULUM % "", method=method, drift="none", drift_tolerance=tolerance)
    with pytest.raises(ValueError, match="drift_tolerance is not used"):
        mbsim.simulate(coordinates + PENDULUM % f"method: {method}, drift: none, drift_tolerance: 1e-6")


@pytest.mark.parametrize("over", [{"drift": "none"}, {"method": "lagrange(drift=none)"}, {"method": "baumgarte"}])
def test_that_of_the_file_is_dropped_with_its_drift(over: dict[str, Any]) -> None:
    result = mbsim.simulate(PENDULUM % "step: 1e-3, drift_tolerance: 1e-6", **over)
    assert result.attributes["drift"] == "none"


@pytest.mark.parametrize("method", ["generalized_alpha", "broyden"])
def test_methods_whose_iterations_end_with_it_take_it(method: str) -> None:
    block = str(Path(__file__).parents[2] / "models" / "four_bar.yaml")
    coarse, fine = (mbsim.simulate(block, method=method, drift="none", drift_tolerance=x, end=0.1, step=0.005) for x in (1e-4, 1e-10))
    assert np.abs(coarse["q"] - fine["q"]).max() > 1e-9


def test_an_option_with_the_name_of_a_field_says_where_it_is_written() -> None:
    """`start` is the first time of a run, and an option of `broyden`."""
    with pytest.raises(mbsim.ModelError, match=r"the option of broyden is written `method: broyden\(start=trials\)`"):
        mbsim.load_model(PENDULUM % "step: 0.01, method: broyden, start: trials")
    assert mbsim.simulate(PENDULUM % "step: 0.01", method="broyden(start=trials)").attributes["options"]["start"] == "trials"
    assert mbsim.load_model(PENDULUM % "step: 0.01, method: broyden, start: 0.05").simulation.start == 0.05


@pytest.mark.parametrize(
    ("given", "unused"),
    [
        ({"method": "cfa", "integrator": "rk4"}, "atol, rtol of the model's `simulation` block: not used by cfa and rk4"),
        ({"method": "rattle"}, "atol, rtol of the model's `simulation` block: not used by rattle"),
        ({"integrator": "rk45"}, ""),
        ({"method": "generalized_alpha"}, ""),
        ({"method": "svd", "rtol": 1e-6}, ""),
        ({"step": 0.005}, "atol, rtol of the model's `simulation` block: not used by cfa and rk4"),
        ({"step": 0.005, "method": "generalized_alpha"}, "atol, rtol of the model's `simulation` block: not used by generalized_alpha"),
        ({"step": 0.005, "method": "generalized_alpha", "rtol": 1e-6}, ""),
        ({"step": 0.005, "integrator": "dop853"}, ""),
    ],
)
def test_options_that_what_is_given_leaves_no_use_for_are_said(tmp_path: Path, given: dict[str, Any], unused: str) -> None:
    """From Python and from the command line, in a first run and in one of the kept model."""
    path = tmp_path / "model.yaml"
    path.write_text(
        "name: m\ndimension: 2\nbodies: {b: {mass: 1, inertia: 0.1, position: [0.5, 0]}}\n"
        "joints: {r: {type: revolute, bodies: [ground, b], at: [0, 0]}}\nsimulation: {end: 0.01, rtol: 1e-8, atol: 1e-9}\n"
    )
    notes = mbsim.simulate(str(path), **given).attributes["notes"]
    assert [note for note in notes if "not used" in note] == [unused] * bool(unused)
    words = [word for name, value in given.items() for word in (f"--{name}", str(value))]
    for _ in range(2):
        done = CliRunner().invoke(main, ["run", str(path), *words, "--force", "-o", str(tmp_path / "m.h5")])
        assert done.exit_code == 0, done.output
        notes = mbsim.open_result(tmp_path / "m.h5").attributes["notes"]
        assert [note for note in notes if "not used" in note] == [unused] * bool(unused)


@pytest.mark.parametrize("given", [{}, {"method": "generalized_alpha"}])
def test_a_step_over_tolerances_of_a_block_is_taken(given: dict[str, str]) -> None:
    """`--step` was refused beside the tolerances of a block, and with `generalized_alpha` it went without a word."""
    result = mbsim.simulate("bend_45", end=0.2, step=0.05, **given)
    assert result.attributes["method"] == "generalized_alpha"
    assert result.attributes["counts"]["steps"] == 4
    assert result.attributes["notes"] == ["atol, rtol of the model's `simulation` block: not used by generalized_alpha"]


@pytest.mark.parametrize("given", [{"rtol": 1e-5}, {"atol": 1e-5}, {"rtol": 1e-5, "output_step": 0.1}, {"max_step": 0.1}])
def test_a_tolerance_over_a_step_of_a_block_controls_the_error(tmp_path: Path, given: dict[str, float]) -> None:
    """`mbsim run pendulum --rtol 1e-5` was refused: `auto` takes rk4 for the step of the file. It is that of the rows then."""
    rows = 11 if "output_step" in given else 1001
    result = mbsim.simulate("pendulum", end=1, **given)
    named = {name: f"--{name.replace('_', '-')}={value}" for name, value in given.items()}
    words = [f"--option={name}={given[name]}" if name == "max_step" else word for name, word in named.items()]
    done = CliRunner().invoke(main, ["run", "pendulum", "--end", "1", *words, "-o", str(tmp_path / "m.h5")])
    assert done.exit_code == 0, done.output
    for one in (result, mbsim.open_result(tmp_path / "m.h5")):
        assert one.attributes["integrator"] == "dop853"
        assert one.attributes["choices"]["integrator"] == "dop853: an option of error control is given, so that the error is controlled"
        assert len(one.time) == rows
        assert one.attributes["counts"]["steps"] < 100


def test_a_step_and_a_tolerance_without_an_integrator_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'rtol' of cfa and rk4, which `auto` takes where a step is given: leave it out, or name the"):
        mbsim.simulate("pendulum", step=0.01, rtol=1e-5)
    done = CliRunner().invoke(main, ["run", "pendulum", "--step", "0.01", "--rtol", "1e-5", "-o", str(tmp_path / "m.h5")])
    assert done.exit_code == 2
    assert "`auto` takes these where a `step` is given: leave it out, or name the integrator" in done.output


def test_a_word_in_place_of_the_time_of_the_start_names_the_option() -> None:
    with pytest.raises(
        ValueError, match=r"start must be a number .* option 'start' of broyden is given as method='broyden\(start=trials\)'"
    ):
        mbsim.simulate("four_bar", start="trials")


def test_rates_that_rows_decide_are_told() -> None:
    """Rows in 2e-5 s made `bdf` follow rates of 5e4 1/s without a word: 44 s for 0.05 s of two universal joints."""
    run = {"method": "baumgarte", "integrator": "dop853", "end": 0.5}
    said = mbsim.simulate("pendulum_dae", **run).attributes["notes"]
    assert any(line.startswith("alpha and beta of baumgarte are by default as fast as the time between rows, 0.01 s") for line in said)
    for given in ({"alpha": 10, "beta": 10}, {"integrator": "rk4", "step": 1e-3}):
        assert not any("as fast as" in line for line in mbsim.simulate("pendulum_dae", **run | given).attributes["notes"])
