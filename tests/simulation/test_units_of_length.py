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
