"""The equations of `riemann` as Shui prints them, with eq. 28 read literally: to show what is wrong with them.

    P = [M^-1 C', V2], V2 held,   W = [W1 W2],  W' M W = I                            (16)-(19)
    u_bar = W2' M v,   v = W2 u_bar                                                   (21)
    [V2'; C] a = [0; -eta]                          taken for W2_dot u_bar            (28)
    u_bar_dot = W2' (h - M a),   v_dot = a + W2 u_bar_dot                             (22), (27)
    lam_bar   = -W1' (h - M a)                                                        (26)

(28) is the acceleration at V2' v_dot = 0, and W2_dot u_bar is that at u_bar_dot = 0. Hence v_dot is not the derivative of v, although it
satisfies C v_dot + eta = 0, and the motion is wrong whatever the step: docs/errata.md. The paper has constraints that are holonomic and
independent of time. Of others xi enters by v = W2 u_bar + W1 s with C v + xi = 0.
"""

from mbsim.contracts import (
    ACCEPT,
    CHANGED,
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    DEPENDENT_CONSTRAINTS,
    EXPAND,
    OK,
    RHS,
    SINGULAR_MASS,
    START,
    STATUS_RANK,
)
from mbsim.jit import Workspace, helper, inlined, kernel, matrix, vector
from mbsim.kernels.gauss import factor_mass
from mbsim.kernels.linalg import clear, copy, multiply_mass, solve_lower, solve_upper
from mbsim.methods.papers.held import correct_positions, without_speeds
from mbsim.methods.riemann import OPTIONS, dual_basis, refuse_basis
from mbsim.saddle.evaluation import driving_power, fail, fill_row
from mbsim.singular import decomposition
from mbsim.singular.basis import GROWTH_LIMIT, factor, particular, shortest
from mbsim.singular.decomposition import HELD
from mbsim.system.work import dense

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "plan", "rhs", "start"]

_decompose = inlined(decomposition.start)
WORKSPACE = Workspace(
    "riemann_paper",
    HELD,  # A, V2, N, T and how they are picked
    mass_factor=matrix("n", "n"),  # L of M = L L'
    dual=matrix("n", "n"),  # Q = W' L: rows of W1, then of W2
    coefficients=matrix("n", "n"),  # of the rows of C L^-T and V2' L in terms of Q
    force=vector("n"),  # L^-1 (h - M a)
    lam_bar=vector("m"),
    y=vector("n"),  # of L' v and of L' v_dot, then scratch
)


def plan(system, options):
    """M and C. Raises ValueError for `hold: false`: u_bar has no meaning where V2 is another at every evaluation."""
    refuse_basis(options)
    if options.get("hold") is False:
        raise ValueError("riemann(equations=paper) holds V2, as u_bar = W2' M v is the state; leave out hold: false")
    return dense(WORKSPACE)


@helper
def bases(system, arrays, work, t, q):
    """C, xi, M at (t, q), the blocks of [C; V2'], L and the dual basis; OK or why not."""
    own, held, rank, n = WORKSPACE(work), HELD(work), work.status[STATUS_RANK], work.v.shape[0]
    work.counts[COUNT_FACTORISATIONS] += 1
    system.constraints(arrays, t, q, work.C, work.xi)
    clear(work.v)
    system.dynamics(arrays, t, q, work.v, work.M, work.h, work.eta, work.power)  # for M, which v needs
    code = factor(work, held, rank, GROWTH_LIMIT)
    if code != OK:
        return code
    for i in range(n - rank):
        for j in range(n):
            own.dual[rank + i, held.columns[j]] = held.V2[i, j] * work.scales[held.columns[j]]
    bad = factor_mass(work.M, work.skyline, own.mass_factor)
    if bad >= 0:
        return fail(work, SINGULAR_MASS, bad)
    if not dual_basis(work.C, work.skyline, own.mass_factor, rank, held.rows, own.dual, own.coefficients):
        return DEPENDENT_CONSTRAINTS
    return OK


@helper
def dual_velocity(work, rank, u_bar):
    """work.v = W2 u_bar + W1 s, C v = -xi."""
    own, rows = WORKSPACE(work), HELD(work).rows
    Q, G, s, y, n = own.dual, own.coefficients, own.lam_bar, own.y, work.v.shape[0]
    clear(y)
    for i in range(n):
        if i < rank:
            x = -work.xi[rows[i]]
            for j in range(i):
                x -= G[i, j] * s[j]
            x /= G[i, i]
            s[i] = x
        else:
            x = u_bar[i - rank]
        for j in range(n):
            y[j] += x * Q[i, j]
    solve_upper(own.mass_factor, n, work.skyline, y)
    copy(y, work.v, 0)


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Decompose C at (t, q) and fill z with the speeds that the dual basis has of v. Returns the status code."""
    code = _decompose(system, arrays, work, t, q, v, z)
    if code != OK:
        return code
    own, rank, n = WORKSPACE(work), work.status[STATUS_RANK], work.v.shape[0]
    copy(v, own.force, 0)  # v may be work.v, which is overwritten
    code = bases(system, arrays, work, t, q)
    if code != OK:
        return code
    multiply_mass(work.M, work.skyline, own.force, own.y)
    solve_lower(own.mass_factor, n, work.skyline, own.y)
    clear(z[:n])
    for i in range(n - rank):
        s = 0.0
        for j in range(n):
            s += own.dual[rank + i, j] * own.y[j]
        z[i] = s
    return OK


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the equations in the dual basis. Returns the status code."""
    own, held, rank = WORKSPACE(work), HELD(work), work.status[STATUS_RANK]
    Q, G, L, force, lam_bar, y = own.dual, own.coefficients, own.mass_factor, own.force, own.lam_bar, own.y
    n, end = work.v.shape[0], z.shape[0] - 1
    q, a, rows = z[n:end], work.a, held.rows
    work.counts[COUNT_EVALUATIONS] += 1
    code = bases(system, arrays, work, t, q)
    if code != OK:
        return code
    dual_velocity(work, rank, z)
    system.dynamics(arrays, t, q, work.v, work.M, work.h, work.eta, work.power)
    particular(work, held, rank, work.eta, a)
    without_speeds(work, held, n - rank, a)
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    solve_lower(L, n, work.skyline, force)
    clear(y)
    clear(dz[:n])
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += Q[i, j] * force[j]
        if i < rank:
            lam_bar[i] = -s
        else:
            dz[i - rank] = s
            for j in range(n):
                y[j] += s * Q[i, j]
    solve_upper(L, n, work.skyline, y)
    for j in range(n):
        a[j] += y[j]
    clear(work.lam)
    for i in range(rank - 1, -1, -1):  # C' = L Q1' G' on the rows picked: G' lam = lam_bar
        s = lam_bar[i] / G[i, i]
        work.lam[rows[i]] = s
        for j in range(i):
            lam_bar[j] -= G[i, j] * s
    system.rates(arrays, t, q, work.v, dz[n:end])
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
    """Correct the positions of the accepted z and begin anew where the decomposition was renewed. Returns the status code."""
    code, renewed = correct_positions(project, system, arrays, work, t, z)
    if code != OK or not renewed:
        return code
    n = work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    code = bases(system, arrays, work, t, q)
    if code != OK:
        return code
    dual_velocity(work, work.status[STATUS_RANK], z)
    code = start(system, arrays, work, t, q, work.v, z)
    return CHANGED if code == OK else code
