"""Whole comparisons: verdicts of right and wrong methods, the reference, published values, models of every kind."""

import math
import re

import numpy as np
import pytest
import samples
from samples import changed

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
        assert 3.3 < row.order < 4.7 and row.order_points == 4  # the run beyond the last step is one of them
        assert 3.3 < facts["velocity_order"] < 4.7 and facts["energy_rms_error"] < 1e-5
        assert 0.2 < facts["rms_error"] / facts["estimated_error"] <= 3.0
        assert facts["evaluations"] > 4 / row.level and facts["factorisations"] > 0
        assert len(row.march_times) == 2 and row.wall_time > 0
        assert facts["max_phi"] <= 1e-10 and facts["energy_balance"] < 1e-5 and facts["reaction_disagreement"] < 1e-5
    assert len({len(row.result.time) for row in case.rows}) == 1


@pytest.mark.usefixtures("fakes")
def test_every_way_to_go_wrong_has_its_verdict_and_the_others_go_on(pendulum):
    methods = ["wrong", "failing", "raising", "wrong_reaction", "wrong_energy", "svd"]
    found = mbsim.compare(pendulum, methods=methods, steps=STEPS, repeats=1)
    assert not found.ok
    expected = ["disagrees", "failed", "failed", "disagrees", "disagrees", "agrees"]
    assert verdicts(found) == {(method, step): verdict for method, verdict in zip(methods, expected, strict=True) for step in STEPS}
    reasons = {row.method: row.reason for row in found.cases[0].rows}
    assert reasons["wrong"].startswith("position error 5.") and "is explained" in reasons["wrong"]
    assert reasons["failing"] == "stopped at t = 0.5 s: the mass matrix is singular at rod.x"
    assert reasons["raising"] == "ZeroDivisionError: division by zero"
    assert reasons["wrong_reaction"].startswith("reaction error 5.")
    assert reasons["wrong_energy"].startswith("energy error 5.")


@pytest.mark.usefixtures("fakes")
def test_a_method_that_refuses_a_model_is_a_row_once(pendulum):
    found = mbsim.compare(pendulum, methods=["refusing", "svd"], steps=STEPS, repeats=1)
    refused = [row for row in found.cases[0].rows if row.method == "refusing"]
    assert [(row.verdict, row.reason) for row in refused] == [("refused", "this method needs independent constraints")]
    assert row_facts(refused[0])["step"] is None
    assert "refusing, rk4: refused: this method" in found.table() and "nan" not in found.table()


@pytest.mark.usefixtures("fakes")
def test_what_only_another_method_can_tell(pendulum):
    """Runs of an order below the declared one, and runs that do not converge."""
    found = mbsim.compare(pendulum, methods=["low_order", "restless"], steps=STEPS, repeats=1)
    assert not found.ok and set(verdicts(found).values()) == {"low order", "disagrees"}
    low, restless = found.cases[0].rows[0], found.cases[0].rows[-1]
    assert low.order == pytest.approx(2.0, abs=0.1) and low.verdict == "low order"
    assert low.reason.startswith("order 2.0 of the positions, where low_order with rk4 declares 4; ")
    assert low.reason.endswith("; lagrange has it")  # a witness that is no row
    assert restless.reason.startswith("position error 1.7e-01, and low_order has ") and not found.cases[0].notes
    assert {row.method for row in found.cases[0].rows} == {"low_order", "restless"}


@pytest.mark.usefixtures("fakes")
def test_an_error_of_many_tolerances_is_no_agreement(pendulum):
    found = mbsim.compare(pendulum, methods=["loose", "svd"], integrators=["adaptive"], tolerances=[1e-7, 1e-8], repeats=1)
    rows = {(row.method, row.level): row for row in found.cases[0].rows}
    assert [rows["loose", x].verdict for x in (1e-7, 1e-8)] == ["disagrees"] * 2
    assert " tolerances; svd has " in rows["loose", 1e-8].reason
    assert [rows["svd", x].verdict for x in (1e-7, 1e-8)] == ["agrees"] * 2


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
    assert row.verdict == "agrees" and row.order == pytest.approx(4.0, abs=0.8)  # with the two runs beyond it
    assert 0.3 < row.judgement.errors["position"] / row.judgement.own["position"] < 3.0


def test_without_a_reference_every_row_says_why(pendulum, monkeypatch):
    monkeypatch.setattr("mbsim.studies.compare.study.converge", lambda *arguments: Reference("", reason="rk4: it cannot be done"))
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
    monkeypatch.setattr("mbsim.studies.compare.study.converge", lambda *arguments: Reference("", reason="it cannot be done"))
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
        assert re.fullmatch(
            r"(lagrange|svd) with dop853 at tolerances 1e-12; its error from a run at 1e-11 and from (lagrange|svd) at both",
            reference.description,
        )
        assert {settings["integrator"] for settings in asked} == {"dop853(rtol=1e-11, atol=1e-11)", "dop853(rtol=1e-12, atol=1e-12)"}
        assert {settings["method"] for settings in asked} == {"lagrange", "aba", "svd"}  # aba refuses what is no tree


