"""Composite mass matrix and its factors within the tree's sparsity: Kane's equations as Liu, Hu & Zhang (2016) compare them.

    M v_dot = h,   M = L' D L   without fill-in (Featherstone 2008, sec. 6.5)

`mass_matrix: dense` is the paper's own form: M as a full matrix, M = L L' by Cholesky, of order n^3.

M by composite rigid bodies, h by inverse dynamics with v_dot = 0 (`mbsim.system.tree`). Trees with constraint rows have kernels of their
own. docs/methods/kane.md.
"""

from mbsim.contracts import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, OK, RHS, SINGULAR_MASS, START, choices, method_settings
from mbsim.jit import Workspace, indices, kernel, matrix
from mbsim.kernels.composite import factor, factor_solve, inner_speeds
from mbsim.kernels.gauss import factor_mass
from mbsim.kernels.linalg import copy, solve_lower, solve_upper
from mbsim.methods.trees.accepted import accept, expand
from mbsim.saddle.evaluation import fail, finish
from mbsim.system.work import NO_TABLE, Space

KERNELS = [("bare tree", "kane"), ("tree with rows", "trees.kane_rows")]
DRIFT = "none"
SOURCE = {
    "paper": "Liu, Hu & Zhang 2016",
    "equations": "their comparison, Kane's equations of table 1, factored along the branches",
    "by": {"mass_matrix": {"dense": "their comparison, Kane's equations of table 1, coupled"}},
}


OPTIONS = {
    "mass_matrix": {
        "help": "how M is factored in trees without constraints: within the tree's sparsity, or as a full matrix (Liu et al.)",
        "default": "sparse",
        "choices": ("sparse", "dense"),
    }
}
(FORM,) = method_settings(OPTIONS, "mass_matrix")
(DENSE,) = choices(OPTIONS, "mass_matrix", "dense")
WORKSPACE = Workspace(
    "kane",
    sizes=("full",),
    inner=indices("n"),  # of each speed the next one towards the base
    L=matrix("full", "full"),  # of `dense`
)


def plan(system, options):
    """M, but not C."""
    return Space(WORKSPACE, {"full": system.n_v if options.get("mass_matrix") == "dense" else 0}, NO_TABLE, True, False)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot of a tree from its mass matrix, factored as a whole or along the tree. Returns the status code."""
    n = work.v.shape[0]
    end = z.shape[0] - 1
    v, q = z[:n], z[n:end]
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    work.counts[COUNT_FACTORISATIONS] += 1
    own = WORKSPACE(work)
    dense = work.settings[FORM] == DENSE
    bad = factor_mass(work.M, work.dense, own.L) if dense else factor(work.M, own.inner)
    if bad >= 0:
        return fail(work, SINGULAR_MASS, bad)
    copy(work.h, work.a, 0)
    if dense:
        solve_lower(own.L, n, work.dense, work.a)
        solve_upper(own.L, n, work.dense, work.a)
    else:
        factor_solve(work.M, own.inner, work.a)
    finish(system, arrays, work, t, v, q, dz)
    return OK


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Fill own.inner with the next speed towards the base of each, and z[:n_v] with v. Returns the status code."""
    inner_speeds(arrays.tree, WORKSPACE(work).inner)
    copy(v, z, 0)
    return OK


__all__ = ["accept", "expand", "plan", "rhs", "start"]
