"""Kinematics of trees: nodes in an order in which parents come first, each with its own frame, velocities and forces in node axes.

A node is one motion of a joint (`primitives.Motion`): the joint's last node carries the body, the others have no mass. Node axes are
those of the motion: a turn is about z, a slide along z, so that a column of S is a unit vector. Spatial vectors are (angular, linear) at
the node's origin; E turns parent axes into node axes and p is the node's origin in parent axes, so that

    X (w, u) = (E w, E (u + w x p)),    X' (n, f) = (E' n + p x E' f, E' f)

(Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2). In the arguments, `tree`, `data` and `work` are `Arrays.tree`, `tree_data`
and `tree_work`, d and w a node's rows of the last two; their columns have names in `tree_columns`.
"""

from math import cos, sin

from mbsim.jit import fused, helper
from mbsim.kernels import frame_columns as frame
from mbsim.kernels import tree_columns as col
from mbsim.kernels.primitives import BALL, FREE, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.rotations import rotation
from mbsim.kernels.spatial_vectors import (
    ANGULAR_Z,
    LINEAR_Z,
    ZERO,
    add_six,
    add_three,
    cross,
    dot,
    minus_six,
    plus,
    plus_six,
    put_six,
    put_three,
    scaled,
    six,
    symmetric_times,
    three,
    times,
    transpose_times,
)


@fused
def motion_to_node(w, s):
    """X s: a parent's motion vector in the node."""
    return times(w, col.ROTATION, s[:3]) + times(w, col.ROTATION, plus(s[3:], cross(s[:3], three(w, col.POSITION))))


@fused
def force_to_parent(w, s):
    """X' s: a node's force vector in its parent."""
    force = transpose_times(w, col.ROTATION, s[3:])
    return plus(transpose_times(w, col.ROTATION, s[:3]), cross(three(w, col.POSITION), force)) + force


@fused
def congruent(w, a, b, c):
    """E' A E of the matrix A with the rows a, b, c, by columns."""
    a, b, c = transpose_times(w, col.ROTATION, a), transpose_times(w, col.ROTATION, b), transpose_times(w, col.ROTATION, c)
    return (
        transpose_times(w, col.ROTATION, (a[0], b[0], c[0])),
        transpose_times(w, col.ROTATION, (a[1], b[1], c[1])),
        transpose_times(w, col.ROTATION, (a[2], b[2], c[2])),
    )


@fused
def speeds_of(kind):
    """Number of speeds of a motion."""
    return 1 if kind in (REVOLUTE, PRISMATIC, HELICAL) else 3 if kind == BALL else 6 if kind == FREE else 0


@fused
def pose_node(kind, d, w, q, at):
    """E and p of a node from its coordinates q[at:]."""
    for k in range(3):
        w[col.POSITION + k] = d[col.POSITION_0 + k]
    if kind in (REVOLUTE, HELICAL):
        angle = q[at]
        c, s = cos(angle), sin(angle)
        for k in range(3):
            w[col.ROTATION + k] = c * d[col.ROTATION_0 + k] + s * d[col.ROTATION_0 + 3 + k]
            w[col.ROTATION + 3 + k] = c * d[col.ROTATION_0 + 3 + k] - s * d[col.ROTATION_0 + k]
            w[col.ROTATION + 6 + k] = d[col.ROTATION_0 + 6 + k]
        if kind == HELICAL:
            for k in range(3):
                w[col.POSITION + k] += d[col.PITCH] * angle * d[col.ROTATION_0 + 6 + k]
    elif kind == BALL:  # E = R(q)' E0
        R = w[col.ATTITUDE :]
        rotation(q[at], q[at + 1], q[at + 2], q[at + 3], R)
        for r in range(3):
            for k in range(3):
                E = col.ROTATION_0 + k
                w[col.ROTATION + 3 * r + k] = R[r] * d[E] + R[3 + r] * d[E + 3] + R[6 + r] * d[E + 6]
    elif kind == FREE:
        R = w[col.ATTITUDE :]
        p = at + col.TURN
        rotation(q[p], q[p + 1], q[p + 2], q[p + 3], R)
        for r in range(3):
            w[col.POSITION + r] = q[at + r]
            for k in range(3):
                w[col.ROTATION + 3 * r + k] = R[3 * k + r]
    else:
        for k in range(9):
            w[col.ROTATION + k] = d[col.ROTATION_0 + k]
        if kind == PRISMATIC:
            for k in range(3):
                w[col.POSITION + k] += q[at] * d[col.ROTATION_0 + 6 + k]


