"""The augmented equations solved at one state, and the hooks of every method that integrates v itself: z = [v; q; W].

`lagrange` is these kernels and nothing else; its docstring has the equations. Methods that take their steps in another way share
what they report, the hook after a step and the start, so that these are compiled once.
"""

import numpy as np

from mbsim.jit import (
    ACCEPT,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    COUNT_STEPS,
    DRIFT_NONE,
    EXPAND,
    NOT_FINITE,
    OK,
    RHS,
    SETTING_DRIFT,
    SINGULAR_MASS,
    START,
    STATUS_FRESH,
    STATUS_INDEX,
    STATUS_NEAR,
    STATUS_RANK,
    helper,
    kernel,
)
from mbsim.kernels.gauss import gauss_factor, gauss_multipliers, gauss_solve
from mbsim.kernels.linalg import RANK_TOLERANCE, clear, copy
from mbsim.methods._project import TOUCHING, step_beside, trimmed

NEAR = 0.05  # weakest pivot of rows made unit below which a position counts as near a singular one


def space(n, m):
    """Shapes of the work matrices, lengths of the work vectors and index vectors for n speeds and m constraint rows."""
    larger = max(n, m)
    return [(m, m), (0, 0), (0, 0), (larger, n), (larger, larger), (n, n), (0, 0)], [0, 0, m, m, m, n], [0, m]


@helper
def held_rank(rank, fresh, weakest, status):
    """Remember the rank found at an accepted state, or not, and how near a singular position is.

    A rank that is lower for one accepted state is that of a singular position on the way: the rows count again from the next
    evaluation on. Only when the next accepted state shows it too is it the rank from there on.
    """
    if fresh:
        if rank >= status[STATUS_RANK] or status[STATUS_NEAR] == 2:
            status[STATUS_RANK] = rank
            status[STATUS_NEAR] = 1 if weakest < NEAR else 0
        else:
            status[STATUS_NEAR] = 2
    elif status[STATUS_NEAR] != 2:
        status[STATUS_NEAR] = 1 if weakest < NEAR else 0
    status[STATUS_FRESH] = 0


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    S, _, _, Q, G, L, _ = work.matrices
    _, _, scale, w, b, _ = work.vectors
    order = work.indices[1]
    m, n = work.C.shape
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    at, near_q, near_v = t, q, v
    fresh = work.status[STATUS_FRESH] != 0
    limit, rank = -1 if fresh else work.status[STATUS_RANK], 0
    for attempt in range(2):
        system.constraints(arrays, at, near_q, work.C, work.xi)
        system.dynamics(arrays, at, near_q, near_v, work.M, work.h, work.eta, work.power)
        work.counts[COUNT_EVALUATIONS] += 1
        work.counts[COUNT_FACTORISATIONS] += 1
        rank, bad = gauss_factor(work.M, work.C, m, work.skyline, limit, L, Q, G, scale, order)
        if rank == -2:
            work.status[STATUS_INDEX] = z.shape[0] + bad
            return NOT_FINITE
        if rank < 0:
            work.status[STATUS_INDEX] = bad
            return SINGULAR_MASS
        rank = trimmed(rank, G, order, RANK_TOLERANCE)
        if attempt == 0:
            held_rank(rank, fresh, G[order[rank - 1], rank - 1] if rank > 0 else 1.0, work.status)
            limit = work.status[STATUS_RANK]
            work.beside[1] = 0.0 if rank < limit else G[order[rank - 1], rank - 1] if rank > 0 else 1.0
        if rank == limit or np.isnan(work.beside[0]):
            break
        at, near_q, near_v = work.beside[0], work.beside[2 : 2 + q.shape[0]], work.beside[2 + q.shape[0] :]
    if rank == limit or fresh or not np.isnan(work.beside[0]):  # else a stage on a singular position: what was found last is nearer
        for i in range(m):
            b[i] = -work.eta[i]
        copy(work.h, work.a, 0)
        gauss_solve(rank, work.skyline, L, Q, G, scale, order, b, work.a, w)
        gauss_multipliers(m, rank, G, scale, order, w, work.lam, S, work.dense)
    copy(v, work.v, 0)
    copy(work.a, dz, 0)
    system.rates(arrays, q, v, dz[n:end])
    power = work.power[0]
    for i in range(m):
        power -= work.lam[i] * work.xi[i]
    dz[end] = power
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    n = work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    work.counts[COUNT_STEPS] += 1
    if q.shape[0] != n:  # quaternions back to unit length
        clear(work.vectors[5])
        system.move(arrays, q, work.vectors[5])
    if work.settings[SETTING_DRIFT] != DRIFT_NONE:
        work.status[STATUS_FRESH] = 1
    code = project(system, arrays, work, t, q, z[:n])
    work.beside[0] = np.nan
    if code == OK and work.beside[1] < TOUCHING:
        step_beside(project, system, arrays, work, t, q, z[:n])
    return code


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    n = work.v.shape[0]
    n_q = z.shape[0] - 1 - n
    copy(z[n : n + n_q], row, 0)
    copy(work.v, row, n_q)
    copy(work.a, row, n_q + n)
    copy(work.lam, row, n_q + 2 * n)
    row[row.shape[0] - 1] = z[n + n_q]
    return code


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    copy(v, z, 0)
    work.status[STATUS_FRESH] = 1
    return OK
