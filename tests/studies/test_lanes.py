"""Runs in lanes are the runs of the model's own method, whatever lanes they take, and what leaves its lane is marched by itself."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import beam, write
from lanes_alike import CONTROLLED, MANY, SHORT, require_alike, runner_of
from mechanisms import chain
from trees import random_tree

from mbsim.assembly import load_model
from mbsim.contracts import COUNT_CORRECTIONS, COUNT_REJECTED, COUNT_SVDS
from mbsim.jit import COMPILES
from mbsim.jit.straight.emission import LANES
from mbsim.march import output_times
from mbsim.march.precision import Precision
from mbsim.straight.forms import LanesError
from mbsim.studies.engine.pool import make_pool, released
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.run import run_study

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
MODELS = Path(__file__).parents[2] / "models"
# Model, what varies, and the kind of equations: own coordinates, trees, trees and loops of absolute coordinates, driven ones, rolling.
CASES = [
    ("double_pendulum", ["initial.theta1", "m2"]),
    ("iftomm_pendulum", []),
    ("four_bar", ["omega", "a"]),
    ("quick_return_delft", []),
    ("slider_crank", []),
    ("spatial_slider_crank", []),
    ("pendulum", []),
    ("heavy_top", []),
    ("rolling_disk", []),
    ("ball_on_turntable", []),
    ("planetary_gear", []),
    ("elliptic_pendulum", []),
    ("quick_return", []),
    ("chrono_universal", []),
    ("space_robot", []),
    ("cam_follower", ["n", "r"]),
]


@pytest.mark.parametrize(("model", "vary"), CASES, ids=[model for model, _ in CASES])
def test_shipped_models_march_as_by_themselves(model: str, vary: list[str]) -> None:
    require_alike(*runner_of(MODELS / f"{model}.yaml", vary), 1e-12)


@pytest.mark.parametrize(("model", "vary"), CASES[:-1], ids=[model for model, _ in CASES[:-1]])
def test_shipped_models_choose_their_steps_as_by_themselves(model: str, vary: list[str]) -> None:
    """With several rows within a step."""
    require_alike(*runner_of(MODELS / f"{model}.yaml", vary, integrator="dop853"), 1e-10)


@pytest.mark.parametrize("output_step", [0.004, 0.2])
@pytest.mark.parametrize("model", ["double_pendulum", "spatial_slider_crank"])
def test_the_other_pair_chooses_its_steps_as_by_itself(model: str, output_step: float) -> None:
    """Also with rows that are reached by several steps."""
    require_alike(*runner_of(MODELS / f"{model}.yaml", [], integrator="rk45", output_step=output_step), 1e-10)


@pytest.mark.parametrize("first_step", [None, 0.2])
def test_steps_that_are_refused_leave_no_mark(first_step: float | None) -> None:
    """The first step, the longest and the tolerance decide which trials are refused; a lane refuses them by itself."""
    asked = {"integrator": "dop853", "first_step": first_step, "max_step": 0.15, "end": 1.0, "rtol": 1e-9, "atol": 1e-11, "method": "svd"}
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega", "a"], **{k: v for k, v in asked.items() if v is not None})
    values[:, 0] *= np.linspace(0.3, 2.0, len(values))
    require_alike(runner, values, 1e-9)
    start = runner.begun(runner.numbers(values[-1]))
    assert start is not None and runner.march(runner.current, *start)
    counts = runner.march.formulation.work.counts
    assert counts[COUNT_SVDS] > 1 and counts[COUNT_REJECTED] > 0


@pytest.mark.parametrize("method", ["lagrange", "nullspace", "cfa", "svd"])
@pytest.mark.parametrize("drift", ["none", "position", "full"])
def test_methods_choose_their_steps_as_by_themselves(method: str, drift: str) -> None:
    asked = {"integrator": "dop853", "rtol": 1e-5, "atol": 1e-7, "output_step": 0.05, "end": 0.6}
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega"], method=method, drift=drift, **asked)
    require_alike(runner, values, 1e-9)
    assert (runner.march.formulation.work.counts[COUNT_CORRECTIONS] > 0) == (drift != "none")


@pytest.mark.parametrize("method", ["lagrange", "nullspace", "cfa", "svd"])
@pytest.mark.parametrize("drift", ["none", "position", "full"])
def test_methods_march_as_by_themselves(method: str, drift: str) -> None:
    """With steps that are long enough for positions and speeds to be corrected."""
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega"], method=method, drift=drift, step=1.5e-3, output_step=0.012, end=0.6)
    require_alike(runner, values, 1e-11)
    assert (runner.march.formulation.work.counts[COUNT_CORRECTIONS] > 0) == (drift != "none")


def test_chains_of_every_joint_march_as_by_themselves() -> None:
    runner, values = runner_of(load_model(chain(2)), [], end=0.02)
    require_alike(runner, values, 1e-10)


def test_elastic_parts_choose_their_steps_as_by_themselves(tmp_path: Path) -> None:
    """Errors of their coordinates are weighed as those of speeds."""
    pin = {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    nodes, M, K = beam(3, 2)
    part = {"matrices": write(tmp_path / "arm.h5", nodes, M, 100.0 * K), "modes": 1}
    model = {"elastic": {"arm": part}, "joints": {"pin": pin}, "parameters": {"g": 1.0}, "gravity": [0, "-g", 0], "simulation": {"end": 1}}
    require_alike(*runner_of(model, ["g"], integrator="dop853", method="cfa"), 1e-9)


def test_what_is_too_large_for_a_compiler_is_refused() -> None:
    runner, values = runner_of(load_model(chain(3)), [], end=0.02)
    with pytest.raises(LanesError, match="more than 20,000 operations"):
        InLanes(runner, values, MANY)


@pytest.mark.parametrize("method", ["aba", "kane", "cfa"])
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_march_as_by_themselves(seed: int, method: str) -> None:
    source = random_tree(np.random.default_rng(seed), 2 + seed % 2, 3)
    runner, values = runner_of(load_model(source), [], end=0.02, method=method)
    assert runner.made.system.in_joint_coordinates
    require_alike(runner, values, 1e-11)


def test_the_basis_is_renewed_as_by_itself() -> None:
    """A crank that turns by more than the basis is held over."""
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega"], end=1.0)
    start = runner.begun(runner.numbers(values[0]))
    assert start is not None and runner.march(runner.current, *start)
    assert runner.march.formulation.work.counts[COUNT_SVDS] > 1
    require_alike(runner, values, 1e-12)


@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
def test_vectors_begin_where_the_processor_reads_them_at_once(integrator: str) -> None:
    """Rows of other arrays take a third longer, and arrays begin where memory happens to be free."""
    runner, values = runner_of(MODELS / "double_pendulum.yaml", ["m2"], integrator=integrator)
    tile = InLanes(runner, values, MANY)._tile
    for array in (tile._values, tile._blank, tile._rows, tile._scales):
        assert array.ctypes.data % (8 * LANES) == 0


@pytest.mark.parametrize(("integrator", "step"), [("rk4", None), ("rk4", 1e-2), ("dop853", None)])
def test_a_run_does_not_depend_on_its_tile(integrator: str, step: float | None) -> None:
    """Nor where steps of some runs are cut."""
    vary = ["omega", "a", "bodies.rocker.mass"]
    outputs = {"peak": "max(norm(joint_force:A))", "mixed": "rms(exp(-t)*sin(rocker.angle)^1.5 + omega)"}
    outputs["when"] = "first_time(crank.angle > 2)"
    asked = {"end": 0.3, "integrator": integrator, **({} if step is None else {"step": step})}
    runner, values = runner_of(MODELS / "four_bar.yaml", vary, outputs, **asked)
    lanes = InLanes(runner, values, MANY)
    found = np.array([one.values for one in lanes.run_many(values)])
    order = np.random.default_rng(5).permutation(len(values))
    assert np.array([one.values for one in lanes.run_many(values[order])]).tobytes() == found[order].tobytes()
    alone = np.array([lanes.run_many(row[None])[0].values for row in values])
    assert alone.tobytes() == found.tobytes()
    again = InLanes(runner_of(MODELS / "four_bar.yaml", vary, outputs, **asked)[0], values, MANY)
    assert np.array([one.values for one in again.run_many(values)]).tobytes() == found.tobytes()


def test_outputs_are_those_of_runs_by_themselves() -> None:
    outputs = {"last": "final(crank.angle)", "peak": "max(norm(joint_force:A))", "mean": "mean(energy_potential)", "x": "max(coupler.B.x)"}
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega", "a", "joints.C.at[0]"], outputs)
    found = InLanes(runner, values, MANY).run_many(values, ("crank.angle",))
    for one, plain in zip(found, runner.run_many(values, ("crank.angle",)), strict=True):
        assert not one.reason and not one.anew
        np.testing.assert_allclose(one.values, plain.values, rtol=1e-12)
        np.testing.assert_allclose(one.wanted["crank.angle"], plain.wanted["crank.angle"], rtol=1e-12)


WALL = """
coordinates: [x]
parameters: {v: 1.0}
energy: {kinetic: der(x)^2/2, potential: 0}
forces:
  wall: {type: generalized, coordinate: x, value: "-1000*max(x - 0.1, 0)"}
  post: {type: generalized, coordinate: x, value: "if_else(x > 0.15, -3000*(x - 0.15), 0)"}
