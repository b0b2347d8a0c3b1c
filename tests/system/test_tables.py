"""Tables in laws: the compiled spline against SciPy's, laws against closed forms and differences, energy, the end of a range."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import METHODS, close, derivative
from scipy.interpolate import CubicSpline

import mbsim
from mbsim import jit
from mbsim.analyses.dynamic import simulate
from mbsim.kernels import tables as kernel
from mbsim.model.expressions.tables import Table
from mbsim.system.system import System
from mbsim.system.tables import complaint, table_rows

SINE = [[round(0.05 * k, 9), float(np.sin(0.05 * k))] for k in range(-20, 81)]  # -1 ... 4
SPLINE = CubicSpline(*np.array(SINE).T)


@jit.kernel(jit.f8(jit.A2, jit.i8, jit.i8, jit.f8))
def lookup(tables: Any, i: int, order: int, x: float) -> Any:
    return kernel.lookup(tables, i, order, x)


@pytest.mark.parametrize(("count", "periodic"), [(2, False), *((count, periodic) for count in (3, 4, 5, 60) for periodic in (False, True))])
def test_the_compiled_spline_is_scipys_with_all_its_derivatives(count: int, periodic: bool) -> None:
    rng = np.random.default_rng(count)
    x, y = np.cumsum(rng.uniform(0.1, 1.0, count)), rng.standard_normal(count)
    y[-1] = y[0] if periodic else y[-1]
    other = Table("other", 0, ((0.0, 1.0), (1.0, 2.0)))
    table = Table("table", 1, tuple(zip(x, y, strict=True)), periodic=periodic)
    rows = table_rows({"other": other, "table": table})
    spline = CubicSpline(x, y, bc_type="periodic" if periodic else "not-a-knot")
    span = x[-1] - x[0]
    at = np.concatenate([x, rng.uniform(x[0], x[-1], 300), rng.uniform(x[0] - 5 * span, x[-1] + 5 * span, 300 * periodic)])
    for order in range(4):
        expected = spline(at, order) if order < 3 else spline.derivative(3)(at)
        found = np.array([lookup(rows, 1, order, value) for value in at])
        close(found, expected, atol=2e-13 * max(1.0, np.abs(spline.c).max()) * (1.0 if order < 3 else 10.0))
    close(table.values(at), spline(at), atol=2e-13 * max(1.0, np.abs(spline.c).max()))


def test_outside_there_is_no_value_and_the_argument_is_noted() -> None:
    rows = table_rows({"table": Table("table", 0, ((1.0, 1.0), (2.0, 2.0), (5.0, 3.0)), "linear")})
    assert [lookup(rows, 0, order, 3.5) for order in range(4)] == [2.5, pytest.approx(1 / 3), 0.0, 0.0]
    assert lookup(rows, 0, 0, 5.0 + 1e-9) == pytest.approx(3.0) and np.isnan(rows[0, kernel.ASKED])  # round-off of the last time
    assert np.isnan(lookup(rows, 0, 0, np.nan)) and np.isnan(rows[0, kernel.ASKED])
    assert np.isnan([lookup(rows, 0, order, 5.1) for order in range(4)]).all() and rows[0, kernel.ASKED] == 5.1


def test_a_table_without_a_spline() -> None:
    points = [[0, 0], [1e-300, 1e40], [1, 2], [2, 3]]
    with pytest.raises(mbsim.ModelError) as caught:
        mbsim.assemble(
            mechanisms.model(
                f"tables: {{steep: {{points: {points}}}}}\nbodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}\nsimulation: {{end: 1}}"
            )
        )
    message = "tables.steep: no spline goes through the points of the table 'steep': some lie too close together"
    assert str(caught.value) == f"model.yaml:1:17: {message}"


# In laws of every kind of system


def driven(law: str, **rest: Any) -> dict[str, Any]:
    return {
        "name": "driven arm",
        "dimension": 2,
        "gravity": [0, -9.81],
        "tables": {"sine": {"points": SINE}, "unused": {"points": [[0, 1], [1, 0]]}},
        "bodies": {"arm": {"mass": 2, "inertia": 0.2, "position": [0.5, 0]}},
        "joints": {"pin": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}},
        "drivers": {"motor": {"joint": "pin", "angle": law}},
        "simulation": {"end": 3, "step": 0.01},
    } | rest


@pytest.mark.parametrize(
    ("coordinates", "method"), [*(("absolute", method) for method in METHODS), ("joint", "svd"), ("joint", "lagrange")]
)
def test_a_driver(coordinates: str, method: str) -> None:
    """Against sin(t), to the accuracy of the spline, which is known; the effort against that of sin(t)."""
    table, exact = (
        mechanisms.simulate(mechanisms.model(driven(law, coordinates=coordinates)), method=method) for law in ("sine(t)", "sin(t)")
    )
    t = exact.time
    errors = [np.abs(SPLINE(t, order) - f(t)).max() for order, f in enumerate((np.sin, np.cos, lambda t: -np.sin(t)))]
    assert errors[0] < 2e-8 and errors[2] < 2e-3
    for variable, error in (("q", errors[0]), ("v", errors[1]), ("acceleration", 3 * errors[2]), ("driver_effort", 3 * errors[2])):
        mechanisms.near(method)(table[variable], exact[variable], 2 * error + 1e-10)


@pytest.mark.parametrize("dimension", [2, 3])
def test_equations_and_forces_of_bodies_against_differences(dimension: int) -> None:
    """C and eta of equations over tables of states, of the time and of tables; and a force's power is its work."""
    body = mechanisms.body_block(dimension, 0)
    equation = "b.x*sine(b.y + 0.2*t) - sine(sine(t)) + sine(b.x)^2*t"
    made = mbsim.assemble(
        mechanisms.model({
            "dimension": dimension,
            "tables": {"sine": {"points": [[0.2 * k - 20, float(np.sin(0.2 * k - 20))] for k in range(201)]}},
            "bodies": {"b": body},
            "constraints": {
                "c": {"type": "holonomic", "equation": equation},
                "n": {"type": "nonholonomic", "equation": "sine(b.x + t)*der(b.x) + der(b.y)*sine(b.y)^2 - sine(t)"},
            },
            "forces": {"f": {"type": "force", "body": "b", "value": ["sine(b.y)*der(b.x)", "sine(t)", "1"][:dimension]}},
            "simulation": {"end": 1},
        })
    )  # fmt: skip
    rng = np.random.default_rng(5)
    sine = CubicSpline(*np.array(made.system.tables["sine"].points).T)

    def check(system: System, t: float, q: np.ndarray, v: np.ndarray) -> None:
        h = 1e-4  # pieces are cubic: differences that do not cross a knot are good
        for j, e in enumerate(np.eye(system.n_v)):
            close(system.C(t, q)[:1, j], derivative(lambda s, e=e: system.phi(t, system.move(q, s * e)), h), atol=1e-7)
        close(system.xi(t, q)[:1], derivative(lambda s: system.phi(t + s, q), h), atol=1e-7)
        rate = derivative(lambda s: system.C(t + s, system.move(q, s * v)) @ v + system.xi(t + s, system.move(q, s * v)), h)
        close(system.eta(t, q, v), rate, atol=1e-6)
        close(system.h(t, q, v)[:2], [sine(q[1]) * v[0], sine(t)], atol=1e-12)

    for _ in range(5):
        check(made.system, *mechanisms.random_state(made.system, made.q, rng))