def test_two_methods_must_agree_on_the_reference(fakes, pendulum, monkeypatch):
    """Where one of the first two is wrong, a third decides; where no two agree, there is no reference."""
    simulate = worker.simulate
    wrong = {"lagrange": 1e-3}

    def fake(made, **settings):
        result = simulate(made, **settings)
        shift = wrong.get(settings["method"], 0.0) * settings["integrator"].startswith("dop853")
        return changed(result, q=lambda q, t: q + shift * t[:, None]) if shift else result

    monkeypatch.setattr(worker, "simulate", fake)
    found = mbsim.compare(pendulum, methods=["svd"], steps=[0.01], repeats=1)
    assert found.ok and "lagrange" not in found.cases[0].reference.description and "nullspace" in found.cases[0].reference.description
    wrong["nullspace"] = -1e-3
    found = mbsim.compare(pendulum, methods=["svd"], steps=[0.01], repeats=1)
    assert not found.ok and found.cases[0].rows[0].verdict == "no reference"
    assert found.cases[0].reference.reason.startswith(
        "lagrange, svd, nullspace with dop853 at tolerances 1e-12 do not agree: the nearest two"
    )


@pytest.mark.slow
def test_steps_that_were_cut_stay_out_of_the_order():
    """The correction of the drift cuts some steps of 0.01 s on the way through the dead point."""
    found = mbsim.compare("models/quick_return.yaml", methods=["lagrange"], repeats=1)
    rows = found.cases[0].rows
    assert [row.cut for row in rows] == [True, False, False]
    assert rows[0].order_points < 4 and "0.01*" in found.table() and "* some steps were taken in parts" in found.table()


@pytest.mark.slow
def test_the_papers_formulas_do_not_pass():
    """Off by the size of the motion and 11,700 J, by runs that do not converge: at the steps at which riemann is right."""
    methods = ["riemann(equations=paper)", "riemann(renew=paper)", "riemann"]
    found = mbsim.compare("models/quick_return.yaml", methods=methods, repeats=1)
    by = {method: {row.verdict for row in found.cases[0].rows if row.method == method} for method in methods}
    assert by == {methods[0]: {"known wrong"}, methods[1]: {"disagrees"}, methods[2]: {"agrees"}} and not found.ok
    assert found.cases[0].rows[0].source == "Shui (Riemannian configuration space), (21), (22) and (28) as printed"


def test_a_model_with_beams_is_compared_by_default():
    """Every method was refused. `broyden` takes explicit integrators alone."""
    rows = mbsim.compare("bend_45", methods=["cfa", "broyden"], end=0.2).cases[0].rows
    assert {(row.method, row.integrator, row.verdict) for row in rows} == {("cfa", "radau", "agrees"), ("broyden", "radau", "refused")}


STIFF = """
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.02, position: [0.2, 0]}
  tip: {mass: 0.3, inertia: 0.001, position: [0.5, 0]}
joints: {pin: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
forces: {k: {type: bushing, bodies: [arm, tip], at: [0.4, 0], stiffness: [1e8, 1e8, 1e5], damping: [1e5, 1e5, 300]}}
simulation: {end: 0.1}
"""


def test_a_stiff_model_without_a_step_is_compared_by_the_integrator_of_a_run():
    """All rows failed with rk4 at 1e-3 s, and no reference was found."""
    case = mbsim.compare(STIFF, methods=["cfa", "svd"]).cases[0]
    assert {(row.integrator, row.verdict) for row in case.rows} == {("radau", "agrees")}
    assert {row.integrator for row in mbsim.compare(STIFF, methods=["cfa"], steps=[1e-3]).cases[0].rows} == {"rk4"}


def test_equal_steps_that_fail_with_every_method_give_way_to_error_control() -> None:
    """The step of a file may be for an integrator that controls its error; all rows failed, and nothing was compared."""
    guide = {"type": "prismatic", "bodies": ["ground", "b"], "at": [0, 1], "axis": [0, 1]}
    spring = {
        "type": "spring_damper",
        "bodies": ["ground", "b"],
        "at": [[0, 4], [0, 1]],
        "stiffness": 1e8,
        "damping": 1e4,
        "free_length": 2.99,
    }
    model = {
        "name": "stiff", "dimension": 2, "bodies": {"b": {"mass": 1, "inertia": 0.1, "position": [0, 1]}}, "joints": {"r": guide},
        "forces": {"f": spring}, "simulation": {"end": 0.05, "step": 0.01, "integrator": "dop853"},
    }  # fmt: skip
    found = mbsim.compare(model, methods=["svd", "lagrange"], repeats=1)
    case = found.cases[0]
    assert all(row.result is not None and row.judgement.errors["position"] < 10 * row.level for row in case.rows)
    assert {row.integrator for row in case.rows} == {"dop853"} and {row.method for row in case.rows} == {"svd", "lagrange"}
    assert case.notes == ["equal steps from 0.01 s on fail with every method: dop853 takes their place"]
    asked = mbsim.compare(model, methods=["svd"], steps=[0.01], repeats=1)
    assert {row.verdict for row in asked.cases[0].rows} == {"failed"}
