"""Efforts that follow from the equations of motion at samples: those that a motion needs, and those that carry the weight.

With B' v the rates of the coordinates that are led, and r the accelerations that these are to have, a motion needs the efforts u of

    M v_dot - C' lam - B u = h,   C v_dot = -eta,   B' v_dot + B_dot' v = r

where h has all other loads (computed torque: Luh, Walker & Paul 1980; in closed mechanisms the reactions are solved for beside).
Coordinates that are not led move as they do. The weight is carried by C' lam + B u = -g at rest, with the forces g of gravity, by least
squares where the efforts cannot carry all of it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mbsim.contracts import ARRAYS, CONSTRAINTS, DYNAMICS, SAMPLE_DUE, Arrays, SystemFunctions
from mbsim.jit import A1, A2, I1, f8, kernel, void
from mbsim.jit.signatures import Function
from mbsim.kernels.linalg import clear
from mbsim.model.sampling import Held
from mbsim.system.relative_rates import relative_acceleration
from mbsim.system.sample_error import SampleError
from mbsim.system.samples import Samples
from mbsim.system.system import Floats

REGULAR = 1e-13  # reciprocal condition above which equations have one solution
CONTRADICTS = 1e-6  # of the forces: what may be left over of equations that are solved


class _Group(NamedTuple):
    """Efforts of one kind that are due at the same samples."""

    clock: int
    names: list[str]
    efforts: list[int]  # places of the held efforts in q
    wanted: list[int]  # of the accelerations; none where the weight is carried
    relative: list[int]
    lower: Floats
    upper: Floats


class _Terms(NamedTuple):
    """The terms of the equations above."""

    M: Floats  # (n, n)
    h: Floats  # (n,)
    C: Floats  # (m, n)
    eta: Floats  # (m,)
    B: Floats  # (n, k)
    bias: Floats  # (k,) B_dot' v


@kernel(void(Function(CONSTRAINTS), Function(DYNAMICS), ARRAYS, f8, A1, A1, I1, I1, A2, A1, A2, A1, A2, A1, A2, A1, A1))
def terms(constraints, dynamics, arrays, t, q, v, efforts, relative, M, h, C, eta, B, bias, other, column, scratch):
    """Fill the terms at q, where these efforts are zero, and a column of B for each of `efforts`, its places in q."""
    n, m = v.shape[0], eta.shape[0]
    constraints(arrays, t, q, C, scratch[:m])
    dynamics(arrays, t, q, v, M, h, eta, scratch[:1])
    clear(scratch)
    for k in range(relative.shape[0]):
        bias[k] = relative_acceleration(arrays, relative[k], scratch[:n]) if relative[k] >= 0 else 0.0
    for k in range(efforts.shape[0]):
        q[efforts[k]] = 1.0
        for i in range(n):
            clear(other[i])
        dynamics(arrays, t, q, v, other, column, eta, scratch[:1])
        q[efforts[k]] = 0.0
        for i in range(n):
            B[i, k] = column[i] - h[i]


class SolvedSamples:
    """Samples with efforts that are solved for beside the compiled laws; as the kernel, of contract SAMPLE."""

    def __init__(self, samples: Samples, held: Mapping[str, Held], coordinates: list[str], functions: SystemFunctions, n_rows: int) -> None:
        self._function, self._functions, self._rows = samples.function, functions, n_rows
        self._groups: list[_Group] = []
        self._known: dict[bool, dict[int, Floats]] = {True: {}, False: {}}  # directions that are constant, by kind and clock
        for k, clock in enumerate(samples.clocks):
            for moves in (True, False):
                found = {
                    name: state.solved
                    for name, state in held.items()
                    if state.clock == clock and state.solved is not None and bool(state.solved.wanted) == moves
                }
                if found:
                    self._groups.append(
                        _Group(
                            k,
                            list(found),
                            [coordinates.index(name) for name in found],
                            [coordinates.index(solved.wanted) for solved in found.values()] if moves else [],
                            [solved.relative for solved in found.values()],
                            np.array([solved.lower for solved in found.values()]),
                            np.array([solved.upper for solved in found.values()]),
                        )
                    )

    def __call__(self, arrays: Arrays, t: float, q: Floats, v: Floats, due: Floats, out: Floats) -> None:
        """Fill the held states that are due. Raises SampleError where no efforts give the motion."""
        self._function(arrays, t, q, v, due, out)
        for group in self._groups:
            if due[group.clock, SAMPLE_DUE] != 0.0:
                find = self._motion if group.wanted else self._weight
                out[group.efforts] = np.clip(find(group, arrays, t, q.copy(), v, out), group.lower, group.upper)

    def _terms(self, group: _Group, arrays: Arrays, t: float, q: Floats, v: Floats) -> _Terms:
        """The equations without these efforts, and what a unit of each adds to h, which is linear in them: in one call."""
        own = max(group.relative) < 0
        known = self._known[bool(group.wanted)].get(group.clock)  # directions along coordinates of the system are constant
        n, m, k = len(v), self._rows, len(group.efforts)
        q[group.efforts] = 0.0
        B = np.zeros((n, k)) if known is None else known
        found = _Terms(np.zeros((n, n)), np.zeros(n), np.zeros((m, n)), np.zeros(m), B, np.zeros(k))
        places = np.array(group.efforts if known is None else [], np.int64)
        functions, relative = self._functions, np.array(group.relative, np.int64)
        terms(
            functions.constraints, functions.dynamics, arrays, t, q, v, places, relative,
            found.M, found.h, found.C, found.eta, found.B, found.bias, np.zeros((n, n)), np.zeros(n), np.zeros(max(n, m, 1)),
        )  # fmt: skip
        if own and known is None:
            self._known[bool(group.wanted)][group.clock] = found.B
        return found

    def _motion(self, group: _Group, arrays: Arrays, t: float, q: Floats, v: Floats, out: Floats) -> Floats:
        M, h, C, eta, B, bias = self._terms(group, arrays, t, q, v)
        n, m, k = len(v), self._rows, len(group.efforts)
        A, b = np.zeros((n + m + k, n + m + k)), np.zeros(n + m + k)
        A[:n, :n], A[:n, n : n + m], A[:n, n + m :], A[n : n + m, :n], A[n + m :, :n] = M, -C.T, -B, C, B.T
        b[:n], b[n : n + m], b[n + m :] = h, -eta, out[group.wanted] - bias
        x = _solve(A, b)
        if not np.abs(A @ x - b).max() <= CONTRADICTS * max(np.abs(b).max(), np.abs(A * x).max()):
            raise SampleError(f"t = {t:.9g} s: no efforts of {', '.join(group.names)} give the accelerations that these are to have")
        return x[n + m :]

    def _weight(self, group: _Group, arrays: Arrays, t: float, q: Floats, v: Floats, out: Floats) -> Floats:
        rest, gravity = np.zeros(len(v)), arrays.gravity.copy()
        found = self._terms(group, arrays, t, q, rest)
        arrays.gravity[:] = 0.0
        weightless = self._terms(group, arrays, t, q, rest).h
        arrays.gravity[:] = gravity
        x = np.asarray(np.linalg.lstsq(np.hstack([found.C.T, found.B]), weightless - found.h, rcond=None)[0], np.float64)
        return x[self._rows :]


def _solve(A: Floats, b: Floats) -> Floats:
    """The solution of A x = b, the shortest of the nearest ones where A (n, n) is singular, as with redundant rows."""
    from scipy.linalg.lapack import dgecon, dgetrf, dgetrs

    factors, pivots, fails = dgetrf(A)
    if not fails and dgecon(factors, np.abs(A).sum(axis=0).max())[0] > REGULAR:
        return np.asarray(dgetrs(factors, pivots, b)[0], np.float64)
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], np.float64)
