"""What follows from a decision of contacts alone is put back where it comes again: no number differs from what is worked out anew."""

import mechanisms
import numpy as np
import pytest
from test_gap_contacts import WOODPECKER
from test_rough_contacts import DISKS, LOADED, by
from test_simple_contacts import ROW

import mbsim
from mbsim.march import contact_kept, contact_telling, rough_contacts, simple_contacts

CASES = {"woodpecker": by(WOODPECKER, end=0.13), "disks": DISKS, "loaded joints": by(LOADED, end=0.5), "row": ROW}


@pytest.mark.parametrize("case", CASES)
def test_what_is_kept_is_what_would_be_worked_out(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events and rows are the same to the bit; without anything kept, much more is worked out."""
    model, worked = mechanisms.model(CASES[case]), [0]
    for module in (rough_contacts, simple_contacts):
        take = module.take_decided

        def counted(*given: object, take: object = take) -> None:
            worked[0] += given[-1] is None or len(given) == 2  # by nothing that is kept
            take(*given)  # type: ignore[operator]

        monkeypatch.setattr(module, "take_decided", counted)
    kept = mbsim.simulate(model)
    few, worked[0] = worked[0], 0
    for module in (contact_telling, rough_contacts, simple_contacts):
        monkeypatch.setattr(module, "may_come_again", lambda each: False)
    anew = mbsim.simulate(model)
    assert few < 0.7 * worked[0]
    assert kept.events == anew.events and kept.names() == anew.names()
    for name in kept.names():
        np.testing.assert_array_equal(kept[name], anew[name], err_msg=name)


def test_the_decisions_that_were_left_longest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of them than are kept change no number either."""
    model = mechanisms.model(CASES["woodpecker"])
    kept = mbsim.simulate(model)
    monkeypatch.setattr(contact_kept, "MOST", 1)
    assert mbsim.simulate(model).events == kept.events
