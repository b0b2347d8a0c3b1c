"""Rows over two relative coordinates, such as those of gears and racks: the same in the plane, in space and in joint coordinates.

Such a row phi(x, y) touches up to four bodies, so it is written into C like an equation of the user's. geometry[0], [1]: the two relative
coordinates. Those between bodies are measured before, at the poses in `frames`.
"""

from mbsim.elements.dispatch import Chain, Property
from mbsim.elements.kinds import STATE
from mbsim.jit import helper
from mbsim.kernels.relative import BIAS, GRADIENT, OPEN_VALUE, RATE
from mbsim.kernels.spatial_vectors import three
from mbsim.kernels.tree_columns import ACCELERATION, ATTITUDE
from mbsim.kernels.trees import to_coordinates, wrench_of
from mbsim.system._trees import body_acceleration, clear, node_of

phi_of, slope_of, bias_of = (Chain("rows", what, 2, on="relative", otherwise="0.0") for what in ("phi", "slope", "bias"))
is_coupling = Property("rows", "ON", lambda value: value == "relative")


@helper
def has_couplings(arrays):
    """Whether there are any."""
    found = False
    for e in range(arrays.primitives.shape[0]):
        found |= is_coupling(arrays.primitives[e, 0])
    return found


@helper
def values(arrays, e, q):
    """The two relative coordinates of row e."""
    k, l = int(arrays.geometry[e, 0]), int(arrays.geometry[e, 1])
    x = q[arrays.relative[k, 3]] if arrays.relative[k, 0] == STATE else arrays.relative_values[k, OPEN_VALUE]
    y = q[arrays.relative[l, 3]] if arrays.relative[l, 0] == STATE else arrays.relative_values[l, OPEN_VALUE]
    return x, y


@helper
def rows_of_bodies(arrays, q, C, xi, planar):
    """C and xi in absolute coordinates."""
    n_b, speeds = arrays.frames.shape[0] - 1, 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            g, row = arrays.geometry[e], C[arrays.primitives[e, 1]]
            x, y = values(arrays, e, q)
            xi[arrays.primitives[e, 1]] = 0.0
            clear(row)  # then add: the two joints may share bodies
            for side in range(4):
                k, o = int(g[side // 2]), GRADIENT + speeds * (side % 2)
                b = arrays.relative[k, 1 + side % 2]
                if b < n_b:
                    slope = slope_of(arrays.primitives[e, 0], g, x, y, side // 2)
                    for c in range(speeds):
                        row[speeds * b + c] += slope * arrays.relative_values[k, o + c]


@helper
def rows_of_tree(arrays, q, C, xi, planar):
    """C and xi in joint coordinates; the rows of C hold zeros."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            g, row = arrays.geometry[e], C[arrays.primitives[e, 1]]
            x, y = values(arrays, e, q)
            xi[arrays.primitives[e, 1]] = 0.0
            for s in range(2):
                k, slope = int(g[s]), slope_of(arrays.primitives[e, 0], g, x, y, s)
                if arrays.relative[k, 0] == STATE:
                    row[arrays.relative[k, 4]] += slope
                    continue
                for side in range(2):
                    node = node_of(arrays, arrays.relative[k, 1 + side])
                    if node >= 0:
                        w = wrench_of(work[node], data[node], arrays.relative_values[k], GRADIENT + size * side, planar)
                        to_coordinates(
                            tree,
                            data,
                            work,
                            node,
                            (slope * w[0], slope * w[1], slope * w[2], slope * w[3], slope * w[4], slope * w[5]),
                            row,
                        )


@helper
def residuals(arrays, q, phi):
    """phi of these rows."""
    for e in range(arrays.primitives.shape[0]):
        kind = arrays.primitives[e, 0]
        if is_coupling(kind):
            x, y = values(arrays, e, q)
            phi[arrays.primitives[e, 1]] = phi_of(kind, arrays.geometry[e], x, y)


@helper
def biases(arrays, q, eta):
    """eta of these rows between bodies in absolute coordinates, and over the coordinates of a tree."""
    for e in range(arrays.primitives.shape[0]):
        kind = arrays.primitives[e, 0]
        if is_coupling(kind):
            g, (x, y) = arrays.geometry[e], values(arrays, e, q)
            u, v = arrays.relative_values[int(g[0])], arrays.relative_values[int(g[1])]
            own = slope_of(kind, g, x, y, 0) * u[BIAS] + slope_of(kind, g, x, y, 1) * v[BIAS]
            eta[arrays.primitives[e, 1]] = own + bias_of(kind, g, x, y, u[RATE], v[RATE])


@helper
def biases_of_tree(arrays, q, eta, planar):
    """eta += the gradients times the bodies' accelerations with v_dot = 0, as `joint_biases` for the rows of joints."""
    data, work, gravity = arrays.tree_data, arrays.tree_work, arrays.gravity
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            x, y = values(arrays, e, q)
            for s in range(4):
                k = int(arrays.geometry[e, s // 2])
                node = node_of(arrays, arrays.relative[k, 1 + s % 2])
                if arrays.relative[k, 0] == STATE or node < 0:
                    continue
                w, J, o = work[node], arrays.relative_values[k], GRADIENT + size * (s % 2)
                rx, ry, rz, ax, ay, az = body_acceleration(w, data[node])
                bias = J[o] * (rx + gravity[0]) + J[o + 1] * (ry + gravity[1])
                if planar:
                    (n, m, l), (a, b, c) = three(w, ATTITUDE + 6), three(w, ACCELERATION)
                    bias += J[o + 2] * (n * a + m * b + l * c)
                else:
                    bias += J[o + 2] * (rz + gravity[2]) + J[o + 3] * ax + J[o + 4] * ay + J[o + 5] * az
                eta[arrays.primitives[e, 1]] += slope_of(arrays.primitives[e, 0], arrays.geometry[e], x, y, s // 2) * bias
