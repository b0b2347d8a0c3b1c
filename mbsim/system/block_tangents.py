"""What implicit steps of bodies in absolute coordinates take of the tangents: the blocks of c_v D + c_q K between two bodies.

K = d(-h - C' lam)/dd and D = -dh/dv, of one element after the other and of one direction of its two bodies after the other: the element's
own functions, transformed by `mbsim.jit.forward`, with the twins of two poses. Some elements have tangents by hand, which are quicker. The
cost is linear in the number of elements. M is constant. A law that reads the state of the system may read any body: it is an unknown of the
elimination, with the slopes that SymPy gives as its row and what the loads that follow it change by as its column. The rates of states are
rows likewise.
"""

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from mbsim.contracts import BLOCK_TANGENT
from mbsim.elements.dispatch import Chains, Property, load_apart, rows_of
from mbsim.elements.kinds import STATE, is_common
from mbsim.jit import Compiled, helper, kernel, unfolded
from mbsim.jit.forward import Fields, derivative
from mbsim.kernels.frame_columns import SPACE_SPIN
from mbsim.kernels.linalg import clear
from mbsim.kernels.relative import EFFORT, GRADIENT, OPEN_VALUE, RATE, VALUE
from mbsim.kernels.spatial_vectors import three
from mbsim.saddle import columns as col
from mbsim.saddle.bodies.wide_rows import curve
from mbsim.saddle.lines import after, first_line, lines_of
from mbsim.system._elements import measure_between
from mbsim.system.bodies import prefix
from mbsim.system.system import System


class Twin(NamedTuple):
    """The twins of what depends on the poses and velocities."""

    frames: np.ndarray  # (n_b + 1, 22)
    relative_values: np.ndarray  # as Arrays.relative_values
    laws: np.ndarray  # as Arrays.laws


MOVED = Fields(frozenset(Twin._fields))
_is_on_bodies = Property("loads", "ON", lambda value: value == "bodies")
_is_along = Property("loads", "ON", lambda value: value == "relative")
STATE_SPEED = 4  # column of Arrays.relative
_is_late = Property("rows", "LEVEL", lambda value: value == "velocity")


@unfolded
def store(S, table, line, side, other, c, size, values, first):
    """Add values[first:first + size] to column c of the block (side, other) of a pair of bodies."""
    at = table[line, col.II + 2 * side + other]
    stride = table[line, col.STRIDES + 2 * side + other]
    if at >= 0:
        for k in range(size):
            S[at + k * stride + c] += values[first + k]


@unfolded
def store_turns(S, table, line, size, local, scale):
    """Add `scale` times what each body of a pair has by its own turning, the first lines of `local`, which become zeros."""
    turns = size // 2  # angles of a body: 1, 3
    for side in range(2):
        at, stride = table[line, col.II + 3 * side], table[line, col.STRIDES + 3 * side]
        for k in range(turns):
            for c in range(turns):
                if at >= 0:
                    S[at + (size - turns + k) * stride + size - turns + c] += scale * local[turns * side + k, c]
                local[turns * side + k, c] = 0.0


@unfolded
def store_square(S, table, line, size, g, scale):
    """Add `scale` times g g', of the gradient g (2 size,) of a relative coordinate, which is mostly zeros."""
    for side in range(2):
        for k in range(size):
            x = scale * g[size * side + k]
            if x != 0.0:
                for other in range(2):
                    at, stride = table[line, col.II + 2 * side + other], table[line, col.STRIDES + 2 * side + other]
                    if at >= 0:
                        for c in range(size):
                            S[at + k * stride + c] += x * g[size * other + c]


@unfolded
def store_pair(S, table, line, size, local):
    """Add the blocks of two bodies in `local`, which become zeros."""
    for side in range(2):
        for other in range(2):
            at, stride = table[line, col.II + 2 * side + other], table[line, col.STRIDES + 2 * side + other]
            for k in range(size):
                for c in range(size):
                    if at >= 0:
                        S[at + k * stride + c] += local[size * side + k, size * other + c]
                    local[size * side + k, size * other + c] = 0.0


