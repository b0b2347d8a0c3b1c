"""The table of an elimination from its graph: where the blocks of the matrix stand, and which of them meet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mbsim.saddle import columns as col

Line = Sequence[int]


class Section(NamedTuple):
    """The lines of a section, which may be made one after the other."""

    number: int
    lines: Iterable[Line]


def stacked(sections: Mapping[int, Section | list[Line]], facts: Line) -> np.ndarray:
    """The table (k, WIDTH) of sections in their order."""
    known = {key: part if isinstance(part, Section) else Section(len(part), part) for key, part in sorted(sections.items())}
    table = np.zeros((col.HEADS + sum(part.number for part in known.values()), col.WIDTH), np.int64)
    table[col.FACTS, : len(facts)] = facts
    at = col.HEADS
    for key, part in known.items():
        line, place = divmod(key, col.WIDTH)
        table[col.COUNTS + line, place], table[col.BEGINS + line, place] = part.number, at
        for found in part.lines:
            table[at, : len(found)] = found
            at += 1
    return table


class Blocks:
    """The blocks of a matrix whose groups are eliminated in the order; `below`: the later ones that each is coupled to.

    A group has `size` unknowns, of which the groups before it see `outer`. Of a `symmetric` matrix the blocks (group, later) are the
    transposes of (later, group), and are not kept.
    """

    def __init__(
        self, order: Sequence[int], below: Sequence[Sequence[int]], size: Sequence[int], outer: Sequence[int], symmetric: bool = False
    ) -> None:
        self.order, self.below, self.size, self.outer, self.symmetric = order, below, size, outer, symmetric
        self.when = {g: k for k, g in enumerate(order)}
        self.places = 0
        self.diagonal: dict[int, int] = {}
        self.right: dict[tuple[int, int], int] = {}
        self.left: dict[tuple[int, int], int] = {}
        for g, others in zip(order, below, strict=True):
            self.diagonal[g] = self._take(size[g] * size[g])
            for f in others:
                if not symmetric:
                    self.right[g, f] = self._take(size[g] * outer[f])
                self.left[f, g] = self._take(outer[f] * size[g])

    def _take(self, numbers: int) -> int:
        place, self.places = self.places, self.places + numbers
        return place

    def block(self, g: int, row: int, f: int, column: int) -> tuple[int, int]:
        """Place of entry (row of g, column of f), and what is from row to row."""
        if g == f:
            return self.diagonal[g] + row * self.size[g] + column, self.size[g]
        if self.when[g] < self.when[f]:
            return self.right[g, f] + row * self.outer[f] + column, self.outer[f]
        return self.left[g, f] + row * self.size[f] + column, self.size[f]

    def sections(
        self, first: Mapping[int, int], groups: Mapping[int, Line], entries: Mapping[tuple[int, int], Line]
    ) -> dict[int, Section | list[Line]]:
        """The sections of every elimination; `groups` and `entries` (later, group): further columns of theirs."""
        updates = [len(others) * (len(others) + 1) // 2 if self.symmetric else len(others) ** 2 for others in self.below]
        lines: list[Line] = [
            [first[g], self.size[g], self.diagonal[g], len(others), count, *groups[g]]
            for g, others, count in zip(self.order, self.below, updates, strict=True)
        ]
        coupled: list[Line] = [
            [first[f], self.outer[f], self.left[f, g], *entries[f, g]]
            for g, others in zip(self.order, self.below, strict=True)
            for f in others
        ]
        return {col.GROUPS: lines, col.ENTRIES: coupled, col.PRODUCTS: Section(sum(updates), self._products())}

    def _products(self) -> Iterator[Line]:
        for g, others in zip(self.order, self.below, strict=True):
            for a, f in enumerate(others):
                for c in others[: a + 1] if self.symmetric else others:
                    target, stride = self.block(f, 0, c, 0)
                    right = self.left[c, g] if self.symmetric else self.right[g, c]
                    yield self.left[f, g], self.outer[f], right, self.outer[c], target, int(f == c) if self.symmetric else stride
