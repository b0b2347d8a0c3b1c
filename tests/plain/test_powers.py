"""Powers of a coordinate to a parameter, where the base is zero or negative: values, forces, and derivatives by base and exponent."""

import math
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim.kernels.powers import raised
from mbsim.model.expressions.calculus import derivative
from mbsim.model.expressions.evaluation import evaluate
from mbsim.model.expressions.expression import parse


@pytest.mark.parametrize(("x", "n"), [(0.7, 2.3), (1.9, -1.4), (0.6, 0.0), (0.6, 1.0), (0.8, 3.0)])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
@pytest.mark.parametrize("j", [0, 1, 2])
def test_derivatives_are_differences(x: float, n: float, k: int, j: int) -> None:
    h = 1e-5
    assert (raised(x + h, n, k, j) - raised(x - h, n, k, j)) / (2 * h) == pytest.approx(raised(x, n, k + 1, j), rel=1e-7, abs=1e-7)
    assert (raised(x, n + h, k, j) - raised(x, n - h, k, j)) / (2 * h) == pytest.approx(raised(x, n, k, j + 1), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize(
    ("x", "n", "k", "j", "value"),
    [
        (0, 0, 0, 0, 1), (0, 0, 1, 0, 0), (0, 0, 2, 0, 0), (0, 1, 0, 0, 0), (0, 1, 1, 0, 1), (0, 1, 2, 0, 0), (0, 2, 1, 0, 0),
        (0, 2, 2, 0, 2), (0, 2, 3, 0, 0), (0, 2.5, 2, 0, 0), (0, 0.5, 1, 0, math.inf), (0, -1, 0, 0, math.inf),
        (-2, 3, 0, 0, -8), (-2, 3, 1, 0, 12), (-2, 0, 1, 0, 0), (-2, -1, 1, 0, -0.25), (-2, 0.5, 0, 0, math.nan),
        (0, 2, 0, 1, 0), (0, 2, 1, 1, 0), (0, 0, 0, 1, math.nan), (0, 1, 1, 1, math.nan), (-2, 2, 0, 1, math.nan),
    ],
)  # fmt: skip
def test_corners(x: float, n: float, k: int, j: int, value: float) -> None:
    assert raised(float(x), float(n), k, j) == pytest.approx(value, nan_ok=True)


def law(n: float, coordinates: str) -> dict[str, Any]:
    """A slider at zero, pushed by -3 x^n."""
    return {
        "name": "slider", "dimension": 2, "coordinates": coordinates, "parameters": {"n": n, "c": 3.0},
        "bodies": {"b": {"mass": 2, "inertia": 1, "position": [0, 0]}},
        "joints": {"p": {"type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0], "axis": [1, 0]}},
        "forces": {"f": {"type": "force", "body": "b", "value": ["-c*b.x^n" if coordinates == "absolute" else "-c*p.displacement^n", 0]}},
        "simulation": {"end": 1},
    }  # fmt: skip


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize(("n", "x", "slope"), [(0, 0, 0), (1, 0, 3), (2, 0, 0), (3, -0.5, 2.25), (0, -0.5, 0)])
def test_the_stiffness_of_a_power(n: float, x: float, slope: float, coordinates: str) -> None:
    made = mbsim.assemble(mechanisms.model(law(n, coordinates)))
    q = made.q.copy()
    q[0] = x
    tangents = made.system.tangents(0.0, q, made.v)
    assert tangents.K[0, 0] == pytest.approx(slope) and all(np.isfinite(part).all() for part in tangents[:-1])


@pytest.mark.parametrize(("n", "stiffness"), [(0, 0), (1, 0), (2, 4), (3, 0)])
def test_an_energy_of_a_power_at_rest(n: float, stiffness: float) -> None:
    """V = 2 x^n and y^n + y = x beside it: forces, rows and their rates at x = y = 0."""
    source = f"""
name: powers
parameters: {{n: {n}, m: {max(n, 1)}}}
coordinates: [x, y]
energy: {{kinetic: 0.5*der(x)^2 + 0.5*der(y)^2, potential: 2*x^n}}
constraints: {{row: {{type: holonomic, equation: y^m + y - x}}}}
simulation: {{end: 1}}
"""
    made = mbsim.assemble(mechanisms.model(source))
    system, v = made.system, np.array([0.3, 0.2])
    _, h, C, _, eta, _ = system.terms(0.0, made.q, v)
    m = max(n, 1)
    close(h, [-2.0 * (n == 1), 0.0], atol=0.0)
    close(C, [[-1.0, 1.0 + (m == 1)]], atol=0.0)
    close(eta, [2 * v[1] ** 2 * (m == 2)], atol=1e-15)
    close(system.tangents(0.0, made.q, v).K, np.diag([stiffness, 0.0]), atol=0.0)


def test_the_derivative_by_time_of_a_power_of_time() -> None:
    """Of t^(1 + t) at 0, where log(t) is no number: 1 t^0."""
    found = derivative(parse("t^(1 + t)"), {"t": parse("1")}.get)
    assert evaluate(found, {"t": 0.0}) == 1.0
    assert evaluate(found, {"t": 0.5}) == pytest.approx(0.5**1.5 * (1.5 / 0.5 + math.log(0.5)))
