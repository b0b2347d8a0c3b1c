"""The symbolic phase of the elimination of an implicit step: bodies with the rows that hold them, in an order with little fill.

The matrix of a step of bodies is [[M + c_v D + c_q K, -C'], [C, 0]], with a further row and column for each state and each law that reads
the state of the system. Its graph is that of the bodies, joined by rows, loads and laws. A body and
the rows of the joint to the body before it (in a spanning forest that begins at the ground) are one group, whose diagonal block is
regular. Rows that close a loop are groups of their own. They are eliminated after all bodies of the loop: those that are left would stand
still, and what is between them could not follow all of the rows. So are rows that may touch more than two bodies (`implicit/wide_rows.py`).
The group with the fewest neighbours is next (minimum degree), and among these the farthest from the ground: nothing fills in where the
graph is a tree, and one row that touches all of its bodies is one more neighbour of each. Inside a group the block is dense.
"""

from collections import defaultdict, deque
from typing import NamedTuple

import numpy as np

from mbsim.elements.kinds import acts_on
from mbsim.kernels import sparse_columns as col
from mbsim.methods.blocks.order import row_blocks
from mbsim.methods.implicit.wide_rows import WideRows, wide_rows
from mbsim.system.law_reads import reads
from mbsim.system.system import System


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


class Extras(NamedTuple):
    """States and laws as unknowns, and the lines of the table about them, still without places."""

    unknowns: int  # the states come first
    reads: list[tuple[int, int, int, int, list[int]]]  # unknown, WHAT, index, OF_STATE, bodies
    read_states: dict[int, int]  # line of `reads` -> state
    pushes: list[tuple[int, int, int, list[int]]]  # unknown, load, law, bodies (n_b: none)


class Graph(NamedTuple):
    """The unknowns of the matrix of a step, and what couples them."""

    b: int  # speeds of a body
    n_b: int  # bodies; this index is the ground
    n: int  # speeds of all bodies
    m: int  # rows
    groups: list[Group]
    pairs: list[tuple[int, int]]  # `element_pairs`
    along: list[list[int]]  # loads along relative coordinates: which coordinate, which load
    touched: dict[int, list[int]]  # row -> bodies
    across: list[tuple[int, int, int]]  # of trees: a row, the row of a joint's unknown that it is about, the speed of that
    wide: WideRows
    extras: Extras


class SparsePlan(NamedTuple):
    """The table of `mbsim.kernels.sparse_columns`, and which of [speeds; multipliers] stands where in the order of the elimination."""

    table: np.ndarray  # (k, WIDTH)
    slots: np.ndarray  # (n + m + states + laws,)
    places: int
    slopes: int  # derivatives of laws by what they read


def fits(system: System) -> bool:
    """Whether the elimination knows all of the system: bodies in absolute coordinates, and what every row and load of them touches."""
    if system.dimension is None or system.in_joint_coordinates or not len(system.bodies):
        return False
    return reads(system) is not None and wide_rows(system) is not None


def sparse_plan(system: System) -> SparsePlan:
    """The table of a system that `fits`."""
    arrays, b = system.arrays, 3 if system.dimension == 2 else 6
    wide = wide_rows(system)
    assert wide is not None
    touched = {row: [int(x) for x in arrays.row_bodies[row]] for row in range(system.n_rows)} | wide.ends
    along = [[int(arrays.load_data[k, 0]), k] for k in range(len(arrays.loads)) if acts_on("loads", arrays.loads[k, 0]) != "bodies"]
    sizes = b, len(system.bodies), system.n_v, system.n_rows
    return planned(Graph(*sizes, _groups(system, b, wide), element_pairs(system), along, touched, [], wide, _extras(system)))


def element_pairs(system: System) -> list[tuple[int, int]]:
    """The bodies of the rows' elements, of the loads on bodies and of the relative coordinates, in this order."""
    arrays = system.arrays
    pairs = [(int(i), int(j)) for _, _, i, j, _ in arrays.primitives]
    pairs += [(int(i), int(j)) for kind, i, j, _ in arrays.loads if acts_on("loads", kind) == "bodies"]
    return pairs + [(int(i), int(j)) for _, i, j, _, _ in arrays.relative]


