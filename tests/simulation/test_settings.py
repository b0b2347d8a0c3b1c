"""Settings: what `auto` stands for and why, in the summary, in the result, in `check`; and what a first run compiles ahead."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mechanisms
import pytest
import trees
import yaml
from click.testing import CliRunner
from mechanisms import MODELS

import mbsim
from mbsim import jit, registry
from mbsim.cli import main
from mbsim.cli._model import prepared_to_run
from mbsim.formulations import LARGE_TREE, MANY_BODIES, Traits, automatic_method, choose, conditions
from mbsim.jit.fastload import image
from mbsim.march.settings import Asked, foreseen, resolve
from mbsim.march.wrong_settings import OWN

PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: 0.1}
"""
GENERALIZED = """
name: pendulum in the user's coordinates
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: -9.81*cos(x)}
initial: {x: 1}
simulation: {end: 0.1}
"""


def call(*arguments: Any) -> Any:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="mbsim")


# what is chosen, and why


@pytest.mark.parametrize(
    ("traits", "options", "method", "reason"),
    [
        (Traits(1, False, True), {}, "svd", f"fewer than {MANY_BODIES} bodies"),
        (Traits(MANY_BODIES, False, True), {}, "cfa", f"{MANY_BODIES} bodies or more"),
        (Traits(MANY_BODIES, False, True), {"hold"}, "svd", "its option hold is given"),
        (Traits(MANY_BODIES, True, False), {}, "aba", "a tree in joint coordinates without constraints"),
        (Traits(LARGE_TREE - 1, True, True), {}, "svd", f"joint coordinates with constraints, fewer than {LARGE_TREE} bodies"),
        (Traits(LARGE_TREE, True, True), {}, "aba", f"a tree in joint coordinates with {LARGE_TREE} bodies or more"),
        (Traits(LARGE_TREE, True, True), {"hold"}, "svd", "its option hold is given"),
        (Traits(0, False, True), {}, "svd", "no bodies, but coordinates of the user's"),
        (Traits(0, False, False, is_free=True), {}, "lagrange", "as many freedoms as constraints, or more"),
        (Traits(1, False, True, is_tree=True), {}, "cfa", "no closed loops"),
        (Traits(1, False, True, is_tree=True), {"hold_limit"}, "svd", "its option hold_limit is given"),
        (Traits(MANY_BODIES, False, True, is_tree=True), {}, "cfa", f"{MANY_BODIES} bodies or more"),
    ],
)
def test_the_method_and_its_reason(traits: Traits, options: Any, method: str, reason: str) -> None:
    assert automatic_method(traits, options) == (method, reason)


def test_error_control_decides_in_the_plane_and_with_nonholonomic_constraints() -> None:
    """With steps of a given size `svd` passes singular positions more surely."""
    for traits, why in (
        (Traits(3, False, True, is_planar=True), "bodies in the plane without drivers, and error control"),
        (Traits(3, False, True, is_rolling=True), "rows of speeds, as of rolling or contacts, and error control"),
    ):
        assert automatic_method(traits, (), controlled=True) == ("cfa", why)
        assert automatic_method(traits, ()) == ("svd", f"fewer than {MANY_BODIES} bodies")
    assert automatic_method(Traits(3, False, True), (), controlled=True) == ("svd", f"fewer than {MANY_BODIES} bodies")
    system = mbsim.assemble(mechanisms.shipped("four_bar")).system
    for given, method in (
        ({}, "cfa"),
        ({"step": 0.01}, "svd"),
        ({"step": 0.01, "integrator": "rk45"}, "cfa"),
        ({"integrator": "rk4"}, "svd"),
    ):
        assert resolve(Asked(end=1.0, **given), system).method == method


