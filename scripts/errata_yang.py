"""The errata of Yang, Duan & Di 2006 that concern its equations (20), (22) and (26), for scripts/errata.py: plain NumPy beside mbsim's
own terms. Those of (14)-(18), which show in whole motions, are in errata_motions.py."""

from collections.abc import Callable
from functools import partial
from math import cos
from pathlib import Path

import numpy as np
from errata_motions import GRAVITY, LENGTH, MASS, rk4
from errata_words import Floats, Row, number, series

import mbsim

MODELS = Path(__file__).resolve().parents[1] / "models"
TRIAL_STEP = 0.01  # s, of the step whose search begins
LOOPS = ("quick_return", "four_bar")
STEPS = (0.02, 0.01, 0.005)  # s
PUSH, TURN = 2.0, 5.0  # N m and rad/s, of a torque that depends on time
OFF = 1e-3  # of the length: a start that is not consistent


def end_residual(name: str) -> tuple[Callable[[Floats], Floats], Floats]:
    """G of eq. (18), the constraints at the end of a step with constant multipliers, of a shipped model, and its lambda_n."""
    made = mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))
    system, n = made.system, made.system.n_v

    def rate(t: float, z: Floats, lam: Floats) -> Floats:
        M, h, C, *_ = system.terms(t, z[:n], z[n:])
        return np.concatenate([z[n:], np.linalg.solve(M, h + C.T @ lam)])

    M, h, C, _, eta, _ = system.terms(0.0, made.q, made.v)
    X = np.linalg.solve(M, C.T)
    lam = np.asarray(np.linalg.solve(C @ X, -eta - X.T @ h), float)

    def G(lam: Floats) -> Floats:
        end = rk4(lambda t, z: rate(t, z, lam), 0.0, np.concatenate([made.q, made.v]), TRIAL_STEP)
        result: Floats = system.phi(TRIAL_STEP, end[:n])
        return result

    return G, lam


def first_inverse(G: Callable[[Floats], Floats], lam: Floats, size: float = 1.0) -> Floats:
    """B_0 of eq. (20): from the unit matrix, one update of (19) for a trial step of each multiplier in turn."""
    B = np.eye(len(lam))
    for j in range(len(lam)):
        p = np.zeros(len(lam))
        p[j] = size
        q = G(lam + p) - G(lam)
        lam = lam + p
        mu = 1.0 + q @ B @ q / (p @ q)
        B = B + (mu * np.outer(p, p) - np.outer(B @ q, p) - np.outer(p, B @ q)) / (p @ q)
    return B


def jacobian(G: Callable[[Floats], Floats], lam: Floats, size: float = 1.0) -> Floats:
    """DG at lam, by central differences, of a G that is nearly linear."""
    columns = [(G(lam + d) - G(lam - d)) / (2.0 * size) for d in size * np.eye(len(lam))]
    return np.column_stack(columns)


def inverse_error(name: str) -> tuple[float, float, int]:
    """|B_0 - DG^-1| / |DG^-1| by (20), the same by (h^2 / 2 C M^-1 C')^-1, and the number of multipliers."""
    G, lam = end_residual(name)
    exact = np.linalg.inv(jacobian(G, lam))
    made = mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))
    M, _, C, *_ = made.system.terms(0.0, made.q, made.v)
    formula = np.linalg.inv(0.5 * TRIAL_STEP**2 * C @ np.linalg.solve(M, C.T))

    def off(B: Floats) -> float:
        return float(np.linalg.norm(B - exact) / np.linalg.norm(exact))

    return off(first_inverse(G, lam)), off(formula), len(lam)


def frozen_time(frozen: bool) -> list[float]:
    """Error of the angle of a rod with the torque PUSH cos(TURN t) at 1 s for each of STEPS, by RK4 with the time of (22) or its own."""

    def rate(t: float, z: Floats) -> Floats:
        return np.array([z[1], PUSH * cos(TURN * t) - 9.81 * cos(z[0])])

    def at_time(t: float, _: float, z: Floats) -> Floats:
        return rate(t, z)

    def end(step: float, held: bool) -> float:
        z = np.zeros(2)
        for i in range(round(1.0 / step)):
            last = (i + 1) * step
            z = rk4(partial(at_time, last) if held else rate, i * step, z, step)
        return float(z[0])

    exact = end(1e-4, False)
    return [abs(end(step, frozen) - exact) for step in STEPS]


def index_1(x: float, y: float) -> float:
    """The largest |phi| / l^2 over 2 s of the pendulum by eqs. (26), from a start at (x, y) at rest; RK4 with a step of 0.5 ms."""

    def rate(_: float, z: Floats) -> Floats:
        lam = MASS * (z[2:] @ z[2:] - GRAVITY * z[1]) / (2.0 * LENGTH**2)  # (25)
        return np.concatenate([z[2:], -2.0 * lam * z[:2] / MASS - np.array([0.0, GRAVITY])])

    z, worst = np.array([x, y, 0.0, 0.0]), 0.0
    for i in range(4000):
        worst = max(worst, abs(float(z[:2] @ z[:2]) / LENGTH**2 - 1.0))
        z = rk4(rate, i * 5e-4, z, 5e-4)
    return worst


def rows() -> list[Row]:
    """The lines of the table."""
    found: list[Row] = []
    for name in LOOPS:
        printed, formula, m = inverse_error(name)
        found.append(Row("Yang (20)", f"|B_0 - DG^-1| / |DG^-1|, {name}, {m} multipliers", number(printed), number(formula)))
    at = ", ".join(f"{step:g}" for step in STEPS)
    words = f"error of an angle with a torque that depends on time, rad, steps {at} s"
    found.append(Row("Yang (22)", words, series(frozen_time(True)), series(frozen_time(False))))
    start, off = index_1(LENGTH, 0.0), index_1(LENGTH * (1.0 + OFF), 0.0)
    words = f"largest |phi| / l^2 of the pendulum in 2 s; from a start {OFF:g} l off"
    found.append(Row("Yang (26)", words, f"{number(start)}; {number(off)}", "0; no motion"))
    return found
