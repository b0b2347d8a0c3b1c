"""What a run has made is freed at its end, without a search for objects that refer to each other.

Such searches took a fourteenth of a run of the woodpecker, called again and again.
"""

import gc
from collections.abc import Callable
from typing import Any

import mechanisms
import pytest
from test_gap_contacts import WOODPECKER
from test_rough_contacts import DISKS, LOADED, by
from test_simple_contacts import ROW
from test_unilateral import BALL

import mbsim

CASES = {
    "woodpecker": by(WOODPECKER, end=0.13),
    "disks": DISKS,
    "loaded joints": by(LOADED, end=0.5),
    "row": ROW,
    "steps through contacts": by(BALL, end=0.6) | {"simulation": {"end": 0.6, "step": 1e-3, "impacts": "steps"}},
}
SHIPPED = ["pendulum", "four_bar", "slider_crank"]


def left_by(call: Callable[[], object]) -> list[Any]:
    """The objects of mbsim's classes that only a search frees after a call."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        call()
        gc.collect()
        return [type(one) for one in gc.garbage if type(one).__module__.startswith("mbsim")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("case", [*CASES, *SHIPPED])
def test_a_run_leaves_nothing_to_search_for(case: str) -> None:
    """The first run has made what all runs of a process keep."""
    model = mechanisms.shipped(case) if case in SHIPPED else mechanisms.model(CASES[case])
    mbsim.simulate(model)
    assert left_by(lambda: mbsim.simulate(model)) == []


def test_a_stepper_leaves_nothing_to_search_for() -> None:
    model = mechanisms.model(BALL)

    def step() -> None:
        stepper = mbsim.Stepper(model)
        for _ in range(5):
            stepper.step(0.2)

    step()
    of_runs = "mbsim.march", "mbsim.analyses", "mbsim.contracts"
    assert [one for one in left_by(step) if one.__module__.startswith(of_runs)] == []
