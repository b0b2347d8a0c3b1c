"""Random mechanisms with several features at once, by the ways of `scripts/attack/combined.py`."""

import sys
from pathlib import Path

import numpy as np
import pytest
from mechanisms import close

import mbsim

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "attack"))
import combined


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 4, 6, 12, 38])
def test_all_ways_agree(seed: int) -> None:
    wrong = [line for line in combined.judge(seed)[1:] if line.partition(":")[0] in ("wrong", "stopped", "error")]
    assert not wrong, "\n".join(wrong)


def test_a_step_that_did_not_converge_is_no_state_at_an_event() -> None:
    """Stages of order 9 at a tolerance near round-off: some trials that look for the end of a slip do not converge."""
    made = mbsim.assemble(combined.model(combined.Drawn(38).block, "joint"))
    runs = [
        mbsim.simulate(made, method="lagrange", integrator=name, rtol=1e-9, atol=1e-10, output_step=0.05) for name in ("radau", "dop853")
    ]
    ends = [[e["time"] for e in run.events if e["do"] == "slips"] for run in runs]
    close(ends[0], ends[1], atol=1e-8)
    assert len(ends[0]) == 2
    times = np.arange(0.0, runs[0].time[-1], 0.05)
    places = [run["body_position"][np.searchsorted(run.time, times - 1e-12)] for run in runs]
    close(places[0], places[1], atol=1e-7)
