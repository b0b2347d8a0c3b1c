"""What runs in lanes tell beside their state, and which studies have the numbers to go in lanes at all."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsim.jit import COMPILES
from mbsim.march.between import Following
from mbsim.model.recorded import ENERGIES
from mbsim.results.functionals import parse
from mbsim.straight import forms
from mbsim.straight.equations import Equations
from mbsim.studies.engine.pool import make_pool, released
from mbsim.studies.runner import in_lanes as lanes_module
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.recorded import asks_between
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.sensitivities import derivatives
from mbsim.studies.sampled.task import Batches, spread

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
MODELS = Path(__file__).parents[2] / "models"
MANY = 10**7  # runs, for which lanes pay
SHORT = {"integrator": "rk4", "step": 1e-3, "end": 0.05}
LONG = {"end": 8.0}  # of the four-bar, in steps of 1 ms: some 45 runs pay
TOLD = ["double_pendulum", "elliptic_pendulum", "four_bar", "slider_crank", "heavy_top", "spatial_slider_crank", "rolling_disk",
        "hanging_chain"]  # fmt: skip


@pytest.mark.parametrize("model", TOLD)
def test_energies_are_told_as_the_method_has_them(model: str) -> None:
    """Of own coordinates, trees, absolute coordinates, a driver, and a mechanism that rolls."""
    runner = Runner(MODELS / f"{model}.yaml", [], {}, simulation=SHORT)
    values = np.zeros((1, 0))
    lanes = InLanes(runner, values, MANY)
    assert lanes.programs.tells_energies
    found, plain = lanes.run_many(values, ENERGIES)[0], runner.run(values[0], ENERGIES)
    size = max(1.0, *(float(np.abs(plain.wanted[name]).max()) for name in ENERGIES[:2]))
    for name in ENERGIES:
        np.testing.assert_allclose(found.wanted[name], plain.wanted[name], rtol=1e-12, atol=1e-12 * size)


def test_energies_that_cannot_be_told_come_from_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a system whose energy asks what its equations do not: no run leaves its lane for that."""
    told = Equations.energies
    monkeypatch.setattr(Equations, "energies", lambda self, at, q, v: [x if x > -1e9 else 2.0 * x for x in told(self, at, q, v)])
    runner = Runner(MODELS / "double_pendulum.yaml", ["m2"], {"high": "max(energy_potential)"}, simulation=SHORT)
    values = runner.base * np.linspace(0.9, 1.1, 10)[:, None]
    lanes = InLanes(runner, values, MANY)
    assert not lanes.programs.tells_energies
    assert [one.values.tolist() for one in lanes.run_many(values)] == [
        pytest.approx(one.values.tolist(), rel=1e-12) for one in runner.run_many(values)
    ]


# Of each case the outputs: of lengths that vary, of a start alone, in space, of own coordinates.
TOGETHER: list[tuple[str, list[str], dict[str, str]]] = [
    (
        "four_bar",
        ["omega", "a"],
        {
            "peak": "max(norm(joint_force:A))", "side": "min(joint_force:C:x)", "other": "max(joint_force.B.y)", "grow": "final(omega*t)",
            "high": "mean(energy_potential)", "at": "at(rocker.angle, 0.1/omega)", "when": "first_time(crank.angle > 1.4 + 0.02*omega)",
            "range": "peak_to_peak(der(coupler.x))/omega", "load": "rms(joint_force.A.x - crank.x)",
        },
    ),
    (
        "four_bar",
        ["omega"],
        {
            "x": "max(coupler.B.x)", "speed": "max(der(coupler.B.y))", "far": "min(distance(coupler.B, ground))", "when": "time_of_max(t)",
            "path": "path_error(coupler.B, x, y, 1, 2, 2, 2)", "work": "final(kinetic_energy(coupler))",
        },
    ),
    (
        "spatial_slider_crank",
        [],
        {"y": "max(rod.y)", "turn": "final(rod.omega.x) + max(O.angle)", "z": "max(rod.qz)", "force": "max(norm(joint_force:B))"},
    ),
    ("double_pendulum", ["initial.theta1", "m2"], {"last": "final(theta2)", "most": "max(m2*der(theta1)^2)", "a": "min(der(der(theta2)))"}),
]  # fmt: skip


