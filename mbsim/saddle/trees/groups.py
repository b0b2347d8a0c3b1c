"""Trees with constraint rows as groups of the elimination of an implicit step: bodies with their joints' forces, then what closes loops.

The unknowns are changes of the accelerations of the bodies, of the forces through the joints, of v_dot and of the multipliers. A body, the
force through the joint that carries it and the speeds of this joint are one group, whose diagonal block is regular; a group sees the body
before it through that body's acceleration. Rows are groups of their own, eliminated after all joints that they are about. The order and the
table are those of `bodies/table.py`, where unknowns of joints are rows behind the constraint rows: the speeds, then six (in the
plane three) forces a body. So nothing fills in along the tree, and a loop costs as much as it is long.
"""

import numpy as np

from mbsim.saddle.bodies.table import Graph, Group
from mbsim.saddle.graph import path
from mbsim.saddle.structure import Extras, TreeStructure, WideRows


def group_trees(structure: TreeStructure) -> Graph:
    """The graph of a tree; its slots are [accelerations of the bodies; multipliers; v_dot; forces through the joints]."""
    b, m, before, n_b, n = structure.speeds, structure.rows, structure.before, len(structure.before), structure.columns
    depth = [len(path(before, body)) for body in range(n_b)] + [0]
    of_speed = {k: body for body, speeds in enumerate(structure.joint_speeds) for k in speeds}
    groups, touched = [], {m + k: [n_b, n_b] for k in range(n)}
    for body in range(n_b):
        forces = [m + n + b * body + c for c in range(b)]
        groups.append(Group(body, (*forces, *(m + k for k in structure.joint_speeds[body])), depth[body]))
        touched |= {row: [body, before[body]] for row in forces}
    for i, j, rows in structure.closing:
        touched |= {row: [i, j] for row in rows}
        groups.append(Group(-1, rows, max(depth[i], depth[j]), tuple(set(path(before, i)) ^ set(path(before, j)))))
    across = []
    for row, speeds in sorted(structure.row_speeds.items()):
        touched[row] = [n_b, n_b]
        across += [(row, m + k, k) for k in speeds]
        bodies = {of_speed[k] for k in speeds}
        groups.append(Group(-1, (row,), max((depth[body] for body in bodies), default=0), tuple(bodies)))
    none = WideRows({}, [], []), Extras(0, [], [])
    return Graph(b, n_b, b * n_b, m + n + b * n_b, groups, structure.couplings, touched, across, *none)


def places(structure: TreeStructure, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where v_dot (n,) and the multipliers (m,) stand in the order of the elimination."""
    first, m, n = structure.speeds * len(structure.before), structure.rows, structure.columns
    where = np.argsort(slots)
    return where[first + m : first + m + n], where[first : first + m]
