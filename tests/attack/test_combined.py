"""Random mechanisms with several features at once, by the ways of `scripts/attack/combined.py`."""

import sys
from pathlib import Path

import numpy as np
import pytest
from mechanisms import close

import mbsim

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts" / "attack"))
import combined
import combined_beams
import combined_contacts
import combined_units


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 4, 6, 12, 16, 38, 57])
def test_all_ways_agree(seed: int) -> None:
    wrong = [line for line in combined.judge(seed)[1:] if line.partition(":")[0] in ("wrong", "stopped", "error")]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 3, 6])
def test_all_ways_agree_of_bodies_and_beams(seed: int) -> None:
    wrong = [line for line in combined_beams.judge(seed)[1:] if line.partition(":")[0] in ("wrong", "stopped", "error")]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", [903062, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(903063, 903072))])
def test_units_change_nothing(seed: int) -> None:
    """Seed 903062 unlocks a joint whose reaction loads its friction."""
    wrong = [line for line in combined_units.judge(seed)[1:] if not line.startswith("refused")]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(8), 100, 108, 110, 158])
def test_all_ways_agree_of_mechanisms_with_contacts(seed: int) -> None:
    wrong = [line for line in combined_contacts.judge(seed)[1:] if line.partition(":")[0] in ("wrong", "stopped", "error")]
    assert not wrong, "\n".join(wrong)


def test_friction_that_constraints_hold_as_well_carries_nothing() -> None:
    """A latch closes on an arm that friction holds: the shortest multipliers loaded that beyond its bound, again and again without end."""
    drawn = combined_contacts.Touching(158)
    result = mbsim.simulate(combined.model(drawn.block, "absolute"), end=0.7, **combined.TIGHT)
    caught = next(line for line in result.events if line["event"] == "caught")["time"]
    assert [line["event"] for line in result.events if line["time"] > caught + 1e-9] == []
    latched = np.asarray(result["body_position"])[result.time > caught + 1e-9]
    arm = list(drawn.block["bodies"]).index("arm0")
    assert len(latched) > 3 and np.abs(latched[:, arm] - latched[0, arm]).max() < 1e-9


def test_the_last_bounces_do_not_count() -> None:
    events = [("floor", 0.1), ("turn", 0.1), ("floor", 0.2), ("floor", 0.2005), ("floor", 0.3)]
    assert combined.names_of(events, 1e-3) == ["floor", "turn", "floor", "floor"]
    assert combined.names_of(events, 0.0) == [name for name, _ in events]


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


@pytest.mark.parametrize(("coordinates", "method"), [("joint", "lagrange"), ("absolute", "nullspace")])
def test_radau_goes_over_a_position_where_branches_meet(coordinates: str, method: str) -> None:
    """Parallel cranks fold flat at 0.199 s. No iteration converges over that; the run stopped, or lost a fifth of its energy."""
    made = mbsim.assemble(combined.model(combined.Drawn(50).block, coordinates))
    runs = [
        mbsim.simulate(made, method=method, integrator=name, rtol=rtol, atol=0.1 * rtol, end=0.4, output_step=0.02)
        for name, rtol in (("dop853", 1e-10), ("radau", 1e-7), ("radau", 1e-10))
    ]
    for run in runs:
        assert [0.19 < change["time"] < 0.21 for change in run.attributes["rank_changes"]] == [True]
        balance = run["energy_balance"] - run["energy_balance"][0]
        close(balance, np.zeros(balance.size), atol=1e-5)
    ends = [run["body_position"][-1] for run in runs]
    close(ends[1], ends[0], atol=1e-6)
    close(ends[2], ends[0], atol=1e-8)


def test_changes_of_round_off_do_not_keep_radau_from_going_on() -> None:
    """A caught mechanism at rest, with samples: the changes of an iteration are round-off from the first one on, and do not shrink."""
    made = mbsim.assemble(combined.model(combined.Drawn(92).block, "joint"))
    for rtol in (1e-8, 1e-9, 1e-10):
        run = mbsim.simulate(made, method="lagrange", integrator="radau", rtol=rtol, atol=0.1 * rtol, output_step=0.025)
        assert run.attributes["counts"]["rejected"] < 10


@pytest.mark.parametrize("order", [5, 9])
def test_radau_counts_no_redundant_row_off_the_constraints(order: int) -> None:
    """Bennett's linkage: the rank was taken from the end of a step before it was corrected; it stopped, or lost 0.065 J of 19 J."""
    made = mbsim.assemble(combined.model(combined.Drawn(16).block, "joint"))
    run = mbsim.simulate(made, method="lagrange", integrator="radau", order=order, rtol=1e-5, atol=1e-6, output_step=0.01)
    balance = run["energy_balance"] - run["energy_balance"][0]
    close(balance, np.zeros(balance.size), atol=3e-4)


@pytest.mark.parametrize("order", [5, 9])
@pytest.mark.parametrize("rtol", [1e-4, 3e-5])
def test_radau_asks_no_derivative_across_a_jump(order: int, rtol: float) -> None:
    """The same, whose cable is taut from 0.168 s on, with a jump of its damper: the differences of the next step went back over it.

    They were a million times the derivatives, so the iteration seemed to converge at once; up to 0.16 J were lost, and rows were wrong.
    """
    made = mbsim.assemble(combined.model(combined.Drawn(16).block, "joint"))
    run = mbsim.simulate(made, method="lagrange", integrator="radau", order=order, rtol=rtol, atol=0.1 * rtol, output_step=0.01)
    balance = run["energy_balance"] - run["energy_balance"][0]
    close(balance, np.zeros(balance.size), atol=15 * rtol)


def test_redundant_rows_are_held_closer_than_a_loose_drift_tolerance() -> None:
    """At 1e-8 and above off the constraints, rows that depend on others counted as others: the linkage stopped, 18 J of 19 J were lost."""
    made = mbsim.assemble(combined.model(combined.Drawn(16).block, "joint"))
    how = {"method": "lagrange", "integrator": "dop853", "rtol": 1e-6, "atol": 1e-5, "output_step": 0.01}
    run = mbsim.simulate(made, drift_tolerance=1e-6, **how)
    balance = run["energy_balance"] - run["energy_balance"][0]
    close(balance, np.zeros(balance.size), atol=1e-4)
    assert run["residual_position"].max() < 1e-9
