"""Contacts with friction decided both ways at each event: by the kernel, and by the plain way from the same state."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import mbsim.march.unilateral
from mbsim.march.contact_modes import Decided
from mbsim.march.rough_contacts import Rough
from mbsim.march.simple_contacts import Struck
from mbsim.march.unilateral import Modes


def decide_both_ways(monkeypatch: pytest.MonkeyPatch) -> "Counter[str]":
    """From now on each event asserts that both decide the same; the counts of events that the kernel decides, and that it leaves."""
    counts, asked, settle, kernel = Counter[str](), list[Modes](), Modes.settle, Rough.settle

    def settle_asked(modes: Modes, *given: Any) -> Any:
        asked[:] = [modes]
        return settle(modes, *given)

    def both(self: Rough, base: Any, at: float, q: Any, v: Any, fired: Any, held: Any, decided: Decided, force: float) -> Struck | None:
        (modes,), before = asked, decided.copy()
        found = kernel(self, base, at, q, v, fired, held, decided, force)
        if found is None:
            counts["left"] += 1
            assert decided.mode == before.mode and decided.carries == before.carries
            return None
        counts["decided"] += 1
        mine, modes.decided = decided.copy(), before
        plain = modes._decide(at, q, v, fired, held)
        theirs = modes.decided
        assert (mine.mode, mine.carries) == (theirs.mode, theirs.carries)
        for one, other in zip(mine.slip, theirs.slip, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)
        assert (found.gains, found.unique, found.impulses.keys()) == (plain.gains, plain.unique, plain.impulses.keys())
        np.testing.assert_allclose(found.v, plain.v, rtol=1e-9, atol=1e-10)
        for name, impulse in plain.impulses.items():
            np.testing.assert_allclose(found.impulses[name], impulse, rtol=1e-8, atol=1e-11)
            np.testing.assert_allclose(found.speeds[name], plain.speeds[name], rtol=1e-8, atol=1e-10)
        return plain

    monkeypatch.setattr(mbsim.march.unilateral.Modes, "settle", settle_asked)
    monkeypatch.setattr(Rough, "settle", both)
    return counts
