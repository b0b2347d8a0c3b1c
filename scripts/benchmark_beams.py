"""Speed of beams against Exudyn's at equal error of the tip, and cost per element, written to docs/benchmarks-beams.md.

A clamped beam (1 m, 1 kg, EA 1e5 N, GA 4e4 N, EI 1 N m2, stiffness-proportional damping of 1e-3 s) falls from straight: in the plane for
1 s; in space, with EI 2 N m2 about the other axis, GJ 0.8 N m2 and weight across both axes, for 0.3 s. The error is that of the position of
the tip at the end, against the beam with infinitely many elements: extrapolated from twice and four times as many elements with tight
tolerances.

* Both codes take the same number of elements and the fewest steps that keep the error: mbsim `generalized_alpha` with the loosest `rtol` of
  10^(-k/4) or with equal steps, what is faster, Exudyn generalized-alpha with equal steps, modified Newton, its fastest linear solver and
  the best of the spectral radii. What mbsim takes without any of this, by `radau` with its tolerances, is told, too.
* Exudyn has geometrically exact elements in the plane and in space, and in the plane cables by absolute nodal coordinates (ANCF). Its
  spatial ANCF beam is said to be under construction, and is left out: it comes to another tip.
* Time per step and element of 100 and of 1,000 elements, and of 200 elements beside 200 rods with springs in their hinges.
* The four-bar with a misaligned hinge of the literature, the shipped model `misaligned_four_bar` without settings, with as many elements in
  Exudyn: 3000 equal steps, which damp the waves.

    python scripts/benchmark_beams.py            # needs the extra `bench`: pip install '.[bench]'
    python scripts/benchmark_beams.py --quick    # few elements once, in seconds; without Exudyn mbsim alone

Only the march is timed, Exudyn's is `SolveDynamic`; runs alternate, and a time is a median.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from command_line import EXUDYN, command, installed, output_folder, parser, versions
from measuring import Report, alternate, describe, origin, ratio, wrapped
from misaligned_four_bar import beside as four_bar_beside
from stiff_cases import beam as rods_with_springs

import mbsim

EA, GA, EI, GJ, DAMPING = 1e5, 4e4, 1.0, 0.8, 1e-3
ROTARY = EI / EA  # kg m, of a line mass of 1 kg/m
GRAVITY = {2: [0.0, -9.81], 3: [0.0, -6.0, -8.0]}
END = {2: 1.0, 3: 0.3}
RADII = (0.6, 0.8, 0.9)
SOLVERS = ("EigenSparse", "EXUdense")


@dataclass(frozen=True)
class Size:
    elements: int
    many: int
    rods: int
    error: float  # m
    repeats: int
    bar: int


FULL, QUICK = Size(100, 1000, 200, 1e-3, 5, 8), Size(6, 12, 6, 1e-2, 1, 2)


def beam(dimension: int, elements: int, end: float) -> Any:
    """The beam of mbsim, assembled."""
    planar = dimension == 2
    stiffness = {"EA": EA, "GA": GA, "EI": EI} if planar else {"EA": EA, "GA": [GA, GA], "EI": [EI, 2 * EI], "GJ": GJ}
    made = {
        "from": [0.0] * dimension, "to": [1.0] + [0.0] * (dimension - 1), "elements": elements, "clamped": ["start"],
        "stiffness": stiffness, "mass": {"line": 1.0, "inertia": ROTARY if planar else [3 * ROTARY, ROTARY, 2 * ROTARY]},
        "damping": {"stiffness": DAMPING},
    }  # fmt: skip
    source = {"gravity": GRAVITY[dimension], "beams": {"b": made}, "simulation": {"end": end, "output_step": end}}
    return mbsim.assemble(mbsim.load_model(source | ({"dimension": 2} if planar else {})))


def marched(made: Any, **words: Any) -> Any:
    return mbsim.simulate(made, method="generalized_alpha", **words)


def march_time(made: Any, words: dict[str, float]) -> float:
    """s"""
    return float(marched(made, **words).attributes["march_time"])


def tip(result: Any) -> np.ndarray:
    """(3,) m, at the end."""
    return np.asarray(result.select("body_position", "b_end")[-1])


class Peer:
    """The beam in Exudyn."""

    def __init__(self, kind: str, dimension: int, elements: int) -> None:
        import exudyn
        from exudyn import utilities as items

        self.exudyn, self.container = exudyn, exudyn.SystemContainer()
        self.system = system = self.container.AddSystem()
        self.radius, self.solver = 0.9, "EigenSparse"
        length = 1.0 / elements
        places = [k * length for k in range(elements + 1)]
        of_planar: dict[str, Any] = {
            "length": length, "massPerLength": 1.0, "bendingStiffness": EI, "axialStiffness": EA, "bendingDamping": DAMPING * EI,
            "axialDamping": DAMPING * EA,
        }  # fmt: skip
        if kind == "ANCF":
            self.nodes = [system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[x, 0, 1, 0])) for x in places]
            make, data = items.ObjectANCFCable2D, of_planar
        elif dimension == 2:
            self.nodes = [system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[x, 0, 0])) for x in places]
            make, data = items.ObjectBeamGeometricallyExact2D, of_planar
            data |= {"crossSectionInertia": ROTARY, "shearStiffness": GA, "shearDamping": DAMPING * GA}
        else:
            self.nodes = [system.AddNode(items.NodeRigidBodyEP(referenceCoordinates=[x, 0, 0, 1, 0, 0, 0])) for x in places]
            section = exudyn.BeamSection()
            section.stiffnessMatrix = np.diag([EA, GA, GA, GJ, EI, 2 * EI])
            section.dampingMatrix = DAMPING * section.stiffnessMatrix
            section.massPerLength, section.inertia = 1.0, np.diag([3 * ROTARY, ROTARY, 2 * ROTARY])
            make, data = items.ObjectBeamGeometricallyExact, {"length": length, "sectionData": section}
        gravity = [*GRAVITY[dimension], 0.0][:3]
        for pair in itertools.pairwise(self.nodes):
            marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=system.AddObject(make(nodeNumbers=list(pair), **data))))
            system.AddLoad(items.Gravity(markerNumber=marker, loadVector=gravity))
        self._clamp(items, kind, dimension)
        system.Assemble()

    def _clamp(self, items: Any, kind: str, dimension: int) -> None:
        system = self.system
        if dimension == 3:
            ground = system.AddMarker(items.MarkerBodyRigid(bodyNumber=system.AddObject(items.ObjectGround())))
            system.AddObject(items.GenericJoint(markerNumbers=[ground, system.AddMarker(items.MarkerNodeRigid(nodeNumber=self.nodes[0]))]))
            return
        ground = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=system.AddNode(items.NodePointGround()), coordinate=0))
        for coordinate in (0, 1, 3 if kind == "ANCF" else 2):
            held = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=self.nodes[0], coordinate=coordinate))
            system.AddObject(items.CoordinateConstraint(markerNumbers=[ground, held]))

    def run(self, steps: int, end: float) -> tuple[float, np.ndarray]:
        """Seconds of `SolveDynamic` from the start, and the place (3,) of the tip."""
        import time

        settings: Any = self.exudyn.SimulationSettings()
        march = settings.timeIntegration
        march.numberOfSteps, march.endTime, march.verboseMode = steps, end, 0
        march.generalizedAlpha.spectralRadius, march.newton.useModifiedNewton = self.radius, True
        settings.solutionSettings.writeSolutionToFile = settings.displayStatistics = settings.displayComputationTime = False
        settings.linearSolverType = getattr(self.exudyn.LinearSolverType, self.solver)
        settings.parallel.numberOfThreads = 1
        began = time.perf_counter()
        self.exudyn.SolveDynamic(self.system, settings)
        took = time.perf_counter() - began
        return took, np.array(self.system.GetNodeOutput(self.nodes[-1], self.exudyn.OutputVariableType.Position))

    def error(self, end: float, exact: np.ndarray, steps: int) -> float:
        """Of the tip, m."""
        return float(np.abs(self.run(steps, end)[1] - exact).max())

    def seconds(self, steps: int, end: float) -> float:
        """Of a run."""
        return float(self.run(steps, end)[0])

    def seconds_with(self, steps: int, end: float, solver: str) -> float:
        """Of a run with another linear solver, which is kept."""
        self.solver = solver
        return self.seconds(steps, end)


def fewest(error: Callable[[int], float], required: float, first: int) -> int:
    """The fewest steps of first, 1.25 first, ... that keep the error there and at the next number of them."""
    steps, kept = first, error(first)
    while True:
        further = math.ceil(1.25 * steps)
        after = error(further)
        if kept <= required and after <= required:
            return steps
        if further > 100_000:
            raise SystemExit("the peer does not come to the error")
        steps, kept = further, after


def loosest(error: Callable[[float], float], required: float) -> float:
    """The loosest rtol of 10^(-k/4) that keeps the error there and at the next one."""
    found = [error(10.0 ** (-2.0 - 0.25 * k)) for k in range(2)]
    for k in range(2, 30):
        if max(found[-2:]) <= required:
            return float(10.0 ** (-2.0 - 0.25 * (k - 2)))
        found.append(error(10.0 ** (-2.0 - 0.25 * k)))
    raise SystemExit("mbsim does not come to the error")


def converged(dimension: int, elements: int) -> np.ndarray:
    """(3,) the tip of infinitely many elements."""
    coarse, fine = (tip(mbsim.simulate(beam(dimension, k * elements, END[dimension]))) for k in (2, 4))
    found: np.ndarray = fine + (fine - coarse) / 3.0
    return found


def against(report: Report, size: Size, dimension: int, kinds: tuple[str, ...]) -> None:
    """Both codes at equal error."""
    end, exact = END[dimension], converged(dimension, size.elements)
    where = {2: "the plane", 3: "space"}[dimension]
    report.note(f"In {where} the tip ends at {', '.join(f'{x:.6f}' for x in exact)} m.")
    made = beam(dimension, size.elements, end)

    def error(words: dict[str, float]) -> float:
        return float(np.abs(tip(marched(made, **words)) - exact).max())

    typed = [mbsim.simulate(made) for _ in range(2)][1]
    told = f"{typed.attributes['march_time'] * 1e3:.3g} ms, {typed.attributes['counts']['steps']} steps by {typed.attributes['integrator']}"
    report.note(f"In {where}, mbsim without settings: {told}, error {np.abs(tip(typed) - exact).max():.2g} m.")
    rtol = loosest(lambda rtol: error({"rtol": rtol, "atol": rtol}), size.error)
    equal = fewest(lambda steps: error({"step": end / steps}), size.error, 20)
    ways = [{"rtol": rtol, "atol": rtol}, {"step": end / equal}]
    runs = [[marched(made, **words) for _ in range(2)][1] for words in ways]
    for words, run in zip(ways, runs, strict=True):
        told = f"{float(run.attributes['march_time']) * 1e3:.3g} ms, {run.attributes['counts']['steps']} steps, error {error(words):.2g} m"
        report.note(f"In {where}, mbsim with {', '.join(f'{name} {x:.2g}' for name, x in words.items())}: {told}.")
    best = ways[int(np.argmin([float(run.attributes["march_time"]) for run in runs]))]
    for kind in kinds:
        peer = Peer(kind, dimension, size.elements)
        tried = []
        for peer.radius in RADII:
            steps = fewest(partial(peer.error, end, exact), size.error, 20)
            tried.append((peer.run(steps, end)[0], steps, peer.radius))
        _, steps, peer.radius = min(tried)
        peer.solver = min(SOLVERS, key=partial(peer.seconds_with, steps, end))
        off = np.abs(peer.run(steps, end)[1] - exact).max()
        told = f"In {where}, Exudyn, {kind}: {steps} steps, spectral radius {peer.radius}, {peer.solver}, error {off:.2g} m"
        report.note(f"{told} ({', '.join(f'{r}: {n} steps' for _, n, r in tried)}).")
        theirs, mine = alternate(partial(peer.seconds, steps, end), partial(march_time, made, best), size.repeats)
        value = ratio(theirs, mine)
        report.figure(
            f"{size.elements} elements in {where}, tip within {size.error:g} m: Exudyn, {kind} / mbsim", ">= 10",
            f"**{value:.3g}** - Exudyn {describe(theirs, 1e3, 'ms')}, mbsim {describe(mine, 1e3, 'ms')}", value >= 10.0,
        )  # fmt: skip
    if not kinds:
        report.figure(
            f"{size.elements} elements in {where}: mbsim", "", f"{1e3 * min(float(run.attributes['march_time']) for run in runs):.3g} ms"
        )


def per_element(report: Report, size: Size) -> None:
    """What a step costs of few and of many elements."""
    words = {"step": 2e-4}
    for dimension in (2, 3):
        sizes = (size.elements, size.many)
        few, many = (partial(march_time, beam(dimension, elements, 0.02), words) for elements in sizes)
        found = [min(times) / 100 / elements for times, elements in zip(alternate(few, many, size.repeats), sizes, strict=True)]
        where = {2: "the plane", 3: "space"}[dimension]
        report.figure(
            f"A step in {where}, time an element: {size.many} / {size.elements} elements", "<= 1.3",
            f"**{found[1] / found[0]:.2f}** - {1e6 * found[0]:.3g} us and {1e6 * found[1]:.3g} us", found[1] <= 1.3 * found[0],
        )  # fmt: skip


def beside_rods(report: Report, size: Size) -> None:
    """Elements and a chain of rods with springs in their hinges: the same steps."""
    elements = beam(2, size.rods, 0.02)
    chain = mbsim.assemble(mbsim.load_model(rods_with_springs(size.rods, "absolute", 0.02, 2e-4)))

    words = {"step": 2e-4}
    rods, mine = alternate(partial(march_time, chain, words), partial(march_time, elements, words), size.repeats)
    value = ratio(rods, mine)
    report.figure(
        f"{size.rods} elements in the plane, 100 steps: as many rods with springs / the elements", ">= 1",
        f"**{value:.2f}** - rods {describe(rods, 1e3, 'ms')}, elements {describe(mine, 1e3, 'ms')}", value >= 1.0,
    )  # fmt: skip


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    size, exudyn = QUICK if given.quick else FULL, installed(EXUDYN, given.quick)
    report = Report()
    against(report, size, 2, ("geometrically exact", "ANCF") if exudyn else ())
    against(report, size, 3, ("geometrically exact",) if exudyn else ())
    per_element(report, size)
    beside_rods(report, size)
    four_bar_beside(report, size.bar, size.repeats, exudyn)
    head = "\n".join(["# Speed of beams", "", origin(command(__file__), versions("numba", "numpy", "exudyn")), ""])
    paragraphs = (__doc__ or "").split("\n\n")
    bullets = [wrapped(bullet, "  ") for bullet in paragraphs[2].split("\n*")]
    notes = [wrapped(f"- {note}", "  ") for note in report.notes]
    with output_folder(given) as folder:
        (folder / "benchmarks-beams.md").write_text(
            "\n".join([head, wrapped(paragraphs[1]), "", "\n* ".join(bullets), "", report.table(), "", *notes, ""]), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
