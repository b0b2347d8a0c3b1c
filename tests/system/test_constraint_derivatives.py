"""C, xi and eta of every joint, driver and equation against central differences of phi and of C v + xi, at random states."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from mechanisms import body_block, close, derivative, driver_block, driver_kinds, joint_block, joint_dimensions

import mbsim
from mbsim.system.system import System

TOLERANCE = 2e-9
LAW = "0.3*sin(1.7*t) + t^2/5 - 0.1"
PAIRS = {"on_ground": ["ground", "b0"], "ground_second": ["b0", "ground"], "two_bodies": ["b0", "b1"]}


def check(source: dict[str, Any]) -> None:
    made = mbsim.assemble(mechanisms.model(source))
    rng = np.random.default_rng(3)
    for _ in range(5):
        check_at(made.system, *mechanisms.random_state(made.system, made.q, rng))


def check_at(system: System, t: float, q: np.ndarray, v: np.ndarray) -> None:
    """The definitions: C = d phi, xi = d phi/dt, eta = d/dt (C v + xi) along q_dot = N(q) v at constant v."""

    def moved(s: float) -> np.ndarray:  # the exact path of constant v, also for quaternions
        return system.move(q, s * v)

    rows = system.n_holonomic
    for j, e in enumerate(np.eye(system.n_v)):
        close(system.C(t, q)[:rows, j], derivative(lambda s, e=e: system.phi(t, system.move(q, s * e))), atol=TOLERANCE)
    close(system.xi(t, q)[:rows], derivative(lambda s: system.phi(t + s, q)), atol=TOLERANCE)
    rate = derivative(lambda s: system.C(t + s, moved(s)) @ v + system.xi(t + s, moved(s)))
    close(system.eta(t, q, v), rate, atol=10 * TOLERANCE)
    close(system.rates(t, q, v)[: system.n_c], derivative(moved)[: system.n_c], atol=TOLERANCE)


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("word", "dimension"), joint_dimensions())
def test_joint(word: str, dimension: int, pair: str) -> None:
    at = [0.25, 0.15, -0.3][:dimension]
    check({
        "name": word,
        "dimension": dimension,
        "bodies": {"b0": body_block(dimension, 0), "b1": body_block(dimension, 1)},
        "joints": {"j": joint_block(word, dimension, bodies=PAIRS[pair], at=at)},
        "simulation": {"end": 1},
    })  # fmt: skip


@pytest.mark.parametrize(("word", "dimension"), joint_dimensions())
def test_joint_between_named_points(word: str, dimension: int) -> None:
    """Where the points stand apart in the file, the bodies are first moved together."""
    first, second = body_block(dimension, 0), body_block(dimension, 1)
    first["points"], second["points"] = {"P": [0.3, -0.1, 0.2][:dimension]}, {"Q": [-0.2, 0.1, 0.15][:dimension]}
    check({
        "name": word,
        "dimension": dimension,
        "bodies": {"b0": first, "b1": second},
        "joints": {"j": joint_block(word, dimension, points=["b0.P", "b1.Q"])},
        "simulation": {"end": 1},
    })  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("word", "dimension", "quantity"), driver_kinds())
def test_driver(word: str, dimension: int, quantity: str, pair: str) -> None:
    at = [0.25, 0.15, -0.3][:dimension]
    check({
        "name": f"driven {word}",
        "dimension": dimension,
        "bodies": {"b0": body_block(dimension, 0), "b1": body_block(dimension, 1)},
        "joints": {"j": joint_block(word, dimension, bodies=PAIRS[pair], at=at)},
        "drivers": {"d": driver_block("j", quantity, LAW)},
        "simulation": {"end": 1},
    })  # fmt: skip


@pytest.mark.parametrize("pair", ["ground_second"])  # the rows of `test_driver`, whose derivative it is, are of every pair
@pytest.mark.parametrize(("word", "dimension", "quantity"), driver_kinds())
def test_driver_of_a_speed(word: str, dimension: int, quantity: str, pair: str) -> None:
    """Its row is the gradient of the driven coordinate, found by the row of a driver at position level; its bias has the definition."""
    source: dict[str, Any] = {
        "name": f"driven {word}",
        "dimension": dimension,
        "bodies": {"b0": body_block(dimension, 0), "b1": body_block(dimension, 1)},
        "joints": {"j": joint_block(word, dimension, bodies=PAIRS[pair], at=[0.25, 0.15, -0.3][:dimension])},
        "simulation": {"end": 1},
    }
    at_position = mbsim.assemble(mechanisms.model(source | {"drivers": {"d": driver_block("j", quantity, LAW)}}))
    speed = {"joint": "j", "coordinate": quantity, "speed": LAW}
    made = mbsim.assemble(mechanisms.model(source | {"drivers": {"d": speed}}))
    rng = np.random.default_rng(4)
    for _ in range(3):
        check_at(made.system, *mechanisms.random_state(made.system, made.q, rng))
        t, q, _ = mechanisms.consistent_state(at_position.system, at_position.q, rng)
        close(made.system.C(t, q), at_position.system.C(t, q), atol=1e-10)
        assert made.system.xi(t, q)[-1] == pytest.approx(-(0.3 * np.sin(1.7 * t) + t**2 / 5 - 0.1))


def test_equations_between_planar_bodies() -> None:
    check({
        "name": "equations",
        "dimension": 2,
        "parameters": {"k": 0.7, "w": 1.3},
        "bodies": {"b0": body_block(2, 0), "b1": body_block(2, 1)},
        "constraints": {
            "gear": {"type": "holonomic", "equation": "b0.angle - 0.3 + k*(b1.angle - 0.7) + 0.4*sin(w*t)"},
            "curve": {"type": "holonomic", "equation": "b0.y - 0.3 - k*(sin(b0.x) - sin(0.4)) + (b1.x - 0.9)*(b1.y - 0.1)*cos(w*t)"},
            "blade": {"type": "nonholonomic", "equation": "-sin(b1.angle)*der(b1.x) + cos(b1.angle)*der(b1.y) - k*der(b1.angle)"},
            "belt": {"type": "nonholonomic", "equation": "b0.x*der(b0.angle) + der(b1.x)*b1.y - 0.2*cos(w*t)*b0.x"},
        },
        "simulation": {"end": 1},
    })  # fmt: skip


def test_equations_between_spatial_bodies() -> None:
    check({
        "name": "equations",
        "dimension": 3,
        "parameters": {"R": 0.5, "w": 1.3},
        "bodies": {"b0": body_block(3, 0), "b1": body_block(3, 1)},
        "joints": {"ball": {"type": "spherical", "bodies": ["b0", "b1"], "at": [0.6, 0.2, 0.2]}},
        "constraints": {
            "height": {"type": "holonomic", "equation": "b0.z - 0.1 - 0.2*sin(w*t) + R*(b0.qx*b0.qy + b0.qw*b0.qz)^2 "
                       "- R*(b0.qx*b0.qy + b0.qw*b0.qz)*0.1"},
            "turn": {"type": "holonomic", "equation": "b1.qw*b0.qz - b1.qx*b0.qy + R*b1.qy*b1.qz + b1.x*b1.y - 0.3 - t/9"},
            "roll_x": {"type": "nonholonomic", "equation": "der(b1.x) - R*b1.omega.y*b1.qw + b1.qz*b0.omega.x*b1.z"},
            "spin": {"type": "nonholonomic", "equation": "b0.omega.z - sin(w*t)*b0.qx + b0.x*der(b0.y) + cos(b1.qy)*b1.omega.z"},
        },
        "simulation": {"end": 1},
    })  # fmt: skip


def test_equations_in_users_coordinates() -> None:
    check({
        "name": "equations",
        "parameters": {"a": 0.8, "w": 1.7},
        "coordinates": ["x", "y", "psi"],
        "energy": {"kinetic": "(der(x)^2 + (2 + cos(y))*der(y)^2 + der(psi)^2)/2"},
        "constraints": {
            "curve": {"type": "holonomic", "equation": "y - a*sin(x) + 0.2*exp(-t)*psi - 0.1*sin(w*t)"},
            "blade": {"type": "nonholonomic", "equation": "(der(x)*sin(psi) - der(y)*cos(psi))*(1 + x^2) + a*cos(w*t)*y"},
        },
        "simulation": {"end": 1},
    })  # fmt: skip


def test_rolling_disk() -> None:
    check(yaml.safe_load((mechanisms.MODELS / "rolling_disk.yaml").read_text()))
