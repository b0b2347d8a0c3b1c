"""`Arrays`: what a system is made of, as the arrays that its kernels read. The extents stand behind the types, declared once."""

from typing import Annotated, ClassVar, NamedTuple

from mbsim.jit.extents import declared
from mbsim.jit.signatures import Array, Block, Matrix, Packed, Table, Vector


class _Arrays(NamedTuple):
    parameters: Annotated[Vector, "n_parameters"]  # the user's, in the file's order
    laws: Annotated[Matrix, "n_laws", 3]  # value, first and second time derivative of each law at the last evaluation
    law_reads: Annotated[Table, "n_law_reads", 2]  # of laws that are a parameter or a number: the law, the parameter (-1: the number)
    law_numbers: Annotated[Vector, "n_law_reads"]  # their numbers
    masses: Annotated[Matrix, "n_b", 10]  # mass, inertia about the centre of mass in body axes, row by row (planar: [1] only)
    gravity: Annotated[Vector, 3]  # m/s2
    frames: Annotated[Matrix, "n_b + 1", "frame_columns.COLUMNS"]  # of each body, last the ground: pose and velocity at the last evaluation
    primitives: Annotated[Table, "n_primitives", 5]  # kind, first row, first body, second body, law (-1: none)
    geometry: Annotated[Matrix, "n_primitives", 16]  # points, vectors in body axes; [7], [15]: a constant; more for sums, boxes
    loads: Annotated[Table, "n_loads", 4]  # kind, first body, second body, first law (-1: constant)
    load_data: Annotated[Matrix, "n_loads", 9]  # points in body axes and constants of each load; more columns where a kind has more
    jacobian: Annotated[Matrix, "m", "2 * b"]  # the two body blocks of each row of C
    row_bodies: Annotated[Table, "m", 2]  # their bodies; n_b: ground, -1: a row of the user's equation or of a joint coordinate
    row_shares: Annotated[Vector, "m"]  # of each row of C at the last evaluation, what has not cancelled: kernels.linalg.divisor
    # in joint coordinates only, else empty
    tree: Annotated[Table, "n_nodes", "tree_columns.COLUMNS"]  # motions of the joints, parents first
    tree_data: Annotated[Matrix, "n_nodes", "tree_columns.CONSTANTS"]  # their geometry and inertia, constant
    tree_work: Annotated[Matrix, "n_nodes", "tree_columns.WORK"]  # what was found at the last evaluation, and a method's scratch
    wrenches: Annotated[Vector, "b * n_laden"]  # loads on the bodies; n_laden is n_b, or 0 where there are none
    # of models with relative coordinates, else empty: scalars between two bodies that loads act along and laws read (elements/relative)
    relative: Annotated[Table, "n_relative", 5]  # kind, bodies, coordinate and speed (of a STATE, else -1 and kernels.relative.WHEN)
    relative_data: Annotated[Matrix, "n_relative", 24]  # as in geometry; of an ABOUT from 16 on the axes in both bodies, as quaternions
    relative_values: Annotated[Matrix, "n_relative", "relative.GRADIENT + 2 * b"]  # kernels.relative: value, its rates, effort; gradient
    # of a run with events, else empty: those for which no code is made, then those that share a loop (system/event_reads.py)
    event_reads: Annotated[Table, "n_event_reads", "event_columns"]  # line of Work.events, what it reads and which; more for loops
    event_numbers: Annotated[Matrix, "n_event_reads", "event_constants"]  # the numbers in its expression
    tables: Annotated[Matrix, "n_tables", "tables.COLUMNS"]  # a row for each of the user's tables, then the pieces of their splines


class Arrays(Packed, _Arrays):
    """What a system is made of. Constant in a run but for `laws`, `frames`, `jacobian`, `row_shares`, `tree_work`, `wrenches`,
    `relative_values`: scratch.

    `n_b` bodies, `b` = 3 (planar) or 6 (spatial) speeds a body, `m` rows of C. Index `n_b` in `frames` is the ground. The widths that
    modules of `mbsim.kernels` count are named by these (`mbsim.system.arrays`).
    """

    extents: ClassVar[dict[str, tuple[Array, tuple[str | int, ...]]]]


ARRAYS = Arrays.block = Block(Arrays)
Arrays.extents = declared(Arrays)
