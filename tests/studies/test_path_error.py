"""The error of a path against given points: closed forms, files and what is wrong with them, and the shipped synthesis of a path."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.model.file.errors import ExpressionError
from mbsim.results.functionals import parse
from mbsim.results.paths import Curve, mean_squared_distance
from mbsim.results.read import Result, ResultError
from mbsim.studies.engine.pool import make_pool
from mbsim.studies.sampled.evaluations import Evaluations
from mbsim.studies.sampled.optimise import optimise
from mbsim.studies.sampled.read import read_study

STUDY = Path(__file__).parents[2] / "models" / "studies" / "line_of_points.yaml"
TIMES = np.linspace(0.0, 1.0, 201)
TURN = 2.0 * np.pi * TIMES
ELLIPSE = np.c_[3.0 * np.cos(TURN), 2.0 * np.sin(TURN)]


def curve(points: object, times: object = ()) -> Curve:
    return Curve(tuple(map(tuple, np.asarray(points, float).tolist())), tuple(np.asarray(times, float).tolist()))


def test_points_of_the_path_are_at_no_distance() -> None:
    """Between rows the path is a cubic, whose error is of the fourth order in the distance of the rows."""
    turn = np.linspace(0.1, 6.0, 23)
    points = np.c_[3.0 * np.cos(turn), 2.0 * np.sin(turn)]
    found = [
        [mean_squared_distance(TIMES[::step], ELLIPSE[::step], one) for one in (curve(points), curve(points, turn / (2.0 * np.pi)))]
        for step in (4, 2)
    ]
    assert max(found[1]) < 1e-10
    assert np.all(np.array(found[0]) > 100.0 * np.array(found[1]))  # squared distances: 2^8


def test_distances_from_an_ellipse() -> None:
    """From (x, 0) with |x| < (a^2 - b^2)/a its nearest point is at cos u = a x/(a^2 - b^2), not at the vertex."""
    assert mean_squared_distance(TIMES, ELLIPSE, curve([[4.0, 0.0]])) == pytest.approx(1.0, rel=1e-7)
    assert mean_squared_distance(TIMES, ELLIPSE, curve([[0.0, 0.0], [0.0, 5.0]])) == pytest.approx(0.5 * (4.0 + 9.0), rel=1e-7)
    u = np.arccos(3.0 * 0.7 / 5.0)
    nearest = (3.0 * np.cos(u) - 0.7) ** 2 + (2.0 * np.sin(u)) ** 2
    assert mean_squared_distance(TIMES, ELLIPSE, curve([[0.7, 0.0]])) == pytest.approx(nearest, rel=1e-7)


def test_times_ask_for_places() -> None:
    shifted = curve(ELLIPSE[[50, 100]] + [0.3, 0.4], TIMES[[50, 100]])
    assert mean_squared_distance(TIMES, ELLIPSE, shifted) == pytest.approx(0.25, rel=1e-12)
    late = curve(ELLIPSE[[50]], [0.5])  # a quarter of a turn later
    assert mean_squared_distance(TIMES, ELLIPSE, late) == pytest.approx(9.0 + 4.0, rel=1e-9)


def test_every_distance_is_the_smallest() -> None:
    """Against a search on a fine path, for random points inside and outside."""
    points = 3.0 * np.random.default_rng(5).standard_normal((60, 2))
    fine = np.linspace(0.0, 2.0 * np.pi, 200_001)
    path = np.c_[3.0 * np.cos(fine), 2.0 * np.sin(fine)]
    for point in points:
        expected = float(np.min(np.sum((path - point) ** 2, axis=1)))
        assert mean_squared_distance(TIMES, ELLIPSE, curve([point])) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_paths_in_space_and_with_two_rows_at_a_time() -> None:
    time = np.insert(TIMES, 100, TIMES[100])  # as at an event
    path = np.insert(np.c_[ELLIPSE, TIMES], 100, np.append(ELLIPSE[100], TIMES[100]), axis=0)
    assert mean_squared_distance(time, path, curve([[3.0, 0.0, -2.0]])) == pytest.approx(4.0, rel=1e-9)
    assert mean_squared_distance(time[:1], path[:1], curve([[3.0, 0.0, -2.0]])) == pytest.approx(4.0, rel=1e-9)


CRANK = """
dimension: 2
bodies: {crank: {mass: 1, inertia: 0.1, points: {P: [2, 0]}}}
joints: {O: {type: revolute, points: [ground, crank]}}
drivers: {motor: {joint: O, angle: pi/2*t}}
simulation: {end: 1, step: 0.02}
"""
FILES = {
    "points.csv": "x,y\n2.5,0\n0,2\n",
    "timed-1.csv": "time;x;y\n0;2;0\n1;0;2\n",
    "space.csv": "y,x,z\n2,0,1\n",
    "late.csv": "t,x,y\n0,2,0\n3,0,2\n",
    "bare.csv": "2,0\n0,2\n",
    "named.csv": "u,v\n0,2\n",
    "wrong.csv": "x,y\n0,2\n1,two\n",
    "none.csv": "x,y\n",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("sub/points.csv").write_text(FILES["points.csv"])
    return mbsim.simulate(CRANK)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path_error(crank.P, points.csv)", 0.125),
        ("2*path_error( crank.P , sub/points.csv ) + 1", 1.25),
        ('path_error(crank.P, "points.csv")', 0.125),
        ("path_error(crank.P, x, y, 2.5, 0, 0, -2)", 0.125 + 0.5 * 8.0),
        ("path_error(crank.P, timed-1.csv)", 0.0),
        ("path_error(crank.P, t, x, y, 1, 0, 1, 0, 2, 1)", 1.0),
        ("path_error(crank.P, space.csv)", 1.0),
        ("path_error(crank, x, y, 3, 4)", 25.0),
    ],
)
def test_results_tell_it(run: Result, text: str, expected: float) -> None:
    value, units = run.evaluated(text)
    assert value == pytest.approx(expected, rel=1e-8, abs=1e-12)
    assert units == ("m2" if text.startswith("path_error") else "1")
    written = parse(text).text
    assert "csv" not in written and run.evaluate(written) == value


@pytest.mark.parametrize(
    ("text", "offset", "words"),
    [
        ("1 + path_error(crank.P)", 4, "path_error takes a point and a file of points"),
        ("path_error(crank.P, nowhere.csv)", 20, "there is no file nowhere.csv"),
        ("path_error(crank.P, bare.csv)", 20, "bare.csv has no line with the names of its columns; expected x, y"),
        ("path_error(crank.P, named.csv)", 20, "named.csv has columns u, v; expected x, y or x, y, z"),
        ("path_error(crank.P, wrong.csv)", 20, "wrong.csv:3:3: expected a finite number (got 'two')"),
        ("path_error(crank.P, none.csv)", 20, "none.csv holds no points, only the names of its columns"),
        ("path_error(crank.P, x, y, 1)", 20, "path_error takes a point"),
        ("path_error(crank.P, x, y, 1, 2*t)", 30, "path_error takes a point"),
        ("path_error(crank.Q, points.csv)", 11, "crank.Q.x"),
        ("path_error(joint_force:O, points.csv)", 0, "path_error takes a point"),
    ],
)
def test_faults_have_their_character(run: Result, text: str, offset: int, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        run.evaluate(text)
    assert words in str(caught.value) and caught.value.offset == offset


def test_a_time_outside_of_the_run(run: Result) -> None:
    with pytest.raises(ResultError, match="the run has no place at t = 3 s: it goes from 0 s to 1 s"):
        run.evaluate("path_error(crank.P, late.csv)")


def test_a_study_finds_the_points_beside_it(run: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And keeps them: its processes, and a study that goes on elsewhere, need no file."""
    text = CRANK.replace("P: [2, 0]", "P: [r, 0]").replace("\nbodies", "\nparameters: {r: 2}\nbodies")
    (tmp_path / "sub" / "crank.yaml").write_text(text)
    study = tmp_path / "sub" / "s.yaml"
    study.write_text("model: crank.yaml\nvary: {r: [1, 2, 3]}\noutputs: {error: 'path_error(crank.P, points.csv)'}\n")
    known = read_study(study)
    assert "points.csv" not in known.task.outputs[0][1]
    assert [float(known.runner.run([r]).values[0]) for r in (1.0, 2.0, 3.0)] == pytest.approx([1.625, 0.125, 0.625], rel=1e-8)
    said = CliRunner().invoke(main, ["study", str(study), "--processes", "--workers", "2", "-o", "s.h5"])
    assert said.exit_code == 0, said.output
    study.write_text(study.read_text().replace("points.csv", "missing.csv"))
    said = CliRunner().invoke(main, ["study", str(study)])
    assert said.exit_code == 2 and "s.yaml:3:39: outputs.error: there is no file" in said.output


