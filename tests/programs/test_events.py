"""Events in units for co-simulation: the numbers of a run, what is done at once and later, the end of a motion, event mode, states."""

import subprocess
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from exported import CART, WARNED, needs_compiler
from test_library import Library

import mbsim
from mbsim import export
from mbsim.jit.portable import Objects
from mbsim.programs.ctext import part, text_of
from mbsim.programs.fmu import interface
from mbsim.programs.unit import unit_of

pytestmark = needs_compiler

BALL = """
name: bouncing ball
dimension: 2
gravity: [0, -9.81]
parameters: {rebound: 0.8}
bodies: {ball: {mass: 1, inertia: 0.01, position: [0, 1], velocity: [0.3, 0]}}
events:
  floor: {when: ball.y, direction: down, do: {set: {der(ball.y): -rebound*der(ball.y)}}}
  top: {when: der(ball.y), direction: down}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.01, end: 1.5}
"""
RELAY = """
name: relay with a delay
dimension: 2
parameters: {F: 1}
bodies: {sat: {mass: 1, inertia: 1, position: [-0.2, 0], velocity: [0.1, 0]}}
forces: {jet: {type: force, body: sat, value: [F, 0]}}
events:
  left: {when: sat.x + 0.5*der(sat.x) + 0.05, direction: down, after: 0.013, do: {switch: {F: 1}}}
  right: {when: sat.x + 0.5*der(sat.x) - 0.05, direction: up, after: 0.013, do: {switch: {F: -1}}}
measures: {force: F + 0*t}
simulation: {method: lagrange, integrator: rk4, step: 0.01, output_step: 0.01, end: 4}
"""
# constraint rows, coordinates and speeds that are set, a state, a parameter, once, events that carry others over zero, a time
EVENTFUL: dict[str, Any] = {
    "hit": {"when": "pole.angle + 0.1", "do": {"set": {"der(pole.angle)": "-0.7*der(pole.angle)", "count": "count + 1"}}},
    "jump": {"when": "t - 0.333", "do": {"set": {"cart.x": "cart.x + 0.05"}}},
    "over": {"when": "cart.x - 0.05", "direction": "up", "once": True, "do": {"set": {"count": "count + 10"}}},
    "softer": {"when": "count - 1.5", "direction": "up", "do": {"switch": {"stiffness": "0.5*stiffness"}}},
    "seen": {"when": "der(cart.x)", "direction": "up"},
}


def eventful(**changed: Any) -> dict[str, Any]:
    """The cart and its pole with EVENTFUL."""
    text: dict[str, Any] = yaml.safe_load(CART)
    text["states"] = {"count": {"rate": 0, "start": 0}}
    text["events"] = EVENTFUL
    return text | changed


def rows_of(result: Any, names: list[str], h: float) -> np.ndarray:
    """The rows of a run at multiples of h, after what events have done there."""
    times = np.asarray(result.time)
    ends = np.arange(round(times[0] / h), round(times[-1] / h) + 1) * h
    places = np.searchsorted(times, ends + 1e-9) - 1
    np.testing.assert_allclose(times[places], ends, atol=1e-9)
    columns = {**dict(zip(result.labels("coordinate"), result["q"].T, strict=True))}
    columns |= dict(zip(result.labels("speed"), result["v"].T, strict=True))
    return np.column_stack([columns[name][places] if name in columns else np.asarray(result[name])[places] for name in names])


CASES: dict[str, tuple[Any, list[str]]] = {
    "set": (BALL, ["ball.y", "der(ball.y)", "ball.x"]),
    "switch after a delay": (RELAY, ["sat.x", "der(sat.x)", "force"]),
    "with constraints": (eventful(), ["cart.x", "pole.angle", "der(pole.angle)", "count"]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_unit_gives_the_numbers_of_a_run(case: str, tmp_path: Path) -> None:
    source, names = CASES[case]
    model = mechanisms.model(source)
    result = mbsim.simulate(model)
    assert len(result.events) > 2
    wanted = rows_of(result, names, model.simulation.output_step)
    library = Library(tmp_path, model, outputs=names, native=True)
    unit = library.create()
    found = [library.outputs(unit, len(names))]
    for _ in wanted[1:]:
        assert library.step(unit, model.simulation.output_step) == 0, library.c.unit_message(unit)
        found.append(library.outputs(unit, len(names)))
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    library.c.unit_free(unit)
