"""Every file of the package says what it holds, and lines of the documents fit a page."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WIDTH = 120
WRITTEN = ("benchmarks", "choosing", "mutations")  # by scripts, with the commands that wrote them
DOCUMENTS = [*ROOT.glob("*.md"), *(path for path in (ROOT / "docs").rglob("*.md") if not path.name.startswith(WRITTEN))]


def test_every_file_says_what_it_holds() -> None:
    """The first line of a file of the package is what a reader of the folder goes by; an empty `__init__.py` needs none."""
    files = [path for path in (ROOT / "mbsim").rglob("*.py") if path.read_text(encoding="utf-8").strip()]
    assert len(files) > 400
    assert not [str(path) for path in files if not (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").strip()]


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
