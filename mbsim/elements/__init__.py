"""Elements of models of bodies, one file for each kind: the rows of constraints, the loads, the relative coordinates.

A file is named after its kind. It declares in literals, in capitals, what it is, and holds a fixed set of compiled functions
(`mbsim.elements.dispatch.CONTRACTS`); docs/extending.md lists both. Kinds are numbered by the sorted list of the files, and the number is
in the first column of `Arrays.primitives`, `loads` and `relative`; `mbsim.elements.kinds` has these numbers by name. Here nothing is
compiled and no element is imported: declarations are read from the text.
"""

import ast
import importlib
import os
import re
import sys
from functools import cache
from types import ModuleType
from typing import Any

FAMILIES = ("rows", "loads", "relative")
# Of what a kind may declare besides DIMENSIONS and NUMBERS.
DEFAULTS = {
    "COMMON": False,
    "APART": "",
    "ON": "bodies",
    "LEVEL": "position",
    "LAWS": "f",
    "ROWS": 1,
    "ATTITUDES": False,
    "READS_VALUE": False,
    "CONSTANT": (),
    "FRICTION": "none",
    "SWITCHES": (),
}
_FOLDER = os.path.dirname(__file__)


@cache
def names(family: str) -> tuple[str, ...]:
    """The kinds of a family, in the order of their numbers."""
    files = os.listdir(os.path.join(_FOLDER, family))
    return tuple(sorted(name[:-3] for name in files if name.endswith(".py") and not name.startswith("_")))


def module(family: str, name: str) -> ModuleType:
    """The kind's functions, imported on first use."""
    return importlib.import_module(f"mbsim.elements.{family}.{name}")


@cache
def declaration(family: str, name: str, word: str) -> Any:
    """The literal that a kind's file assigns to `word` at its top, on one line; else that of DEFAULTS."""
    loaded = sys.modules.get(f"mbsim.elements.{family}.{name}")
    if loaded is not None:
        return getattr(loaded, word, DEFAULTS.get(word))
    with open(os.path.join(_FOLDER, family, f"{name}.py"), encoding="utf-8") as file:
        text = file.read()
    found = re.search(rf"^{word} = (.*)$", text, re.MULTILINE)
    return DEFAULTS.get(word) if found is None else ast.literal_eval(found[1])
