"""What has slipped until an event that sets or locks is recorded as it slipped, also where rows wait to be recorded."""

from typing import Any

import numpy as np
import pytest

import mbsim

ARM = {
    "dimension": 2,
    "gravity": [0, -9.81],
    "bodies": {"arm": {"mass": 1, "inertia": 0.1, "position": [0.5, 0]}},
    "joints": {
        "pin": {"type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0], "friction": {"torque": 0.8, "static": 6}},
        "latch": {"type": "fixed", "bodies": ["ground", "arm"], "at": [1, 0], "locked": False},
    },
    "forces": {"push": {"type": "joint_torque", "joint": "pin", "value": "-10*t"}},
    "simulation": {"end": 0.6},
}
CHANGES = {"lock": {"lock": "latch"}, "set": {"set": {"der(arm.angle)": -1}}}


@pytest.mark.parametrize("given", [{}, {"step": 1e-3}])
@pytest.mark.parametrize("change", CHANGES)
def test_friction_is_recorded_until_an_event(change: str, given: dict[str, Any]) -> None:
    run = mbsim.simulate(ARM | {"events": {"change": {"when": "t - 0.3123", "do": CHANGES[change]}}}, **given)
    effort, before = np.array(run.select("force_effort", "pin_friction")), (run.time > 0.12) & (run.time < 0.3122)
    assert before.sum() > 10 and effort[before] == pytest.approx(0.8)
    if given:
        assert run["error_estimate"].max() < 1e-8  # a march beside without the friction parts from the run
