"""The explicit equations of the constraint force algorithm against the plain equations, at random states of random trees."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import close, random_state

import mbsim
from mbsim.observe.constraint_forces import ConstraintForceEquations
from mbsim.system.system import Floats, System

TREES = {
    f"{dimension}D, {'floating' if floating else 'fixed'}, {seed}": (seed, dimension, floating)
    for seed in range(4)
    for dimension in (2, 3)
    for floating in (False, True)
}


def state_of(source: Any, seed: int) -> tuple[System, float, Floats, Floats]:
    made = mbsim.assemble(mechanisms.model(source))
    return made.system, *random_state(made.system, made.q, np.random.default_rng(seed))


@pytest.mark.parametrize("name", TREES)
def test_a_random_tree(name: str) -> None:
    seed, dimension, floating = TREES[name]
    system, t, q, v = state_of(trees.random_tree(seed, 6, dimension, floating=floating), seed)
    e = mbsim.constraint_force_equations(system, t, q, v)
    n, N = 6 * len(e.bodies), system.n_v
    assert e.P.shape == e.I.shape == (n, n) and e.H.shape == e.S.shape == (n, N) and e.W.shape == (n, n - N)
    assert e.A.shape == (n - N, n - N) and e.B.shape == (n - N, N) and e.C.shape == (N, N)
    order = [system.speeds.index(speed) for speed in e.speeds]
    assert sorted(order) == list(range(N))
    M, h, *_ = system.terms(t, q, v)
    exact = np.linalg.solve(M, h)[order]
    large = np.abs(exact).max()
    close(e.Q_dot, exact, atol=1e-11 * large)
    close(e.F_T, h[order], atol=1e-11 * np.abs(h).max())
    # (16), (22) to (28)
    forces = np.abs(e.F).max()
    close(e.P @ e.F, e.I @ e.V_dot, atol=1e-11 * forces)
    close(e.P.T @ e.V_dot, e.S @ e.Q_dot, atol=1e-11 * np.abs(e.V_dot).max())
    close(e.H.T @ e.P.T @ e.V_dot, e.Q_dot, atol=1e-11 * np.abs(e.V_dot).max())
    close(e.A @ e.F_S, e.X_dot, atol=1e-11 * np.abs(e.X_dot).max())
    close(e.W.T @ e.W, np.eye(n - N), atol=1e-13)
    close(e.W.T @ e.H, 0.0, atol=1e-13)
    close(e.S.T @ e.H, np.eye(N), atol=1e-13)
    # what the paper's form comes to: the inverse of the mass matrix without the matrix
    close((e.C - e.B.T @ np.linalg.solve(e.A, e.B)) @ M[np.ix_(order, order)], np.eye(N), atol=1e-9)


def test_the_wrench_is_the_physical_one_and_F_S_is_not() -> None:
    """Newton and Euler for each body, of an arm without loads but gravity; and what the arm of one body at rest needs."""
    source = trees.random_tree(7, 5, 3, words=["revolute"])
    del source["forces"]
    system, t, q, v = state_of(source, 1)
    e = mbsim.constraint_force_equations(system, t, q, v)
    made = mbsim.forward_kinematics(system, t, q, v)
    masses = {name: body["mass"] for name, body in source["bodies"].items()}
    step = 1e-6
    a = np.zeros(system.n_v)
    a[[system.speeds.index(speed) for speed in e.speeds]] = e.Q_dot
    later, sooner = (
        mbsim.forward_kinematics(system, t, system.move(q, s * step * v + 0.5 * step**2 * a), v + s * step * a) for s in (1, -1)
    )
    momentum = sum(masses[b] * (later[b]["velocity"] - sooner[b]["velocity"]) / (2 * step) for b in masses)
    weight = np.array(source["gravity"]) * sum(masses.values())
    base = e.wrench[-6:]  # through the joint of the body that hangs on the ground
    assert np.linalg.norm(base[3:]) == pytest.approx(np.linalg.norm(momentum - weight), rel=1e-6)
    reaction = e.W.T @ e.wrench
    assert np.abs(reaction - e.F_S).max() > 0.1 * np.abs(reaction).max()
    assert set(e.forces) == set(made) and all(part.stop - part.start == 5 for part in e.forces.values())


def test_what_has_no_such_equations() -> None:
    tree = trees.random_tree(0, 3, 3)
    for source, words in (
        (trees.absolute(tree), "coordinates: joint"),
        (mechanisms.chain_with_a_loop(4) | {"coordinates": "joint"}, "loops"),
        ({**tree, "joints": {name: _with_rotor(block) for name, block in tree["joints"].items()}}, "rotor"),
    ):
        system, t, q, v = state_of(source, 0)
        with pytest.raises(ValueError, match=words):
            mbsim.constraint_force_equations(system, t, q, v)


def test_an_assembled_model_is_no_system() -> None:
    made = mbsim.assemble(mechanisms.shipped("space_robot"))
    with pytest.raises(TypeError, match="takes the system of an assembled model"):
        mbsim.constraint_force_equations(made, 0.0, made.q, made.v)


def _with_rotor(block: dict[str, Any]) -> dict[str, Any]:
    return block | ({"rotor_inertia": 0.1} if block["type"] in ("revolute", "prismatic") else {})


def test_the_equations_are_read_only_by_name() -> None:
    system, t, q, v = state_of(trees.random_tree(2, 4, 3), 2)
    e = mbsim.constraint_force_equations(system, t, q, v)
    assert isinstance(e, ConstraintForceEquations)
    body = e.bodies[0]
    assert not np.delete(e.W, np.s_[0:6], axis=0)[:, e.forces[body]].any()  # its own six rows only
    assert not np.delete(e.S, np.s_[0:6], axis=0)[:, e.rates[body]].any()
