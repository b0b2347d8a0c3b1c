"""Methods that make their own steps: published and fitted orders, symmetry, energy, stiffness, what is kept, counts, failures."""

from types import SimpleNamespace
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close, fitted_order, formulation
from step_sources import HANGING, POINT_MASS, STIFF, TWO_RODS, errors, pendulum_exact

import mbsim
from mbsim import contracts, registry
from mbsim.assembly import Assembly
from mbsim.singular.projection import project

OWN = [method for method in mechanisms.METHODS if mechanisms.owns_step(method)]
VARIANTS = [
    "broyden",
    "broyden(search=full)",
    "broyden(multiplier=constant)",
    "broyden(multiplier=constant, root_finder=bfs, start=trials)",
    "broyden(multiplier=constant, root_finder=newton)",
    "generalized_alpha",
    "generalized_alpha(index=3)",
    "rattle",
]


# broyden: the paper's pendulum

STEPS = np.array([0.02, 0.01, 0.005, 0.0025])


@pytest.fixture(scope="module")
def pendulum() -> Assembly:
    return mbsim.assemble(mechanisms.model(POINT_MASS))


@pytest.mark.parametrize("root_finder", ["bfs", "broyden", "newton"])
def test_lambda_root_finding_on_the_papers_pendulum(pendulum: Assembly, root_finder: str) -> None:
    found = errors(pendulum, f"broyden(multiplier=constant, root_finder={root_finder})", STEPS, 2.0, *pendulum_exact(2.0))
    np.testing.assert_allclose(found[:, 0], [4.66e-7, 3.69e-8, 2.55e-9, 1.67e-10], rtol=0.02)
    np.testing.assert_allclose(found[:, 1], [2.07e-6, 1.31e-7, 8.20e-9, 5.13e-10], rtol=0.02)
    assert fitted_order(STEPS, found[:, 0]) == pytest.approx(4.0, abs=0.2)
    assert fitted_order(STEPS, found[:, 1]) == pytest.approx(4.0, abs=0.05)


def test_velocity_as_computed_is_of_order_2_and_projecting_what_is_carried_on_costs_an_order(pendulum: Assembly) -> None:
    exact = pendulum_exact(2.0)
    computed = errors(pendulum, "broyden(multiplier=constant, project_velocity=false)", STEPS, 2.0, *exact)
    np.testing.assert_allclose(computed[:, 1], [1.49e-3, 3.72e-4, 9.30e-5, 2.32e-5], rtol=0.02)
    np.testing.assert_allclose(computed[:, 0], [4.66e-7, 3.69e-8, 2.55e-9, 1.67e-10], rtol=0.02)
    carried = errors(pendulum, "broyden(multiplier=constant)", STEPS, 2.0, *exact, drift="full")
    for column in (0, 1):
        assert fitted_order(STEPS, carried[:, column]) == pytest.approx(3.0, abs=0.05)


def test_the_papers_update_satisfies_its_secant_equation() -> None:
    """Eq. 19 as printed: B_{k+1} q = p and B stays symmetric; so does the kernel's."""
    from mbsim.methods.searching import secant

    update = getattr(secant.update, "py_func", secant.update)  # a helper has no wrapper for Python
    rng = np.random.default_rng(3)
    X = rng.standard_normal((4, 4))
    B, p, q = X @ X.T + np.eye(4), rng.standard_normal(4), rng.standard_normal(4)
    mu = 1 + q @ B @ q / (p @ q)
    printed = B + (mu * np.outer(p, p) - np.outer(B @ q, p) - np.outer(p, q @ B)) / (p @ q)
    close(printed @ q, p, atol=1e-12 * np.abs(printed).max())
    close(printed, printed.T, atol=1e-12 * np.abs(printed).max())
    plain = B + np.outer(p - B @ q, p @ B) / (p @ B @ q)
    found = B.copy()
    update(SimpleNamespace(B=found, p=p, y=q, By=np.zeros(4), yB=np.zeros(4)), 4, True)
    close(found, printed, atol=1e-12 * np.abs(printed).max())
    found = B.copy()
    update(SimpleNamespace(B=found, p=p, y=q, By=np.zeros(4), yB=np.zeros(4)), 4, False)
    close(found, plain, atol=1e-12 * np.abs(plain).max())
    close(found @ q, p, atol=1e-12 * np.abs(plain).max())


