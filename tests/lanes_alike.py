"""Runs in lanes beside the same runs of the march."""

from typing import Any

import numpy as np

from mbsim.contracts import COUNT_STEPS
from mbsim.studies.runner.in_lanes import InLanes
from mbsim.studies.runner.runner import Runner

MANY = 10**7  # runs, for which lanes pay
SHORT = {"integrator": "rk4", "step": 1e-3, "end": 0.05}
PAIRS = ("rk45", "dop853")
CONTROLLED = {"integrator": "dop853", "rtol": 1e-7, "atol": 1e-9, "output_step": 0.004, "end": 0.2}


def runner_of(model: Any, vary: list[str], outputs: dict[str, str] | None = None, **simulation: Any) -> tuple[Runner, np.ndarray]:
    """A runner, and values of 12 runs near what the file has."""
    common = CONTROLLED if simulation.get("integrator") in PAIRS else SHORT
    runner = Runner(model, vary, outputs, simulation={**common, **simulation})
    noise = np.random.default_rng(4).uniform(-1.0, 1.0, (12, len(runner.targets)))
    return runner, runner.base * (1.0 + 0.01 * noise)


def require_alike(runner: Runner, values: np.ndarray, most: float) -> None:
    """All rows of runs in lanes beside those of the march: no farther off than `most` of the largest number of their kind, or of 1.

    Lanes that choose their steps take as many as the march. Where errors are round-off, as of first steps, this decides on steps too; then
    rows are not farther off than the tolerance allows.
    """
    lanes = InLanes(runner, values, MANY)
    for row, (rows, stayed, steps) in zip(values, lanes.marched(values), strict=True):
        start = runner.begun(runner.numbers(row))
        assert stayed and start is not None and runner.march(runner.current, *start)
        taken, within = int(runner.march.formulation.work.counts[COUNT_STEPS]), most
        if runner.settings.controls_error and steps != taken:
            assert abs(steps - taken) <= 1
            within = 10.0 * float(runner.settings.options["rtol"])
        for part in lanes.parts:
            size = max(1.0, float(np.abs(runner.march.rows[:, part]).max()))
            assert np.abs(rows[:, part] - runner.march.rows[:, part]).max() <= within * size
