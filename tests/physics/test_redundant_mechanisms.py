"""Mechanisms with redundant rows: the same freedoms and motion in both coordinates and with all methods, at any length and mass."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import redundant_mechanisms as redundant
from click.testing import CliRunner
from mechanisms import METHODS, RATES, ROW_METHODS, evaluate

import mbsim
from mbsim.assembly import Assembly, absolute_freedoms
from mbsim.cli import main
from mbsim.diagnosis.redundancy import redundancy
from mbsim.march.settings import resolve
from mbsim.results import Result

FAILING = Path(__file__).parents[1] / "failing"
KINDS = len(redundant.FREEDOMS)
WITH_ROWS = [*(name for name in METHODS if name != "cfa"), *ROW_METHODS]  # in joint coordinates: cfa is for trees there
STIFF = {"baumgarte", "broyden", "generalized_alpha", "rattle"}  # of another order, or with other errors: tests/methods


def assembled(seed: int, coordinates: str, **options: Any) -> tuple[Assembly, int]:
    model, freedoms = redundant.mechanism(seed, coordinates=coordinates, **options)
    return mbsim.assemble(mechanisms.model(model)), freedoms


def assert_freedoms(seed: int) -> None:
    for coordinates in ("absolute", "joint"):
        made, freedoms = assembled(seed, coordinates)
        found = redundancy(made.system, made.start, made.q)
        assert found.degrees_of_freedom == freedoms, (made.system.name, coordinates)
        assert made.notes or found.rank == made.system.n_rows


def body_accelerations(made: Assembly, method: str) -> np.ndarray:
    """Of the bodies at rest (n_b, 6): linear in global, angular in body axes."""
    system, rest = made.system, np.zeros(made.system.n_v)
    a, _ = evaluate(system, method, made.start, made.q, rest)
    if not system.in_joint_coordinates:
        return np.array(a).reshape(-1, 6)
    system.functions.energy(system.arrays, made.start, made.q, np.ascontiguousarray(a), np.zeros(3))  # at rest, V(q) v_dot are they
    return np.array(system.arrays.frames[:-1, 12:18])


def assert_accelerations(seed: int) -> None:
    absolute, _ = assembled(seed, "absolute")
    expected = body_accelerations(absolute, "lagrange")
    size = np.abs(expected).max(axis=0)
    for coordinates, methods in (("absolute", METHODS), ("joint", WITH_ROWS)):
        made, _ = assembled(seed, coordinates)
        for method in methods:
            off = np.abs(body_accelerations(made, method) - expected).max(axis=0)
            assert (off[:3] <= 1e-9 * size[:3].max()).all() and (off[3:] <= 1e-9 * size[3:].max()).all(), (coordinates, method, off / size)


def assert_equal_runs(seed: int, absolute: tuple[str, ...], joint: tuple[str, ...]) -> None:
    """Runs of 0.2 s, relative to how far the bodies come; the energy relative to what is exchanged."""
    made = {coordinates: assembled(seed, coordinates)[0] for coordinates in ("absolute", "joint")}
    expected = mbsim.simulate(made["absolute"], method="lagrange")["body_position"]
    for coordinates, methods in (("absolute", absolute), ("joint", joint)):
        for method in methods:
            result = mbsim.simulate(made[coordinates], method=method)
            where = (made["absolute"].system.name, coordinates, method)
            off = np.abs(result["body_position"] - expected).max() / np.abs(expected - expected[0]).max()
            assert off < 1e-6, (*where, off)
            exchanged = np.ptp(result["energy_potential"])
            assert np.abs(result["energy_balance"]).max() < 1e-5 * exchanged, where
            assert not result.attributes.get("rank_changes"), where


@pytest.mark.parametrize("seed", range(2 * KINDS))
def test_freedoms_are_those_of_absolute_coordinates_at_any_scale(seed: int) -> None:
    assert_freedoms(seed)


@pytest.mark.parametrize("seed", range(KINDS))
def test_accelerations_equal_those_of_lagrange(seed: int) -> None:
    assert_accelerations(seed)


@pytest.mark.parametrize("seed", range(KINDS))
def test_motions_equal_those_of_lagrange(seed: int) -> None:
    assert_equal_runs(seed, ("cfa",), ("svd", "aba"))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_two_hundred_redundant_mechanisms(first: int) -> None:
    for seed in range(first, first + 25):
        assert_freedoms(seed)
        assert_accelerations(seed)
        assert_equal_runs(seed, ("cfa",), ("svd", "aba"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 100 + KINDS))
def test_motions_with_every_method(seed: int) -> None:
    methods = tuple(name for name in RATES if name not in STIFF)
    assert_equal_runs(seed, methods, tuple(name for name in methods if name != "cfa"))


def run(name: str, **settings: Any) -> Result:
    return mbsim.simulate(mbsim.load_model(FAILING / f"{name}.yaml"), **settings)


@pytest.mark.parametrize("method", WITH_ROWS)
@pytest.mark.parametrize("name", ["fourbar_joint", "scissor_0_j"])
def test_planar_loops_in_space_move_in_joint_coordinates(name: str, method: str, tmp_path: Path) -> None:
    source = (FAILING / f"{name}.yaml").read_text()
    path = tmp_path / "absolute.yaml"
    path.write_text(source.replace("coordinates: joint\n", ""))
    expected = mbsim.simulate(mbsim.load_model(path), method="lagrange", end=0.1, output_step=1e-3, step=1e-3)
    result = run(name, method=method, end=0.1, output_step=1e-3, step=1e-3)
    moved = np.abs(expected["body_position"] - expected["body_position"][0]).max()
    assert moved > 1e-3
    tolerance = 1e-3 if method in STIFF else 1e-8
    assert np.abs(result["body_position"] - expected["body_position"]).max() < tolerance * moved


@pytest.mark.parametrize("name", ["stacked_sarrus", "sarrus_7", "bennett_9"])
def test_cfa_sees_no_singular_position_where_there_is_none(name: str) -> None:
    result = run(name, method="cfa", step=1e-3)
    assert result.attributes["status"] == "complete"
    expected = run(name, method="lagrange", end=0.2, step=1e-3)
    rows = len(expected.time)
    moved = np.abs(expected["body_position"] - expected["body_position"][0]).max()
    assert np.abs(result["body_position"][:rows] - expected["body_position"]).max() < 1e-7 * moved
    size = np.abs(expected["multiplier"]).max()
    assert np.abs(result["multiplier"][:rows] - expected["multiplier"]).max() < 1e-5 * size  # the shortest ones, of both


def test_many_bodies_with_redundant_rows_are_run_by_cfa() -> None:
    made = mbsim.assemble(mbsim.load_model(FAILING / "stacked_sarrus.yaml"))
    assert resolve(made.simulation, made.system).method == "cfa"


DOUBLED = """
name: two joints at one point
dimension: 3
coordinates: joint
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [AT]}
joints:
  O: {type: spherical, bodies: [ground, a], at: [POINT]}
  R: {type: revolute, bodies: [ground, a], at: [POINT], axis: [0.3, 1, 0.2], cut: true}
