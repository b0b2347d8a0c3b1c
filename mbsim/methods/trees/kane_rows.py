"""Kane's equations for trees with constraint rows: loops, drivers, couplings and equations. The leaf is `kane.py`.

M = L' D L is factored within the tree's sparsity, so that R = D^-1/2 L'^-1 is one sweep over the paths to the base; `trees/rows.py` has the
equations of the rows. docs/methods/kane.md.
"""

from math import sqrt

from mbsim.contracts import OK, PROJECT, RHS, START
from mbsim.jit import Workspace, helper, indices, kernel, matrix
from mbsim.kernels import composite
from mbsim.kernels.linalg import copy
from mbsim.methods._augmented import accept, begin, expand, stage
from mbsim.methods.trees.rows import ROW_FACTORS, accelerate_rows, correct_rows, factor_free
from mbsim.singular.projection import lengths, project_with
from mbsim.system.work import NO_TABLE, Space

CROSSES = True  # singular positions: reads Work.beside


WORKSPACE = Workspace(
    "kane_rows",
    ROW_FACTORS,
    F=matrix("n", "n"),  # L and D of the last evaluation's M, which the projection weighs with
    inner=indices("n"),  # of each speed the next one towards the base
)


def plan(system, options):
    """M and C. Raises ValueError for the form that takes no rows."""
    if options.get("mass_matrix") == "dense":
        raise ValueError("kane: mass_matrix 'dense' is for trees without constraints; here there are loops, drivers or equations")
    return Space(WORKSPACE, {}, NO_TABLE, True, True)


@helper
def to_unit(arrays, own, x):
    """x = R x."""
    composite.solve_inward(own.F, own.inner, x)
    for i in range(x.shape[0]):
        x[i] /= sqrt(own.F[i, i])


@helper
def from_unit(arrays, own, y):
    """y = R' y."""
    for i in range(y.shape[0]):
        y[i] /= sqrt(own.F[i, i])
    composite.solve_outward(own.F, own.inner, y)


@helper
def factor(arrays, work, own):
    """R of the last evaluation's M; -1, or the speed at which M is not positive definite."""
    F, M, inner = own.F, work.M, own.inner
    for k in range(M.shape[0]):
        i = k
        while i >= 0:
            F[k, i] = M[k, i]
            i = inner[i]
    return composite.factor(F, inner)


@helper
def move_freely(arrays, work, own, v):
    """R, and own.free = a_0."""
    bad = factor(arrays, work, own)
    if bad < 0:
        copy(work.h, own.free, 0)
        composite.factor_solve(own.F, own.inner, own.free)
    return bad


@helper
def factorise(arrays, work, own, v, rows, limit, kept, first):
    return factor_free(arrays, work, own, v, rows, limit, kept, first, move_freely, to_unit)


@helper
def accelerate(arrays, work, own, rank, eta, size):
    accelerate_rows(arrays, work, own, rank, eta, size, from_unit)


@helper
def correct(arrays, work, own, rows, weakest, kept):
    return correct_rows(arrays, work, own, rows, weakest, kept, factor, to_unit, from_unit)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot of a tree with constraints, by the factors of its mass matrix along the tree. Returns the status code."""
    return stage(system, arrays, work, WORKSPACE(work), t, z, dz, factorise, accelerate)


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    """Move q and v onto the constraints by the factors of the mass matrix along the tree. Returns the status code."""
    return project_with(system, arrays, work, WORKSPACE(work), t, q, v, correct, lengths)


@kernel(START)
def start(system, arrays, work, t, q, v, z):
    """Fill own.inner with the next speed towards the base of each, and z as `begin` does. Returns the status code."""
    composite.inner_speeds(arrays.tree, WORKSPACE(work).inner)
    begin(work, v, z)
    return OK


__all__ = ["WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start"]
