"""The accelerations of `svd` as Shui & Zhang 1996 print them, with a held decomposition: to show what is wrong with them.

    C = U [D 0] [V1 V2]'   held;   E = V1 D^-1 U',   K = V2 (V2' M V2)^-1 V2'       (3.6), (3.7)
    v_dot = K h + (K M - I) E eta                                                   (3.5)
    p_dot = V2' v_dot,   v = [C; V2']^-1 [-xi; p] with the current C                (3.8), (2.10)

E and V2 are those of the decomposition, so that v_dot does not satisfy C v_dot + eta = 0 with the C of the state, and the motion is wrong:
docs/errata.md. With `hold: false` both are those of the current C, and (3.5) is right. lam is that of `svd`, as (4.2) is wrong by itself.
"""

from mbsim.contracts import ACCEPT, CHANGED, EXPAND, OK, RHS, SETTING_RHEONOMIC, START, STATUS_RANK
from mbsim.jit import Workspace, helper, inlined, kernel, matrix, vector
from mbsim.kernels.linalg import clear, multiply_mass
from mbsim.methods.papers.held import correct_positions, without_speeds
from mbsim.methods.svd import multipliers
from mbsim.saddle.evaluation import driving_power, fill_row
from mbsim.singular import decomposition as _held
from mbsim.singular.basis import GROWTH_LIMIT, factor, particular, reduced_solve, shortest, velocity
from mbsim.singular.decomposition import HELD, HOLD, OPTIONS, locate, speeds

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "rhs", "start"]

_decompose = inlined(_held.start)
WORKSPACE = Workspace(
    "svd_paper",
    HELD,  # A, V2, N, T and how they are picked
    weighed=matrix("n", "n"),  # V2' M in its first k rows
    reduced_mass=matrix("n", "n"),  # V2' M V2 (k, k), then its Cholesky factor
    force=vector("n"),  # h + M E eta
    y=vector("n"),  # (k,)
    reaction=vector("n"),  # M v_dot - h
    E=matrix("m", "n"),  # E' of the decomposition
    basis=matrix("n", "n"),  # V2' in its first k rows, in the order of v
    unit=vector("m"),
)


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Decompose C at (t, q) and fill z with the independent speeds, own.basis with V2 and own.E with E. Returns the status code."""
    code = _decompose(system, arrays, work, t, q, v, z)
    if code != OK:
        return code
    own, held, rank, n = WORKSPACE(work), HELD(work), work.status[STATUS_RANK], work.v.shape[0]
    code = factor(work, held, rank, GROWTH_LIMIT)
    for i in range(n - rank):
        for j in range(n):
            own.basis[i, held.columns[j]] = held.V2[i, j] * work.scales[held.columns[j]]
    for i in range(own.E.shape[0]):
        clear(own.E[i])
    for i in range(rank):  # a row that depends on others has no part in E
        clear(own.unit)
        own.unit[held.rows[i]] = -1.0
        particular(work, held, rank, own.unit, own.E[held.rows[i]])
        without_speeds(work, held, n - rank, own.E[held.rows[i]])
    return code


@helper
def lift(work, own, held, rank, holds, eta, x):
    """x (n,) = E eta, and V2' in own.basis, of the decomposition or of the current C."""
    n = x.shape[0]
    if holds:
        clear(x)
        for i in range(own.E.shape[0]):
            for j in range(n):
                x[j] += own.E[i, j] * eta[i]
        return
    particular(work, held, rank, eta, x)
    for j in range(n):
        x[j] = -x[j]
    for i in range(n - rank):
        s = 0.0
        for j in range(n):
            own.basis[i, j] = held.W[i, j] * work.scales[j]
            s += held.W[i, j] * (x[j] / work.scales[j])
        for j in range(n):
            x[j] -= s * own.basis[i, j]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the equations that the paper prints. Returns the status code."""
    own, held = WORKSPACE(work), HELD(work)
    V2, y, force, weighed, reaction = own.basis, own.y, own.force, own.weighed, own.reaction
    n, end = work.v.shape[0], z.shape[0] - 1
    a = work.a
    place = locate(system, arrays, work, t, z)
    if place.code != OK:
        return place.code
    rank, k = place.rank, n - place.rank
    velocity(work, held, rank, z[:k], work.v)  # (2.10)
    system.dynamics(arrays, t, place.q, work.v, work.M, work.h, work.eta, work.power)
    lift(work, own, held, rank, work.settings[HOLD] != 0.0, work.eta, a)
    multiply_mass(work.M, work.skyline, a, force)
    for i in range(n):
        force[i] += work.h[i]
    code = reduced_solve(work, V2, k, force, weighed, own.reduced_mass, y)
    if code != OK:
        return code
    for j in range(n):
        s, f = -a[j], -force[j]
        for i in range(k):
            s += V2[i, j] * y[i]
            f += weighed[i, j] * y[i]
        a[j], reaction[j] = s, f  # M v_dot - h = M V2 y - (h + M E eta)
    speeds(system, arrays, work, t, k, z, dz)
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
    rank = work.status[STATUS_RANK]
    if work.settings[SETTING_RHEONOMIC] == 0.0:
        multipliers(WORKSPACE(work), rank, work, work.lam)
    shortest(work, HELD(work), rank)
    fill_row(z, work, row)
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    """Correct the positions of the accepted z and begin anew where the decomposition was renewed. Returns the status code."""
    code, renewed = correct_positions(project, system, arrays, work, t, z)
    if code != OK or not renewed:
        return code
    held, rank, n = HELD(work), work.status[STATUS_RANK], work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    system.constraints(arrays, t, q, work.C, work.xi)
    if factor(work, held, rank, GROWTH_LIMIT) == OK:  # else the speed of the last stage is near enough
        velocity(work, held, rank, z[: n - rank], work.v)
    code = start(system, arrays, work, t, q, work.v, z)
    return CHANGED if code == OK else code
