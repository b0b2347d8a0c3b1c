"""Speed of implicit steps of stiff mechanisms against Exudyn and MuJoCo, as ratios within one run, written to docs/benchmarks-stiff.md.

* A clamped beam as N planar rods, in absolute or in joint coordinates, with rotational springs N EI and dampers falls from straight for
  1 s: length 1 m, mass 1 kg, EI 1 N m2, damping a thousandth of the stiffness. Both codes take the same generalized-alpha (spectral radius
  0.9, index 3) with the same step, so in absolute coordinates their errors are equal; the positions of the tip are compared.
* The flyball governor A05 of IFToMM's library, both codes with the fewest steps that keep the error of the slider within 1e-4 m.
* An arm of 30 hinges in space whose controllers (gains 1e4 N m/rad and 100 N m s/rad) turn every hinge by 0.1 rad, against MuJoCo with
  its integrator `implicit`, both with the longest step that keeps the error of every angle within 1e-4 rad.
* Planar chains in joint coordinates whose loops are kept by rows, with springs of 1e4 N m/rad and dampers of 10 N m s/rad in all joints: a
  zigzag of links that four pins tie to the ground, and four-bars of which each is on the coupler of the one before. The dense way is what
  `generalized_alpha` does with few bodies: its matrix is found by differences of the residual.
* The same beam by `bdf`, `radau` and `ida` with their usual tolerances, and the zigzag by the method `aba`: linear systems by blocks of
  bodies against dense matrices, which take minutes in absolute coordinates where there are many rods.
* A front axle of double wishbones with bushings, struts and tyre springs over a bump, at h = 1e-3 s: iterations a step.

    python scripts/benchmark_stiff.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_stiff.py --quick    # small mechanisms, in seconds; without the peers mbsim alone

Exudyn runs with modified Newton and the fastest of its linear solvers. Only its `SolveDynamic` is timed, the steps of MuJoCo, and the march
of mbsim. Times are processor time, alternating, medians.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from command_line import EXUDYN, MODELS, MUJOCO, command, installed, output_folder, parser, versions
from measuring import origin, table, wrapped
from stiff_cases import beam, beam_of_peer, four_bar_cells, held_arm, tied_chain, wishbones

STEP, END, RADIUS = 0.01, 1.0, 0.9  # s, s
METHOD = f"generalized_alpha(index=3, spectral_radius={RADIUS})"
GAIN, RATE_GAIN, TURN, ARM_END = 1e4, 100.0, 0.1, 0.2  # N m/rad, N m s/rad, rad, s
ARM_ERROR, GOVERNOR_ERROR = 1e-4, 1e-4  # rad, m
AXLE_STEP = 1e-3  # s


class Size(NamedTuple):
    """How much of it is done."""

    rods: tuple[int, ...]
    repeats: int
    joints: int
    axle_end: float  # s
    chains: tuple[int, ...]  # links
    cells: tuple[int, ...]
    flows: tuple[int, ...]  # rods
    flow_chain: int  # links
    governor: bool  # the search for steps of equal error takes a minute


FULL = Size((10, 50, 200, 1000), 7, 30, 1.0, (12, 48, 200, 800), (4, 16, 64), (50, 200), 200, True)
QUICK = Size((4,), 1, 3, 0.02, (8,), (3,), (4,), 8, False)
FLOW_END, FLOW_CHAIN_END = 0.2, 0.02  # s
DENSE = 250  # speeds up to which dense matrices are compared
LOOP_STEP, LOOP_STEPS, FIRST_STEPS, TIES = 2e-3, 50, 10, 4  # s
MANY = 100  # rods from which only the sparse solver of the peer is tried
FEW = 50  # rods up to which steps without tangents, whose matrices are dense, are counted


def assembled(text: str) -> Any:
    import mbsim
    from mbsim import registry
    from mbsim.model.load import load

    return mbsim.assemble(load(text, registry, file="stiff.yaml"))


def marched(made: Any, **words: Any) -> Any:
    """The result of a run of which only the end is recorded."""
    import mbsim

    return mbsim.simulate(made, output_step=words.get("end", made.simulation.end), **words)


def without_tangents(run: Callable[[], Any]) -> Any:
    """What `run` returns where `generalized_alpha` takes its dense kernels, which find the tangent by differences."""
    from mbsim import registry

    declared = registry.declaration

    def plain(kind: str, word: str, name: str, *default: Any) -> Any:
        return None if name == "KERNELS" else declared(kind, word, name, *default)

    with patch.object(registry, "declaration", plain):
        return run()


def a_step(result: Any, what: str) -> str:
    """A count of a run, a step."""
    counts = result.attributes["counts"]
    return f"{counts[what] / counts['steps']:.2f}"


def paired(ours: Callable[[], float], theirs: Callable[[], float] | None, repeats: int) -> tuple[float, float | None, str]:
    """Medians of both (s), taken alternately, and their ratio."""
    first, second = [], []
    for _ in range(repeats):
        first.append(ours())
        if theirs is not None:
            second.append(theirs())
    if not second:
        return statistics.median(first), None, ""
    a, b = statistics.median(first), statistics.median(second)
    return a, b, f"{b / a:.1f}"


def tip(result: Any, rods: int) -> np.ndarray:
    """The centre of the last rod at the end of a run, in m."""
    q = result["q"][-1]
    if len(q) == 3 * rods:
        return np.asarray(q[-3:-1])
    angles = np.cumsum(q)
    arms = np.array([np.cos(angles), np.sin(angles)]) / rods
    return np.asarray(arms.sum(axis=1) - 0.5 * arms[:, -1])


def beams(size: Size, exudyn: bool) -> list[str]:
    """The beam in all sizes and both kinds of coordinates."""
    steps, rows = round(END / STEP), []
    for word in ("absolute", "joint"):
        for rods in size.rods:
            made = assembled(beam(rods, word, END, STEP))
            result = marched(made, method=METHOD)
            plain = without_tangents(lambda made=made: marched(made, method=METHOD, end=10 * STEP)) if rods <= FEW else None  # type: ignore[misc]
            peer, apart = (beam_of_peer(rods, RADIUS) if exudyn else None), ""
            if peer is not None:
                if rods < MANY:
                    peer.choose_solver(steps, END)
                else:  # dense ones take minutes
                    peer.solver = peer.exudyn.LinearSolverType.EigenSparse
                apart = f"{np.abs(peer.coordinates(steps, END)[-3:-1] - tip(result, rods)).max():.1e}"
            ours, theirs, ratio = paired(
                lambda made=made: float(marched(made, method=METHOD).attributes["march_time"]) / steps,  # type: ignore[misc]
                None if peer is None else lambda peer=peer: peer.run(steps, END) / steps,  # type: ignore[misc]
                size.repeats,
            )
            other = "" if peer is None or theirs is None else f"{1e6 * theirs:.4g} ({peer.solver.name})"
            row = [f"{rods}", word, f"{1e6 * ours:.3g}", other, ratio]
            row += [
                a_step(result, "iterations"),
                a_step(result, "evaluations"),
                "" if plain is None else a_step(plain, "evaluations"),
                apart,
            ]
            rows.append(row)
            print(" | ".join(row), flush=True)
    heads = (
        "rods", "coordinates", "mbsim, us a step", "Exudyn, us a step", "ratio", "iterations a step", "evaluations a step",
        "the same without tangents, first 10 steps", "tips apart, m",
    )  # fmt: skip
    return ["## A clamped beam", "", table(heads, rows), "", "The target is a ratio of 15 in absolute coordinates."]


def loops(size: Size) -> list[str]:
    """Chains with loops in joint coordinates, against the dense way."""
    end, rows = LOOP_STEPS * LOOP_STEP, []
    cases = [("zigzag", n, tied_chain(n, TIES, end, LOOP_STEP)) for n in size.chains]
    cases += [("four-bars", n, four_bar_cells(n, end, LOOP_STEP)) for n in size.cells]
    for name, count, text in cases:
        made = assembled(text)
        result, bodies = marched(made, method=METHOD), len(made.system.bodies)
        took = statistics.median(float(marched(made, method=METHOD).attributes["march_time"]) for _ in range(size.repeats))
        dense = without_tangents(lambda made=made: marched(made, method=METHOD, end=FIRST_STEPS * LOOP_STEP)) if bodies <= FEW else None  # type: ignore[misc]
        row = [name, f"{count}", f"{made.system.n_v}", f"{made.system.n_rows}", f"{1e6 * took / LOOP_STEPS:.3g}"]
        row += [f"{1e6 * took / LOOP_STEPS / bodies:.3g}", a_step(result, "iterations"), a_step(result, "evaluations")]
        row += (
            [""] * 2
            if dense is None
            else [a_step(dense, "evaluations"), f"{1e6 * float(dense.attributes['march_time']) / FIRST_STEPS:.3g}"]
        )
        rows.append(row)
        print(" | ".join(row), flush=True)
    heads = (
        "chain", "links or four-bars", "speeds", "rows", "us a step", "us a step and body", "iterations a step", "evaluations a step",
        "evaluations a step, dense, first 10 steps", "us a step, dense",
    )  # fmt: skip
    return ["## Chains with loops in joint coordinates", "", table(heads, rows)]


def flows(size: Size) -> list[str]:
    """`bdf`, `radau` and `ida` by blocks of bodies and by dense matrices."""
    from mbsim.march import kernels

    falls: dict[str, Any] = {"end": FLOW_END}
    cases = [(f"beam, {word}", rods, beam(rods, word, FLOW_END, STEP), falls) for word in ("absolute", "joint") for rods in size.flows]
    links = size.flow_chain
    chain = tied_chain(links, TIES, FLOW_CHAIN_END, LOOP_STEP)
    cases.append(("zigzag", links, chain, {"end": FLOW_CHAIN_END, "method": "aba"}))
    rows = []
    for name, count, text, words in cases:
        made = assembled(text)
        ways = ("auto", "differences") if made.system.n_v <= DENSE else ("auto",)
        for integrator in ("bdf", "radau", "ida") if find_spec("sksundae") else ("bdf", "radau"):
            with patch.object(kernels, "FLOW_BLOCKS_FROM", 1):
                runs = [partial(marched, made, integrator=integrator, jacobian=way, **words) for way in ways]
                found = [run() for run in runs]
                times = [[float(run().attributes["march_time"]) for run in runs] for _ in range(min(3, size.repeats))]
            blocks, *dense = (statistics.median(column) for column in zip(*times, strict=True))
            steps = [f"{run.attributes['counts']['steps']}" for run in found] + [""] * (2 - len(ways))
            row = [name, f"{count}", integrator, *steps, f"{1e3 * blocks:.3g}"]
            apart = [f"{np.abs(found[0]['q'][-1] - run['q'][-1]).max():.1e}" for run in found[1:]]
            rows.append([*row, *([f"{1e3 * dense[0]:.3g}", f"{dense[0] / blocks:.2f}", *apart] if dense else [""] * 3)])
            print(" | ".join(rows[-1]), flush=True)
    heads = (
        "mechanism", "rods or links", "integrator", "steps, blocks", "steps, dense", "blocks, ms", "dense, ms", "ratio",
        "coordinates apart, m or rad",
    )  # fmt: skip
    last = f"Blocks are taken from {kernels.FLOW_BLOCKS_FROM} speeds on, and dense matrices below."
    return ["## Integrators of libraries", "", table(heads, rows), "", last]


def governor(size: Size, exudyn: bool) -> list[str]:
    """A05 at equal error."""
    from benchmark_exudyn import fewest_steps
    from benchmark_iftomm import exact, fastest_peer, our_error
    from iftomm_cases import CASES

    import mbsim

    case, model = CASES["A05"], mbsim.load_model(MODELS / "flyball_governor.yaml")
    made = mbsim.assemble(model)
    end = float(made.simulation.end) if size.governor else 0.1
    truth = exact(case, model, end)

    def words(steps: int) -> dict[str, Any]:
        return {"method": "generalized_alpha", "step": end / steps}

    def error(steps: int) -> float:
        return our_error(case, made, truth, end, words(steps))[0]

    steps = fewest_steps(error, GOVERNOR_ERROR, 5000, order=2) if size.governor else 50
    peer, peer_steps, note = fastest_peer(case, truth, end, GOVERNOR_ERROR) if exudyn and size.governor else (None, 0, "")
    result = marched(made, **words(steps))
    ours, theirs, ratio = paired(
        lambda: float(marched(made, **words(steps)).attributes["march_time"]),
        None if peer is None else lambda: float(peer.run(peer_steps, end)),
        size.repeats,
    )
    row = [
        f"{1e3 * ours:.3g}",
        f"{steps}",
        a_step(result, "iterations"),
        "" if theirs is None else f"{1e3 * theirs:.4g}",
        f"{peer_steps}",
        ratio,
    ]
    print(" | ".join(row), flush=True)
    heads = ("mbsim, ms", "steps", "iterations a step", "Exudyn, ms", "steps", "ratio")
    return ["## Flyball governor A05", "", table(heads, [row]), "", f"Exudyn: {note}. The target is a ratio of 20." if note else ""]


def longest_step(error: Callable[[float], float], first: float, required: float) -> float:
    """The longest of first, first / 1.25, ... (s) at which the error is met."""
    step = first
    while not error(step) <= required:
        step /= 1.25
        if step < 1e-3 * first:
            raise RuntimeError("no step reaches the error")
    return step


def arm(size: Size, mujoco: bool) -> list[str]:
    """The arm that controllers hold, at equal error."""
    made = assembled(held_arm(size.joints, GAIN, RATE_GAIN, TURN, ARM_END))
    exact = marched(made, method="generalized_alpha", step=ARM_END / 8000)["q"][-1]

    def words(step: float) -> dict[str, Any]:
        return {"method": "generalized_alpha", "step": ARM_END / round(ARM_END / step)}

    def error(step: float) -> float:
        from mbsim import SimulationError

        try:
            return float(np.abs(marched(made, **words(step))["q"][-1] - exact).max())
        except SimulationError:  # the step is too long for the iteration
            return float("inf")

    step = longest_step(error, ARM_END / 10, ARM_ERROR)
    run = None
    if mujoco:
        run, their_step = mujoco_arm(made.system, exact)
    result = marched(made, **words(step))
    plain = without_tangents(lambda: marched(made, **{**words(step), "end": 10 * words(step)["step"]}))
    ours, theirs, ratio = paired(lambda: float(marched(made, **words(step)).attributes["march_time"]), run, size.repeats)
    row = [f"{size.joints}", f"{1e3 * ours:.3g}", f"{result.attributes['counts']['steps']}", a_step(result, "iterations")]
    row += [a_step(result, "evaluations"), a_step(plain, "evaluations")]
    row += ["" if theirs is None else f"{1e3 * theirs:.4g}", "" if theirs is None else f"{round(ARM_END / their_step)}", ratio]
    print(" | ".join(row), flush=True)
    heads = (
        "joints", "mbsim, ms", "steps", "iterations a step", "evaluations a step", "the same without tangents, first 10 steps",
        "MuJoCo `implicit`, ms", "steps", "ratio",
    )  # fmt: skip
    return ["## An arm that controllers hold", "", table(heads, [row])]


def mujoco_arm(system: Any, exact: np.ndarray) -> tuple[Callable[[], float], float]:
    """A run of it in MuJoCo that takes so many seconds, and its step (s)."""
    import mujoco
    from benchmark_trees import mujoco_model

    def model(step: float) -> Any:
        spring = f'stiffness="{GAIN}" springref="{TURN}"'
        return mujoco.MjModel.from_xml_string(mujoco_model(system, RATE_GAIN, spring, "implicit", step))

    def angles(step: float) -> np.ndarray:
        count = round(ARM_END / step)
        made = model(ARM_END / count)
        data = mujoco.MjData(made)
        mujoco.mj_step(made, data, count)
        return np.array(data.qpos)

    step = longest_step(lambda h: float(np.abs(angles(h) - exact).max()), ARM_END / 50, ARM_ERROR)
    count = round(ARM_END / step)
    chosen = model(ARM_END / count)

    def run() -> float:
        data = mujoco.MjData(chosen)
        tick = time.perf_counter()
        mujoco.mj_step(chosen, data, count)
        return time.perf_counter() - tick

    return run, step


def axle(size: Size) -> list[str]:
    """The wishbones: whether their steps converge, and how quickly."""
    made = assembled(wishbones(size.axle_end, AXLE_STEP))
    rows = []
    for index in (2, 3):
        method = f"generalized_alpha(index={index})"
        result = marched(made, method=method)
        plain = without_tangents(lambda method=method: marched(made, method=method, end=10 * AXLE_STEP))  # type: ignore[misc]
        counts, took = result.attributes["counts"], float(result.attributes["march_time"])
        row = [f"{index}", f"{counts['steps']}", a_step(result, "iterations"), a_step(result, "evaluations"), a_step(plain, "evaluations")]
        rows.append([*row, f"{1e6 * took / counts['steps']:.3g}"])
        print(" | ".join(rows[-1]), flush=True)
    heads = ("index", "steps", "iterations a step", "evaluations a step", "the same without tangents, first 10 steps", "us a step")
    return ["## Double wishbones", "", table(heads, rows), "", "The target is at most 4 iterations a step."]


def document(parts: list[str]) -> str:
    """The page, of the sections' lines."""
    text = ["# Speed of implicit steps", "", origin(command(__file__), versions("numba", "numpy", "exudyn", "mujoco")), ""]
    paragraphs = (__doc__ or "").split("\n\n")
    bullets = [wrapped(bullet, "  ") for bullet in paragraphs[1].split("\n*")]
    text += ["Ratios carry over to other machines, times do not.", "", "\n* ".join(bullets), "", wrapped(paragraphs[3]), "", *parts]
    return "\n".join(text) + "\n"


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    size = QUICK if given.quick else FULL
    exudyn, mujoco = installed(EXUDYN, given.quick), installed(MUJOCO, given.quick)
    with patch("time.perf_counter", time.process_time):  # what else runs on the machine does not count
        parts = [*beams(size, exudyn), "", *loops(size), "", *flows(size), ""]
        parts += [*governor(size, exudyn), "", *arm(size, mujoco), "", *axle(size)]
    with output_folder(given) as folder:
        (folder / "benchmarks-stiff.md").write_text(document(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
