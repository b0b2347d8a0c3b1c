"""Forces in the result of a run: work against energies, names and units in files, with xarray, in plots and in measures."""

from pathlib import Path

import mechanisms
import numpy as np
import pytest
import xarray
from click.testing import CliRunner
from scipy.interpolate import CubicSpline

import mbsim
from mbsim.cli import main
from mbsim.model.file.errors import ModelError
from mbsim.plots.overview import panels

MODEL = """name: clamp
dimension: 2
gravity: [0, -9.81]
ground: {points: {F: [0, 1]}}
bodies:
  arm: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {tip: [0.5, 0]}}
  cart: {mass: 2, inertia: 0.1, position: [1.5, 0]}
joints:
  O: {type: revolute, bodies: [ground, arm], at: [0, 0]}
  S: {type: prismatic, bodies: [ground, cart], at: [1.5, 0], axis: [1, 0]}
forces:
  spring: {type: spring_damper, points: [ground.F, arm.tip], stiffness: 80, damping: 0.5, free_length: 1.2}
  link: {type: spring_damper, points: [arm.tip, cart], value: "60*(length - 0.5) + 0.3*rate"}
  hinge: {type: rotational_spring_damper, joint: O, stiffness: 3, damping: 0.2}
  pad: {type: contact, body: arm.tip, radius: 0.05, through: [0, 0.1], normal: [0, -1], stiffness: 3e4, damping: 0.4}
  push: {type: force, body: cart, value: [2*sin(5*t), 0]}
measures:
  clamping: force_effort.pad
  pull: {value: 2*force_effort.link, unit: N}
  up: force_vector.spring.y
  swing: force_rate.hinge
simulation: {end: 1, integrator: dop853, output_step: 2.5e-4}
"""


@pytest.fixture(scope="module", name="path")
def _path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forces")
    (folder / "clamp.yaml").write_text(MODEL)
    done = CliRunner().invoke(main, ["-q", "run", str(folder / "clamp.yaml"), "-o", str(folder / "clamp.h5")])
    assert done.exit_code == 0, done.output
    return folder / "clamp.h5"


def work(time: np.ndarray, power: np.ndarray) -> np.ndarray:
    return np.asarray(CubicSpline(time, power).antiderivative()(time))


def test_the_work_of_the_forces_is_what_the_energies_lose(path: Path) -> None:
    """Of all of them with gravity: potential and work of the march; and of one spring and its damper by themselves."""
    with mbsim.open_result(path) as run:
        time, power = run.time, run["force_power"]
        weight = 9.81 * run["body_position"][..., 1] @ [1.0, 2.0]
        total = work(time, power.sum(axis=1))
        lost = -(run["energy_potential"] - run["energy_potential"][0]) + run["energy_work"] + weight - weight[0]
        assert np.abs(total - lost).max() < 2e-4 * np.abs(lost).max()
        length, rate = run.select("force_length", "spring"), run.select("force_rate", "spring")
        stored = 0.5 * 80 * (length - 1.2) ** 2
        dissipated = work(time, 0.5 * rate**2)
        gained = work(time, run.select("force_power", "spring"))
        assert np.abs(gained + stored - stored[0] + dissipated).max() < 1e-5 * stored.max()
        assert np.abs(run.select("force_loss", "spring") - 0.5 * rate**2).max() < 1e-12 * 80
        assert run.evaluate("dissipated(spring)") == pytest.approx(dissipated[-1], rel=1e-5)  # and not what the spring stores
        assert np.abs(run.select("force", "pad")).max() > 10.0  # the pad is hit
        kinetic = run["energy_kinetic"] - run["energy_kinetic"][0]
        assert np.abs(kinetic - total + weight - weight[0]).max() < 2e-4 * np.abs(kinetic).max()  # rows do not resolve the first touch


def test_labels_units_and_xarray(path: Path) -> None:
    with mbsim.open_result(path) as run:
        assert run.labels("force_element") == ["spring", "link", "hinge", "pad", "push"]
        assert run.labels("force_with_length") == ["spring", "link", "hinge", "pad"]
        assert run.labels("force_on_body") == ["spring", "link", "pad", "push"]
        assert "force_torque" not in run
        assert [run.units("force_effort", name) for name in run.labels("force_element")] == ["N", "N", "N m", "N", "N"]
        assert [run.units("force_length", name) for name in run.labels("force_with_length")] == ["m", "m", "rad", "m"]
        assert [run.units("force_rate", name) for name in ("link", "hinge")] == ["m s-1", "rad s-1"]
        assert run.units("force_power") == "W" and run.units("force_vector") == "N"
        effort = run.select("link")
        assert (effort == run.select("force", "link")).all() and (effort == run["force_effort"][:, 1]).all()
        layout = run.layout().forces
        assert (layout.names, layout.units) == (run.labels("force_element"), ["N", "N", "N m", "N", "N"])
        vector = run["force_vector"]
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        assert (data.force_effort.sel(force_element="link") == effort).all()
        assert (data.force_vector.sel(force_on_body="push", xyz="x") == vector[:, 3, 0]).all()
        assert data.force_effort_units.sel(force_element="hinge").item() == "N m"
        assert data.force_power.attrs["units"] == "W" and "force element" in data.force_power.attrs["long_name"]


def test_measures_are_columns_of_the_forces(path: Path) -> None:
    with mbsim.open_result(path) as run:
        assert (run["clamping"] == run.select("force_effort", "pad")).all() and run.units("clamping") == "N"
        assert (run["pull"] == 2 * run.select("force_effort", "link")).all()
        assert (run["up"] == run.select("force_vector", "spring", "y")).all() and run.units("up") == "N"
        assert (run["swing"] == run.select("force_rate", "hinge")).all() and run.units("swing") == "rad s-1"


def test_plots(path: Path, tmp_path: Path) -> None:
    with mbsim.open_result(path) as run:
        effort, vectors, one, path_of = panels(run, ["force_effort", "force_vector", "force:pad", "force_length:link~force:link"])
        assert [line.label for line in effort.lines] == run.labels("force_element")
        assert [line.units for line in effort.lines] == ["N", "N", "N m", "N", "N"]
        assert (vectors.lines[0].y == np.linalg.norm(run["force_vector"][:, 0], axis=1)).all()
        assert (one.lines[0].y == run["clamping"]).all() and one.lines[0].units == "N"
        assert path_of.x_label == "force length link (m)"
    done = CliRunner().invoke(main, ["plot", str(path), "-w", "force_power,pad,force_rate:hinge", "-o", str(tmp_path / "x.png")])
    assert done.exit_code == 0 and (tmp_path / "x.png").stat().st_size > 1000
    refused = CliRunner().invoke(main, ["plot", str(path), "-w", "force_length:push", "-o", str(tmp_path / "y.png")])
    assert refused.exit_code == 2 and "no force_with_length 'push'" in refused.output


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("force_effort.pat", "unknown name 'force_effort.pat'; did you mean 'force_effort.pad'?"),
        ("force_length.push", "force_length.push is not known of this model"),
        ("force_torque.spring.x", "force_torque.spring.x is not known of this model"),
    ],
)
def test_measures_of_what_a_force_does_not_have(measure: str, message: str) -> None:
    with pytest.raises(ModelError, match=message.replace("?", ".").replace("(", ".")):
        mbsim.assemble(mechanisms.model(MODEL.replace("force_effort.pad", measure)))


def test_no_variables_without_forces() -> None:
    run = mbsim.simulate(mbsim.assemble(mechanisms.shipped("pendulum")), end=0.01)
    assert not [name for name in run.names() if name.startswith("force")]
    assert not run.labels("force_element")