@pytest.mark.parametrize(
    ("block", "integrator", "interval", "choices"),
    [
        (
            {},
            "dop853",
            1e-3,
            {
                "method": "cfa: no closed loops",
                "integrator": "dop853: no step is given, so that the error is controlled",
                "drift": "full: the default",
                "step": "none: error control chooses the steps",
                "output_step": "0.001 s: the run in 1000 parts",
            },
        ),
        (
            {"output_step": 0.02, "method": "lagrange", "drift": "none", "integrator": "rk45"},
            "rk45",
            0.02,
            {"step": "none: error control chooses the steps"},
        ),
        (
            {"step": 0.01, "method": "svd", "drift": "full"},
            "rk4",
            0.01,
            {"integrator": "rk4: a step is given", "output_step": "0.01 s: every step"},
        ),
        (
            {"method": "rattle", "output_step": 0.1},
            OWN,
            0.1,
            {
                "integrator": "own: rattle makes its own steps",
                "drift": "none: the default of rattle",
                "step": "0.001 s: the default of a fixed step",
            },
        ),
        (
            {"step": 0.01, "method": "svd", "integrator": "dop853", "drift": "full"},
            "dop853",
            0.01,
            {"output_step": "0.01 s: the step that is given"},
        ),
    ],
)
def test_everything_that_is_not_given_is_chosen_and_says_why(
    block: dict[str, Any], integrator: str, interval: float, choices: dict[str, str]
) -> None:
    system = mbsim.assemble(mechanisms.model(PENDULUM)).system
    found = resolve(Asked(end=1.0, **block), system)
    assert (found.integrator, found.interval, dict(found.choices)) == (integrator, interval, choices)
    for name, value in block.items():
        assert getattr(found, name) == value


def test_the_tolerances_of_a_chosen_integrator_are_tight() -> None:
    system = mbsim.assemble(mechanisms.model(PENDULUM)).system
    chosen, given = resolve(Asked(end=1.0), system), resolve(Asked(end=1.0, integrator="dop853"), system)
    assert (chosen.tolerance("rtol"), chosen.tolerance("atol")) == (1e-9, 1e-10)
    assert given.tolerance("rtol") == registry.options("integrators", "dop853")["rtol"].default != 1e-9
    assert resolve(Asked(end=1.0), system, {"rtol": 1e-4}).tolerance("rtol") == 1e-4


def test_what_is_given_in_python_wins() -> None:
    """Options of the block go with the method that they belong to; the block's integrator goes where the method makes its own steps."""
    system = mbsim.assemble(mechanisms.model(PENDULUM)).system
    block = Asked(end=1.0, method="svd", integrator="rk4", step=0.01, options={"hold": False})
    assert resolve(block, system).options["hold"] is False
    assert "hold" not in resolve(block, system, {"method": "lagrange"}).options
    assert resolve(block, system, {"method": "rattle"}).integrator == OWN
    assert resolve(block, system, {"end": 2.0, "step": None}).end == 2.0
    with pytest.raises(ValueError, match="unknown option 'hold' of lagrange and rk4"):
        resolve(block, system, {"method": "lagrange", "hold": True})
    with pytest.raises(ValueError, match="end, the last time of the run in s, must be given"):
        resolve(None, system, {"step": 0.1})
    with pytest.raises(ValueError, match="the method 'aba' is for trees in joint coordinates"):
        resolve(block, system, {"method": "aba"})


# Assembling one that begins at an equilibrium compiles all tangents.
SHIPPED = [
    pytest.param(path.stem, marks=pytest.mark.slow) if "start_from" in path.read_text(encoding="utf-8") else path.stem
    for path in sorted(MODELS.glob("*.yaml"))
]


def in_joint_coordinates(source: str | dict[str, Any]) -> dict[str, Any]:
    made = yaml.safe_load(source) if isinstance(source, str) else source
    return made | {"coordinates": "joint"}


TREES = {
    "tree": PENDULUM,
    "floating tree": trees.random_tree(3, 6, 3, floating=True),
    "driver": yaml.safe_load(PENDULUM) | {"drivers": {"motor": {"joint": "O", "angle": "t"}}},
    "loop": mechanisms.parallel_pendulum(2, 2),
    "cut": {**yaml.safe_load(PENDULUM), "joints": {"O": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0], "cut": True}}},
    "equation": yaml.safe_load(PENDULUM) | {"constraints": {"c": {"type": "holonomic", "equation": "O.angle - 0.1*t"}}},
    "every kind of row": mechanisms.every_row_of_a_tree(3),
    "long chain with a loop": mechanisms.chain_with_a_loop(16),
    "rod": {**yaml.safe_load(PENDULUM), "joints": {"O": {"type": "distance", "bodies": ["ground", "rod"], "at": [[0, 1], [0.5, 0]]}}},
}


def kernels(of: Any) -> dict[str, str | None]:
    """The file of kernels of every method of the registry and of every variant with kernels of its own; None where it is refused."""
    found: dict[str, str | None] = {}
    for word in registry.names("methods"):
        asked = [dict([when.split("=")]) for when in conditions(word) if "=" in when]
        for options in [{}, *asked]:
            try:
                found[f"{word}{options or ''}"] = choose(of, word, options).file
            except ValueError:
                found[f"{word}{options or ''}"] = None
    return found


