"""The tutorials: each page is run from an empty folder and prints what it says; the notebook runs; CITATION.cff is of this version."""

import ast
import base64
import contextlib
import io
import json
import os
import re
import shutil
from pathlib import Path

import matplotlib as mpl
import pytest
import tutorial_pages
import yaml

from mbsim.version import __version__

ROOT = Path(__file__).parents[2]
FOLDER = tutorial_pages.FOLDER
NOTEBOOK = FOLDER / "four_bar.ipynb"
LARGEST = 200_000  # bytes of a picture


@pytest.fixture(autouse=True)
def _no_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")


SLOW = ("bicycle", "suspension")  # the derivatives of rolling wheels, and of all spatial elements, take long to compile


NEEDS_COMPILER = {"fmu": [pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C on this machine")]}
MARKS = {name: [pytest.mark.slow] * (name in SLOW) + NEEDS_COMPILER.get(name, []) for name in tutorial_pages.PAGES}


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks) for name, marks in MARKS.items()])
def test_a_tutorial_prints_what_it_says(name: str) -> None:
    page = tutorial_pages.read(FOLDER / f"{name}.md")
    compared = 0
    for step, printed in tutorial_pages.run(page):
        wrong = tutorial_pages.difference(step.expected, printed)
        assert wrong is None, f"{name}.md:{step.line}: {wrong}"
        compared += sum(line.strip() not in ("", "...") for line in step.expected)
    assert compared >= 5
    assert page.pictures
    for picture in page.pictures:
        assert os.path.getsize(picture) > 1000, f"{name}.md does not make {picture}"
        shown = FOLDER / "images" / picture
        assert shown.read_bytes()[:8] == Path(picture).read_bytes()[:8]
        assert shown.stat().st_size < LARGEST


@pytest.mark.parametrize("name", tutorial_pages.PAGES)
def test_links_of_a_tutorial_lead_somewhere(name: str) -> None:
    missing = [link for link in tutorial_pages.read(FOLDER / f"{name}.md").links if not (FOLDER / link.partition("#")[0]).is_file()]
    assert not missing


def test_every_page_is_run() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "index") == sorted(tutorial_pages.PAGES)
    shown = {picture for name in tutorial_pages.PAGES for picture in tutorial_pages.read(FOLDER / f"{name}.md").pictures}
    assert shown == {path.name for path in (FOLDER / "images").iterdir()}


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("a 0.965 N m", "a 0.9641 N m"),  # another number
        ("a 0.965 N m", "a -0.965 N m"),
        ("a 0.965 N m", "a 0.965 N"),  # another unit
        ("5 rows", "6 rows"),  # integers are exact
        ("residual 4.5e-07", "residual 6.5e-07"),
        ("a\nc", "a\nb\nc"),  # a line left out without dots
        ("a", "a\nb"),
        ("...\nb\na\n...", "a\nb"),  # another order
        ("a\nb", "a"),
    ],
)
def test_a_wrong_line_is_found(said: str, printed: str) -> None:
    assert tutorial_pages.difference(said.splitlines(), printed.splitlines())


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("a 0.965 N m", "a   0.964821239518   N m"),  # the digits that the page prints
        ("max 27.2", "max 27.1999"),
        ("residual 4.5e-13", "residual 6.2e-12"),  # round-off
        ("svd 18.4 ms agrees", "svd 7 ms agrees"),  # how long it took
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a\n...", "a\nb\nc"),
        ("...", ""),
    ],
)
def test_a_right_line_is_accepted(said: str, printed: str) -> None:
    assert tutorial_pages.difference(said.splitlines(), printed.splitlines()) is None


def test_a_changed_number_of_a_page_is_found() -> None:
    page = tutorial_pages.read(FOLDER / "bicycle.md")
    expected = next(step for step in page.parts if isinstance(step, tutorial_pages.Step) and "modes" in step.commands[0]).expected
    changed = [line.replace("-0.775341882", "-0.775641882") for line in expected]
    assert changed != expected
    assert tutorial_pages.difference(expected, expected) is None
    assert "-0.775641882" in str(tutorial_pages.difference(changed, expected))


def test_the_notebook_runs_and_has_its_outputs() -> None:
    """Its cells run in order in one namespace; what they print is what the file has."""
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    namespace: dict[str, object] = {"__name__": "__main__"}
    counts, pictures = [], 0
    for cell in book["cells"]:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        assert cell["metadata"] == {}
        if cell["cell_type"] == "markdown":
            assert set(cell) == {"cell_type", "id", "metadata", "source"}
            continue
        assert set(cell) == {"cell_type", "id", "metadata", "source", "outputs", "execution_count"}
        counts.append(cell["execution_count"])
        printed, shown = executed("".join(cell["source"]), namespace)
        stored = "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")
        wrong = tutorial_pages.difference([line for line in stored.splitlines() if line], [line for line in printed.splitlines() if line])
        assert wrong is None, f"cell {cell['execution_count']}: {wrong}"
        images = [output["data"]["image/png"] for output in cell["outputs"] if output["output_type"] == "display_data"]
        assert len(images) == (shown is not None)
        for image in images:
            assert base64.b64decode(image)[:8] == b"\x89PNG\r\n\x1a\n"
            assert len(image) < LARGEST
        pictures += len(images)
    assert counts == list(range(1, len(counts) + 1))
    assert pictures == 1


def executed(text: str, namespace: dict[str, object]) -> tuple[str, object]:
    """What a cell prints, and the value of its last line if it is a figure."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, str(NOTEBOOK), "exec"), namespace)
        value = None if last is None else eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), namespace)
    return printed.getvalue(), value if hasattr(value, "savefig") else None


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert set(cited) >= {"cff-version", "message", "title", "authors"}  # what the schema of 1.2.0 requires
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "software"
    assert cited["version"] == __version__
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'license = "{cited["license"]}"' in project
    assert [author["name"] for author in cited["authors"]] == re.findall(r'name = "(The [^"]+)"', project)
    assert len(cited["references"]) == 4
    sources = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8").partition("##")[0]
    for reference in cited["references"]:
        assert set(reference) >= {"type", "title", "authors"}
        assert reference["authors"][0]["family-names"] in sources
        assert "year" not in reference or str(reference["year"]) in sources
