"""Rolling on a given surface: C, xi, eta and tangents against differences, the slip against the motion of material points."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close, random_state
from scipy.optimize import minimize
from test_constraint_derivatives import check_at
from test_contact_rows import contact, pose
from test_tangents import RELATIVE, worst

import mbsim
from mbsim.model.expressions.expression import evaluate

CURVE = {"points": [[-6, 0.1], [-2, -0.3], [-1, 0.1], [0, 0.2], [1.5, -0.2], [4, 0.1], [7, 0.3]]}
SURFACES: dict[str, tuple[int, str]] = {
    "wave": (3, "0.2*sin(x)*cos(0.7*y) - 1"),
    "slope": (3, "0.3*x - 0.2*y"),
    "rising": (3, "a*x*y + 0.1*x^2 - 0.2*sin(3*t + 0.5*x) - 1"),
    "furrow": (3, "curve(y + 0.3*x)"),
    "line": (2, "0.3*cos(x) - 1"),
    "heap": (2, "a*exp(-x^2/4) + 0.1*t*x"),
    "profile": (2, "curve(x)"),
}
OFF = {2: [-0.2, 0.1], 3: [-0.2, 0.1, 0.15]}  # of the centre, in the axes of its body


def source_of(name: str) -> dict[str, Any]:
    dimension, height = SURFACES[name]
    source = contact("rolling_ball" if dimension == 3 else "rolling_disk", dimension, "default")
    del source["constraints"]["c"]["plane"]
    source["constraints"]["c"]["surface"] = {"z" if dimension == 3 else "y": height}
    return source | {"parameters": {"a": 0.15}, "tables": {"curve": CURVE}}


@pytest.mark.parametrize("name", SURFACES)
def test_derivatives(name: str) -> None:
    made = mbsim.assemble(mechanisms.model(source_of(name)))
    rng = np.random.default_rng(3)
    for _ in range(5):
        check_at(made.system, *random_state(made.system, made.q, rng, spread=0.3))
    slips = ["c.slip_x", "c.slip_y"] if made.system.dimension == 3 else ["c.slip"]
    assert made.system.rows[-1 - len(slips) :] == ["c.height", *slips]


@pytest.mark.parametrize("name", ["wave", "rising", "heap", "profile"])
def test_tangents(name: str) -> None:
    found = worst(source_of(name))
    assert max(found.values()) < RELATIVE, found


@pytest.mark.parametrize("name", SURFACES)
def test_the_rows_are_what_they_mean(name: str) -> None:
    """`height` is the distance of the nearest point less the radius; the slips have the size of the slip of the ball's point there."""
    dimension, _ = SURFACES[name]
    model = mechanisms.model(source_of(name))
    made = mbsim.assemble(model)
    system, rng, given = made.system, np.random.default_rng(7), model.constraints["c"].surface.height

    def height(t: float, *u: float) -> float:
        return evaluate(given, {"t": t, "a": 0.15, **dict(zip("xy", u, strict=False))})

    for _ in range(4):
        t, q, v = random_state(system, made.q, rng, spread=0.3)
        if dimension == 3:
            (x, A), off = pose(system, q, 1), np.array(OFF[3])
        else:
            angle = q[5]
            x, A, off = q[3:5], np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]), np.array(OFF[2])
        centre = x + A @ off

        def point(u: np.ndarray, t: float = t) -> np.ndarray:
            return np.array([*u, height(t, *u)])

        best = minimize(lambda u, c=centre: ((point(u) - c) ** 2).sum(), centre[:-1], method="BFGS", options={"gtol": 1e-11})
        foot = point(best.x)
        n = np.array([*(-(point(best.x + 1e-5 * e)[-1] - point(best.x - 1e-5 * e)[-1]) / 2e-5 for e in np.eye(dimension - 1)), 1.0])
        n /= np.linalg.norm(n)
        close(system.phi(t, q)[-1], (centre - foot) @ n - 0.4, atol=1e-8)
        at = -0.4 * n + A @ off
        rise = (height(t + 1e-5, *best.x) - height(t - 1e-5, *best.x)) / 2e-5
        if dimension == 3:
            u = v[6:9] + np.cross(A @ v[9:], at) - [0, 0, rise]
        else:
            u = v[3:5] + v[5] * np.array([-at[1], at[0]]) - [0, rise]
        _, _, C, xi, _, _ = system.terms(t, q, v)
        slip = (C @ v + xi)[-(dimension - 1) :]
        close(np.linalg.norm(slip), np.linalg.norm(u - (u @ n) * n), atol=1e-6)
        if dimension == 3:  # the first tangent lies over x, the second is a quarter turn further about the normal
            along = np.array([n[2], 0.0, -n[0]]) / np.hypot(n[0], n[2])
            close(slip, [along @ u, np.cross(n, along) @ u], atol=1e-6)
        else:
            close(slip, [u @ [n[1], -n[0]]], atol=1e-6)
