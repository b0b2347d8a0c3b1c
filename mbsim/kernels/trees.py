"""Kinematics of trees: nodes in an order in which parents come first, each with its own frame, velocities and forces in node axes.

A node is one motion of a joint (`primitives.Motion`): the joint's last node carries the body, the others have no mass. Node axes are
those of the motion: a turn is about z, a slide along z, so that a column of S is a unit vector. Spatial vectors are (angular, linear) at
the node's origin; E turns parent axes into node axes and p is the node's origin in parent axes, so that

    X (w, u) = (E w, E (u + w x p)),    X' (n, f) = (E' n + p x E' f, E' f)

(Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2). Columns of `Arrays.tree`, `tree_data` and `tree_work` are named below.
"""

from math import cos, sin

from mbsim.jit import fused
from mbsim.kernels.primitives import BALL, FREE, HELICAL, PRISMATIC, REVOLUTE
from mbsim.kernels.rotations import rotation

# Arrays.tree: kind; parent node (-1 ground); first q; first v; body (-1: none); then of a joint's last node: the tree's joint (else
# -1), number of its nodes, the node of the parent body, number of its speeds; [b, 9] is the node of body b
KIND, PARENT, Q, V, BODY, JOINT, NODES, INNER, SPEEDS, NODE_OF, COLUMNS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
# Arrays.tree_data: E (9) and p (3) at q = 0; mass, mass times centre (3), inertia about the origin xx yy zz xy xz yz (6); body axes in
# node axes (9), centre of mass (3); pitch; how the planar angle counts q (-1, 0, 1), its offset for the body; the length (m) that
# RANK_TOLERANCE of which is round-off of the drawing
E0, P0, MASS, MC, INERTIA, AXES, CENTRE, PITCH, SIGN, OFFSET, BLUR, CONSTANTS = 0, 9, 12, 13, 16, 22, 31, 34, 35, 36, 37, 38
BLURRED = 1e-6  # of the farthest drawn coordinate: BLUR; 1e-14 of it, times RANK_TOLERANCE, is how exactly points are drawn
# Arrays.tree_work: E (9), p (3), velocity (6), external wrench (6), global <- node axes (9), origin (3), planar angle; then force (6),
# acceleration (6), and what a method keeps
E, P, VELOCITY, EXTERNAL, GLOBAL, ORIGIN, TURNED, FORCE, ACCELERATION, OWN, WORK = 0, 9, 12, 18, 24, 33, 36, 37, 43, 49, 136


@fused
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@fused
def turn(w, x, y, z):
    """E (x, y, z): parent axes to node axes."""
    return w[0] * x + w[1] * y + w[2] * z, w[3] * x + w[4] * y + w[5] * z, w[6] * x + w[7] * y + w[8] * z


@fused
def turn_back(w, x, y, z):
    """E' (x, y, z): node axes to parent axes."""
    return w[0] * x + w[3] * y + w[6] * z, w[1] * x + w[4] * y + w[7] * z, w[2] * x + w[5] * y + w[8] * z


@fused
def node_global(w, x, y, z):
    """Node axes to global axes."""
    return w[24] * x + w[25] * y + w[26] * z, w[27] * x + w[28] * y + w[29] * z, w[30] * x + w[31] * y + w[32] * z


@fused
def global_node(w, x, y, z):
    return w[24] * x + w[27] * y + w[30] * z, w[25] * x + w[28] * y + w[31] * z, w[26] * x + w[29] * y + w[32] * z


@fused
def motion_to_node(w, s0, s1, s2, s3, s4, s5):
    """X s: a parent's motion vector in the node."""
    ux, uy, uz = cross(s0, s1, s2, w[9], w[10], w[11])
    x, y, z = turn(w, s0, s1, s2)
    a, b, c = turn(w, s3 + ux, s4 + uy, s5 + uz)
    return x, y, z, a, b, c


@fused
def force_to_parent(w, n0, n1, n2, f0, f1, f2):
    """X' f: a node's force vector in its parent."""
    a, b, c = turn_back(w, f0, f1, f2)
    x, y, z = turn_back(w, n0, n1, n2)
    mx, my, mz = cross(w[9], w[10], w[11], a, b, c)
    return x + mx, y + my, z + mz, a, b, c


@fused
def speeds_of(kind):
    """Number of speeds of a motion."""
    return 1 if 1 <= kind <= HELICAL else 3 if kind == BALL else 6 if kind == FREE else 0