simulation: {end: 0.3, step: 1e-3}
"""


@pytest.mark.parametrize("point", ["0.3, 0.1, 0.7", "0.8, 0.1, 0.7", "1000.1, 300.3, 0.7"])  # beside, and at, the centre of mass
@pytest.mark.parametrize("method", WITH_ROWS)
def test_a_joint_at_the_point_of_another_holds_what_that_leaves(point: str, method: str) -> None:
    centre = "0.8, 0.1, 0.7" if not point.startswith("1000") else "1000.8, 300.3, 0.7"
    source = DOUBLED.replace("AT", centre).replace("POINT", point)
    made = mbsim.assemble(mechanisms.model(source))
    assert redundancy(made.system, made.start, made.q).degrees_of_freedom == 1
    result = mbsim.simulate(made, method=method)
    hinge = source.replace("  O: {type: spherical, bodies: [ground, a], at: [" + point + "]}\n", "").replace(", cut: true", "")
    expected = mbsim.simulate(mechanisms.model(hinge), method="aba")
    moved = max(np.abs(expected["body_position"] - expected["body_position"][0]).max(), 1e-3)
    tolerance = 1e-3 if method in STIFF else 1e-8
    assert np.abs(result["body_position"] - expected["body_position"]).max() < tolerance * moved


def test_check_compares_the_freedoms_with_absolute_coordinates(monkeypatch: pytest.MonkeyPatch) -> None:
    model = mbsim.load_model(FAILING / "fourbar_joint.yaml")
    made = mbsim.assemble(model)
    assert absolute_freedoms(model, made.system, made.start, made.q) == 1
    assert absolute_freedoms(mechanisms.shipped("four_bar"), mechanisms.system(mechanisms.shipped("four_bar").text), 0.0, made.q) is None
    command = ["check", str(FAILING / "fourbar_joint.yaml")]
    assert "WARNING" not in CliRunner().invoke(main, command).output
    monkeypatch.setattr("mbsim.assembly.absolute_freedoms", lambda *_: 4)
    assert "WARNING: in absolute coordinates there are 4" in CliRunner().invoke(main, command).output


def test_redundant_rows_are_said() -> None:
    notes = mbsim.assemble(mbsim.load_model(FAILING / "bennett_9.yaml")).notes
    assert any("3 constraint rows are redundant" in note and "j0" in note for note in notes)
    assert any("loops that are closed by C" in note for note in mbsim.assemble(mbsim.load_model(FAILING / "fourbar_joint.yaml")).notes)
    assert not mbsim.assemble(mechanisms.shipped("pendulum")).notes
