"""The pencil of coupled stages by blocks of bodies: the same solution as in `flows`, of real and of complex matrices, in compiled code.

    [M + c D + c^2 K, -C'; C, 0] [du; dlam] = [h + C' lam - M u; -(C u + eta)]

Unknown are the accelerations u and the multipliers of a stage. Multipliers of rows that depend on others are zero. These rows stay the
same as long as others would not do much better: where they change, so do all multipliers, and nothing can be foreseen of them.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from mbsim.contracts import (
    COUNT_EVALUATIONS,
    COUNT_FACTORISATIONS,
    FACTOR_PENCIL,
    LINEARISE,
    MISS,
    NO_CONVERGENCE,
    OK,
    SOLVE_PENCIL,
    STATUS_RANK,
)
from mbsim.jit import Compiled, helper, index, kernel, unfolded
from mbsim.kernels.linalg import clear, copy, orthogonalise
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.saddle.bodies import factor as elimination
from mbsim.saddle.flows import flow_of


class Kernels(NamedTuple):
    """Those of a pencil (`mbsim.contracts.pencils`)."""

    miss: Compiled
    linearise: Compiled
    factor: Compiled
    solve: Compiled


AGAIN = 0.5  # of its length, by which a row counts that was left out before


@helper
def choose_rows(pencil, arrays, rank):
    """Which rows are left out, where only `rank` are independent: the others are picked by their size across those picked before."""
    Y, m, n = pencil.rows, pencil.dropped.shape[0], pencil.rows.shape[1]
    dense, b = pencil.C.shape[0] > 0, arrays.jacobian.shape[1] // 2
    for i in range(m):
        for j in range(n):
            Y[i, j] = pencil.C[i, j] if dense else 0.0
        if not dense:
            for side in range(2):
                body = arrays.row_bodies[i, side]
                if 0 <= body < n // b:
                    for c in range(b):
                        Y[i, b * body + c] += arrays.jacobian[i, b * side + c]
        for j in range(n if pencil.dropped[i] == 1 else 0):
            Y[i, j] *= AGAIN
        for k in range(m):
            pencil.coefficients[i, k] = 0.0
    found = orthogonalise(Y, m, n, pencil.side[:0], rank, RANK_TOLERANCE, pencil.coefficients, pencil.row_order, 0)
    for k in range(m):
        pencil.dropped[index(pencil.row_order[k])] = 0 if k < found else 1


@unfolded
def form(pencil, c, S):
    """S = rigid + c damping + c^2 stiffness."""
    for k in range(pencil.rigid.shape[0]):
        S[k] = pencil.rigid[k] + c * (pencil.damping[k] + c * pencil.stiffness[k])


@kernel(FACTOR_PENCIL)
def factor(pencil, place, real, imaginary):
    """The factors of the matrix for c = real + imaginary i."""
    size, unknowns = pencil.rigid.shape[0], pencil.right.shape[0] // 2
    order = pencil.orders[place * unknowns : (place + 1) * unknowns]
    if place == 0:
        S = pencil.factors[:size]
        form(pencil, real, S)
        return OK if elimination.factor(pencil.table, S, order) < 0 else NO_CONVERGENCE
    X = pencil.factors[(2 * place - 1) * size : (2 * place + 1) * size].view(np.complex128)
    form(pencil, complex(real, imaginary), X)
    return OK if elimination.factor(pencil.table, X, order) < 0 else NO_CONVERGENCE


@unfolded
def solve_with(pencil, S, order, x, right):
    """x = [sides of the accelerations; of the rows] becomes the solution."""
    n, m = pencil.of_speed.shape[0], pencil.of_row.shape[0]
    clear(right)
    for j in range(n):
        right[index(pencil.of_speed[j])] = x[j]
    for i in range(m):
        right[index(pencil.of_row[i])] = 0.0 if pencil.dropped[i] == 1 else x[n + i]
    elimination.solve(pencil.table, S, order, right)
    for j in range(n):
        x[j] = right[index(pencil.of_speed[j])]
    for i in range(m):
        x[n + i] = right[index(pencil.of_row[i])]


@kernel(SOLVE_PENCIL)
def solve(pencil, place, x):
    """x becomes the solution."""
    size, unknowns = pencil.rigid.shape[0], pencil.right.shape[0] // 2
    order = pencil.orders[place * unknowns : (place + 1) * unknowns]
    if place == 0:
        solve_with(pencil, pencil.factors[:size], order, x, pencil.right[:unknowns])
    else:
        X = pencil.factors[(2 * place - 1) * size : (2 * place + 1) * size].view(np.complex128)
        solve_with(pencil, X, order, x.view(np.complex128), pencil.right.view(np.complex128))


@cache
def pencil_of(tree: bool) -> Kernels:
    """The kernels of trees in joint coordinates, or of bodies in absolute ones; compiled when they are asked for."""
    flow = flow_of(tree)
    find_miss, find_parts = flow.find_miss, flow.find_parts

    def miss(pencil, method, system, arrays, work, t, z, u, missed):
        """What accelerations and multipliers miss, and the power."""
        n, k, end = work.v.shape[0], u.shape[0] - 1, z.shape[0] - 1
        pencil.time[0] = t
        find_miss(
            system, arrays, pencil.table, pencil.time, z[n:end], z[:n], u[:n], u[n:k], pencil.C, pencil.xi, pencil.M, pencil.h, pencil.eta,
            pencil.power, missed[:n], missed[n:k],
        )  # fmt: skip
        missed[k] = pencil.power[0]
        work.counts[COUNT_EVALUATIONS] += 1
        return OK

    def linearise(pencil, method, system, arrays, work, t, z, u):
        """M, D, K and the rows at a state with these accelerations and multipliers."""
        n, k, end = work.v.shape[0], u.shape[0] - 1, z.shape[0] - 1
        pencil.time[0] = t
        find_miss(
            system, arrays, pencil.table, pencil.time, z[n:end], z[:n], u[:n], u[n:k], pencil.C, pencil.xi, pencil.M, pencil.h, pencil.eta,
            pencil.power, pencil.force, pencil.side,
        )  # fmt: skip
        work.counts[COUNT_EVALUATIONS] += 1
        work.counts[COUNT_FACTORISATIONS] += 1
        m = pencil.dropped.shape[0]
        if work.status[STATUS_RANK] < m:
            choose_rows(pencil, arrays, work.status[STATUS_RANK])
        else:
            for i in range(m):
                pencil.dropped[i] = 0
        if not tree:
            copy(z[n:end], pencil.body_q, 0)
            copy(z[:n], pencil.body_v, 0)
        find_parts(
            pencil.functions, arrays, pencil.table, pencil.time, pencil.frames, pencil.relative_values, pencil.laws, pencil.jacobian,
            pencil.body_q, pencil.body_v, u[n:k], pencil.slopes, pencil.C, pencil.dropped, pencil.spare, pencil.local,
            pencil.rigid, pencil.damping, pencil.stiffness,
        )  # fmt: skip
        for j in range(pencil.rigid.shape[0]):  # as of sqrt(x) at 0: it only steers the iteration
            if not np.isfinite(pencil.rigid[j] + pencil.damping[j] + pencil.stiffness[j]):
                pencil.rigid[j] = pencil.damping[j] = pencil.stiffness[j] = 0.0
        return OK

    made = []
    for signature, function in ((MISS, miss), (LINEARISE, linearise)):
        function.__name__ = function.__qualname__ = f"{'tree' if tree else 'bodies'}_{function.__name__}"
        made.append(kernel(signature)(function))
    return Kernels(made[0], made[1], factor, solve)
