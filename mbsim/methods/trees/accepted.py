"""What the methods for trees share: what follows an accepted step, the output row, the start. There are no constraint rows here."""

from mbsim.contracts import ACCEPT, EXPAND, OK, START
from mbsim.jit import kernel
from mbsim.kernels.linalg import copy
from mbsim.saddle.evaluation import fill_row, taken


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    """Keep q of the accepted z as taken; a tree has no constraints to correct. Returns the status code."""
    taken(system, arrays, work, z[work.v.shape[0] : z.shape[0] - 1])
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the accelerations that `rhs` finds there. Returns the status code."""
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    fill_row(z, work, row)
    return code


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Fill z[:n_v] with v. Returns the status code."""
    copy(v, z, 0)
    return OK
