"""The rings of tests that docs/contributing.md tells of."""

from pathlib import Path

import pytest
import quick_ring

TESTS = Path(__file__).parents[1]


def test_every_line_of_the_quick_ring_names_tests(request: pytest.FixtureRequest) -> None:
    stale = request.config.stash[quick_ring.STALE]
    if stale is None:
        pytest.skip("only the tests that were asked for were collected")
    assert stale == [], "tests/quick_ring.py: these lines name no test"


def test_every_layer_is_in_the_quick_ring() -> None:
    """Every folder of tests but those whose tests are long, and the one that another test runs in a process of its own."""
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    assert folders - {path.parent.name for path in quick_ring.FILES} == {"attack", "benchmark", "mutations", "plain"}


def test_the_ring_is_marked_in_one_place() -> None:
    """`-m quick` collects no other files, so a mark in another file would not be seen."""
    marked = [path.name for path in TESTS.rglob("*.py") if "mark.quick" in path.read_text(encoding="utf-8") and path != Path(__file__)]
    assert marked == ["quick_ring.py"]
