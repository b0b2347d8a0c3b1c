"""What a unit needs for directional derivatives: the linearised equations of motion along one direction, as `mbsim.system.variations`.

The derivatives of an output row, [q; v; v_dot; lam; W], and of z_dot are exact. Outputs that are not numbers of a row follow the row along
its derivative by central differences of order 6.
"""

from dataclasses import dataclass

import numpy as np

from mbsim.analyses.stepping import Inside
from mbsim.contracts import ARRAYS, SYSTEM, Arrays
from mbsim.programs.memory import Call
from mbsim.programs.outputs import NotExportedError
from mbsim.system.system import Floats, System
from mbsim.system.tangents import variation
from mbsim.system.variations import TERMS, change_arrays, residuals, slopes, zero_terms

LARGEST = 1000  # speeds and rows: their matrix is 8 MB of each state of the unit that is kept


@dataclass(frozen=True)
class Derivatives:
    """The calls and their arrays. n speeds, m constraint rows."""

    left: Call  # the matrix of [v_dot; lam]
    along: Call  # the derivative of the residuals along a direction
    matrix: Floats  # (1, (n + m)^2) [M, -C'; C, 0] row by row
    xi: Floats  # (1, m)
    q_d: Floats  # (n_q,) the direction
    v_d: Floats  # (n,)
    twin: Arrays  # of which the parameters belong to it, too
    out: Floats  # (1, n + m + n_q + 1) the derivative of the residuals
    scratch: Floats  # of the elimination and of an output row: see c/derivatives.c
    pivots: np.ndarray  # (2 (n + m),) rows and columns in the order of the elimination


def why_without(system: System) -> str:
    """Why a system has no directional derivatives in a unit; empty where it has."""
    if system.slips.known:
        return "friction that depends on reactions has no exact derivatives"
    if (size := system.n_v + system.n_rows) > LARGEST:
        return f"directional derivatives take dense matrices, of {LARGEST} speeds and constraint rows at most (here {size})"
    return ""


def derivatives_of(inside: Inside, control: Floats, outputs: int) -> Derivatives:
    """`control` begins with the time. Raises NotExportedError for a system without linear equations."""
    system = inside.formulation.system
    if why := why_without(system):
        raise NotExportedError(f"{why}: leave --derivatives out")
    n, m, n_q = system.n_v, system.n_rows, system.n_q
    size, width = n + m, n + m + n_q + 1
    terms, change, twin = zero_terms(system), zero_terms(system), change_arrays(system.arrays, {})
    matrix, xi, out, ignored = (np.zeros((1, k)) for k in (size * size, m, width, width))
    q_d, v_d, time = np.zeros(n_q), np.zeros(n), control[:1]
    arrays = (ARRAYS, system.arrays)
    left = Call(residuals, ((SYSTEM, system.functions), arrays, (TERMS, terms), time, inside.row, matrix, xi, ignored))
    kernel_ = variation(system.functions, system.arrays)
    along = Call(slopes, (kernel_, arrays, (ARRAYS, twin), (TERMS, terms), (TERMS, change), time, inside.row, 0.0, q_d, v_d, out))
    scratch = np.zeros(4 * size + 2 * inside.row.shape[1] + 2 * outputs)
    return Derivatives(left, along, matrix, xi, q_d, v_d, twin, out, scratch, np.zeros(2 * size, np.int64))