def test_energies_of_own_coordinates() -> None:
    """A well given by points: h is minus its slope, and the energy is kept to the integrator's error."""
    x = np.linspace(-2, 2, 41)
    wells, masses = ([[float(a), float(f(a))] for a in x] for f in (lambda a: a**4 - a**2, lambda a: 2 + np.cos(a)))
    text = f"""
coordinates: [x, y]
tables: {{well: {{points: {wells}}}, mass: {{points: {masses}}}}}
energy: {{kinetic: mass(x)*der(x)^2/2 + der(y)^2/2, potential: well(x) + x*y^2}}
initial: {{x: 0.9, y: 0.1}}
simulation: {{end: 10, step: 0.005}}
"""
    made = mbsim.assemble(mechanisms.model(text))
    well, mass = (CubicSpline(*np.array(made.system.tables[name].points).T) for name in ("well", "mass"))
    q, v = np.array([0.83, -0.2]), np.array([0.7, 0.4])
    expected = [-0.5 * mass(q[0], 1) * v[0] ** 2 - well(q[0], 1) - q[1] ** 2, -2 * q[0] * q[1]]
    close(made.system.h(0.0, q, v), expected, atol=1e-12)
    close(made.system.M(0.0, q), np.diag([mass(q[0]), 1.0]), atol=1e-14)
    run = simulate(made)
    assert np.ptp(run["q"][:, 0]) > 0.1
    assert np.abs(run["energy_balance"]).max() < 1e-8


