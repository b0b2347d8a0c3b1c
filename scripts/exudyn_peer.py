"""The same mechanism in Exudyn, built from numbers: the peer of benchmark_exudyn.py, benchmark_iftomm.py and benchmark_stiff.py.

Planar bodies and point masses with revolute joints, rods, springs and constant torques, and spatial bodies with revolute, prismatic,
spherical and universal joints and springs; between planar bodies also springs about their angle.
"""

import math
import pickle
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class BodyData:
    mass: float
    inertia: np.ndarray  # (1, 1) planar, (3, 3) spatial, about the centre of mass in body axes
    q: np.ndarray  # (2,) x, y of a point mass, (3,) x, y, angle or (7,) x, y, z, qw, qx, qy, qz at the start
    v: np.ndarray  # (2,) or (3,) their rates or (6,) velocity (global), angular velocity (body axes)
    torque: float = 0.0  # N m, constant, on a planar body


@dataclass(frozen=True)
class JointData:
    kind: str
    bodies: tuple[int, int]  # -1 is the ground
    at: np.ndarray  # (2, d) the joint's point on each body, in body axes from the centre of mass
    axes: np.ndarray  # (k, 3) global axes at the start; none for planar and spherical joints


@dataclass(frozen=True)
class SpringData:
    bodies: tuple[int, int]
    at: np.ndarray  # (2, d) as for joints
    stiffness: float
    damping: float
    free_length: float


@dataclass(frozen=True)
class TurnSpringData:
    """About the angle between two planar bodies."""

    bodies: tuple[int, int]
    stiffness: float
    damping: float


@dataclass(frozen=True)
class Mechanism:
    dimension: int
    gravity: np.ndarray  # (d,)
    bodies: list[BodyData]
    joints: list[JointData]
    springs: list[SpringData] = field(default_factory=list)
    turn_springs: list[TurnSpringData] = field(default_factory=list)


