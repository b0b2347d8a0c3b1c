"""The tables of a builder as the arrays that kernels read."""

from collections.abc import Sequence

import numpy as np

from mbsim.assembly.builder import Builder
from mbsim.contracts import Arrays
from mbsim.elements.kinds import acts_on, rows_of
from mbsim.system.arrays import width, zeros
from mbsim.system.system import Floats
from mbsim.system.tables import table_rows


def body_arrays(builder: Builder) -> Arrays:
    """The arrays of bodies, rows, loads and laws; those of a tree are empty. Raises TableError."""
    model, reference = builder.model, builder.reference
    laws, elements, loads, relative = builder.laws, builder.rows.elements, builder.loads.lines, builder.relative.lines
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
        loads=np.array([load[:4] for load in loads], np.int64).reshape(-1, width("loads")),
        load_data=_rectangle([load.data for load in loads], width("load_data")),
        row_shares=np.ones(n_rows),
        relative=np.array([(r.kind, r.first, r.second, r.coordinate, r.speed) for r in relative], np.int64).reshape(-1, width("relative")),
        relative_data=_rectangle([r.data for r in relative], width("relative_data")),
        tables=table_rows(model.tables),
    )


def _rectangle(rows: Sequence[Sequence[float]], columns: int) -> Floats:
    """The rows one below the other, the shorter ones filled with zeros; so many columns or more."""
    out = np.zeros((len(rows), max([columns, *map(len, rows)])))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out
