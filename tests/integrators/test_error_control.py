"""Integrators that control the error: it follows the tolerance, output disturbs no steps, drift is bounded, failures have names."""

import tracemalloc
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import ADAPTIVE, INTEGRATORS, PROJECTED, close, fitted_order

import mbsim
from mbsim import contracts, registry
from mbsim.analyses.dynamic import Run
from mbsim.assembly import Assembly
from mbsim.march import output_times
from mbsim.march.lengths import Lengths
from mbsim.march.settings import resolve

COMPILED = ["rk45", "dop853"]
# ida with a method's z_dot is one march for all methods, called back in Python, and slow: with the methods that it treats differently.
PAIRS = [(method, integrator) for method in PROJECTED for integrator in ADAPTIVE if integrator != "ida" or method in ("lagrange", "svd")]
FAILING = Path(__file__).parents[1] / "failing"
ENDS = {"pendulum": 1.0, "four_bar": 0.5, "rolling_disk": 1.0, "spatial_slider_crank": 0.5}


@pytest.fixture(scope="module", params=ENDS)
def case(request: pytest.FixtureRequest) -> tuple[Assembly, float, Any]:
    made = mbsim.assemble(mechanisms.shipped(request.param))
    end = ENDS[request.param]
    finest = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-13, "drift_tolerance": 1e-12}
    return made, end, mbsim.simulate(made, method="lagrange", end=end, output_step=end / 20, **finest)


@pytest.mark.parametrize(("method", "integrator"), PAIRS)
def test_error_follows_the_tolerance(case: tuple[Assembly, float, Any], method: str, integrator: str) -> None:
    """At every output time; proportional to a power of the tolerance near one, and not far above it."""
    made, end, reference = case
    tolerances = np.array([1e-5, 3e-7, 1e-8])
    runs = [mbsim.simulate(made, method=method, integrator=integrator, end=end, rtol=x, atol=x, output_step=end / 20) for x in tolerances]
    for name in ("q", "v", "energy_work"):
        errors = np.array([np.abs(r[name] - reference[name]).max() for r in runs])
        size = max(np.abs(reference[name]).max(), 1.0)
        if errors[-1] < 1e-12 * size:  # no work at all
            continue
        assert (0.5 if integrator == "ida" else 0.6) < fitted_order(tolerances, errors) < 1.5, (name, errors)
        assert (errors < 3000 * size * tolerances).all(), (name, errors)
    work = mechanisms.formulation(made.system, "lagrange").work
    Lengths(made.system, work).measure(made.start, made.q)
    for r in runs:  # in links, and in parts of the speed
        assert (r["residual_position"] <= 1.001e-10 * work.row_scales.max()).all()
        if "residual_velocity" in r:
            fastest = np.abs(r["v"] / work.scales).max(axis=1)
            assert (r["residual_velocity"] <= 2e-10 * fastest * work.row_scales.max()).all()


@pytest.mark.parametrize("name", ["pendulum", "four_bar"])
def test_reference_solution(name: str) -> None:
    """dop853 with lagrange at 1e-12 against rk4 with half and a quarter of a small step, extrapolated."""
    made, end = mbsim.assemble(mechanisms.shipped(name)), ENDS[name]
    step = {"pendulum": 1e-3, "four_bar": 1.25e-4}[name]
    fine, finer = (
        mbsim.simulate(made, method="lagrange", end=end, step=h, output_step=end / 4, drift_tolerance=1e-13) for h in (step, step / 2)
    )
    found = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-12, end=end, output_step=end / 4)
    for variable in ("q", "v"):
        close(found[variable], finer[variable] + (finer[variable] - fine[variable]) / 15, atol=5e-11)
    assert found["residual_position"].max() < 2e-12


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("method", PROJECTED)
def test_output_times_do_not_change_the_motion(method: str, integrator: str) -> None:
    """Rows between steps agree with those of a run that has a step end there, and the last row with itself."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    settings: dict[str, Any] = {"method": method, "integrator": integrator, "end": 0.3, "step": 2e-4}
    if integrator in ADAPTIVE:
        settings |= {"rtol": 1e-8, "atol": 1e-8}
    often, seldom = (mbsim.simulate(made, output_step=interval, **settings) for interval in (1.7e-4, 0.1))
    truth = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-12, end=0.3, output_step=1.7e-4)
    error = np.abs(seldom["q"][-1] - truth["q"][-1]).max()
    assert np.abs(often["q"] - truth["q"]).max() < 20 * error + 1e-8
    assert np.abs(often["v"] - truth["v"]).max() < 400 * error + 1e-6
    assert often["residual_position"].max() <= 1e-10
    if integrator in COMPILED:  # the very same steps
        assert often.attributes["counts"]["steps"] == seldom.attributes["counts"]["steps"]
        close(often["q"][-1], seldom["q"][-1], atol=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_renewed_basis(integrator: str) -> None:
    """svd renews its basis several times in this motion; a history from before would spoil it."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    tight = {"rtol": 1e-9, "atol": 1e-9} if integrator in ADAPTIVE else {"step": 1e-4}
    found = mbsim.simulate(made, method="svd", integrator=integrator, end=1.0, output_step=0.1, **tight)
    truth = mbsim.simulate(made, method="lagrange", integrator="dop853", rtol=1e-12, atol=1e-12, end=1.0, output_step=0.1)
    assert found.attributes["counts"]["svds"] > 3
    close(found["q"], truth["q"], atol=1e-5)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("method", PROJECTED)
