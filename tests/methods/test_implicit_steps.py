"""What implicit steps are solved with, against the plain way: blocks of planar bodies, and trees in O(N) or by the whole tangent."""

from typing import Any

import mechanisms
import numpy as np
import pytest

import mbsim
from mbsim import registry
from mbsim.assembly import Assembly
from mbsim.formulations import Kernels, choose
from mbsim.kernels import planar_trees, trees
from mbsim.kernels.articulated import begin, inward_added
from mbsim.kernels.articulated_rows import roots, unweigh, weigh
from mbsim.march.formulation import tangent_of
from mbsim.methods.implicit import alpha_tree
from mbsim.methods.implicit.form import Form
from mbsim.saddle.bodies import factor, pins
from mbsim.system.structure import body_table
from mbsim.system.tangents import twins
from mbsim.system.work import is_watched

METHOD = "generalized_alpha(index=3)"


def chain(bodies: int, dimension: int = 2, forces: str = "", drop: str = "") -> str:
    """A chain in joint coordinates, of every kind of joint with one coordinate in space, with springs along its joints."""
    z = ", 0" * (dimension - 2)
    inertia = "1/12" if dimension == 2 else "[0.1, 1/12, 0.09]"
    kinds = ["revolute", "revolute", "prismatic"] if dimension == 2 else ["revolute", "prismatic", "cylindrical", "revolute"]
    lines = [f"dimension: {dimension}", "coordinates: joint", f"gravity: [0, -9.81{z}]", "bodies:"]
    lines += [f"  b{i}: {{mass: 1, inertia: {inertia}, position: [{i + 0.5}, {0.1 * i}{z}]}}" for i in range(bodies)]
    lines.append("joints:")
    springs = []
    for i in range(bodies):
        kind, before = kinds[i % len(kinds)], f"b{i - 1}" if i else "ground"
        axis = (
            ""
            if kind == "revolute" and dimension == 2
            else f", axis: [0.6, 0.8{z}]"
            if i % 2
            else f", axis: [{'0, 0, 1' if z else '1, 0'}]"
        )
        rotor = f", rotor_inertia: {0.1 + 0.01 * i}" if kind != "cylindrical" else ""
        lines.append(f"  j{i}: {{type: {kind}, bodies: [{before}, b{i}], at: [{i}, {0.1 * i}{z}]{axis}{rotor}}}")
        word = "rotational" if kind == "revolute" else "translational"
        springs.append(f"  s{i}: {{type: {word}_spring_damper, joint: j{i}, stiffness: {1000 + 100 * i}, damping: {1 + 0.1 * i}}}")
    return "\n".join([*lines, "forces:", *(springs if not drop else []), forces, "simulation: {end: 0.05, step: 0.005}"])


def assembled(text: str) -> Assembly:
    return mbsim.assemble(mechanisms.model(text))


@pytest.mark.parametrize("seed", range(5))
def test_the_inverse_of_a_body_with_two_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = np.zeros((5, 5))
    K[:3, :3], K[:3, 3:], K[3:, :3] = rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), rng.normal(size=(2, 3))
    right, left = rng.normal(size=(5, 3)), rng.normal(size=(3, 5))
    S = np.concatenate([K.ravel(), right.ravel(), left.ravel(), np.zeros(9)])
    plain, order = S.copy(), np.zeros(5, np.int64)
    assert factor.factor_block(plain, 0, 5, order)
    factor.solve_columns(plain, 0, 5, order, 25, 3)
    factor.subtract_product(plain, 40, 3, 5, 25, 3, 55, 3)
    assert pins.invert_pin(S, 0)
    pins.spread_pin(S, 0, 25)
    pins.subtract_pin(S, 40, 25, 55, 3)
    assert np.abs(S[:25].reshape(5, 5) @ K - np.eye(5)).max() < 1e-12
    assert np.abs(S[25:] - plain[25:]).max() < 1e-11
    x = rng.normal(size=8)
    y = x.copy()
    pins.subtract_left(S, 40, pins.solve_pin(S, 0, x, 0), x, 5)
    pins.subtract_right(S, 25, x, 5, 0)
    factor.solve_vector(plain, 0, 5, order, y, 0)
    factor.subtract_columns(plain, 40, 3, 5, y, 0, y, 5)
    factor.subtract_columns(plain, 25, 5, 3, y, 5, y, 0)
    assert np.abs(x - y).max() < 1e-10


