"""Models that several tests use, random states of them, central differences, and a method evaluated at one state."""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import mbsim
from mbsim import contracts, formulations, registry
from mbsim.assembly import assemble_system
from mbsim.formulations import Traits
from mbsim.march.formulation import Formulation, formulate
from mbsim.march.settings import resolve
from mbsim.model.json_schema import json_schema
from mbsim.model.leaves import Joint
from mbsim.model.load import load
from mbsim.model.schema import Model
from mbsim.results import SERIES, Result
from mbsim.results.read import in_memory
from mbsim.system.system import System

MODELS = Path(__file__).parents[1] / "models"
METHODS = [name for name in registry.names("methods") if formulations.fits(name, Traits(1, False, True))]
TREE_METHODS = [name for name in registry.names("methods") if {"bare tree", "always"} & {*formulations.conditions(name)} == {"bare tree"}]
ROW_METHODS = [name for name in TREE_METHODS if formulations.fits(name, Traits(1, True, True))]  # trees with loops, too
INTEGRATORS = [x for x in registry.names("integrators") if x != "ida" or importlib.util.find_spec("sksundae")]  # ida is an extra
ADAPTIVE = [name for name in INTEGRATORS if "rtol" in registry.options("integrators", name)]  # those that control the error
FIXED = [name for name in INTEGRATORS if name not in ADAPTIVE]
RATES = [name for name in METHODS if not any(registry.declaration("methods", name, x, False) for x in ("OWNS_STEP", "SEARCHES"))]
# those that take any integrator
PROJECTED = [name for name in RATES if registry.declaration("methods", name, "DRIFT", "full") == "full"]
DIMENSIONS = (2, 3)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # the first writes the same text ten times as fast
# Tolerances of the tests are those of rk4 at its step. What `simulate` finds with these methods comes as close but for a factor (the error
# constants of the other schemes of order 4, measured up to 20) and a floor (what their iterations leave, added up over the steps: measured
# 5e-9 and 1e-11; of `generalized_alpha` 8e-8, which is its term of h^4: it puts velocities on their constraints after the step). Both are
# far below a thousandth of any quantity that is compared.
FACTORS = {"baumgarte": 30.0, "broyden": 30.0}
FLOORS = {"generalized_alpha": 2e-7, "rattle": 1e-10}
# Of the size of the rates of the motions; by default they are 1 / step, which costs the order (tests/methods/test_baumgarte.py).
VARIANTS = {"baumgarte": "baumgarte(alpha=3, beta=4)"}
# How far the iterations of a step are taken where errors of order 4 are wanted from a method of order 2, in m or rad.
ITERATED = {"generalized_alpha": 1e-12, "rattle": 1e-11, "broyden": 1e-11}
RESIDUALS = ("residual_position", "residual_velocity", "residual_acceleration")


def model(source: str | dict[str, Any], **overrides: Any) -> Model:
    """A model from YAML text or from the dictionary that such a text stands for."""
    text = source if isinstance(source, str) else str(yaml.dump(source, Dumper=_DUMPER, sort_keys=False))
    return load(text, registry, file="model.yaml", **overrides)


@cache
def schema() -> Any:
    """A validator of model files as editors have it. To make it and to look whether it is a schema takes longer than any file."""
    import jsonschema

    made = jsonschema.Draft202012Validator(json_schema(registry))
    made.check_schema(made.schema)
    return made


def system(source: str | dict[str, Any], **overrides: Any) -> System:
    return mbsim.assemble(model(source, **overrides)).system


def shipped(name: str, **overrides: Any) -> Model:
    return mbsim.load_model(MODELS / f"{name}.yaml", **overrides)


def close(actual: Any, expected: Any, atol: float) -> None:
    """Absolute differences only: a relative part would let large entries hide."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=atol)


def near(method: str) -> Callable[[Any, Any, float], None]:
    """`close` for what `simulate` found with this method; `atol` is what rk4 keeps at the same step."""
    factor, floor = FACTORS.get(method, 1.0), FLOORS.get(method, 0.0)
    return lambda actual, expected, atol: close(actual, expected, atol=max(factor * atol, floor))


def order(method: str, made: System) -> int:
    """The order of what a method finds, with rk4 where it takes an integrator and with the options of VARIANTS."""
    if not owns_step(method):
        return 4
    module = registry.module("methods", method)
    return int(getattr(module, "ORDER_NONHOLONOMIC", module.ORDER) if made.n_rows > made.n_holonomic else module.ORDER)


def used(method: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without a `drift_tolerance` that this method with this drift does not use, and which is refused."""
    drift = settings.get("drift") or registry.declaration("methods", method, "DRIFT", "full")
    idle = registry.idle_tolerance(method, drift)
    return {name: value for name, value in settings.items() if not (idle and name == "drift_tolerance")}


