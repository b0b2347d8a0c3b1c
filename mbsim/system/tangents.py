"""Tangents of a system: the exact derivatives of its equations of motion by displacements d, speeds v and states x.

    r(d, v, x) = M a - h - C' lam     with q displaced to q (+) d, at constant a and lam
    K = dr/dd,   D = dr/dv,   G = d(C v + xi)/dd

K holds the geometric stiffness of constraints, -d(C' lam)/dd. A kernel of the contract DIRECTION gives the derivatives along one direction:
the system's own kernels, transformed by `mbsim.jit.forward`. So every element, law, table and equation has tangents without a line of its
own. Python callables have no source to transform: theirs are central differences of order 6, and `exact` is False.
"""

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbsim.contracts import DIRECTION, VARIATION, Arrays, SystemFunctions
from mbsim.elements.dispatch import load_apart
from mbsim.jit import Compiled, kernel
from mbsim.jit.forward import Derivative, Fields, TransformError, derivative
from mbsim.jit.signatures import Signature
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.terms import Floats, Terms

# What of the arrays depends on the state: poses, relative coordinates, laws, body blocks, the nodes of a tree, loads.
VARIED = Fields(frozenset({"frames", "relative_values", "laws", "jacobian", "row_shares", "tree_work", "wrenches"}))
# And the constants that a number of the model may reach.
CONSTANTS = ("parameters", "masses", "gravity", "geometry", "load_data", "tree_data", "relative_data")
WHOLE = Fields(VARIED.active | frozenset(CONSTANTS))
DIFFERENCE = 1e-3  # m, rad, m/s, rad/s: of the differences for callables
WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # of central differences of order 6
NONE = -1  # of a row that sees no column of a group
_kernels: dict[str, Any] = {}


class Tangents(NamedTuple):
    """The derivatives at one state. n speeds, m constraint rows, n_x states."""

    K: Floats  # (n, n) d(M a - h - C' lam)/dd
    D: Floats  # (n, n) -dh/dv
    M: Floats  # (n, n) mass matrix
    C: Floats  # (m, n) d(phi)/dd of holonomic rows
    G: Floats  # (m, n) d(C v + xi)/dd
    eta_d: Floats  # (m, n) d(eta)/dd
    eta_v: Floats  # (m, n) d(eta)/dv
    h_x: Floats  # (n, n_x) dh/dx
    x_d: Floats  # (n_x, n) d(x_dot)/dd
    x_v: Floats  # (n_x, n) d(x_dot)/dv
    x_x: Floats  # (n_x, n_x) d(x_dot)/dx
    exact: bool  # False: by differences


class Columns(NamedTuple):
    """Columns of which no row sees two, so that they are found as one, and the column that each row sees, or NONE. Sizes as above."""

    speeds: NDArray[np.int64]
    of_speed: NDArray[np.int64]  # (n,) of K and D
    of_row: NDArray[np.int64]  # (m,) of G and the derivatives of eta
    of_state: NDArray[np.int64]  # (n_x,) of those of x_dot


class _Outputs(NamedTuple):
    """What the functions of a system give, or the derivatives of it."""

    C: Floats  # (m, n)
    xi: Floats  # (m,)
    M: Floats  # (n, n)
    h: Floats  # (n,)
    eta: Floats  # (m,)
    power: Floats  # (1,)
    q_dot: Floats  # (n_q,)


def tangents(system: Terms, t: float, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None, lam: ArrayLike | None = None) -> Tangents:
    """The tangents at (t, q, v) with v_dot = a and multipliers lam, which are zero where not given. Raises ValueError for wrong sizes."""
    q, v = system._check(q, v)
    n, m, n_x, n_c = system.n_v, system.n_rows, system.n_x, system.n_c
    acceleration = np.zeros(n) if a is None else np.asarray(a, float)
    multipliers = np.zeros(m) if lam is None else np.asarray(lam, float)
    if acceleration.shape != (n,) or multipliers.shape != (m,):
        raise ValueError(f"a and lam have shapes {acceleration.shape} and {multipliers.shape}, expected ({n},) and ({m},)")
    along = _by_differences(system, t, q, v) if system.failure is not None else _exactly(system, t, q, v)
    none, q_none = np.zeros(n), np.zeros(system.n_q)
    shapes = ((n, n), (n, n), (n, n), (m, n), (m, n), (m, n), (m, n), (n, n_x), (n_x, n), (n_x, n), (n_x, n_x))
    made = Tangents._make([*map(np.zeros, shapes), system.failure is None])
    for columns in one_by_one(n, m, n_x) if system.columns is None else system.columns(system):
        units = none.copy()
        units[columns.speeds] = 1.0
        q_d = system.rates(t, q, units)
        q_d[n_c:] = 0.0
        found = along(q_d, none, units)
        inertia = symmetric(found.M) @ acceleration if acceleration.any() else 0.0
        _put(made.K, columns.of_speed, inertia - found.h - found.C.T @ multipliers)
        _put(made.G, columns.of_row, found.C @ v + found.xi)
        _put(made.eta_d, columns.of_row, found.eta)
        _put(made.x_d, columns.of_state, found.q_dot[n_c:])
        found = along(q_none, units, none)
        _put(made.D, columns.of_speed, -found.h)
        _put(made.eta_v, columns.of_row, found.eta)
        _put(made.x_v, columns.of_state, found.q_dot[n_c:])
    for k in range(n_x):
        q_d = q_none.copy()
        q_d[n_c + k] = 1.0
        found = along(q_d, none, none)
        made.h_x[:, k], made.x_x[:, k] = found.h, found.q_dot[n_c:]
    M, _, C, *_ = system.terms(t, q, v)
    made.M[:], made.C[:] = symmetric(M), C
    return made


