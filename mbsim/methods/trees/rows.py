"""Constraint rows on a tree, over a form of M^-1 = R' R that a method has: what `aba` and `kane` share where a tree has rows.

    (C M^-1 C') lam = -(eta + C a_0),   a_0 = M^-1 h,   v_dot = a_0 + M^-1 C' lam

Each row of C is taken through R, so that M is never solved for a matrix; `mbsim.kernels.schur` has the factors of C R' R C'. All else is as
in `_augmented`: the rank by pivoting, the shortest multipliers of dependent rows, the projections in the metric of M. For a fixed number of
rows the cost is that of as many sweeps over the tree.
"""

from mbsim.contracts import COUNT_FACTORISATIONS
from mbsim.jit import Workspace, helper, indices, matrix, vector
from mbsim.kernels import schur
from mbsim.kernels.gauss import ROW_NOT_FINITE, damp, gauss_multipliers
from mbsim.kernels.linalg import copy
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.singular.held_rows import held_first
from mbsim.singular.projection import count_rank, trim_rank

ROW_FACTORS = Workspace(  # as PROJECTION and the workspace of `_augmented`, without a factor of M
    "tree_rows",
    Q=matrix("m", "n"),  # C R' with unit rows
    G=matrix("m", "m"),  # its factors
    scale=vector("m"),  # lengths of the rows
    order=indices("m"),  # the rows as picked
    first=indices("m"),  # where what is not zero of a row of Q begins
    last=indices("m"),  # and ends
    b=vector("m"),  # right side, in the order of the rows
    w=vector("m"),  # what `gauss_multipliers` takes
    x=vector("m"),  # scratch
    d=vector("n"),  # the correction
    free=vector("n"),  # a_0
    S=matrix("m", "m"),  # scratch for the shortest multipliers
    past=vector("m"),  # C (a - a_0) of the evaluation before, near a singular position
)


@helper
def factor_rows(arrays, work, own, rows, limit, kept, weigh):
    """Q, G, scale and order of the first `rows` rows of C; returns as `gauss_factor`. weigh(arrays, own, x): x = R x."""
    for i in range(rows):
        copy(work.C[i], own.Q[i], 0)
        weigh(arrays, own, own.Q[i])
        if not schur.make_unit(own.Q, i, rows, arrays.row_shares[i], own.G, own.scale, own.first, own.last):
            return ROW_NOT_FINITE, i
    shares = arrays.row_shares
    return schur.factor(own.Q, rows, shares, limit, own.G, own.order, kept, own.first, own.last, own.x, own.d), -1


@helper
def corrected(arrays, own, rank, unweigh):
    """own.d = the smallest displacement with C d = b on the rows picked. unweigh(arrays, own, y): y = R' y."""
    schur.respond(rank, own.Q, own.G, own.scale, own.order, own.first, own.last, own.b, own.x, own.w, own.d)
    unweigh(arrays, own, own.d)


@helper
def factor_free(arrays, work, own, v, rows, limit, kept, first, move_freely, weigh):
    """As `_augmented.factored_mass`; move_freely(arrays, work, own, v) makes R and a_0, and returns as `factor_mass`."""
    work.counts[COUNT_FACTORISATIONS] += 1
    bad = move_freely(arrays, work, own, v)
    rank = -1
    if bad < 0:
        if kept > 0:
            held_first(work, rows, own.order, kept)
        rank, bad = factor_rows(arrays, work, own, rows, limit, kept, weigh)
    return count_rank(work, own, rank, bad, first)


@helper
def correct_rows(arrays, work, own, rows, weakest, kept, factor, weigh, unweigh):
    """As `projection.correction`; factor(arrays, work, own) makes R, and returns as `factor_mass`."""
    bad = factor(arrays, work, own)
    if bad >= 0:
        return -1, bad
    rank, bad = factor_rows(arrays, work, own, rows, kept if kept > 0 else -1, kept, weigh)
    if rank >= 0:
        rank = trim_rank(rank, own.G, own.order, max(weakest, RANK_TOLERANCE))
        corrected(arrays, own, rank, unweigh)
    return rank, bad


@helper
def accelerate_rows(arrays, work, own, rank, eta, size, unweigh):
    """As `_augmented.accelerate_damped`: work.a and work.lam of the rows that `factor_free` has factored, with C v_dot = -eta."""
    m, n = work.C.shape
    for i in range(m):
        own.b[i] = -(eta[i] + schur.dot(work.C[i], own.free))
    if size > 0.0:
        for i in range(m):
            own.past[i] = schur.dot(work.C[i], work.a) - schur.dot(work.C[i], own.free)
        damp(rank, own.G, own.scale, own.order, own.past, own.b, own.x, own.w, size)
    corrected(arrays, own, rank, unweigh)
    for j in range(n):
        work.a[j] = own.free[j] + own.d[j]
    gauss_multipliers(m, rank, own.G, own.scale, own.order, own.w, work.lam, work.levers, own.S, work.dense)
