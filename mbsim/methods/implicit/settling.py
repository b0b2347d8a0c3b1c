"""The states of the user's in forms of `generalized_alpha` whose matrix does not hold them: an iteration of their own finds them."""

from mbsim.jit import helper
from mbsim.kernels.linalg import copy
from mbsim.methods._states import settle_states


@helper
def place_states(system, arrays, work, own, t, q, v, to_v):
    """The states at the end of the step, for these q and v; whether they were found."""
    n_x = own.states.shape[0]
    if n_x == 0:
        return True
    first = q.shape[0] - n_x
    copy(own.states, q, first)
    found = settle_states(system, arrays, own, t, q, v, to_v)
    copy(q[first:], own.states, 0)
    return found
