"""Inverse dynamics, forward kinematics, and the command `mbsim inverse`."""

from dataclasses import replace
from pathlib import Path

import mechanisms
import numpy as np
import pytest
import trees
from click.testing import CliRunner
from mechanisms import close

import mbsim
from mbsim.analyses.inverse import inverse
from mbsim.cli import main
from mbsim.march.settings import Asked


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("seed", range(6))
def test_inverse_of_forward_dynamics(seed: int, dimension: int) -> None:
    made = mbsim.assemble(mechanisms.model(trees.random_tree(seed, 7, dimension, floating=seed % 2 == 0)))
    rng = np.random.default_rng(seed)
    t, q, v = trees.state(made.system, made.q, rng)
    a = rng.standard_normal(made.system.n_v)
    M, h, *_ = made.system.terms(t, q, v)
    close(mbsim.inverse_dynamics(made.system, t, q, v, a), M @ a - h, atol=1e-11 * np.abs(M @ a - h).max())


def test_inverse_dynamics_in_other_coordinates() -> None:
    system = mechanisms.system({"bodies": {"b": mechanisms.body_block(3, 0)}, "simulation": {"end": 1}})
    q, v = np.array([0.0, 0, 0, 1, 0, 0, 0]), np.arange(6.0)
    M, h, *_ = system.terms(0.0, q, v)
    close(mbsim.inverse_dynamics(system, 0.0, q, v, v), M @ v - h, atol=1e-12)
    constrained = mbsim.assemble(mechanisms.shipped("four_bar"))
    with pytest.raises(ValueError, match="constraint rows"):
        mbsim.inverse_dynamics(constrained.system, 0.0, constrained.q, constrained.v, constrained.v)
    with pytest.raises(ValueError, match="a has shape"):
        mbsim.inverse_dynamics(system, 0.0, q, v, [1.0])


def test_forward_kinematics() -> None:
    bodies = {"a": {"mass": 1, "inertia": 0.1, "position": [0.5, 0]}, "b": {"mass": 1, "inertia": 0.1, "position": [1.5, 0]}}
    pairs = {"o": (["ground", "a"], 0), "p": (["a", "b"], 1)}
    joints = {name: {"type": "revolute", "bodies": pair, "at": [x, 0]} for name, (pair, x) in pairs.items()}
    system = mechanisms.system({"dimension": 2, "coordinates": "joint", "bodies": bodies, "joints": joints, "simulation": {"end": 1}})
    found = mbsim.forward_kinematics(system, 0.0, [np.pi / 2, -np.pi / 2], [1.0, 0.0])
    close(found["b"]["position"], [0.5, 1.0, 0.0], atol=1e-14)
    close(found["b"]["velocity"], [-1.0, 0.5, 0.0], atol=1e-14)
    close(found["b"]["angular_velocity"], [0, 0, 1.0], atol=1e-14)
    close(found["b"]["orientation"], [1.0, 0, 0, 0], atol=1e-14)


def test_driven_mechanism_equals_its_simulation() -> None:
    """Absolute coordinates with a closed loop: the shipped slider-crank, whose motor leaves no freedom."""
    made = mbsim.assemble(mechanisms.shipped("slider_crank", simulation={"end": 0.05, "step": 1e-3}))
    found = inverse(made)
    run = mbsim.simulate(made, method="lagrange")
    for name in ("q", "v", "acceleration", "driver_effort", "joint_force"):
        close(found[name], run[name], atol=1e-5 * max(1.0, np.abs(run[name]).max()))
    close(found["energy_work"], run["energy_work"], atol=1e-5)
    close(found["energy_balance"], 0.0, atol=1e-5)


def test_times_are_the_models() -> None:
    """Rows are at the output step, else at the step, else every millisecond; a system that no model describes has no times."""
    for given, spacing in (({"output_step": 0.02, "step": 0.01}, 0.02), ({"step": 0.01}, 0.01), ({}, 1e-3)):
        made = mbsim.assemble(mechanisms.shipped("slider_crank"))
        found = inverse(replace(made, simulation=Asked(start=made.start, end=made.start + 0.045, **given)))
        assert found.time[0] == made.start and found.time[-1] == made.start + 0.045
        close(np.diff(found.time)[:-1], spacing, atol=1e-12)
    with pytest.raises(ValueError, match="no model file describes it"):
        inverse(replace(made, simulation=None))


