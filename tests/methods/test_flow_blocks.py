"""`bdf`, `radau` and `ida` by blocks of bodies: solutions and runs against dense matrices."""

from typing import Any

import mechanisms
import numpy as np
import pytest
import test_implicit_loops as loops

import mbsim
from mbsim import contracts
from mbsim.assembly import Assembly
from mbsim.integrators._pencils import Unfit
from mbsim.march import flow_blocks, kernels
from mbsim.march.flow_blocks import FlowBlocks

STEP = 1e-5
METHODS = {"joint": "aba", "absolute": "cfa"}
SOLVERS = {"radau": {"solver": "scipy"}}  # whose steps are compiled: `tests/methods/test_coupled_stages.py`


def hinges(links: int, ties: int, coordinates: str = "joint") -> Assembly:
    """A spatial chain of hinges and sliders with springs; each tie is a ball joint at its end, two of them redundant."""
    rng = np.random.default_rng(3)
    points = [np.array([0.7 * k, -0.5 * (k % 2), 0.2 * (k % 3)]) for k in range(links + 1)]
    bodies, joints, forces = {}, {}, {}
    for k in range(links):
        axis, kind = rng.normal(size=3), "prismatic" if k == 3 else "revolute"
        bodies[f"b{k}"] = {"mass": 1.0, "inertia": [0.1, 0.08, 0.09], "position": (0.5 * (points[k] + points[k + 1])).tolist()}
        joints[f"j{k}"] = loops.pin("ground" if k == 0 else f"b{k - 1}", f"b{k}", points[k])
        joints[f"j{k}"] |= {"type": kind, "axis": (axis / np.linalg.norm(axis)).tolist()}
        word = "translational" if k == 3 else "rotational"
        forces[f"s{k}"] = {"type": f"{word}_spring_damper", "joint": f"j{k}", **loops.STIFF}
    for k in range(ties):
        joints[f"tie{k}"] = loops.pin("ground", f"b{links - 1}", points[links]) | {"type": "spherical", "cut": True}
    return loops.assembled({"gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, "forces": forces}, coordinates)


STATES = """
states: {x: {start: 0.5, rate: -200*x - der(b0.angle) + 3*b2.y + 0.1*y}, y: {start: 0.1, rate: x - y}}
forces: {m: {type: joint_torque, joint: j0, value: 50*x + 10*y*b1.angle}}
"""
PUSHED = "forces: {m: {type: joint_torque, joint: j0, value: -1e5*(j1.angle + j0.angle) - 100*b3.angle + 20*der(b2.x)}}"
HOLONOMIC = "constraints: {e: {type: holonomic, equation: b2.x*(b5.y + 0.35) + b6.angle - b4.angle}}"
NONHOLONOMIC = "constraints: {e: {type: nonholonomic, equation: der(b2.angle)*cos(b5.angle) - der(b6.x) - 0.01*t}}"
CASES: dict[str, Any] = {
    "chain": lambda word: loops.zigzag(8, 0, coordinates=word),
    "spatial chain": lambda word: hinges(6, 0, word),
    "spatial loop": lambda word: hinges(6, 1, word),
    "redundant loop": lambda word: hinges(6, 2, word),
    "joints of every kind": lambda word: loops.spatial(6, coordinates=word),
    **{
        f"loop, {more}": lambda word, more=more: loops.zigzag(8, 1, loops.MORE[more], word)
        for more in ("nothing", "driver", "gear", "spring between bodies")
    },
}
JOINT: dict[str, Any] = {
    "states": lambda word: loops.zigzag(8, 1, loops.MORE["states"], word),
    "nonholonomic equation": lambda word: loops.zigzag(8, 1, loops.MORE["nonholonomic"], word),
}
ABSOLUTE: dict[str, Any] = {
    "laws of the state": lambda word: loops.zigzag(8, 1, PUSHED, word),
    "holonomic equation": lambda word: loops.zigzag(8, 1, HOLONOMIC, word),
    "nonholonomic equation": lambda word: loops.zigzag(8, 1, NONHOLONOMIC, word),
    "states": lambda word: loops.zigzag(8, 1, STATES, word),
}

SLOW = ("joint", "joints of every kind")  # whose kernels take long to compile and are nobody else's
ALL = {"joint": CASES | JOINT, "absolute": CASES | ABSOLUTE}
EACH = [pytest.param(word, name, marks=[pytest.mark.slow] * ((word, name) == SLOW)) for word, cases in ALL.items() for name in cases]


@pytest.mark.parametrize(("coordinates", "name"), EACH)
@pytest.mark.parametrize("s", [300.0, 300.0 + 400.0j], ids=["real", "complex"])
def test_solution(coordinates: str, name: str, s: complex, monkeypatch: pytest.MonkeyPatch) -> None:
    """x with (s - J) x = r is that of the dense J, of differences of z_dot."""
    monkeypatch.setattr(flow_blocks, "ENOUGH", 1e-7)
    made = ALL[coordinates][name](coordinates)
    assert made.system.n_v < kernels.FLOW_BLOCKS_FROM
    form = mechanisms.formulation(made.system, METHODS[coordinates])
    functions, arrays = form.system.functions, form.system.arrays
    z = np.concatenate([made.v, made.q, [0.3]])
    assert form.start(made.start, made.q, made.v, z) == 0
    form.work.status[contracts.STATUS_FRESH] = 1

    def rates(x: np.ndarray) -> np.ndarray:
        dz = np.zeros(x.size)
        assert form.functions.rhs(functions, arrays, form.work, made.start, x, dz) == 0
        return dz

    blocks = FlowBlocks(made.system, form.work)
    blocks.take(made.start, z, rates(z))
    J = np.array([(rates(z + STEP * unit) - rates(z - STEP * unit)) / (2.0 * STEP) for unit in np.eye(z.size)]).T
    r = np.cos(np.arange(z.size) * 1.7)
    found, expected = blocks.solve(blocks.factors(s), s, r), np.linalg.solve(s * np.eye(z.size) - J, r)
    n, n_q = made.system.n_v, made.system.n_q
    for part in (slice(0, n), slice(n, n + n_q)):  # the power of what drives the motion is not compared: redundant rows share it
        assert np.abs(found - expected)[part].max() < 2e-5 * np.abs(expected[part]).max()


@pytest.mark.parametrize("integrator", ["bdf", "radau", pytest.param("ida", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("coordinates", "ties"), [("joint", 0), ("joint", 1), ("absolute", 1), ("absolute", 2)])
def test_runs(integrator: str, coordinates: str, ties: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways give the same motion, much closer than the tolerance, in about as many steps."""
    if integrator == "ida":
        pytest.importorskip("sksundae")
    made = loops.zigzag(8, ties, coordinates=coordinates)
    words = {"method": METHODS[coordinates], "integrator": integrator, "end": 0.1, "output_step": 0.1} | SOLVERS.get(integrator, {})
    dense = mbsim.simulate(made, **words)
    monkeypatch.setattr(kernels, "FLOW_BLOCKS_FROM", 1)
    asked = mbsim.simulate(made, jacobian="differences", **words)
    blocks = mbsim.simulate(made, **words)
    counts = [run.attributes["counts"] for run in (dense, asked, blocks)]
    assert counts[0] == counts[1] != counts[2]
    assert counts[2]["factorisations"] > counts[0]["factorisations"] * (ties == 0)
    assert counts[2]["steps"] <= 1.2 * counts[0]["steps"]
    assert np.abs(blocks["q"][-1] - dense["q"][-1]).max() < (1e-5 if integrator == "ida" else 1e-7)  # its steps are others


@pytest.mark.parametrize("coordinates", [pytest.param("joint", marks=pytest.mark.slow), "absolute"])
def test_quaternions(coordinates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ball joints, and a universal one, whose coordinates have no rates of single speeds."""
    made = loops.spatial(6, coordinates=coordinates)
    assert made.system.n_q != made.system.n_v
    words = {
        "method": METHODS[coordinates],
        "integrator": "radau",
        "solver": "scipy",
        "rtol": 1e-7,
        "atol": 1e-9,
        "end": 0.02,
        "output_step": 0.02,
    }
    dense = mbsim.simulate(made, **words)
    monkeypatch.setattr(kernels, "FLOW_BLOCKS_FROM", 1)
    blocks = mbsim.simulate(made, **words)
    assert blocks.attributes["counts"]["evaluations"] != dense.attributes["counts"]["evaluations"]
    assert blocks.attributes["counts"]["steps"] <= 1.2 * dense.attributes["counts"]["steps"]
    assert np.abs(blocks["q"][-1] - dense["q"][-1]).max() < 1e-7


def test_dense_where_blocks_do_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run goes on with dense matrices from the step on at which the blocks give up."""
    made, words = loops.zigzag(8, 0), {"method": "aba", "integrator": "bdf", "end": 0.1, "output_step": 0.1}
    dense, solved, given_up = mbsim.simulate(made, **words), FlowBlocks.solve, []

    def solve(self: Any, *given: Any) -> Any:
        given_up.append(len(given_up) == 50)
        if given_up[-1]:
            raise Unfit
        return solved(self, *given)

    monkeypatch.setattr(kernels, "FLOW_BLOCKS_FROM", 1)
    monkeypatch.setattr(FlowBlocks, "solve", solve)
    run = mbsim.simulate(made, **words)
    assert sum(given_up) == 1 and len(given_up) == 51
    assert np.abs(run["q"][-1] - dense["q"][-1]).max() < 1e-7


def test_solutions_that_are_none_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start one solution is compared with differences; where it is wrong the run takes dense matrices."""
    monkeypatch.setattr(kernels, "FLOW_BLOCKS_FROM", 1)
    taken: list[bool] = []
    monkeypatch.setattr(FlowBlocks, "solve", lambda *given: taken.append(True) or np.zeros(given[-1].size))
    words = {"method": "aba", "integrator": "bdf", "end": 0.01, "output_step": 0.01}
    assert mbsim.simulate(loops.zigzag(8, 1), **words).attributes["counts"]["steps"] > 0
    assert len(taken) == 1
