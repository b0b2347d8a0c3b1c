"""Environments of Gymnasium: the interface, the same numbers as a stepper, episodes, copies side by side."""

import numpy as np
import pytest

import mbsim

gymnasium = pytest.importorskip("gymnasium")

CART = """
name: cart and pole
dimension: 2
gravity: [0, -9.81]
parameters: {push: 0}
coordinates: joint
bodies: {cart: {mass: 1, inertia: 1}, pole: {mass: 0.1, inertia: 0.003, position: [0, 0.3]}}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  pin: {type: revolute, bodies: [cart, pole], at: [0, 0]}
forces: {push: {type: joint_torque, joint: rail, value: push}}
simulation: {end: 1}
"""
OBSERVED = ["rail.displacement", "pin.angle", "der(rail.displacement)", "der(pin.angle)"]


def make(**given):
    from mbsim.gym import MechanismEnv

    asked = {"terminate": "pin.angle^2 - 0.04", "start": {"pin.angle": (-0.05, 0.05)}, "duration": 0.5} | given
    return MechanismEnv(CART, {"push": (-10, 10)}, OBSERVED, "1 - pin.angle^2 - 1e-3*push^2", 0.02, **asked, integrator="rk4", step=0.01)


def test_the_interface_is_that_of_gymnasium():
    from gymnasium.utils.env_checker import check_env

    check_env(make(), skip_render_check=True)


def test_numbers_are_those_of_a_stepper():
    env, sim = make(terminate=None), mbsim.Stepper(CART, ["push"], integrator="rk4", step=0.01)
    seen, _ = env.reset(seed=4)
    sim.reset({"pin.angle": seen[1]})
    for k in range(20):
        action = np.array([9.0 * np.sin(k)])
        seen, reward, terminated, truncated, info = env.step(action)
        sim.step(0.02, push=float(action[0]))
        assert seen.tolist() == [sim[name] for name in OBSERVED]
        assert reward == pytest.approx(1 - sim["pin.angle"] ** 2 - 1e-3 * action[0] ** 2, rel=1e-14)
        assert not terminated and not truncated and not info


def test_actions_are_held_within_their_bounds():
    far, near = make(), make()
    far.reset(seed=1)
    near.reset(seed=1)
    assert far.step(np.array([100.0]))[0].tolist() == near.step(np.array([10.0]))[0].tolist()


def test_episodes_end():
    env = make()
    env.reset(options={"q": {"pin.angle": 0.19}})
    terminated = truncated = False
    while not (terminated or truncated):
        _, _, terminated, truncated, _ = env.step(np.zeros(1))
    assert terminated and not truncated and env.stepper["pin.angle"] > 0.2
    env.reset(options={"q": {"pin.angle": 0.0}})
    steps = [env.step(np.zeros(1))[2:4] for _ in range(25)]
    assert steps == [(False, False)] * 24 + [(False, True)]


def test_seeds_give_the_same_starts():
    env = make()
    first = env.reset(seed=7)[0]
    assert env.reset(seed=7)[0].tolist() == first.tolist() != env.reset(seed=8)[0].tolist()


def test_copies_side_by_side_are_environments_of_their_own():
    from mbsim.gym import vectorize

    vector, single = vectorize(make(duration=None, terminate=None), 3), make(duration=None, terminate=None)
    seen, _ = vector.reset(seed=[1, 2, 3])
    assert len({row[1] for row in seen}) == 3
    for _ in range(10):
        seen, rewards, *_ = vector.step(np.array([[1.0], [2.0], [3.0]]))
    single.reset(seed=2)
    for _ in range(10):
        alone, reward, *_ = single.step(np.array([2.0]))
    assert seen[1].tolist() == alone.tolist() and rewards[1] == reward


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"terminate": "pin.angel"}, "did you mean 'pin.angle'"),
        ({"start": {"pin.angel": (0, 1)}}, "did you mean 'pin.angle'"),
        ({"start": {"pin.angle": (1, 0)}}, "expected two bounds"),
    ],
)
def test_bad_arguments_are_said(given, reason):
    with pytest.raises(ValueError, match=reason):
        make(**given)
