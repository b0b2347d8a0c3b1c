"""Radau IIA in compiled code: its coefficients, its order, its linear systems by blocks, and its steps beside those of SciPy."""

from functools import cache
from typing import Any

import mechanisms
import numpy as np
import pytest
import test_flow_blocks as flows
from mechanisms import close, fitted_order
from scipy.integrate._ivp import radau as peer

import mbsim
from mbsim.assembly import Assembly
from mbsim.integrators._collocation import Collocation, radau
from mbsim.march import kernels
from mbsim.march.flow_blocks import entries
from mbsim.march.stage_blocks import block_pencil

ROUND_OFF = 1e-13  # of coefficients: some processors leave 2e-14
STAGES = (3, 5)
TOLERANCES = np.array([1e-5, 1e-6, 1e-7, 1e-8])
FINEST: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-13, "atol": 1e-13, "drift_tolerance": 1e-12}

STIFF = """
name: arm whose hinge is held by a stiff spring and a damper
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, inertia: 0.02, position: [0.25, 0]}
  b: {mass: 1, inertia: 0.02, position: [0.75, 0]}
joints:
  A: {type: revolute, bodies: [ground, a], at: [0, 0]}
  B: {type: revolute, bodies: [a, b], at: [0.5, 0]}
forces: {k: {type: rotational_spring_damper, joint: B, stiffness: 1e6, damping: 2e4}}
simulation: {end: 1, output_step: 0.1}
"""
CONTROLLED = """
name: arm with an integrating controller and a switch
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 1, inertia: 0.02, position: [0.25, 0]}}
joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}}
states: {s: {start: 0, rate: 0.4 - A.angle}, u: {start: 0, rate: (200*(0.4 - A.angle) + 300*s - 60*der(A.angle) - u)/0.002}}
forces: {motor: {type: joint_torque, joint: A, value: u}}
events: {past: {when: A.angle - 0.2, direction: up}}
simulation: {end: 1, output_step: 0.1}
"""
LATCHED = """
name: a joint that locks beside a hinge of the same bodies, where all rows of the hinge become redundant
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  hub: {mass: 2.5, inertia: [0.0025, 0.003, 0.0023], position: [0, 0, 0], points: {rim: [0.1, 0, 0]}}
  load: {mass: 1.5, inertia: [0.0015, 0.0019, 0.0014], position: [0.9, -0.02, 0.06]}
joints:
  axle: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 1, 0]}
  hook: {type: revolute, bodies: [arm.end, load], at: [0.9, -0.02, 0.06], axis: [0, 1, 0]}
  latch: {type: fixed, bodies: [arm.end, load], at: [0.9, -0.02, 0.06], locked: false}
forces: {push: {type: force, body: load, value: [-2.2, 1.1, -0.7]}}
beams:
  arm: {elements: 2, stiffness: {EA: 5800, GA: 2300, EI: 19, GJ: 15}, clamped: [start], mass: {line: 0.6, inertia: [0.0012, 6e-4, 6e-4]},
    damping: {stiffness: 0.01}, from: hub.rim, to: [0.9, -0.02, 0.06]}
drivers: {motor: {coordinate: axle.angle, value: 0.3*(1 - cos(6.4*t))}}
events: {caught: {when: t - 0.02, do: {lock: latch}, once: true}}
simulation: {end: 0.12, output_step: 0.01}
"""
BUSHED = """
name: arm in stiff bushings that carries a rod on a ball joint
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 5, inertia: [0.08, 0.04, 0.1], position: [0, 0.5, 0]}
  rod: {mass: 2, inertia: [0.05, 0.01, 0.05], position: [0.1, 1.2, 0.1]}
joints: {ball: {type: spherical, bodies: [arm, rod], at: [0, 1, 0]}}
forces:
  front: {type: bushing, bodies: [ground, arm], at: [0.15, 0, 0], stiffness: [8e6, 8e6, 2e6, 0, 0, 0], damping: [800, 800, 200, 0, 0, 0]}
  rear: {type: bushing, bodies: [ground, arm], at: [-0.15, 0, 0], stiffness: [8e6, 8e6, 2e6, 0, 0, 0], damping: [800, 800, 200, 0, 0, 0]}
initial: {rod.angular_velocity: [1, 0, 2]}
simulation: {end: 0.3, output_step: 0.03}
"""