def one_by_one(n: int, m: int, n_x: int) -> list[Columns]:
    """Each of n columns as a group, which all rows see."""
    return [Columns(np.array([k]), *(np.full(size, k) for size in (n, m, n_x))) for k in range(n)]


def _put(matrix: Floats, columns: NDArray[np.int64], values: Floats) -> None:
    """Put a value into each row, in its own one of the columns; rows of no column stay zero."""
    rows = np.flatnonzero(columns != NONE)
    matrix[rows, columns[rows]] = values[rows]


def fastest(system: Terms, t: float, q: ArrayLike, v: ArrayLike) -> float:
    """The largest size of an eigenvalue (1/s) of small motions about (t, q, v), as forces by displacements and speeds make it.

    By differences, so that nothing is compiled for it: an estimate for messages. Infinite where it is not known.
    """
    q, v = system._check(q, v)
    n, along = system.n_v, _by_differences(system, t, q, v)
    still, none, K, D = np.zeros(system.n_q), np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    for k, unit in enumerate(np.eye(n)):
        K[:, k], D[:, k] = -along(still, none, unit).h, -along(still, unit, none).h
    M, _, C, *_ = system.terms(t, q, v)
    if not all(np.isfinite(x).all() for x in (K, D, M, C)):
        return float("inf")
    _, sigma, rows = np.linalg.svd(C)
    Z = rows[int(np.sum(sigma > RANK_TOLERANCE * sigma.max(initial=0.0))) :].T
    k = Z.shape[1]
    try:
        flow = -np.linalg.solve(Z.T @ symmetric(M) @ Z, np.hstack([Z.T @ K @ Z, Z.T @ D @ Z]))
    except np.linalg.LinAlgError:
        return float("inf")
    whole = np.vstack([np.hstack([np.zeros((k, k)), np.eye(k)]), flow])
    return float(np.abs(np.linalg.eigvals(whole)).max(initial=0.0))


def symmetric(M: Floats) -> Floats:
    """A mass matrix whose lower triangle is filled."""
    lower = np.tril(M)
    return lower + np.tril(M, -1).T


def _exactly(system: Terms, t: float, q: Floats, v: Floats) -> Any:
    """(q_d, v_d, displacement) -> the derivatives along this direction."""
    kernel_, twin, values, found = direction(system.functions, system.arrays), twins(system.arrays), _outputs(system), _outputs(system)

    def along(q_d: Floats, v_d: Floats, _: Floats) -> _Outputs:
        pairs = [array for pair in zip(values, found, strict=True) for array in pair]
        for array in found:
            array[...] = 0.0
        kernel_(system.arrays, twin, float(t), q, q_d, v, v_d, *pairs)
        return found

    return along


def _by_differences(system: Terms, t: float, q: Floats, v: Floats) -> Any:
    """The same by central differences: of systems with a user's callables."""

    def at(size: float, q_d: Floats, v_d: Floats, displacement: Floats) -> _Outputs:
        moved, speed = system.move(q, size * displacement), v + size * v_d
        if system.n_x and not displacement.any():
            moved[system.n_c :] += size * q_d[system.n_c :]
        M, h, C, xi, eta, power = system.terms(t, moved, speed)
        return _Outputs(C, xi, M, h, eta, np.array([power]), system.rates(t, moved, speed))

    def along(q_d: Floats, v_d: Floats, displacement: Floats) -> _Outputs:
        if not (q_d.any() or v_d.any() or displacement.any()):
            return _outputs(system)
        given = q_d, v_d, displacement
        pairs = [(weight, at(k * DIFFERENCE, *given), at(-k * DIFFERENCE, *given)) for k, weight in WEIGHTS]
        sums = (sum(weight * (a[i] - b[i]) for weight, a, b in pairs) / DIFFERENCE for i in range(len(_Outputs._fields)))
        return _Outputs(*(np.asarray(x, float) for x in sums))

    return along


