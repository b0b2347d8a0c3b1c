"""A state moved onto the constraints while some coordinates and speeds are held, compiled: what events set, in programs without Python.

The ways are those of `mbsim.diagnosis.consistent`, over the same factors. Rows that depend on each other share by singular values: with
W = U' Y of orthogonal rows, by one-sided Jacobi rotations (Hestenes 1958), the smallest x with Y x = b is W' S^-2 U' b.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from mbsim.contracts import ARRAYS, SYSTEM
from mbsim.jit import helper, i8, kernel
from mbsim.jit.signatures import Block, Packed, Vector
from mbsim.kernels.linalg import cholesky, multiply_rows, solve_lower, solve_upper
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.displacement import CONTRACTION, DEPENDENT, FACTORS, ITERATIONS, factor_rows, meet_speeds, solve_rows

MET, CONTRADICTS = 0, 1  # what the kernels return
REACHED, ACCEPTED, ACCEPTED_AT_ONCE = 0, 1, 2  # in `limits`
SMALLEST_PART = 1e-4  # of the residual at first: where less cannot be removed at a time the way ends on a singular position
SWEEPS = 60  # of rotations; quadratic convergence takes 5 to 10
ROTATED = 1e-30  # of the lengths squared: rows are orthogonal


class _Meeting(NamedTuple):
    phi: Vector  # (r,) residuals of positions
    drawn: Vector  # (r,) these before anything is moved
    rows: Vector  # (m,) what residuals are divided by
    columns: Vector  # (n,) what displacements and speeds are divided by
    limits: Vector  # (3,) below which a residual is none; up to which it is accepted; the same of speeds that are not divided
    kept_q: Vector  # (n_q,) scratch, like the next two
    kept_v: Vector  # (n,)
    turned: Vector  # (m,)


class Meeting(Packed, _Meeting):
    """The units in which a state is moved onto the constraints, and scratch."""


MEETING = Meeting.block = Block(Meeting)


@helper
def rotate(Y, c, m, n):
    """Make the first m rows of Y (m, n) orthogonal by rotations, which turn c (m,) too."""
    for _ in range(SWEEPS):
        turned = False
        for p in range(m - 1):
            for q in range(p + 1, m):
                a, b, s = 0.0, 0.0, 0.0
                for j in range(n):
                    a += Y[p, j] * Y[p, j]
                    b += Y[q, j] * Y[q, j]
                    s += Y[p, j] * Y[q, j]
                if s * s <= ROTATED * a * b or s == 0.0:
                    continue
                turned = True
                zeta = (b - a) / (2.0 * s)
                t = (1.0 if zeta >= 0.0 else -1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / sqrt(1.0 + t * t)
                sine = cosine * t
                for j in range(n):
                    yp, yq = Y[p, j], Y[q, j]
                    Y[p, j], Y[q, j] = cosine * yp - sine * yq, sine * yp + cosine * yq
                cp, cq = c[p], c[q]
                c[p], c[q] = cosine * cp - sine * cq, sine * cp + cosine * cq
        if not turned:
            break


@helper
def share_rows(f, g):
    """Fill d for b where rows depend on each other, in the least-squares sense; whether all that may move has inertia."""
    n, m = f.free.shape[0], f.Y.shape[0]
    for i in range(n):
        for j in range(i + 1):
            f.L[i, j] = f.M[f.free[i], f.free[j]]
    if cholesky(f.L, n, f.dense) >= 0:
        return False
    for r in range(m):
        for j in range(n):
            f.Y[r, j] = f.C[r, f.free[j]]
        solve_lower(f.L, n, f.dense, f.Y[r])
        g.turned[r] = f.b[r]
    rotate(f.Y, g.turned, m, n)
    largest = 0.0
    for r in range(m):
        s = 0.0
        for j in range(n):
            s += f.Y[r, j] * f.Y[r, j]
        f.lengths[r] = sqrt(s)
        largest = max(largest, f.lengths[r])
    for j in range(n):
        f.x[j] = 0.0
    for r in range(m):
        if f.lengths[r] > RANK_TOLERANCE * largest:
            s = g.turned[r] / f.lengths[r] / f.lengths[r]
            for j in range(n):
                f.x[j] += s * f.Y[r, j]
    solve_upper(f.L, n, f.dense, f.x)
    for j in range(f.d.shape[0]):
        f.d[j] = 0.0
    for j in range(n):
        f.d[f.free[j]] = f.x[j]
    return True


@helper
def displace(f, g):
    """Fill d for b by M and C as they are; whether all that may move has inertia."""
    if factor_rows(f) > DEPENDENT:
        solve_rows(f)
        return True
    return share_rows(f, g)


@helper
def evaluate(system, arrays, f):
    """C, xi and M at (time, q)."""
    system.constraints(arrays, f.time[0], f.q, f.C, f.xi)
    system.dynamics(arrays, f.time[0], f.q, f.still, f.M, f.h, f.eta, f.power)


@helper
def largest_over(x, units, count):
    """The largest size of the first numbers over their units; NaN where one is none."""
    found = 0.0
    for i in range(count):
        size = abs(x[i] / units[i])
        found = size if not size <= found else found
    return found


@helper
def contract(system, arrays, f, g, goal):
    """Newton for phi = goal drawn, as far as dependent rows let it; whether it contracts."""
    before, count = np.inf, g.phi.shape[0]
    for _ in range(ITERATIONS):
        system.residual(arrays, f.time[0], f.q, g.phi)
        for i in range(count):
            f.b[i] = goal * g.drawn[i] - g.phi[i]
        if largest_over(f.b, g.rows, count) <= g.limits[REACHED]:
            return True
        evaluate(system, arrays, f)
        if not displace(f, g):
            return False
        s = 0.0
        for j in range(f.d.shape[0]):
            x = f.d[j] / g.columns[j]
            s += x * x
        size = sqrt(s)
        if size <= g.limits[REACHED]:
            return True
        if not size <= CONTRACTION * before:
            return size <= g.limits[ACCEPTED]
        system.move(arrays, f.q, f.d)
        before = size
    return False


@kernel(i8(SYSTEM, ARRAYS, FACTORS, MEETING))
def meet_at_positions(system, arrays, f, g):
    """Move q onto phi(time, q) = 0 in the assembly mode that it is in; returns MET or CONTRADICTS. The rows of Y are those of positions."""
    count, left, part = g.phi.shape[0], 1.0, 1.0
    system.residual(arrays, f.time[0], f.q, g.drawn)
    for i in range(count):
        if not np.isfinite(g.drawn[i]):
            return CONTRADICTS
    while left > 0.0 and part >= SMALLEST_PART:
        goal = max(left - part, 0.0)
        for i in range(f.q.shape[0]):
            g.kept_q[i] = f.q[i]
        if contract(system, arrays, f, g, goal):
            left, part = goal, 2.0 * part
        else:
            part *= 0.5
            for i in range(f.q.shape[0]):
                f.q[i] = g.kept_q[i]
    system.residual(arrays, f.time[0], f.q, g.phi)
    return MET if left == 0.0 and largest_over(g.phi, g.rows, count) <= g.limits[ACCEPTED] else CONTRADICTS


@kernel(i8(SYSTEM, ARRAYS, FACTORS, MEETING))
def meet_at_speeds(system, arrays, f, g):
    """Move v onto C v + xi = 0 at (time, q); returns MET or CONTRADICTS. The rows of Y are all of C."""
    n, m = f.v.shape[0], f.b.shape[0]
    for j in range(n):
        g.kept_v[j] = f.v[j]
    evaluate(system, arrays, f)
    if f.free.shape[0] > 0 and meet_speeds(f) > DEPENDENT:
        left, size = 0.0, 1.0
        for i in range(m):
            left = abs(f.b[i]) if not abs(f.b[i]) <= left else left
        for j in range(n):
            size = max(size, abs(f.v[j]))
        if left <= g.limits[ACCEPTED_AT_ONCE] * size:
            return MET
    for j in range(n):
        f.v[j] = g.kept_v[j]
    for passed in range(3):  # the second pass removes the round-off of the first
        multiply_rows(f.C, f.v, f.b)
        for r in range(m):
            f.b[r] = -(f.b[r] + f.xi[r])
        if passed < 2:
            if not displace(f, g):
                return CONTRADICTS
            for j in range(n):
                f.v[j] += f.d[j]
    size = max(1.0, largest_over(f.v, g.columns, n))
    return MET if largest_over(f.b, g.rows, m) <= g.limits[ACCEPTED] * size else CONTRADICTS
