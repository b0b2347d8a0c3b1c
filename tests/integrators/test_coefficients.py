"""The mathematics of the tableaux: order conditions, error estimates, interpolants."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim import registry

TABLEAUX = ["rk45", "dop853"]
Weight = Callable[[np.ndarray], float]


@cache
def trees(order: int) -> list[tuple[Any, ...]]:
    """Rooted trees of this order, each the sorted tuple of its branches."""
    if order == 1:
        return [()]
    found: set[tuple[Any, ...]] = set()

    def split(rest: int, most: tuple[int, Any] | None, branches: tuple[Any, ...]) -> None:
        if rest == 0:
            found.add(tuple(sorted(branches, key=repr)))
            return
        for size in range(1, rest + 1):
            for tree in trees(size):
                if most is None or (size, repr(tree)) <= most:
                    split(rest - size, (size, repr(tree)), (*branches, tree))

    split(order - 1, None, ())
    return sorted(found, key=repr)


def elementary(tree: tuple[Any, ...], A: np.ndarray) -> tuple[np.ndarray, float, int]:
    """The tree's weights of the stages, its density gamma and its order: B satisfies the condition when B . weights = 1 / gamma."""
    weights, density, size = np.ones(len(A)), 1.0, 1
    for branch in tree:
        inner, gamma, order = elementary(branch, A)
        weights, density, size = weights * (A @ inner), density * gamma, size + order
    return weights, density * size, size


def residual(b: np.ndarray, A: np.ndarray, order: int) -> float:
    """Largest violation of the conditions of this order alone."""
    found = [elementary(tree, A) for tree in trees(order)]
    return max(abs(b @ weights - 1.0 / density) for weights, density, _ in found)


def padded(row: np.ndarray, width: int) -> np.ndarray:
    return np.concatenate([row, np.zeros(width - len(row))])


def test_number_of_trees() -> None:
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize("name", TABLEAUX)
def test_order_of_the_solution(name: str) -> None:
    """All conditions up to ORDER hold, some of the next does not; c is the sum of A's rows."""
    module = registry.module("integrators", name)
    s = module.E.shape[1] - 1
    close(module.A.sum(axis=1), module.C, atol=2e-14)
    b = module.A[s]
    assert max(residual(b, module.A, order) for order in range(1, module.ORDER + 1)) < 1e-14
    assert residual(b, module.A, module.ORDER + 1) > 1e-6


@pytest.mark.parametrize(("name", "row", "order"), [("rk45", 0, 4), ("dop853", 0, 5), ("dop853", 1, 3)])
def test_order_of_the_estimates(name: str, row: int, order: int) -> None:
    """B - E is a formula of a lower order."""
    module = registry.module("integrators", name)
    b = module.A[module.E.shape[1] - 1] - padded(module.E[row], len(module.A))
    assert max(residual(b, module.A, k) for k in range(1, order + 1)) < 1e-14
    assert residual(b, module.A, order + 1) > 1e-6


@pytest.mark.parametrize(("name", "order"), [("rk45", 4), ("dop853", 7)])
def test_interpolant(name: str, order: int) -> None:
    """Weights sum_k P_ik x^k: of this order everywhere, and the step's value and derivatives at its ends."""
    module = registry.module("integrators", name)
    powers = np.arange(1, module.P.shape[1] + 1)
    s = module.E.shape[1] - 1
    for x in (0.1, 0.37, 0.5, 0.92):
        b = module.P @ x**powers
        for k in range(1, order + 1):
            worst = max(abs(b @ w - x**k / density) for w, density, _ in (elementary(tree, module.A) for tree in trees(k)))
            assert worst < 1e-13, (x, k)
    close(module.P.sum(axis=1), module.A[s], atol=1e-13)
    close(module.P[:, 0], np.eye(len(module.P))[0], atol=0.0)
    close(module.P @ powers, np.eye(len(module.P))[s], atol=1e-12)


@pytest.mark.parametrize("name", TABLEAUX)
def test_same_numbers_as_scipy(name: str) -> None:
    from scipy.integrate import DOP853, RK45

    module = registry.module("integrators", name)
    peer = {"rk45": RK45, "dop853": DOP853}[name]
    s = module.E.shape[1] - 1
    close(module.A[:s, :s], np.hstack([peer.A, np.zeros((s, s - peer.A.shape[1]))]), atol=0.0)
    close(module.A[s, :s], peer.B, atol=0.0)
    close(module.E, [peer.E, 0 * peer.E] if name == "rk45" else [peer.E5, peer.E3], atol=0.0)


def test_adams_formulas_are_exact_for_polynomials() -> None:
    """x'' = 1 - 2 t + 3 t^2: both formulas of `predictor_corrector` integrate v', of degree 2, and v, of degree 3, without an error, and so

    does rk4 in the first three steps. On x'' = 5 t^4 the corrector is too large by 19/720 h^5 v^(5) a step (Hairer, Norsett & Wanner 1993,
    section III.2), and rk4 in the first three by h^5/2880 v^(5), as Simpson's rule.
    """
    steps, h = 20, 0.1
    t = h * np.arange(steps + 1)

    def run(force: Callable[[float], float]) -> Any:
        made = mbsim.callable_system(["x"], lambda t, q: [[1.0]], lambda t, q, v: [force(t)])
        return mbsim.simulate(made, [0.0], [0.0], method="lagrange", integrator="predictor_corrector", end=steps * h, step=h)

    exact = run(lambda t: 1 - 2 * t + 3 * t**2)
    close(exact["q"][:, 0], t**2 / 2 - t**3 / 3 + t**4 / 4, atol=1e-13)
    close(exact["v"][:, 0], t - t**2 + t**3, atol=1e-13)
    quartic = run(lambda t: 5 * t**4)["v"][:, 0] - t**5
    close(np.diff(quartic), 120 * h**5 * np.where(np.arange(steps) < 3, 1 / 2880, 19 / 720), atol=1e-13)
