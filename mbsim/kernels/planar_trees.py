"""Trees in the plane in global axes: inverse dynamics, and the elimination of the matrix of an implicit step.

Spatial vectors have three numbers here, (turn, x, y) at a node's origin. V and A are the velocity and the acceleration less gravity, F the
force through a node, S the motion of its joint; V x and V x* are the cross products of motions and of forces:

    V_i = X V_p + S q',   A_i = X A_p + V_i x S q' + S q'',   F_i = I A + V x* I V - loads + sum X' F,   effort = S' F

A change d of q'', with c_v d of q' and c_q d of q, changes motions by a = X a_p + T d, T = S + 2 c_v V x S + c_q (A x S + V x V x S), and

    force       [I - c_v I V x + c_v (. x* I V) + c_v V x* I + c_q (. x* (I A + V x* I V))] a + sum X' (change of the force)
    effort      S' (change of the force) + c_q (S x* F)' a

so that the elimination is that of the articulated body algorithm with an unsymmetric inertia, and its cost linear. Exact to the first order
in c_v and c_q: a change c_v a of the velocity, and c_q a of the position, neglects what T is beyond S. Loads on bodies are held.
`flat` has a row a node; the columns are below.
"""

from mbsim.jit import fused
from mbsim.kernels import tree_columns as col
from mbsim.kernels.primitives import PRISMATIC, REVOLUTE, WELD
from mbsim.kernels.spatial_vectors import add_three, dot, put_three, symmetric_times, three

KINDS = (REVOLUTE, PRISMATIC, WELD)  # of motions that these functions know
# constant: +1 or -1 as a turn counts, else 0; where nothing has moved the direction of a slide (2) and the origin from the parent's (2), m;
# of the body its mass (kg), its centre from the origin (2), m, and its inertia about the origin, kg m2
TURN, SLIDE, OFFSET, MASS, CENTRE, INERTIA = 0, 1, 3, 5, 6, 8
# at a state: cosine and sine of the angle; origin from the parent's (2), m; S, V, A, F, F of the body without loads (3 each)
COS, SIN, ARM, MOTION, VELOCITY, ACCELERATION, FORCE, BODY_FORCE = 9, 10, 11, 13, 16, 19, 22, 25
# of the elimination: inertia (9, by rows), T (3), its columns along T and along S over the pivot, force that is left, inverse of the pivot
MATRIX, COLUMN, ALONG, ACROSS, LEFT, INVERSE, WIDTH = 28, 37, 40, 43, 46, 49, 50
_AXES = COS  # (9) node axes to global ones where nothing has moved: scratch of `set_constants`


@fused
def turned(c, s, x, y):
    """A vector, turned by the angle with this cosine and sine."""
    return c * x - s * y, s * x + c * y


@fused
def cross_motion(a, b):
    """a x b of motions."""
    return 0.0, b[0] * a[2] - a[0] * b[2], a[0] * b[1] - b[0] * a[1]


@fused
def cross_force(a, f):
    """a x* f."""
    return a[1] * f[2] - a[2] * f[1], -a[0] * f[2], a[0] * f[1]


@fused
def sum_of(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@fused
def scaled_sum(a, f, b):
    """a + f b."""
    return a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]


@fused
def moved_out(w, s):
    """X s: a parent's motion at the node's origin."""
    return s[0], s[1] - s[0] * w[ARM + 1], s[2] + s[0] * w[ARM]


@fused
def moved_in(w, f):
    """X' f: a node's force at its parent's origin."""
    return f[0] + w[ARM] * f[2] - w[ARM + 1] * f[1], f[1], f[2]


@fused
def momentum(m, x, y, inertia, s):
    """I s of a body with the first moment (x, y)."""
    return inertia * s[0] + x * s[2] - y * s[1], m * s[1] - y * s[0], m * s[2] + x * s[0]


@fused
def set_constants(tree, data, flat):
    """The constant columns."""
    for i in range(tree.shape[0]):
        d, w, parent, kind = data[i], flat[i], tree[i, col.PARENT], tree[i, col.KIND]
        for r in range(3):
            row = (1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0, 1.0 if r == 2 else 0.0)
            if parent >= 0:
                row = three(flat[parent], _AXES + 3 * r)
            if r < 2:
                w[OFFSET + r] = dot(row, three(d, col.POSITION_0))
                w[SLIDE + r] = dot(row, three(d, col.ROTATION_0 + 6)) if kind == PRISMATIC else 0.0
            for c in range(3):
                w[_AXES + 3 * r + c] = dot(row, three(d, col.ROTATION_0 + 3 * c))
            if r < 2:
                w[CENTRE + r] = dot(three(w, _AXES + 3 * r), three(d, col.CENTRE)) if tree[i, col.BODY] >= 0 else 0.0
        normal = three(w, _AXES + 6)
        w[TURN] = (1.0 if normal[2] > 0.0 else -1.0) if kind == REVOLUTE else 0.0
        w[MASS], w[INERTIA] = 0.0, 0.0
        if tree[i, col.BODY] >= 0:
            w[MASS], w[INERTIA] = d[col.MASS], dot(normal, symmetric_times(d, col.INERTIA, normal))


