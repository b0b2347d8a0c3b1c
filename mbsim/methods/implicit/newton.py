"""What the iteration of `implicit/step.py` asks at one guess: the end of the step, its residual, a matrix, a correction.

Both matrices only steer the iteration. CONSTANT is [M, -C'; C, 0] with what a form takes of c_v D + c_q K. TANGENT is the whole tangent of
the residual by its differences, dense, held over the steps as long as it serves.
"""

import numpy as np

from mbsim.contracts import COUNT_FACTORISATIONS, NO_CONVERGENCE, OK, STATUS_RANK
from mbsim.jit import helper, unfolded
from mbsim.kernels.iteration import largest_part
from mbsim.kernels.linalg import copy, eliminated_solve, lu
from mbsim.methods.implicit.form import MATRIX, SAME_STEP, TANGENT, TANGENT_RANK, TANGENT_STEP, WORST

HELD = 0.03  # ratio of two changes up to which the TANGENT of an earlier step serves the next one
VARIATION = 1e-6  # links/s, rad/s: of the speeds, in the differences of the residual


@helper
def advance(form, own, system, arrays, work, t, z, to_v, to_q, out):
    """The state out at the time t that belongs to the unknowns; whether the states of the user's were found."""
    n, end = work.v.shape[0], z.shape[0] - 1
    copy(z[n:end], out[n:end], 0)
    for j in range(n):
        out[j] = own.ahead_v[j] + to_v * own.next_v_dot[j]
        own.moved[j] = own.ahead[j] + to_q * own.next_v_dot[j]
    system.move(arrays, out[n:end], own.moved)
    return form.place_states(system, arrays, work, own, t, out[n:end], out[:n], to_v)


@unfolded
def find_residual(form, own, system, arrays, work, t, z, to_v, to_q, out):
    """`advance`, and own.sides, phi and own.rates there; whether the states were found, and by how much they are missed."""
    found = advance(form, own, system, arrays, work, t, z, to_v, to_q, out)
    return found, form.evaluate(system, arrays, work, own, t, out[work.v.shape[0] : z.shape[0] - 1], out[: work.v.shape[0]], to_v)


@unfolded
def find_misses(own, work, dt, share, to_v, to_q):
    """The right sides of the rows, and by how much phi and kept rows at velocity level are missed, and the row of the larger one.

    `share` of the states counts as a position; its row is -1.
    """
    n, rows = work.v.shape[0], work.phi.shape[0]
    worst, at = largest_part(work.phi, work.row_scales)
    if share > worst or np.isnan(share):
        worst, at = share, -1
    gap = 0.0
    for i in range(rows):
        own.sides[n + i] = -work.phi[i] / to_q
    for i in range(rows, own.rates.shape[0]):
        s = own.rates[i]
        own.sides[n + i] = -s / to_v
        s = abs(dt * s) / work.row_scales[i]
        if (s > gap and own.dropped[i] == 0) or np.isnan(s):
            gap = s
            at = i if gap > worst else at
    return worst, gap, at


@unfolded
def find_tangent(form, own, system, arrays, work, t, dt, z, to_v, to_q, out):
    """The factors of TANGENT by differences of the residual; False where it is singular."""
    K, n, m, x = own.tangent, work.v.shape[0], own.rates.shape[0], own.next_v_dot
    copy(own.sides[:n], own.other, 0)
    for j in range(n + 1):  # the last time as it was, for C
        kept = x[j % n]
        varied = VARIATION / to_v * work.scales[j % n] if j < n else 0.0
        x[j % n] = kept + varied
        find_residual(form, own, system, arrays, work, t, z, to_v, to_q, out)
        x[j % n] = kept
        if j < n:
            for i in range(n):
                K[i, j] = (own.other[i] - own.sides[i]) / varied
    for i in range(m):
        own.tangent_dropped[i] = own.dropped[i]
        for k in range(m):
            K[n + i, n + k] = 1.0 if i == k and own.dropped[i] == 1 else 0.0
        for j in range(n):
            x_ij = 0.0 if own.dropped[i] == 1 else work.C[i, j]
            K[n + i, j], K[j, n + i] = x_ij, -x_ij
    work.counts[COUNT_FACTORISATIONS] += 1
    own.memory[TANGENT_STEP], own.memory[TANGENT_RANK] = dt, float(work.status[STATUS_RANK])
    return lu(K, n + m, own.tangent_order)


@helper
def take_tangent(memory):
    """TANGENT is the matrix from here on, to be formed."""
    memory[MATRIX], memory[TANGENT_STEP] = TANGENT, 0.0


@unfolded
def serves(own, work, dt):
    """Whether the TANGENT of an earlier step is good enough for this one."""
    memory = own.memory
    same = abs(memory[TANGENT_STEP] - dt) <= SAME_STEP * abs(dt) and memory[TANGENT_RANK] == float(work.status[STATUS_RANK])
    return memory[MATRIX] == TANGENT and same and memory[WORST] <= HELD


@unfolded
def factor(form, own, system, arrays, work, t, dt, z, to_v, to_q, out):
    """The factors of the matrix in use where the residual is; CONSTANT that is singular is left for TANGENT."""
    memory = own.memory
    if serves(own, work, dt):
        memory[WORST] = 0.0
        return OK
    memory[WORST] = 0.0
    code = form.factor(system, arrays, work, own, t, out, to_v, to_q)
    if form.has_tangent and code == NO_CONVERGENCE:
        take_tangent(memory)
    elif code != OK:
        return code
    if form.has_tangent and memory[MATRIX] == TANGENT:
        return OK if form.find_tangent(form, own, system, arrays, work, t, dt, z, to_v, to_q, out) else NO_CONVERGENCE
    return OK


@helper
def solve(form, own, arrays, work):
    """own.change = the solution for own.sides by the matrix in use."""
    if form.has_tangent and own.memory[MATRIX] == TANGENT:
        n, size, change = work.v.shape[0], own.tangent_order.shape[0], own.change
        for k in range(size):
            i = own.tangent_order[k]
            change[k] = 0.0 if i >= n and own.tangent_dropped[i - n] == 1 else own.sides[i]
        eliminated_solve(own.tangent, size, change[:size])
    else:
        form.solve(arrays, work, own)


@unfolded
def correct_multipliers(own):
    """The multipliers by the solution."""
    n = own.next_v_dot.shape[0]
    for i in range(own.next_lam.shape[0]):
        own.next_lam[i] += own.change[n + i]


@unfolded
def correct(own):
    """The unknowns by the solution."""
    n, m, change = own.next_v_dot.shape[0], own.next_lam.shape[0], own.change
    for j in range(n):
        own.next_v_dot[j] += change[j]
    correct_multipliers(own)
    for i in range(own.states.shape[0]):
        own.states[i] += change[n + m + i]
