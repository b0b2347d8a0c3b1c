"""Equal steps that are cut in lanes, where positions would be corrected by too much."""

from pathlib import Path

import numpy as np
import pytest
from lanes_alike import MANY, require_alike, runner_of

from mbsim.assembly import load_model
from mbsim.contracts import COUNT_REJECTED
from mbsim.jit import COMPILES
from mbsim.straight.forms import LanesError
from mbsim.studies.runner.in_lanes import InLanes

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
FOUR_BAR = Path(__file__).parents[2] / "models" / "four_bar.yaml"
CRANK = """
parameters: {omega: 8}
coordinates: [a, b]
energy:
  kinetic: (der(a)^2 + (sin(a)*der(a) + sin(b)*der(b))^2 + (cos(a)*der(a) + cos(b)*der(b))^2)/2
  potential: 0
constraints:
  rail: {type: holonomic, equation: sin(a) + 2*sin(b)}
initial: {a: 0.3, b: -asin(sin(0.3)/2), der(a): omega}
simulation: {method: lagrange, end: 1}
"""  # a slider-crank in angles


@pytest.mark.parametrize("method", ["lagrange", "nullspace", "cfa", "svd"])
@pytest.mark.parametrize(("step", "output_step"), [(5e-3, 5e-3), (1e-2, 1e-2), (1e-2, 6e-2)])
def test_steps_are_cut_as_by_themselves(method: str, step: float, output_step: float) -> None:
    """Steps after which positions would be corrected by too much are taken in parts; between rows far apart parts go on as they are."""
    runner, values = runner_of(FOUR_BAR, ["omega", "a"], method=method, step=step, output_step=output_step, end=0.6)
    values[:, 0] *= np.linspace(0.8, 1.3, len(values))
    require_alike(runner, values, 1e-11)
    assert runner.march.formulation.work.counts[COUNT_REJECTED] > 3


def test_lanes_that_weigh_by_another_mass_matrix_leave_cut_steps_to_the_march() -> None:
    """Of a slider-crank in angles M follows the motion, and the march weighs by that of its last evaluation."""
    runner, values = runner_of(load_model(CRANK), ["omega"])
    assert "weigh" not in InLanes(runner, values, MANY).programs.codes
    with pytest.raises(LanesError, match="a step would be cut"):
        InLanes(*runner_of(load_model(CRANK), ["omega"], step=0.05, end=1.0), MANY)
