"""Stabilisation of the constraints: their violations decay like damped oscillators. Baumgarte 1972; Yang, Duan & Di 2006, eq. 28.

    eta* = eta + 2 alpha (C v + xi) + beta^2 phi,   [[M, -C'], [C, 0]] [v_dot; lam] = [h; -eta*],   z = [v; q; W]

so that phi_ddot + 2 alpha phi_dot + beta^2 phi = 0 for a holonomic row and, without phi, psi_dot + 2 alpha psi = 0 for a nonholonomic
row psi = C v + xi. By default alpha = 1 / h and beta = sqrt(2) / h with h the step, the paper's choice: an explicit integrator of
order 4 is stable with it. It changes the motion wherever the constraints are violated and is not a projection: violations stay of the
size of an integrator's error. The accelerations and multipliers reported are those of the plain equations at the state, without the
terms added here. docs/methods/baumgarte.md.
"""

from math import sqrt

import numpy as np

from mbsim.contracts import (
    ACCEPT,
    DRIFT_NONE,
    EXPAND,
    NOT_FINITE,
    OK,
    RHS,
    SETTING_DRIFT,
    SETTING_STEP,
    STATUS_FRESH,
    STATUS_RANK,
    method_settings,
)
from mbsim.jit import Workspace, kernel, vector
from mbsim.kernels.iteration import largest
from mbsim.methods import _augmented
from mbsim.methods._augmented import accelerate, find_rank, start
from mbsim.saddle.evaluation import evaluate, fail, fill_row, finish, taken
from mbsim.singular.held_rows import drop_worn

DRIFT = "none"
NO_TANGENTS = "its rows have terms that let violations decay"
ORDER_BY = {"alpha": {None: 1}, "beta": {None: 1}}  # of the speeds, with rates that grow as the step shrinks; else the integrator's
SOURCE = {"paper": "Yang, Duan & Di 2006", "equations": "their comparison, (27)-(29)"}
OPTIONS = {
    "alpha": {
        "help": "decay rate of a constraint violation, 1/s; 1 / step, with predictor_corrector half of it",
        "default": None,
        "above": 0.0,
    },
    "beta": {"help": "frequency of a position violation, rad/s; sqrt(2) / step, likewise", "default": None, "above": 0.0},
}
PER_STEP = {"predictor_corrector": {"alpha": 0.5, "beta": 0.7071067811865476}}  # over h, by default: with 1 and sqrt(2) its steps grow
ALPHA, BETA = method_settings(OPTIONS, "alpha", "beta")
WORKSPACE = Workspace("baumgarte", _augmented.WORKSPACE, eta=vector("m"))  # eta*


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the constraints that alpha and beta stabilise. Returns the status code."""
    own = WORKSPACE(work)
    m, n = work.C.shape
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    alpha, beta = work.settings[ALPHA], work.settings[BETA]
    if np.isnan(alpha):
        alpha = 1.0 / work.settings[SETTING_STEP]
    if np.isnan(beta):
        beta = sqrt(2.0) / work.settings[SETTING_STEP]
    system.residual(arrays, t, q, work.phi)
    evaluate(system, arrays, work, t, q, v)
    rank, code = find_rank(arrays, work, own, -1 if work.status[STATUS_FRESH] else work.status[STATUS_RANK], z.shape[0])
    if code != OK:
        return code
    for i in range(m):
        violation = work.xi[i]
        for j in range(n):
            violation += work.C[i, j] * v[j]
        own.eta[i] = work.eta[i] + 2.0 * alpha * violation
        if i < work.phi.shape[0]:
            own.eta[i] += beta * beta * work.phi[i]
    accelerate(arrays, work, own, rank, own.eta)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(ACCEPT)
def accept(project, start, system, arrays, work, t, z):
    """Move z onto the constraints where a drift correction is asked for, else look whether phi is finite. Returns the status code."""
    n = work.v.shape[0]
    q = z[n : z.shape[0] - 1]
    taken(system, arrays, work, q)
    if work.settings[SETTING_DRIFT] != DRIFT_NONE:
        work.status[STATUS_FRESH] = 1
        return project(system, arrays, work, t, q, z[:n])
    drop_worn(work)
    system.residual(arrays, t, q, work.phi)
    worst, at = largest(work.phi)
    return OK if np.isfinite(worst) else fail(work, NOT_FINITE, z.shape[0] + at)  # no projection looks at phi


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with accelerations and multipliers of the equations without stabilisation. Returns the status code."""
    settings = work.settings
    alpha, beta = settings[ALPHA], settings[BETA]
    settings[ALPHA], settings[BETA] = 0.0, 0.0  # the plain equations
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    settings[ALPHA], settings[BETA] = alpha, beta
    fill_row(z, work, row)
    return code


__all__ = ["WORKSPACE", "accept", "expand", "rhs", "start"]
