"""Systems in joint coordinates against their definitions: energies, power, momentum, rows of loops, drivers, names, the start."""

from pathlib import Path
from typing import Any

import mechanisms
import numpy as np
import pytest
import trees
from click.testing import CliRunner
from mechanisms import close, derivative

import mbsim
from mbsim.assembly.bodies import Bodies
from mbsim.cli import main
from mbsim.model.file.errors import ModelError


def states(source: dict[str, Any], count: int = 3) -> Any:
    made = mbsim.assemble(mechanisms.model(source))
    rng = np.random.default_rng(11)
    for _ in range(count):
        yield made.system, *trees.state(made.system, made.q, rng)


def along(system: Any, q: np.ndarray, v: np.ndarray, a: np.ndarray, e: float) -> tuple[np.ndarray, np.ndarray]:
    """State after the time e of the motion with constant v_dot = a, from the rates of q."""
    steps = 8
    for k in range(steps):  # Runge and Kutta's method on q_dot = N(q) v(t); exact to round-off for the small e used here
        h = e / steps
        u = [v + (k + c) * h * a for c in (0.0, 0.5, 1.0)]
        k1 = system.rates(0.0, q, u[0])
        k2 = system.rates(0.0, q + h / 2 * k1, u[1])
        k3 = system.rates(0.0, q + h / 2 * k2, u[1])
        k4 = system.rates(0.0, q + h * k3, u[2])
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return q, v + e * a


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("seed", range(12))
def test_mass_matrix_energy_power(seed: int, dimension: int) -> None:
    for system, t, q, v in states(trees.random_tree(seed, 6, dimension, floating=seed % 2 == 1)):
        M, h, _, _, _, power = system.terms(t, q, v)
        close(M, M.T, atol=0.0)
        assert np.linalg.eigvalsh(M).min() > 0
        kinetic, potential, _ = system.energy(t, q, v)
        assert kinetic == pytest.approx(v @ M @ v / 2, rel=1e-12)
        for i, first in enumerate(system.skyline):
            assert not M[i, :first].any()
        close(system.rates(0.0, q, v), derivative(lambda e, s=system, q=q, v=v: s.move(q, e * v)), atol=1e-9)
        a = np.linalg.solve(M, h)

        def balance(e: float, s: Any = system, t: float = t, q: np.ndarray = q, v: np.ndarray = v, a: np.ndarray = a) -> float:
            return float(s.energy(t + e, *along(s, q, v, a, e))[2])

        scale = max(abs(kinetic), abs(potential), np.abs(a).max() * np.abs(v).max(), 1.0)
        assert derivative(balance) == pytest.approx(power, abs=1e-6 * scale)


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_bodies_stand_as_drawn_and_names_follow_the_joints(dimension: int) -> None:
    source = trees.random_tree(4, 9, dimension, floating=True)
    made = mbsim.assemble(mechanisms.model(source))
    result = mbsim.simulate(made, end=1e-3, step=1e-3, method="aba")
    for k, block in enumerate(source["bodies"].values()):
        close(result["body_position"][0, k, :dimension], block["position"], atol=1e-13)
    assert set(made.system.coordinates[:3]) == ({"j0.x", "j0.y", "j0.angle"} if dimension == 2 else {"j0.x", "j0.y", "j0.z"})


def test_momentum_of_a_floating_tree() -> None:
    """Nothing acts from outside: linear and angular momentum about the origin stay, whatever the joints' motors do."""
    for seed in range(4):
        source = trees.random_tree(seed, 5, 3, floating=True, words=["revolute", "universal", "spherical", "cylindrical", "helical"])
        source["gravity"] = [0, 0, 0]
        turning = [name for name, block in source["joints"].items() if block["type"] == "revolute"]
        source["forces"] = {"m": {"type": "joint_torque", "joint": turning[0], "value": "3*sin(5*t)"}} if turning else {}
        source["initial"] = {"j0.omega.x": 0.4, "der(j0.y)": 0.3, "j0.omega.z": -0.7}
        result = mbsim.simulate(mechanisms.model(source), method="aba", end=0.2, step=1e-3, output_step=0.05)
        mass = np.array([block["mass"] for block in source["bodies"].values()])
        inertia = [np.array(block["inertia"]) for block in source["bodies"].values()]
        matrices = np.array([[[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]] for i in inertia])
        p = np.einsum("b,tbi->ti", mass, result["body_velocity"])
        from mbsim.kernels.rotations import matrices as rotations

        R = rotations(result["body_orientation"])
        spin = np.einsum("tbij,bjk,tblk,tbl->ti", R, matrices, R, result["body_angular_velocity"])
        angular = spin + np.einsum("b,tbi->ti", mass, np.cross(result["body_position"], result["body_velocity"]))
        close(p - p[0], 0.0, atol=1e-9)
        close(angular - angular[0], 0.0, atol=1e-8)
        assert np.abs(result["energy_balance"]).max() < 1e-7


