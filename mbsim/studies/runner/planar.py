"""Planar bodies whose numbers change in place: only what the blocks that vary reach is computed again, for all places at once.

It takes models of bodies, joints and drivers in absolute coordinates in which numbers of bodies, of joints' places, of gravity and of
`initial` vary, and loads none of which depends on the drawing. The arithmetic is that of `mbsim.assembly.reference`, so the numbers are the
same bits: the arrays that it makes of the file's own numbers, and of others near them (`InPlace`), are compared with the assembled ones,
and where they differ it is not used. The plain way is `InPlace.fill` without it. Where lengths of the four-bar vary it saves 8 % of a study
over 1 s and a third of one over 0.1 s (docs/benchmarks-studies.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
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
_FIELDS = {"bodies": {"mass", "inertia", "position", "angle", "points"}, "joints": {"at"}, "initial": {"values"}, "gravity": {"vector"}}
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
        self._R = np.array(reference.rotations)
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
        self._hold(places)
        self._some_drawn = bool(self._is_drawn.any())
        one, two = np.array(firsts, int), np.array(seconds, int)
        self._i, self._j = self._bodies[one], self._bodies[two]
        # of every place its arm, and of every row its axis, in the axes of their bodies
        k = len(self._bodies)
        self._whose = np.concatenate([self._bodies, self._i])
        self._arms = np.concatenate([np.zeros((k, 3, 1)), np.array(axes, float).reshape(-1, 3, 1)])
        # where x and y of both places of a row, and of its axis, stand among these numbers
        rows = 3 * (k + np.arange(len(one)))
        self._taken = np.column_stack([3 * one, 3 * one + 1, 3 * two, 3 * two + 1, rows, rows + 1])
        self._turn = np.where(absolute, 0.0, 1.0)
        self._geometry = system.arrays.geometry
        frames_of = [np.array(joint.frames(2)[1], float).T for joint in reference.joints.values()]
        self._frames = np.array(frames_of, float).reshape(-1, 3, 3)
        self._ends = np.array([second for _, second in self._sides.values()], int), np.array([f for f, _ in self._sides.values()], int)
        self._places: Floats | None = None  # of the last numbers that moved any
        self._starts = self._start_places(model)

    def _hold(self, places: _Places) -> None:
        """All numbers of the drawing in one piece of memory, so that many are put there at once."""
        reference, bodies, k = self._source.builder.reference, self._source.builder.reference.ground + 1, len(places.bodies)
        self._bodies, self._named, self._drawn = np.array(places.bodies, int), places.named, places.drawn
        self._is_drawn = np.array([x is not None for x in places.at], bool)
        ends = np.cumsum([0, 3 * bodies, bodies, 3 * k, 3 * k, 2 * len(self._masses), 2])
        self._pool = np.zeros(ends[-1])
        parts = [self._pool[a:b] for a, b in pairwise(ends.tolist())]
        self._begins = dict(zip(("position", "angle", "points", "at", "masses", "gravity"), ends.tolist(), strict=False))
        self._position, self._angles = parts[0].reshape(-1, 3), parts[1]
        self._local, self._at, self._new_masses = parts[2].reshape(-1, 3, 1), parts[3].reshape(-1, 3), parts[4].reshape(-1, 2)
        self._new_gravity, self._gravity = parts[5], self._system.arrays.gravity
        self._new_gravity[:] = self._gravity[:2]
        self._position[:] = reference.positions
        self._angles[:] = [reference.angle(b) for b in range(bodies)]
        self._local[:, :, 0] = places.local
        self._at[:] = [[0.0] * 3 if x is None else x for x in places.at]
        self._new_masses[:] = self._masses[:, :2]

    def _follow(self, fields: Fields) -> None:
        """Note where the numbers of these fields stand in the pool, in their order; a point may be at several places. Raises KeyError."""
        found: list[tuple[int, ...]] = []
        begins = self._begins

        def both(begin: str, places: list[int]) -> None:
            found.extend(tuple(begins[begin] + 3 * place + axis for place in places) for axis in (0, 1))

        for (section, name), values in fields.items():
            for key, value in values.items():
                if section == "joints":
                    both("at", self._drawn[name])
                elif section == "gravity":
                    found.extend((begins["gravity"] + axis,) for axis in (0, 1))
                elif key == "points":
                    for point in value:
                        both("points", self._named.get((name, point), []))
                elif key == "position":
                    both("position", [self._index[name]])
                elif key == "angle":
                    found.append((begins["angle"] + self._index[name],))
                elif section == "bodies":
                    found.append((begins["masses"] + 2 * self._index[name] + (key == "inertia"),))
        self._where = np.array([place for places in found for place in places], int)
        self._which = np.array([k for k, places in enumerate(found) for _ in places], int)
        self._is_moved = any(section == "joints" or not _GEOMETRIC.isdisjoint(values) for (section, _), values in fields.items())
        self._falls = any(section == "gravity" for section, _ in fields)
        self._weighs = any(not values.keys().isdisjoint(("mass", "inertia")) for values in fields.values())

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
    def of(cls, source: object, system: System, given: Given, fields: Fields | None) -> Self | None:
        """One for these fields that vary; None where they, or the model, are not of this kind."""
        if fields is None or not isinstance(source, Bodies) or not isinstance(source.builder.coordinates, AbsoluteCoordinates):
            return None
        builder = source.builder
        if not builder.reference.planar or builder.model.states:
            return None
        if any(section not in _FIELDS or not values.keys() <= _FIELDS[section] for (section, _), values in fields.items()):
            return None
        try:
            made = cls(source, system, given)
            made._follow(fields)
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
        """Put numbers into the arrays; returns the start that they give. The fields are those that it was made for."""
        v, found = self._v.copy(), list[float]()
        for values in fields.values():
            for key, value in values.items():
                if key == "values":
                    for name, speed in value.items():
                        v[self._starts[name]] = speed
                elif key in ("mass", "angle"):
                    found.append(value)
                elif key == "points":
                    for at in value.values():
                        found += at[:2]
                elif key == "inertia":
                    found.append(value[2][2])
                else:  # a body's position, a joint's `at`, gravity
                    found += value[:2]
        if found:
            self._pool[self._where] = np.array(found).take(self._which)
        if self._weighs:
            self._masses[:, :2] = self._new_masses
        if self._falls:
            self._gravity[:2] = self._new_gravity
        given, q = self._given, self._q.copy()
        if self._is_moved:
            n = len(self._angles) - 1
            poses = q[: 3 * n].reshape(n, 3)
            poses[:, :2], poses[:, 2] = self._position[:n, :2], self._angles[:n]
            self._write()
        return Given(given.t, q, lambda _: v, given.fixed_q, given.fixed_v, given.held_q, given.held_v)

    def _write(self) -> None:
        angles, R = self._angles[:-1], self._R
        R[:-1, 0, 0] = R[:-1, 1, 1] = np.cos(angles)
        R[:-1, 1, 0] = s = np.sin(angles)
        R[:-1, 0, 1] = -s
        of_all, k = R.take(self._whose, 0), len(self._bodies)
        position = self._position.take(self._bodies, 0)
        place = position + (of_all[:k] @ self._local)[..., 0]
        if self._some_drawn:
            place[self._is_drawn] = self._at[self._is_drawn]
        self._arms[:k, :, 0] = place - position
        found = (of_all.transpose(0, 2, 1) @ self._arms)[..., 0]
        self._places = found[:k]
        g = self._geometry
        g[:, :6] = found.take(self._taken)
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
