"""`cfa` with `elimination: nested_dissection`: the blocks are eliminated in parts that do not meet, by as many threads as there are.

Only the solution for independent rows is in parts (`mbsim.kernels.dissected`). Where rows may depend on each other, and in systems that
cannot be divided, it is that of `cfa`.
"""

from mbsim.jit import NEAREST, OK, PROJECT, RHS, START, SWEEP, flush_subnormals, kernel, restore_subnormals
from mbsim.kernels.dissected import serve_until_over, solve_dissected
from mbsim.kernels.linalg import copy
from mbsim.kernels.planar_blocks import WEAKER
from mbsim.methods._choice import FIRST, WORKSPACE, close_pivot, keep_all, nearest_by, swept, weak_pivot
from mbsim.methods.cfa import OPTIONS, accept, expand, plan, project_by, rhs_by, start

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "serve", "start"]

CROSSES = True  # singular positions: reads Work.beside


@kernel(SWEEP)
def swept_in_parts(arrays, work, h, y, out):
    """`_choice.swept` in parts; of spatial bodies too."""
    own = WORKSPACE(work)
    if own.crew.shape[0] == 0:
        return swept(arrays, work, h, y, out)
    known = own.choice[FIRST] != 0.0
    if not known:
        keep_all(own.choice, own.dropped, own.dropped.shape[0])
    copy(y, own.y, 0)
    shown = solve_dissected(work.plan, arrays.jacobian, weak_pivot(own), close_pivot(own), h, own, out)
    if shown != WEAKER:
        copy(own.y, y, 0)
    elif not known:
        own.choice[FIRST] = 0.0
    return shown


@kernel(NEAREST)
def nearest(arrays, work, rows, afresh, least):
    """`nearest_by` the parts."""
    return nearest_by(swept_in_parts, arrays, work, rows, afresh, least)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    return rhs_by(swept_in_parts, system, arrays, work, t, z, dz)


@kernel(PROJECT)
def project(system, arrays, work, t, q, v):
    return project_by(nearest, system, arrays, work, t, q, v)


@kernel(START)
def serve(system, arrays, work, t, q, v, z):
    """Eliminate parts for a march in another thread, until its `crew` says that it is over (`analyses.crew`)."""
    kept = flush_subnormals()
    own = WORKSPACE(work)
    serve_until_over(work.plan, arrays.jacobian, weak_pivot(own), close_pivot(own), own)
    restore_subnormals(kept)
    return OK