def test_chunks_do_not_change_the_result(method: str, integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fixed step gives the same numbers. Error control ends a step with every chunk: the same motion to the tolerance."""
    adaptive = integrator in ADAPTIVE
    settings: dict[str, Any] = {"method": method, "integrator": integrator, "end": 0.5, "step": 5e-3, "output_step": 0.01}
    settings |= {"rtol": 1e-9, "atol": 1e-9} if adaptive else {}
    whole = mbsim.simulate(mechanisms.shipped("rolling_disk"), **settings)
    monkeypatch.setattr(output_times, "CHUNK_ROWS", 7)
    chunks = mbsim.simulate(mechanisms.shipped("rolling_disk"), **settings)
    for variable in ("q", "v", "energy_kinetic"):
        close(chunks[variable], whole[variable], atol=2e-6 if adaptive else 0.0)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_no_constraints_and_quaternions(integrator: str) -> None:
    """A free spinning body: momentum and energy hold, the quaternion stays unit, with nothing to project."""
    text = """
name: free body
dimension: 3
bodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0], angular_velocity: [1, 2, 3]}}
simulation: {end: 2, output_step: 0.05}
"""
    result = mbsim.simulate(mechanisms.model(text), integrator=integrator, **({"rtol": 1e-9} if integrator in ADAPTIVE else {}))
    close(result["energy_balance"], 0.0, atol=1e-6)
    close(np.linalg.norm(result["q"][:, 3:], axis=1), 1.0, atol=1e-13)


@pytest.mark.parametrize(("method", "integrator"), PAIRS)
def test_redundant_constraints(method: str, integrator: str) -> None:
    """The rank is found where q lies on the constraints, not at a stage."""
    settings: dict[str, Any] = {"method": method, "integrator": integrator, "rtol": 1e-8, "atol": 1e-8, "end": 1.0, "output_step": 0.1}
    one, three = (mbsim.simulate(mechanisms.model(mechanisms.parallel_pendulum(3, copies)), **settings) for copies in (1, 3))
    close(three["q"], one["q"], atol=1e-5)
    close(three["multiplier"][:, :5], one["multiplier"] / 3, atol=1e-3)


STEP_OPTIONS = [("max_step", 1e-3), ("first_step", 1e-5)]


@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize(("option", "value"), STEP_OPTIONS)
def test_step_options(integrator: str, option: str, value: float) -> None:
    plain = {"integrator": integrator, "end": 0.2, "output_step": 0.2}
    few = mbsim.simulate(mechanisms.shipped("pendulum"), **plain)
    many = mbsim.simulate(mechanisms.shipped("pendulum"), **plain, **{option: value})
    steps = many.attributes["counts"]["steps"]
    if option == "max_step":
        assert steps >= 200 > few.attributes["counts"]["steps"]
    close(many["q"], few["q"], atol=1e-4)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_step_does_not_limit_the_solver(integrator: str) -> None:
    """`step` without `output_step` is the longest time between rows, nothing else; rows are added where the motion asks for them."""
    coarse, fine = (mbsim.simulate(mechanisms.shipped("pendulum"), integrator=integrator, end=0.5, step=h) for h in (0.25, 1e-3))
    assert np.isclose(coarse.time[:, None], [0.0, 0.25, 0.5], rtol=0, atol=1e-12).any(axis=0).all() and len(fine.time) == 501
    assert fine.attributes["counts"]["steps"] < 350


STIFF = """
name: stiff joint
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  disk: {mass: 1, inertia: 1e-3, position: [1, 0]}
joints:
  O: {type: revolute, bodies: [ground, rod], at: [0, 0]}
