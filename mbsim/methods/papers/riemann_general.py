"""The general form of Shui's equations: a basis of the tangent space that is not made orthonormal, such as one that the user chooses.

    [C; T] v = [-xi; u],   B = [C; T]^-1 [0; I],   z = [u; q; W]              (5), (6); C is the current one, T is held
    [C; T] a_p = [-eta; 0],   (B' M B) u_dot = B' (h - M a_p)                 (9), a_p in place of B_dot u
    v_dot = a_p + B u_dot
    (C M^-1 C') lam = -(eta + C M^-1 h)                                       (12)

With the option `basis` the rows of T select the speeds that it names, and u are these speeds. Without it T is V2' of the held
decomposition, renewed as for `riemann`. A basis that the user chooses is not renewed: where [C; T] becomes singular the named speeds no
longer determine the motion, and the run ends (BASIS_LOST). a_p is the acceleration at u_dot = 0, as u = T v with T held; the error of
eq. 28 (docs/errata.md) is to take it for that at constant u_bar. Singular positions are not gone through. `decomposition` has the
notation.
"""

from collections.abc import Callable, Mapping

import numpy as np

from mbsim.contracts import ACCEPT, BASIS_LOST, CHANGED, DEPENDENT_CONSTRAINTS, EXPAND, OK, RHS, SINGULAR_MASS, START, STATUS_RANK
from mbsim.jit import Workspace, helper, inlined, kernel, matrix, vector
from mbsim.kernels.gauss import factor_mass
from mbsim.kernels.linalg import (
    cholesky,
    clear,
    copy,
    multiply_mass,
    solve_lower,
    solve_upper,
)
from mbsim.methods.papers.held import correct_positions, without_speeds
from mbsim.saddle.evaluation import driving_power, fail, fill_row
from mbsim.singular import decomposition as _held
from mbsim.singular.basis import GROWTH_LIMIT, factor, particular, permute, reduced_solve, shortest, velocity
from mbsim.singular.decomposition import HELD, locate, side, speeds
from mbsim.singular.turning import columns
from mbsim.system.system import System
from mbsim.system.work import NO_TABLE, Space

__all__ = ["WORKSPACE", "accept", "expand", "plan", "rhs", "start"]

SPEED, CHOSEN = 0, 1  # columns of the plan: a speed of the user's basis, and 1 where there is one
LOST = 1e4  # tangent of the angle between T and the tangent space: four of sixteen digits of u are lost in v
SIDE = _held.SIDE
_decompose = inlined(_held.start)
WORKSPACE = Workspace(
    "riemann_general",
    HELD,  # A, V2 (here the rows of T), N, T (here V2' N), B and how they are picked
    weighed=matrix("n", "n"),  # B' M
    reduced_mass=matrix("n", "n"),  # B' M B (k, k), then its Cholesky factor
    force=vector("n"),  # h - M a_p
    u_dot=vector("n"),  # (k,)
    mass_factor=matrix("n", "n"),  # L of M = L L'
    Y=matrix("m", "n"),  # the picked rows of C L^-T
    schur=matrix("m", "m"),  # C M^-1 C' of the picked rows, then its Cholesky factor
    free=vector("n"),  # L^-1 h
    y=vector("m"),
)


def plan(system: System, options: Mapping[str, object]) -> Space:
    """The named speeds. Raises ValueError for names that the system has not, or has twice."""
    table = NO_TABLE
    if named := options.get("basis"):
        chosen = chosen_speeds(system, str(named))
        table = np.zeros((len(chosen), NO_TABLE.shape[1]), np.int64)
        table[:, SPEED], table[:, CHOSEN] = chosen, 1
    return Space(WORKSPACE, {}, table, True, True)


def chosen_speeds(system: System, named: str, hint: Callable[[str, list[str]], str] = lambda name, known: "") -> list[int]:
    """The places of the speeds that the option `basis` names. Raises ValueError with every name that is wrong, each with a hint."""
    places, problems = [], []
    for name in named.split():
        word = name if name in system.speeds else f"der({name})"
        if word not in system.speeds:
            problems.append(f"there is no speed '{name[:60]}'{hint(name, system.speeds)}")
        elif system.speeds.index(word) in places:
            problems.append(f"'{name[:60]}' is there twice")
        else:
            places.append(system.speeds.index(word))
    if problems:
        raise ValueError("; ".join(f"basis: {problem}" for problem in problems))
    return places


