"""Projection on a dual basis, orthonormal in the metric of M. Shui, "Dynamic analysis of constrained multibody systems in Riemannian
configuration space", eqs. 13-28, corrected and extended to rheonomic, nonholonomic and redundant constraints.

    P = [M^-1 C', V2], V2 held      modified Gram-Schmidt in the metric of M, eqs. 16-19:  W = [W1 W2], W' M W = I
    v         = [C; V2']^-1 [-xi; u]                      u = V2' v, z = [u; q; W]
    v_dot     = a_p + W2 W2' (h - M a_p),  C a_p = -eta   in place of eqs. 22 and 28
    lam_bar   = -W1' (h - M a_p),  C' lam = M W1 lam_bar  eqs. 24 and 26
    u_dot     = V2' v_dot

W2 spans the tangent space of the current C exactly, although V2 is held. Eq. 28 is a particular solution a_p, not the acceleration
W2_dot u_bar at constant u_bar; read that way it integrates to a wrong motion: docs/errata.md.

In the coordinates L' v, M = L L', the metric is Euclid's: the rows of C L^-T and of V2' L are made orthonormal, Q = W' L.
How v is found and when V2 is renewed: `singular/decomposition.py`, as for `svd`. docs/methods/riemann.md.
"""

from mbsim.contracts import DEPENDENT_CONSTRAINTS, EXPAND, OK, RHS, SINGULAR_MASS
from mbsim.jit import Workspace, helper, kernel, matrix, vector
from mbsim.kernels.gauss import factor_mass
from mbsim.kernels.linalg import clear, copy, gram_schmidt, multiply_mass, solve_lower, solve_upper
from mbsim.saddle.evaluation import driving_power, fail, fill_row
from mbsim.singular.basis import particular, shortest, velocity
from mbsim.singular.decomposition import HELD, HOLD, accept, decompose, keep_last, locate, reached_rank, speeds, start
from mbsim.system.work import dense

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "plan", "rhs", "start"]

CROSSES = True  # singular positions: reads Work.beside
INDEPENDENT_SPEEDS = True  # z begins with u, not with v
NO_TANGENTS = "its unknowns are independent speeds"
KERNELS = [("equations=paper", "papers.riemann"), ("equations=general", "papers.riemann_general"), ("always", "riemann")]
OPTIONS = {  # those of `_held.OPTIONS` come first, in the same order: its kernels read them
    "hold": {"default": True, "help": "false: decompose C at every evaluation, to show what holding the decomposition saves"},
    "hold_limit": {
        "default": 2.0,
        "above": 0.0,
        "most": 10.0,
        "help": "tangent of the angle between the held and the current null space at which V2 is renewed",
    },
    "renew": {
        "default": "tangent",
        "choices": ("tangent", "paper"),
        "help": "paper: only where [C; V2'] is singular to round-off (Shui & Zhang), which may end in a wrong motion: to show that it does",
    },
    "equations": {
        "default": "corrected",
        "choices": ("corrected", "paper", "general"),
        "help": "general: the form (9), (12) of the paper, of any basis; paper: those that the paper prints, which give a wrong motion",
    },
    "basis": {
        "default": None,
        "names": True,
        "help": "with equations: general, the independent speeds, as many as there are degrees of freedom; else the basis is that of svd",
    },
}
WRONG = {  # what gives a wrong motion, and why
    "options": {"equations": "paper"},
    "reason": "eq. 28 of Shui taken for W2_dot u_bar, as printed, gives a wrong motion, whose error does not shrink with the step",
}
SOURCE = {
    "paper": "Shui (Riemannian configuration space)",
    "equations": "(13)-(28), with (28) as a particular solution",
    "by": {
        "equations": {"paper": "(21), (22) and (28) as printed", "general": "(9) and (12)"},
        "renew": {"paper": "V2 held until P has no full rank, above (28)"},
        "hold": {"false": "decomposed at every evaluation"},
    },
}
WORKSPACE = Workspace(
    "riemann",
    HELD,  # A, V2, N, T and how they are picked
    mass_factor=matrix("n", "n"),  # L of M = L L'
    dual=matrix("n", "n"),  # Q = W' L: rows of W1, then of W2
    coefficients=matrix("n", "n"),  # of the rows of C L^-T and V2' L in terms of Q
    force=vector("n"),  # L^-1 (h - M a_p)
    lam_bar=vector("m"),
    y=vector("n"),  # W2 W2' (h - M a_p)
)


