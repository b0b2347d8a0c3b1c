"""The pages of figures that scripts write: each says which version of mbsim printed it, and none is a release behind."""

import re
from pathlib import Path

import pytest

from mbsim.version import __version__

ROOT = Path(__file__).parents[2]
WRITTEN = re.compile(r"^Written by `(?:python )?scripts/(?!gallery)", re.M)  # `gallery.py` prints pictures and no times
PRINTED = re.compile(r"\bPython [\d.]+, mbsim (\d+\.\d+)\.")
PAGES = sorted(path for path in (ROOT / "docs").glob("*.md") if WRITTEN.search(path.read_text(encoding="utf-8")))


def versions(text: str) -> list[str]:
    """The release that printed each part of a page, 0.2 of 0.2.1; '' where a part does not say so within its head."""
    heads = [text[found.start() :][:600].split("\n\n##", maxsplit=1)[0] for found in WRITTEN.finditer(text)]
    return [found[1] if (found := PRINTED.search(head)) else "" for head in heads]


def test_the_pages_are_found() -> None:
    """All that the scripts of benchmarks write, and the tables of other pages."""
    assert {path.stem for path in PAGES} == {path.stem for path in (ROOT / "docs").glob("benchmarks*.md")} | {"choosing", "space_robot"}
    assert versions("Written by `python scripts/x.py` on 2026-11-21.\n\n- Python 3.11.7, mbsim 0.1.3, numpy 2\n") == ["0.1"]
    assert versions("Written by `python scripts/x.py`.\n\n## Next\n- Python 3.11.7, mbsim 0.1.3, numpy 2\n") == [""]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_is_a_release_behind(page: Path) -> None:
    release = __version__.rpartition(".")[0]
    assert versions(page.read_text(encoding="utf-8")) == [release] * len(WRITTEN.findall(page.read_text(encoding="utf-8")))