# what is kept, for all of them


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("name", ["four_bar", "spatial_slider_crank", "rolling_disk", "every_spatial_joint", "hanging"])
def test_constraints_hold_at_every_step(method: str, name: str) -> None:
    sources = {"every_spatial_joint": mechanisms.chain(3), "hanging": HANGING}
    model = mechanisms.model(sources[name]) if name in sources else mechanisms.shipped(name)
    result = mbsim.simulate(model, method=method, end=1.0, step=1e-3)
    carried = method.startswith("broyden") and "constant" not in method
    assert result.attributes["drift"] == ("full" if carried else "none") and result.attributes["counts"]["corrections"] == 0
    close(result["residual_position"], 0.0, atol=1e-10)
    close(result["residual_velocity"], 0.0, atol=1e-9 if "index=3" not in method else 0.05)
    size = np.abs(result["acceleration"]).max()
    close(result["residual_acceleration"], 0.0, atol=1e-9 * size)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize(("dimension", "copies"), [(2, 2), (3, 3)])
def test_redundant_rows_change_nothing(method: str, dimension: int, copies: int) -> None:
    one, many = (mechanisms.model(mechanisms.parallel_pendulum(dimension, k)) for k in (1, copies))
    settings: dict[str, Any] = {"method": method, "end": 1.0, "step": 5e-3}
    a, b = mbsim.simulate(one, **settings), mbsim.simulate(many, **settings)
    close(b["q"], a["q"], atol=1e-9)
    close(b["v"], a["v"], atol=1e-9)
    close(b["joint_force"].sum(axis=1), a["joint_force"][:, 0], atol=1e-6)


@pytest.mark.parametrize("method", VARIANTS)
def test_a_constraint_that_depends_on_time_does_work(method: str) -> None:
    """The string shortens as it is told and the balance closes, both with the order of the method."""
    made = mbsim.assemble(mechanisms.model(HANGING))
    order = 4 if "broyden" in method else registry.module("methods", method.partition("(")[0]).ORDER
    steps = (0.005 if method.startswith("broyden") and "constant" not in method else 0.01) / 2.0 ** np.arange(3)
    runs = [mbsim.simulate(made, method=method, step=h, output_step=2.0) for h in steps]
    close(np.hypot(*runs[0]["q"][-1]), 1 - 0.3 * np.sin(2.0), atol=1e-10)
    exact = mbsim.simulate(made, method="svd", step=2e-4, output_step=2.0)
    assert abs(exact["energy_work"][-1]) > 1.0
    for name in ("q", "v", "energy_work"):
        found = np.array([np.abs(r[name][-1] - exact[name][-1]).max() for r in runs])
        assert fitted_order(steps, found) == pytest.approx(order, abs=0.5), (name, found)


@pytest.mark.parametrize("method", [x for x in VARIANTS if "broyden" not in x or "constant" in x])
def test_nonholonomic_rows_order_2(method: str) -> None:
    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    exact = mbsim.simulate(made, method="lagrange", end=1.0, step=5e-4, output_step=1.0)
    steps = 0.01 / 2.0 ** np.arange(4)
    found = errors(made, method, steps, 1.0, exact["q"][-1], exact["v"][-1])
    assert found[0, 0] < 4e-3
    for column in (0, 1):
        assert fitted_order(steps, found[:, column]) == pytest.approx(2.0, abs=0.1)


# rattle


def taken(made: Assembly, method: str, z: np.ndarray, steps: list[float]) -> np.ndarray:
    """z after these steps, of either sign, taken by the kernels alone."""
    system, module = made.system, registry.module("methods", method)
    work = formulation(system, method, drift_tolerance=1e-12).work
    functions = (module.rhs, module.accept, module.expand, project, module.start, project)
    z, t, scratch = z.copy(), made.start, np.zeros((module.SCRATCH, z.size))
    n = system.n_v
    assert module.start(system.functions, system.arrays, work, t, z[n:-1].copy(), z[:n].copy(), z) == contracts.OK
    work.status[contracts.STATUS_CHANGED] = 1
    for dt in steps:
        assert module.step(functions, system.functions, system.arrays, work, t, dt, z, scratch) == contracts.OK
        work.status[contracts.STATUS_CHANGED] = 0
        t += dt
        assert module.accept(project, module.start, system.functions, system.arrays, work, t, z) == contracts.OK
    return z


