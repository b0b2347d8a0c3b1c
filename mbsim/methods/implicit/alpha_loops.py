"""The form of `generalized_alpha` for trees in joint coordinates with constraint rows: loops, drivers, couplings, equations.

The residual is by inverse dynamics of the tree. CONSTANT is written for the bodies, whose joints are further equations: [M + c_v D + c_q K]
of bodies with the exact tangents of loads and rows, springs along joints on the diagonal of these (`mbsim.saddle.trees.joints`). So the
cost of an iteration is linear in the number of bodies, for loops of a given length. What is left out: how the directions of joints change
with the motion, and laws that read the state of the system. Which rows are left out because they depend on others is what the kernels of
`aba` have found at the last state that they evaluated. What is reported comes from them, too.
"""

from collections.abc import Mapping

import numpy as np

from mbsim.contracts import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, NO_CONVERGENCE, OK, SINGULAR_MASS, STATUS_RANK, STEP
from mbsim.jit import Workspace, helper, index, indices, kernel, matrix, vector
from mbsim.kernels import frame_columns
from mbsim.kernels.linalg import clear, copy
from mbsim.methods._states import place_states
from mbsim.methods.implicit.alpha_tree import weigh_by_dynamics
from mbsim.methods.implicit.form import Form, step_arrays
from mbsim.methods.implicit.newton import find_tangent
from mbsim.methods.implicit.step import take
from mbsim.methods.trees import aba_rows
from mbsim.methods.trees.aba_rows import accept, expand, project, rhs, start
from mbsim.saddle import columns as col
from mbsim.saddle.bodies import factor as elimination
from mbsim.saddle.evaluation import fail, violations
from mbsim.saddle.lines import speeds_of_body
from mbsim.saddle.trees.form import TREES
from mbsim.saddle.trees.groups import places
from mbsim.saddle.trees.joints import poses_of_bodies
from mbsim.system.structure import body_table, tree_structure
from mbsim.system.system import System
from mbsim.system.work import Space

CROSSES = True  # singular positions: reads Work.beside
DRIFT = "none"
TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
WORKSPACE = Workspace(
    "alpha_loops",
    aba_rows.WORKSPACE,
    sizes=("bodies", "b", "n_abs", "q_abs", "relative", "relative_width", "laws", "blocks", "unknowns"),
    **step_arrays(extras="n_x"),
    dropped=indices("m"),  # 1 where a row is left out, as it depends on others
    blocks=vector("blocks"),  # factors of the matrix
    blocks_order=indices("unknowns"),
    plain=vector("blocks"),  # and of the same with K = D = 0
    plain_order=indices("unknowns"),
    of_speed=indices("n"),  # where v_dot stands in the order of the elimination
    of_row=indices("m"),  # and the multipliers
    right=vector("unknowns"),
    frames=matrix("bodies + 1", f"{frame_columns.COLUMNS}"),  # twins
    relative_values=matrix("relative", "relative_width"),
    laws=matrix("laws", "3"),
    slopes=vector("0 * n"),
    q_abs=vector("q_abs"),  # coordinates and speeds of the bodies
    v_abs=vector("n_abs"),
    jacobian=matrix("m", "2 * b"),
    spare_rows=matrix("4", "n_abs + m + 16"),
    local=matrix("2 * b", "2 * b"),
)