@pytest.mark.parametrize("name", SHIPPED)
def test_settings_of_a_shipped_model_are_foreseen(name: str) -> None:
    model = mechanisms.shipped(name)
    made = mbsim.assemble(model)
    assert foreseen(model) == resolve(made.simulation, made.system)
    assert Traits.of_model(model) == Traits.of(made.system)
    assert kernels(Traits.of_model(model)) == kernels(made.system)  # what is compiled ahead is what runs


@pytest.mark.parametrize("name", TREES)
def test_settings_of_a_model_in_joint_coordinates_are_foreseen(name: str) -> None:
    """What decides is whether there will be constraint rows: joints that close loops, drivers, equations."""
    model = mechanisms.model(in_joint_coordinates(TREES[name]))
    made = mbsim.assemble(model)
    assert Traits.of_model(model) == Traits.of(made.system)
    assert kernels(Traits.of_model(model)) == kernels(made.system)
    assert foreseen(model).method == resolve(made.simulation, made.system).method == ("aba" if "tree" in name else "svd")
    assert ("tree" in name) == (made.system.n_rows == 0)


def test_an_option_of_method_and_integrator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of mbsim's own no two that go together share a word; those of other packages may."""
    for method in registry.names("methods"):
        for integrator in registry.names("integrators"):
            if not registry.misfit(method, integrator):
                assert not registry.options("methods", method).keys() & registry.options("integrators", integrator).keys()
    options = registry.options
    extra = {"rtol": registry.Option("rtol", "of the method", 1.0)}
    monkeypatch.setattr(registry, "options", lambda kind, word: {**options(kind, word), **(extra if word == "lagrange" else {})})
    refused = "the method 'lagrange' and the integrator 'dop853' both have an option 'rtol', so that neither can be given"
    with pytest.raises(ValueError, match=refused):
        foreseen(mechanisms.model(PENDULUM.replace("end: 0.1", "end: 0.1, method: lagrange, integrator: dop853")))


# where it is said


def test_the_choice_stands_in_the_summary_and_in_the_file(tmp_path: Path) -> None:
    model, output = tmp_path / "model.yaml", tmp_path / "out.h5"
    model.write_text(PENDULUM)
    done = call("run", model, "-o", output)
    chosen = {"method": "cfa: no closed loops", "integrator": "dop853: no step is given, so that the error is controlled"}
    assert f"\n  chosen: {'; '.join(chosen.values())}\n" in done.stderr
    with mbsim.open_result(output) as result:
        assert chosen.items() <= result.attributes["choices"].items()
    done = call("run", model, "--method", "lagrange", "--step", "0.01", "-o", output)
    assert "\n  chosen: rk4: a step is given\n" in done.stderr
    done = call("-v", "run", model, "--method", "lagrange", "--integrator", "rk45", "-o", output)
    assert "chosen: " not in done.stderr.partition("largest residual")[0]
    assert "\n  method lagrange: as given\n" in done.stderr and "\n  drift full: chosen, the default\n" in done.stderr


def test_check_shows_the_same_choice(tmp_path: Path) -> None:
    for source in (PENDULUM, GENERALIZED, json.dumps(in_joint_coordinates(PENDULUM)), json.dumps(in_joint_coordinates(TREES["loop"]))):
        model = tmp_path / "model.yaml"
        model.write_text(source)
        facts = json.loads(call("check", model, "--json").stdout)["run"]
        attributes = mbsim.simulate(mbsim.load_model(model)).attributes
        assert facts["choices"] == attributes["choices"]
        assert (facts["method"], facts["integrator"], facts["options"]) == tuple(attributes[x] for x in ("method", "integrator", "options"))
        line = f"\n  run: {facts['choices']['method']}; {facts['choices']['integrator']}; drift {facts['drift']}"
        assert line in call("check", model).stdout


