"""`mbsim.equilibrium`, `modes`, `root_locus`, `linearize`, `inverse`, `kinematics`: what the commands of these names print as JSON."""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from numpy.testing import assert_allclose as close

import mbsim
from mbsim.cli import main
from mbsim.diagnosis.equilibrium import NoEquilibriumError

ROD = """
name: rod
dimension: 2
gravity: [0, -9.81]
parameters: {k: 2, d: 0.5}
bodies: {rod: {mass: 2, inertia: 0.3, position: [0.5, 0], points: {tip: [0.1, 0]}}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces:
  motor: {type: joint_torque, joint: O, value: 0}
  spring: {type: rotational_spring_damper, joint: O, stiffness: k, damping: d, free_angle: pi/2}
measures: {tip: rod.tip.y}
simulation: {end: 1, step: 0.01}
"""
DRIVEN = ROD + "drivers: {m: {joint: O, angle: 0.3*t^2}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rod.yaml").write_text(ROD)
    Path("driven.yaml").write_text(DRIVEN)
    return tmp_path


def said(*arguments: str) -> Any:
    """What a command prints as JSON."""
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def as_json(plain: Any) -> Any:
    return json.loads(json.dumps(plain))


def test_equilibrium(folder: Path) -> None:
    found = mbsim.equilibrium("rod.yaml", parameters={"k": 3}, output="e.h5")
    assert as_json(found.to_dict()) == said("equilibrium", "rod.yaml", "--set", "k=3")
    # m g l/2 cos(phi) + k (phi - pi/2) = 0
    phi = found["rod.angle"]
    close(2 * 9.81 * 0.5 * np.cos(phi) + 3 * (phi - np.pi / 2), 0.0, atol=1e-9)
    close(found.reactions["O"]["force"], [0.0, 19.62, 0.0], atol=1e-9)
    close(found["tip"], 0.6 * np.sin(phi), atol=1e-12)
    assert found.stable and found.efforts == {} and found.forces["spring"] and found.measures == {"tip": found["tip"]}
    assert repr(found).startswith("<mbsim equilibrium: rod>\n  stable, ") and "rod.angle = " in repr(found)
    with mbsim.open_result("e.h5") as one:
        close(one["q"][0], found.q)
    close(found.to_result()["q"][0], found.q)
    assert yaml.safe_load(found.to_yaml())["initial"]["rod.angle"] == phi
    with pytest.raises(KeyError, match=r"unknown name 'rod.angel'; did you mean 'rod.angle'"):
        found["rod.angel"]


def test_drivers_that_are_kept(folder: Path) -> None:
    held = mbsim.equilibrium(DRIVEN, keep="m")
    assert as_json(held.to_dict()) == said("equilibrium", "driven.yaml", "--keep", "all") and list(held.efforts) == ["m"]
    close(mbsim.equilibrium(mbsim.assemble(mbsim.load_model(DRIVEN)), keep="all").q, held.q, atol=1e-12)
    assert mbsim.equilibrium(yaml.safe_load(DRIVEN)).released == ["m"]
    with pytest.raises(ValueError, match="unknown driver 'mm'; did you mean 'm'"):
        mbsim.equilibrium(DRIVEN, keep=["mm"])


def test_steady_motion_and_rest() -> None:
    speeds = {"der(O.angle)": 5.0}
    text = ROD.replace("dimension: 2", "dimension: 2\ncoordinates: joint").replace("gravity: [0, -9.81]", "gravity: [0, 0]")
    turning = text.replace("stiffness: k, damping: d", "stiffness: 0, damping: 0") + "steady: {der(O.angle): 2}\n"
    assert mbsim.equilibrium(turning)["der(O.angle)"] == 2.0
    assert mbsim.equilibrium(turning, steady=speeds)["der(O.angle)"] == pytest.approx(5.0, rel=1e-14)
    assert mbsim.equilibrium(turning, steady={})["der(O.angle)"] == 0.0
    for wrong in (True, "5", float("nan")):
        with pytest.raises(ValueError, match=r"steady: der\(O.angle\): expected a number that is not greater"):
            mbsim.equilibrium(turning, steady={"der(O.angle)": wrong})  # type: ignore[dict-item]


def test_no_equilibrium() -> None:
    falls = {"dimension": 2, "gravity": [0, -9.81], "bodies": {"b": {"mass": 2, "inertia": 1}}, "simulation": {"end": 1}}
    with pytest.raises(NoEquilibriumError, match="no equilibrium found from here"):
        mbsim.equilibrium(falls)