@fused
def add_columns(kind, w, d, rates, at, to):
    """w[to:to + 6] += S rates[at:]: what the joint's own speeds (or accelerations) add."""
    if kind == REVOLUTE:
        w[to + ANGULAR_Z] += rates[at]
    elif kind == PRISMATIC:
        w[to + LINEAR_Z] += rates[at]
    elif kind == HELICAL:
        w[to + ANGULAR_Z] += rates[at]
        w[to + LINEAR_Z] += d[col.PITCH] * rates[at]
    elif kind == BALL:
        add_three(w, to, three(rates, at))
    elif kind == FREE:
        add_six(w, to, three(rates, at + col.TURN) + times(w, col.ROTATION, three(rates, at)))


@fused
def poses(tree, data, work, q):
    """E and p of every node."""
    for i in range(tree.shape[0]):
        pose_node(tree[i, col.KIND], data[i], work[i], q, tree[i, col.Q])


@fused
def sweep(tree, data, work, q, v):
    """From the base out: E, p and velocity of every node; no external wrenches yet."""
    for i in range(tree.shape[0]):
        kind, parent, d, w = tree[i, col.KIND], tree[i, col.PARENT], data[i], work[i]
        pose_node(kind, d, w, q, tree[i, col.Q])
        if parent >= 0:
            put_six(w, col.VELOCITY, motion_to_node(w, six(work[parent], col.VELOCITY)))
        else:
            put_six(w, col.VELOCITY, ZERO)
        put_six(w, col.EXTERNAL, ZERO)
        add_columns(kind, w, d, v, tree[i, col.V], col.VELOCITY)


@fused
def bias(kind, w, d, v, at):
    """c = v x (S qd), and of a free body - w x u: the acceleration of a node where those of its parent and its own speeds are zero."""
    angular, linear = three(w, col.VELOCITY), three(w, col.VELOCITY + 3)
    x, y, _ = angular
    a, b, _ = linear
    if kind == REVOLUTE:
        r = v[at]
        return y * r, -x * r, 0.0, b * r, -a * r, 0.0
    if kind == PRISMATIC:
        r = v[at]
        return 0.0, 0.0, 0.0, y * r, -x * r, 0.0
    if kind == HELICAL:
        r, h = v[at], v[at] * d[col.PITCH]
        return y * r, -x * r, 0.0, b * r + y * h, -a * r - x * h, 0.0
    if kind == BALL:
        return cross(angular, three(v, at)) + cross(linear, three(v, at))
    if kind == FREE:
        return ZERO[:3] + cross(linear, angular)
    return ZERO


@fused
def momentum(row, at, s):
    """I s of the rigid body whose inertia about its node's origin is row[at:at + RIGID]."""
    moment = three(row, at + col.RIGID_MOMENT)
    angular = plus(symmetric_times(row, at + col.RIGID_INERTIA, s[:3]), cross(moment, s[3:]))
    return angular + plus(scaled(row[at], s[3:]), cross(s[:3], moment))


@fused
def inertial_force(d, w):
    """v x* (I v) less the external wrench: the bias force p of a body."""
    s = six(w, col.VELOCITY)
    l = momentum(d, col.MASS, s)
    return minus_six(plus(cross(s[:3], l[:3]), cross(s[3:], l[3:])) + cross(s[:3], l[3:]), six(w, col.EXTERNAL))


@fused
def parent_acceleration(work, parent, w, gravity):
    """X a of the parent node, less gravity; the ground's own is minus gravity (3,)."""
    if parent >= 0:
        return motion_to_node(w, six(work[parent], col.ACCELERATION))
    return ZERO[:3] + times(w, col.ROTATION, (-gravity[0], -gravity[1], -gravity[2]))