@helper
def multipliers(work, held, own, rank):
    """work.lam by (12), of the picked rows; OK or why not."""
    L, Y, S, y, rows, n = own.mass_factor, own.Y, own.schur, own.y, held.rows, work.v.shape[0]
    clear(work.lam)
    bad = factor_mass(work.M, work.skyline, L)
    if bad >= 0:
        return fail(work, SINGULAR_MASS, bad)
    copy(work.h, own.free, 0)
    solve_lower(L, n, work.skyline, own.free)
    for i in range(rank):
        copy(work.C[rows[i]], Y[i], 0)
        solve_lower(L, n, work.skyline, Y[i])
        s = -work.eta[rows[i]]
        for j in range(n):
            s -= Y[i, j] * own.free[j]
        y[i] = s
        for b in range(i + 1):
            s = 0.0
            for j in range(n):
                s += Y[i, j] * Y[b, j]
            S[i, b] = s
    if cholesky(S, rank, work.dense) >= 0:
        return DEPENDENT_CONSTRAINTS
    solve_lower(S, rank, work.dense, y)
    solve_upper(S, rank, work.dense, y)
    for i in range(rank):
        work.lam[rows[i]] = y[i]
    return OK


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Decompose C at (t, q), or take the speeds that were named, and fill z with the independent speeds. Returns the status code."""
    code = _decompose(system, arrays, work, t, q, v, z)
    if code != OK or work.plan[0, CHOSEN] == 0:
        return code
    held, n = HELD(work), work.v.shape[0]
    k = n - work.status[STATUS_RANK]
    if work.plan.shape[0] != k:
        return BASIS_LOST
    clear(z[:n])
    for i in range(k):
        clear(held.V2[i])
        held.V2[i, work.plan[i, SPEED]] = work.scales[work.plan[i, SPEED]]
        z[i] = v[work.plan[i, SPEED]]
    permute(held.V2, k, held.columns, held.N, False)
    return OK


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the equations in any basis of the null space. Returns the status code."""
    own, held = WORKSPACE(work), HELD(work)
    B, u_dot, force, a, n, end = held.B, own.u_dot, own.force, work.a, work.v.shape[0], z.shape[0] - 1
    place = locate(system, arrays, work, t, z)
    if place.code == DEPENDENT_CONSTRAINTS and work.plan[0, CHOSEN] != 0:
        return BASIS_LOST
    if place.code != OK:
        return place.code
    rank, k = place.rank, n - place.rank
    velocity(work, held, rank, z[:k], work.v)
    system.dynamics(arrays, t, place.q, work.v, work.M, work.h, work.eta, work.power)
    columns(work, held, k, held.B)
    particular(work, held, rank, work.eta, a)
    without_speeds(work, held, k, a)
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    code = reduced_solve(work, B, k, force, own.weighed, own.reduced_mass, u_dot)
    if code != OK:
        return code
    for j in range(n):
        s = a[j]
        for i in range(k):
            s += B[i, j] * u_dot[i]
        a[j] = s
    code = multipliers(work, held, own, rank)
    if code != OK:
        return code
    speeds(system, arrays, work, t, k, z, dz)
    dz[end] = driving_power(work, work.lam)
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the shortest multipliers. Returns the status code."""
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    shortest(work, HELD(work), work.status[STATUS_RANK])
    fill_row(z, work, row)
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    """Correct the positions of the accepted z and look whether the named speeds still span the motion. Returns the status code."""
    held, rank, n = HELD(work), work.status[STATUS_RANK], work.v.shape[0]
    code, renewed = correct_positions(project, system, arrays, work, t, z)
    if code != OK:
        return code
    if work.plan[0, CHOSEN] != 0:
        now, last = side(held, rank), held.pivots[SIDE]  # of the last stage, like the turn
        if now * last < 0.0 or not columns(work, held, n - rank, held.B) <= LOST * LOST:
            return BASIS_LOST
        held.pivots[SIDE] = now
        return OK
    if not renewed:
        return OK
    q = z[n : z.shape[0] - 1]
    system.constraints(arrays, t, q, work.C, work.xi)
    code = factor(work, held, rank, GROWTH_LIMIT)
    if code != OK:
        return code
    velocity(work, held, rank, z[: n - rank], work.v)
    code = start(system, arrays, work, t, q, work.v, z)
    return CHANGED if code == OK else code
