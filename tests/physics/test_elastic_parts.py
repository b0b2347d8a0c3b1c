"""Elastic parts in mechanisms: frequencies, static deflections, energy and momentum, methods, against rigid bodies and beams."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elastic_matrices import EI, LENGTH, beam, write
from mechanisms import derivative, random_state
from scipy.integrate import solve_ivp

import mbsim
from mbsim.formulations import Traits
from mbsim.kernels.rotations import matrices
from mbsim.march.ending import SimulationError
from mbsim.scene.motion import of_result
from mbsim.scene.parts import place
from mbsim.scene.read import scene_of
from mbsim.scene.solids import solids
from mbsim.system.structure import loop_rows
from mbsim.system.work import may_lose_rank

CLAMPED = {"clamp": {"type": "fixed", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0]}}
DOTS = str.maketrans(".()", "___")
PINNED = {"pin": {"type": "revolute", "bodies": ["ground", "arm.hub"], "at": [0, 0, 0], "axis": [0, 0, 1]}}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("parts") / "arm.h5", *beam())


def model(file: str, part: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    block = {"matrices": file, "modes": 2, **(part or {})}
    return {"name": "arm", "elastic": {"arm": block}, "simulation": {"end": 1}, **more}


def test_frequencies_of_a_cantilever(file: str) -> None:
    """As the reduction has them (`test_elastic_reduction.py`)."""
    eigenvalues = np.array(mbsim.modes(model(file, joints=CLAMPED)).eigenvalues)
    found = np.sort(np.abs(eigenvalues[eigenvalues.imag > 0.0]))
    assert len(found) == 8
    np.testing.assert_allclose(found[:4], [3.51723541, 3.51723541, 22.12648131, 22.12648131], rtol=2e-9)


@pytest.mark.parametrize(("kind", "deflection"), [("force", 1.0 / 3.0), ("torque", 1.0 / 2.0)])
def test_a_cantilever_at_rest(file: str, kind: str, deflection: float) -> None:
    """Static shapes are exact: P L^3/3 EI and M L^2/2 EI."""
    load = 1e-6
    value = [0, load, 0] if kind == "force" else [0, 0, load]
    rest = mbsim.equilibrium(model(file, joints=CLAMPED, forces={"f": {"type": kind, "body": "arm.tip", "value": value}}))
    assert rest.q[7 * 2 + 1] == pytest.approx(deflection * load * LENGTH**2 / EI, rel=1e-10)


def momenta(result: Any, source: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """(k, 3) of the frame and the interfaces, in which all momentum is; about the origin."""
    bodies = mbsim.load_model(source).bodies
    p, L = np.zeros((len(result.time), 3)), np.zeros((len(result.time), 3))
    for k, name in enumerate(result.labels("body")):
        if name.startswith("arm_m"):
            continue
        body, r, v = bodies[name], result["body_position"][:, k], result["body_velocity"][:, k]
        A, omega = matrices(result["body_orientation"][:, k]), result["body_angular_velocity"][:, k]
        p += body.mass * v
        L += body.mass * np.cross(r, v) + np.einsum("tij,jk,tlk,tl->ti", A, np.array(body.inertia_matrix), A, omega)
    return p, L


METHODS: list[dict[str, str]] = [
    {"method": "generalized_alpha"},
    *({"method": "lagrange", "integrator": word} for word in ("bdf", "radau")),
    *({"method": word, "integrator": "dop853"} for word in ("riemann", "nullspace", "svd", "cfa")),
]
FREE = {"velocity": [0.3, 0.1, 0], "angular_velocity": [0.5, 1, 2]}


def test_a_free_part_keeps_energy_and_momentum(file: str) -> None:
    source = model(file, FREE, initial={"arm.mode1": 0.02, "der(arm.mode3)": 0.1})
    source["simulation"] = {"end": 0.5, "output_step": 0.05, "method": "generalized_alpha", "rtol": 1e-7, "atol": 1e-7}
    result = mbsim.simulate(source)
    p, L = momenta(result, source)
    assert np.ptp(p, axis=0).max() < 1e-7 and np.ptp(L, axis=0).max() < 1e-6 * np.abs(L).max()
    energy = result["energy_kinetic"] + result["energy_potential"]
    assert result["energy_potential"].max() > 1e-3 * energy[0]  # it does bend
    assert np.ptp(energy) < 1e-5 * energy[0]


def test_what_carries_modes_is_no_part_of_the_mechanism(file: str) -> None:
    """Momentum and centre of mass of all bodies together."""
    names = [f"{of}(mechanism).{axis}" for of in ("momentum", "angular_momentum", "centre_of_mass") for axis in "xyz"]
    source = model(
        file, {"velocity": [0.3, -0.2, 0.1]}, measures={name.translate(DOTS): name for name in names},
        forces={"pull": {"type": "force", "body": "arm.tip", "value": [0, 0.01, 0]}}, simulation={"end": 0.2},
    )  # fmt: skip
    result = mbsim.simulate(source)
    found = {name: result[name.translate(DOTS)] for name in names}
    p, L = momenta(result, source)
    centre = np.stack([found[f"centre_of_mass(mechanism).{axis}"] for axis in "xyz"], axis=1)
    about = L - np.cross(centre, p)
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(found[f"momentum(mechanism).{axis}"], p[:, k], atol=1e-12)
        np.testing.assert_allclose(found[f"angular_momentum(mechanism).{axis}"], about[:, k], atol=1e-12)


def test_a_rigid_turn_leaves_no_strain(file: str) -> None:
    rest = mbsim.assemble(model(file, {"orientation": {"axis": [1, 2, 2], "angle": 2.5}, "position": [3, -1, 2]}))
    system = rest.system
    assert np.abs(system.terms(0.0, rest.q, rest.v)[1][-18:]).max() < 1e-12 and np.abs(system.phi(0.0, rest.q)).max() < 1e-14


def test_gravity_moves_no_modes(file: str) -> None:
    """A part that falls freely does not bend, and its potential energy is that of its mass."""
    source = model(file, {"position": [0, 0, 2]}, gravity=[0, 0, -9.81])
    source["simulation"] = {"end": 0.3, "output_step": 0.1, "method": "generalized_alpha", "step": 0.01}
    result = mbsim.simulate(source)
    assert np.abs(result["body_position"][:, 3:]).max() < 1e-12
    fallen = 0.5 * 9.81 * result.time**2
    np.testing.assert_allclose(result["energy_potential"], 9.81 * (2.0 - fallen), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("settings", METHODS, ids=lambda settings: "-".join(settings.values()))
def test_methods_agree(file: str, settings: dict[str, str]) -> None:
    """A pendulum of a soft part, against explicit steps of `lagrange`."""
    source = model(file, joints=PINNED, gravity=[0, -1, 0])
    source["simulation"] = {"end": 0.5, "output_step": 0.5, "rtol": 1e-8, "atol": 1e-8}
    exact = mbsim.simulate(source | {"simulation": source["simulation"] | {"method": "lagrange", "integrator": "dop853"}})
    found = mbsim.simulate(source | {"simulation": source["simulation"] | settings})
    np.testing.assert_allclose(found["body_position"][-1], exact["body_position"][-1], atol=1e-5)


@pytest.mark.slow
def test_a_stiff_pendulum_is_a_rigid_one(tmp_path: Path) -> None:
    nodes, M, K = beam(3, 3)
    file = write(tmp_path / "stiff.h5", nodes, M, 1e6 * K)
    motion = {"end": 1, "output_step": 0.25, "method": "generalized_alpha", "rtol": 1e-8, "atol": 1e-8}
    soft = mbsim.simulate(model(file, joints=PINNED, gravity=[0, -9.81, 0]) | {"simulation": motion})
    rod = {"mass": 1, "inertia": [1e-3, 1 / 12, 1 / 12], "position": [0.5, 0, 0], "points": {"tip": [0.5, 0, 0]}}
    pin = {"pin": {**PINNED["pin"], "bodies": ["ground", "rod"]}}
    rigid = mbsim.simulate({"bodies": {"rod": rod}, "joints": pin, "gravity": [0, -9.81, 0], "simulation": motion})
    A = matrices(rigid["body_orientation"][:, 0])
    tip = rigid["body_position"][:, 0] + A @ [0.5, 0, 0]
    np.testing.assert_allclose(soft["body_position"][:, 2], tip, atol=1e-4)


def test_a_part_is_drawn_where_it_is(file: str) -> None:
    """Nodes of interfaces stand where these are, and nothing is drawn of what carries modes."""
    source = model(file, joints=PINNED, gravity=[0, -1, 0])
    source["simulation"] = {"end": 0.5, "output_step": 0.5, "rtol": 1e-8, "atol": 1e-8, "method": "generalized_alpha"}
    result = mbsim.simulate(source)
    scene, poses = scene_of(result), of_result(result)
    nodes = poses.nodes(scene.elastic[0])
    np.testing.assert_allclose(nodes[:, [0, -1]], result["body_position"][:, 1:3], atol=1e-8)
    found = solids(scene, poses)
    edges = [piece for piece in found.stretches if piece.name == "elastic/arm"]
    assert len(edges) == nodes.shape[1] - 1 and not any(part.name.startswith("body/") for part in found.parts)
    first, _, scale = place(edges[-1], poses)
    np.testing.assert_allclose(first, nodes[:, -2], atol=1e-12)
    np.testing.assert_allclose(scale[:, 2], np.linalg.norm(nodes[:, -1] - nodes[:, -2], axis=1), atol=1e-12)
    assert found.size.extent == pytest.approx(LENGTH, rel=1e-6)


ROCKER = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, -0.5, 0]}
LOOP = {
    **PINNED,
    "hang": {"type": "spherical", "bodies": ["arm.tip", "rocker"], "at": [1, 0, 0]},
    "foot": {"type": "revolute", "bodies": ["ground", "rocker"], "at": [1, -1, 0], "axis": [0, 0, 1]},
}


@pytest.mark.parametrize("joints", [{}, PINNED, CLAMPED, LOOP], ids=["free", "pinned", "clamped", "loop"])
def test_rows_of_parts_are_independent(file: str, joints: dict[str, Any]) -> None:
    """By construction, so that none is looked for but where joints close a loop; it is known before the model is assembled."""
    read = mbsim.load_model(model(file, joints=joints, bodies={"rocker": ROCKER}))
    system = mbsim.assemble(read).system
    closed = joints is LOOP
    assert may_lose_rank(system) == closed and loop_rows(system) == (6 if closed else 0)
    assert Traits.of_model(read) == Traits.of(system)
    _, q, v = random_state(system, mbsim.assemble(read).q, np.random.default_rng(3), 0.2)
    C = system.terms(0.0, q, v)[2]
    assert np.linalg.matrix_rank(C) == system.n_rows


def test_a_body_beside_a_loop_hides_it_from_no_one() -> None:
    """As many joints as bodies are no tree where one of these has no joint."""
    block = {name: {"mass": 1, "inertia": 0.1, "position": place} for name, place in (("a", [0, 0.5]), ("b", [0.5, 1]), ("c", [1, 0.5]))}
    pins = {"o": ["ground", "a", 0, 0], "p": ["a", "b", 0, 1], "r": ["b", "c", 1, 1], "s": ["ground", "c", 1, 0]}
    joints = {name: {"type": "revolute", "bodies": [i, j], "at": [x, y]} for name, (i, j, x, y) in pins.items()}
    free = {"free": {"mass": 1, "inertia": 0.1, "position": [3, 0]}}
    read = mbsim.load_model({"dimension": 2, "bodies": block | free, "joints": joints, "simulation": {"end": 1}})
    assert may_lose_rank(mbsim.assemble(read).system) and Traits.of_model(read).may_lose_rank


def test_auto_follows_all_modes_or_passes_over_them(file: str, tmp_path: Path) -> None:
    """A soft part by explicit steps; one so stiff that these would crawl by `radau`; steps of a given size are implicit."""
    soft = mbsim.simulate(model(file, joints=PINNED, gravity=[0, -1, 0]), end=0.1)
    assert (soft.attributes["method"], soft.attributes["integrator"]) == ("cfa", "dop853") and soft.attributes["options"]["rtol"] == 1e-8
    nodes, M, K = beam(3, 3)
    stiff = model(write(tmp_path / "stiff.h5", nodes, M, 1e6 * K), joints=PINNED, gravity=[0, -9.81, 0])
    found = mbsim.simulate(stiff)
    assert (found.attributes["method"], found.attributes["integrator"]) == ("cfa", "radau") and found.attributes["options"]["rtol"] == 1e-4
    assert np.abs(found["body_position"][-1, 2] - falling_rod(found.time[-1])).max() < 1e-4
    assert mbsim.simulate(stiff, step=1e-3, end=0.01).attributes["method"] == "generalized_alpha"


def test_explicit_steps_see_every_phase_of_a_vibration(tmp_path: Path) -> None:
    """A stiff arm falls and rubs in its joint. Errors of coordinates that the tolerance let pass came back as those of speeds."""
    nodes, M, K = beam(8, 2, EA=8533.0)
    pin = {**PINNED["pin"], "friction": {"torque": 0.3}}
    source = model(write(tmp_path / "arm.h5", nodes, M, 4746.0 * K), {"modes": 6, "damping": {"ratio": 0.02}}, joints={"pin": pin})
    source |= {"gravity": [0, -9.81, 0], "simulation": {"end": 0.2}}
    rows = np.arange(0.0, 0.2, 1e-2)
    tolerances: dict[str, Any] = {"integrator": "dop853", "rtol": 1e-11, "atol": 1e-11}
    usual, tight = (mbsim.simulate(source, output_step=1e-2, **more) for more in ({}, tolerances))
    assert usual.attributes["integrator"] == "dop853"
    a, b = (found["v"][np.searchsorted(found.time, rows - 1e-9)] for found in (usual, tight))
    assert np.abs(a - b).max() < 1e-4


def falling_rod(end: float) -> np.ndarray:
    """(3,) the end of a rigid rod of length 1 that is pinned at the other one and falls from level, by theta'' = -3/2 g cos(theta)."""
    found = solve_ivp(lambda _, y: [y[1], -1.5 * 9.81 * np.cos(y[0])], (0.0, end), [0.0, 0.0], rtol=1e-10, atol=1e-12).y[0, -1]
    return np.array([np.cos(found), np.sin(found), 0.0])


def test_explicit_steps_are_refused_by_name(file: str) -> None:
    source = model(file, joints=CLAMPED)
    source["simulation"] = {"end": 1, "step": 0.1, "method": "lagrange", "integrator": "rk4"}
    with pytest.raises((ValueError, SimulationError), match=r"explicit steps of 0\.1 s are unstable for the elastic parts"):
        mbsim.simulate(source)


def test_rows_are_the_rates_of_their_residuals(file: str) -> None:
    """C v against differences of phi along v, and eta against those of C v, at turned and bent states; likewise loads and their energy."""
    made = mbsim.assemble(model(file, {"orientation": {"axis": [1, 2, 2], "angle": 2.5}}, gravity=[1, 2, 3]))
    system, rng = made.system, np.random.default_rng(5)
    rest = np.zeros(system.n_v)
    for _ in range(5):
        _, q, v = random_state(system, made.q, rng, 0.2)
        _, _, C, _, eta, _ = system.terms(0.0, q, v)
        np.testing.assert_allclose(C @ v, derivative(lambda s, q=q, v=v: system.phi(0.0, system.move(q, s * v))), atol=1e-9)
        np.testing.assert_allclose(eta, derivative(lambda s, q=q, v=v: system.terms(0.0, system.move(q, s * v), v)[2] @ v), atol=1e-8)
        power = -derivative(lambda s, q=q, v=v: system.energy(0.0, system.move(q, s * v), rest)[1])
        assert v @ system.terms(0.0, q, rest)[1] == pytest.approx(power, rel=1e-8)
