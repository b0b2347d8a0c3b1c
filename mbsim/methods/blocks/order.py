"""The symbolic phase of block elimination, once a run: which block of rows is eliminated when, and which pairs of blocks meet.

A block is the rows of a joint, or of a driver. Two blocks meet in S = C M^-1 C' when they share a body; the joints of one body form a
clique, the ground makes none. The order is that of `blocks/simplicial.py`, without fill in trees, or nested dissection
(`blocks/dissection.py`). The user's equations may touch any body: they are one block, the last.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from mbsim.elements.kinds import POINT
from mbsim.kernels.block_columns import BOTH_PINS, COLUMNS, FILLS, FIRST, FIRST_EQUATION, NODE_COUNT, ON_DIAGONAL, PIN, PLACE_A, SIDES
from mbsim.methods.blocks.dissection import dissect
from mbsim.methods.blocks.simplicial import elimination_order
from mbsim.system.remembered import remembered
from mbsim.system.system import System

PRODUCTS = 3_000_000  # block products of one factorisation, 200 MB of table: far beyond this, a dense method is quicker anyway
OPTIONS = {
    "elimination": {
        "default": "leaf_to_root",
        "choices": ["leaf_to_root", "odd_even", "dense", "nested_dissection"],
        "help": "from the leaves to the base, O(N); in joint coordinates the paper's odd-even form, or a dense matrix; in absolute"
        " coordinates nested dissection, in parts that do not meet",
    },
    "parts": {
        "default": 2,
        "least": 2,
        "help": "of nested dissection: how many subtrees of about equal size",
    },
}


class Plan(NamedTuple):
    """The integer table of `mbsim.kernels.blocks`, whose columns `block_columns` names, and the sizes that go with it."""

    table: np.ndarray  # (k, COLUMNS)
    places: int  # numbers in the blocks of the factor
    blocks: int  # of S, in its lower triangle
    fill: int  # further blocks of the factor


# a run asks three times: for itself, for what it observes, for the rank
_plans: WeakKeyDictionary[System, dict[int, Plan]] = WeakKeyDictionary()


def row_blocks(system: System) -> list[tuple[int, int]]:
    """First row and number of rows of each joint and driver."""
    blocks = [(joint.rows.start, joint.rows.stop - joint.rows.start) for joint in system.joints if joint.rows.stop > joint.rows.start]
    taken = {row for first, size in blocks for row in range(first, first + size)}
    bodies = system.arrays.row_bodies
    return blocks + [(row, 1) for row in range(system.n_rows) if row not in taken and bodies[row, 0] >= 0]


def refuse_parts(options: Mapping[str, Any]) -> None:
    """Raise ValueError where parts are asked for of an order that has none."""
    if options.get("parts", 2) != 2 and options.get("elimination") != "nested_dissection":
        raise ValueError("cfa: parts: the parts are those of nested dissection; add `elimination: nested_dissection`")


@remembered
def loop_rows(system: System) -> int:
    """How many rows there are beyond those of a spanning forest of the joints, which are independent: as many may be redundant."""
    arrays, n_b = system.arrays, len(system.bodies)
    group = list(range(n_b + 1))

    def root(b: int) -> int:
        while group[b] != b:
            group[b] = group[group[b]]
            b = group[b]
        return b

    rows = system.n_rows
    for first, size in row_blocks(system):
        i, j = (root(int(b)) for b in arrays.row_bodies[first])
        if i != j:
            group[i] = j
            rows -= size
    return rows


def elimination(system: System, parts: int = 1) -> Plan:
    """The order of the blocks of a system of bodies, and the table of the elimination. Raises ValueError when it does not fit in memory.

    `parts` above 1: nested dissection.
    """
    plans = _plans.setdefault(system, {})
    if parts not in plans:
        plans[parts] = _plan(system, parts)
    return plans[parts]


def _plan(system: System, parts: int) -> Plan:
    arrays, n_b = system.arrays, len(system.bodies)
    of_pair = defaultdict(list)
    for first, size in row_blocks(system):
        bodies = tuple(sorted({int(b) for b in arrays.row_bodies[first] if b < n_b}))
        of_pair[bodies].append((first, size))
    pairs = list(of_pair)
    order = dissect(pairs, parts).order if parts > 1 else elimination_order(pairs)
    nodes = [(*block, pairs[e]) for e in order for block in of_pair[pairs[e]]]
    count = len(nodes)
    equations = [row for row in range(system.n_rows) if arrays.row_bodies[row, 0] < 0]
    if equations:  # they follow each other
        nodes.append((equations[0], len(equations), ()))
    at = defaultdict(list)
    for e, (_, _, bodies) in enumerate(nodes[:count]):
        for body in bodies:
            at[body].append(e)
    below = [{f for body in bodies for f in at[body] if f > e} for e, (_, _, bodies) in enumerate(nodes)]
    blocks = len(nodes) + sum(map(len, below)) + count * bool(equations)
    for later in below:  # eliminating e makes all that lie below it meet
        if later:
            parent = min(later)
            below[parent] |= later - {parent}
    for later in below[:count]:
        later |= {count} if equations else set()
    columns = [sorted(later) for later in below]
    products = sum(len(c) * (len(c) + 1) // 2 for c in columns)
    if products > PRODUCTS:
        most = max(at, key=lambda body: len(at[body]))
        raise ValueError(
            f"the method 'cfa' would need {products} block products an evaluation; body '{system.bodies[most]}' has {len(at[most])} joints"
            " and drivers; use the method 'svd' or 'lagrange'"
        )
    place: dict[tuple[int, int], int] = {}
    places = 0
    for e, (_, size, _) in enumerate(nodes):
        place[e, e] = places
        places += size * size
        for f in columns[e]:
            place[f, e] = places
            places += nodes[f][1] * size
    table = _table(system, nodes, count, at, columns, place, products)
    filled = len(nodes) + sum(map(len, columns))
    return Plan(table, places, blocks, filled - blocks)


def _table(
    system: System,
    nodes: list[tuple[int, int, tuple[int, ...]]],
    count: int,
    at: dict[int, list[int]],
    columns: list[list[int]],
    place: dict[tuple[int, int], int],
    products: int,
) -> np.ndarray:
    bodies, n_b = system.arrays.row_bodies, len(system.bodies)
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
    pins = _pins(system, nodes)
    entries = sum(map(len, columns))
    table = np.zeros((1 + len(nodes) + len(meetings) + entries + products, COLUMNS), np.int64)
    equations = nodes[count] if len(nodes) > count else (system.n_rows, 0, ())
    table[0, NODE_COUNT : FIRST_EQUATION + 1] = (
        len(nodes),
        len(meetings),
        entries,
        products,
        3 if system.dimension == 2 else 6,
        equations[1],
        equations[0],
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


def _pins(system: System, nodes: list[tuple[int, int, tuple[int, ...]]]) -> set[int]:
    """The nodes of planar bodies that hold two points together, and nothing else."""
    points = {int(row) for kind, row, *_ in system.arrays.primitives if kind == POINT} if system.dimension == 2 else set()
    return {e for e, (first, size, _) in enumerate(nodes) if size == 2 and first in points}


def _sides(bodies: np.ndarray, own: tuple[int, int, tuple[int, ...]], other: tuple[int, int, tuple[int, ...]]) -> tuple[int, int]:
    """Which side of the other node, 0 or 1, has the first and the second body of this one; -1 where none has."""
    own_bodies, others = bodies[own[0]], list(bodies[other[0]])
    found = [others.index(body) if body in own[2] and body in others else -1 for body in own_bodies]
    return found[0], found[1]
