"""Cost of trees with loops against their size, written to docs/benchmarks-loops.md.

* a planar chain of N links that is tied to the ground at one place or at four: two or eight rows, however long the chain is;
* a chain of N four-bar cells, each on the coupler of the one before: 3 N speeds and 2 N rows;
* a hexapod (a platform on six legs of adjustable length), held by springs in the legs and driven along them.

    python scripts/benchmark_loops.py
    python scripts/benchmark_loops.py --quick    # short chains once, in seconds

All are in joint coordinates. The methods march the same steps of rk4 in compiled code, drift correction included; their turns alternate, so
that a machine that changes its pace does it to all. A time is the median march divided by the steps; a ratio is the median of those of the
turns.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml
from command_line import command, output_folder, parser, versions
from measuring import origin, table

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.model.load import load

METHODS = ("aba", "kane", "svd", "lagrange")
STEP = 1e-4  # s: short, so that all stay near where they start


@dataclass(frozen=True)
class Size:
    """How much of it is done."""

    turns: int  # that count; one before them does not
    steps: int  # of a march, of the smallest of a kind
    links: tuple[int, ...]
    cells: tuple[int, ...]
    dense: int  # speeds up to which the dense methods march


FULL = Size(5, 400, (10, 30, 100, 200, 400), (1, 2, 4, 8, 16, 32), 100)
QUICK = Size(1, 4, (8, 12), (1, 2), 200)


def model(source: dict[str, Any], coordinates: str = "joint") -> Assembly:
    """A model from what its file would say, assembled; in absolute coordinates no joint is cut."""
    if coordinates == "absolute":
        source["joints"] = {name: {key: x for key, x in joint.items() if key != "cut"} for name, joint in source["joints"].items()}
    rest = {"coordinates": coordinates, "simulation": {"end": 1.0, "step": STEP, "integrator": "rk4"}}
    return mbsim.assemble(load(yaml.safe_dump(source | rest), registry, file="model.yaml"))


def rod(first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """A slender planar rod of 1 kg between two points."""
    along = second - first
    place = {"position": [float(x) for x in 0.5 * (first + second)], "angle": float(np.arctan2(along[1], along[0]))}
    return {"mass": 1.0, "inertia": float(along @ along / 12.0), **place}


def pin(first: str, second: str, at: np.ndarray) -> dict[str, Any]:
    return {"type": "revolute", "bodies": [first, second], "at": [float(x) for x in at]}


def tied_chain(links: int, ties: int) -> Assembly:
    """A zigzag of links of 1 m that hangs from the ground at its beginning and at `ties` more places, the last of them its end."""
    points = [np.array([0.7 * k, -0.7 * (k % 2)]) for k in range(links + 1)]
    bodies = {f"b{k}": rod(points[k], points[k + 1]) for k in range(links)}
    joints = {f"j{k}": pin("ground" if k == 0 else f"b{k - 1}", f"b{k}", points[k]) for k in range(links)}
    for k in range(ties):
        end = links * (k + 1) // ties
        joints[f"tie{k}"] = pin("ground", f"b{end - 1}", points[end]) | {"cut": True}
    return model({"dimension": 2, "gravity": [0.0, -9.81], "bodies": bodies, "joints": joints})


def cells(count: int, coordinates: str = "joint") -> Assembly:
    """A chain of four-bars, each on the coupler of the one before; their rows are at the ends of the rockers."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    A, turn, base = np.zeros(2), 0.0, "ground"
    for k in range(count):
        c, s = np.cos(turn), np.sin(turn)
        R = np.array([[c, -s], [s, c]])
        B, C, D = (A + R @ np.array(p) for p in ([0.2, 0.8], [0.2 + np.cos(0.1), 0.8 + np.sin(0.1)], [1.0, 0.0]))
        bodies |= {f"crank{k}": rod(A, B), f"coupler{k}": rod(B, C), f"rocker{k}": rod(D, C)}
        joints |= {f"A{k}": pin(base, f"crank{k}", A), f"B{k}": pin(f"crank{k}", f"coupler{k}", B)}
        joints |= {f"D{k}": pin(base, f"rocker{k}", D), f"C{k}": pin(f"rocker{k}", f"coupler{k}", C) | {"cut": True}}
        A, turn, base = B, turn + 0.1, f"coupler{k}"
    return model({"dimension": 2, "gravity": [0.0, 9.81], "bodies": bodies, "joints": joints}, coordinates)


