"""Block elimination over bodies and joints: the order has no fill for trees, the results are those of `lagrange`, redundancy is found."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import DIMENSIONS, close, consistent_state, evaluate, formulation

import mbsim
from mbsim import contracts, registry
from mbsim.assembly import Assembly, assemble_system
from mbsim.diagnosis.blocks import DENSE_ROWS, Blocks
from mbsim.formulations import MANY_BODIES
from mbsim.system.structure import joint_table
from mbsim.system.system import System

SEEDS = range(12)


def tree(dimension: int, seed: int, bodies: int = 9, loops: int = 0) -> dict[str, Any]:
    """A random tree of every joint type with a driver, or without one and with `loops` joints more that close it."""
    rng = np.random.default_rng(seed)
    words = [word for word, d in mechanisms.joint_dimensions() if d == dimension]
    model: dict[str, Any] = {
        "name": f"tree {seed}",
        "dimension": dimension,
        "gravity": [0.3, -9.81, 0.5][:dimension],
        "bodies": {},
        "joints": {},
    }
    for k in range(bodies):
        block = mechanisms.body_block(dimension, k)
        model["bodies"][f"b{k}"] = block | {"position": [float(x) for x in rng.uniform(-1.0, 1.0, dimension)]}
        parent = int(rng.integers(-1, k))  # -1: the ground, also of a second mechanism
        pair = ["ground" if parent < 0 else f"b{parent}", f"b{k}"]
        at = [float(x) for x in rng.uniform(-1.0, 1.0, dimension)]
        if rng.random() < 0.9:  # or the body flies freely
            pair = pair[:: int(rng.choice([-1, 1]))]
            model["joints"][f"j{k}"] = mechanisms.joint_block(str(rng.choice(words)), dimension, bodies=pair, at=at)
    for k in range(loops):
        i, j = rng.choice(bodies, 2, replace=False)
        at = [float(x) for x in rng.uniform(-1.0, 1.0, dimension)]
        model["joints"][f"loop{k}"] = {"type": "spherical" if dimension == 3 else "revolute", "bodies": [f"b{i}", f"b{j}"], "at": at}
    hinges = [name for name, joint in model["joints"].items() if joint["type"] == "revolute" and not name.startswith("loop")]
    if hinges and not loops:
        model["drivers"] = {"motor": {"joint": hinges[0], "angle": "0.3*sin(2*t)"}}
    return model | {"simulation": {"end": 1.0}}


def planar_chain(links: int, closed: bool = False, cells: bool = False) -> dict[str, Any]:
    """Links of 1 m from horizontal; `closed`: an arch with both ends on the ground; `cells`: a ladder of parallelograms."""
    inertia = 1.0 / 12.0
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    if cells:  # column k carries bar k, which carries column k + 1's foot: four bars share joints with their neighbours
        for k in range(links + 1):
            bodies[f"post{k}"] = {"mass": 1.0, "inertia": inertia, "position": [float(k), 0.5], "angle": np.pi / 2}
            joints[f"foot{k}"] = {"type": "revolute", "bodies": ["ground", f"post{k}"], "at": [float(k), 0.0]}
        for k in range(links):
            bodies[f"bar{k}"] = {"mass": 1.0, "inertia": inertia, "position": [k + 0.5, 1.0 + 0.1 * k]}
            joints[f"left{k}"] = {"type": "revolute", "bodies": [f"post{k}", f"bar{k}"], "at": [float(k), 1.0]}
            joints[f"right{k}"] = {"type": "revolute", "bodies": [f"bar{k}", f"post{k + 1}"], "at": [k + 1.0, 1.0]}
    else:
        x, y, turn = 0.0, 0.0, np.pi / links if closed else 0.0
        for k in range(links):
            angle = (links / 2 - k - 0.5) * turn
            c, s = float(np.cos(angle)), float(np.sin(angle))
            bodies[f"b{k}"] = {"mass": 1.0, "inertia": inertia, "position": [x + 0.5 * c, y + 0.5 * s], "angle": angle}
            joints[f"j{k}"] = {"type": "revolute", "bodies": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [x, y]}
            x, y = x + c, y + s
        if closed:
            joints["end"] = {"type": "revolute", "bodies": [f"b{links - 1}", "ground"], "at": [x, y]}
    return {"name": "chain", "dimension": 2, "gravity": [0.0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 1.0}}


def assert_like_lagrange(system: System, t: float, q: np.ndarray, v: np.ndarray) -> None:
    a, lam = evaluate(system, "cfa", t, q, v)
    expected, multipliers = evaluate(system, "lagrange", t, q, v)
    C = system.C(t, q)
    close(a, expected, atol=1e-9 * np.abs(expected).max(initial=1.0))
    close(C.T @ lam, C.T @ multipliers, atol=1e-9 * np.abs(C.T @ multipliers).max(initial=1.0))


def regular_loops(dimension: int, seed: int) -> tuple[System, float, np.ndarray, np.ndarray]:
    """A random tree with two loops at a consistent state (t, q, v): the first that is neither locked nor stretched."""
    for again in range(seed, seed + 2000, 100):
        made = mbsim.assemble(mechanisms.model(tree(dimension, again, loops=2)))
        t, q, v = consistent_state(made.system, made.q, np.random.default_rng(again), 0.02)
        if np.linalg.cond(made.system.C(t, q)) < 1e4:
            return made.system, t, q, v
    raise AssertionError("no regular mechanism was drawn")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_trees_do_not_fill_in_and_equal_lagrange(dimension: int, seed: int) -> None:
    made = mbsim.assemble(mechanisms.model(tree(dimension, seed)))
    assert joint_table(made.system).fill == 0
    assert_like_lagrange(made.system, *consistent_state(made.system, made.q, np.random.default_rng(seed)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_loops_equal_lagrange(dimension: int, seed: int) -> None:
    assert_like_lagrange(*regular_loops(dimension, seed))


def test_order_of_a_star_a_chain_and_cells() -> None:
    star = planar_chain(12)
    for k, joint in enumerate(star["joints"].values()):
        joint["bodies"] = ["ground" if k == 0 else "b0", f"b{k}"]
    assert joint_table(mechanisms.system(star)).fill == 0  # a clique already
    chain = joint_table(mechanisms.system(planar_chain(40)))
    assert (chain.blocks, chain.fill) == (79, 0)
    cells = joint_table(mechanisms.system(planar_chain(30, cells=True)))
    assert cells.fill < 2 * 30  # two blocks a cell, of 121 joints
    closed = joint_table(mechanisms.system(planar_chain(40, closed=True)))
    assert closed.fill == 0  # the ground couples nothing: a closed chain is a chain


def test_cells_and_closed_chains_equal_lagrange() -> None:
    rng = np.random.default_rng(3)
    for source in (planar_chain(9, closed=True), planar_chain(4, cells=True)):
        made = mbsim.assemble(mechanisms.model(source))
        assert_like_lagrange(made.system, *consistent_state(made.system, made.q, rng, 0.02))


EQUATIONS = """
name: two hinged bars and a block, coupled by equations
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1.0, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 2.0, inertia: 0.3, position: [1.5, 0.2]}
  free: {mass: 1.5, inertia: 0.2, position: [3, 1]}
