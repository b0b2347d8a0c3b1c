"""Methods that hold a decomposition of C: what holding it changes (the work) and what it does not (the motion); Shui's dual basis."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close, consistent_state, formulation

import mbsim
from mbsim import jit, registry
from mbsim.assembly import Assembly
from mbsim.methods import _held
from mbsim.results import Result

HOLDING = [name for name in METHODS if "hold" in registry.options("methods", name)]
DOUBLED = """
name: four-bar with a hinge given twice
dimension: 2
gravity: [0, -9.81]
bodies:
  crank:   {mass: 1, inertia: 0.08, position: [0, 0.5], angle: deg(90)}
  coupler: {mass: 2, inertia: 0.7, position: [1, 1.25], angle: atan(0.25)}
  rocker:  {mass: 1.5, inertia: 0.3, position: [2.25, 0.75]}
joints:
  O: {type: revolute, bodies: [ground, crank], at: [0, 0]}
  A: {type: revolute, bodies: [crank, coupler], at: [0, 1]}
  B: {type: revolute, bodies: [coupler, rocker], at: [2, 1.5]}
  B2: {type: revolute, bodies: [coupler, rocker], at: [2, 1.5]}
  C: {type: revolute, bodies: [ground, rocker], at: [2.5, 0]}
initial: {crank.angular_velocity: 4, fix: [crank.angular_velocity]}
simulation: {end: 1}
"""
CIRCLE = """
name: point on a circle
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2, potential: 9.81*y}
constraints: {circle: {type: holonomic, equation: (x^2 + y^2 - 1)/2}}
initial: {x: cos(0.77), y: -sin(0.77)}
simulation: {end: 1}
"""
CASES: dict[str, Any] = {
    "rolling_disk": lambda: mechanisms.shipped("rolling_disk"),
    "four_bar": lambda: mechanisms.shipped("four_bar"),
    "slider_crank": lambda: mechanisms.shipped("slider_crank"),
    "spatial_slider_crank": lambda: mechanisms.shipped("spatial_slider_crank"),
    "every_spatial_joint": lambda: mechanisms.model(mechanisms.chain(3)),
    "three_spatial_hinges": lambda: mechanisms.model(mechanisms.parallel_pendulum(3, 3)),
    "doubled_hinge": lambda: mechanisms.model(DOUBLED),
}


def run(made: Assembly, method: str, end: float, step: float, hold: bool = True, limit: float = 2.0) -> Result:
    options = {"hold": hold, "hold_limit": limit} if method in HOLDING else {}
    return mbsim.simulate(made, end=end, step=step, method=method, **options)


@pytest.fixture(scope="module", params=CASES)
def made(request: pytest.FixtureRequest) -> Assembly:
    return mbsim.assemble(CASES[request.param]())


@pytest.mark.parametrize("method", HOLDING)
def test_the_options_are_as_documented(method: str) -> None:
    options = registry.options("methods", method)
    assert list(options) == ["hold", "hold_limit", "renew", "equations"]  # the order that the kernels read them in
    assert options["hold"].default is True
    assert options["hold_limit"].default == _held.HOLD_LIMIT
    with pytest.raises(ValueError, match="greater than 0"):
        options["hold_limit"].read(0)


@pytest.mark.parametrize("method", HOLDING)
def test_holding_changes_the_work_and_not_the_motion(made: Assembly, method: str) -> None:
    """Without holding: an SVD at every evaluation, besides those at the start and where the basis of the state is renewed."""
    end, step = 0.2, 1e-3
    reference = run(made, "lagrange", end, step)
    held, anew = run(made, method, end, step), run(made, method, end, step, hold=False)
    for name, tolerance in (("q", 1e-8), ("v", 1e-6), ("acceleration", 1e-6), ("multiplier", 1e-6)):
        for result in (held, anew):
            close(result[name], reference[name], atol=tolerance * np.abs(reference[name]).max(initial=1.0))
    close(anew["residual_velocity"], 0.0, atol=1e-10)
    few, many = held.attributes["counts"], anew.attributes["counts"]
    assert 1 <= few["svds"] <= few["steps"] // 20
    assert many["evaluations"] + 1 <= many["svds"] <= many["evaluations"] + many["steps"] // 20


@pytest.mark.parametrize("method", HOLDING)
def test_a_lower_limit_renews_more_often(method: str) -> None:
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    runs = [run(made, method, 1.0, 1e-3, limit=limit) for limit in (0.5, 2.0, 4.0)]
    counts = [result.attributes["counts"]["svds"] for result in runs]
    assert counts[0] > counts[1] > counts[2] >= 1
    close(runs[0]["q"][-1], runs[1]["q"][-1], atol=1e-6)


@pytest.mark.parametrize("method", HOLDING)
@pytest.mark.parametrize("x", [0.1, 1e-3, -1e-5, 1e-7, -1e-9, 1e-12, 0.0])
def test_a_held_pivot_that_vanishes_is_replaced(method: str, x: float) -> None:
    """C = [x y] with one row: the pivot, x, passes zero before the basis is renewed, and no multiplier of the elimination grows."""
    made = mbsim.assemble(mechanisms.model(CIRCLE))
    system, module = made.system, registry.module("methods", method)
    work = formulation(system, method).work
    z, dz, speed = np.zeros(5), np.zeros(5), 3.0
    module.start(system.functions, system.arrays, work, 0.0, made.q, np.zeros(2), z)
    at = np.array([made.q, [x, -np.sqrt(1.0 - x * x)]])
    along = np.column_stack([-at[:, 1], at[:, 0]])
    z[0] = speed * (along[0] @ along[1]) * np.sign(work.own.V2[0] @ along[0, work.own.columns])  # V2' v
    z[2:4] = at[1]
    assert module.rhs(system.functions, system.arrays, work, 0.0, z, dz) == jit.OK
    close(work.v, speed * along[1], atol=1e-12)
    close(work.a, -9.81 * along[1, 1] * along[1] - speed**2 * at[1], atol=1e-11)


def test_riemann_holds_a_basis_that_is_orthonormal_in_the_metric_of_the_mass() -> None:
    """W' M W = I with W2 in the null space of the current C, also where V2 comes from elsewhere: eqs. (18) and (20)."""
    module = registry.module("methods", "riemann")
    made = mbsim.assemble(mechanisms.shipped("spatial_slider_crank"))
    system, rng = made.system, np.random.default_rng(3)
    work = formulation(system, "riemann").work
    z, dz = np.zeros(system.n_v + system.n_q + 1), np.zeros(system.n_v + system.n_q + 1)
    module.start(system.functions, system.arrays, work, 0.0, made.q, made.v, z)
    for _ in range(5):
        t, q, _ = consistent_state(system, made.q, rng)
        z[system.n_v : -1] = q
        assert module.rhs(system.functions, system.arrays, work, t, z, dz) == jit.OK
        rank = work.status[jit.STATUS_RANK]
        M, C = system.terms(t, q, work.v)[0], system.C(t, q)
        W = np.linalg.solve(np.linalg.cholesky(M).T, work.own.dual.T)
        close(W.T @ M @ W, np.eye(system.n_v), atol=1e-12)
        close(C @ W[:, rank:], 0.0, atol=1e-10)
        assert np.linalg.matrix_rank(C @ W[:, :rank]) == rank == 17
