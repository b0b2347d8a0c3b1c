"""Recipes and other pages as they are typed: their files are saved and their commands run in a fresh folder, in order."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from mbsim.cli import main

ROOT = Path(__file__).parents[2]
# Not here: what needs an installed package (plug_in) or a running Dask scheduler.
ELSEWHERE = ("plug_in",)
PAGES = [
    path for path in sorted((ROOT / "docs" / "howto").glob("*.md")) if path.stem not in ELSEWHERE and "$ mbsim" in path.read_text("utf-8")
]
_BLOCK = re.compile(r"^(?P<margin> *)```(?P<info>\w+)[^\n`]*\n(?P<text>.*?)^ *```[ \t]*$", re.DOTALL | re.MULTILINE)
_SAVED = re.compile(r"[Ss]ave\s+(?:it|this)\s+as\s+`([\w.-]+)`")


def typed(page: Path) -> list[tuple[str, list[str]]]:
    """The commands with what the page says that they print. Files that a reader saves are written into the working folder."""
    text, found, last = page.read_text(encoding="utf-8"), list[tuple[str, list[str]]](), 0
    for block in _BLOCK.finditer(text):
        before, last = text[last : block.start()], block.end()
        body = re.sub(f"^{block['margin']}", "", block["text"], flags=re.MULTILINE)
        name = _SAVED.search(before)
        if block["info"] in ("yaml", "xml") and name:
            Path(name[1]).write_text(body, encoding="utf-8")
        elif block["info"] == "console":
            for line in body.replace("\\\n", "").splitlines():
                if line.startswith("$ "):
                    found.append((line[2:], []))
                elif found:
                    found[-1][1].append(line.strip())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_recipe_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exit code is 0, or 1 where the page shows a run that stops; the files that the page names are printed and there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    ran = 0
    for command, said in typed(page):
        words = shlex.split(command, comments=True)
        if words[0] != "mbsim" or "--dask" in words:
            continue
        done = CliRunner().invoke(main, words[1:], prog_name="mbsim")
        assert done.exit_code == any(line.startswith("stopped at") for line in said), f"{command}: {done.output}"
        for name in (line for line in said if re.fullmatch(r"[\w.-]+\.[a-z]\w+", line)):
            assert name in done.output.splitlines(), f"{command}: {done.output}"
            assert (tmp_path / name).is_file()
        ran += 1
    assert ran
