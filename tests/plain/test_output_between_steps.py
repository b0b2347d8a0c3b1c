"""Rows between the steps of an integrator with error control, by a method that has no constraints to project on."""

import mechanisms
import numpy as np
from mechanisms import close

import mbsim

PENDULUM = """
name: p
dimension: 2
coordinates: joint
bodies: {rod: {mass: 1, inertia: 0.1, position: [0, -0.5]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
initial: {der(pin.angle): 2}
simulation: {end: 0.05, output_step: 0.01, method: aba, integrator: dop853}
"""


def test_a_tree_without_rows_has_rows_between_steps() -> None:
    found = mbsim.simulate(mechanisms.model(PENDULUM))
    close(found["q"][:, 0], 2.0 * np.linspace(0.0, 0.05, 6), 1e-12)
