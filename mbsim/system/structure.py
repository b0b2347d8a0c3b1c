"""What the eliminations of `mbsim.saddle` ask of a system of bodies, as plain data, and their tables, which are made once a system."""

from collections import defaultdict
from weakref import WeakKeyDictionary

from mbsim.contracts import Arrays
from mbsim.elements.kinds import COORDINATE, INTERFACE, POINT, STATE, acts_on
from mbsim.kernels import tree_columns as tree_col
from mbsim.saddle import columns as col
from mbsim.saddle.bodies.groups import group_bodies
from mbsim.saddle.bodies.table import BodyTable, tabulated
from mbsim.saddle.graph import Partition
from mbsim.saddle.joints.table import JointTable, Order, eliminated
from mbsim.saddle.order import leaves_first
from mbsim.saddle.structure import Couplings, Extras, LawRead, Push, Structure, TreeStructure, WideRows
from mbsim.saddle.trees.groups import group_trees
from mbsim.system._couplings import term
from mbsim.system.law_reads import curvatures, equation_columns, reads
from mbsim.system.remembered import remembered
from mbsim.system.system import System

_by_joints: WeakKeyDictionary[System, dict[Order, JointTable]] = WeakKeyDictionary()


def joint_table(system: System, order: Order = leaves_first) -> JointTable:
    """The elimination by joints in this order. Raises ValueError when the table does not fit in memory."""
    tables = _by_joints.setdefault(system, {})
    if order not in tables:
        tables[order] = eliminated(structure_of(system), order)
    return tables[order]


@remembered
def body_table(system: System) -> BodyTable:
    """The elimination of an implicit step. The system is one of which all is `is_known`."""
    graph = group_trees(tree_structure(system)) if system.in_joint_coordinates else group_bodies(structure_of(system))
    return tabulated(graph)


def is_known(system: System) -> bool:
    """Whether the elimination of an implicit step knows what all rows touch, and the loads on bodies in absolute coordinates."""
    if system.dimension is None or not len(system.bodies):
        return False
    if not system.in_joint_coordinates:
        structure = structure_of(system)
        return structure.extras is not None and structure.wide is not None
    return system.n_rows > 0 and {row for row in range(system.n_rows) if system.arrays.row_bodies[row, 0] < 0} <= row_speeds(system).keys()


@remembered
def structure_of(system: System) -> Structure:
    """That of bodies in absolute coordinates."""
    points = {int(row) for kind, row, *_ in system.arrays.primitives if kind == POINT} if system.dimension == 2 else set()
    joints = _joints(system)
    return Structure(
        speeds=_speeds(system),
        bodies=tuple(system.bodies),
        rows=system.n_rows,
        row_bodies=system.arrays.row_bodies,
        joints=joints,
        driven=frozenset(record.row for record in system.drivers),
        pins=frozenset(first for first, size in joints if size == 2 and first in points),
        couplings=_couplings(system),
        wide=_wide_rows(system),
        extras=_extras(system),
    )


@remembered
def loop_rows(system: System) -> int:
    """How many rows there are beyond those of a spanning forest of the joints, which are independent: as many may be redundant."""
    together, bodies = Partition(), system.arrays.row_bodies
    holding = [(size, *map(int, bodies[first])) for first, size in _joints(system)] + interfaces(system)
    return system.n_rows - sum(size for size, first, second in holding if together.join(first, second))


def interfaces(system: System) -> list[tuple[int, int, int]]:
    """What keeps free bodies where an elastic part has them: how many rows, and the two bodies."""
    arrays, found = system.arrays, defaultdict[tuple[int, int], int](int)
    for e, (kind, *_) in enumerate(arrays.primitives):
        if kind == INTERFACE:
            first, second = arrays.relative[int(term(arrays.geometry[e], 0)[0]), 1:3]
            found[int(first), int(second)] += 1
    return [(size, *pair) for pair, size in found.items()]


def tree_structure(system: System) -> TreeStructure:
    """That of a tree in joint coordinates."""
    before, speeds = _branches(system)
    elements: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for row, (first, second) in enumerate(system.arrays.row_bodies):
        if first >= 0:
            elements[system.rows[row].partition("[")[0], int(first), int(second)].append(row)
    closing = [(i, j, tuple(rows)) for (_, i, j), rows in elements.items()]
    return TreeStructure(_speeds(system), system.n_rows, before, speeds, closing, row_speeds(system), _couplings(system))


def row_speeds(system: System) -> dict[int, list[int]]:
    """Rows that are about joint coordinates -> the columns of C that are not always zero: drivers, couplings, equations."""
    arrays, (before, speeds) = system.arrays, _branches(system)
    found: dict[int, list[int]] = dict(equation_columns(system))
    for e, (kind, row, *_) in enumerate(arrays.primitives):
        if kind == COORDINATE:
            found[int(row)] = [int(arrays.geometry[e, 1])]
        elif acts_on("rows", kind) == "relative":
            columns: list[int] = []
            for k in tied(arrays, e):
                line = arrays.relative[k]
                if line[0] == STATE:
                    columns.append(int(line[4]))
                for body in line[1:3].tolist() if line[0] != STATE else ():
                    while body < len(before):
                        columns += speeds[body]
                        body = before[body]
            found[int(row)] = sorted(set(columns))
    return found


