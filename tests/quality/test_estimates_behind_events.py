"""The estimated error of a run with a fixed step goes on behind events that begin between two rows."""

from typing import Any

import numpy as np
import pytest

import mbsim

SLIDER = {
    "dimension": 2,
    "gravity": [0, -9.81],
    "bodies": {"block": {"mass": 1, "inertia": 0.1, "position": [0, 0]}},
    "forces": {"spring": {"type": "force", "body": "block", "value": ["-30*block.x", 0]}},
    "initial": {"block.x": 0.8},
}


def block(**of_joint: Any) -> dict[str, Any]:
    rail = {"type": "prismatic", "bodies": ["ground", "block"], "at": [0, 0], "axis": [1, 0], **of_joint}
    return SLIDER | {"joints": {"rail": rail}, "simulation": {"end": 3}}


LATCH = {"joints": {"latch": {"type": "fixed", "bodies": ["ground", "block"], "at": [0, 0], "locked": False}}}
LATCHED = {"catch": {"when": "t - 0.31234", "do": {"lock": "latch"}}, "leave": {"when": "t - 0.45678", "do": {"unlock": "latch"}}}
PUSHED = {"push": {"type": "force", "body": "block", "value": ["6*sin(4*t) - 30*block.x", 0]}}
CASES = {
    "stop": block(stops={"lower": -0.3, "restitution": 0.9}),
    "latch": block() | {"events": LATCHED, "joints": block()["joints"] | LATCH["joints"]},
    "stop that closes": block(stops={"lower": -0.1}) | {"forces": PUSHED},
    "friction by the load, back and forth": block(friction={"coefficient": 0.05, "length": 0.4}),
}


@pytest.mark.parametrize("step", [2e-3, 1e-2])
@pytest.mark.parametrize("case", CASES)
def test_it_is_near_the_error(case: str, step: float) -> None:
    run = mbsim.simulate(CASES[case], step=step)
    exact = mbsim.simulate(CASES[case], integrator="dop853", rtol=1e-12, atol=1e-13, output_step=step)
    assert len(run.events) == len(exact.events) > 1
    rows = [(i, j) for i, t in enumerate(run.time) for j in [int(np.searchsorted(exact.time, t - 1e-9))] if abs(exact.time[j] - t) < 1e-9]
    first, second = np.array(rows).T
    error = np.abs(run.select("block.x")[first] - exact.select("block.x")[second]).max()
    estimate = float(run["error_estimate"].max())
    assert error / 30.0 < estimate < 10.0 * error  # what events make of an error is not in it
    before = run["error_estimate"][run.time < run.events[1]["time"]]
    assert before[-1] < 0.9 * estimate  # it has grown since


def test_it_grows_with_the_step() -> None:
    estimates = [float(mbsim.simulate(CASES["stop"], step=step)["error_estimate"].max()) for step in (4e-3, 8e-3)]
    assert 8.0 < estimates[1] / estimates[0] < 40.0  # of order four
