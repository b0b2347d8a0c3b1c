"""The augmented equations solved at one state, and the hooks of every method that integrates v itself: z = [v; q; W].

`lagrange` is these kernels and nothing else; its docstring has the equations. Methods that take their steps in another way share
what they report, the hook after a step and the start, so that these are compiled once.
"""

import numpy as np

from mbsim.contracts import (
    ACCEPT,
    BESIDE_ACCEPTED,
    BESIDE_PIVOT,
    BESIDE_TIME,
    COUNT_FACTORISATIONS,
    DRIFT_NONE,
    EXPAND,
    OK,
    RHS,
    SETTING_DRIFT,
    START,
    STATUS_FRESH,
    STATUS_HELD,
    STATUS_RANK,
)
from mbsim.jit import Workspace, helper, kernel, matrix, vector
from mbsim.kernels.gauss import damp, gauss_multipliers
from mbsim.kernels.linalg import copy, multiply_rows, negate
from mbsim.kernels.ranks import TOUCHING
from mbsim.saddle.evaluation import evaluate, fill_row, finish, taken
from mbsim.singular.held_rows import choose_rows, drop_worn, held_first
from mbsim.singular.near import hold_rank, step_beside
from mbsim.singular.projection import PROJECTION, count_rank, factor, solve

WORKSPACE = Workspace(  # what it shares with the projection are the factors of the same equations
    "augmented",
    PROJECTION,
    S=matrix("m", "m"),  # scratch for the shortest multipliers
    past=vector("m"),  # C a of the evaluation before, near a singular position
    known=vector("m"),  # scratch
)


@helper
def factored_mass(arrays, work, own, v, rows, limit, kept, first):
    """Factor M and the first `rows` rows of C, as `choose_rows` asks for it: of rank `limit` (-1: to be found), `kept` rows first."""
    work.counts[COUNT_FACTORISATIONS] += 1
    if kept > 0:
        held_first(work, rows, own.order, kept)
    rank, bad = factor(arrays, work, own, rows, limit, kept)
    return count_rank(work, own, rank, bad, first)


@helper
def factor_counting(arrays, work, own, limit, first):
    """Factor M and the rows that count; return the rank and OK, or why it failed. `limit` as in `choose_rows`."""
    rank, _, code = choose_rows(arrays, work, own, work.v, limit, first, factored_mass)
    return rank, code


@helper
def find_rank(arrays, work, own, limit, first):
    """Do as `factor_counting`, and remember a rank that was found."""
    rank, code = factor_counting(arrays, work, own, limit, first)
    if code == OK:
        if limit < 0:
            work.status[STATUS_RANK] = rank
        work.status[STATUS_FRESH] = 0
    return rank, code


@helper
def accelerate_damped(arrays, work, own, rank, eta, size):
    """Do as `accelerate` in the form that `stage` calls; damp weak directions by `size` (`mbsim.kernels.gauss.damping`)."""
    negate(eta, own.b)
    if size > 0.0:
        multiply_rows(work.C, work.a, own.past)
        damp(rank, own.G, own.scale, own.order, own.past, own.b, own.known, own.w, size)
    copy(work.h, work.a, 0)
    solve(work, own, rank, work.a)
    gauss_multipliers(own.b.shape[0], rank, own.G, own.scale, own.order, own.w, work.lam, work.levers, own.S, work.dense)


@helper
def accelerate(arrays, work, own, rank, eta):
    """Solve the equations that `factor` has factored, with C v_dot = -eta, for work.a and work.lam."""
    accelerate_damped(arrays, work, own, rank, eta, 0.0)


@helper
def stage(system, arrays, work, own, t, z, dz, factorise, accelerate_by):
    """dz at (t, z) with the means of a form of M: `factorise` as `factored_mass`, which leaves G and order in `own`; `accelerate_by` as
    `accelerate_damped`."""
    n, end = work.v.shape[0], z.shape[0] - 1
    v, q = z[:n], z[n:end]
    at, near_q, near_v = t, q, v
    fresh = work.status[STATUS_FRESH] != 0
    limit, rank, size = -1 if fresh else work.status[STATUS_RANK], 0, 0.0
    for attempt in range(2):
        evaluate(system, arrays, work, at, near_q, near_v)
        rank, weakest, code = choose_rows(arrays, work, own, near_v, limit, z.shape[0], factorise)
        if code != OK:
            return code
        if attempt == 0:
            size = hold_rank(rank, fresh, weakest, work)
            limit = work.status[STATUS_RANK]
            work.beside[BESIDE_PIVOT] = 0.0 if rank < limit else weakest
        if rank == limit or np.isnan(work.beside[BESIDE_TIME]):
            break
        at, near_q, near_v = work.beside[BESIDE_TIME], work.beside_q, work.beside_v
        size = 0.0
    # else a stage on a singular position: what was found last is nearer
    if rank == limit or fresh or not np.isnan(work.beside[BESIDE_TIME]):
        accelerate_by(arrays, work, own, rank, work.eta, size)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the equations of motion and the constraints, by the Cholesky factors of M. Returns the status code."""
    return stage(system, arrays, work, WORKSPACE(work), t, z, dz, factored_mass, accelerate_damped)


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    """Move the accepted z onto the constraints and remember a state beside a singular position that it touches. Returns the status code."""
    n = work.v.shape[0]
    v, q = z[:n], z[n : z.shape[0] - 1]
    taken(system, arrays, work, q)
    if work.settings[SETTING_DRIFT] != DRIFT_NONE:
        work.status[STATUS_FRESH] = 1
    else:
        drop_worn(work)
    code = project(system, arrays, work, t, q, v)
    work.beside[BESIDE_TIME] = np.nan
    if code == OK and work.beside[BESIDE_PIVOT] < TOUCHING:
        step_beside(project, system, arrays, work, t, q, v)
    return code


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the accelerations and multipliers that `rhs` finds there. Returns the status code."""
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    fill_row(z, work, row)
    return code


@helper
def begin(work, v, z):
    """Set z for a start with the velocity v (n,), at which nothing is known of ranks and pivots."""
    copy(v, z, 0)
    work.status[STATUS_FRESH], work.status[STATUS_HELD] = 1, 0
    work.beside[BESIDE_ACCEPTED] = np.nan


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Fill z[:n_v] with v and forget what is known of pivots. Returns the status code."""
    begin(work, v, z)
    return OK
