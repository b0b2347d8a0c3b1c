"""Velocity constraints that relax: C v_dot = -eta - (C v + xi) / T. Otherwise the plain augmented equations of `lagrange`."""

from mbsim.contracts import EXPAND, OK, RHS, STATUS_FRESH, STATUS_RANK, method_settings
from mbsim.jit import Workspace, kernel, vector
from mbsim.methods import _augmented
from mbsim.methods._augmented import accelerate, accept, find_rank, start
from mbsim.saddle.evaluation import evaluate, fill_row, finish

OPTIONS = {"time": {"help": "time constant T of a violation, s", "default": 0.05, "above": 0.0}}
(TIME,) = method_settings(OPTIONS, "time")
WORKSPACE = Workspace("relaxed", _augmented.WORKSPACE, eta=vector("m"))
__all__ = ["WORKSPACE", "accept", "expand", "rhs", "start"]


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    own = WORKSPACE(work)
    m, n = work.C.shape
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    evaluate(system, arrays, work, t, q, v)
    rank, code = find_rank(arrays, work, own, -1 if work.status[STATUS_FRESH] else work.status[STATUS_RANK], z.shape[0])
    if code != OK:
        return code
    for i in range(m):
        violation = work.xi[i]
        for j in range(n):
            violation += work.C[i, j] * v[j]
        own.eta[i] = work.eta[i] + violation / work.settings[TIME]
    accelerate(arrays, work, own, rank, own.eta)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    fill_row(z, work, row)
    return code
