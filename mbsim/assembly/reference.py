"""The reference configuration: where the model file places bodies, points, axes and joints (t = `simulation.start`, before assembly)."""

from collections.abc import Sequence
from copy import copy

import numpy as np

from mbsim.constraints._table import Place
from mbsim.elements.kinds import ROLL, TWIST
from mbsim.elements.primitives import Primitive
from mbsim.joints._table import Axes, TableJoint
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.model.fields import Point
from mbsim.model.names import GROUND
from mbsim.model.schema import Model
from mbsim.system.system import Floats

COINCIDENT = 1e-12  # m; a rod shorter than this has no direction
XYZ: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
GLOBAL: tuple[Axes, Axes] = (XYZ, XYZ)
Frames = tuple[Axes, Axes]  # of the first and of the second body: x, y, z axes as rows, global


class ReferenceConfiguration:
    """Poses of the bodies, and places on them. Body index `ground` is the ground: at the origin, its axes the global ones."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.dimension: int = model.dimension or 3
        self.names: list[str] = list(model.bodies)
        self.ground: int = len(self.names)
        self.index: dict[str, int] = {name: i for i, name in enumerate(self.names)} | {GROUND: self.ground}
        self.joints: dict[str, TableJoint] = {name: joint for name, joint in model.joints.items() if isinstance(joint, TableJoint)}
        self.positions: list[Floats] = []  # (3,) centre of mass of each body, m
        self.rotations: list[Floats] = []  # (3, 3) of each body, its axes in columns
        self.angles: list[float] = [body.angle or 0.0 for body in model.bodies.values()]  # of planar bodies, rad
        for body in model.bodies.values():
            self.positions.append(np.array([*body.position, 0.0][:3]))
            self.rotations.append(_about_z(body.angle or 0.0) if self.planar else matrices(np.array(body.quaternion)))
        self.positions.append(np.zeros(3))
        self.rotations.append(np.eye(3))
        self._ground_angle, self._seen = 0.0, False  # whether these are poses of another moment

    def seen_from(self, body: int, centres: Floats, axes: Floats, angles: Floats) -> "ReferenceConfiguration":
        """The poses (n_b, 3), (n_b, 3, 3), (n_b,) of all bodies as a body sees them that stands where this configuration has it."""
        seen = copy(self)
        turn, centre, angle = np.eye(3), np.zeros(3), 0.0
        if body < self.ground:
            turn, angle = self.rotations[body] @ axes[body].T, self.angles[body] - float(angles[body])
            centre = self.positions[body] - turn @ centres[body]
        seen.positions = [*(turn @ x + centre for x in centres), turn @ np.zeros(3) + centre]
        seen.rotations = [*(turn @ A for A in axes), turn]
        seen.angles = [float(x) + angle for x in angles]
        seen._ground_angle, seen._seen = angle, True
        return seen

    @property
    def planar(self) -> bool:
        return self.dimension == 2

    # points and directions

    def place(self, point: Point, at: Sequence[float] | None) -> Place:
        """Body index, and the point in body axes: the named one, or the one at `at` (global)."""
        b = self.index[point.body]
        return b, [float(x) for x in self.rotations[b].T @ (np.array(self.locate(point, at)) - self.positions[b])]

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """The same point (3,) in the global frame."""
        if at is not None:
            return [float(x) for x in [*at, 0.0][:3]]
        b = self.index[point.body]
        local = np.zeros(3)
        if point.point is not None:
            given = self.model.point(point.body, point.point)
            local[: len(given)] = given
        return [float(x) for x in self.positions[b] + self.rotations[b] @ local]

    def direction(self, body: int, vector: Sequence[float]) -> list[float]:
        """A global vector (3,) in the axes of a body."""
        return [float(x) for x in self.rotations[body].T @ np.array([*vector, 0.0][:3])]

    def position(self, place: tuple[int, Sequence[float] | Floats]) -> Floats:
        """A body's point (3,) in the global frame."""
        at: Floats = self.positions[place[0]] + self.rotations[place[0]] @ np.array(place[1])
        return at

    def coincide(self, first: Place, second: Place) -> bool:
        """Whether two bodies' points are in one place."""
        return not np.linalg.norm(self.position(first) - self.position(second)) > COINCIDENT

    def angle(self, body: int) -> float:
        """The angle of a planar body's axes against the global ones, rad."""
        return self.angles[body] if body < self.ground else self._ground_angle

    # joints

    def joint_points(self, joint: TableJoint) -> tuple[Place, Place]:
        """The joint's point on its first and on its second body."""
        if joint.points is not None:
            return self.place(joint.points[0], None), self.place(joint.points[1], None)
        first, second = joint.places()
        return self.place(Point(joint.first, None), first), self.place(Point(joint.second, None), second)

    def seat(self, joint: TableJoint, coordinate: str, of_speed: bool = False) -> tuple[Place, Place, Frames]:
        """Between which two places, and between which frames there, a coordinate of a joint is measured and driven."""
        frames, back = joint.seat(coordinate, self.dimension, of_speed)
        first, second = self.joint_points(joint)
        return (second, first, frames) if back else (first, second, frames)

    # what kernels are told

    def geometry(self, primitive: Primitive, first: Place, second: Place, frames: Frames) -> list[float]:
        """A line (16 or more) of Arrays.geometry: points and axes of the two bodies in body axes, and the primitive's constants."""
        (i, s_i), (j, s_j) = first, second
        value = primitive.value
        if value is None:
            value = float(np.linalg.norm(self.position(first) - self.position(second)))
        axis = {name: k for k, name in enumerate("xyz")}
        a = self.rotations[i].T @ np.array(frames[0][axis[primitive.a]])
        b = self.rotations[j].T @ np.array(frames[1][axis[primitive.b]])
        data = np.zeros(16)
        if self.planar:
            data[0:2], data[2:4], data[4:6] = s_i[:2], s_j[:2], a[:2]
            data[6], data[7] = self.angle(j) - self.angle(i), value
            if primitive.kind == ROLL:
                data[8] = (self.position(second) - self.position(first)) @ np.array(frames[0][axis[primitive.a]])
        else:
            data[0:3], data[3:6], data[6:9], data[9:12] = s_i, s_j, a, b
            data[12:15], data[15] = self.rotations[i].T @ np.array(frames[0][1]), value
        if primitive.other is not None:
            data[9] = primitive.other
        if primitive.kind == TWIST:
            data[0:8] = np.concatenate(self.axes_in_bodies(i, j, frames))
        return [*data, *primitive.more]

    def axes_in_bodies(self, i: int, j: int, frames: Frames) -> tuple[Floats, Floats]:
        """Quaternions (4,) of a joint's axes in both bodies, with the signs that make the turn between them small."""
        a, b = (quaternions(self.rotations[k].T @ np.array(frame).T) for k, frame in ((i, frames[0]), (j, frames[1])))
        turned = [_product(self._quaternion(k), of) for k, of in ((i, a), (j, b))]
        return a, b if turned[0] @ turned[1] > 0.0 else -b

    def _quaternion(self, body: int) -> Floats:
        if self._seen:
            return quaternions(self.rotations[body])
        return np.array(self.model.bodies[self.names[body]].quaternion if body < self.ground else [1.0, 0.0, 0.0, 0.0])


def _product(p: Floats, r: Floats) -> Floats:
    """The product of two quaternions (4,)."""
    return np.array([p[0] * r[0] - p[1:] @ r[1:], *(p[0] * r[1:] + r[0] * p[1:] + np.cross(p[1:], r[1:]))])


def _about_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
