"""aba, kane and cfa against each other, against lagrange on the same tree, and against the same mechanism in absolute coordinates."""

import importlib.util
from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from mechanisms import ROW_METHODS, TREE_METHODS, close, formulation

import mbsim
from mbsim.observe.observer import Observer
from mbsim.system.system import System

VARIANTS = [*TREE_METHODS, "cfa(elimination=odd_even)", "cfa(elimination=dense)"]
SPATIAL = [word for word in trees.SPATIAL if word != "free"]
RELATIVE = 1e-12  # the paper's criterion


def accelerations(made: System, method: str, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    solved = formulation(made, method)
    module, work = solved.functions, solved.work
    z, row = np.zeros(made.n_v + made.n_q + 1), np.zeros(made.n_q + 2 * made.n_v + made.n_rows + 1)
    z[made.n_v : -1] = q
    assert module.start(made.functions, made.arrays, work, t, q, v, z) == 0
    assert module.expand(module.rhs, made.functions, made.arrays, work, t, z, row) == 0
    return row[made.n_q + made.n_v : made.n_q + 2 * made.n_v]


def observed(made: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> dict[str, Any]:
    """What is recorded of one state."""
    work = formulation(made, "lagrange").work
    return Observer(made, work).chunk(np.array([t]), np.concatenate([q, v, a, lam, [0.0]])[None])


def relative(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).max() / max(1.0, np.abs(y).max()))


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("seed", range(100))
def test_methods_agree_and_equal_absolute_coordinates(seed: int, dimension: int) -> None:
    """200 random trees: accelerations of all methods, and reactions against the multipliers of the absolute formulation."""
    words = SPATIAL if dimension == 3 else None
    source = trees.random_tree(seed, 2 + seed % 7, dimension, floating=seed % 2 == 1, words=words)
    made = mbsim.assemble(mechanisms.model(source))
    system = made.system
    t, q, v = trees.state(system, made.q, np.random.default_rng(seed))
    M, h, *_ = system.terms(t, q, v)
    a = np.linalg.solve(M, h)
    condition = np.linalg.cond(M)
    for method in VARIANTS:
        found = accelerations(system, method, t, q, v)
        assert relative(found, a) < max(RELATIVE, 4e-16 * condition), method
    system.energy(t, q, v)
    q_bodies, v_bodies = trees.bodies_state(system, system.arrays.frames)
    other = mbsim.assemble(mechanisms.model(trees.absolute(source))).system
    expected = observed(other, t, q_bodies, v_bodies, *mechanisms.evaluate(other, "lagrange", t, q_bodies, v_bodies))
    assert expected["residual_position"][0] < 1e-12
    got = observed(system, t, q, v, a, np.zeros(0))
    for name in ("body_position", "body_velocity", "body_angular_velocity", "joint_force", "joint_torque"):
        assert relative(got[name], expected[name]) < 1e-10, name
        if name.startswith("joint"):
            assert relative(got[f"{name}_local"], expected[f"{name}_local"]) < 1e-10
    assert got["energy_kinetic"][0] == pytest.approx(expected["energy_kinetic"][0], rel=1e-12)
    assert got["energy_potential"][0] == pytest.approx(expected["energy_potential"][0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_cfa_transmits_the_wrenches_of_inverse_dynamics(seed: int) -> None:
    """The bias wrench plus T (tau - b) + W s, which cfa leaves in the nodes, is the whole wrench through each joint."""
    from mbsim.kernels.tree_columns import BODY, FORCE

    made = mbsim.assemble(mechanisms.model(trees.random_tree(seed, 8, 3, floating=seed % 2 == 0)))
    system = made.system
    t, q, v = trees.state(system, made.q, np.random.default_rng(seed))
    nodes = system.arrays.tree[:, BODY] >= 0
    for method in ("cfa", "cfa(elimination=odd_even)", "cfa(elimination=dense)"):
        a = accelerations(system, method, t, q, v)
        found = system.arrays.tree_work[nodes, FORCE : FORCE + 6].copy()
        observed(system, t, q, v, a, np.zeros(0))
        assert relative(found, system.arrays.tree_work[nodes, FORCE : FORCE + 6]) < 1e-10


@pytest.mark.parametrize("method", VARIANTS)
def test_a_system_that_does_not_fit_is_refused(method: str) -> None:
    if method != "cfa":  # it has kernels for absolute coordinates too
        with pytest.raises(ValueError, match="coordinates: joint"):
            mbsim.simulate(mechanisms.shipped("pendulum"), method=method)
    if method not in ROW_METHODS:
        source = trees.random_tree(1, 3, 2)
        source["joints"]["loop"] = {"type": "revolute", "bodies": ["ground", "b2"], "at": [0.4, 0.3]}
        source["joints"]["j1"]["cut"] = True
        with pytest.raises(ValueError, match=r"without constraints.*: j1; take 'aba' or 'kane'"):
            mbsim.simulate(mechanisms.model(source), method=method)


@pytest.mark.parametrize("method", [name for name in VARIANTS if "=" not in name])
def test_long_chain(method: str) -> None:
    """1,200 links: nothing recurses, and nothing of size n x n is done; a hanging chain at rest stays at rest, its reactions its weight."""
    n = 1200 if method != "kane" else 300
    bodies = {f"b{k}": {"mass": 1, "inertia": 0.1, "position": [0, -0.5 - k]} for k in range(n)}
    pairs = [["ground" if k == 0 else f"b{k - 1}", f"b{k}"] for k in range(n)]
    joints = {f"j{k}": {"type": "revolute", "bodies": pair, "at": [0, -k]} for k, pair in enumerate(pairs)}
    source = {
        "name": "chain", "dimension": 2, "gravity": [0, -10], "coordinates": "joint", "bodies": bodies, "joints": joints,
        "simulation": {"end": 0.01, "step": 0.01, "method": method},
    }  # fmt: skip
    result = mbsim.simulate(mechanisms.model(source))
    close(result["q"], 0.0, atol=1e-9)
    close(result["joint_force"][-1, :, 1], 10.0 * (n - np.arange(n)), atol=1e-6)


@pytest.mark.parametrize("method", VARIANTS)
def test_singular_postures(method: str) -> None:
    """Straight and folded arms, parallel and coinciding axes: where recursive coordinate reduction fails."""
    for angles in ([0.0, 0.0, 0.0], [0.0, np.pi, 0.0], [np.pi / 2, 0.0, np.pi], [0.0, np.pi / 2, np.pi / 2]):
        bodies = {f"b{k}": {"mass": 1, "inertia": [0.01, 0.1, 0.1], "position": [0.5 + k, 0, 0]} for k in range(3)}
        axes = [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
        joints = {
            f"j{k}": {"type": "revolute", "bodies": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [k, 0, 0], "axis": axes[k]}
            for k in range(3)
        }
        source = {"gravity": [0, -9.81, 0], "coordinates": "joint", "bodies": bodies, "joints": joints, "simulation": {"end": 1}}
        system = mechanisms.system(source)
        v = np.array([0.3, -0.7, 1.1])
        M, h, *_ = system.terms(0.0, np.array(angles), v)
        assert relative(accelerations(system, method, 0.0, np.array(angles), v), np.linalg.solve(M, h)) < RELATIVE


def test_every_shipped_tree_method_is_tested_here() -> None:
    assert {name.partition("(")[0] for name in VARIANTS} == set(TREE_METHODS)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_against_pinocchio(seed: int, floating: bool) -> None:
    """Mass matrix, bias and accelerations of trees with every joint, to 1e-10."""
    pytest.importorskip("pinocchio")
    spec = importlib.util.spec_from_file_location("pinocchio_peer", Path(__file__).parents[2] / "scripts" / "pinocchio_peer.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    source = trees.random_tree(seed, 9, 3, floating=floating)
    source["forces"] = {}
    made = mbsim.assemble(mechanisms.model(source))
    system, peer = made.system, module.Peer(made.system)
    t, q, v = trees.state(system, made.q, np.random.default_rng(seed))
    M, h, *_ = system.terms(t, q, v)
    B = peer.basis(q)
    mass = peer.mass_matrix(q, v)
    close(B.T @ M @ B, mass, atol=1e-10 * np.abs(mass).max())
    tau = np.random.default_rng(seed).standard_normal(system.n_v)
    expected = peer.accelerations(q, v, tau)
    close(np.linalg.solve(M, h + tau), expected, atol=1e-10 * np.abs(expected).max())
    if not floating:  # with a floating base the bias is of other speeds
        bias = peer.bias(q, v)
        close(-h, bias, atol=1e-10 * np.abs(bias).max())


@pytest.mark.parametrize("seed", range(40))
def test_methods_agree_with_every_joint(seed: int) -> None:
    """Screws too, which absolute coordinates do not have."""
    made = mbsim.assemble(mechanisms.model(trees.random_tree(1000 + seed, 3 + seed % 8, 3, floating=seed % 2 == 1)))
    system = made.system
    t, q, v = trees.state(system, made.q, np.random.default_rng(seed))
    M, h, *_ = system.terms(t, q, v)
    a = np.linalg.solve(M, h)
    for method in VARIANTS:
        assert relative(accelerations(system, method, t, q, v), a) < max(RELATIVE, 4e-16 * np.linalg.cond(M)), method


@pytest.mark.parametrize("integrator", mechanisms.INTEGRATORS)
def test_every_integrator_marches_a_tree(integrator: str) -> None:
    """The space robot: every method for trees with every integrator, against lagrange in the same coordinates."""
    if integrator == "ida":
        pytest.importorskip("sksundae")
    made = mbsim.assemble(mechanisms.shipped("space_robot"))
    settings: dict[str, Any] = {"end": 0.1, "step": 2e-3, "output_step": 0.1}
    reference = mbsim.simulate(made, method="lagrange", integrator="rk4", **settings)
    for method in TREE_METHODS:
        result = mbsim.simulate(made, method=method, integrator=integrator, **settings)
        for name in ("q", "v"):
            close(result[name], reference[name], atol=1e-5)
        if integrator == "rk4":
            close(result["joint_force"], reference["joint_force"], atol=1e-9)
            assert np.abs(result["energy_balance"]).max() < 1e-12


def test_the_space_robot_keeps_its_momentum_and_cfa_equals_aba() -> None:
    """The paper's example over its 10 s: the centre of mass rests, energy balances, accelerations of cfa and aba agree to 1e-12."""
    made = mbsim.assemble(mechanisms.shipped("space_robot"))
    result = mbsim.simulate(made, output_step=0.5)
    mass = made.system.arrays.masses[:, 0]
    centre = np.einsum("b,tbi->ti", mass, result["body_position"]) / mass.sum()
    close(centre - centre[0], 0.0, atol=1e-9)
    assert np.abs(result["energy_balance"]).max() < 1e-10
    assert np.abs(result["q"][:, 7:]).max() > 1.0  # the arms do swing
    for t, q, v in zip(result.time[1:], result["q"][1:], result["v"][1:], strict=True):
        one, other = (accelerations(made.system, method, t, q, v) for method in ("cfa", "aba"))
        assert np.abs(one - other).max() < RELATIVE * np.abs(other).max()


def test_kanes_dense_form_finds_the_same_motion_and_takes_no_rows() -> None:
    model = mechanisms.shipped("space_robot")
    runs = [mbsim.simulate(model, method=method, end=0.1, step=0.01)["q"][-1] for method in ("kane", "kane(mass_matrix=dense)")]
    assert np.abs(runs[0] - runs[1]).max() < 1e-14
    loop = mechanisms.model((mechanisms.MODELS.parent / "tests" / "failing" / "fourbar_joint.yaml").read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="mass_matrix 'dense' is for trees without constraints"):
        mbsim.simulate(loop, method="kane(mass_matrix=dense)", end=0.1)
