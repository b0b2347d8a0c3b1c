"""What the methods for trees share: what follows an accepted step, the output row, the start. There are no constraint rows here."""

from mbsim.jit import ACCEPT, COUNT_STEPS, EXPAND, OK, START, kernel
from mbsim.kernels.linalg import clear, copy


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    n = work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    work.counts[COUNT_STEPS] += 1
    if q.shape[0] != n:  # quaternions back to unit length
        clear(work.vectors[5])
        system.move(arrays, q, work.vectors[5])
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    n = work.v.shape[0]
    n_q = z.shape[0] - 1 - n
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    row[row.shape[0] - 1] = z[n + n_q]
    return code


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    copy(v, z, 0)
    return OK
