"""scripts/attack/random_contacts.py: mechanisms here that were wrong or stopped once, 100 as `slow`."""

import pytest
import random_contacts as attack
from deciding import decide_both_ways

TIGHT = {"rtol": 1e-10, "atol": 1e-11}


@pytest.mark.parametrize("seed", [104, 174, 218, 241, 271])
def test_random_bodies_move_as_the_oracle_does(seed: int) -> None:
    """Loads that do not determine the forces of contacts, corners that give way together, forces that are watched from a long step on."""
    assert attack.judge(seed, dict(TIGHT), attack.AGREES) == "right"


@pytest.mark.parametrize("rtol", [8e-11, 5e-11, 1e-11])
def test_a_friction_whose_load_vanishes(rtol: float) -> None:
    """Its effort is round-off where its contact opens: no number to ask by how much the reactions change with it."""
    assert attack.judge(218, {"rtol": rtol, "atol": 0.1 * rtol}, attack.AGREES) == "right"


@pytest.mark.parametrize(("method", "integrator"), [("lagrange", "rk45"), ("cfa", "dop853")])
def test_other_methods_find_the_same(method: str, integrator: str) -> None:
    assert attack.judge(104, {"method": method, "integrator": integrator} | TIGHT, attack.AGREES) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_one_hundred_random_mechanisms(seed: int) -> None:
    assert attack.judge(seed, dict(TIGHT), attack.AGREES) in ("right", "unsure")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_a_kernel_decides_as_the_plain_way(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each event of a run, from the same state."""
    decide_both_ways(monkeypatch)
    assert attack.judge(seed, dict(TIGHT), attack.AGREES) in ("right", "unsure")
