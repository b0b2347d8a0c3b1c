"""Curves of equilibria of beams: a shallow toggle snaps within what would be one step, and a thin strip buckles sideways."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve, minimize_scalar

import mbsim

EA, EI, SPAN, RISE = 1.885e6, 9.27e3, 12.943, 0.386  # the frame of F. W. Williams (1964), in inches and pounds


def toggle(elements: int) -> dict[str, Any]:
    """Half of it: a beam that is clamped at its foot, and at the crown guided upright by what is its mirror image."""
    return {
        "name": "toggle",
        "dimension": 2,
        "gravity": [0, 0],
        "parameters": {"P": 30},
        "beams": {
            "b": {
                "from": [0, 0],
                "to": [SPAN, RISE],
                "elements": elements,
                "clamped": ["start"],
                "stiffness": {"EA": EA, "GA": 7e5, "EI": EI},
                "mass": {"line": 1},
            }
        },
        "joints": {"crown": {"type": "prismatic", "bodies": ["ground", "b.end"], "at": [SPAN, RISE], "axis": [0, 1]}},
        "forces": {"load": {"type": "force", "body": "b.end", "value": [0, "-P/2"]}},
        "simulation": {"end": 1},
    }


def load(sunk: float, guess: list[float]) -> tuple[float, list[float]]:
    """The load at which the crown has sunk so far, by shooting along one of the beams: Euler's elastica that also stretches."""
    length, angle = np.hypot(SPAN, RISE), np.arctan2(RISE, SPAN)

    def miss(x: list[float]) -> list[float]:
        along, up, moment = x

        def rates(_: float, y: np.ndarray) -> list[float]:
            c, s = np.cos(y[2]), np.sin(y[2])
            stretch = 1.0 + (along * c + up * s) / EA
            return [stretch * c, stretch * s, y[3] / EI, -(up * c - along * s) * stretch]

        end = solve_ivp(rates, [0.0, length], [0.0, 0.0, angle, moment], rtol=1e-9, atol=1e-11).y[:, -1]
        return [end[0] - SPAN, end[1] - (RISE - sunk), end[2] - angle]

    found = fsolve(miss, guess, xtol=1e-11)
    return -2.0 * float(found[1]), list(found)


def test_a_shallow_toggle_snaps() -> None:
    """It sinks by a hundredth of its size while the load turns back and rises again, all within one step of the load."""
    start = [0.0, 0.0, 0.0]
    for sunk in np.linspace(0.05, 0.2, 4):
        _, start = load(sunk, start)
    top = -minimize_scalar(lambda sunk: -load(sunk, start)[0], bounds=(0.2, 0.28), method="bounded").fun
    bottom = minimize_scalar(lambda sunk: load(sunk, start)[0], bounds=(0.34, 0.44), method="bounded").fun
    found = mbsim.equilibria(toggle(8), "P", 30, 54, count=20)
    assert [one.kind for one in found.critical] == ["limit point", "limit point"]
    assert [one.growing for one in found.critical] == [1, 0]
    assert [one.value for one in found.critical] == pytest.approx([top, bottom], rel=0.02)  # with 16 elements it is a quarter of that


def test_a_flat_arch_is_followed_through_both_limit_points() -> None:
    """A half sine under half a sine of load: N = EA pi^2/4 (h^2 - (h - w)^2) and q = pi^4 EI w + pi^2 N (h - w), of length 1.

    Its rise is 3 thousandths of its length, and a step of the load is far longer than the motion. A step that ended beside its plane, on
    a limit point, was taken before, and was taken back and again without end.
    """
    n, EI, EA, rise = 8, 1.0, 1e6, 3e-3
    weights = np.sin(np.pi * np.arange(1, n) / n) / n
    arch = {
        "name": "arch",
        "dimension": 2,
        "gravity": [0, 0],
        "parameters": {"q": 0},
        "beams": {
            "b": {
                "points": [[x, rise * float(np.sin(np.pi * x))] for x in np.linspace(0, 1, 33).tolist()],
                "elements": n,
                "stiffness": {"EA": EA, "GA": EA, "EI": EI},
                "mass": {"line": 1},
            }
        },
        "joints": {
            "A": {"type": "revolute", "bodies": ["ground", "b.start"], "at": [0, 0]},
            "B": {"type": "revolute", "bodies": ["ground", "b.end"], "at": [1, 0]},
        },
        "forces": {f"f{k}": {"type": "force", "body": f"b_{k}", "value": [0, f"-q*{x!r}"]} for k, x in enumerate(weights.tolist(), 1)},
        "simulation": {"end": 1},
    }
    w = np.linspace(0, 2 * rise, 4001)
    q = np.pi**4 * EI * w + np.pi**4 * EA / 4 * (rise**2 - (rise - w) ** 2) * (rise - w)
    turns = q[1:-1][np.diff(q)[1:] * np.diff(q)[:-1] < 0.0]
    found = mbsim.equilibria(arch, "q", 0, 1)
    assert not found.ended and [(one.kind, one.growing) for one in found.critical] == [("limit point", 1), ("limit point", 0)]
    assert [one.value for one in found.critical] == pytest.approx(turns.tolist(), rel=0.04)


def test_a_thin_strip_buckles_sideways() -> None:
    """Prandtl (1899): 4.0126 sqrt(EI GJ)/L^2. Its lowest eigenvalue is 1e-12 of the fastest shear vibration."""
    thick, high, E, nu = 0.002, 0.05, 2e11, 0.3
    EI, GJ = E * high * thick**3 / 12, E / (2 + 2 * nu) * high * thick**3 / 3 * (1 - 0.63 * thick / high)
    strip = {
        "name": "strip",
        "gravity": [0, 0, 0],
        "parameters": {"P": 30},
        "beams": {
            "b": {
                "from": [0, 0, 0],
                "to": [1, 0, 0],
                "elements": 12,
                "clamped": ["start"],
                "section": {"rectangle": [thick, high]},
                "material": {"E": E, "nu": nu, "density": 7800},
            }
        },
        "forces": {"load": {"type": "force", "body": "b.end", "value": [0, 0, "-P"]}},
        "simulation": {"end": 1},
    }
    (found,) = mbsim.equilibria(strip, "P", 30, 36, count=4).critical
    assert found.kind == "bifurcation" and found.growing == 1
    assert found.value == pytest.approx(4.0126 * np.sqrt(EI * GJ), rel=0.015)
