"""scripts/attack/one_sided.py: a few chains here, 60 as `slow`; and its oracle against a closed form."""

import numpy as np
import one_sided as attack
import pytest

FEW, MANY = 4, 60


def test_chains_with_stops_and_contacts_come_to_rest_where_their_potential_is_least() -> None:
    """Chains without laws of their own, which would be compiled."""
    seeds = [seed for seed in range(40) if not any("value" in force for force in attack.drawn(seed)[0]["forces"].values())][:FEW]
    found = [attack.judge(seed) for seed in seeds]
    assert len(found) == FEW and [one for one in found if one.verdict not in attack.GOOD] == []
    assert any(one.verdict == "right" for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(MANY))
def test_many_do(seed: int) -> None:
    assert attack.judge(seed).verdict in attack.GOOD


def test_the_oracle_finds_where_a_rod_rests_on_a_stop() -> None:
    """A horizontal rod of 2 kg and 1 m falls on a stop 0.1 rad below it, k = 1000 N m/rad: k (d - 0.1) = m g l / 2 cos d."""
    chain = attack.Chain(["revolute"], np.ones(1), np.zeros(1), np.full(1, 2.0))
    push = attack.one_sided(1000.0, 1.0)
    chain.energies.append(lambda x, starts, tips: push(-0.1 - x[0]))
    x = attack.crept(chain)
    assert x is not None and abs(1000.0 * (-x[0] - 0.1) - attack.G * np.cos(x[0])) < 1e-4
    assert attack.is_minimum(chain, x, 2.0 * attack.G)[0]
    assert not attack.is_minimum(chain, x + 1e-3, 2.0 * attack.G)[0]
