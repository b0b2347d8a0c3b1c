"""Mass matrix, applied and gyroscopic forces, power and energies against their definitions, at random states."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import DIMENSIONS, body_block, close, derivative
from scipy.spatial.transform import Rotation

import mbsim
from mbsim.system.system import System

TOLERANCE = 1e-8
STATES = 5


def two_bodies(dimension: int, **rest: Any) -> dict[str, Any]:
    blocks = {"name": "two bodies", "dimension": dimension, "bodies": {f"b{k}": body_block(dimension, k) for k in range(2)}}
    return blocks | rest | {"simulation": {"end": 1}}


def states(source: dict[str, Any], count: int = STATES) -> Any:
    made = mbsim.assemble(mechanisms.model(source))
    rng = np.random.default_rng(11)
    for _ in range(count):
        yield made.system, *mechanisms.random_state(made.system, made.q, rng)


def displaced(system: System, q: np.ndarray, function: Any) -> np.ndarray:
    """Derivative of a function of the configuration along each speed (n_v, ...)."""
    return np.array([derivative(lambda s, e=e: function(system.move(q, s * e))) for e in np.eye(system.n_v)])


def place(system: System, q: np.ndarray, body: int, local: np.ndarray) -> np.ndarray:
    """Global position of a body point, from the definition of the coordinates."""
    if system.dimension == 2:
        x, y, angle = q[3 * body : 3 * body + 3]
        return np.array([x + np.cos(angle) * local[0] - np.sin(angle) * local[1], y + np.sin(angle) * local[0] + np.cos(angle) * local[1]])
    r, p = q[7 * body : 7 * body + 3], q[7 * body + 3 : 7 * body + 7]
    return r + Rotation.from_quat(np.roll(p, -1)).apply(local)


def local_point(dimension: int, body: int, at: list[float]) -> np.ndarray:
    """A global point of the start in body axes."""
    block = body_block(dimension, body)
    away = np.array(at) - block["position"]
    if dimension == 2:
        c, s = np.cos(block["angle"]), np.sin(block["angle"])
        return np.array([[c, s], [-s, c]]) @ away
    axis = np.array(block["orientation"]["axis"])
    return Rotation.from_rotvec(block["orientation"]["angle"] * axis / np.linalg.norm(axis)).inv().apply(away)


# What every system's mass matrix and energy have in common


SYSTEMS = {
    "planar": lambda: mechanisms.chain(2),
    "spatial": lambda: mechanisms.chain(3),
    "users": lambda: {
        "name": "pendulum on a cart",
        "coordinates": ["x", "theta"],
        "parameters": {"m": 0.7, "l": 1.2},
        "energy": {
            "kinetic": "der(x)^2 + m/2*((der(x) + l*cos(theta)*der(theta))^2 + l^2*sin(theta)^2*der(theta)^2)",
            "potential": "-m*9.81*l*cos(theta)",
            "dissipation": "0.2*der(theta)^2 + 0.1*(1 + x^2)*der(x)^2",
        },
        "forces": {"push": {"type": "generalized", "coordinate": "x", "value": "sin(t)*x - 0.3*der(theta)"}},
        "simulation": {"end": 1},
    },
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_mass_matrix_is_symmetric_positive_definite_and_gives_the_kinetic_energy(name: str) -> None:
    for system, t, q, v in states(SYSTEMS[name]()):
        M = system.M(t, q)
        close(M, M.T, atol=1e-14)
        assert np.linalg.eigvalsh(M).min() > 0
        assert system.energy(t, q, v)[0] == pytest.approx(v @ M @ v / 2, rel=1e-12)
        for i, first in enumerate(system.skyline):
            assert not M[i, :first].any()


@pytest.mark.parametrize("name", ["planar", "users"])
def test_forces_are_those_of_lagranges_equations(name: str) -> None:
    """h = dT/dq - d/dt (dT/dv) at constant v - dV/dq + Q, with q_dot = v."""
    source = SYSTEMS[name]()
    for system, t, q, v in states(source):

        def momentum(s: float, system: System = system, t: float = t, q: np.ndarray = q, v: np.ndarray = v) -> np.ndarray:
            """dT/dv: T is quadratic in v, so this difference is exact."""
            x = q + s * v
            return np.array([(system.energy(t, x, v + e)[0] - system.energy(t, x, v - e)[0]) / 2 for e in np.eye(v.size)])

        lagrange = displaced(system, q, lambda x, s=system, t=t, v=v: s.energy(t, x, v)[0] - s.energy(t, x, v)[1]) - derivative(momentum)
        applied = system.h(t, q, v) - lagrange
        if name == "users":
            damping = np.array([-0.2 * (1 + q[0] ** 2) * v[0], -0.4 * v[1]])
            expected = damping + [np.sin(t) * q[0] - 0.3 * v[1], 0.0]
            close(applied, expected, atol=TOLERANCE)
        assert system.terms(t, q, v)[5] == pytest.approx(applied @ v, abs=TOLERANCE)


def test_energy_that_depends_on_time() -> None:
    """A bead on a wire turned at a given speed: the balance is that of Jacobi's integral, and its rate is the power."""
    source = {
        "name": "bead",
        "coordinates": ["x", "y"],
        "energy": {
            "kinetic": "(der(x)^2 + der(y)^2)/2*(1 + t^2/4) + t*sin(x)*der(y) + x^2*cos(t)*y + der(x)*y",
            "potential": "x^2*y + cos(t)*x",
        },
        "simulation": {"end": 1},
    }
    for system, t, q, v in states(source):
        M, h, _, _, _, power = system.terms(t, q, v)
        a = np.linalg.solve(M, h)
        rate = derivative(lambda s: system.energy(t + s, q + s * v + s * s / 2 * a, v + s * a)[2])  # noqa: B023 (used at once)
        assert rate == pytest.approx(power, abs=TOLERANCE)


