"""Rows of contacts of what is round: C, xi and eta against central differences, slip against the motion of material points."""

from dataclasses import replace

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close, derivative, random_state
from test_constraint_derivatives import check_at
from test_contact_rows import pose
from test_tangents import RELATIVE, errors

import mbsim
from mbsim.assembly import Assembly
from mbsim.model.schema import Model
from mbsim.system.system import NO_SLIPS

FACES = {
    "ball": {"bodies": ["b1", "b0"], "ball": {"at": [0.3, -0.2, 0.1], "radius": 0.25}},
    "hole": {"bodies": ["b1", "b0"], "hole": {"at": [0.3, -0.2, 0.1], "radius": 1.6}},
    "hole of the ground": {"bodies": ["b1", "ground"], "hole": {"at": [0.3, -0.2, 0.1], "radius": 1.6}},
    "between": {"between": ["b0", "b1"]},
}


def touching(face: str, dimension: int) -> Model:
    block = {"radius": 0.2, "friction": 0.3, **{key: dict(x) if isinstance(x, dict) else x for key, x in FACES[face].items()}}
    for key in {"ball", "hole"} & block.keys():
        block[key]["at"] = block[key]["at"][:dimension]
    if "ground" in block.get("bodies", ()):
        block["hole"]["at"] = [0.0] * dimension
    bodies = {f"b{k}": body_block(dimension, k) for k in range(2)}
    return mechanisms.model({"name": face, "dimension": dimension, "bodies": bodies, "contacts": {"c": block}, "simulation": {"end": 1}})


def system_of(face: str, dimension: int) -> tuple[Assembly, np.ndarray]:
    made = mbsim.assemble(touching(face, dimension))
    return made, made.q


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("face", FACES)
def test_derivatives(face: str, dimension: int) -> None:
    made, q = system_of(face, dimension)
    assert made.whole.rows == (["c", "c_stick"] if dimension == 2 else ["c", "c_stick.slip0", "c_stick.slip1"])
    rng = np.random.default_rng(3)
    for _ in range(8):  # not so far that the balls come to the other side of each other
        check_at(made.whole, *random_state(made.whole, q, rng, spread=0.2))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("face", FACES)
def test_every_method_holds_them(face: str, dimension: int) -> None:
    made, q = system_of(face, dimension)
    t, q, v = mechanisms.consistent_state(made.whole, q, np.random.default_rng(7), spread=0.05)
    a, lam = mechanisms.augmented_solution(made.whole, t, q, v)
    sticking = replace(made.whole, slips=NO_SLIPS)  # some methods refuse friction that slips
    for method in mechanisms.METHODS:
        found = mechanisms.evaluate(sticking, method, t, q, v)
        close(found[0], a, atol=1e-9 * max(1.0, np.abs(a).max()))
        close(found[1], lam, atol=1e-9 * max(1.0, np.abs(lam).max()))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("face", ["hole", "between"])
def test_tangents(face: str, dimension: int) -> None:
    made, q = system_of(face, dimension)
    rng = np.random.default_rng(9)
    t, q, v = random_state(made.whole, q, rng, spread=0.1)
    found = errors(made.whole, t, q, v, rng.standard_normal(made.whole.n_v), rng.standard_normal(made.whole.n_rows))
    assert {key: error for key, error in found.items() if not error <= RELATIVE} == {}


def material(at: tuple[np.ndarray, np.ndarray], local: np.ndarray) -> np.ndarray:
    return at[0] + at[1] @ local


@pytest.mark.parametrize("face", FACES)
def test_slip_in_space_is_that_of_the_material_points(face: str) -> None:
    """C v of both tangents has the length and the plane of the slip of what touches, wherever the contact is."""
    made, start = system_of(face, 3)
    rng = np.random.default_rng(5)
    block = FACES[face]
    first = (block.get("between") or block["bodies"][::-1])[0]
    rim = -1.6 if "hole" in block else block["ball"]["radius"] if "ball" in block else 0.2
    _, A0 = pose(made.whole, start, 0)
    for _ in range(4):
        _, q, v = random_state(made.whole, start, rng, spread=0.2)

        def placed(s: float, body: str, q: np.ndarray = q, v: np.ndarray = v) -> tuple[np.ndarray, np.ndarray]:
            at = pose(made.whole, made.whole.move(q, s * v), int(body[1])) if body != "ground" else (np.zeros(3), np.eye(3))
            return at[0], at[1]

        face_block = block.get("ball") or block.get("hole")
        centre = np.zeros(3)
        if face_block is not None and first != "ground":
            centre = A0.T @ (np.array(face_block["at"]) - pose(made.whole, start, 0)[0])
        (r0, R0), (r1, R1) = placed(0.0, first), placed(0.0, "b1")
        d = r1 - (r0 + R0 @ centre)
        n = d / np.linalg.norm(d)
        rho0, rho1 = (1.6, -0.2) if rim < 0.0 else (rim, 0.2)
        on0, on1 = R0.T @ (R0 @ centre + rho0 * n), R1.T @ (-rho1 * n)
        slip = derivative(lambda s, on0=on0, on1=on1, placed=placed: material(placed(s, "b1"), on1) - material(placed(s, first), on0))
        across = slip - (slip @ n) * n
        _, _, C, _, _, _ = made.whole.terms(0.0, q, v)
        close(np.linalg.norm((C @ v)[1:]), np.linalg.norm(across), atol=1e-8)
        normal = C[0, -6:-3]
        close(normal, n, atol=1e-12)
        close(C[1:, -6:-3] @ C[1:, -6:-3].T, np.eye(2), atol=1e-12)
        close(C[1:, -6:-3] @ n, np.zeros(2), atol=1e-12)
