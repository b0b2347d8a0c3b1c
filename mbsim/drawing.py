"""How the file draws a mechanism of bodies: points, axes, gauges and laws in the tables of a system; what leaves ask for (Geometry)."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from mbsim.elements.kinds import ABOUT, ALONG, IN_PLANE, LENGTH, RELATIVE_EFFORT, ROLL, TWIST
from mbsim.elements.primitives import Primitive, angle, distance
from mbsim.forces._table import Load
from mbsim.kernels.rotations import matrices, quaternions
from mbsim.model.errors import ModelError
from mbsim.model.expressions import Expression, evaluate, parse
from mbsim.model.fields import Point
from mbsim.model.schema import Model
from mbsim.system.laws import Laws
from mbsim.system.system import Floats

GROUND = "ground"
COINCIDENT = 1e-12  # m; a rod shorter than this has no direction


class Drawing:
    """Bodies where the file draws them, and what has been placed between them so far; see mbsim.forces._table.Geometry."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.dimension: int = model.dimension or 3
        self.names = list(model.bodies)
        self.index = {name: i for i, name in enumerate(self.names)} | {GROUND: len(self.names)}
        planar = self.dimension == 2
        self.positions, self.rotations = [], []
        for body in model.bodies.values():
            self.positions.append(np.array([*body.position, 0.0][:3]))
            self.rotations.append(_about_z(body.angle or 0.0) if planar else matrices(np.array(body.quaternion)))
        self.positions.append(np.zeros(3))
        self.rotations.append(np.eye(3))
        per_body = ("x", "y", "angle") if planar else ("x", "y", "z", "qw", "qx", "qy", "qz")
        per_speed = [f"der({{}}.{c})" for c in per_body[:3]] + ([] if planar else [f"{{}}.omega.{c}" for c in "xyz"])
        self.coordinates = [f"{name}.{c}" for name in self.names for c in per_body]
        self.speeds = [s.format(name) for name in self.names for s in per_speed]
        self.laws = Laws(self.dimension, list(model.parameters), self.coordinates, self.speeds)
        self.gauges: list[list[int]] = []
        self.gauge_data: list[list[float]] = []
        self.load_names: list[str] = []
        self.angles: dict[int, tuple[str, str]] = {}  # gauge of an angle that is not known at every turn -> a force that needs it, its name

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]:
        """See mbsim.forces._table.Geometry."""
        b = self.index[point.body]
        return b, [float(x) for x in self.rotations[b].T @ (np.array(self.locate(point, at)) - self.positions[b])]

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """See mbsim.forces._table.Geometry."""
        if at is not None:
            return [float(x) for x in [*at, 0.0][:3]]
        b = self.index[point.body]
        local = np.zeros(3)
        if point.point is not None:
            given = self.model.bodies[point.body].points[point.point]
            local[: len(given)] = given
        return [float(x) for x in self.positions[b] + self.rotations[b] @ local]

    def direction(self, body: int, vector: Sequence[float]) -> list[float]:
        """See mbsim.forces._table.Geometry."""
        return [float(x) for x in self.rotations[body].T @ np.array([*vector, 0.0][:3])]

    def drawn_angle(self, first: int, second: int) -> float:
        """See mbsim.forces._table.Geometry."""
        return self._angle(second) - self._angle(first)

    def ground(self) -> int:
        """See mbsim.forces._table.Geometry."""
        return len(self.names)

    def free_coordinates(self, joint: str) -> list[str]:
        """See mbsim.forces._table.Geometry."""
        block: Any = self.model.joints[joint]
        found: list[str] = block.driven(self.dimension)
        return found

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """See mbsim.forces._table.Geometry."""
        ground = self.ground()
        return Load(RELATIVE_EFFORT, ground, ground, law, [float(self.gauge(joint, coordinate)), 1.0, 0.0, *constants, 0.0, 0.0, 0.0])

    def gauge(self, joint: str, coordinate: str | None) -> int:
        """See mbsim.forces._table.Geometry."""
        block: Any = self.model.joints[joint]
        choices = block.driven(self.dimension)
        if coordinate is None and len(choices) == 1:
            coordinate = choices[0]
        if coordinate is None or coordinate not in choices:
            what = f"no coordinate '{coordinate}'" if coordinate else "not one single coordinate"
            found = f"; give `coordinate`: {', '.join(choices)}" if choices else ""
            raise ValueError(f"joint {joint} ({block.type}) has {what}{found}")
        name = f"{joint}.{coordinate}"
        if name not in self.laws.gauges:
            primitive = block.DRIVES[coordinate][self.dimension]
            kind = ALONG if primitive.kind == IN_PLANE else ABOUT
            self.laws.gauges[name] = self._gauge(kind, primitive, *self.seat(block, coordinate))
        return self.laws.gauges[name]

    def length_gauge(self, first: tuple[int, Sequence[float]], second: tuple[int, Sequence[float]]) -> int:
        """See mbsim.forces._table.Geometry."""
        return self._gauge(LENGTH, distance(), first, second, (np.eye(3), np.eye(3)))

    def angle_gauge(self, first: int, second: int) -> int:
        """See mbsim.forces._table.Geometry."""
        return self._gauge(ABOUT, angle(), (first, [0.0] * 3), (second, [0.0] * 3), (np.eye(3), np.eye(3)))

    def _gauge(self, kind: int, primitive: Primitive, first: Any, second: Any, frames: Any) -> int:
        data = [*self.geometry_of(primitive, first, second, frames), *[0.0] * 8]
        i, j = first[0], second[0]
        if kind == ABOUT and self.dimension == 3:  # the joint's axes in both bodies, with one sign: they are drawn parallel
            data[16:24] = np.concatenate(self._axes_in_bodies(i, j, frames))
        self.gauges.append([kind, i, j, -1, -1])
        self.gauge_data.append(data)
        return len(self.gauges) - 1

    def _axes_in_bodies(self, i: int, j: int, frames: Any) -> tuple[Floats, Floats]:
        """Quaternions of a joint's axes in both bodies, with the signs that make the turn between them small as drawn."""
        a, b = (quaternions(self.rotations[k].T @ np.array(frame).T) for k, frame in ((i, frames[0]), (j, frames[1])))
        turned = [_product(self._quaternion(k), of) for k, of in ((i, a), (j, b))]
        return a, b if turned[0] @ turned[1] > 0.0 else -b

    def law(self, values: Sequence[Expression], local: tuple[str, int] | None = None) -> tuple[int, list[float]]:
        """See mbsim.forces._table.Geometry."""
        if all(set(e.names) <= self.model.parameters.keys() for e in values):
            numbers = [evaluate(e, self.model.parameters) for e in values]
            return -1, [*numbers, 0.0, 0.0][:3]
        self._read_gauges(values)
        first = len(self.laws.time) + len(self.laws.state)
        padding = [parse(0)] * (3 - len(values))
        if local is not None:
            self.laws.local |= {len(self.laws.state) + k: local for k in range(len(values))}
        self.laws.state += [*values, *padding]
        return first, [0.0, 0.0, 0.0]

    def _read_gauges(self, values: Sequence[Expression]) -> None:
        """Make the gauges that laws name: O.angle, der(O.angle)."""
        for name in sorted({name.removeprefix("der(").removesuffix(")") for e in values for name in e.names} - set(self.coordinates)):
            joint, dot, coordinate = name.partition(".")
            if dot and joint in self.model.joints and coordinate in self.model.joints[joint].driven(self.dimension):
                self.gauge(joint, coordinate)

    def joint_points(self, joint: Any) -> "tuple[tuple[int, list[float]], tuple[int, list[float]]]":
        if joint.points is not None:
            return self.place(joint.points[0], None), self.place(joint.points[1], None)
        first, second = joint.places()
        return self.place(Point(joint.first, None), first), self.place(Point(joint.second, None), second)

    def seat(self, joint: Any, coordinate: str, of_speed: bool = False) -> tuple[Any, Any, Any]:
        """Between which two places, and between which frames there, a coordinate of a joint is measured and driven."""
        frames, back = joint.seat(coordinate, self.dimension, of_speed)
        first, second = self.joint_points(joint)
        return (second, first, frames) if back else (first, second, frames)

    def geometry_of(self, primitive: Primitive, first: Any, second: Any, frames: Any) -> list[float]:
        """A row of Arrays.geometry."""
        (i, s_i), (j, s_j) = first, second
        value = primitive.value
        if value is None:
            value = float(np.linalg.norm(self._global(first) - self._global(second)))
        axis = {name: k for k, name in enumerate("xyz")}
        a = self.rotations[i].T @ np.array(frames[0][axis[primitive.a]])
        b = self.rotations[j].T @ np.array(frames[1][axis[primitive.b]])
        data = np.zeros(16)
        if self.dimension == 2:
            data[0:2], data[2:4], data[4:6] = s_i[:2], s_j[:2], a[:2]
            data[6], data[7] = self._angle(j) - self._angle(i), value
            if primitive.kind == ROLL:
                data[8] = (self._global(second) - self._global(first)) @ np.array(frames[0][axis[primitive.a]])
        else:
            data[0:3], data[3:6], data[6:9], data[9:12] = s_i, s_j, a, b
            data[12:15], data[15] = self.rotations[i].T @ np.array(frames[0][1]), value
        if primitive.kind == TWIST:
            data[0:8] = np.concatenate(self._axes_in_bodies(i, j, frames))
        return list(data)

    def coincide(self, first: Any, second: Any) -> bool:
        """Whether two bodies' points are drawn in one place."""
        return not np.linalg.norm(self._global(first) - self._global(second)) > COINCIDENT

    def _global(self, place: tuple[int, Sequence[float]]) -> Floats:
        """Where a body's point is drawn."""
        at: Floats = self.positions[place[0]] + self.rotations[place[0]] @ np.array(place[1])
        return at

    def _quaternion(self, body: int) -> Floats:
        return np.array(self.model.bodies[self.names[body]].quaternion if body < len(self.names) else [1.0, 0.0, 0.0, 0.0])

    def _angle(self, body: int) -> float:
        return (self.model.bodies[self.names[body]].angle or 0.0) if body < len(self.names) else 0.0

    # what drivers and contacts are told

    def constants(self, values: Sequence[Expression]) -> list[float] | None:
        """See mbsim.constraints._table.Geometry."""
        if not all(set(e.names) <= self.model.parameters.keys() for e in values):
            return None
        return [evaluate(e, self.model.parameters) for e in values]

    def at_start(self, values: Sequence[Expression]) -> list[float]:
        """See mbsim.constraints._table.Geometry."""
        return [evaluate(e, {**self.model.parameters, "t": self.model.simulation.start}) for e in values]

    def time_laws(self, values: Sequence[Expression]) -> int:
        """See mbsim.constraints._table.Geometry."""
        self.laws.time += values
        return len(self.laws.time) - len(values)

    def refuse(self, path: str, message: str) -> NoReturn:
        raise ModelError([self.model.problem(path, message)])


def _product(p: Floats, r: Floats) -> Floats:
    """Of two quaternions."""
    return np.array([p[0] * r[0] - p[1:] @ r[1:], *(p[0] * r[1:] + r[0] * p[1:] + np.cross(p[1:], r[1:]))])


def _about_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
