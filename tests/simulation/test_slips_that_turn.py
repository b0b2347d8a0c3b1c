"""A slip in space that passes rest closely: its friction is against how it moves then, and there is no event after event."""

from unittest.mock import patch

import numpy as np
import pytest

import mbsim
from mbsim.march import unilateral

BALL = """
bodies:
  ball: {{mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1], velocity: [{x}, {y}, 0], shape: {{type: sphere, radius: 0.1}}}}
gravity: [0, 0, -10]
contacts:
  floor: {{bodies: [ball, ground], plane: {{through: [0, 0, 0], normal: [0, 0, 1]}}, friction: 0.1}}
forces:
  push: {{type: force, body: ball, value: [1, -10, 0]}}
simulation: {{end: 0.1, output_step: 0.05, rtol: 1.0e-10, atol: 1.0e-11}}
"""


@pytest.mark.parametrize("by_kernel", [True, False])
@pytest.mark.parametrize("velocity", [(0.0, 8e-9), (-6e-9, 5e-9)])
def test_a_slow_motion_against_the_slip_that_begins_is_one_event(velocity: tuple[float, float], by_kernel: bool) -> None:
    with patch.object(unilateral, "quick_way", unilateral.quick_way if by_kernel else lambda *_: None):
        result = mbsim.simulate(BALL.format(x=velocity[0], y=velocity[1]))
    assert all(line["event"] != "impacts" for line in result.events)
    assert len(result.events) <= 4
    push, friction = np.array([1.0, -10.0]), 1.0
    expected = 0.1 * push * (1.0 - friction / np.linalg.norm(push))
    np.testing.assert_allclose(np.asarray(result["body_velocity"])[-1, 0, :2], expected, atol=1e-7)
