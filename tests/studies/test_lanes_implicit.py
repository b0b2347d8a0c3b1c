"""Runs by generalized_alpha in lanes: the iterates of the method, whatever lanes they take; what leaves is marched by itself."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import chain, chain_with_a_loop
from trees import random_tree

from mbsim.assembly import assemble, load_model
from mbsim.contracts import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, COUNT_STEPS
from mbsim.jit import COMPILES
from mbsim.jit.straight import graph
from mbsim.march.settings import resolve
from mbsim.straight.forms import IMPLICIT_FORMS, LanesError, choose_form
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
MODELS = Path(__file__).parents[2] / "models"
MANY = 10**7  # runs, for which lanes pay
SHORT = {"method": "generalized_alpha", "step": 2e-3, "end": 0.1}
COARSE = {"step": 1e-2, "end": 1.0}
# Model, what varies, settings: own coordinates, trees, loops, driven, rolling, quaternions, a table, blocks of bodies.
CASES = [
    ("double_pendulum", ["initial.theta1", "m2"], {}),
    ("pendulum_dae", [], {}),
    ("pendulum", ["m"], {"index": "3"}),
    ("four_bar", ["omega", "a"], {}),
    ("four_bar", ["omega"], {"index": "3", "spectral_radius": 0.6}),
    ("quick_return", [], {}),
    ("quick_return", [], {"index": "3"}),
    ("rolling_disk", [], {}),
    ("cam_follower", ["n", "r"], {}),
    ("planetary_gear", [], {}),
    ("planetary_gear", [], {"index": "3", "spectral_radius": 1.0}),
    ("spatial_slider_crank", [], {}),
]


def rods(count: int, more: str = "") -> str:
    """A clamped beam of rods with springs and dampers between them, by blocks of bodies where there are two or more."""
    length = 1.0 / count
    lines = [f"dimension: 2\ngravity: [0, -9.81]\nparameters: {{k: {count}.0, c: {1e-3 * count}, omega: 0.0}}\nbodies:"]
    body = f"mass: {length}, inertia: {length**3 / 12}"
    lines += [f"  r{i}: {{{body}, position: [{(i + 0.5) * length}, 0], velocity: [0, omega*{(i + 0.5) * length}], "
              "angular_velocity: omega}" for i in range(count)]  # fmt: skip
    pairs = [("ground" if i == 0 else f"r{i - 1}", f"r{i}", i * length) for i in range(count)]
    lines += ["joints:", *(f"  J{i}: {{type: revolute, bodies: [{a}, {b}], at: [{x}, 0]}}" for i, (a, b, x) in enumerate(pairs))]
    springs = "type: rotational_spring_damper, stiffness: k, damping: c"
    lines += ["forces:", *(f"  S{i}: {{{springs}, bodies: [{a}, {b}]}}" for i, (a, b, _) in enumerate(pairs))]
    return "\n".join([*lines, more, ""])


# A stiff pair of coordinates, whose matrix has no stiffness: the whole tangent takes its place.
PAIR = """
coordinates: [x, y]
parameters: {k: 1.0e+6, c: 50.0, v: 1.0}
energy: {kinetic: der(x)^2/2 + der(y)^2/2 + 0.3*der(x)*der(y)*cos(x), potential: k*(x - y)^2/2 + 10*x^2 - 3*cos(y)}
forces: {damper: {type: generalized, coordinate: y, value: -c*der(y)}}
initial: {x: 0.3, y: 0.3, der(x): v}
"""
STIFF_FOUR_BAR = (MODELS / "four_bar.yaml").read_text().replace(
    "initial:", "forces:\n  t: {type: rotational_spring_damper, bodies: [crank, coupler], stiffness: 2.0e+5, damping: 100}\ninitial:"
)  # fmt: skip


def loaded(text: Any) -> Any:
    """A model of a text that may have no block about its run."""
    if not isinstance(text, str):
        return load_model(text)
    return load_model(text if "simulation:" in text else text + "simulation: {end: 1}\n")


def runner_of(model: Any, vary: list[str], outputs: dict[str, str] | None = None, **simulation: Any) -> tuple[Runner, np.ndarray]:
    """A runner, and values of 12 runs near what the model has."""
    source = model if isinstance(model, Path) else loaded(model)
    runner = Runner(source, vary, outputs, simulation={**SHORT, **simulation})
    noise = np.random.default_rng(4).uniform(-1.0, 1.0, (12, len(runner.targets)))
    return runner, runner.base * (1.0 + 0.01 * noise)


def require_alike(runner: Runner, values: np.ndarray, most: float, counts: bool = True) -> np.ndarray:
    """All rows of runs in lanes beside those of the march, within `most` of the largest number of their kind, or of 1; its counts."""
    lanes = InLanes(runner, values, MANY)
    for row, (rows, stayed, steps) in zip(values, lanes.marched(values), strict=True):
        start = runner.begun(runner.numbers(row))
        assert stayed and start is not None and runner.march(runner.current, *start)
        assert not counts or steps == runner.march.formulation.work.counts[COUNT_STEPS]
        for part in lanes.parts:
            size = max(1.0, float(np.abs(runner.march.rows[:, part]).max()))
            assert np.abs(rows[:, part] - runner.march.rows[:, part]).max() <= most * size
    return np.array(runner.march.formulation.work.counts)


@pytest.mark.parametrize(("model", "vary", "simulation"), CASES, ids=[f"{model}-{i}" for i, (model, _, _) in enumerate(CASES)])
def test_shipped_models_march_as_by_themselves(model: str, vary: list[str], simulation: dict[str, Any]) -> None:
    require_alike(*runner_of(MODELS / f"{model}.yaml", vary, **simulation), 1e-11)


@pytest.mark.parametrize("index", ["2", "3"])
def test_stiff_beams_march_as_by_themselves(index: str) -> None:
    """By blocks, whose matrix has the stiffness."""
    require_alike(*runner_of(rods(4), ["k", "c"], index=index, **COARSE), 1e-11)


@pytest.mark.parametrize("model", [PAIR, STIFF_FOUR_BAR], ids=["own coordinates", "four-bar"])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_the_whole_tangent_is_taken_where_the_other_matrix_is_slow(model: str, step: float) -> None:
    """As by itself, where it is held over the steps. There it is by differences: iterates differ by parts of what they miss."""
    counts = require_alike(*runner_of(model, [], step=step, end=100.0 * step), 1e-11)
    assert counts[COUNT_FACTORISATIONS] < counts[COUNT_EVALUATIONS]


def test_the_matrix_is_formed_anew_where_it_is_slow() -> None:
    """Rods that turn by a quarter of a turn in a step."""
    runner, values = runner_of(rods(3), ["omega"], step=0.02, end=0.4)
    values[:, 0] = np.linspace(0.0, 60.0, len(values))
    counts = require_alike(runner, values, 1e-10)
    assert counts[COUNT_FACTORISATIONS] > 2 * counts[COUNT_STEPS]


def test_laws_that_read_the_state_are_in_the_matrix() -> None:
    """Unknowns of their own by blocks; here their derivatives are those of the forces."""
    law = "controllers:\n  hold: {type: pd, joint: J1, target: 0.3*sin(5*t), kp: 200, kd: 1}\n"
    require_alike(*runner_of(rods(3, law), ["k"], **COARSE), 1e-11)


def test_loops_in_joint_coordinates_march_as_by_themselves() -> None:
    text, absolute = (MODELS / "four_bar.yaml").read_text(), "{crank.angular_velocity: omega, fix: [crank.angular_velocity]}"
    require_alike(*runner_of("coordinates: joint\n" + text.replace(absolute, "{der(O.angle): omega}"), ["omega"]), 1e-11)


@pytest.mark.parametrize(("seed", "dimension"), [(0, 3), (1, 3), (2, 2), (3, 2)])
def test_random_trees_march_as_by_themselves(seed: int, dimension: int) -> None:
    """In joint coordinates, by the articulated bodies of the method; steps that are long enough for more than one correction."""
    runner, values = runner_of(random_tree(seed, 3, dimension), [], step=1e-2, end=0.2)
    assert runner.made.system.in_joint_coordinates
    require_alike(runner, values[:2], 1e-11)


def test_stiff_trees_march_as_by_themselves() -> None:
    """A beam of rods in joint coordinates."""
    text = "coordinates: joint\n" + re.sub(", velocity: .*?angular_velocity: omega", "", rods(4))
    require_alike(*runner_of(text, ["k", "c"], **COARSE), 1e-11)


ARM = """
coordinates: joint
bodies:
  upper: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}
  fore: {mass: 1, inertia: [0.3, 0.1, 0.2], position: [1.5, 0, 0]}