def test_the_error_that_is_minimised_in_the_shipped_study() -> None:
    """Of its start: the distances of the points from the coupler's path by plane geometry."""
    study = read_study(STUDY)
    r1, r2, r3, r4, x, y, px, py, turn = (one.start for one in study.varied.values())
    crank = np.linspace(0.0, 2.0 * np.pi, 20_001)
    A = r2 * np.exp(1j * crank)
    e = np.abs(r1 - A)
    P = A + (x + 1j * y) * np.exp(1j * (np.arccos((e * e + r3 * r3 - r4 * r4) / (2.0 * e * r3)) + np.angle(r1 - A)))
    P = px + 1j * py + P * np.exp(1j * turn)
    expected = np.mean([np.min(np.abs(P - (20.0 + 1j * height))) ** 2 for height in range(20, 50, 5)])
    values = study.runner.run([one.start for one in study.varied.values()]).values
    assert values[0] == pytest.approx(expected, rel=1e-6)
    assert min(values[1:]) > 0.0


@pytest.mark.parametrize(
    ("gradient", "runs", "error"), [("differences", 200, 30.0), pytest.param("direct", 400, 0.02, marks=pytest.mark.slow)]
)
def test_the_shipped_study_finds_a_linkage(gradient: str, runs: int, error: float, tmp_path: Path) -> None:
    """It begins at 299 m^2."""
    for name in (STUDY.name, "path_linkage.yaml", "vertical_line.csv"):
        text = STUDY.with_name(name).read_text()
        (tmp_path / name).write_text(
            text.replace("gradient: direct", f"gradient: {gradient}").replace("max_runs: 400", f"max_runs: {runs}")
        )
    study = read_study(tmp_path / STUDY.name)
    best = optimise(study, Evaluations(study, make_pool(1), None))
    assert best["outputs"]["error"] < error and best["violated"] == 0.0
    assert best["converged"] or gradient == "differences"
