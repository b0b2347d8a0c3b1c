"""Rows over relative coordinates: gears and racks, of those of two joints (`mbsim.joints._coupling`), and lengths of cables."""

from mbsim.assembly.builder import Builder
from mbsim.assembly.records import Element
from mbsim.constraints._table import SumConstraint
from mbsim.elements.kinds import ABOUT, ALONG, COUPLING, STATE, TOTAL
from mbsim.joints._coupling import RowCoupling, Side
from mbsim.model.fields import ItemError
from mbsim.model.file.errors import ModelError


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
        constant = a * x_1 + b * x_2 + builder.locks.values.get(name, 0.0)
        geometry = [2.0, constant, period, float(first), a, float(second), b]
        rows.elements.append(Element(COUPLING, len(rows.names), ground, ground, -1, geometry))
        rows.names.append(name)


def add_sums(builder: Builder) -> None:
    """The rows of constraints over relative coordinates. Raises ModelError."""
    rows, ground = builder.rows, builder.ground()
    for name, constraint in builder.model.constraints.items():
        if not isinstance(constraint, SumConstraint) or name in builder.locks.open:
            continue
        builder.acting = name
        try:
            sums = constraint.sums(builder)
        except ItemError as error:
            raise ModelError([builder.model.problem(("constraints", name, *error.path), str(error))]) from error
        for row in sums:
            label = f"{name}.{row.label}" if row.label else name
            constant = row.constant + builder.locks.values.get(label, 0.0)
            geometry = [float(len(row.terms)), constant, row.period, *(float(x) for term in row.terms for x in term)]
            rows.elements.append(Element(TOTAL, len(rows.names), ground, ground, row.law, geometry))
            rows.names.append(label)


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