initial: {der(x): v}
"""


def test_a_run_that_leaves_its_lane_is_marched_by_itself(tmp_path: Path) -> None:
    """A law with cases: the code knows the one that the first run begins in."""
    path = tmp_path / "wall.yaml"
    path.write_text(WALL)
    runner = Runner(path, ["v"], {"far": "max(x)", "last": "final(x)"}, simulation={**SHORT, "end": 0.3})
    values = np.linspace(0.05, 3.0, 40)[:, None]
    lanes = InLanes(runner, values, MANY)
    stayed = [ok for _, ok, _ in lanes.marched(values)]
    assert any(stayed) and not all(stayed)
    found = np.array([one.values for one in lanes.run_many(values)])
    plain = np.array([one.values for one in runner.run_many(values)])
    np.testing.assert_allclose(found, plain, rtol=1e-13)
    assert (found == plain)[~np.array(stayed)].all()


def test_lanes_that_most_runs_leave_are_none(tmp_path: Path) -> None:
    path = tmp_path / "wall.yaml"
    path.write_text(WALL)
    runner = Runner(path, ["v"], {"far": "max(x)"}, simulation={**SHORT, "end": 0.3})
    with pytest.raises(LanesError, match="of 8 runs that were tried 8 leave their lanes: a law changes its case"):
        InLanes(runner, np.linspace(1.0, 3.0, 20)[:, None], MANY)


SLED = """
dimension: 2
parameters: {v: 400.0}
bodies:
  sled: {mass: 1.0, inertia: 1.0, position: [0, 0], velocity: [v, 0]}
  mast: {mass: 1.0, inertia: 1.0, position: [0, -1], velocity: [v + 1, 0], angular_velocity: 1}
