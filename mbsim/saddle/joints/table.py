"""The symbolic phase of block elimination, once a run: which block of rows is eliminated when, and which pairs of blocks meet.

A block is the rows of a joint, or of a driver. Two blocks meet in S = C M^-1 C' when they share a body; the joints of one body form a
clique, the ground makes none. The order is without fill in trees (`saddle/order.py`), or one that the method brings. The user's
equations may touch any body: they are one block, the last.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mbsim.saddle import columns as col
from mbsim.saddle.graph import coupled
from mbsim.saddle.layout import Blocks, Line, stacked
from mbsim.saddle.order import leaves_first
from mbsim.saddle.structure import Structure

Order = Callable[[Sequence[tuple[int, ...]]], list[int]]  # of blocks between pairs of bodies; of one body: the other is the ground
PRODUCTS = 3_000_000  # block products of one factorisation, 200 MB of table: far beyond this, a dense method is quicker anyway


class JointTable(NamedTuple):
    """The integer table of `factor.py`, whose columns `columns.py` names, and the sizes that go with it."""

    table: np.ndarray  # (k, WIDTH)
    places: int  # numbers in the blocks of the factor
    blocks: int  # of S, in its lower triangle
    fill: int  # further blocks of the factor


class Node(NamedTuple):
    """The rows of a joint or of a driver, or all of the user's equations."""

    first: int
    size: int
    bodies: tuple[int, ...]  # but for the ground; none of equations


def eliminated(structure: Structure, order: Order = leaves_first) -> JointTable:
    """The table of the elimination of a system of bodies. Raises ValueError when it does not fit in memory."""
    bodies, n_b = structure.row_bodies, len(structure.bodies)
    of_pair = defaultdict(list)
    for first, size in structure.joints:
        own = tuple(sorted({int(b) for b in bodies[first] if b < n_b}))
        of_pair[own].append((first, size))
    pairs = list(of_pair)
    nodes = [Node(*block, pairs[e]) for e in order(pairs) for block in of_pair[pairs[e]]]
    count = len(nodes)
    at = defaultdict(list)
    for e, node in enumerate(nodes):
        for body in node.bodies:
            at[body].append(e)
    near = {e: {f for body in node.bodies for f in at[body]} - {e} for e, node in enumerate(nodes)}
    columns = coupled(range(count), near)
    own_blocks = count + sum(map(len, near.values())) // 2
    equations = [row for row in range(structure.rows) if bodies[row, 0] < 0]
    if equations:  # they follow each other
        nodes.append(Node(equations[0], len(equations), ()))
        columns = [[*later, count] for later in columns] + [[]]
        own_blocks += 1 + count
    products = sum(len(c) * (len(c) + 1) // 2 for c in columns)
    if products > PRODUCTS:
        most = max(at, key=lambda body: len(at[body]))
        raise ValueError(
            f"the method 'cfa' would need {products} block products an evaluation; body '{structure.bodies[most]}' has {len(at[most])}"
            " joints and drivers; use the method 'svd' or 'lagrange'"
        )
    sizes = [node.size for node in nodes]
    blocks = Blocks(range(len(nodes)), columns, sizes, sizes, symmetric=True)
    filled = len(nodes) + sum(map(len, columns))
    return JointTable(_table(structure, nodes, count, at, blocks), blocks.places, own_blocks, filled - own_blocks)


def _table(structure: Structure, nodes: list[Node], count: int, at: dict[int, list[int]], blocks: Blocks) -> np.ndarray:
    bodies, n_b = structure.row_bodies, len(structure.bodies)
    meetings: list[Line] = []
    met: set[int] = set()  # places of blocks
    for e, (first, size, own) in enumerate(nodes[:count]):
        for body in own:
            side = int(bodies[first, 0] != body)
            for f in at[body]:
                if f > e:
                    other, rows, place = nodes[f].first, nodes[f].size, blocks.left[f, e]
                    meetings.append((other, rows, int(bodies[other, 0] != body), first, size, side, place, int(place in met)))
                    met.add(place)
    pins = {e for e, node in enumerate(nodes) if node.first in structure.pins}
    groups = {e: (*(bodies[node.first] if e < count else (n_b, n_b)), int(e in pins)) for e, node in enumerate(nodes)}
    entries: dict[tuple[int, int], Line] = {}
    fills = 0
    for (f, e), place in blocks.left.items():
        fill = f < count and place not in met
        sides = _sides(bodies, nodes[e], nodes[f])
        both = e in pins and f in pins and min(sides) < 0 <= max(sides)
        entries[f, e] = blocks.diagonal[f], nodes[f].size * nodes[e].size if fill else 0, *sides, int(both)
        fills += fill
    equations = nodes[count] if len(nodes) > count else Node(structure.rows, 0, ())
    sections = blocks.sections({e: node.first for e, node in enumerate(nodes)}, groups, entries)
    return stacked(sections | {col.MEETINGS: meetings}, (structure.speeds, equations.size, equations.first, fills))


def _sides(bodies: np.ndarray, own: Node, other: Node) -> tuple[int, int]:
    """Which side of the other node, 0 or 1, has the first and the second body of this one; -1 where none has."""
    own_bodies, others = bodies[own.first], list(bodies[other.first])
    found = [others.index(body) if body in own.bodies and body in others else -1 for body in own_bodies]
    return found[0], found[1]
