"""The generalized-alpha method on the constraints themselves: implicit, of order 2, damping what the step cannot resolve.

    M v_dot = h + C' lam,  phi = 0 and C v + xi = 0  at (t_{n+1}, q_{n+1}, v_{n+1})

`implicit/step.py` has the equations and the step, for every form of them. Here is the form of dense matrices, for systems that no other
form is faster for: small ones, and the user's own coordinates. CONSTANT is [M, -C'; C, 0], without stiffness and dampers.
docs/methods/generalized_alpha.md.
"""

import numpy as np

from mbsim.contracts import OK, STATUS_HELD, STATUS_RANK, STEP
from mbsim.jit import Workspace, helper, indices, kernel
from mbsim.kernels.gauss import gauss_basic_multipliers
from mbsim.kernels.linalg import clear, copy, multiply_mass
from mbsim.methods import _augmented
from mbsim.methods._augmented import accept, expand, factor_counting, rhs, start
from mbsim.methods._states import place_states
from mbsim.methods.implicit.alpha import OPTIONS
from mbsim.methods.implicit.form import Form, step_arrays
from mbsim.methods.implicit.newton import find_tangent
from mbsim.methods.implicit.step import take
from mbsim.saddle.evaluation import evaluate as evaluate_system
from mbsim.saddle.evaluation import violations
from mbsim.singular.projection import solve as solve_projection

OWNS_STEP = True
LOCATES = True  # with error control it ends steps where laws change (`_corners`)
STIFF = True  # implicit: it is for stiff forces
KERNELS = [  # by what the system is (`mbsim.formulations`)
    ("bodies by blocks", "implicit.alpha_bodies"),
    ("bare tree", "implicit.alpha_tree"),
    ("large tree with rows", "implicit.alpha_loops"),
    ("always", "generalized_alpha"),
]
ORDER = 2
DRIFT = "none"
SCRATCH = 2  # rows as long as z
WORKSPACE = Workspace(
    "generalized_alpha",
    _augmented.WORKSPACE,
    sizes=(),
    **step_arrays(extras="n_x"),
    dropped=indices("m"),  # 1 where a row is left out, as it depends on others
    rank=indices("1"),  # of the rows that were factored last
)


@helper
def begin(arrays, work, own):
    """Nothing."""


@helper
def choose_rows(work, own):
    """Those that are held (`held_rows.choose_rows`)."""
    m, held = own.dropped.shape[0], abs(work.status[STATUS_HELD])
    for k in range(m):
        own.dropped[k if held == m else work.rows[k]] = 0 if k < held else 1


@helper
def evaluate(system, arrays, work, own, t, q, v, to_v):
    n, m, rows, force = v.shape[0], own.rates.shape[0], work.phi.shape[0], own.sides[: v.shape[0]]
    system.residual(arrays, t, q, work.phi)
    evaluate_system(system, arrays, work, t, q, v)
    multiply_mass(work.M, work.skyline, own.next_v_dot, force)
    violations(work, v, own.rates)
    for j in range(n):
        s = work.h[j] - force[j]
        for i in range(m):
            s += work.C[i, j] * own.next_lam[i]
        force[j] = s
    for i in range(m):
        own.rates[i] = -own.rates[i]
        if not np.isfinite(work.eta[i]):  # it is reported, not used
            if i < rows:
                work.phi[i] = np.nan
            own.rates[i] = np.nan
    return 0.0


@helper
def factor_rows(arrays, work, own):
    """M and the rows that count, of the rank known; a code."""
    own.rank[0], code = factor_counting(arrays, work, own, work.status[STATUS_RANK], 1 + work.v.shape[0] + own.q_dot.shape[0])
    for k in range(own.dropped.shape[0]):
        own.dropped[own.order[k]] = 0 if k < own.rank[0] else 1
    return code


@helper
def factor(system, arrays, work, own, t, out, to_v, to_q):
    return factor_rows(arrays, work, own)


@helper
def solve(arrays, work, own):
    n, m, rank = own.v_dot.shape[0], own.rates.shape[0], own.rank[0]
    copy(own.sides[:n], own.d, 0)
    copy(own.sides[n : n + m], own.b, 0)
    solve_projection(work, own, rank, own.d)
    copy(own.d, own.change, 0)
    gauss_basic_multipliers(m, rank, own.G, own.scale, own.order, own.w, own.change[n : n + m])


@helper
def solve_rates(arrays, work, own, to_v, v):
    n, m, rows = v.shape[0], own.rates.shape[0], work.phi.shape[0]
    code = factor_rows(arrays, work, own)
    if code == OK:
        clear(own.sides[:n])
        violations(work, v, own.rates)
        for i in range(m):
            own.sides[n + i] = own.rates[i] / to_v if i < rows else 0.0
        solve(arrays, work, own)
    return code


@helper
def weigh(arrays, work, own, v, e):
    multiply_mass(work.M, work.skyline, e, own.sides[: v.shape[0]])


FORM = Form(
    begin, choose_rows, place_states, evaluate, factor, solve, solve_rates, weigh, find_tangent,
    is_near=False, adds_up=False, has_tangent=True, renewals=0,
)  # fmt: skip


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    return take(FORM, WORKSPACE(work), method, system, arrays, work, t, dt, z, scratch)


__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "rhs", "start", "step"]