joints:
  first: {type: revolute, bodies: [ground, a], at: [0, 0]}
  second: {type: revolute, bodies: [a, b], at: [1, 0]}
constraints:
  gear: {type: holonomic, equation: b.angle - 2*a.angle - 0.1*sin(3*t)}
  knife: {type: nonholonomic, equation: der(free.x)*sin(free.angle) - der(free.y)*cos(free.angle) + 0.2*der(b.x)}
  slope: {type: holonomic, equation: free.y - 1 - 0.1*free.x*a.x}
simulation: {end: 0.3, step: 0.001}
"""


def test_equations_of_the_user() -> None:
    made = mbsim.assemble(mechanisms.model(EQUATIONS))
    rng = np.random.default_rng(8)
    for _ in range(10):
        assert_like_lagrange(made.system, *consistent_state(made.system, made.q, rng))
    results = [mbsim.simulate(made, method=method) for method in ("cfa", "lagrange")]
    close(results[0]["q"], results[1]["q"], atol=1e-9)
    close(results[0]["multiplier"], results[1]["multiplier"], atol=1e-6)
    assert results[0]["residual_velocity"].max() < 1e-9


def test_rank_and_multipliers_of_redundant_loops() -> None:
    """A planar four-bar and a Bennett-like chain of spatial hinges whose axes are parallel: three rows too many each."""
    made = mbsim.assemble(mechanisms.shipped("four_bar"))
    spatial = _in_space(made)
    system = spatial.system
    work = _started(spatial)
    assert work.status[contracts.STATUS_RANK] == system.n_rows - 3
    assert registry.module("methods", "cfa").WORKSPACE(work).dropped.sum() == 3
    assert_like_lagrange(system, 0.0, spatial.q, spatial.v)
    lam = evaluate(system, "cfa", 0.0, spatial.q, spatial.v)[1]
    close(lam, evaluate(system, "lagrange", 0.0, spatial.q, spatial.v)[1], atol=1e-8 * np.abs(lam).max())  # the shortest, too
    result = mbsim.simulate(spatial, method="cfa", end=0.5, step=1e-3, output_step=0.1)
    flat = mbsim.simulate(made, method="lagrange", end=0.5, step=1e-3, output_step=0.1)
    close(result["body_position"], flat["body_position"], atol=1e-8)
    assert result["residual_position"].max() < 1e-9


def test_multipliers_that_are_the_shortest_already_stay() -> None:
    """The search for shorter ones must not feed on round-off: a tree with loops whose dependent row carries no force."""
    made = mbsim.assemble(mechanisms.model(tree(3, 100, loops=2)))
    t, q, v = consistent_state(made.system, made.q, np.random.default_rng(100), 0.02)
    assert_like_lagrange(made.system, t, q, v)


def _in_space(flat: Assembly) -> Assembly:
    """A planar mechanism of hinges with spatial bodies: each closed loop has three rows too many."""
    bodies, joints = {}, {}
    for k, name in enumerate(flat.system.bodies):
        x, y, angle = (float(value) for value in flat.q[3 * k : 3 * k + 3])
        vx, vy, turn = (float(value) for value in flat.v[3 * k : 3 * k + 3])
        mass, inertia = (float(value) for value in flat.system.arrays.masses[k, :2])
        bodies[name] = {
            "mass": mass, "inertia": [inertia, inertia, inertia], "position": [x, y, 0.0], "velocity": [vx, vy, 0.0],
            "orientation": {"axis": [0.0, 0.0, 1.0], "angle": angle}, "angular_velocity": [0.0, 0.0, turn],
        }  # fmt: skip
    for joint in flat.system.joints:
        names = ["ground" if b < 0 else flat.system.bodies[b] for b in (joint.first, joint.second)]
        b, local = (joint.second, joint.second_point) if joint.second >= 0 else (joint.first, joint.first_point)
        x, y, angle = flat.q[3 * b : 3 * b + 3]
        c, s = np.cos(angle), np.sin(angle)
        at = [float(x + c * local[0] - s * local[1]), float(y + s * local[0] + c * local[1]), 0.0]
        joints[joint.name] = {"type": "revolute", "bodies": names, "at": at, "axis": [0.0, 0.0, 1.0]}
    gravity = [float(g) for g in flat.system.arrays.gravity]
    source = {"name": "flat in space", "gravity": gravity, "bodies": bodies, "joints": joints, "simulation": {"end": 1.0}}
    return mbsim.assemble(mechanisms.model(source))


def _started(made: Assembly) -> contracts.Work:
    """The work arrays after the first evaluation."""
    system, method = made.system, registry.module("methods", "cfa")
    work = formulation(system, "cfa").work
    z = np.zeros(system.n_v + system.n_q + 1)
    z[system.n_v : -1] = made.q
    assert method.start(system.functions, system.arrays, work, 0.0, made.q, made.v, z) == contracts.OK
    assert method.rhs(system.functions, system.arrays, work, 0.0, z, z.copy()) == contracts.OK
    return work


def test_rows_that_contradict_each_other_end_the_run_and_are_named() -> None:
    """A parallelogram that lies flat can move on two branches: its constraints are dependent there, and with speed they cannot be met."""
    model = planar_chain(1, cells=True)
    for block in model["bodies"].values():
        block["angle"] = 0.0
    x = {"post0": 0.5, "bar0": 1.5, "post1": 1.5}
    for name, block in model["bodies"].items():
        block["position"] = [x[name], 0.0]
    model["joints"] = {
        "a": {"type": "revolute", "bodies": ["ground", "post0"], "at": [0.0, 0.0]},
        "b": {"type": "revolute", "bodies": ["post0", "bar0"], "at": [1.0, 0.0]},
        "c": {"type": "revolute", "bodies": ["bar0", "post1"], "at": [2.0, 0.0]},
        "d": {"type": "revolute", "bodies": ["post1", "ground"], "at": [1.0, 0.0]},
    }
    made = mbsim.assemble(mechanisms.model(model))
    v = np.zeros(9)
    v[1], v[2], v[4], v[7], v[8] = 0.5, 1.0, 1.0, 0.7, 0.7  # posts that turn at different rates: only to first order allowed
    v[5] = 1.4 - 1.0 - 0.7 + 0.0
    C = made.system.C(0.0, made.q)
    v -= np.linalg.pinv(C) @ (C @ v)
    with pytest.raises(mbsim.SimulationError, match=r"^stopped .* singular position of a\[0\]"):
        mbsim.simulate(made, v=v, method="cfa", end=0.1)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_drift_is_corrected_in_the_mass_norm(dimension: int) -> None:
    """The block projection moves a disturbed state to where the dense one does."""
    made = mbsim.assemble(mechanisms.model(tree(dimension, 4, loops=1)))
    system, rng = made.system, np.random.default_rng(1)
    t, q, v = consistent_state(system, made.q, rng, 0.02)
    q, v = system.move(q, 1e-4 * rng.standard_normal(system.n_v)), v + 1e-3 * rng.standard_normal(system.n_v)
    found = []
    for method in ("cfa", "lagrange"):
        solved = formulation(system, method)
        z = np.zeros(solved.size)
        solved.start(t, q, v, z)
        system.functions[0](system.arrays, t, q, np.zeros((system.n_rows, system.n_v)), solved.work.xi)
        z[system.n_v : -1] = q
        solved.functions.rhs(system.functions, system.arrays, solved.work, t, z, z.copy())
        new_q, new_v = q.copy(), v.copy()
        assert solved.functions.project(system.functions, system.arrays, solved.work, t, new_q, new_v) == contracts.OK
        found.append((new_q, new_v))
    close(found[0][0], found[1][0], atol=1e-9)
    close(found[0][1], found[1][1], atol=1e-8)
    close(system.phi(t, found[0][0]), 0.0, atol=1e-10)


def test_start_and_rank_by_blocks_equal_the_dense_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    flat = mbsim.assemble(mechanisms.shipped("four_bar"))
    for made in (flat, _in_space(flat), mbsim.assemble(mechanisms.model(mechanisms.parallel_pendulum(3, 3)))):
        system, rng = made.system, np.random.default_rng(2)
        q, v = system.move(made.q, 1e-3 * rng.standard_normal(system.n_v)), rng.standard_normal(system.n_v)
        dense = mbsim.redundancy(system, 0.0, made.q), assemble_system(system, 0.0, q, v)
        with monkeypatch.context() as patch:
            patch.setattr("mbsim.diagnosis.blocks.DENSE_ROWS", 0)
            blocks = mbsim.redundancy(system, 0.0, made.q), assemble_system(system, 0.0, q, v)
        assert (blocks[0].rank, blocks[0].groups) == (dense[0].rank, dense[0].groups)
        assert (blocks[0].unique == dense[0].unique).all()
        # off the constraints redundant rows contradict each other, and which are left out differs to first order
        close(blocks[1].q, dense[1].q, atol=1e-3 if dense[0].groups else 1e-12)
        close(system.phi(0.0, blocks[1].q), 0.0, atol=1e-11)
        close(system.C(0.0, blocks[1].q) @ blocks[1].v, 0.0, atol=1e-10)


def test_blocks_keep_what_is_held() -> None:
    made = mbsim.assemble(mechanisms.model(planar_chain(5)))
    system = made.system
    fixed = np.zeros(system.n_v, bool)
    fixed[[0, 4]] = True
    blocks = Blocks(system)
    blocks.hold(fixed)
    C = system.C(0.0, made.q)
    b = C @ np.where(fixed, 0.0, np.random.default_rng(0).standard_normal(system.n_v))  # what is not held can do this
    d = blocks.displacement(0.0, made.q, b)
    close(d[fixed], 0.0, atol=0.0)
    close(C @ d, b, atol=1e-10)


def test_long_chains_run_with_the_default_method() -> None:
    """No recursion, no matrix of the size of the system, and the energy is kept."""
    made = mbsim.assemble(mechanisms.model(planar_chain(1200)))
    assert made.system.n_rows > DENSE_ROWS
    assert mbsim.redundancy(made.system, 0.0, made.q).degrees_of_freedom == 1200
    result = mbsim.simulate(made, end=0.05, step=0.01)
    assert result.attributes["method"] == "cfa"
    assert np.abs(result["energy_balance"]).max() < 1e-6 * 1200 * 9.81
    assert result["residual_position"].max() < 1e-9


def test_bodies_without_joints_fly_freely() -> None:
    body = mechanisms.body_block(3, 0) | {"angular_velocity": [1.0, 2.0, 3.0]}
    model = {"name": "free", "bodies": {"a": body}, "simulation": {"end": 0.1}}
    results = [mbsim.simulate(mechanisms.model(model), method=method) for method in ("cfa", "lagrange")]
    close(results[0]["q"], results[1]["q"], atol=1e-13)


def test_auto_is_cfa_without_loops_and_from_a_number_of_bodies_on() -> None:
    for bodies, looped, options, expected in (
        (2, False, {}, "cfa"),
        (2, True, {}, "svd"),
        (MANY_BODIES - 1, True, {}, "svd"),
        (MANY_BODIES, True, {}, "cfa"),
        (MANY_BODIES, True, {"hold": False}, "svd"),  # an option names the method it belongs to
        (MANY_BODIES, True, {"method": "lagrange"}, "lagrange"),
        (MANY_BODIES, True, {"method": "auto"}, "cfa"),
    ):
        source = planar_chain(bodies)
        if looped:
            source["joints"]["end"] = {"type": "distance", "bodies": ["ground", f"b{bodies - 1}"], "at": [[0.0, -1.0], [bodies - 0.5, 0.0]]}
        made = mbsim.assemble(mechanisms.model(source))
        assert mbsim.simulate(made, end=0.01, step=0.01, **options).attributes["method"] == expected


def test_a_body_with_too_many_joints_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mbsim.saddle.joints.table.PRODUCTS", 100)
    star = planar_chain(12)
    for k, joint in enumerate(star["joints"].values()):
        joint["bodies"] = ["ground" if k == 0 else "b0", f"b{k}"]
    with pytest.raises(ValueError, match="body 'b0' has 12 joints and drivers; use the method 'svd' or 'lagrange'"):
        mbsim.simulate(mechanisms.model(star), method="cfa")


def evaluated(made: Assembly, t: float, q: np.ndarray, v: np.ndarray, quick: bool) -> tuple[np.ndarray, np.ndarray, contracts.Work]:
    """v_dot, multipliers and the work arrays of `cfa`, with and without the sweeps for independent planar constraints."""
    system, method = made.system, registry.module("methods", "cfa")
    work = formulation(system, "cfa").work
    if not quick:
        work.own.bodies = np.zeros((0, 6))
    z = np.zeros(system.n_v + system.n_q + 1)
    assert method.start(system.functions, system.arrays, work, t, q, v, z) == contracts.OK
    z[system.n_v : -1] = q
    rates = z.copy()
    assert method.rhs(system.functions, system.arrays, work, t, z, rates) == contracts.OK
    return rates, work.lam, work


def starred() -> dict[str, Any]:
    """A plate that carries eleven hinged bars, a slider, a welded block and a driver: blocks of one, two and three rows at one body."""
    model = planar_chain(15)
    for k, joint in enumerate(list(model["joints"].values())[1:12], 1):
        joint["bodies"] = ["b0", f"b{k}"][:: 1 - 2 * (k % 2)]
    model["joints"]["j13"] |= {"type": "prismatic", "bodies": ["b0", "b13"], "axis": [1.0, 0.5]}
    model["joints"]["j14"] |= {"type": "fixed", "bodies": ["b13", "b14"]}
    return model | {"drivers": {"motor": {"joint": "j3", "angle": "0.3*sin(2*t)"}}}


PLANAR = {
    **{f"tree {seed}": tree(2, seed) for seed in SEEDS},
    "star": starred(),
    "chain": planar_chain(40),
    "closed chain": planar_chain(12, closed=True),
    "cells": planar_chain(9, cells=True),
}


@pytest.mark.parametrize("name", PLANAR)
def test_the_planar_sweeps_equal_the_elimination_with_rank_decisions(name: str) -> None:
    made = mbsim.assemble(mechanisms.model(PLANAR[name]))
    t, q, v = consistent_state(made.system, made.q, np.random.default_rng(5), 0.05)
    (one, lam, quick), (other, expected, general) = (evaluated(made, t, q, v, quick) for quick in (True, False))
    assert not quick.own.Y.any()  # C W was not formed: the sweeps did it
    assert general.own.Y.any()
    close(one, other, atol=1e-10 * np.abs(other).max())
    close(lam, expected, atol=1e-10 * np.abs(expected).max(initial=1.0))


def test_the_planar_sweeps_leave_what_is_weak_to_the_elimination_with_rank_decisions() -> None:
    """A parallelogram a little off the flat position, where it can change branches; flat, it loses a row."""
    model = planar_chain(1, cells=True)
    corners = {"a": ("ground", "post0", 0.0, 0.0), "b": ("post0", "bar0", 1.0, 0.0), "c": ("bar0", "post1", 3.0, 0.0)}
    model["joints"] = {name: {"type": "revolute", "bodies": [i, j], "at": [x, y]} for name, (i, j, x, y) in corners.items()}
    model["joints"]["d"] = {"type": "revolute", "bodies": ["post1", "ground"], "at": [2.0, 0.0]}
    for name, x in {"post0": 0.5, "bar0": 2.0, "post1": 2.5}.items():
        model["bodies"][name] |= {"angle": 0.0, "position": [x, 0.0]}
    made = mbsim.assemble(mechanisms.model(model))
    still = np.zeros(made.system.n_v)
    for angle, rank in ((1e-2, 8), (1e-4, 8), (0.0, 7)):
        c, s = np.cos(angle), np.sin(angle)
        q = np.array([0.5 * c, 0.5 * s, angle, c + 1.0, s, 0.0, 2.0 + 0.5 * c, 0.5 * s, angle])
        a, _, work = evaluated(made, 0.0, q, still, True)
        assert work.own.Y.any() == (angle < 1e-3)
        assert work.status[contracts.STATUS_RANK] == rank
        close(a[:9], evaluate(made.system, "lagrange", 0.0, q, still)[0], atol=1e-6)