@fused
def pose_node(kind, d, w, q, at):
    """E and p of a node from its coordinates q[at:]."""
    for k in range(3):
        w[9 + k] = d[9 + k]
    if kind in (REVOLUTE, HELICAL):
        angle = q[at]
        c, s = cos(angle), sin(angle)
        for k in range(3):
            w[k] = c * d[k] + s * d[3 + k]
            w[3 + k] = c * d[3 + k] - s * d[k]
            w[6 + k] = d[6 + k]
        if kind == HELICAL:
            for k in range(3):
                w[9 + k] += d[PITCH] * angle * d[6 + k]
    elif kind == BALL:  # E = R(q)' E0
        R = w[GLOBAL:]
        rotation(q[at], q[at + 1], q[at + 2], q[at + 3], R)
        for r in range(3):
            for k in range(3):
                w[3 * r + k] = R[r] * d[k] + R[3 + r] * d[3 + k] + R[6 + r] * d[6 + k]
    elif kind == FREE:
        R = w[GLOBAL:]
        rotation(q[at + 3], q[at + 4], q[at + 5], q[at + 6], R)
        for r in range(3):
            w[9 + r] = q[at + r]
            for k in range(3):
                w[3 * r + k] = R[3 * k + r]
    else:
        for k in range(9):
            w[k] = d[k]
        if kind == PRISMATIC:
            for k in range(3):
                w[9 + k] += q[at] * d[6 + k]


@fused
def add_columns(kind, w, d, rates, at, to):
    """w[to:to + 6] += S rates[at:]: what the joint's own speeds (or accelerations) add."""
    if kind == REVOLUTE:
        w[to + 2] += rates[at]
    elif kind == PRISMATIC:
        w[to + 5] += rates[at]
    elif kind == HELICAL:
        w[to + 2] += rates[at]
        w[to + 5] += d[PITCH] * rates[at]
    elif kind == BALL:
        for k in range(3):
            w[to + k] += rates[at + k]
    elif kind == FREE:
        x, y, z = turn(w, rates[at], rates[at + 1], rates[at + 2])
        w[to + 3] += x
        w[to + 4] += y
        w[to + 5] += z
        for k in range(3):
            w[to + k] += rates[at + 3 + k]


@fused
def poses(tree, data, work, q):
    """E and p of every node."""
    for i in range(tree.shape[0]):
        pose_node(tree[i, 0], data[i], work[i], q, tree[i, 2])


@fused
def sweep(tree, data, work, q, v):
    """From the base out: E, p and velocity of every node; no external wrenches yet."""
    for i in range(tree.shape[0]):
        kind, parent, d, w = tree[i, 0], tree[i, 1], data[i], work[i]
        pose_node(kind, d, w, q, tree[i, 2])
        if parent >= 0:
            u = work[parent]
            w[12], w[13], w[14], w[15], w[16], w[17] = motion_to_node(w, u[12], u[13], u[14], u[15], u[16], u[17])
        else:
            for k in range(12, 18):
                w[k] = 0.0
        for k in range(18, 24):
            w[k] = 0.0
        add_columns(kind, w, d, v, tree[i, 3], 12)


@fused
def bias(kind, w, d, v, at):
    """c = v x (S qd), and of a free body - w x u: the acceleration of a node where those of its parent and its own speeds are zero."""
    if kind == REVOLUTE:
        r = v[at]
        return w[13] * r, -w[12] * r, 0.0, w[16] * r, -w[15] * r, 0.0
    if kind == PRISMATIC:
        r = v[at]
        return 0.0, 0.0, 0.0, w[13] * r, -w[12] * r, 0.0
    if kind == HELICAL:
        r, h = v[at], v[at] * d[PITCH]
        return w[13] * r, -w[12] * r, 0.0, w[16] * r + w[13] * h, -w[15] * r - w[12] * h, 0.0
    if kind == BALL:
        a, b, c = cross(w[12], w[13], w[14], v[at], v[at + 1], v[at + 2])
        x, y, z = cross(w[15], w[16], w[17], v[at], v[at + 1], v[at + 2])
        return a, b, c, x, y, z
    if kind == FREE:
        x, y, z = cross(w[15], w[16], w[17], w[12], w[13], w[14])
        return 0.0, 0.0, 0.0, x, y, z
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@fused
def momentum(d, x, y, z, a, b, c):
    """I (angular, linear) of a rigid body about its node's origin."""
    m, hx, hy, hz = d[12], d[13], d[14], d[15]
    ux, uy, uz = cross(hx, hy, hz, a, b, c)
    lx, ly, lz = cross(x, y, z, hx, hy, hz)
    return (
        d[16] * x + d[19] * y + d[20] * z + ux,
        d[19] * x + d[17] * y + d[21] * z + uy,
        d[20] * x + d[21] * y + d[18] * z + uz,
        m * a + lx,
        m * b + ly,
        m * c + lz,
    )


