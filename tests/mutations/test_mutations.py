"""The deliberate errors of scripts/mutations.py can still be made, their tests exist, and one that compiles nothing is caught."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_quick() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "mutations.py"), "--quick"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_table_holds_every_mutation() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from mutations import MUTATIONS
    finally:
        sys.path.pop(0)
    table = (ROOT / "docs" / "mutations.md").read_text(encoding="utf-8")
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [m.name for m in MUTATIONS]
    for mutation, row in zip(MUTATIONS, rows, strict=True):
        assert f"`{mutation.file}`" in row and f"`{mutation.test}`" in row