joints:
  A: {type: revolute, bodies: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}
  B: {type: revolute, bodies: [upper, fore], at: [1, 0, 0], axis: [0, 1, 0]}
forces:
  a: {type: joint_torque, joint: A, value: 3*sin(4*t)}
  b: {type: joint_torque, joint: B, value: 2*sin(3*t)}
"""


def test_an_arm_that_begins_without_a_force_stays_in_its_lane() -> None:
    """The sweeps over a tree in space pass over what is zero; that it was zero at first does not hold a run."""
    require_alike(*runner_of(ARM, ["bodies.fore.mass"], step=1e-2, end=0.5), 1e-11)


@pytest.mark.parametrize("step", [2e-3, 2e-2])
def test_chains_of_every_joint_march_as_by_themselves(step: float) -> None:
    """By blocks of bodies, with every kind of load."""
    require_alike(*runner_of(chain(2), [], step=step, end=10.0 * step), 1e-10)


def test_a_tangent_that_is_too_large_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs whose iteration takes it leave their lanes."""
    runner, values = runner_of(PAIR, [], step=1e-2)
    with monkeypatch.context() as patched:
        patched.setattr(graph, "MOST", 300)
        with pytest.raises(LanesError, match="of 8 runs that were tried 8 leave their lanes"):
            InLanes(runner, values, MANY)
        runner, values = runner_of(PAIR, ["k"], step=1e-3)
        values[:] = 1.0
        assert all(stayed for _, stayed, _ in InLanes(runner, values, MANY).marched(values))