def hexapod(driven: bool, coordinates: str = "joint") -> Assembly:
    """A platform on six legs: a universal joint on the ground, a slide, a ball under the platform."""
    bodies: dict[str, Any] = {"platform": {"mass": 10.0, "inertia": [0.9, 0.9, 1.8], "position": [0.0, 0.0, 1.2]}}
    joints: dict[str, Any] = {}
    drivers, forces = dict[str, Any](), dict[str, Any]()
    for k in range(6):
        corner, side = 2.0 * np.pi / 3.0 * (k // 2), 1 if k % 2 else -1
        foot, head = corner + side * np.deg2rad(12.0), corner + side * np.deg2rad(48.0)
        low, high = np.array([np.cos(foot), np.sin(foot), 0.0]), np.array([0.6 * np.cos(head), 0.6 * np.sin(head), 1.2])
        along = (high - low) / np.linalg.norm(high - low)
        first = np.cross(along, [-np.sin(foot), np.cos(foot), 0.0])
        first /= np.linalg.norm(first)
        second = np.cross(along, first)
        for name, place in (("lower", 0.25), ("upper", 0.75)):
            turned = {"x_axis": [float(x) for x in along], "y_axis": [float(x) for x in first]}
            at = [float(x) for x in low + place * (high - low)]
            bodies[f"{name}{k}"] = {"mass": 1.0, "inertia": [0.002, 0.03, 0.03], "position": at, "orientation": turned}
        low_at, high_at, axis = ([float(x) for x in y] for y in (low, high, along))
        axes = [[float(x) for x in first], [float(x) for x in second]]
        joints[f"foot{k}"] = {"type": "universal", "bodies": ["ground", f"lower{k}"], "at": low_at, "axes": axes}
        joints[f"slide{k}"] = {"type": "prismatic", "bodies": [f"lower{k}", f"upper{k}"], "at": low_at, "axis": axis}
        joints[f"head{k}"] = {"type": "spherical", "bodies": [f"upper{k}", "platform"], "at": high_at}
        if driven:
            drivers[f"leg{k}"] = {"joint": f"slide{k}", "displacement": f"0.05*(1 - cos(6*t))*cos({k})"}
        else:
            spring = {"stiffness": 2e4, "damping": 100.0, "free_length": float(np.linalg.norm(high - low))}
            forces[f"leg{k}"] = {"type": "spring_damper", "bodies": ["ground", "platform"], "at": [low_at, high_at], **spring}
    made = {"gravity": [0.0, 0.0, -9.81], "bodies": bodies, "joints": joints, "drivers": drivers, "forces": forces}
    return model(made, coordinates)


def march(made: Assembly, method: str, steps: int) -> float:
    """Seconds per step."""
    result = mbsim.simulate(made, method=method, end=STEP * steps, output_step=STEP * steps)
    return float(result.attributes["march_time"]) / steps


def measured(made: Assembly, methods: Sequence[str], size: Size) -> dict[str, list[float]]:
    """Seconds per step by method, turn by turn; fewer steps where a march of the slowest method would last longer than 0.2 s."""
    slowest = max(march(made, method, 4) for method in methods)
    steps = int(min(size.steps, max(4.0, 0.2 / slowest)))
    turns = [{method: march(made, method, steps) for method in methods} for _ in range(size.turns + 1)]
    return {method: [turn[method] for turn in turns[-size.turns :]] for method in methods}


def line(name: str, made: Assembly, size: Size) -> list[str]:
    """A row of a table: microseconds of a step by method, and what the dense methods take of it as multiples of aba."""
    system = made.system
    methods = METHODS if system.n_v <= size.dense else METHODS[:1]
    times = measured(made, methods, size)
    shown = [f"{1e6 * statistics.median(times[method]):.3g}" if method in times else "" for method in METHODS]
    ratios = [
        f"{statistics.median(x / y for x, y in zip(times[method], times['aba'], strict=True)):.2f}" if method in times else ""
        for method in ("svd", "lagrange")
    ]
    found = [name, f"{system.n_v}", f"{system.n_rows}", *shown, *ratios]
    print(", ".join(found), flush=True)
    return found


def measured_table(kind: str, made: Sequence[tuple[str, Callable[[], Assembly]]], size: Size) -> str:
    heads = (kind, "speeds", "rows", *(f"`{method}`" for method in METHODS), "`svd` / `aba`", "`lagrange` / `aba`")
    return table(heads, [line(name, build(), size) for name, build in made])


def document(size: Size) -> str:
    def chains(ties: int) -> list[tuple[str, Callable[[], Assembly]]]:
        return [(f"{n}", lambda n=n: tied_chain(n, ties)) for n in size.links]  # type: ignore[misc]

    four_bars: list[tuple[str, Callable[[], Assembly]]] = [(f"{n}", lambda n=n: cells(n)) for n in size.cells]  # type: ignore[misc]
    hexapods = [("springs in the legs", lambda: hexapod(False)), ("legs driven", lambda: hexapod(True))]
    return f"""# Trees with loops

{origin(command(__file__), versions("numba", "numpy"))}

Microseconds per step of rk4 with drift correction, in joint coordinates; medians of {size.turns} turns in which the methods alternate. The
dense methods march up to {size.dense} speeds. Ratios carry over to other machines, times do not.

## A chain that is tied at one place

{measured_table("links", chains(1), size)}

## A chain that is tied at four places

{measured_table("links", chains(4), size)}

## A chain of four-bar cells

Each cell is on the coupler of the one before. The number of rows grows with the chain.

{measured_table("cells", four_bars, size)}

## A hexapod

{measured_table("hexapod", hexapods, size)}
"""


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    with output_folder(given) as folder:
        text = document(QUICK if given.quick else FULL)
        (folder / "benchmarks-loops.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
