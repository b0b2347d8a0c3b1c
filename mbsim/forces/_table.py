"""What the forces share: a force is rows of loads over the kernels' kinds (`mbsim.kernels.primitives`), placed by a Geometry."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from mbsim.model.expressions import Expression
from mbsim.model.fields import Point


class Load(NamedTuple):
    """One line of the load table. Body index = number of bodies: the ground."""

    kind: int
    first: int
    second: int
    law: int  # index of the first law, -1: the values are constant
    data: list[float]  # 9 numbers: [point on first (3), point on second or constant value (3), stiffness, damping, free length]


class Geometry(Protocol):
    """What the assembler tells a force about the mechanism as the file draws it."""

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]:
        """Body index, and the point in body axes from its centre of mass: the named one, or the one at `at` (global)."""

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """The same point in the global frame."""

    def coordinate(self, joint: str, coordinate: str | None) -> int:
        """Index of the speed of a joint's coordinate (None: its only one), in joint coordinates."""

    def ground(self) -> int:
        """Index of the ground."""

    def law(self, values: Sequence[Expression]) -> tuple[int, list[float]]:
        """Index of the first of these laws and zeros, or -1 and the constant values; always three."""
