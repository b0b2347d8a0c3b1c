"""Columns of the tangents that are found together are those that are found one by one, and in chains their groups do not grow."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsim
from mbsim.assembly import assemble_with
from mbsim.system.column_groups import column_groups

MODELS = Path(__file__).parents[2] / "models"
SHIPPED = ("bend_45", "hanging_chain", "n_four_bar_2", "planetary_gear", "whipple_bicycle", "flyball_governor", "hinged_beam")


def read_by_laws() -> str:
    """Five bodies: a load on the first reads the third, a state reads the fourth, a row of the user's touches the second and the fifth."""
    return """
name: laws that read other bodies
dimension: 2
bodies:
  b1: {mass: 1, inertia: 0.1, position: [0, 0]}
  b2: {mass: 2, inertia: 0.2, position: [1, 0]}
  b3: {mass: 3, inertia: 0.3, position: [2, 0]}
  b4: {mass: 4, inertia: 0.4, position: [3, 0]}
  b5: {mass: 5, inertia: 0.5, position: [4, 0]}
states: {s: {rate: b4.x^2 - s, start: 1}}
forces:
  push: {type: force, body: b1, value: [b3.x*der(b3.y), s*b3.angle]}
  spring: {type: spring_damper, points: [b2, b3], stiffness: 7, damping: 0.3, free_length: 0.4}
constraints: {path: {type: holonomic, equation: "b2.y - sin(b5.x)*b5.y"}}
simulation: {end: 1}
"""


def systems() -> list[tuple[str, str]]:
    return [(name, str(MODELS / f"{name}.yaml")) for name in SHIPPED] + [("read_by_laws", read_by_laws())]


@pytest.mark.parametrize(("name", "source"), systems(), ids=[name for name, _ in systems()])
def test_groups_give_what_single_columns_give(name: str, source: str, tmp_path: Path) -> None:
    if "\n" in source:
        path = tmp_path / "model.yaml"
        path.write_text(source)
        source = str(path)
    made = mbsim.assemble(source)
    system, rng = made.system, np.random.default_rng(7)
    q = system.move(made.q, 0.05 * rng.normal(size=system.n_v))
    v, a, lam = (rng.normal(size=size) for size in (system.n_v, system.n_v, system.n_rows))
    together = system.tangents(0.3, q, v, a, lam)
    alone = replace(system, columns=None).tangents(0.3, q, v, a, lam)
    for field in ("K", "D", "G", "eta_d", "eta_v", "x_d", "x_v"):
        one, other = getattr(together, field), getattr(alone, field)
        assert np.abs(one - other).max(initial=0.0) <= 1e-14 * max(1.0, np.abs(other).max(initial=0.0)), field


def test_functions_of_python_may_read_any_body() -> None:
    """The force on the first body is 3 x^2 of the third one, whose tangent is -6 x; at x = 2 it was found for the first one."""
    bodies = {f"b{k}": {"mass": 1, "inertia": 0.1, "position": [k, 0]} for k in range(3)}
    push = {"type": "force", "body": "b0", "value": [1, 0]}
    model = mbsim.load_model({"name": "p", "dimension": 2, "bodies": bodies, "forces": {"push": push}, "simulation": {"end": 1}})
    made = assemble_with(model, {"push": lambda t, q, v: (3.0 * q[6] ** 2, 0.0)})
    found = made.system.tangents(0.0, made.q, made.v).K
    assert found[0, 6] == pytest.approx(-12.0, rel=1e-9)
    assert np.abs(np.delete(found.ravel(), 6)).max() < 1e-9


@pytest.mark.parametrize("bodies", [8, 40])
def test_a_chain_takes_three_bodies_at_a_time(bodies: int) -> None:
    links = {f"b{k}": {"mass": 1, "inertia": 0.1, "position": [k + 0.5, 0]} for k in range(bodies)}
    pins = {f"p{k}": {"type": "revolute", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": [k, 0]} for k in range(bodies)}
    system = mbsim.assemble({"name": "chain", "dimension": 2, "bodies": links, "joints": pins, "simulation": {"end": 1}}).system
    groups = column_groups(system)
    assert len(groups) == 9
    assert sorted(k for group in groups for k in group.speeds) == list(range(3 * bodies))
