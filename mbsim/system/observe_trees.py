"""Energies, residuals, poses and joint reactions of output rows in joint coordinates; the reactions by inverse dynamics."""

from mbsim.elements.kinds import STATE
from mbsim.jit import OBSERVE, helper, kernel
from mbsim.kernels.primitives import BALL, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.trees import count_turns, cross, force_to_parent, gather, node_global, place, spread, wrench_of
from mbsim.system._couplings import is_coupling, slope_of, values
from mbsim.system._trees import node_of
from mbsim.system.observe import common, parts


@helper
def motor(kind, d, n0, n1, n2, f0, f1, f2):
    """The part of a joint's wrench (n, f) that acts along its motion: torque about z, force along z, or all torque of a ball."""
    if kind == REVOLUTE:
        return 0.0, 0.0, n2, 0.0
    if kind == PRISMATIC:
        return 0.0, 0.0, 0.0, f2
    if kind == HELICAL:
        return 0.0, 0.0, n2 + d[34] * f2, 0.0
    if kind == BALL:
        return n0, n1, n2, 0.0
    return 0.0, 0.0, 0.0, 0.0


@helper
def exert(w, factor, wrench):
    """Add a wrench times `factor` to what acts on a node from outside."""
    for c in range(6):
        w[18 + c] += factor * wrench[c]


@helper
def observe_tree(arrays, table, q, v, a, lam, out):
    """out[6:] = six generalised reactions a joint (force, torque about the centre of mass in body axes; planar: two and one), `frames`.

    The wrench through a joint is that of recursive Newton-Euler (`gather`) with the loads and the multipliers' wrenches on the bodies;
    what acts along the joint's own motion, motors and drivers, is not part of its reaction.
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
                    exert(work[node], lam[r], wrench_of(work[node], data[node], J[r], size * side, planar))
    couple(arrays, q, lam, planar)
    spread(tree, data, work, v, a, True, arrays.gravity[0], arrays.gravity[1], arrays.gravity[2])
    gather(tree, data, work)
    for e in range(table.shape[0]):
        node, o = table[e, 0], 6 + 6 * e
        if node < 0:
            for r in range(table[e, 1], table[e, 1] + table[e, 2]):
                for c in range(size):
                    out[o + c] += J[r, size * table[e, 3] + c] * lam[r]
            continue
        reaction(arrays, node, table[e, 1], float(table[e, 2]), table[e, 3], planar, out, o)
    o = 6 + 6 * table.shape[0]
    for b in range(n_b):
        for c in range(18):
            out[o + 18 * b + c] = frames[b, c]


@helper
def couple(arrays, q, lam, planar):
    """Add the multipliers of couplings that act between bodies: along a coordinate of a joint that is cut; gauges are measured."""
    for e in range(arrays.primitives.shape[0]):
        kind, row = arrays.primitives[e, 0], arrays.primitives[e, 1]
        if is_coupling(kind):
            x, y = values(arrays, e, q)
            for s in range(4):
                k = int(arrays.geometry[e, s // 2])
                node = node_of(arrays, arrays.gauges[k, 1 + s % 2])
                if arrays.gauges[k, 0] == STATE or node < 0:
                    continue
                w, effort = arrays.tree_work[node], slope_of(kind, arrays.geometry[e], x, y, s // 2) * lam[row]
                at = 5 + (3 if planar else 6) * (s % 2)
                exert(w, effort, wrench_of(w, arrays.tree_data[node], arrays.gauge_values[k], at, planar))


@helper
def reaction(arrays, node, taken, sign, nodes, planar, out, o):
    """The wrench that a joint's constraints transmit, from its last node to its first, then to the body's centre of mass."""
    tree, data, work, frames = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames
    n0, n1, n2, f0, f1, f2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # what acts along the motions
    i = node
    for k in range(nodes):
        w = work[i]
        t0, t1, t2, t5 = motor(tree[i, 0], data[i], w[37], w[38], w[39], w[40], w[41], w[42])
        n0, n1, n2, f2 = n0 + t0, n1 + t1, n2 + t2, f2 + t5
        if k < nodes - 1:
            n0, n1, n2, f0, f1, f2 = force_to_parent(w, n0, n1, n2, f0, f1, f2)
            i = tree[i, 1]
    w, f = work[i], frames[taken]
    nx, ny, nz = node_global(w, w[37] - n0, w[38] - n1, w[39] - n2)
    fx, fy, fz = node_global(w, w[40] - f0, w[41] - f1, w[42] - f2)
    ax, ay, az = cross(w[33] - f[0], w[34] - f[1], w[35] - (0.0 if planar else f[2]), fx, fy, fz)
    nx, ny, nz = sign * (nx + ax), sign * (ny + ay), sign * (nz + az)
    out[o], out[o + 1] = sign * fx, sign * fy
    if planar:
        out[o + 2] = nz
        return
    out[o + 2] = sign * fz
    out[o + 3] = f[3] * nx + f[6] * ny + f[9] * nz
    out[o + 4] = f[4] * nx + f[7] * ny + f[10] * nz
    out[o + 5] = f[5] * nx + f[8] * ny + f[11] * nz


@kernel(OBSERVE)
def observe(system, arrays, work, table, times, rows, out):
    """As of `mbsim.system.observe`; `table` is System.observed, and the rows of `frames` follow the reactions. Loads, without M."""
    for i in range(rows.shape[0]):
        q, v, a, lam = parts(arrays, work, rows[i])
        common(system, arrays, work, work.M[:0], False, times[i], q, v, a, out[i])
        observe_tree(arrays, table, q, v, a, lam, out[i])
