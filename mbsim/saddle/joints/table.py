"""The symbolic phase of block elimination, once a run: which block of rows is eliminated when, and which pairs of blocks meet.

A block is the rows of a joint, or of a driver. Two blocks meet in S = C M^-1 C' when they share a body; the joints of one body form a
clique, the ground makes none. The order is without fill in trees (`saddle/order.py`), or one that the method brings. The user's
equations may touch any body: they are one block, the last.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mbsim.saddle.graph import coupled
from mbsim.saddle.joints.columns import BOTH_PINS, COLUMNS, FILLS, FIRST, FIRST_EQUATION, NODE_COUNT, ON_DIAGONAL, PIN, PLACE_A, SIDES
from mbsim.saddle.order import leaves_first
from mbsim.saddle.structure import Structure

Order = Callable[[Sequence[tuple[int, ...]]], list[int]]  # of blocks between pairs of bodies; of one body: the other is the ground
PRODUCTS = 3_000_000  # block products of one factorisation, 200 MB of table: far beyond this, a dense method is quicker anyway


class JointTable(NamedTuple):
    """The integer table of `factor.py`, whose columns `columns.py` names, and the sizes that go with it."""

    table: np.ndarray  # (k, COLUMNS)
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
    blocks = count + sum(map(len, near.values())) // 2
    equations = [row for row in range(structure.rows) if bodies[row, 0] < 0]
    if equations:  # they follow each other
        nodes.append(Node(equations[0], len(equations), ()))
        columns = [[*later, count] for later in columns] + [[]]
        blocks += 1 + count
    products = sum(len(c) * (len(c) + 1) // 2 for c in columns)
    if products > PRODUCTS:
        most = max(at, key=lambda body: len(at[body]))
        raise ValueError(
            f"the method 'cfa' would need {products} block products an evaluation; body '{structure.bodies[most]}' has {len(at[most])}"
            " joints and drivers; use the method 'svd' or 'lagrange'"
        )
    place: dict[tuple[int, int], int] = {}
    places = 0
    for e, (_, size, _) in enumerate(nodes):
        place[e, e] = places
        places += size * size
        for f in columns[e]:
            place[f, e] = places
            places += nodes[f][1] * size
    table = _table(structure, nodes, count, at, columns, place, products)
    filled = len(nodes) + sum(map(len, columns))
    return JointTable(table, places, blocks, filled - blocks)


def _table(
    structure: Structure,
    nodes: list[Node],
    count: int,
    at: dict[int, list[int]],
    columns: list[list[int]],
    place: dict[tuple[int, int], int],
    products: int,
) -> np.ndarray:
    bodies, n_b = structure.row_bodies, len(structure.bodies)
    meetings = []
    met: set[int] = set()  # places of blocks
    for e, (first, size, own) in enumerate(nodes[:count]):
        for body in own:
            side = int(bodies[first, 0] != body)
            for f in at[body]:
                if f > e:
                    other, rows = nodes[f][0], nodes[f][1]
                    sides = int(bodies[other, 0] != body), side
                    meetings.append((other, rows, sides[0], first, size, sides[1], place[f, e], int(place[f, e] in met)))
                    met.add(place[f, e])
    pins = {e for e, node in enumerate(nodes) if node.first in structure.pins}
    entries = sum(map(len, columns))
    table = np.zeros((1 + len(nodes) + len(meetings) + entries + products, COLUMNS), np.int64)
    equations = nodes[count] if len(nodes) > count else Node(structure.rows, 0, ())
    table[0, NODE_COUNT : FIRST_EQUATION + 1] = (
        len(nodes),
        len(meetings),
        entries,
        products,
        structure.speeds,
        equations.size,
        equations.first,
    )
    for e, (first, size, _) in enumerate(nodes):
        k = len(columns[e])
        i, j = bodies[first] if e < count else (n_b, n_b)
        table[1 + e, FIRST : PIN + 1] = first, size, place[e, e], k, k * (k + 1) // 2, i, j, e in pins
    if meetings:
        table[1 + len(nodes) : 1 + len(nodes) + len(meetings)] = meetings
    k = 1 + len(nodes) + len(meetings)
    for e, column in enumerate(columns):
        for f in column:
            fills = f < count and place[f, e] not in met
            filled = nodes[f][1] * nodes[e][1] if fills else 0
            table[k] = place[f, e], nodes[f][1], nodes[f][0], place[f, f], filled, *_sides(bodies, nodes[e], nodes[f]), 0
            shared = table[k, SIDES : SIDES + 2]
            table[k, BOTH_PINS] = e in pins and f in pins and min(shared) < 0 <= max(shared)
            table[0, FILLS] += fills
            k += 1
    for e, column in enumerate(columns):
        for a, f in enumerate(column):
            for g in column[: a + 1]:
                table[k, PLACE_A : ON_DIAGONAL + 1] = place[f, e], nodes[f][1], place[g, e], nodes[g][1], place[f, g], int(f == g)
                k += 1
    return table


def _sides(bodies: np.ndarray, own: Node, other: Node) -> tuple[int, int]:
    """Which side of the other node, 0 or 1, has the first and the second body of this one; -1 where none has."""
    own_bodies, others = bodies[own.first], list(bodies[other.first])
    found = [others.index(body) if body in own.bodies and body in others else -1 for body in own_bodies]
    return found[0], found[1]