def simulate(source: Model | System, *start: Any, method: str, **settings: Any) -> Result:
    """A run to order 4 by any method, so that one of order 2 is held to the digits of the others and not to its error.

    A method of order 2 runs with the step and with a half and a quarter of it. The errors of each output row are a series in the step,
    c2 h^2 + c3 h^3 + ..., and the combination of the three runs has neither of these two terms (Richardson 1911). The residuals, which are
    no such series, and whatever else is recorded are those of the finest run.
    """
    made = mbsim.assemble(source) if isinstance(source, Model) else source
    word, settings = VARIANTS.get(method, method), used(method, settings)
    if order(method, made if isinstance(made, System) else made.system) == 4:
        return mbsim.simulate(made, *start, method=word, **settings)
    step = settings.pop("step", None) or made.simulation.step  # type: ignore[union-attr]
    rows = {"output_step": settings.pop("output_step", None) or step, "drift_tolerance": ITERATED[method]} | settings
    runs = [mbsim.simulate(made, *start, method=word, step=step / 2**k, **rows) for k in range(3)]
    finest = runs[-1]
    arrays = {name: finest[name] for name in finest}
    for name in set(SERIES) & set(arrays) - {"time", *RESIDUALS}:
        coarse, middle, fine = (run[name] for run in runs)
        if np.issubdtype(fine.dtype, np.floating) and name != "error_estimate":
            arrays[name] = (coarse - 12.0 * middle + 32.0 * fine) / 21.0
    labels = {dimension: finest.labels(dimension) for name in finest for dimension in finest.dimensions(name)[1:]}
    return in_memory(arrays, labels, {}, finest.attributes, finest.model_yaml, finest.parameters)


def owns_step(method: str) -> bool:
    return bool(registry.declaration("methods", method, "OWNS_STEP", False))


