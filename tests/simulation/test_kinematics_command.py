"""The command `mbsim kinematics`: refusals, exit codes, files; and inverse dynamics with loops, redundant drivers and tables."""

import json
from pathlib import Path

import mechanisms
import numpy as np
import pytest
import xarray
from click.testing import CliRunner, Result
from mechanisms import close

import mbsim
from mbsim.analyses.inverse import inverse
from mbsim.cli import main

FIVE_BAR = """
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.1, position: [0, 0.5], angle: deg(90), points: {o: [-0.5, 0], p: [0.5, 0]}}
  b: {mass: 1, inertia: 0.1, position: [0.5, 1.3], angle: "atan2(0.6, 1)", points: {p: [-sqrt(0.34), 0], q: [sqrt(0.34), 0]}}
  c: {mass: 1, inertia: 0.1, position: [1.5, 1.3], angle: "-atan2(0.6, 1)", points: {q: [-sqrt(0.34), 0], r: [sqrt(0.34), 0]}}
  d: {mass: 1, inertia: 0.1, position: [2, 0.5], angle: deg(90), points: {s: [-0.5, 0], r: [0.5, 0]}}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  P: {type: revolute, points: [a.p, b.p]}
  Q: {type: revolute, points: [b.q, c.q]}
  R: {type: revolute, points: [c.r, d.r]}
  S: {type: revolute, bodies: [ground, d], at: [2, 0]}
simulation: {end: 1, step: 0.01}
"""
ONE = "drivers: {m: {joint: O, angle: -0.4*sin(2*t)}}\n"
TWO = "drivers: {m: {joint: O, angle: -0.4*sin(2*t)}, n: {coordinate: d.angle, value: pi/2 + 0.3*t^2}}\n"
HELD = "drivers: {n: {coordinate: d.angle, value: pi/2}}\n"
THREE = "drivers: {m: {joint: O, angle: 0.1}, n: {coordinate: d.angle, value: pi/2}}\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Run `mbsim` in an empty folder on the model that is given as text."""
    monkeypatch.chdir(tmp_path)

    def invoke(text: str, command: str, *words: str) -> Result:
        Path("m.yaml").write_text(text)
        return CliRunner().invoke(main, [command, "m.yaml", *words])

    return invoke


@pytest.mark.parametrize(
    ("drivers", "words", "message"),
    [
        ("", [], "the drivers leave 2 degrees of freedom: "),
        ("", ["--cycle", "a.angle=0:1"], "the drivers and the cycle of a.angle leave 1 degree of freedom: "),
        (ONE, [], "the drivers leave 1 degree of freedom: "),
        (TWO, ["--cycle", "a.angle=0:1"], "m, n move with the time; in a cycle nothing moves but the cycled coordinate"),
        (TWO, ["--cycle", "O.angle=0:1"], "n move with the time"),
        (THREE, ["--cycle", "b.angle=0:1"], "b.angle cannot be cycled: the drivers m, n hold it"),
        (HELD, ["--cycle", "e.angle=0:1"], "the model has no coordinate 'e.angle' to cycle"),
        (HELD, ["--cycle", "a.angle=1"], "a cycle is COORDINATE=FIRST:LAST"),
        (HELD, ["--cycle", "a.angle=1:1"], "has no range"),
        (HELD, ["--cycle", "a.angle=1:2:1.5"], "the number of rows must be an integer from 2"),
        (HELD, ["--cycle", "a.angle=1:2:1e9"], "the number of rows must be an integer from 2"),
        (HELD, ["--cycle", "a.angle=0:1e300"], "first and last value must not be greater than 1e+50 in size"),
        (HELD, ["--cycle", "a.angle=1:x"], "unknown name 'x'"),
        (HELD, ["--cycle", "a.angle=1.5:1.6:3", "--transfer", "a.z"], "'a.z' is no coordinate whose transfer function is known"),
        (HELD, ["--cycle", "a.angle=1.5:1.6:3", "--transmission", "W"], "the joints are O, P, Q, R, S"),
        (HELD, ["--cycle", "a.angle=1.5:1.6:3", "--transmission", "O"], "the joint O is on the ground"),
        (HELD, ["--cycle", "a.angle=1:2", "--end", "2"], "--cycle has its own range"),
        (TWO, ["--transfer", "c.x"], "a transfer function is that of a cycled coordinate; give a cycle"),
    ],
)
def test_refused(run, drivers: str, words: list[str], message: str) -> None:  # type: ignore[no-untyped-def]
    result = run(FIVE_BAR + drivers, "kinematics", *words)
    assert result.exit_code == 2, result.output
    assert message in result.output
    assert not list(Path().glob("*.h5*"))


