"""What the printed equations of Shui & Zhang and of Shui share: a solution of C a = -eta across the held V2, and when V2 is renewed.

Positions are corrected after each step as in `svd`. Singular positions are not gone through. `singular/decomposition.py` has the notation.
"""

from mbsim.contracts import STATUS_RANK
from mbsim.jit import helper
from mbsim.kernels.linalg import eliminated_solve
from mbsim.saddle.evaluation import taken
from mbsim.singular.decomposition import HELD, LIMIT, PAPER, PAPER_LIMIT, RENEW
from mbsim.singular.turning import columns


@helper
def without_speeds(work, held, k, a):
    """a (n,) less what it has along the independent speeds: C a stays as it is, and V2' a = 0."""
    V2, N, x, columns, scales = held.V2, held.N, held.x, held.columns, work.scales
    n = a.shape[0]
    for i in range(k):
        b, s = held.exchanged[i], 0.0
        for j in range(n):
            s += V2[b, j] * (a[columns[j]] / scales[columns[j]])
        x[i] = s
    eliminated_solve(held.T, k, x)
    for i in range(k):
        for j in range(n):
            a[j] -= N[i, j] * x[i]


@helper
def correct_positions(project, system, arrays, work, t, z):
    """After an accepted step: corrects positions; returns the code, and whether V2 is to be renewed."""
    n = work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    taken(system, arrays, work, q)
    code = project(system, arrays, work, t, q, z[:0])  # velocities satisfy their constraints already
    turned = columns(work, HELD(work), n - work.status[STATUS_RANK], HELD(work).W)  # of the last stage: near enough to the end of the step
    limit = PAPER_LIMIT if work.settings[RENEW] == PAPER else work.settings[LIMIT]
    return code, not turned <= limit * limit