def derivative(function: Callable[[float], Any], step: float = 1e-3) -> Any:
    """f'(0) by central differences of order 8; with the default step about 1e-12 of f's scale."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(w * (np.asarray(function(k * step)) - np.asarray(function(-k * step))) for k, w in weights.items()) / step


def random_state(made: System, q: np.ndarray, rng: np.random.Generator, spread: float = 0.7) -> tuple[float, np.ndarray, np.ndarray]:
    """Time, configuration (in general off the constraints; quaternions unit) and velocity near q."""
    return float(rng.uniform(0.0, 2.0)), made.move(q, spread * rng.standard_normal(made.n_v)), rng.standard_normal(made.n_v)


def consistent_state(made: System, q: np.ndarray, rng: np.random.Generator, spread: float = 0.2) -> tuple[float, np.ndarray, np.ndarray]:
    """A random state that satisfies the constraints."""
    for _ in range(50):  # a random pose may be out of the mechanism's reach
        t, q0, v0 = random_state(made, q, rng, spread)
        try:
            found = assemble_system(made, t, q0, v0)
        except mbsim.StartError:
            continue
        return t, found.q, found.v
    raise AssertionError(f"{made.name}: no reachable random state")


def formulation(made: System, method: str, **given: Any) -> Formulation:
    """A system with a method and its work arrays, as a run of one second has them; `given` are settings."""
    return formulate(made, resolve(None, made, {"end": 1.0, "method": method, **given}))


def evaluate(made: System, method: str, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """v_dot and the multipliers that a method finds at (t, q, v)."""
    solved = formulation(made, method)
    z, row = np.zeros(solved.size), np.zeros(solved.width)
    z[made.n_v : -1] = q
    assert solved.start(t, q, v, z) == contracts.OK
    assert solved.expand(t, z, row) == contracts.OK
    first = made.n_q + made.n_v
    return row[first : first + made.n_v], row[first + made.n_v : -1]


def augmented_solution(made: System, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """v_dot and the shortest multipliers of [[M, -C'], [C, 0]] [v_dot; lam] = [h; -eta], by numpy.

    In the coordinates y = L' v_dot, M = L L', the first is the shortest correction of L^-1 h; rows are scaled, for the condition.
    """
    M, h, C, _, eta, _ = made.terms(t, q, v)
    L = np.linalg.cholesky(M)
    free, Y = np.linalg.solve(L, h), np.linalg.solve(L, C.T).T
    size = np.linalg.norm(Y, axis=1)
    Y, b = Y / size[:, None], -eta / size
    a = np.linalg.solve(L.T, free + np.linalg.lstsq(Y, b - Y @ free, rcond=1e-9)[0])
    return a, np.linalg.lstsq(C.T, M @ a - h, rcond=1e-9)[0]


def joint_dimensions() -> list[tuple[str, int]]:
    """Every joint in every dimension it exists in."""
    leaves = {word: registry.leaf("joints", word) for word in registry.names("joints")}
    return [(word, d) for word, leaf in leaves.items() if issubclass(leaf, Joint) for d in DIMENSIONS if d in leaf.ROWS]


def driver_kinds() -> list[tuple[str, int, str]]:
    """Every joint, dimension and quantity that can be driven."""
    return [
        (word, d, quantity)
        for word, d in joint_dimensions()
        for quantity, tables in registry.leaf("joints", word).DRIVES.items()
        if d in tables
    ]


def driver_block(joint: str, quantity: str, law: str) -> dict[str, str]:
    """A driver of one of a joint's coordinates."""
    named = quantity in ("angle", "displacement", "length")
    return {"joint": joint, quantity: law} if named else {"joint": joint, "coordinate": quantity, "value": law}


def joint_block(word: str, dimension: int, **rest: Any) -> dict[str, Any]:
    """A joint with oblique axes, whatever axes it has."""
    fields = registry.leaf("joints", word).model_fields
    block: dict[str, Any] = {"type": word}
    if "axis" in fields and (dimension == 3 or word != "revolute"):
        block["axis"] = [0.6, 0.8] if dimension == 2 else [0.36, 0.48, 0.8]
    if "axes" in fields:
        block["axes"] = [[0.6, 0.8, 0.0], [-0.48, 0.36, 0.8]]
    if "pitch" in fields:
        block["pitch"] = 0.2
    if "pin" in fields and dimension == 3:
        block["pin"] = [0.8, -0.6, 0.0]
    if word == "distance" and "at" in rest:  # a rod has two ends
        rest["at"] = [rest["at"], [x + 1.5 for x in rest["at"]]]
    return block | rest


def body_block(dimension: int, k: int) -> dict[str, Any]:
    """A body with no symmetry, oblique to the global axes."""
    if dimension == 2:
        return {"mass": 1.0 + 0.3 * k, "inertia": 0.2 + 0.1 * k, "position": [0.4 + 0.5 * k, 0.3 - 0.2 * k], "angle": 0.3 + 0.4 * k}
    return {
        "mass": 1.0 + 0.3 * k,
        "inertia": [0.21 + 0.02 * k, 0.32, 0.27, 0.03, -0.02, 0.04],
        "position": [0.4 + 0.5 * k, 0.3 - 0.2 * k, 0.1 + 0.15 * k],
        "orientation": {"axis": [1.0, -2.0, 0.5 + k], "angle": 0.7 + 0.3 * k},
    }


def chain(dimension: int) -> dict[str, Any]:
    """One open chain from the ground that holds every joint type of this dimension, a spring, a force and a torque."""
    words = [word for word, d in joint_dimensions() if d == dimension]
    bodies = {f"b{k}": body_block(dimension, k) for k in range(len(words))}
    joints = {}
    for k, word in enumerate(words):
        at = [0.2 + 0.5 * k, 0.35 - 0.2 * k, 0.05 + 0.15 * k][:dimension]
        joints[f"j{k}"] = joint_block(word, dimension, bodies=["ground" if k == 0 else f"b{k - 1}", f"b{k}"], at=at)
    last = f"b{len(words) - 1}"
    anchor, end = [[0.1, -0.5, 0.2][:dimension], bodies[last]["position"]]
    return {
        "name": f"every joint in {dimension} dimensions",
        "dimension": dimension,
        "gravity": [0.3, -9.81, 0.5][:dimension],
        "bodies": bodies,
        "joints": joints,
        "forces": {
            "spring": {"type": "spring_damper", "bodies": ["ground", last], "at": [anchor, end], "stiffness": 30, "damping": 0.6},
            "push": {"type": "force", "body": "b0", "value": [1.0, -2.0, 0.5][:dimension]},
            "twist": {"type": "torque", "body": "b1", "value": 0.4 if dimension == 2 else [0.4, -0.1, 0.2]},
        },
        "simulation": {"end": 1.0},
    }


def parallel_pendulum(dimension: int, copies: int) -> dict[str, Any]:
    """A rod on `copies` identical hinges in parallel."""
    axis = {"axis": [0.0, 0.0, 1.0]} if dimension == 3 else {}
    inertia = 0.1 if dimension == 2 else [0.02, 0.1, 0.11]
    return {
        "name": f"pendulum on {copies} hinges",
        "dimension": dimension,
        "gravity": [0.0, -9.81, 0.0][:dimension],
        "bodies": {"rod": {"mass": 1.5, "inertia": inertia, "position": [0.5, 0.1, 0.0][:dimension]}},
        "joints": {f"pin{k}": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0.0] * dimension, **axis} for k in range(copies)},
        "simulation": {"end": 1.0, "step": 1e-3},
    }


