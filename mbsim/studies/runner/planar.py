"""Planar bodies whose numbers change in place: only what the blocks that vary reach is computed again, for all places at once.

It takes models of bodies, joints and drivers in absolute coordinates in which numbers of bodies, of joints' places and of `initial` vary,
and loads none of which depends on the drawing. The arithmetic is that of `mbsim.assembly.reference`, so the numbers are the same bits: the
arrays that it makes of the file's own numbers are compared with the assembled ones, and where they differ it is not used.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mbsim.assembly.absolute import AbsoluteCoordinates
from mbsim.assembly.bodies import Bodies
from mbsim.assembly.start import Given
from mbsim.elements.kinds import ANGLE, IN_PLANE, POINT
from mbsim.model.fields import Point
from mbsim.system.system import Floats, JointRecord, System

Fields = Mapping[tuple[str, str], Mapping[str, Any]]
# fields that may vary, by section
_FIELDS = {"bodies": {"mass", "inertia", "position", "angle", "points"}, "joints": {"at"}, "initial": {"values"}}
_GEOMETRIC = {"position", "angle", "points"}


@dataclass
class _Places:
    """Points of bodies: named ones in axes of the body, others at a place of the drawing."""

    bodies: list[int]
    local: list[list[float]]  # (3,) in axes of the body
    at: list[list[float] | None]  # (3,) global
    named: dict[tuple[str, str], list[int]]  # body, point -> places
    drawn: dict[str, list[int]]  # joint -> places at its `at`

    def add(self, source: Bodies, point: Point, at: Any, joint: str) -> int:
        """The index of a place, as `ReferenceConfiguration.place` takes it."""
        k = len(self.bodies)
        self.bodies.append(source.builder.reference.index[point.body])
        given = [] if at is not None or point.point is None else source.builder.model.point(point.body, point.point)
        self.local.append([*given, 0.0, 0.0, 0.0][:3])
        self.at.append(None if at is None else [*at, 0.0][:3])
        if at is not None:
            self.drawn.setdefault(joint, []).append(k)
        elif point.point is not None:
            self.named.setdefault((point.body, point.point), []).append(k)
        return k


class PlanarNumbers:
    """See the module."""

    def __init__(self, source: Bodies, system: System, given: Given) -> None:
        """Raises ValueError for a model whose geometry is not of this kind."""
        self._source, self._system, self._given = source, system, given
        self._q, self._v = given.q, given.speeds(given.q)  # a planar body's speeds do not depend on where it is
        model, reference = source.builder.model, source.builder.reference
        n_b = reference.ground
        self._position = np.array([[*x] for x in reference.positions])  # (n_b + 1, 3)
        self._R = np.array(reference.rotations)
        self._angles = np.array([reference.angle(b) for b in range(n_b + 1)])
        self._masses, self._index = system.arrays.masses, reference.index
        places = _Places([], [], [], {}, {})
        self._sides = {name: self._joint(places, name) for name in reference.joints}
        records = {driver.row: driver for driver in system.drivers}
        firsts, seconds, axes, absolute = [], [], [], []
        frame_axes = {name: k for k, name in enumerate("xyz")}
        for e in source.builder.rows.elements:
            joint = next((name for name, of in source.builder.rows.joints.items() if of.start <= e.row < of.stop), "")
            driver = records.get(e.row)
            name = joint or (driver.joint if driver is not None else None)
            if e.kind not in (POINT, ANGLE, IN_PLANE) or not name:
                raise ValueError("a row of another kind")
            block = reference.joints[name]
            first, second = self._sides[name]
            if joint:
                frames, back = block.frames(2), False
                primitive = {p.kind: p for p in block.rows(2)}[e.kind]
            else:
                coordinate = next(iter(block.driven(2)))
                frames, back = block.seat(coordinate, 2)
                primitive = block.DRIVES[coordinate][2]
            if primitive.value is None or primitive.kind != e.kind or back:
                raise ValueError("a row of another kind")
            firsts.append(first)
            seconds.append(second)
            axes.append(frames[0][frame_axes[primitive.a]])
            absolute.append(e.kind == ANGLE and not joint and e.geometry[6] == 0.0)
        self._bodies, self._local = np.array(places.bodies, int), np.array(places.local, float).reshape(-1, 3, 1)
        self._at = np.array([[0.0] * 3 if x is None else x for x in places.at], float).reshape(-1, 3)
        self._is_drawn = np.array([x is not None for x in places.at], bool)
        self._some_drawn = bool(self._is_drawn.any())
        self._named, self._drawn = places.named, places.drawn
        self._first, self._second = np.array(firsts, int), np.array(seconds, int)
        # where x and y of both places of a row stand among (places, 3) numbers
        self._ends_of_rows = np.column_stack([3 * self._first, 3 * self._first + 1, 3 * self._second, 3 * self._second + 1])
        self._axes = np.array(axes, float).reshape(-1, 3, 1)
        self._i, self._j = self._bodies[self._first], self._bodies[self._second]
        self._turn = np.where(absolute, 0.0, 1.0)
        self._geometry = system.arrays.geometry
        frames_of = [np.array(joint.frames(2)[1], float).T for joint in reference.joints.values()]
        self._frames = np.array(frames_of, float).reshape(-1, 3, 3)
        self._ends = np.array([second for _, second in self._sides.values()], int), np.array([f for f, _ in self._sides.values()], int)
        self._places: Floats | None = None  # of the last numbers that moved any
        self._starts = self._start_places(model)

    def _joint(self, places: _Places, name: str) -> tuple[int, int]:
        joint = self._source.builder.reference.joints[name]
        if joint.points is not None:
            first, second = (places.add(self._source, point, None, name) for point in joint.points)
        else:
            at = joint.places()
            first = places.add(self._source, Point(joint.first, None), at[0], name)
            second = places.add(self._source, Point(joint.second, None), at[1], name)
        return first, second

    def _start_places(self, model: Any) -> dict[str, int]:
        """Where each name of `initial` that is a speed of a body stands in v."""
        found: dict[str, int] = {}
        for b, name in enumerate(model.bodies):
            for k, axis in enumerate(("x", "y", "angle")):
                found[f"der({name}.{axis})"] = 3 * b + k
            found[f"{name}.angular_velocity"] = 3 * b + 2
        return found

    @classmethod
    def of(cls, source: Any, system: System, given: Given, fields: Fields | None) -> Self | None:
        """One for these fields that vary; None where they, or the model, are not of this kind."""
        if fields is None or not isinstance(source, Bodies) or not isinstance(source.builder.coordinates, AbsoluteCoordinates):
            return None
        builder = source.builder
        if not builder.reference.planar or builder.model.states:
            return None
        geometric = False
        for (section, _), values in fields.items():
            if section not in _FIELDS or not values.keys() <= _FIELDS[section]:
                return None
            geometric = geometric or section == "joints" or bool(values.keys() & _GEOMETRIC)
        if geometric and (builder.loads.lines or builder.relative.lines or builder.numbers):
            return None
        try:
            made = cls(source, system, given)
            starts = [made._starts[name] for name in builder.model.initial.values]  # KeyError: where a body is, or a vector
        except (ValueError, KeyError):
            return None
        return made if len(set(starts)) == len(starts) and made._is_same(fields) else None

    def _is_same(self, fields: Fields) -> bool:
        """Whether the file's own numbers give the assembled arrays, and the start that is given."""
        before = [array.copy() for array in self._system.arrays]
        given = self.fill(fields)
        same = all(np.array_equal(a, b) for a, b in zip(before, self._system.arrays, strict=True))
        for a, b in zip(before, self._system.arrays, strict=True):
            b[...] = a
        known = self._given
        return same and np.array_equal(given.q, known.q) and np.array_equal(given.speeds(given.q), known.speeds(known.q))

    def fill(self, fields: Fields) -> Given:
        """Put numbers into the arrays; returns the start that they give."""
        q, v = self._q.copy(), self._v.copy()
        moved = False
        for (section, name), values in fields.items():
            if section == "bodies":
                moved = self._body(self._index[name], name, values, q) or moved
            elif section == "joints":
                self._at[self._drawn[name], :2] = values["at"][:2]
                moved = True
            else:
                for key, value in values["values"].items():
                    v[self._starts[key]] = value
        if moved:
            self._write()
        given = self._given
        return Given(given.t, q, lambda _: v, given.fixed_q, given.fixed_v)

    def _body(self, b: int, name: str, values: Mapping[str, Any], q: Floats) -> bool:
        """Take the numbers of a body; whether its points moved."""
        for key, value in values.items():
            if key == "mass":
                self._masses[b, 0] = value
            elif key == "inertia":
                self._masses[b, 1] = value[2][2]
            elif key == "position":
                self._position[b, 0], self._position[b, 1] = q[3 * b], q[3 * b + 1] = value  # one by one: quicker than slices
            elif key == "angle":
                self._angles[b] = q[3 * b + 2] = value
                c, s = np.cos(value), np.sin(value)
                self._R[b, 0, 0] = self._R[b, 1, 1] = c
                self._R[b, 0, 1], self._R[b, 1, 0] = -s, s
            else:
                for point, at in value.items():
                    for place in self._named.get((name, point), ()):
                        self._local[place, 0, 0], self._local[place, 1, 0] = at
        return not _GEOMETRIC.isdisjoint(values)

    def _write(self) -> None:
        R, position = self._R.take(self._bodies, 0), self._position.take(self._bodies, 0)
        place = position + (R @ self._local)[..., 0]
        if self._some_drawn:
            place[self._is_drawn] = self._at[self._is_drawn]
        self._places = s = (R.transpose(0, 2, 1) @ (place - position)[..., None])[..., 0]
        g = self._geometry
        g[:, 0:4] = s.take(self._ends_of_rows)
        g[:, 4:6] = (self._R.take(self._i, 0).transpose(0, 2, 1) @ self._axes)[:, :2, 0]
        g[:, 6] = self._turn * (self._angles.take(self._j) - self._angles.take(self._i))

    def joint_records(self) -> list[JointRecord]:
        """As `Bodies.joint_records`."""
        if self._places is None:
            return self._system.joints
        second, first = self._ends
        axes = self._R[self._bodies[second]].transpose(0, 2, 1) @ self._frames
        return [
            replace(joint, first_point=self._places[first[k]], second_point=self._places[second[k]], second_axes=axes[k])
            for k, joint in enumerate(self._system.joints)
        ]
