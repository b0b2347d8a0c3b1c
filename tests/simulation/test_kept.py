"""Assembled models that an earlier run kept: the same results, and nothing that is out of date."""

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from click.testing import CliRunner

import mbsim
from mbsim import jit, registry
from mbsim.analyses import kept
from mbsim.cli import main
from mbsim.jit import fastload
from mbsim.jit.fastload import code

NAMES = sorted(path.stem for path in mechanisms.MODELS.glob("*.yaml"))
RUN = ["--end", "0.02", "--step", "0.001"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kernels are those of all tests, kept models this test's own."""
    monkeypatch.setattr(kept, "_slot", lambda known: tmp_path / "models" / f"{kept.source_hash(known).hex()}.model")
    monkeypatch.setattr(registry, "_used", set())  # of tests before, in this process
    monkeypatch.chdir(tmp_path)
    return tmp_path / "models"


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(main, ["run", *map(str, arguments)], prog_name="mbsim")


def values(path: str) -> dict[str, np.ndarray]:
    with mbsim.open_result(path) as result:
        return {name: result[name] for name in result.names()}


SLOW = ("porter_governor",)  # starts from a steady motion: the derivatives of spatial trees with all elements compile for a minute


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in NAMES])
def test_a_kept_model_is_the_model(name: str, folder: Path) -> None:
    """Field by field, of every shipped model; those with tables are not kept."""
    path = mechanisms.MODELS / f"{name}.yaml"
    model = mbsim.load_model(path)
    made = mbsim.assemble(model)
    known = kept.key(path, {}, {})
    kept.keep(known, made)
    found = kept.find(known)
    if made.system.tables:
        assert found is None
        return
    assert found is not None
    assert made.system.corners is not None  # what makes them; what was made is kept
    assert made.system.corners(made.system) == (found.system.corners and found.system.corners(found.system))
    for field in dataclasses.fields(made.system):
        if field.name == "corners":
            continue
        same(getattr(made.system, field.name), getattr(found.system, field.name), field.name)
    for field in dataclasses.fields(made):
        if field.name not in ("system", "simulation", "measures", "described", "held"):
            same(getattr(made, field.name), getattr(found, field.name), field.name)
    assert found.described == made.scene  # written out: what makes it is not kept
    assert found.held is None  # likewise: a steady motion is found from the model itself
    assert (found.measures is None) == (made.measures is None)
    if made.measures is not None and found.measures is not None:
        same(made.measures.given.plain(), found.measures.given, "measures")
        assert list(found.measures.series.items()) == list(made.measures.series.items())
        assert found.measures.controllers.labels == made.measures.controllers.labels
    from mbsim.march.settings import resolve

    assert resolve(found.simulation, found.system) == resolve(made.simulation, made.system)


def same(one: Any, other: Any, name: str) -> None:
    """Equal, arrays entry by entry."""
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, err_msg=name)
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other), name
        for x, y in zip(one, other, strict=True):
            same(x, y, name)
    elif isinstance(one, dict):
        assert list(one) == list(other), name
        for key in one:
            same(one[key], other[key], f"{name}.{key}")
    elif dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            same(getattr(one, field.name), getattr(other, field.name), f"{name}.{field.name}")
    else:
        assert one == other, name


LED = """
gravity: [0, -9.81]
dimension: 2
parameters: {k: 40}
ground: {points: {O: [0, 0.2]}}
bodies:
  arm: {mass: 2, inertia: 0.05, position: [0.3, 0], points: {tip: [0.3, 0]}}
  bead: {mass: 0.5, inertia: 0.01, position: [0.6, 0], angle: 0.2, points: {hook: [0.02, 0]}}
joints:
  pivot: {type: revolute, bodies: [ground, arm], at: [0, 0]}
  slide: {type: prismatic, bodies: [bead, arm], at: [0.6, 0], axis: [1, 0]}
forces:
  spring: {type: translational_spring_damper, joint: slide, stiffness: k}
controllers:
  motor: {type: pd, joint: pivot, target: 0.2*sin(t) + 0.1*slide.displacement, kp: 30, kd: 4, limit: 20}
measures:
  height: {value: arm.tip.y - ground.O.y, unit: m}
  turned: pivot.angle + bead.angle
  rate: der(slide.displacement) + arm.tip.velocity.x
  effort: min(force_effort.motor, k) * controller_saturation.motor
  lag: controller_error.motor
  far: distance(arm.tip, bead.hook) + angle(arm.tip, ground, bead.hook)
  kinetic: kinetic_energy(bead) + potential_energy(arm) + joint_force.pivot.x
simulation: {end: 1}
"""


