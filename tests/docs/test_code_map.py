"""docs/code_map.md lists the files that there are, and lines of the documents fit a page."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WIDTH = 120
WRITTEN = ("benchmarks", "choosing", "mutations", "code_map")  # by scripts, with the commands that wrote them
DOCUMENTS = [*ROOT.glob("*.md"), *(path for path in (ROOT / "docs").rglob("*.md") if not path.name.startswith(WRITTEN))]


def test_the_map_is_that_of_the_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "code_map.py", "--quick", "--output", tmp_path], check=True, capture_output=True)
    written = (tmp_path / "code_map.md").read_text(encoding="utf-8")
    assert written.count("\n| `") > 400
    committed = (ROOT / "docs" / "code_map.md").read_text(encoding="utf-8")
    assert committed == written, "docs/code_map.md is out of date: python scripts/code_map.py"


@pytest.mark.parametrize("document", sorted(DOCUMENTS), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_are_short(document: Path) -> None:
    """Outside of tables, code and pictures."""
    long, fenced = [], False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif len(line) > WIDTH and not fenced and not line.startswith(("!", "<", "    ")) and not line.lstrip().startswith("|"):
            long.append(f"{document.name}:{number}: {len(line)} characters")
    assert not long, "\n".join(long)
