"""Whole comparisons: verdicts of right and wrong methods, the reference, published values, models of every kind."""

import math

import numpy as np
import pytest
import samples

import mbsim
from mbsim import registry
from mbsim.model.load import load
from mbsim.results import ResultError
from mbsim.studies.compare import worker
from mbsim.studies.compare.plan import PlanError
from mbsim.studies.compare.rows import Reference
from mbsim.studies.compare.table import row_facts
from mbsim.studies.compare.worker import value_of

STEPS = [0.02, 0.01, 0.005]


def model(text, **overrides):
    return load(text, registry, file="model.yaml", **overrides)


def verdicts(comparison):
    return {(row.method, row.level): row.verdict for case in comparison.cases for row in case.rows}


def test_right_methods_agree_with_the_order_of_their_integrator(pendulum):
    found = mbsim.compare(pendulum, methods=["svd", "lagrange"], steps=STEPS, repeats=2)
    assert found.ok
    assert set(verdicts(found).values()) == {"agrees"}
    case = found.cases[0]
    assert case.reference.result is not None and case.reference.errors["position"] < 1e-9
    for row in case.rows:
        facts = row_facts(row)
        assert 3.3 < row.order < 4.7 and row.order_points == 3
        assert 0.2 < facts["rms_error"] / facts["estimated_error"] <= 3.0
        assert facts["evaluations"] > 4 / row.level and facts["factorisations"] > 0
        assert len(row.march_times) == 2 and row.wall_time > 0
        assert facts["max_phi"] <= 1e-10 and facts["energy_balance"] < 1e-5 and facts["reaction_disagreement"] < 1e-5
    assert len({len(row.result.time) for row in case.rows}) == 1


@pytest.mark.usefixtures("fakes")
def test_every_way_to_go_wrong_has_its_verdict_and_the_others_go_on(pendulum):
    methods = ["wrong", "failing", "refusing", "raising", "wrong_reaction", "svd"]
    found = mbsim.compare(pendulum, methods=methods, steps=STEPS, repeats=1)
    assert not found.ok
    expected = ["disagrees", "failed", "refused", "failed", "disagrees", "agrees"]
    assert verdicts(found) == {(method, step): verdict for method, verdict in zip(methods, expected, strict=True) for step in STEPS}
    reasons = {row.method: row.reason for row in found.cases[0].rows}
    assert reasons["wrong"].startswith("position error 5.") and "is explained" in reasons["wrong"]
    assert reasons["failing"] == "stopped at t = 0.5 s: the mass matrix is singular at rod.x"
    assert reasons["refusing"] == "this method needs independent constraints"
    assert reasons["raising"] == "ZeroDivisionError: division by zero"
    assert reasons["wrong_reaction"].startswith("reaction error 5.")


@pytest.mark.usefixtures("fakes")
def test_a_refusal_alone_is_no_alarm_but_nothing_run_is(pendulum):
    assert mbsim.compare(pendulum, methods=["refusing", "svd"], steps=[0.01], repeats=1).ok
    assert not mbsim.compare(pendulum, methods=["refusing"], steps=[0.01], repeats=1).ok


@pytest.mark.usefixtures("fakes")
def test_own_steps_and_tolerances(pendulum):
    found = mbsim.compare(pendulum, methods=["own_step", "svd"], integrators=["adaptive"], steps=STEPS, tolerances=[1e-4, 1e-6], repeats=1)
    assert [(row.method, row.integrator, row.level) for row in found.cases[0].rows] == [
        *(("own_step", "own", step) for step in STEPS), ("svd", "adaptive", 1e-4), ("svd", "adaptive", 1e-6),
    ]  # fmt: skip
    assert set(verdicts(found).values()) == {"agrees"}
    own, *_, tolerant = (row_facts(row) for row in found.cases[0].rows)
    assert own["order"] is not None and own["tolerance"] is None
    assert tolerant["order"] is None and tolerant["step"] is None and tolerant["effective_step"] is None


@pytest.mark.parametrize("steps", [[0.5], [0.3, 0.2], [0.25, 0.2, 0.1], [0.05]])
def test_coarse_steps_do_not_disagree(pendulum, steps):
    assert "disagrees" not in verdicts(mbsim.compare(pendulum, methods=["svd", "lagrange"], steps=steps, repeats=1)).values()


def test_a_single_step_has_an_own_estimate(pendulum):
    row = mbsim.compare(pendulum, methods=["svd"], steps=[0.01], repeats=1).cases[0].rows[0]
    assert row.verdict == "agrees" and math.isnan(row.order)
    assert 0.3 < row.judgement.errors["position"] / row.judgement.own["position"] < 3.0


