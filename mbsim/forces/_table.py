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
    data: list[float]  # of the plain kinds: [point on first (3), point on second or constant value (3), stiffness, damping, free length]


class Geometry(Protocol):
    """What the assembler tells a force about the mechanism as the file draws it."""

    def place(self, point: Point, at: Sequence[float] | None) -> tuple[int, list[float]]:
        """Body index, and the point in body axes from its centre of mass: the named one, or the one at `at` (global)."""

    def locate(self, point: Point, at: Sequence[float] | None) -> list[float]:
        """The same point in the global frame."""

    def effort(self, joint: str, coordinate: str | None, law: int, constants: Sequence[float]) -> Load:
        """A load along a joint's coordinate (None: its only one). Raises ValueError where the joint has none of that name."""

    def gauge(self, joint: str, coordinate: str | None) -> int:
        """Index of the gauge of a joint's coordinate (None: its only one), made when it is first asked for. Raises ValueError likewise."""

    def length_gauge(self, first: tuple[int, Sequence[float]], second: tuple[int, Sequence[float]]) -> int:
        """Index of the gauge of the distance between two points, each a body's index and a point in its axes as `place` gives them."""

    def ground(self) -> int:
        """Index of the ground."""

    def law(self, values: Sequence[Expression]) -> tuple[int, list[float]]:
        """Index of the first of these laws and zeros, or -1 and the constant values; always three."""