@fused
def inertial_force(d, w):
    """v x* (I v) less the external wrench: the bias force p of a body."""
    x, y, z, a, b, c = w[12], w[13], w[14], w[15], w[16], w[17]
    l0, l1, l2, l3, l4, l5 = momentum(d, x, y, z, a, b, c)
    p0, p1, p2 = cross(x, y, z, l0, l1, l2)
    s0, s1, s2 = cross(a, b, c, l3, l4, l5)
    p3, p4, p5 = cross(x, y, z, l3, l4, l5)
    return p0 + s0 - w[18], p1 + s1 - w[19], p2 + s2 - w[20], p3 - w[21], p4 - w[22], p5 - w[23]


@fused
def spread(tree, data, work, v, a, moving, gx, gy, gz):
    """Accelerations of every node less gravity: with v_dot = a when `moving`, else with v_dot = 0."""
    for i in range(tree.shape[0]):
        kind, parent, d, w = tree[i, 0], tree[i, 1], data[i], work[i]
        if parent >= 0:
            u = work[parent]
            s0, s1, s2, s3, s4, s5 = motion_to_node(w, u[43], u[44], u[45], u[46], u[47], u[48])
        else:
            s0, s1, s2 = 0.0, 0.0, 0.0
            s3, s4, s5 = turn(w, -gx, -gy, -gz)
        c0, c1, c2, c3, c4, c5 = bias(kind, w, d, v, tree[i, 3])
        w[43], w[44], w[45], w[46], w[47], w[48] = s0 + c0, s1 + c1, s2 + c2, s3 + c3, s4 + c4, s5 + c5
        if moving:
            add_columns(kind, w, d, a, tree[i, 3], 43)


@fused
def gather(tree, data, work):
    """Forces through every node, leaves to base (recursive Newton-Euler): f = I a + v x* I v - external, f_parent += X' f."""
    n_n = tree.shape[0]
    for i in range(n_n):
        d, w = data[i], work[i]
        if tree[i, 4] >= 0:
            l0, l1, l2, l3, l4, l5 = momentum(d, w[43], w[44], w[45], w[46], w[47], w[48])
            p0, p1, p2, p3, p4, p5 = inertial_force(d, w)
            w[37], w[38], w[39], w[40], w[41], w[42] = l0 + p0, l1 + p1, l2 + p2, l3 + p3, l4 + p4, l5 + p5
        else:
            for k in range(37, 43):
                w[k] = 0.0
    for i in range(n_n - 1, -1, -1):
        parent = tree[i, 1]
        if parent >= 0:
            w, u = work[i], work[parent]
            l0, l1, l2, l3, l4, l5 = force_to_parent(w, w[37], w[38], w[39], w[40], w[41], w[42])
            u[37] += l0
            u[38] += l1
            u[39] += l2
            u[40] += l3
            u[41] += l4
            u[42] += l5


@fused
def component(kind, k, w, d, n0, n1, n2, f0, f1, f2):
    """S_k' (n, f): the force along the k-th speed of a motion."""
    if kind == REVOLUTE:
        return n2
    if kind == PRISMATIC:
        return f2
    if kind == HELICAL:
        return n2 + d[PITCH] * f2
    if kind == FREE:
        if k == 0:
            return w[0] * f0 + w[3] * f1 + w[6] * f2
        if k == 1:
            return w[1] * f0 + w[4] * f1 + w[7] * f2
        if k == 2:
            return w[2] * f0 + w[5] * f1 + w[8] * f2
        k -= 3
    return n0 if k == 0 else n1 if k == 1 else n2


@fused
def column(kind, k, w, d):
    """S_k: the motion of a node for one unit of its k-th speed."""
    if kind == REVOLUTE:
        return 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    if kind == PRISMATIC:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
    if kind == HELICAL:
        return 0.0, 0.0, 1.0, 0.0, 0.0, d[PITCH]
    if kind == FREE:
        if k < 3:
            return 0.0, 0.0, 0.0, w[k], w[3 + k], w[6 + k]
        k -= 3
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, 0.0, 0.0, 0.0


