"""Derivatives of a law with a function with cases inside another one, such as a tyre on a kerb: `max(0, k*(step(...) - x))`."""

import pytest

import mbsim

MODEL = """
name: spring that only pushes, on a floor that has a kerb
dimension: 2
parameters: {k: 250}
bodies:
  wheel: {mass: 2, inertia: 0.1, position: [0, LEVEL]}
forces:
  tyre: {type: force, body: wheel, value: [0, "max(0, k*(0.3 + step(t, 0.2, 0, 0.4, 0.1) - wheel.y))"]}
simulation: {end: 1}
"""


@pytest.mark.parametrize(("level", "stiffness"), [(0.25, 250.0), (0.33, 0.0)])
def test_the_condition_keeps_its_parentheses(level: float, stiffness: float) -> None:
    made = mbsim.assemble(mbsim.load_model(MODEL.replace("LEVEL", str(level))))
    found = made.system.tangents(0.1, made.q, made.v)
    assert found.exact
    assert found.K[1, 1] == pytest.approx(stiffness, abs=1e-12)
    assert mbsim.assemble(mbsim.load_model(MODEL.replace("LEVEL", str(level)))).system.tangents(0.5, made.q, made.v).K[1, 1] == 250
