"""Tangents of every element against central differences of order 8 of the equations of motion, at random states.

Most models are checked as plain Python (plain_python.py), which runs the same transformed source; a model of each kind of system is checked
compiled.
"""

from collections.abc import Iterator
from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import body_block, close, derivative, driver_block, driver_kinds, joint_block, joint_dimensions
from test_contact_rows import CASES as CONTACTS
from test_contact_rows import contact
from test_couplings import geared
from test_force_library import CASES as FORCES
from test_force_library import source_of

import mbsim
from mbsim import jit
from mbsim.jit import fastload, forward
from mbsim.system import bodies, tangents
from mbsim.system.system import System
from mbsim.system.tangents import VARIED, Tangents, symmetric

RELATIVE = 1e-8  # of the size of the tangent
LAW = "0.3*sin(1.7*t) + t^2/5 - 0.1"
CURVE = {"points": [[-4, 1], [-1, 0.3], [0, 0.2], [0.7, 0.9], [2, 1.5], [5, -1]]}

GENERALIZED: dict[str, Any] = {
    "name": "own coordinates",
    "parameters": {"a": 0.8, "w": 1.7, "k": 3.0},
    "tables": {"curve": CURVE},
    "coordinates": ["x", "y", "psi"],
    "energy": {
        "kinetic": "((1 + x^2)*der(x)^2 + (2 + cos(y))*der(y)^2 + der(psi)^2 + sin(psi)*der(x)*der(psi) + der(y)*sin(w*t)*x)/2",
        "potential": "k*x^2*y + 2*cos(psi)*x",
        "dissipation": "0.1*der(x)^2 + 0.05*der(psi)^2*y^2",
    },
    "states": {"u": {"rate": "x - 2*u + sin(psi)*der(y)", "start": 0.2}, "s": {"rate": "u*s - x*s^2 + t", "start": 0.1}},
    "forces": {"push": {"type": "generalized", "coordinate": "psi", "value": "curve(x)*u + s^2*der(psi) - a*sin(y)"}},
    "constraints": {
        "curve_row": {"type": "holonomic", "equation": "y - a*sin(x) + 0.2*exp(-t)*psi - 0.1*sin(w*t)"},
        "blade": {"type": "nonholonomic", "equation": "(der(x)*sin(psi) - der(y)*cos(psi))*(1 + x^2) + a*cos(w*t)*y"},
    },
    "simulation": {"end": 1},
}


def laws(dimension: int, coordinates: str) -> dict[str, Any]:
    """Laws of time, states, tables, bodies and joints; states of the user's and of a force; equations between bodies."""
    first, second = body_block(dimension, 0), body_block(dimension, 1)
    at = [0.25, 0.15, -0.3][:dimension]
    tip = {"body": "b1", "at": [0.7, 0.2, 0.1][:dimension]}
    value = ["2*u*b0.x", "curve(J.angle)*der(b1.y)", "b1.y^2*cos(t)"][:dimension]
    if coordinates == "joint":
        value = ["2*u*J.angle", "curve(J.angle)*der(J.angle)", "J.angle^2*cos(t)"][:dimension]
    equations: dict[str, Any] = {
        "path": {"type": "holonomic", "equation": "b1.y - 0.3*sin(b1.x) + b0.x*b1.y*cos(t) - 0.2*t"},
        "blade": {"type": "nonholonomic", "equation": "der(b1.x)*b0.y - sin(b1.x)*der(b1.y) - 0.2*cos(t)*b0.x"},
    }
    return {
        "name": "laws",
        "dimension": dimension,
        "coordinates": coordinates,
        "gravity": [0.3, -9.81, 0.5][:dimension],
        "tables": {"curve": CURVE},
        "bodies": {"b0": first, "b1": second},
        "joints": {
            "O": joint_block("revolute", dimension, bodies=["ground", "b0"], at=[0.0] * dimension),
            "J": joint_block("revolute", dimension, bodies=["b0", "b1"], at=at),
        },
        "states": {"u": {"rate": "J.angle - 2*u + sin(t)*der(J.angle)", "start": 0.2}},
        "forces": {
            "wind": {"type": "force", **tip, "value": value},
            "motor": {"type": "joint_torque", "joint": "J", "value": "4*u^2 - 3*sin(J.angle) - 0.3*der(J.angle)*u + t"},
            "stick": {"type": "bristle_friction", "joint": "O", "stiffness": 40, "damping": 0.4, "coulomb": 1.5, "static": 2,
                      "stribeck_speed": 0.6},
        },
        "constraints": equations if coordinates == "absolute" else {},
        "simulation": {"end": 1},
    }  # fmt: skip


