"""What planar and spatial trees share: efforts and wrenches into joint forces, rows of bodies into rows of joint speeds, rates."""

from mbsim.elements.dispatch import Chain, rows_of
from mbsim.jit import helper
from mbsim.kernels.linalg import clear
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.kernels.spatial_vectors import ZERO, cross, plus, plus_six, put_six, three, times
from mbsim.kernels.tree_columns import ACCELERATION, ATTITUDE, AXES, BODY, CENTRE, EXTERNAL, KIND, NODE_OF, ROTOR, VELOCITY, V
from mbsim.kernels.tree_rows import common_node, longest_arm, row_to_coordinates
from mbsim.kernels.trees import speeds_of, to_coordinates, wrench_of

speed_row, speed_phi, speed_eta = (Chain("rows", what, 2, on="speeds") for what in ("row", "phi", "eta"))
effort_of = Chain("loads", "force", 2, on="speeds", otherwise="0.0")


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
        if tree[i, BODY] >= 0:
            put_six(work[i], EXTERNAL, wrench_of(work[i], data[i], arrays.wrenches, size * tree[i, BODY], planar))


@helper
def rotor_energy(arrays, v):
    """Kinetic energy of the joints' rotors."""
    tree, energy = arrays.tree, 0.0
    for i in range(tree.shape[0]):
        for k in range(speeds_of(tree[i, KIND])):
            energy += 0.5 * arrays.tree_data[i, ROTOR] * v[tree[i, V] + k] ** 2
    return energy


@helper
def node_of(arrays, b):
    """The node that carries body b, -1 for the ground."""
    return arrays.tree[b, NODE_OF] if b < arrays.frames.shape[0] - 1 else -1


@helper
def joint_rows(arrays, C, xi, planar):
    """C of the rows whose body blocks are in `jacobian`, and of those over joint coordinates with their xi.

    What has cancelled of a row is left in `row_shares`. A row of which nothing but round-off is left, as of a loop that cannot leave its
    plane, is a row of zeros: made unit, it would pass for a constraint. One that fades out, as of a loop that folds,
    or whose arms come to lie along it, counts for less: made unit, it would not show how near a singular position is.
    """
    tree, data, work, J = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.jacobian
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        first, second = node_of(arrays, i), node_of(arrays, j)
        top, count = common_node(tree, first, second), rows_of(kind, planar)
        arm = longest_arm(J, row, count, 0, planar)
        other_arm = longest_arm(J, row, count, size, planar)
        for r in range(row, row + count):
            clear(C[r])
            s, share = ZERO, 0.0
            if first >= 0:
                s, share = row_to_coordinates(tree, data, work, first, top, J[r], 0, planar, arm, C[r])
            if second >= 0:
                other, more = row_to_coordinates(tree, data, work, second, top, J[r], size, planar, other_arm, C[r])
                s, share = plus_six(s, other), max(share, more)
            if first >= 0 or second >= 0:
                arrays.row_shares[r] = share
            if share <= RANK_TOLERANCE:
                clear(C[r])
            elif top >= 0:  # zero where the row is kept: its points then stay together
                to_coordinates(tree, data, work, top, s, C[r])
        speed_row(kind, arrays.geometry[e], arrays.laws, law, C, xi, row)


@helper
def driven(arrays, q, phi):
    """phi of the rows over joint coordinates."""
    for e in range(arrays.primitives.shape[0]):
        kind, row, _, _, law = arrays.primitives[e]
        speed_phi(kind, arrays.geometry[e], arrays.laws, law, q, phi, row)


@helper
def joint_biases(arrays, eta, planar):
    """eta += J times the bodies' accelerations with v_dot = 0, which `rnea_forward` left (less gravity) in the nodes."""
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
            spin = w[ATTITUDE + 6] * w[ACCELERATION] + w[ATTITUDE + 7] * w[ACCELERATION + 1] + w[ATTITUDE + 8] * w[ACCELERATION + 2]
            for r in range(row, row + rows_of(kind, planar)):
                eta[r] += J[r, o] * (rx + g[0]) + J[r, o + 1] * (ry + g[1])
                if planar:
                    eta[r] += J[r, o + 2] * spin
                else:
                    eta[r] += J[r, o + 2] * (rz + g[2]) + J[r, o + 3] * ax + J[r, o + 4] * ay + J[r, o + 5] * az


@helper
def body_acceleration(w, d):
    """Of a node's body, from the spatial acceleration: of the centre of mass in global axes (less gravity), angular in body axes."""
    spin, angular, centre = three(w, VELOCITY), three(w, ACCELERATION), three(d, CENTRE)
    centripetal = cross(spin, plus(three(w, VELOCITY + 3), cross(spin, centre)))
    linear = plus(plus(three(w, ACCELERATION + 3), centripetal), cross(angular, centre))
    x, y, z = angular
    return times(w, ATTITUDE, linear) + (
        d[AXES] * x + d[AXES + 3] * y + d[AXES + 6] * z,
        d[AXES + 1] * x + d[AXES + 4] * y + d[AXES + 7] * z,
        d[AXES + 2] * x + d[AXES + 5] * y + d[AXES + 8] * z,
    )
