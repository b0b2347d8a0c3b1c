"""`mbsim help WORD`: every leaf and command is found, sections are those of the pages, words that are nowhere are refused."""

import pytest
from click.testing import CliRunner

from mbsim import registry
from mbsim.cli import LazyGroup, main
from mbsim.cli import _pages as pages
from mbsim.model.expressions.functions import FUNCTIONS, MEASURING
from mbsim.model.expressions.poses import ABBREVIATIONS
from mbsim.results.functionals import EVENT_COUNT, EVENT_TIME, NORM
from mbsim.results.paths import PATH_ERROR
from mbsim.results.reductions import REDUCTIONS

LEAVES = [(kind, word) for kind in registry.KINDS for word in registry.names(kind)]


def ran(*words: str, code: int = 0) -> str:
    found = CliRunner().invoke(main, ["help", *words], prog_name="mbsim")
    assert found.exit_code == code, found.output
    return found.output


@pytest.mark.parametrize(("kind", "word"), LEAVES, ids=[word for _, word in LEAVES])
def test_every_leaf_has_help(kind: str, word: str) -> None:
    found = pages.find_sections(word, pages.sections())
    place = {"methods": "methods/", "integrators": "", "joints": "model-file/joints"}.get(kind, "model-file/")
    assert any(one.page.startswith(place) for one in found), f"no section on {word}"


@pytest.mark.parametrize("name", LazyGroup().list_commands(None))  # type: ignore[arg-type]
def test_every_command_has_help(name: str) -> None:
    assert f"Usage: mbsim {name}" in ran(name)


def test_a_section_ends_before_the_next() -> None:
    said = ran("revolute")
    assert said.startswith("## revolute") and "docs/model-file/joints.md#revolute" in said
    assert "## prismatic" not in said and "](" not in said and "```" not in said
    assert "    joints:" in said, "code is set in"


def test_options_and_keys_are_found() -> None:
    said = ran("hold_limit")
    assert said.startswith("hold_limit: ") and "docs/methods/svd.md" in said


FUNCTIONS_OF_ALL = {*FUNCTIONS, *MEASURING, *ABBREVIATIONS, *REDUCTIONS, PATH_ERROR, EVENT_TIME, EVENT_COUNT, NORM} - {"lost"}  # not typed


@pytest.mark.parametrize("name", sorted(FUNCTIONS_OF_ALL))
def test_every_function_of_expressions_has_help(name: str) -> None:
    """In the tables of functions; a word that is one of a joint, too, as distance, is told as both."""
    assert pages.functions(name, pages.sections()), f"no table has {name}"


def test_functions_are_told_with_their_arguments() -> None:
    said = ran("atan2")
    assert said.startswith("atan2(y, x): angle of the point (x, y)\n    docs/model-file/rules.md#expressions")
    assert "## distance" in ran("distance") and "distance(p, q)" in ran("distance")
    assert "docs/studies.md#outputs" in ran("path_error")


def test_words_in_the_text_and_nowhere() -> None:
    assert "No section is about 'revolut'; did you mean 'revolute'? It stands in:" in ran("revolut")
    assert "the documentation says nothing of 'xyzzyx'" in ran("xyzzyx", code=2)
    assert "methods/svd" in ran()


def test_addresses_are_anchors_of_the_site() -> None:
    section = pages.Section("a/b.md", 2, "`der(x)` and [more](c.md)", ())
    assert section.words == "der(x) and more" and section.address == "docs/a/b.md#derx-and-more"


def test_a_key_that_no_table_has_is_told_by_its_own_description() -> None:
    described = registry.leaf("joints", "helical").model_fields["pitch"].description
    of_the_key, of_the_function = ran("pitch").split("\n\n")
    assert of_the_key == f"pitch: {described}\n    joints, helical"
    assert of_the_function.startswith("yaw(b), pitch(b), roll(b): angles of a body")