def tied(arrays: Arrays, e: int) -> list[int]:
    """The relative coordinates of the row of an element over such."""
    return [int(term(arrays.geometry[e], s)[0]) for s in range(int(arrays.geometry[e, 0]))]


def _speeds(system: System) -> int:
    return 3 if system.dimension == 2 else 6


def _joints(system: System) -> list[tuple[int, int]]:
    """First row and number of rows of each joint and driver."""
    blocks = [(joint.rows.start, joint.rows.stop - joint.rows.start) for joint in system.joints if joint.rows.stop > joint.rows.start]
    taken = {row for first, size in blocks for row in range(first, first + size)}
    bodies = system.arrays.row_bodies
    return blocks + [(row, 1) for row in range(system.n_rows) if row not in taken and bodies[row, 0] >= 0]


def _branches(system: System) -> tuple[list[int], list[list[int]]]:
    """Of each body of a tree the one before it, and the speeds of the joint that carries it."""
    tree, before, speeds = system.arrays.tree, [], []
    for body in range(len(system.bodies)):
        last = int(tree[body, tree_col.NODE_OF])
        inner, first = int(tree[last, tree_col.INNER]), last - int(tree[last, tree_col.NODES]) + 1
        before.append(int(tree[inner, tree_col.BODY]) if inner >= 0 else len(system.bodies))
        start = int(tree[first, tree_col.V])
        speeds.append(list(range(start, start + int(tree[last, tree_col.SPEEDS]))))
    return before, speeds


def _couplings(system: System) -> Couplings:
    """Of a tree those loads along relative coordinates that are not along a joint coordinate itself."""
    arrays, along = system.arrays, []
    pairs = [(i, j) for _, _, i, j, _ in arrays.primitives.tolist()]
    acting = {int(kind): acts_on("loads", kind) for kind in set(arrays.loads[:, 0].tolist())}
    first = arrays.load_data[:, 0].tolist() if len(arrays.loads) else []
    for k, (kind, i, j, _) in enumerate(arrays.loads.tolist()):
        on = acting[kind]
        if on == "bodies":
            pairs.append((i, j))
        elif not system.in_joint_coordinates or (on == "relative" and arrays.relative[int(first[k]), 0] != STATE):
            along.append((int(first[k]), k))
    return Couplings(pairs + [(i, j) for _, i, j, _, _ in arrays.relative.tolist()], sorted(along))


def _wide_rows(system: System) -> WideRows | None:
    arrays, n_b, b = system.arrays, len(system.bodies), _speeds(system)
    ends: dict[int, list[int]] = {}
    ties = []
    for e, (kind, row, *_) in enumerate(arrays.primitives):
        if acts_on("rows", kind) != "bodies":
            found = tied(arrays, e)
            ends[int(row)] = sorted({int(body) for k in found for body in arrays.relative[k, 1:3]})
            ties += [(k, e, place) for place, k in enumerate(found)]
    curved = curvatures(system)
    for row, columns in equation_columns(system).items():
        moved = [along for r, speed, along in curved if r == row and speed < 0]
        ends[row] = sorted({j // b for j in [*columns, *moved]} | {n_b})
    unknown = {row for row in range(system.n_rows) if arrays.row_bodies[row, 0] < 0} ^ ends.keys()
    return None if unknown else WideRows(dict(sorted(ends.items())), sorted(ties), curved)


def _extras(system: System) -> Extras | None:
    arrays, n_b, n_x, b = system.arrays, len(system.bodies), system.n_x, _speeds(system)
    found = reads(system)
    if found is None:
        return None
    laws = {law: n_x + k for k, law in enumerate(dict.fromkeys(read.target for read in found if not read.of_state))}
    kinds = {"q": col.READ_COORDINATE, "v": col.READ_SPEED, "g": col.READ_VALUE, "w": col.READ_RATE}
    law_reads = []
    for read in found:
        what, state, bodies = kinds[read.what], -1, []
        if read.what == "q" and read.number >= system.n_c:
            what, state = col.READ_STATE, read.number - system.n_c
        elif read.what in "qv":
            bodies = [read.number // (7 if read.what == "q" and b == 6 else b)]
        else:
            bodies = [int(x) for x in arrays.relative[read.number, 1:3]]
        law_reads.append(LawRead(read.target if read.of_state else laws[read.target], what, read.number, read.of_state, bodies, state))
    pushes, relative = [], arrays.relative.tolist()
    for k, (kind, i, j, first) in enumerate(arrays.loads.tolist()):
        mine = [law for law in range(first, first + 3) if law in laws] if first >= 0 else []
        if mine:
            on_bodies = acts_on("loads", kind) == "bodies"
            pair = [i, j if i != j else n_b] if on_bodies else relative[int(arrays.load_data[k, 0])][1:3]
            pushes += [Push(laws[law], k, law, pair) for law in mine]
    return Extras(n_x + len(laws), law_reads, pushes)
