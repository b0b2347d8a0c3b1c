"""q_dot = v and q (+) d = q + d, shared by systems without quaternions; no event, of systems without a stop expression; no tangent,
where no implicit step needs it."""

from mbsim.jit import BLOCK_TANGENT, EVENT, MOVE, RATES, kernel


@kernel(RATES)
def rates(arrays, t, q, v, q_dot):
    for i in range(v.shape[0]):
        q_dot[i] = v[i]


@kernel(MOVE)
def move(arrays, q, d):
    for i in range(d.shape[0]):
        q[i] += d[i]


@kernel(BLOCK_TANGENT)
def no_tangent(arrays, frames, relative_values, jacobian, q, v, lam, c_q, c_v, table, scratch, local, S):
    pass


@kernel(EVENT)
def no_event(arrays, t, q, v, q_dot, v_dot, out):
    out[0], out[1] = 1.0, 0.0
