"""The small size of scripts/attack/four_bars.py."""

import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "attack" / "four_bars.py"


def test_none_is_wrong_without_a_word() -> None:
    known, found = runpy.run_path(str(SCRIPT))["survey"](3, (1e-2, 2e-2))
    assert known == 3
    assert all(counts.silent == 0 and counts.right > 0 for counts in found.values())