@fused
def outward(tree, data, work, flat, q, v, a, gravity):
    """Poses, velocities and accelerations of the nodes with v_dot = a, at the rotations in `work`."""
    for i in range(tree.shape[0]):
        w, d, parent, kind = flat[i], data[i], tree[i, col.PARENT], tree[i, col.KIND]
        c, s = 1.0, 0.0
        V, A = (0.0, 0.0, 0.0), (0.0, -gravity[0], -gravity[1])
        x, y = w[OFFSET], w[OFFSET + 1]
        if kind == PRISMATIC:
            x, y = x + w[SLIDE] * q[tree[i, col.Q]], y + w[SLIDE + 1] * q[tree[i, col.Q]]
        if parent >= 0:
            u = flat[parent]
            c, s = u[COS], u[SIN]
            V, A = three(u, VELOCITY), three(u, ACCELERATION)
        w[ARM], w[ARM + 1] = turned(c, s, x, y)
        V, A = moved_out(w, V), moved_out(w, A)
        S = (0.0, 0.0, 0.0)
        if kind == REVOLUTE:
            row = three(work[i], col.ROTATION)
            S = (w[TURN], 0.0, 0.0)
            c, s = turned(c, s, dot(row, three(d, col.ROTATION_0)), w[TURN] * dot(row, three(d, col.ROTATION_0 + 3)))
        elif kind == PRISMATIC:
            x, y = turned(c, s, w[SLIDE], w[SLIDE + 1])
            S = (0.0, x, y)
        if kind != WELD:
            at = tree[i, col.V]
            V = scaled_sum(V, v[at], S)
            A = scaled_sum(scaled_sum(A, v[at], cross_motion(V, S)), a[at], S)
        w[COS], w[SIN] = c, s
        put_three(w, MOTION, S)
        put_three(w, VELOCITY, V)
        put_three(w, ACCELERATION, A)


@fused
def inward(tree, flat, loads, out):
    """Forces through the nodes, and out (n,) -= the efforts; loads (3 n_b or 0,): (x, y, turn) at the bodies' centres."""
    for i in range(tree.shape[0]):
        w, body = flat[i], tree[i, col.BODY]
        if body < 0:
            put_three(w, BODY_FORCE, (0.0, 0.0, 0.0))
            put_three(w, FORCE, (0.0, 0.0, 0.0))
            continue
        m = w[MASS]
        x, y = turned(w[COS], w[SIN], w[CENTRE], w[CENTRE + 1])
        V = three(w, VELOCITY)
        f = momentum(m, m * x, m * y, w[INERTIA], three(w, ACCELERATION))
        f = sum_of(f, cross_force(V, momentum(m, m * x, m * y, w[INERTIA], V)))
        put_three(w, BODY_FORCE, f)
        if loads.shape[0] > 0:
            p, r, turn = three(loads, 3 * body)
            f = f[0] - turn - x * r + y * p, f[1] - p, f[2] - r
        put_three(w, FORCE, f)
    for i in range(tree.shape[0] - 1, -1, -1):
        w, kind = flat[i], tree[i, col.KIND]
        f = three(w, FORCE)
        if tree[i, col.PARENT] >= 0:
            add_three(flat[tree[i, col.PARENT]], FORCE, moved_in(w, f))
        if kind != WELD:
            out[tree[i, col.V]] -= dot(three(w, MOTION), f)


@fused
def column_of(w, x, y, c_q, c_v, a):
    """What a change `a` of the motions changes of the force of a body with its centre at (x, y)."""
    m, V = w[MASS], three(w, VELOCITY)
    l = momentum(m, m * x, m * y, w[INERTIA], V)
    f = momentum(m, m * x, m * y, w[INERTIA], scaled_sum(a, -c_v, cross_motion(V, a)))
    f = scaled_sum(f, c_v, cross_force(a, l))
    f = scaled_sum(f, c_v, cross_force(V, momentum(m, m * x, m * y, w[INERTIA], a)))
    return scaled_sum(f, c_q, cross_force(a, three(w, BODY_FORCE)))


