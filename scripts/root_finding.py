"""Measures lambda root-finding for docs/root_finding.md: orders, cost beside `lagrange` and half-explicit methods, coarse steps.

    python scripts/root_finding.py            # prints the tables, draws docs/images/root_finding.png
    python scripts/root_finding.py --quick    # short runs, in seconds; nothing is kept

Errors are the largest of a coordinate, or of a velocity as it is carried on, over the output rows, against `lagrange` with `dop853` at
tight tolerances.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from command_line import MODELS, output_folder, parser
from numpy.typing import NDArray
from pendulum_figures import MODEL

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.march.ending import SimulationError
from mbsim.model.load import load
from mbsim.plots.style import COLOURS, STYLE
from mbsim.results import Result
from mbsim.system.system import System

Floats = NDArray[np.float64]
TIGHT: dict[str, Any] = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-13, "atol": 1e-14, "drift_tolerance": 1e-13}
CONTROLLED = ("rk45", "dop853")
LOOSE = 1e3  # tolerances that leave the steps of an integrator with error control equal: first_step and max_step say how long
ROWS = 10
FORMULAS = {
    "rk4": (0.02, 0.01, 0.005),
    "predictor_corrector": (0.01, 0.005, 0.0025),
    "rk45": (0.025, 0.0125, 0.00625),
    "dop853": (0.1, 0.08, 0.0625),
}
ENDS = {"pendulum": 2.0, "rolling_disk": 1.0, "quick_return": 5.0, "four_bar": 1.0}  # s
LADDERS = {"pendulum": 0.02, "rolling_disk": 0.02, "quick_return": 0.02, "four_bar": 0.01}  # s: the longest step, halved four times
LEVELS = 5
COMPARED = ("lagrange", "broyden", "broyden(search=full)", "broyden(multiplier=constant)")
COARSE = (0.02, 0.01)  # s
R6 = 6.0**0.5
# Brasey & Hairer 1993, SIAM J. Numer. Anal. 30, 538-552: HEM4, order 4 on index 2; the last row is that of the end
HEM4 = np.array(
    [
        [0, 0, 0, 0, 0],
        [3 / 10, 0, 0, 0, 0],
        [(1 + R6) / 30, (11 - 4 * R6) / 30, 0, 0, 0],
        [(-79 - 31 * R6) / 150, (-1 - 4 * R6) / 30, (24 + 11 * R6) / 25, 0, 0],
        [(14 + 5 * R6) / 6, (-8 + 7 * R6) / 6, (-9 - 7 * R6) / 4, (9 - R6) / 4, 0],
        [0, 0, (16 - R6) / 36, (16 + R6) / 36, 1 / 9],
    ]
)
RK4 = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]])


@cache
def assembled(name: str) -> Assembly:
    """A shipped model, or the paper's pendulum."""
    return mbsim.assemble(load(MODEL, registry, file="model.yaml") if name == "pendulum" else mbsim.load_model(MODELS / f"{name}.yaml"))


@cache
def reference(name: str, end: float, rows: int) -> Result:
    """So many rows of the tight run."""
    return mbsim.simulate(assembled(name), end=end, output_step=end / rows, **TIGHT)


class Measured(NamedTuple):
    """A run."""

    position: float
    velocity: float
    evaluations: int
    trials: int
    rejected: int
    why: str  # it stopped


def marched(name: str, end: float, method: str, integrator: str, step: float, rows: int) -> Result:
    """A run with steps of this size."""
    if integrator in CONTROLLED:
        size: dict[str, Any] = {"rtol": LOOSE, "atol": LOOSE, "first_step": step, "max_step": step}
    else:
        size = {"step": step}
    return mbsim.simulate(
        assembled(name), method=method, integrator=integrator, end=end, output_step=end / rows, drift_tolerance=1e-13, **size
    )


def measured(name: str, end: float, method: str, integrator: str, step: float) -> Measured:
    """The errors and counts of a run with steps of this size."""
    rows = 1 if integrator in CONTROLLED else ROWS  # rows inside a step would be interpolated, to a lower order
    try:
        found = marched(name, end, method, integrator, step, rows)
    except SimulationError as error:
        return Measured(np.nan, np.nan, 0, 0, 0, str(error).partition(":")[0])
    exact = reference(name, end, rows)
    counts = found.attributes["counts"]
    position, velocity = (float(np.abs(found[key] - exact[key]).max()) for key in ("q", "v"))
    return Measured(position, velocity, counts["evaluations"], counts["iterations"], counts["rejected"], "")


