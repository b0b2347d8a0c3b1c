"""What the tests of exported models share: two models, and building and running what was written."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from mbsim import export
from mbsim.jit.portable import Objects
from mbsim.programs import shim
from mbsim.programs.contents import given_of
from mbsim.programs.link import write_objects
from mbsim.programs.llvmtext import text_of
from mbsim.programs.unit import Unit

needs_compiler = pytest.mark.skipif(
    shutil.which("cc") is None or shutil.which("ar") is None, reason="there is no compiler of C on this machine"
)
WARNED = ["-std=c99", "-O2", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pedantic"]

CART = """
name: cart and pole
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0, stiffness: 20, length: 0.3}
bodies:
  cart: {mass: 1, inertia: 1}
  pole: {mass: 0.1, inertia: 0.003, position: [0.05, length], points: {tip: [0.06, 2*length]}}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  pin: {type: revolute, bodies: [cart, pole], at: [0, 0]}
forces:
  push: {type: force, body: cart, value: [push - stiffness*cart.x, 0]}
measures: {tip: pole.tip.x, given: push + 0*t}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 1}
"""


SHOWN = ["cart.x", "pole.angle", "tip", "joint_force:pin", "energy_potential", "energy_work", "distance", "multiplier.rail[0]"]
SAMPLED = {"lead": {"type": "pid", "joint": "rail", "target": "0.1*sin(3*t)", "kp": 40, "kd": 8, "ki": 5, "sample": 0.05}}


def cart() -> dict[str, Any]:
    """CART with a measure that an input changes."""
    text: dict[str, Any] = yaml.safe_load(CART)
    text["measures"]["distance"] = "distance(pole.tip, ground)*push"
    return text


def program(folder: Path, source: str | Path, *flags: str, **given: object) -> Path:
    """Export a model as C, compile the example that comes with it, and return the program. Warnings of the compiler are errors."""
    export(source, folder / "unit.c", **given)  # type: ignore[arg-type]
    files = ["unit.c", "unit_main.c", "libunit_kernels.a"]
    done = subprocess.run(["cc", *WARNED, *flags, "-o", "unit", *files, "-lm"], cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "unit"


def compiled(unit: Unit, version: int, folder: Path, *flags: str, more: str = "") -> None:
    """Compile by `cc` what all units are made of, with more text in C behind it, and link it to a unit; `flags` name the output."""
    objects = Objects(False)  # valgrind does not know the newest processors
    given = given_of(unit, objects)
    (folder / "unit.c").write_text(shim.text(version) + more)
    files = write_objects({"given": objects.program([text_of(given)], ""), **objects.files}, folder)
    done = subprocess.run(
        ["cc", *WARNED, "-Wno-sign-compare", *flags, "unit.c", *files, "-lm"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def table(path: Path) -> dict[str, np.ndarray]:
    """The columns that the example prints, by name."""
    done = subprocess.run([path], check=True, capture_output=True, text=True, env={})
    first, *lines = done.stdout.splitlines()
    rows = np.array([[float(x) for x in line.split(",")] for line in lines])
    return dict(zip(first.split(","), rows.T, strict=True))


def simulated(path: Path, hear: Any, **given: Any) -> Any:
    """What FMPy finds, with a function that hears messages.

    FMPy hands the last such function to all instances of FMI 2.0 that come after it, also when it is no more. So the usual one is put back.
    """
    from ctypes import byref

    from fmpy import fmi2, simulate_fmu
    from fmpy.logging import addLoggerProxy

    try:
        return simulate_fmu(str(path), logger=hear, **given)
    finally:
        fmi2.defaultCallbacks.logger = fmi2.fmi2CallbackLoggerTYPE(fmi2.printLogMessage)
        addLoggerProxy(byref(fmi2.defaultCallbacks))