def test_check_says_what_a_run_would_refuse(tmp_path: Path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text(PENDULUM.replace("end: 0.1", "end: 0.1, method: aba"))
    found = call("check", model)
    assert found.exit_code == 2
    assert "run: refused: the method 'aba' is for trees in joint coordinates" in found.stdout
    assert found.stderr == call("run", model).stderr  # with its place


# what a first run compiles ahead

COORDINATES = {
    "absolute": (PENDULUM, "cfa"),
    "joint": (json.dumps(in_joint_coordinates(PENDULUM)), "aba"),
    "generalized": (GENERALIZED, "lagrange"),
}
OTHERS = {
    "loop in joint coordinates": (json.dumps(in_joint_coordinates(TREES["loop"])), "svd"),
    "given": (PENDULUM.replace("end: 0.1", "end: 0.1, method: rattle, step: 0.01"), "rattle"),
    "cfa of a tree": (json.dumps(in_joint_coordinates(PENDULUM)).replace('"end": 0.1', '"end": 0.1, "method": "cfa"'), "cfa"),
}


@pytest.mark.parametrize("name", COORDINATES | OTHERS)
def test_the_method_that_runs_is_compiled_beside(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, method = (COORDINATES | OTHERS)[name]
    beside: list[str] = []

    @contextmanager
    def compiling_beside(*modules: str) -> Iterator[None]:
        beside.extend(modules)
        yield

    monkeypatch.setattr(jit, "is_cold", lambda: True)
    monkeypatch.setattr(jit, "compiling_beside", compiling_beside)
    made = prepared_to_run(mechanisms.model(source))
    result = mbsim.simulate(made)
    assert result.attributes["method"] == method
    assert beside == [choose(made.system, method).module_name]


RUN = """
import json, sys
from mbsim import registry
from mbsim.cli._model import prepared_to_run
from mbsim.model.load import load
import mbsim
made = prepared_to_run(load(sys.stdin.read(), registry, file="model.yaml"))
mbsim.simulate(made)
print(json.dumps([name for name in sys.modules if name.startswith(("mbsim.methods.", "mbsim.integrators."))]))
"""
# The second process notes the files that it writes; so it is seen what it compiled, not what was compiled meanwhile.
COLD = """
import json, subprocess, sys
from mbsim import jit, registry
from mbsim.cli._model import prepared_to_run
from mbsim.model.load import load
import mbsim

assert jit.is_cold()
before = '''
import json
from mbsim.jit.fastload import image
names, write = [], image.write
def noted(path, key, found):
    names.append(path.name)
    write(path, key, found)
image.write = noted
'''
after = f'''
with open({sys.argv[1]!r}, "w") as file:
    json.dump(names, file)
'''
popen = subprocess.Popen

def watched(command, **given):
    return popen([*command[:-1], before + command[-1] + after], **given)

def compiled():
    return sorted(path.name for path in jit.CACHE_FOLDER.iterdir() if path.suffix in (".image", ".none", ".numba"))

subprocess.Popen = watched
made = prepared_to_run(load(sys.stdin.read(), registry, file="model.yaml"))
subprocess.Popen = popen
ahead = compiled()
mbsim.simulate(made)
with open(sys.argv[1]) as file:
    print(json.dumps({"beside": json.load(file), "ahead": ahead, "all": compiled()}))
"""


def python(code: str, stdin: str, *arguments: Any, **environment: str) -> Any:
    path = os.pathsep.join([str(Path(mbsim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", code, *map(str, arguments)]
    variables = os.environ | {"PYTHONPATH": path} | environment
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def methods_of(names: list[str]) -> set[str]:
    """The methods, words of model files, whose modules or kernels are named."""
    return {name.split(".")[2] for name in names if name.startswith("mbsim.methods.")} & set(registry.names("methods"))


@pytest.mark.parametrize("name", COORDINATES)
def test_a_run_imports_no_other_method_and_integrator(name: str) -> None:
    source, method = COORDINATES[name]
    names = python(RUN, source)
    beside = {"lagrange"} if method == "cfa" else set()  # which does for it what has no bodies
    assert methods_of(names) == {method} | beside
    integrators = {name.split(".")[2] for name in names if name.startswith("mbsim.integrators.")}
    assert integrators & set(registry.names("integrators")) == {"dop853"} and "_fixed" not in integrators


@pytest.mark.slow
@pytest.mark.skipif(not image.SUPPORTED, reason="tells what is compiled by its images")
@pytest.mark.parametrize("name", COORDINATES)
def test_a_first_run_compiles_ahead_what_runs_and_nothing_else(name: str, tmp_path: Path) -> None:
    """The second process compiles the kernels of the method that runs, none of another one; the run itself compiles nothing more."""
    source, method = COORDINATES[name]
    found = python(COLD, source, tmp_path / "beside.json", MBSIM_CACHE_DIR=str(tmp_path / "cache"))
    assert found["ahead"] == found["all"]
    module = {"lagrange": "_augmented"}.get(method, method)  # `lagrange` has no kernels of its own
    assert methods_of(found["beside"]) == methods_of(found["all"]) == {module} & set(registry.names("methods"))
    assert f"mbsim.methods.{module}.rhs.image" in found["beside"]
    assert not any(name.startswith("mbsim.integrators._fixed") for name in found["all"])