def plan(system, options):
    """M and C. Raises ValueError for a basis, which the general form takes."""
    refuse_basis(options)
    return dense(WORKSPACE)


def refuse_basis(options):
    """Raise ValueError where a basis is given to equations that take none."""
    if options.get("basis"):
        raise ValueError("basis: a basis of one's own goes with the general form; add `equations: general`")


@helper
def dual_basis(C, skyline, L, rank, rows, Q, G):
    """Q = W' L: rows :rank from the picked rows of C, the others from V2', which they hold on entry; G their coefficients.

    The rows of C are in the order of the pivots, the strongest first. False when a row depends on others.
    """
    n = C.shape[1]
    for i in range(n):
        if i < rank:
            copy(C[rows[i]], Q[i], 0)
            solve_lower(L, n, skyline, Q[i])
        else:
            for k in range(n):  # L' v2
                s = Q[i, k]
                Q[i, k] = 0.0
                for j in range(skyline[k], k + 1):
                    Q[i, j] += L[k, j] * s
        if not gram_schmidt(Q, i, n, G):
            return False
    return True


@helper
def basis(work, held, place, V2):
    """V2' (k rows): the held one, or that of this C."""
    for i in range(V2.shape[0]):
        for j in range(V2.shape[1]):
            if place.is_near or work.settings[HOLD] == 0.0:
                V2[i, j] = held.W[i, j] * work.scales[j]
            else:
                V2[i, held.columns[j]] = held.V2[i, j] * work.scales[held.columns[j]]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the equations in the dual basis of the held rows. Returns the status code."""
    own, held = WORKSPACE(work), HELD(work)
    Q, G, L, force, lam_bar, y = own.dual, own.coefficients, own.mass_factor, own.force, own.lam_bar, own.y
    v, a, rows, n, end = work.v, work.a, held.rows, work.v.shape[0], z.shape[0] - 1
    place = locate(system, arrays, work, t, z)
    if place.code != OK:
        return place.code
    if place.is_open:
        keep_last(system, arrays, work, t, z, dz)
        return OK
    rank, k = place.rank, n - place.rank
    if not place.is_near:
        velocity(work, held, rank, z[:k], v)  # [C; V2'] v = [-xi; u]
    elif decompose(arrays, work, rank) != OK:
        return DEPENDENT_CONSTRAINTS
    basis(work, held, place, Q[rank:])
    system.dynamics(arrays, place.t, place.q, v, work.M, work.h, work.eta, work.power)
    particular(work, held, rank, work.eta, a)  # (28): C a_p = -eta
    bad = factor_mass(work.M, work.skyline, L)
    if bad >= 0:
        return fail(work, SINGULAR_MASS, bad)
    if not dual_basis(work.C, work.skyline, L, rank, rows, Q, G):  # (16)-(19): W' M W = I
        return DEPENDENT_CONSTRAINTS
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    solve_lower(L, n, work.skyline, force)
    clear(y)
    for i in range(n):  # (24), (26): lam_bar = -W1' (h - M a_p); (22): W2 W2' (h - M a_p)
        s = 0.0
        for j in range(n):
            s += Q[i, j] * force[j]
        if i < rank:
            lam_bar[i] = -s
        else:
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
    speeds(system, arrays, work, t, k, z, dz)  # u_dot = V2' v_dot
    dz[end] = driving_power(work, work.lam)
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the shortest multipliers. Returns the status code."""
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    shortest(work, HELD(work), reached_rank(work))
    fill_row(z, work, row)
    return OK