ARM = """
dimension: 2
gravity: [0, -9.81]
coordinates: joint
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  o: {type: revolute, bodies: [ground, a], at: [0, 0]}
  p: {type: revolute, bodies: [a, b], at: [1, 0]}
simulation: {end: 1, step: 0.01}
"""
DRIVERS = "drivers: {m: {joint: o, angle: 0.3*sin(2*t)}, n: {joint: p, angle: -0.5*t^2}}\n"


def test_command_with_a_table_and_with_drivers_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    t = np.linspace(0, 1, 101)
    rows = np.column_stack([t, 0.3 * np.sin(2 * t), -0.5 * t**2])
    np.savetxt("motion.csv", rows, delimiter=",", header="time,o.angle,p.angle", comments="")
    Path("arm.yaml").write_text(ARM)
    Path("driven.yaml").write_text(ARM + DRIVERS)
    runner = CliRunner()
    assert runner.invoke(main, ["inverse", "arm.yaml", "--table", "motion.csv"]).exit_code == 0
    assert runner.invoke(main, ["inverse", "driven.yaml", "-o", "driven.h5"]).exit_code == 0
    for words in ([], ["--what", "driver_effort,joint_force:p"]):
        shown = runner.invoke(main, ["plot", "driven.h5", *words, "-o", "x.png"])
        assert shown.exit_code == 0, shown.output
        assert Path("x.png").stat().st_size > 1000
        Path("x.png").unlink()
    with mbsim.open_result("arm-inverse.h5") as table, mbsim.open_result("driven.h5") as driven:
        close(table["driver_effort"][1:-1], driven["driver_effort"][1:-1], atol=1e-3)
        close(table["joint_force"][1:-1], driven["joint_force"][1:-1], atol=1e-3)
        a = driven["acceleration"]
        close(a[:, 0], -1.2 * np.sin(2 * t), atol=1e-9)


CONTROLLED = "controllers: {hold: {type: pd, joint: p, target: 0.5, kp: 100, kd: 5}}\n"