@pytest.mark.parametrize("interpolation", ["cubic", "linear"])
def test_a_table_spring_gives_back_what_it_took(interpolation: str) -> None:
    """The work of a force given by a table is the integral of the spline, and the energy balance closes."""
    points = [[-0.4, -30.0], [-0.1, -4.0], [0.0, 0.0], [0.1, 6.0], [0.4, 40.0]]
    text = f"""
dimension: 2
tables: {{spring: {{points: {points}, interpolation: {interpolation}}}}}
bodies: {{mass: {{mass: 0.5, inertia: 0.1, position: [0.2, 0]}}}}
forces: {{spring: {{type: force, body: mass, value: [-spring(mass.x), 0]}}}}
simulation: {{end: 5, step: 0.001}}
"""
    run = simulate(mechanisms.model(text))
    x = run.select("mass.x")
    assert x.min() < -0.15
    if interpolation == "cubic":
        stored = CubicSpline(*np.array(points).T).antiderivative()
        close(run["energy_work"], stored(0.2) - stored(x), atol=1e-8)
    tolerance = 1e-9 if interpolation == "cubic" else 1e-5  # the slope jumps inside steps
    assert np.abs(run["energy_balance"]).max() < tolerance * run["energy_kinetic"].max()


def test_other_points_need_no_other_code(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Names and places of tables are what the code is of; two models that differ in their points share it."""
    first, second = (mbsim.assemble(mechanisms.model(driven("sine(t)", tables={"sine": {"points": p}}))) for p in (SINE, [[0, 1], [3, 2]]))
    assert first.system.functions[0] is second.system.functions[0]
    other = mbsim.assemble(mechanisms.model(driven("sine(t)", tables={"first": {"points": SINE}, "sine": {"points": [[0, 1], [3, 2]]}})))
    assert other.system.functions[0] is not first.system.functions[0]
    assert simulate(second).select("arm.angle")[-1] == pytest.approx(2.0)
    assert simulate(other).select("arm.angle")[-1] == pytest.approx(2.0)


# The end of the range


FALL = """
dimension: 2
gravity: [0, -10]
tables: {drag: {points: [[-5, -3], [0, 0], [5, 3]], interpolation: linear}}
bodies: {ball: {mass: 1, inertia: 0.1}}
forces: {air: {type: force, body: ball, value: [0, -drag(der(ball.y))]}}
simulation: {end: 3, step: 0.01}
"""  # v = -10/0.6 (1 - exp(-0.6 t)) leaves the table at t = -log(0.7)/0.6 = 0.594
LEAVES = -np.log(0.7) / 0.6


@pytest.mark.parametrize(("method", "integrator"), [*((method, "auto") for method in METHODS), ("svd", "rk45"), ("lagrange", "bdf")])
def test_a_run_that_leaves_a_table_stops_and_names_it(method: str, integrator: str, tmp_path: Path) -> None:
    with pytest.raises(mbsim.SimulationError) as caught:
        simulate(mechanisms.model(FALL), method=method, integrator=integrator, output=tmp_path / "fall.h5")
    error = caught.value
    assert LEAVES - 0.021 <= error.time <= LEAVES + 1e-5
    start = f"stopped at t = {error.time:.9g} s: the equations of der(ball.y) are not finite: the table 'drag' has no value at -5."
    assert str(error).startswith(start) and str(error).endswith(": it covers -5 to 5")
    with mbsim.open_result(tmp_path / "fall.h5") as kept:
        assert kept.time[-1] == error.time and np.isfinite(kept["q"]).all()
        assert kept.attributes["failure"] == str(error)


def test_a_start_outside_is_said_so() -> None:
    with pytest.raises(mbsim.SimulationError) as caught:
        simulate(mechanisms.model(FALL.replace("inertia: 0.1}", "inertia: 0.1, velocity: [0, 8]}")))
    assert str(caught.value) == (
        "stopped at t = 0 s: the equations of der(ball.y) are not finite: the table 'drag' has no value at 8: it covers -5 to 5"
    )
    text = FALL + "constraints: {c: {type: holonomic, equation: ball.x - curve(ball.y + 9)}}\n"
    with pytest.raises(mbsim.ModelError) as refused:
        mbsim.assemble(mechanisms.model(text.replace("tables: {", "tables: {curve: {points: [[0, 0], [1, 1]]}, ")))
    assert str(refused.value).endswith("; the table 'curve' has no value at 9: it covers 0 to 1")


def test_a_stop_expression_may_call_tables() -> None:
    found = simulate(mechanisms.model(FALL), stop="drag(-ball.y) - 0.6", end=0.5)
    assert -found.select("ball.y")[-1] == pytest.approx(1.0, abs=1e-8)
    with pytest.raises(mbsim.SimulationError) as caught:
        simulate(mechanisms.model(FALL), stop="drag(t*10) - 4", end=0.55)
    assert str(caught.value).startswith("stopped at t = 0.5 s: the stop expression is not finite: the table 'drag' has no value at 5.")
    with pytest.raises(ValueError) as wrong:
        simulate(mechanisms.model(FALL), stop="darg(t)")
    assert str(wrong.value) == "stop: unknown function 'darg'; did you mean 'drag'?"


def test_a_branch_that_is_not_taken_may_lie_outside() -> None:
    text = FALL.replace("-drag(der(ball.y))", '"if_else(ball.y > -100, 10, drag(ball.y))"')
    run = simulate(mechanisms.model(text))
    assert run.time[-1] == 3.0 and complaint(mbsim.assemble(mechanisms.model(text)).system) == ""


@pytest.mark.parametrize("integrator", mechanisms.INTEGRATORS)
def test_a_table_that_ends_with_the_run_is_enough_for_every_integrator(integrator: str) -> None:
    """Also with times that are no binary fractions; beyond the end there is nothing."""
    points = [[0.1 * k, float(np.sin(0.1 * k))] for k in range(8)]
    source = driven("sine(t)", tables={"sine": {"points": points}}, simulation={"end": 0.1 * 7, "step": 0.003, "output_step": 0.07})
    run = simulate(mechanisms.model(source), method="lagrange", integrator=integrator)
    assert run.select("arm.angle")[-1] == pytest.approx(np.sin(0.7), abs=1e-5)
    with pytest.raises(mbsim.SimulationError) as caught:
        simulate(mechanisms.model(source), method="lagrange", integrator=integrator, end=1.0)
    assert 0.69 < caught.value.time <= 0.7001
    assert ": the equations of motor are not finite: the table 'sine' has no value at 0.7" in str(caught.value)