@fused
def place(tree, data, work, frames, planar):
    """Global attitude and origin of every node, and the bodies' rows of `frames` as the kernels of bodies expect them."""
    for i in range(tree.shape[0]):
        parent, b, d, w = tree[i, 1], tree[i, 4], data[i], work[i]
        if parent >= 0:
            u = work[parent]
            for r in range(3):
                x, y, z = u[24 + 3 * r], u[25 + 3 * r], u[26 + 3 * r]
                w[33 + r] = u[33 + r] + x * w[9] + y * w[10] + z * w[11]
                for c in range(3):
                    w[24 + 3 * r + c] = x * w[3 * c] + y * w[3 * c + 1] + z * w[3 * c + 2]
        else:
            for r in range(3):
                w[33 + r] = w[9 + r]
                for c in range(3):
                    w[24 + 3 * r + c] = w[3 * c + r]
        if b < 0:
            continue
        f = frames[b]
        rx, ry, rz = node_global(w, d[31], d[32], d[33])
        ux, uy, uz = cross(w[12], w[13], w[14], d[31], d[32], d[33])
        ux, uy, uz = node_global(w, w[15] + ux, w[16] + uy, w[17] + uz)
        if planar:
            f[0], f[1], f[5], f[6] = w[33] + rx, w[34] + ry, ux, uy
            f[2] = w[24] * d[22] + w[25] * d[25] + w[26] * d[28]
            f[3] = w[27] * d[22] + w[28] * d[25] + w[29] * d[28]
            f[7] = w[30] * w[12] + w[31] * w[13] + w[32] * w[14]
            continue
        f[0], f[1], f[2], f[12], f[13], f[14] = w[33] + rx, w[34] + ry, w[35] + rz, ux, uy, uz
        for c in range(3):
            x, y, z = d[22 + c], d[25 + c], d[28 + c]
            f[3 + c], f[6 + c], f[9 + c] = node_global(w, x, y, z)
            f[15 + c] = x * w[12] + y * w[13] + z * w[14]


@fused
def count_turns(tree, data, work, frames, q):
    """Planar trees: the bodies' angles, which count turns."""
    for i in range(tree.shape[0]):
        w, d = work[i], data[i]
        w[36] = work[tree[i, 1], 36] if tree[i, 1] >= 0 else 0.0
        if tree[i, 0] == REVOLUTE:
            w[36] += d[35] * q[tree[i, 2]]
        if tree[i, 4] >= 0:
            frames[tree[i, 4], 4] = w[36] + d[36]


@fused
def body_wrench(w, d, gx, gy, gz, tx, ty, tz):
    """A body's global force and torque in body axes about its centre of mass, as a force vector of its node."""
    fx, fy, fz = global_node(w, gx, gy, gz)
    x = d[22] * tx + d[23] * ty + d[24] * tz
    y = d[25] * tx + d[26] * ty + d[27] * tz
    z = d[28] * tx + d[29] * ty + d[30] * tz
    ax, ay, az = cross(d[31], d[32], d[33], fx, fy, fz)
    return x + ax, y + ay, z + az, fx, fy, fz


@fused
def wrench_of(w, d, row, at, planar):
    """The same from a row of speeds of bodies: (x, y, angle) or (force, torque in body axes) from `at` on."""
    if planar:
        tz = row[at + 2]
        x, y, z = w[30] * tz, w[31] * tz, w[32] * tz  # the plane's normal in node axes
        fx, fy, fz = global_node(w, row[at], row[at + 1], 0.0)
        ax, ay, az = cross(d[31], d[32], d[33], fx, fy, fz)
        return x + ax, y + ay, z + az, fx, fy, fz
    return body_wrench(w, d, row[at], row[at + 1], row[at + 2], row[at + 3], row[at + 4], row[at + 5])


@fused
def to_coordinates(tree, data, work, i, n0, n1, n2, f0, f1, f2, out):
    """out (n,) += the generalised forces of a force vector on node i, down to the base."""
    while i >= 0:
        kind, at, w, d = tree[i, 0], tree[i, 3], work[i], data[i]
        for k in range(speeds_of(kind)):
            out[at + k] += component(kind, k, w, d, n0, n1, n2, f0, f1, f2)
        n0, n1, n2, f0, f1, f2 = force_to_parent(w, n0, n1, n2, f0, f1, f2)
        i = tree[i, 1]
