"""Measured tables: units, factors, noise that is told and smoothed."""

from pathlib import Path

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim.model.file.errors import ModelError
from mbsim.model.schema import Model
from mbsim.model.smoothing import noise_of, smoothed

DRIVEN = """
name: measured motion
dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {j: {type: revolute, bodies: [ground, arm], at: [0, 0]}}
tables: {m: {file: FILE, unit: [ms, deg]MORE}}
drivers: {d: {joint: j, angle: m(t)}}
simulation: {end: 2}
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """0.5 sin(3 t) with noise of 1e-3 rad, in milliseconds and degrees."""
    t = np.linspace(0.0, 2.0, 201)
    angle = 0.5 * np.sin(3.0 * t) + 1e-3 * np.random.default_rng(1).standard_normal(201)
    path = tmp_path_factory.mktemp("measured") / "swing.csv"
    np.savetxt(path, np.c_[1e3 * t, np.rad2deg(angle)], delimiter=",", header="t_ms,phi_deg", comments="")
    return path


def motion(path: Path, more: str = "") -> Model:
    return mechanisms.model(DRIVEN.replace("FILE", str(path)).replace("MORE", more))


def error_of_effort(path: Path, more: str) -> float:
    """Root mean square, N m, of the effort that moves the arm, which is J th'' + m g l cos(th)."""
    result = mbsim.simulate(motion(path, more))
    t = result.time
    true = -0.35 * 4.5 * np.sin(3.0 * t) + 9.81 * 0.5 * np.cos(0.5 * np.sin(3.0 * t))
    return float(np.sqrt(np.mean((result["driver_effort"][:, 0] - true) ** 2)))


def test_smoothing_makes_efforts_of_a_measured_motion(measured: Path) -> None:
    assert error_of_effort(measured, "") > 5.0
    assert error_of_effort(measured, ", smooth: 1e-3") < 0.2


def test_noise_is_said_where_it_drives(measured: Path) -> None:
    said = [note for note in mbsim.assemble(mbsim.load_model(motion(measured))).notes if "noise" in note]
    assert len(said) == 1 and "the table 'm', which drives, has noise of about 0.0009" in said[0] and "`smooth: 0.0009`" in said[0]
    assert not [note for note in mbsim.assemble(mbsim.load_model(motion(measured, ", smooth: 1e-3"))).notes if "noise" in note]


def test_units_and_factors(measured: Path) -> None:
    (table,) = mbsim.load_model(motion(measured)).tables.values()
    raw = np.loadtxt(measured, delimiter=",", skiprows=1)
    np.testing.assert_allclose(table.points, raw * [1e-3, np.pi / 180.0], rtol=1e-14)
    (table,) = mbsim.load_model(motion(measured, ", scale: [2, -1]")).tables.values()
    np.testing.assert_allclose(table.points, raw * [2e-3, -np.pi / 180.0], rtol=1e-14)


def test_a_result_keeps_what_was_smoothed(measured: Path, tmp_path: Path) -> None:
    """Run again from the result, it is not smoothed anew."""
    first = mbsim.simulate(motion(measured, ", smooth: 1e-3"), output=tmp_path / "first.h5")
    again = mbsim.open_result(tmp_path / "first.h5")
    model = mbsim.load_model(again.model_yaml, tables=again.tables)
    (table,), (kept,) = model.tables.values(), mbsim.load_model(motion(measured, ", smooth: 1e-3")).tables.values()
    np.testing.assert_allclose(table.points, kept.points, rtol=1e-13, atol=1e-15)
    assert len(first.time) == len(again.time)


def test_the_distance_is_the_noise() -> None:
    x = np.linspace(0.0, 3.0, 100)
    y = np.cos(2.0 * x) + 0.01 * np.random.default_rng(3).standard_normal(100)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    moved = np.array(smoothed(points, 0.01))[:, 1] - y
    assert np.sqrt(np.mean(moved**2)) == pytest.approx(0.01, rel=1e-3)
    assert noise_of(points)[0] == pytest.approx(0.01, rel=0.3)
    line = np.array(smoothed(points, 10.0))  # more than a line is away
    assert np.abs(np.diff(line[:, 1], 2)).max() < 1e-9


def test_smooth_motions_have_no_noise() -> None:
    x = np.linspace(0.0, 3.0, 100)
    for y in (np.sin(5.0 * x), x**3, np.exp(-x) * np.cos(9.0 * x)):
        _, made, whole = noise_of(list(zip(x.tolist(), y.tolist(), strict=True)))
        assert made < 0.05 * whole


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", smooth: -1", "tables.m.smooth: must be greater than 0"),
        (", smooth: 1e-3, interpolation: linear", "tables.m.smooth: a periodic or linear table is not smoothed"),
        (", scale: [0, 1]", r"tables.m.scale: x needs a factor above 0, y one that is not 0 \(got \[0.0, 1.0\]\)"),
        (", scale: [1]", "tables.m.scale: expected at least 2 items"),
    ],
)
def test_what_is_refused(measured: Path, more: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        mbsim.load_model(motion(measured, more))


def test_unknown_units(measured: Path) -> None:
    with pytest.raises(ModelError, match=r"tables\.m\.unit: unknown unit 'degs'; known: kg, m, s"):
        mechanisms.model(DRIVEN.replace("FILE", str(measured)).replace("MORE", "").replace("deg]", "degs]"))
