"""Masses and moments of inertia that are too small for products of them are refused; those above are as good as others."""

import numpy as np
import pytest

import mbsim

PENDULUM = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
coordinates: %s
parameters: {m: 1, l: 1}
bodies: {rod: {mass: m, inertia: m*l^2/12, position: [l/2, 0]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
simulation: {end: 0.3, step: 1e-3}
"""


@pytest.mark.parametrize("mass", [1e-60, 1e-300])
@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_smaller_ones_are_refused(mass: float, coordinates: str) -> None:
    """`modes` found no frequency of a pendulum of 1e-300 kg, and a run of it was not finite."""
    with pytest.raises(mbsim.ModelError, match=r"bodies.rod.mass: must be at least 1e-50"):
        mbsim.load_model(PENDULUM % coordinates, parameters={"m": mass})


@pytest.mark.parametrize("inertia", ["[1e-60, 1e-60, 1e-60]", "[1, 1, 1e-60]"])
def test_moments_in_space(inertia: str) -> None:
    text = f"bodies: {{b: {{mass: 1, inertia: {inertia}}}}}\nsimulation: {{end: 1}}\n"
    with pytest.raises(mbsim.ModelError, match=r"bodies.b.inertia: must be at least 1e-50"):
        mbsim.load_model(text)


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_the_least_ones_do_not_change_the_motion(coordinates: str) -> None:
    tiny, one = (mbsim.simulate(PENDULUM % coordinates, parameters={"m": mass}) for mass in (1e-48, 1.0))
    assert np.abs(tiny["body_position"] - one["body_position"]).max() < 1e-10


@pytest.mark.parametrize(("dimension", "inertia"), [(2, "0"), (3, "[0, 0, 0]")])
def test_a_point_mass_is_told_how_to_be_one(dimension: int, inertia: str) -> None:
    text = f"dimension: {dimension}\nbodies: {{b: {{mass: 1, inertia: {inertia}}}}}\nsimulation: {{end: 1}}\n"
    assert mbsim.load_model(text).bodies["b"].is_point_mass
    told = r"inertia: must be greater than 0 .*; in a model with `coordinates: joint` a point mass has `unchecked_inertia: true`"
    with pytest.raises(mbsim.ModelError, match=told):
        mbsim.load_model(text + "coordinates: joint\n")
    mbsim.load_model(text.replace("mass: 1", "mass: 1, unchecked_inertia: true") + "coordinates: joint\n")
