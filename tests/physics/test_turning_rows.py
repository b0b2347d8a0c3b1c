"""Rows of constraints that turn by more than a quarter turn between two looks: no step is refused, and what is refused says why.

The reference values are of `lagrange` and `svd` with dop853 at 1e-12, which agree to these digits.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim import contracts
from mbsim.analyses.dynamic import Run
from mbsim.diagnosis.crossing import Crossing, Way
from mbsim.march.failures import blame
from mbsim.march.settings import resolve

FAILING = Path(__file__).parents[1] / "failing"
AT_5_S = {  # m: where the first body is
    "def_20826_joint": [0.43926171, 0.40723433, -1.36220667],
    "def_20193_joint": [0.48343077, 0.99492451, -0.42015641],
    "distance_and_plane": [0.06287851, 5.2833595, 1.65207252],
    "def_20099_absolute": [24.28722, -6.06988726, -5.04917169],
}


def failing(name: str) -> Any:
    return mbsim.assemble(mbsim.load_model(FAILING / f"{name}.yaml"))


@pytest.mark.parametrize("name", AT_5_S)
def test_a_regular_motion_is_not_stopped(name: str) -> None:
    """Default settings; all of these stopped before 5 s, `def_20826_joint` with one body and one row beside a ball joint."""
    result = mbsim.simulate(failing(name), end=5.0)
    close(result["body_position"][-1, 0], AT_5_S[name], atol=1e-6)
    assert "rank_changes" not in result.attributes


@pytest.mark.parametrize("integrator", ["bdf", "radau", "lsoda"])
def test_nor_by_the_solvers_of_a_library(integrator: str) -> None:
    made = failing("def_20099_absolute")
    result = mbsim.simulate(made, end=2.7, integrator=integrator, rtol=1e-8, atol=1e-10)  # the event was at 2.55 s
    expected = mbsim.simulate(made, end=2.7)
    close(result["body_position"][-1, 0], expected["body_position"][-1, 0], atol=1e-4)


@pytest.mark.parametrize("integrator", ["bdf", "dop853"])
def test_a_march_begins_anew_with_a_step(integrator: str) -> None:
    """As after a singular position, at which shorter and shorter steps ended; a solver of a library has no scratch to put it in."""
    made = failing("def_20099_absolute")
    run = Run(made, resolve(made.simulation, made.system, {"end": 0.1, "integrator": integrator}))
    run._march.try_step(1e-3)
    assert run.record().attributes["status"] == "complete"


def test_a_row_alone_turns_by_half_a_turn_and_more() -> None:
    """A rod of a metre about a point: the row is a unit vector, which a quarter turn takes to zero where it is looked at from the start."""
    rod = """
name: rod
gravity: [0, 0, 0]
bodies: {b: {mass: 1.0, inertia: [0.1, 0.1, 0.1], position: [1.0, 0.0, 0.0]}}
joints: {d: {type: distance, bodies: [ground, b], at: [[0, 0, 0], [1, 0, 0]]}}
simulation: {end: 1.0}
"""
    system = mbsim.assemble(mbsim.load_model(rod)).system
    at = [np.array([np.cos(x), np.sin(x), 0.0, 1.0, 0.0, 0.0, 0.0]) for x in (0.0, 1.0, 2.0, 3.0)]
    way = Way(system, 1, np.ones(6))
    assert all(way.crossing((0.0, at[0]), (1.0, q)) is None for q in at[1:])


def test_a_refusal_gives_the_singular_value_and_the_position() -> None:
    made = failing("def_20099_absolute")
    run = Run(made, resolve(made.simulation, made.system, {"end": 0.1}))
    run.record()
    run.formulation.work.status[contracts.STATUS_CODE] = contracts.COARSE
    near = Crossing(False, 0.25, np.array(made.q), 1.5e-3)
    said = blame(run.formulation, 1e-3, 0.1, run.z, near)
    assert f"(smallest singular value 0.0015 near t = 0.25 s, b0.x = {made.q[0]:.6g}, " in said
    assert "(smallest singular value 0." in blame(run.formulation, 1e-3, 0.1, run.z)  # at the last state, where no position is known
