"""q_dot = v and q (+) d = q + d, shared by systems without quaternions; no event, of systems without a stop expression; no corners of
laws where they are not located; no tangent and no slopes of laws, where no implicit step needs them."""

from mbsim.contracts import BLOCK_TANGENT, CORNERS, ENERGY, EVENT, MOVE, RATES
from mbsim.jit import kernel


@kernel(RATES)
def rates(arrays, t, q, v, q_dot):
    """Fill q_dot with v."""
    for i in range(v.shape[0]):
        q_dot[i] = v[i]


@kernel(MOVE)
def move(arrays, q, d):
    """Add d to q."""
    for i in range(d.shape[0]):
        q[i] += d[i]


@kernel(BLOCK_TANGENT)
def no_tangent(arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, c_q, c_v, table, scratch, local, S):
    """Leave c_q and c_v as they are: no implicit step needs them."""


@kernel(ENERGY)
def no_slopes(arrays, t, q, v, out):
    """Leave the slopes of laws as they are: no implicit step needs them."""


@kernel(EVENT)
def no_event(arrays, t, q, v, q_dot, v_dot, lam, out):
    """Leave the values of events as they are: the system has none."""


@kernel(CORNERS)
def no_corners(arrays, t, q, v, q_dot, v_dot, out):
    """Leave the numbers of corners as they are: none are located."""
