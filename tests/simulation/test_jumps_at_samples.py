"""Samples at which what is watched for an event jumps over zero."""

from typing import Any

import numpy as np
import pytest

import mbsim


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"integrator": "rk4", "step": 0.05},
        {"integrator": "rk45"},
        {"integrator": "radau"},
        {"integrator": "lsoda"},
        {"method": "generalized_alpha", "step": 0.001},
    ],
    ids=lambda settings: settings.get("integrator", settings.get("method", "default")),
)
def test_what_a_sample_carries_over_zero_and_back_is_seen(settings: dict[str, Any]) -> None:
    """Stiction holds 5 N. A sample at 0.1 s asks for 6 N, and another load takes that back by 0.15 s, before the next sample.

    The box slips from 0.1 s on with a = 1 - 20 s, comes to rest after s = 0.1 s, and has moved by s^2/2 - 10 s^3/3. Steps over the whole
    time between two samples saw 4 N at both of their ends, and no slip.
    """
    found = mbsim.simulate({
        "name": "a jump over stiction", "dimension": 2, "gravity": [0, 0],
        "bodies": {"box": {"mass": 1, "inertia": 1, "position": [0, 0]}},
        "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "box"], "at": [0, 0], "axis": [1, 0], "friction": {"force": 5}}},
        "controllers": {"push": {"type": "pd", "joint": "rail", "kd": 0, "kp": 1e-9, "target": 0, "sample": 0.1,
                                 "feedforward": "if_else(t > 0.05, 6, 4)"}},
        "forces": {"pull": {"type": "force", "body": "box", "value": ["-20*max(t - 0.1, 0)", 0]}},
        "simulation": {"end": 0.3},
    }, output_step=0.1, **settings)  # fmt: skip
    told = [(event["do"], round(float(event["time"]), 6)) for event in found.events]
    assert told == [("sticks", 0.0), ("slips", 0.1), ("sticks", 0.2)]
    np.testing.assert_allclose(found["q"][-1, 0], 0.1**2 / 2 - 10 * 0.1**3 / 3, atol=2e-5 if "step" in settings else 1e-7)
