"""`mbsim certify` and `run --certify`: the digits, what says so, where it is written, exit codes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import MODELS

import mbsim
from mbsim.analyses.dynamic import simulate
from mbsim.cli import main
from mbsim.studies.certificate import Certificate, CertificateError, certify

DOOR = """
name: door on two hinges
dimension: 3
gravity: [0, 0, -9.81]
parameters: {m: 20}
bodies:
  door: {mass: m, inertia: [4, 2, 2], position: [0.4, 0, 1], angular_velocity: [0, 0, 1]}
  knocker: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.4, -0.1, 1]}
joints:
  lower: {type: revolute, bodies: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}
  upper: {type: revolute, bodies: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1]}
  pin: {type: revolute, bodies: [door, knocker], at: [0.4, -0.1, 1.1], axis: [0, 1, 0]}
simulation: {end: 0.5, step: 1e-2}
"""


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="mbsim")


@pytest.fixture(scope="module")
def four_bar() -> Any:
    """At a coarse step, and exact to 1e-12."""
    model = mbsim.load_model(MODELS / "four_bar.yaml")
    exact = simulate(model, end=2.0, method="svd", integrator="dop853", rtol=1e-12, atol=1e-12, step=2e-3)
    return simulate(model, end=2.0, step=2e-3), exact


def test_the_digits_are_those_of_the_true_error(four_bar: Any) -> None:
    result, exact = four_bar
    found = certify(result)
    true = np.abs(result["q"] - exact["q"]).max() / np.abs(exact["q"] - exact["q"][0]).max()
    assert 0.99 * true < found.errors["position"] < 10 * true
    assert 3.5 < found.order < 5.5  # the energy, which an error of the crank follows, goes with the fifth power
    assert found.against["position"] == pytest.approx(true, rel=0.1)
    assert set(found.own) == set(found.errors) == {"position", "velocity", "reaction"}
    assert found.independent.startswith("lagrange with dop853")
    assert found.facts["rank"] == 8 and found.facts["degrees_of_freedom"] == 1
    json.dumps(found.as_dict())


def test_another_method_certifies_the_reference_method() -> None:
    found = certify(simulate(mbsim.load_model(MODELS / "pendulum.yaml"), end=0.5, method="lagrange", step=1e-2))
    assert found.independent.startswith("nullspace with dop853")


def test_a_large_system_is_certified_by_what_factors_no_dense_saddle() -> None:
    """Of 21 links, each of three speeds. `lagrange` would take eight times as long."""
    links = range(21)
    model = {
        "name": "chain", "dimension": 2, "gravity": [0, -9.81],
        "bodies": {f"l{k}": {"mass": 1, "inertia": 0.02, "position": [0.5 * k + 0.25, 0]} for k in links},
        "joints": {f"j{k}": {"type": "revolute", "bodies": [f"l{k - 1}" if k else "ground", f"l{k}"], "at": [0.5 * k, 0]} for k in links},
        "simulation": {"end": 0.02},
    }  # fmt: skip
    found = certify(simulate(mbsim.load_model(model)))
    assert found.independent.startswith("svd with dop853")
    assert min(found.digits.values()) >= 6


def test_a_variant_that_is_known_to_be_wrong_has_no_digits() -> None:
    wrong = {"method": "svd(equations=paper)", "integrator": "rk4", "step": 1e-2}
    found = certify(simulate(mbsim.load_model(MODELS / "pendulum.yaml"), end=0.5, **wrong, allow_wrong=True))
    assert found.digits["position"] == 0 and found.own


def test_it_starts_where_the_run_started(four_bar: Any) -> None:
    """A start given in Python is not in the model: the first row is."""
    model = mbsim.load_model(MODELS / "pendulum.yaml")
    pushed = simulate(model, end=0.5, step=1e-2, v=[0.0, 3.0, 6.0])
    assert pushed["v"][0][2] == pytest.approx(6.0)
    assert certify(pushed).digits["position"] >= 5


def test_the_verdict_names_reactions_that_are_open(tmp_path: Path) -> None:
    (tmp_path / "door.yaml").write_text(DOOR)
    done = run("run", tmp_path / "door.yaml", "--set", "m=25", "--certify", "-o", tmp_path / "door.h5")
    assert done.exit_code == 0, done.stderr
    path, verdict = done.stdout.splitlines()
    assert path == str(tmp_path / "door.h5")
    assert verdict.startswith("position to ") and "digits; unique but for lower.force.x, " in verdict and "pin" not in verdict
    with mbsim.open_result(tmp_path / "door.h5") as result:
        kept = result.attributes["certificates"]
        assert result.parameters["m"] == 25.0
    beside = json.loads((tmp_path / "door.certificate.json").read_text())
    assert beside.pop("$comment").startswith("written by mbsim") and kept == [beside]
    assert kept[0]["verdict"] == verdict and kept[0]["rank"] == 10


@pytest.mark.parametrize(("digits", "code"), [("3", 0), ("14", 3)])
def test_too_few_digits_are_an_exit_code(tmp_path: Path, digits: str, code: int) -> None:
    output = tmp_path / "x.h5"
    done = run("run", MODELS / "pendulum.yaml", "--end", "0.5", "--digits", digits, "-o", output)
    assert done.exit_code == code
    again = run("certify", output, "--digits", digits, "--json")
    assert again.exit_code == code
    assert json.loads(again.stdout)["digits"]["position"] >= 3
    with mbsim.open_result(output) as result:
        assert len(result.attributes["certificates"]) == 2
        assert len(result.time) == 501


def test_tolerances_are_tightened(tmp_path: Path) -> None:
    model = mbsim.load_model(MODELS / "pendulum.yaml")
    found = certify(simulate(model, end=0.5, integrator="rk45", rtol=1e-6, atol=1e-6, step=0.01))
    assert np.isnan(found.order) and 4 <= found.digits["position"] <= 9


def test_what_cannot_be_run_again_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="holds no model"):
        certify(simulate(mbsim.assemble(mbsim.load_model(MODELS / "pendulum.yaml")).system, q=[0.5, 0, 0], v=[0, 0, 0], end=0.1))
    (tmp_path / "x.h5").write_text("no result")
    assert run("certify", tmp_path / "x.h5").exit_code == 2
    assert run("certify", tmp_path / "none.h5").exit_code == 2


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [
        ({"position": 3e-7, "velocity": 2e-6, "reaction": 0.3}, "position to 6 digits, speeds to 5 digits, reactions to 0 digits"),
        ({"position": 0.0, "velocity": float("inf")}, "position to 15 digits, speeds to 0 digits"),
        ({"position": 0.04}, "position to 1 digit"),
    ],
)
def test_digits(errors: dict[str, float], verdict: str) -> None:
    found = Certificate("x", "", errors, against=errors)
    assert found.verdict == verdict
    assert not found.reaches(2)


STATES = """
name: controllers with states
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  j: {type: revolute, bodies: [ground, arm], at: [0, 0]}
states:
  w: {start: 0.3, rate: j.angle - w}
  n: {start: 0, sample: 0.1, next: n + 1}
