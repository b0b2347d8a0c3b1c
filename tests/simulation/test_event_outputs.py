"""Where events of a run are seen: functionals, result files, exported tables, studies."""

from itertools import pairwise
from math import acos, pi, sqrt
from pathlib import Path

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim.cli import main
from mbsim.cli._result import list_events
from mbsim.march.happened import Last
from mbsim.model.file.errors import ExpressionError
from mbsim.results import ResultError
from mbsim.studies.certificate import certify
from mbsim.studies.compare.events import apart

G, E, H = 9.81, 0.8, 1.0
FIRST = sqrt(2.0 * H / G)  # s
BALL = """
name: bouncing ball
dimension: 2
gravity: [0, -9.81]
parameters: {e: 0.8, h: 1}
bodies:
  ball: {mass: 1, inertia: 0.01, position: [0, h]}
events:
  floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -e*der(ball.y)}}}
  roof: {when: ball.y - 5, do: stop}
simulation: {end: 2}
"""


def landing(n: int, e: float = E, h: float = H) -> float:
    """The time of the n-th landing, s."""
    return sqrt(2.0 * h / G) * (1.0 + 2.0 * sum(e**k for k in range(1, n)))


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ball")
    (folder / "ball.yaml").write_text(BALL)
    mbsim.simulate(folder / "ball.yaml", output=folder / "ball.h5")
    return folder / "ball.h5"


def test_times_and_counts_of_events_are_functionals(ball: Path) -> None:
    with mbsim.open_result(ball) as result:
        assert result.evaluated("event_time(floor)") == (pytest.approx(landing(1), abs=1e-10), "s")
        assert result.evaluate("event_time(floor, 3) - event_time(floor, 2)") == pytest.approx(landing(3) - landing(2), abs=1e-10)
        assert result.evaluated("event_count(floor)") == (3.0, "1")
        assert result.evaluate("event_count(roof)") == 0.0


@pytest.mark.parametrize(
    ("functional", "said"),
    [
        ("event_time(floor, 9)", "the event 'floor' happens 3 times, not 9"),
        ("event_time(roof)", "the event 'roof' does not happen"),
        ("event_time(flor)", "unknown event 'flor'; did you mean 'floor'?"),
        ("event_time(floor, 0)", "event_time takes the name of an event"),
        ("event_time(2)", "event_time takes the name of an event"),
        ("event_count(floor, 2)", "event_count takes the name of an event"),
        ("event_count(floor, impact)", "'impact' is nothing that 'floor' does; write one of record, stop, set"),
        ("max(event_time(floor))", "takes a history here (got a number)"),
    ],
)
def test_what_no_event_has_is_said(ball: Path, functional: str, said: str) -> None:
    with mbsim.open_result(ball) as result, pytest.raises((ResultError, ExpressionError)) as error:
        result.evaluate(functional)
    assert said in str(error.value)


STOPPED = (
    BALL.replace("bouncing", "stopped")
    + """
joints:
  rail:
    type: prismatic
    bodies: [ground, ball]
    at: [0, h]
    axis: [0, 1]
    stops: {lower: 0.2 - h, upper: 9, restitution: e, closing_speed: 1}
"""
)


