"""The estimated error of a step of `generalized_alpha`: differences of v_dot through the matrix of the iteration (`implicit/alpha.py`)."""

import numpy as np

from mbsim.jit import helper, unfolded
from mbsim.kernels.linalg import clear
from mbsim.methods.implicit import alpha
from mbsim.methods.implicit.form import HISTORY, SPACING
from mbsim.methods.implicit.newton import solve


@helper
def damp(form, own, arrays, work, v, k, e):
    """e = k A^-1 M e, with the matrix A of the iteration: see `alpha`."""
    clear(own.sides)
    form.weigh(arrays, work, own, v, e)
    solve(form, own, arrays, work)
    for j in range(e.shape[0]):
        e[j] = k * own.change[j]


@unfolded
def find_error(form, own, system, arrays, work, dt, r, z, out, moved, left_open):
    """The estimated error of the step to the state out over the tolerance; one that is too large is damped some times more."""
    k_q, k_v = alpha.error_coefficients(r)
    v, e_q, e_v, e_x = out[: work.v.shape[0]], own.e_q, own.e_v, own.e_x
    before = own.memory[SPACING] if own.memory[HISTORY] > 0.0 else 0.0
    alpha.differences(dt, before, own.next_v_dot, own.v_dot, own.before_v_dot, e_q, e_v)
    alpha.differences(dt, before, own.x_dot, own.last_x_dot, own.before_x_dot, own.spare_x, e_x)
    for i in range(e_x.shape[0]):
        e_x[i] *= k_v * dt
    error = np.inf
    for turn in range(1 + alpha.LASTING):
        damp(form, own, arrays, work, v, k_q * dt * dt if turn == 0 else 1.0, e_q)
        damp(form, own, arrays, work, v, k_v * dt if turn == 0 else 1.0, e_v)
        if 0 < turn < alpha.LASTING:
            continue
        found = alpha.error_size(system, arrays, work, dt, r, z, out, e_q, e_v, e_x, moved, left_open)
        error = found if turn == 0 else max(found, error / alpha.strictness(work, z, r))
        if turn == 0 and not error > 1.0:
            break
    return error
