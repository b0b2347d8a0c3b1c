"""The pendulum of Yang, Duan & Di 2006, section 4, against Jacobi's elliptic functions: released from the horizontal, k = sin(45 deg)."""

import mechanisms
import numpy as np
import pytest
from mechanisms import close
from scipy.special import ellipj, ellipk

import mbsim

PROJECTIONS = ("lagrange", "nullspace", "riemann", "svd")
M, G, LENGTH = 44.452050, 9.80665, 1.98120  # kg, m/s2, m
END = (-1.2965722498672, -1.9071736654274, -0.5365091331005)  # angle from the downward vertical (rad), x, y (m) at 2 s


def closed_form(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angle and its rate: sin(angle/2) = k sn(K - w t), 2 k w cn the rate, falling."""
    w, k = np.sqrt(G / LENGTH), np.sqrt(0.5)
    sn, cn, _, _ = ellipj(ellipk(0.5) - w * t, 0.5)
    return 2 * np.arcsin(k * sn), -2 * k * w * cn


@pytest.mark.parametrize("method", PROJECTIONS)
def test_motion_and_rod_force(method: str) -> None:
    """The rod's tension is 3 m g cos(angle), and -2 l times the multiplier: m x'' = 2 x lam. The paper's lambda has the other sign."""
    result = mbsim.simulate(mechanisms.shipped("pendulum_dae"), method=method)
    assert (result.time[-1], result.time.size) == (2.0, 201)
    angle, rate = closed_form(result.time)
    close([angle[-1], LENGTH * np.sin(angle[-1]), -LENGTH * np.cos(angle[-1])], END, atol=1e-12)
    close(result["q"], LENGTH * np.column_stack([np.sin(angle), -np.cos(angle)]), atol=5e-7)
    close(result["v"], LENGTH * rate[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), atol=2e-6)
    close(-2 * LENGTH * result["multiplier"][:, 0], 3 * M * G * np.cos(angle), atol=1e-3)


@pytest.mark.parametrize("method", PROJECTIONS)
def test_digits_at_a_small_step(method: str) -> None:
    result = mbsim.simulate(mechanisms.shipped("pendulum_dae"), method=method, step=2e-4, output_step=2.0, drift_tolerance=1e-13)
    close(result["q"][-1], END[1:], atol=1e-11)