def test_an_equilibrium_is_looked_for_from_the_model_s_start() -> None:
    """Not where the model is assembled, which is what the commands do, too."""
    text = ROD.replace("simulation: {", "simulation: {start_from: equilibrium, ")
    found = mbsim.equilibrium(text)
    assert found.found.steps > 0 and np.abs(found.made.q - found.q).max() > 0.1


def test_modes(folder: Path) -> None:
    found = mbsim.modes("rod.yaml", output="m.h5")
    assert as_json(found.to_dict()) == said("modes", "rod.yaml")
    (mode,) = found.modes
    close(found.A @ [1.0, mode.eigenvalue], mode.eigenvalue * np.array([1.0, mode.eigenvalue]), atol=1e-9)
    close(np.sort_complex(found.eigenvalues), np.sort_complex([mode.eigenvalue, np.conj(mode.eigenvalue)]), atol=1e-12)
    close(mode.frequency_hz, abs(mode.eigenvalue) / (2 * np.pi), rtol=1e-12)
    close(mode.damping_ratio, -mode.eigenvalue.real / abs(mode.eigenvalue), rtol=1e-12)
    assert mode.shape["rod.angle"] == 1.0 and found.stable and not found.cyclic
    assert found.variables == {"rod.angle": "rad", "der(rod.angle)": "rad s-1"}
    assert repr(found).startswith("<mbsim modes: rod>\n  stable, about the equilibrium at t = 0 s\n  frequency/Hz")
    falling = mbsim.modes(ROD, at="start")
    assert falling.notes()[-1] in repr(falling) and "the eigenvalues are those of this moment" in falling.notes()[-1]
    with h5py.File("m.h5") as file:
        assert file.attrs["kind"] == "modes"
        close(file["A"][()], found.A)
    with pytest.raises(ValueError, match=r"a state is equilibrium, steady, start or RESULT:TIME \(got 'end'\)"):
        mbsim.modes(ROD, at="end")
    with pytest.raises(ValueError, match="k: an assembled model has its numbers"):
        mbsim.modes(mbsim.assemble(mbsim.load_model(ROD)), parameters={"k": 1})


def test_modes_about_a_row_of_a_result(folder: Path) -> None:
    row = mbsim.equilibrium(ROD).to_result("row.h5")
    told = said("modes", "rod.yaml", "--at", "row.h5:0")
    assert told["at"]["kind"] == "result"
    for at in (row, "row.h5:0"):
        assert as_json(mbsim.modes(ROD, at=at).to_dict()) == told
    other = mbsim.equilibrium(ROD.replace("rod:", "bar:").replace("rod]", "bar]").replace("rod.tip", "bar.tip")).to_result()
    with pytest.raises(ValueError, match="the result is not a result of this model: its coordinates are others"):
        mbsim.modes(ROD, at=other)


def test_modes_of_what_drivers_hold_say_nothing_of_the_start(folder: Path) -> None:
    """The start moves, but there are no modes that could be about it."""
    moving = DRIVEN.replace("0.3*t^2", "0.3*t + t^2")
    found = mbsim.modes(moving)
    assert not len(found.eigenvalues) and not any("the start moves" in note for note in found.notes())
    free = mbsim.modes(ROD + "initial: {der(rod.angle): 3}\n")
    assert any(note.startswith("the start moves and is no steady motion") for note in free.notes())


def test_root_locus(folder: Path) -> None:
    values = np.linspace(-1.0, 1.0, 6)
    pushed = ROD.replace("value: 0}", "value: -c*der(rod.angle)}").replace("d: 0.5", "d: 0, c: 1")
    Path("pushed.yaml").write_text(pushed)
    found = mbsim.root_locus(pushed, "c", values, parameters={"k": 1}, output="l.h5")
    assert as_json(found.to_dict()) == said("modes", "pushed.yaml", "--set", "k=1", "--vary", "c=-1:1:6")
    (crossing,) = found.crossings
    close(crossing.value, 0.0, atol=1e-9)
    assert crossing.becomes == "stable" and found.eigenvalues.shape == (6, 2) and found.stable.tolist() == [False] * 3 + [True] * 3
    assert "a motion becomes stable, oscillating at" in repr(found)
    with h5py.File("l.h5") as file:
        close(file["value"][()], values)
    with pytest.raises(ValueError, match="unknown parameter 'cc'; did you mean 'c'"):
        mbsim.root_locus(pushed, "cc", values)
    for wrong in ([1.0], [2.0, 1.0], [[1.0, 2.0]], [0.0, float("inf")]):
        with pytest.raises(ValueError, match="at least two numbers that increase"):
            mbsim.root_locus(pushed, "c", wrong)


