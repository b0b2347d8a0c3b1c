"""The memory of an instance in C: 64-bit words. Arrays come first, then the words of blocks, which point to arrays and functions.

A snapshot of the arrays is the whole state of an instance: nothing else changes. An instance is in one of its phases at a time
(`mbsim.programs.phases`), so what a phase has alone stands where others have theirs.
"""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mbsim.jit.signatures import Array, Block, Function
from mbsim.jit.workspaces import Workspace

WORD = 8  # bytes
ALL = -1  # in place of a phase: what all of them have


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
        self._arrays: list[tuple[np.ndarray, int]] = []  # with the phase that holds it
        self._ranges: list[tuple[int, int, int]] | None = None  # address, bytes, first word; of arrays that do not overlap, by address
        self.common = 0  # of the arrays that several phases have, in words
        self.size = 0  # of these and of those of the phase that has most, in words
        self.blocks: list[Pointer | Entry | Number] = []
        self.end = 0  # of everything, in words

    def hold(self, array: np.ndarray, phase: int = ALL) -> None:
        """Make room for an array, which may be a part of another one."""
        self._arrays.append((array, phase))

    def hold_block(self, block: Block, value: object, phase: int = ALL) -> None:
        """Make room for all arrays of a block."""
        for _, kind, part in _fields(block, value):
            if isinstance(kind, Array):
                self.hold(part, phase)

    def hold_call(self, call: Call, phase: int = ALL) -> None:
        """Make room for all that a kernel is called with."""
        for argument in call.arguments:
            if isinstance(argument, np.ndarray):
                self.hold(argument, phase)
            elif isinstance(argument, tuple):
                block, value = argument
                self.hold_block(block, value, phase)

    def lay_out(self) -> None:
        """Place the arrays. Those that share memory share it in the instance, too."""
        ranges: list[list[int]] = []  # address, bytes, the first array in it, its phase
        held = [(x.__array_interface__["data"][0], x.nbytes, i, phase) for i, (x, phase) in enumerate(self._arrays) if x.nbytes]
        for begin, length, i, phase in sorted(held):
            if ranges and begin < ranges[-1][0] + ranges[-1][1]:
                first, known, at, before = ranges[-1]
                ranges[-1] = [first, max(known, begin + length - first), min(at, i), before if before == phase else ALL]
            else:
                ranges.append([begin, length, i, phase])
        self._ranges, ends = [], dict[int, int]()
        for begin, length, _, phase in sorted(ranges, key=lambda found: (found[3], found[2])):  # not by address, which always changes
            at = ends.get(phase, 0 if phase == ALL else ends.get(ALL, 0))
            self._ranges.append((begin, length, at))
            ends[phase] = at + length // WORD
        self._ranges.sort()
        self.common = ends.get(ALL, 0)
        self.size = self.end = max(ends.values(), default=0)

    def place(self, array: np.ndarray) -> int:
        """The first word of an array; any word for an empty one."""
        assert self._ranges is not None
        address = int(array.__array_interface__["data"][0])
        if not array.nbytes:
            return 0
        begin, length, at = self._ranges[bisect(self._ranges, (address + 1,)) - 1]
        assert begin <= address < begin + length
        return at + (address - begin) // WORD

    def place_block(self, block: Block, value: object) -> int:
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

    def images(self, phases: int) -> list[np.ndarray]:
        """What the arrays hold now, as words: those of all phases, then those of each, which stand behind them."""
        assert self._ranges is not None
        images = [np.zeros(self.common, np.uint64)] + [np.zeros(self.size - self.common, np.uint64) for _ in range(phases)]
        for array, phase in self._arrays:
            at, held = self.place(array), np.ascontiguousarray(array).ravel().view(np.uint64)
            if at < self.common:
                images[0][at : at + len(held)] = held
            else:
                images[1 + phase][at - self.common : at - self.common + len(held)] = held
        return images


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