@fused
def rnea_forward(tree, data, work, v, a, moving, gravity):
    """Accelerations of every node less gravity: with v_dot = a when `moving`, else with v_dot = 0. Base to leaves; `sweep` comes first."""
    for i in range(tree.shape[0]):
        kind, d, w = tree[i, col.KIND], data[i], work[i]
        a_parent = parent_acceleration(work, tree[i, col.PARENT], w, gravity)
        put_six(w, col.ACCELERATION, plus_six(a_parent, bias(kind, w, d, v, tree[i, col.V])))
        if moving:
            add_columns(kind, w, d, a, tree[i, col.V], col.ACCELERATION)


@fused
def rnea_backward(tree, data, work):
    """Forces through every node, leaves to base: f = I a + v x* I v - external, f_parent += X' f. After `rnea_forward`."""
    n_n = tree.shape[0]
    for i in range(n_n):
        d, w = data[i], work[i]
        if tree[i, col.BODY] >= 0:
            put_six(w, col.FORCE, plus_six(momentum(d, col.MASS, six(w, col.ACCELERATION)), inertial_force(d, w)))
        else:
            put_six(w, col.FORCE, ZERO)
    for i in range(n_n - 1, -1, -1):
        if tree[i, col.PARENT] >= 0:
            add_six(work[tree[i, col.PARENT]], col.FORCE, force_to_parent(work[i], six(work[i], col.FORCE)))


@fused
def component(kind, k, w, d, s):
    """S_k' s: the component of a force vector along the k-th speed of a motion."""
    if kind == REVOLUTE:
        return s[ANGULAR_Z]
    if kind == PRISMATIC:
        return s[LINEAR_Z]
    if kind == HELICAL:
        return s[ANGULAR_Z] + d[col.PITCH] * s[LINEAR_Z]
    if kind == FREE:
        if k < 3:
            return w[col.ROTATION + k] * s[3] + w[col.ROTATION + 3 + k] * s[4] + w[col.ROTATION + 6 + k] * s[5]
        k -= 3
    return s[0] if k == 0 else s[1] if k == 1 else s[2]


@fused
def column(kind, k, w, d):
    """S_k: the motion of a node for one unit of its k-th speed."""
    if kind == REVOLUTE:
        return 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    if kind == PRISMATIC:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
    if kind == HELICAL:
        return 0.0, 0.0, 1.0, 0.0, 0.0, d[col.PITCH]
    if kind == FREE:
        if k < 3:
            return 0.0, 0.0, 0.0, w[col.ROTATION + k], w[col.ROTATION + 3 + k], w[col.ROTATION + 6 + k]
        k -= 3
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, 0.0, 0.0, 0.0


