"""Extents of arrays: numbers, or sums and products of sizes as text, such as `2 * n + 1`. Arrays are made when the sizes are known.

The fields of a block declare theirs behind the type: `masses: Annotated[Matrix, "n_b", 10]`.
"""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any, get_type_hints

import numpy as np

from mbsim.jit.signatures import Array


@cache
def _code(extent: str) -> CodeType:
    return compile(extent, "<size>", "eval")


@cache
def _names(extent: str) -> frozenset[str]:
    if "." not in extent:
        return frozenset(_code(extent).co_names)
    return frozenset(node.id for node in ast.walk(ast.parse(extent, mode="eval")) if isinstance(node, ast.Name))


def sizes(extents: Sequence[str | int]) -> set[str]:
    """The names that must be known; of a name in a module, the module's."""
    return {name for extent in extents if isinstance(extent, str) for name in _names(extent)}


def value(extent: str | int, known: Mapping[str, Any]) -> int:
    """The number. Raises NameError where a size that it needs is not known."""
    if isinstance(extent, int):
        return extent
    size = known.get(extent)  # most extents are a name
    found: int = eval(_code(extent), dict[str, Any](__builtins__={}), known) if size is None else size
    return found


def zeros(kind: Array, extents: Sequence[str | int], known: Mapping[str, Any]) -> np.ndarray:
    """An array of zeros of these extents."""
    return np.zeros([value(extent, known) for extent in extents], np.dtype(kind.dtype))


def declared(cls: Any) -> dict[str, tuple[Array, tuple[str | int, ...]]]:
    """The type and the extents of each field of a class of named tuples."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: (hints[name].__metadata__[0], hints[name].__metadata__[1:]) for name in cls._fields}
