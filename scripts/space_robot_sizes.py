"""The space robot with arms of any number of links, and what its algorithms cost: for space_robot_figures.py.

With four links an arm it is the shipped model. Other arms have as much mass and length, with equal links and hinges about z, y, y and x in
turn, and torques by which every joint turns by some tenths of a radian. Times are processor times of the march, of turns in which the
algorithms alternate. Multiplications are those of solving A F_S = X_dot, counted while `errata_trees.py` solves it.
"""

from collections.abc import Sequence
from functools import cache
from math import pi
from statistics import median
from typing import Any

import numpy as np
import yaml
from command_line import MODELS
from errata_trees import Multiplier, costs, leaf_to_root, odd_even

import mbsim
from mbsim.assembly import Assembly

SHIPPED = 4  # links an arm of models/space_robot.yaml
SIZES, QUICK_SIZES = (2, 4, 7, 10, 14), (4, 7)  # links an arm
ALGORITHMS = {
    "recursive (`aba`)": "aba",
    "Kane's equations, coupled (`kane(mass_matrix=dense)`)": "kane(mass_matrix=dense)",
    "Kane's equations, factored along the branches (`kane`)": "kane",
    "constraint forces, general form (`cfa(elimination=dense)`)": "cfa(elimination=dense)",
    "constraint forces, serial form (`cfa(elimination=odd_even)`)": "cfa(elimination=odd_even)",
    "constraint forces, leaves to base (`cfa`)": "cfa",
}
PAPER = (
    "aba",
    "cfa(elimination=odd_even)",
    "cfa(elimination=dense)",
    "kane(mass_matrix=dense)",
)  # quickest first
MASS, LENGTH, RADIUS = 30.0, 2.3, 0.06  # of an arm: kg, m; m of a link
AXES = ([0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0])
CHAINS, BINARY = (8, 32, 128), (7, 15, 31, 63)  # bodies, as in errata.py
Table = list[tuple[str, ...]]


@cache
def robot(links: int) -> Assembly:
    """With so many links an arm."""
    path = MODELS / "space_robot.yaml"
    if links == SHIPPED:
        return mbsim.assemble(mbsim.load_model(path))
    source: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    face, length, mass, w, end = 0.8 * 3**0.5 / 2, LENGTH / links, MASS / links, 2 * pi / 10, 10.0
    source["bodies"] = {"hub": source["bodies"]["hub"]}
    source["joints"], source["forces"] = {"base": source["joints"]["base"]}, {}
    across = mass * (RADIUS**2 / 4 + length**2 / 12)
    for arm, side in ((1, 1.0), (2, -1.0)):
        for k in range(links):
            name, inner = f"L{arm}_{k + 1}", f"L{arm}_{k}" if k else "hub"
            start, outer = face + k * length, (links - k) * length
            axis = AXES[k % len(AXES)]
            turned = 0.5 * mass * (links - k) * RADIUS**2 if axis[0] else mass * (links - k) * outer**2 / 3
            source["bodies"][name] = {
                "mass": mass, "inertia": [mass * RADIUS**2 / 2, across, across], "position": [side * (start + length / 2), 0.0, 0.0]
            }  # fmt: skip
            source["joints"][f"J{arm}_{k + 1}"] = {
                "type": "revolute", "bodies": [inner, name], "at": [side * start, 0.0, 0.0], "axis": axis
            }  # fmt: skip
            amplitude = side * 0.3 * w * turned / end / (1 + k)
            source["forces"][f"u{arm}_{k + 1}"] = {
                "type": "joint_torque", "joint": f"J{arm}_{k + 1}", "value": f"{amplitude:.9g}*sin({w:.9g}*t)"
            }  # fmt: skip
    return mbsim.assemble(mbsim.load_model(source))


def times(links: int, end: float, turns: int) -> dict[str, list[float]]:
    """Seconds of the processor for the march, by method; the first turn is not counted."""
    found: dict[str, list[float]] = {method: [] for method in ALGORITHMS.values()}
    for _ in range(turns + 1):
        for method, row in found.items():
            made = mbsim.simulate(robot(links), method=method, end=end, step=0.002, integrator="rk4", output_step=end)
            row.append(float(made.attributes["march_cpu_time"]))
    return {method: row[1:] for method, row in found.items()}