def test_stops_have_counts_and_times_as_events_have(tmp_path: Path) -> None:
    """A ball on a floor that is 0.2 m high, and at rest where it would come up with less than 1 m/s."""
    (tmp_path / "stopped.yaml").write_text(STOPPED.replace("end: 2", "end: 4"))
    result = mbsim.simulate(tmp_path / "stopped.yaml", output=tmp_path / "stopped.h5")
    speed = [sqrt(2.0 * G * 0.8) * E**n for n in range(20)]
    landings = sum(one > 1.0 for one in speed[1:]) + 1
    assert result.evaluate("event_count(rail_lower, impact)") == landings
    assert result.evaluate("event_count(rail_lower)") == len([e for e in result.events if e["event"] == "rail_lower"]) > landings
    assert result.evaluate("event_time(rail_lower, 2, impact)") == pytest.approx(landing(2, h=0.8), abs=1e-9)
    assert result.evaluate("event_time(rail_lower, closed)") == pytest.approx(landing(landings, h=0.8), abs=1e-9)
    assert result.evaluate("event_count(rail_upper)") == 0.0
    with pytest.raises(ExpressionError, match="unknown event 'rail'"):
        result.evaluate("event_count(rail)")
    found = list_events(result.events)
    assert [line.split(":")[0] for line in found[:2]] == ["rail_lower (impact)", "rail_lower (closed)"]
    outputs = {"landings": "event_count(rail_lower, impact)", "above": "event_count(rail_upper, impact)"}
    assert list(mbsim.Runner(tmp_path / "stopped.yaml", vary=["h"], outputs=outputs).run([1.0]).values) == [landings, 0.0]


def test_a_study_has_times_of_events_and_says_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "ball.yaml").write_text(BALL)
    outputs = {"second": "event_time(floor, 2)", "fourth": "event_time(floor, 4)", "count": "event_count(floor)"}
    runner = mbsim.Runner(tmp_path / "ball.yaml", vary=["e", "h"], outputs=outputs)
    for e, h in ((0.8, 1.0), (0.9, 0.5)):
        found = runner.run([e, h])
        number = next(n for n in range(1, 99) if landing(n + 1, e, h) > 2.0)
        assert found.values[0] == pytest.approx(landing(2, e, h), abs=1e-9) and found.values[2] == number
        if number < 4:
            assert np.isnan(found.values[1]) and f"fourth: the event 'floor' happens {number} times, not 4" in found.reason
        else:
            assert found.values[1] == pytest.approx(landing(4, e, h), abs=1e-9)


def test_a_result_file_has_a_table_of_events(ball: Path) -> None:
    with h5py.File(ball) as file:
        assert [name.decode() for name in file["event"][()]] == ["floor"] * 3
        assert file["event_time"][()] == pytest.approx([landing(n) for n in (1, 2, 3)], abs=1e-10)
        speeds = [sqrt(2.0 * G * H) * E**n for n in range(4)]
        place = [name.decode() for name in file["speed"][()]].index("der(ball.y)")
        assert file["event_speed_before"][:, place] == pytest.approx([-v for v in speeds[:3]], abs=1e-9)
        assert file["event_speed_after"][:, place] == pytest.approx(speeds[1:], abs=1e-9)
        assert np.isnan(np.delete(file["event_speed_after"][()], place, axis=1)).all()
        gained = [(b * b - a * a) / 2.0 for a, b in pairwise(speeds)]
        assert file["event_energy"][()] == pytest.approx(gained, abs=1e-9)
        assert file["event_time"].dims[0].keys() == ["event"] and file["event_time"].attrs["units"] == b"s"


def test_xarray_opens_the_table(ball: Path) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(ball, engine="h5netcdf") as data:
        assert data["event_do"].dims == ("event",) and list(data["event_do"].values) == ["set"] * 3
        after = data["event_speed_after"].sel(speed="der(ball.y)").values
        assert after[0] == pytest.approx(E * sqrt(2.0 * G * H))


def test_events_are_exported(ball: Path, tmp_path: Path) -> None:
    table = tmp_path / "events.csv"
    done = CliRunner().invoke(main, ["export", str(ball), "--events", "--units", "-o", str(table)])
    assert done.exit_code == 0, done.output
    head, *rows = [line.split(",") for line in table.read_text().splitlines()]
    assert head == ["time (s)", "event", "do", "energy (J)", "der(ball.y) before (m s-1)", "der(ball.y) after (m s-1)"]
    assert [float(row[0]) for row in rows] == pytest.approx([landing(n) for n in (1, 2, 3)], abs=1e-10)
    few = CliRunner().invoke(main, ["export", str(ball), "--events", "-w", "time,event", "-o", str(tmp_path / "few.csv")])
    assert few.exit_code == 0 and (tmp_path / "few.csv").read_text().splitlines()[0] == "time,event"