def planned(graph: Graph) -> SparsePlan:
    """The order of the elimination, and its table."""
    b, n_b, groups, extras = graph.b, graph.n_b, list(graph.groups), graph.extras
    of_extra = {k: len(groups) + k for k in range(extras.unknowns)}
    groups += [Group(-1, (), len(groups), extra=k) for k in range(extras.unknowns)]
    of_body = {group.body: g for g, group in enumerate(groups) if group.body >= 0}
    of_row = {row: g for g, group in enumerate(groups) for row in group.rows}
    near: dict[int, set[int]] = {g: set() for g in range(len(groups))}

    def couple(members: list[int]) -> None:
        for g in members:
            near[g] |= set(members) - {g}

    for i, j in graph.pairs:
        couple([of_body[x] for x in {i, j} if x < n_b])
    for row, g in of_row.items():
        couple([*{of_body[x] for x in graph.touched[row] if x < n_b}, g])
    for row, unknown, _ in graph.across:
        couple([of_row[row], of_row[unknown]])
    for _, speed, along in graph.wide.curvatures:
        couple([*{of_body[k // b] for k in (speed, along) if k >= 0}])
    for x, _, _, _, bodies in extras.reads:
        for body in bodies:
            couple([of_extra[x], *([of_body[body]] if body < n_b else [])])
    for line, state in extras.read_states.items():
        couple([of_extra[extras.reads[line][0]], of_extra[state]])
    for x, _, _, bodies in extras.pushes:
        for body in bodies:
            couple([of_extra[x], *([of_body[body]] if body < n_b else [])])
    order, below = _eliminated(groups, near, of_body)
    return _table(graph, groups, order, below, of_body, of_row, of_extra)


def _extras(system: System) -> Extras:
    """The states, and the laws that read the state of the system."""
    arrays, n_b, n_x = system.arrays, len(system.bodies), system.n_x
    found = reads(system) or []
    laws = {law: n_x + k for k, law in enumerate(dict.fromkeys(read.target for read in found if not read.of_state))}
    kinds = {"q": col.READ_COORDINATE, "v": col.READ_SPEED, "g": col.READ_VALUE, "w": col.READ_RATE}
    lines: list[tuple[int, int, int, int, list[int]]] = []
    read_states: dict[int, int] = {}
    for read in found:
        what, bodies = kinds[read.what], []
        if read.what == "q" and read.number >= system.n_c:
            what, read_states[len(lines)] = col.READ_STATE, read.number - system.n_c
        elif read.what in "qv":
            bodies = [read.number // ((3 if system.dimension == 2 else 7) if read.what == "q" else 3 if system.dimension == 2 else 6)]
        else:
            bodies = [int(x) for x in arrays.relative[read.number, 1:3]]
        x = read.target if read.of_state else laws[read.target]
        lines.append((x, what, read.number, int(read.of_state), bodies))
    pushes = []
    for k, (kind, i, j, first) in enumerate(arrays.loads):
        on_bodies = acts_on("loads", kind) == "bodies"
        pair = [int(i), int(j) if i != j else n_b] if on_bodies else [int(x) for x in arrays.relative[int(arrays.load_data[k, 0]), 1:3]]
        pushes += [(laws[law], k, law, pair) for law in range(int(first), int(first) + 3) if first >= 0 and law in laws]
    return Extras(n_x + len(laws), lines, read_states, pushes)


def _groups(system: System, b: int, wide: WideRows) -> list[Group]:
    """Bodies with the rows of the joint to the body before them, then the rows that are left over, the wide ones last."""
    arrays, n_b = system.arrays, len(system.bodies)
    joints = row_blocks(system)
    driven = {record.row for record in system.drivers}
    at: dict[int, list[int]] = defaultdict(list)
    for e, (first, _) in enumerate(joints):
        for body in arrays.row_bodies[first]:
            at[int(body)].append(e)
    rows: dict[int, list[int]] = {}
    depth: dict[int, int] = {n_b: 0}
    before: dict[int, int] = {}
    taken: set[int] = set()
    for root in [n_b, *range(n_b)]:
        if root < n_b and root in depth:
            continue
        if root < n_b:
            depth[root], rows[root] = 0, []
        queue = deque([root])
        while queue:
            here = queue.popleft()
            for e in at[here]:
                first, size = joints[e]
                i, j = (int(x) for x in arrays.row_bodies[first])
                there = j if i == here else i
                if there in depth or first in driven or size > b:
                    continue
                depth[there], rows[there], before[there] = depth[here] + 1, list(range(first, first + size)), here
                taken.add(e)
                queue.append(there)

    def path(body: int) -> list[int]:
        """A body and those before it, up to the ground, which is left out."""
        found = []
        while body < n_b:
            found.append(body)
            body = before.get(body, n_b)
        return found

    left = []
    for e, (first, size) in enumerate(joints):
        if e in taken:
            continue
        i, j = (int(x) for x in arrays.row_bodies[first])
        child = j if before.get(j) == i else i if before.get(i) == j else -1
        if first in driven and child >= 0 and len(rows[child]) + size <= b:  # of a coordinate of the joint that holds the body
            rows[child] += range(first, first + size)
        else:
            loop = tuple(set(path(i)) ^ set(path(j)))
            left.append(Group(-1, tuple(range(first, first + size)), max(depth[i], depth[j]), loop))
    for row, ends in wide.ends.items():
        ways = [set(path(body)) for body in ends]
        loop = tuple(ways[0].union(*ways[1:]) - ways[0].intersection(*ways[1:]))
        left.append(Group(-1, (row,), max(depth[body] for body in ends), loop))
    return [Group(body, tuple(rows[body]), depth[body]) for body in range(n_b)] + left


def _eliminated(groups: list[Group], near: dict[int, set[int]], of_body: dict[int, int]) -> tuple[list[int], list[list[int]]]:
    """The order of the groups, and of each those that are coupled to it and come later, in that order."""
    waits = {g: {of_body[body] for body in group.loop} for g, group in enumerate(groups)}
    near = {g: set(others) for g, others in near.items()}
    order: list[int] = []
    later: list[set[int]] = []
    left = set(near)
    while left:
        free = (g for g in left if not waits[g] & left)
        g = min(free, key=lambda g: (len(near[g]), -groups[g].depth, g))
        left.remove(g)
        order.append(g)
        later.append(near[g])
        for f in near[g]:
            near[f] |= near[g]
            near[f] -= {f, g}
    place = {g: k for k, g in enumerate(order)}
    return order, [sorted(others, key=place.__getitem__) for others in later]


def _table(
    graph: Graph,
    groups: list[Group],
    order: list[int],
    below: list[list[int]],
    of_body: dict[int, int],
    of_row: dict[int, int],
    of_extra: dict[int, int],
) -> SparsePlan:
    b, n_b, n, m, _, pairs, along, touched, across, wide, extras = graph
    when = {g: k for k, g in enumerate(order)}
    size = [group.unknowns(b) for group in groups]
    whole = {of_row[r] for r in range(m) for x in touched[r] if x < n_b and when[of_body[x]] < when[of_row[r]]}
    outer = [size[g] if g in whole or group.body < 0 else b for g, group in enumerate(groups)]
    first: dict[int, int] = {}
    slots: list[int] = []
    diagonal, right, left = {}, {}, {}
    places = 0
    for g, others in zip(order, below, strict=True):
        first[g] = len(slots)
        group = groups[g]
        slots += [b * group.body + c for c in range(b)] if group.body >= 0 else []
        slots += [n + r for r in group.rows]
        slots += [n + m + group.extra] if group.extra >= 0 else []
        diagonal[g], places = places, places + size[g] * size[g]
        for f in others:
            right[g, f], places = places, places + size[g] * outer[f]
            left[f, g], places = places, places + outer[f] * size[g]

    def block(g: int, row: int, f: int, column: int) -> tuple[int, int]:
        """Place of entry (row of g, column of f), and what is from row to row."""
        if g == f:
            return diagonal[g] + row * size[g] + column, size[g]
        if when[g] < when[f]:
            return right[g, f] + row * outer[f] + column, outer[f]
        return left[g, f] + row * size[f] + column, size[f]

    head, second = [0] * col.WIDTH, [0] * col.WIDTH
    lines: list[list[int]] = []
    products = []
    for g, others in zip(order, below, strict=True):
        lines.append([size[g], outer[g], diagonal[g], len(others), len(others) ** 2, first[g], groups[g].body])
    entries = [[first[f], outer[f], right[g, f], left[f, g]] for g, others in zip(order, below, strict=True) for f in others]
    for g, others in zip(order, below, strict=True):
        for f in others:
            for c in others:
                target, stride = block(f, 0, c, 0)
                products.append([left[f, g], outer[f], right[g, c], outer[c], target, stride])
    own = {r: k + b * (group.body >= 0) for group in groups for k, r in enumerate(group.rows)}
    rows = []
    for r in range(m):
        line = []
        for x in touched[r] if r not in wide.ends else (n_b, n_b):
            g = of_row[r]
            if x < n_b:
                f = of_body[x]
                transposed, stride = block(f, 0, g, own[r])
                line += [block(g, own[r], f, 0)[0], transposed, stride]
            else:
                line += [-1, -1, 0]
        rows.append([*line, block(of_row[r], own[r], of_row[r], own[r])[0]])
    meetings = []
    for i, j in pairs:
        found = [block(of_body[x], 0, of_body[y], 0) if max(x, y) < n_b else (-1, 0) for x in (i, j) for y in (i, j)]
        meetings.append([place for place, _ in found] + [stride for _, stride in found])
    head[: col.PLACES + 1] = len(lines), len(entries), len(products), len(rows), len(meetings), len(along), b, places
    read_lines = []
    for k, (x, what, index, of_state, bodies) in enumerate(extras.reads):
        places_read = [block(of_extra[x], 0, of_body[body], 0)[0] if body < n_b else -1 for body in bodies]  # a place for each side
        if k in extras.read_states:
            places_read = [block(of_extra[x], 0, of_extra[extras.read_states[k]], 0)[0]]
        read_lines.append([what, index, of_state, *places_read])
    push_lines = []
    for x, load, law, bodies in extras.pushes:
        columns = [block(of_body[body], 0, of_extra[x], 0) if body < n_b else (-1, 0) for body in bodies]
        push_lines.append([load, law, *(number for column in columns for number in column)])
    own_places = [[block(of_extra[k], 0, of_extra[k], 0)[0]] for k in range(extras.unknowns)]
    wide_lines = []
    for r, ends in wide.ends.items():
        g = of_row[r]
        for x in ends:
            if x < n_b:
                transposed, stride = block(of_body[x], 0, g, own[r])
                wide_lines.append([r, x, block(g, own[r], of_body[x], 0)[0], transposed, stride])
    for r, unknown, speed in across:
        g, f = of_row[r], of_row[unknown]
        wide_lines.append([r, speed, block(g, own[r], f, own[unknown])[0], block(f, own[unknown], g, own[r])[0]])
    curve_lines = []
    for r, speed, moved in wide.curvatures:
        g, entry = (of_row[r], own[r]) if speed < 0 else (of_body[speed // b], speed % b)
        curve_lines.append([r, int(speed < 0), block(g, entry, of_body[moved // b], moved % b)[0]])
    after = max(wide.ends, default=m - 1) + 1
    second[: col.EXTRAS + 1] = len(read_lines), len(push_lines), extras.unknowns
    second[col.WIDE : col.AFTER_WIDE + 1] = len(wide_lines), len(curve_lines), len(wide.ties), after - len(wide.ends), after
    at = [slots[k : k + col.WIDTH] for k in range(0, len(slots), col.WIDTH)]
    sections = [[head, second], lines, entries, products, rows, meetings, sorted(along), read_lines, push_lines, own_places]
    sections += [wide_lines, curve_lines, [list(tie) for tie in wide.ties], at]
    table = [[*line, *[0] * (col.WIDTH - len(line))] for section in sections for line in section]
    assert len(slots) == n + m + extras.unknowns
    return SparsePlan(np.array(table, np.int64), np.array(slots, np.int64), places, len(read_lines) + len(curve_lines))
