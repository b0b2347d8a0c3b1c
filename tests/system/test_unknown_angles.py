"""Laws with cases over an angle in space that is not known: the run stops, as by a law without cases."""

from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.march.ending import SimulationError


def wheel(value: str, coordinates: str = "absolute", **more: Any) -> dict[str, Any]:
    """A wheel on an axle, which turns by 2 pi and more."""
    return {
        "name": "a wheel", "coordinates": coordinates,
        "bodies": {"wheel": {"mass": 1, "inertia": [0.1, 0.1, 0.2], "position": [0, 0, 0]}},
        "joints": {"axle": {"type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "forces": {"law": {"type": "joint_torque", "joint": "axle", "value": value},
                   "push": {"type": "torque", "body": "wheel", "value": [0, 0, 0.4]}},
        "simulation": {"end": 4, "output_step": 0.1},
    } | more  # fmt: skip


LAWS = [
    "if_else(axle.angle > 5, -0.1*(axle.angle - 5), 0)", "-0.1*max(axle.angle - 5, 0)", "0.1*min(5 - axle.angle, 0)",
    "-0.1*step(axle.angle - 5)",
    "if_else(axle.angle > 5 or axle.angle < -5, -0.1, 0)", "0.1*abs(axle.angle)",
]  # fmt: skip


@pytest.mark.parametrize("value", LAWS)
def test_a_law_with_cases_stops_where_its_angle_is_not_known(value: str) -> None:
    with pytest.raises(SimulationError, match=r"the force law needs the angle axle\.angle, which is known within 1\.9 pi") as stopped:
        mbsim.simulate(wheel(value))
    known = mbsim.simulate(wheel(value, "joint"))  # counts turns
    result = stopped.value.result
    assert result is not None
    rows = len(result.time) - 1
    assert 20 <= rows <= 30  # about sqrt(1.9 pi) s
    np.testing.assert_allclose(result["force_effort"][:rows], known["force_effort"][:rows], atol=1e-6)


def test_a_law_over_the_rate_goes_on() -> None:
    assert mbsim.simulate(wheel("-0.01*max(der(axle.angle), 0)")).time[-1] == 4.0


def test_a_state_stops_too() -> None:
    states = {"heat": {"start": 0, "rate": "max(axle.angle - 5, 0)"}}
    with pytest.raises(SimulationError, match=r"stopped at t = 2\.4"):
        mbsim.simulate(wheel("0.1*heat", states=states))
