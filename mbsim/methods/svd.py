"""Null-space projection from a held singular value decomposition of C. Shui & Zhang 1996, eqs. 2.5-3.10, corrected.

    C v + xi = 0,  C v_dot + eta = 0                 (2.3), (2.4)
    C = U [D 0] [V1 V2]',  C V2 = 0                  (2.5)-(2.8), held
    p = V2' v                                        (2.9)
    [C; V2'] v = [-xi; p]                            (2.10), with the current C and the held V2
    M v_dot = h + C' lam                             (2.11)
    v_dot = a_p + N y,  C N = 0                      (3.1), (3.2): any basis N of the current null space serves
    C a_p = -eta                                     (3.3)
    (N' M N) y = N' (h - M a_p)                      (2.12), (3.4)
    p_dot = V2' v_dot,  z = [p; q; W]                (3.8)-(3.10)

The paper's eqs. 3.6-3.7 hold only with V2 of the current C and its eq. 4.2 for lam is wrong in general: docs/errata.md.
Velocity constraints hold to round-off at every evaluation. `singular/decomposition.py` says when the decomposition is renewed and how
singular positions are passed; `singular/basis.py` solves (2.10) by blocks.
"""

from mbsim.contracts import EXPAND, OK, RHS, SETTING_RHEONOMIC
from mbsim.jit import Workspace, helper, kernel, matrix, vector
from mbsim.kernels.linalg import clear, eliminated_solve_transposed, multiply_mass
from mbsim.saddle.evaluation import driving_power, fill_row
from mbsim.singular.basis import particular, reduced_solve, shortest, velocity
from mbsim.singular.decomposition import HELD, HOLD, OPTIONS, accept, keep_last, locate, reached_rank, speeds, start

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "rhs", "start"]

CROSSES = True  # singular positions: reads Work.beside
INDEPENDENT_SPEEDS = True  # z begins with p, not with v
NO_TANGENTS = "its unknowns are independent speeds"
KERNELS = [("equations=paper", "papers.svd"), ("always", "svd")]
WRONG = {  # what gives a wrong motion, and why
    "options": {"equations": "paper", "hold": True},
    "reason": "eqs. 3.6-3.7 of Shui & Zhang 1996 with a held V2 do not satisfy C v_dot + eta = 0, and the motion is wrong",
}
SOURCE = {
    "paper": "Shui & Zhang 1996",
    "equations": "(2.5)-(3.4) and (3.8)-(3.10), corrected for a held V2",
    "by": {
        "equations": {"paper": "(3.5)-(3.7) as printed"},
        "renew": {"paper": "V2 held until [C; V2'] is singular, below (3.7)"},
        "hold": {"false": "decomposed at every evaluation, (3.5)-(3.7)"},
    },
}
WORKSPACE = Workspace(
    "svd",
    HELD,  # A, V2, N, T and how they are picked
    weighed=matrix("n", "n"),  # N' M in its first k rows
    reduced_mass=matrix("n", "n"),  # N' M N (k, k), then its Cholesky factor
    force=vector("n"),  # h - M a_p
    y=vector("n"),  # (k,)
    reaction=vector("n"),  # M v_dot - h = C' lam
)


@helper
def multipliers(own, rank, work, lam):
    """lam of the picked rows from C_D' lam = (M v_dot - h)_D; the dependent rows carry nothing yet."""
    clear(lam)
    for i in range(rank):
        own.x[i] = own.reaction[own.columns[i]] * work.scales[own.columns[i]]
    eliminated_solve_transposed(own.A, rank, own.x)
    for i in range(rank):
        lam[own.rows[i]] = own.x[i] / work.row_scales[own.rows[i]]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the equations in the null space of C, V2 being held. Returns the status code."""
    own, held = WORKSPACE(work), HELD(work)
    N, y, force, weighed, reaction = held.N, own.y, own.force, own.weighed, own.reaction
    v, a, n, end = work.v, work.a, work.v.shape[0], z.shape[0] - 1
    place = locate(system, arrays, work, t, z)  # (2.3): C, xi; (2.5)-(2.8): V2 is held, N spans the null space of this C
    if place.code != OK:
        return place.code
    if place.is_open:
        keep_last(system, arrays, work, t, z, dz)
        return OK
    rank, k = place.rank, n - place.rank
    if not place.is_near:
        velocity(work, held, rank, z[:k], v)  # (2.10): [C; V2'] v = [-xi; p]
        if work.settings[HOLD] == 0.0:
            for i in range(k):
                for j in range(n):
                    N[i, j] = held.W[i, j] * work.scales[j]
    system.dynamics(arrays, place.t, place.q, v, work.M, work.h, work.eta, work.power)  # (2.4): eta; (2.11): M, h
    particular(work, held, rank, work.eta, a)  # (3.3): a_p with C a_p = -eta
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] = work.h[i] - force[i]
    code = reduced_solve(work, N, k, force, weighed, own.reduced_mass, y)  # (2.12), (3.4): (N' M N) y = N' (h - M a_p)
    if code != OK:
        return code
    for j in range(n):  # (3.1), (3.2): v_dot = a_p + N y; (2.11): C' lam = M v_dot - h = M N y - (h - M a_p)
        s, f = a[j], -force[j]
        for i in range(k):
            s += N[i, j] * y[i]
            f += weighed[i, j] * y[i]
        a[j], reaction[j] = s, f
    speeds(system, arrays, work, t, k, z, dz)  # (3.8): p_dot = V2' v_dot; (3.9), (3.10): z_dot
    power = work.power[0]
    if work.settings[SETTING_RHEONOMIC] != 0.0:
        multipliers(own, rank, work, work.lam)
        power = driving_power(work, work.lam)
    dz[end] = power
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the shortest multipliers. Returns the status code."""
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code != OK:
        return code
    rank = reached_rank(work)
    if work.settings[SETTING_RHEONOMIC] == 0.0:
        multipliers(WORKSPACE(work), rank, work, work.lam)
    shortest(work, HELD(work), rank)
    fill_row(z, work, row)
    return OK
