"""The shipped model misaligned_four_bar beside Exudyn with as many geometrically exact elements, for scripts/benchmark_beams.py.

Exudyn takes equal steps of generalized-alpha with the spectral radius 0.6; its integrator damps the waves of the start and of the snaps,
here the material does. What is compared is how far the coupler's end leaves the plane, once a second.
"""

import itertools
import math
import time
from typing import Any

import numpy as np
import yaml
from command_line import MODELS
from measuring import Report, alternate, describe, ratio

import mbsim

NAME = "misaligned_four_bar"
END = 12.0  # s
STEPS = 3000  # of Exudyn


class Peer:
    """The four-bar in Exudyn: the places and numbers of the shipped file, with `elements` in a short bar."""

    def __init__(self, elements: int) -> None:
        import exudyn
        from exudyn import utilities as items

        given = yaml.safe_load((MODELS / f"{NAME}.yaml").read_text(encoding="utf-8"))
        self.exudyn, self.items, self.container = exudyn, items, exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        self.speed = given["parameters"]["speed"]
        many = {"n": elements, "2*n": 2 * elements}
        bars = {name: self._bar(beam, many[beam["elements"]]) for name, beam in given["beams"].items()}
        tilt = math.radians(float(given["parameters"]["misalignment"].removeprefix("deg(").removesuffix(")")))
        ground = self.system.AddObject(items.ObjectGround())
        upright = np.eye(3)
        tilted = np.array([[math.cos(tilt), 0.0, math.sin(tilt)], [0.0, 1.0, 0.0], [-math.sin(tilt), 0.0, math.cos(tilt)]])

        def on_ground(bar: str) -> tuple[Any, np.ndarray]:
            place = given["beams"][bar]["from"]
            return self.system.AddMarker(items.MarkerBodyRigid(bodyNumber=ground, localPosition=place)), upright

        def node(bar: str, end: int) -> tuple[Any, np.ndarray]:
            nodes, axes = bars[bar]
            return self.system.AddMarker(items.MarkerNodeRigid(nodeNumber=nodes[end])), axes

        self._hinge(on_ground("crank"), node("crank", 0), upright, driven=True)
        self._hinge(node("crank", -1), node("coupler", 0), upright)
        self._hinge(node("coupler", -1), node("rocker", -1), tilted)
        self._hinge(on_ground("rocker"), node("rocker", 0), upright)
        self.sensor = self.system.AddSensor(
            items.SensorNode(nodeNumber=bars["coupler"][0][-1], storeInternal=True, outputVariableType=exudyn.OutputVariableType.Position)
        )
        self.system.Assemble()

    def _bar(self, beam: dict[str, Any], elements: int) -> tuple[list[Any], np.ndarray]:
        """Its nodes, and the axes (3, 3) of a section, x along the bar."""
        start, end = np.array(beam["from"], dtype=float), np.array(beam["to"], dtype=float)
        x = (end - start) / np.linalg.norm(end - start)
        axes = np.column_stack([x, np.cross([0, 0, 1], x), [0, 0, 1]])
        half = 0.5 * math.atan2(x[1], x[0])
        section = self.exudyn.BeamSection()
        numbers = {name: float(value) for name, value in beam["stiffness"].items()}
        EA, GA, GJ, EI = (numbers[name] for name in ("EA", "GA", "GJ", "EI"))
        section.stiffnessMatrix = np.diag([EA, GA, GA, GJ, EI, EI])
        section.massPerLength = float(beam["mass"]["line"])
        section.inertia = np.diag([float(value) for value in beam["mass"]["inertia"]])
        nodes = [
            self.system.AddNode(
                self.items.NodeRigidBodyEP(
                    referenceCoordinates=[*(start + (end - start) * k / elements), math.cos(half), 0.0, 0.0, math.sin(half)]
                )
            )
            for k in range(elements + 1)
        ]
        length = float(np.linalg.norm(end - start)) / elements
        for pair in itertools.pairwise(nodes):
            self.system.AddObject(self.items.ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=length, sectionData=section))
        return nodes, axes

    def _hinge(self, first: tuple[Any, np.ndarray], second: tuple[Any, np.ndarray], axes: np.ndarray, *, driven: bool = False) -> None:
        """About z of `axes`, global at the start; each marker comes with the axes of what it is on."""
        more = {}
        if driven:
            more = {
                "offsetUserFunction": lambda _, t, *__: [0, 0, 0, 0, 0, -self.speed * t],
                "offsetUserFunction_t": lambda *_: [0, 0, 0, 0, 0, -self.speed],
            }
        self.system.AddObject(
            self.items.GenericJoint(
                markerNumbers=[first[0], second[0]], constrainedAxes=[1, 1, 1, 1, 1, int(driven)],
                rotationMarker0=first[1].T @ axes, rotationMarker1=second[1].T @ axes, **more,
            )
        )  # fmt: skip

    def run(self) -> tuple[float, np.ndarray]:
        """Seconds of `SolveDynamic`, and z of the coupler's end after each second, m."""
        settings: Any = self.exudyn.SimulationSettings()
        march = settings.timeIntegration
        march.numberOfSteps, march.endTime, march.verboseMode = STEPS, END, 0
        march.generalizedAlpha.spectralRadius, march.newton.useModifiedNewton = 0.6, True
        settings.solutionSettings.writeSolutionToFile = settings.displayStatistics = settings.displayComputationTime = False
        settings.solutionSettings.sensorsWritePeriod = 1.0
        settings.linearSolverType = self.exudyn.LinearSolverType.EigenSparse
        settings.parallel.numberOfThreads = 1
        began = time.perf_counter()
        self.exudyn.SolveDynamic(self.system, settings)
        return time.perf_counter() - began, np.array(self.system.GetSensorStoredData(self.sensor))[1:, 3]


def beside(report: Report, elements: int, repeats: int, exudyn: bool) -> None:
    """How far both codes are apart, and how long they take, mbsim without settings."""
    made = mbsim.assemble(mbsim.load_model(NAME, {"n": elements}))
    runs = []

    def mine() -> float:
        runs.append(mbsim.simulate(made, output_step=1.0))
        return float(runs[-1].attributes["march_time"])

    mine()
    steps = runs[0].attributes["counts"]["steps"]
    if not exudyn:
        report.figure(f"Four-bar with a misaligned hinge, {elements} elements in a short bar: mbsim", "", f"{steps} steps")
        return
    theirs = Peer(elements).run()[1]
    apart = float(np.abs(np.asarray(runs[0]["aside"])[1:] - theirs).max())
    report.figure(
        f"Four-bar with a misaligned hinge, {elements} elements in a short bar: largest difference of how far it leaves its plane",
        "<= 1e-6 m",
        f"**{apart:.2g} m** of {np.abs(theirs).max():.2g} m", apart <= 1e-6,
    )  # fmt: skip
    slow, fast = alternate(lambda: Peer(elements).run()[0], mine, repeats)
    report.figure(
        "The same, 12 s: Exudyn, geometrically exact / mbsim without settings",
        "",
        f"**{ratio(slow, fast):.3g}** - Exudyn {describe(slow, 1e3, 'ms')}, {STEPS} steps; "
        f"mbsim {describe(fast, 1e3, 'ms')}, {steps} steps",
    )  # fmt: skip
