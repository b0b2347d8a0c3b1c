"""Eigenvalues of `mbsim modes` against log(Phi)/T of short runs, Phi being the derivative of the flow by differences.

Thirty random mechanisms: closed loops, redundant constraints, nonholonomic constraints. Each has springs and dampers, and stands in an
equilibrium or moves straight on. A run knows nothing of the tangents that modes are made of.
"""

from typing import Any

import families
import mechanisms
import numpy as np
import pytest
import redundant_mechanisms as redundant
from scipy.linalg import expm, logm

import mbsim
from mbsim.analyses.linear import modes

STEP = 2e-3  # of the differences, in the variables z: m, rad, m/s, rad/s
RANK = 1e-4  # of the largest singular value: a smaller one is that of a redundant row
EACH = 10  # of a family


def sprung(source: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """With a damped spring from each body to the ground, free as drawn: the equilibrium is near the drawing."""
    forces = source.setdefault("forces", {})
    heavy = max(body["mass"] for body in source["bodies"].values())
    for name, body in source["bodies"].items():
        at = np.array(body["position"])
        ends = [at + rng.uniform(-0.7, 0.7, len(at)), at + rng.uniform(-0.1, 0.1, len(at))]
        forces[f"held_{name}"] = {
            "type": "spring_damper", "bodies": ["ground", name], "at": [[float(x) for x in end] for end in ends],
            "stiffness": float(heavy * rng.uniform(100.0, 300.0)), "damping": float(heavy * rng.uniform(0.5, 3.0)),
        }  # fmt: skip
    return source


def loops(seed: int) -> tuple[dict[str, Any], str]:
    rng = np.random.default_rng(seed)
    family = list(families.FAMILIES)[seed % len(families.FAMILIES)]
    source = families.mechanism(family, seed).block(turn=redundant.rotation(rng))
    return sprung(source, rng), "equilibrium"


def dependent(seed: int) -> tuple[dict[str, Any], str]:
    source, _ = redundant.mechanism(seed, coordinates=("absolute", "joint")[seed % 2], scaled=False)
    return sprung(source, np.random.default_rng(seed)), "equilibrium"


def rolling(seed: int) -> tuple[dict[str, Any], str]:
    """Odd seeds: a ball that rolls on a plane between springs. Even ones: a train of carts on blades, straight ahead at some speed."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        radius = float(rng.uniform(0.2, 0.5))
        ball = {"mass": 2.0, "inertia": [float(x) for x in rng.uniform(0.1, 0.15, 3)], "position": [0.0, 0.0, radius]}
        source: dict[str, Any] = {
            "name": f"ball {seed}", "dimension": 3, "gravity": [0.0, 0.0, -9.81], "bodies": {"ball": ball},
            "constraints": {"floor": {"type": "rolling_ball", "center": "ball", "radius": radius}},
        }  # fmt: skip
        return sprung(sprung(source, rng) | {"forces": {f"more_{k}": v for k, v in source["forces"].items()}}, rng), "equilibrium"
    n, speed = 2 + seed // 2 % 3, float(rng.uniform(0.5, 3.0))
    source = {"name": f"train {seed}", "dimension": 2, "bodies": {}, "joints": {}, "forces": {}, "constraints": {}}
    for k in range(n):
        x, aside = float(k), float(rng.uniform(-0.1, 0.1))
        source["bodies"][f"cart{k}"] = {
            "mass": float(rng.uniform(0.5, 2.0)), "inertia": float(rng.uniform(0.05, 0.3)),
            "position": [x + float(rng.uniform(-0.3, 0.3)), aside], "velocity": [speed, 0.0],
        }  # fmt: skip
        at = [x + float(rng.uniform(-0.4, 0.4)), 0.0]
        place = source["bodies"][f"cart{k}"]["position"]
        source["bodies"][f"cart{k}"]["points"] = {"blade": [at[0] - place[0], -place[1]]}
        source["constraints"][f"blade{k}"] = {"type": "knife_edge", "point": f"cart{k}.blade", "along": [1, 0]}
        if k:
            source["joints"][f"hinge{k}"] = {"type": "revolute", "bodies": [f"cart{k - 1}", f"cart{k}"], "at": [x - 0.5, 0.0]}
            source["forces"][f"spring{k}"] = {
                "type": "rotational_spring_damper", "joint": f"hinge{k}",
                "stiffness": float(rng.uniform(1.0, 5.0)), "damping": float(rng.uniform(0.0, 0.5)),
            }  # fmt: skip
    del source["constraints"]["blade0"]  # the first may steer
    return source, "start"


def on_constraints(system: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put on the constraints to round-off, so that the assembly has nothing to do. Off them redundant rows are independent to STEP^2."""
    for _ in range(5 if system.n_rows else 0):
        C = system.C(0.0, q)
        q = system.move(q, -np.linalg.lstsq(C[: system.n_holonomic], system.phi(0.0, q), rcond=RANK)[0])
    for _ in range(2 if system.n_rows else 0):
        v = v - np.linalg.lstsq(C, C @ v, rcond=RANK)[0]
    return q, v


@pytest.mark.parametrize("family", [loops, dependent, pytest.param(rolling, marks=pytest.mark.slow)])  # it has kernels of its own
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, EACH))])
def test_eigenvalues_of_the_flow(family: Any, seed: int) -> None:
    source, at = family(seed)
    made = mbsim.assemble(mechanisms.model(source | {"simulation": {"end": 1.0}}))
    found = modes(made, at)
    assert found.stationary
    linear, state, n = found.linear, found.state, made.system.n_v
    values = found.spectrum.values
    fastest = float(np.abs(values).max())
    span = 1.0 / fastest

    def flow(z: np.ndarray) -> np.ndarray:
        """(2, n_q + n_v): where the run begins and ends that is displaced by z from the state."""
        moved = linear.basis @ z
        q, v = on_constraints(made.system, made.system.move(state.q, moved[:n]), state.v + moved[n : 2 * n])
        run = mbsim.simulate(
            made, q, v, end=span, output_step=span,
            method="lagrange", integrator="dop853", rtol=1e-13, atol=1e-14, drift_tolerance=1e-15,
        )  # fmt: skip
        return np.hstack([run["q"], run["v"]])[[0, -1]]

    columns = [mechanisms.derivative(lambda size, e=e: flow(size * e), STEP) for e in np.eye(len(values))]
    first, last = np.moveaxis(np.array(columns), 0, 2)
    phi = np.linalg.lstsq(first, last, rcond=None)[0]  # of the variables z
    scales = linear.scales * np.where(np.arange(len(values)) < linear.displacements, fastest, 1.0)  # displacements compare with speeds
    assert np.abs((phi - expm(linear.A * span)) * scales[:, None] / scales).max() < 3e-7
    measured = np.linalg.eigvals(logm(phi)) / span
    for value in values[found.spectrum.zeros :]:
        assert np.abs(measured - value).min() < 1e-6 * fastest, value
