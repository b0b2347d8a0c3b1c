"""The commands equilibrium, modes and linearize: JSON, files, messages, exit codes."""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy.io import loadmat

import mbsim
from mbsim.cli import main

ROD = """
name: rod
dimension: 2
gravity: [0, -9.81]
parameters: {k: 0}
bodies: {rod: {mass: 2, inertia: 0.3, position: [0.5, 0], points: {tip: [0.1, 0]}}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces:
  motor: {type: joint_torque, joint: O, value: 0}
  spring: {type: rotational_spring_damper, joint: O, stiffness: k, free_angle: pi/2}
measures: {tip: rod.tip.y}
simulation: {end: 1, step: 0.01}
"""


FALLS = """
name: falls
dimension: 2
gravity: [0, -9.81]
bodies: {b: {mass: 2, inertia: 1}}
simulation: {end: 1}
"""


PUSHED = """name: pushed
dimension: 2
bodies: {b: {mass: 2, inertia: 1}}
joints: {g: {type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}}
forces: {p: {type: force, body: b, value: [3, 0]}}
simulation: {end: 1, start_from: equilibrium}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rod.yaml").write_text(ROD)
    (tmp_path / "falls.yaml").write_text(
        "name: falls\ndimension: 2\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, inertia: 1}}\nsimulation: {end: 1}\n"
    )
    (tmp_path / "pushed.yaml").write_text(PUSHED)
    (tmp_path / "top.yaml").write_text(ROD.replace("position: [0.5, 0]", "position: [0, 0.5]"))
    return tmp_path


def run(*arguments: str, code: int = 0) -> Any:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == code, done.output
    return done


def test_equilibrium(folder: Path) -> None:
    facts = json.loads(run("equilibrium", "rod.yaml", "--json", "-o", "e.h5", "--write", "initial.yaml").stdout)
    assert facts["q"]["rod.angle"] == pytest.approx(-np.pi / 2, abs=1e-9) and facts["stable"] is True and facts["residual"] < 1e-9
    assert facts["reactions"]["O"] == {"force": pytest.approx([0, 19.62, 0], abs=1e-9), "torque": pytest.approx([0, 0, 0], abs=1e-9)}
    with mbsim.open_result("e.h5") as result:
        assert result["q"].shape == (1, 3) and result["joint_force"][0, 0, 1] == pytest.approx(19.62)
    assert facts["warnings"] == []
    top = run("equilibrium", "top.yaml", code=3).stdout
    assert top.startswith("warning: this equilibrium is unstable: the mechanism does not stay in it\nrod: equilibrium at t = 0 s, unstable")
    block = yaml.safe_load(Path("initial.yaml").read_text())["initial"]
    assert block == {name: pytest.approx(value, abs=1e-12) for name, value in facts["q"].items()}
    again = yaml.safe_load(ROD) | {"initial": block}
    Path("again.yaml").write_text(yaml.safe_dump(again))
    assert json.loads(run("equilibrium", "again.yaml", "--json").stdout)["steps"] <= 2
    text = run("equilibrium", "rod.yaml").stdout
    assert text.startswith("rod: equilibrium at t = 0 s, stable\n") and "    rod.y = -0.5\n" in text and "    tip = -0.6\n" in text


def test_drivers_that_are_let_go_are_named(folder: Path) -> None:
    """A body that only its driver holds falls without it."""
    bodies = "dimension: 2\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, inertia: 1}}\n"
    Path("held.yaml").write_text(
        f"{bodies}joints: {{rail: {{type: prismatic, bodies: [ground, b], at: [0, 0], axis: [0, 1]}}}}\n"
        "drivers: {lift: {joint: rail, displacement: 0}}\nsimulation: {end: 1}\n"
    )
    said = run("equilibrium", "held.yaml", code=1).stderr
    assert said.endswith(
        "nothing stops the motion of der(b.y), in which 19.6 stays unbalanced; drivers let go: lift (--keep all keeps them)\n"
    )
    assert "lift = 19.62" in run("equilibrium", "held.yaml", "--keep", "all").stdout


def test_a_steady_block(folder: Path) -> None:
    """A wheel that rolls straight on: the speeds of the centre follow from the block, and --write has all of them."""
    text = (
        "name: wheel\nparameters: {w: 5}\ngravity: [0, 0, -10]\n"
        "bodies: {wheel: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.5]}}\n"
        "constraints: {roll: {type: rolling_disk, center: wheel, radius: 0.5, axis: [0, 1, 0]}}\n"
        "steady: {wheel.omega.y: w}\nsimulation: {end: 1}\n"
    )
    Path("wheel.yaml").write_text(text)
    facts = json.loads(run("equilibrium", "wheel.yaml", "--json", "--write", "start.yaml").stdout)
    assert facts["v"]["der(wheel.x)"] == pytest.approx(2.5) and facts["v"]["wheel.omega.y"] == pytest.approx(5.0)
    assert facts["steady_efforts"] == {"wheel.omega.y": pytest.approx(0.0, abs=1e-9)}
    start = yaml.safe_load(Path("start.yaml").read_text())["bodies"]["wheel"]
    assert start["velocity"] == pytest.approx([2.5, 0, 0]) and start["angular_velocity"] == pytest.approx([0, 5, 0])
    faster = json.loads(run("equilibrium", "wheel.yaml", "--set", "w=6", "--json").stdout)
    other = json.loads(run("equilibrium", "wheel.yaml", "--steady", "wheel.omega.y=6", "--json").stdout)
    assert faster["v"] == other["v"] and faster["v"]["der(wheel.x)"] == pytest.approx(3.0)
    upright = json.loads(run("equilibrium", "wheel.yaml", "--rest", "--json", code=3).stdout)  # which falls, and lies nowhere at rest
    assert upright["v"] == {} and upright["warnings"][0].endswith("a stable one was looked for on both sides of it and not found")
    assert "small motions about the equilibrium" in run("modes", "wheel.yaml").stdout


TROLLEY = """\
name: trolley
parameters: {drag: 0}
gravity: [0, 0, -10]
bodies:
  frame: {mass: 3, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0.5]}
  wheel: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.5]}