forces:
  glue: {type: spring_damper, bodies: [rod, disk], at: [[1, 0.01], [1, -0.01]], stiffness: 1e5, damping: 5e4, free_length: 0.01}
simulation: {end: 1, output_step: 0.1}
"""


@pytest.mark.parametrize("integrator", ["bdf", "radau", "lsoda"])
def test_stiff_motion_takes_few_steps(integrator: str) -> None:
    stiff = mbsim.simulate(mechanisms.model(STIFF), integrator=integrator)
    explicit = mbsim.simulate(mechanisms.model(STIFF), integrator="rk45")
    assert stiff.attributes["counts"]["steps"] < 0.1 * explicit.attributes["counts"]["steps"]
    close(stiff["q"][:, :2], explicit["q"][:, :2], atol=1e-3)


@pytest.mark.parametrize(("method", "integrator"), PAIRS)
def test_drift_stays_bounded_over_a_long_run(method: str, integrator: str) -> None:
    loose = {"rtol": 1e-4, "atol": 1e-4}
    result = mbsim.simulate(mechanisms.shipped("pendulum"), method=method, integrator=integrator, end=20.0, output_step=0.1, **loose)
    assert result["residual_position"].max() <= 1e-10 and result["residual_velocity"].max() <= 1e-9


@pytest.mark.parametrize("integrator", ["bdf", "radau", "lsoda"])
def test_restarts_are_few(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers take over what the constraints move, and begin anew with a new basis only."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    marches: list[Any] = []
    module: Any = registry.module("integrators", integrator)
    marcher = module.marcher
    monkeypatch.setattr(module, "marcher", lambda: marches.append(marcher()) or marches[-1])
    more = {"solver": "scipy"} if integrator == "radau" else {}
    result = mbsim.simulate(made, end=1.0, output_step=0.01, method="lagrange", integrator=integrator, **more)
    assert len(marches) == 1
    assert marches[0].restarts == 0
    assert result.attributes["counts"]["corrections"] > 0


ESCAPE = """
name: finite escape time
coordinates: [x]
energy: {kinetic: der(x)^2/2, potential: -x^4}
initial: {x: 1, der(x): 1}
simulation: {end: 5, output_step: 0.05}
"""
VANISHING_MASS = """
name: mass that vanishes
coordinates: [x, y]
energy: {kinetic: "(der(x)^2*max(y, 0) + der(y)^2)/2"}
initial: {y: 1, der(y): -1}
simulation: {end: 2, output_step: 0.05}
"""
ROOT = """
name: root of a negative number
coordinates: [x]
energy: {kinetic: der(x)^2/2}
forces: {pull: {type: generalized, coordinate: x, value: -sqrt(x) - 0.1}}
initial: {x: 1}
simulation: {end: 5, output_step: 0.05}
"""
CIRCLE = """
name: a circle that shrinks to nothing
coordinates: [x, y]
energy: {kinetic: (der(x)^2 + der(y)^2)/2}
constraints: {circle: {type: holonomic, equation: x^2 + y^2 - 1 + t}}
initial: {x: 1}
simulation: {end: 5, output_step: 0.05}
"""
FAILURES = {  # text, earliest and latest time, one of these in the message
    "escape": (ESCAPE, 0.5, 1.0, ("the tolerance in der(x)", "the tolerance in x", "der(x) is not finite")),
    "vanishing_mass": (VANISHING_MASS, 0.9, 1.01, ("the mass matrix is singular at der(x)",)),
    "root": (ROOT, 1.2, 1.6, ("the equations of der(x) are not finite", "der(x) is not finite")),
    "circle": (CIRCLE, 0.9, 1.02, ("circle", "the tolerance in")),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize(("method", "integrator"), PAIRS)
def test_failures_are_named_and_the_result_is_kept(method: str, integrator: str, name: str) -> None:
    text, earliest, latest, words = FAILURES[name]
    with pytest.raises(mbsim.SimulationError) as caught:
        mbsim.simulate(mechanisms.model(text), method=method, integrator=integrator)
    error = caught.value
    assert earliest <= error.time <= latest, str(error)
    if integrator == "ida":  # its own forms of the equations are not solved for accelerations: a singular mass shows as steps that fail
        words = (*words, "the tolerance in")
    assert any(word in str(error) for word in words), str(error)
    assert error.result is not None and error.result.time[-1] == pytest.approx(error.time, abs=1e-9)
    assert np.isfinite(error.result["q"]).all()


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_exception_in_a_callable_is_raised(integrator: str) -> None:
    def fails(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        if t > 0.5:
            raise ZeroDivisionError("no force beyond this")
        return [-q[0]]

    system = mbsim.callable_system(["x"], lambda t, q: [[1.0]], fails)
    with pytest.raises(mbsim.SimulationError, match="ZeroDivisionError: no force beyond this") as caught:
        mbsim.simulate(system, [1.0], [0.0], end=1.0, output_step=0.1, integrator=integrator)
    assert caught.value.time <= 0.5


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_nothing_is_evaluated_beyond_the_end(integrator: str) -> None:
    """A law may end with the run."""
    latest = [0.0]

    def force(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        latest[0] = max(latest[0], t)
        return [-q[0]]

    system = mbsim.callable_system(["x"], lambda t, q: [[1.0]], force)
    result = mbsim.simulate(system, [1.0], [0.0], end=1.0, output_step=0.1, integrator=integrator)
    assert latest[0] <= 1.0 + 1e-12
    close(result["q"][:, 0], np.cos(result.time), atol=1e-4)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_memory_does_not_grow_with_the_number_of_steps(integrator: str) -> None:
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    peaks = []
    for end in (0.5, 0.5, 5.0):  # once to load everything
        tracemalloc.start()
        mbsim.simulate(made, end=end, output_step=end / 10, integrator=integrator)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 1_000_000  # what is thrown away when LSODA begins anew waits for the garbage collector


def test_a_settings_tolerance_is_in_force_and_recorded() -> None:
    """The residual at which q is corrected is no larger than atol, whatever drift_tolerance says."""
    made = mbsim.assemble(mechanisms.shipped("pendulum"))
    run = Run(made, resolve(made.simulation, made.system, {"end": 1.0, "integrator": "rk45", "atol": 1e-11}))
    result = run.record()
    assert run.formulation.work.settings[contracts.SETTING_TOLERANCE] == 1e-11
    assert result["residual_position"].max() <= 1e-11 * run.formulation.work.length[0]


def test_options_are_declared_alike() -> None:
    for name in ADAPTIVE:
        assert list(registry.options("integrators", name))[:4] == ["rtol", "atol", "max_step", "first_step"]


@pytest.mark.parametrize(("method", "integrator"), [("cfa", "ida"), ("lagrange", "ida"), ("svd", "ida"), ("svd", "bdf")])
def test_errors_of_steps_do_not_pile_up(method: str, integrator: str) -> None:
    """Of a cone that rolls about its tip. What is corrected after a step starts no solver anew, and one speed counts as six do."""
    if integrator == "ida":
        pytest.importorskip("sksundae")
    made = mbsim.assemble(mechanisms.model((FAILING / "rolling_cone.yaml").read_text()))
    plain: dict[str, Any] = {"end": 1.0, "output_step": 1.0}
    truth = mbsim.simulate(made, method="svd", integrator="dop853", rtol=1e-13, atol=1e-14, drift_tolerance=1e-13, **plain)
    for tolerance in (1e-6, 1e-8):
        run = mbsim.simulate(made, method=method, integrator=integrator, rtol=tolerance, atol=tolerance, **plain)
        for name in ("q", "v"):
            error = np.abs(run[name][-1] - truth[name][-1]).max() / (1.0 + np.abs(truth[name]).max())
            assert error < 30.0 * tolerance, (name, error)
