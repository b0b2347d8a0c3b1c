"""Every element against the contract: its declarations, its functions and what these take; the chains that are made of the list."""

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbsim
from mbsim.elements import DEFAULTS, FAMILIES, declaration, dispatch, kinds, module, names

ELEMENTS = [(family, name) for family in FAMILIES for name in names(family)]
DECLARATIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "rows": {
        "COMMON": (True,),
        "APART": ("edges", "rims", "rounds", "solids", "surfaces"),
        "DIMENSIONS": ((2,), (3,), (2, 3)),
        "LEVEL": ("velocity",),
        "LAWS": ("own",),
        "ROWS": ("dimension",),
        "ON": ("relative", "speeds"),
        "ATTITUDES": (True,),
    },
    "loads": {
        "COMMON": (True,),
        "DIMENSIONS": ((2,), (3,), (2, 3)),
        "ON": ("relative", "speeds"),
        "READS_VALUE": (True,),
        "SWITCHES": (("the lower stop", "the upper stop", "the release of the stop"), ("the surface", "the release of the surface")),
    },
    "relative": {
        "APART": ("edges", "rims", "rounds", "solids", "strands", "tyres"),
        "DIMENSIONS": ((2,), (3,), (2, 3)),
        "ON": ("speeds",),
        "FRICTION": ("slip", "turn"),
    },
}


def number(family: str, name: str) -> int:
    return names(family).index(name)


OPTIONAL = {"phi", "energy", "tangent", "absolute", "cut", "switch", "switch_rate"}


def test_names_are_told_apart() -> None:
    """A kind has one name among all families, so that `kinds` knows which is meant."""
    assert len({name for _, name in ELEMENTS}) == len(ELEMENTS)
    for family, name in ELEMENTS:
        assert getattr(kinds, name.upper()) == number(family, name)
    with pytest.raises(AttributeError, match=r"mbsim/elements has no file bell\.py"):
        _ = kinds.BELL


@pytest.mark.parametrize(("family", "name"), ELEMENTS)
def test_declarations(family: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read from the text as the module has them, and say what is known."""
    made, known = module(family, name), DECLARATIONS[family]
    monkeypatch.delitem(sys.modules, made.__name__)
    text = (Path(mbsim.__file__).parent / "elements" / family / f"{name}.py").read_text(encoding="utf-8")
    for word in known:
        found = re.search(rf"^{word} = (.*)$", text, re.MULTILINE)
        assert (found is not None) == hasattr(made, word)
        if found is not None:
            assert getattr(made, word) in known[word]
        assert declaration.__wrapped__(family, name, word) == getattr(made, word, DEFAULTS.get(word))
    assert made.DIMENSIONS
    assert made.__doc__
    if family == "loads":
        assert made.NUMBERS >= 4
        assert all(dispatch.function(family, name, "switch", dimension) is not None for dimension in made.DIMENSIONS) == hasattr(
            made, "SWITCHES"
        )


@pytest.mark.parametrize(("family", "name"), ELEMENTS)
def test_functions(family: str, name: str) -> None:
    """Those of the contract in each dimension, with the contract's arguments; phi but at velocity level."""
    made = module(family, name)
    wanted = dispatch.CONTRACTS[family][dispatch.contract_of(family, name)]
    for dimension in made.DIMENSIONS:
        for what, arguments in wanted.items():
            found = dispatch.function(family, name, what, dimension)
            needed = what not in OPTIONAL or (what == "phi" and getattr(made, "LEVEL", "position") == "position")
            assert found is not None or not needed, f"{what} in {dimension} dimensions"
            if found is not None:
                taken = inspect.signature(getattr(found, "py_func", found)).parameters
                assert ", ".join(taken) == arguments, what
    if getattr(made, "LEVEL", "") == "velocity":
        assert dispatch.function(family, name, "phi", made.DIMENSIONS[0]) is None


OWN = re.compile(r"    if kind == (\d+):\n        (?!\w+_\(kind, )")  # a kind whose function the chain calls
GROUP = re.compile(r"    if (kind == .*):\n        (\w+)_\(kind, ")  # kinds that a kernel of their group takes


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("common", [True, False])
def test_chains_know_their_kinds(common: bool, dimension: int) -> None:
    """By themselves, or those that are apart by the kernel of their group."""
    chains = dispatch.Chains(dimension, common)
    for family, chain in (("rows", chains.row), ("loads", chains.force), ("relative", chains.measure)):
        text, functions = chain.source()
        own, called = {int(kind) for kind in OWN.findall(text)}, {group: condition for condition, group in GROUP.findall(text)}
        wanted = {
            number(family, name)
            for name in names(family)
            if dimension in module(family, name).DIMENSIONS
            and (not chain.common or kinds.is_common(family, number(family, name)))
            and kinds.acts_on(family, number(family, name)) in (("bodies", "relative") if family == "loads" else ("bodies",))
            and dispatch.function(family, name, chain.what, dimension) is not None
        }
        groups = {} if chain.common else dispatch.apart_kinds(family, dimension)
        assert called.keys() == groups.keys()
        for group, condition in called.items():
            inside = OWN.findall(dispatch.Chain(family, chain.what, dimension, apart=group).source()[0])
            assert inside == re.findall(r"kind == (\d+)", condition) == [str(kind) for kind in groups[group]]
        assert own.isdisjoint(kind for group in groups.values() for kind in group)
        assert own.union(*groups.values()) == wanted
        assert {f"{names(family)[kind]}_" for kind in own} | {f"{group}_" for group in called} == set(functions) - {
            "__builtins__",
            "law_of",
        }
    assert len(chains.row.source()[0]) > 50


def test_a_kind_that_a_chain_does_not_know_leaves_everything_as_it_is() -> None:
    chains = dispatch.Chains(2, True)
    assert chains.energy.helper.py_func(kinds.BUSHING, None, 0, 0, 0, None) == 0.0
    xi = np.full(1, 7.0)
    chains.row.helper.py_func(kinds.HEIGHT, None, None, None, None, -1, None, xi, 0)
    assert xi[0] == 7.0