@pytest.mark.parametrize(
    "name", ["four_bar", "spinning_top", "spatial_slider_crank", "double_pendulum", "every_spatial_joint", "rolling_disk", "slider_crank"]
)
def test_rattle_leads_back(name: str) -> None:
    """The step of -h undoes that of h, with constant and varying M, quaternions, dampers, drivers, and with nonholonomic rows, whose
    multipliers are carried along.
    """
    made = mbsim.assemble(mechanisms.model(mechanisms.chain(3)) if name == "every_spatial_joint" else mechanisms.shipped(name))
    z = np.concatenate([made.v, made.q, [0.0]])
    h = 1e-3
    there = taken(made, "rattle", z, [h] * 20)
    assert np.abs(there - z).max() > 1e-3
    back = taken(made, "rattle", z, [h] * 20 + [-h] * 20)
    size = np.abs(z[:-1]).max()
    close(back[:-1], z[:-1], atol=1e-14 * size)
    close(back[-1], 0.0, atol=1e-8 if name == "slider_crank" else 1e-12)  # of W: what is left of phi enters lam divided by h^2


@pytest.mark.parametrize(
    ("source", "step", "bound"), [("pendulum", 0.01, 6e-4), (TWO_RODS, 5e-3, 3e-3), ("four_bar", 1e-3, 5e-4), ("spinning_top", 5e-4, 3e-7)]
)
def test_rattle_keeps_the_energy_over_a_hundred_thousand_steps(source: str, step: float, bound: float) -> None:
    """It oscillates within a bound and its mean stays: the last tenth's is that of the first, to a fiftieth of the bound."""
    made = mbsim.assemble(mechanisms.model(source) if "\n" in source else mechanisms.shipped(source))
    result = mbsim.simulate(made, method="rattle", end=1e5 * step, step=step, output_step=10 * step)
    balance = result["energy_balance"] / result["energy_kinetic"].max()
    assert np.abs(balance).max() < bound
    tenth = len(balance) // 10
    assert abs(balance[-tenth:].mean() - balance[:tenth].mean()) < bound / 50


def test_energy_oscillation_of_rattle_shrinks_with_the_square_of_the_step() -> None:
    steps = 0.02 / 2.0 ** np.arange(4)
    runs = [mbsim.simulate(mechanisms.shipped("pendulum"), method="rattle", end=10.0, step=h) for h in steps]
    assert fitted_order(steps, np.array([np.abs(r["energy_balance"]).max() for r in runs])) == pytest.approx(2.0, abs=0.1)


# generalized_alpha


# Without index 3 undamped, whose multipliers oscillate: Cardona & Geradin 1989.
@pytest.mark.parametrize(("index", "radius"), [(2, 0.0), (2, 0.5), (2, 0.9), (2, 1.0), (3, 0.0), (3, 0.5), (3, 0.9)])
def test_generalized_alpha_stands_a_stiff_spring(index: int, radius: float) -> None:
    """h omega = 10 and 1000: where explicit steps blow up, the slow motion is that of the pendulum on a fixed pin, of order 2."""
    method = f"generalized_alpha(index={index}, spectral_radius={radius})"
    fixed = mbsim.simulate(mechanisms.shipped("pendulum", parameters={"l": 1}), end=2.0, step=1e-3, output_step=0.1)["q"]
    for k in (1e6, 1e10):
        model = mechanisms.model(STIFF, parameters={"k": k})
        found = []
        for h in (0.01, 0.005):
            result = mbsim.simulate(model, method=method, step=h, output_step=0.1)
            close(result["residual_position"], 0.0, atol=1e-10)
            counts = result.attributes["counts"]
            assert counts["evaluations"] / counts["steps"] < 25
            found.append(np.abs(result["q"][:, 3:] - fixed).max())
        assert found[1] < 0.012 and found[1] < 0.45 * found[0]
    refined = mbsim.simulate(mechanisms.model(STIFF), method="svd", step=0.01).attributes["counts"]
    assert refined["rejected"] > 0  # explicit steps are cut until they follow