def _outputs(system: Terms) -> _Outputs:
    n, m = system.n_v, system.n_rows
    return _Outputs(*(np.zeros(shape) for shape in ((m, n), m, (n, n), n, m, 1, system.n_q)))


def twins(arrays: Arrays) -> Arrays:
    """`Arrays` with zeros for the twins of what depends on the state."""
    return arrays._replace(**{name: np.zeros_like(getattr(arrays, name)) for name in VARIED.active})


def _derive(functions: SystemFunctions, varied: Fields, along_time: bool) -> tuple[Derivative, Derivative, Derivative]:
    """The derivatives of constraints, dynamics and rates along what varies. Raises TransformError where units are asked."""
    if vars(sys.modules[functions.dynamics.__module__]).get("ASKS_UNITS"):
        raise TransformError("the units for model exchange have no source to transform")
    constraints_d = derivative(functions.constraints, varied, along_time, *[True] * 3)
    dynamics_d = derivative(functions.dynamics, varied, along_time, *[True] * 6)
    rates_d = derivative(functions.rates, varied, along_time, *[True] * 3)
    _ = constraints_d.helper, dynamics_d.helper, rates_d.helper  # so that the kernels among them can be called by name
    return constraints_d, dynamics_d, rates_d


def _compile(made: Compiled, functions: SystemFunctions, word: str, contract: Signature) -> Compiled:
    """The kernel of a function, which gets the module and the name of the system's own kernels, with `word` at its end."""
    dynamics = functions.dynamics
    made.__module__ = dynamics.__module__
    made.__name__ = made.__qualname__ = dynamics.__qualname__.removesuffix("dynamics") + word
    compiled: Compiled = kernel(contract)(made)
    return compiled


def variation(functions: SystemFunctions, arrays: Arrays) -> Compiled:
    """The kernel of contract VARIATION of a system, along t and the constant arrays of WHOLE too. It is compiled when first asked for."""
    place = f"{functions.dynamics.__module__}.{functions.dynamics.__qualname__} whole"
    if place not in _kernels:
        _kernels[place] = _along_all(functions)
    load_apart(arrays, derivatives=True)
    return _kernels[place]


def _along_all(functions: SystemFunctions) -> Compiled:
    constraints_d, dynamics_d, rates_d = _derive(functions, WHOLE, along_time=True)

    def made(arrays, twin, t, t_d, q, q_d, v, v_d, C, C_d, xi, xi_d, M, M_d, h, h_d, eta, eta_d, power, power_d, q_dot, q_dot_d):
        constraints_d(arrays, twin, t, t_d, q, q_d, C, C_d, xi, xi_d)
        dynamics_d(arrays, twin, t, t_d, q, q_d, v, v_d, M, M_d, h, h_d, eta, eta_d, power, power_d)
        rates_d(arrays, twin, t, t_d, q, q_d, v, v_d, q_dot, q_dot_d)

    return _compile(made, functions, "variation", VARIATION)


def direction(functions: SystemFunctions, arrays: Arrays) -> Compiled:
    """The kernel of contract DIRECTION of a system. It is compiled when first asked for."""
    place = f"{functions.dynamics.__module__}.{functions.dynamics.__qualname__}"
    if place not in _kernels:
        _kernels[place] = _along(functions)
    load_apart(arrays, derivatives=True)
    return _kernels[place]


def _along(functions: SystemFunctions) -> Compiled:
    constraints_d, dynamics_d, rates_d = _derive(functions, VARIED, along_time=False)

    def made(arrays, twin, t, q, q_d, v, v_d, C, C_d, xi, xi_d, M, M_d, h, h_d, eta, eta_d, power, power_d, q_dot, q_dot_d):
        constraints_d(arrays, twin, t, q, q_d, C, C_d, xi, xi_d)
        dynamics_d(arrays, twin, t, q, q_d, v, v_d, M, M_d, h, h_d, eta, eta_d, power, power_d)
        rates_d(arrays, twin, t, q, q_d, v, v_d, q_dot, q_dot_d)

    return _compile(made, functions, "direction", DIRECTION)