def every_row_of_a_tree(dimension: int) -> dict[str, Any]:
    """In joint coordinates, equations, couplings of speeds, a blade, a gear, a driver at the level of speeds; body 3 floats."""
    axis = {"axis": [0.36, 0.48, 0.8]} if dimension == 3 else {}
    law = "0.3*sin(2*t) + 0.1*t"
    turn = "b3.omega.y" if dimension == 3 else "der(b3.angle)"
    return {
        "dimension": dimension,
        "gravity": [0.5, -9.81, 0.3][:dimension],
        "coordinates": "joint",
        "bodies": {f"b{k}": body_block(dimension, k) for k in range(4)},
        "joints": {
            "pin": {"type": "revolute", "bodies": ["ground", "b0"], "at": [0.1] * dimension, **axis},
            "guide": joint_block("prismatic", dimension, bodies=["b0", "b1"], at=[0.2] * dimension),
            "wheel": {"type": "revolute", "bodies": ["b1", "b2"], "at": [0.6] * dimension, **axis},
            "mesh": {"type": "gear", "joints": ["pin", "wheel"], "teeth": [20, 48]},
        },
        "drivers": {"push": {"joint": "guide", "speed": law}},
        "constraints": {
            "curve": {"type": "holonomic", "equation": f"b3.x - 1.9 + 0.2*sin(pin.angle + t) - {law}"},
            "cage": {"type": "speed_coupling", "terms": {"der(pin.angle)": 1, turn: -0.3}, "value": "0.2*t"},
            "blade": {"type": "knife_edge", "point": "b3", "along": [0.6, 0.8, 0.0][:dimension]},
        },
        "simulation": {"start": 0.3, "end": 1},
    }  # fmt: skip


def chain_with_a_loop(links: int) -> dict[str, Any]:
    """A horizontal chain in joint coordinates whose end slides on the ground."""
    bodies = {f"b{k}": {"mass": 1, "inertia": 0.1, "position": [0.5 + k, 0]} for k in range(links)}
    pairs = [["ground" if k == 0 else f"b{k - 1}", f"b{k}"] for k in range(links)]
    joints: dict[str, Any] = {f"j{k}": {"type": "revolute", "bodies": pair, "at": [k, 0]} for k, pair in enumerate(pairs)}
    joints["end"] = {"type": "prismatic", "bodies": ["ground", f"b{links - 1}"], "at": [links, 0], "axis": [1, 0], "cut": True}
    return {
        "dimension": 2, "gravity": [0, -10], "coordinates": "joint", "bodies": bodies, "joints": joints,
        "simulation": {"end": 0.02, "step": 1e-3, "integrator": "rk4"},
    }  # fmt: skip


def in_space(text: str) -> dict[str, Any]:
    """A planar model text as one in space, in the plane z = 0."""
    source: dict[str, Any] = yaml.safe_load(text)
    source.pop("dimension", None)
    for body in source["bodies"].values():
        body["inertia"] = [body["inertia"]] * 3
        body["position"] = [*body.get("position", [0, 0]), 0]
        if "angle" in body:
            body["orientation"] = {"axis": [0, 0, 1], "angle": body.pop("angle")}
        body["points"] = {name: [*p, 0] for name, p in body.get("points", {}).items()}
    for joint in source["joints"].values():
        if "at" in joint:
            joint["at"] = [*joint["at"], 0]
        if joint["type"] == "revolute":
            joint["axis"] = [0, 0, 1]
        elif "axis" in joint:
            joint["axis"] = [*joint["axis"], 0]
    if "gravity" in source:
        source["gravity"] = [*source["gravity"], 0]
    return source


def fitted_order(steps: np.ndarray, errors: np.ndarray) -> float:
    """Slope of log error against log step."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
