"""Many frictions that slip at one time: their efforts are found from those of the evaluation before, and are as exact."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mbsim

MASSES, G, MU = np.array([2.0, 1.0, 3.0]), 9.81, 0.2
# Three boxes that slide, coupled by springs; a drag acts above the middle of the second one and shifts its weight.
BOXES = f"""
dimension: 2
gravity: [0, -{G}]
bodies:
  a: {{mass: 2, inertia: 0.03, position: [0, 0.1], velocity: [3, 0], shape: {{type: box, size: [0.4, 0.2, 0.1]}}}}
  b: {{mass: 1, inertia: 0.02, position: [1, 0.1], velocity: [2.5, 0], shape: {{type: box, size: [0.4, 0.2, 0.1]}}}}
  c: {{mass: 3, inertia: 0.05, position: [2, 0.1], velocity: [2.7, 0], shape: {{type: box, size: [0.4, 0.2, 0.1]}}}}
contacts:
  floor: {{bodies: [a, b, c, ground], plane: {{normal: [0, 1]}}, friction: {MU}}}
forces:
  ab: {{type: spring_damper, points: [a, b], stiffness: 40, free_length: 1}}
  bc: {{type: spring_damper, points: [b, c], stiffness: 30, free_length: 1}}
  drag: {{type: force, body: b, at: [0, 0.05], value: ["-0.5*der(b.x)^2", 0]}}
simulation: {{end: 0.6, rtol: 1e-11, atol: 1e-12, output_step: 0.06}}
"""


def _rates(_: float, z: np.ndarray) -> np.ndarray:
    x, v = z[:3], z[3:]
    ab, bc = 40.0 * (x[1] - x[0] - 1.0), 30.0 * (x[2] - x[1] - 1.0)
    force = np.array([ab, bc - ab - 0.5 * v[1] ** 2, -bc]) - MU * MASSES * G
    return np.concatenate([v, force / MASSES])


def test_boxes_that_slide_coupled() -> None:
    found = mbsim.simulate(BOXES)
    expected = solve_ivp(_rates, (0.0, 0.6), [0.0, 1.0, 2.0, 3.0, 2.5, 2.7], rtol=1e-12, atol=1e-13).y[:, -1]
    assert np.asarray(found["q"])[-1, ::3] == pytest.approx(expected[:3], abs=1e-10)
    assert np.asarray(found["v"])[-1, ::3] == pytest.approx(expected[3:], abs=1e-10)
    assert np.ptp(found["energy_balance"]) < 1e-9
    assert {x["do"] for x in found.events} == {"slips"}
    evaluations, steps = (int(found.attributes["counts"][name]) for name in ("evaluations", "steps"))
    assert evaluations < 5 * 12 * steps  # to ask for each of the six takes eight evaluations, where twelve stages make a step