def plan(system: System, options: Mapping[str, object]) -> Space:
    """The table of the elimination, and behind it the places of v_dot and the multipliers. C is wanted, M is not."""
    found = body_table(system)
    at = np.concatenate(places(tree_structure(system), found.slots))
    lines = np.zeros((-(-len(at) // col.WIDTH), col.WIDTH), np.int64)
    lines.reshape(-1)[: len(at)] = at
    relative, width = system.arrays.relative_values.shape
    b, n_b = 3 if system.dimension == 2 else 6, len(system.bodies)
    sizes = {"bodies": n_b, "b": b, "n_abs": b * n_b, "q_abs": (3 if b == 3 else 7) * n_b, "relative": relative, "relative_width": width}
    sizes |= {"laws": len(system.arrays.laws), "blocks": found.places, "unknowns": len(found.slots)}
    return Space(WORKSPACE, sizes, np.vstack([found.table, lines]), False, True)


@helper
def begin(arrays, work, own):
    """Read what `plan` has put behind the table."""
    n, m = own.of_speed.shape[0], own.of_row.shape[0]
    first = work.plan.shape[0] - (n + m + col.WIDTH - 1) // col.WIDTH
    for k in range(n + m):
        at = work.plan[first + k // col.WIDTH, k % col.WIDTH]
        if k < n:
            own.of_speed[k] = at
        else:
            own.of_row[k - n] = at


@helper
def choose_rows(work, own):
    """The rows that are left out: those that `schur.factor` has not picked."""
    for a in range(own.order.shape[0]):
        own.dropped[index(own.order[a])] = 0 if a < work.status[STATUS_RANK] else 1


@helper
def evaluate(system, arrays, work, own, t, q, v, to_v):
    force = own.sides[: v.shape[0]]
    system.constraints(arrays, t, q, work.C, work.xi)
    system.residual(arrays, t, q, work.phi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta, work.power)  # loads only, as M has no rows
    work.counts[COUNT_EVALUATIONS] += 1
    copy(work.h, force, 0)
    TREES.react(arrays, work.plan, work.C, v, own.next_v_dot, own.next_lam, v, force, own.rates)
    for i in range(own.rates.shape[0]):
        own.rates[i] += work.xi[i]
    return 0.0


@helper
def eliminate(arrays, work, own, S, order):
    """Rows and joints beside what stands in the blocks, and their factors; OK, or NO_CONVERGENCE."""
    TREES.place(arrays, work.plan, work.C, own.dropped, S)
    work.counts[COUNT_FACTORISATIONS] += 1
    return OK if elimination.factor(work.plan, S, order) < 0 else NO_CONVERGENCE


@helper
def factor(system, arrays, work, own, t, out, to_v, to_q):
    table = work.plan
    TREES.begin(arrays, table, own.blocks)
    poses_of_bodies(arrays, speeds_of_body(table) == 3, own.q_abs, own.v_abs)
    system.tangent(
        arrays, own.frames, own.relative_values, own.laws, own.jacobian, own.q_abs, own.v_abs, own.next_lam, own.slopes, to_q, to_v,
        table, own.spare_rows, own.local, own.blocks,
    )  # fmt: skip
    for k in range(own.blocks.shape[0]):  # as of sqrt(x) at 0: it only steers the iteration
        if not np.isfinite(own.blocks[k]):
            own.blocks[k] = 0.0
    return eliminate(arrays, work, own, own.blocks, own.blocks_order)


@helper
def solve_blocks(work, own, blocks, order):
    """own.change = the solution for own.sides, where those of rows that are left out become zero."""
    n, m = own.of_speed.shape[0], own.of_row.shape[0]
    clear(own.right)
    for j in range(n):
        own.right[index(own.of_speed[j])] = own.sides[j]
    for i in range(m):
        own.right[index(own.of_row[i])] = 0.0 if own.dropped[i] == 1 else own.sides[n + i]
    elimination.solve(work.plan, blocks, order, own.right)
    for j in range(n):
        own.change[j] = own.right[index(own.of_speed[j])]
    for i in range(m):
        own.change[n + i] = own.right[index(own.of_row[i])]


@helper
def solve(arrays, work, own):
    solve_blocks(work, own, own.blocks, own.blocks_order)


@helper
def solve_rates(arrays, work, own, to_v, v):
    n, rows, side = v.shape[0], work.phi.shape[0], own.sides[v.shape[0] : v.shape[0] + own.rates.shape[0]]
    TREES.begin(arrays, work.plan, own.plain)
    if eliminate(arrays, work, own, own.plain, own.plain_order) != OK:
        return fail(work, SINGULAR_MASS, 0)
    violations(work, v, side)
    clear(own.sides[:n])
    for i in range(side.shape[0]):
        side[i] = side[i] / to_v if i < rows else 0.0
    solve_blocks(work, own, own.plain, own.plain_order)
    return OK


FORM = Form(
    begin, choose_rows, place_states, evaluate, factor, solve, solve_rates, weigh_by_dynamics, find_tangent,
    is_near=True, adds_up=True, has_tangent=True, renewals=1,
)  # fmt: skip


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    return take(FORM, WORKSPACE(work), method, system, arrays, work, t, dt, z, scratch)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start", "step"]
