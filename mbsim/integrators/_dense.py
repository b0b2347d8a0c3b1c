"""The pencil of any system and method by dense matrices: derivatives by differences of z_dot = f(t, z), factors by row exchanges.

    P(c) = I - c df/dv - c^2 df/dd

of the rates u = [v_dot; x_dot] of speeds and states. Each speed is varied, and each displacement along what it changes of q_dot.
"""

import numpy as np

from mbsim.contracts import FACTOR_PENCIL, LINEARISE, MISS, NO_CONVERGENCE, OK, SOLVE_PENCIL
from mbsim.integrators._corners import is_beyond
from mbsim.jit import helper, kernel
from mbsim.kernels.linalg import clear, copy, eliminated_solve, lu
from mbsim.kernels.slipping import slips

VARIATION = 1e-7  # rad, links of the mechanism, and these per s; of states that are larger, relative
FINER, PART, ALIKE = 3, 0.1, 1e-3  # where something slips: smaller variations, each over the one before; what derivatives may differ by


@kernel(MISS)
def miss(pencil, method, system, arrays, work, t, z, u, missed):
    """f - u, and the power."""
    n, end, rates = work.v.shape[0], z.shape[0] - 1, pencil.rates
    k = u.shape[0] - 1
    code = method.rhs(system, arrays, work, t, z, rates)
    for j in range(n):
        missed[j] = rates[j] - u[j]
    for j in range(n, k):
        missed[j] = rates[end - k + j] - u[j]
    missed[k] = rates[end]
    return code


@helper
def differ(pencil, method, system, arrays, work, t, at, difference, column, D):
    """D[:, column] = what u changes by along the way that pencil.z has gone, over `difference`; a code, and whether a law has changed."""
    n, k, end, rates = work.v.shape[0], D.shape[0], pencil.z.shape[0] - 1, pencil.rates
    code = method.rhs(system, arrays, work, t, pencil.z, rates)
    for i in range(k):
        o = i if i < n else end - k + i
        D[i, column] = (rates[o] - at[o]) / difference
    q_end = n + work.beside_q.shape[0]
    return code, code == OK and is_beyond(system, arrays, work, t, pencil.z[n:q_end], rates[n:q_end])


@helper
def vary(pencil, method, system, arrays, work, t, z, j, part, column, D):
    """D[:, column] = the derivatives by the unknown whose rate is j, by a part of the usual variation; a code."""
    n, end, k, moved = work.v.shape[0], z.shape[0] - 1, D.shape[0], pencil.z
    o = j if j < n else end - k + j
    code, way, changes = OK, 1.0, True
    while code == OK and changes and way >= -1.0:
        moved[o] = z[o] + way * part * VARIATION * max(work.state_scales[o], abs(z[o]))
        code, changes = differ(pencil, method, system, arrays, work, t, pencil.varied, moved[o] - z[o], column, D)
        moved[o] = z[o]
        way -= 2.0
    return code


@helper
def vary_finer(pencil, method, system, arrays, work, t, z, j):
    """Derivatives by speed j by variations so small that smaller ones would give the same, where something slips; a code.

    The direction of a slow slip in space turns by far with a small speed across it. real_factors is scratch.
    """
    D, other, part, apart, code = pencil.by_speeds, pencil.real_factors, 1.0, 1.0, OK
    for _ in range(FINER):
        if apart == 0.0 or code != OK:
            break
        part *= PART
        code = vary(pencil, method, system, arrays, work, t, z, j, part, 0, other)
        apart, size = 0.0, 0.0
        for i in range(D.shape[0]):
            apart, size = max(apart, abs(D[i, j] - other[i, 0])), max(size, abs(other[i, 0]))
        if apart <= ALIKE * size:
            apart = 0.0
        else:
            for i in range(D.shape[0]):
                D[i, j] = other[i, 0]
    return code


@kernel(LINEARISE)
def linearise(pencil, method, system, arrays, work, t, z, u):
    """By 2 n + n_x differences. A step often begins where a law has just changed: a difference that changes it back goes the other way."""
    n, end, k = work.v.shape[0], z.shape[0] - 1, u.shape[0] - 1
    at, moved, sliding = pencil.varied, pencil.z, slips(work)
    code = method.rhs(system, arrays, work, t, z, pencil.rates)
    copy(pencil.rates, at, 0)
    copy(z, moved, 0)
    clear(work.displacement)
    for j in range(k):
        if code == OK:
            code = vary(pencil, method, system, arrays, work, t, z, j, 1.0, j, pencil.by_speeds)
        if code == OK and sliding and j < n:
            code = vary_finer(pencil, method, system, arrays, work, t, z, j)
        way, changes = 1.0, j < pencil.by_displacements.shape[1]
        while code == OK and changes and way >= -1.0:
            difference = way * VARIATION * work.scales[j]
            work.displacement[j] = difference
            system.move(arrays, moved[n:end], work.displacement)
            work.displacement[j] = 0.0
            code, changes = differ(pencil, method, system, arrays, work, t, at, difference, j, pencil.by_displacements)
            copy(z, moved, 0)
            way -= 2.0
    if code == OK:
        code = method.rhs(system, arrays, work, t, z, pencil.rates)
    return code


@helper
def form(pencil, c, P):
    """P(c), real or complex."""
    k, n = pencil.by_displacements.shape
    for i in range(k):
        for j in range(k):
            x = -c * pencil.by_speeds[i, j]
            if j < n:
                x -= c * c * pencil.by_displacements[i, j]
            P[i, j] = x
        P[i, i] += 1.0


@kernel(FACTOR_PENCIL)
def factor(pencil, place, real, imaginary):
    """The factors of P(real + imaginary i)."""
    k = pencil.by_speeds.shape[0]
    order = pencil.orders[place * k : (place + 1) * k]
    if place == 0:
        form(pencil, real, pencil.real_factors)
        return OK if lu(pencil.real_factors, k, order) else NO_CONVERGENCE
    X = pencil.complex_factors[(place - 1) * k : place * k].view(np.complex128)
    form(pencil, complex(real, imaginary), X)
    return OK if lu(X, k, order) else NO_CONVERGENCE


@helper
def solve_with(P, order, x, right):
    """x becomes P^-1 x, in the order of the rows as exchanged."""
    for i in range(x.shape[0]):
        right[i] = x[order[i]]
    eliminated_solve(P, x.shape[0], right)
    copy(right, x, 0)


@kernel(SOLVE_PENCIL)
def solve(pencil, place, x):
    """x becomes the solution."""
    k = pencil.by_speeds.shape[0]
    order = pencil.orders[place * k : (place + 1) * k]
    if place == 0:
        solve_with(pencil.real_factors, order, x[:k], pencil.right[:k])
    else:
        X = pencil.complex_factors[(place - 1) * k : place * k].view(np.complex128)
        solve_with(X, order, x[: 2 * k].view(np.complex128), pencil.right[: 2 * k].view(np.complex128))
