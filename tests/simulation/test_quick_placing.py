"""What was decided at an event is put into a march by one kernel, and comes to the same as the way through Python, to the bit."""

from collections import Counter
from typing import Any

import mechanisms
import numpy as np
import pytest
from test_gap_contacts import WOODPECKER
from test_repeated_runs import CASES as REPEATED
from test_repeated_runs import CHAIN
from test_rough_contacts import by
from test_rows_that_wait import same
from test_unilateral import BALL

import mbsim
import mbsim.march.stretch
from mbsim.march.quick_placing import QuickPlacing

CASES: dict[str, Any] = {
    "own coordinates": by(WOODPECKER, end=0.3),
    **{name: REPEATED[name] for name in ("disks", "box", "loaded joints", "row", "ball", "equal steps")},
    "a library's solver": by(BALL, end=1.5, integrator="radau"),
    "a method with steps of its own": by(BALL, end=1.5, method="generalized_alpha", step=0.002),
    "speeds of a method's own": by(BALL, end=1.5, method="svd"),
    "joint coordinates": CHAIN,
}
LEAVES = {"joint coordinates", "disks", "box", "loaded joints"}  # cases with redundant rows, or such as are off their place


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_long_way(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, counts, place = mechanisms.model(CASES[case]), Counter[str](), QuickPlacing.__call__

    def counted(self: QuickPlacing, *given: Any) -> Any:
        found = place(self, *given)
        counts["left" if found is None else "placed"] += 1
        return found

    monkeypatch.setattr(QuickPlacing, "__call__", counted)
    quick = mbsim.simulate(model)
    assert counts["placed"] > 2 and (case in LEAVES or not counts["left"])
    monkeypatch.setattr(mbsim.march.stretch, "quick_placing", lambda of, settings: None)
    counts.clear()
    long = mbsim.simulate(model)
    assert not counts
    same(quick, long)
    assert quick.attributes["notes"] == long.attributes["notes"]


@pytest.mark.parametrize("case", ["own coordinates", "ball", "box"])
def test_a_state_that_it_leaves_is_as_it_was(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It measures and begins, and then leaves the state to the long way each second time."""
    model, place, counts = mechanisms.model(CASES[case]), QuickPlacing.__call__, Counter[str]()
    quick = mbsim.simulate(model)

    def left(self: QuickPlacing, at: float, z: np.ndarray, *given: Any) -> Any:
        before, measured = z.copy(), self.work.length[0]
        found = place(self, at, z, *given)
        counts["asked"] += 1
        if counts["asked"] % 2:
            return found
        z[:], self.work.length[0] = before, measured
        return None

    monkeypatch.setattr(QuickPlacing, "__call__", left)
    same(quick, mbsim.simulate(model))
    assert counts["asked"] > 3
