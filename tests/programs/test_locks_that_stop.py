"""A lock that makes an expression zero: it is none but for round-off then, and its event does not happen."""

from pathlib import Path

import mechanisms
import numpy as np
from exported import needs_compiler
from test_library import Library
from test_phases import shown_by

import mbsim

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
