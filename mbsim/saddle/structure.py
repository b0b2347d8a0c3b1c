"""What the symbolic phases ask of a system of bodies, as plain data; `mbsim.system.structure` makes it.

Bodies are numbered, and the number behind the last one is the ground.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Curvature(NamedTuple):
    """How a row of an equation of the user's changes with a displacement: an entry of it, or all of C v + xi."""

    row: int
    speed: int  # the column of C; -1: it is C v + xi at constant v, of an equation that is nonholonomic
    along: int  # which displacement


class WideRows(NamedTuple):
    """Rows of C that may touch more than two bodies, of couplings and of equations of the user's, and what a step takes of their tangents.

    Such a row is a group of its own. It is eliminated after all bodies on the ways from its ends to the body that the ends have in common:
    while that body rests the bodies after it can still follow the row. A coupling ends at the bodies of its two relative coordinates. An
    equation is about coordinates of bodies, so that it also ends at the ground.
    """

    ends: dict[int, list[int]]  # row -> bodies
    ties: list[tuple[int, int, int]]  # of couplings: relative coordinate, index in Arrays.primitives, which of theirs it is
    curvatures: list[Curvature]  # of equations


class LawRead(NamedTuple):
    """What a law or the rate of a state reads, which is an unknown of its own."""

    unknown: int
    what: int  # READ_COORDINATE and the others of `columns.py`
    number: int
    of_state: bool  # whether it is a rate
    bodies: list[int]
    state: int  # that it reads; -1: none


class Push(NamedTuple):
    """A load that follows a law."""

    unknown: int
    load: int
    law: int
    bodies: list[int]


class Extras(NamedTuple):
    """States of the user's, and laws that read the state of the system, as unknowns."""

    unknowns: int  # the states come first
    reads: list[LawRead]
    pushes: list[Push]


class Couplings(NamedTuple):
    """What couples bodies in the tangents."""

    pairs: list[tuple[int, int]]  # the bodies of the rows' elements, of the loads on bodies and of the relative coordinates, in this order
    along: list[tuple[int, int]]  # loads along relative coordinates: which coordinate, which load


class Structure(NamedTuple):
    """Bodies in absolute coordinates."""

    speeds: int  # of a body: 3 in the plane, 6 in space
    bodies: tuple[str, ...]
    rows: int
    row_bodies: NDArray[np.int64]  # (rows, 2), -1 where a row may touch any
    joints: list[tuple[int, int]]  # first row and number of rows of each joint and driver
    driven: frozenset[int]  # rows of drivers
    pins: frozenset[int]  # first rows of two points of planar bodies that are held together
    couplings: Couplings
    wide: WideRows | None  # None: there are rows of which it is not known what they touch
    extras: Extras | None  # None: it is not known what the laws read


class TreeStructure(NamedTuple):
    """Bodies in joint coordinates, with constraint rows."""

    speeds: int  # of a body in absolute coordinates
    rows: int
    before: list[int]  # of a body the one that is nearer to the ground
    joint_speeds: list[list[int]]  # of the joint that carries a body
    closing: list[tuple[int, int, tuple[int, ...]]]  # two bodies, and the rows of a joint between them
    row_speeds: dict[int, list[int]]  # rows that are about joint coordinates -> the columns of C that are not always zero
    couplings: Couplings

    @property
    def columns(self) -> int:
        """The number of speeds of all joints."""
        return sum(map(len, self.joint_speeds))
