"""Rows between those of runs in lanes: which runs lack some, and that lanes fill in what the run's own method does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsim.jit import COMPILES
from mbsim.march.lengths import put_measured
from mbsim.straight import forms
from mbsim.studies.engine.pool import make_pool, released
from mbsim.studies.lanes import beside
from mbsim.studies.lanes.beside import LanesBeside
from mbsim.studies.runner import in_lanes
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner
from mbsim.studies.sampled.api import prepare
from mbsim.studies.sampled.run import run_study

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
MODELS = Path(__file__).parents[2] / "models"
MANY = 10**7  # runs, for which lanes pay
COARSE: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-8, "atol": 1e-9}
# Model, what varies by a hundredth, output steps from which on rows lack nothing, something in some runs, in all
CASES = [
    ("four_bar", ["omega", "a"], [0.002, 0.009, 0.03], 0.3),
    ("double_pendulum", ["m2"], [0.01, 0.12, 0.3], 3.0),
    ("spatial_slider_crank", ["bodies.crank.mass"], [0.002, 0.05], 0.4),
    ("cam_follower", [], [0.02], 0.2),
]


def lanes_of(model: str, vary: list[str], outputs: dict[str, str], **simulation: Any) -> tuple[InLanes, Runner, np.ndarray]:
    """Runs in lanes, another runner, and values of 11 runs near what the file has."""
    runners = [Runner(MODELS / f"{model}.yaml", vary, outputs, simulation={**COARSE, **simulation}) for _ in range(2)]
    values = runners[0].base * (1.0 + 0.01 * np.random.default_rng(4).uniform(-1.0, 1.0, (11, len(vary))))
    for runner in runners:
        runner.keeps_result = False
    return InLanes(runners[0], values, MANY), runners[1], values


@pytest.mark.parametrize(("model", "vary", "steps", "end"), CASES, ids=[model for model, *_ in CASES])
def test_runs_of_which_nothing_is_told_lack_nothing(model: str, vary: list[str], steps: list[float], end: float) -> None:
    """A run that the look at all lanes lets pass has no row filled in when it is looked at by itself."""
    told = set()
    for step in steps:
        lanes, runner, values = lanes_of(model, vary, {"x": "max(t)"}, end=end, output_step=step)
        marched, look = lanes._march(values[:8]), runner.following()
        misses, times = lanes._tile.misses(), runner.march.times
        for run, row in zip(marched, values, strict=False):
            lane = run.lane
            assert run.stayed and runner.begun(runner.numbers(row)) is not None
            put_measured(runner.march.formulation.work, lanes._tile.measured[lane])
            look.restart()
            filled = look.chunk(times, lanes._tile.rows[:, :, lane], lanes._steps_of(lane))[0]
            assert misses[lane] or len(filled) == len(times)
            told.add(bool(misses[lane]))
    assert (False in told) == (len(steps) > 1) and True in told


OUTPUTS = {
    "force": "max(norm(joint_force:A))", "kinetic": "mean(energy_kinetic)", "energy": "min(energy_potential)", "mean": "mean(rocker.angle)",
    "local": "max(joint_force_local:B:x)", "speed": "max(der(coupler.x)) + omega",
}  # fmt: skip


@pytest.mark.parametrize("way", ["in lanes", "some leave", "too many rows"])
def test_lanes_fill_in_what_the_method_does(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """The outputs, the histories that are kept and what is said of rows; also where a march beside is not made in its lane."""
    if way == "too many rows":
        monkeypatch.setattr(beside, "MOST_BYTES", 0.0)
    if way == "some leave":
        march = LanesBeside.march
        monkeypatch.setattr(LanesBeside, "march", lambda self: [None if k % 2 else x for k, x in enumerate(march(self))])
    lanes, runner, values = lanes_of("four_bar", ["omega", "a"], OUTPUTS, end=0.6, output_step=0.012)
    keep = ("t", "joint_force:A", "rocker.angle")
    found, rows = lanes.run_many(values, keep), len(runner.march.times)
    for one, row in zip(found, values, strict=True):
        plain = runner.run(row, keep)
        assert runner.result is not None and len(runner.result.time) > rows
        np.testing.assert_allclose(one.values, plain.values, rtol=1e-9)
        assert one.reason == plain.reason
        for name in keep:
            assert len(one.wanted[name]) == rows
            size = max(1.0, float(np.abs(plain.wanted[name]).max()))
            np.testing.assert_allclose(one.wanted[name], plain.wanted[name], atol=1e-9 * size)


def test_rows_between_do_not_depend_on_the_tile() -> None:
    """Of runs some of which lack rows: bit for bit."""
    lanes, _, values = lanes_of("four_bar", ["omega", "a"], OUTPUTS, end=0.6, output_step=0.008)
    values[:, 0] *= np.linspace(0.3, 1.1, len(values))
    found = [one.values.tobytes() for one in lanes.run_many(values)]
    order = np.random.default_rng(5).permutation(len(values))
    assert [one.values.tobytes() for one in lanes.run_many(values[order])] == [found[k] for k in order]
    assert [lanes.run_many(row[None])[0].values.tobytes() for row in values] == found


def test_a_study_has_the_same_numbers_with_two_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of runs that choose their steps, all of which lack rows: the files are the same."""
    for module, name, value in ((in_lanes, "COMPILING", 0.0), (in_lanes, "EACH", 0.0), (forms, "FEWEST_STEPS", 1)):
        monkeypatch.setattr(module, name, value)
    made = prepare(MODELS / "four_bar.yaml", {"omega": {"from": 7.0, "to": 9.0, "count": 41}}, {"x": "max(norm(joint_force:A))"},
                   simulation={**COARSE, "end": 0.4, "output_step": 0.012})  # fmt: skip
    assert made.batches.why_alone == ""
    found = []
    for workers in (1, 2):
        with released(make_pool(workers, "threads")) as pool:
            run_study(made, tmp_path / f"{workers}.h5", pool)
        found.append((tmp_path / f"{workers}.h5").read_bytes())
    assert found[0] == found[1]


def test_what_rows_miss_is_told_in_lanes() -> None:
    """A fast oscillation that no rows between follow: the words are those of the run by itself."""
    lanes, runner, values = lanes_of("double_pendulum", ["m2"], {"x": "max(theta1)"}, end=40.0, output_step=8.0)
    found, plain = lanes.run_many(values[:3]), runner.run_many(values[:3])
    assert [one.reason for one in found] == [one.reason for one in plain]


def test_runs_of_which_nothing_varies_are_alike() -> None:
    """By themselves and in lanes, whose sets of values are empty."""
    runner = Runner(MODELS / "double_pendulum.yaml", [], {"x": "max(theta1)"}, simulation={**COARSE, "end": 0.2})
    for values in (np.zeros((3, 0)), [[], [], []]):
        found = runner.run_many(values)
        assert len(found) == 3 and len({one.values.tobytes() for one in found}) == 1 and not any(one.failed for one in found)
    assert runner.run_many(np.zeros((0, 0))) == []
