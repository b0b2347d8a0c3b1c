"""Draws the four figures of Yang, Duan & Di 2006, section 4, anew: docs/images/pendulum_methods.png.

    python scripts/pendulum_figures.py
    python scripts/pendulum_figures.py --quick    # one second of motion; nothing is kept

The paper's pendulum in Cartesian coordinates, from horizontal at rest, step 0.01 s: velocity, a close-up of it, error of the position
and violation of the constraint for a BDF method on the index-1 equations (the paper's DDASPG), for stabilised constraints
(`baumgarte`) and for lambda root-finding (`broyden`, velocity as computed, as in the paper). What is drawn is also printed.
"""

from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from command_line import output_folder, parser
from numpy.typing import NDArray
from PIL import Image
from scipy.integrate import solve_ivp

import mbsim
from mbsim import registry
from mbsim.model.load import load
from mbsim.results import Result

COLOURS = 128  # as in scripts/figures.py
LENGTH, GRAVITY, END, STEP = 1.98120, 9.80665, 10.0, 0.01
QUICK_END = 1.0  # s
TOP = 0.95  # of the end: 9.5 s, the top of a swing
MODEL = f"""
name: pendulum of Yang, Duan and Di
parameters: {{m: 44.452050, l: {LENGTH}, g: {GRAVITY}}}
coordinates: [x, y]
energy: {{kinetic: m/2*(der(x)^2 + der(y)^2), potential: m*g*y}}
constraints: {{rod: {{type: holonomic, equation: x^2 + y^2 - l^2}}}}
initial: {{x: l}}
simulation: {{end: {END}, step: {STEP}}}
"""
Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One of the three methods of the paper."""

    label: str
    colour: str
    settings: dict[str, Any]


def cases() -> list[Case]:
    """The methods that are there; the BDF method is an integrator of its own."""
    found = [
        Case("stabilised constraints (baumgarte)", "tab:orange", {"method": "baumgarte"}),
        Case("lambda root-finding (broyden)", "tab:blue", {"method": "broyden(multiplier=constant, project_velocity=false)"}),
    ]
    if "bdf" in registry.names("integrators"):
        found.insert(0, Case("BDF, index 1", "tab:green", {"method": "lagrange", "integrator": "bdf", "drift": "none"}))
    return found


def exact(times: Floats) -> tuple[Floats, Floats]:
    """Position (n, 2) and velocity (n, 2) from the equation of the angle, to about 1e-12."""
    span = (float(times[0]), float(times[-1]))
    found = solve_ivp(lambda _, y: [y[1], -GRAVITY / LENGTH * np.cos(y[0])], span, [0, 0], "DOP853", times, rtol=1e-13, atol=1e-14)
    angle, rate = found.y
    radial = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    tangent = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    return LENGTH * radial, LENGTH * rate[:, None] * tangent


def draw(runs: list[tuple[Case, Result]], picture: Path) -> None:
    """The four figures in one picture."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    q, v = exact(runs[0][1].time)
    figure, ((velocity, close_up), (error, violation)) = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    times = runs[0][1].time
    last = np.abs(times - TOP * times[-1]) <= 0.06 + 1e-9
    for axes, part in ((velocity, slice(None)), (close_up, last)):
        axes.plot(times[part], v[part, 1], color="black", linewidth=3, alpha=0.25, label="exact")
    for case, run in runs:
        y_dot = run.select("v", "der(y)")
        velocity.plot(times, y_dot, color=case.colour, linewidth=0.9, label=case.label)
        close_up.plot(times[last], y_dot[last], ".-", color=case.colour, linewidth=0.9, label=case.label)
        error.semilogy(times[1:], np.abs(run["q"] - q).max(axis=1)[1:], color=case.colour, linewidth=0.9, label=case.label)
        left = np.maximum(run["residual_position"][1:], 1e-17)
        violation.semilogy(times[1:], left, color=case.colour, linewidth=0.9, label=case.label)
    velocity.set(title="velocity", ylabel="der(y) in m/s")
    close_up.set(title="velocity, close-up")
    error.set(title="error of the position", xlabel="time in s", ylabel="m")
    violation.set(title="violation of the constraint (1e-17: zero)", xlabel="time in s", ylabel="|x² + y² - l²| in m²")
    for axes in (velocity, close_up, error, violation):
        axes.grid(alpha=0.3)
    figure.legend(*velocity.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.savefig(picture, dpi=90)
    with Image.open(picture) as image:
        small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(picture, optimize=True)


def main() -> None:
    """Run, print the largest errors, draw."""
    given = parser(__doc__, writes=True).parse_args()
    end = QUICK_END if given.quick else END
    made = mbsim.assemble(load(MODEL, registry, file="pendulum.yaml"))
    runs = [(case, mbsim.simulate(made, end=end, **case.settings)) for case in cases()]
    q, v = exact(runs[0][1].time)
    print(f"{f'largest over {end:g} s at h = {STEP:g}':<38}{'position, m':>14}{'velocity, m/s':>16}{'violation, m2':>16}")
    for case, run in runs:
        worst = [float(np.abs(x).max()) for x in (run["q"] - q, run["v"] - v, run["residual_position"])]
        print(f"{case.label:<38}{worst[0]:>14.1e}{worst[1]:>16.1e}{worst[2]:>16.1e}")
    with output_folder(given) as folder:
        draw(runs, folder / "images" / "pendulum_methods.png")


if __name__ == "__main__":
    main()
