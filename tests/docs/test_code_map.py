"""docs/code_map.md lists the files that there are."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_map_is_that_of_the_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "code_map.py", "--quick", "--output", tmp_path], check=True, capture_output=True)
    written = (tmp_path / "code_map.md").read_text(encoding="utf-8")
    assert written.count("\n| `") > 400
    committed = (ROOT / "docs" / "code_map.md").read_text(encoding="utf-8")
    assert committed == written, "docs/code_map.md is out of date: python scripts/code_map.py"
