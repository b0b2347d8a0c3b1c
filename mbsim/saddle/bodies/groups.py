"""Bodies in absolute coordinates with the rows that hold them, as groups of the elimination of an implicit step.

A body and the rows of the joint to the body before it (in a spanning forest that begins at the ground) are one group, whose diagonal block
is regular. Rows that close a loop are groups of their own. They are eliminated after all bodies of the loop: those that are left would
stand still, and what is between them could not follow all of the rows. So are rows that may touch more than two bodies.
"""

from collections import defaultdict, deque

from mbsim.saddle.bodies.table import Graph, Group
from mbsim.saddle.graph import path
from mbsim.saddle.structure import Structure, WideRows


def group_bodies(structure: Structure) -> Graph:
    """The graph of bodies of which all rows and laws are known."""
    wide, extras = structure.wide, structure.extras
    assert wide is not None and extras is not None
    touched = {row: [int(x) for x in structure.row_bodies[row]] for row in range(structure.rows)} | wide.ends
    b, n_b = structure.speeds, len(structure.bodies)
    return Graph(b, n_b, b * n_b, structure.rows, _groups(structure, wide), structure.couplings, touched, [], wide, extras)


def _groups(structure: Structure, wide: WideRows) -> list[Group]:
    """Bodies with the rows of the joint to the body before them, then the rows that are left over, the wide ones last."""
    b, n_b, joints, driven = structure.speeds, len(structure.bodies), structure.joints, structure.driven
    at: dict[int, list[int]] = defaultdict(list)
    for e, (first, _) in enumerate(joints):
        for body in structure.row_bodies[first]:
            at[int(body)].append(e)
    rows: dict[int, list[int]] = {}
    depth: dict[int, int] = {n_b: 0}
    holders: dict[int, int] = {}  # the body before another, which a joint holds
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
                i, j = (int(x) for x in structure.row_bodies[first])
                there = j if i == here else i
                if there in depth or first in driven or size > b:
                    continue
                depth[there], rows[there], holders[there] = depth[here] + 1, list(range(first, first + size)), here
                taken.add(e)
                queue.append(there)

    left, before = [], [holders.get(body, n_b) for body in range(n_b)]
    for e, (first, size) in enumerate(joints):
        if e in taken:
            continue
        i, j = (int(x) for x in structure.row_bodies[first])
        child = j if holders.get(j) == i else i if holders.get(i) == j else -1
        if first in driven and child >= 0 and len(rows[child]) + size <= b:  # of a coordinate of the joint that holds the body
            rows[child] += range(first, first + size)
        else:
            loop = tuple(set(path(before, i)) ^ set(path(before, j)))
            left.append(Group(-1, tuple(range(first, first + size)), max(depth[i], depth[j]), loop))
    for row, ends in wide.ends.items():
        ways = [set(path(before, body)) for body in ends]
        loop = tuple(ways[0].union(*ways[1:]) - ways[0].intersection(*ways[1:]))
        left.append(Group(-1, (row,), max(depth[body] for body in ends), loop))
    return [Group(body, tuple(rows[body]), depth[body]) for body in range(n_b)] + left