@cache
def multiplications(links: int) -> tuple[int, int, int]:
    """Of solving for F_S: the whole of A by Cholesky, odd-even, from the leaves to the base."""
    made = robot(links)
    n, m = made.system.n_q, made.system.n_v
    q = made.q + 0.1 * np.cos(np.arange(n)) * (np.arange(n) > 6)  # the joints bent, the hub where it is
    e = mbsim.constraint_force_equations(made.system, 0.0, q, 0.1 * np.sin(np.arange(m)))
    whole, rounds, leaves = Multiplier(), Multiplier(), Multiplier()
    for found in (whole.solve(e.A, e.X_dot), odd_even(e, False, rounds), leaf_to_root(e, leaves)[0]):
        assert np.allclose(found, e.F_S, rtol=0, atol=1e-6 * np.abs(e.F_S).max())
    return whole.count, rounds.count, leaves.count


def time_table(found: dict[int, dict[str, list[float]]], end: float) -> Table:
    """Milliseconds of `end` s of motion: median, smallest to largest."""
    rows = []
    for words, method in ALGORITHMS.items():
        cells = [f"{1e3 * median(row):.1f} ({1e3 * min(row):.1f} to {1e3 * max(row):.1f})" for row in (found[n][method] for n in found)]
        rows.append((words, *cells))
    return [(f"processor time of {end:g} s, ms", *(f"{n} links an arm" for n in found)), *rows]


def order(measured: dict[str, list[float]], methods: Sequence[str]) -> list[str]:
    """The quickest first, by the smallest time."""
    return sorted(methods, key=lambda method: min(measured[method]))


def orders(found: dict[int, dict[str, list[float]]]) -> list[str]:
    """Which orders hold, a sentence each."""
    lines = [f"- {n} links an arm:\n  " + " < ".join(f"`{method}`" for method in order(found[n], list(ALGORITHMS.values()))) for n in found]
    for quick, slow, words in (
        ("aba", PAPER[1], "The recursive method beats the serial form"),
        (PAPER[1], PAPER[2], "The serial form beats the general form"),
        (PAPER[2], PAPER[3], "The general form beats Kane's coupled equations"),
        ("cfa", PAPER[1], "Leaves to base beats the serial form"),
        ("cfa", PAPER[3], "Leaves to base beats Kane's coupled equations"),
        ("aba", "kane", "The recursive method beats Kane's equations factored along the branches"),
    ):
        holds = [n for n in found if min(found[n][quick]) < min(found[n][slow])]
        since = next((n for n in found if all(m in holds for m in found if m >= n)), None)
        where = "at no size measured" if not holds else "at every size measured" if len(holds) == len(found) else (
            f"from {since} links an arm on" if since is not None else f"with {', '.join(map(str, holds))} links an arm only"
        )  # fmt: skip
        lines.append(f"- {words}: {where}.")
    return lines


def count_table(sizes: Sequence[int]) -> Table:
    """Multiplications for F_S of robots."""
    rows = [(f"{n} links an arm", f"{10 * n}", *(f"{count:,}" for count in multiplications(n))) for n in sizes]
    return [("robot", "constraint forces", "general form", "serial form, odd-even", "leaves to base"), *rows]


def shape_table(quick: bool) -> Table:
    """Multiplications a joint of chains and of binary trees, which are those of errata.md."""
    rows = []
    for shape, sizes in (("chain", CHAINS), ("binary tree", BINARY)):
        for n in sizes[:2] if quick else sizes:
            odd, leaves, _ = costs("chain" if shape == "chain" else "binary", n)
            rows.append((f"{shape} of {n}", f"{odd:.0f}", f"{leaves:.0f}", f"{odd / leaves:.1f}"))
    return [("tree", "serial form, odd-even", "leaves to base", "ratio"), *rows]