@fused
def put_column(w, k, f):
    w[MATRIX + k], w[MATRIX + 3 + k], w[MATRIX + 6 + k] = f[0], f[1], f[2]


@fused
def eliminate(tree, data, flat, added, c_q, c_v):
    """Leaves to base, at the state of `outward` and `inward`, with `added` (n,) beside the inertia of each joint.

    False where a pivot is not positive.
    """
    for i in range(tree.shape[0]):
        w = flat[i]
        if tree[i, col.BODY] >= 0:
            x, y = turned(w[COS], w[SIN], w[CENTRE], w[CENTRE + 1])
            put_column(w, 0, column_of(w, x, y, c_q, c_v, (1.0, 0.0, 0.0)))
            put_column(w, 1, column_of(w, x, y, c_q, c_v, (0.0, 1.0, 0.0)))
            put_column(w, 2, column_of(w, x, y, c_q, c_v, (0.0, 0.0, 1.0)))
        else:
            for k in range(9):
                w[MATRIX + k] = 0.0
    for i in range(tree.shape[0] - 1, -1, -1):
        w, parent = flat[i], tree[i, col.PARENT]
        r0, r1, r2 = three(w, MATRIX), three(w, MATRIX + 3), three(w, MATRIX + 6)
        if tree[i, col.KIND] != WELD:
            S, V, at = three(w, MOTION), three(w, VELOCITY), tree[i, col.V]
            rate = cross_motion(V, S)
            T = scaled_sum(S, 2.0 * c_v, rate)
            T = scaled_sum(T, c_q, sum_of(cross_motion(three(w, ACCELERATION), S), cross_motion(V, rate)))
            U = dot(r0, T), dot(r1, T), dot(r2, T)
            W = scaled_sum(scaled_sum((S[0] * r0[0], S[0] * r0[1], S[0] * r0[2]), S[1], r1), S[2], r2)
            W = scaled_sum(W, c_q, cross_force(S, three(w, FORCE)))
            D = dot(W, T) + added[at] + data[i, col.ROTOR]
            if not 0.0 < D < 1e300:
                return False
            inverse = 1.0 / D
            W = W[0] * inverse, W[1] * inverse, W[2] * inverse
            put_three(w, COLUMN, T)
            put_three(w, ALONG, U)
            put_three(w, ACROSS, W)
            w[INVERSE] = inverse
            r0, r1, r2 = scaled_sum(r0, -U[0], W), scaled_sum(r1, -U[1], W), scaled_sum(r2, -U[2], W)
        if parent >= 0:
            u = flat[parent]
            r0 = scaled_sum(scaled_sum(r0, w[ARM], r2), -w[ARM + 1], r1)
            add_three(u, MATRIX, (r0[0] + w[ARM] * r0[2] - w[ARM + 1] * r0[1], r0[1], r0[2]))
            add_three(u, MATRIX + 3, (r1[0] + w[ARM] * r1[2] - w[ARM + 1] * r1[1], r1[1], r1[2]))
            add_three(u, MATRIX + 6, (r2[0] + w[ARM] * r2[2] - w[ARM + 1] * r2[1], r2[1], r2[2]))
    return True


@fused
def solve(tree, flat, x):
    """x (n,), efforts, becomes the change of v_dot."""
    for i in range(tree.shape[0]):
        put_three(flat[i], LEFT, (0.0, 0.0, 0.0))
    for i in range(tree.shape[0] - 1, -1, -1):
        w, at = flat[i], tree[i, col.V]
        f = three(w, LEFT)
        if tree[i, col.KIND] != WELD:
            x[at] = w[INVERSE] * (x[at] - dot(three(w, MOTION), f))
            f = scaled_sum(f, x[at], three(w, ALONG))
        if tree[i, col.PARENT] >= 0:
            add_three(flat[tree[i, col.PARENT]], LEFT, moved_in(w, f))
    for i in range(tree.shape[0]):
        w, parent, at = flat[i], tree[i, col.PARENT], tree[i, col.V]
        a = (0.0, 0.0, 0.0)
        if parent >= 0:
            a = moved_out(w, three(flat[parent], LEFT))
        if tree[i, col.KIND] != WELD:
            x[at] -= dot(three(w, ACROSS), a)
            a = scaled_sum(a, x[at], three(w, COLUMN))
        put_three(w, LEFT, a)
