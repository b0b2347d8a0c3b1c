"""What is no size of a mechanism."""

import pytest

import mbsim


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_wheel_whose_axle_is_its_centre_but_for_round_off_turns(dimension: int) -> None:
    """0.1 + 0.2 is 0.3 but for its last digit: a mechanism of 5.6e-17 m was too small for where it is, and the run stopped."""
    inertia, axis = (0.5, 2.0) if dimension == 2 else ([0.5, 0.5, 0.5], [0, 0, 2.0])
    wheel = {"mass": 1, "inertia": inertia, "position": ["0.1 + 0.2", *[0.2] * (dimension - 1)], "angular_velocity": axis}
    axle = {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0.3, *[0.2] * (dimension - 1)]}
    joints = {"axle": axle if dimension == 2 else axle | {"axis": [0, 0, 1]}}
    model = {"name": "wheel", "dimension": dimension, "bodies": {"wheel": wheel}, "joints": joints, "simulation": {"end": 1}}
    for step in (None, 0.01):
        result = mbsim.simulate(model, step=step)
        assert result.attributes["status"] == "complete"
        assert result.evaluate("final(wheel.angle)" if dimension == 2 else "2*asin(final(wheel.qz))") == pytest.approx(2.0, abs=1e-8)
