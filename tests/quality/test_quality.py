"""What a run says of itself: the grade of its energy balance, the estimate of its error, what assembly moved; exit code 3."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from mechanisms import MODELS, close
from redundant_mechanisms import ROBERVAL

import mbsim
from mbsim import formulations
from mbsim.analyses.dynamic import simulate
from mbsim.cli import main
from mbsim.march.quality import Quality, grade_energy

FAILING = Path(__file__).parents[1] / "failing"
CRANK = """
dimension: 2
gravity: [0, 0]
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.4, 0.2], angle: 0.45, points: {O: [-0.5, 0], A: [0.5, 0]}}
  coupler: {mass: 1, inertia: 0.3, position: [1.9, 0.5], angle: 0.05, points: {A: [-1.0, 0], B: [1.0, 0]}}
  rocker: {mass: 1, inertia: 0.1, position: [2.45, 0.2], angle: 0.45, points: {C: [-0.5, 0], B: [0.5, 0]}}
joints:
  O: {type: revolute, points: [ground, crank.O]}
  A: {type: revolute, points: [crank.A, coupler.A]}
  B: {type: revolute, points: [coupler.B, rocker.B]}
  C: {type: revolute, bodies: [ground, rocker], at: [2, 0.01]}
initial: {crank.angular_velocity: 8, rocker.angular_velocity: 0}
simulation: {end: 0.01, step: 1e-3}
"""


def made(name: str) -> Any:
    """A shipped model without the options of its own integrator."""
    found = mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))
    found.simulation.options.clear()
    return found


@pytest.mark.parametrize(
    ("imbalance", "there", "size", "level"),
    [
        (3.7e-14, 0.2, 0.2, ""),
        (5.5e-11, 0.375, 0.375, ""),
        (1e-11, 1e-14, 1e3, ""),  # round-off of an energy that is large
        (0.0, 0.0, 0.0, ""),
        (0.2, 38.0, 200.0, "note"),
        (2.0, 38.0, 200.0, "warning"),
        (1e-3, 0.0, 1.0, "warning"),
    ],
)
def test_an_imbalance_is_graded_by_the_energy_that_is_there(imbalance: float, there: float, size: float, level: str) -> None:
    found = grade_energy(imbalance, there, size)
    assert (bool(found.note), bool(found.warning)) == (level == "note", level == "warning")


def test_kinetic_energy_counts_where_none_is_exchanged() -> None:
    """A steady motion with a balance at round-off, watched in two chunks; then one that loses a tenth."""
    kinetic = np.full(4, 0.375)
    for lost, warned in ((5.5e-11, False), (0.0375, True)):
        watch = Quality()
        for part in (slice(0, 2), slice(2, 4)):
            values = {"energy_kinetic": kinetic, "energy_potential": 0 * kinetic, "energy_work": 0 * kinetic}
            values |= {"energy_balance": np.array([0, 0, 0, lost]), "q": np.arange(4.0).reshape(4, 1)}
            watch.chunk(np.arange(4.0)[part], {name: value[part] for name, value in values.items()})
        assert bool(watch.warnings()) == warned


def test_a_jump_at_a_singular_position_is_worth_a_warning() -> None:
    """A ten-thousandth of the energy, between two chunks; elsewhere it is not."""
    kinetic, times = np.full(6, 40.0), np.arange(6.0)
    watch = Quality()
    for part in (slice(0, 3), slice(3, 6)):
        values = {"energy_kinetic": kinetic, "energy_potential": 0 * kinetic, "energy_work": 0 * kinetic}
        values |= {"energy_balance": np.array([0, 0, 0, 4e-3, 4e-3, 4e-3]), "q": np.arange(6.0).reshape(6, 1)}
        watch.chunk(times[part], {name: value[part] for name, value in values.items()})
    assert watch.warnings() == watch.warnings([0.5]) == []
    (line,) = watch.warnings([0.5, 2.25])
    assert "jumps by 0.004 J, 0.0001 of the energy that is there, at the singular position at t = 2.25 s" in line
    assert "may be off by 0.01 of its speed" in line


@pytest.mark.parametrize("name", ["chaplygin_sleigh", "free_body", "heavy_top_steady", "rolling_disk_steady", "pendulum", "slider_crank"])
def test_shipped_models_give_no_false_alarm(name: str) -> None:
    facts = simulate(mbsim.load_model(MODELS / f"{name}.yaml")).attributes
    assert (facts["warnings"], facts["notes"]) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_shipped_model_warns(path: Path) -> None:
    assert simulate(mbsim.load_model(path)).attributes["warnings"] == []


def test_round_off_is_no_imbalance() -> None:
    """A parallelogram that turns without gravity and exchanges nothing: 4e-14 J of 0.2 J."""
    facts = simulate(mbsim.load_model(FAILING / "parallelogram_g0.yaml"), end=1.0).attributes
    assert (facts["warnings"], facts["notes"]) == ([], [])


@pytest.mark.parametrize("method", ["svd", "rattle", "generalized_alpha", "broyden", "baumgarte"])
@pytest.mark.parametrize(("name", "step"), [("pendulum", 1e-2), ("four_bar", 4e-3)])
def test_the_estimate_is_near_the_error(name: str, step: float, method: str) -> None:
    """Near the largest error against dop853 at 1e-11; the median of the ratio over all models is 2 (docs/results.md)."""
    start = made(name)
    exact = simulate(start, end=4.0, method="svd", integrator="dop853", rtol=1e-11, atol=1e-11, step=step, output_step=step)
    run = simulate(start, end=4.0, method=method, integrator="auto" if method != "svd" else "rk4", step=step, output_step=step)
    error = np.abs(run["q"] - exact["q"]).max()
    assert error / 30 < run["error_estimate"].max() < 200 * error
    assert run["error_estimate"][0] == 0.0
    assert run.units("error_estimate") == "1"


ARM = """
name: arm
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 0.1, position: [0.4, 0]}}
joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0]}}
forces: {m: {type: joint_torque, joint: j, value: 60*(1.0 - j.angle) - 8*der(j.angle)}}
simulation: {end: 30}
"""


def test_the_estimate_of_an_arm_at_rest_does_not_grow() -> None:
    """An arm that comes to rest within 2 s: the balance stays off by what the first steps left, and nothing runs ahead any more."""
    model = mbsim.load_model(ARM)
    run, finer = (simulate(model, method="svd", integrator="rk4", step=step, output_step=0.03) for step in (0.03, 0.003))
    error, estimate = np.abs(run["q"] - finer["q"]).max(), run["error_estimate"]
    assert error / 30 < estimate.max() < 200 * error  # it was 0.24, a fifth of the motion
    assert estimate[-1] <= 1.01 * estimate[len(estimate) // 10] and not run.attributes["warnings"]


def test_round_off_of_what_rests_is_no_error() -> None:
    """A box that rests on a floor moves by round-off, and its estimated error is as large as that motion."""
    run = simulate(
        mbsim.load_model("""
            name: a box rests on a floor
            dimension: 3
            gravity: [0, 0, -9.81]
            coordinates: joint
            bodies: {box: {mass: 2, inertia: [0.02, 0.02, 0.02], shape: {type: box, size: [0.3, 0.2, 0.1]}}}
            contacts: {floor: {bodies: [box, ground], plane: {normal: [0, 0, 1], through: [0, 0, -0.05]}, friction: 0.8}}
            simulation: {end: 0.5, method: aba, step: 0.001}
        """)
    )
    assert 0.0 < run["error_estimate"].max() < 1e-13 and not run.attributes["warnings"]


def test_a_balance_of_roberval_that_rests_is_not_inaccurate() -> None:
    """It moves by a few of the errors that its steps may have, and so does its energy: 3e-11 J of 3 J, "0.87 of what is there"."""
    run = simulate(mbsim.load_model(ROBERVAL.replace("end: 1}", "end: 10}")))
    assert np.ptp(run["q"], axis=0).max() > 1e-10
    assert not run.attributes["warnings"]


def test_steps_that_are_cut_are_said() -> None:
    run = simulate(made("four_bar"), end=1.0, method="svd", integrator="rk4", step=0.02)
    assert run.attributes["planned_steps"] == 50 < run.attributes["counts"]["steps"]
    assert [x for x in run.attributes["notes"] if x.startswith("steps of 0.02 s were cut, ") and x.endswith("steps in place of 50")]
    whole = simulate(made("four_bar"), end=0.1, method="svd", integrator="rk4", step=1e-3)
    assert whole.attributes["planned_steps"] == whole.attributes["counts"]["steps"] == 100


def test_the_estimate_is_the_same_with_implicit_steps_solved_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first window begins with work arrays in which nothing has been evaluated."""
    settings: dict[str, Any] = {"method": "generalized_alpha", "step": 1e-2, "output_step": 1e-2, "end": 4.0}
    dense = simulate(made("pendulum"), **settings)
    monkeypatch.setitem(formulations.CONDITIONS, "bodies by blocks", lambda traits: True)
    blocks = simulate(made("pendulum"), **settings)
    assert dense.attributes["counts"] != blocks.attributes["counts"]
    close(blocks["q"], dense["q"], atol=1e-6)
    assert blocks["error_estimate"].max() == pytest.approx(dense["error_estimate"].max(), rel=1e-2)


