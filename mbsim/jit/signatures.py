"""The types that kernels exchange, in words of our own: a program whose kernels are compiled already never imports Numba.

    f8, i8                        numbers
    A1, A2, I1, I2                contiguous arrays of float64 or int64 in one or two dimensions
    Function(signature)           a kernel
    Block(cls)                    a named tuple of arrays, tuples of arrays and kernels; passed as one pointer, read where it is used
    f8(A1, i8)                    a signature: returns f8

`words(kind, value)` turns a Python value into the machine words that a compiled function takes for it.
"""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeAlias, cast, get_type_hints

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number, or nothing (`void`, as what a kernel returns)."""

    name: str

    def __call__(self, *arguments: Any) -> "Signature":
        return Signature(self, arguments)


@dataclass(frozen=True)
class Array:
    """A C-contiguous array."""

    dtype: str
    ndim: int

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join([':'] * self.ndim)}]"

    def check(self, value: Any) -> Any:
        """`value`, an array of this type; raises TypeError for anything else."""
        right = isinstance(value, np.ndarray) and value.dtype == self.dtype and value.ndim == self.ndim
        if not (right and value.flags.c_contiguous and value.flags.aligned):
            got = f"{value.dtype} of shape {value.shape} and strides {value.strides}" if isinstance(value, np.ndarray) else type(value)
            raise TypeError(f"expected a contiguous array {self} (got {got})")
        return value

    def short(self, value: Any) -> tuple[int, ...]:
        """What a block holds of it."""
        return (self.check(value).__array_interface__["data"][0], *value.shape)


@dataclass(frozen=True)
class Signature:
    """What a kernel takes and returns."""

    returns: Scalar
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Function:
    """A kernel as an argument."""

    signature: Signature

    def short(self, value: Any) -> tuple[int, ...]:
        """What a block holds of it."""
        if getattr(value, "signature", None) != self.signature:
            raise TypeError(f"expected a kernel of another contract (got {value!r})")
        return (value.address,)


class Block:
    """A class of named tuples whose annotations say of which types the fields are.

    In memory, in the order of the fields: of an array the address of its data and its shape, of a kernel the address of its code.
    """

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.name = cls.__name__
        hints = get_type_hints(cls, include_extras=True)
        self.kinds: dict[str, Any] = {name: hints[name].__metadata__[0] for name in cls._fields}
        self.offsets: dict[str, int] = {}  # of each field, in words
        at = 0
        for name, kind in self.kinds.items():
            self.offsets[name] = at
            at += sum(1 + getattr(item, "ndim", 0) for item in (kind if isinstance(kind, tuple) else (kind,)))

    def __repr__(self) -> str:
        return self.name

    def pack(self, value: Any) -> np.ndarray:
        """The words of one such tuple."""
        found: list[int] = []
        for name, kind in self.kinds.items():
            field = getattr(value, name)
            pairs = zip(kind, field, strict=True) if isinstance(kind, tuple) else ((kind, field),)
            for array, item in pairs:
                try:
                    found += array.short(item)
                except TypeError as error:
                    raise TypeError(f"{self.name}.{name}: {error}") from None
        return np.array(found, np.int64)


class Packed:
    """Mixed into the class of a block: its words are worked out once, at the first call of a kernel."""

    block: Block

    @cached_property
    def words(self) -> np.ndarray:
        """What kernels read; valid as long as this tuple, which holds its arrays, lives."""
        return self.block.pack(self)

    @cached_property
    def address(self) -> int:
        """Of the words."""
        return int(self.words.__array_interface__["data"][0])

    def __reduce__(self) -> Any:
        return type(self), tuple(cast(tuple[Any, ...], self))  # a copy has other addresses


f8, i8, void = Scalar("float64"), Scalar("int64"), Scalar("void")
A1, A2, I1, I2 = Array("float64", 1), Array("float64", 2), Array("int64", 1), Array("int64", 2)
Vector: TypeAlias = Annotated[np.ndarray, A1]
Matrix: TypeAlias = Annotated[np.ndarray, A2]
Indices: TypeAlias = Annotated[np.ndarray, I1]
Table: TypeAlias = Annotated[np.ndarray, I2]

_SCALARS = {"float64": ctypes.c_double, "int64": ctypes.c_int64}


def machine_types(kind: Any) -> list[Any]:
    """Of the words that a function takes for an argument, as ctypes knows them."""
    if isinstance(kind, Scalar):
        return [_SCALARS[kind.name]]
    if isinstance(kind, Array):
        return [ctypes.c_int64] * (5 + 2 * kind.ndim)
    return [ctypes.c_int64]


def words(kind: Any, value: Any) -> Iterator[Any]:
    """The words of one argument. Raises TypeError for a value of another type."""
    if isinstance(kind, Scalar):
        yield value
    elif isinstance(kind, Array):
        array = kind.check(value)
        yield from (0, 0, array.size, array.itemsize, array.__array_interface__["data"][0], *array.shape, *array.strides)
    elif isinstance(kind, Function):
        yield from kind.short(value)
    elif isinstance(value, kind.cls):
        yield value.address
    else:
        raise TypeError(f"expected {kind.name} (got {type(value)})")