joints:
  rail: {type: prismatic, bodies: [ground, frame], at: [0, 0, 0.5], axis: [1, 0, 0]}
  hub: {type: revolute, bodies: [frame, wheel], at: [0, 0, 0.5], axis: [0, 1, 0]}
constraints: {roll: {type: speed_coupling, terms: {der(frame.x): 1, wheel.omega.y: -0.5}}}
forces: {air: {type: force, body: frame, at: [0, 0, 0.5], value: [-drag*der(frame.x), 0, 0]}}
simulation: {end: 1}
"""


def test_the_speed_of_a_joint_between_bodies(folder: Path) -> None:
    """A wheel in a trolley: the same motion by the speed of the hub, of the wheel, of the rail; the effort is the torque or the force."""
    Path("trolley.yaml").write_text(TROLLEY)
    Path("steady.yaml").write_text(TROLLEY + "steady: {der(hub.angle): 5}\n")
    found = {
        name: json.loads(run("equilibrium", "trolley.yaml", "--set", "drag=4", "--steady", f"{name}={value}", "--json").stdout)
        for name, value in {"der(hub.angle)": 5, "wheel.omega.y": 5, "der(rail.displacement)": 2.5}.items()
    }
    for facts in found.values():
        assert facts["v"]["der(frame.x)"] == pytest.approx(2.5) and facts["v"]["wheel.omega.y"] == pytest.approx(5.0)
        assert facts["stable"] and facts["driver_efforts"] == {}
    efforts = [value for facts in found.values() for value in facts["steady_efforts"].values()]
    assert efforts == pytest.approx([5.0, 5.0, 10.0])  # drag of 10 N at a radius of 0.5 m
    block = json.loads(run("equilibrium", "steady.yaml", "--json", "--write", "start.yaml").stdout)
    assert block["steady_efforts"] == {"der(hub.angle)": pytest.approx(0.0, abs=1e-9)}
    assert yaml.safe_load(Path("start.yaml").read_text())["bodies"]["wheel"]["velocity"] == pytest.approx([2.5, 0, 0])
    modes = json.loads(run("modes", "steady.yaml", "--json").stdout)
    assert modes["at"]["kind"] == "equilibrium" and modes["stable"]


ENDLESS = "Error: no equilibrium found from here: nothing stops the motion of"
DOWN, ALONG = f"{ENDLESS} der(b.y), in which 19.6 stays unbalanced", f"{ENDLESS} der(b.x), in which 3 stays unbalanced"
MISTAKES = [
    (("equilibrium", "falls.yaml"), 1, DOWN),
    (("equilibrium", "rod.yaml", "--keep", "motor"), 2, "Error: unknown driver 'motor'; the model has no drivers"),
    (("equilibrium", "rod.yaml", "--steady", "rod.angle=1"), 2, "Error: 'rod.angle' is no speed; its speed is der(rod.angle)"),
    (("equilibrium", "rod.yaml", "--steady", "der(rod.angel)=1"), 2,
     "Error: unknown speed 'der(rod.angel)'; did you mean 'der(rod.angle)'?"),
    (("equilibrium", "rod.yaml", "--steady", "der(O.angle)=1"), 2,
     "Error: the speeds cannot all stay: O[0] needs accelerations, as of bodies that go on circles: rod turns about "
     "the axis through [0, 0] at 1 rad/s, and the force along der(rod.x) changes on the way, as that of gravity across the axis or "
     "of a spring to the ground"),
    (("equilibrium", "rod.yaml", "--steady", "der(rod.angle)=x"), 2, "Error: --steady der(rod.angle): expected a number (got 'x')"),
    (("equilibrium", "rod.yaml", "--steady", "der(rod.angle)=1", "--rest"), 2, "Error: --rest and --steady exclude each other"),
    (("modes", "falls.yaml", "--at", "equilibrium"), 1, DOWN),
    (("modes", "rod.yaml", "--at", "end"), 2, "Error: a state is equilibrium, steady, start or RESULT:TIME (got 'end')"),
    (("modes", "rod.yaml", "--at", "none.h5:1"), 2, "Error: there is no result file none.h5"),
    (("modes", "rod.yaml", "--vary", "kk=0:1:3"), 2, "Error: --vary: unknown parameter 'kk'; did you mean 'k'?"),
    (("modes", "rod.yaml", "--vary", "k=0:1"), 2, "Error: --vary takes NAME=FROM:TO:COUNT (got 'k=0:1')"),
    (("modes", "rod.yaml", "--vary", "k=1:0:3"), 2, "Error: --vary k: FROM must be less than TO (got 1, 0)"),
    (("modes", "rod.yaml", "--vary", "k=0:1:1"), 2, "Error: --vary k: COUNT is a whole number from 2 to 100001 (got '1')"),
    (("modes", "rod.yaml", "-o", "x.txt"), 2, "Error: cannot write x.txt: the suffix says the format, one of .h5, .hdf5, .png, .pdf, .svg"),
    (("linearize", "rod.yaml", "--input", "force:moter", "--output", "measure:tip"), 2,
     "Error: unknown force 'moter', or one without a value to add to; did you mean 'motor'?"),
    (("linearize", "rod.yaml", "--input", "motor", "--output", "measure:tip"), 2,
     "Error: an input is force:NAME or driver:NAME (got 'motor'); did you mean 'force:motor'?"),
    (("linearize", "rod.yaml", "--input", "force:motor", "--output", "tip"), 2,
     "Error: an output is measure:NAME, a coordinate, a speed or a state (got 'tip'); did you mean 'measure:tip'?"),
    (("modes", "falls.yaml", "--vary", "k=0:1:3"), 2, "Error: --vary: unknown parameter 'k'; the model has no parameters"),
    (("equilibrium", "pushed.yaml"), 1, ALONG),
    (("modes", "pushed.yaml", "--at", "equilibrium"), 1, ALONG),
    (("linearize", "rod.yaml", "--input", "force:motor", "--output", "measure:tap"), 2,
     "Error: unknown measure 'tap'; did you mean 'tip'?"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "message"), MISTAKES)
def test_mistakes(folder: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    assert run(*arguments, code=code).stderr.strip().splitlines()[-1] == message


def test_modes(folder: Path) -> None:
    facts = json.loads(run("modes", "rod.yaml", "--json", "-o", "m.h5").stdout)
    omega = np.sqrt(2 * 9.81 * 0.5 / (0.3 + 2 * 0.25))
    assert facts["eigenvalues"] == [[0.0, pytest.approx(-omega)], [0.0, pytest.approx(omega)]]
    (mode,) = facts["modes"]
    assert mode["frequency_hz"] == pytest.approx(omega / (2 * np.pi)) and mode["damping_ratio"] == 0.0
    assert mode["eigenvalue"] == [0.0, pytest.approx(omega)] and mode["shape"]["rod.angle"] == pytest.approx([1.0, 0.0])
    assert facts["at"]["kind"] == "equilibrium"
    with h5py.File("m.h5") as file:
        assert file["eigenvalue_imag"][1] == pytest.approx(omega) and file["coordinate"].asstr()[:].tolist() == [
            "rod.x",
            "rod.y",
            "rod.angle",
        ]
        assert file["body_shape_real"][1, 0, 1, 2] == pytest.approx(1.0)
    run("modes", "rod.yaml", "-o", "m.png")
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")
    assert "zero" not in run("modes", "rod.yaml").stdout


def test_a_row_of_a_result(folder: Path) -> None:
    mbsim.simulate(mbsim.load_model("rod.yaml"), output="r.h5", method="svd", integrator="rk4", end=0.1)
    facts = json.loads(run("modes", "rod.yaml", "--at", "r.h5:0.05", "--json").stdout)
    assert facts["at"]["time"] == pytest.approx(0.05) and not facts["at"]["stationary"] and len(facts["notes"]) == 1
    assert (
        run("modes", "rod.yaml", "--at", "r.h5:3", code=2).stderr.strip() == "Error: r.h5 has no row at t = 3 s; it goes from 0 s to 0.1 s"
    )
    assert run("modes", "falls.yaml", "--at", "r.h5:0.05", code=2).stderr.strip() == (
        "Error: r.h5 is not a result of this model: its coordinates are others"
    )


def test_a_locus(folder: Path) -> None:
    """A spring holds the rod upright from k = m g l on: the border of buckling."""
    upright = ROD.replace("position: [0.5, 0]", "position: [0, 0.5], angle: pi/2").replace("free_angle: pi/2", "free_angle: 0")
    Path("upright.yaml").write_text(upright)
    facts = json.loads(run("modes", "upright.yaml", "--at", "start", "--vary", "k=5:15:6", "--json", "-o", "l.h5").stdout)
    (crossing,) = facts["crossings"]
    assert crossing == {"value": pytest.approx(9.81, rel=1e-9), "frequency_hz": 0.0, "becomes": "stable"}
    assert facts["stable"] == [False, False, False, True, True, True]
    with h5py.File("l.h5") as file:
        assert file["crossing"][0] == pytest.approx(9.81) and file["eigenvalue_real"].shape == (6, 2)
    run("modes", "upright.yaml", "--at", "start", "--vary", "k=5:15:3", "-o", "l.svg")


WRITTEN = {
    "modes": ("modes", "rod.yaml"),
    "locus": ("modes", "rod.yaml", "--vary", "k=1:3:3"),
    "space": ("linearize", "rod.yaml", "--input", "force:motor", "--output", "measure:tip", "--output", "rod.angle"),
    "own": ("modes", "own.yaml"),
}
ITEMS = {
    "modes": ("mode:1", "mode:2", "the file has no 'mode:2'; did you mean 'mode:1'?"),
    "locus": ("growth,plane", "grow", "the file has no 'grow'; did you mean 'growth'?"),
    "space": ("rod.angle", "tip", "the file has no 'tip'; allowed: measure:tip, rod.angle"),
    "own": ("mode:2", "mode:3", "the file has no 'mode:3'; did you mean 'mode:2'?"),
}
OWN = "name: two\ncoordinates: [a, b]\nenergy: {kinetic: der(a)^2/2 + der(b)^2/2, potential: a^2/2 + b^2 + a*b/3}\nsimulation: {end: 1}\n"


@pytest.mark.parametrize("kind", WRITTEN)
def test_pictures(folder: Path, kind: str) -> None:
    Path("own.yaml").write_text(OWN)
    run(*WRITTEN[kind], "-o", f"{kind}.h5")
    good, bad, message = ITEMS[kind]
    assert run("plot", f"{kind}.h5").stdout.strip() == f"{kind}.png"
    assert Path(f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    whole, part = ("whole.svg", "part.svg")
    run("plot", f"{kind}.h5", "-o", whole)
    run("plot", f"{kind}.h5", "-w", good, "-o", part)
    assert len(Path(part).read_text()) < len(Path(whole).read_text()) and "-->" in Path(part).read_text()
    assert run("plot", f"{kind}.h5", "-w", bad, code=2).stderr.strip() == f"Error: {message}"
    assert "the suffix says the format" in run("plot", f"{kind}.h5", "-o", "x.gif", code=2).stderr


def test_a_shape_is_drawn_as_the_bodies_move(folder: Path) -> None:
    """The rod hangs and swings about O: its line is from the centre of mass to O, and O stays."""
    from mbsim.results import linear

    run("modes", "rod.yaml", "-o", "m.h5")
    saved = linear.read(Path("m.h5"))
    assert isinstance(saved, linear.SavedModes) and saved.lines.shape == (1, 2, 3) and saved.owners.tolist() == [0]
    assert saved.places[0] == pytest.approx([0, -0.5, 0], abs=1e-9)
    assert saved.lines.ravel() == pytest.approx([0, -0.5, 0, 0, 0, 0], abs=1e-9)
    shift, turn = saved.moved[1, 0]
    assert shift + np.cross(turn, saved.lines[0, 1] - saved.places[0]) == pytest.approx(0, abs=1e-9) and abs(turn[2]) == pytest.approx(1)


def test_springs_and_bushings_are_points_of_a_picture(folder: Path) -> None:
    from mbsim.results import linear

    Path("beam.yaml").write_text(
        "name: beam\ndimension: 2\nbodies: {beam: {mass: 1, inertia: 1, position: [1, 0]}}\nforces:\n"
        "  s: {type: spring_damper, bodies: [ground, beam], at: [[0, 1], [0, 0]], stiffness: 9, free_length: 1}\n"
        "  b: {type: bushing, bodies: [ground, beam], at: [3, 0], stiffness: [8, 9, 0]}\nsimulation: {end: 1}\n"
    )
    run("modes", "beam.yaml", "-o", "m.h5")
    saved = linear.read(Path("m.h5"))
    assert isinstance(saved, linear.SavedModes)
    assert saved.lines[:, 1].tolist() == [pytest.approx([0, 0, 0], abs=1e-9), pytest.approx([3, 0, 0], abs=1e-9)]


def test_a_damaged_file_is_said_to_be(folder: Path) -> None:
    run("modes", "rod.yaml", "-o", "m.h5")
    with h5py.File("m.h5", "a") as file:
        del file["shape_real"]
    for command in ("plot", "info"):
        assert run(command, "m.h5", code=2).stderr.startswith("Error: m.h5 is damaged: ")


def test_info_tells_what_files_of_modes_loci_and_linear_systems_hold(folder: Path) -> None:
    """The same numbers as the command that wrote them, and a clear word where numbers of a run are asked for."""
    printed = json.loads(run("modes", "rod.yaml", "-o", "m.h5", "--json").stdout)
    told = json.loads(run("info", "m.h5", "--json").stdout)
    assert told["eigenvalues"] == printed["eigenvalues"] and told["kind"] == "modes"
    (before,), (after,) = printed["modes"], told["modes"]
    assert after["shape"] == {name: pytest.approx(value, abs=1e-12) for name, value in before["shape"].items()}
    lines = run("info", "m.h5").stdout.splitlines()
    assert lines[0] == "rod: modes, 2 eigenvalues" and f"{before['frequency_hz']:.7g}" in lines[2]

    lines = run("modes", "rod.yaml", "--vary", "k=0:10:5", "-o", "l.h5").stdout.splitlines()
    assert run("info", "l.h5").stdout.splitlines() == [line for line in lines if not line.startswith("  note: ")]
    assert json.loads(run("info", "l.h5", "--json").stdout)["stable"] == [True] * 5

    run("linearize", "rod.yaml", "--input", "force:motor", "--output", "rod.angle", "-o", "s.h5")
    (peak,) = json.loads(run("info", "s.h5", "--json").stdout)["largest"]
    with h5py.File("s.h5") as file:
        sizes = np.hypot(file["response_real"][:, 0, 0], file["response_imag"][:, 0, 0])
        assert peak["gain"] == sizes.max() and peak["frequency_hz"] == file["frequency_hz"][sizes.argmax()]
    assert f"{peak['gain']:.6g} rad / (N m)" in run("info", "s.h5").stdout
    assert "m.h5 holds none" in run("info", "m.h5", "--output", "max(time)", code=2).stderr


def test_linearize(folder: Path) -> None:
    run("linearize", "rod.yaml", "--input", "force:motor", "--output", "measure:tip", "--output", "rod.angle", "-o", "s.mat")
    run("linearize", "rod.yaml", "--input", "force:motor", "--output", "measure:tip", "--output", "rod.angle", "-o", "s.h5")
    matrices = loadmat("s.mat")
    J = 0.3 + 2 * 0.25
    poles = np.linalg.eigvals(matrices["A"])
    assert np.abs(poles.imag).max() == pytest.approx(np.sqrt(9.81 / J))
    s = 2j * np.pi * matrices["frequency_hz"].ravel()
    assert matrices["response"][:, 1, 0] == pytest.approx(1 / (J * s**2 + 9.81), abs=1e-9)
    with h5py.File("s.h5") as file:
        assert file["outputs"].asstr()[:].tolist() == ["measure:tip", "rod.angle"] and file["input_units"].asstr()[0] == "N m"
        assert file["A"][:] == pytest.approx(matrices["A"])


PUBLISHED = """
reference:
  source: closed form
  modes: [{eigenvalue: [0, sqrt(9.81/0.8)], tolerance: 1e-9}, {eigenvalue: [0, sqrt(11.81/0.8)], tolerance: 1e-9, parameters: {k: 2}}]
  equilibrium: [{of: rod.angle, value: -pi/2, tolerance: 1e-9}, {of: tip, value: -0.6, tolerance: 1e-9}]
