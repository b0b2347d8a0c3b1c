"""Measures the error of a step with a held decomposition against its bound, for docs/methods/svd.md).

    python scripts/holding.py            # prints the tables
    python scripts/holding.py --quick    # fewer places, one short run

A point moves along an ellipse without forces. V2 is held at an angle to the tangent. The table has the largest error of one step, of its
way, over places on the ellipse and both sides: position and velocity at its end against the exact ones; and what it is of
d^p (1 + tan^2)^((p - 1) / 2), where d is the turn of the tangent within the step, p the order of the formula.

Then runs of models with error control: evaluations, decompositions and error with a `hold_limit` of 2, and with one of 10 with and without
the bound.
"""

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from command_line import parser
from measuring import table
from numpy.typing import NDArray
from scipy.integrate import DOP853, solve_ivp

import mbsim
from mbsim.march import settings

Floats = NDArray[np.float64]
SHAPE = np.diag([0.25, 1.0])  # q' SHAPE q = 1
TANGENTS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
TURNS = {"rk4": (0.1, 0.05, 0.02), "dop853": (0.4, 0.2, 0.1)}  # rad in a step
ORDERS = {"rk4": 4, "dop853": 8}
PLACES, QUICK_PLACES = 17, 3
RUNS = {"sundials_pendulum": 10.0, "four_bar": 10.0, "quick_return": 10.0}  # s
TOLERANCES = {"dop853": (1e-4, 1e-7, 1e-10), "rk45": (1e-4, 1e-7)}


def rate(z: Floats, held: Floats) -> Floats:
    """Of z = [p; q]: v = [C; V2']^-1 [0; p], the acceleration across the ellipse, p_dot = V2' v_dot."""
    row: Floats = 2.0 * SHAPE @ z[1:]
    v: Floats = np.linalg.solve(np.array([row, held]), [0.0, z[0]])
    a: Floats = -row * (2.0 * v @ SHAPE @ v) / (row @ row)
    return np.concatenate([[held @ a], v])


def rk4(z: Floats, held: Floats, h: float) -> Floats:
    """A step of h s."""
    k1 = rate(z, held)
    k2 = rate(z + 0.5 * h * k1, held)
    k3 = rate(z + 0.5 * h * k2, held)
    found: Floats = z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(z + h * k3, held))
    return found


def dop853(z: Floats, held: Floats, h: float) -> Floats:
    """A step of h s, whatever its estimated error."""
    solver = DOP853(lambda t, z: rate(z, held), 0.0, z, 1e9, first_step=h, max_step=h, rtol=1e9, atol=1e9)
    solver.step()
    found: Floats = solver.y
    return found


STEPS: dict[str, Callable[[Floats, Floats, float], Floats]] = {"rk4": rk4, "dop853": dop853}


def along(q: Floats) -> Floats:
    """The unit tangent."""
    row = SHAPE @ q
    found: Floats = np.array([-row[1], row[0]]) / np.hypot(*row)
    return found


def exact(q: Floats, h: float) -> Floats:
    """Where the point is after h s at a speed of 1."""
    found: Floats = solve_ivp(lambda t, q: along(q), (0.0, h), q, method="DOP853", rtol=3e-14, atol=1e-15).y[:, -1]
    return found


def worst(formula: str, turn: float, tangent: float, places: int) -> float:
    """The largest error of a step, of its way; NaN where every step goes through the singular position."""
    angle, largest = np.arctan(tangent), np.nan
    for place in np.linspace(0.0, 0.5 * np.pi, places):
        q = np.array([2.0 * np.cos(place), np.sin(place)])
        t, h = along(q), turn
        for _ in range(4):
            h *= turn / float(np.arccos(np.clip(t @ along(exact(q, h)), -1.0, 1.0)))
        end = exact(q, h)
        for side in (1.0, -1.0):
            held = np.cos(angle) * t + side * np.sin(angle) * np.array([t[1], -t[0]])
            if 0.5 * np.pi - np.arccos(np.clip(held @ along(end), -1.0, 1.0)) < 0.5 * turn:
                continue
            z = STEPS[formula](np.concatenate([[held @ t], q]), held, h)
            v = np.linalg.solve(np.array([2.0 * SHAPE @ z[1:], held]), [0.0, z[0]])
            error = max(np.hypot(*(z[1:] - end)) / h, np.hypot(*(v - along(end))))
            largest = float(np.nanmax([largest, error]))
    return largest


def run(model: "mbsim.Model", end: float, limit: float, integrator: str, rtol: float, exact: Floats) -> str:
    """Evaluations, decompositions, and the largest error over eight rows, of the largest change of a coordinate."""
    given: dict[str, Any] = {"integrator": integrator, "rtol": rtol, "atol": 0.1 * rtol, "end": end, "output_step": end / 8}
    result = mbsim.simulate(model, method=f"svd(hold_limit={limit:g})", **given)
    counts, error = result.attributes["counts"], np.abs(result["q"] - exact).max() / np.ptp(exact, axis=0).max()
    return f"{counts['evaluations']}, {counts['svds']}, {error:.0e}"


def controlled(quick: bool) -> None:
    """Print what error control takes with wider limits."""
    rows = []
    for name, end in list(RUNS.items())[: 1 if quick else None]:
        model, end = mbsim.load_model(name), 0.5 if quick else end
        precise: dict[str, Any] = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-13, "atol": 1e-14}
        exact = np.array(mbsim.simulate(model, end=end, output_step=end / 8, **precise)["q"])
        for integrator, tolerances in TOLERANCES.items():
            for rtol in tolerances:
                cells = [run(model, end, limit, integrator, rtol, exact) for limit in (2.0, 10.0)]
                with mock.patch.object(settings, "declared_order", return_value=None):  # then there is no bound
                    cells.append(run(model, end, 10.0, integrator, rtol, exact))
                rows.append((f"`{name}`", f"`{integrator}`, {rtol:.0e}", *cells))
    heads = "model", "integrator, `rtol`", "`hold_limit` 2", "10", "10 without the bound"
    print("\nevaluations, decompositions, error\n\n" + table(heads, rows), flush=True)


def main() -> None:
    given = parser(__doc__).parse_args()
    places = QUICK_PLACES if given.quick else PLACES
    for formula, turns in TURNS.items():
        p, rows = ORDERS[formula], []
        for turn in turns:
            errors = [worst(formula, turn, tangent, places) for tangent in TANGENTS]
            cells = [
                f"{e:.0e}, {e / (turn**p * (1.0 + x * x) ** (0.5 * (p - 1))):.0e}" if np.isfinite(e) else ""
                for e, x in zip(errors, TANGENTS, strict=True)
            ]
            rows.append((f"{turn:g}", *cells))
        print(f"\n{formula}\n\n" + table(("turn of a step, rad", *(f"tangent {x:g}" for x in TANGENTS)), rows), flush=True)
    controlled(given.quick)


if __name__ == "__main__":
    main()
