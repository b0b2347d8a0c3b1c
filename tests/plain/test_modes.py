"""Modes against closed forms and published values, and A against differences of the accelerations of the nonlinear system."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import close, derivative
from scipy.linalg import eigh

import mbsim
from mbsim.analyses.linear import facts, modes
from mbsim.analyses.root_locus import locus
from mbsim.diagnosis.consistent import assemble_position
from mbsim.diagnosis.linearised import accelerations, linearise

G = 9.81


def values(source: Any, at: str = "auto") -> np.ndarray:
    return modes(mbsim.assemble(mechanisms.model(source)), at).spectrum.values


def frequencies(source: Any, at: str = "auto") -> np.ndarray:
    """Of undamped modes, rad/s."""
    found = values(source, at)
    assert not found.real.any()
    return np.sort(found.imag[found.imag > 0.0])


# Published values


def bicycle(v: float) -> Any:
    return mbsim.assemble(mechanisms.shipped("whipple_bicycle", parameters={"v": v}))


@pytest.mark.parametrize("v", range(11))
def test_the_bicycle(v: int) -> None:
    """Meijaard et al. 2007, table 2, to 1e-9 of each eigenvalue."""
    published = [mode for mode in mechanisms.shipped("whipple_bicycle").reference.modes if mode.parameters["v"] == v]
    found = modes(bicycle(float(v)))
    assert found.stationary
    regular = found.spectrum.values[found.spectrum.zeros :]
    assert len(regular) == 4
    assert sum(1 if mode.eigenvalue[1] == 0.0 else 2 for mode in published) == 4
    for mode in published:
        wanted = complex(*mode.eigenvalue)
        assert np.abs(regular - wanted).min() <= 1e-9 * abs(wanted)
    assert found.stable == (4.29238253634111 < v < 6.02426201538837)


@pytest.mark.parametrize(("speed", "leaves"), [(4.29238253634111, -1), (6.02426201538837, 1)], ids=["weave", "capsize"])
def test_weave_and_capsize_speeds_of_the_bicycle(speed: float, leaves: int) -> None:
    """The largest real part changes its sign within 3e-8 of the published speed. (Of 1e-8 it would count as zero.)"""
    below, above = (modes(bicycle(speed * (1.0 + leaves * side * 3e-8)), "start").spectrum for side in (-1, 1))
    assert below.zeros == above.zeros == 6
    assert below.raw[6:].real.max() < 0.0 < above.raw[6:].real.max()


TOP = """
name: top
dimension: 3
gravity: [0, 0, -10]
parameters: {l: 0.2, spin: 5}
bodies: {top: {mass: 1, inertia: [1 - l^2, 1 - l^2, 0.5], position: [0, 0, l], angular_velocity: [0, 0, spin]}}
joints: {tip: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}
simulation: {end: 1}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_critical_spin_of_the_sleeping_top(coordinates: str) -> None:
    """2 sqrt(A m g l)/C = sqrt(32); below it tilts as s^2 A - i C spin s - m g l = 0 in axes that stand still."""
    text = TOP + f"coordinates: {coordinates}\n"
    if coordinates == "joint":
        text = text.replace(", angular_velocity: [0, 0, spin]", "") + "initial: {tip.omega.z: spin}\n"

    def made(spin: float) -> Any:
        return mbsim.assemble(mechanisms.model(text, parameters={"spin": spin}))

    found = locus(made, "spin", np.array([5.0, 6.0]))
    assert [c.becomes for c in found.crossings] == ["stable"]
    assert found.crossings[0].frequency_hz == pytest.approx(0.5 * np.sqrt(32.0) / 2 / (2 * np.pi), abs=1e-8) or coordinates == "joint"
    assert found.crossings[0].value == pytest.approx(np.sqrt(32.0), abs=1e-11)
    expected = np.roots([1.0, -0.5j * 5.0, -2.0])
    for value in expected if coordinates == "absolute" else []:
        assert np.abs(modes(made(5.0), "start").spectrum.values - value).min() < 1e-9


DISK = """
name: disk
dimension: 3
gravity: [0, 0, -9.81]
parameters: {R: 0.3, spin: 3.2}
bodies:
  disk:
    {mass: 1.5, inertia: [1.5*R^2/4, 1.5*R^2/2, 1.5*R^2/4], position: [0, 0, R], velocity: [R*spin, 0, 0], angular_velocity: [0, spin, 0]}
constraints: {roll: {type: rolling_disk, center: disk, radius: R, axis: [0, 1, 0]}}
simulation: {end: 1}
"""


