"""Block elimination of the multipliers over bodies and joints, O(N) for trees: the constraint force algorithm in absolute coordinates.

    M v_dot = h + C' lam,  C v_dot + eta = 0         (22), (24): of a body the forces that move it, and those of its joints
    S = C M^-1 C' = L L'                             (26): A of the paper
    S lam = -(eta + C M^-1 h)                        (27), (29)
    v_dot = M^-1 (h + C' lam)                        (28)
    z = [v; q; W]

The forces between the bodies come first and the motion from them, as in Liu, Hu & Zhang 2016; their W and H are the directions that a
joint blocks and leaves free, and their equations are about joint coordinates (`trees/cfa.py`). Joints that share a body are
coupled, so S has the graph of the joints; it is factored in an order without fill for trees (`mbsim.saddle.joints`), and neither M nor C
is formed. M^-1 = W W' is constant, and u = W^-1 v_dot is what is solved for. Which rows are left out because they depend on others, and
how singular positions are passed: `blocks/held.py`. The drift: `blocks/drift.py`.

Systems without bodies have no such graph; theirs are the dense equations of `lagrange`. docs/methods/cfa.md.
"""

from mbsim.contracts import EXPAND, OK, RHS, SETTING_RHEONOMIC
from mbsim.jit import helper, kernel
from mbsim.kernels.linalg import copy, negate
from mbsim.methods import lagrange
from mbsim.methods._elimination import OPTIONS
from mbsim.methods.blocks.beginning import plan, start
from mbsim.methods.blocks.drift import project
from mbsim.methods.blocks.held import Equations, first_place, is_fresh, keep_found, next_place, shorten, solve_held
from mbsim.saddle.evaluation import driving_power, evaluate, fill_row
from mbsim.saddle.joints.choice import WORKSPACE, factored, solved, sweep
from mbsim.saddle.joints.weighed_rows import unweigh, weigh_forces
from mbsim.saddle.lines import speeds_of_body

__all__ = ["OPTIONS", "WORKSPACE", "accept", "expand", "plan", "project", "rhs", "start"]

accept = lagrange.accept
_dense_rhs = lagrange.rhs

CROSSES = True  # singular positions: reads Work.beside
SOURCE = {
    "paper": "Liu, Hu & Zhang 2016",
    "equations": "(22)-(29), eliminated from the leaves to the base",
    "by": {"elimination": {"dense": "(22)-(29), the general form", "odd_even": "(39)-(44), with both terms of D in (40)"}},
}
KERNELS = [("bare tree", "_cfa_trees"), ("no tree", "cfa")]


@helper
def eliminate(arrays, work):
    """(26), (29): S = L L', lam <- L^-1 of -(eta + C M^-1 h), u <- W' h; -1, or the row at which S breaks down."""
    own = WORKSPACE(work)
    negate(work.eta, work.lam)
    weigh_forces(own.W, speeds_of_body(work.plan), arrays.masses.shape[0], work.h, own.u)
    return factored(arrays, work, work.lam.shape[0], 0.0, own.dropped, work.lam)


@helper
def find_forces(work):
    """(27): lam <- L'^-1 lam, u <- W' (h + C' lam)."""
    solved(work, work.lam, WORKSPACE(work).u)


@helper
def find_accelerations(arrays, work, dz):
    """(28): v_dot = W u."""
    own = WORKSPACE(work)
    unweigh(own.W, speeds_of_body(work.plan), arrays.masses.shape[0], own.u, dz)


@helper
def sweep_all(arrays, work, dz):
    """(26)-(29) in one sweep over the joints, of planar bodies whose rows are independent; what the pivots show."""
    negate(work.eta, work.lam)
    return sweep(arrays, work, work.h, work.lam, dz)


EQUATIONS = Equations(sweep_all, eliminate, find_forces, find_accelerations)


@kernel(RHS)
def rhs(system, arrays, work, t, z, dz):
    """Fill dz with z_dot from the constraint forces of the bodies, (22) and (24). Returns the status code."""
    if speeds_of_body(work.plan) == 0:
        return _dense_rhs(system, arrays, work, t, z, dz)
    n, end, fresh = work.v.shape[0], z.shape[0] - 1, is_fresh(work)
    place, code = first_place(work, t, z), OK
    while place.is_open:
        evaluate(system, arrays, work, place.t, place.q, place.v)  # (22), (24): M, h, C, eta
        code, weakest = solve_held(EQUATIONS, arrays, work, z.shape[0], fresh, place.attempt == 1, dz)
        place = next_place(work, place, fresh, code, weakest)
    code = keep_found(work, fresh, code, dz)
    if code != OK:
        return code
    system.rates(arrays, t, z[n:end], z[:n], dz[n:end])
    dz[end] = driving_power(work, work.lam) if work.settings[SETTING_RHEONOMIC] != 0.0 else work.power[0]
    return OK


@kernel(EXPAND)
def expand(rhs, system, arrays, work, t, z, row):
    """Fill an output row from z, with the shortest multipliers that give the constraint forces. Returns the status code."""
    n = work.v.shape[0]
    code = rhs(system, arrays, work, t, z, row[: z.shape[0]])
    if code == OK and speeds_of_body(work.plan) > 0:
        shorten(work)
    copy(z[:n], work.v, 0)
    copy(row[:n], work.a, 0)
    fill_row(z, work, row)
    return code
