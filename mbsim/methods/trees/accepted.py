"""What the methods for trees share: what follows an accepted step, the output row, the start. There are no constraint rows here."""

from mbsim.contracts import ACCEPT, EXPAND, OK, START
from mbsim.jit import kernel
from mbsim.kernels.linalg import copy
from mbsim.saddle.evaluation import fill_row, taken


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    taken(system, arrays, work, z[work.v.shape[0] : z.shape[0] - 1])
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    fill_row(z, work, row)
    return code


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    copy(v, z, 0)
    return OK