# Loads on bodies


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_gravity_and_springs_are_derivatives_of_the_potential(dimension: int) -> None:
    ends = [[0.1, -0.5, 0.2][:dimension], [0.8, 0.4, 0.3][:dimension]]
    others = [[0.5, 0.5, 0.0][:dimension], [1.2, 0.0, 0.1][:dimension]]
    source = two_bodies(
        dimension,
        gravity=[0.3, -9.81, 1.5][:dimension],
        forces={
            "to_ground": {"type": "spring_damper", "bodies": ["b0", "ground"], "at": ends, "stiffness": 30, "free_length": 0.2},
            "between": {"type": "spring_damper", "bodies": ["b0", "b1"], "at": others, "stiffness": 50},
        },
    )
    for system, t, q, _ in states(source):
        rest = np.zeros(system.n_v)
        potential = displaced(system, q, lambda x, s=system, t=t, rest=rest: s.energy(t, x, rest)[1])
        _, h, _, _, _, power = system.terms(t, q, rest)
        close(h, -potential, atol=TOLERANCE)
        assert power == 0.0


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_damper_and_its_power(dimension: int) -> None:
    at = [[0.1, -0.5, 0.2][:dimension], [0.8, 0.4, 0.3][:dimension]]
    block = {"type": "spring_damper", "bodies": ["b0", "b1"], "at": at, "damping": 0.7}
    locals_ = [local_point(dimension, k, at[k]) for k in range(2)]
    for system, t, q, v in states(two_bodies(dimension, gravity=[0] * dimension, forces={"d": block})):

        def length(x: np.ndarray, s: System = system) -> float:
            return float(np.linalg.norm(place(s, x, 1, locals_[1]) - place(s, x, 0, locals_[0])))

        rate = derivative(lambda s: length(system.move(q, s * v)))  # noqa: B023 (used at once)
        plain = mechanisms.system(two_bodies(dimension, gravity=[0] * dimension))
        _, h, _, _, _, power = system.terms(t, q, v)
        close(h - plain.h(t, q, v), -0.7 * rate * displaced(system, q, length), atol=TOLERANCE)
        assert power == pytest.approx(-0.7 * rate**2, abs=TOLERANCE)