@pytest.mark.parametrize("spacing", [2e-3, 4e-3, 2e-2, 1.0], ids=lambda x: f"{x:g}")
def test_the_estimate_does_not_depend_on_the_rows(spacing: float) -> None:
    """Rows closer than a step, at each, farther apart, and so far that the windows lie between two."""
    start = made("four_bar")
    reference = simulate(start, end=4.0, method="svd", integrator="rk4", step=4e-3)["error_estimate"].max()
    found = simulate(start, end=4.0, method="svd", integrator="rk4", step=4e-3, output_step=spacing)["error_estimate"].max()
    assert reference / 30 < found < 30 * reference


def test_the_estimate_leaves_the_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with_it = simulate(made("pendulum"), end=1.0)
    monkeypatch.setattr("mbsim.march.stretch.error_estimate", lambda *given: None)
    without = simulate(made("pendulum"), end=1.0)
    assert "error_estimate" not in without
    assert (with_it["q"] == without["q"]).all()
    assert with_it.attributes["counts"] == without.attributes["counts"]


def test_error_control_has_no_estimate() -> None:
    assert "error_estimate" not in simulate(made("pendulum"), end=0.1, integrator="rk45")


@pytest.mark.parametrize(("step", "warned"), [(0.02, False), (0.4, True)])
def test_a_coarse_step_is_warned_of(step: float, warned: bool) -> None:
    """The elliptic pendulum goes the wrong way at the second step, where 0.43 of its energy is gone."""
    warnings = simulate(made("elliptic_pendulum"), integrator="rk4", step=step, output_step=step).attributes["warnings"]
    assert any("no digit of the positions is right" in line for line in warnings) == warned


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="mbsim")


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 3)])
def test_strict_makes_a_warning_an_exit_code(tmp_path: Path, strict: tuple[str, ...], code: int) -> None:
    done = run("-q", "run", MODELS / "elliptic_pendulum.yaml", "--integrator", "rk4", "--step", "0.4", *strict, "-o", tmp_path / "x.h5")
    assert done.exit_code == code
    assert "warning: no digit of the positions is right" in done.stderr  # -q does not hide it
    with h5py.File(tmp_path / "x.h5") as file:
        assert "estimated" in file["warnings"].asstr()[()]


