"""Everything that a measure may name, found in a chunk of rows: states, bodies' points, relative motions of joints, reactions, energies.

What poses tell of a joint is measured between its two frames, as its drivers do: the second body against the first, an angle counted from
the drawing. Whole turns are counted from row to row by the angular velocity, so that a row may be several turns after the last.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mbsim.kernels.primitives import REVOLUTE, Motion
from mbsim.kernels.rotations import matrices
from mbsim.model.names import GROUND
from mbsim.model.recorded import CONTROLLERS, ENERGIES, FORCE_VECTORS, FORCES, REACTIONS, acceleration_names, body_names, point_names
from mbsim.observe.columns import columns
from mbsim.observe.facts import Facts, Side
from mbsim.observe.force_elements import force_labels
from mbsim.observe.momenta import KINDS
from mbsim.observe.tree_accelerations import body_accelerations
from mbsim.results.schema import SERIES, ForceLabels, per_second
from mbsim.system.system import Floats, System

TURN = 2.0 * np.pi
AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class Rows:
    """One chunk: its variables by name, and what is to be remembered until the next one."""

    variables: Mapping[str, Floats]
    memory: dict[str, tuple[float, float, float]]  # time, angle and angular velocity of the last row, by what they are of
    found: dict[str, Floats] = field(default_factory=dict)  # angles of this chunk
    of_bodies: list[tuple[Floats, Floats]] = field(default_factory=list)  # the accelerations of this chunk, once they were asked for
    turns: dict[int, Floats] = field(default_factory=dict)  # `rotation` of bodies that were asked for

    @property
    def time(self) -> Floats:
        """(k,)"""
        return self.variables["time"]

    @cached_property
    def rotations(self) -> Floats:
        """(k, bodies, 3, 3), body to global."""
        return matrices(self.variables["body_orientation"])

    def of_body(self, name: str, body: int) -> Floats:
        """A variable of the poses (k, 3 or 4) of one body."""
        one = getattr(self.variables, "of_body", None)  # of what finds them when they are asked for
        return self.variables[name][:, body] if one is None else np.asarray(one(name, body))

    def rotation(self, body: int) -> Floats:
        """(k, 3, 3), body to global."""
        if body not in self.turns:
            self.turns[body] = matrices(self.of_body("body_orientation", body))
        return self.turns[body]

    def accelerations(self, system: System) -> tuple[Floats, Floats]:
        """Of all bodies of a tree: `body_accelerations`, found once."""
        if not self.of_bodies:
            given = self.variables
            q = np.column_stack([given["q"], given["states"]])
            self.of_bodies.append(body_accelerations(system, self.time, q, given["v"], given["acceleration"], self.rotations))
        return self.of_bodies[0]

    def turned(self, key: str, wrapped: Floats, rate: Floats) -> Floats:
        """The angle (k,) that `wrapped` is but for whole turns; `rate` (k,) is its time derivative."""
        if key in self.found:
            return self.found[key]
        last = self.memory.get(key, (float(self.time[0]), float(wrapped[0]), float(rate[0])))
        time, angle, speed = (np.concatenate([[a], b]) for a, b in zip(last, (self.time, wrapped, rate), strict=True))
        step = np.diff(angle)
        turns = np.round((0.5 * (speed[:-1] + speed[1:]) * np.diff(time) - step) / TURN)
        self.found[key] = last[1] + np.cumsum(step + TURN * np.where(np.isfinite(turns), turns, 0.0))
        self.memory[key] = float(time[-1]), float(self.found[key][-1]), float(speed[-1])
        return self.found[key]


class Quantity(NamedTuple):
    """Something that rows tell."""

    units: str
    of: Callable[[Rows], Floats]  # (k,), or a number


class _Pose:
    """Of a body over a chunk, or of the ground. What is not asked for is not computed."""

    def __init__(self, rows: Rows, body: int | None) -> None:
        """`body`: its place, None of the ground."""
        self._rows, self._body, self._k = rows, body, len(rows.time)

    def _variable(self, name: str) -> Floats:
        return np.zeros((self._k, 3)) if self._body is None else self._rows.of_body(name, self._body)

    @property
    def R(self) -> Floats:
        """(k, 3, 3)"""
        return np.broadcast_to(np.eye(3), (self._k, 3, 3)) if self._body is None else self._rows.rotation(self._body)

    @property
    def r(self) -> Floats:
        """(k, 3)"""
        return self._variable("body_position")

    @property
    def v(self) -> Floats:
        """(k, 3) global"""
        return self._variable("body_velocity")

    @property
    def omega(self) -> Floats:
        """(k, 3) global"""
        return self._variable("body_angular_velocity")

    def point(self, s: Floats) -> Floats:
        """(k, 3) position of the body point s (3,)."""
        return np.asarray(self.r + self.R @ s)

    def along(self, s: Floats, axis: int, planar: bool) -> Floats:
        """(k,) one global coordinate of the body point s (3,); `planar`: the body turns about z alone."""
        r = self.r[:, axis]
        if not planar or self._body is None or axis == 2:
            return np.asarray(sum((self.R[:, axis, k] * s[k] for k in range(3)), r))
        w, z = self._variable("body_orientation")[:, [0, 3]].T  # as `matrices` has it
        cosine, sine = 1 - 2 * (z * z), 2 * (w * z)
        return np.asarray(r + cosine * s[0] - sine * s[1] if axis == 0 else r + sine * s[0] + cosine * s[1])

    def velocity(self, s: Floats) -> Floats:
        """(k, 3) velocity of the body point s (3,)."""
        return np.asarray(self.v + np.cross(self.omega, self.R @ s))


class Quantities:
    """Finds quantities of an assembled model by name."""

    def __init__(self, facts: Facts, system: System) -> None:
        self.facts, self.system = facts, system
        self.planar = facts.dimension == 2

    def find(self, name: str) -> Quantity | None:
        """What a name of `mbsim.model.measures.measurable` stands for; None when this system has no such thing."""
        if name == "t":
            return Quantity("s", lambda rows: rows.time)
        if name in self.facts.parameters:
            value = np.array(self.facts.parameters[name])
            return Quantity("1", lambda rows: value)
        if name in ENERGIES:
            return Quantity("J", lambda rows: rows.variables[name])
        return self._state(name) or self._reaction(name) or self._moving(name)

    def is_column(self, name: str) -> bool:
        """Whether a name is that of a coordinate, speed, acceleration, state, energy or reaction: no number changes what it means."""
        return name in ENERGIES or self._state(name) is not None or name.partition(".")[0] in REACTIONS

    def function(self, name: str, arguments: Sequence[str]) -> Quantity:
        """A function of bodies or points (`mbsim.model.expressions.functions.MEASURING`)."""
        if name == "distance":
            return Quantity("m", lambda rows: _length(self._place(rows, arguments[0]) - self._place(rows, arguments[1])))
        if name == "angle" and len(arguments) == 3:
            return Quantity("rad", lambda rows: _between(*(self._place(rows, point) for point in arguments)))
        if name == "angle" and self.planar:
            first, second = (self._angle(body) for body in arguments)
            return Quantity("rad", lambda rows: first(rows) - second(rows))
        if name == "angle":
            return Quantity("rad", lambda rows: _rotation(*(self._pose(rows, body).R for body in arguments)))
        if (kind := KINDS.get(name)) is not None:
            one = arguments[0] in self.facts.bodies
            bodies = [arguments[0]] if one else [body for body in self.system.bodies if not self.facts.bodies[body].carries_modes]
            axis, about, of = AXES[arguments[-1]], arguments[1:-1], [self.facts.bodies[body] for body in bodies]

            def component(rows: Rows) -> Floats:
                origin = self._place(rows, about[0]) if about else None
                return kind.values(of, [self._pose(rows, body) for body in bodies], origin)[:, axis]

            return Quantity(kind.units, component)
        parts = {"kinetic_energy": [self._kinetic], "potential_energy": [self._potential]}.get(name, [self._kinetic, self._potential])
        return Quantity("J", lambda rows: np.sum([part(rows, arguments[0]) for part in parts], axis=0))

    # states, reactions

    def _state(self, name: str) -> Quantity | None:
        found = columns(self.system).get(name)
        if found is None:
            return None
        variable, index, units = found
        return Quantity(units, lambda rows: rows.variables[variable][:, index])

    def _reaction(self, name: str) -> Quantity | None:
        variable, _, label = name.partition(".")
        system = self.system
        if variable in REACTIONS:
            joint, _, axis = label.rpartition(".")
            place = [j.name for j in system.joints].index(joint), AXES[axis]
            return Quantity(SERIES[variable].units, lambda rows: rows.variables[variable][:, place[0], place[1]])
        if variable in FORCES or variable in FORCE_VECTORS:
            return self._force(variable, *([label] if variable in FORCES else label.rsplit(".", 1)))
        if variable in CONTROLLERS:
            index = list(self.facts.leads_rate).index(label)
            of = self._forces.rate_units if self.facts.leads_rate[label] else self._forces.length_units
            units = "1" if variable == "controller_saturation" else of[self._forces.along.index(label)]
            return Quantity(units, lambda rows: rows.variables[variable][:, index])
        if variable == "driver_effort":
            index = [d.name for d in system.drivers].index(label)
            return Quantity(system.drivers[index].unit, lambda rows: rows.variables["driver_effort"][:, index])
        if variable == "multiplier" and label in system.rows:
            index = system.rows.index(label)
            return Quantity("1", lambda rows: rows.variables["multiplier"][:, index])
        return None

    def _force(self, variable: str, force: str, axis: str | None = None) -> Quantity | None:
        """Of a force element; None where it has no such quantity, as a torque has no length."""
        labels, of = self._forces, SERIES[variable].dimensions[1]
        names = {"force_element": labels.names, "force_with_length": labels.along, "force_on_body": labels.on_bodies}.get(of)
        names = labels.with_torque if names is None else names
        if force not in names:
            return None
        index = names.index(force)
        if axis is not None:
            return Quantity(SERIES[variable].units, lambda rows: rows.variables[variable][:, index, AXES[axis]])
        units = {"force_effort": labels.units, "force_length": labels.length_units, "force_rate": labels.rate_units}.get(variable)
        return Quantity(SERIES[variable].units if units is None else units[index], lambda rows: rows.variables[variable][:, index])

    @cached_property
    def _forces(self) -> ForceLabels:
        return force_labels(self.system)

    # bodies and joints

    def _moving(self, name: str) -> Quantity | None:
        """Of a body, of its points, of a joint; `der(...)` and `.velocity.` are the same of bodies and points."""
        if name.startswith("der(der(") or "acceleration." in name or name.endswith("acceleration"):
            return self._acceleration(name)
        rate = name.startswith("der(")
        parts = name[4:-1].split(".") if rate else name.split(".")
        if name not in self._names_of(parts[0]):
            return self._relative(parts[0], parts[-1], rate) if parts[0] in self.facts.joints else None
        if "velocity" in parts[1:-1]:
            rate = True
            parts.remove("velocity")
        body, *inner, last = parts
        if inner in (["omega"], ["angular_velocity"]):
            axes = inner == ["omega"]
            return Quantity("rad s-1", lambda rows: self._spin(rows, body, axes)[:, AXES[last]])
        if not inner and last == "angle":
            angle = self._angle(body)
            return Quantity("rad s-1", lambda rows: self._pose(rows, body).omega[:, 2]) if rate else Quantity("rad", angle)
        if not inner and last == "angular_velocity":
            return Quantity("rad s-1", lambda rows: self._pose(rows, body).omega[:, 2])
        if not inner and last in ("qw", "qx", "qy", "qz"):
            index, part = self.system.bodies.index(body), "wxyz".index(last[1])
            return Quantity("1", lambda rows: rows.variables["body_orientation"][:, index, part])
        s = self._local(body, inner[0] if inner else None)
        if rate:
            return Quantity("m s-1", lambda rows: self._pose(rows, body).velocity(s)[:, AXES[last]])
        return Quantity("m", lambda rows: self._pose(rows, body).along(s, AXES[last], self.planar))

    def _acceleration(self, name: str) -> Quantity | None:
        """Of a point of a body or of the ground, of a centre of mass, or of the turning of a body; None where it is not known."""
        parts = [part for part in name.removeprefix("der(der(").removesuffix("))").split(".") if part != "acceleration"]
        body, last = parts[0], parts[-1]
        if body == GROUND:
            return Quantity("m s-2", lambda rows: np.zeros(len(rows.time)))
        facts = self.facts
        if body not in facts.bodies:
            return None
        if name not in acceleration_names(body, facts.dimension, facts.bodies[body].points):
            return None
        if "angular_acceleration" in parts:
            axis = 2 if self.planar else AXES[last]
            return Quantity("rad s-2", lambda rows: self._accelerations(rows, body)[1][:, axis])
        s = self._local(body, parts[1] if len(parts) == 3 else None)

        def of_point(rows: Rows) -> Floats:
            a, alpha = self._accelerations(rows, body)
            pose = self._pose(rows, body)
            arm = pose.R @ s
            return np.asarray(a + np.cross(alpha, arm) + np.cross(pose.omega, np.cross(pose.omega, arm)))[:, AXES[last]]

        return Quantity("m s-2", of_point)

    def _accelerations(self, rows: Rows, body: str) -> tuple[Floats, Floats]:
        """(k, 3) of the centre of mass and (k, 3) of the turning, global. In absolute coordinates a body's speeds stand in its order."""
        k, b = len(rows.time), self.system.bodies.index(body)
        if self.system.in_joint_coordinates:
            moving, turning = rows.accelerations(self.system)
            return moving[:, b], turning[:, b]
        if self.planar:
            found = rows.variables["acceleration"][:, 3 * b : 3 * b + 3]
            none = np.zeros(k)
            return np.column_stack([found[:, :2], none]), np.column_stack([none, none, found[:, 2]])
        found = rows.variables["acceleration"][:, 6 * b : 6 * b + 6]
        return found[:, :3], np.einsum("tij,tj->ti", rows.rotation(b), found[:, 3:])

    def _names_of(self, body: str) -> Collection[str]:
        facts = self.facts
        if body not in facts.bodies:
            return ()
        return (point_names if body == GROUND else body_names)(body, facts.dimension, facts.bodies[body].points)

    def _relative(self, name: str, motion: str, rate: bool) -> Quantity | None:
        found = self.facts.joints[name].get(motion)
        if found is None:
            return None
        turning = found.motion.kind == REVOLUTE
        units = "rad" if turning else "m"
        of = (self._turn if turning else self._slide)(name, found.motion, found.first, found.second, rate)
        return Quantity(per_second(units) if rate else units, of)

    def _turn(self, name: str, motion: Motion, first: Side, second: Side, rate: bool) -> Callable[[Rows], Floats]:
        if self.planar and not rate:
            a, b = self._angle(first.body), self._angle(second.body)
            drawn = self.facts.bodies[second.body].angle - self.facts.bodies[first.body].angle
            return lambda rows: np.asarray(b(rows) - a(rows) - drawn)
        z = AXES[motion.axis]
        x, y = (z + 1) % 3, (z + 2) % 3

        def angle(rows: Rows) -> Floats:
            i, j = self._pose(rows, first.body), self._pose(rows, second.body)
            A, B = i.R @ first.frame, j.R @ second.frame
            speed = _dot(A[..., z], j.omega - i.omega)
            if rate:
                return speed
            return rows.turned(f"{name}.{motion.name}", np.arctan2(_dot(A[..., y], B[..., x]), _dot(A[..., x], B[..., x])), speed)

        return angle

    def _slide(self, name: str, motion: Motion, first: Side, second: Side, rate: bool) -> Callable[[Rows], Floats]:
        def displacement(rows: Rows) -> Floats:
            i, j = self._pose(rows, first.body), self._pose(rows, second.body)
            a = i.R @ first.frame[:, AXES[motion.axis]]
            d = j.point(second.point) - i.point(first.point)
            if not rate:
                return _dot(a, d)
            return _dot(np.cross(i.omega, a), d) + _dot(a, j.velocity(second.point) - i.velocity(first.point))

        return displacement

    def _local(self, body: str, point: str | None) -> Floats:
        """A point in body axes (3,)."""
        return np.zeros(3) if point is None else self.facts.bodies[body].points[point]

    def _place(self, rows: Rows, point: str) -> Floats:
        """(k, 3) of `rod.B`, `rod` or `ground`."""
        body, _, name = point.partition(".")
        return self._pose(rows, body).point(self._local(body, name or None))

    def _pose(self, rows: Rows, body: str) -> _Pose:
        return _Pose(rows, None if body == GROUND else self.system.bodies.index(body))

    def _spin(self, rows: Rows, body: str, in_body_axes: bool) -> Floats:
        pose = self._pose(rows, body)
        return np.einsum("tij,ti->tj", pose.R, pose.omega) if in_body_axes else pose.omega

    def _angle(self, body: str) -> Callable[[Rows], Floats]:
        """Of a planar body."""
        if body == GROUND:
            return lambda rows: np.zeros(len(rows.time))
        label = f"{body}.angle"
        if label in self.system.coordinates:
            index = self.system.coordinates.index(label)
            return lambda rows: rows.variables["q"][:, index]

        def angle(rows: Rows) -> Floats:
            pose = self._pose(rows, body)
            return rows.turned(label, np.arctan2(pose.R[:, 1, 0], pose.R[:, 0, 0]), pose.omega[:, 2])

        return angle

    def _kinetic(self, rows: Rows, body: str) -> Floats:
        block, spin = self.facts.bodies[body], self._spin(rows, body, True)
        v = self._pose(rows, body).v
        return np.asarray(0.5 * (block.mass * _dot(v, v) + np.einsum("ti,ij,tj->t", spin, block.inertia, spin)))

    def _potential(self, rows: Rows, body: str) -> Floats:
        return np.asarray(-self.facts.bodies[body].mass * self._pose(rows, body).r @ self.facts.gravity)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.sum(a * b, axis=-1))


def _length(a: Floats) -> Floats:
    return np.asarray(np.linalg.norm(a, axis=-1))


def _between(p: Floats, vertex: Floats, q: Floats) -> Floats:
    """The angle at `vertex` between the directions to p and q, in [0, pi]; exact also where it is tiny."""
    a, b = p - vertex, q - vertex
    return np.asarray(np.arctan2(_length(np.cross(a, b)), _dot(a, b)))


def _rotation(first: Floats, second: Floats) -> Floats:
    """The angle of the rotation between two bodies, in [0, pi]; exact also where it is tiny."""
    A = np.einsum("tji,tjk->tik", second, first)
    sine = np.stack([A[:, 2, 1] - A[:, 1, 2], A[:, 0, 2] - A[:, 2, 0], A[:, 1, 0] - A[:, 0, 1]], axis=-1)
    return np.asarray(np.arctan2(_length(sine), np.einsum("tii->t", A) - 1.0))
