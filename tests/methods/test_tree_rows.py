"""aba and kane on trees with rows (loops, drivers, couplings, equations) against lagrange on the same tree, and against definitions."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import redundant_mechanisms as redundant
import trees
from mechanisms import ROW_METHODS, close, consistent_state, evaluate, formulation

import mbsim
from mbsim import contracts
from mbsim.observe.observer import Observer
from mbsim.system.system import System
from mbsim.system.work import is_watched

REACTIONS = ("joint_force", "joint_torque", "joint_force_local", "joint_torque_local", "driver_effort")


def near(x: np.ndarray, y: np.ndarray, tolerance: float = 1e-10) -> None:
    """Equal to this part of the largest number."""
    close(x, y, atol=tolerance * np.abs(y).max(initial=1.0))


def observed(made: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> dict[str, Any]:
    """What is recorded of one state."""
    work = formulation(made, "lagrange").work
    return Observer(made, work).chunk(np.array([t]), np.concatenate([q, v, a, lam, [0.0]])[None])


def with_rows(seed: int, dimension: int) -> dict[str, Any]:
    """A random tree of eight bodies with every joint, floating or not, one or two loops, and a driver that follows a law."""
    words = [word for word in trees.SPATIAL if word != "free"] if dimension == 3 else None
    source = trees.random_tree(seed, 8, dimension, floating=seed % 3 == 0, words=words)
    source["joints"]["j7"] = mechanisms.joint_block("revolute", dimension, bodies=["b6", "b7"], at=source["joints"]["j7"]["at"])
    rng = np.random.default_rng(seed)
    words = ["spherical", "point_on_plane", "revolute", "universal"] if dimension == 3 else ["revolute", "prismatic"]
    for k in range(1 + seed % 2):
        word = words[(seed + k) % len(words)]
        pair = ["ground" if seed % 4 == 1 else f"b{k}", f"b{6 - k}"]
        place = [float(x) for x in rng.uniform(-1.0, 1.0, dimension)]
        source["joints"][f"loop{k}"] = mechanisms.joint_block(word, dimension, bodies=pair, at=place, cut=True)
    source["drivers"] = {"motor": {"joint": "j7", "angle": "0.2*sin(3*t) + 0.1*t^2"}}
    return source


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("seed", range(20))
def test_random_trees_with_loops_and_drivers(seed: int, dimension: int) -> None:
    made = mbsim.assemble(mechanisms.model(with_rows(seed, dimension)))
    system, rng = made.system, np.random.default_rng(seed)
    assert system.cuts and system.rheonomic
    for _ in range(2):
        t, q, v = consistent_state(system, made.q, rng, 0.1)
        a, lam = evaluate(system, "lagrange", t, q, v)
        expected = observed(system, t, q, v, a, lam)
        for method in ROW_METHODS:
            found, multipliers = evaluate(system, method, t, q, v)
            near(found, a)
            near(multipliers, lam)
            got = observed(system, t, q, v, found, multipliers)
            for name in REACTIONS:
                near(got[name], expected[name])
            assert got["residual_acceleration"][0] < 1e-10 * np.abs(a).max(initial=1.0)


@pytest.mark.parametrize("seed", range(2 * len(redundant.FREEDOMS)))
def test_redundant_loops(seed: int) -> None:
    """Planar loops in space, Sarrus, Bennett and Bricard linkages: the shortest multipliers, as lagrange has them."""
    made = mbsim.assemble(mechanisms.model(redundant.mechanism(seed, coordinates="joint")[0]))
    system = made.system
    v = mechanisms.assemble_system(system, made.start, made.q, np.random.default_rng(seed).standard_normal(system.n_v)).v
    a, lam = evaluate(system, "lagrange", made.start, made.q, v)
    for method in ROW_METHODS:
        found, multipliers = evaluate(system, method, made.start, made.q, v)
        near(found, a, 1e-9)
        near(multipliers, lam, 1e-9)


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_rows_of_every_kind(dimension: int) -> None:
    """Equations, couplings of speeds, a blade, a gear, drivers at the level of speeds; body 3 floats."""
    made = mbsim.assemble(mechanisms.model(mechanisms.every_row_of_a_tree(dimension)))
    system, v = made.system, made.v
    assert system.n_holonomic < system.n_rows
    a, lam = mechanisms.augmented_solution(system, made.start, made.q, v)
    for method in ROW_METHODS:
        found, multipliers = evaluate(system, method, made.start, made.q, v)
        near(found, a)
        near(multipliers, lam)


@pytest.mark.parametrize("method", ROW_METHODS)
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_the_projection_is_the_smallest_in_the_norm_of_the_mass_matrix(dimension: int, method: str) -> None:
    """Of velocities, at a state on the constraints, by numpy; positions come back onto them."""
    made = mbsim.assemble(mechanisms.model(with_rows(6, dimension)))
    system, rng = made.system, np.random.default_rng(8)
    t, q, v = consistent_state(system, made.q, rng, 0.1)
    v = v + 0.1 * rng.standard_normal(system.n_v)
    solved = formulation(system, method)
    functions, work = solved.functions, solved.work
    z = np.concatenate([v, q, [0.0]])
    assert functions.start(system.functions, system.arrays, work, t, q, v, z) == contracts.OK
    assert functions.rhs(system.functions, system.arrays, work, t, z, z.copy()) == contracts.OK
    found_q, found_v = q.copy(), v.copy()
    assert functions.project(system.functions, system.arrays, work, t, found_q, found_v) == contracts.OK
    M, C = system.M(t, q), system.C(t, q)
    L = np.linalg.cholesky(M)
    Y = np.linalg.solve(L, C.T)
    expected = v - np.linalg.solve(L.T, np.linalg.pinv(Y.T, rcond=1e-9) @ (C @ v + system.xi(t, q)))
    close(found_q, q, atol=1e-9)
    close(found_v, expected, atol=1e-8)
    assert np.abs(found_v - v).max() > 1e-2
    off = system.move(q, 1e-3 * rng.standard_normal(system.n_v))
    assert np.abs(system.phi(t, off)).max() > 1e-5
    assert functions.project(system.functions, system.arrays, work, t, off, found_v) == contracts.OK
    assert np.abs(system.phi(t, off)).max() <= 1e-10
    close(system.C(t, off) @ found_v + system.xi(t, off), 0.0, atol=1e-10)


def test_what_is_corrected_is_measured_as_with_the_mass_matrix() -> None:
    """aba has no M: the share of a step that was corrected, and the weights of the orientation, are those of lagrange."""
    made = mbsim.assemble(mechanisms.model(with_rows(3, 3)))
    system, found = made.system, {}
    assert is_watched(system)
    t, q, v = consistent_state(system, made.q, np.random.default_rng(3), 0.1)
    for method in ("lagrange", *ROW_METHODS):
        solved = formulation(system, method)
        functions, work = solved.functions, solved.work
        z = np.concatenate([v, q, [0.0]])
        assert functions.start(system.functions, system.arrays, work, t, q, v, z) == contracts.OK
        assert functions.rhs(system.functions, system.arrays, work, t, z, z.copy()) == contracts.OK
        work.watch[contracts.WATCH_ASKED], work.watch[contracts.WATCH_SPAN] = 1.0, 1e-2
        off = system.move(q, 1e-7 * np.ones(system.n_v))
        assert functions.project(system.functions, system.arrays, work, t, off, v.copy()) == contracts.OK
        work.watch[contracts.WATCH_ASKED] = 0.0
        assert functions.watch(system.functions, system.arrays, work, t, q, v) == contracts.OK
        found[method] = float(work.watch[contracts.WATCH_SHARE]), work.orientation.weights.copy()
    share, weights = found["lagrange"]
    assert share > 0.0
    close(weights, np.diag(system.M(t, q)) ** -0.5, atol=1e-6)
    for method in ROW_METHODS:
        assert found[method][0] == pytest.approx(share, rel=1e-4)
        close(found[method][1], weights, atol=1e-6)


RUNS: dict[str, Any] = {
    "loops and a driver in the plane": lambda: with_rows(2, 2),
    "loops and a driver in space": lambda: with_rows(1, 3),
    "a floating tree": lambda: with_rows(6, 3),
    "redundant": lambda: redundant.mechanism(0, coordinates="joint")[0],
}


@pytest.mark.parametrize("integrator", ["rk4", "dop853"])
@pytest.mark.parametrize("name", RUNS)
def test_whole_runs(name: str, integrator: str) -> None:
    made = mbsim.assemble(mechanisms.model(RUNS[name]()))
    step = {"step": 1e-3} if integrator == "rk4" else {"rtol": 1e-10, "atol": 1e-11}
    settings: dict[str, Any] = {"integrator": integrator, "end": made.start + 0.2, "output_step": 0.02, **step}
    expected = mbsim.simulate(made, method="lagrange", **settings)
    assert np.abs(expected["q"][-1] - expected["q"][0]).max() > 1e-2
    for method in ROW_METHODS:
        result = mbsim.simulate(made, method=method, **settings)
        assert result.attributes["drift"] == "full"
        for variable in ("q", "v", "multiplier", "joint_force", "joint_torque", "energy_work"):
            near(result[variable], expected[variable], 1e-6)
        near(result["energy_balance"], expected["energy_balance"], 1e-7)
        assert result["residual_position"].max() < 1e-9 and result["residual_velocity"].max() < 1e-9


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "spatial_slider_crank", "quick_return", "andrews_squeezer"])
def test_shipped_models_in_joint_coordinates(name: str) -> None:
    """Those with loops, from where their coordinates put them."""
    text = (mechanisms.MODELS / f"{name}.yaml").read_text()
    lines = ("coordinates: joint\n" + text).splitlines()
    kept: list[str] = []
    for line in lines:
        if not line.startswith((" ", "#")) and line:
            block = line.partition(":")[0]
        if line and block not in ("initial", "measures", "reference"):
            kept.append(line)
    made = mbsim.assemble(mechanisms.model("\n".join(kept)))
    assert made.system.in_joint_coordinates and made.system.n_rows
    settings: dict[str, Any] = {"integrator": "rk4", "step": 1e-4, "end": made.start + 0.01, "output_step": 1e-3}
    expected = mbsim.simulate(made, method="lagrange", **settings)
    for method in ROW_METHODS:
        result = mbsim.simulate(made, method=method, **settings)
        for variable in ("q", "v", "acceleration", "multiplier", "joint_force", "joint_torque"):
            near(result[variable], expected[variable], 1e-7)


@pytest.mark.parametrize("method", ROW_METHODS)
def test_a_long_chain_with_one_loop(method: str) -> None:
    """Of 60 links, whose end slides on the ground: it moves as lagrange says, and aba makes no M."""
    made = mbsim.assemble(mechanisms.model(mechanisms.chain_with_a_loop(60)))
    expected = mbsim.simulate(made, method="lagrange")
    result = mbsim.simulate(made, method=method)
    assert formulation(made.system, "aba").work.M.size == 0
    for variable in ("q", "v", "multiplier"):
        near(result[variable], expected[variable], 1e-9)


@pytest.mark.parametrize("method", ROW_METHODS)
def test_a_mechanism_goes_through_its_flat_positions(method: str) -> None:
    """IFToMM's A02, one window of rods of 1 m: two singular positions, where branches meet, by the hooks of lagrange; held against svd."""
    rod = {"mass": 1, "inertia": 1 / 12}
    places = {"crank0": [0, 0.5], "coupler": [0.5, 1], "crank1": [1, 0.5]}
    ends = {"O0": ("ground", "crank0", [0, 0]), "A": ("crank0", "coupler", [0, 1]), "B": ("coupler", "crank1", [1, 1]),
            "O1": ("ground", "crank1", [1, 0])}  # fmt: skip
    source = {
        "dimension": 2, "gravity": [0, -9.81], "coordinates": "joint",
        "bodies": {name: rod | {"position": place} for name, place in places.items()},
        "joints": {name: {"type": "revolute", "bodies": [a, b], "at": at} for name, (a, b, at) in ends.items()},
        "initial": {"der(O0.angle)": -1, "fix": ["der(O0.angle)"]},
        "simulation": {"end": 2.0, "step": 1e-3, "integrator": "rk4", "output_step": 0.01},
    }  # fmt: skip
    made = mbsim.assemble(mechanisms.model(source))
    expected, result = (mbsim.simulate(made, method=word) for word in ("svd", method))
    close(result["body_position"], expected["body_position"], atol=1e-8)
    close(result["energy_balance"], 0.0, atol=1e-8)
    assert len(result.attributes["rank_changes"]) == 2
    angle = result["body_orientation"]
    turns = 2.0 * np.arctan2(angle[:, [0, 2], 3], angle[:, [0, 2], 0])
    close(np.sin(turns[:, 0] - turns[:, 1]), 0.0, atol=1e-8)
    assert np.ptp(result["body_position"][:, 0, 0]) > 0.99 and np.ptp(result["body_position"][:, 0, 1]) > 0.99  # past both