@fused
def place(tree, data, work, frames, planar):
    """Global attitude and origin of every node, and the bodies' rows of `frames` as the kernels of bodies expect them."""
    for i in range(tree.shape[0]):
        parent, d, w = tree[i, col.PARENT], data[i], work[i]
        if parent >= 0:
            u = work[parent]
            for r in range(3):
                x, y, z = three(u, col.ATTITUDE + 3 * r)
                w[col.ORIGIN + r] = u[col.ORIGIN + r] + x * w[col.POSITION] + y * w[col.POSITION + 1] + z * w[col.POSITION + 2]
                for c in range(3):
                    w[col.ATTITUDE + 3 * r + c] = dot((x, y, z), three(w, col.ROTATION + 3 * c))
        else:
            for r in range(3):
                w[col.ORIGIN + r] = w[col.POSITION + r]
                for c in range(3):
                    w[col.ATTITUDE + 3 * r + c] = w[col.ROTATION + 3 * c + r]
        if tree[i, col.BODY] < 0:
            continue
        f, spin = frames[tree[i, col.BODY]], three(w, col.VELOCITY)
        position = plus(three(w, col.ORIGIN), times(w, col.ATTITUDE, three(d, col.CENTRE)))
        velocity = times(w, col.ATTITUDE, plus(three(w, col.VELOCITY + 3), cross(spin, three(d, col.CENTRE))))
        if planar:
            f[frame.PLANE_POSITION], f[frame.PLANE_POSITION + 1], _ = position
            f[frame.PLANE_VELOCITY], f[frame.PLANE_VELOCITY + 1], _ = velocity
            f[frame.PLANE_COS] = (
                w[col.ATTITUDE] * d[col.AXES] + w[col.ATTITUDE + 1] * d[col.AXES + 3] + w[col.ATTITUDE + 2] * d[col.AXES + 6]
            )
            f[frame.PLANE_SIN] = (
                w[col.ATTITUDE + 3] * d[col.AXES] + w[col.ATTITUDE + 4] * d[col.AXES + 3] + w[col.ATTITUDE + 5] * d[col.AXES + 6]
            )
            f[frame.PLANE_SPIN] = dot(three(w, col.ATTITUDE + 6), spin)
            continue
        put_three(f, frame.SPACE_POSITION, position)
        put_three(f, frame.SPACE_VELOCITY, velocity)
        for c in range(3):
            axis = d[col.AXES + c], d[col.AXES + 3 + c], d[col.AXES + 6 + c]
            f[frame.SPACE_ATTITUDE + c], f[frame.SPACE_ATTITUDE + 3 + c], f[frame.SPACE_ATTITUDE + 6 + c] = times(w, col.ATTITUDE, axis)
            f[frame.SPACE_SPIN + c] = dot(axis, spin)


@fused
def count_turns(tree, data, work, frames, q):
    """Planar trees: the bodies' angles, which count turns."""
    for i in range(tree.shape[0]):
        w, d = work[i], data[i]
        w[col.ANGLE] = work[tree[i, col.PARENT], col.ANGLE] if tree[i, col.PARENT] >= 0 else 0.0
        if tree[i, col.KIND] == REVOLUTE:
            w[col.ANGLE] += d[col.SIGN] * q[tree[i, col.Q]]
        if tree[i, col.BODY] >= 0:
            frames[tree[i, col.BODY], frame.PLANE_ANGLE] = w[col.ANGLE] + d[col.OFFSET]


@fused
def wrench_of(w, d, row, at, planar):
    """What a row of speeds of bodies holds from `at` on, as a force vector of the body's node.

    It is a force at the centre of mass and a torque: (x, y, angle) of a planar body, else (force, torque in body axes).
    """
    if planar:
        torque = scaled(row[at + 2], three(w, col.ATTITUDE + 6))  # the plane's normal in node axes
        force = transpose_times(w, col.ATTITUDE, (row[at], row[at + 1], 0.0))
    else:
        torque = times(d, col.AXES, three(row, at + 3))
        force = transpose_times(w, col.ATTITUDE, three(row, at))
    return plus(torque, cross(three(d, col.CENTRE), force)) + force


@fused
def to_coordinates(tree, data, work, i, s, out):
    """out (n,) += the generalised forces of a force vector on node i, down to the base."""
    while i >= 0:
        kind, at, w, d = tree[i, col.KIND], tree[i, col.V], work[i], data[i]
        for k in range(speeds_of(kind)):
            out[at + k] += component(kind, k, w, d, s)
        s = force_to_parent(w, s)
        i = tree[i, col.PARENT]


@helper
def joint_forces(arrays, h):
    """h -= S' f of the forces that `rnea_backward` left: applied forces less inverse dynamics without acceleration."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    for i in range(tree.shape[0]):
        kind, at, w = tree[i, col.KIND], tree[i, col.V], work[i]
        for k in range(speeds_of(kind)):
            h[at + k] -= component(kind, k, w, data[i], six(w, col.FORCE))


@helper
def rotor_forces(arrays, a, h):
    """h -= rotor a: what accelerates the joints' rotors."""
    tree = arrays.tree
    for i in range(tree.shape[0]):
        for k in range(speeds_of(tree[i, col.KIND])):
            h[tree[i, col.V] + k] -= arrays.tree_data[i, col.ROTOR] * a[tree[i, col.V] + k]
