"""The tables of a builder as the arrays that kernels read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mbsim.assembly.builder import Builder
from mbsim.contracts import Arrays
from mbsim.elements.kinds import acts_on, rows_of
from mbsim.system.arrays import width, zeros
from mbsim.system.system import Floats
from mbsim.system.tables import table_rows


class LoadLines(NamedTuple):
    """The tables of loads, of their laws and of relative coordinates, and what is said of each load."""

    coordinates: int  # how many of the relative coordinates
    tables: dict[str, np.ndarray]  # of Arrays, by name
    types: list[str]  # YAML words
    against: list[bool]  # as of System.load_against

    @classmethod
    def of(cls, builder: Builder) -> "LoadLines":
        """Those of a builder."""
        loads, relative, model = builder.loads.lines, builder.relative.lines, builder.model
        acting = model.acting()
        blocks = dict.fromkeys(model.beams, "beam") | dict.fromkeys(model.elastic, "elastic")
        types = [blocks.get(name) or acting[name].type for name in builder.loads.forces]
        reads = builder.laws.reads()
        tables = {
            "law_reads": np.array([read[:2] for read in reads], np.int64).reshape(-1, width("law_reads")),
            "law_numbers": np.array([number for _, _, number in reads], float),
            "loads": np.array([load[:4] for load in loads], np.int64).reshape(-1, width("loads")),
            "load_data": _rectangle([load.data for load in loads], width("load_data")),
            "relative": np.array([(r.kind, r.first, r.second, r.coordinate, r.speed) for r in relative], np.int64),
            "relative_data": _rectangle([r.data for r in relative], width("relative_data")),
        }
        tables["relative"] = tables["relative"].reshape(-1, width("relative"))
        return cls(len(relative), tables, types, [name in acting and acting[name].AGAINST for name in builder.loads.forces])


def body_arrays(builder: Builder, of_loads: LoadLines | None = None) -> Arrays:
    """The arrays of bodies, rows, loads and laws; those of a tree are empty. Raises TableError.

    `of_loads` are the lines of the builder's loads, where they are known.
    """
    if of_loads is None or of_loads.coordinates != len(builder.relative.lines):
        of_loads = LoadLines.of(builder)
    model, reference = builder.model, builder.reference
    laws, elements, relative = builder.laws, builder.rows.elements, builder.relative.lines
    n_b, n_rows = reference.ground, len(builder.rows.names)
    made = zeros(n_laws=len(laws.time) + len(laws.state), n_b=n_b, b=3 if reference.planar else 6, m=n_rows, n_relative=len(relative))
    for i, body in enumerate(model.bodies.values()):
        made.masses[i, 0] = body.mass
        made.masses[i, 1:] = [body.inertia_matrix[2][2], *[0.0] * 8] if reference.planar else np.reshape(body.inertia_matrix, -1)
    if reference.planar:  # the ground: at the origin, upright, at rest
        made.frames[n_b, 2] = 1.0
    else:
        made.frames[n_b, 3:12], made.frames[n_b, 18] = np.eye(3).reshape(-1), 1.0
    made.row_bodies[:] = -1
    for e in elements:
        if acts_on("rows", e.kind) == "bodies":
            made.row_bodies[e.row : e.row + rows_of(e.kind, reference.dimension)] = e.first, e.second
    return made._replace(
        parameters=np.array([*model.parameters.values(), *builder.numbers], float),
        gravity=np.array([*model.gravity, 0.0][:3], float),
        primitives=np.array([(e.kind, e.row, e.first, e.second, e.law) for e in elements], np.int64).reshape(-1, width("primitives")),
        geometry=_rectangle([e.geometry for e in elements], width("geometry")),
        row_shares=np.ones(n_rows),
        tables=table_rows(model.tables),
        **{name: table.copy() for name, table in of_loads.tables.items()},
    )


def _rectangle(rows: Sequence[Sequence[float]], columns: int) -> Floats:
    """The rows one below the other, the shorter ones filled with zeros; so many columns or more."""
    out = np.zeros((len(rows), max([columns, *map(len, rows)])))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out