@pytest.mark.parametrize("s", STAGES)
def test_coefficients(s: int) -> None:
    """Collocation at the Radau points: B(2 s - 1), C(s), D(s - 1); A = T diag T^-1; a second formula of order s; R(infinity) = 0."""
    found, k = radau(s), np.arange(1, 2 * s)
    c, A, b = found.c, found.A, found.A[-1]
    assert c[-1] == 1.0 and (np.diff(c) > 0.0).all()
    close(b @ c[:, None] ** (k - 1), 1.0 / k, atol=ROUND_OFF)
    close(A @ c[:, None] ** (k[:s] - 1), c[:, None] ** k[:s] / k[:s], atol=ROUND_OFF)
    for power in range(1, s):
        close((b * c ** (power - 1)) @ A, b / power * (1.0 - c**power), atol=ROUND_OFF)
    close(found.from_modes @ blocks_of(found) @ found.to_modes, A, atol=1e-13)
    weights = b + found.E
    close(weights @ c[:, None] ** (k[:s] - 1), 1.0 / k[:s] - np.eye(s)[0] * found.eigenvalues[0], atol=1e-13)
    close(1.0 - b @ np.linalg.solve(A, np.ones(s)), 0.0, atol=1e-12)  # stiffly accurate: b is the last row of A
    x = np.linspace(0.0, 1.0, 7)
    for power in range(1, s + 1):  # the interpolant is right for polynomials
        close([(c ** (power - 1)) @ (found.P @ at ** np.arange(1, s + 1)) for at in x], x**power / power, atol=1e-13)


def blocks_of(found: Collocation) -> np.ndarray:
    """The eigenvalues as a matrix of blocks of real numbers."""
    out, s = np.zeros((len(found.c),) * 2), len(found.c)
    out[0, 0] = found.eigenvalues[0]
    for p in range(1, s, 2):
        real, imaginary = found.eigenvalues[p : p + 2]
        out[p : p + 2, p : p + 2] = [[real, -imaginary], [imaginary, real]]
    return out


def test_three_stages_are_those_of_scipy() -> None:
    found = radau(3)
    close(found.c, peer.C, atol=1e-15)
    close(found.eigenvalues, [1 / peer.MU_REAL, (1 / peer.MU_COMPLEX).real, abs((1 / peer.MU_COMPLEX).imag)], atol=1e-14)
    close(found.E @ np.linalg.inv(found.A) / found.eigenvalues[0], peer.E, atol=1e-12)


@cache
def made(name: str) -> Assembly:
    texts = {"stiff": STIFF, "controlled": CONTROLLED, "bushed": BUSHED}
    return mbsim.assemble(mechanisms.model(texts[name]) if name in texts else mechanisms.shipped(name))


@cache
def reference(name: str, end: float) -> Any:
    return mbsim.simulate(made(name), method="lagrange", end=end, output_step=end / 10, **FINEST)


@pytest.mark.parametrize("order", ["5", "9"])
@pytest.mark.parametrize(
    ("name", "method", "end"),
    [("four_bar", "lagrange", 0.5), ("rolling_disk", "cfa", 1.0), ("heavy_top", "lagrange", 1.0), ("spatial_slider_crank", "svd", 0.5)],
)
def test_order(name: str, method: str, end: float, order: str) -> None:
    """That of the errors in the number of steps, of positions, velocities, accelerations and multipliers, as the tolerance is tightened."""
    truth, tolerances = reference(name, end), TOLERANCES * (1e-2 if order == "9" else 1.0)
    runs = [
        mbsim.simulate(
            made(name), method=method, integrator="radau", order=order, rtol=x, atol=x, end=end, output_step=end, drift_tolerance=1e-13
        )
        for x in tolerances
    ]
    steps = np.array([1.0 / run.attributes["counts"]["steps"] for run in runs])
    for quantity in ("q", "v", "acceleration", "multiplier"):
        if quantity in truth and truth[quantity].size:
            errors = np.array([np.abs(run[quantity][-1] - truth[quantity][-1]).max() for run in runs])
            counted = errors > 1e-11 * max(1.0, np.abs(truth[quantity]).max())
            if counted.sum() > 2:
                assert fitted_order(steps[counted], errors[counted]) > int(order) - 1.2, (quantity, errors, 1 / steps)


