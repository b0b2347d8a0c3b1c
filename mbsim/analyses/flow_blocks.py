"""Solving (s - J) x = r with the Jacobian J of z_dot = f(t, z) of a tree, by blocks of bodies: for `bdf` and `radau`, at a cost linear in
the number of bodies.

z = [v; q; W]. With a = v_dot, a change x = [dv; dq; dW] has dv = (da + r_v) / s and dq = (dv + r_q) / s, and what is left is

    [M + D/s + K/s^2, -C'; C, 0] [da; dlam] = what r_v and r_q alone change of [h + C' lam - M a; -(C a + eta)]

The matrix is that of `generalized_alpha`: written for the bodies, whose joints are further equations, in an order with little fill
(`mbsim.methods._tree_order`). s may be complex. What the matrix leaves out, as how the directions of joints change with the motion, is put
right by iterating: one difference of inverse dynamics along the whole change tells what the solution misses. `Unfit` where that does not
converge quickly.
"""

from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csc_array
from scipy.sparse.linalg import SuperLU, splu

from mbsim import jit
from mbsim.integrators._pencils import Unfit
from mbsim.kernels import sparse_columns as col
from mbsim.methods._tree_flow import find_miss, find_parts
from mbsim.methods._tree_order import places, tree_plan
from mbsim.system.block_tangents import block_tangent_of
from mbsim.system.system import Floats, System

FRAME = 22  # columns of Arrays.frames
PROBE = 1e-7  # m, rad: length of the difference along a change
ENOUGH = 1e-2  # change of a solution in an iteration, over the solution, at which it is done: it steers the iteration of a step
SURE = 0.3  # times that: what the second change with these factors was, below which one iteration does for the next solutions
TRIES, SLOW = 8, 0.5  # iterations; ratio of two changes above which they converge too slowly
DEPENDENT = 1e-9  # pivot of a row of C over the largest one, below which the row is left out