def test_without_a_reference_every_row_says_why(pendulum, monkeypatch):
    monkeypatch.setattr("mbsim.studies.compare.study.converged", lambda *arguments: Reference("", reason="rk4: it cannot be done"))
    found = mbsim.compare(pendulum, methods=["svd"], steps=[0.01], repeats=1)
    assert not found.ok
    assert [(row.verdict, row.reason) for row in found.cases[0].rows] == [("no reference", "rk4: it cannot be done")]
    assert row_facts(found.cases[0].rows[0])["max_phi"] is not None


def test_published_values(tmp_path):
    block = "reference:\n  source: a book\n  values:\n"
    right = (
        "    - {time: 1, of: x, value: cos(2), tolerance: 1e-6}\n    - {time: 0.777, of: der(x), value: -2*sin(1.554), tolerance: 1e-6}\n"
    )
    found = mbsim.compare(model(samples.OSCILLATOR + block + right), methods=["svd"], repeats=1)
    case = found.cases[0]
    assert found.ok and case.published == "a book"
    assert [check.deviation < 1e-8 for check in case.checks] == [True, True]
    assert max(check.deviation for check in case.rows[-1].checks) < 1e-6
    wrong = right + "    - {time: 0.5, of: der(der(x)), value: -2, tolerance: 1e-4}\n"
    found = mbsim.compare(model(samples.OSCILLATOR + block + wrong), methods=["svd"], repeats=1)
    assert [row.verdict for row in found.cases[0].rows] == ["disagrees"] * 3
    assert found.cases[0].rows[0].reason.startswith("der(der(x)) at 0.5 s is -2.1612")
    assert found.cases[0].rows[0].reason.endswith(", published -2 ± 1.0e-04")
    assert "published: a book" in found.table() and "not within" in found.table()


def test_published_values_do_without_a_converged_run(monkeypatch):
    monkeypatch.setattr("mbsim.studies.compare.study.converged", lambda *arguments: Reference("", reason="it cannot be done"))
    block = "reference: {source: a book, values: [{time: 1, of: x, value: %s, tolerance: 1e-5}]}\n"
    for value, verdict in (("cos(2)", "agrees"), ("-0.4", "disagrees")):
        found = mbsim.compare(model(samples.OSCILLATOR + block % value), methods=["svd"], steps=[0.01], repeats=1)
        assert [row.verdict for row in found.cases[0].rows] == [verdict]


def test_values_by_name(pendulum):
    result = mbsim.simulate(pendulum, method="svd", integrator="rk4", drift="full")
    for name, expected in {
        "rod.x": result["q"][:, 0],
        "der(rod.angle)": result["v"][:, 2],
        "der(der(rod.y))": result["acceleration"][:, 1],
        "joint_force.pin.y": result["joint_force"][:, 0, 1],
        "multiplier.pin[0]": result["multiplier"][:, 0],
        "energy_kinetic": result["energy_kinetic"],
    }.items():
        np.testing.assert_array_equal(value_of(result, name), expected)


def test_a_file_as_the_reference(tmp_path):
    made = model(samples.OSCILLATOR)
    mbsim.simulate(made, method="lagrange", integrator="rk4", drift="full", step=1e-3, output_step=0.01, output=tmp_path / "x.h5").close()
    found = mbsim.compare(made, methods=["svd"], reference=tmp_path / "x.h5", repeats=1)
    assert found.ok and found.cases[0].reference.description == f"the file {tmp_path / 'x.h5'}, taken as exact"
    other = model(samples.OSCILLATOR.replace("[x]", "[y]").replace("x", "y").replace("eyp", "exp"))
    with pytest.raises(ResultError, match=r"x\.h5 is the result of another model: its coordinates differ \(x\)"):
        mbsim.compare(other, methods=["svd"], reference=tmp_path / "x.h5")
    with pytest.raises(ResultError, match=r"ends at 1 s, the model at 2 s"):
        mbsim.compare(model(samples.OSCILLATOR, simulation={"end": 2}), methods=["svd"], reference=tmp_path / "x.h5")
    with pytest.raises(PlanError, match="one model"):
        mbsim.compare([made, made], reference=tmp_path / "x.h5")
    with pytest.raises(FileNotFoundError):
        mbsim.compare(made, reference=tmp_path / "absent.h5")


