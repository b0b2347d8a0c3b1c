"""What a kernel of a generated module is compiled from, so that models which share a law, an event or a row share its machine code.

The name of a generated module stands for all equations of one model. A kernel in it depends on its own code and on what that reads by name:
kernels, helpers, tables and numbers. A model whose other equations are different compiles this one no more.
"""

import marshal
from collections.abc import Callable, Iterator
from importlib.util import source_hash
from types import BuiltinFunctionType, CodeType
from typing import Any

import numpy as np


class UnknownError(ValueError):
    """Something is read whose contents cannot be told."""


def told(function: object, key_of: Callable[[Any], str | None]) -> str:
    """A hash of the code of a function and of what it reads, 32 hexadecimal digits. Raises UnknownError.

    `key_of` gives the key of a kernel, or of a helper that a file of mbsim holds, and None of what is neither.
    """
    data = b"\0".join(_parts(function, key_of))
    return (source_hash(data) + source_hash(data + b"again")).hex()


def _parts(function: Any, key_of: Callable[[Any], str | None]) -> Iterator[bytes]:
    if function.__defaults__ or function.__kwdefaults__:
        raise UnknownError(f"{function.__qualname__} has defaults")
    yield marshal.dumps(_placeless(function.__code__), 2)  # the form without references is the same in each process
    names = [name for name in _names(function.__code__) if name in function.__globals__]
    read = [(name, function.__globals__[name]) for name in names]
    read += zip(function.__code__.co_freevars, [cell.cell_contents for cell in function.__closure__ or ()], strict=True)
    for name, value in read:
        yield name.encode()
        yield from _value(value, key_of)


def _value(value: object, key_of: Callable[[Any], str | None]) -> Iterator[bytes]:
    """What stands for a value that a function reads."""
    key = key_of(value)
    if key is not None:
        yield key.encode()
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield f"{value.dtype.str} {value.shape}".encode()
        yield value.tobytes()
    elif isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
        yield f"math.{value.__name__}".encode()
    elif isinstance(value, (int, float, str, bool)):
        yield repr(value).encode()
    else:
        raise UnknownError(f"{value!r}")


def _placeless(code: CodeType) -> CodeType:
    """The code without the file and the lines that it comes from."""
    constants = tuple(_placeless(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=constants, co_filename="", co_firstlineno=1, co_linetable=b"")


def _names(code: CodeType) -> list[str]:
    """Names of globals, and of attributes, which do no harm."""
    inner = [name for one in code.co_consts if isinstance(one, CodeType) for name in _names(one)]
    return sorted({*code.co_names, *inner})