class FlowBlocks:
    """J at one state after the other, and solutions with it. Made by a march of a run, whose arrays it uses."""

    def __init__(self, system: System, work: jit.Work) -> None:
        plan, n, m = tree_plan(system), system.n_v, system.n_rows
        self._counts, self._n = work.counts, n
        self._of_speed, self._of_row = places(system, plan.slots)
        self._rows, self._columns, self._at = entries(plan.table)
        self._size = len(plan.slots)
        self._rate = np.inf  # second change over the solution, of the last solution with these factors that took two
        functions = system.functions._replace(tangent=block_tangent_of(system))
        b, n_b, arrays = (3 if system.dimension == 2 else 6), len(system.bodies), system.arrays
        self._time, self._power, self._h, self._xi, self._eta = np.zeros(1), np.zeros(1), np.zeros(n), np.zeros(m), np.zeros(m)
        self._C, M, self._dropped = np.zeros((m, n)), np.zeros((0, n)), np.zeros(m, np.int64)
        self._q, self._v, self._a, self._lam = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(m)
        self._force, self._side = np.zeros(n), np.zeros(m)
        self._find_miss = jit.bound(
            find_miss, functions, arrays, self._time, self._q, self._v, self._a, self._lam, self._C, self._xi, M, self._h, self._eta,
            self._power, self._force, self._side,
        )  # fmt: skip
        self._parts = [np.zeros(plan.places) for _ in range(3)]
        q_abs = np.zeros((3 if b == 3 else 7) * n_b)
        spare = [np.zeros((4, b * n_b + m + 16)), np.zeros((2 * b, 2 * b))]
        twins = [np.zeros((n_b + 1, FRAME)), np.zeros(arrays.relative_values.shape), np.zeros((len(arrays.laws), 3)), np.zeros((m, 2 * b))]
        self._find_parts = jit.bound(
            find_parts, functions, arrays, *twins, q_abs, np.zeros(b * n_b), self._lam, np.zeros(0), self._C, self._dropped, plan.table,
            *spare, *self._parts,
        )  # fmt: skip

    def take(self, t: float, z: Floats, dz: Floats) -> None:
        """J at (t, z), where dz = z_dot. Raises Unfit where it is not finite."""
        n = self._n
        self._time[0] = t
        self._v[:], self._q[:], self._a[:], self._lam[:] = z[:n], z[n:-1], dz[:n], 0.0
        self._miss()
        if self._lam.size:
            self._find_multipliers()
            self._miss()
        self._state = [x.copy() for x in (self._q, self._v, self._a, self._lam, self._force, self._side, self._power)]
        self._find_parts()
        parts = [np.nan_to_num(part[self._at], posinf=0.0, neginf=0.0) for part in self._parts]  # as of sqrt(x) at 0: it only steers
        there = np.flatnonzero(np.abs(parts).sum(axis=0))
        self._kept = [part[there] for part in parts]
        ends = np.searchsorted(self._columns[there], np.arange(self._size + 1))
        self._pattern = self._rows[there], ends.astype(np.int32)

    def _miss(self) -> None:
        self._find_miss()
        self._counts[jit.COUNT_EVALUATIONS] += 1

    def _find_multipliers(self) -> None:
        """Those of a state with these accelerations, zero for rows that depend on others."""
        Q, R, order = qr(self._C.T, mode="economic", pivoting=True)
        pivots = np.abs(np.diag(R))
        rank = int(np.sum(pivots > DEPENDENT * pivots.max(initial=0.0)))
        self._dropped[:] = 1
        self._dropped[order[:rank]] = 0
        self._lam[order[:rank]] = solve_triangular(R[:rank, :rank], -(Q[:, :rank].T @ self._force))

    def factors(self, s: complex) -> SuperLU:
        """Of the matrix for s (1/s). Raises Unfit."""
        rigid, damping, stiffness = self._kept
        values = rigid + damping / s + stiffness / s**2
        self._counts[jit.COUNT_FACTORISATIONS] += 1
        self._rate = np.inf
        try:
            return splu(csc_array((values, *self._pattern), shape=(self._size, self._size)), permc_spec="NATURAL")
        except RuntimeError as error:
            raise Unfit(str(error)) from None  # singular

    def solve(self, factors: SuperLU, s: complex, r: Any) -> Any:
        """x (n_z,) with (s - J) x = r. Raises Unfit."""
        n, kind = self._n, np.result_type(type(s), r)
        r_v, r_q, out = r[:n], r[n:-1], np.zeros(r.size, kind)
        a, lam, right = np.zeros(n, kind), np.zeros(self._lam.size, kind), np.zeros(self._size, kind)
        last = np.inf
        for tried in range(TRIES):
            out[:n] = (a + r_v) / s
            out[n:-1] = (out[:n] + r_q) / s
            force, side, power = self._change(out[n:-1], out[:n], a, lam, s)
            right[self._of_speed], right[self._of_row] = force, np.where(self._dropped, 0.0, side)
            x = factors.solve(right)
            a += x[self._of_speed]
            lam += x[self._of_row]
            change, size = float(np.abs(x[self._of_speed]).max(initial=0.0)), float(np.abs(a).max(initial=0.0))
            if tried == 1:
                self._rate = change / size if size > 0.0 else 0.0
            if not change <= max(SLOW * last, ENOUGH * size):
                break
            last = change
            if change <= ENOUGH * size or self._rate <= SURE * ENOUGH:
                out[:n] = (a + r_v) / s
                out[n:-1] = (out[:n] + r_q) / s
                out[-1] = (r[-1] + power) / s
                return out
        raise Unfit

    def _change(self, q: Any, v: Any, a: Any, lam: Any, s: complex) -> tuple[Any, Any, Any]:
        """What a change of the state changes of the miss, by a difference; complex ones in two parts."""
        if np.iscomplexobj(q):
            real = self._change(q.real, v.real, a.real, lam.real, s)
            imaginary = self._change(q.imag, v.imag, a.imag, lam.imag, s)
            return real[0] + 1j * imaginary[0], real[1] + 1j * imaginary[1], real[2] + 1j * imaginary[2]
        size = max(np.abs(q).max(initial=0.0), np.abs(v).max(initial=0.0) / abs(s))
        step = PROBE / size if size > 0.0 else 1.0
        for array, start, way in zip((self._q, self._v, self._a, self._lam), self._state, (q, v, a, lam), strict=False):
            np.multiply(way, step, out=array)
            array += start
        self._miss()
        force, side, power = self._state[4:]
        return (self._force - force) / step, (self._side - side) / step, (self._power[0] - power[0]) / step


def entries(table: Any) -> tuple[Any, Any, Any]:
    """Rows, columns and places of all numbers of the blocks, sorted by columns; rows and columns in the order of the elimination."""
    groups = table[col.HEADS : col.HEADS + table[0, col.GROUPS]]
    line = col.HEADS + len(groups)
    rows, columns, at = [], [], []

    def add(first: int, count: int, other: int, width: int, place: int) -> None:
        i, j = np.divmod(np.arange(count * width), width)
        rows.append(first + i)
        columns.append(other + j)
        at.append(place + np.arange(count * width))

    for group in groups:
        first, size = int(group[col.FIRST]), int(group[col.SIZE])
        add(first, size, first, size, int(group[col.DIAGONAL]))
        for entry in table[line : line + group[col.BELOW]]:
            later, outer = int(entry[col.LATER_FIRST]), int(entry[col.LATER_OUTER])
            add(first, size, later, outer, int(entry[col.RIGHT]))
            add(later, outer, first, size, int(entry[col.LEFT]))
        line += int(group[col.BELOW])
    row, column, place = np.concatenate(rows), np.concatenate(columns), np.concatenate(at)
    order = np.lexsort((row, column))
    return row[order].astype(np.int32), column[order], place[order]
