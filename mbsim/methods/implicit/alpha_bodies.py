"""The form of `generalized_alpha` for bodies in absolute coordinates: exact tangents, and an elimination over the bodies.

    CONSTANT = [[M + c_v D + c_q K, -C'], [C, 0]]

c_v = d v / d v_dot and c_q = d q / d v_dot of the step. Velocity-level rows have C + c_q / c_v d(C v + xi)/dd instead of C. States of the
user's and laws that read the state of the system are further unknowns: a state x at the end of a step meets x = base + c_v x_dot.

The cost of an iteration is linear in the number of bodies of a tree. The matrix is formed anew where the iteration is slow with it, and no
other is needed. What index 2 takes from the speeds is found with the elimination of `cfa`, and what is reported comes from its kernels.
"""

from collections.abc import Mapping

import numpy as np

from mbsim.contracts import COUNT_EVALUATIONS, COUNT_FACTORISATIONS, NO_CONVERGENCE, NOT_FINITE, OK, STATUS_RANK, STEP
from mbsim.jit import Workspace, helper, index, indices, kernel, matrix, vector
from mbsim.kernels import frame_columns
from mbsim.kernels.linalg import clear, copy
from mbsim.methods import cfa
from mbsim.methods.cfa import accept, expand, project, rhs, start
from mbsim.methods.implicit.form import Form, step_arrays
from mbsim.methods.implicit.step import take
from mbsim.saddle import columns as col
from mbsim.saddle.bodies import factor as elimination
from mbsim.saddle.bodies.factor import find_slots, subtract_inertia
from mbsim.saddle.bodies.form import BODIES
from mbsim.saddle.evaluation import fail
from mbsim.saddle.joints.choice import nearest
from mbsim.saddle.joints.weighed_rows import add_rates
from mbsim.saddle.lines import after, lines_of
from mbsim.system.structure import body_table
from mbsim.system.system import System
from mbsim.system.work import Space

DRIFT = "none"
TANGENT = True  # the step calls System.functions.tangent
SCRATCH = 2  # rows as long as z
WORKSPACE = Workspace(
    "alpha_bodies",
    cfa.WORKSPACE,
    sizes=("blocks", "relative", "relative_width", "laws", "slopes", "extras"),
    **step_arrays(extras="extras", tangent="0 * n"),
    blocks=vector("blocks"),  # factors of the matrix
    blocks_order=indices("n + m + extras"),
    slots=indices("n + m + extras"),  # which of [speeds; multipliers; states; laws] stands where in the order of the elimination
    right=vector("n + m + extras"),  # in that order
    frames=matrix("bodies + 1", f"{frame_columns.COLUMNS}"),  # twins
    relative_values=matrix("relative", "relative_width"),
    laws=matrix("laws", "3"),
    slopes=vector("slopes"),  # of laws by what they read
    jacobian=matrix("m", "2 * b"),
    spare_rows=matrix("4", "n + m + 16"),
    local=matrix("2 * b", "2 * b"),
)


def plan(system: System, options: Mapping[str, object]) -> Space:
    """The tables of both eliminations, that of `cfa` first. Raises ValueError where one body has too many joints."""
    found, own = cfa.plan(system, {}), body_table(system)
    relative, width = system.arrays.relative_values.shape
    sizes = {**found.sizes, "blocks": own.places, "relative": relative, "relative_width": width, "slopes": own.slopes}
    sizes |= {"laws": len(system.arrays.laws), "extras": len(own.slots) - system.n_v - system.n_rows}
    return Space(WORKSPACE, sizes, np.vstack([found.table, own.table]), False, found.rows)


@helper
def begin(arrays, work, own):
    find_slots(work.plan[after(work.plan, col.MEETINGS) :], own.slots)
    clear(own.sides)


@helper
def choose_rows(work, own):
    """Nothing: `cfa` has chosen."""


@helper
def place_states(system, arrays, work, own, t, q, v, to_v):
    """The states as they are looked for."""
    n_x = own.states.shape[0]
    copy(own.states, q, q.shape[0] - n_x)
    for i in range(n_x):
        own.x_dot[i] = (own.states[i] - own.base[i]) / to_v
    return True


@helper
def miss_states(system, arrays, work, own, t, q, v, to_v):
    """The states' sides = base + c_v rates - states; returns the largest one relative to the size of its terms."""
    n_x, worst = own.base.shape[0], 0.0
    first, missed = q.shape[0] - n_x, own.sides[v.shape[0] + work.lam.shape[0] :]
    if n_x > 0:
        system.rates(arrays, t, q, v, own.q_dot)
    for i in range(n_x):
        change = to_v * own.q_dot[first + i]
        missed[i] = own.base[i] + change - own.states[i]
        size = abs(own.base[i]) + abs(change) + abs(own.states[i])
        share = abs(missed[i]) / size if size > 0.0 else 0.0
        if share > worst or np.isnan(share):
            worst = share
    return worst


