"""The tables of a builder as the arrays that kernels read."""

from collections.abc import Sequence

import numpy as np

from mbsim.assembly.builder import Builder
from mbsim.elements.kinds import acts_on, rows_of
from mbsim.jit import Arrays
from mbsim.kernels import frame_columns
from mbsim.system.system import Floats, no_tree
from mbsim.system.tables import table_rows

TREE_ARRAYS = ("tree", "tree_data", "tree_work", "wrenches")


def body_arrays(builder: Builder) -> Arrays:
    """The arrays of bodies, rows, loads and laws; those of a tree are empty. Raises TableError."""
    model, reference = builder.model, builder.reference
    laws, elements, loads, relative = builder.laws, builder.rows.elements, builder.loads.lines, builder.relative.lines
    n_b, n_rows = reference.ground, len(builder.rows.names)
    masses = np.zeros((n_b, 10))
    for i, body in enumerate(model.bodies.values()):
        masses[i, 0] = body.mass
        masses[i, 1:] = [body.inertia_matrix[2][2], *[0.0] * 8] if reference.planar else np.reshape(body.inertia_matrix, -1)
    frames = np.zeros((n_b + 1, frame_columns.COLUMNS))  # the last row is the ground: at the origin, upright, at rest
    if reference.planar:
        frames[n_b, 2] = 1.0
    else:
        frames[n_b, 3:12], frames[n_b, 18] = np.eye(3).reshape(-1), 1.0
    b = 3 if reference.planar else 6
    row_bodies = np.full((n_rows, 2), -1, np.int64)
    for e in elements:
        if acts_on("rows", e.kind) == "bodies":
            row_bodies[e.row : e.row + rows_of(e.kind, reference.dimension)] = e.first, e.second
    return Arrays(
        parameters=np.array([*model.parameters.values(), *builder.numbers], float),
        laws=np.zeros((len(laws.time) + len(laws.state), 3)),
        masses=masses,
        gravity=np.array([*model.gravity, 0.0][:3], float),
        frames=frames,
        primitives=np.array([(e.kind, e.row, e.first, e.second, e.law) for e in elements], np.int64).reshape(-1, 5),
        geometry=np.array([e.geometry for e in elements], float).reshape(-1, 16),
        loads=np.array([load[:4] for load in loads], np.int64).reshape(-1, 4),
        load_data=_rectangle([load.data for load in loads], 9),
        jacobian=np.zeros((n_rows, 2 * b)),
        row_bodies=row_bodies,
        row_shares=np.ones(n_rows),
        **dict(zip(TREE_ARRAYS, no_tree(), strict=True)),
        relative=np.array([(r.kind, r.first, r.second, r.coordinate, r.speed) for r in relative], np.int64).reshape(-1, 5),
        relative_data=_rectangle([r.data for r in relative], 24),
        relative_values=np.zeros((len(relative), 5 + 2 * b)),
        tables=table_rows(model.tables),
    )


def _rectangle(rows: Sequence[Sequence[float]], width: int) -> Floats:
    """The rows one below the other, the shorter ones filled with zeros; `width` columns or more."""
    out = np.zeros((len(rows), max([width, *map(len, rows)])))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out
