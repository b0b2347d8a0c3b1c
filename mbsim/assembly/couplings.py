"""Rows over relative coordinates: gears and racks, of those of two joints (`mbsim.joints._coupling`), and lengths of cables."""

from mbsim.assembly.builder import Builder
from mbsim.assembly.records import Element
from mbsim.assembly.ties import tied
from mbsim.constraints._table import SumConstraint
from mbsim.elements.kinds import COUPLING, TOTAL
from mbsim.joints._coupling import Flank, RowCoupling
from mbsim.model.fields import ItemError
from mbsim.model.file.errors import ModelError


def add_couplings(builder: Builder) -> None:
    """The rows of a model's couplings, after those of joints and drivers. Raises ModelError."""
    rows, ground = builder.rows, builder.ground()
    for name, block in builder.model.couplings.items():
        if not isinstance(block, RowCoupling) or name in builder.locks.open:
            continue
        (first, second), (a, b), drawn, period = tied(builder, name, block)
        constant = drawn + builder.locks.values.get(name, 0.0) + (block.bound if isinstance(block, Flank) else 0.0)
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
