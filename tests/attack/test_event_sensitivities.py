"""scripts/attack/event_sensitivities.py: a few models here, 200 as `slow`."""

import event_sensitivities as attack
import pytest


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6, 19])
def test_random_models_agree_with_differences(seed: int) -> None:
    found = list(attack.judge(seed))
    assert any(finding.verdict == attack.RIGHT for finding in found), found
    assert not [finding for finding in found if finding.verdict in (attack.WRONG, attack.ERROR)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_many_do(seed: int) -> None:
    assert not [finding for finding in attack.judge(seed) if finding.verdict in (attack.WRONG, attack.ERROR)]
