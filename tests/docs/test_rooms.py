"""What `scripts/rooms.py` counts: its capabilities name files that there are, and docs/architecture.md names the rooms that there are."""

import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import rooms

    return rooms


def test_capabilities_name_files_that_there_are(rooms: ModuleType) -> None:
    """Each once; a file that was renamed or removed leaves the list."""
    there = {path.relative_to(rooms.PACKAGE).with_suffix("").as_posix() for path in rooms.PATHS.values()}
    named = [
        f"{folder}/{stem}".lstrip("/") for each in rooms.LATER.values() for folder, stems in each.files.items() for stem in stems.split()
    ]
    assert [name for name in named if not name.endswith("*") and name not in there] == []
    assert [name for name in named if name.endswith("*") and not any(other.startswith(name[:-1]) for other in there)] == []
    assert len(named) == len(set(named))


def test_what_is_left_without_a_capability_is_the_rest(rooms: ModuleType) -> None:
    rest = [module for module in rooms.FILES if rooms.capability(module) != "units"]
    without = rooms.Rooms(rest)
    assert "programs" not in without.names and rooms.lines(rest) < rooms.lines(rooms.FILES)
    assert set(without.arrows) < set(rooms.Rooms(rooms.FILES).arrows)


def test_an_arrow_that_follows_from_others_is_not_counted(rooms: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"mbsim.a": "import mbsim.b\nimport mbsim.c\n", "mbsim.b": "import mbsim.c\n", "mbsim.c": ""}
    monkeypatch.setattr(rooms, "FILES", texts)
    rooms.imported.cache_clear()
    found = rooms.Rooms(texts)
    rooms.imported.cache_clear()
    assert len(found.arrows) == 3 and found.reduced() == 2 and found.heights == {"c": 1, "b": 2, "a": 3}


def test_the_page_names_the_rooms_that_there_are(rooms: ModuleType) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    counted = re.findall(r"^\| `(\w+)` \| [\d,]+ \(", page, flags=re.MULTILINE)
    assert counted == rooms.Rooms(rooms.FILES).names, "python scripts/rooms.py --capabilities prints the tables"
    drawn = re.findall(r"\w+", page[page.index("    cli | gym") : page.index("import-linter checks this")])
    assert set(rooms.Rooms(rooms.FILES).names) <= set(drawn)
