"""Prints the measured figures of docs/methods/ on baumgarte, broyden, generalized_alpha and rattle.

python scripts/step_methods.py
python scripts/step_methods.py --quick    # short runs, in seconds
"""

from typing import Any

import numpy as np
from command_line import MODELS, parser
from numpy.typing import NDArray
from pendulum_figures import MODEL, exact

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.model.load import load
from mbsim.results import Result

TWO_RODS = """
name: double pendulum of rods
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 1/12, position: [0.5, 0]}
  b: {mass: 1, inertia: 1/12, position: [1.5, 0]}
joints:
  O: {type: revolute, bodies: [ground, a], at: [0, 0]}
  A: {type: revolute, bodies: [a, b], at: [1, 0]}
simulation: {end: 1}
"""
PENDULUM = (
    "broyden", "broyden(multiplier=constant)", "broyden(multiplier=constant, project_velocity=false)",
    "broyden(multiplier=constant), drift full", "baumgarte", "baumgarte(alpha=5, beta=7)",
    "generalized_alpha", "generalized_alpha(index=3)", "rattle", "lagrange",
)  # fmt: skip
WORK = {"pendulum": 0.01, "four_bar": 1e-3, "spatial_slider_crank": 1e-3, "rolling_disk": 5e-3, "spinning_top": 1e-3}
LONG = {"pendulum": 0.01, "four_bar": 1e-3, "double pendulum of rods": 5e-3, "spinning_top": 5e-4}
ENERGY = (
    "lagrange", "broyden", "broyden(multiplier=constant)", "rattle", "generalized_alpha", "generalized_alpha(spectral_radius=1)",
    "generalized_alpha(spectral_radius=0.5)", "generalized_alpha(index=3)",
)  # fmt: skip


def assembled(name: str) -> Assembly:
    """A shipped model, or one of those above."""
    texts = {"double pendulum of rods": TWO_RODS, "paper": MODEL}
    if name in texts:
        return mbsim.assemble(load(texts[name], registry, file="model.yaml"))
    return mbsim.assemble(mbsim.load_model(MODELS / f"{name}.yaml"))


def settings(variant: str) -> dict[str, Any]:
    """`broyden, drift full` -> its settings."""
    method, _, drift = variant.partition(", drift ")
    return {"method": method, **({"drift": drift} if drift else {})}


def order(steps: NDArray[np.float64], errors: list[float]) -> float:
    """Slope of log error against log step."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def orders(end: float) -> None:
    """Errors on the paper's pendulum at the end (s)."""
    made, steps = assembled("paper"), np.array([0.02, 0.01, 0.005, 0.0025])
    q, v = (x[-1] for x in exact(np.array([0.0, end])))
    print(f"{f'pendulum, error at {end:g} s':<34}" + "".join(f"{f'h = {h:g}':>12}" for h in steps) + f"{'order':>8}")
    for variant in PENDULUM:
        runs = [mbsim.simulate(made, end=end, step=float(h), output_step=end, **settings(variant)) for h in steps]
        if len(variant) > 33:
            print(variant)
        for label, name, exactly in (("position", "q", q), ("velocity", "v", v)):
            errors = [float(np.abs(r[name][-1] - exactly).max()) for r in runs]
            head = variant if label == "position" and len(variant) <= 33 else ""
            print(f"{head:<34}{label:<10}".ljust(44)[:44] + "".join(f"{e:>12.1e}" for e in errors)[2:] + f"{order(steps, errors):>8.2f}")


def work(end: float) -> None:
    """Trial steps and evaluations of a step over a run to `end` (s), by root finder."""
    print(f"\n{'trial steps, evaluations a step':<34}{'h':>8}" + "".join(f"{name:>16}" for name in ("broyden", "bfs", "newton")))
    for name, h in WORK.items():
        cells = []
        for finder in ("broyden", "bfs", "newton"):
            method = f"broyden(multiplier=constant, root_finder={finder})"
            counts = mbsim.simulate(assembled(name), method=method, step=h, end=end, output_step=end).attributes["counts"]
            cells.append(f"{counts['iterations'] / counts['steps']:>9.1f}{counts['evaluations'] / counts['steps']:>7.1f}")
        print(f"{name:<34}{h:>8g}" + "".join(cells))


def energy(steps: int) -> None:
    """Energy balance over so many steps."""
    print(f"\nenergy balance over {steps:,} steps, of the largest kinetic energy: largest, mean of the first and of the last tenth")
    for name, h in LONG.items():
        print(f"{name}, h = {h:g}")
        for variant in ENERGY:
            result: Result = mbsim.simulate(assembled(name), end=steps * h, step=h, output_step=10 * h, method=variant)
            balance = result["energy_balance"] / result["energy_kinetic"].max()
            tenth = len(balance) // 10
            means = f"{balance[:tenth].mean():>12.1e}{balance[-tenth:].mean():>12.1e}"
            print(f"  {variant:<42}{np.abs(balance).max():>10.1e}{means}")


def main() -> None:
    quick = parser(__doc__).parse_args().quick
    orders(0.2 if quick else 2.0)
    work(0.05 if quick else 1.0)
    energy(200 if quick else 100_000)


if __name__ == "__main__":
    main()
