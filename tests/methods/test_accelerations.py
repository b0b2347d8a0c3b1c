"""Every method's accelerations and multipliers against the plain augmented equations solved by numpy, at random consistent states."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, augmented_solution, close, consistent_state, evaluate

import mbsim
from mbsim import contracts, registry
from mbsim.assembly import Assembly
from mbsim.march.formulation import formulate
from mbsim.march.settings import resolve

CASES: dict[str, tuple[Any, int]] = {
    "rolling_disk": (lambda: mechanisms.shipped("rolling_disk"), 100),
    "every_planar_joint": (lambda: mechanisms.model(mechanisms.chain(2)), 30),
    "every_spatial_joint": (lambda: mechanisms.model(mechanisms.chain(3)), 30),
    "four_bar": (lambda: mechanisms.shipped("four_bar"), 20),
    "driven_slider_crank": (lambda: mechanisms.shipped("slider_crank"), 20),
    "spatial_slider_crank": (lambda: mechanisms.shipped("spatial_slider_crank"), 20),
    "unconstrained": (lambda: mechanisms.shipped("double_pendulum"), 20),
    "two_planar_hinges": (lambda: mechanisms.model(mechanisms.parallel_pendulum(2, 2)), 20),
    "three_spatial_hinges": (lambda: mechanisms.model(mechanisms.parallel_pendulum(3, 3)), 20),
    "four_bar_with_a_doubled_hinge": (lambda: mechanisms.model(doubled_four_bar()), 20),
}


def doubled_four_bar() -> str:
    text = (mechanisms.MODELS / "four_bar.yaml").read_text()
    assert "\ninitial:" in text
    return text.replace("\ninitial:", "\n  B2: {type: revolute, points: [coupler.B, rocker.B]}\ninitial:")


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[str, Assembly, int]:
    build, states = CASES[request.param]
    return request.param, mbsim.assemble(build()), states


@pytest.mark.parametrize("method", METHODS)
def test_equal_the_augmented_equations(case: tuple[str, Assembly, int], method: str) -> None:
    name, made, states = case
    system, rng = made.system, np.random.default_rng(5)
    for _ in range(states):
        t, q, v = consistent_state(system, made.q, rng, 1.0 if name == "rolling_disk" else 0.2)
        a, lam = evaluate(system, method, t, q, v)
        expected, multipliers = augmented_solution(system, t, q, v)
        size = np.abs(expected).max(initial=1.0)
        close(a, expected, atol=1e-10 * size)
        close(lam, multipliers, atol=1e-9 * np.abs(multipliers).max(initial=1.0))
        # and the definitions
        M, h, C, _, eta, _ = system.terms(t, q, v)
        close(C @ a, -eta, atol=1e-10 * size)
        close(M @ a - h, C.T @ lam, atol=1e-9 * np.abs(h).max(initial=1.0))


def nearly_folded(dimension: int, lean: float) -> dict[str, Any]:
    """A kite of 1 m and 1.5 m whose crank lies on its frame, but for this angle: there coupler and rocker turn freely."""
    space, rest = dimension == 3, [0.0] * (dimension - 2)
    along = np.array([np.cos(lean / 2), np.sin(lean / 2)])
    places = {"O": np.zeros(2), "P": np.array([1.0, 0.0]), "A": np.array([np.cos(lean), np.sin(lean)])}
    places["B"] = along * (np.cos(lean / 2) + np.sqrt(1.5**2 - np.sin(lean / 2) ** 2))
    bodies, joints = {}, {}
    for name, ends in {"crank": "OA", "coupler": "AB", "rocker": "PB"}.items():
        p, way = places[ends[0]], places[ends[1]] - places[ends[0]]
        angle, size = float(np.arctan2(way[1], way[0])), float(way @ way) / 12
        turned = {"orientation": {"axis": [0, 0, 1], "angle": angle}} if space else {"angle": angle}
        bodies[name] = {"mass": 1, "inertia": [1e-3, size, size] if space else size, "position": [*(p + way / 2).tolist(), *rest], **turned}
    for name, pair in {"O": ["ground", "crank"], "A": ["crank", "coupler"], "B": ["coupler", "rocker"], "P": ["ground", "rocker"]}.items():
        joints[name] = {"type": "revolute", "bodies": pair, "at": [*places[name].tolist(), *rest], **({"axis": [0, 0, 1]} if space else {})}
    return {
        "dimension": dimension,
        "gravity": [0, -9.81, *rest],
        "bodies": bodies,
        "joints": joints,
        "simulation": {"end": 1, "step": 1e-3},
    }


@pytest.mark.parametrize("method", [name for name in METHODS if registry.declaration("methods", name, "CROSSES", False)])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_start_near_a_singular_position_knows_nothing_of_states_before(method: str, dimension: int) -> None:
    """Weak directions are damped towards what was before within a march; an impact asks what efforts do by starts of their own."""
    made = mbsim.assemble(nearly_folded(dimension, 2e-3))
    system, settings = made.system, resolve(made.simulation, made.whole, {"method": method}, False)
    formulation = formulate(system, settings)
    z, row = np.zeros(formulation.size), np.zeros(formulation.width)
    formulation.configuration(z)[:] = made.q
    way = np.linalg.svd(system.terms(0.0, made.q, made.v)[2])[2][-1]
    for speed in (3.0, 0.0, -5.0, 3.0):
        assert formulation.start(0.0, made.q, speed * way, z) == contracts.OK and formulation.expand_first(0.0, z, row) == contracts.OK
        found, expected = row[system.n_q + system.n_v :][: system.n_v], augmented_solution(system, 0.0, made.q, speed * way)[0]
        close(found, expected, atol=1e-7 * max(1.0, np.abs(expected).max()))


def test_methods_agree_with_lagrange_on_the_disk() -> None:
    """100 states, 1e-10: the figure the methods are held to."""
    made = mbsim.assemble(mechanisms.shipped("rolling_disk"))
    rng = np.random.default_rng(17)
    for _ in range(100):
        t, q, v = consistent_state(made.system, made.q, rng, 1.0)
        reference = evaluate(made.system, "lagrange", t, q, v)
        for method in METHODS:
            a, lam = evaluate(made.system, method, t, q, v)
            close(a, reference[0], atol=1e-10 * np.abs(reference[0]).max(initial=1.0))
            close(lam, reference[1], atol=1e-10 * np.abs(reference[1]).max(initial=1.0))


@pytest.mark.parametrize(("apart", "hangs"), [(1e-6, True), (1e-10, False)])
def test_rows_that_almost_depend_on_each_other(apart: float, hangs: bool) -> None:
    """A rod on two pins that are this far apart: by 1e-6 m it is held, by 1e-10 m, less than positions are corrected to, it swings."""
    source = mechanisms.parallel_pendulum(2, 2)
    source["joints"]["pin1"]["at"] = [apart, 0.0]
    made = mbsim.assemble(mechanisms.model(source))
    a, _ = evaluate(made.system, "lagrange", 0.0, made.q, made.v)
    swings = -1.5 * 9.81 * 0.5 / (0.1 + 1.5 * (0.5**2 + 0.1**2))
    assert a[2] == pytest.approx(0.0 if hangs else swings, abs=1e-6)