def test_a_run_without_events_has_none_to_export(tmp_path: Path) -> None:
    (tmp_path / "ball.yaml").write_text(BALL.replace("end: 2", "end: 0.1"))
    mbsim.simulate(tmp_path / "ball.yaml", output=tmp_path / "ball.h5")
    done = CliRunner().invoke(main, ["export", str(tmp_path / "ball.h5"), "--events", "-o", str(tmp_path / "none.csv")])
    assert done.exit_code != 0 and "no event has happened in" in done.output and not (tmp_path / "none.csv").exists()
    with mbsim.open_result(tmp_path / "ball.h5") as result, pytest.raises(ResultError, match="the event 'floor' does not happen"):
        result.evaluate("event_time(floor)")


def test_a_certificate_says_the_digits_of_times_of_events(ball: Path) -> None:
    with mbsim.open_result(ball) as result:
        found = certify(result)
    assert found.digits["events"] >= 9 and found.digits["velocity"] >= 9 and "times of events to" in found.verdict


def test_runs_with_other_events_are_apart(tmp_path: Path) -> None:
    runs = {}
    for name, e in (("one", "0.8"), ("near", "0.8000000001"), ("other", "0.6")):
        (tmp_path / f"{name}.yaml").write_text(BALL.replace("e: 0.8", f"e: {e}").replace("end: 2", "end: 1"))
        runs[name] = mbsim.simulate(tmp_path / f"{name}.yaml")
    assert 0.0 == apart(runs["one"], runs["one"]) <= apart(runs["one"], runs["near"]) < 1e-8
    assert apart(runs["one"], runs["other"]) == np.inf


@pytest.mark.parametrize("e", [0.1, 0.2, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("given", [{}, {"method": "svd"}, {"step": 1e-3}, {"integrator": "bdf"}, {"rtol": 1e-6, "atol": 1e-8}], ids=str)
def test_no_ball_falls_through_a_floor_that_throws_it_back(e: float, given: dict[str, object]) -> None:
    """Its bounces come to an end after sqrt(2 h/g) (1 + 2 e/(1 - e)). There round-off decides whether what is set still leads up."""
    with pytest.raises(mbsim.SimulationError, match=r"events follow each other (in ever shorter times|without end).*floor") as stopped:
        mbsim.simulate(BALL, parameters={"e": e}, end=6, **given)
    assert stopped.value.result["ball.y"].min() > -1e-9
    assert stopped.value.time == pytest.approx(sqrt(2.0 / G) * (1.0 + 2.0 * e / (1.0 - e)), rel=1e-3)


def test_times_that_shrink_and_grow_again_come_to_no_end() -> None:
    last = Last()
    for at in np.cumsum([1.0, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-5, 1e-4, 0.1, 0.0, 0.0, 0.5]):
        last.add(float(at), ["one"] if at > 0.0 else ["other"], 10.0)


OSCILLATOR = """
name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: 50*x^2}
initial: {x: 1}
events:
  high: {when: x - 0.97}
simulation: {end: 2.4}
"""


def test_a_comparison_tells_of_rows_whose_events_differ(tmp_path: Path) -> None:
    """With one step for a radian RK4 loses four per cent of the amplitude in a period, so that the highest places are not reached."""
    (tmp_path / "oscillator.yaml").write_text(OSCILLATOR)
    found = mbsim.compare([tmp_path / "oscillator.yaml"], methods=["lagrange"], integrators=["rk4"], steps=[0.1, 0.001], end=2.4)
    said = [note for note in found.cases[0].notes if "event" in note]
    assert len(said) == 1 and said[0].startswith("lagrange with rk4 at 0.1: "), found.cases[0].notes
    up = 0.2 * pi - acos(0.97) / 10.0
    assert said[0].endswith(f"1 event, the reference 7; event 2 is no more, there 'high' at {up:.6g} s"), said
