"""The pencil of coupled stages of a system by blocks of bodies: its arrays and kernels (`mbsim.saddle.pencils`)."""

from typing import Any

import numpy as np

from mbsim.contracts import PencilArrays
from mbsim.integrators._staged import pencil
from mbsim.kernels import frame_columns
from mbsim.march.flow_blocks import order_of
from mbsim.saddle import columns as col
from mbsim.saddle.lines import lines_of
from mbsim.saddle.pencils import pencil_of
from mbsim.system.block_tangents import block_tangent_of
from mbsim.system.law_reads import slopes
from mbsim.system.system import System
from mbsim.system.work import may_lose_rank


def block_pencil(system: System, modes: int) -> tuple[PencilArrays, Any, int]:
    """The pencil of so many matrices, its kernels, and how many unknowns a stage has."""
    n, m, arrays, tree = system.n_v, system.n_rows, system.arrays, system.in_joint_coordinates
    plan, of_speed, of_row = order_of(system)
    b, n_b, size = (3 if system.dimension == 2 else 6), len(system.bodies), len(plan.slots)
    functions = system.functions._replace(tangent=block_tangent_of(system), **({} if tree else {"slopes": slopes(system)}))
    dense = tree or lines_of(plan.table, col.WIDE) > 0  # whether C is known as a matrix
    rank = m if may_lose_rank(system) else 0
    made = pencil(
        functions,
        plan.places,
        size,
        modes,
        table=plan.table,
        of_speed=np.ascontiguousarray(of_speed, np.int64),
        of_row=np.ascontiguousarray(of_row, np.int64),
        dropped=np.zeros(m, np.int64),
        **{name: np.zeros(plan.places) for name in ("rigid", "damping", "stiffness")},
        time=np.zeros(1),
        power=np.zeros(1),
        C=np.zeros((m, n) if dense else (0, 0)),
        xi=np.zeros(m),
        h=np.zeros(n),
        eta=np.zeros(m),
        force=np.zeros(n),
        side=np.zeros(m),
        frames=np.zeros((n_b + 1, frame_columns.COLUMNS)),
        relative_values=np.zeros(arrays.relative_values.shape),
        laws=np.zeros((len(arrays.laws), 3)),
        jacobian=np.zeros((m, 2 * b)),
        body_q=np.zeros((3 if b == 3 else 7) * n_b if tree else system.n_q),
        body_v=np.zeros(b * n_b),
        slopes=np.zeros(plan.slopes),
        spare=np.zeros((4, b * n_b + m + 16)),
        local=np.zeros((2 * b, 2 * b)),
        rows=np.zeros((rank, n if rank else 0)),
        coefficients=np.zeros((rank, rank)),
        row_order=np.zeros(rank, np.int64),
    )
    return made, pencil_of(tree), n + m
