"""What is known so far of a system of bodies: lines of its tables, kept as records until `Arrays` are made of them.

Body indices go from 0 to the number of bodies, which is that of the ground.
"""

from dataclasses import dataclass, field

from mbsim.constraints._table import Row
from mbsim.forces._table import Load
from mbsim.system.system import DriverRecord

CONSTANT = {2: 7, 3: 15}  # place of a row's constant in `Element.geometry`, by dimension


@dataclass
class Element:
    """A constraint primitive between two bodies: a line of Arrays.primitives and of Arrays.geometry."""

    kind: int
    row: int  # of C, its first
    first: int  # body index
    second: int  # body index
    law: int  # index of its first time law, -1: none
    geometry: list[float]  # (16 or more) points (m) and unit vectors in body axes, constants


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
