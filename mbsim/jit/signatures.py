"""The types that kernels exchange, without Numba: a program whose kernels are compiled already never imports Numba.

    f8, i8                        numbers
    A1, A2, I1, I2                contiguous arrays of float64 or int64 in one or two dimensions
    Function(signature)           a kernel
    Block(cls)                    a named tuple of arrays, kernels and other blocks; passed as one pointer, read where it is used
    f8(A1, i8)                    a signature: returns f8

`converter(kind)` converts a Python value to the machine words that a compiled function takes for it.
"""

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Annotated, Any, TypeAlias, cast, get_type_hints

import numpy as np


@dataclass(frozen=True)
class Scalar:
    """A number, or nothing (`void`, the return type of a kernel)."""

    name: str

    def __call__(self, *arguments: object) -> "Signature":
        return Signature(self, arguments)


@dataclass(frozen=True)
class Array:
    """A C-contiguous array."""

    dtype: str
    ndim: int

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join([':'] * self.ndim)}]"

    def words(self, value: Any) -> tuple[int, ...]:
        """Numba's struct of an array: reference counter and owner (none), size, item size, data, shape, strides."""
        data, shape = self._address(value), value.shape
        if self.ndim == 1:
            return 0, 0, shape[0], 8, data, shape[0], 8
        rows, columns = shape
        return 0, 0, rows * columns, 8, data, rows, columns, 8 * columns, 8

    def short(self, value: Any) -> tuple[int, ...]:
        """The words that a block holds of it."""
        return (self._address(value), *value.shape)

    def _address(self, value: Any) -> int:
        """The address of the data. Raises TypeError for anything but an array of this type."""
        try:
            if value.dtype is _TYPES[self.dtype] and value.ndim == self.ndim:
                return _address(_first(value)) if value.size else _NOWHERE
        except (AttributeError, TypeError, ValueError):  # which read-only arrays have not, but numpy's address
            pass
        try:
            found = value.__array_interface__
            if found["typestr"] == _TYPES[self.dtype].str and found["strides"] is None and len(found["shape"]) == self.ndim:
                return int(found["data"][0])
        except (AttributeError, TypeError):
            pass
        got = f"{value.dtype} of shape {value.shape} and strides {value.strides}" if isinstance(value, np.ndarray) else repr(value)[:60]
        raise TypeError(f"expected a contiguous array {self} (got {got})")


@dataclass(frozen=True)
class Signature:
    """The argument types and the return type of a kernel."""

    returns: Scalar
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Function:
    """A kernel as an argument."""

    signature: Signature

    def short(self, value: Any) -> tuple[int, ...]:
        """The words that a block holds of it."""
        found = getattr(value, "signature", None)
        if found is not self.signature and found != self.signature:  # to compare signatures word by word takes longer than a short run
            raise TypeError(f"expected a kernel of another contract (got {value!r})")
        return (value.address,)


class Block:
    """A class of named tuples whose annotations give the types of the fields.

    In memory, in the order of the fields: of an array the address of its data and its shape, of a kernel the address of its code, of
    another block its words.
    """

    def __init__(self, cls: Any) -> None:
        hints = get_type_hints(cls, include_extras=True)
        self.cls = cls
        self.lay_out(cls.__name__, {name: hints[name].__metadata__[0] for name in cls._fields})

    def lay_out(self, name: str, kinds: Mapping[str, Any]) -> None:
        """Place the fields one behind the other."""
        self.name, self.kinds = name, dict(kinds)
        self._fields = [
            (field, kind, _TYPES[kind.dtype] if isinstance(kind, Array) else None, getattr(kind, "ndim", 0))
            for field, kind in kinds.items()
        ]
        self.offsets: dict[str, int] = {}  # of each field, in words
        self.size = 0
        for field, kind in self.kinds.items():
            self.offsets[field] = self.size
            self.size += kind.size if isinstance(kind, Block) else 1 + getattr(kind, "ndim", 0)

    def __repr__(self) -> str:
        return self.name

    def instance(self, value: Any) -> Any:
        """`value`, or a plain tuple of the same length, as an instance of the class. Raises TypeError for anything else."""
        if isinstance(value, self.cls):
            return value
        if type(value) is not tuple or len(value) != len(self.kinds):
            raise TypeError(f"expected {self.name} (got {type(value)})")
        return self.cls(*value)

    def pack(self, value: Any) -> np.ndarray:
        """The words of one such tuple."""
        return np.array(self.short(value), np.int64)

    def short(self, value: Any) -> tuple[int, ...]:
        """What a block holds of it."""
        found: list[int] = []
        for name, kind, dtype, ndim in self._fields:
            each = getattr(value, name)
            try:
                if (
                    dtype is not None and each.dtype is dtype and each.ndim == ndim
                ):  # as `Array.short`, of many arrays in a third of its time
                    found.append(_address(_first(each)) if each.size else _NOWHERE)
                    found += each.shape
                    continue
            except (AttributeError, TypeError, ValueError):
                pass
            try:
                found += kind.short(each)
            except TypeError as error:
                raise TypeError(f"{self.name}.{name}: {error}") from None
        return tuple(found)


class Packed:
    """A mixin for the class of a block: its words are computed once, at the first call of a kernel."""

    block: Block

    @cached_property
    def words(self) -> np.ndarray:
        """The words that kernels read. They are valid as long as this tuple, which holds its arrays, lives."""
        return self.block.pack(self)

    @cached_property
    def address(self) -> int:
        """The address of the words."""
        return int(self.words.__array_interface__["data"][0])

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), tuple(cast(tuple[Any, ...], self))  # a copy has other addresses


f8, i8, void = Scalar("float64"), Scalar("int64"), Scalar("void")
A1, A2, I1, I2 = Array("float64", 1), Array("float64", 2), Array("int64", 1), Array("int64", 2)
Vector: TypeAlias = Annotated[np.ndarray, A1]
Matrix: TypeAlias = Annotated[np.ndarray, A2]
Indices: TypeAlias = Annotated[np.ndarray, I1]
Table: TypeAlias = Annotated[np.ndarray, I2]
Compiled: TypeAlias = Callable[..., Any]  # a kernel or a helper: its contract says what it takes

_TYPES = {"float64": np.dtype("float64"), "int64": np.dtype("int64")}
# The address of the first byte of what is contiguous and may be written: a fourth of the time that numpy takes for that of an array.
_address, _first = ctypes.addressof, ctypes.c_char.from_buffer
_NOTHING = np.zeros(1)
_NOWHERE = int(_NOTHING.__array_interface__["data"][0])  # where arrays without numbers are
_SCALARS = {"float64": ctypes.c_double, "int64": ctypes.c_int64}


def machine_types(kind: object) -> list[Any]:
    """The ctypes types of the words that a function takes for an argument."""
    if isinstance(kind, Scalar):
        return [_SCALARS[kind.name]]
    if isinstance(kind, Array):
        return [ctypes.c_int64] * (5 + 2 * kind.ndim)
    return [ctypes.c_int64]


def converter(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes the words of an argument. It raises TypeError for a value of another type."""
    if isinstance(kind, Scalar):
        return (lambda value: (float(value),)) if kind.name == "float64" else (lambda value: (index(value),))
    if isinstance(kind, Array):
        return kind.words
    if isinstance(kind, Function):
        return kind.short
    return lambda value: (kind.instance(value).address,)