@pytest.mark.parametrize(("model", "vary", "outputs"), TOGETHER)
def test_outputs_of_a_tile_are_found_together(
    monkeypatch: pytest.MonkeyPatch, model: str, vary: list[str], outputs: dict[str, str]
) -> None:
    """They are those of runs by themselves, and so are the histories that are kept."""
    runner = Runner(MODELS / f"{model}.yaml", vary, outputs, simulation=SHORT)
    values = runner.base * (1.0 + 0.01 * np.random.default_rng(4).uniform(-1.0, 1.0, (11, len(vary))))
    lanes, keep = InLanes(runner, values, MANY), ["t", runner.made.system.coordinates[1]]
    plain = [runner.run(row, keep) for row in values]
    monkeypatch.setattr(Runner, "followed", lambda *given: pytest.fail("a run is looked at by itself"))
    for one, by_itself in zip(lanes.run_many(values, keep), plain, strict=True):
        np.testing.assert_allclose(one.values, by_itself.values, rtol=1e-11, atol=1e-13)
        for name in keep:
            np.testing.assert_allclose(one.wanted[name], by_itself.wanted[name], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("output", ["max(joint_force_local:A:x)", "max(coupler.B.x)", "first_time(crank.angle > 9)", "at(crank.angle, a)"])
def test_what_is_not_found_together_is_found_of_each_run(output: str) -> None:
    """A force in axes of a body, a point of a body whose lengths vary, a time that there is not, and a time outside of the run."""
    runner = Runner(MODELS / "four_bar.yaml", ["a"], {"x": output}, simulation=SHORT)
    values = runner.base * np.linspace(0.99, 1.01, 9)[:, None]
    found = InLanes(runner, values, MANY).run_many(values)
    for one, by_itself in zip(found, runner.run_many(values), strict=True):
        np.testing.assert_allclose(one.values, by_itself.values, rtol=1e-12)
        assert one.reason == by_itself.reason


def test_rows_between_do_not_depend_on_the_runs_before() -> None:
    """A march beside a run measures it by the lengths of that run: of runs one after the other, and in lanes."""
    asked = {"integrator": "dop853", "output_step": 0.01, "end": 0.8}
    runners = [Runner(MODELS / "four_bar.yaml", ["a", "omega"], {"x": "mean(norm(joint_force:A))"}, simulation=asked) for _ in range(3)]
    values = np.linspace([0.9, 6.5], [1.2, 8.5], 5)
    alone, after = runners[0].run(values[0]), runners[1].run_many(values[::-1])[-1]
    assert len(runners[0].result.time) > 81  # type: ignore[union-attr]
    assert after.values.tobytes() == alone.values.tobytes()
    found = InLanes(runners[2], values, MANY).run_many(values[::-1])[-1]
    np.testing.assert_allclose(found.values, alone.values, rtol=1e-9)


def test_a_run_without_a_number_changes_nothing_beside_it() -> None:
    """Where a time lies outside of the run, the runs in other lanes are still found together."""
    runner = Runner(MODELS / "four_bar.yaml", ["a"], {"x": "at(norm(joint_force:A), 0.05*a)"}, simulation=SHORT)
    values = np.linspace(0.98, 1.02, 8)[:, None]
    lanes = InLanes(runner, values, MANY)
    together = lanes._at_once([run for run in lanes._march(values) if run.stayed], ())
    assert sorted(together) == [0, 1, 2, 3]
    found, alone = lanes.run_many(values), [lanes.run_many(row[None])[0] for row in values]
    assert [bool(one.reason) for one in found] == [False] * 4 + [True] * 4
    assert np.array([one.values for one in found]).tobytes() == np.array([one.values for one in alone]).tobytes()


ENDS = {
    "final(crank.angle) - initial(crank.angle)": False,
    "omega*final(norm(joint_force:A)) + final(t + der(rocker.angle)^2)": False,
    "final(energy_kinetic - crank.y)": False,
    "final(crank.angle - max(crank.angle))": True,
    "at(crank.angle, 0.5)": True,
    "final(energy_balance)": True,
    "final(kinetic_energy(coupler))": True,
}


def test_what_asks_for_rows_between() -> None:
    runner = Runner(MODELS / "four_bar.yaml", ["omega"], simulation=SHORT)
    found = {text: asks_between([parse(text)], runner.model, runner.made.system) for text in ENDS}
    assert found == ENDS and asks_between([], runner.model, runner.made.system)


def test_first_and_last_values_ask_for_no_rows_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """A study has the same numbers by runs alone and in lanes, and marches no rows between; runs of a runner do."""
    asked, output = {"integrator": "dop853", "output_step": 0.01, "end": 0.8}, next(iter(ENDS))
    made = prepare(MODELS / "four_bar.yaml", {"omega": {"from": 6.5, "to": 8.5, "count": 10**6}}, {"x": output}, simulation=asked)
    values = made.plan.values(0, 3)
    plain = [one.values[0] for one in made.runner.run_many(values)]
    assert made.runner.result is not None and len(made.runner.result.time) > 81
    assert made.batches.why_alone == ""
    monkeypatch.setattr(Following, "chunk", lambda *given: pytest.fail("rows between are looked for"))
    assert Batches(replace(made.task, alone=True), made.runner).run(values).outputs[:, 0].tolist() == plain
    np.testing.assert_allclose(made.batches.run(values).outputs[:, 0], plain, rtol=1e-10)


@pytest.mark.parametrize("axes", [(100, 100), (1, 400, 3), (20_000,), (3,), (1,)])
def test_some_runs_tell_of_every_axis_of_a_grid(axes: tuple[int, ...]) -> None:
    places = np.array(np.unravel_index(spread(int(np.prod(axes))), axes))
    assert (places[:, 0] == 0).all() and len(set(map(tuple, places.T.tolist()))) == places.shape[1]
    for count, found in zip(axes, places, strict=True):
        assert len(set(found.tolist())) >= min(count, 20)


def test_a_grid_of_two_axes_goes_in_lanes() -> None:
    """Its first 100 runs have one value of the first axis."""
    vary = {"omega": {"from": 7.0, "to": 9.0, "count": 100}, "a": {"from": 0.98, "to": 1.02, "count": 100}}
    made = prepare(MODELS / "four_bar.yaml", vary, {"last": "final(crank.angle)"}, simulation={"end": 0.1})
    assert made.batches.why_alone == ""
    lanes = made.batches._lanes
    assert lanes is not None
    values = np.concatenate([made.plan.values(k, k + 1) for k in range(0, 10_000, 709)])
    assert all(stayed for _, stayed, _ in lanes.marched(values))


def evaluated(made: Any, values: np.ndarray, workers: int) -> tuple[np.ndarray, list[int]]:
    """The outputs of batches of 16 runs, and at how many runs batches are asked for in lanes."""
    batches = [values[first : first + 16] for first in range(0, len(values), 16)]
    with released(make_pool(workers, "threads")) as pool:
        evaluations = Evaluations(made, pool, None)
        found, lanes = [], []
        for k, batch in enumerate(batches):
            found.append(evaluations.outputs(batch))
            if evaluations._task is not made.task:
                lanes.append(16 * k)
    return np.concatenate(found), lanes


def test_runs_that_nobody_foresees_go_in_lanes_after_as_many() -> None:
    """As those of an optimiser: with the same numbers whatever the workers, which are those of runs by themselves."""
    made = prepare(MODELS / "four_bar.yaml", {"omega": {"from": 7.0, "to": 9.0}}, {"last": "final(crank.angle)"}, simulation=LONG,
                   sensitivity={"type": "derivatives"})  # fmt: skip
    values = np.random.default_rng(3).uniform(7.0, 9.0, (96, 1))
    found, lanes = evaluated(made, values, 1)
    assert lanes and min(lanes) >= 48
    again, same = evaluated(made, values, 2)
    assert again.tobytes() == found.tobytes() and same == lanes
    few = np.r_[0:2, 94:96]
    plain = np.array([made.runner.run(values[k]).values for k in few])
    assert (found[few[:2]] == plain[:2]).all() and (found[few[2:]] != plain[2:]).any()
    np.testing.assert_allclose(found[few], plain, rtol=1e-11)  # after 8,000 steps


@pytest.mark.parametrize(("size", "in_lanes"), [(3, False), (5, True)])
def test_runs_that_choose_their_steps_go_in_lanes_where_several_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, size: int, in_lanes: bool
) -> None:
    """One alone in its lanes may take longer than by itself."""
    for module, name, value in ((lanes_module, "COMPILING", 0.0), (lanes_module, "EACH", 0.0), (forms, "FEWEST_STEPS", 1)):
        monkeypatch.setattr(module, name, value)
    made = prepare(MODELS / "double_pendulum.yaml", {"initial.theta1": {"from": 1.0, "to": 1.1}}, {"last": "final(theta1)"},
                   simulation={"integrator": "dop853", "end": 0.5, "output_step": 0.1}, sensitivity={"type": "derivatives"})  # fmt: skip
    values = np.linspace(1.0, 1.1, 30)[:, None]
    with released(make_pool(1)) as pool:
        evaluations = Evaluations(made, pool, None)
        found = np.concatenate([evaluations.outputs(values[k : k + size]) for k in range(0, 30, size)])
    assert (evaluations._task is not made.task) == in_lanes
    plain = np.array([made.runner.run(row).values for row in values])
    np.testing.assert_allclose(found, plain, rtol=1e-10)
    assert (found == plain).all() == (not in_lanes)


