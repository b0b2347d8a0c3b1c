"""The memory of an instance in C: 64-bit words. Arrays come first, then the words of blocks, which point to arrays and functions.

A snapshot of the arrays is the whole state of an instance: nothing else changes.
"""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbsim.jit.signatures import Array, Block, Function
from mbsim.jit.workspaces import Workspace

WORD = 8  # bytes


class Pointer(NamedTuple):
    """A word that holds the address of another one."""

    place: int
    target: int


class Entry(NamedTuple):
    """A word that holds the address of a function."""

    place: int
    kernel: Any


class Number(NamedTuple):
    """A word that never changes."""

    place: int
    value: int


@dataclass(frozen=True)
class Call:
    """A kernel and what it is called with: arrays, numbers, kernels, and pairs of a block and its value."""

    kernel: Any
    arguments: tuple[Any, ...]


class Memory:
    """Arrays that already exist, and blocks over them, placed one behind the other."""

    def __init__(self) -> None:
        self._arrays: list[np.ndarray] = []
        self._ranges: list[tuple[int, int, int]] | None = None  # address, bytes, first word; of arrays that do not overlap, by address
        self.size = 0  # of the arrays, in words
        self.blocks: list[Pointer | Entry | Number] = []
        self.end = 0  # of everything, in words

    def hold(self, array: np.ndarray) -> None:
        """Make room for an array, which may be a part of another one."""
        self._arrays.append(array)

    def hold_block(self, block: Block, value: Any) -> None:
        """Make room for all arrays of a block."""
        for _, kind, part in _fields(block, value):
            if isinstance(kind, Array):
                self.hold(part)

    def hold_call(self, call: Call) -> None:
        """Make room for all that a kernel is called with."""
        for argument in call.arguments:
            if isinstance(argument, np.ndarray):
                self.hold(argument)
            elif isinstance(argument, tuple):
                self.hold_block(*argument)

    def lay_out(self) -> None:
        """Place the arrays. Those that share memory share it in the instance, too."""
        ranges: list[list[int]] = []  # address, bytes, the first array in it
        held = [(x.__array_interface__["data"][0], x.nbytes, i) for i, x in enumerate(self._arrays) if x.nbytes]
        for begin, length, i in sorted(held):
            if ranges and begin < ranges[-1][0] + ranges[-1][1]:
                ranges[-1][1:] = max(ranges[-1][1], begin + length - ranges[-1][0]), min(ranges[-1][2], i)
            else:
                ranges.append([begin, length, i])
        self._ranges, at = [], 0
        for begin, length, _ in sorted(ranges, key=lambda found: found[2]):  # not by address, which is another one in each process
            self._ranges.append((begin, length, at))
            at += length // WORD
        self._ranges.sort()
        self.size = self.end = at

    def place(self, array: np.ndarray) -> int:
        """The first word of an array; any word for an empty one."""
        assert self._ranges is not None
        address = int(array.__array_interface__["data"][0])
        if not array.nbytes:
            return 0
        begin, length, at = self._ranges[bisect(self._ranges, (address + 1,)) - 1]
        assert begin <= address < begin + length
        return at + (address - begin) // WORD

    def place_block(self, block: Block, value: Any) -> int:
        """Write the words of a block behind all others; where they begin."""
        begin = self.end
        for at, kind, part in _fields(block, value):
            if isinstance(kind, Array):
                self.blocks.append(Pointer(begin + at, self.place(part)))
                self.blocks += [Number(begin + at + 1 + i, length) for i, length in enumerate(part.shape)]
                self.end = max(self.end, begin + at + 1 + len(part.shape))
            else:
                self.blocks.append(Entry(begin + at, part))
                self.end = max(self.end, begin + at + 1)
        return begin

    def image(self) -> np.ndarray:
        """What the arrays hold now, as words."""
        assert self._ranges is not None
        words = np.zeros(self.size, np.uint64)
        for array in self._arrays:
            at, held = self.place(array), np.ascontiguousarray(array).ravel().view(np.uint64)
            words[at : at + len(held)] = held
        return words


def arrays_of(block: Block, value: Any) -> list[np.ndarray]:
    """The arrays of a block, those of blocks in it included."""
    return [part for _, kind, part in _fields(block, value) if isinstance(kind, Array)]


def _fields(block: Block, value: Any) -> list[tuple[int, Any, Any]]:
    """The place, the kind and the value of each array and kernel of a block, those of blocks in it included."""
    found: list[tuple[int, Any, Any]] = []
    if isinstance(block, Workspace):
        block = value._workspace  # the arrays of the method stand behind those that the contract knows
    kinds: Mapping[str, Any] = block.kinds
    for name, kind in kinds.items():
        part, at = getattr(value, name), block.offsets[name]
        if isinstance(kind, Block):
            found += [(at + inner, its_kind, its_value) for inner, its_kind, its_value in _fields(kind, part)]
        else:
            assert isinstance(kind, Array | Function)
            found.append((at, kind, part))
    return found
