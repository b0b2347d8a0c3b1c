"""Methods that hold a decomposition of C: what holding it changes (the work) and what it does not (the motion); Shui's dual basis."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close, consistent_state, formulation

import mbsim
from mbsim import contracts, registry
from mbsim.assembly import Assembly
from mbsim.march import settings
from mbsim.march.settings import STEP_ERROR
from mbsim.results import Result
from mbsim.singular import decomposition as _held
from mbsim.singular import turning
from mbsim.system import work as _work

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
    assert list(options)[:4] == ["hold", "hold_limit", "renew", "equations"]  # the order that the kernels read them in
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
    assert module.rhs(system.functions, system.arrays, work, 0.0, z, dz) == contracts.OK
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
        assert module.rhs(system.functions, system.arrays, work, t, z, dz) == contracts.OK
        rank = work.status[contracts.STATUS_RANK]
        M, C = system.terms(t, q, work.v)[0], system.C(t, q)
        W = np.linalg.solve(np.linalg.cholesky(M).T, work.own.dual.T)
        close(W.T @ M @ W, np.eye(system.n_v), atol=1e-12)
        close(C @ W[:, rank:], 0.0, atol=1e-10)
        assert np.linalg.matrix_rank(C @ W[:, :rank]) == rank == 17


@pytest.mark.parametrize("method", HOLDING)
def test_the_limit_adapts_to_what_a_step_may_err(method: str) -> None:
    """With a limit of 10 alone these steps of 0.02 s are off by 8.8e-5; they turn so far that decompositions are renewed much sooner."""
    made = mbsim.assemble(mechanisms.shipped("quick_return"))
    exact = mbsim.simulate(made, end=2.0, output_step=0.5, method="lagrange", integrator="dop853", rtol=1e-11, atol=1e-12)
    runs = [mbsim.simulate(made, end=2.0, step=0.02, output_step=0.5, method=method, hold_limit=limit) for limit in (10.0, 2.0)]
    errors = [float(np.abs(found["q"] - exact["q"]).max()) for found in runs]
    assert errors[0] < 10.0 * max(errors[1], 1e-7)
    svds = [found.attributes["counts"]["svds"] for found in runs]
    fine = mbsim.simulate(made, end=2.0, step=0.001, output_step=0.5, method=method, hold_limit=10.0).attributes["counts"]["svds"]
    assert fine <= svds[0] <= svds[1] + 1


@pytest.mark.parametrize(("integrator", "rtol"), [("dop853", 1e-9), ("rk45", 1e-7)])
def test_with_error_control_a_wide_limit_adapts_to_the_tolerance(integrator: str, rtol: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The integrator shortens its steps for what a held decomposition adds to their error; the bound spares these, at the same error."""
    made = mbsim.assemble(mechanisms.shipped("sundials_pendulum"))
    given: dict[str, Any] = {"end": 3.0, "output_step": 0.5}
    exact = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-13, **given)["q"]

    def run(limit: float) -> tuple[int, float]:
        result = mbsim.simulate(made, method="svd", hold_limit=limit, integrator=integrator, rtol=rtol, atol=0.1 * rtol, **given)
        return result.attributes["counts"]["evaluations"], float(np.abs(result["q"] - exact).max())

    narrow, wide = run(2.0), run(10.0)
    monkeypatch.setattr(settings, "declared_order", lambda method, integrator: None)  # no order, no bound
    unbounded = run(10.0)
    assert wide[0] < 1.05 * narrow[0] < unbounded[0] / 1.2
    assert wide[1] < 2.0 * narrow[1] < 60.0 * rtol


def test_the_turn_of_a_step_and_the_bound_are_as_documented() -> None:
    """Of a point that has turned by an angle on its circle; and the bound solved for the tangent."""
    solved, z, dz = formulation(mbsim.assemble(mechanisms.model(CIRCLE)).system, "svd"), np.zeros(6), np.zeros(6)
    system, held, work = solved.system, solved.work.own, solved.work
    for angle, last in ((0.3, None), (0.5, 0.3), (0.45, 0.5), (-0.2, 0.45)):
        q = np.array([np.sin(angle), -np.cos(angle)])
        if last is None:
            solved.start(0.0, np.array([0.0, -1.0]), np.array([1.0, 0.0]), z)
        z[:1], z[2:4] = 1.0, q
        assert solved.functions.rhs(system.functions, system.arrays, work, 0.0, z[: solved.size], dz[: solved.size]) == contracts.OK
        turned, moved = turning.turns(work, held, 1, 10.0)
        assert turned == pytest.approx(np.tan(angle) ** 2)
        assert moved == pytest.approx(0.0 if last is None else np.sin(angle - last) ** 2)
    work.settings[[contracts.SETTING_ORDER, contracts.SETTING_STEP_ERROR]] = 4.0, 3e-6
    tangent = np.sqrt(turning.resolved_tangent(work, 0.03**2))
    assert turning.TURN_ERROR * 0.03**4 * (1.0 + tangent**2) ** 1.5 == pytest.approx(3e-6)
    assert turning.resolved_tangent(work, 0.2**2) == turning.NARROWEST**2
    assert turning.resolved_tangent(work, 0.0) > 1e99
    work.settings[contracts.SETTING_ORDER] = 0.0
    assert turning.resolved_tangent(work, 0.2**2) > 1e99, "an integrator that declares no order"
    assert STEP_ERROR == _work.FINE
