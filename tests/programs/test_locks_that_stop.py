"""A lock that makes an expression zero: it is none but for round-off then, and its event does not happen; and locks beside contacts."""

from pathlib import Path

import mechanisms
import numpy as np
import pytest
from exported import needs_compiler
from test_library import Library
from test_phases import shown_by

import mbsim
from mbsim.programs import phases

pytestmark = needs_compiler
JOINED = """
name: two rods that are welded while they swing
dimension: 2
gravity: [0, -9.81]
parameters: {k: 0, push: 0}
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  pin: {type: revolute, bodies: [ground, a], at: [0, 0]}
  knee: {type: revolute, bodies: [a, b], at: [1, 0]}
  weld: {type: fixed, bodies: [a, b], at: [1, 0], locked: false}
forces: {push: {type: force, body: b, value: [k, push]}}
events:
  join: {when: t - 0.2, do: {lock: weld}}
  turns: {when: der(b.angle) - der(a.angle), do: {switch: {k: k + 1}}}
simulation: {method: lagrange, integrator: rk4, step: 0.005, output_step: 0.02, end: 1}
"""

BESIDE = """
name: an arm that is caught before a box lands on another one
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2.5, 0, 0]}
  low: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0], shape: {type: box, size: [0.3, 0.3, 0.1]}}
  high: {mass: 1, inertia: [0.01, 0.02, 0.015], position: [0.02, 0.01, 0.2], shape: {type: box, size: [0.2, 0.15, 0.1]}}
joints:
  base: {type: fixed, bodies: [ground, low], at: [0, 0, 0]}
  pin: {type: revolute, bodies: [ground, arm], at: [2, 0, 0], axis: [0, 1, 0]}
  tie: {type: spherical, bodies: [ground, arm], at: [3, 0, 0], locked: false}
events: {hold: {when: t - 0.1, do: {lock: tie}}}
contacts: {pair: {between: [low, high], friction: 0.4, restitution: 0.2, closing_speed: 0.05}}
simulation: {method: lagrange, integrator: rk4, step: 0.002, output_step: 0.02, end: 0.3, impacts: events}
"""


def test_a_lock_that_stops_a_turn_makes_no_event_of_it(tmp_path: Path) -> None:
    names = ["a.angle", "b.angle"]
    library = Library(tmp_path, mechanisms.model(JOINED), outputs=names, native=True, inputs=["push"])
    for push in np.linspace(3.0, 20.0, 6):
        stepper, unit = mbsim.Stepper(mechanisms.model(JOINED), ["push"]), library.create()
        assert library.set(unit, 0, float(push)) == 0
        for k in range(25):
            stepper.step(0.02, {"push": float(push)} if k == 0 else {})
            assert library.step(unit, 0.02) == 0, library.c.unit_message(unit)
            wanted = shown_by(stepper, None, names)
            np.testing.assert_allclose(library.outputs(unit, 2), wanted, rtol=1e-9, atol=1e-9, err_msg=f"{push} {k}")
        library.c.unit_free(unit)


@pytest.mark.slow
def test_a_lock_is_kept_where_the_rows_of_solids_are_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems with contacts of solids have longer lines of geometry. Such a model was refused with a word of NumPy."""
    monkeypatch.setattr(phases, "MOST_SHARED", 120)  # which takes less time
    model, names = mechanisms.model(BESIDE), ["arm.x", "arm.z", "high.x", "high.z", "multiplier.tie[2]"]
    library, stepper = Library(tmp_path, model, outputs=names, native=True), mbsim.Stepper(model)
    unit = library.create()
    for _ in range(15):
        stepper.step(0.02)
        assert library.step(unit, 0.02) == 0, library.c.unit_message(unit)
        np.testing.assert_allclose(library.outputs(unit, len(names)), shown_by(stepper, None, names), rtol=1e-9, atol=1e-9)
    assert {event["do"] for event in stepper.events} == {"lock", "impact", "sticks"}
    library.c.unit_free(unit)
