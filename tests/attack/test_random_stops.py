"""scripts/attack/random_stops.py: chains here that stopped once, 200 as `slow`."""

import pytest
import random_stops as attack

TIGHT = {"rtol": 1e-10, "atol": 1e-11}


@pytest.mark.parametrize("joint", [False, True], ids=["absolute", "joint"])
@pytest.mark.parametrize("seed", [3002, 3011, 3013, 3021, 3049])
def test_random_chains_move_as_the_oracle_does(seed: int, joint: bool) -> None:
    """Stops of several joints at once, friction at a closed stop, loads that change their sign there."""
    assert attack.judge(seed, joint, dict(TIGHT), attack.AGREES) == "right"


def test_rows_that_are_corrected_drift_at_a_stop_that_friction_keeps() -> None:
    assert attack.judge(3049, False, {"method": "lagrange", "integrator": "rk45"} | TIGHT, attack.AGREES) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5000, 5200))
def test_two_hundred_random_chains(seed: int) -> None:
    assert attack.judge(seed, seed % 2 == 0, dict(TIGHT), attack.AGREES) in ("right", "unsure")
