"""q_dot = v and q (+) d = q + d: systems without quaternions share them."""

from mbsim.jit import MOVE, RATES, kernel


@kernel(RATES)
def rates(arrays, q, v, q_dot):
    for i in range(v.shape[0]):
        q_dot[i] = v[i]


@kernel(MOVE)
def move(arrays, q, d):
    for i in range(d.shape[0]):
        q[i] += d[i]
