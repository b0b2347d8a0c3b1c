"""The rings of tests that docs/contributing.md tells of, and the families that run as plain Python."""

import runpy
from pathlib import Path
from typing import Any

import plain_python
import pytest
import quick_ring
import slow_ring

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("names", [quick_ring, slow_ring, plain_python], ids=lambda names: names.__name__)
def test_every_line_names_tests(names: Any, request: pytest.FixtureRequest) -> None:
    stale = request.config.stash[names.STALE]
    if stale is None:
        pytest.skip("only the tests that were asked for were collected")
    assert stale == [], f"tests/{names.__name__}.py: these lines name no test"


def test_what_a_slow_test_notices_is_noticed_in_the_default_run(request: pytest.FixtureRequest) -> None:
    """A test whose cases are all listed has a stand-in by name."""
    lost = request.config.stash[slow_ring.LOST]
    if lost is None:
        pytest.skip("only the tests that were asked for were collected")
    assert lost == [], "tests/slow_ring.py: INSTEAD names a stand-in of the default run for each test of which nothing stays"


def test_what_notices_mutations_is_in_the_default_run(request: pytest.FixtureRequest) -> None:
    """`scripts/mutations.py` tells which test notices which error."""
    mutations = runpy.run_path(str(TESTS.parent / "scripts" / "mutations.py"), run_name="mutations")["MUTATIONS"]
    named = tuple({mutation.test.removeprefix("tests/") for mutation in mutations})  # tests, and files with all of theirs
    assert named and [test for test in request.config.stash[slow_ring.LISTED] if test.startswith(named)] == []


def test_every_layer_is_in_the_quick_ring() -> None:
    """Every folder of tests but those whose tests are long, and the one whose tests run as plain Python."""
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    assert folders - {path.parent.name for path in quick_ring.FILES} == {"attack", "benchmark", "mutations", "plain", "programs"}


def test_the_ring_is_marked_in_one_place() -> None:
    """`-m quick` collects no other files, so a mark in another file would not be seen."""
    marked = [path.name for path in TESTS.rglob("*.py") if "mark.quick" in path.read_text(encoding="utf-8") and path != Path(__file__)]
    assert marked == ["quick_ring.py"]
