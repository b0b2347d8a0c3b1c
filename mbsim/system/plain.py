"""q_dot = v and q (+) d = q + d, shared by systems without quaternions; no event, of systems without a stop expression; no corners of
laws where they are not located; no tangent and no slopes of laws, where no implicit step needs them."""

from mbsim.contracts import BLOCK_TANGENT, CORNERS, ENERGY, EVENT, MOVE, RATES
from mbsim.jit import kernel


@kernel(RATES)
def rates(arrays, t, q, v, q_dot):
    for i in range(v.shape[0]):
        q_dot[i] = v[i]


@kernel(MOVE)
def move(arrays, q, d):
    for i in range(d.shape[0]):
        q[i] += d[i]


@kernel(BLOCK_TANGENT)
def no_tangent(arrays, frames, relative_values, laws, jacobian, q, v, lam, slopes, c_q, c_v, table, scratch, local, S):
    pass


@kernel(ENERGY)
def no_slopes(arrays, t, q, v, out):
    pass


@kernel(EVENT)
def no_event(arrays, t, q, v, q_dot, v_dot, lam, out):
    pass


@kernel(CORNERS)
def no_corners(arrays, t, q, v, q_dot, v_dot, out):
    pass
