"""The equations of motion linearised along rows of a march, compiled: what a change of the state, or of the arrays, does at each row.

At constant v_dot = a and multipliers lam the residuals of a row are

    E = [M a - h - C' lam;  C a + eta;  q_dot;  power - lam' xi]

`slopes` gives their derivatives by every place of q and v (exact, by a kernel of contract DIRECTION), `residuals` E itself.
"""

from typing import Any, NamedTuple

import numpy as np

from mbsim.jit import A1, A2, ARRAYS, DIRECTION, SYSTEM, kernel, void
from mbsim.jit.signatures import Block, Function, Matrix, Packed, Vector
from mbsim.kernels.linalg import clear
from mbsim.system.system import Floats, System
from mbsim.system.tangents import direction, twins


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


@kernel(void(SYSTEM, ARRAYS, TERMS, A1, A2, A2))
def residuals(system, arrays, terms, times, rows, out):
    """out[i] = E of rows[i] = [q; v; a; lam; work]."""
    m, n = terms.C.shape
    n_q = terms.q_dot.shape[0]
    for i in range(rows.shape[0]):
        q, v = rows[i, :n_q], rows[i, n_q : n_q + n]
        system.constraints(arrays, times[i], q, terms.C, terms.xi)
        system.dynamics(arrays, times[i], q, v, terms.M, terms.h, terms.eta, terms.power)
        system.rates(arrays, times[i], q, v, terms.q_dot)
        residual(terms, rows[i, n_q + n : n_q + 2 * n], rows[i, n_q + 2 * n : n_q + 2 * n + m], out[i])


@kernel(void(Function(DIRECTION), ARRAYS, ARRAYS, TERMS, TERMS, A1, A2, A1, A1, A2, A2, A2))
def slopes(along, arrays, twin, x, d, times, rows, q_d, v_d, left, xi, out):
    """left[i] = [M, -C'; C, 0], row by row; xi; out[i]: the derivatives of E by place k of q, then v, in [k width, (k + 1) width)."""
    m, n = x.C.shape
    n_q = x.q_dot.shape[0]
    width = n + m + n_q + 1
    for i in range(rows.shape[0]):
        q, v = rows[i, :n_q], rows[i, n_q : n_q + n]
        for k in range(n_q + n):
            if k < n_q:
                q_d[k] = 1.0
            else:
                v_d[k - n_q] = 1.0
            for r in range(m):
                clear(d.C[r])
            for j in range(n):
                clear(d.M[j])
            clear(d.xi), clear(d.h), clear(d.eta), clear(d.power), clear(d.q_dot)
            along(
                arrays, twin, times[i], q, q_d, v, v_d, x.C, d.C, x.xi, d.xi, x.M, d.M, x.h, d.h, x.eta, d.eta, x.power, d.power,
                x.q_dot, d.q_dot,
            )  # fmt: skip
            a, lam = rows[i, n_q + n : n_q + 2 * n], rows[i, n_q + 2 * n : n_q + 2 * n + m]
            residual(d, a, lam, out[i, k * width : (k + 1) * width])
            clear(q_d), clear(v_d)
        size = n + m
        for r in range(m):
            xi[i, r] = x.xi[r]
        for j in range(n):
            for k in range(n):
                left[i, j * size + k] = x.M[j, k] if k <= j else x.M[k, j]
            for r in range(m):
                left[i, j * size + n + r] = -x.C[r, j]
                left[i, (n + r) * size + j] = x.C[r, j]


class Variations:
    """The linearised equations of one system, whose arrays may change in place. The system has no Python functions."""

    def __init__(self, system: System) -> None:
        self._system, self._twin = system, twins(system.arrays)
        self._terms, self._d = _terms(system), _terms(system)
        self.width = system.n_v + system.n_rows + system.n_q + 1  # of E

    def residuals(self, times: Floats, rows: Floats) -> Floats:
        """E (k, width) at rows (k, n_q + 2 n_v + m + 1)."""
        out = np.zeros((len(rows), self.width))
        residuals(self._system.functions, self._system.arrays, self._terms, times, rows, out)
        return out

    def slopes(self, times: Floats, rows: Floats) -> tuple[Floats, Floats, Floats]:
        """(k, n + m, n + m) of [a; lam], xi (k, m), and (k, width, n_q + n): the derivatives of E by [q; v]."""
        system = self._system
        size, count = system.n_v + system.n_rows, system.n_q + system.n_v
        left, out, xi = (np.zeros((len(rows), width)) for width in (size * size, count * self.width, system.n_rows))
        kernel_: Any = direction(system.functions)
        along_q, along_v = np.zeros(system.n_q), np.zeros(system.n_v)
        slopes(kernel_, system.arrays, self._twin, self._terms, self._d, times, rows, along_q, along_v, left, xi, out)
        return left.reshape(-1, size, size), xi, out.reshape(-1, count, self.width).transpose(0, 2, 1)


def _terms(system: System) -> Terms:
    n, m = system.n_v, system.n_rows
    return Terms(*(np.zeros(shape) for shape in ((n, n), n, (m, n), m, m, 1, system.n_q)))