@pytest.mark.parametrize("order", ["5", "9"])
def test_order_of_what_is_stiff(order: str) -> None:
    """Where a spring is much faster than the steps, that of the stages, 3 or 5, can be left; errors follow the tolerance."""
    truth = mbsim.simulate(made("stiff"), method="lagrange", integrator="radau", order="9", rtol=1e-13, atol=1e-15, output_step=1.0)
    words: dict[str, Any] = {"method": "lagrange", "integrator": "radau", "order": order, "output_step": 1.0, "drift_tolerance": 1e-13}
    runs = [mbsim.simulate(made("stiff"), rtol=x, atol=x, **words) for x in 10.0 * TOLERANCES]
    steps = np.array([1.0 / run.attributes["counts"]["steps"] for run in runs])
    errors = np.array([np.abs(run["q"][-1] - truth["q"][-1]).max() for run in runs])
    assert (errors < 30.0 * TOLERANCES).all(), errors
    assert fitted_order(steps, errors) > {"5": 3.0, "9": 5.0}[order], (errors, 1 / steps)
    assert runs[-1].attributes["counts"]["steps"] < 400  # the spring alone has a period of 2 ms


@pytest.mark.parametrize("method", ["lagrange", "svd"])
@pytest.mark.parametrize("order", ["5", "9"])
def test_states_of_controllers_and_events(method: str, order: str) -> None:
    """A motor with a lag of 2 ms, an integrating controller, and the time of an event, as explicit steps have them."""
    truth = reference("controlled", 1.0)
    run = mbsim.simulate(made("controlled"), method=method, integrator="radau", order=order, rtol=1e-8, atol=1e-10)
    for name in ("q", "v", "energy_work"):
        close(run[name], truth[name], atol=2e-7 * max(1.0, np.abs(truth[name]).max()))
    assert [event["event"] for event in run.events] == ["past"] * len(truth.events) != []
    close([event["time"] for event in run.events], [event["time"] for event in truth.events], atol=1e-8)


@pytest.mark.parametrize("name", ["heavy_top", "spinning_top", "whipple_bicycle"])
def test_bodies_that_spin_take_few_iterations(name: str) -> None:
    """Coordinates of the stages belong to their speeds from the first iteration on, also where a body turns far in a step."""
    run = mbsim.simulate(made(name), method="lagrange", integrator="radau", rtol=1e-9, atol=1e-10, end=0.3, output_step=0.1)
    counts = run.attributes["counts"]
    assert counts["rejected"] == 0
    assert counts["iterations"] < 3.2 * counts["steps"]