def test_critical_spin_of_a_rolling_disk() -> None:
    """spin^2 > g/(3 R); the lean oscillates at (12 spin^2 - 4 g/R)/5 beyond it."""

    def made(spin: float) -> Any:
        return mbsim.assemble(mechanisms.model(DISK, parameters={"spin": spin}))

    found = locus(made, "spin", np.array([3.0, 4.0]))
    assert [c.value for c in found.crossings] == [pytest.approx(3.3015148038438356, abs=1e-11)]
    regular = modes(made(10.0)).spectrum
    close(regular.values[regular.zeros :].imag.max(), np.sqrt((12 * 100 - 4 * 9.81 / 0.3) / 5), atol=1e-9)


# Closed forms


ROD = """
name: rod
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 2, inertia: 0.3, position: [0, PLACE], points: {tip: [0, 0.1]}}}
joints: {O: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
forces: {damper: {type: rotational_spring_damper, joint: O, stiffness: 0, damping: DAMPING}}
measures: {height: rod.tip.y, across: rod.tip.x, load: joint_force.O.x}
simulation: {end: 1}
"""


def test_a_damped_pendulum_hanging_and_upright() -> None:
    J, k = 0.3 + 2 * 0.25, 2 * G * 0.5
    for place, sign in ((-0.5, 1.0), (0.5, -1.0)):
        source = ROD.replace("PLACE", str(place)).replace("DAMPING", "0.4")
        found = modes(mbsim.assemble(mechanisms.model(source)), "equilibrium")
        expected = np.roots([J, 0.4, sign * k])
        assert all(np.abs(found.spectrum.values - value).min() < 1e-12 * abs(value) for value in expected)
        assert found.stable == (sign > 0.0)
    first = facts(modes(mbsim.assemble(mechanisms.model(ROD.replace("PLACE", "-0.5").replace("DAMPING", "0.4")))))["modes"][0]
    assert first["frequency_hz"] == pytest.approx(np.sqrt(k / J) / (2 * np.pi), rel=1e-12)
    assert first["damping_ratio"] == pytest.approx(0.4 / (2 * np.sqrt(k * J)), rel=1e-12)
    assert complex(*first["shape"]["rod.angle"]) == pytest.approx(1.0) and complex(*first["shape"]["rod.x"]) == pytest.approx(0.5)


def double(coordinates: str, dimension: int) -> dict[str, Any]:
    def at(y: float) -> list[float]:
        return [0.0, y, 0.0][:dimension]

    axis = {"axis": [0, 0, 1]} if dimension == 3 else {}
    inertia: Any = [0.1, 0.2] if dimension == 2 else [[0.3, 0.2, 0.1], [0.3, 0.1, 0.2]]
    return {
        "name": "double pendulum", "dimension": dimension, "coordinates": coordinates, "gravity": [0, -G, 0][:dimension],
        "bodies": {"a": {"mass": 2, "inertia": inertia[0], "position": at(-0.4)},
                   "b": {"mass": 3, "inertia": inertia[1], "position": at(-1.3)}},
        "joints": {"O": {"type": "revolute", "bodies": ["ground", "a"], "at": at(0), **axis},
                   "P": {"type": "revolute", "bodies": ["a", "b"], "at": at(-1.0), **axis}},
        "simulation": {"end": 1},
    }  # fmt: skip


@pytest.mark.parametrize(("coordinates", "dimension"), [("absolute", 2), ("absolute", 3), ("joint", 2), ("joint", 3)])
def test_a_double_pendulum(coordinates: str, dimension: int) -> None:
    M = np.array([[0.1 + 2 * 0.16 + 3.0, 3 * 0.3], [3 * 0.3, 0.2 + 3 * 0.09]])
    K = np.diag([(2 * 0.4 + 3) * G, 3 * 0.3 * G])
    close(frequencies(double(coordinates, dimension)), np.sqrt(eigh(K, M, eigvals_only=True)), atol=1e-10)


def test_a_hanging_chain_of_points() -> None:
    """omega^2 l/g are the zeros of Laguerre's polynomial (Bernoulli 1733)."""
    n = 5
    speed = [f"(cos(q{i} - q{j})*der(q{i})*der(q{j})*{n - max(i, j)})" for i in range(n) for j in range(n)]
    source = {
        "name": "chain", "coordinates": [f"q{i}" for i in range(n)],
        "energy": {"kinetic": f"({' + '.join(speed)})/2", "potential": " + ".join(f"-{n - i}*{G}*cos(q{i})" for i in range(n))},
        "initial": {"q0": 0.1, "q3": -0.1}, "simulation": {"end": 1},
    }  # fmt: skip
    zeros = np.polynomial.laguerre.lagroots([0] * n + [1])
    close(frequencies(source) ** 2, np.sort(zeros) * G, atol=1e-9)