joints:
  guide: {type: prismatic, bodies: [ground, sled], at: [0, 0], axis: [1, 0]}
  pin: {type: revolute, bodies: [sled, mast], at: [0, 0]}
"""


@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
def test_runs_that_go_far_stay_in_their_lanes(tmp_path: Path, integrator: str) -> None:
    """Beyond 10 m from the origin, as far as double precision resolves the mechanism: as by themselves."""
    path = tmp_path / "sled.yaml"
    path.write_text(SLED)
    runner, _ = runner_of(path, ["v"], {"far": "final(sled.x)"}, integrator=integrator, end=0.1, output_step=0.01)
    values = np.linspace(50.0, 900.0, 12)[:, None]
    require_alike(runner, values, 1e-11)
    lanes = InLanes(runner, values, MANY)
    values[5] = 1e13
    assert [ok for _, ok, _ in lanes.marched(values)] == [k != 5 for k in range(12)]
    assert [one.failed for one in lanes.run_many(values)] == [one.failed for one in runner.run_many(values)]


@pytest.mark.parametrize("model", ["pendulum_dae", "four_bar", "chrono_revolute"])
@pytest.mark.parametrize("loosened", [False, True])
def test_runs_in_several_pieces_stay_where_their_tolerance_does(monkeypatch: pytest.MonkeyPatch, model: str, loosened: bool) -> None:
    """Between pieces the march looks what is resolved of the constraints where the run is."""
    monkeypatch.setattr(output_times, "CHUNK_ROWS", 15)
    runner, values = runner_of(MODELS / f"{model}.yaml", [], {"x": "final(t)"}, drift_tolerance=1e-12)
    assert runner.march.is_cut
    lanes = InLanes(runner, values, MANY)
    has_precision = lanes._held[0][0] is not None
    if loosened:
        held = Precision.tolerance
        monkeypatch.setattr(Precision, "tolerance", lambda self, at, q: held(self, at, q) * (1.0 + at))
    stays = not loosened or not has_precision
    assert [ok for _, ok, _ in lanes.marched(values)] == [stays] * len(values)
    if stays:
        require_alike(runner, values[:2], 1e-11)


def test_a_run_through_a_singular_position_leaves_its_lane() -> None:
    """Coupled four-bars, all of whose rods come to lie on one line: the method holds the rank there, and lanes do not."""
    runner, values = runner_of(MODELS / "n_four_bar_2.yaml", ["bodies.crank0.mass"], step=0.01, end=1.0)
    with pytest.raises(LanesError, match="of 8 runs that were tried 8 leave their lanes: rows of constraints come close to each other"):
        InLanes(runner, values[:8], MANY)


def test_rows_that_come_near_each_other_stay_in_their_lanes() -> None:
    """The squared sine of the angle between two rows of the quick return falls to 6e-4 on the way back."""
    runner, values = runner_of(MODELS / "quick_return_delft.yaml", ["J3"], step=2e-3, end=0.8)
    require_alike(runner, values[:4], 1e-12)


def test_a_mass_of_zero_is_no_error_of_lanes(tmp_path: Path) -> None:
    path = tmp_path / "weightless.yaml"
    path.write_text(WALL.replace("der(x)^2/2", "m*der(x)^2/2").replace("{v: 1.0}", "{v: 1.0, m: 1.0}"))
    runner = Runner(path, ["v", "m"], {"far": "max(x)"}, simulation={**SHORT, "end": 0.3})
    with pytest.raises(LanesError):
        InLanes(runner, np.array([[0.1, 0.0]]), MANY)


def test_runs_that_cannot_start_fail_as_by_themselves() -> None:
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega", "a"], {"last": "final(crank.angle)"})
    values[3, 1] = 40.0  # a crank that is too long for its rods
    found = InLanes(runner, values, MANY).run_many(values)
    plain = runner.run_many(values)
    assert found[3].failed and found[3].reason == plain[3].reason and sum(one.failed for one in found) == 1


@pytest.mark.parametrize(
    ("model", "simulation", "why"),
    [
        ("double_pendulum", {"integrator": "bdf"}, "the integrator is none of rk4, rk45, dop853"),
        ("double_pendulum", {"method": "rattle", "integrator": None}, "of such steps only those of generalized_alpha"),
        ("four_bar", {"method": "riemann"}, "the method riemann has no straight-line equations here"),
        ("four_bar", {"hold_limit": 3.0, "method": "svd"}, "renewed by another rule"),
        ("four_bar", {"output_step": 5e-4}, "steps go over several output rows"),
        ("four_bar", {"stop": "crank.angle - 5"}, "a stop expression"),
        ("bricard", {}, "redundant or singular"),
    ],
)
def test_what_has_no_lanes_says_why(model: str, simulation: dict[str, Any], why: str) -> None:
    given = {name: value for name, value in {**SHORT, **simulation}.items() if value is not None}
    runner = Runner(MODELS / f"{model}.yaml", [], {}, simulation=given)
    with pytest.raises(LanesError, match=why):
        InLanes(runner, np.zeros((1, 0)), MANY)


def test_few_runs_are_not_worth_a_compiler() -> None:
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega"])
    with pytest.raises(LanesError, match="all runs together take 600 steps"):
        InLanes(runner, values, 12)
    with pytest.raises(LanesError, match="compiling takes some"):
        InLanes(runner, values, 4000)
    runner, values = runner_of(MODELS / "four_bar.yaml", ["omega"], integrator="dop853")
    with pytest.raises(LanesError, match="all runs together have 600 rows"):
        InLanes(runner, values, 12)
    with pytest.raises(LanesError, match="compiling takes some"):
        InLanes(runner, values, 2000)


def test_laws_that_change_are_located_by_runs_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "wall.yaml"
    path.write_text(WALL)
    runner = Runner(path, ["v"], {"far": "max(x)"}, simulation=CONTROLLED)
    with pytest.raises(LanesError, match="corners of laws are located"):
        InLanes(runner, np.linspace(0.05, 0.2, 20)[:, None], MANY)


@pytest.mark.parametrize("model", ["four_bar", "spatial_slider_crank", "chrono_revolute", "slider_crank"])
def test_forces_of_joints_are_those_of_the_result(model: str) -> None:
    """On the second body, also where that is the ground; in the plane and in space."""
    runner, values = runner_of(MODELS / f"{model}.yaml", [])
    joints = [joint.name for joint in runner.made.system.joints]
    names = [f"joint_force:{name}" for name in joints] + [f"joint_torque:{name}" for name in joints]
    found, plain = InLanes(runner, values, MANY).run_many(values[:1], names)[0], runner.run(values[0], names)
    for name in names:
        size = max(1.0, float(np.abs(plain.wanted[name]).max()))
        np.testing.assert_allclose(found.wanted[name], plain.wanted[name], atol=1e-11 * size)


@pytest.mark.parametrize("simulation", [{"end": 4.0}, {"method": "generalized_alpha", "end": 16.0, "step": 2e-3}], ids=["rk4", "implicit"])
def test_a_study_in_lanes_has_the_same_numbers_with_two_workers(simulation: dict[str, Any], tmp_path: Path) -> None:
    vary = {"omega": {"from": 7.0, "to": 9.0, "count": 171}}
    made = prepare(MODELS / "four_bar.yaml", vary, {"last": "final(crank.angle)"}, simulation=simulation)
    assert made.batches.why_alone == ""
    found = []
    for workers in (1, 2):
        pool = make_pool(workers, "threads")
        run_study(made, tmp_path / f"{workers}.h5", pool)
        pool.close()
        found.append((tmp_path / f"{workers}.h5").read_bytes())
    assert found[0] == found[1]
    assert LANES == 8


def test_runs_that_are_known_beforehand_go_in_lanes(tmp_path: Path) -> None:
    """As the samples of sensitivity indices do; those of an optimiser do not."""
    vary = {"omega": {"from": 7.0, "to": 9.0}}
    made = prepare(MODELS / "four_bar.yaml", vary, {"last": "final(crank.angle)"}, simulation={"end": 4.0},
                   sensitivity={"type": "derivatives"})  # fmt: skip
    assert made.task.runs == 0
    values = np.linspace(7.0, 9.0, 171)[:, None]
    with released(make_pool(1)) as pool:
        by_itself = Evaluations(made, pool, None).outputs(values[:2])
        expected = Evaluations(made, pool, None)
        expected.expect(values)
        in_lanes = expected.outputs(values[:2])
    assert (by_itself != in_lanes).any()
    np.testing.assert_allclose(in_lanes, by_itself, rtol=1e-12)


def test_a_study_that_asks_for_it_goes_by_itself() -> None:
    vary = {"omega": {"from": 7.0, "to": 9.0, "count": 171}}
    made = prepare(MODELS / "four_bar.yaml", vary, {"last": "final(crank.angle)"}, simulation={"end": 4.0}, alone=True)
    assert made.batches.why_alone == "it is asked for"
    values = made.plan.values(3, 4)
    assert made.batches.run(values).outputs[0].tobytes() == made.runner.run(values[0]).values.tobytes()
