"""Steps of `generalized_alpha` go on after an impact on a beam, whose stretch vibrates faster than they resolve."""

import mechanisms
import numpy as np
import pytest

import mbsim

ARM = """
dimension: 2
gravity: [0, -9.81]
beams:
  arm:
    from: [0, 0.2]
    to: [1, 0.2]
    elements: 2
    clamped: [start]
    section: {rectangle: [0.003, 0.03]}
    material: {E: 7e10, density: 2700}
    damping: {stiffness: 1e-3}
bodies: {ball: {mass: 1, inertia: 0.0004, position: [1, 0.2], shape: {type: sphere, radius: 0.05}}}
joints: {weld: {type: fixed, bodies: [arm.end, ball], at: [1, 0.2]}}
contacts: {floor: {bodies: [ball, ground], plane: {normal: [0, 1]}, restitution: 0.4}}
simulation: {end: 0.2}
"""


def ends(**settings: float | str) -> tuple[np.ndarray, float]:
    """Height and rate of height of the ball at the end, and the time of the impact."""
    result = mbsim.simulate(mechanisms.model(ARM), output_step=0.1, **settings)
    (impact,) = (event["time"] for event in result.events if event["do"] == "impact")
    return np.array([result["ball.y"][-1], result["der(ball.y)"][-1]]), impact


def test_steps_go_on_and_near_what_resolves_the_vibration() -> None:
    """The first step after the impact is one of the implicit Euler method; a run stopped there before, whatever its step."""
    right, time = ends()  # radau
    (coarse, first), (fine, second) = (ends(method="generalized_alpha", step=step) for step in (2e-3, 5e-4))
    assert first == pytest.approx(time, abs=2e-6) and second == pytest.approx(time, abs=2e-7)
    assert (np.abs(coarse - right) < [1e-5, 1e-3]).all()
    assert (np.abs(fine - right) < 0.5 * np.abs(coarse - right)).all()