def test_same_motion_as_in_absolute_coordinates() -> None:
    source: Any = trees.random_tree(2, 4, 3, words=["revolute", "spherical", "universal", "prismatic"])
    tree = mbsim.simulate(mechanisms.model(source), method="cfa", end=0.3, step=5e-4, output_step=0.1)
    bodies = mbsim.simulate(mechanisms.model(trees.absolute(source)), method="lagrange", end=0.3, step=5e-4, output_step=0.1)
    for name in ("body_position", "joint_force", "joint_torque", "energy_work"):
        close(tree[name], bodies[name], atol=1e-6 * max(1.0, np.abs(bodies[name]).max()))


# Loops


@pytest.mark.parametrize("name", ["four_bar", "spatial_slider_crank"])
@pytest.mark.parametrize("cut", ["A", "B", None])
def test_closed_loops(name: str, cut: str | None) -> None:
    """Rows of the cut joint: motion, reactions and residuals as in absolute coordinates."""
    import yaml

    source = yaml.safe_load((mechanisms.MODELS / f"{name}.yaml").read_text())
    source.pop("initial", None)
    reference = mbsim.simulate(mechanisms.model(source), method="lagrange", end=0.3, step=1e-3, output_step=0.1)
    source["coordinates"] = "joint"
    if cut is not None:
        source["joints"][cut]["cut"] = True
    made = mbsim.assemble(mechanisms.model(source))
    assert len(made.system.cuts) == 1 and (cut is None or made.system.cuts == [cut])
    for method in ("lagrange", "svd"):
        result = mbsim.simulate(made, method=method, end=0.3, step=1e-3, output_step=0.1)
        for variable in ("body_position", "joint_force", "joint_torque"):
            if variable.startswith("joint") and not (result["joint_reaction_unique"].all() and reference["joint_reaction_unique"].all()):
                continue
            close(result[variable], reference[variable], atol=1e-6 * max(1.0, np.abs(reference[variable]).max()))
        assert result["residual_position"].max() < 1e-9


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_rows_of_loops_and_drivers_are_derivatives(dimension: int) -> None:
    """C, xi, eta against differences, for every joint as the one that closes a loop, and for drivers of tree joints and cut ones."""
    from test_constraint_derivatives import check_at

    words = [word for word, d in mechanisms.joint_dimensions() if d == dimension and word != "free"]
    for seed, word in enumerate(words):
        source = trees.random_tree(seed, 4, dimension, floating=seed % 2 == 0, words=["revolute", "prismatic"])
        at = [0.2] * dimension
        source["joints"]["loop"] = mechanisms.joint_block(word, dimension, bodies=["b1", "b3"], at=at, cut=True)
        source["joints"]["other"] = mechanisms.joint_block(word, dimension, bodies=["b2", "ground"], at=at, cut=True)
        driven = "angle" if source["joints"]["j1"]["type"] == "revolute" else "displacement"
        source["drivers"] = {"d": {"joint": "j1", driven: "0.2*sin(2*t)"}}
        system = Bodies(mechanisms.model(source)).system()
        assert set(system.cuts) == {"loop", "other"}
        rng = np.random.default_rng(seed)
        tree = mbsim.assemble(mechanisms.model({k: v for k, v in source.items() if k != "drivers"} | {"joints": {
            n: j for n, j in source["joints"].items() if n not in ("loop", "other")}}))  # fmt: skip
        for _ in range(3):
            check_at(system, *trees.state(system, tree.q, rng))