def test_speeds_are_refused(run) -> None:  # type: ignore[no-untyped-def]
    result = run(FIVE_BAR + TWO.replace("angle: -0.4*sin(2*t)", "speed: 1"), "kinematics")
    assert result.exit_code == 2 and "speeds are prescribed, from which positions follow by integration only: m;" in result.output


def test_result_files(run) -> None:  # type: ignore[no-untyped-def]
    """Of a whole cycle, and of one that ends at a dead point: exit code 1 with the value, and the rows up to there."""
    words = ["--cycle", "a.angle=pi/2:1:31", "--transfer", "c.angle", "--transmission", "P:Q:R", "-o", "m.h5"]
    done = run(FIVE_BAR + HELD + "measures: {twice: 2*c.x}\n", "kinematics", *words)
    assert done.exit_code == 0, done.output
    assert "transmission_angle.Q: " in done.output and done.stdout == "m.h5\n"
    with xarray.open_dataset("m.h5", engine="h5netcdf") as data:
        assert data.sizes["time"] == 31 and data.attrs["cycle"] == "a.angle"
        close(data["twice"], 2 * data["q"].sel(coordinate="c.x"), atol=1e-14)
        close(data["transfer.c.angle"], data["v"].sel(speed="der(c.angle)"), atol=1e-12)
        close(data["transfer_second.c.angle"], data["acceleration"].sel(speed="der(c.angle)"), atol=1e-9)
        assert data["mechanical_advantage.c.angle"].attrs["units"] == "1"
        assert not any(np.isnan(data[name]).any() for name in data if data[name].dtype == float)
    with mbsim.open_result("m.h5") as found:
        assert "31 rows from 1.5708 to 1 rad of a.angle" in repr(found)
    told = CliRunner().invoke(main, ["info", "m.h5"]).output
    assert "1.5708 to 1 rad, 31 rows" in told and "final values at a.angle = 1 rad" in told
    for words in ([], ["--what", "transfer.c.angle,driver_effort,c.x~c.y"]):
        shown = CliRunner().invoke(main, ["plot", "m.h5", *words, "-o", "m.png"])
        assert shown.exit_code == 0, shown.output
    assert "the time is the value of a.angle, in rad" in CliRunner().invoke(main, ["info", "m.h5"]).output

    ended = run(FIVE_BAR + HELD, "kinematics", "--cycle", "a.angle=pi/2:pi:91", "--json")
    assert ended.exit_code == 1
    facts = json.loads(ended.stdout)
    # a's tip goes back until b and c are in line with the tip of d, which rests at (2, 1)
    tip = np.array([np.cos(facts["singular_positions"][-1]["at"]), np.sin(facts["singular_positions"][-1]["at"])])
    close(np.linalg.norm(tip - [2, 1]), 2 * np.sqrt(1.36), atol=1e-9)
    assert facts["rows"] == len(mbsim.open_result("m-kinematics.h5").time) > 0
    assert "dead point at a.angle = " in ended.stderr and "; the result up to there is in m-kinematics.h5" in ended.stderr
    nothing = run(FIVE_BAR + HELD, "kinematics", "--cycle", "a.angle=pi:2", "-o", "none.h5")
    assert nothing.exit_code == 1 and "the first row, at a.angle = 3.14159265 rad, is not reached from the start" in nothing.stderr
    assert not Path("none.h5").exists()


def test_the_time_of_a_cycle_has_the_unit_of_its_coordinate(run) -> None:  # type: ignore[no-untyped-def]
    assert run(FIVE_BAR + HELD, "kinematics", "--cycle", "a.angle=pi/2:1:5", "-o", "u.h5").exit_code == 0
    with mbsim.open_result("u.h5") as result:
        assert (result.units("time"), result.long_name("time")) == ("rad", "value of a.angle")
    assert CliRunner().invoke(main, ["export", "u.h5", "-o", "u.csv", "--units"]).exit_code == 0
    assert Path("u.csv").read_text().startswith("time (rad),")
    (line,) = [line for line in CliRunner().invoke(main, ["info", "u.h5"]).stdout.splitlines() if line.startswith("  time  ")]
    assert line.split() == ["time", "rad", "value", "of", "a.angle"]


def test_cycle_in_place_of_a_driver(run) -> None:  # type: ignore[no-untyped-def]
    """Of the same coordinate, or of the only driver that moves; its effort keeps its name."""
    text = FIVE_BAR + HELD.replace("drivers: {", "drivers: {m: {joint: O, angle: 0.4*t}, ") + "measures: {effort: driver_effort.m}\n"
    for coordinate, first in (("O.angle", -0.2), ("a.angle", 1.2)):
        done = run(text, "kinematics", "--cycle", f"{coordinate}={first}:{first + 0.1}:3")
        assert done.exit_code == 0 and "the cycle takes the place of the driver m" in done.stderr, done.output
        result = mbsim.open_result("m-kinematics.h5")
        close(result.select("q", "a.angle"), result.time + (np.pi / 2 if coordinate == "O.angle" else 0), atol=1e-13)
        close(result["effort"], result.select("driver_effort", "m"), atol=0.0)


