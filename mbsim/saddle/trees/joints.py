"""Joints of a tree and rows over their speeds in the elimination of `bodies/factor.py`; the table is that of
`bodies/table.py` for the groups of `trees/groups.py`.

With the accelerations a of the bodies, the forces f through the joints, and d of v_dot, of body i on body p:

    M_i a_i - f_i + sum X_c' f_c - J' lam = 0,   a_i - X a_p - S d_i = 0,   S' f_i + (L + rotor) d_i - C' lam = force,   J a, C d = side
"""

from mbsim.jit import helper, index
from mbsim.kernels import frame_columns as frame
from mbsim.kernels import tree_columns as tree_col
from mbsim.kernels.rotations import of_matrix
from mbsim.kernels.spatial_vectors import cross, plus, scaled, three, times, transpose_times
from mbsim.kernels.trees import column, speeds_of
from mbsim.saddle import columns as col
from mbsim.saddle.lines import first_line, speeds_of_body


@helper
def place_parent(table, first, f, g, b, S):
    """-X and X' of a body with the frame f on one with the frame g; `first`: the line of the first force through its joint."""
    planar = b == 3
    for c in range(b):
        at = table[first + c, col.SIDE + col.ROW_PLACE]
        S[at + c] = -1.0
        S[table[first + c, col.SIDE + col.COLUMN_PLACE] + c * table[first + c, col.SIDE + col.COLUMN_STRIDE]] = 1.0
    if planar:
        x, y = f[frame.PLANE_POSITION] - g[frame.PLANE_POSITION], f[frame.PLANE_POSITION + 1] - g[frame.PLANE_POSITION + 1]
        for c in range(2):
            X = -y if c == 0 else x
            S[table[first + c, col.SIDE + col.ROW_PLACE] + 2] = -X
            S[table[first + c, col.SIDE + col.COLUMN_PLACE] + 2 * table[first + c, col.SIDE + col.COLUMN_STRIDE]] = X
        return
    apart = plus(three(f, frame.SPACE_POSITION), scaled(-1.0, three(g, frame.SPACE_POSITION)))
    for k in range(3):
        axis = g[frame.SPACE_ATTITUDE + k], g[frame.SPACE_ATTITUDE + 3 + k], g[frame.SPACE_ATTITUDE + 6 + k]
        moved, turned = cross(axis, apart), transpose_times(f, frame.SPACE_ATTITUDE, axis)
        for c in range(6):
            X = moved[0] if c == 0 else moved[1] if c == 1 else moved[2] if c == 2 else turned[0] if c == 3 else turned[1]
            X = turned[2] if c == 5 else X
            S[table[first + c, col.SIDE + col.ROW_PLACE] + 3 + k] = -X
            S[table[first + c, col.SIDE + col.COLUMN_PLACE] + (3 + k) * table[first + c, col.SIDE + col.COLUMN_STRIDE]] = X


@helper
def motion_of(f, kind, k, w, d, planar):
    """S_k of a node as a velocity of its body with the frame f: of the centre and about it."""
    s = column(kind, k, w, d)
    turn, slide = times(w, tree_col.ATTITUDE, s[:3]), times(w, tree_col.ATTITUDE, s[3:])
    if planar:
        x, y = f[frame.PLANE_POSITION] - w[tree_col.ORIGIN], f[frame.PLANE_POSITION + 1] - w[tree_col.ORIGIN + 1]
        return slide[0] - turn[2] * y, slide[1] + turn[2] * x, turn[2], 0.0, 0.0, 0.0
    arm = plus(three(f, frame.SPACE_POSITION), scaled(-1.0, three(w, tree_col.ORIGIN)))
    return plus(slide, cross(turn, arm)) + transpose_times(f, frame.SPACE_ATTITUDE, turn)


@helper
def poses_of_bodies(arrays, planar, q, v):
    """q and v as bodies in absolute coordinates have them, at the last evaluation."""
    frames = arrays.frames
    for body in range(frames.shape[0] - 1):
        f = frames[body]
        if planar:
            o = 3 * body
            q[o], q[o + 1], q[o + 2] = f[frame.PLANE_POSITION], f[frame.PLANE_POSITION + 1], f[frame.PLANE_ANGLE]
            v[o], v[o + 1], v[o + 2] = f[frame.PLANE_VELOCITY], f[frame.PLANE_VELOCITY + 1], f[frame.PLANE_SPIN]
            continue
        o, p = 7 * body, 6 * body
        w, x, y, z = of_matrix(f[frame.SPACE_ATTITUDE :])
        k = frame.SPACE_QUATERNION  # where there is one it has the sign that a TWIST goes by
        sign = -1.0 if w * f[k] + x * f[k + 1] + y * f[k + 2] + z * f[k + 3] < 0.0 else 1.0
        q[o + 3], q[o + 4], q[o + 5], q[o + 6] = sign * w, sign * x, sign * y, sign * z
        for c in range(3):
            q[o + c], v[p + c], v[p + 3 + c] = f[frame.SPACE_POSITION + c], f[frame.SPACE_VELOCITY + c], f[frame.SPACE_SPIN + c]


@helper
def place_joints(arrays, table, n, S):
    """The joints, at the poses of the last evaluation. The blocks of forces and speeds hold zeros, or L."""
    tree, data, nodes, frames = arrays.tree, arrays.tree_data, arrays.tree_work, arrays.frames
    b, m, n_b = speeds_of_body(table), arrays.jacobian.shape[0], arrays.frames.shape[0] - 1
    for body in range(n_b):
        last = index(tree[body, tree_col.NODE_OF])
        inner, f = tree[last, tree_col.INNER], frames[body]
        first = first_line(table, col.ROWS) + m + n + b * body
        for c in range(b):
            line = table[first + c]
            S[line[col.ROW_PLACE] + c] = 1.0
            S[line[col.COLUMN_PLACE] + c * line[col.COLUMN_STRIDE]] = -1.0
        if inner >= 0:
            place_parent(table, first, f, frames[tree[inner, tree_col.BODY]], b, S)
        place = b  # of the speed in its group, from the first force
        for i in range(last - tree[last, tree_col.NODES] + 1, last + 1):
            for k in range(speeds_of(tree[i, tree_col.KIND])):
                s0, s1, s2, s3, s4, s5 = motion_of(f, tree[i, tree_col.KIND], k, nodes[i], data[i], b == 3)
                own = table[first_line(table, col.ROWS) + m + tree[i, tree_col.V] + k, col.OWN_PLACE]
                S[own] += data[i, tree_col.ROTOR]
                for c in range(b):
                    s = s0 if c == 0 else s1 if c == 1 else s2 if c == 2 else s3 if c == 3 else s4 if c == 4 else s5
                    S[table[first + c, col.OWN_PLACE] + place - c] = -s
                    S[own - place + c] = s
                place += 1
