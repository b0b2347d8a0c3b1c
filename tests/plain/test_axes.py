"""Files of modes, root loci and linear systems: their axes have names and labels, which xarray knows."""

from pathlib import Path

import h5py
import pytest
from click.testing import CliRunner

from mbsim.cli import main
from mbsim.results import linear

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


def run(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, done.output
    return str(done.stdout)


def test_xarray_knows_the_axes_of_what_modes_and_linearize_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    xarray = pytest.importorskip("xarray")
    monkeypatch.chdir(tmp_path)
    Path("rod.yaml").write_text(ROD)
    run("modes", "rod.yaml", "-o", "m.h5")
    run("modes", "rod.yaml", "--vary", "k=0:40:3", "-o", "l.h5")
    run("linearize", "rod.yaml", "--input", "force:motor", "--output", "rod.angle", "--output", "measure:tip", "-o", "s.h5")
    with xarray.open_dataset("m.h5", engine="h5netcdf") as found:
        assert not [name for name in found.dims if "phony" in str(name)]
        shape = found.shape_real.sel(eigenvalue=1)
        assert shape.sel(coordinate="rod.x").item() == pytest.approx(0.5 * shape.sel(coordinate="rod.angle").item())
        assert found.A.sel(variable="rod.angle", of_variable="der(rod.angle)").item() == 1.0
        moved = found.body_shape_real.sel(eigenvalue=1, body="rod")
        assert moved.sel(motion="translation", xyz="x").item() == pytest.approx(0.5 * moved.sel(motion="rotation", xyz="z").item())
        assert found.line.dims == ("segment", "end", "xyz") and found.body_orientation.sel(quaternion="w").dims == ("body",)
    with xarray.open_dataset("l.h5", engine="h5netcdf") as found:
        assert found.eigenvalue_imag.dims == ("value", "branch") and found.value.values.tolist() == [0.0, 20.0, 40.0]
    with xarray.open_dataset("s.h5", engine="h5netcdf") as found:
        assert not [name for name in found.dims if "phony" in str(name)]
        assert found.B.sel(states="der(rod.angle)", inputs="force:motor").item() == pytest.approx(1.0 / 0.8)
        gain = found.response_real.sel(outputs="rod.angle", inputs="force:motor").sel(frequency_hz=0.01, method="nearest")
        assert gain.item() == pytest.approx(1.0 / 9.81, rel=1e-2)


def test_a_scene_of_earlier_versions_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wrote a list of one text."""
    monkeypatch.chdir(tmp_path)
    Path("rod.yaml").write_text(ROD)
    run("modes", "rod.yaml", "-o", "m.h5")
    found = linear.read(Path("m.h5"))
    assert isinstance(found, linear.SavedModes) and found.scene
    with h5py.File("m.h5", "r+") as file:
        del file["scene"]
        file.create_dataset("scene", data=[found.scene], dtype=h5py.string_dtype())
    again = linear.read(Path("m.h5"))
    assert isinstance(again, linear.SavedModes) and again.scene == found.scene


def test_large_matrices_are_not_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam of 8 elements has an A of 48 by 48; what is printed is no wider than a page."""
    monkeypatch.chdir(tmp_path)
    beam = "{from: [0, 0], to: [1, 0], elements: 8, clamped: [start], stiffness: {EA: 1, GA: 1, EI: 1}, mass: {line: 1}}"
    force = "forces: {f: {type: force, body: b.end, value: [0, 0]}}"
    Path("beam.yaml").write_text(f"name: beam\ndimension: 2\nbeams: {{b: {beam}}}\n{force}\nsimulation: {{end: 1}}\n")
    said = run("linearize", "beam.yaml", "--input", "force:f.y", "--output", "b_end.y", "-o", "s.h5").splitlines()
    assert "  A 48 x 48, B 48 x 1, C 1 x 48: not printed; -o FILE and --json have them" in said
    assert len(said) < 60 and max(map(len, said)) <= 80
    Path("rod.yaml").write_text(ROD)
    assert "  A" in run("linearize", "rod.yaml", "--input", "force:motor", "--output", "measure:tip").splitlines()