def test_blocks_without_that_form_are_left_alone() -> None:
    rng = np.random.default_rng(1)
    K = np.zeros((5, 5))
    K[:3, :3], K[:3, 3:], K[3:, :3] = rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), rng.normal(size=(2, 3))
    for spoil in ("multiplier", "row", "free"):
        A = K.copy()
        if spoil == "multiplier":
            A[4, 4] = 1.0
        elif spoil == "row":
            A[4] = 2.0 * A[3]
        else:
            A[:3, :3] = 0.0
        S = A.ravel().copy()
        assert not pins.invert_pin(S, 0), spoil
        assert (A.ravel() == S).all()


@pytest.mark.parametrize("dimension", [2, 3])
def test_articulated_inertias_with_a_diagonal_solve_what_dense_ones_do(dimension: int) -> None:
    system = assembled(chain(8, dimension)).system
    rng = np.random.default_rng(3)
    n = system.n_v
    q, v, f = rng.normal(size=system.n_q), rng.normal(size=n), rng.normal(size=n)
    M = np.tril(system.terms(0.0, q, v)[0])
    M += np.tril(M, -1).T
    added = rng.uniform(0.0, 3.0, n)
    arrays, x = system.arrays, f.copy()
    begin(arrays.tree, arrays.tree_data, arrays.tree_work, v)
    assert inward_added(arrays.tree, arrays.tree_data, arrays.tree_work, added) == -1
    roots(arrays.tree, arrays.tree_work)
    weigh(arrays.tree, arrays.tree_data, arrays.tree_work, x)
    unweigh(arrays.tree, arrays.tree_data, arrays.tree_work, x)
    assert np.abs((M + np.diag(added)) @ x - f).max() < 1e-11


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_diagonal_is_that_of_the_loads_along_joints(dimension: int) -> None:
    system = assembled(chain(8, dimension)).system
    rng = np.random.default_rng(4)
    n, arrays, c_q, c_v = system.n_v, system.arrays, 0.3, 0.7
    q, v = 0.1 * rng.normal(size=system.n_q), rng.normal(size=n)
    bare = arrays._replace(loads=arrays.loads[:0], load_data=arrays.load_data[:0])

    def efforts(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        found = []
        for part in (arrays, bare):
            h, M = np.zeros(n), np.zeros((n, n))
            system.functions.constraints(part, 0.0, q, np.zeros((0, n)), np.zeros(0))
            system.functions.dynamics(part, 0.0, q, v, M, h, np.zeros(0), np.zeros(1))
            found.append(h)
        return found[0] - found[1]

    expected = np.zeros((n, n))
    for j, e in enumerate(1e-4 * np.eye(n)):
        expected[:, j] = -c_q * (efforts(q + e, v) - efforts(q - e, v)) / 2e-4 - c_v * (efforts(q, v + e) - efforts(q, v - e)) / 2e-4
    system.terms(0.0, q, v)
    twin, diagonal, none = twins(arrays), np.zeros(n), np.zeros((0, n))
    tangent_of(system)(
        arrays, twin.frames, twin.relative_values, twin.laws, none, q, v, np.zeros(0), np.zeros(0), c_q, c_v,
        np.zeros((1, 8), np.int64), np.zeros((3, n + 16)), none, diagonal,
    )  # fmt: skip
    assert np.abs(np.diag(diagonal) - expected).max() < 1e-6 * np.abs(expected).max()
    assert np.count_nonzero(diagonal) >= 8


def planar_effort(system: Any, flat: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Applied forces less inverse dynamics, by `planar_trees`; loads on bodies as they are in the arrays."""
    arrays, force = system.arrays, np.zeros(system.n_v)
    system.functions.dynamics(arrays, 0.0, q, v, np.zeros((0, 0)), force, np.zeros(0), np.zeros(1))
    planar_trees.outward(arrays.tree, arrays.tree_data, arrays.tree_work, flat, q, v, a, arrays.gravity)
    planar_trees.inward(arrays.tree, flat, arrays.wrenches, force)
    trees.rotor_forces(arrays, a, force)
    return force


def planar(text: str) -> tuple[Any, np.ndarray]:
    """A system, and what `planar_trees` knows of it."""
    system = assembled(text).system
    flat = np.zeros((len(system.arrays.tree), planar_trees.WIDTH))
    planar_trees.set_constants(system.arrays.tree, system.arrays.tree_data, flat)
    return system, flat


BRANCH = """
  p: {type: force, body: b4, at: [4.6, 0.3], value: [3, -2]}
  t: {type: torque, body: b2, value: 1.5}"""


def test_inverse_dynamics_of_planar_trees() -> None:
    system, flat = planar(chain(8, 2, BRANCH))
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, system.n_v))
    M, h, *_ = system.terms(0.0, q, v)
    M = np.tril(M) + np.tril(M, -1).T
    force = planar_effort(system, flat, q, v, a)
    assert np.abs(force - (h - M @ a)).max() < 1e-11 * np.abs(force).max()


def test_the_matrix_of_planar_trees_is_the_tangent_to_first_order() -> None:
    system, flat = planar(chain(8, 2, "  none: {type: force, body: b0, at: [0, 0], value: [0, 0]}", drop="springs"))
    rng = np.random.default_rng(6)
    n, arrays = system.n_v, system.arrays
    q, v, a = rng.normal(size=(3, n))
    left = []
    for h in (1e-2, 5e-3):
        c_q, c_v = 0.25 * h * h, 0.5 * h
        expected = np.zeros((n, n))
        for j, e in enumerate(1e-4 * np.eye(n)):
            ends = [planar_effort(system, flat, q + s * c_q * e, v + s * c_v * e, a + s * e) for s in (1.0, -1.0)]
            expected[:, j] = (ends[1] - ends[0]) / 2e-4
        planar_effort(system, flat, q, v, a)
        assert planar_trees.eliminate(arrays.tree, arrays.tree_data, flat, np.zeros(n), c_q, c_v)
        inverse = np.zeros((n, n))
        for j in range(n):
            inverse[j, j] = 1.0
            planar_trees.solve(arrays.tree, flat, inverse[j])
        left.append(np.abs(inverse.T @ expected - np.eye(n)).max())
        M = np.tril(system.terms(0.0, q, v)[0])
        plain = np.abs(np.linalg.solve(M + np.tril(M, -1).T, expected) - np.eye(n)).max()
        assert left[-1] < 0.2 * plain
    assert left[1] < 0.3 * left[0]


def run(made: Assembly, monkeypatch: pytest.MonkeyPatch, dense: bool, **options: Any) -> Any:
    with monkeypatch.context() as patch:
        if dense:
            declared = registry.declaration
            patch.setattr(registry, "declaration", lambda *words: None if "KERNELS" in words else declared(*words))
        return mbsim.simulate(made, method=METHOD, **options)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("options", [{}, {"rtol": 1e-4, "atol": 1e-6}], ids=["equal steps", "error control"])
def test_a_tree_marches_as_with_dense_matrices(dimension: int, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made = assembled(chain(8, dimension))
    assert choose(made.system, "generalized_alpha").module() is alpha_tree
    quick, plain = run(made, monkeypatch, False, end=0.02, **options), run(made, monkeypatch, True, end=0.02, **options)
    counts = quick.attributes["counts"]
    assert counts["iterations"] <= 6 * (counts["steps"] + counts["rejected"])
    for name in ("q", "v"):
        assert np.abs(quick[name][-1] - plain[name][-1]).max() < (1e-4 if options else 1e-8), name


def test_stiffness_between_bodies_takes_the_whole_tangent(monkeypatch: pytest.MonkeyPatch) -> None:
    across = "  x: {type: spring_damper, bodies: [ground, b7], at: [[0, 3], [7.5, 0.7]], stiffness: 1e6, damping: 100}"
    made = assembled(chain(8, 2, across))
    quick, plain = run(made, monkeypatch, False, end=0.02), run(made, monkeypatch, True, end=0.02)
    assert np.abs(quick["q"][-1] - plain["q"][-1]).max() < 1e-8


def test_states_of_the_user_beside_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    text = chain(8, 2, "  m: {type: joint_torque, joint: j0, value: 50*x}") + "\nstates: {x: {start: 0.5, rate: -20*x - der(j0.angle)}}\n"
    made = assembled(text)
    quick, plain = run(made, monkeypatch, False, end=0.02), run(made, monkeypatch, True, end=0.02)
    assert np.abs(quick["q"][-1] - plain["q"][-1]).max() < 1e-8
    assert abs(quick["q"][-1][-1] - 0.5) > 0.01


def test_trees_with_rows_keep_the_dense_kernels() -> None:
    text = chain(3) + "\ndrivers: {turn: {joint: j0, angle: 0.1*t^2}}\n"
    assert choose(assembled(text).system, "generalized_alpha").file == "generalized_alpha"


def absolute(bodies: int, dimension: int = 2, more: str = "") -> Any:
    """A chain in absolute coordinates, of revolute joints."""
    z, axis = (", 0", ", axis: [0, 0, 1]") if dimension == 3 else ("", "")
    inertia = "1/12" if dimension == 2 else "[0.1, 1/12, 0.09]"
    lines = [f"dimension: {dimension}", "bodies:"]
    lines += [f"  b{i}: {{mass: 1, inertia: {inertia}, position: [{i + 0.5}, 0{z}]}}" for i in range(bodies)]
    lines.append("joints:")
    pairs = [(f"b{i - 1}" if i else "ground", f"b{i}") for i in range(bodies)]
    lines += [f"  j{i}: {{type: revolute, bodies: [{a}, {b}], at: [{i}, 0{z}]{axis}}}" for i, (a, b) in enumerate(pairs)]
    return assembled("\n".join([*lines, more, "simulation: {end: 1}"])).system


GEAR = "  g: {{type: gear, joints: [j{}, j{}], ratio: 2}}"
EQUATION = "constraints:\n  e: {{type: holonomic, equation: b{0}.x*b{1}.y + b{2}.angle - b{1}.y}}"


@pytest.mark.parametrize("more", [GEAR, EQUATION], ids=["coupling", "equation"])
@pytest.mark.parametrize("ends", [(0, 1, 2), (1, 5, 3)])
def test_one_coupling_or_equation_leaves_the_elimination_linear(more: str, ends: tuple[int, int, int]) -> None:
    """The numbers in the blocks of longer and longer chains."""
    places = [body_table(absolute(bodies, 2, more.format(*ends))).places for bodies in (6, 9, 12)]
    assert places[2] - places[1] <= 1.1 * (places[1] - places[0])
    assert places[2] < 1.6 * body_table(absolute(12)).places


def by_blocks(system: Any) -> bool:
    return choose(system, "generalized_alpha").file == "implicit.alpha_bodies"


def test_which_bodies_are_solved_by_blocks() -> None:
    assert [by_blocks(absolute(bodies)) for bodies in (1, 2)] == [False, True]
    assert [by_blocks(absolute(bodies, 3)) for bodies in (4, 5)] == [False, True]
    assert by_blocks(absolute(3, 2, GEAR.format(0, 2)))
    assert not by_blocks(mbsim.assemble(mechanisms.shipped("four_bar")).system)
    assert [by_blocks(absolute(bodies, 2, EQUATION.format(0, 1, 2))) for bodies in (7, 8)] == [False, True]


KERNELS = registry.declaration("methods", "generalized_alpha", "KERNELS")


@pytest.mark.parametrize("file", [file for _, file in KERNELS])
def test_every_form_says_all_that_the_step_asks(file: str) -> None:
    form = Kernels(file).module().FORM
    assert isinstance(form, Form)
    assert form.has_tangent or form.is_near
    assert all(callable(part) or isinstance(part, bool | int) for part in form)


@pytest.mark.parametrize("index", [2, 3])
@pytest.mark.parametrize(("name", "most"), [("double_pendulum", 4.0), ("four_bar", 3.8), ("chaplygin_sleigh", 2.2)])
def test_dense_matrices_begin_where_the_last_steps_point(name: str, most: float, index: int) -> None:
    """Iterations a step, which are 5.7, 4.4 and 3.7 from the last state itself."""
    found = mbsim.simulate(mechanisms.shipped(name), method=f"generalized_alpha(index={index})", step=0.005, end=1.0)
    counts = found.attributes["counts"]
    assert counts["iterations"] <= most * counts["steps"]


def test_couplings_of_a_tree_are_not_watched() -> None:
    assert not is_watched(absolute(3, 2, GEAR.format(0, 2)))
    assert is_watched(absolute(3, 2, EQUATION.format(0, 1, 2)))
