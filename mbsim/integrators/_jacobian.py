"""Exact Jacobians for libraries' solvers, from the tangents of the system (`mbsim.system.tangents`), instead of differences.

    [[M, -C'], [C, 0]] [dv_dot; dlam] = -[d(M a - h - C' lam); d(C a + eta)]       along every direction of q and of v, at fixed a and lam

This is the Jacobian of every method that solves the augmented equations as they are. It costs a direction for each component of [v; q],
each about two evaluations, and saves as many evaluations as z has components. The row of the work W has its power.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.contracts import Arrays, MethodFunctions, SystemFunctions, Work
from mbsim.jit.forward import TransformError
from mbsim.system.system import Floats
from mbsim.system.tangents import direction, symmetric, twins

AGREES = 1e-2  # relative: what the tangents and a difference along one direction may differ by; other methods' equations differ by more
PROBE = 1e-6  # length of that difference


class Parts(NamedTuple):
    """Derivatives at one state; columns are components of q, then of v. n speeds, m rows, n_q components of q."""

    M: Floats  # (n, n) whole
    C: Floats  # (m, n)
    xi: Floats  # (m,)
    force: Floats  # (n, n_q + n) of M a - h - C' lam
    velocity: Floats  # (m, n_q + n) of C v + xi
    acceleration: Floats  # (m, n_q + n) of C a + eta
    rates: Floats  # (n_q, n_q + n) of q_dot
    power: Floats  # (n_q + n,) of the power of non-conservative forces, less lam' xi


class Tangents:
    """Derivatives of a system's equations, evaluated at one state after the other. Raises TransformError for a system of callables."""

    def __init__(self, functions: SystemFunctions, arrays: Arrays, n: int, m: int, n_q: int) -> None:
        try:
            self._kernel = direction(functions, arrays)
        except AttributeError as error:
            raise TransformError("functions of Python have no source to transform") from error
        self._functions = functions
        self._arrays, self._twin = arrays, twins(arrays)
        shapes = ((m, n), m, (n, n), n, m, 1, n_q)  # C xi M h eta power q_dot
        self._values, self._found = [np.zeros(shape) for shape in shapes], [np.zeros(shape) for shape in shapes]
        self.sizes = n, m, n_q

    def multipliers(self, t: float, q: Floats, v: Floats, a: Floats) -> Floats:
        """Those (m,) that belong to v_dot = a; of redundant rows the shortest."""
        C, xi, M, h, eta, power, _ = self._values
        self._functions.constraints(self._arrays, float(t), q, C, xi)
        self._functions.dynamics(self._arrays, float(t), q, v, M, h, eta, power)
        return np.asarray(np.linalg.lstsq(C.T, symmetric(M) @ a - h, rcond=None)[0]) if xi.size else np.zeros(0)

    def positions(self, t: float, q: Floats, rows: NDArray[np.integer]) -> Floats:
        """The derivatives (rows, n_q) of phi by q, also off the unit quaternions: by differences, as no kernel has those of phi."""
        out, phi = np.zeros((len(rows), q.size)), np.zeros(self.sizes[1])
        for k in range(q.size if len(rows) else 0):
            for sign in (1.0, -1.0):
                moved = q.copy()
                moved[k] += sign * PROBE
                self._functions.residual(self._arrays, float(t), moved, phi)
                out[:, k] += sign * phi[rows] / (2.0 * PROBE)
        return out

    def __call__(self, t: float, q: Floats, v: Floats, a: Floats, lam: Floats) -> Parts:
        """The derivatives at (t, q, v), v_dot = a and the multipliers lam."""
        n, m, n_q = self.sizes
        q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
        shapes = ((n, n), (m, n), m, (n, n_q + n), (m, n_q + n), (m, n_q + n), (n_q, n_q + n), n_q + n)
        made = Parts._make([np.zeros(shape) for shape in shapes])
        pairs = [array for pair in zip(self._values, self._found, strict=True) for array in pair]
        unit_q, unit_v = np.eye(n_q), np.eye(n)
        for k in range(n_q + n):
            for array in self._found:
                array[...] = 0.0
            q_d, v_d = (unit_q[k], np.zeros(n)) if k < n_q else (np.zeros(n_q), unit_v[k - n_q])
            self._kernel(self._arrays, self._twin, float(t), q, q_d, v, v_d, *pairs)
            C, xi, M, h, eta, power, q_dot = self._found
            made.force[:, k] = symmetric(M) @ a - h - C.T @ lam
            made.velocity[:, k] = C @ v + xi if k < n_q else self._values[0] @ v_d
            made.acceleration[:, k] = C @ a + eta
            made.rates[:, k], made.power[k] = q_dot, power[0] - lam @ xi
        made.M[...], made.C[...], made.xi[...] = symmetric(self._values[2]), self._values[0], self._values[1]
        return made


class Jacobian:
    """d z_dot / d z of z = [v; q; W], by the tangents; `fits` tells whether it is that of a method."""

    def __init__(self, held: tuple[MethodFunctions, SystemFunctions, Arrays, Work], size: int) -> None:
        _, functions, arrays, work = held
        self.tangents = Tangents(functions, arrays, work.v.size, work.lam.size, size - 1 - work.v.size)

    def __call__(self, t: float, z: Floats, dz: Floats) -> Floats:
        """The Jacobian (n_z, n_z) at (t, z), where dz = z_dot."""
        n, m, n_q = self.tangents.sizes
        v, q, a = (np.ascontiguousarray(x, float) for x in (z[:n], z[n : n + n_q], dz[:n]))
        parts = self.tangents(t, q, v, a, self.tangents.multipliers(t, q, v, a))
        A = np.block([[parts.M, -parts.C.T], [parts.C, np.zeros((m, m))]])
        changes = -np.linalg.lstsq(A, np.vstack([parts.force, parts.acceleration]), rcond=None)[0]
        out = np.zeros((z.size, z.size))
        order = [*range(n_q, n_q + n), *range(n_q)]  # [v; q] of [q; v]
        out[:n, :-1], out[n:-1, :-1] = changes[:n, order], parts.rates[:, order]
        out[-1, :-1] = (parts.power - parts.xi @ changes[n:])[order]
        return out

    def fits(self, fun: Callable[[float, Floats], Floats], t: float, z: Floats) -> bool:
        """Whether differences of z_dot along one direction agree. W, which nothing depends on, is left out."""
        dz = fun(t, z)
        along = np.cos(np.arange(z.size) * 1.7)
        along[-1] = 0.0
        expected = (fun(t, z + PROBE * along) - fun(t, z - PROBE * along))[:-1] / (2.0 * PROBE)
        found = (self(t, z, dz) @ along)[:-1]
        fun(t, z)
        scale = np.abs(expected).max(initial=0.0) + 1.0
        return bool(np.abs(found - expected).max(initial=0.0) <= AGREES * scale)
