"""Nested dissection of a system of bodies (George 1973): an order of elimination whose critical path is short, and what it costs.

The graph is that of the bodies, joined by joints; the ground couples nothing. A cut is a set of joints, the separator, without which the
bodies fall into two halves. Each half is cut again until there are as many parts as asked for. A cut is found in a spanning tree of breadth
first search: below an edge hangs a subtree, which only this joint and those that close loops across it join to the rest. In a tree of
bodies that is one joint. Where loops follow each other, as in a ladder, all joints between two levels of the search may be fewer.

A part is eliminated from its leaves to its separators, so nothing fills in where one separator alone holds it: a chain in two parts costs
what it costs in one. A part between two separators fills in towards one of them. docs/methods/cfa.md.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from mbsim.saddle import columns as col
from mbsim.saddle.joints.table import Order
from mbsim.saddle.lines import after, first_line
from mbsim.saddle.order import leaves_first

BALANCE = 0.6  # of the bodies: a larger half is cut again
WORST = 0.75  # of them: bodies with a larger half stay whole
CUTS = 8  # at most for one halving: a hub with many short branches stays whole
DEAR = 8.0  # bodies that a joint of a separator may cost, times their number, because the joints of a separator meet each other


class Dissection(NamedTuple):
    """Blocks by number, each in the order of its elimination."""

    parts: list[list[int]]  # which do not meet each other
    separators: list[int]  # which are eliminated after them

    @property
    def order(self) -> list[int]:
        """All of them."""
        return [block for part in self.parts for block in part] + self.separators


@cache
def in_parts(parts: int) -> Order:
    """The order of as many parts, for `mbsim.saddle.joints.table`; the same one each time."""
    return lambda pairs: dissect(pairs, parts).order


class _Half(NamedTuple):
    bodies: list[int]
    halves: "tuple[_Half, _Half] | None"
    cut: list[int]  # the joints between them


class _Graph:
    """Bodies joined by `pairs`; a pair of one body is a joint with the ground."""

    def __init__(self, pairs: Sequence[tuple[int, ...]]) -> None:
        self.pairs = pairs
        self.at: dict[int, list[int]] = defaultdict(list)
        for e, pair in enumerate(pairs):
            for body in pair:
                self.at[body].append(e)
        self.cut: set[int] = set()

    def neighbours(self, body: int, inside: set[int]) -> Iterable[tuple[int, int]]:
        """The joints of a body that are not cut, with the other body where it is inside."""
        for e in self.at[body]:
            if e not in self.cut and len(self.pairs[e]) == 2:
                i, j = self.pairs[e]
                other = j if i == body else i
                if other in inside:
                    yield e, other

    def search(self, first: int, inside: set[int]) -> tuple[list[int], dict[int, tuple[int, int]], dict[int, int]]:
        """Breadth first from a body: the bodies in the order they are found, the joint and the body before each, its level."""
        found, before, level = [first], {first: (-1, -1)}, {first: 0}
        queue = deque(found)
        while queue:
            body = queue.popleft()
            for e, other in self.neighbours(body, inside):
                if other not in before:
                    before[other], level[other] = (e, body), level[body] + 1
                    found.append(other)
                    queue.append(other)
        return found, before, level

    def pieces(self, bodies: Iterable[int]) -> list[list[int]]:
        """The connected parts of these bodies."""
        left = set(bodies)
        out = []
        for body in sorted(left):
            if body in left:
                found = self.search(body, left)[0]
                left.difference_update(found)
                out.append(found)
        return out


def dissect(pairs: Sequence[tuple[int, ...]], parts: int) -> Dissection:
    """Divide the blocks, each between a pair of bodies (or a body and the ground), into as many parts, if possible."""
    graph = _Graph(pairs)
    return _gather(graph, _divide(graph, sorted(graph.at), parts))


def _gather(graph: _Graph, half: _Half) -> Dissection:
    """The parts of a half, each from its leaves to the joints that are cut, and the separators between them, the largest last."""
    if half.halves is not None:
        one, other = (_gather(graph, part) for part in half.halves)
        return Dissection(one.parts + other.parts, one.separators + other.separators + half.cut)
    blocks = sorted({e for body in half.bodies for e in graph.at[body]})
    kept = {k for k, e in enumerate(blocks) if e in graph.cut}
    return Dissection([[blocks[k] for k in leaves_first([graph.pairs[e] for e in blocks], kept)]], [])


def _divide(graph: _Graph, bodies: list[int], parts: int) -> _Half:
    halved = _halve(graph, bodies) if parts > 1 and len(bodies) > 1 else None
    if halved is None:
        return _Half(bodies, None, [])
    one, other, cut = halved
    share = min(max(round(parts * len(one) / len(bodies)), 1), parts - 1)
    return _Half(bodies, (_divide(graph, one, share), _divide(graph, other, parts - share)), cut)


def _halve(graph: _Graph, bodies: list[int]) -> tuple[list[int], list[int], list[int]] | None:
    """Two halves and the joints between them, which are then cut; None where CUTS are not enough."""
    pieces, tried = graph.pieces(bodies), set[int]()
    for _ in range(CUTS + 1):
        pieces.sort(key=len, reverse=True)
        if len(pieces[0]) <= BALANCE * len(bodies) or len(pieces[0]) < 2:
            break
        edges = _best_cut(graph, pieces[0])
        tried |= edges
        graph.cut |= edges
        pieces[:1] = graph.pieces(pieces[0])
    pieces.sort(key=len, reverse=True)
    halves: tuple[list[int], list[int]] = [], []
    for piece in pieces:
        min(halves, key=len).extend(piece)
    one = set(halves[0])
    needed = {e for e in tried if len(one.intersection(graph.pairs[e])) == 1}
    graph.cut -= tried - needed
    if len(max(halves, key=len)) > WORST * len(bodies):
        graph.cut -= needed
        return None
    return sorted(halves[0]), sorted(halves[1]), sorted(needed)


def _best_cut(graph: _Graph, bodies: list[int]) -> set[int]:
    """The joints that divide connected bodies best: few, and into halves."""
    inside = set(bodies)
    far = graph.search(bodies[0], inside)[0][-1]
    found, before, level = graph.search(far, inside)
    below = dict.fromkeys(found, 1)  # bodies of the subtree
    crossing = dict.fromkeys(found, 0)  # joints that close a loop between the subtree and the rest
    over = [0] * (max(level.values()) + 2)  # joints from a level to the next
    closing = set()
    for body in found:
        for e, other in graph.neighbours(body, inside):
            if body < other:
                over[min(level[body], level[other])] += level[body] != level[other]
                if e not in (before[body][0], before[other][0]):
                    closing.add(e)
    for e in closing:
        i, j = graph.pairs[e]
        crossing[i] += 1
        crossing[j] += 1
        while i != j:
            i, j = (before[i][1], j) if level[i] > level[j] else (i, before[j][1])
        crossing[i] -= 2
    for body in reversed(found[1:]):
        below[before[body][1]] += below[body]
        crossing[before[body][1]] += crossing[body]
    n, up_to = len(found), 0
    best: tuple[float, int, int] = (np.inf, 0, 0)
    for body in found[1:]:
        joints = 1 + crossing[body]
        best = min(best, (max(below[body], n - below[body]) + DEAR * (joints * joints - 1), 0, body))
    sizes = np.bincount([level[body] for body in found])
    for k, size in enumerate(sizes[:-1]):
        up_to += int(size)
        best = min(best, (max(up_to, n - up_to) + DEAR * (over[k] * over[k] - 1), 1, k))
    _, by_level, which = best
    if by_level:
        one = {body for body in found if level[body] <= which}
    else:
        one = set()
        for body in found:  # parents first
            if body == which or before[body][1] in one:
                one.add(body)
    return {e for body in one for e, other in graph.neighbours(body, inside) if other not in one}


class Operations(NamedTuple):
    """Of one elimination with its right side, counted from its table: multiplications."""

    total: int
    path: int  # in the nodes that have to follow each other: what is left with a processor for every node


def operations(table: np.ndarray) -> Operations:
    """Count the multiplications of a table."""
    of_node, of_entry, of_product = (
        table[first_line(table, part) : after(table, part)] for part in (col.GROUPS, col.ENTRIES, col.PRODUCTS)
    )
    nodes = len(of_node)
    size, below = of_node[:, col.SIZE], of_node[:, col.BELOW]
    cost = size * (size + 1) * (size + 2) // 6 + size * (size + 1)  # L and both substitutions, the inverted pivots in place
    of = np.repeat(np.arange(nodes), below)
    rows = of_entry[:, col.LATER_SIZE]
    np.add.at(cost, of, rows * size[of] * (size[of] + 1) // 2 + 2 * rows * size[of])
    of = np.repeat(np.arange(nodes), of_node[:, col.UPDATES])
    a, b = of_product[:, col.LEFT_ROWS], of_product[:, col.RIGHT_COLUMNS]
    np.add.at(cost, of, np.where(of_product[:, col.ON_DIAGONAL] == 1, a * (a + 1) // 2, a * b) * size[of])
    node_of_row = dict(zip(of_node[:, col.FIRST].tolist(), range(nodes), strict=True))
    path = cost.tolist()
    first = np.cumsum(below) - below
    ahead = [0] * nodes
    for e in range(nodes):  # the next one that it meets is the first that waits for it
        path[e] += ahead[e]
        if below[e]:
            later = node_of_row[int(of_entry[first[e], col.LATER_FIRST])]
            ahead[later] = max(ahead[later], path[e])
    return Operations(int(cost.sum()), max(path, default=0))
