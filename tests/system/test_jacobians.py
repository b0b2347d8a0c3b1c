"""`jacobian: tangents`: the Jacobians that libraries' solvers are given, against central differences."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import test_block_tangents as models

import mbsim
from mbsim.integrators._jacobian import Jacobian

STEP = 1e-5
CASES: dict[str, Any] = {
    "bicycle": models.leaning_bicycle,
    "redundant rows": lambda: mechanisms.parallel_pendulum(2, 2),
    "laws and states": lambda: models.followers(2),
}


def differences(function: Any, x: np.ndarray) -> np.ndarray:
    """The Jacobian of a function, by central differences."""
    columns = [(function(x + STEP * unit) - function(x - STEP * unit)) / (2.0 * STEP) for unit in np.eye(x.size)]
    return np.array(columns).T


@pytest.mark.parametrize("name", ["redundant rows", "laws and states"])
def test_of_the_rates(name: str) -> None:
    made = mbsim.assemble(mechanisms.model(CASES[name]()))
    form = mechanisms.formulation(made.system, "lagrange")
    functions, arrays = form.system.functions, form.system.arrays
    v = made.v + 0.1 * np.cos(np.arange(made.system.n_v))
    z = np.concatenate([v, made.q, [0.3]])
    assert form.start(made.start, made.q, made.v, z) == 0
    z[: v.size] = v

    def rates(x: np.ndarray) -> np.ndarray:
        dz = np.zeros(x.size)
        assert form.functions.rhs(functions, arrays, form.work, made.start, x, dz) == 0
        return dz

    found = Jacobian((form.functions, functions, arrays, form.work), z.size)
    assert found.fits(lambda _, x: rates(x), made.start, z)
    expected = differences(rates, z)
    # the power of what drives the motion is not compared: with redundant rows it depends on which of them are kept
    assert np.abs(found(made.start, z, rates(z)) - expected)[:-1].max() < 2e-6 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("name", "form"),
    [("bicycle", "index2"), ("redundant rows", "index1"), *(("laws and states", form) for form in ("index2", "index1", "ode"))],
)
def test_of_the_residual_of_ida(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sksundae")
    from mbsim.integrators import ida

    class Compared(Exception):
        pass

    def step(solver: Any) -> None:
        t, y, yp = solver.t, solver._y.copy(), solver._yp.copy()
        y[: made.system.n_v] += 0.1 * np.cos(np.arange(made.system.n_v))
        yp[: made.system.n_v] += 0.2
        out, by_rate = np.zeros((y.size, y.size)), 7.0

        def residual(x: np.ndarray) -> np.ndarray:
            missed = np.zeros(y.size)
            solver._residual(t, x, yp + by_rate * (x - y), missed)
            return missed

        solver._jacobian(t, y, yp, None, by_rate, out)
        expected, last = differences(residual, y), made.system.n_v + made.system.n_q
        off = np.abs(out - expected)
        off[last] = 0.0  # the work, on which nothing depends
        assert off.max() < 2e-6 * np.abs(expected).max()
        raise Compared

    made = mbsim.assemble(mechanisms.model(CASES[name]()))
    monkeypatch.setattr(ida.Solver, "step", step)
    with pytest.raises(Compared):
        mbsim.simulate(made, method="lagrange", integrator="ida", form=form, jacobian="tangents", end=0.1, output_step=0.1)
