"""The symbolic phase of an implicit step of a tree with constraint rows: bodies with their joints' forces, then what closes loops.

The unknowns are changes of the accelerations of the bodies, of the forces through the joints, of v_dot and of the multipliers. A body, the
force through the joint that carries it and the speeds of this joint are one group, whose diagonal block is regular; a group sees the body
before it through that body's acceleration. Rows are groups of their own, eliminated after all joints that they are about. The order and the
table are those of `implicit/sparse_order.py`, where unknowns of joints are rows behind the constraint rows: the speeds, then six (in the
plane three) forces a body. So nothing fills in along the tree, and a loop costs as much as it is long.
"""

from collections import defaultdict

import numpy as np

from mbsim.elements.kinds import COORDINATE, STATE, acts_on
from mbsim.kernels import tree_columns as tree_col
from mbsim.methods.implicit.sparse_order import Extras, Graph, Group, SparsePlan, element_pairs, planned
from mbsim.methods.implicit.wide_rows import WideRows
from mbsim.system.law_reads import equation_columns
from mbsim.system.system import System


class _Branches:
    """Which bodies carry which in a tree, and which speeds a joint has."""

    def __init__(self, system: System) -> None:
        tree, self.n_b = system.arrays.tree, len(system.bodies)
        self.before: list[int] = []  # of a body the one that is nearer to the ground; n_b: the ground
        self.speeds: list[list[int]] = []  # of the joint that carries it
        self.of_speed: dict[int, int] = {}
        for body in range(self.n_b):
            last = int(tree[body, tree_col.NODE_OF])
            inner, first = int(tree[last, tree_col.INNER]), last - int(tree[last, tree_col.NODES]) + 1
            self.before.append(int(tree[inner, tree_col.BODY]) if inner >= 0 else self.n_b)
            start = int(tree[first, tree_col.V])
            self.speeds.append(list(range(start, start + int(tree[last, tree_col.SPEEDS]))))
            self.of_speed |= dict.fromkeys(self.speeds[-1], body)

    def path(self, body: int) -> list[int]:
        """A body and those before it, up to the ground, which is left out."""
        found = []
        while body < self.n_b:
            found.append(body)
            body = self.before[body]
        return found


def row_speeds(system: System) -> dict[int, list[int]]:
    """Rows that are about joint coordinates -> the columns of C that are not always zero: drivers, couplings, equations."""
    arrays, branches = system.arrays, _Branches(system)
    found: dict[int, list[int]] = dict(equation_columns(system))
    for e, (kind, row, *_) in enumerate(arrays.primitives):
        if kind == COORDINATE:
            found[int(row)] = [int(arrays.geometry[e, 1])]
        elif acts_on("rows", kind) == "relative":
            columns = []
            for k in arrays.geometry[e, :2].astype(int):
                line = arrays.relative[k]
                bodies = [body for end in line[1:3] for body in branches.path(int(end))]
                columns += [int(line[4])] if line[0] == STATE else [j for body in bodies for j in branches.speeds[body]]
            found[int(row)] = sorted(set(columns))
    return found


def fits(system: System) -> bool:
    """Whether the elimination knows all rows of a tree."""
    if not (system.in_joint_coordinates and system.dimension is not None and system.n_rows):
        return False
    unknown = {row for row in range(system.n_rows) if system.arrays.row_bodies[row, 0] < 0} - row_speeds(system).keys()
    return not unknown


def tree_plan(system: System) -> SparsePlan:
    """The table of a tree that `fits`; its slots are [accelerations of the bodies; multipliers; v_dot; forces through the joints]."""
    arrays, branches = system.arrays, _Branches(system)
    b, n_b, n, m = 3 if system.dimension == 2 else 6, len(system.bodies), system.n_v, system.n_rows
    depth = [len(branches.path(body)) for body in range(n_b)]
    groups, touched = [], {m + k: [n_b, n_b] for k in range(n)}
    for body in range(n_b):
        forces = [m + n + b * body + c for c in range(b)]
        groups.append(Group(body, (*forces, *(m + k for k in branches.speeds[body])), depth[body]))
        touched |= {row: [body, branches.before[body]] for row in forces}
    columns, across = row_speeds(system), []
    elements: dict[tuple[str, int, int], list[int]] = defaultdict(list)  # rows of one joint between the same bodies
    for row, (first, second) in enumerate(arrays.row_bodies):
        if first >= 0:
            elements[system.rows[row].partition("[")[0], int(first), int(second)].append(row)
    for (_, i, j), rows in elements.items():
        touched |= {row: [i, j] for row in rows}
        loop = set(branches.path(i)) ^ set(branches.path(j))
        groups.append(Group(-1, tuple(rows), max((depth[body] for body in (i, j) if body < n_b), default=0), tuple(loop)))
    for row, speeds in sorted(columns.items()):
        touched[row] = [n_b, n_b]
        across += [(row, m + k, k) for k in speeds]
        bodies = {branches.of_speed[k] for k in speeds}
        groups.append(Group(-1, (row,), max((depth[body] for body in bodies), default=0), tuple(bodies)))
    loads = [(k, int(arrays.load_data[k, 0])) for k in range(len(arrays.loads)) if acts_on("loads", arrays.loads[k, 0]) == "relative"]
    along = [[coordinate, k] for k, coordinate in loads if arrays.relative[coordinate, 0] != STATE]
    none = WideRows({}, [], []), Extras(0, [], {}, [])
    return planned(Graph(b, n_b, b * n_b, m + n + b * n_b, groups, element_pairs(system), along, touched, across, *none))


def places(system: System, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where v_dot (n,) and the multipliers (m,) stand in the order of the elimination."""
    first, m, n = (3 if system.dimension == 2 else 6) * len(system.bodies), system.n_rows, system.n_v
    where = np.argsort(slots)
    return where[first + m : first + m + n], where[first : first + m]
