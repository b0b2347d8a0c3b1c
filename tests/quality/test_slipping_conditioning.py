"""Accelerations are not held against efforts of a friction that has gone on slipping since their row."""

import numpy as np
import pytest

import mbsim
from mbsim.march.conditioning import Conditioning
from mbsim.march.settings import resolve

TWO_ARMS = """
dimension: 2
coordinates: joint
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  lower: {mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  A: {type: revolute, bodies: [ground, upper], at: [0, 0]}
  B: {type: revolute, bodies: [upper, lower], at: [1, 0]}
drivers: {lead: {joint: B, angle: 0.1*t}}
simulation: {end: 1}
"""


@pytest.mark.parametrize(("place", "lost"), [(-1.0, True), (3.0, False)])
def test_what_slips_is_not_looked_at(place: float, lost: bool) -> None:
    """Accelerations that are 0.1 off are told where nothing slips; where something does, its effort at the row is not known any more."""
    made = mbsim.assemble(mbsim.load_model(TWO_ARMS))
    system, settings = made.system, resolve(made.simulation, made.whole, {}, False)
    result = mbsim.simulate(TWO_ARMS, end=0.01)
    row = {name: np.asarray(result[name])[:1].copy() for name in ("q", "v", "acceleration", "residual_acceleration")}
    row["acceleration"][0, 0] += 0.1 * np.abs(row["acceleration"]).max()
    watch = Conditioning(system, settings, slipping=np.array([[place, 1.0, 0.0, 0.0, 0.0]]))
    watch.chunk(np.zeros(1), {**row, "states": np.zeros((1, 0))}, np.ones(1))
    assert watch.has_lost == lost
