"""Efforts that follow from the equations of motion at samples: those that a motion needs, and those that carry the weight.

With B' v the rates of the coordinates that are led, and r the accelerations that these are to have, a motion needs the efforts u of

    M v_dot - C' lam - B u = h,   C v_dot = -eta,   B' v_dot + B_dot' v = r

where h has all other loads (computed torque: Luh, Walker & Paul 1980; in closed mechanisms the reactions are solved for beside).
Coordinates that are not led move as they do. The weight is carried by C' lam + B u = -g at rest, with the forces g of gravity, by least
squares where the efforts cannot carry all of it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mbsim.contracts import SAMPLE_DUE, SystemFunctions
from mbsim.kernels.corners import relative_acceleration
from mbsim.model.sampling import Held
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

    def __call__(self, arrays: Any, t: float, q: Floats, v: Floats, due: Floats, out: Floats) -> None:
        """Fill the held states that are due. Raises ValueError where no efforts give the motion."""
        self._function(arrays, t, q, v, due, out)
        for group in self._groups:
            if due[group.clock, SAMPLE_DUE] != 0.0:
                find = self._motion if group.wanted else self._weight
                out[group.efforts] = np.clip(find(group, arrays, t, q.copy(), v, out), group.lower, group.upper)

    def _terms(self, arrays: Any, t: float, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """M, h, C, eta."""
        C, xi = np.zeros((self._rows, len(v))), np.zeros(self._rows)
        self._functions.constraints(arrays, t, q, C, xi)
        M, h, eta = self._dynamics(arrays, t, q, v)
        return M, h, C, eta

    def _dynamics(self, arrays: Any, t: float, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
        """M, h, eta at the positions of the last `_terms`."""
        M, h, eta = np.zeros((len(v), len(v))), np.zeros(len(v)), np.zeros(self._rows)
        self._functions.dynamics(arrays, t, q, v, M, h, eta, np.zeros(1))
        return M, h, eta

    def _directions(self, group: _Group, arrays: Any, t: float, q: Floats, v: Floats, h: Floats) -> Floats:
        """B (n, k): what a unit of each effort adds to h, which is linear in them; constant along coordinates of the system."""
        own = max(group.relative) < 0
        if own and group.clock in self._known[bool(group.wanted)]:
            return self._known[bool(group.wanted)][group.clock]
        B = np.zeros((len(v), len(group.efforts)))
        for j, place in enumerate(group.efforts):
            q[place] = 1.0
            B[:, j] = self._dynamics(arrays, t, q, v)[1] - h
            q[place] = 0.0
        if own:
            self._known[bool(group.wanted)][group.clock] = B
        return B

    def _motion(self, group: _Group, arrays: Any, t: float, q: Floats, v: Floats, out: Floats) -> Floats:
        q[group.efforts] = 0.0
        M, h, C, eta = self._terms(arrays, t, q, v)
        none = np.zeros(len(v))
        bias = np.array([relative_acceleration(arrays, k, none) if k >= 0 else 0.0 for k in group.relative])
        if not np.isfinite(bias).all():
            bad = group.names[int(np.flatnonzero(~np.isfinite(bias))[0])]
            raise ValueError(f"t = {t:.9g} s: the acceleration along which {bad} acts is not known: its joint closes a loop")
        B = self._directions(group, arrays, t, q, v, h)
        n, m, k = len(v), self._rows, len(group.efforts)
        A, b = np.zeros((n + m + k, n + m + k)), np.zeros(n + m + k)
        A[:n, :n], A[:n, n : n + m], A[:n, n + m :], A[n : n + m, :n], A[n + m :, :n] = M, -C.T, -B, C, B.T
        b[:n], b[n : n + m], b[n + m :] = h, -eta, out[group.wanted] - bias
        x = _solve(A, b)
        if not np.abs(A @ x - b).max() <= CONTRADICTS * max(np.abs(b).max(), np.abs(A * x).max()):
            raise ValueError(f"t = {t:.9g} s: no efforts of {', '.join(group.names)} give the accelerations that these are to have")
        return x[n + m :]

    def _weight(self, group: _Group, arrays: Any, t: float, q: Floats, v: Floats, out: Floats) -> Floats:
        q[group.efforts] = 0.0
        rest, gravity = np.zeros(len(v)), arrays.gravity.copy()
        _, h, C, _ = self._terms(arrays, t, q, rest)
        B = self._directions(group, arrays, t, q, rest, h)
        arrays.gravity[:] = 0.0
        weightless = self._terms(arrays, t, q, rest)[1]
        arrays.gravity[:] = gravity
        x = np.asarray(np.linalg.lstsq(np.hstack([C.T, B]), weightless - h, rcond=None)[0], np.float64)
        return x[self._rows :]


def _solve(A: Floats, b: Floats) -> Floats:
    """The solution of A x = b, the shortest of the nearest ones where A (n, n) is singular, as with redundant rows."""
    from scipy.linalg.lapack import dgecon, dgetrf, dgetrs

    factors, pivots, fails = dgetrf(A)
    if not fails and dgecon(factors, np.abs(A).sum(axis=0).max())[0] > REGULAR:
        return np.asarray(dgetrs(factors, pivots, b)[0], np.float64)
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], np.float64)
