"""Other processes: without the compiler the numbers are the same; with it a second process compiles nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import METHODS, TREE_METHODS, close

import mbsim

PLANAR = """
name: planar
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}, bob: {mass: 0.5, inertia: 0.02, position: [1.2, 0]}}
joints:
  O: {type: revolute, bodies: [ground, rod], at: [0, 0]}
  A: {type: revolute, bodies: [rod, bob], at: [1, 0]}
drivers: {motor: {joint: O, angle: sin(2*t)}}
forces: {s: {type: spring_damper, bodies: [ground, bob], at: [[1, -1], [1.2, 0]], stiffness: 20, damping: 0.3}}
simulation: {end: 0.05, step: 0.005}
"""
# model -> text or name, end
MODELS: dict[str, tuple[str, float]] = {
    "users_coordinates": ((mechanisms.MODELS / "rolling_disk.yaml").read_text(), 0.02),
    "planar": (PLANAR, 0.02),
    "spatial": ((mechanisms.MODELS / "spatial_slider_crank.yaml").read_text(), 0.004),
    "redundant": (json.dumps(mechanisms.parallel_pendulum(3, 2)), 0.004),
    "tree": (json.dumps(trees.random_tree(3, 6, 3, floating=True)), 0.004),
    "planar tree": (json.dumps(trees.random_tree(4, 5, 2)), 0.004),
}
PAIRS = [(name, method) for name in MODELS for method in METHODS + TREE_METHODS * ("tree" in name)]
VARIABLES = ("q", "v", "acceleration", "multiplier", "energy_work", "energy_balance", "residual_acceleration")

PLAIN = (
    """
import json, sys
import mbsim
from mbsim import jit, registry
from mbsim.model.load import load

assert not jit.COMPILES
out = {}
for name, (text, end) in json.load(sys.stdin).items():
    for method in METHODS + TREE_METHODS * ("tree" in name):
        result = mbsim.simulate(load(text, registry, file="model.yaml"), method=method, end=end, step=end / 2)
        out[f"{name}/{method}"] = {v: result[v].tolist() for v in VARIABLES if v in result}
print(json.dumps(out))
""".replace("VARIABLES", repr(VARIABLES))
    .replace("TREE_METHODS", repr(TREE_METHODS))
    .replace("METHODS", repr(METHODS))
)


def python(code: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    variables = os.environ | {"PYTHONPATH": path} | environment
    done = subprocess.run([sys.executable, "-c", code], input=stdin, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def uncompiled() -> Any:
    return json.loads(python(PLAIN, json.dumps(MODELS), NUMBA_DISABLE_JIT="1").stdout)


@pytest.mark.parametrize(("name", "method"), PAIRS)
def test_same_numbers_without_the_compiler(uncompiled: Any, method: str, name: str) -> None:
    text, end = MODELS[name]
    result = mbsim.simulate(mechanisms.model(text), method=method, end=end, step=end / 2)
    for variable in [v for v in VARIABLES if v in result]:  # a tree has no multipliers
        plain = np.array(uncompiled[f"{name}/{method}"][variable])
        close(result[variable], plain, atol=1e-12 * np.abs(plain).max(initial=1.0))


CACHED = """
import json, sys
compiled = []
from mbsim import jit
import numba.core.event as event
class Listener(event.Listener):
    def on_start(self, e): compiled.append(str(e.data.get("dispatcher")))
    def on_end(self, e): pass
event.register("numba:compile", Listener())
import mbsim
from mbsim import registry
from mbsim.model.load import load

text, settings = json.load(sys.stdin)
x = []
for method in METHODS:
    model = load(text, registry, file="model.yaml", parameters=settings)
    x.append(mbsim.simulate(model, method=method, end=0.05)["q"][-1].tolist())
print(json.dumps({"compiled": compiled, "sympy": "sympy" in sys.modules, "folder": str(jit.CACHE_FOLDER), "q": x}))
""".replace("METHODS", repr(METHODS))


def files(folder: str) -> dict[str, int]:
    """Every file of compiled or generated code with its time of writing."""
    return {str(p): p.stat().st_mtime_ns for p in Path(folder).rglob("*") if p.suffix in (".image", ".numba", ".py", ".code")}


def untouched(folder: str, before: dict[str, int]) -> bool:
    """Whether nothing that was there is gone or written anew. Other tests may add to the folder meanwhile."""
    return before.items() <= files(folder).items()


@pytest.fixture(scope="module")
def first() -> dict[str, Any]:
    """A first process, which may or may not find what it needs."""
    text = (mechanisms.MODELS / "rolling_disk.yaml").read_text()
    return {"text": text, **json.loads(python(CACHED, json.dumps([text, {}])).stdout)}


def test_a_second_process_compiles_nothing(first: dict[str, Any]) -> None:
    before = files(first["folder"])
    assert before
    second = json.loads(python(CACHED, json.dumps([first["text"], {}])).stdout)
    assert second["folder"] == first["folder"]
    assert second["q"] == first["q"]
    assert second["compiled"] == []
    assert not second["sympy"]  # nor derives anything
    assert untouched(first["folder"], before)


def test_a_changed_parameter_compiles_nothing(first: dict[str, Any]) -> None:
    before = files(first["folder"])
    other = json.loads(python(CACHED, json.dumps([first["text"], {"rho": 0.6, "ax": 0}])).stdout)
    assert other["q"] != first["q"]
    assert other["compiled"] == [] and not other["sympy"]
    assert untouched(first["folder"], before)


def test_a_changed_equation_is_derived_anew(first: dict[str, Any]) -> None:
    text = first["text"].replace("potential: m*g*z", "potential: m*g*z*1.5")
    assert text != first["text"]
    other = json.loads(python(CACHED, json.dumps([text, {}])).stdout)
    assert other["q"] != first["q"]


@pytest.mark.slow
def test_a_cold_cache_is_filled_once(tmp_path: Path) -> None:
    """What the tests above look for is there to be seen when nothing was compiled before."""
    text = (mechanisms.MODELS / "rolling_disk.yaml").read_text()
    folder = {"MBSIM_CACHE_DIR": str(tmp_path)}
    cold, warm = (json.loads(python(CACHED, json.dumps([text, {}]), **folder).stdout) for _ in range(2))
    assert Path(cold["folder"]).is_relative_to(tmp_path)
    assert cold["compiled"] and cold["sympy"]
    assert not warm["compiled"] and not warm["sympy"]
    assert warm["q"] == cold["q"]