def rotation(pose: np.ndarray) -> np.ndarray:
    """(d, d) body to global, from the coordinates of a body."""
    if len(pose) == 3:
        c, s = math.cos(pose[2]), math.sin(pose[2])
        return np.array([[c, -s], [s, c]])
    w, x, y, z = pose[3:]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Peer:
    """The mechanism in Exudyn."""

    def __init__(self, mechanism: Mechanism) -> None:
        import exudyn
        from exudyn import utilities

        self.exudyn, self.items = exudyn, utilities
        self.mechanism = mechanism
        self.container = exudyn.SystemContainer()  # owns the system: it must live as long as this object
        self.system = self.container.AddSystem()
        self.radius = 0.9
        self.solver = exudyn.LinearSolverType.EXUdense
        self.sensors: list[Any] = []
        self.redundant = False  # let the solver pass over dependent constraints
        if mechanism.dimension == 2:
            self._build_planar()
        else:
            self._build_spatial()
        self.system.Assemble()

    def _build_planar(self) -> None:
        items, system = self.items, self.system
        ground = system.AddObject(items.ObjectGround())
        self.nodes, objects = [], []
        for body in self.mechanism.bodies:
            start: dict[str, Any] = {"referenceCoordinates": body.q, "initialCoordinates": 0 * body.q, "initialVelocities": body.v}
            if len(body.q) == 2:
                node = system.AddNode(items.NodePoint2D(**start))
                objects.append(system.AddObject(items.MassPoint2D(physicsMass=body.mass, nodeNumber=node)))
            else:
                node = system.AddNode(items.Rigid2D(**start))
                objects.append(system.AddObject(items.RigidBody2D(mass=body.mass, inertia=body.inertia.item(), nodeNumber=node)))
            self.nodes.append(node)
            centre = system.AddMarker(items.MarkerBodyPosition(bodyNumber=objects[-1], localPosition=[0, 0, 0]))
            system.AddLoad(items.Force(markerNumber=centre, loadVector=[*body.mass * self.mechanism.gravity, 0]))
            if body.torque:
                turn = system.AddMarker(items.MarkerBodyRigid(bodyNumber=objects[-1], localPosition=[0, 0, 0]))
                system.AddLoad(items.Torque(markerNumber=turn, loadVector=[0, 0, body.torque]))

        def markers(bodies: tuple[int, int], at: np.ndarray) -> list[Any]:
            return [
                system.AddMarker(items.MarkerBodyPosition(bodyNumber=ground if body < 0 else objects[body], localPosition=[*point, 0]))
                for body, point in zip(bodies, at, strict=True)
            ]

        for joint in self.mechanism.joints:
            if joint.kind == "revolute":
                system.AddObject(items.RevoluteJoint2D(markerNumbers=markers(joint.bodies, joint.at)))
            elif joint.kind == "rod":
                first, second = (np.zeros(2) if body < 0 else self.mechanism.bodies[body].q[:2] for body in joint.bodies)
                length = float(np.linalg.norm(second - first))
                system.AddObject(items.DistanceConstraint(markerNumbers=markers(joint.bodies, joint.at), distance=length))
            else:
                raise ValueError(f"no planar {joint.kind} in this benchmark")
        for spring in self.mechanism.springs:
            system.AddObject(
                items.SpringDamper(
                    markerNumbers=markers(spring.bodies, spring.at),
                    referenceLength=spring.free_length,
                    stiffness=spring.stiffness,
                    damping=spring.damping,
                )
            )

        fixed = system.AddNode(items.NodePointGround())
        for turn in self.mechanism.turn_springs:
            angles = [
                system.AddMarker(
                    items.MarkerNodeCoordinate(nodeNumber=fixed if body < 0 else self.nodes[body], coordinate=2 if body >= 0 else 0)
                )
                for body in turn.bodies
            ]
            system.AddObject(items.CoordinateSpringDamper(markerNumbers=angles, stiffness=turn.stiffness, damping=turn.damping))

    def _build_spatial(self) -> None:
        items, system = self.items, self.system
        ground = system.CreateGround()
        self.objects = []
        for body in self.mechanism.bodies:
            R = rotation(body.q)
            self.objects.append(
                system.CreateRigidBody(
                    inertia=items.RigidBodyInertia(mass=body.mass, inertiaTensor=body.inertia),
                    # Of its parametrisations the one that is as fast as any here and does not meet a singularity.
                    nodeType=self.exudyn.NodeType.RotationEulerParameters,
                    referencePosition=body.q[:3],
                    referenceRotationMatrix=R,
                    initialVelocity=body.v[:3],
                    initialAngularVelocity=R @ body.v[3:],
                    gravity=self.mechanism.gravity,
                )
            )

        def pair(bodies: tuple[int, int]) -> list[Any]:
            return [ground if body < 0 else self.objects[body] for body in bodies]

        for joint in self.mechanism.joints:
            first = joint.bodies[0]
            pose = np.array([0, 0, 0, 1, 0, 0, 0]) if first < 0 else self.mechanism.bodies[first].q
            at = pose[:3] + rotation(pose) @ joint.at[0]
            constrained, frame = _generic_joint(joint)
            system.CreateGenericJoint(
                itemNumbers=pair(joint.bodies), position=at, rotationMatrixAxes=frame, constrainedAxes=constrained, useGlobalFrame=True
            )
        for spring in self.mechanism.springs:
            system.CreateSpringDamper(
                itemNumbers=pair(spring.bodies),
                localPosition0=spring.at[0],
                localPosition1=spring.at[1],
                stiffness=spring.stiffness,
                damping=spring.damping,
                referenceLength=spring.free_length,
            )

    def record(self) -> None:
        """Put sensors for position and velocity on the nodes of planar bodies; `settings` leaves them inactive."""
        kinds = self.exudyn.OutputVariableType
        self.sensors = [
            self.system.AddSensor(self.items.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind))
            for node in self.nodes
            for kind in (kinds.Position, kinds.Velocity)
        ]
        self.system.Assemble()

    def settings(self, steps: int, end: float, *, tight: bool = False) -> Any:
        settings = self.exudyn.SimulationSettings()
        integration = settings.timeIntegration
        integration.numberOfSteps, integration.endTime = steps, end
        integration.verboseMode = 0
        integration.newton.useModifiedNewton = True
        integration.generalizedAlpha.spectralRadius = self.radius
        if tight:  # for the reference: the tolerance of Newton's method must not be what is seen in the last digits
            integration.newton.relativeTolerance, integration.newton.absoluteTolerance = 1e-11, 1e-12
        settings.linearSolver.solverType = self.solver
        settings.linearSolver.ignoreSingularJacobian = self.redundant
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        return settings

    def run(self, steps: int, end: float, *, tight: bool = False) -> float:
        """Marches from the start to `end`; the seconds that `SolveDynamic` alone took."""
        settings = self.settings(steps, end, tight=tight)
        start = time.perf_counter()
        self.system.SolveDynamic(settings)
        return time.perf_counter() - start

    def coordinates(self, steps: int, end: float, *, tight: bool = False) -> np.ndarray:
        """(3 n,) x, y, angle or x, y, z of the bodies at the end."""
        self.run(steps, end, tight=tight)
        if self.mechanism.dimension == 3:
            kind = self.exudyn.OutputVariableType.Position
            return np.concatenate([self.system.GetObjectOutputBody(body, kind, [0, 0, 0]) for body in self.objects])
        kind = self.exudyn.OutputVariableType.Coordinates
        return np.concatenate(
            [body.q + self.system.GetNodeOutput(node, kind) for body, node in zip(self.mechanism.bodies, self.nodes, strict=True)]
        )

    def choose_solver(self, steps: int, end: float) -> dict[str, float]:
        """Takes the fastest linear solver for this mechanism; seconds of each one that works (EigenSparseSymmetric may refuse)."""
        seconds: dict[str, float] = {}
        for name, solver in self.exudyn.LinearSolverType.__members__.items():
            if name == "_None" or (self.redundant and name != "EigenDense"):  # of dependent constraints the others fail or crash
                continue
            self.solver = solver
            try:
                seconds[name] = min(self.run(steps, end) for _ in range(3))
            except Exception as error:
                print(f"    Exudyn {name}: {str(error).strip().splitlines()[0]}")
        self.solver = self.exudyn.LinearSolverType.__members__[min(seconds, key=lambda name: seconds[name])]
        return seconds


