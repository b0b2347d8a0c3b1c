"""Energies, residuals, poses and joint reactions of output rows in joint coordinates; the reactions by inverse dynamics."""

from mbsim.contracts import OBSERVE
from mbsim.elements.kinds import STATE
from mbsim.jit import helper, kernel
from mbsim.kernels import observed_columns as col
from mbsim.kernels.frame_columns import SPACE_ATTITUDE, SPACE_POSITION
from mbsim.kernels.primitives import BALL, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.spatial_vectors import ANGULAR_Z, LINEAR_Z, ZERO, add_six, cross, minus_six, plus, plus_six, six, times
from mbsim.kernels.tree_columns import ATTITUDE, EXTERNAL, FORCE, KIND, ORIGIN, PARENT, PITCH
from mbsim.kernels.trees import count_turns, force_to_parent, place, rnea_backward, rnea_forward, wrench_of
from mbsim.system._couplings import is_coupling, term
from mbsim.system._trees import node_of
from mbsim.system.observe import common, parts


@helper
def motor(kind, d, s):
    """The part of a joint's wrench that acts along its motion: torque about z, force along z, or all torque of a ball."""
    if kind == REVOLUTE:
        return 0.0, 0.0, s[ANGULAR_Z], 0.0, 0.0, 0.0
    if kind == PRISMATIC:
        return 0.0, 0.0, 0.0, 0.0, 0.0, s[LINEAR_Z]
    if kind == HELICAL:
        return 0.0, 0.0, s[ANGULAR_Z] + d[PITCH] * s[LINEAR_Z], 0.0, 0.0, 0.0
    if kind == BALL:
        return s[:3] + ZERO[:3]
    return ZERO


@helper
def load(w, effort, s):
    """Add `effort` times a force vector to the external wrench of a node."""
    a, b, c, x, y, z = s
    add_six(w, EXTERNAL, (effort * a, effort * b, effort * c, effort * x, effort * y, effort * z))


@helper
def observe_tree(arrays, table, q, v, a, lam, out):
    """The generalised reactions of a row's joints and the bodies' rows of `frames`, as `observed_columns` says.

    The wrench through a joint is that of `rnea_backward` with the loads and the multipliers' wrenches on the bodies; what acts along the
    joint's own motion, motors and drivers, is not part of its reaction.
    """
    tree, data, work, frames, J = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames, arrays.jacobian
    n_b = frames.shape[0] - 1
    planar = J.shape[1] == 6
    size = 3 if planar else 6
    place(tree, data, work, frames, planar)
    if planar:
        count_turns(tree, data, work, frames, q)
    for r in range(lam.shape[0]):
        if arrays.row_bodies[r, 0] >= 0:
            for side in range(2):
                node = node_of(arrays, arrays.row_bodies[r, side])
                if node >= 0:
                    load(work[node], lam[r], wrench_of(work[node], data[node], J[r], size * side, planar))
    couple(arrays, q, lam, planar)
    rnea_forward(tree, data, work, v, a, True, arrays.gravity)
    rnea_backward(tree, data, work)
    for e in range(table.shape[0]):
        joint, o = table[e], col.REACTIONS + col.REACTION * e
        if joint[col.NODE] < 0:
            for c in range(size):
                s = 0.0
                for r in range(joint[col.CUT_ROW], joint[col.CUT_ROW] + joint[col.CUT_ROWS]):
                    s += J[r, size * joint[col.SIDE] + c] * lam[r]
                out[o + c] = s
            continue
        reaction(arrays, joint[col.NODE], joint[col.TAKEN], float(joint[col.SIGN]), joint[col.NODES], planar, out, o)
    o = col.REACTIONS + col.REACTION * table.shape[0]
    for b in range(n_b):
        for c in range(col.FRAME):
            out[o + col.FRAME * b + c] = frames[b, c]


@helper
def couple(arrays, q, lam, planar):
    """Add the multipliers of couplings that act between bodies: along a coordinate of a joint that is cut; relative coordinates
    are measured."""
    for e in range(arrays.primitives.shape[0]):
        kind, row = arrays.primitives[e, 0], arrays.primitives[e, 1]
        if is_coupling(kind):
            for s in range(2 * int(arrays.geometry[e, 0])):
                k, factor = term(arrays.geometry[e], s // 2)
                node = node_of(arrays, arrays.relative[k, 1 + s % 2])
                if arrays.relative[k, 0] == STATE or node < 0:
                    continue
                w, effort = arrays.tree_work[node], factor * lam[row]
                at = 5 + (3 if planar else 6) * (s % 2)
                load(w, effort, wrench_of(w, arrays.tree_data[node], arrays.relative_values[k], at, planar))


@helper
def reaction(arrays, node, taken, sign, nodes, planar, out, o):
    """The wrench that a joint's constraints transmit, from its last node to its first, then to the body's centre of mass."""
    tree, data, work, frames = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames
    along = ZERO  # what acts along the motions
    i = node
    for k in range(nodes):
        along = plus_six(along, motor(tree[i, KIND], data[i], six(work[i], FORCE)))
        if k < nodes - 1:
            along = force_to_parent(work[i], along)
            i = tree[i, PARENT]
    w, f = work[i], frames[taken]
    s = minus_six(six(w, FORCE), along)
    force = times(w, ATTITUDE, s[3:])
    arm = w[ORIGIN] - f[SPACE_POSITION], w[ORIGIN + 1] - f[SPACE_POSITION + 1], w[ORIGIN + 2] - (0.0 if planar else f[SPACE_POSITION + 2])
    x, y, z = plus(times(w, ATTITUDE, s[:3]), cross(arm, force))
    nx, ny, nz = sign * x, sign * y, sign * z
    out[o], out[o + 1] = sign * force[0], sign * force[1]
    if planar:
        out[o + 2] = nz
        return
    out[o + 2] = sign * force[2]
    for c in range(3):
        out[o + 3 + c] = f[SPACE_ATTITUDE + c] * nx + f[SPACE_ATTITUDE + 3 + c] * ny + f[SPACE_ATTITUDE + 6 + c] * nz


@kernel(OBSERVE)
def observe(system, arrays, work, table, times, rows, out):
    """As of `mbsim.system.observe`; `table` is System.observed, and the rows of `frames` follow the reactions. Loads, without M."""
    for i in range(rows.shape[0]):
        q, v, a, lam = parts(arrays, work, rows[i])
        common(system, arrays, work, work.M[:0], False, times[i], q, v, a, out[i])
        observe_tree(arrays, table, q, v, a, lam, out[i])
