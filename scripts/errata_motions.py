"""The errata that show in whole motions, for scripts/errata.py: when a decomposition is renewed, and multipliers constant over a step."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import mbsim

Floats = NDArray[np.float64]

MODELS = Path(__file__).resolve().parents[1] / "models"
HOLD_STEPS, HOLD_END = (0.01, 0.005, 0.0025, 0.00125, 0.000625), 5.0  # s
MASS, LENGTH, GRAVITY = 44.45205, 1.9812, 9.80665  # kg, m, m/s^2: the pendulum of Yang, Duan & Di
PENDULUM_STEPS, PENDULUM_END = (0.01, 0.005), 2.0  # s


def rk4(f: Callable[[float, Floats], Floats], t: float, z: Floats, h: float) -> Floats:
    """A step of the classical method."""
    k1 = f(t, z)
    k2 = f(t + h / 2, z + h / 2 * k1)
    k3 = f(t + h / 2, z + h / 2 * k2)
    k4 = f(t + h, z + h * k3)
    return z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def hold_errors(renew: str) -> list[float]:
    """Largest error of a coordinate of the shipped quick-return mechanism at HOLD_END, for each of HOLD_STEPS, by when V2 is renewed."""
    made = mbsim.assemble(mbsim.load_model(MODELS / "quick_return.yaml"))
    tight: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}
    exact = mbsim.simulate(made, method="lagrange", end=HOLD_END, output_step=HOLD_END, **tight)["q"][-1]
    runs = [
        mbsim.simulate(made, method=f"svd(renew={renew})", integrator="rk4", step=h, end=HOLD_END, output_step=HOLD_END) for h in HOLD_STEPS
    ]
    return [float(np.abs(run["q"][-1] - exact).max()) for run in runs]


def wrong_errors(printed: str, correct: str, model: Any, end: float, steps: tuple[float, ...]) -> tuple[list[float], list[float]]:
    """Largest error of a coordinate at the end for each of the steps, by the method with the printed equations and by the corrected one."""
    exact = mbsim.simulate(model, method="lagrange", integrator="rk4", end=end, step=2e-4, drift="none")["q"][-1]

    def errors(method: str) -> list[float]:
        runs = [mbsim.simulate(model, method=method, integrator="rk4", step=h, end=end, drift="none", allow_wrong=True) for h in steps]
        return [float(np.abs(run["q"][-1] - exact).max()) for run in runs]

    return errors(printed), errors(correct)


class RootFinding(NamedTuple):
    """The paper's multipliers, constant over a step."""

    at_end: float  # largest difference from that of the motion at the end of the step, of the largest
    velocity: float  # largest part of the velocity along the rod after a step, m/s


def root_finding(h: float) -> RootFinding:
    """The paper's pendulum by its equations (14)-(18): RK4 with one multiplier a step, found so that phi = 0 at the end."""
    mass, length, gravity = MASS, LENGTH, GRAVITY

    def rate(z: Floats, lam: float) -> Floats:
        return np.concatenate([z[2:], 2.0 * lam * z[:2] / mass - np.array([0.0, gravity])])

    def true(z: Floats) -> float:  # of C v_dot + eta = 0, C = 2 (x, y)
        return float(-mass * (z[2:] @ z[2:] - gravity * z[1]) / (2.0 * z[:2] @ z[:2]))

    def phi(lam: float, z: Floats) -> float:
        end = rk4(lambda _, x: rate(x, lam), 0.0, z, h)
        return float(end[:2] @ end[:2] - length**2)

    z, lam = np.array([length, 0.0, 0.0, 0.0]), 0.0
    steps, ends, leaves = [], [], []
    exact = z
    for _ in range(round(PENDULUM_END / h)):
        a, b = lam, lam + 1.0
        for _ in range(30):  # secants
            fa, fb = phi(a, z), phi(b, z)
            if fb == fa or abs(fb) < 1e-14:
                break
            a, b = b, b - fb * (b - a) / (fb - fa)
        lam = b
        z = rk4(lambda _, x, value=lam: rate(x, value), 0.0, z, h)  # type: ignore[misc]
        for _ in range(10):
            exact = rk4(lambda _, x: rate(x, true(x)), 0.0, exact, h / 10.0)
        steps.append(lam)
        ends.append(true(exact))
        leaves.append(abs(float(z[:2] @ z[2:])) / length)
    off = np.abs(np.array(steps) - np.array(ends)).max() / np.abs(ends).max()
    return RootFinding(float(off), max(leaves))
