"""scripts/attack/estimates.py: an oscillator and a mechanism here, sixty models as `slow`."""

import estimates as attack
import pytest


@pytest.mark.parametrize(("kind", "seed"), [("oscillator", 3), ("mechanism", 3)])
def test_estimates_are_near_the_error(kind: str, seed: int) -> None:
    found = list(attack.judge(kind, seed))
    assert len(found) == len(attack.STEPS) and {one.verdict for one in found} <= {"right", "exact"}, found
    assert any(one.verdict == "right" for one in found)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind, share in attack.SHARES.items() for seed in range(share)])
def test_many_do_not_mislead(kind: str, seed: int) -> None:
    assert [one for one in attack.judge(kind, seed) if one.verdict == "low" and one.ratio < attack.MISLED] == []
