"""Solving (s - J) x = r with the Jacobian J of z_dot = f(t, z), by blocks of bodies: for `bdf`, `radau` and `ida`, at a cost linear in the
number of bodies of a tree.

z = [v; q; W]. With a = v_dot, a change x = [dv; dq; dW] has dv = (da + r_v) / s and dq = (dv + r_q) / s, and what is left is

    [M + D/s + K/s^2, -C'; C, 0] [da; dlam] = what r_v and r_q alone change of [h + C' lam - M a; -(C a + eta)]

The matrix is that of `generalized_alpha`. For trees it is written for the bodies, whose joints are further equations; in both kinds of
coordinates the order has little fill (`mbsim.saddle`). s may be complex. What the matrix
leaves out, as how the directions of joints change with the motion, is put right by iterating: one difference of inverse dynamics along the
whole change tells what the solution misses. `Unfit` where that does not converge quickly. Quaternions have q_dot = q (0, omega) / 2, of
which dq follows too (`_Turns`). States of the user's are behind q: a change of them follows, by differences of their rates, from that of q
and v.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csc_array
from scipy.sparse.linalg import SuperLU, splu

from mbsim import contracts, jit
from mbsim.integrators._pencils import Unfit
from mbsim.kernels import frame_columns
from mbsim.kernels import tree_columns as tree_col
from mbsim.kernels.primitives import BALL, FREE
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.kernels.rotations import quaternion_rate
from mbsim.saddle import columns as col
from mbsim.saddle.bodies.table import BodyTable
from mbsim.saddle.flows import flow_of
from mbsim.saddle.lines import first_line, lines_of
from mbsim.saddle.trees.groups import places
from mbsim.system.block_tangents import block_tangent_of
from mbsim.system.law_reads import slopes
from mbsim.system.structure import body_table, tree_structure
from mbsim.system.system import Floats, System

Ints = NDArray[np.integer]
Numbers = np.ndarray  # floats, or complex numbers where s is complex
Pattern = tuple[Ints, Ints]  # rows of entries, and where each column begins among them

PROBE = 1e-7  # m, rad: length of the difference along a change
ENOUGH = 1e-2  # change of a solution in an iteration, over the solution, at which it is done: it steers the iteration of a step
SURE = 0.3  # times that: what the second change with these factors was, below which one iteration does for the next solutions
TRIES, SLOW = 8, 0.5  # iterations; ratio of two changes above which they converge too slowly


class FlowBlocks:
    """J at one state after the other, and solutions with it. Made by a march of a run, whose arrays it uses."""

    def __init__(self, system: System, work: contracts.Work) -> None:
        n, m, arrays = system.n_v, system.n_rows, system.arrays
        self._status, self._counts, self._n = work.status, work.counts, n
        self._turns, self._states = _Turns(system), _States(system)
        plan, self._of_speed, self._of_row = order_of(system)
        self._rows, self._columns, self._at = entries(plan.table)
        self._size = len(plan.slots)
        self._rate = np.inf  # second change over the solution, of the last solution with these factors that took two
        b, n_b = (3 if system.dimension == 2 else 6), len(system.bodies)
        self._time, self._power, self._h, self._xi, self._eta = np.zeros(1), np.zeros(1), np.zeros(n), np.zeros(m), np.zeros(m)
        self._q, self._v, self._a, self._lam = np.zeros(system.n_q), np.zeros(n), np.zeros(n), np.zeros(m)
        self._force, self._side, self._dropped = np.zeros(n), np.zeros(m), np.zeros(m, np.int64)
        self._parts = [np.zeros(plan.places) for _ in range(3)]
        tree = self._tree = system.in_joint_coordinates
        functions = system.functions._replace(tangent=block_tangent_of(system), **({} if tree else {"slopes": slopes(system)}))
        self._dense = tree or lines_of(plan.table, col.WIDE) > 0  # whether C is known as a matrix
        self._C, M = np.zeros((m, n) if self._dense else (0, 0)), np.zeros((0, 0))
        self._jacobian, self._row_bodies = arrays.jacobian, arrays.row_bodies
        state = self._time, self._q, self._v, self._a, self._lam, self._C, self._xi, M, self._h, self._eta
        found = self._power, self._force, self._side
        spare = [np.zeros((4, b * n_b + m + 16)), np.zeros((2 * b, 2 * b))]
        twins = [
            np.zeros((n_b + 1, frame_columns.COLUMNS)),
            np.zeros(arrays.relative_values.shape),
            np.zeros((len(arrays.laws), 3)),
            np.zeros((m, 2 * b)),
        ]
        poses = (np.zeros((3 if b == 3 else 7) * n_b), np.zeros(b * n_b)) if tree else (self._q, self._v)
        flow = flow_of(tree)
        table, rows = plan.table, (self._C, self._dropped)
        self._find_miss = jit.bound(flow.find_miss, functions, arrays, table, *state, *found)
        self._find_rigid = jit.bound(flow.find_rigid, arrays, table, *rows, self._parts[0])
        self._find_parts = jit.bound(
            flow.find_parts, functions, arrays, table, self._time, *twins, *poses, self._lam, np.zeros(plan.slopes), *rows, *spare,
            *self._parts,
        )  # fmt: skip

    def take(self, t: float, z: Floats, dz: Floats) -> None:
        """J at (t, z), where dz = z_dot has been evaluated last. Raises Unfit where it is not finite."""
        n = self._n
        self._time[0] = t
        self._v[:], self._q[:], self._a[:], self._lam[:] = z[:n], z[n:-1], dz[:n], 0.0
        self._miss()
        if self._lam.size:
            self._find_multipliers()
            self._miss()
        self._states.take(t, self._q, self._v)
        self._state = [x.copy() for x in (self._q, self._v, self._a, self._lam, self._force, self._side, self._power)]
        self._find_parts()
        parts = [np.nan_to_num(part[self._at], posinf=0.0, neginf=0.0) for part in self._parts]  # as of sqrt(x) at 0: it only steers
        there = np.flatnonzero(np.abs(parts).sum(axis=0))
        self._kept = [part[there] for part in parts]
        self._pattern = self._pattern_of(there)

    def _pattern_of(self, there: Ints) -> Pattern:
        """Rows of the entries `there`, and where each column begins among them."""
        ends = np.searchsorted(self._columns[there], np.arange(self._size + 1))
        return self._rows[there], ends.astype(np.int32)

    def _miss(self) -> None:
        self._find_miss()
        self._counts[contracts.COUNT_EVALUATIONS] += 1

    def _find_multipliers(self) -> None:
        """Those of a state with these accelerations, zero for rows that depend on others."""
        if not self._tree and self._status[contracts.STATUS_RANK] == self._lam.size:
            self._dropped[:] = 0
            self._find_rigid()
            values = self._parts[0][self._at]
            there = np.flatnonzero(values)
            right = np.zeros(self._size)
            right[self._of_speed] = self._force
            self._lam[:] = self._factored(values[there], self._pattern_of(there)).solve(right)[self._of_row]
            return
        Q, R, order = qr(self._matrix().T, mode="economic", pivoting=True)
        pivots = np.abs(np.diag(R))
        rank = int(np.sum(pivots > RANK_TOLERANCE * pivots.max(initial=0.0)))
        self._dropped[:] = 1
        self._dropped[order[:rank]] = 0
        self._lam[order[:rank]] = solve_triangular(R[:rank, :rank], -(Q[:, :rank].T @ self._force))

    def _matrix(self) -> Floats:
        """C (m, n)."""
        if self._dense:
            return self._C
        C = np.zeros((self._lam.size, self._n))
        b = self._jacobian.shape[1] // 2
        for row, bodies in enumerate(self._row_bodies):
            for side, body in enumerate(bodies):
                if b * body < self._n:
                    C[row, b * body : b * body + b] += self._jacobian[row, b * side : b * side + b]
        return C

    def _factored(self, values: Numbers, pattern: Pattern) -> SuperLU:
        """The factors of a matrix. Raises Unfit."""
        self._counts[contracts.COUNT_FACTORISATIONS] += 1
        try:
            return splu(csc_array((values, *pattern), shape=(self._size, self._size)), permc_spec="NATURAL")
        except RuntimeError as error:
            raise Unfit(str(error)) from None  # singular

    def factors(self, s: complex) -> SuperLU:
        """Of the matrix for s (1/s). Raises Unfit."""
        rigid, damping, stiffness = self._kept
        values = rigid + damping / s + stiffness / s**2
        self._rate = np.inf
        return self._factored(values, self._pattern)

    def solve(self, factors: SuperLU, s: complex, r: Numbers) -> Numbers:
        """x (n_z,) with (s - J) x = r. Raises Unfit."""
        n, kind = self._n, np.result_type(type(s), r)
        out = np.zeros(r.size, kind)
        a, lam, right = np.zeros(n, kind), np.zeros(self._lam.size, kind), np.zeros(self._size, kind)
        last = np.inf
        for tried in range(TRIES):
            self._follow(out, a, r, s)
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
                self._follow(out, a, r, s)
                out[-1] = (r[-1] + power) / s
                return out
        raise Unfit

    def _follow(self, out: Numbers, a: Numbers, r: Numbers, s: complex) -> None:
        """The changes of v, of q and of the states that belong to a change a (n,) of v_dot."""
        n, end = self._n, r.size - 1 - self._states.count
        out[:n] = (a + r[:n]) / s
        out[n:end] = self._turns.change(s, out[:n], r[n:end], *self._state[:2])
        out[end:-1] = self._states.change(s, out[:end], r[end:-1])

    def _change(self, q: Numbers, v: Numbers, a: Numbers, lam: Numbers, s: complex) -> tuple[Numbers, Numbers, complex]:
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


class _Turns:
    """Which coordinates are quaternions p, with p_dot = p (0, w) / 2, of speeds w; the others have the rates of single speeds."""

    def __init__(self, system: System) -> None:
        n, n_q, tree = system.n_v, system.n_q - system.n_x, system.arrays.tree
        if n_q == n:
            starts: list[tuple[int, int]] = []
        elif system.in_joint_coordinates:
            more = {BALL: 0, FREE: tree_col.TURN}
            nodes = [line for line in tree if line[tree_col.KIND] in more]
            starts = [(line[tree_col.Q] + more[line[tree_col.KIND]], line[tree_col.V] + more[line[tree_col.KIND]]) for line in nodes]
        else:
            starts = [(7 * body + 3, 6 * body + 3) for body in range(len(system.bodies))]
        self._p = np.array([[q + k for k in range(4)] for q, _ in starts], np.int64).reshape(-1, 4)
        self._w = np.array([[v + k for k in range(3)] for _, v in starts], np.int64).reshape(-1, 3)
        self._q = np.setdiff1d(np.arange(n_q), self._p)
        self._v = np.setdiff1d(np.arange(n), self._w)

    def change(self, s: complex, dv: Numbers, r: Numbers, q: Floats, v: Floats) -> Numbers:
        """dq with s dq = d(q_dot) + r for a change dv (n,) of the speeds at q, v."""
        out = np.zeros(r.size, np.result_type(type(s), dv, r))
        out[self._q] = (dv[self._v] + r[self._q]) / s
        if self._p.size:
            w = v[self._w]
            side = r[self._p] + _turn(q[self._p], dv[self._w])
            out[self._p] = (s * side + _turn(side, w)) / (s * s + 0.25 * (w * w).sum(axis=1))[:, None]
        return out


class _States:
    """States x of the user's, of rates f(t, q, v, x)."""

    def __init__(self, system: System) -> None:
        self.count, self._system = system.n_x, system

    def take(self, t: float, q: Floats, v: Floats) -> None:
        """The rates at a state and their derivatives by x; q has x behind it."""
        if not self.count:
            return
        self._at, first = (t, q.copy(), v.copy()), q.size - self.count
        self._there = self._rates(q, v)
        self._slopes = np.zeros((self.count, self.count))
        for k in range(self.count):
            moved = q.copy()
            moved[first + k] += PROBE * max(1.0, abs(moved[first + k]))
            self._slopes[:, k] = (self._rates(moved, v) - self._there) / (moved[first + k] - q[first + k])

    def _rates(self, q: Floats, v: Floats) -> Floats:
        out, (t, *_) = np.zeros(q.size), self._at
        self._system.functions.rates(self._system.arrays, float(t), q, v, out)
        return out[out.size - self.count :]

    def change(self, s: complex, d: Numbers, r: Numbers) -> Numbers:
        """dx with s dx = df + r for the change d of [v; q]."""
        if not self.count:
            return r
        return np.linalg.solve(s * np.eye(self.count) - self._slopes, r + self._along(d))

    def _along(self, d: Numbers) -> Numbers:
        """df where x stays, by a difference."""
        if np.iscomplexobj(d):
            return self._along(d.real) + 1j * self._along(d.imag)
        size = np.abs(d).max(initial=0.0)
        if size == 0.0:
            return np.zeros(self.count)
        (_, q, v), step = self._at, PROBE / size
        moved = np.concatenate([q[: q.size - self.count] + step * d[v.size :], q[q.size - self.count :]])
        return np.asarray((self._rates(moved, v + step * d[: v.size]) - self._there) / step)