def test_redundant_drivers_share_by_least_squares() -> None:
    """Cranks that turn against each other keep the middle joint on a line, and so does a third driver: the efforts of least squares."""
    two = ONE.replace("}}\n", "}, n: {coordinate: d.angle, value: pi/2 + 0.4*sin(2*t)}}\n")
    three = two.replace("}}\n", "}, k: {point: b.q, x: 1}}\n")
    heavier = FIVE_BAR.replace("d: {mass: 1", "d: {mass: 3")  # on one side: the third driver has something to do
    plain = inverse(mbsim.assemble(mechanisms.model(heavier + two)))
    made = mbsim.assemble(mechanisms.model(heavier + three))
    shared = inverse(made)
    said = [note for note in shared.attributes["notes"] if note.startswith("redundant actuation: the efforts of m, n, k.x share")]
    assert len(said) == 1 and said[0].endswith("N and N m are counted alike")
    assert not any(note.startswith("redundant actuation") for note in plain.attributes["notes"])
    close(shared["q"], plain["q"], atol=1e-12)
    m, n, k = (driver.row for driver in made.system.drivers)
    for row in (20, 50, 90):
        C = made.system.C(float(plain.time[row]), plain["q"][row])
        own = np.delete(C, k, axis=0)  # k works on what m and n move: C_k v for v at the unit rate of each of them
        weights = np.column_stack([np.eye(2), [C[k] @ np.linalg.solve(own, np.eye(len(own))[:, driver]) for driver in (m, n)]])
        expected = np.linalg.lstsq(weights, plain["driver_effort"][row], rcond=None)[0]
        close(shared["driver_effort"][row], expected, atol=1e-9 * np.abs(expected).max())
        assert np.linalg.norm(shared["driver_effort"][row]) < 0.999 * np.linalg.norm(plain["driver_effort"][row])
    close(shared["energy_work"], plain["energy_work"], atol=1e-9)


def test_table_of_a_loop(run) -> None:  # type: ignore[no-untyped-def]
    """Columns for what the drivers leave; the efforts are those of drivers that do the same, and have the names of the coordinates."""
    t = np.linspace(0, 1, 101)
    np.savetxt("motion.csv", np.column_stack([t, np.pi / 2 + 0.3 * t**2]), delimiter=",", header="time,d.angle", comments="")
    assert (done := run(FIVE_BAR + TWO, "inverse", "-o", "driven.h5")).exit_code == 0, done.output
    assert (done := run(FIVE_BAR + ONE, "inverse", "--table", "motion.csv", "-o", "table.h5")).exit_code == 0, done.output
    with mbsim.open_result("driven.h5") as driven, mbsim.open_result("table.h5") as table:
        assert table.labels("driver") == ["m", "d.angle"]
        for name in ("q", "driver_effort", "joint_force", "energy_work"):
            close(table[name], driven[name], atol=1e-8 * max(1.0, np.abs(driven[name]).max()))
        close(driven["energy_balance"], 0.0, atol=1e-6)
        assert not any(np.isnan(driven[name]).any() for name in driven.names() if driven[name].dtype == float)
    assert CliRunner().invoke(main, ["plot", "table.h5", "--what", "driver_effort:d.angle", "-o", "x.png"]).exit_code == 0
    for header, message in (("time,x.angle", "unknown columns x.angle"), ("t,d.angle", "the table lacks time"), ("time,c.x", "")):
        np.savetxt("motion.csv", np.column_stack([t, 1.5 + 0.0 * t]), delimiter=",", header=header, comments="")
        refused = run(FIVE_BAR + (ONE if message else ""), "inverse", "--table", "motion.csv")
        assert refused.exit_code == 2 and (message or "the table and the drivers leave 1 degree of freedom: ") in refused.output


def test_inverse_ends_at_a_dead_point(run) -> None:  # type: ignore[no-untyped-def]
    result = run(FIVE_BAR + HELD.replace("{n", "{m: {joint: O, angle: 2*t}, n"), "inverse")
    assert result.exit_code == 1 and "dead point at t = " in result.stderr and "the result up to there is in m-inverse.h5" in result.stderr
    assert mbsim.open_result("m-inverse.h5").attributes["status"] == "failed"
