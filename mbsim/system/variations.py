"""The equations of motion linearised along rows of a march, compiled: what a change of the state, of t, or of the arrays does at each row.

At constant v_dot = a and multipliers lam the residuals of a row are

    E = [M a - h - C' lam;  C a + eta;  q_dot;  power - lam' xi]

Their derivatives by every place of q and v, by t and by what varies in the arrays are exact (a kernel of contract VARIATION), on the branch
of each law that holds at the row.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mbsim.contracts import ARRAYS, SYSTEM, VARIATION, Arrays
from mbsim.jit import A1, A2, f8, kernel, void
from mbsim.jit.signatures import Block, Function, Matrix, Packed, Vector
from mbsim.kernels.linalg import clear
from mbsim.system.system import Floats, System
from mbsim.system.tangents import CONSTANTS, twins, variation


class _Terms(NamedTuple):
    M: Matrix  # (n, n)
    h: Vector  # (n,)
    C: Matrix  # (m, n)
    xi: Vector  # (m,)
    eta: Vector  # (m,)
    power: Vector  # (1,)
    q_dot: Vector  # (n_q,)


class Terms(Packed, _Terms):
    """What the functions of a system give at a state, or the derivatives of it."""


TERMS = Terms.block = Block(Terms)


@kernel(void(TERMS, A1, A1, A1))
def residual(x, a, lam, out):
    """out = E (n + m + n_q + 1,)."""
    m, n = x.C.shape
    for j in range(n):
        s = -x.h[j]
        for k in range(n):
            s += (x.M[j, k] if k <= j else x.M[k, j]) * a[k]
        for r in range(m):
            s -= x.C[r, j] * lam[r]
        out[j] = s
    for r in range(m):
        s = x.eta[r]
        for j in range(n):
            s += x.C[r, j] * a[j]
        out[n + r] = s
    for k in range(x.q_dot.shape[0]):
        out[n + m + k] = x.q_dot[k]
    s = x.power[0]
    for r in range(m):
        s -= lam[r] * x.xi[r]
    out[out.shape[0] - 1] = s


@kernel(void(SYSTEM, ARRAYS, TERMS, A1, A2, A2, A2, A2))
def residuals(system, arrays, terms, times, rows, left, xi, out):
    """Of rows[i] = [q; v; a; lam; work]: out[i] = E, left[i] = [M, -C'; C, 0] row by row, and xi."""
    m, n = terms.C.shape
    n_q, size = terms.q_dot.shape[0], n + m
    for i in range(rows.shape[0]):
        q, v = rows[i, :n_q], rows[i, n_q : n_q + n]
        system.constraints(arrays, times[i], q, terms.C, terms.xi)
        system.dynamics(arrays, times[i], q, v, terms.M, terms.h, terms.eta, terms.power)
        system.rates(arrays, times[i], q, v, terms.q_dot)
        residual(terms, rows[i, n_q + n : n_q + 2 * n], rows[i, n_q + 2 * n : n_q + 2 * n + m], out[i])
        for r in range(m):
            xi[i, r] = terms.xi[r]
        for j in range(n):
            for k in range(n):
                left[i, j * size + k] = terms.M[j, k] if k <= j else terms.M[k, j]
            for r in range(m):
                left[i, j * size + n + r] = -terms.C[r, j]
                left[i, (n + r) * size + j] = terms.C[r, j]


@kernel(void(Function(VARIATION), ARRAYS, ARRAYS, TERMS, TERMS, A1, A2, f8, A1, A1, A2))
def slopes(along, arrays, twin, x, d, times, rows, t_d, q_d, v_d, out):
    """out[i] = the derivative of E at rows[i] along the direction (t_d, q_d, v_d), and of the arrays along `twin`."""
    m, n = x.C.shape
    n_q = x.q_dot.shape[0]
    for i in range(rows.shape[0]):
        q, v = rows[i, :n_q], rows[i, n_q : n_q + n]
        for r in range(m):
            clear(d.C[r])
        for j in range(n):
            clear(d.M[j])
        clear(d.xi), clear(d.h), clear(d.eta), clear(d.power), clear(d.q_dot)
        along(
            arrays, twin, times[i], t_d, q, q_d, v, v_d, x.C, d.C, x.xi, d.xi, x.M, d.M, x.h, d.h, x.eta, d.eta, x.power, d.power,
            x.q_dot, d.q_dot,
        )  # fmt: skip
        residual(d, rows[i, n_q + n : n_q + 2 * n], rows[i, n_q + 2 * n : n_q + 2 * n + m], out[i])


class At(NamedTuple):
    """What `Variations` says of rows (k, width)."""

    E: Floats  # (k, n + m + n_q + 1)
    left: Floats  # (k, n + m, n + m) of [a; lam]
    xi: Floats  # (k, m)
    by_state: Floats  # (k, n + m + n_q + 1, n_q + n) the derivatives of E by [q; v]
    by_others: Floats  # (k, n + m + n_q + 1, 1 + n_p) by t, and along each change of the arrays


class Variations:
    """The linearised equations of one system, whose arrays may change in place. The system has no Python functions."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._terms, self._d = zero_terms(system), zero_terms(system)
        self._none = change_arrays(system.arrays, {})
        self.width = system.n_v + system.n_rows + system.n_q + 1  # of E

    def terms(self, times: Floats, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """E (k, width), [M, -C'; C, 0] (k, n + m, n + m) and xi (k, m) at rows (k, n_q + 2 n_v + m + 1)."""
        system = self._system
        size = system.n_v + system.n_rows
        E, left, xi = (np.zeros((len(rows), width)) for width in (self.width, size * size, system.n_rows))
        residuals(system.functions, system.arrays, self._terms, times, rows, left, xi, E)
        return E, left.reshape(-1, size, size), xi

    def at(self, times: Floats, rows: Floats, changes: Sequence[Arrays]) -> At:
        """`changes`: of the arrays with each number that varies, as `change_arrays` makes them."""
        system = self._system
        n_q, n = system.n_q, system.n_v
        kernel_: Any = variation(system.functions, system.arrays)
        columns = []

        def along(t_d: float, q_d: Floats, v_d: Floats, twin: Arrays) -> None:
            out = np.zeros((len(rows), self.width))
            slopes(kernel_, system.arrays, twin, self._terms, self._d, times, rows, t_d, q_d, v_d, out)
            columns.append(out)

        still = np.zeros(n_q + n)
        for k in range(n_q + n):
            still[k] = 1.0
            along(0.0, still[:n_q], still[n_q:], self._none)
            still[k] = 0.0
        along(1.0, still[:n_q], still[n_q:], self._none)
        for twin in changes:
            along(0.0, still[:n_q], still[n_q:], twin)
        whole = np.stack(columns, axis=2)
        return At(*self.terms(times, rows), whole[:, :, : n_q + n], whole[:, :, n_q + n :])


def change_arrays(arrays: Arrays, by: dict[str, Floats]) -> Arrays:
    """The twin of arrays that change so, by the names of CONSTANTS; the others do not."""
    zeros = {name: np.zeros_like(getattr(arrays, name)) for name in CONSTANTS}
    return twins(arrays)._replace(**(zeros | by))


def zero_terms(system: System) -> Terms:
    """Zeros, dense, of the sizes of a system."""
    n, m = system.n_v, system.n_rows
    return Terms(*(np.zeros(shape) for shape in ((n, n), n, (m, n), m, m, 1, system.n_q)))