def test_what_assembly_moves_is_said(tmp_path: Path) -> None:
    """A four-bar drawn badly, whose rocker is given no speed: the crank loses half of its own. Its last joint is beside rocker.C."""
    (tmp_path / "crank.yaml").write_text(CRANK)
    for _ in range(2):  # the second run takes the model that the first one assembled
        done = run("run", tmp_path / "crank.yaml", "-o", tmp_path / "x.h5")
        assert done.exit_code == 0
        assert "note: the constraints forbid speeds that were given; assembly changed der(crank.angle) 8 -> 3.78034" in done.stderr
        assert "note: assembly moved crank by up to " in done.stderr and ", angle 0.45 -> " in done.stderr
        assert "warning: joint C (line 12) is 0.0275 m, 0.94 % of the mechanism's size, from the point rocker.C" in done.stderr
    with mbsim.open_result(tmp_path / "x.h5") as result:
        assert len(result.attributes["notes"]) == 4 and len(result.attributes["warnings"]) == 1
    done = run("-q", "run", tmp_path / "crank.yaml", "-o", tmp_path / "x.h5", "--strict")
    assert done.exit_code == 3 and "warning: joint C" in done.stderr
    done = run("check", tmp_path / "crank.yaml")
    assert done.exit_code == 0 and "note: assembly moved rocker by up to" in done.stdout and "warning: joint C (line 12)" in done.stdout


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum", "heavy_top"])
def test_nothing_is_said_where_nothing_is_moved(name: str) -> None:
    assert mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml")).notes == ()


def test_summaries_say_what_was_asked_for(tmp_path: Path) -> None:
    """Tolerances of a run with error control, else the step; `-v` the system and the times."""
    said = run("run", MODELS / "pendulum.yaml", "--end", "0.1", "--integrator", "rk45", "-o", tmp_path / "x.h5").stderr
    assert "with cfa and rk45, rtol 1e-06, atol 1e-08" in said and "step" not in said.splitlines()[0]
    said = run("-v", "run", MODELS / "pendulum.yaml", "--end", "0.1", "-o", tmp_path / "x.h5").stderr
    assert "with cfa and rk4, step 0.001 s" in said
    assert "system: 1 body, 1 joint, 3 coordinates, 3 speeds, 2 constraints; 101 rows of output" in said
    assert "method cfa: chosen" in said and "compiled code: " in said and "times: " in said
