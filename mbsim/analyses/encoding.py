"""Converts plain data, arrays, and the records of a given table to bytes and back, like a pickle that never runs code from the file.

JSON describes the structure of the data; the numbers of arrays follow it. A record is a dataclass or a named tuple of the table and is
written by the names of its fields. A function is written as its location.
"""

import dataclasses
import json
import math
import struct
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

_HEAD = struct.Struct("<q")  # bytes of JSON
_PLAIN = (type(None), bool, int, float, str)
_DTYPES = {np.dtype(kind).str for kind in ("float64", "int64", "bool")}


class EncodingError(ValueError):
    """A value is neither plain nor in the table."""


class Encoding:
    """`classes`: the records, by the names under which they are written.

    `where` returns the location of a function, or None for another object; `function` finds the function again, or raises LookupError.
    """

    def __init__(
        self, classes: Mapping[str, type], where: Callable[[Any], list[str] | None], function: Callable[..., Callable[..., Any]]
    ) -> None:
        self._classes = {"namespace": SimpleNamespace, **classes}
        self._names = {cls: name for name, cls in self._classes.items()}
        self._where, self._function = where, function

    def write(self, value: object) -> bytes:
        """The bytes of a value. Raises EncodingError, also for a value that contains itself."""
        writer = _Writer(self._names, self._where)
        try:
            tree = writer.tree(value)
        except RecursionError:
            raise EncodingError("the value is too deep") from None
        text = json.dumps([tree, writer.shapes]).encode()
        return b"".join([_HEAD.pack(len(text)), text, *writer.parts])

    def read(self, data: bytes) -> Any:
        """The value. Raises ValueError, LookupError, TypeError or struct.error for bytes that `write` did not make."""
        (length,) = _HEAD.unpack_from(data)
        tree, shapes = json.loads(data[_HEAD.size : _HEAD.size + length])
        at, arrays = _HEAD.size + length, []
        for kind, shape in shapes:
            if kind not in _DTYPES:
                raise ValueError(f"arrays of {kind} are not written")
            found = np.frombuffer(data, kind, math.prod(shape), at)
            at += found.nbytes
            arrays.append(found.reshape(shape).copy())  # aligned, and writable
        return _Reader(self._classes, self._function, arrays).value(tree)


class _Writer:
    def __init__(self, names: Mapping[type, str], where: Callable[[Any], list[str] | None]) -> None:
        self._names, self._where = names, where
        self.shapes: list[Any] = []  # type and shape of each array
        self.parts: list[bytes] = []  # their numbers
        self._known: dict[int, int] = {}  # the same array twice is one array
        self._held: list[Any] = []

    def tree(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is list:
            return [self.tree(item) for item in value]
        if kind is tuple:
            return {"tuple": [self.tree(item) for item in value]}
        if kind is np.ndarray:
            return {"array": self._array(value)}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if kind is dict:
            return {"dict": [[self.tree(key), self.tree(item)] for key, item in value.items()]}
        if kind is slice:
            return {"slice": [self.tree(item) for item in (value.start, value.stop, value.step)]}
        if kind in self._names:
            return {self._names[kind]: {name: self.tree(item) for name, item in _fields(value)}}
        where = self._where(value)
        if where is not None:
            return {"function": where}
        raise EncodingError(f"a {kind.__name__} is not written")

    def _array(self, value: np.ndarray) -> int:
        if value.dtype.str not in _DTYPES:
            raise EncodingError(f"arrays of {value.dtype} are not written")
        if id(value) not in self._known:
            self._known[id(value)] = len(self.shapes)
            self._held.append(value)  # keeps its id unique
            self.shapes.append([value.dtype.str, list(value.shape)])
            self.parts.append(value.tobytes())
        return self._known[id(value)]


def _fields(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, SimpleNamespace):
        return list(vars(value).items())
    names = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else list(value._fields)
    return [(name, getattr(value, name)) for name in names]


class _Reader:
    def __init__(self, classes: Mapping[str, type], function: Callable[..., Any], arrays: list[np.ndarray]) -> None:
        self._classes, self._function, self._arrays = classes, function, arrays

    def value(self, tree: object) -> Any:
        if isinstance(tree, list):
            return [self.value(item) for item in tree]
        if not isinstance(tree, dict):
            return tree
        ((tag, inside),) = tree.items()
        if tag == "array":
            return self._arrays[inside]
        if tag == "scalar":
            return self._arrays[inside][()]
        if tag == "tuple":
            return tuple([self.value(item) for item in inside])
        if tag == "dict":
            return {self.value(key): self.value(item) for key, item in inside}
        if tag == "slice":
            return slice(*(self.value(item) for item in inside))
        if tag == "function":
            return self._function(*inside)
        return self._classes[tag](**{name: self.value(item) for name, item in inside.items()})
