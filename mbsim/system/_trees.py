"""What planar and spatial trees share: efforts and wrenches into joint forces, rows of bodies into rows of joint speeds, rates."""

from mbsim.elements.dispatch import Chain, rows_of
from mbsim.jit import helper
from mbsim.kernels.tree_rows import common_node, row_to_coordinates
from mbsim.kernels.trees import component, cross, node_global, speeds_of, to_coordinates, wrench_of

speed_row, speed_phi, speed_eta = (Chain("rows", what, 2, on="speeds") for what in ("row", "phi", "eta"))
effort_of = Chain("loads", "force", 2, on="speeds", otherwise="0.0")


@helper
def clear(x):
    for i in range(x.shape[0]):
        x[i] = 0.0


@helper
def efforts(arrays, v, h):
    """h = the forces applied along joint coordinates; returns their power."""
    clear(h)
    power = 0.0
    for e in range(arrays.loads.shape[0]):
        power += effort_of(arrays.loads[e, 0], arrays, arrays.loads[e, 3], arrays.load_data[e], v, h)
    return power


@helper
def external(arrays, planar):
    """The loads on the bodies as external wrenches of their nodes."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    size = 3 if planar else 6
    for i in range(tree.shape[0]):
        if tree[i, 4] >= 0:
            w = work[i]
            w[18], w[19], w[20], w[21], w[22], w[23] = wrench_of(w, data[i], arrays.wrenches, size * tree[i, 4], planar)


@helper
def joint_forces(arrays, h):
    """h -= S' f of the forces that `gather` left: applied forces less inverse dynamics without acceleration."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    for i in range(tree.shape[0]):
        kind, at, w = tree[i, 0], tree[i, 3], work[i]
        for k in range(speeds_of(kind)):
            h[at + k] -= component(kind, k, w, data[i], w[37], w[38], w[39], w[40], w[41], w[42])


@helper
def node_of(arrays, b):
    """The node that carries body b, -1 for the ground."""
    return arrays.tree[b, 9] if b < arrays.frames.shape[0] - 1 else -1


@helper
def joint_rows(arrays, C, xi, planar):
    """C of the rows whose body blocks are in `jacobian`, and of those over joint coordinates with their xi.

    A row of which nothing but round-off is left, as of a loop that cannot leave its
    plane, is a row of zeros: made unit, it would pass for a constraint.
    """
    tree, data, work, J = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.jacobian
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        first, second = node_of(arrays, i), node_of(arrays, j)
        top = common_node(tree, first, second)
        for r in range(row, row + rows_of(kind, planar)):
            clear(C[r])
            n0, n1, n2, f0, f1, f2, counts = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, False
            if first >= 0:
                n0, n1, n2, f0, f1, f2, counts = row_to_coordinates(tree, data, work, first, top, J[r], 0, planar, C[r])
            if second >= 0:
                m0, m1, m2, g0, g1, g2, more = row_to_coordinates(tree, data, work, second, top, J[r], size, planar, C[r])
                n0, n1, n2, f0, f1, f2, counts = n0 + m0, n1 + m1, n2 + m2, f0 + g0, f1 + g1, f2 + g2, counts or more
            if not counts:
                clear(C[r])
            elif top >= 0:  # zero where the row is kept: its points then stay together
                to_coordinates(tree, data, work, top, n0, n1, n2, f0, f1, f2, C[r])
        speed_row(kind, arrays.geometry[e], arrays.laws, law, C, xi, row)


@helper
def driven(arrays, q, phi):
    """phi of the rows over joint coordinates."""
    for e in range(arrays.primitives.shape[0]):
        kind, row, _, _, law = arrays.primitives[e]
        speed_phi(kind, arrays.geometry[e], arrays.laws, law, q, phi, row)


@helper
def joint_biases(arrays, eta, planar):
    """eta += J times the bodies' accelerations with v_dot = 0, which `spread` left (less gravity) in the nodes."""
    data, work, J = arrays.tree_data, arrays.tree_work, arrays.jacobian
    g = arrays.gravity
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        speed_eta(kind, arrays.geometry[e], arrays.laws, law, eta, row)  # such a row is between no bodies: the rest adds nothing
        for side in range(2):
            node = node_of(arrays, i if side == 0 else j)
            if node < 0:
                continue
            w, d, o = work[node], data[node], size * side
            rx, ry, rz, ax, ay, az = body_acceleration(w, d)
            for r in range(row, row + rows_of(kind, planar)):
                eta[r] += J[r, o] * (rx + g[0]) + J[r, o + 1] * (ry + g[1])
                if planar:
                    eta[r] += J[r, o + 2] * (w[30] * w[43] + w[31] * w[44] + w[32] * w[45])
                else:
                    eta[r] += J[r, o + 2] * (rz + g[2]) + J[r, o + 3] * ax + J[r, o + 4] * ay + J[r, o + 5] * az


@helper
def body_acceleration(w, d):
    """Of a node's body, from the spatial acceleration: of the centre of mass in global axes (less gravity), angular in body axes."""
    x, y, z, cx, cy, cz = w[12], w[13], w[14], d[31], d[32], d[33]
    ux, uy, uz = cross(x, y, z, cx, cy, cz)
    ux, uy, uz = cross(x, y, z, w[15] + ux, w[16] + uy, w[17] + uz)
    bx, by, bz = cross(w[43], w[44], w[45], cx, cy, cz)
    rx, ry, rz = node_global(w, w[46] + ux + bx, w[47] + uy + by, w[48] + uz + bz)
    return (
        rx,
        ry,
        rz,
        d[22] * w[43] + d[25] * w[44] + d[28] * w[45],
        d[23] * w[43] + d[26] * w[44] + d[29] * w[45],
        d[24] * w[43] + d[27] * w[44] + d[30] * w[45],
    )
