"""Rows of contacts that do not roll or drill: C and eta against central differences, directions and rates against the bodies' own."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close, random_state
from test_box_contact_rows import PAIRS
from test_constraint_derivatives import check_at
from test_contact_rows import pose
from test_round_contact_rows import FACES
from test_tangents import RELATIVE, errors

import mbsim
from mbsim.assembly import Assembly

PLANE = {"plane": {"bodies": ["b1", "b0"], "plane": {"through": [0.1, -0.2, -0.5], "normal": [0.36, 0.48, 0.8]}, "radius": 0.2}}
ROUND: dict[str, Any] = {
    **PLANE,
    **{face: {"radius": 0.2, **block} for face, block in FACES.items() if "ground" not in block.get("bodies", ())},
}
SOLID = ("ball on a box", "ball on a capsule", "capsules")
SPREAD = {"capsules": 0.15}
SEEDS = {"capsules": 0}  # next to which no edges are nearly parallel


def touching(case: str) -> Assembly:
    shapes = PAIRS.get(case)
    bodies = {f"b{k}": {**body_block(3, k), **({"shape": shapes[k]} if shapes else {})} for k in range(2)}
    block = ROUND[case] if shapes is None else {"between": ["b0", "b1"]}
    contacts = {"c": {**block, "rolling_resistance": 0.01, "drilling_resistance": 0.02}}
    return mbsim.assemble(mechanisms.model({"name": case, "bodies": bodies, "contacts": contacts, "simulation": {"end": 1}}))


CASES = [*ROUND, *SOLID]


@pytest.mark.parametrize("case", CASES)
def test_derivatives(case: str) -> None:
    made = touching(case)
    rng = np.random.default_rng(SEEDS.get(case, 2))
    for _ in range(3):
        check_at(made.whole, *random_state(made.whole, made.q, rng, spread=0.15))


@pytest.mark.parametrize("case", CASES)
def test_directions(case: str) -> None:
    """The couple acts on both bodies alike, along two tangents and the normal; the rates are those of the angular velocities."""
    made = touching(case)
    rng = np.random.default_rng(SEEDS.get(case, 2))
    rows = list(made.whole.rows)
    for _ in range(3):
        _, q, v = random_state(made.whole, made.q, rng, spread=0.15)
        _, _, C, _, _, _ = made.whole.terms(0.0, q, v)
        (_, R0), (_, R1) = (pose(made.whole, q, k) for k in range(2))
        turning = R1 @ v[9:12] - R0 @ v[3:6]
        names = [name.removesuffix("_drilling") for name in rows if name.endswith("_drilling")]
        assert len(names) == (5 if case == "capsules" else 1)
        for name in names:
            normal = C[rows.index(name), 6:9]
            three = C[[rows.index(f"{name}_{row}") for row in ("rolling.slip0", "rolling.slip1", "drilling")]]
            on_second = three[:, 9:12] @ R1.T
            close(np.abs(on_second[2] @ normal), 1.0, atol=1e-9)
            close(on_second @ on_second.T, np.eye(3), atol=1e-9)
            close(three[:, 3:6] @ R0.T, -on_second, atol=1e-9)
            close(three[:, [0, 1, 2, 6, 7, 8]], np.zeros((3, 6)), atol=0.0)
            close(three @ v, on_second @ turning, atol=1e-9)


@pytest.mark.parametrize("case", ["plane", "between", "ball on a box"])
def test_tangents(case: str) -> None:
    made = touching(case)
    rng = np.random.default_rng(9)
    t, q, v = random_state(made.whole, made.q, rng, spread=0.1)
    found = errors(made.whole, t, q, v, rng.standard_normal(made.whole.n_v), rng.standard_normal(made.whole.n_rows))
    assert {key: error for key, error in found.items() if not error <= RELATIVE} == {}


@pytest.mark.parametrize("face", ["plane", "ball", "between"])
def test_in_the_plane_it_is_the_relative_angle(face: str) -> None:
    block = dict(ROUND[face])
    for key in {"plane", "ball"} & block.keys():
        block[key] = {name: x[:2] if isinstance(x, list) else x for name, x in block[key].items()}
    bodies = {f"b{k}": body_block(2, k) for k in range(2)}
    contacts = {"c": {**block, "rolling_resistance": 0.01}}
    made = mbsim.assemble(
        mechanisms.model({"name": face, "dimension": 2, "bodies": bodies, "contacts": contacts, "simulation": {"end": 1}})
    )
    rng = np.random.default_rng(3)
    t, q, v = random_state(made.whole, made.q, rng, spread=0.2)
    check_at(made.whole, t, q, v)
    _, _, C, _, _, _ = made.whole.terms(t, q, v)
    close(C[list(made.whole.rows).index("c_rolling")], np.array([0.0, 0.0, -1.0, 0.0, 0.0, 1.0]), atol=0.0)
