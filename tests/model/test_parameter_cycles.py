"""Parameters that depend on each other: each cycle is an error with the names and places of all that take part, and nothing is left out."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim import registry
from mbsim.model import rules
from mbsim.model.file.errors import ModelError
from mbsim.model.file.positions import read
from mbsim.model.load import load
from mbsim.model.parameters import solve
from mbsim.model.report import LEFT_OUT, Report

FAILING = Path(__file__).parents[1] / "failing"


@pytest.mark.parametrize("name", ["cyc", "assert"])
def test_models_with_a_cycle_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match="these parameters depend on each other") as caught:
        mbsim.load_model(FAILING / f"{name}.yaml")
    assert len(caught.value.problems) == 1


def on_cycles(raw: dict[str, Any]) -> tuple[set[str], set[str]]:
    """By brute force: the names that reach themselves, and those that reach such a name."""
    names = list(raw)
    step = np.array([[other in str(raw[name]).split(" + ") for other in names] for name in names])
    reach = np.linalg.matrix_power(step.astype(object) + np.eye(len(names), dtype=object), len(names)) > 0
    cyclic = [bool(((step @ reach.astype(int)) > 0)[i, i]) for i in range(len(names))]
    behind = {names[i] for i in range(len(names)) if any(reach[i, j] and cyclic[j] for j in range(len(names)))}
    return {name for name, is_cyclic in zip(names, cyclic, strict=True) if is_cyclic}, behind


@pytest.mark.parametrize("seed", range(300))
def test_random_blocks(seed: int) -> None:
    """Values for exactly those that depend on no cycle; every parameter of a cycle is named; sums are right."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    names = [f"p{k}" for k in rng.permutation(n)]
    raw: dict[str, Any] = {}
    for name in names:
        others = [f"p{k}" for k in rng.choice(n, rng.integers(0, min(n, 3) + 1), replace=False)]
        raw[name] = " + ".join([*others, "1"]) if rng.uniform() < 0.8 else 1
    cyclic, behind = on_cycles(raw)
    values, found = solve(raw)
    assert list(values) == [name for name in raw if name not in behind]
    assert {name for fault in found for (name,) in [fault.path, *fault.related]} == cyclic
    named = {word.strip(",;") for fault in found for word in fault.message.split()}
    assert cyclic <= named
    for name, value in values.items():
        assert value == sum(values.get(part, 1.0) for part in str(raw[name]).split(" + "))


def test_long_chains_and_cycles() -> None:
    """Neither recursion nor quadratic work: 5,000 parameters in a row, with and without a cycle through all."""
    n = 5_000
    chain: dict[str, Any] = {f"p{k}": f"p{k + 1} + 1" for k in range(n)} | {f"p{n}": 1}
    values, found = solve(chain)
    assert values["p0"] == n + 1
    assert not found
    values, (fault,) = solve(chain | {f"p{n}": "p0"})
    assert not values
    assert len(fault.message) < 300


def test_places_of_all_are_given(problems: Callable[..., list[str]]) -> None:
    text = "coordinates: [x]\nenergy: {kinetic: der(x)^2}\nsimulation: {end: 1}\nparameters:\n  a: b\n  b: c + d\n  c: a\n  d: b\n"
    (problem,) = problems(text)
    assert problem == (
        "m.yaml:5:6: parameters.a: these parameters depend on each other: a -> b -> c -> a; and so do d (also at 6:3, 7:3, 8:3)"
    )


MODEL = """dimension: 2
gravity: [0, -9.81]
parameters: {F: 3}
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
joints:
  O: {type: revolute, points: [ground, a.A]}
forces:
  push: {type: force, body: a, value: [F, 0]}
drivers:
  motor: {joint: O, angle: t}
measures: {height: a.y}
reference: {source: none, values: [{time: 0, of: a.x, value: 0, tolerance: 1}]}
initial: {fix: [a.x]}
simulation: {end: 1}
"""


@pytest.mark.parametrize("section", ["parameters", "bodies", "joints", "forces", "drivers", "measures"])
def test_what_is_declared_and_not_read_is_found(section: str) -> None:
    model = load(MODEL, registry, file="m.yaml")
    assert not list(rules.left_out(model.document.data, model))
    (lost,) = rules.left_out(model.document.data, replace(model, **{section: {}}))
    assert lost[0] == section


@pytest.mark.parametrize(
    ("change", "path"), [({"gravity": [0.0, 0.0]}, ("gravity",)), ({"reference": None}, ("reference",)), ({"tables": {}}, None)]
)
def test_blocks_that_are_lost(change: dict[str, Any], path: tuple[str, ...] | None) -> None:
    model = load(MODEL, registry, file="m.yaml")
    found = list(rules.left_out(model.document.data, replace(model, **change)))
    assert path in found if path else not found


def test_what_is_skipped_needs_a_reason() -> None:
    """A value that is not read because of a problem which nobody noted is a problem itself."""
    document = read("a: {b: 1}", "m.yaml")
    report = Report(document, (), ())
    report.skip(("a", "b"))
    report.close()
    assert [str(problem) for problem in report.problems] == [f"m.yaml:1:8: a.b: {LEFT_OUT}"]


def test_a_builder_that_loses_a_force_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.assembly.bodies.add_loads", lambda builder: None)
    with pytest.raises(ModelError, match=r"m.yaml:9:9: forces.push: this was left out"):
        mbsim.assemble(load(MODEL, registry, file="m.yaml"))
