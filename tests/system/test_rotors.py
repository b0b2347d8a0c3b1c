"""`rotor_inertia` of joints: on the diagonal of the mass matrix, in inverse dynamics, in the energy, in every method."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close, evaluate

import mbsim
from mbsim import formulations
from mbsim.analyses.inverse import inverse_dynamics
from mbsim.kernels import tree_columns
from mbsim.model.file.errors import ModelError

AXES = {
    "revolute": {"axis": [0.1, 1, 0.3]},
    "spherical": {},
    "prismatic": {"axis": [1, 0, 1]},
    "helical": {"axis": [0, 1, 1], "pitch": 0.1},
}
ROTORS = {"revolute": 0.7, "spherical": 0.3, "prismatic": 2.0, "helical": 0.5}


def chain(rotors: bool, *, loop: bool = False, kinds: tuple[str, ...] = tuple(AXES)) -> dict[str, Any]:
    """A body on each of the joints that may have a rotor."""
    source: dict[str, Any] = {"gravity": [0, 0, -9.81], "coordinates": "joint", "bodies": {}, "joints": {}, "simulation": {"end": 1}}
    for k, kind in enumerate(kinds):
        source["bodies"][f"b{k}"] = {"mass": 1 + k, "inertia": [0.1, 0.2, 0.25], "position": [k + 0.5, 0.1 * k, 0.2]}
        joint = {"type": kind, "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": [k, 0, 0.1 * k], **AXES[kind]}
        source["joints"][f"j{k}"] = joint | ({"rotor_inertia": ROTORS[kind]} if rotors else {})
    if loop:
        source["joints"]["loop"] = {"type": "point_on_plane", "bodies": ["ground", "b2"], "at": [2, 0.3, 0.1], "axis": [0, 0.2, 1]}
    return source


def states(system: Any, start: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return system.move(start, rng.standard_normal(system.n_v)), rng.standard_normal(system.n_v)


@pytest.mark.parametrize("seed", range(3))
def test_mass_matrix_energy_and_inverse_dynamics(seed: int) -> None:
    """M and the energy against those without rotors; RNEA against M."""
    bare, made = (mbsim.assemble(mechanisms.model(chain(rotors))) for rotors in (False, True))
    system = made.system
    q, v = states(system, made.q, seed)
    (M_0, h_0), (M, h) = bare.system.terms(0.0, q, v)[:2], system.terms(0.0, q, v)[:2]
    diagonal = np.repeat([ROTORS[kind] for kind in AXES], [1, 3, 1, 1])
    close(M, M_0 + np.diag(diagonal), atol=1e-13)
    assert (h == h_0).all()
    energies = [np.zeros(3), np.zeros(3)]
    for of, out in zip((bare.system, system), energies, strict=True):
        of.functions.energy(of.arrays, 0.0, q, v, out)
    close(energies[1][0] - energies[0][0], 0.5 * diagonal @ v**2, atol=1e-12)
    a = np.random.default_rng(seed + 10).standard_normal(system.n_v)
    close(inverse_dynamics(system, 0.0, q, v, a), M @ a - h, atol=1e-11)


@pytest.mark.parametrize("method", ["aba", "kane", "svd", "nullspace", "baumgarte", "riemann"])
@pytest.mark.parametrize("loop", [False, True])
def test_every_method(method: str, loop: bool) -> None:
    system = (made := mbsim.assemble(mechanisms.model(chain(True, loop=loop)))).system
    assert bool(system.n_rows) == loop
    _, q, v = mechanisms.consistent_state(system, made.q, np.random.default_rng(1)) if loop else (0.0, *states(system, made.q, 1))
    expected, multipliers = evaluate(system, "lagrange", 0.0, q, v)
    M, h, C, _, eta, _ = system.terms(0.0, q, v)
    close(M @ expected, h + C.T @ multipliers, atol=1e-10)
    close(C @ expected, -eta, atol=1e-10)
    found, lam = evaluate(system, method, 0.0, q, v)
    close(found, expected, atol=1e-9)
    close(lam, multipliers, atol=1e-9)


@pytest.mark.parametrize("elimination", ["leaf_to_root", "odd_even", "dense"])
def test_constraint_forces(elimination: str) -> None:
    """The method `cfa` in all its forms, on a chain with a branch; joints with a rotor beside joints without."""
    source = chain(True)
    for k, kind in enumerate(("revolute", "revolute", "universal", "spherical")):
        axes = {"axes": [[0, 0, 1], [0, 1, 0]]} if kind == "universal" else AXES[kind]
        source["bodies"][f"c{k}"] = {"mass": 1, "inertia": [0.1, 0.2, 0.25], "position": [1.3, k + 0.5, 0.2]}
        source["joints"][f"l{k}"] = {"type": kind, "bodies": [f"c{k - 1}" if k else "b0", f"c{k}"], "at": [1.3, k, 0.1], **axes}
    source["joints"]["l1"]["rotor_inertia"] = 0.4
    source["forces"] = {
        "motor": {"type": "joint_torque", "joint": "l1", "value": 3},
        "push": {"type": "joint_torque", "joint": "j2", "value": 2},
    }
    system = (made := mbsim.assemble(mechanisms.model(source))).system
    q, v = states(system, made.q, 2)
    close(evaluate(system, f"cfa(elimination={elimination})", 0.0, q, v)[0], evaluate(system, "lagrange", 0.0, q, v)[0], atol=1e-9)


@pytest.mark.parametrize(("method", "many"), [("generalized_alpha", 1), ("generalized_alpha", 100), ("rattle", 100)])
def test_methods_with_steps_of_their_own(method: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The speeds after a few steps; from `many` bodies on implicit steps are solved in O(N)."""
    monkeypatch.setattr(formulations, "MANY_BODIES", many)
    found = []
    for word, keys in ((method, {}), ("aba", {"integrator": "rk4"})):
        source = chain(True, kinds=("revolute", "prismatic")) | {"simulation": {"end": 0.01, "step": 1e-3, "method": word, **keys}}
        found.append(mbsim.simulate(mbsim.assemble(mechanisms.model(source)))["v"][-1])
    bare = chain(False, kinds=("revolute", "prismatic")) | {"simulation": {"end": 0.01, "step": 1e-3, "method": "aba", "integrator": "rk4"}}
    without = mbsim.simulate(mbsim.assemble(mechanisms.model(bare)))["v"][-1]
    close(found[0], found[1], atol=1e-5)
    assert np.abs(without - found[1]).max() > 1e-3