@helper
def gyroscopic(arrays, table, c_v, S):
    """-d(I omega x omega)/d(omega) of spatial bodies, in body axes, times c_v."""
    for g in range(lines_of(table, col.GROUPS)):
        group = table[col.HEADS + g]
        body, at, size = group[col.BODY], group[col.DIAGONAL], group[col.SIZE]
        if body < 0:
            continue
        I, f = arrays.masses[body, 1:], arrays.frames[body]
        x, y, z = three(f, SPACE_SPIN)
        l0, l1, l2 = I[0] * x + I[1] * y + I[2] * z, I[3] * x + I[4] * y + I[5] * z, I[6] * x + I[7] * y + I[8] * z
        for c in range(3):
            a0, a1, a2 = I[c], I[3 + c], I[6 + c]  # I e_c
            e0, e1, e2 = 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0
            o = at + 3 * size + 3 + c
            S[o] -= c_v * (a1 * z - a2 * y + l1 * e2 - l2 * e1)
            S[o + size] -= c_v * (a2 * x - a0 * z + l2 * e0 - l0 * e2)
            S[o + 2 * size] -= c_v * (a0 * y - a1 * x + l0 * e1 - l1 * e0)


@cache
def block_tangent(dimension: int, common: bool, of_tree: bool = False) -> Compiled:
    """The kernel of contract BLOCK_TANGENT of planar or spatial bodies that know the `common` elements, or all.

    `of_tree`: of a tree with constraint rows. The table is then that of `mbsim.saddle.trees.groups`, and q and v are as those of
    bodies in absolute coordinates.
    """
    planar, every = dimension == 2, not common
    size, n_q = (3, 3) if planar else (6, 7)
    shared = import_module(f"mbsim.kernels.{'planar' if planar else 'spatial'}_rows")
    rotations = import_module("mbsim.kernels.rotations")
    chains, quaternion_rate = Chains(dimension, common), rotations.quaternion_rate
    row_d = derivative(chains.row, False, True, True, False, False, False, True, True, False)
    force_d = derivative(chains.force_without_tangent, False, MOVED, False, False, False, False, True)
    pose_d = derivative(shared.pose, True, False, True)
    speed_d = derivative(shared.speed, True, False, True)
    measure_d: Any = derivative(measure_between, MOVED, False, chains.measure, False) if every else None
    absolute_of, cut_of, tangent_of, load_tangent_of = chains.absolute, chains.cut, chains.tangent, chains.load_tangent
    is_constant = Property("relative", "CONSTANT", lambda value: dimension in value)
    couplings: Any = import_module("mbsim.system._couplings") if every else None

    @helper
    def seed(arrays, twin, body, c, q, v, c_q, c_v, moved):
        """The twins of the pose and the velocity of a body that is displaced along its direction c: by c_q, its velocity by c_v."""
        clear(moved)
        if planar or c < 3:
            moved[c] = c_q
        else:
            moved[n_q + c] = c_q
            quaternion_rate(q[7 * body + 3 : 7 * body + 7], moved[n_q + 3 : n_q + 6], moved[3:7])
            moved[n_q + c] = 0.0
        moved[n_q + c] = c_v
        frame, frame_d = arrays.frames[body : body + 1], twin.frames[body : body + 1]
        pose_d(frame, frame_d, 1, q[n_q * body : n_q * body + n_q], moved[:n_q])
        speed_d(frame, frame_d, 1, v[size * body : size * body + size], moved[n_q : n_q + size])

    @helper
    def put_value(arrays, k, q):
        """The value of a relative coordinate, with full turns where these are known."""
        kind, i, j, _, _ = arrays.relative[k]
        values = arrays.relative_values[k]
        if of_tree:
            values[VALUE] = cut_of(kind, values[OPEN_VALUE])
        else:
            values[VALUE] = absolute_of(kind, values[OPEN_VALUE], arrays.relative_data[k], q, i, j, arrays.frames.shape[0] - 1)

    @helper
    def read_relative(arrays, twin, line, slope, q, v, c_q, c_v, moved, S):
        """A read of a relative coordinate, or of its rate, in the row of its law."""
        k, rate = line[col.READ], line[col.WHAT] == col.READ_RATE
        values, values_d = arrays.relative_values[k], twin.relative_values[k]
        constant = is_constant(arrays.relative[k, 0])
        for side in range(2):
            body, at = arrays.relative[k, 1 + side], line[col.READ_PLACE + side]
            for c in range(size if at >= 0 else 0):
                if constant:
                    S[at + c] -= slope * (c_v if rate else c_q) * values[GRADIENT + size * side + c]
                    continue
                seed(arrays, twin, body, c, q, v, c_q, c_v, moved)
                measure_d(arrays, twin, k, planar)
                put_value(arrays, k, q)
                S[at + c] -= slope * (values_d[RATE] if rate else values_d[VALUE])
            if at >= 0:
                clear(twin.frames[body])
        clear(values_d)

    @helper
    def read_laws(arrays, twin, q, v, slopes, c_q, c_v, table, moved, S):
        """The rows of laws and of states: less the derivatives of what they read."""
        for k in range(lines_of(table, col.READS)):
            line = table[first_line(table, col.READS) + k]
            what, index, at = line[col.WHAT], line[col.READ], line[col.READ_PLACE]
            slope = slopes[k] * (c_v if line[col.OF_STATE] == 1 else 1.0)
            if what == col.READ_STATE:
                S[at] -= slope
            elif what == col.READ_SPEED:
                S[at + index % size] -= slope * c_v
            elif what == col.READ_COORDINATE:
                body, place = index // n_q, index % n_q
                if planar or place < 3:
                    S[at + place] -= slope * c_q
                else:
                    for c in range(3):
                        clear(moved[:7])
                        moved[c] = 1.0
                        quaternion_rate(q[7 * body + 3 : 7 * body + 7], moved[0:3], moved[3:7])
                        S[at + 3 + c] -= slope * c_q * moved[place]
            elif every:
                read_relative(arrays, twin, line, slope, q, v, c_q, c_v, moved, S)

    @helper
    def push_by_laws(arrays, twin, table, out, out_d, S):
        """The columns of laws: less the derivatives of the loads that follow them."""
        n_b = arrays.frames.shape[0] - 1
        for k in range(lines_of(table, col.PUSHES)):
            line = table[first_line(table, col.PUSHES) + k]
            e = line[col.PUSHED]
            kind, i, j, law = arrays.loads[e]
            on_bodies = _is_on_bodies(kind)
            r = 0 if on_bodies else int(arrays.load_data[e, 0])
            for side in range(2):
                at = j if side == 1 else i
                for c in range(size if on_bodies and at < n_b else 0):
                    out[size * at + c], out_d[size * at + c] = 0.0, 0.0
            if not on_bodies:
                clear(twin.relative_values[r])
            twin.laws[line[col.LAW], 0] = 1.0
            force_d(kind, arrays, twin, i, j, law, arrays.load_data[e], out, out_d)
            twin.laws[line[col.LAW], 0] = 0.0
            for side in range(2):
                at, stride = line[col.PUSH_PLACE + col.PUSH_SIDE * side], line[col.PUSH_STRIDE + col.PUSH_SIDE * side]
                for c in range(size if at >= 0 else 0):
                    if on_bodies:
                        S[at + c * stride] -= out_d[size * (j if side == 1 else i) + c]
                    else:
                        S[at + c * stride] -= twin.relative_values[r, EFFORT] * arrays.relative_values[r, GRADIENT + size * side + c]
            if not on_bodies:
                clear(twin.relative_values[r])

    @helper
    def along_joints(arrays, twin, c_q, c_v, table, out, out_d, S):
        """Springs and the like along coordinates of joints: on the diagonal."""
        first = first_line(table, col.ROWS) + arrays.jacobian.shape[0]
        for e in range(arrays.loads.shape[0]):
            kind, i, j, law = arrays.loads[e]
            k = int(arrays.load_data[e, 0]) if _is_along(kind) else 0
            if _is_along(kind) and arrays.relative[k, 0] == STATE:
                values, values_d = arrays.relative_values[k], twin.relative_values[k]
                effort = values[EFFORT]
                values_d[VALUE], values_d[RATE], values_d[EFFORT] = c_q, c_v, 0.0
                force_d(kind, arrays, twin, i, j, law, arrays.load_data[e], out, out_d)
                S[table[first + arrays.relative[k, STATE_SPEED], col.OWN_PLACE]] -= values_d[EFFORT]
                values[EFFORT], values_d[VALUE], values_d[RATE], values_d[EFFORT] = effort, 0.0, 0.0, 0.0

    def made(arrays, frames, relative_values, laws, J_d, q, v, lam, slopes, c_q, c_v, table, scratch, local, S):
        twin, n_b, J = Twin(frames, relative_values, laws), arrays.frames.shape[0] - 1, arrays.jacobian
        moved, out, out_d, column = scratch[0][: n_q + size], scratch[1], scratch[2], scratch[3]
        line = first_line(table, col.PAIRS)
        for k in range(2 * size):
            for c in range(2 * size):
                local[k, c] = 0.0
        for e in range(arrays.primitives.shape[0]):
            kind, row, i, j, law = arrays.primitives[e]
            fi, fj, di, dj, g = arrays.frames[i], arrays.frames[j], twin.frames[i], twin.frames[j], arrays.geometry[e]
            if tangent_of(kind, fi, fj, g, lam, row, local):
                store_turns(S, table, line, size, local, c_q)
                line += 1
                continue
            for other in range(2):
                body = j if other == 1 else i
                for c in range(size if body < n_b else 0):
                    seed(arrays, twin, body, c, q, v, c_q, c_v, moved)
                    row_d(kind, fi, di, fj, dj, g, arrays.laws, law, J, J_d, out, out_d, row)
                    for k in range(2 * size):
                        s = 0.0
                        for r in range(row, row + rows_of(kind, planar)):
                            s -= lam[r] * J_d[r, k]
                        column[k] = s
                    store(S, table, line, 0, other, c, size, column, 0)
                    store(S, table, line, 1, other, c, size, column, size)
                    for r in range(row, row + rows_of(kind, planar) if _is_late(kind) else row):
                        rate = out_d[r]  # of C v + xi at constant v
                        for k in range(size):
                            rate += J_d[r, k] * v[size * i + k] if i < n_b else 0.0
                            rate += J_d[r, size + k] * v[size * j + k] if j < n_b else 0.0
                        S[table[first_line(table, col.ROWS) + r, col.ROW_PLACE + col.SIDE * other] + c] += rate / c_v
                if body < n_b:
                    clear(twin.frames[body])
            line += 1
        for e in range(arrays.loads.shape[0]):
            kind, i, j, law = arrays.loads[e]
            if _is_on_bodies(kind):
                if load_tangent_of(kind, arrays, i, j, law, arrays.load_data[e], c_q, c_v, local):
                    store_pair(S, table, line, size, local)
                    line += 1
                    continue
                for other in range(2 if i != j else 1):
                    body = j if other == 1 else i
                    for c in range(size if body < n_b else 0):
                        seed(arrays, twin, body, c, q, v, c_q, c_v, moved)
                        for side in range(2):
                            at = j if side == 1 else i
                            for k in range(size if at < n_b else 0):
                                out[size * at + k], out_d[size * at + k] = 0.0, 0.0
                        force_d(kind, arrays, twin, i, j, law, arrays.load_data[e], out, out_d)
                        for side in range(2 if i != j else 1):
                            at = j if side == 1 else i
                            if at < n_b:
                                for k in range(size):
                                    column[k] = -out_d[size * at + k]
                                store(S, table, line, side, other, c, size, column, 0)
                    if body < n_b:
                        clear(twin.frames[body])
                line += 1
        if every:
            load, last = first_line(table, col.LOADS), after(table, col.LOADS)
            tie, last_tie = first_line(table, col.TIES), after(table, col.TIES)
            for k in range(arrays.relative.shape[0]):
                _, i, j, _, _ = arrays.relative[k]
                values, values_d = arrays.relative_values[k], twin.relative_values[k]
                end = load
                while end < last and table[end, col.COORDINATE] == k:
                    end += 1
                pull = 0.0  # of couplings, an effort; their slopes are those of straight lines
                while tie < last_tie and table[tie, col.COORDINATE] == k:
                    e = table[tie, col.TIED]
                    pull += lam[arrays.primitives[e, 1]] * couplings.term(arrays.geometry[e], table[tie, col.TIE_PLACE])[1]
                    tie += 1
                constant = is_constant(arrays.relative[k, 0])
                if constant and end > load:
                    values_d[VALUE], values_d[RATE], values_d[EFFORT] = c_q, c_v, 0.0  # both go with the gradient
                    for l in range(load, end):
                        e = table[l, col.LOAD]
                        force_d(arrays.loads[e, 0], arrays, twin, i, j, arrays.loads[e, 3], arrays.load_data[e], out, out_d)
                    store_square(S, table, line, size, values[GRADIENT:], -values_d[EFFORT])
                for other in range(2 if (end > load or pull != 0.0) and not constant else 0):
                    body = j if other == 1 else i
                    for c in range(size if body < n_b else 0):
                        seed(arrays, twin, body, c, q, v, c_q, c_v, moved)
                        measure_d(arrays, twin, k, planar)
                        put_value(arrays, k, q)
                        for l in range(load, end):
                            e = table[l, col.LOAD]
                            kind, law = arrays.loads[e, 0], arrays.loads[e, 3]
                            force_d(kind, arrays, twin, i, j, law, arrays.load_data[e], out, out_d)
                        for k_ in range(2 * size):
                            column[k_] = -(values_d[EFFORT] * values[GRADIENT + k_] + (values[EFFORT] + pull) * values_d[GRADIENT + k_])
                        store(S, table, line, 0, other, c, size, column, 0)
                        store(S, table, line, 1, other, c, size, column, size)
                    if body < n_b:
                        clear(twin.frames[body])
                load = end
                line += 1
        read_laws(arrays, twin, q, v, slopes, c_q, c_v, table, moved, S)
        push_by_laws(arrays, twin, table, out, out_d, S)
        curve(table, slopes, lam, c_q, c_v, S)
        if not planar:
            gyroscopic(arrays, table, c_v, S)
        if of_tree and every:
            along_joints(arrays, twin, c_q, c_v, table, out, out_d, S)

    made.__name__ = made.__qualname__ = f"{prefix(of_tree, dimension, common)}block_tangent"
    return kernel(BLOCK_TANGENT)(made)


def is_plain(system: System) -> bool:
    """Whether a system has the common elements alone."""
    arrays = system.arrays
    known = all(is_common("rows", kind) for kind in arrays.primitives[:, 0]) and all(
        is_common("loads", kind) for kind in arrays.loads[:, 0]
    )
    return known and not len(arrays.relative)


def block_tangent_of(system: System) -> Compiled:
    """The kernel for a system in absolute coordinates, or for a tree with constraint rows."""
    made = block_tangent(system.dimension or 3, is_plain(system), system.in_joint_coordinates)
    load_apart(system.arrays, derivatives=True)
    return made
