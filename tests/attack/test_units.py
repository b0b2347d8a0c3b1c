"""scripts/attack/units.py: some models here, all shipped ones as `slow`."""

import pytest
import units as attack

FEW = ("four_bar", "rssr")


@pytest.mark.parametrize("name", FEW)
def test_random_mechanisms_move_alike_in_other_units(name: str) -> None:
    block = next(block for drawn, block in attack.drawn(len(attack.families.FAMILIES)) if drawn == f"{name} 0")
    finding = attack.judge(name, block)
    assert finding.verdict == "right", finding.detail


@pytest.mark.slow
@pytest.mark.parametrize(("name", "block"), [x for x in attack.shipped() if x[0] not in attack.STIFF])
def test_shipped_models_do(name: str, block: dict[str, object]) -> None:
    finding = attack.judge(name, block)
    assert finding.verdict == "right", finding.detail
