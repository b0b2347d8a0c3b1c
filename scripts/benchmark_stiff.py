"""Speed of implicit steps of a stiff mechanism against Exudyn, measured as ratios within one run, and written to docs/benchmarks-stiff.md.

A clamped beam as N planar rods, in absolute or in joint coordinates, with rotational springs N EI and dampers falls from straight for 1 s:
length 1 m, mass 1 kg, EI 1 N m2, damping a thousandth of the stiffness. Both codes take the same generalized-alpha (spectral radius 0.9,
index 3) with the same step, so in absolute coordinates their errors are equal; the positions of the tip are compared. Exudyn runs with
modified Newton and the fastest of its linear solvers for this N. Only its `SolveDynamic` is timed, and the march of mbsim.

    python scripts/benchmark_stiff.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_stiff.py --quick    # a small beam, in seconds; without Exudyn mbsim alone
"""

import statistics
from typing import Any, NamedTuple

import numpy as np
from command_line import EXUDYN, command, installed, output_folder, parser, versions
from exudyn_peer import BodyData, JointData, Mechanism, Peer, TurnSpringData
from measuring import origin, table

STEP, END, RADIUS = 0.01, 1.0, 0.9  # s, s
GRAVITY, DAMPING = 9.81, 1e-3
METHOD = f"generalized_alpha(index=3, spectral_radius={RADIUS})"


class Size(NamedTuple):
    """How much of it is done."""

    rods: tuple[int, ...]
    repeats: int


FULL, QUICK = Size((10, 50, 200, 1000), 7), Size((4,), 1)
DENSE = 50  # rods up to which joint coordinates, whose matrices are dense, are measured
MANY = 100  # rods from which only the sparse solver of the peer is tried
TARGET = 15.0  # times Exudyn's speed


def beam(rods: int, coordinates: str = "absolute") -> str:
    """The model file of a beam of so many rods, in absolute or in joint coordinates."""
    length = 1.0 / rods
    lines = ["name: clamped beam of rods", "dimension: 2", f"coordinates: {coordinates}", f"gravity: [0, -{GRAVITY}]", "bodies:"]
    lines += [f"  r{i}: {{mass: {length!r}, inertia: {length**3 / 12!r}, position: [{(i + 0.5) * length!r}, 0]}}" for i in range(rods)]
    pairs = [("ground" if i == 0 else f"r{i - 1}", f"r{i}") for i in range(rods)]
    lines += ["joints:", *(f"  j{i}: {{type: revolute, bodies: [{a}, {b}], at: [{i * length!r}, 0]}}" for i, (a, b) in enumerate(pairs))]
    spring = f"type: rotational_spring_damper, stiffness: {rods}, damping: {DAMPING * rods!r}"
    lines += ["forces:", *(f"  k{i}: {{{spring}, bodies: [{a}, {b}]}}" for i, (a, b) in enumerate(pairs))]
    return "\n".join([*lines, f"simulation: {{end: {END}, step: {STEP}}}"])


def peer_of(rods: int) -> Any:
    """The same beam in Exudyn."""
    length = 1.0 / rods
    inertia = np.array([[length**3 / 12]])
    bodies = [BodyData(length, inertia, np.array([(i + 0.5) * length, 0.0, 0.0]), np.zeros(3)) for i in range(rods)]
    half = np.array([0.5 * length, 0.0])
    joints = [JointData("revolute", (i - 1, i), np.array([half if i else np.zeros(2), -half]), np.zeros((0, 3))) for i in range(rods)]
    springs = [TurnSpringData((i - 1, i), float(rods), DAMPING * rods) for i in range(rods)]
    made = Peer(Mechanism(2, np.array([0.0, -GRAVITY]), bodies, joints, [], springs))
    made.radius = RADIUS
    return made


def assembled(rods: int, coordinates: str = "absolute") -> Any:
    import mbsim
    from mbsim import registry
    from mbsim.model.load import load

    return mbsim.assemble(load(beam(rods, coordinates), registry, file="beam.yaml"))


def tip(result: Any, rods: int) -> np.ndarray:
    """The centre of the last rod at the end of a run, in m."""
    q = result["q"][-1]
    if len(q) == 3 * rods:
        return np.asarray(q[-3:-1])
    angles = np.cumsum(q)
    arms = np.array([np.cos(angles), np.sin(angles)]) / rods
    return np.asarray(arms.sum(axis=1) - 0.5 * arms[:, -1])


def main() -> None:
    import mbsim

    given = parser(__doc__, writes=True).parse_args()
    size, steps = QUICK if given.quick else FULL, round(END / STEP)
    exudyn = installed(EXUDYN, given.quick)
    rows = []
    cases = [(rods, word) for word in ("absolute", "joint") for rods in size.rods if word == "absolute" or rods <= DENSE]
    for rods, word in cases:
        made = assembled(rods, word)

        def march(made: Any = made) -> Any:
            return mbsim.simulate(made, method=METHOD, output_step=END)

        result = march()
        counts = result.attributes["counts"]
        row = [f"{rods}", word, "", "", "", f"{counts['iterations'] / steps:.2f}", f"{counts['factorisations'] / steps:.2f}", ""]
        ours, theirs = [], []
        peer = peer_of(rods) if exudyn else None
        if peer is not None:
            if rods < MANY:
                peer.choose_solver(steps, END)
            else:  # dense ones take minutes
                peer.solver = peer.exudyn.LinearSolverType.EigenSparse
            apart = np.abs(peer.coordinates(steps, END)[-3:-1] - tip(result, rods)).max()
            row[7] = f"{apart:.1e}"
        for _ in range(size.repeats):
            ours.append(float(march().attributes["march_time"]) / steps)
            if peer is not None:
                theirs.append(peer.run(steps, END) / steps)
        row[2] = f"{1e6 * statistics.median(ours):.3g}"
        if peer is not None:
            row[3] = f"{1e6 * statistics.median(theirs):.4g} ({peer.solver.name})"
            row[4] = f"{statistics.median(theirs) / statistics.median(ours):.1f}"
        rows.append(row)
        print(" | ".join(row), flush=True)
    heads = (
        "rods",
        "coordinates",
        "mbsim, us a step",
        "Exudyn, us a step",
        "ratio",
        "iterations a step",
        "factorisations a step",
        "tips apart, m",
    )
    text = [
        "# Speed of implicit steps", "", origin(command(__file__), versions("numba", "numpy", "exudyn")), "",
        "Ratios carry over to other machines, times do not. " + " ".join((__doc__ or "").split("\n\n")[1].split()), "",
        table(heads, rows), "", f"The target is a ratio of {TARGET:g}.",
    ]  # fmt: skip
    with output_folder(given) as folder:
        (folder / "benchmarks-stiff.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
