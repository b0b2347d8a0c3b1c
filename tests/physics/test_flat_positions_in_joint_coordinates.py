"""Loops that fold flat in joint coordinates: a row of the loop fades out as its terms cancel, and counts for less near such a position.

The mechanism is IFToMM's library benchmark A02 with one window (Gonzalez et al., Multibody Syst. Dyn. 26, 2011). It is flat twice a turn.
"""

from typing import Any

import mechanisms
import numpy as np
import pytest
from mechanisms import close

import mbsim
from mbsim import registry
from mbsim.diagnosis.ranks import RankMonitor
from mbsim.diagnosis.redundancy import redundancy

METHODS = ["svd", "riemann", "lagrange", "nullspace", *(m for m in ("aba", "kane") if m in registry.names("methods"))]
END = (0.47838505776097056, 0.8781501787912093)  # of the first crank after 10 s, from theta'' = a sin theta with mpmath
PASSAGES = 10  # in these 10 s


def window(speed: float = -1.0) -> Any:
    """One square window of rods of 1 m and 1 kg; `speed` (rad/s) of the first crank."""
    rod = {"mass": 1, "inertia": 1 / 12, "points": {"A": [-0.5, 0], "B": [0.5, 0]}}
    bodies = {
        "crank0": rod | {"position": [0, 0.5], "angle": "pi/2"},
        "crank1": rod | {"position": [1, 0.5], "angle": "pi/2"},
        "coupler": rod | {"position": [0.5, 1]},
    }
    joints = {
        "O0": {"type": "revolute", "bodies": ["ground", "crank0"], "at": [0, 0]},
        "A": {"type": "revolute", "points": ["crank0.B", "coupler.A"]},
        "B": {"type": "revolute", "points": ["coupler.B", "crank1.B"]},
        "O1": {"type": "revolute", "bodies": ["ground", "crank1"], "at": [1, 0]},
    }
    return mbsim.assemble(mechanisms.model({
        "dimension": 2, "gravity": [0, -9.81], "coordinates": "joint", "bodies": bodies, "joints": joints,
        "initial": {"der(O0.angle)": speed, "fix": ["der(O0.angle)"]},
        "simulation": {"end": 10, "step": 1e-3, "integrator": "rk4", "output_step": 0.1},
    }))  # fmt: skip


@pytest.mark.parametrize("step", [1e-3, 1 / 300])
@pytest.mark.parametrize("method", METHODS)
def test_it_goes_through_ten_flat_positions_on_time(method: str, step: float) -> None:
    result = mbsim.simulate(window(), method=method, step=step)
    close(2.0 * result["body_position"][-1, 0, :2], END, atol=2e-4)
    close(result["energy_balance"], 0.0, atol=2e-4)  # of 40 J
    assert len(result.attributes["rank_changes"]) == PASSAGES


def test_passages_are_told_whatever_the_rows_come_in() -> None:
    """Rows that swing there and back between two looks: two of the passages were passed over where all rows came at once."""
    made = window()
    result = mbsim.simulate(made, method="lagrange", integrator="dop853")
    rows, times, n_q = np.hstack([result[name] for name in ("q", "v", "acceleration")]), np.asarray(result.time), made.system.n_q
    for size in (1, 5, len(times)):
        monitor = RankMonitor(made.system, float(times[-1]))
        monitor.begin(float(times[0]), rows[0, :n_q], 2)
        for first in range(0, len(times), size):
            monitor.chunk(times[first : first + size], rows[first : first + size])
        assert len(monitor.changes) == PASSAGES


