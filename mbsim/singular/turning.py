"""How far the current null space has turned away from a held basis V2, and how far it may: `singular/decomposition.py` has the notation.

The columns of B = [C; V2']^-1 [0; I] are v2_i + n_i with n_i across V2, and tan^2 = sum |n_i|^2. A stage of a step that is off the
constraints by x gives a velocity that is off by x / cos(angle): the inverse of [C; V2'] is as much larger than that with a new V2. The
first stage is exact to x = O(d^2), where d is the angle by which the null space turns within the step. So of a step of order p every
factor of its error but the first may have 1 / cos(angle), and the error is at most

    TURN_ERROR d^p (1 + tan^2)^((p - 1) / 2)      of the way of the step

The decomposition is renewed where that exceeds what a step may err: 3e-6 with steps of a given size, the relative tolerance where the error
is controlled. There the integrator sees what a held decomposition adds and shortens its steps: the bound spares these. docs/methods/svd.md.
"""

from mbsim.contracts import SETTING_ORDER, SETTING_STEP_ERROR
from mbsim.jit import helper
from mbsim.kernels.linalg import copy, eliminated_solve_transposed

KNOWN = 3  # of `held.pivots`: whether held.B is that of the last accepted state, with the V2 that is held now
TURN_ERROR = 0.1  # scripts/holding.py measures 0.09 at most with rk4, 0.2 where a step ends close to the singular position
# Tangent up to which a decomposition is held in any case: the default limit. A bound that came and went with the step would spoil the order
# of convergence, because finer steps would hold a decomposition longer.
NARROWEST = 2.0


@helper
def columns(work, held, k, B):
    """B' = T'^-1 N' (k rows) of the last evaluation; returns the sum of the squared tangents, |B|^2 - k with slides in arms."""
    N, x, scales = held.N, held.x, work.scales
    turned = -float(k)
    for j in range(N.shape[1]):
        for i in range(k):
            x[i] = N[i, j]
        eliminated_solve_transposed(held.T, k, x)
        for i in range(k):
            turned += (x[i] / scales[j]) ** 2
            B[held.exchanged[i], j] = x[i]
    return turned


@helper
def turns(work, held, k, limit):
    """Return the sum of the squared tangents, and the square of the angle by which the null space has turned since the last call.

    That is 0 the first time with a V2, and where a limit leaves nothing to decide; else the sum over the columns of B of the squared
    sines of the angles that they have turned by. They cannot turn within the null space, because V2' B = I.
    """
    B, new, n, scales = held.B, held.W, held.N.shape[1], work.scales
    turned, moved = columns(work, held, k, new), 0.0
    for i in range(k if limit > NARROWEST else 0):
        if held.pivots[KNOWN] != 0.0:
            square, along, length, across = 0.0, 0.0, 0.0, 0.0
            for j in range(n):
                before, after = B[i, j] / scales[j], new[i, j] / scales[j]
                square += before * before
                along += before * (after - before)
                length += after * after
            along = 1.0 + along / square
            for j in range(n):
                rest = (new[i, j] - along * B[i, j]) / scales[j]
                across += rest * rest
            moved += across / length
        copy(new[i], B[i], 0)
    held.pivots[KNOWN] = 1.0
    return turned, moved


@helper
def resolved_tangent(work, moved):
    """The square of the tangent up to which a step errs no more than it may, if the null space turns in it by the root of `moved`."""
    order = work.settings[SETTING_ORDER]
    if not (order > 1.0 and moved > 0.0):
        return 1e300
    room = work.settings[SETTING_STEP_ERROR] / (TURN_ERROR * moved ** (0.5 * order))
    return max(room ** (2.0 / (order - 1.0)) - 1.0, NARROWEST * NARROWEST)