def test_a_start_that_moves_but_not_steadily_is_left_with_a_note() -> None:
    text = """
name: p
dimension: 2
coordinates: joint
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, position: [0, -0.5]}}
joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0]}}
initial: {pin.angle: 0.3, der(pin.angle): SPEED}
simulation: {end: 1}
"""
    for speed, said in (("0", False), ("2", True)):
        found = modes(mbsim.assemble(mechanisms.model(text.replace("SPEED", speed))))
        close(np.abs(found.spectrum.values), np.full(2, np.sqrt(G * 0.5 / 0.35)), 1e-9)
        assert any("no steady motion (der(pin.angle) changes at -4.14 rad s-2)" in note for note in found.notes()) == said


def test_the_zeros_of_a_free_body_are_named() -> None:
    source = {"name": "body", "dimension": 3, "bodies": {"b": mechanisms.body_block(3, 0)}, "simulation": {"end": 1}}
    found = facts(modes(mbsim.assemble(mechanisms.model(source))))
    places = ["b.x", "b.y", "b.z", "b.rotation.x", "b.rotation.y", "b.rotation.z"]
    assert found["cyclic"] == [*places, "der(b.x)", "der(b.y)", "der(b.z)", "b.omega.x", "b.omega.y", "b.omega.z"]
    assert found["eigenvalues"] == [[0.0, 0.0]] * 12 and found["stable"]
    assert [mode["damping_ratio"] for mode in found["modes"]] == [None] * 12


def test_the_angle_of_a_conical_pendulum_is_not_cyclic() -> None:
    """A faster turn goes with a wider angle: a link of the chain of the bearing's zeros, and no coordinate on which nothing depends."""
    source = {
        "name": "conical", "dimension": 3, "coordinates": "joint", "gravity": [0, 0, -G], "steady": {"der(bearing.angle)": 6.0},
        "bodies": {"shaft": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0]},
                   "rod": {"mass": 2, "inertia": [0.003, 0.002, 0.003], "position": [0.3, 0, -0.2]}},
        "joints": {"bearing": {"type": "revolute", "bodies": ["ground", "shaft"], "at": [0, 0, 0], "axis": [0, 0, 1]},
                   "pin": {"type": "revolute", "bodies": ["shaft", "rod"], "at": [0, 0, 0], "axis": [0, -1, 0]}},
        "simulation": {"end": 1},
    }  # fmt: skip
    found = facts(modes(mbsim.assemble(mechanisms.model(source))))
    assert found["cyclic"] == ["bearing.angle", "der(bearing.angle)"] and found["stable"]


KP, KI, KD, INERTIA = 12.0, 20.0, 2.5, 0.1 + 2.0 * 0.25
PI = f"""
name: arm
dimension: 2
bodies: {{arm: {{mass: 2, inertia: 0.1, position: [0.5, 0]}}}}
joints: {{O: {{type: revolute, bodies: [ground, arm], at: [0, 0]}}}}
states: {{integral: {{rate: 0.8 - O.angle, start: 0.1, unit: rad s}}}}
forces: {{motor: {{type: joint_torque, joint: O, value: {KP}*(0.8 - O.angle) + {KI}*integral - {KD}*der(O.angle)}}}}
simulation: {{end: 1}}
"""


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_states_of_the_users_are_variables(coordinates: str) -> None:
    """The closed loop of a PI controller, which moves to its reference and is linear."""
    found = modes(mbsim.assemble(mechanisms.model(PI + f"coordinates: {coordinates}\n")))
    A = np.array([[0.0, 1.0, 0.0], [-KP / INERTIA, -KD / INERTIA, KI / INERTIA], [-1.0, 0.0, 0.0]])
    for value in np.linalg.eigvals(A):
        assert np.abs(found.spectrum.values - value).min() < 1e-9
    close(found.state.q[-1], 0.0, atol=1e-9)  # nothing is left to hold
    angle = found.state.q[found.system.coordinates.index("arm.angle" if coordinates == "absolute" else "O.angle")]
    close(angle, 0.8, atol=1e-9)


# A against the nonlinear system