"""


@pytest.mark.parametrize(
    ("value", "becomes", "verdict"), [("9.81", "stable", "met"), ("9.8", "stable", "missed"), ("9.81", "unstable", "missed")]
)
def test_bench_knows_borders_of_stability(folder: Path, value: str, becomes: str, verdict: str) -> None:
    """A spring holds the rod upright from k = m g l on."""
    upright = ROD.replace("position: [0.5, 0]", "position: [0, 0.5], angle: pi/2").replace("free_angle: pi/2", "free_angle: 0")
    border = f"{{parameter: k, between: [5, 15], value: {value}, tolerance: 1e-9, becomes: {becomes}, at: start}}"
    Path("rod.yaml").write_text(f"{upright}reference: {{source: closed form, borders: [{border}]}}\n")
    (row,) = json.loads(run("bench", "rod.yaml", "--json", code=int(verdict != "met")).stdout)["rows"]
    assert row["step"] is None and row["tolerance"] is None and row["values"][0]["time"] is None
    assert row["verdict"] == verdict and row["values"][0]["of"] == f"border of k, {becomes} above"


def test_bench_knows_modes_and_equilibria(folder: Path) -> None:
    spring = ROD.replace("free_angle: pi/2", "free_angle: -pi/2")
    Path("rod.yaml").write_text(spring + PUBLISHED)
    (row,) = json.loads(run("bench", "rod.yaml", "--json").stdout)["rows"]
    parts = [f"{part} of eigenvalue {value}" for value in ("0+3.50179i", "0+3.84220i (k = 2)") for part in ("Re", "Im")]
    expected = [part.replace("20i", "2i") for part in parts]
    assert row["verdict"] == "met" and [value["of"] for value in row["values"]] == [*expected, "equilibrium rod.angle", "equilibrium tip"]
    Path("rod.yaml").write_text(spring + PUBLISHED.replace("value: -0.6", "value: -0.7"))
    (row,) = json.loads(run("bench", "rod.yaml", "--json", code=1).stdout)["rows"]
    assert row["verdict"] == "missed" and row["reason"].startswith("equilibrium tip is -0.6")
    Path("rod.yaml").write_text(spring + PUBLISHED.replace("of: tip, value: -0.6", "of: joint_force.O.y, value: 19.62, stable: false"))
    (row,) = json.loads(run("bench", "rod.yaml", "--json", code=1).stdout)["rows"]
    assert row["values"][-2]["of"] == "equilibrium joint_force.O.y" and row["values"][-2]["ratio"] < 1.0
    assert row["reason"].startswith("stability of the equilibrium is 1, published 0")
    Path("rod.yaml").write_text(spring + PUBLISHED.replace("{k: 2}", "{kk: 2}"))
    assert "reference.modes[1].parameters.kk: unknown parameter 'kk'; did you mean 'k'?" in run("bench", "rod.yaml", code=2).stderr