def slope(steps: Sequence[float], errors: Sequence[float]) -> float:
    """The fitted order."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def orders(shrink: float) -> None:
    """Errors and fitted orders, velocities as computed."""
    print("| model | integrator | multiplier | steps, s | error of q | order | error of v | order |\n|---|---|---|---|---|---|---|---|")
    for name in ("pendulum", "rolling_disk"):
        for integrator, steps in FORMULAS.items():
            for multiplier in ("constant", "stage"):
                method = f"broyden(multiplier={multiplier}, project_velocity=false, drift=none)"
                runs = [measured(name, ENDS[name] * shrink, method, integrator, h) for h in steps]
                cells = [name, f"`{integrator}`", f"`{multiplier}`", ", ".join(f"{h:g}" for h in steps)]
                for errors in ([run.position for run in runs], [run.velocity for run in runs]):
                    cells += [", ".join(f"{x:.1e}" for x in errors), f"{slope(steps, errors):.1f}"]
                print(f"| {' | '.join(cells)} |")


def barrier(shrink: float) -> None:
    """What a constant multiplier leaves, beside what the expansion of a step says: C v of the pendulum, q of the disk after a step."""
    print("\n| model | integrator | step, s | what | measured | predicted |\n|---|---|---|---|---|---|")
    for integrator, steps in (("rk4", (0.01, 0.005)), ("dop853", (0.02, 0.01))):
        for h in steps:
            for name, k in (("pendulum", round(ENDS["pendulum"] * shrink / 2 / h)), ("rolling_disk", 1)):
                system, exact = assembled(name).system, reference(name, (k + 2) * h, k + 2)
                found = marched(name, (k + 2) * h, "broyden(multiplier=constant, project_velocity=false, drift=none)", integrator, h, k + 2)
                lam_dot = np.gradient(exact["multiplier"], h, axis=0, edge_order=2)
                i = k if name == "pendulum" else 0
                M, _, C, _, _, _ = system.terms(exact.time[i], exact["q"][i], exact["v"][i])
                Y = np.linalg.solve(M, C.T)
                if name == "pendulum":  # the mean of two steps: what alternates is out of it
                    left = [found["v"][j] @ system.terms(exact.time[j], found["q"][j], found["v"][j])[2].T for j in (k - 1, k, k + 1)]
                    what, measured_ = "C v", float(np.dot((0.25, 0.5, 0.25), np.ravel(left)))
                    said = float((-h * h / 12 * C @ Y @ lam_dot[i])[0])
                else:
                    holonomic = np.arange(system.n_rows) < system.n_holonomic
                    late = np.linalg.solve(C @ Y, np.where(holonomic, -h / 6 * C @ Y @ lam_dot[i], 0.0))  # lam less that of the middle
                    said = float(np.linalg.norm(h * h * Y @ (late / 2 + h * lam_dot[i] / 12)))
                    what, measured_ = "length of the error of q", float(np.linalg.norm(found["q"][1] - exact["q"][1]))
                print(f"| {name} | `{integrator}` | {h:g} | {what} | {measured_:.4e} | {said:.4e} |")


def at_equal_error(found: Sequence[Measured], base: Sequence[Measured]) -> Floats:
    """Evaluations of `found` over those of `base`, at errors that both reach; empty where there are none."""
    a, b = ([(np.log(run.position), np.log(run.evaluations)) for run in runs if not run.why] for runs in (found, base))
    if len(a) < 2 or len(b) < 2:
        return np.zeros(0)
    (xa, ya), (xb, yb) = (np.array(sorted(points)).T for points in (a, b))
    x = np.linspace(max(xa[0], xb[0]), min(xa[-1], xb[-1]), 9)
    return np.exp(np.interp(x, xa, ya) - np.interp(x, xb, yb)) if x[0] < x[-1] else np.zeros(0)


def costs(shrink: float) -> dict[str, dict[str, list[Measured]]]:
    """Runs by model and method with rk4, and the table of their costs."""
    found: dict[str, dict[str, list[Measured]]] = {}
    print("\n| model | method | evaluations over those of `lagrange` at equal error: median, largest | trials a step |\n|---|---|---|---|")
    for name, longest in LADDERS.items():
        end = ENDS[name] * shrink
        steps = [longest / 2**i for i in range(LEVELS)]
        runs = found[name] = {method: [measured(name, end, method, "rk4", h) for h in steps] for method in COMPARED}
        for method in COMPARED[1:]:
            ratios = at_equal_error(runs[method], runs["lagrange"])
            cell = f"{np.median(ratios):.2f}, {ratios.max():.2f}" if len(ratios) else "no error in common"
            done = [run.trials / (end / h) for run, h in zip(runs[method], steps, strict=True) if not run.why]
            print(f"| {name} | `{method}` | {cell} | {min(done):.1f} to {max(done):.1f} |")
    return found


def coarse(shrink: float) -> None:
    """The steps at which a constant multiplier stops."""
    print("\n| model, to | step, s | method | error of q | evaluations | steps refused |\n|---|---|---|---|---|---|")
    for name in ("quick_return", "four_bar"):
        end = 5.0 * shrink
        for step in COARSE:
            for method in ("lagrange", "broyden", "broyden(multiplier=constant)"):
                run = measured(name, end, method, "rk4", step)
                told = run.why or f"{run.position:.1e} | {run.evaluations} | {run.rejected}"
                print(f"| {name}, {end:g} s | {step:g} | `{method}` | {told}{' | | ' * bool(run.why)} |")


def half_explicit(system: System, A: Floats, t: float, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
    """A step of a half-explicit Runge-Kutta method on index 2: every stage and the end are on C v + xi = 0 by the multipliers of the stage
    before. Coordinates without quaternions, so that q_dot = v. Hairer, Lubich & Roche 1989; Brasey & Hairer 1993.
    """
    s, c = A.shape[1], A.sum(axis=1)
    V = [v]
    rates: list[Floats] = []
    Q = q
    for i in range(1, s + 1):
        M, force, C, _, _, _ = system.terms(t + c[i - 1] * h, Q, V[-1])
        Q = q + h * sum(A[i, j] * V[j] for j in range(i))
        known = v + h * sum((A[i, j] * rates[j] for j in range(i - 1)), np.zeros_like(v))
        _, _, C_next, xi, _, _ = system.terms(t + c[i] * h if i < s else t + h, Q, known)
        free, Y = np.linalg.solve(M, force), np.linalg.solve(M, C.T)
        weight = h * A[i, i - 1]
        lam = np.linalg.solve(weight * C_next @ Y, -xi - C_next @ (known + weight * free))
        rates.append(free + Y @ lam)
        V.append(known + weight * rates[-1])
    return Q, V[-1]


def march_half_explicit(name: str, A: Floats, end: float, step: float) -> tuple[float, float]:
    """Errors of q and v at the end."""
    made = assembled(name)
    q, v = made.q.copy(), made.v.copy()
    for i in range(round(end / step)):
        q, v = half_explicit(made.system, A, i * step, q, v, step)
    exact = reference(name, end, 1)
    return float(np.abs(q - exact["q"][-1]).max()), float(np.abs(v - exact["v"][-1]).max())


def half_explicits(shrink: float) -> None:
    """Orders and evaluations beside those of a search."""
    print(
        "\n| model | method | evaluations a step | error of q at 0.01, 0.005, 0.0025 s | order | error of v | order |\n"
        "|---|---|---|---|---|---|---|"
    )
    steps = (0.01, 0.005, 0.0025)
    for name in ("pendulum", "rolling_disk"):
        end = ENDS[name] * shrink
        rows: list[tuple[str, float, Callable[[float], tuple[float, float]]]] = [
            ("half-explicit, rk4", 4, lambda h, n=name, e=end: march_half_explicit(n, RK4, e, h)),  # type: ignore[misc]
            ("half-explicit, HEM4", 5, lambda h, n=name, e=end: march_half_explicit(n, HEM4, e, h)),  # type: ignore[misc]
            ("`broyden`, rk4", 4, lambda h, n=name, e=end: measured(n, e, "broyden(project_velocity=false, drift=none)", "rk4", h)[:2]),  # type: ignore[misc]
        ]
        for label, evaluations, run in rows:
            q, v = zip(*(run(h) for h in steps), strict=True)
            cells = [", ".join(f"{x:.1e}" for x in q), f"{slope(steps, q):.1f}", ", ".join(f"{x:.1e}" for x in v), f"{slope(steps, v):.1f}"]
            print(f"| {name} | {label} | {evaluations:g} | {' | '.join(cells)} |")


def draw(runs: dict[str, dict[str, list[Measured]]], path: Any) -> None:
    """Error of q over evaluations, a panel for each model."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.0, 5.6), layout="constrained")
        for axes, (name, by_method) in zip(figure.subplots(2, 2).flat, runs.items(), strict=True):
            for colour, marker, (method, found) in zip(COLOURS, "osv^", by_method.items(), strict=False):
                done = [run for run in found if not run.why]
                axes.loglog([r.evaluations for r in done], [r.position for r in done], marker=marker, ms=3.5, color=colour, label=method)
            axes.margins(x=0.05)
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_title(name.replace("_", " "))
            axes.set_xlabel("evaluations")
            axes.set_ylabel("largest error of a coordinate (m, rad)")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(COMPARED))
        figure.savefig(path, dpi=130)


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    shrink = 0.1 if given.quick else 1.0
    orders(shrink)
    barrier(shrink)
    runs = costs(shrink)
    coarse(shrink)
    half_explicits(shrink)
    with output_folder(given) as folder:
        draw(runs, folder / "images" / "root_finding.png")


if __name__ == "__main__":
    main()
