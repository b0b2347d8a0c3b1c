"""The keys of the model file, as their own descriptions tell of them."""

from collections.abc import Iterator, Mapping

from mbsim import registry
from mbsim.model.leaves import Block
from mbsim.model.schema import Simulation
from mbsim.model.sections import SECTIONS


def describe_key(key: str) -> Mapping[str, list[str]]:
    """The descriptions of a key, each with the places where it holds: a section, or a leaf of one."""
    found: dict[str, list[str]] = {}
    for place, text in _every(key):
        found.setdefault(text, []).append(place)
    return found


def _every(key: str) -> Iterator[tuple[str, str]]:
    if key in SECTIONS and SECTIONS[key].help:
        yield "the model file", SECTIONS[key].help
    for name, section in SECTIONS.items():
        blocks: dict[str, type[Block]] = {}
        if section.noun:
            blocks = {f"{name}, {word}": registry.leaf(name, word) for word in registry.names(name)}
        elif section.block is not None:
            blocks = {name: section.block}
        for place, block in blocks.items():
            if key in block.model_fields:
                yield place, block.model_fields[key].description or ""
    if key not in Simulation.model_fields:
        for kind in ("methods", "integrators"):
            for word in registry.names(kind):
                if key in (options := registry.options(kind, word)):
                    yield f"{kind}, {word}", options[key].help
