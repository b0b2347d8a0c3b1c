"""The states of the user's in methods that make their own steps, where an implicit rule gives their values at the end of a step.

    x = base + theta g(t, q, v, x)

is solved by Newton's method whose matrix I - theta dg/dx comes from differences of g: they only steer the iteration. The states stand in
q behind the coordinates, and `rates` gives g with q_dot. Integrators see states as coordinates and need nothing of this.
"""

import numpy as np

from mbsim.jit import Workspace, helper, indices, matrix, vector
from mbsim.kernels.linalg import copy, eliminated_solve, lu
from mbsim.methods import _augmented

ITERATIONS = 30
MET = 1e-14  # of the sizes of the terms: no iteration goes on
ROUGH = 1e-9  # of the same: enough where the residual no longer halves, at round-off
VARIATION = 1e-7  # of the sizes of the terms, in the differences

ARRAYS = {
    "x_dot": vector("n_x"),  # g at the state that was found
    "base": vector("n_x"),
    "missed": vector("n_x"),  # the residual, then the correction
    "exchanged_missed": vector("n_x"),
    "slope": matrix("n_x", "n_x"),  # factors of I - theta dg/dx
    "slope_order": indices("n_x"),
    "q_dot": vector("n_q"),
    "varied": vector("n_q"),  # q_dot elsewhere
}
STATES = Workspace("states", _augmented.WORKSPACE, sizes=(), **ARRAYS)


@helper
def state_rates(system, arrays, own, t, q, v, out):
    """out (n_x,) = g at (t, q, v)."""
    first = q.shape[0] - out.shape[0]
    system.rates(arrays, t, q, v, own.q_dot)
    for i in range(out.shape[0]):
        out[i] = own.q_dot[first + i]


@helper
def settle_states(system, arrays, own, t, q, v, theta):
    """Put x with x = base + theta g(t, q, v, x) into q and g into own.x_dot; whether it was found. Begins at the x in q."""
    n_x = own.base.shape[0]
    first, before = q.shape[0] - n_x, np.inf
    for _ in range(ITERATIONS if n_x > 0 else 0):
        state_rates(system, arrays, own, t, q, v, own.x_dot)
        worst = 0.0
        for i in range(n_x):
            change = theta * own.x_dot[i]
            own.missed[i] = own.base[i] + change - q[first + i]
            size = abs(own.base[i]) + abs(change) + abs(q[first + i])
            share = abs(own.missed[i]) / size if size > 0.0 else 0.0
            if share > worst or np.isnan(share):
                worst = share
        if worst <= MET or (worst <= ROUGH and worst > 0.5 * before):
            return True
        if not worst < np.inf:
            return False
        before = worst
        for j in range(n_x):
            kept = q[first + j]
            step = VARIATION * max(abs(kept), abs(theta * own.x_dot[j]), abs(own.missed[j]))
            step = step if step > 0.0 else VARIATION
            q[first + j] = kept + step
            system.rates(arrays, t, q, v, own.varied)
            q[first + j] = kept
            for i in range(n_x):
                own.slope[i, j] = (1.0 if i == j else 0.0) - theta * (own.varied[first + i] - own.x_dot[i]) / step
        if not lu(own.slope, n_x, own.slope_order):
            return False
        for i in range(n_x):
            own.exchanged_missed[i] = own.missed[own.slope_order[i]]
        eliminated_solve(own.slope, n_x, own.exchanged_missed)
        for i in range(n_x):
            q[first + i] += own.exchanged_missed[i]
    return n_x == 0


@helper
def place_states(system, arrays, work, own, t, q, v, to_v):
    """Settle own.states for a form of `generalized_alpha` whose matrix does not hold them; returns whether they were found."""
    n_x = own.states.shape[0]
    if n_x == 0:
        return True
    first = q.shape[0] - n_x
    copy(own.states, q, first)
    found = settle_states(system, arrays, own, t, q, v, to_v)
    copy(q[first:], own.states, 0)
    return found