@pytest.mark.parametrize("kernels", IMPLICIT_FORMS)
def test_forms_are_those_of_the_method(kernels: str) -> None:
    form = import_module(f"mbsim.methods.{kernels}").FORM
    assert IMPLICIT_FORMS[kernels] == (form.is_near, form.has_tangent, form.adds_up) and form.renewals == 0


def test_a_last_step_that_is_shorter_begins_anew() -> None:
    """Of another length than the one before, so that nothing is extrapolated."""
    require_alike(*runner_of(MODELS / "four_bar.yaml", ["omega"], output_step=0.02, step=6e-3, end=0.09), 1e-11, counts=False)


@pytest.mark.parametrize("model", [rods(3), STIFF_FOUR_BAR], ids=["blocks", "dense"])
def test_a_run_does_not_depend_on_its_tile(model: str) -> None:
    """Runs of one tile take different numbers of iterations."""
    outputs = {"peak": f"max(norm(joint_force:{'A' if model == STIFF_FOUR_BAR else 'J0'}))", "energy": "final(energy_balance)"}
    runner, values = runner_of(model, ["omega"], outputs, step=0.01, end=0.3)
    values[:, 0] = np.linspace(0.0, 12.0, len(values))
    lanes = InLanes(runner, values, MANY)
    found = np.array([one.values for one in lanes.run_many(values)])
    order = np.random.default_rng(5).permutation(len(values))
    assert np.array([one.values for one in lanes.run_many(values[order])]).tobytes() == found[order].tobytes()
    alone = np.array([lanes.run_many(row[None])[0].values for row in values])
    assert alone.tobytes() == found.tobytes()
    plain = np.array([one.values for one in runner.run_many(values)])
    np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-10)


WALL = """
coordinates: [x]
parameters: {v: 1.0}
energy: {kinetic: der(x)^2/2, potential: 0}
forces:
  post: {type: generalized, coordinate: x, value: "if_else(x > 0.15, -3000*(x - 0.15), 0)"}
initial: {der(x): v}
"""


def test_a_run_that_leaves_its_lane_is_marched_by_itself() -> None:
    """A law with cases: the code knows the one that the first run begins in. Those that stay are as in other tiles."""
    runner, _ = runner_of(WALL, ["v"], {"far": "max(x)", "last": "final(x)"}, end=0.3)
    values = np.linspace(0.05, 3.0, 40)[:, None]
    lanes = InLanes(runner, values, MANY)
    stayed = np.array([ok for _, ok, _ in lanes.marched(values)])
    assert stayed.any() and not stayed.all()
    found = np.array([one.values for one in lanes.run_many(values)])
    plain = np.array([one.values for one in runner.run_many(values)])
    np.testing.assert_allclose(found, plain, rtol=1e-12)
    assert (found == plain)[~stayed].all()


def test_an_iteration_that_does_not_end_leaves_its_lane() -> None:
    """The root of a coordinate that a step makes negative: the run fails as by itself, and its neighbours stay."""
    source = WALL.replace('"if_else(x > 0.15, -3000*(x - 0.15), 0)"', "-2*sqrt(1.0 - x)")
    runner, _ = runner_of(source, ["v"], {"last": "final(x)"}, end=0.3)
    values = np.full((9, 1), 0.2)
    values[4] = 30.0
    lanes = InLanes(runner, values, MANY)
    assert [ok for _, ok, _ in lanes.marched(values)] == [k != 4 for k in range(9)]
    found, plain = lanes.run_many(values), runner.run_many(values)
    assert [one.reason for one in found] == [one.reason for one in plain] and found[4].failed
    assert found[0].values.tobytes() == found[8].values.tobytes()  # which has another tile


@pytest.mark.parametrize(
    ("model", "simulation", "why"),
    [
        (PAIR, {"rtol": 1e-5, "step": None}, "implicit steps are chosen by their error"),
        (PAIR, {"output_step": 5e-4}, "steps go over several output rows"),
        (rods(3), {"drift": "full"}, "the drift is corrected after implicit steps"),
        (PAIR + "states: {i: {rate: x}}\n", {}, "states of the model's own go along with implicit steps"),
        (chain_with_a_loop(10), {}, "no straight-line code for large trees with constraints in joint coordinates"),
        (PAIR, {"method": "rattle"}, "of such steps only those of generalized_alpha have straight-line code"),
    ],
)
def test_what_has_no_lanes_says_why(model: Any, simulation: dict[str, Any], why: str) -> None:
    given = {name: value for name, value in {**SHORT, **simulation}.items() if value is not None}
    made = assemble(loaded(model))
    with pytest.raises(LanesError, match=why):
        choose_form(made.system, resolve(made.simulation, made.system, given), MANY)


def test_beams_of_many_rods_are_too_large() -> None:
    runner, values = runner_of(rods(60), ["k"])
    with pytest.raises(LanesError, match="more than 20,000 operations"):
        InLanes(runner, values, MANY)