def _turn(p: Numbers, w: Numbers) -> Numbers:
    """p (0, w) / 2, line by line; either may be complex."""
    out = np.zeros(p.shape, np.result_type(p, w))
    quaternion_rate(p.T, w.T, out.T)
    return out


def order_of(system: System) -> tuple[BodyTable, Ints, Ints]:
    """The table of the elimination, and where v_dot (n,) and the multipliers (m,) stand in its order."""
    plan, n = body_table(system), system.n_v
    if system.in_joint_coordinates:
        return plan, *places(tree_structure(system), plan.slots)
    where = np.argsort(plan.slots)
    return plan, where[:n], where[n : n + system.n_rows]


def entries(table: Ints) -> tuple[Ints, Ints, Ints]:
    """Rows, columns and places of all numbers of the blocks, sorted by columns; rows and columns in the order of the elimination."""
    line = first_line(table, col.ENTRIES)
    groups = table[col.HEADS : line]
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
            later, outer = int(entry[col.LATER_FIRST]), int(entry[col.LATER_SIZE])
            add(first, size, later, outer, int(entry[col.RIGHT]))
            add(later, outer, first, size, int(entry[col.LEFT]))
        line += int(group[col.BELOW])
    row, column, place = np.concatenate(rows), np.concatenate(columns), np.concatenate(at)
    order = np.lexsort((row, column))
    return row[order].astype(np.int32), column[order], place[order]
