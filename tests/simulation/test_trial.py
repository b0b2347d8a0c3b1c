"""Short trials put an implicit integrator in place of the explicit one that `auto` means, where its steps would crawl."""

import re
from pathlib import Path

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.march import trial
from mbsim.march.settings import Settings, resolve

ARM = """
name: arm with strong gains
dimension: 2
coordinates: joint
bodies:
  a: {mass: 1, inertia: 0.01, position: [0.25, 0]}
  b: {mass: 0.2, inertia: 1e-4, position: [0.6, 0]}
joints:
  A: {type: revolute, bodies: [ground, a], at: [0, 0]}
  B: {type: revolute, bodies: [a, b], at: [0.5, 0]}
forces:
  first: {type: joint_torque, joint: A, value: 200*(0.5 - A.angle) - 200*der(A.angle)}
  second: {type: joint_torque, joint: B, value: 200*(0.3 - B.angle) - 200*der(B.angle)}
simulation: {end: 10, output_step: 0.5}
"""
SOFT = ARM.replace("200*", "2*")


def decided(text: str, **given: object) -> Settings:
    made = mbsim.assemble(mechanisms.model(text))
    return trial.decide(made, resolve(made.simulation, made.system, given), given)


def test_a_stiff_arm_gets_implicit_steps_and_the_result_says_why() -> None:
    found = mbsim.simulate(mechanisms.model(ARM))
    assert found.attributes["integrator"] == "radau" and found.attributes["counts"]["evaluations"] < 10_000
    reason = found.attributes["choices"]["integrator"]
    foreseen = r"radau: explicit steps would crawl; short trials foresee evaluations: dop853 3e\+06, radau \de\+0[23]"
    assert re.fullmatch(foreseen, reason), reason
    assert found["A.angle"][-1] == pytest.approx(0.5, abs=1e-4)  # after ten time constants kd / kp = 1 s, and as slowly as that
    assert np.log((0.5 - found["A.angle"][2]) / (0.5 - found["A.angle"][6])) == pytest.approx(2.0, rel=0.01)


def test_the_choice_is_the_same_each_time_and_that_of_a_study() -> None:
    first, again = decided(ARM), decided(ARM)
    assert first == again
    assert mbsim.Runner(mechanisms.model(ARM)).settings == first


@pytest.mark.parametrize("given", [{"integrator": "dop853"}, {"step": 1e-3}, {"method": "generalized_alpha"}])
def test_what_is_given_is_not_tried(given: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_least", None)
    assert "crawl" not in str(decided(ARM, **given).choices)


def test_a_model_without_forces_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_least", None)
    text = ARM[: ARM.index("forces:")] + ARM[ARM.index("simulation:") :]
    assert decided(text).integrator == "dop853"


def test_soft_forces_take_no_trial_march(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_forecast", None)
    assert decided(SOFT).integrator == "dop853"


def test_a_trial_may_find_that_explicit_steps_are_no_dearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "WORTH", 0.0)
    settings = decided(ARM.replace("200*", "0.02*"))
    assert settings.integrator == "dop853"
    assert "so that the error is controlled; short trials foresee evaluations: dop853" in settings.choices["integrator"]


def test_the_forecast_is_that_of_the_run() -> None:
    made = mbsim.assemble(mechanisms.model(ARM))
    settings = resolve(made.simulation, made.system, {"end": 1.0})
    counts = mbsim.simulate(made, end=1.0, integrator="dop853", rtol=1e-9, atol=1e-10).attributes["counts"]
    assert trial._forecast(made, settings, 5000) == pytest.approx(counts["evaluations"], rel=0.2)
    assert 0.3 < trial._least(made, settings) / counts["evaluations"] < 3.0


def test_the_rate_of_a_spring_is_its_frequency() -> None:
    text = "name: s\ndimension: 2\nbodies: {m: {mass: 4, inertia: 1}}\nforces: {k: {type: spring_damper, bodies: [ground, m], "
    text += "at: [[-1, 0], [0, 0]], stiffness: 4e6, free_length: 1}}\nsimulation: {end: 1}"
    made = mbsim.assemble(mechanisms.model(text))
    begun = trial._begin(made, resolve(made.simulation, made.system))
    assert begun is not None and trial._rate(*begun, 0.0) == pytest.approx(1e3, rel=0.5)


def test_many_speeds_take_generalized_alpha_unless_a_method_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LARGE", 1)
    monkeypatch.setattr(trial, "_forecast", lambda made, settings, budget: 1e6 if settings.explicit else 1e3)
    settings = decided(ARM)
    assert settings.method == "generalized_alpha" and settings.options["rtol"] == 1e-5
    assert settings.choices["method"].startswith("generalized_alpha: explicit steps would crawl")
    assert decided(ARM, method="aba").integrator == "dop853"


def test_tolerances_of_the_model_stay_where_the_trial_takes_generalized_alpha(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a setting that only the explicit integrator has keeps it."""
    monkeypatch.setattr(trial, "LARGE", 1)
    monkeypatch.setattr(trial, "_forecast", lambda made, settings, budget: 1e6 if settings.explicit else 1e3)
    block = ARM.rstrip().removesuffix("}")
    for given, expected in (
        (", rtol: 1e-8, atol: 1e-10}", (1e-8, 1e-10)),
        (", rtol: 1e-8}", (1e-8, 1e-10)),
        (", atol: 1e-9}", (1e-5, 1e-9)),
    ):
        settings = decided(block + given)
        assert settings.method == "generalized_alpha" and (settings.options["rtol"], settings.options["atol"]) == expected
    assert decided(block + ", max_step: 0.1}").integrator == "dop853"


def test_tolerances_of_a_model_without_an_integrator_are_those_of_a_method_that_is_given() -> None:
    made = mbsim.assemble(mechanisms.model(SOFT.rstrip().removesuffix("}") + ", rtol: 1e-8, atol: 1e-10}"))
    found = resolve(made.simulation, made.system, {"method": "generalized_alpha"})
    assert (found.options["rtol"], found.options["atol"]) == (1e-8, 1e-10)


def test_check_says_that_a_trial_may_decide(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM, encoding="utf-8")
    said = CliRunner().invoke(main, ["check", str(tmp_path / "arm.yaml")]).output
    assert "a short trial before the run takes an implicit one if the forces are stiff" in " ".join(said.split())
