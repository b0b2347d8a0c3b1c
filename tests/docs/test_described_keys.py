"""The tables of the documentation name the keys that blocks have, with the defaults that these declare; so do editors by the schema."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import jsonschema
import mechanisms
import pytest

from mbsim import registry
from mbsim.model.beams import Beam, Damping
from mbsim.model.elastic import Elastic
from mbsim.model.events import EventBlock
from mbsim.model.leaves import Block
from mbsim.model.schema import Body, Ground, Model, Simulation
from mbsim.model.sections import SECTIONS
from mbsim.model.states import State
from mbsim.model.table_block import TableBlock

PAGES = Path(__file__).parents[2] / "docs" / "model-file"
KINDS = ("joints", "forces", "controllers", "constraints")
LEAVES = [(kind, word) for kind in KINDS for word in registry.names(kind)]
SOLVERS = [(kind, word) for kind in ("methods", "integrators") for word in registry.names(kind)]
_TABLE = re.compile(r"^\| (?:key|option) \|(.*)\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)
_KEYS = re.compile(r"`(\w+)`")
# What every leaf of a kind has is told at the head of its page; `type` is the title of the section.
SHARED = {"joints": {"type", "bodies", "at", "points", "cut"}}


def told(section: str) -> Iterator[tuple[str, str | None]]:
    """The keys in the tables of a section, each with what stands under `default`; None where a table has no such column."""
    for table in _TABLE.finditer(section):
        heads = [cell.strip() for cell in table[1].split("|")]
        for row in table[2].splitlines():
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            default = cells[1 + heads.index("default")] if "default" in heads else None
            yield from ((key, default) for key in _KEYS.findall(cells[0]))


def section_of(page: str, title: str) -> str:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"{page}.md has no section {title}"
    return found[1]


def check(section: str, defaults: Mapping[str, object]) -> int:
    """Whether each told key exists, with its default. A default of None may be put in words. Returns how many keys are told."""
    keys = list(told(section))
    for key, default in keys:
        assert key in defaults, f"there is no key {key}"
        declared = defaults[key]
        if default is None or declared is None or isinstance(declared, (list, tuple, dict)):
            continue
        text = default.strip("`")
        if isinstance(declared, bool) or not isinstance(declared, (int, float)):
            assert text == str(declared).lower() or text == declared, f"{key}: {default}"
        else:
            assert float(text) == declared, f"{key}: {default}"
    return len(keys)


def declared(block: type[Block]) -> dict[str, object]:
    """The defaults of a block and of the blocks in it, as of `plane` of a disk; None of what must be given."""
    found: dict[str, object] = {}
    for key, field in block.model_fields.items():
        for inner in blocks_in(field.annotation):
            found = declared(inner) | found
        found[key] = None if field.is_required() else field.get_default(call_default_factory=True)
    return found


def blocks_in(annotation: object) -> Iterator[type[Block]]:
    if isinstance(annotation, type) and issubclass(annotation, Block):
        yield annotation
    for argument in get_args(annotation):
        yield from blocks_in(argument)


@pytest.mark.parametrize(("kind", "word"), LEAVES)
def test_the_section_of_a_leaf_tells_its_keys(kind: str, word: str) -> None:
    section, leaf = section_of(kind, word), registry.leaf(kind, word)
    check(section, declared(leaf))
    text = (PAGES / f"{kind}.md").read_text(encoding="utf-8")
    mentioned = section + text.partition("\n## ")[0]
    if word == "pid":
        mentioned += section_of(kind, "pd")  # "as pd, and"
    own = leaf.model_fields.keys() - SHARED.get(kind, {"type"})
    assert not [key for key in own if not re.search(rf"\b{key}\b", mentioned)]
    assert all(field.description for key, field in leaf.model_fields.items())


@pytest.mark.parametrize(
    ("page", "title", "block"),
    [("blocks", "bodies", Body), ("blocks", "ground", Ground), ("blocks", "states", State), ("blocks", "tables", TableBlock)],
)
def test_the_section_of_a_block_tells_its_keys(page: str, title: str, block: type[Block]) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    section = next(part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.partition("\n")[0].lower().strip("`") == title)
    keys = {key for key, _ in told(section)}
    assert check(section.partition("### ")[0], declared(block)) and block.model_fields.keys() <= keys


def test_the_page_of_the_simulation_tells_its_keys() -> None:
    text = (PAGES / "simulation.md").read_text(encoding="utf-8")
    head = text.partition("\n## ")[0]
    fields = declared(Simulation) | {"drift_tolerance": 1e-10}
    assert check(head, fields) >= len(Simulation.model_fields)


def test_the_page_of_events_tells_their_keys() -> None:
    head = (PAGES / "events.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert check(head, declared(EventBlock)) == len(EventBlock.model_fields)


def test_the_page_of_beams_tells_their_keys() -> None:
    page = (PAGES / "beams.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| key .*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    told_keys = {key for table in tables for row in table.splitlines() for key in _KEYS.findall(row.split("|")[1])}
    blocks = [Beam, *(block for field in Beam.model_fields.values() for block in blocks_in(field.annotation) if block is not Damping)]
    assert told_keys == {key for block in blocks for key in block.model_fields}
    assert all(field.description for block in blocks for field in block.model_fields.values())


def test_the_page_of_elastic_parts_tells_their_keys() -> None:
    head = (PAGES / "elastic-parts.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert check(head, declared(Elastic)) == len(Elastic.model_fields)


@pytest.mark.parametrize(("kind", "word"), SOLVERS)
def test_the_section_of_a_method_or_integrator_tells_its_options(kind: str, word: str) -> None:
    check(section_of("simulation", word), {name: option.default for name, option in registry.options(kind, word).items()})


def test_every_section_of_a_model_is_described_once() -> None:
    """The table, the schema and the model have the same keys, and the page of the blocks names each."""
    properties = mechanisms.schema().schema["properties"]
    assert list(properties) == list(SECTIONS)
    assert SECTIONS.keys() <= Model.__dataclass_fields__.keys()
    page = (PAGES / "blocks.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert not [key for key in SECTIONS if f"`{key}`" not in page]
    for key, section in SECTIONS.items():
        assert (section.help or section.block) and properties[key]["description"], key
        assert sum((section.block is not None, bool(section.noun), section.schema is not None)) == 1, key


OPTIONS = [(kind, word, name) for kind, word in SOLVERS for name, option in registry.options(kind, word).items() if option.choices]


@pytest.mark.parametrize(("kind", "word", "name"), OPTIONS)
def test_editors_accept_options_in_parentheses(kind: str, word: str, name: str) -> None:
    choice = registry.options(kind, word)[name].choices[0]
    simulation = jsonschema.Draft202012Validator(mechanisms.schema().schema["properties"]["simulation"])
    simulation.validate({"end": 1, kind[:-1]: f"{word}({name}={choice})"})
    with pytest.raises(jsonschema.ValidationError):
        simulation.validate({"end": 1, kind[:-1]: f"{word}x({name}={choice})"})


def test_an_option_that_has_the_name_of_a_setting_is_not_mistaken_for_it() -> None:
    """`broyden(start=...)` is given in parentheses; the key `start` of the block is the first time."""
    simulation = mechanisms.schema().schema["properties"]["simulation"]["properties"]
    shared = {(word, name) for _, word, name in OPTIONS if name in Simulation.model_fields}
    assert ("broyden", "start") in shared
    assert all(simulation[name]["description"] == Simulation.model_fields[name].description for _, name in shared)
