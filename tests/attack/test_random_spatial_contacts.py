"""scripts/attack/random_spatial_contacts.py: mechanisms that were wrong or stopped once, 60 as `slow`; and that its audit finds faults."""

from types import SimpleNamespace
from typing import Any

import contact_audit as audit
import contact_shapes as shapes
import numpy as np
import pytest
import random_spatial_contacts as attack
from deciding import decide_both_ways

import mbsim

TIGHT = {"rtol": 1e-10, "atol": 1e-11}


@pytest.mark.parametrize("seed", [9, 10])
def test_random_bodies_obey_the_laws(seed: int) -> None:
    """A slip that begins with less friction than held, in the direction of that; corners whose load others can carry."""
    assert attack.judge(seed, dict(TIGHT), 0.0) == "right"


@pytest.fixture(scope="module")
def sliding() -> tuple[audit.Mechanism, dict[str, np.ndarray]]:
    """A ball that slides and comes to roll, for the audit and as it moves."""
    law = shapes.Law(0.2, 0.2)
    still = np.zeros(3)
    m = audit.Mechanism([audit.Body(1.0, np.full(3, 0.004), still, 0.0, 1.0, still, 1.0)])
    m.pairs.append(shapes.OnPlane(audit.GROUND, 0, law, still, np.array([0.0, 0.0, 1.0]), still, 0.1))
    ball = {"mass": 1, "inertia": [0.004] * 3, "position": [0, 0, 0.1], "velocity": [1, 0, 0], "shape": {"type": "sphere", "radius": 0.1}}
    floor = {"bodies": ["ball", "ground"], "plane": {"normal": [0, 0, 1]}, "friction": 0.2}
    made: dict[str, Any] = {"name": "ball", "gravity": [0, 0, -9.81], "bodies": {"ball": ball}, "contacts": {"floor": floor}}
    result = mbsim.simulate(made | {"simulation": {"end": 0.3, "output_step": 0.002}})
    return m, {name: np.asarray(result[name]).copy() for name in ("time", "q", "v", "acceleration")}


def test_the_audit_finds_nothing_in_what_is_right(sliding: tuple[audit.Mechanism, dict[str, np.ndarray]]) -> None:
    m, rows = sliding
    assert audit.audit(m, rows) == ""
    assert SimpleNamespace(**rows).v[-1, 0] == pytest.approx(1.0 / 1.4, rel=1e-9)  # it rolls at 5/7 of its speed


@pytest.mark.parametrize(
    ("name", "column", "change", "word"),
    [("acceleration", 0, 0.01, "forces"), ("q", 2, -1e-5, "inside"), ("v", 0, 0.1, "jump"), ("acceleration", 2, -0.1, "accelerated into")],
)
def test_the_audit_finds_what_is_wrong(
    sliding: tuple[audit.Mechanism, dict[str, np.ndarray]], name: str, column: int, change: float, word: str
) -> None:
    m, rows = sliding
    wrong = {key: x.copy() for key, x in rows.items()}
    wrong[name][20, column] += change
    assert word in audit.audit(m, wrong)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_sixty_random_mechanisms(seed: int) -> None:
    assert attack.judge(seed, dict(TIGHT), 0.0) == "right"


@pytest.mark.parametrize("seed", [seed if seed in (8, 18) else pytest.param(seed, marks=pytest.mark.slow) for seed in range(24)])
@pytest.mark.parametrize("rolling", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_kernel_decides_as_the_plain_way(seed: int, rolling: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each event, of balls, boxes, cylinders and capsules that fall, slide and roll, some of them in joints that rub."""
    counts = decide_both_ways(monkeypatch)
    _, made = attack.drawn(seed, rolling)
    made["simulation"]["end"] = 0.4
    mbsim.simulate(made)
    assert counts["left"] <= counts["decided"]
