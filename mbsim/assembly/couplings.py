"""Gears and racks -> rows over the relative coordinates of two joints (`mbsim.joints._coupling`)."""

from mbsim.assembly.builder import Builder
from mbsim.assembly.records import Element
from mbsim.elements.kinds import ABOUT, ALONG, COUPLING, STATE
from mbsim.joints._coupling import RowCoupling, Side


def add_couplings(builder: Builder) -> None:
    """The rows of a model's couplings, after those of joints and drivers. Raises ModelError."""
    rows, ground = builder.rows, builder.ground()
    for name, block in builder.model.couplings.items():
        if not isinstance(block, RowCoupling) or name in builder.locks.open:
            continue
        try:
            first, second = _relative(builder, block)
            (side_1, x_1), (side_2, x_2) = _side(builder, first), _side(builder, second)
            a, b, period = block.coefficients(side_1, side_2)
        except ValueError as error:
            builder.refuse(f"joints.{name}", str(error))
        geometry = [float(first), float(second), a, b, a * x_1 + b * x_2 + builder.locks.values.get(name, 0.0), period, *[0.0] * 10]
        rows.elements.append(Element(COUPLING, len(rows.names), ground, ground, -1, geometry))
        rows.names.append(name)


def _relative(builder: Builder, block: RowCoupling) -> list[int]:
    """Indices of the two relative coordinates. Raises ValueError where a joint has none of that name."""
    found = []
    for joint, coordinate in zip(block.joints, block.tied(), strict=True):
        if coordinate is None and "angle" in builder.reference.joints[joint].driven(builder.dimension):
            coordinate = "angle"
        found.append(builder.relative_coordinate(joint, coordinate))
    return found


def _side(builder: Builder, relative: int) -> tuple[Side, float]:
    """What a coupling is to know of a relative coordinate, and its value in the reference configuration."""
    line, coordinates = builder.relative.lines[relative], builder.coordinates
    if line.kind == STATE:
        return Side(coordinates.units[line.coordinate] == "rad", False), float(coordinates.q[line.coordinate])
    if line.kind == ABOUT:
        return Side(True, builder.dimension == 3), 0.0
    assert line.kind == ALONG
    return Side(False, False), builder.relative.displacement(relative)