@pytest.mark.parametrize("radius", [0.0, 0.3, 0.9, 1.0])
def test_spectral_radius_damps_what_the_step_cannot_resolve(radius: float) -> None:
    """A linear oscillator with h omega = 1000: the recurrence of Chung & Hulbert 1993, solved as it is, and its spectral radius."""
    w2 = 1000.0**2  # (h omega)^2; the state of the recurrence is (x, h v, h^2 a, h^2 v_dot)
    am, af = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    g = 0.5 + af - am
    b = 0.25 * (g + 0.5) ** 2
    new = np.array([[1, 0, -b, 0], [0, 1, -g, 0], [0, 0, 1 - am, -(1 - af)], [w2, 0, 0, 1]])
    old = np.array([[1, 1, 0.5 - b, 0], [0, 1, 1 - g, 0], [0, 0, -am, af], [0, 0, 0, 0]])
    step = np.linalg.solve(new, old)
    assert np.abs(np.linalg.eigvals(step)).max() == pytest.approx(radius, abs=0.04)
    source = """
name: oscillator
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: 1e10*x^2/2}
initial: {x: 1}
simulation: {end: 0.2, step: 0.01}
"""
    x = mbsim.simulate(mechanisms.model(source), method=f"generalized_alpha(spectral_radius={radius})")["q"][:, 0]
    state, expected = np.array([1.0, 0.0, -w2, -w2]), [1.0]
    for _ in range(20):
        state = step @ state
        expected.append(float(state[0]))
    close(x, expected, atol=1e-6)


def test_order_2_of_both_indices() -> None:
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    exact = mbsim.simulate(made, method="lagrange", end=0.3, step=2e-5, output_step=0.3)
    steps = 1e-3 / 2.0 ** np.arange(4)
    for index in (2, 3):
        runs = [mbsim.simulate(made, method=f"generalized_alpha(index={index})", end=0.3, step=h, output_step=0.3) for h in steps]
        for name in ("q", "v", "multiplier"):
            found = np.array([np.abs(r[name][-1] - exact[name][-1]).max() for r in runs])
            assert fitted_order(steps, found) == pytest.approx(2.0, abs=0.15), (index, name, found)


# failures


@pytest.mark.parametrize("method", OWN)
def test_too_large_a_step_is_told(method: str) -> None:
    with pytest.raises(mbsim.SimulationError, match=r"the iteration of a step did not converge.*; try a smaller step") as caught:
        mbsim.simulate(mechanisms.shipped("four_bar"), method=method, step=0.2, end=10.0)
    assert caught.value.result is not None and np.isfinite(caught.value.result["q"]).all()


@pytest.mark.parametrize("method", OWN)
def test_a_stop_restarts_the_memory_of_a_step(method: str) -> None:
    """Locating the zero takes steps of other sizes from a state before: the same as a run that ends there."""
    stopped = mbsim.simulate(mechanisms.shipped("pendulum"), method=method, step=0.01, end=3.0, stop="rod.angle + 1")
    assert stopped.select("q", "rod.angle")[-1] == pytest.approx(-1.0, abs=1e-8)
    plain = mbsim.simulate(mechanisms.shipped("pendulum"), method="svd", step=1e-3, end=3.0, stop="rod.angle + 1")
    assert stopped.time[-1] == pytest.approx(plain.time[-1], abs=1e-4)


@pytest.mark.parametrize("method", OWN)
def test_output_between_steps(method: str) -> None:
    often = mbsim.simulate(mechanisms.shipped("four_bar"), method=method, step=2e-3, output_step=5e-4, end=0.1)
    exact = mbsim.simulate(mechanisms.shipped("four_bar"), method="svd", step=1e-4, output_step=5e-4, end=0.1)
    close(often["q"], exact["q"], atol=2e-3)
    jumps = np.diff(often["q"] - exact["q"], axis=0)
    assert np.abs(jumps).max() < 3e-4


@pytest.mark.parametrize("method", ["generalized_alpha", "rattle"])
def test_smaller_steps_are_better_where_nothing_is_constrained(method: str) -> None:
    """Euler's equations with I = (1, 2, 3): omega after a second by elliptic functions, as in tests/physics/test_closed_forms.py."""
    made = mbsim.assemble(
        mechanisms.model({
            "gravity": [0, 0, 0],
            "bodies": {"body": {"mass": 1, "inertia": [1, 2, 3], "angular_velocity": [0.6, 1.0, 0.8]}},
            "simulation": {"end": 1},
        })
    )  # fmt: skip
    exact = [-0.23336543223628114, 1.1426025446484765, 0.73358921860553229]
    coarse, fine = (mbsim.simulate(made, method=method, step=h, output_step=1.0)["v"][-1, 3:] for h in (1e-3, 2.5e-4))
    assert np.abs(fine - exact).max() < np.abs(coarse - exact).max() / 4
