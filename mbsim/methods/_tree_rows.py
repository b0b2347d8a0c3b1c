"""Constraint rows on a tree, over a form of M^-1 = R' R that a method has: what `aba` and `kane` share where a tree has rows.

    C R' = D G Q,   C M^-1 C' = D G G' D,   C a = -eta   for   a = a_0 + M^-1 C' lam,   a_0 = M^-1 h

Each row of C is taken through R, so that M is never solved for a matrix; then everything is as in `_augmented` (`mbsim.kernels.gauss`): the
rank by pivoting, the shortest multipliers of dependent rows, the projections in the metric of M. For a fixed number of rows the cost is
that of as many sweeps over the tree.
"""

from mbsim.jit import COUNT_FACTORISATIONS, OK, Workspace, helper, indices, matrix, vector
from mbsim.kernels.gauss import ROW_NOT_FINITE, gauss_multipliers, make_unit, meet_rows
from mbsim.kernels.linalg import RANK_TOLERANCE, clear, copy, orthogonalise
from mbsim.methods._evaluation import blame
from mbsim.methods._project import trimmed

ROW_FACTORS = Workspace(  # as PROJECTION and the workspace of `_augmented`, without a factor of M
    "tree_rows",
    Q=matrix("m", "n"),  # orthonormal rows
    G=matrix("m", "m"),  # coefficients
    scale=vector("m"),  # D: lengths of the rows
    order=indices("m"),  # the rows as picked
    b=vector("m"),  # right side, in the order of the rows
    w=vector("m"),  # what `gauss_multipliers` takes
    d=vector("n"),  # the correction
    free=vector("n"),  # a_0
    S=matrix("m", "m"),  # scratch for the shortest multipliers
)


@helper
def factor_rows(arrays, work, own, rows, limit, weigh):
    """Q, G, scale and order of the first `rows` rows of C; returns as `gauss_factor`. weigh(arrays, own, x): x = R x."""
    for i in range(rows):
        copy(work.C[i], own.Q[i], 0)
        weigh(arrays, own, own.Q[i])
        if not make_unit(own.Q, i, rows, own.G, own.scale):
            return ROW_NOT_FINITE, i
    return orthogonalise(own.Q, rows, work.C.shape[1], limit, RANK_TOLERANCE, own.G, own.order), -1


@helper
def corrected(arrays, own, rank, unweigh):
    """own.d = the smallest displacement with C d = b on the rows picked. unweigh(arrays, own, y): y = R' y."""
    clear(own.d)
    meet_rows(rank, own.Q, own.G, own.scale, own.order, own.b, own.d, own.w)
    unweigh(arrays, own, own.d)


@helper
def factor_free(arrays, work, own, v, rows, limit, first, move_freely, weigh):
    """As `_augmented.factored_mass`; move_freely(arrays, work, own, v) makes R and a_0, and returns as `factor_mass`."""
    work.counts[COUNT_FACTORISATIONS] += 1
    bad = move_freely(arrays, work, own, v)
    rank = -1
    if bad < 0:
        rank, bad = factor_rows(arrays, work, own, rows, limit, weigh)
    return rank, OK if rank >= 0 else blame(work, rank, bad, first)


@helper
def correct_rows(arrays, work, own, rows, weakest, factor, weigh, unweigh):
    """As `_project.correction`; factor(arrays, work, own) makes R, and returns as `factor_mass`."""
    bad = factor(arrays, work, own)
    if bad >= 0:
        return -1, bad
    rank, bad = factor_rows(arrays, work, own, rows, -1, weigh)
    if rank >= 0:
        rank = trimmed(rank, own.G, own.order, weakest)
        corrected(arrays, own, rank, unweigh)
    return rank, bad


@helper
def accelerate_rows(arrays, work, own, rank, eta, unweigh):
    """As `_augmented.accelerated`: work.a and work.lam of the rows that `factor_free` has factored, with C v_dot = -eta."""
    m, n = work.C.shape
    for i in range(m):
        s = eta[i]
        for j in range(n):
            s += work.C[i, j] * own.free[j]
        own.b[i] = -s
    corrected(arrays, own, rank, unweigh)
    for j in range(n):
        work.a[j] = own.free[j] + own.d[j]
    gauss_multipliers(m, rank, own.G, own.scale, own.order, own.w, work.lam, own.S, work.dense)