FORCE_LAWS = {
    "constant": (["3", "-2", "0.5*k"], lambda t, x, w: [3.0, -2.0, 0.35]),
    "of_time": (["3*cos(2*t)", "k*t", "exp(-t)"], lambda t, x, w: [3 * np.cos(2 * t), 0.7 * t, np.exp(-t)]),
    "of_state": (["-k*der(b0.x)*abs(der(b0.x))", "sin(b1.y)", "WB*t"], lambda t, x, w: [-0.7 * x[1] * abs(x[1]), np.sin(x[0]), w * t]),
}


@pytest.mark.parametrize("law", FORCE_LAWS)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_force_and_torque_do_the_work_they_say(dimension: int, law: str) -> None:
    at = [0.6, 0.1, -0.2][:dimension]
    texts, values = FORCE_LAWS[law]
    texts = [x.replace("WB", "der(b0.angle)" if dimension == 2 else "b0.omega.y") for x in texts]
    forces: dict[str, Any] = {
        "push": {"type": "force", "body": "b0", "at": at, "value": texts[:dimension]},
        "twist": {"type": "torque", "body": "b1", "value": texts[2] if dimension == 2 else texts},
    }
    local = local_point(dimension, 0, at)
    plain = mechanisms.system(two_bodies(dimension, gravity=[0] * dimension))
    for system, t, q, v in states(two_bodies(dimension, gravity=[0] * dimension, parameters={"k": 0.7}, forces=forces)):
        b_v = 3 if dimension == 2 else 6
        x = values(t, [q[4] if dimension == 2 else q[8], v[0]], v[2] if dimension == 2 else v[4])
        expected = displaced(system, q, lambda c, s=system: place(s, c, 0, local)) @ np.array(x)[:dimension]
        if dimension == 2:
            expected[5] += x[2]
        else:
            R = Rotation.from_quat(np.roll(q[10:14], -1))
            expected[b_v + 3 :] += R.inv().apply(x)
        _, h, _, _, _, power = system.terms(t, q, v)
        added = h - plain.h(t, q, v)
        close(added, expected, atol=TOLERANCE)
        assert power == pytest.approx(added @ v, abs=TOLERANCE)


def test_gyroscopic_term() -> None:
    """Euler's equations in body axes: I omega_dot + omega x (I omega) = 0, with a full inertia matrix."""
    for system, t, q, v in states(two_bodies(3, gravity=[0, 0, 0])):
        M, h = system.M(t, q), system.h(t, q, v)
        for b in range(2):
            I, omega = M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6], v[6 * b + 3 : 6 * b + 6]
            close(h[6 * b : 6 * b + 6], [0, 0, 0, *-np.cross(omega, I @ omega)], atol=1e-14)


def test_a_body_with_the_name_of_a_joint_keeps_its_angle() -> None:
    """`arm.angle` in a law is the body's, although a force acts along the joint of that name; the body is drawn at 0.3 rad."""
    source = {
        "name": "namesakes", "dimension": 2,
        "bodies": {"arm": {"mass": 1, "inertia": 1, "angle": 0.3}},
        "joints": {"arm": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}},
        "forces": {"motor": {"type": "joint_torque", "joint": "arm", "value": "arm.angle + 2*der(arm.angle)"}},
        "simulation": {"end": 1},
    }  # fmt: skip
    made = mbsim.assemble(mechanisms.model(source))
    h = made.system.terms(0.0, made.q, np.array([0.0, 0.0, 0.5]))[1]
    assert h[2] == pytest.approx(0.3 + 2 * 0.5)