def test_measures_and_controllers_are_kept_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every kind: points, joints, reactions, forces, functions of bodies, other measures."""
    Path("led.yaml").write_text(LED)
    assert run("led.yaml", *RUN, "-o", "first.h5").exit_code == 0
    (path,) = folder.iterdir()
    with monkeypatch.context() as again:
        again.setattr("mbsim.cli._model.read_model", None)
        second = run("led.yaml", *RUN, "-o", "second.h5")
        assert second.exit_code == 0, second.output
    first, again_read = values("first.h5"), values("second.h5")
    assert {"height", "far", "controller_target"} < first.keys() == again_read.keys()
    for variable, expected in first.items():
        np.testing.assert_array_equal(again_read[variable], expected, err_msg=variable)
    assert run("led.yaml", *RUN, "--set", "k=50", "-o", "other.h5").exit_code == 0
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert run("led.yaml", *RUN, "-o", "third.h5").exit_code == 0
    assert path.read_bytes() == whole
    Path("led.yaml").write_text(LED.replace("arm.tip.y - ground.O.y", "2*arm.tip.y"))
    assert run("led.yaml", *RUN, "-o", "fourth.h5").exit_code == 0
    np.testing.assert_allclose(values("fourth.h5")["height"], 2 * (first["height"] + 0.2), rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["pendulum", "rolling_disk", "space_robot"])
def test_a_second_run_writes_the_same(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(name, *RUN, "-o", "first.h5").exit_code == 0
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr("mbsim.cli._model.read_model", None)  # it is not read again
    second = run(name, *RUN, "-o", "second.h5")
    assert second.exit_code == 0, second.output
    first, again = values("first.h5"), values("second.h5")
    assert first.keys() == again.keys()
    for variable, expected in first.items():
        np.testing.assert_array_equal(again[variable], expected, err_msg=variable)


def test_whatever_a_model_depends_on_makes_another(folder: Path) -> None:
    shutil.copy(mechanisms.MODELS / "pendulum.yaml", "p.yaml")
    path = Path("p.yaml")
    keys = [kept.key(path, {}, {}), kept.key(path, {"m": "2"}, {}), kept.key(path, {}, {"step": "1e-3"})]
    path.write_text(path.read_text() + "\n")
    keys.append(kept.key(path, {}, {}))
    path.rename("q.yaml")  # its name is in the result
    keys.append(kept.key(Path("q.yaml"), {}, {}))
    assert len(set(keys)) == 5


def test_other_sources_make_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    (package / "model").mkdir(parents=True)
    for name in ("registry.py", "model/load.py"):
        (package / name).write_text("x = 1\n")
    monkeypatch.setattr(kept.sources, "own", lambda: kept.sources.scan(package))
    model = tmp_path / "m.yaml"
    model.write_text("name: m\n")
    before = kept.key(model, {}, {})
    assert before.count(str(package).encode()) == 2 and kept.key(model, {}, {}) == before
    (package / "model/load.py").write_text("x = 2\n")
    os.utime(package / "model/load.py", ns=(0, 0))
    assert kept.key(model, {}, {}) != before


def test_a_changed_parameter_is_seen(folder: Path) -> None:
    for value in ("1", "2", "1"):
        assert run("rolling_disk", *RUN, "--set", f"m={value}", "-o", f"{value}.h5").exit_code == 0
    assert len(list(folder.iterdir())) == 2
    assert values("1.h5")["energy_potential"][0] == pytest.approx(values("2.h5")["energy_potential"][0] / 2)


@pytest.mark.parametrize("damage", ["cut", "other", "empty"])
def test_a_file_that_is_not_whole_is_made_anew(damage: str, folder: Path) -> None:
    assert run("pendulum", *RUN, "-o", "x.h5").exit_code == 0
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:-50], "other": whole[:-50] + b"x" * 50, "empty": b""}[damage])
    assert run("pendulum", *RUN, "-o", "x.h5").exit_code == 0
    assert path.read_bytes() == whole


def test_errors_are_told_each_time(folder: Path) -> None:
    Path("wrong.yaml").write_text("bodies: {rod: {mass: -1}}\nsimulation: {end: 1}\n")
    first, second = run("wrong.yaml"), run("wrong.yaml")
    assert first.exit_code == second.exit_code == 2
    assert first.stderr == second.stderr and "wrong.yaml:1:" in first.stderr
    assert not folder.exists()
    assert "cannot read the file" in run(".").stderr or run(".").exit_code == 2


def test_the_folder_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    names = {kept._slot(str(i).encode()) for i in range(5000)}
    assert len(names) == kept.SLOTS
    assert {path.parent for path in names} == {jit.CACHE_FOLDER / "models"}


@pytest.mark.skipif(not (jit.COMPILES and code.IMAGES and fastload.is_used()), reason="elsewhere Numba loads kernels, and models are read")
def test_a_run_of_a_kept_model_imports_what_it_needs() -> None:
    """Nothing is loaded that only other commands need."""
    program = (
        "import sys\nfrom mbsim.cli import enter\n"
        f"sys.argv = ['mbsim', 'run', 'rolling_disk', *{RUN!r}, '-o', 'found.h5']\n"
        "try:\n    enter()\nfinally:\n    print({'hashlib', 'html', 'numba', 'pydantic'} & {*sys.modules} or 'nothing')"
    )
    for _ in range(2):  # the first one reads the model
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["found.h5", "nothing"]
