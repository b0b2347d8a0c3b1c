"""Direct elimination: a null-space basis of the current C from QR at every evaluation. Yang, Duan & Di 2006, eq. 12.

    C' = Q R,  Q = [Q1 B],  C B = 0;   z = [v; q; W]
    [B' M; C] v_dot = [B' h; -eta]                                   eq. 12
    C' lam = M v_dot - h

The n x n matrix is not formed. The same factors solve it by blocks:

    v_dot = a_p + B y,   a_p = -Q1 R'^-1 eta,   (B' M B) y = B' (h - M a_p),   R lam = Q1' (M v_dot - h)

QR is Householder's with column pivoting, which shows the rank, with slides in Work.scales. As with `lagrange` the rank is found at the
start and after each accepted step, where q lies on the constraints, and held over the stages between; v is projected after each step.
The basis may turn or jump between two evaluations without harm, because the state is v itself; which rows count may not (`held_rows`).
docs/methods/nullspace.md.
"""

from mbsim.contracts import COUNT_FACTORISATIONS, EXPAND, NOT_FINITE, OK, RHS, STATUS_FRESH, STATUS_RANK
from mbsim.jit import Workspace, helper, kernel, matrix, vector
from mbsim.kernels.linalg import clear, minimum_norm, multiply_mass, negate
from mbsim.kernels.qr import qr_apply, qr_coefficients, qr_factor, qr_multipliers, qr_particular
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.methods._augmented import accept, start
from mbsim.saddle.evaluation import evaluate, fail, fill_row, finish
from mbsim.singular.basis import reduced_solve
from mbsim.singular.held_rows import choose_rows, held_first
from mbsim.singular.near import hold_rank
from mbsim.singular.projection import PROJECTION

__all__ = ["WORKSPACE", "accept", "expand", "rhs", "start"]

SOURCE = {"paper": "Yang, Duan & Di 2006", "equations": "their (12), direct elimination, with a projection after each step"}
WORKSPACE = Workspace(
    "nullspace",
    PROJECTION,
    Y=matrix("m", "n"),  # factors of C; own.order: its rows as picked
    lengths=vector("m"),  # of the rows of C
    diagonal=vector("m"),  # of R
    eta=vector("m"),  # -eta
    basis=matrix("n", "n"),  # B' in its first k rows
    weighed=matrix("n", "n"),  # B' M
    reduced_mass=matrix("n", "n"),  # B' M B, then its Cholesky factor
    force=vector("n"),  # h - M a_p, then M v_dot - h
    y=vector("n"),
    coefficients=matrix("m", "m"),  # of the rows of C, where they depend on each other
    S=matrix("m", "m"),  # scratch, like part
    part=vector("m"),
)


@helper
def factorise(arrays, work, own, v, rows, limit, kept, first):
    """QR of the first rows of C, as `_augmented.factored_mass`."""
    work.counts[COUNT_FACTORISATIONS] += 1
    if kept > 0:
        held_first(work, rows, own.order, kept)
    rank, bad = qr_factor(work.C, work.scales, rows, arrays.row_shares, limit, own.Y, own.lengths, own.diagonal, own.order, kept)
    if rank < 0:
        return rank, 1.0, fail(work, NOT_FINITE, first + bad)
    while rank > 0 and abs(own.diagonal[rank - 1]) < RANK_TOLERANCE:
        rank -= 1
    return rank, abs(own.diagonal[rank - 1]) if rank > 0 else 1.0, OK


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the motion in the null space of the rows that count. Returns the status code."""
    own = WORKSPACE(work)
    B, Y, force = own.basis, own.Y, own.force
    lengths, diagonal, order = own.lengths, own.diagonal, own.order
    n = work.v.shape[0]
    end = z.shape[0] - 1
    a, v, q = work.a, z[:n], z[n:end]
    evaluate(system, arrays, work, t, q, v)
    fresh = work.status[STATUS_FRESH] != 0
    rank, weakest, code = choose_rows(arrays, work, own, v, -1 if fresh else work.status[STATUS_RANK], z.shape[0], factorise)
    if code != OK:
        return code
    size = hold_rank(rank, fresh, weakest, work)
    k = n - rank
    negate(work.eta, own.eta)
    scales = work.scales
    for j in range(n):
        force[j] = a[j] / scales[j]  # of the evaluation before
    qr_particular(rank, Y, lengths, diagonal, order, own.eta, size, force, a)
    for j in range(n):
        a[j] *= scales[j]
    multiply_mass(work.M, work.skyline, a, force)
    for j in range(n):
        force[j] = work.h[j] - force[j]
    for i in range(k):
        clear(B[i])
        B[i, rank + i] = 1.0
        qr_apply(rank, Y, order, B[i])
        for j in range(n):
            B[i, j] *= scales[j]
    code = reduced_solve(work, B, k, force, own.weighed, own.reduced_mass, own.y)
    if code != OK:
        return code
    negate(force, force)
    for i in range(k):
        s = own.y[i]
        for j in range(n):
            a[j] += s * B[i, j]
            force[j] += s * own.weighed[i, j]  # M v_dot - h
    for j in range(n):
        force[j] *= scales[j]
    qr_multipliers(rank, Y, lengths, diagonal, order, force, work.lam)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the shortest multipliers where rows depend on others. Returns the status code."""
    own = WORKSPACE(work)
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    m, rank = work.lam.shape[0], work.status[STATUS_RANK]
    if rank < m:  # of all lam with this C' lam the shortest
        qr_coefficients(m, rank, own.Y, own.lengths, own.diagonal, own.order, own.coefficients)
        minimum_norm(own.coefficients, m, rank, work.lam, work.levers, own.S, own.part, work.dense)
    fill_row(z, work, row)
    return OK