@pytest.mark.parametrize("method", ["lagrange", "cfa", "svd"])
@pytest.mark.parametrize("order", ["5", "9"])
def test_stiff_motions_in_space(method: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quaternions that are not of unit length would stretch the arm against its bushings: corrections of them answer nothing."""
    monkeypatch.setattr(kernels, "STAGE_BLOCKS_FROM", {False: 1, True: 1})
    truth = mbsim.simulate(made("bushed"), method="lagrange", integrator="dop853", rtol=1e-11, atol=1e-12)
    for tolerance in (1e-3, 1e-6):
        run = mbsim.simulate(made("bushed"), method=method, integrator="radau", order=order, rtol=tolerance, atol=1e-2 * tolerance)
        close(run["q"], truth["q"], atol=0.1 * tolerance)
        assert run["residual_position"].max() < 1e-5 * tolerance + 1e-9  # a damped correction leaves its square


def test_steps_are_those_of_scipy() -> None:
    """The same formula with the same control of its error, compiled and in SciPy's Python; tangents are found for SciPy's steps alone."""
    words: dict[str, Any] = {"method": "lagrange", "integrator": "radau", "rtol": 1e-7, "atol": 1e-9, "order": "5"}
    compiled, plain, tangents = (
        mbsim.simulate(made("stiff"), **words, **more) for more in ({}, {"solver": "scipy"}, {"jacobian": "tangents"})
    )
    close(compiled["q"], plain["q"], atol=1e-7)
    counts = [run.attributes["counts"] for run in (compiled, plain, tangents)]
    assert counts[0]["iterations"] > 0 == counts[1]["iterations"] == counts[2]["iterations"]
    assert abs(counts[0]["steps"] - counts[1]["steps"]) < 0.25 * counts[1]["steps"]


@pytest.mark.parametrize(("coordinates", "name"), flows.EACH)
def test_solution_by_blocks(coordinates: str, name: str) -> None:
    """Solutions with real and complex blocks are those of the whole matrix."""
    at = flows.ALL[coordinates][name](coordinates)
    pencil, its, unknowns = block_pencil(at.system, 2)
    form = mechanisms.formulation(at.system, flows.METHODS[coordinates])
    held = form.functions, form.system.functions, form.system.arrays, form.work
    z = np.concatenate([at.v, at.q, [0.3]])
    assert form.start(at.start, at.q, at.v, z) == 0
    dz = np.zeros(z.size)
    form.work.status[flows.contracts.STATUS_FRESH] = 1
    assert form.functions.rhs(*held[1:], at.start, z, dz) == 0
    u, n, m = np.zeros(unknowns + 1), at.system.n_v, at.system.n_rows
    u[:n] = dz[:n]
    assert its.linearise(pencil, *held, at.start, z, u) == 0
    rows, columns, places = entries(pencil.table)
    right = np.cos(1.7 * np.arange(unknowns)) + 1j * np.sin(np.arange(unknowns))
    right[n:][pencil.dropped == 1] = 0.0
    where = np.concatenate([pencil.of_speed, pencil.of_row])
    for place, c in ((0, 2e-3), (1, 1e-3 + 2e-3j)):
        assert its.factor(pencil, place, np.real(c), np.imag(c)) == 0
        whole = np.zeros((pencil.right.size // 2,) * 2, complex)
        whole[rows, columns] = (pencil.rigid + c * pencil.damping + c * c * pencil.stiffness)[places]
        side = np.zeros(len(whole), complex)
        side[where] = right if place else right.real
        expected = np.linalg.solve(whole, side)[where]
        found = np.ascontiguousarray(right).view(float) if place else right.real.copy()
        its.solve(pencil, place, found)
        close(found.view(complex) if place else found, expected, atol=1e-8 * np.abs(expected).max())
    assert m == len(pencil.dropped) and (pencil.dropped.sum() == m - form.work.status[flows.contracts.STATUS_RANK])


@pytest.mark.parametrize(("coordinates", "name"), flows.EACH)
def test_runs_by_blocks(coordinates: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The motion by blocks is that by dense matrices, in about as many steps; models with states keep dense ones."""
    at = flows.ALL[coordinates][name](coordinates)
    words = {"method": flows.METHODS[coordinates], "integrator": "radau", "rtol": 1e-7, "atol": 1e-9, "end": 0.05, "output_step": 0.05}
    monkeypatch.setattr(kernels, "STAGE_BLOCKS_FROM", {False: 10**6, True: 10**6})
    dense = mbsim.simulate(at, **words)
    monkeypatch.setattr(kernels, "STAGE_BLOCKS_FROM", {False: 1, True: 1})
    blocks = mbsim.simulate(at, **words)
    counts = [run.attributes["counts"] for run in (dense, blocks)]
    assert (counts[0] == counts[1]) == (at.system.n_x > 0)
    close(blocks["q"][-1], dense["q"][-1], atol=1e-7)
    assert counts[1]["steps"] < 1.5 * counts[0]["steps"] + 10


@pytest.mark.parametrize("method", ["lagrange", "cfa"])
def test_multipliers_of_redundant_rows_stay_small(method: str) -> None:
    """Multipliers of rows that are left out keep something from steps with other choices: it must not grow as it is foreseen."""
    settings: dict[str, Any] = {"integrator": "radau", "rtol": 1e-8, "atol": 1e-8}
    made = mbsim.assemble(mechanisms.model(LATCHED))
    found = mbsim.simulate(made, method=method, **settings)
    whole = mbsim.simulate(made, method="svd", **settings)
    close(found["q"], whole["q"], atol=1e-6)
    assert np.nanmax(np.abs(found["multiplier"])) < 10.0 * np.nanmax(np.abs(whole["multiplier"]))
