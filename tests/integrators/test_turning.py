"""Beams that turn by large angles in a step of `radau`: linear systems in axes that turn with their nodes."""

import numpy as np
import pytest
from mechanisms import model

import mbsim
from mbsim.integrators._turning import COLUMNS, turn
from mbsim.jit import A1, I2, f8, kernel, void
from mbsim.kernels.rotations import matrices

BAR = "section: {rectangle: [0.02, 0.01]}, material: {E: 2e11, nu: 0.3, density: 7800}, damping: {stiffness: 1e-3}"
PLANAR = f"""
name: a bar that turns freely in the plane
dimension: 2
beams: {{bar: {{from: [0, 0], to: [1, 0], elements: 10, {BAR}, angular_velocity: 6}}}}
simulation: {{end: 1.0472}}
"""
SPATIAL = f"""
name: a bar that turns freely about an axis across it
dimension: 3
beams: {{bar: {{from: [0, 0, 0], to: [0.6, 0.8, 0], elements: 6, {BAR}, angular_velocity: [-4, 3, 3]}}}}
simulation: {{end: 1.0472}}
"""
BLADES = f"""
name: blades on a hub that a driver turns, about an axis in no plane of the frame
dimension: 3
bodies: {{hub: {{mass: 2, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0], angular_velocity: [0, 4.8, 3.6]}}}}
joints: {{shaft: {{type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0.8, 0.6]}}}}
drivers: {{motor: {{joint: shaft, angle: 6*t}}}}
beams:
  one: {{from: hub, to: [1, 0, 0], clamped: [start], elements: 4, {BAR}, angular_velocity: [0, 4.8, 3.6]}}
  two: {{from: hub, to: [-1, 0, 0], clamped: [start], elements: 4, {BAR}, angular_velocity: [0, 4.8, 3.6]}}
simulation: {{end: 1.0472}}
"""


@kernel(void(I2, A1, A1, A1, f8))
def turned(turning, since, state, x, way):
    """`turn`, which is no kernel itself."""
    turn(turning, since, state, x, way)


@pytest.mark.parametrize(("text", "most"), [(PLANAR, 60), (SPATIAL, 60), (BLADES, 90)])
def test_a_turn_takes_few_steps(text, most):
    """A thousand and more in global axes; and what comes out is the motion of small tolerances."""
    made = mbsim.assemble(model(text))
    result = mbsim.simulate(made)
    assert result.attributes["integrator"] == "radau"
    counts = result.attributes["counts"]
    assert counts["steps"] + counts["rejected"] < most
    exact = mbsim.simulate(made, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(result["q"][-1], exact["q"][-1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("size", [1.0, 1.001])  # iterates are near unit quaternions
def test_vectors_turn_with_the_bodies(size):
    """There and back, as rotation matrices do it; what belongs to no node stays."""
    random = np.random.default_rng(4)
    since, now, x = random.normal(size=14), random.normal(size=14), random.normal(size=12)
    for z in (since, now):
        z[9:13] /= np.linalg.norm(z[9:13])
    turning = np.array([[6, 9, 0]])
    assert turning.shape[1] == COLUMNS
    first, second = matrices(since[9:13]), matrices(now[9:13])
    now[9:13] *= size
    found = x.copy()
    turned(turning, since, now, found, 1.0)
    np.testing.assert_allclose(found[6:9], first @ second.T @ x[6:9], atol=1e-14)
    np.testing.assert_array_equal(np.delete(found, [6, 7, 8]), np.delete(x, [6, 7, 8]))
    turned(turning, since, now, found, -1.0)
    np.testing.assert_allclose(found, x, atol=1e-14)


def test_planar_vectors_turn_with_the_bodies():
    since, now, x = np.zeros(8), np.zeros(8), np.array([1.0, 0.0, 5.0])
    since[5], now[5] = 0.3, 0.3 + 0.5 * np.pi
    turned(np.array([[0, 5, 1]]), since, now, x, 1.0)
    np.testing.assert_allclose(x, [0.0, -1.0, 5.0], atol=1e-15)
    turned(np.array([[0, 5, 1]]), since, now, x, -1.0)
    np.testing.assert_allclose(x, [1.0, 0.0, 5.0], atol=1e-15)