def mechanism(name: str) -> dict[str, Any]:
    if name.startswith("tree"):
        return trees.random_tree(int(name[-1]), 4, 2 + int(name[-1]) % 2)
    if name.startswith("chain"):
        return mechanisms.chain(int(name[-1]))
    if name == "redundant":
        return mechanisms.parallel_pendulum(3, 3)
    source = mechanisms.chain(2)
    source["constraints"] = {
        "blade": {"type": "nonholonomic", "equation": "sin(b0.angle)*der(b1.x) - cos(b1.angle)*der(b1.y) + 0.3*b0.x*der(b1.angle)"}
    }
    return source


@pytest.mark.parametrize(
    "name",
    ["tree0", "tree1", "tree2", "tree3", "tree4", "chain2", pytest.param("chain3", marks=pytest.mark.slow), "redundant", "nonholonomic"],
)
def test_small_motions_are_those_of_the_nonlinear_system(name: str) -> None:
    """A z against the rates at a state displaced along z and put back on the constraints; at rest, anywhere.

    A wrong column of A shows in a random z: three of them do for all columns.
    """
    made = mbsim.assemble(mechanisms.model(mechanism(name)))
    system, t, v = made.system, made.start, np.zeros(made.system.n_v)
    a, lam = accelerations(system, t, made.q, v)
    found = linearise(system, t, made.q, v, None, a, lam)
    n, s, u = system.n_v, found.displacements, found.speeds
    picked_s = [k for k in found.picked if k < n]
    picked_u = [k - n for k in found.picked if n <= k < 2 * n]
    fixed = np.zeros(n, bool)
    fixed[picked_s] = True

    def rates(size: float, z: np.ndarray) -> np.ndarray:
        d = size * (found.basis[:n] @ z)
        q = assemble_position(system, t, system.move(made.q, d), fixed) if system.n_holonomic else system.move(made.q, d)
        speeds = size * z[s : s + u]
        C = system.C(t, q)
        rows = np.vstack([C, np.eye(n)[picked_u]])
        v = np.linalg.lstsq(rows, np.concatenate([np.zeros(len(C)), speeds]), rcond=1e-10)[0]
        return np.concatenate([v[picked_s], accelerations(system, t, q, v)[0][picked_u]])

    for z in np.random.default_rng(1).standard_normal((3, s + u)) / np.sqrt(s + u):
        expected = derivative(lambda size, z=z: rates(size, z), 1e-3)
        assert np.abs(found.A[: s + u, : s + u] @ z - expected).max() <= 2e-7 * max(1.0, np.abs(found.A).max()), name


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("mass", [1e-6, 1e-12, 1e-14])
def test_an_arm_without_mass_to_speak_of(mass: float, coordinates: str) -> None:
    """A bob of 1 kg on an arm of 1 m swings like a point, and turns on its spring: I phi'' + k phi = k theta, theta'' m l^2 by both."""
    inertia, k, g = 1e-3, 1e-3, 9.81
    model = {
        "name": "arm", "dimension": 2, "gravity": [0, -g], "coordinates": coordinates, "simulation": {"end": 1},
        "bodies": {
            "arm": {"mass": mass, "inertia": mass, "position": [0, -0.5]},
            "bob": {"mass": 1, "inertia": inertia, "position": [0, -1]},
        },
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]},
            "hinge": {"type": "revolute", "bodies": ["arm", "bob"], "at": [0, -1]},
        },
        "forces": {"spring": {"type": "rotational_spring_damper", "joint": "hinge", "stiffness": k}},
    }  # fmt: skip
    M = np.diag([1.0 + 1.25 * mass, inertia])
    K = np.array([[g * (1.0 + 0.5 * mass) + k, -k], [-k, k]])
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    found = np.sort(np.abs(mbsim.modes(model).eigenvalues.imag))
    np.testing.assert_allclose(found, np.repeat(exact, 2), rtol=1e-7)


def test_a_stiffness_that_passes_zero_beside_a_stiff_one() -> None:
    """A rod that a spring holds up just so, k = m g l, at one of the values that are looked at."""
    source = {
        "name": "rod", "coordinates": ["a", "x"], "parameters": {"k": 1.0},
        "energy": {"kinetic": "der(a)^2/2 + der(x)^2/2", "potential": "5*cos(a) + k*a^2/2 + 1e10*x^2/2"}, "simulation": {"end": 1},
    }  # fmt: skip

    def made(k: float) -> Any:
        return mbsim.assemble(mechanisms.model(source, parameters={"k": k}))

    found = locus(made, "k", np.array([0.0, 5.0, 10.0]))
    assert [one.value for one in found.crossings] == [pytest.approx(5.0, abs=1e-9)]