def test_equations_and_drivers_on_joint_coordinates() -> None:
    """A gear between two hinges and a driven one: the multipliers are the efforts, the joints' reactions leave them out."""
    bodies = {f"b{k}": {"mass": 1.0, "inertia": 0.1, "position": [0.5 + k, 0]} for k in range(3)}
    joints = {f"j{k}": {"type": "revolute", "bodies": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [k, 0]} for k in range(3)}
    source = {
        "name": "geared arm", "dimension": 2, "gravity": [0, -9.81], "coordinates": "joint", "bodies": bodies, "joints": joints,
        "drivers": {"motor": {"joint": "j0", "angle": "0.3*sin(2*t)"}},
        "constraints": {"gear": {"type": "holonomic", "equation": "j2.angle - 2*j1.angle"}}, "simulation": {"end": 0.5, "step": 1e-3},
    }  # fmt: skip
    result = mbsim.simulate(mechanisms.model(source), method="lagrange")
    close(result.select("j2.angle"), 2 * result.select("j1.angle"), atol=1e-9)
    close(result.select("j0.angle"), 0.3 * np.sin(2 * result.time), atol=1e-9)
    assert np.abs(result["energy_balance"]).max() < 1e-8
    close(result["joint_torque"][:, :, 2], 0.0, atol=1e-9)  # hinges transmit no torque
    absolute = {key: value for key, value in source.items() if key != "coordinates"}
    absolute["constraints"] = {"gear": {"type": "holonomic", "equation": "(b2.angle - b1.angle) - 2*(b1.angle - b0.angle)"}}
    other = mbsim.simulate(mechanisms.model(absolute), method="lagrange")
    close(result["driver_effort"], other["driver_effort"], atol=1e-5)
    close(result["joint_force"], other["joint_force"], atol=1e-5)


def test_points_that_stand_apart_are_brought_together() -> None:
    bodies = {
        "a": {"mass": 1, "inertia": 0.1, "position": [0.5, 0.2], "points": {"P": [0.5, 0]}},
        "b": {"mass": 1, "inertia": 0.1, "position": [2.0, 0.3], "points": {"Q": [-0.4, 0]}},
    }
    joints = {"o": {"type": "prismatic", "points": ["ground", "a"], "axis": [1, 0]}, "p": {"type": "revolute", "points": ["a.P", "b.Q"]}}
    source = {"dimension": 2, "coordinates": "joint", "bodies": bodies, "joints": joints, "simulation": {"end": 1e-3}}
    result = mbsim.simulate(mechanisms.model(source), method="aba")
    assert result.select("o.displacement")[0] == pytest.approx(0.5)
    close(result["body_position"][0, :, :2], [[0.5, 0.0], [1.4, 0.0]], atol=1e-14)


def test_check_names_the_cut_joint_and_a_wrong_method_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (mechanisms.MODELS / "four_bar.yaml").read_text().replace("dimension: 2", "dimension: 2\ncoordinates: joint")
    Path("loop.yaml").write_text("\n".join(line for line in text.splitlines() if not line.startswith("initial")))
    runner = CliRunner()
    checked = runner.invoke(main, ["check", "loop.yaml"])
    assert checked.exit_code == 0 and "loops are closed by the rows of: C" in checked.output
    run = runner.invoke(main, ["run", "loop.yaml", "--method", "cfa"])
    assert run.exit_code == 2 and "loops, drivers or equations: C" in run.output


# Errors


BASE: dict[str, Any] = {
    "dimension": 2, "coordinates": "joint", "bodies": {"rod": {"mass": 1, "inertia": 0.1, "position": [0.5, 0]}},
    "joints": {"pin": {"type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}}, "simulation": {"end": 1},
}  # fmt: skip
WRONG = {
    "a body's state in a law": (
        {"forces": {"f": {"type": "force", "body": "rod", "value": ["rod.angle", 0]}}}, "rod.angle is no coordinate of this tree"
    ),
    "a body's start": ({"initial": {"rod.angular_velocity": 1}}, "joint coordinates, such as"),
    "a body's velocity": ({"bodies": {"rod": {"mass": 1, "inertia": 1, "velocity": [1, 0]}}}, "follows from joint pin"),
    "two coordinates": (
        {"forces": {"f": {"type": "joint_torque", "joint": "pin", "coordinate": "x", "value": 1}}}, "no coordinate of that name"
    ),
    "a driver": ({"drivers": {"d": {"joint": "pin", "displacement": "t"}}}, "has no displacement to drive"),
    "a floating body named like a joint": ({"bodies": BASE["bodies"] | {"pin": {"mass": 1, "inertia": 1}}}, "the body pin floats"),
    "a mass below zero": ({"bodies": {"rod": {"mass": -1, "inertia": 1}}}, r"bodies\.rod\.mass: must be greater than 0"),
    "massless": (
        {"coordinates": "absolute", "bodies": {"rod": {"mass": 0, "inertia": 1}}}, r"bodies\.rod\.mass: must be greater than 0"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_errors(case: str) -> None:
    change, message = WRONG[case]
    with pytest.raises(ModelError, match=message):
        mbsim.assemble(mechanisms.model(BASE | change))
