"""The symbolic phase of the elimination of an implicit step: groups of unknowns in an order with little fill, and its table.

The matrix of a step of bodies is [[M + c_v D + c_q K, -C'], [C, 0]], with a further row and column for each state and each law that reads
the state of the system. Its graph is that of the bodies, joined by rows, loads and laws. What a group is, `bodies/groups.py` and
`trees/groups.py` say; each state and law is one. The group with the fewest neighbours is next (minimum degree), and among these the
farthest from the ground: nothing fills in where the graph is a tree, and one row that touches all of its bodies is one more neighbour of
each. Inside a group the block is dense.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from mbsim.saddle import columns as col
from mbsim.saddle.graph import coupled
from mbsim.saddle.layout import Blocks, Line, stacked
from mbsim.saddle.order import minimum_degree
from mbsim.saddle.structure import Couplings, Extras, WideRows


class Group(NamedTuple):
    """A node of the elimination."""

    body: int  # -1: none
    rows: tuple[int, ...]
    depth: int  # from the ground
    loop: tuple[int, ...] = ()  # bodies that are eliminated before
    extra: int = -1  # a state or a law

    def unknowns(self, b: int) -> int:
        """How many there are, of bodies of b speeds."""
        return b * (self.body >= 0) + len(self.rows) + (self.extra >= 0)


class Graph(NamedTuple):
    """The unknowns of the matrix of a step, and what couples them."""

    b: int  # speeds of a body
    n_b: int  # bodies; this index is the ground
    n: int  # speeds of all bodies
    m: int  # rows
    groups: list[Group]
    couplings: Couplings
    touched: dict[int, list[int]]  # row -> bodies
    across: list[tuple[int, int, int]]  # of trees: a row, the row of a joint's unknown that it is about, the speed of that
    wide: WideRows
    extras: Extras


class BodyTable(NamedTuple):
    """The table whose columns `columns.py` names, and which of [speeds; multipliers] stands where in the order of the elimination."""

    table: np.ndarray  # (k, WIDTH)
    slots: np.ndarray  # (n + m + states + laws,)
    places: int
    slopes: int  # derivatives of laws by what they read


def tabulated(graph: Graph) -> BodyTable:
    """The order of the elimination, and its table."""
    extras, groups = graph.extras, list(graph.groups)
    of_extra = {k: len(groups) + k for k in range(extras.unknowns)}
    groups += [Group(-1, (), len(groups), extra=k) for k in range(extras.unknowns)]
    of_body = {group.body: g for g, group in enumerate(groups) if group.body >= 0}
    of_row = {row: g for g, group in enumerate(groups) for row in group.rows}
    near: dict[int, set[int]] = {g: set() for g in range(len(groups))}

    def couple(bodies: Iterable[int], *others: int) -> None:
        """Groups of bodies, the ground left out, and further ones."""
        members = {of_body[x] for x in bodies if x < graph.n_b}.union(others)
        for g in members:
            near[g] |= members - {g}

    for pair in graph.couplings.pairs:
        couple(pair)
    for row, g in of_row.items():
        couple(graph.touched[row], g)
    for row, unknown, _ in graph.across:
        couple((), of_row[row], of_row[unknown])
    for _, speed, along in graph.wide.curvatures:
        couple([k // graph.b for k in (speed, along) if k >= 0])
    for unknown, bodies in [(read.unknown, read.bodies) for read in extras.reads] + [(push.unknown, push.bodies) for push in extras.pushes]:
        for body in bodies:
            couple([body], of_extra[unknown])
    for read in extras.reads:
        if read.state >= 0:
            couple((), of_extra[read.unknown], of_extra[read.state])
    waits = {g: {of_body[body] for body in group.loop} for g, group in enumerate(groups)}
    order = minimum_degree(near, waits, {g: -group.depth for g, group in enumerate(groups)})
    return _table(graph, groups, order, coupled(order, near), of_body, of_row, of_extra)


def _table(
    graph: Graph,
    groups: list[Group],
    order: list[int],
    below: list[list[int]],
    of_body: dict[int, int],
    of_row: dict[int, int],
    of_extra: dict[int, int],
) -> BodyTable:
    b, n_b, n, m, _, (pairs, along), touched, across, wide, extras = graph
    when = {g: k for k, g in enumerate(order)}
    size = [group.unknowns(b) for group in groups]
    whole = {of_row[r] for r in range(m) for x in touched[r] if x < n_b and when[of_body[x]] < when[of_row[r]]}
    blocks = Blocks(order, below, size, [size[g] if g in whole or group.body < 0 else b for g, group in enumerate(groups)])
    block = blocks.block

    def both(g: int, row: int, f: int, column: int = 0) -> tuple[int, int, int]:
        """Places of entries (row of g, column of f) and (column of f, row of g), and what is from row to row at the latter."""
        return blocks.block(g, row, f, column)[0], *blocks.block(f, column, g, row)

    first: dict[int, int] = {}
    slots: list[int] = []
    for g in order:
        first[g] = len(slots)
        group = groups[g]
        slots += [b * group.body + c for c in range(b)] if group.body >= 0 else []
        slots += [n + r for r in group.rows]
        slots += [n + m + group.extra] if group.extra >= 0 else []
    of_groups = {g: (blocks.outer[g], group.body) for g, group in enumerate(groups)}
    sections = blocks.sections(first, of_groups, {(f, g): (place,) for (g, f), place in blocks.right.items()})
    own = {r: k + b * (group.body >= 0) for group in groups for k, r in enumerate(group.rows)}
    rows: list[Line] = []
    for r in range(m):
        g = of_row[r]
        bodies = touched[r] if r not in wide.ends else (n_b, n_b)
        found = [number for x in bodies for number in (both(g, own[r], of_body[x]) if x < n_b else (-1, -1, 0))]
        rows.append([*found, block(g, own[r], g, own[r])[0]])
    meetings: list[Line] = []
    for i, j in pairs:
        there = [block(of_body[x], 0, of_body[y], 0) if max(x, y) < n_b else (-1, 0) for x in (i, j) for y in (i, j)]
        meetings.append([place for place, _ in there] + [stride for _, stride in there])
    read_lines: list[Line] = []
    for x, what, index, of_state, bodies, state in extras.reads:
        read_places = [block(of_extra[x], 0, of_body[body], 0)[0] if body < n_b else -1 for body in bodies]  # a place for each side
        if state >= 0:
            read_places = [block(of_extra[x], 0, of_extra[state], 0)[0]]
        read_lines.append([what, index, int(of_state), *read_places])
    push_lines: list[Line] = []
    for x, load, law, bodies in extras.pushes:
        columns = [block(of_body[body], 0, of_extra[x], 0) if body < n_b else (-1, 0) for body in bodies]
        push_lines.append([load, law, *(number for column in columns for number in column)])
    wide_lines: list[Line] = [(r, x, *both(of_row[r], own[r], of_body[x])) for r, ends in wide.ends.items() for x in ends if x < n_b]
    wide_lines += [(r, speed, *both(of_row[r], own[r], of_row[unknown], own[unknown])) for r, unknown, speed in across]
    curve_lines: list[Line] = []
    for r, speed, moved in wide.curvatures:
        g, entry = (of_row[r], own[r]) if speed < 0 else (of_body[speed // b], speed % b)
        curve_lines.append([r, int(speed < 0), block(g, entry, of_body[moved // b], moved % b)[0]])
    table = stacked(
        sections
        | {
            col.ROWS: rows,
            col.PAIRS: meetings,
            col.LOADS: list(along),
            col.READS: read_lines,
            col.PUSHES: push_lines,
            col.EXTRAS: [[block(of_extra[k], 0, of_extra[k], 0)[0]] for k in range(extras.unknowns)],
            col.WIDE: wide_lines,
            col.CURVES: curve_lines,
            col.TIES: list(wide.ties),
            col.SLOTS: [slots[k : k + col.WIDTH] for k in range(0, len(slots), col.WIDTH)],
        },
        (b,),
    )
    return BodyTable(table, np.array(slots, np.int64), blocks.places, len(read_lines) + len(curve_lines))
