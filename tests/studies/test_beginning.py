"""The begin of a run in one compiled call: the same numbers, to the last bit, as by the ways that say more."""

from pathlib import Path

import numpy as np
import pytest

from mbsim.assembly import assemble
from mbsim.kernels import beginning
from mbsim.observe.observer import POSES
from mbsim.studies.lanes.tiles import Numbers
from mbsim.studies.runner.fast_start import FastStart, PlainStart
from mbsim.studies.runner.runner import Runner
from mbsim.studies.runner.weights import Weights

MODELS = Path(__file__).parents[2] / "models"
# Planar and spatial loops, a driven one, own coordinates, trees, rolling, a body without constraints, steps by tolerances.
CASES = [
    ("four_bar", {"integrator": "rk4"}),
    ("four_bar", {"integrator": "dop853"}),
    ("spatial_slider_crank", {"integrator": "rk45"}),
    ("slider_crank", {"integrator": "rk4"}),
    ("cam_follower", {"integrator": "rk4"}),
    ("double_pendulum", {"integrator": "rk4"}),
    ("double_pendulum", {"integrator": "dop853"}),
    ("rolling_disk", {"integrator": "dop853"}),
    ("n_four_bar_2", {"method": "lagrange"}),
    ("iftomm_pendulum", {"integrator": "dop853"}),
    ("pendulum_dae", {"integrator": "rk4"}),
]
LONG = ("cam_follower",)  # whose lengths the call does not measure


@pytest.mark.parametrize("count", [*range(1, 20), 64, 127, 128])
def test_sums_are_those_of_numpy(count: int) -> None:
    x = np.random.default_rng(count).normal(size=count)
    assert beginning.total.py_func(x, count) == float(np.add.reduce(x))


@pytest.mark.parametrize(("model", "simulation"), CASES)
def test_a_run_begins_with_the_same_numbers(model: str, simulation: dict[str, str]) -> None:
    """All work arrays, the state and the first row."""
    runner = Runner(MODELS / f"{model}.yaml", [], {}, simulation={**simulation, "end": 0.01})
    march, start = runner.march, runner.begun(runner.numbers(runner.base))
    assert start is not None and (march._begin is not None) == (model not in LONG) and march.begin(runner.current, *start)
    found = [x.copy() for x in (march._pool, march.z, march.rows[0], march.limits)]
    march._begin = None
    assert march.begin(runner.current, *start)
    for mine, plain in zip(found, (march._pool, march.z, march.rows[0], march.limits), strict=True):
        np.testing.assert_array_equal(mine, plain)


@pytest.mark.parametrize("model", dict.fromkeys(model for model, _ in CASES))
def test_a_start_is_found_with_the_same_numbers(model: str) -> None:
    runner = Runner(MODELS / f"{model}.yaml", [], {}, simulation={"end": 0.01})
    given = runner._in_place.fill(runner.numbers(runner.base))
    quick, plain = (of(runner.made.system, runner.made.start) for of in (FastStart, PlainStart))
    for mine, other in zip(quick(given), plain(given), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-13, atol=1e-15)
    before = quick(given)
    quick._at_once = lambda given: None  # type: ignore[method-assign]
    for mine, other in zip(before, quick(given), strict=True):
        np.testing.assert_array_equal(mine, other)


def test_a_mechanism_far_away_goes_the_long_way() -> None:
    """Where round-off of the coordinates is no longer below the tolerance, the precision of the run decides."""
    runner = Runner(MODELS / "four_bar.yaml", [], {}, simulation={"end": 0.01})
    march, start = runner.march, runner.begun(runner.numbers(runner.base))
    assert start is not None and march._begin is not None
    asked = march._begin
    far = start[0] + np.where(np.arange(len(start[0])) % 3 == 0, 2.0 * beginning.WITHIN, 0.0)
    march._pool[:], march._q[:], march._v[:] = march._fresh, far, start[1]
    assert asked() == beginning.OTHERWISE
    march._pool[:], march._q[:] = march._fresh, start[0]
    assert asked() == beginning.BEGUN


@pytest.mark.parametrize(("t", "far"), [(1.0, 1e9), (np.nan, 1.0)])
def test_own_coordinates_far_away_go_the_long_way(t: float, far: float) -> None:
    """Where round-off of the terms of a row is no longer below what is asked for, or these are no numbers."""
    runner = Runner(MODELS / "iftomm_pendulum.yaml", [], {}, simulation={"end": 0.01})
    march, start = runner.march, runner.begun(runner.numbers(runner.base))
    assert start is not None and march._begin is not None
    for factor, wanted in ((far * t, beginning.OTHERWISE), (1.0, beginning.BEGUN)):
        march._pool[:], march._q[:], march._v[:] = march._fresh, factor * start[0], start[1]
        assert march._begin() == wanted


@pytest.mark.parametrize("path", ["bodies.slider.mass", "bodies.rod.mass"])
def test_masses_in_space_change_without_an_assembly(path: str) -> None:
    """The arrays, and the whole run, are those of a model that is assembled with the other mass."""
    runner = Runner(MODELS / "spatial_slider_crank.yaml", [path], {"last": "final(slider.x)"}, simulation={"end": 0.02})
    assert isinstance(runner._in_place._quick, Weights)
    other = runner.base * 1.25
    found = runner.run(other)
    made = assemble(runner.numbers(other).model)
    np.testing.assert_array_equal(runner.made.system.arrays.masses, made.system.arrays.masses)
    np.testing.assert_array_equal(runner.made.system.arrays.geometry, made.system.arrays.geometry)
    assert not found.anew and found.values[0] == runner._run_anew(runner.numbers(other).model, ()).values[0]


def test_numbers_come_back_with_all_that_is_made_of_them() -> None:
    """Of runs in lanes, whose numbers are put into the arrays one after the other and then again."""
    runner = Runner(MODELS / "four_bar.yaml", ["a"], {"peak": "max(norm(joint_force:A))"}, simulation={"end": 0.02})
    first, second = (runner.numbers(np.array([x])) for x in (1.0, 1.1))
    runner._in_place.fill(first)
    vectors = Numbers(runner.march.formulation.system)
    before = vectors()
    records = [joint.second_point.copy() for joint in runner.current().joints]
    runner._in_place.fill(second)
    assert not np.array_equal(vectors(), before)
    runner.restore(first, lambda: vectors.put(before))
    np.testing.assert_array_equal(vectors(), before)
    np.testing.assert_array_equal([joint.second_point for joint in runner.current().joints], records)
    np.testing.assert_array_equal(vectors(), before)


@pytest.mark.parametrize("model", ["four_bar", "spatial_slider_crank"])
def test_the_pose_of_one_body_is_that_of_all(model: str) -> None:
    runner = Runner(MODELS / f"{model}.yaml", [], {"t": "final(time)"}, simulation={"end": 0.05})
    assert not runner.run(runner.base).failed
    for name in POSES:
        alone = [runner._recorded.of_body(name, body) for body in range(len(runner.made.system.bodies))]
        np.testing.assert_array_equal(np.stack(alone, axis=1), runner._recorded[name])
