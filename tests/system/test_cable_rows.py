"""Lengths of cables: C, xi, eta against differences, in the plane and in space, in both kinds of coordinates, and by every method."""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import body_block, close
from test_constraint_derivatives import check_at

import mbsim


def reeved(dimension: int, **rest: Any) -> dict[str, Any]:
    """A drum, a pulley that grips, a smooth one and an eyelet; in space their planes are apart, and one axis leans."""
    space = dimension == 3
    places = {"b0": [0.0, 0.0, 0.1], "b1": [1.0, 1.5, 0.0], "b2": [2.2, 0.3, 0.2], "b3": [3.0, 2.0, -0.1]}
    bodies = {name: body_block(dimension, k) | {"position": at[:dimension]} for k, (name, at) in enumerate(places.items())}

    def circle(body: str, radius: float, wraps: str, axis: list[float], **keys: Any) -> dict[str, Any]:
        return {"center": body, "radius": radius, "wraps": wraps, **keys} | ({"axis": axis} if space else {})

    z, leaning = [0, 0, 1], [0.1, -0.05, 1]
    path = [
        circle("b0", 0.3, "clockwise", z),
        circle("b1", 0.2, "clockwise", leaning, grips=True),
        circle("b2", 0.25, "clockwise" if space else "counterclockwise", [0, 0, -1], turns=1),
        {"point": "b3", "at": [3.1, 1.9, 0.0][:dimension]},
        {"point": "ground", "at": [4.0, 0.0, 0.3][:dimension]},
    ]
    joints: dict[str, Any] = {"axle": {"type": "revolute", "bodies": ["ground", "b0"], "at": places["b0"][:dimension]}}
    if space:
        joints["axle"]["axis"] = [0, 0, -1]
    return {
        "name": "reeved",
        "dimension": dimension,
        "bodies": bodies,
        "joints": joints,
        "constraints": {"rope": {"type": "pulley_cable", "path": path}},
        "simulation": {"end": 1},
    } | rest


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_rows_are_derivatives(dimension: int, coordinates: str) -> None:
    made = mbsim.assemble(mechanisms.model(reeved(dimension, coordinates=coordinates)))
    assert made.system.rows[-2:] == ["rope.part1", "rope.part2"]
    rng = np.random.default_rng(5)
    for _ in range(4):
        check_at(made.system, *mechanisms.random_state(made.system, made.q, rng, 0.15))


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
def test_joint_coordinates_give_the_same_motion(dimension: int) -> None:
    source = reeved(dimension, gravity=[0.3, -9.81, 0.5][:dimension])
    runs = [
        mbsim.simulate(mechanisms.model(source | {"coordinates": c}), method="lagrange", end=0.1, step=1e-3, output_step=0.05)
        for c in ("absolute", "joint")
    ]
    assert np.abs(runs[0]["body_velocity"][-1]).max() > 0.3
    close(runs[1]["body_position"], runs[0]["body_position"], atol=1e-8)
    for name in ("rope.part1", "rope.part2"):
        close(runs[1].select("multiplier", name), runs[0].select("multiplier", name), atol=1e-7 * np.abs(runs[0]["multiplier"]).max())


@pytest.mark.parametrize("dimension", mechanisms.DIMENSIONS)
@pytest.mark.parametrize("method", mechanisms.METHODS)
def test_every_method(method: str, dimension: int) -> None:
    made = mbsim.assemble(mechanisms.model(reeved(dimension, gravity=[0.3, -9.81, 0.5][:dimension])))
    t, q, v = mechanisms.consistent_state(made.system, made.q, np.random.default_rng(2), 0.1)
    a, lam = mechanisms.augmented_solution(made.system, t, q, v)
    found_a, found_lam = mechanisms.evaluate(made.system, method, t, q, v)
    close(found_a, a, atol=1e-8 * np.abs(a).max())
    close(found_lam, lam, atol=1e-8 * np.abs(lam).max())