def test_a_table_beside_controllers_and_in_degrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Controllers act beside the efforts that are found, which a note says; angles beyond a turn may be degrees, which is warned of."""
    monkeypatch.chdir(tmp_path)
    Path("arm.yaml").write_text(ARM + CONTROLLED)
    t = np.linspace(0.0, 1.0, 11)
    for name, size in (("rad", 1.0), ("deg", 180.0 / np.pi)):
        rows = np.column_stack([t, size * 0.3 * t, size * (0.5 - t)])
        np.savetxt(f"{name}.csv", rows, delimiter=",", header="time,o.angle,p.angle", comments="")
    runner = CliRunner()
    said = runner.invoke(main, ["inverse", "arm.yaml", "--table", "rad.csv"])
    assert said.exit_code == 0, said.output
    assert "note: controllers act beside what is found: hold; the motion needs driver_effort and their efforts" in said.stderr
    assert "warning" not in said.stderr
    said = runner.invoke(main, ["inverse", "arm.yaml", "--table", "deg.csv", "-o", "deg.h5"])
    words = "columns of angles are in rad, not in degrees"
    assert f"warning: the table's o.angle goes to 17.19, 2.7 turns: {words}" in said.stderr
    assert f"warning: the table's p.angle goes to 28.65, 4.6 turns: {words}" in said.stderr


WRONG = {
    "time,o.angle\n0,1\n": "the table lacks p.angle",
    "time,o.angle,p.angle,x\n0,1,1,1\n": "unknown columns x",
    "time,o.angle,p.angle\n0,1,a\n": "motion.csv:2:5: expected a finite number (got 'a')\n",
    "time,o.angle,p.angle\n0,1\n": "motion.csv:2:1: expected 3 cells (got 2: '0,1')\n",
    "time,o.angle,p.angle\n0,x,1\n1,1\n2,nan,\n": (
        "motion.csv:2:3: expected a finite number (got 'x')\nmotion.csv:3:1: expected 3 cells (got 2: '1,1')\n"
        "motion.csv:4:3: expected a finite number (got 'nan')\nmotion.csv:4:7: expected a finite number (got '')\n"
    ),
    "time,o.angle,p.angle,o.angle\n0,1,1,2\n1,1,1,3\n2,1,1,4\n3,1,1,5\n": "motion.csv:1:22: the column 'o.angle' is there twice\n",
    f"time,o.angle,p.angle\n0,{'1' * 200_000},1\n": "motion.csv:2:1: the file is no CSV file: field larger than field limit",
    "time,o.angle,p.angle\n0,1,1\n0,1,1\n1,1,1\n2,1,1\n": "the table needs increasing times (got 0 s after 0 s)",
    "time,o.angle,p.angle\n0,1,1\n1,1,1\n": "the table needs at least 4 rows (got 2)",
    "": "the table is empty",
    "t,o.angle,p.angle\n0,1,1\n": "the table lacks time (it has t, o.angle, p.angle)",
    "time,o.angle [deg],p.angle\n0,1,1\n": "the table lacks o.angle (it has time, o.angle [deg], p.angle)",
    "time;o.angle;p.angle\n0,5;1,2;1\n": (
        "decimals have a point, not a comma; commas are between numbers, not semicolons (--decimal comma reads such tables)"
    ),
    'time,o.angle,p.angle\n0,"1,5",1\n': "decimals have a point, not a comma",
    "time;o.angle;p.angle\n0;1;2\n": "commas are between numbers, not semicolons",
}


def test_a_table_with_decimal_commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives what the same table with points gives, digit by digit."""
    monkeypatch.chdir(tmp_path)
    Path("arm.yaml").write_text(ARM)
    lines = ["time,o.angle,p.angle", *(f"{0.1 * k:.1f},{0.02 * k * k:.2f},{0.5 - 0.05 * k:.2f}" for k in range(11))]
    Path("point.csv").write_text("\n".join(lines))
    Path("comma.csv").write_text("\n".join([lines[0].replace(",", ";"), *(x.replace(",", ";").replace(".", ",") for x in lines[1:])]))
    for sign in ("point", "comma"):
        said = CliRunner().invoke(main, ["inverse", "arm.yaml", "--table", f"{sign}.csv", "--decimal", sign, "-o", f"{sign}.h5"])
        assert said.exit_code == 0, said.output
    with mbsim.open_result("point.h5") as point, mbsim.open_result("comma.h5") as comma:
        np.testing.assert_array_equal(point["driver_effort"], comma["driver_effort"])
    said = CliRunner().invoke(main, ["inverse", "arm.yaml", "--table", "point.csv", "--decimal", "comma"])
    assert said.exit_code == 2 and "with decimal commas there are semicolons between cells" in said.output


@pytest.mark.parametrize("text", WRONG)
def test_wrong_tables(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.yaml").write_text(ARM)
    Path("motion.csv").write_text(text)
    result = CliRunner().invoke(main, ["inverse", "arm.yaml", "--table", "motion.csv"])
    assert result.exit_code == 2 and WRONG[text] in result.output
    Path("motion.csv").write_bytes(b"time,o.angle,p.angle\n0,\xff,1\n")
    result = CliRunner().invoke(main, ["inverse", "arm.yaml", "--table", "motion.csv"])
    assert result.exit_code == 2 and "motion.csv:2:3: the file is not UTF-8 text\n" in result.output
    result = CliRunner().invoke(main, ["inverse", "arm.yaml"])
    assert result.exit_code == 2 and "leave 2 degrees of freedom" in result.output


def test_driven_speeds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions follow from them by integration, which is a run."""
    monkeypatch.chdir(tmp_path)
    text = "dimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {O: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n"
    Path("fan.yaml").write_text(text + "drivers: {motor: {joint: O, speed: 3}}\nsimulation: {end: 1}\n")
    result = CliRunner().invoke(main, ["inverse", "fan.yaml"])
    assert result.exit_code == 2
    assert "positions follow by integration only: motor; `mbsim run` records the same efforts" in result.output
