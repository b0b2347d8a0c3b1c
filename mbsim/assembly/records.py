"""What is known so far of a system of bodies: lines of its tables, kept as records until `Arrays` are made of them.

Body indices go from 0 to the number of bodies, which is that of the ground.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mbsim.constraints._table import Row
from mbsim.forces._table import Load
from mbsim.model.names import owner
from mbsim.system.system import DriverRecord, Floats

CONSTANT = {2: 7, 3: 15}  # place of a row's constant in `Element.geometry`, by dimension


class Poses(NamedTuple):
    """The poses of the bodies at one configuration."""

    centres: Floats  # (n_b, 3) m
    axes: Floats  # (n_b, 3, 3) in columns
    angles: Floats  # (n_b,) rad, of planar bodies; else zero

    def place(self, body: int, point: Floats) -> Floats:
        """Global place of points (..., 3) in axes of a body."""
        return np.asarray(self.centres[body] + point @ self.axes[body].T)


@dataclass(frozen=True)
class Locks:
    """What does not hold of what comes and goes, and how what was locked during a run does."""

    open: frozenset[str] = frozenset()
    poses: Mapping[str, Poses] = field(default_factory=dict)  # of the bodies when a joint was locked
    values: Mapping[str, float] = field(default_factory=dict)  # by rows: what drivers, equations and couplings keep in place of zero

    def without(self, names: Collection[str]) -> "Locks":
        """The same with these open."""
        at = {name: pose for name, pose in self.poses.items() if name not in names}
        return Locks(self.open | frozenset(names), at, {row: value for row, value in self.values.items() if owner(row) not in names})

    def same_as(self, other: "Locks") -> bool:
        """Whether systems with either are the same: of one moment, where joints were locked."""
        alike = self.open == other.open and self.values == other.values and self.poses.keys() == other.poses.keys()
        return alike and all(other.poses[name] is pose for name, pose in self.poses.items())


@dataclass
class Element:
    """A constraint primitive between two bodies: a line of Arrays.primitives and of Arrays.geometry."""

    kind: int
    row: int  # of C, its first
    first: int  # body index
    second: int  # body index
    law: int  # index of its first time law, -1: none
    geometry: list[float]  # (16,) points (m) and unit vectors in body axes, constants


@dataclass
class RowTable:
    """The rows of C and what they are made of."""

    elements: list[Element] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of the rows of C
    joints: dict[str, slice] = field(default_factory=dict)  # the rows of each joint that rows keep
    late: list[tuple[str, Row]] = field(default_factory=list)  # name and row at velocity level; these stand behind all others
    drivers: list[DriverRecord] = field(default_factory=list)
    n_holonomic: int = 0  # how many rows have a phi, known when all are there


@dataclass
class LoadTable:
    """The loads of all forces."""

    lines: list[Load] = field(default_factory=list)
    forces: list[str] = field(default_factory=list)  # the force that each line belongs to
    angles: dict[int, tuple[str, str]] = field(default_factory=dict)  # see System.angles


@dataclass
class RelativeCoordinate:
    """A scalar between two bodies, or a coordinate of a tree: a line of Arrays.relative and of Arrays.relative_data."""

    kind: int
    first: int  # body index
    second: int  # body index
    coordinate: int = -1  # place in q, of a coordinate of a tree
    speed: int = -1  # place in v, likewise
    data: list[float] = field(default_factory=lambda: [0.0] * 24)  # as `Element.geometry`; of an angle in space its axes from 16 on