def test_linearize(folder: Path) -> None:
    found = mbsim.linearize("rod.yaml", ["force:motor"], ["measure:tip", "der(rod.angle)"])
    assert as_json(found.to_dict()) == said(
        "linearize", "rod.yaml", "--input", "force:motor", "--output", "measure:tip", "--output", "der(rod.angle)"
    )
    close(found.B, [[0.0], [1 / (0.3 + 2 * 0.25)]], atol=1e-9)
    assert found.response([0.0])[0, 1, 0] == pytest.approx(0.0, abs=1e-9)
    assert repr(found).splitlines()[2:] == ["  inputs: force:motor (N m)", "  outputs: measure:tip (m), der(rod.angle) (rad s-1)"]
    found.save("s.h5", np.array([1.0, 2.0]))
    with h5py.File("s.h5") as file:
        close(file["A"][()], found.A)
        assert file["frequency_hz"].shape == (2,)
    for inputs, outputs in (("force:motor", ["tip"]), ([], ["tip"])):
        with pytest.raises(ValueError, match="inputs: expected a list of names"):
            mbsim.linearize(ROD, inputs, outputs)


def test_inverse(folder: Path) -> None:
    """By drivers; by a table of a tree in joint coordinates, as a file and as arrays."""
    done = CliRunner().invoke(main, ["inverse", "driven.yaml", "--end", "0.2", "--output-step", "0.05", "-o", "i.h5"])
    assert done.exit_code == 0, done.output
    result = mbsim.inverse(DRIVEN, end=0.2, output_step=0.05)
    with mbsim.open_result("i.h5") as command:
        for name in ("time", "q", "driver_effort", "joint_force"):
            close(result[name], command[name], atol=1e-12)
    tree = ROD.replace("dimension: 2", "dimension: 2\ncoordinates: joint")
    t = np.linspace(0.0, 1.0, 21)
    Path("t.csv").write_text("time,O.angle\n" + "".join(f"{a!r},{0.3 * a**2!r}\n" for a in t.tolist()))
    efforts = [mbsim.inverse(tree, table)["driver_effort"] for table in ("t.csv", {"time": t, "O.angle": 0.3 * t**2})]
    close(efforts[0], efforts[1])
    phi, phi_t = 0.3 * t**2, 0.6 * t
    exact = (0.3 + 0.5) * 0.6 + 9.81 * np.cos(phi) + 2 * (phi - np.pi / 2) + 0.5 * phi_t
    close(efforts[0][:, 0], exact, atol=1e-6)
    for table, message in (
        ({"time": t, "O.angle": t[1:]}, r"expected columns of the same length \(got shapes time \(21,\), O.angle \(20,\)\)"),
        ({"time": t, "O.angle": t * np.nan}, "the table: O.angle: expected finite numbers"),
        ({"time": t, "P.angle": t}, "the table lacks O.angle"),
    ):
        with pytest.raises(ValueError, match=message):
            mbsim.inverse(tree, table)


def test_kinematics_takes_what_load_model_takes() -> None:
    free = DRIVEN.replace("drivers: {m: {joint: O, angle: 0.3*t^2}}", "")
    cycle = "rod.angle=0:1:5"
    first, second = (mbsim.kinematics(source, cycle)["q"] for source in (free, yaml.safe_load(free)))
    close(first, second)
    efforts = mbsim.kinematics(mbsim.load_model(free), cycle, parameters={"k": 9})["force_effort"]
    close(efforts[:, -1], 9 * (np.linspace(0, 1, 5) - np.pi / 2) + 0.5, atol=1e-9)  # the damper's rate is 1: `time` is the angle


def test_a_model_is_read_again_with_what_it_had() -> None:
    first = mbsim.load_model(ROD, {"k": 4}, {"end": 3})
    again = mbsim.load_model(first, {"d": 1})
    assert again.parameters == {"k": 4.0, "d": 1.0} and again.simulation.end == 3.0
    assert mbsim.load_model(first) is first
    with pytest.raises(mbsim.ModelError, match="unknown parameter 'kk'; did you mean 'k'"):
        mbsim.load_model(first, {"kk": 1})


def test_sweep_is_study() -> None:
    with pytest.raises(AttributeError, match=r"what `mbsim sweep` does is mbsim\.study"):
        mbsim.sweep  # noqa: B018


@pytest.mark.parametrize("given", ["d=1", ["d"], True, 0])
def test_what_is_no_dictionary_is_refused_by_its_name(given: Any) -> None:
    for analysis in (mbsim.equilibrium, mbsim.modes, mbsim.simulate):
        with pytest.raises(TypeError, match=r"^parameters: expected a dictionary of values by their names \(got "):
            analysis(ROD, parameters=given)
    with pytest.raises(TypeError, match=r"^steady: expected a dictionary of values by their names \(got "):
        mbsim.equilibrium(ROD, steady=given)