def sources() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every element in some model, by a name."""
    for word, d in joint_dimensions():
        at = [0.25, 0.15, -0.3][:d]
        for coordinates in ("absolute", "joint"):
            bodies = {"b0": body_block(d, 0), "b1": body_block(d, 1)}
            joints = {"O": joint_block("revolute", d, bodies=["ground", "b0"], at=[0.1] * d),
                      "j": joint_block(word, d, bodies=["b0", "b1"], at=at)}  # fmt: skip
            gravity = {"gravity": [0.3, -9.81, 0.5][:d]}
            source = {"name": word, "dimension": d, "coordinates": coordinates, "bodies": bodies, "joints": joints, **gravity}
            yield f"joint {word} {d} {coordinates}", source | {"simulation": {"end": 1}}
    for word, d, quantity in driver_kinds():
        at = [0.25, 0.15, -0.3][:d]
        block = joint_block(word, d, bodies=["b1", "b0"], at=at)
        source = {"name": word, "dimension": d, "bodies": {"b0": body_block(d, 0), "b1": body_block(d, 1)}, "joints": {"j": block}}
        by_speed = {"joint": "j", "coordinate": quantity, "speed": LAW}
        for kind, driver in (("driver", driver_block("j", quantity, LAW)), ("speed", by_speed)):
            yield f"{kind} {word} {d} {quantity}", source | {"drivers": {"d": driver}, "simulation": {"end": 1}}
    for d, name in FORCES:
        yield f"force {name} {d}", source_of(d, name)
    for case in CONTACTS:
        word, d, plane = case.values
        for coordinates in ("absolute", "joint"):
            yield f"contact {word} {d} {plane} {coordinates}", contact(word, d, plane, coordinates)
    for d in mechanisms.DIMENSIONS:
        yield f"gears {d} absolute", geared(d)
        for cut in (None, "wheel", "planet", "slide"):
            source = geared(d, coordinates="joint")
            if cut is not None:
                source["joints"][cut]["cut"] = True
            yield f"gears {d} joint, cut {cut}", source
        for seed in range(4):
            yield f"tree {seed} {d}", trees.random_tree(seed, 5, d, floating=seed % 2 == 1)
        loop = trees.random_tree(3, 3, d)
        loop["joints"]["loop"] = joint_block("revolute" if d == 2 else "universal", d, bodies=["b2", "b0"], at=[0.4] * d, cut=True)
        yield f"loop {d}", loop
        for coordinates in ("absolute", "joint"):
            yield f"laws {d} {coordinates}", laws(d, coordinates)
    yield "own coordinates", GENERALIZED


def errors(system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> dict[str, float]:
    """The largest difference of each tangent, relative to its size, or to 1 where it is smaller."""
    known: dict[bytes, Any] = {}

    def terms(q: np.ndarray, v: np.ndarray) -> Any:
        """Those of the system. Several tangents are differences between the same states, and plain Python takes long for one."""
        key = q.tobytes() + v.tobytes()
        if key not in known:
            known[key] = system.terms(t, q, v)
        return known[key]

    def residual(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        M, h, C, *_ = terms(q, v)
        return symmetric(M) @ a - h - C.T @ lam

    def row_speeds(q: np.ndarray) -> np.ndarray:
        _, _, C, xi, *_ = terms(q, v)
        return C @ v + xi

    def columns(function: Any, count: int, shift: Any) -> np.ndarray:
        found = [derivative(lambda s, k=k: function(*shift(s, k))) for k in range(count)]
        return np.array(found).T if count else np.zeros((0, 0))

    n, n_x = system.n_v, system.n_x
    unit = np.eye(n)

    def displaced(s: float, k: int) -> tuple[np.ndarray, np.ndarray]:
        return system.move(q, s * unit[k]), v

    def quickened(s: float, k: int) -> tuple[np.ndarray, np.ndarray]:
        return q, v + s * unit[k]

    def charged(s: float, k: int) -> tuple[np.ndarray, np.ndarray]:
        changed = q.copy()
        changed[system.n_c + k] += s
        return changed, v

    def bias(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return terms(q, v)[4]

    def state_rates(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return system.rates(t, q, v)[system.n_c :]

    def masses(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return symmetric(terms(q, v)[0])

    found = system.tangents(t, q, v, a, lam)
    assert found.exact
    close(found.M, masses(q, v), atol=0.0)
    close(found.C, system.C(t, q), atol=0.0)
    expected = {
        "K": columns(residual, n, displaced), "D": columns(residual, n, quickened),
        "G": columns(lambda q, v: row_speeds(q), n, displaced), "eta_d": columns(bias, n, displaced),
        "eta_v": columns(bias, n, quickened), "h_x": -columns(residual, n_x, charged), "x_d": columns(state_rates, n, displaced),
        "x_v": columns(state_rates, n, quickened), "x_x": columns(state_rates, n_x, charged),
    }  # fmt: skip
    return {name: relative(getattr(found, name), value) for name, value in expected.items()}


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    assert found.size == expected.size
    return float(np.abs(found - expected.reshape(found.shape)).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0)))


def worst(source: dict[str, Any], spread: float = 0.3) -> dict[str, float]:
    """Of each tangent, at a random state off the constraints with random accelerations and multipliers."""
    made = mbsim.assemble(mechanisms.model(source))
    rng = np.random.default_rng(9)
    t, q, v = mechanisms.random_state(made.system, made.q, rng, spread)
    return errors(made.system, t, q, v, rng.standard_normal(made.system.n_v), rng.standard_normal(made.system.n_rows))


ALL = dict(sources())


@pytest.mark.parametrize("name", ALL)
def test_tangents(name: str) -> None:
    assert {key: error for key, error in worst(ALL[name]).items() if not error <= RELATIVE} == {}


COMPILED = {"absolute": ALL["joint revolute 2 absolute"], "joint": ALL["tree 0 2"]}  # of plain models, whose kernels others share


@pytest.mark.parametrize("kind", ["absolute", pytest.param("joint", marks=pytest.mark.slow)])
def test_compiled_tangents(kind: str) -> None:
    assert max(worst(COMPILED[kind]).values()) <= RELATIVE


@pytest.mark.slow
@pytest.mark.skipif(not jit.COMPILES, reason="nothing is compiled")
@pytest.mark.parametrize("kind", bodies._VARIANTS)
def test_those_of_every_kind_of_bodies_compile(kind: str) -> None:
    """Curves of equilibria and the tangents above run as plain Python in the default run."""
    jit.have_ready(tangents._along(bodies.kernels(*bodies._VARIANTS[kind])))


def test_callables_have_differences_and_the_result_says_so() -> None:
    system = mbsim.callable_system(
        ["x", "y"],
        M=lambda t, q: np.diag([2.0 + q[0] ** 2, 1.0]),
        h=lambda t, q, v: np.array([-3.0 * q[0] + v[1], q[0] * q[1] - 0.5 * v[1]]),
    )
    found = system.tangents(0.0, [0.3, -0.2], [0.5, 0.4], [0.7, -0.1])
    assert not found.exact
    close(found.K, [[3.0 + 2.0 * 0.3 * 0.7, 0.0], [0.2, -0.3]], atol=1e-9)
    close(found.D, [[0.0, -1.0], [0.0, 0.5]], atol=1e-9)


def at_rest(source: dict[str, Any]) -> tuple[System, Tangents, np.ndarray]:
    """The tangents at a random configuration at rest with random multipliers, and the residual there."""
    made = mbsim.assemble(mechanisms.model(source))
    system, rng = made.system, np.random.default_rng(2)
    t, q, _ = mechanisms.random_state(system, made.q, rng, 0.3)
    lam, none = rng.standard_normal(system.n_rows), np.zeros(system.n_v)
    _, h, C, *_ = system.terms(t, q, none)
    return system, system.tangents(t, q, none, None, lam), -h - C.T @ lam


@pytest.mark.parametrize("name", ["torsion_spring", "slide_spring", "bushing", "attraction", "spring"])
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_the_stiffness_of_a_potential_is_symmetric(dimension: int, name: str) -> None:
    """Geometric stiffness included: K - K' is that of the axes, which turn with the bodies: [e_i, e_j] = e_i x e_j."""
    source = mechanisms.chain(dimension) if name == "spring" else source_of(dimension, name)
    for force in source["forces"].values():
        for key in ("damping", "preload"):
            force.pop(key, None)
    source["forces"] = {key: force for key, force in source["forces"].items() if force["type"] not in ("force", "torque")}
    system, found, residual = at_rest(source)
    odd = found.K - found.K.T
    if dimension == 3:
        for b in range(len(system.bodies)):
            turn = slice(6 * b + 3, 6 * b + 6)
            x, y, z = residual[turn]
            odd[turn, turn] -= [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    assert np.abs(found.K).max() > 1e-2
    close(odd, 0.0, atol=1e-12 * np.abs(found.K).max())


@pytest.mark.skipif(not (jit.COMPILES and fastload.is_used()), reason="only kernels that are called by name are shared")
def test_models_share_the_kernels_of_the_equations_of_bodies() -> None:
    """Those of trees take a minute to compile with all elements; what is generated from a model calls them by name."""
    shared, modules = [], []
    for law in ("t + sin(t)", "2*t^2"):
        source = {
            "name": "driven",
            "dimension": 2,
            "bodies": {"a": {"mass": 1, "inertia": 1, "position": [1, 0]}},
            "joints": {"o": {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}},
            "drivers": {"turn": {"joint": "o", "angle": law}},
            "simulation": {"end": 1},
        }
        functions = mbsim.assemble(mbsim.load_model(source)).system.functions
        patterns = VARIED, False, True, True, True
        constraints, rates = forward.derivative(functions.constraints, *patterns), forward.derivative(functions.rates, *patterns)
        assert (constraints.is_kernel, rates.is_kernel) == (False, True)
        called = [x for x in constraints.source()[1].values() if getattr(x, "is_kernel", False)]
        assert len(called) == 1
        shared.append([called[0].helper, rates.helper])
        modules.append(functions.constraints.__module__)
    assert modules[0] != modules[1]
    assert all(a is b for a, b in zip(*shared, strict=True))
