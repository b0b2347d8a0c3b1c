"""The blocks of the tangents that implicit steps of bodies use equal those of the whole system, and their elimination solves what it says.

Everything runs as plain Python (plain_python.py): the kernels are the same, and compiling the tangents of every element takes minutes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import yaml
from test_tangents import sources

import mbsim
from mbsim import formulations
from mbsim.assembly.assembled import Assembly
from mbsim.march.formulation import tangent_of
from mbsim.saddle import columns as col
from mbsim.saddle.bodies import factor, wide_rows
from mbsim.saddle.bodies.table import BodyTable
from mbsim.saddle.lines import first_line
from mbsim.system.law_reads import slopes
from mbsim.system.structure import body_table, is_known
from mbsim.system.tangents import symmetric, twins

LARGE = 60  # speeds, above which the dense matrices take long


def small(path: Path) -> bool:
    """Whether a model is of bodies in absolute coordinates, and not too many, as its text tells without assembling it."""
    source = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    speeds = 3 if source.get("dimension") == 2 else 6
    return source.get("coordinates", "absolute") == "absolute" and 0 < speeds * len(source.get("bodies", {})) <= LARGE


SHIPPED = sorted(path.stem for path in mechanisms.MODELS.glob("*.yaml") if small(path))
ABSOLUTE = {name: source for name, source in sources() if source.get("coordinates", "absolute") == "absolute" and "bodies" in source}


def dense(plan: BodyTable, S: np.ndarray, size: int) -> np.ndarray:
    """The matrix of the blocks S, over [speeds; multipliers; states; laws]."""
    table, slots, A = plan.table, plan.slots, np.zeros((size, size))
    entry = first_line(table, col.ENTRIES)
    for group in table[col.HEADS : entry]:
        own = slots[group[col.FIRST] : group[col.FIRST] + group[col.SIZE]]
        A[np.ix_(own, own)] = S[group[col.DIAGONAL] :][: len(own) ** 2].reshape(len(own), -1)
        for line in table[entry : entry + group[col.BELOW]]:
            later = slots[line[col.LATER_FIRST] : line[col.LATER_FIRST] + line[col.LATER_SIZE]]
            A[np.ix_(own, later)] = S[line[col.RIGHT] :][: len(own) * len(later)].reshape(len(own), -1)
            A[np.ix_(later, own)] = S[line[col.LEFT] :][: len(own) * len(later)].reshape(-1, len(own))
        entry += group[col.BELOW]
    return A


def check(made: Assembly) -> None:
    """Raise AssertionError where the blocks, or the solution by them, are not those of the whole matrix at a random state."""
    rng = np.random.default_rng(5)
    system = made.system
    n, m, n_x = system.n_v, system.n_rows, system.n_x
    plan, arrays, scratch = body_table(system), system.arrays, np.zeros((4, n + m + 16))
    size, t = len(plan.slots), made.start + 0.3
    q = system.move(made.q, 0.1 * rng.standard_normal(n))
    q[system.n_c :] += 0.1 * rng.standard_normal(n_x)
    v, lam, c_q, c_v = rng.standard_normal(n), rng.standard_normal(m), 0.3, 0.7
    expected = system.tangents(t, q, v, None, lam)
    system.terms(t, q, v)
    twin, width = twins(arrays), 6 if system.dimension == 2 else 12
    S, slope = np.zeros(plan.places), np.zeros(plan.slopes)
    slopes(system)(arrays, t, q, v, slope)
    factor.add_masses(arrays, plan.table, 1.0, S)
    tangent_of(system)(
        arrays,
        twin.frames,
        twin.relative_values,
        twin.laws,
        twin.jacobian,
        q,
        v,
        lam,
        slope,
        c_q,
        c_v,
        plan.table,
        scratch,
        np.zeros((width, width)),
        S,
    )
    kept = []  # rows of C that do not depend on those before them
    for r in range(m):
        if np.linalg.matrix_rank(expected.C[[*kept, r]], tol=1e-8) > len(kept):
            kept.append(r)
    dropped = np.array([int(r not in kept) for r in range(m)], np.int64)
    factor.place_rows(arrays, plan.table, dropped, S)
    wide_rows.place_wide(plan.table, expected.C, plan.table[col.FACTS, col.SPEEDS], dropped, S)
    found = dense(plan, S, size)
    # the laws eliminated: they are met
    solid = n + m + n_x
    A = found[:solid, :solid] - found[:solid, solid:] @ np.linalg.solve(found[solid:, solid:], found[solid:, :solid])
    whole = symmetric(expected.M) + c_v * expected.D + c_q * expected.K
    C, rows = np.where(dropped[:, None] == 1, 0.0, expected.C), expected.C.copy()
    rows[system.n_holonomic :] += c_q / c_v * expected.G[system.n_holonomic :]
    rows[dropped == 1] = 0.0
    x = -c_v * (c_q * expected.x_d + c_v * expected.x_v)
    none = np.zeros((m, n_x))
    B = np.block(
        [
            [whole, -C.T, -expected.h_x],
            [rows, np.diag(dropped.astype(float)), none],
            [x, none.T, np.eye(n_x) - c_v * expected.x_x],
        ]
    )
    assert np.abs(A - B).max() < 1e-11 * (1.0 + np.abs(B).max())
    y = rng.standard_normal(size)
    x, exchanged = y[plan.slots].copy(), np.zeros(size, np.int64)
    assert factor.factor(plan.table, S, exchanged) == -1
    factor.solve(plan.table, S, exchanged, x)
    solution = np.zeros(size)
    solution[plan.slots] = x
    assert np.abs(found @ solution - y).max() < 1e-9 * (1.0 + np.abs(solution).max() * np.abs(found).max())


def followers(dimension: int) -> dict[str, Any]:
    """Every load that follows laws, which read bodies that it does not act on, joints and states."""
    axis = [0.6, 0.8] if dimension == 2 else [0.36, 0.48, 0.8]
    bodies = {f"b{k}": mechanisms.body_block(dimension, k) for k in range(3)}
    joint = mechanisms.joint_block
    at = [[0.1, -0.2, 0.3][:dimension], [0.5, 0.4, 0.2][:dimension]]
    vector = ["b2.x*der(b0.y)", "x*sin(A.angle)", "der(S.displacement)^2 - b0.y*t"][:dimension]
    torque = "b1.x*der(A.angle)" if dimension == 2 else ["b2.qx*b1.x", "b2.omega.y*x", "b0.qw^2"]
    forces: dict[str, Any] = {
        "f": {"type": "force", "body": "b0", "at": at[0], "value": vector},
        "g": {"type": "force", "body": "b1", "at": at[1], "axes": "b2", "value": vector},
        "h": {"type": "force", "body": "b1", "axes": "body", "value": vector},
        "t": {"type": "torque", "body": "b2", "value": torque},
        "w": {"type": "drag", "body": "b2", "at": at[0], "quadratic": 0.7, "linear": 0.1, "medium": vector},
        "m": {"type": "joint_torque", "joint": "A", "value": "-30*(A.angle - sin(S.displacement)) - 3*der(A.angle) + x^2"},
        "s": {"type": "spring_damper", "bodies": ["b0", "b2"], "at": at, "value": "7*(length - 0.4) + 0.5*rate*abs(rate)*b1.x"},
        "p": {"type": "translational_spring_damper", "joint": "S", "value": "5*(displacement + 0.1)^3 + 0.3*rate"},
        "stick": {
            "type": "bristle_friction",
            "joint": "A",
            "stiffness": 40,
            "damping": 0.4,
            "coulomb": 1.5,
            "static": 2,
            "stribeck_speed": 0.6,
        },
    }
    if dimension == 3:
        forces["u"] = {"type": "torque", "body": "b1", "axes": "b0", "value": torque}
    joints = {
        "A": joint("revolute", dimension, bodies=["ground", "b0"], at=[0.1] * dimension),
        "S": joint("prismatic", dimension, bodies=["b0", "b1"], at=[0.1, 0.3, -0.2][:dimension], axis=axis),
        "B": joint("revolute", dimension, bodies=["b1", "b2"], at=[0.25, 0.15, -0.3][:dimension]),
    }
    states = {"x": {"rate": "-3*x + y*A.angle + der(b2.x)", "start": 0.2}, "y": {"rate": "sin(x) - y^3 + b1.y", "start": -0.4}}
    return {
        "name": "followers",
        "dimension": dimension,
        "bodies": bodies,
        "joints": joints,
        "forces": forces,
        "states": states,
        "simulation": {"end": 1},
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_models(name: str) -> None:
    made = mbsim.assemble(mechanisms.shipped(name))
    assert is_known(made.system)
    check(made)


@pytest.mark.parametrize("name", ABSOLUTE)
def test_elements(name: str) -> None:
    """Every joint, driver, contact and force, and laws, states and random trees."""
    source = ABSOLUTE[name]
    made = mbsim.assemble(mechanisms.model(source))
    assert is_known(made.system)
    check(made)


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_every_load_that_follows_laws(dimension: int) -> None:
    made = mbsim.assemble(mechanisms.model(followers(dimension)))
    assert is_known(made.system)
    assert len(body_table(made.system).slots) > made.system.n_v + made.system.n_rows + made.system.n_x
    check(made)


@pytest.mark.parametrize("cable", [False, True])
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_beams(dimension: int, cable: bool) -> None:
    """Three elements, clamped."""
    stiffness = {"EA": 70, "GA": 30, "EI": 2} if dimension == 2 else {"EA": 70, "GA": [30, 20], "EI": [2, 3], "GJ": 1}
    mass = {"line": 1.3, "inertia": 0.02 if dimension == 2 else [0.03, 0.01, 0.02]}
    block = {"from": [0.1, -0.2, 0.3][:dimension], "to": [0.5, 0.3, 0.8][:dimension], "elements": 3, "clamped": ["start"], "cable": cable}
    beams = {"b": block | {"stiffness": stiffness, "mass": mass, "damping": {"stiffness": 0.02}}}
    check(mbsim.assemble({"name": "beam", "dimension": dimension, "beams": beams, "simulation": {"end": 1}}))


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_redundant_rows(dimension: int) -> None:
    check(mbsim.assemble(mechanisms.model(mechanisms.parallel_pendulum(dimension, 3))))


def leaning_bicycle() -> dict[str, Any]:
    """The bicycle, falling to a side and steering."""
    source: dict[str, Any] = yaml.safe_load((mechanisms.MODELS / "whipple_bicycle.yaml").read_text(encoding="utf-8"))
    for name in ("rear", "frame", "fork", "front"):
        body = source["bodies"][name]
        height = body["position"][2]
        body["velocity"] = ["v", f"-0.5*({height})", 0]
        body["angular_velocity"] = [0.5, *body.get("angular_velocity", [0, 0, 0])[1:]]
    del source["reference"], source["measures"]
    return source


RUNS: dict[str, Callable[[], Any]] = {
    "bicycle": lambda: mechanisms.model(leaning_bicycle()),
    "redundant rows": lambda: mechanisms.model(mechanisms.parallel_pendulum(3, 3)),
    "driven loop": lambda: mechanisms.shipped("quick_return"),
    "laws and states in the plane": lambda: mechanisms.model(followers(2)),
    "laws and states in space": lambda: mechanisms.model(followers(3)),
    "couplings in the plane": lambda: mechanisms.model(ABSOLUTE["gears 2 absolute"] | {"gravity": [3, -9.81]}),
    "couplings in space": lambda: mechanisms.model(ABSOLUTE["gears 3 absolute"] | {"gravity": [3, 2, -9.81]}),
    "equations": lambda: mechanisms.model(ABSOLUTE["laws 2 absolute"]),
}


@pytest.mark.parametrize("index", ["2", "3"])
@pytest.mark.parametrize("name", RUNS)
def test_runs_equal_those_with_dense_matrices(name: str, index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    model = RUNS[name]()
    for blocks in (True, False):
        monkeypatch.setitem(formulations.CONDITIONS, "bodies by blocks", lambda traits, blocks=blocks: blocks)
        result = mbsim.simulate(mbsim.assemble(model), end=0.02, step=0.004, method=f"generalized_alpha(index={index})")
        found.append(result)
        if blocks:  # with exact tangents
            assert result.attributes["counts"]["iterations"] <= 5 * 6
    for word in ("q", "v"):
        scale = np.abs(found[1][word]).max()
        assert np.abs(found[0][word] - found[1][word]).max() < 1e-8 * scale, word