@helper
def evaluate(system, arrays, work, own, t, q, v, to_v):
    table, force = work.plan[after(work.plan, col.MEETINGS) :], own.sides[: v.shape[0]]
    system.constraints(arrays, t, q, work.C, work.xi)
    # equations read q and write eta, others have no need: the poses are those that `constraints` has left
    equations = lines_of(table, col.WIDE) > 0
    system.residual(arrays, t, q[: q.shape[0] if equations else 0], work.phi)
    system.dynamics(arrays, t, q, v, work.M, work.h, work.eta[: work.eta.shape[0] if equations else 0], work.power)
    work.counts[COUNT_EVALUATIONS] += 1
    copy(work.h, force, 0)
    BODIES.react(arrays, table, work.C, v, own.next_v_dot, own.next_lam, v, force, own.rates)
    for i in range(work.xi.shape[0]):
        own.rates[i] += work.xi[i]
    return miss_states(system, arrays, work, own, t, q, v, to_v)


@helper
def factor(system, arrays, work, own, t, out, to_v, to_q):
    table, n = work.plan[after(work.plan, col.MEETINGS) :], work.v.shape[0]
    BODIES.begin(arrays, table, own.blocks)
    q, v, lam = out[n : out.shape[0] - 1], out[:n], own.next_lam
    system.slopes(arrays, t, q, v, own.slopes)
    for k in range(own.slopes.shape[0]):
        if not np.isfinite(own.slopes[k]):  # as of sqrt(x) at 0: it only steers the iteration
            own.slopes[k] = 0.0
    system.tangent(
        arrays, own.frames, own.relative_values, own.laws, own.jacobian, q, v, lam, own.slopes, to_q, to_v,
        table, own.spare_rows, own.local, own.blocks,
    )  # fmt: skip
    BODIES.place(arrays, table, work.C, own.dropped, own.blocks)
    work.counts[COUNT_FACTORISATIONS] += 1
    return OK if elimination.factor(table, own.blocks, own.blocks_order) < 0 else NO_CONVERGENCE


@helper
def solve(arrays, work, own):
    table, right, sides, slots = work.plan[after(work.plan, col.MEETINGS) :], own.right, own.sides, own.slots
    n, m = work.v.shape[0], work.lam.shape[0]
    if work.status[STATUS_RANK] < m:
        for i in range(m):
            sides[n + i] = 0.0 if own.dropped[i] == 1 else sides[n + i]
    for k in range(right.shape[0]):
        right[k] = sides[index(slots[k])]
    elimination.solve(table, own.blocks, own.blocks_order, right)
    for k in range(right.shape[0]):
        own.change[index(slots[k])] = right[k]


@helper
def solve_rates(arrays, work, own, to_v, v):
    y, rows, n = own.y, work.phi.shape[0], v.shape[0]
    copy(work.xi, y, 0)
    add_rates(work.plan, arrays.jacobian, work.C, arrays.masses.shape[0], v, y)
    for i in range(y.shape[0]):
        y[i] = -y[i] / to_v if i < rows else 0.0
    bad = nearest(arrays, work, y.shape[0], 0, 0.0)
    if bad >= 0:
        return fail(work, NOT_FINITE, n + own.q_dot.shape[0] + 1 + bad)
    copy(own.d, own.change, 0)
    copy(y, own.change, n)
    return OK


@helper
def weigh(arrays, work, own, v, e):
    subtract_inertia(arrays, arrays.jacobian.shape[1] == 6, e, own.sides[: e.shape[0]])
    for j in range(e.shape[0]):
        own.sides[j] = -own.sides[j]


@helper
def find_tangent(form, own, system, arrays, work, t, dt, z, to_v, to_q, out):
    """None is needed."""
    return False


FORM = Form(
    begin, choose_rows, place_states, evaluate, factor, solve, solve_rates, weigh, find_tangent,
    is_near=True, adds_up=False, has_tangent=False, renewals=0,
)  # fmt: skip


@kernel(STEP)
def step(method, system, arrays, work, t, dt, z, scratch):
    """Take z from t to t + dt."""
    return take(FORM, WORKSPACE(work), method, system, arrays, work, t, dt, z, scratch)


__all__ = ["SCRATCH", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start", "step"]
