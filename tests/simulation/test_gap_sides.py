"""Gaps in own coordinates that turn at once: valleys hold from both sides, over edges what slides leaves; g = 9.81 m/s2."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.assembly.gap_sides import sides
from mbsim.model.expressions.expression import evaluate, parse
from mbsim.model.file.errors import ModelError

G = 9.81
POINT = """
parameters: {{s: 0.1}}
coordinates: [x, y]
energy: {{kinetic: 0.5*(der(x)^2 + der(y)^2), potential: 9.81*y}}
contacts:
  floor: {{gap: "{gap}"{more}}}
initial: {{x: {x}, y: {y}, der(x): {vx}, der(y): {vy}}}
simulation: {{end: {end}, output_step: 0.01, rtol: 1.0e-11, atol: 1.0e-13}}
"""


def run(gap: str, x: float, y: float, vx: float = 0.0, vy: float = 0.0, end: float = 1.0, more: str = "") -> Any:
    result = mbsim.simulate(POINT.format(gap=gap, x=x, y=y, vx=vx, vy=vy, end=end, more=more))
    balance = np.asarray(result["energy_balance"])
    assert np.abs(balance - balance[0]).max() < 1e-11
    return result


@pytest.mark.parametrize("gap", ["y - s*abs(x)", "min(y - s*x, y + s*x)", "y - max(s*x, -s*x)"])
def test_a_point_that_falls_into_a_valley_stays_there(gap: str) -> None:
    result = run(gap, 0.0, 0.3)
    assert len(result.events) == 4
    assert {line["event"] for line in result.events} == {"floor_1", "floor_2"}
    np.testing.assert_allclose(np.asarray(result["q"])[-1], 0.0, atol=1e-14)
    np.testing.assert_allclose(np.asarray(result["v"])[-1], 0.0, atol=1e-14)


def test_what_slides_into_a_valley_hits_the_other_side() -> None:
    result = run("y - s*abs(x)", -0.4, 0.04, end=1.2)
    slope = 0.1 / (1.0 + 0.01)  # sin cos of the angle
    at = sqrt(0.8 / (G * slope))
    hit = next(line for line in result.events if line["do"] == "impact")
    assert hit["time"] == pytest.approx(at, abs=1e-9)
    assert hit["gap_speed"][0] == pytest.approx(-0.2 * G * slope * at, abs=1e-9)
    kept = G * slope * at * (1.0 - 0.01) / (1.0 + 0.01)  # along the other side, horizontally
    later = 1.2 - at
    assert np.asarray(result["v"])[-1, 0] == pytest.approx(kept - G * slope * later, abs=1e-8)


@pytest.mark.parametrize("gap", ["y + s*abs(x)", "max(y - s*x, y + s*x)"])
def test_what_slides_over_an_edge_leaves_it(gap: str) -> None:
    result = run(gap, -0.4, -0.04, 2.0, 0.2, end=0.25)
    left = next(line["time"] for line in result.events if line["do"] == "open")
    slope = 0.1 / (1.0 + 0.01)
    speed = sqrt(4.0 - 2.0 * G * slope * 0.4)
    assert left == pytest.approx((2.0 - speed) / (G * slope), abs=1e-9)
    later = 0.25 - left
    np.testing.assert_allclose(
        np.asarray(result["q"])[-1], [speed * later, 0.1 * speed * later - 0.5 * G * later**2], atol=1e-9
    )  # it flies


def test_friction_holds_in_a_valley() -> None:
    result = run("y - s*abs(x)", 0.0, 0.3, more=", slide: der(x), friction: 0.05")
    np.testing.assert_allclose(np.asarray(result["q"])[-1], 0.0, atol=1e-13)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("y - 0.1*x^2", 1),
        ("y - abs(x)^3", 1),
        ("y - abs(x)/s", 2),
        ("-(abs(x) - y)", 2),
        ("max(y, abs(x)) - s", 3),
        ("min(y + abs(x), 3 - max(x, y, 1))", 5),
        ("-2*min(abs(x) - 1, y)", 4),
        ("0*abs(x) + y", 1),
    ],
)
def test_sides_make_the_gap(text: str, count: int) -> None:
    found = sides(parse(text), {"s": 0.1})
    assert len(found) == count
    for x, y in np.random.default_rng(0).uniform(-2.0, 2.0, (50, 2)):
        values = {"x": float(x), "y": float(y), "s": 0.1}
        groups: dict[int, list[float]] = {}
        for side in found:
            groups.setdefault(side.group, []).append(evaluate(side.height, values))
        assert min(map(max, groups.values())) == pytest.approx(evaluate(parse(text), values), abs=1e-12)
        if len(groups) == 1:  # the gap of a side is the least where it is the greatest
            assert min(evaluate(side.gap, values) for side in found) == pytest.approx(max(groups[0]), abs=1e-12)


def test_too_many_sides_are_refused() -> None:
    with pytest.raises(ModelError, match=r"the model:6:10: contacts.floor: .*more than 16 sides"):
        run("y - abs(x) - abs(x - 1) - abs(x - 2) - abs(x - 3) - abs(x - 4)", 0.0, 1.0)


def test_a_factor_that_may_change_its_sign_leaves_one_contact() -> None:
    """With it the least of two sides becomes the greatest. An event switches the factor while the point flies; or a stepper is given it."""
    flip = "events: {flip: {when: t - 0.05, do: {switch: {s: -0.1}}, once: true}}\n"
    given = POINT.format(gap="y - s*abs(x)", x=-1.0, y=0.5, vx=1.0, vy=0.0, end=0.8, more="")
    switched, other = mbsim.simulate(given + flip), run("y + s*abs(x)", -1.0, 0.5, 1.0, end=0.8)
    assert [line["event"] for line in switched.events if line["do"] == "impact"] == ["floor"]
    assert [line["event"] for line in other.events if line["do"] == "impact"] == ["floor_2"]
    np.testing.assert_allclose(np.asarray(switched["q"])[-1], np.asarray(other["q"])[-1], atol=1e-9)
    stepper = mbsim.Stepper(given, ["s"])
    for _ in range(80):
        stepper.step(0.01, s=-0.1)
    np.testing.assert_allclose([stepper["x"], stepper["y"]], np.asarray(other["q"])[-1], atol=1e-9)