@pytest.mark.parametrize("method", METHODS)
def test_a_step_may_end_on_a_flat_position(method: str) -> None:
    """At 4.88 s to 1e-6 s: a whole number of steps."""
    made = window(-1.13)
    expected = mbsim.simulate(made, method="svd", step=5e-4, end=6.0)
    result = mbsim.simulate(made, method=method, end=6.0)
    close(result["body_position"], expected["body_position"], atol=1e-4)
    close(result["energy_balance"], 0.0, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_error_control_keeps_the_branch_or_a_warning_says_what_it_lost(method: str) -> None:
    result = mbsim.simulate(window(), method=method, integrator="dop853", rtol=1e-10, atol=1e-11)
    wrong = np.abs(2.0 * result["body_position"][-1, 0, :2] - END).max()
    assert wrong < 5e-3 or any("singular position" in line for line in result.attributes["warnings"])
    if method in ("svd", "riemann"):
        assert wrong < 1e-5


def test_a_row_that_fades_out_shows_how_near_the_position_is() -> None:
    """The rows of the cut joint are in global axes: the one along the line that the rods fall into vanishes with their angle."""
    system, shares, values = window().system, [], []
    for angle in (0.5, 1e-2, 1e-4, 1e-6):
        q = np.array([1.0, -1.0, 1.0]) * (angle - 0.5 * np.pi)
        found = redundancy(system, 0.0, q)
        values.append(found.singular_values[-1])
        shares.append(system.arrays.row_shares.min())
        assert found.rank == 2
    assert shares[0] > 0.1 and values[0] > 0.3
    for fading in (shares, values):
        close(np.log10(np.divide(fading[1:], fading[2])), [2.0, 0.0, -2.0], 0.02)


def test_rows_that_turn_round_twice_are_seen() -> None:
    """A window that turns fast: the row of the loop is the same before and after two flat positions, and both were passed over."""
    found = mbsim.simulate(window(-20.0), end=1.0, step=1e-3, output_step=1e-3)
    angle = np.array(found["O0.angle"])
    flat = np.flatnonzero(np.diff(np.floor((angle + np.pi / 2) / np.pi)))
    told = [change["time"] for change in found.attributes["rank_changes"]]
    assert len(told) == len(flat) >= 5
    assert np.abs(np.array(told) - found.time[flat]).max() < 1e-3


def parallelogram(turn: float, centred: bool) -> Any:
    """A parallelogram without gravity whose ground link is turned by so many rad; its cranks' centres of mass are in their pivots or not.

    It goes at a constant speed: the coupler does not turn, and the energy is a constant times the square of the crank's speed.
    """
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    arm = 0.5 * (np.cos(1.0) * along + np.sin(1.0) * across)
    A, B = np.zeros(2), along
    part = {"mass": 1, "inertia": 0.05}
    bodies = {
        "crank": part | {"position": (A if centred else A + 0.5 * arm).tolist(), "angle": turn + 1.0},
        "coupler": part | {"position": (0.5 * (A + B) + arm).tolist(), "angle": turn},
        "rocker": part | {"position": (B if centred else B + 0.5 * arm).tolist(), "angle": turn + 1.0},
    }
    joints = {
        "a": {"type": "revolute", "bodies": ["ground", "crank"], "at": A.tolist()},
        "p": {"type": "revolute", "bodies": ["crank", "coupler"], "at": (A + arm).tolist()},
        "q": {"type": "revolute", "bodies": ["coupler", "rocker"], "at": (B + arm).tolist()},
        "b": {"type": "revolute", "bodies": ["ground", "rocker"], "at": B.tolist()},
    }
    return mbsim.assemble(mechanisms.model({
        "dimension": 2, "gravity": [0, 0], "coordinates": "joint", "bodies": bodies, "joints": joints,
        "initial": {"der(a.angle)": -9.0}, "simulation": {"end": 1, "rtol": 1e-9, "atol": 1e-10},
    }))  # fmt: skip


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 2])
def test_how_near_a_flat_position_is_does_not_hang_on_the_axes_of_the_ground(turn: float, centred: bool) -> None:
    """Where an arm lies along a row, nothing cancels in it: made unit, it told of the position when that was 1e-4 rad away.

    `lagrange` and `nullspace` stopped with `radau`, and were 2e-4 rad off with `dop853`, where the cranks' centres are in their pivots.
    """
    made = parallelogram(turn, centred)
    for method, integrator in (("lagrange", "radau"), ("lagrange", "dop853"), ("nullspace", "radau"), ("svd", "dop853")):
        result = mbsim.simulate(made, method=method, integrator=integrator)
        start, end = (result["q"][k] for k in (0, -1))
        close(np.abs(end - start), 9.0, atol=1e-7)
        assert len(result.attributes["rank_changes"]) == 3
    system, sizes = made.system, []
    for angle in (0.0, 1e-2):
        there = system.move(made.q, (1.0 - angle) * np.sign(end - start))
        sizes.append(redundancy(system, 0.0, there).singular_values[-1])
    assert sizes[0] < 1e-10 and 1e-3 < sizes[1] < 0.3