def test_without_rotors_the_tables_hold_zeros() -> None:
    """So that a model without them has the numbers that it always had."""
    assert not mbsim.assemble(mechanisms.model(chain(False))).system.arrays.tree_data[:, tree_columns.ROTOR].any()


def test_a_heavy_rotor_lets_a_link_without_mass_move() -> None:
    source = chain(True, kinds=("revolute", "prismatic"))
    source["bodies"]["b0"] |= {"mass": 0, "inertia": [0, 0, 0], "unchecked_inertia": True}
    source["joints"]["j1"]["at"] = [0, 0, 0]
    source["bodies"]["b1"] |= {"inertia": [0, 0, 0], "unchecked_inertia": True, "position": [0, 0, 0]}
    system = (made := mbsim.assemble(mechanisms.model(source))).system
    close(system.M(0.0, made.q)[0, 0], ROTORS["revolute"], atol=1e-14)  # the mass is at the hinge
    close(evaluate(system, "aba", 0.0, made.q, np.zeros(2))[0], evaluate(system, "lagrange", 0.0, made.q, np.zeros(2))[0], atol=1e-12)


def refused(source: dict[str, Any]) -> str:
    with pytest.raises(ModelError) as error:
        mbsim.assemble(mechanisms.model(source))
    return str(error.value)


def test_refused() -> None:
    absolute = chain(True) | {"coordinates": "absolute"}
    assert "only with `coordinates: joint` may a joint have it" in refused(absolute)
    cut = chain(True)
    cut["joints"]["j0"]["cut"] = True
    assert "the joint j0 is cut, because it closes a loop; cut another one of the loop: `cut: true`" in refused(cut)
    negative = chain(True)
    negative["joints"]["j0"]["rotor_inertia"] = -1
    assert "must not be negative (got -1)" in refused(negative)
