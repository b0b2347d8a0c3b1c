"""scripts/attack/units.py: some models here, all shipped ones as `slow`."""

import pytest
import units as attack

FEW = ("four_bar 0", "rssr 0", "sarrus 6")  # rows of the last depend on each other: which are picked is not to hang on units


@pytest.mark.parametrize("name", FEW)
def test_random_mechanisms_move_alike_in_other_units(name: str) -> None:
    block = next(block for drawn, block in attack.drawn(attack.FULL) if drawn == name)
    finding = attack.judge(name, block)
    assert finding.verdict == "right", finding.detail


@pytest.mark.parametrize("control", [False, True], ids=["equal steps", "error control"])
@pytest.mark.parametrize("name", ["four_bar", "chaplygin_sleigh", "cam_follower"])
def test_nothing_differs_where_nothing_is_rounded(name: str, control: bool) -> None:
    """A factor of two changes no digit of a number: what differs then is a constant that lacks a unit."""
    block = dict(attack.shipped())[name]
    finding = attack.judge(name, block, base=1024.0, control=control)
    assert (finding.verdict, finding.detail) == ("right", "")


@pytest.mark.slow
@pytest.mark.parametrize("control", [False, True], ids=["equal steps", "error control"])
@pytest.mark.parametrize(("name", "block"), list(attack.ordinary()))
def test_shipped_models_do(name: str, block: dict[str, object], control: bool) -> None:
    finding = attack.judge(name, block, control=control)
    assert finding.verdict == "right", finding.detail