controllers:
  c: {type: pid, joint: j, kp: 50, ki: 20, kd: 5, target: 0.5*sin(t) + 0.1*w + 0.02*n, HOW}
simulation: {end: 1, rtol: 1e-8, atol: 1e-9}
"""


@pytest.mark.parametrize("how", ["limit: [-20, 20]", "sample: 0.02"])
def test_states_begin_as_they_did(how: str) -> None:
    """Continuous ones as in the first row, held ones as in the model: a sample at the start is taken once, not twice."""
    model = mbsim.load_model(STATES.replace("HOW", how))
    found = certify(simulate(model))
    exact = simulate(model, rtol=1e-12, atol=1e-13)
    true = np.abs(simulate(model)["q"] - exact["q"]).max() / np.abs(exact["q"] - exact["q"][0]).max()
    assert 0.5 * true < found.errors["position"] < 100.0 * true + 1e-10
    assert found.digits["position"] >= 6


def test_a_stiff_run_is_held_against_implicit_steps() -> None:
    """A beam's fastest motions are 1e5 times as fast as it bends: explicit steps of the independent run came to no end."""
    beam = {"from": [0, 0], "to": [1, 0], "elements": 4, "clamped": ["start"], "section": {"rectangle": [0.01, 0.03]}}
    beam |= {"material": {"E": 7e10, "density": 2700}, "damping": {"stiffness": 1e-4}}
    model = {"name": "beam", "dimension": 2, "gravity": [0, -9.81], "beams": {"boom": beam}, "simulation": {"end": 0.05}}
    found = certify(mbsim.simulate(model))
    assert "lagrange with radau at tolerances 1e-09" in found.independent
    assert found.digits["position"] >= 4 and found.digits["velocity"] >= 3


def test_an_impact_at_the_start_is_an_event_of_the_finer_runs_too() -> None:
    """The first row is behind the impact; runs that began there had an event less, so that no digit of their times was right."""
    rod = {"mass": 1, "inertia": 1 / 12, "position": [0.5, 0], "angular_velocity": -2}
    pin = {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0], "stops": {"lower": 0, "restitution": 0.5, "closing_speed": 0.1}}
    model = {"name": "rod", "dimension": 2, "gravity": [0, -9.81], "bodies": {"rod": rod}, "joints": {"pin": pin}}
    result = mbsim.simulate(model | {"simulation": {"end": 0.5}})
    assert result.events[0]["time"] == 0.0 and result.events[0]["do"] == "impact"
    assert certify(result).digits["events"] >= 9