def test_what_asks_for_it_is_never_in_lanes() -> None:
    made = prepare(MODELS / "four_bar.yaml", {"omega": {"from": 7.0, "to": 9.0}}, {"last": "final(crank.angle)"}, simulation={"end": 0.01},
                   sensitivity={"type": "derivatives"}, alone=True)  # fmt: skip
    assert evaluated(made, np.linspace(7.0, 9.0, 32)[:, None], 1)[1] == []


def test_derivatives_by_differences_go_in_lanes() -> None:
    """All of their runs are known beforehand. The differences of values that agree to 1e-15 agree as closely as their errors say."""
    common: dict[str, Any] = {"simulation": {"end": 12.0}, "sensitivity": {"type": "derivatives"}}
    vary = {"omega": {"from": 7.9, "to": 8.1}, "a": {"from": 0.99, "to": 1.01}}
    found = []
    for alone in (False, True):
        made = prepare(MODELS / "four_bar.yaml", vary, {"turn": "final(crank.angle)"}, **common, alone=alone)
        with released(make_pool(1)) as pool:
            evaluations = Evaluations(made, pool, None)
            found.append(derivatives(made, evaluations)["outputs"]["turn"])
        assert (evaluations._task.runs == 37) and (evaluations._task.alone == alone)
    assert found[0]["value"] == pytest.approx(found[1]["value"], rel=1e-12)
    for name in vary:
        one, other = (each["by"][name] for each in found)
        assert one["derivative"] == pytest.approx(other["derivative"], rel=1e-9, abs=one["error"] + other["error"])