def _generic_joint(joint: JointData) -> tuple[list[int], np.ndarray]:
    """Exudyn's constrained axes and the frame they are meant in.

    Exudyn reads one constrained rotation, x, as `y of the first body perpendicular to z of the second`.
    """
    if joint.kind == "spherical":
        return [1, 1, 1, 0, 0, 0], np.eye(3)
    if joint.kind == "universal":
        first, second = joint.axes
        return [1, 1, 1, 1, 0, 0], np.column_stack([np.cross(first, second), first, second])
    if joint.kind in ("revolute", "prismatic"):
        x = joint.axes[0]
        helper = np.eye(3)[np.argmin(abs(x))]
        y = np.cross(helper, x) / np.linalg.norm(np.cross(helper, x))
        free = {"revolute": [1, 1, 1, 0, 1, 1], "prismatic": [0, 1, 1, 1, 1, 1]}
        return free[joint.kind], np.column_stack([x, y, np.cross(x, y)])
    raise ValueError(f"no spatial {joint.kind} in this benchmark")


def march_file(path: str, steps: int, end: float, radius: float, solver: str, redundant: bool) -> None:
    """A whole process: import, build the pickled mechanism, march."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    with open(path, "rb") as file:
        peer = Peer(pickle.load(file))
    peer.radius, peer.solver, peer.redundant = radius, peer.exudyn.LinearSolverType.__members__[solver], redundant
    peer.run(steps, end)