def test_an_assembly_with_another_end():
    found = mbsim.compare(mbsim.assemble(model(samples.OSCILLATOR)), methods=["svd"], end=0.5, repeats=1)
    assert found.ok and found.cases[0].end == 0.5 and found.cases[0].rows[0].result.time[-1] == 0.5


def test_a_system_from_python():
    system = mbsim.callable_system(["x"], M=lambda t, q: np.eye(1), h=lambda t, q, v: -4.0 * q)
    for given, missing in (({"q": [1.0], "v": [0.0]}, "end, the last time"), ({"end": 1.0}, "q and v, the start")):
        with pytest.raises(ValueError, match=missing):
            mbsim.compare(system, **given)
    found = mbsim.compare(system, q=[1.0], v=[0.0], methods=["svd"], steps=[0.02, 0.01], end=0.5, repeats=1)
    assert found.ok and abs(found.cases[0].rows[0].result["q"][-1, 0] - math.cos(1.0)) < 1e-6


def test_options_of_the_file_are_not_taken_over(monkeypatch):
    made, seen = mbsim.assemble(model(samples.OSCILLATOR)), []
    made.simulation.options["hold"] = False
    monkeypatch.setattr("mbsim.analyses.dynamic.simulate", lambda made, **settings: seen.append((made.simulation.options, settings)))
    worker.simulate(made, method="svd")
    assert seen == [({}, {"method": "svd", "allow_wrong": True})]
    assert made.simulation.options == {"hold": False}


def test_models_of_the_same_name_are_kept_apart():
    found = mbsim.compare([model(samples.OSCILLATOR)] * 2, methods=["svd"], steps=[0.02], repeats=1)
    assert [case.name for case in found.cases] == ["model", "model-2"]


def test_errors_of_all_models_come_at_once(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text("coordinates: [x]\nenergy: {kinetic: y}\nsimulation: {end: 1}\n", encoding="utf-8")
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.compare([tmp_path / "a.yaml", tmp_path / "b.yaml"])
    assert len(caught.value.problems) == 2


def test_a_spatial_model_with_redundant_joints(tmp_path):
    """Orientations as angles, reactions only where they are unique."""
    text = """dimension: 3
gravity: [0, 0, -9.81]
bodies: {door: {mass: 10, inertia: [1, 1, 0.5], position: [0.5, 0, 0], angular_velocity: [0, 0, 2], velocity: [0, 1, 0]}}
joints:
  upper: {type: revolute, bodies: [ground, door], at: [0, 0, 1], axis: [0, 0, 1]}
  lower: {type: revolute, bodies: [ground, door], at: [0, 0, -1], axis: [0, 0, 1]}
simulation: {end: 1, step: 0.02}
"""
    found = mbsim.compare(model(text), methods=["svd", "lagrange"], repeats=1)
    assert found.ok
    assert all(row_facts(row)["reaction_disagreement"] is None for row in found.cases[0].rows)


@pytest.mark.parametrize("broken", [False, True])
def test_the_reference_is_dop853_where_it_exists_and_works(fakes, pendulum, monkeypatch, broken):
    names, options, simulate, asked = registry.names, registry.options, worker.simulate, []

    def fake(made, **settings):
        if settings["integrator"].startswith("dop853"):
            if broken:
                raise mbsim.SimulationError("stopped at t = 0 s: the step became too small", 0.0, None)
            asked.append(dict(settings))
            settings |= {"integrator": "rk4", "step": 1e-3 if "1e-11" in settings["integrator"] else 5e-4}
        return simulate(made, **settings)

    monkeypatch.setattr(registry, "names", lambda kind: [*names(kind), *["dop853"] * (kind == "integrators")])
    monkeypatch.setattr(registry, "options", lambda kind, word: samples.TOLERANT if word == "dop853" else options(kind, word))
    monkeypatch.setattr(worker, "simulate", fake)
    found = mbsim.compare(pendulum, methods=["svd"], steps=[0.01], repeats=1)
    reference = found.cases[0].reference
    assert found.ok and 0 < reference.errors["position"] < 1e-8
    if broken:
        assert reference.description.startswith("lagrange with rk4 at step ")
    else:
        assert reference.description == "lagrange with dop853 at tolerances 1e-12; its error from a run at 1e-11"
        assert {settings["integrator"] for settings in asked} == {"dop853(rtol=1e-11, atol=1e-11)", "dop853(rtol=1e-12, atol=1e-12)"}
        assert {settings["method"] for settings in asked} == {"lagrange"}
