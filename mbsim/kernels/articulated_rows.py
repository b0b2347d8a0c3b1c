"""M^-1 of a tree from its articulated inertias, for right sides beyond the first: M^-1 = R' R, each factor one sweep over the nodes.

    u = f - S' p,   R f = D^-1/2 u,    p_parent += X' (p + U D^-1 u)                    leaves to base
    a' = X a_parent,   R' y = D^-1/2 y - D^-1 U' a',   a = a' + S R' y                  base to leaves

R is the inverse of a Cholesky factor of M (Rodriguez, Jain & Kreutz-Delgado, Int. J. Robotics Research 10, 1991: the innovations
factorisation). U and D are those that `mbsim.kernels.articulated` left in the nodes. Neither M nor R is formed; a sweep is O(N), and a row
of a loop costs only the nodes between its bodies and the base.
"""

from math import sqrt

from mbsim.jit import fused
from mbsim.kernels import tree_columns as col
from mbsim.kernels.primitives import FREE, HELICAL, PRISMATIC, REVOLUTE, WELD
from mbsim.kernels.spatial_vectors import (
    ANGULAR_Z,
    LINEAR_Z,
    ZERO,
    add_six,
    dot_six,
    plus_six,
    put_six,
    put_three,
    scaled_six,
    six,
    three,
    times,
    transpose_times,
)
from mbsim.kernels.trees import add_columns, force_to_parent, motion_to_node, speeds_of


@fused
def roots(tree, work):
    """D^-1/2 of every step into the place of its force, which `outward` was the last to read."""
    for i in range(tree.shape[0]):
        for k in range(speeds_of(tree[i, col.KIND])):
            at = col.STEPS + col.STEP_SIZE * k
            work[i, at + col.STEP_ROOT] = sqrt(work[i, at + col.STEP_INVERSE])


@fused
def is_zero(s):
    """Whether all six numbers are zero."""
    return s[0] == 0.0 and s[1] == 0.0 and s[2] == 0.0 and s[3] == 0.0 and s[4] == 0.0 and s[5] == 0.0


@fused
def is_nothing(u, s):
    """Whether neither an effort nor a force is left to be passed on."""
    return u == 0.0 and is_zero(s)


@fused
def passed_on(w, at, u, p):
    """p + U D^-1 u: the force that is left after one step."""
    return plus_six(p, scaled_six(w[at + col.STEP_INVERSE] * u, six(w, at)))


@fused
def weigh(tree, data, work, x):
    """x (n,) = R x in place, of generalised forces. Overwrites the PA of the nodes."""
    for i in range(tree.shape[0]):
        put_six(work[i], col.PA, ZERO)
    for i in range(tree.shape[0] - 1, -1, -1):
        kind, at, w = tree[i, col.KIND], tree[i, col.V], work[i]
        p = six(w, col.PA)
        if kind in (REVOLUTE, PRISMATIC, HELICAL):
            if kind == REVOLUTE:
                u = x[at] - p[ANGULAR_Z]
            elif kind == PRISMATIC:
                u = x[at] - p[LINEAR_Z]
            else:
                u = x[at] - p[ANGULAR_Z] - data[i, col.PITCH] * p[LINEAR_Z]
            if is_nothing(u, p):
                continue
            x[at] = w[col.STEPS + col.STEP_ROOT] * u
            p = passed_on(w, col.STEPS, u, p)
        elif kind == WELD:
            if is_zero(p):
                continue
        else:
            if kind == FREE:  # its steps are angular, then linear in node axes; its speeds linear, global, then angular
                linear = times(w, col.ROTATION, three(x, at))
                put_three(x, at, three(x, at + col.TURN))
                put_three(x, at + col.TURN, linear)
            for k in range(speeds_of(kind)):
                o = col.STEPS + col.STEP_SIZE * k
                u = x[at + k] - w[col.PA + k]
                x[at + k] = w[o + col.STEP_ROOT] * u
                put_six(w, col.PA, passed_on(w, o, u, six(w, col.PA)))
            p = six(w, col.PA)
        parent = tree[i, col.PARENT]
        if parent >= 0:
            add_six(work[parent], col.PA, force_to_parent(w, p))


@fused
def unweigh(tree, data, work, y):
    """y (n,) = R' y in place: accelerations. Overwrites the PA of the nodes."""
    for i in range(tree.shape[0]):
        kind, at, w, parent = tree[i, col.KIND], tree[i, col.V], work[i], tree[i, col.PARENT]
        a = motion_to_node(w, six(work[parent], col.PA)) if parent >= 0 else ZERO
        put_six(w, col.PA, a)
        if kind in (REVOLUTE, PRISMATIC, HELICAL):
            y[at] = w[col.STEPS + col.STEP_ROOT] * y[at] - w[col.STEPS + col.STEP_INVERSE] * dot_six(six(w, col.STEPS), a)
            add_columns(kind, w, data[i], y, at, col.PA)
            continue
        for k in range(speeds_of(kind) - 1, -1, -1):  # in the reverse order of their elimination
            o = col.STEPS + col.STEP_SIZE * k
            s = w[o + col.STEP_ROOT] * y[at + k] - w[o + col.STEP_INVERSE] * dot_six(six(w, o), six(w, col.PA))
            w[col.PA + k] += s
            y[at + k] = s
        if kind == FREE:
            angular, linear = three(y, at), three(y, at + col.TURN)
            put_six(y, at, transpose_times(w, col.ROTATION, linear) + angular)
