"""The same mechanism a thousand times as large moves in the same way: nothing weighs metres against radians."""

from pathlib import Path

import numpy as np
import pytest

import mbsim

FAILING = Path(__file__).parents[1] / "failing"


@pytest.mark.parametrize("method", ["svd(hold=false)", "svd(hold=true)", "nullspace", "lagrange"])
def test_a_mechanism_of_a_kilometre(method: str) -> None:
    """Spherical, constant-velocity and other joints, a rolling disk on a plane that moves, a torque in body axes."""
    settings = {"method": method, "integrator": "rk4", "step": 1e-3, "end": 0.5}
    small, large = (
        mbsim.simulate(FAILING / f"scaled_{size}.yaml", drift_tolerance=1e-13, **settings)["body_position"] / size for size in (1, 1000)
    )
    assert np.abs(small - large).max() < 1e-9
    assert np.abs(small[-1] - small[0]).max() > 0.1


FOUR_BAR = """
name: four-bar
dimension: 2
parameters: {{l: {length}}}
gravity: [0, -9.81*l]
ground: {{points: {{C: [1.2*l, 0]}}}}
bodies:
  crank: {{mass: l^3, inertia: 0.02*l^5, position: [0, 0.25*l], angle: pi/2, points: {{O: [-0.25*l, 0], A: [0.25*l, 0]}}}}
  coupler: {{mass: l^3, inertia: 0.1*l^5, position: [0.5*l, 0.5*l], points: {{A: [-0.5*l, 0], B: [0.5*l, 0]}}}}
  rocker: {{mass: l^3, inertia: 0.02*l^5, position: [l, 0.25*l], angle: pi/2, points: {{C: [-0.3*l, 0], B: [0.25*l, 0]}}}}
joints:
  O: {{type: revolute, points: [ground, crank.O]}}
  A: {{type: revolute, points: [crank.A, coupler.A]}}
  B: {{type: revolute, points: [coupler.B, rocker.B]}}
  C: {{type: revolute, points: [ground.C, rocker.C]}}
simulation: {{end: 0.3}}
"""


@pytest.mark.parametrize("length", [1e-9, 1e-8, 1e3])
def test_a_mechanism_of_a_nanometre(length: float) -> None:
    """Arms shorter than 1e-8 m passed for none, and two of the eight rows for redundant."""
    small, right = (mbsim.assemble(FOUR_BAR.format(length=size)) for size in (length, 1.0))
    found = mbsim.redundancy(small.system, 0.0, small.q)
    assert (found.degrees_of_freedom, found.rank) == (1, 8)
    assert found.unique.all()
    ends = [mbsim.simulate(made)["q"][-1][2::3] for made in (small, right)]
    assert np.abs(ends[0] - ends[1]).max() < 1e-7
    assert np.abs(ends[1][0] - np.pi / 2) > 0.01
