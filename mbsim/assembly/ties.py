"""What couplings keep, such as gears: their relative coordinates, factors, and the sum as drawn (`mbsim.joints._coupling`)."""

from dataclasses import replace
from typing import Any, NoReturn, Protocol

from mbsim.assembly.reference import ReferenceConfiguration
from mbsim.assembly.relative import RelativeCoordinates
from mbsim.elements.kinds import ABOUT, ALONG, STATE, TURNED
from mbsim.forces._table import Tie
from mbsim.joints._coupling import Flank, RowCoupling, Side


class Asked(Protocol):
    """What is asked of the builder."""

    reference: ReferenceConfiguration
    relative: RelativeCoordinates
    coordinates: Any  # units and q of those of a tree

    @property
    def dimension(self) -> int: ...

    def relative_coordinate(self, joint: str, coordinate: str | None) -> int: ...

    def refuse(self, path: str, message: str) -> NoReturn: ...


def tie(builder: Asked, name: str, block: RowCoupling) -> Tie:
    """What a coupling of a name keeps, whose coordinates laws read from now on. Raises ModelError."""
    places, factors, drawn, period = tied(builder, name, block)
    for k, place in enumerate(places):
        line = builder.relative.lines[place]
        kind = TURNED if line.kind == ABOUT else line.kind
        builder.relative.line(f"{name}.turned{k}", replace(line, kind=kind))
    first, second = (_coordinate(builder, joint, x) for joint, x in zip(block.joints, block.tied(), strict=True))
    return Tie(factors, drawn, period, (first, second))


def tied(builder: Asked, name: str, block: RowCoupling) -> tuple[list[int], tuple[float, float], float, float]:
    """The relative coordinates of a coupling, their factors, the sum as drawn, and its period. Raises ModelError."""
    try:
        first, second = _relative(builder, block)
        (side_1, x_1), (side_2, x_2) = _side(builder, first), _side(builder, second)
        a, b, period = block.coefficients(side_1, side_2)
    except ValueError as error:
        builder.refuse(f"joints.{block.name if isinstance(block, Flank) else name}", str(error))
    return [first, second], (a, b), a * x_1 + b * x_2, period


def _relative(builder: Asked, block: RowCoupling) -> list[int]:
    """Indices of the two relative coordinates. Raises ValueError where a joint has none of that name."""
    return [builder.relative_coordinate(joint, _coordinate(builder, joint, x)) for joint, x in zip(block.joints, block.tied(), strict=True)]


def _coordinate(builder: Asked, joint: str, given: str | None) -> str | None:
    """The coordinate of a joint: the one that is given, else its angle; None: its only one."""
    turns = given is None and "angle" in builder.reference.joints[joint].driven(builder.dimension)
    return "angle" if turns else given


def _side(builder: Asked, relative: int) -> tuple[Side, float]:
    """What a coupling is to know of a relative coordinate, and its value in the reference configuration."""
    line, coordinates = builder.relative.lines[relative], builder.coordinates
    if line.kind == STATE:
        return Side(coordinates.units[line.coordinate] == "rad", False), float(coordinates.q[line.coordinate])
    if line.kind == ABOUT:
        return Side(True, builder.dimension == 3), 0.0
    assert line.kind == ALONG
    return Side(False, False), builder.relative.displacement(relative)
