"""Rows of couplings: c1 x1 + c2 x2 - c0 over two gauges, less the nearest multiple of a period where angles are known up to full turns.

The same in the plane, in space and in joint coordinates. Such a row touches up to four bodies, so it is written into C like an equation of
the user's. geometry: the two gauges, c1, c2, c0, the period (0: none). Gauges between bodies are measured before, at the poses in `frames`.
"""

from math import floor

from mbsim.jit import helper
from mbsim.kernels.primitives import COUPLING, STATE
from mbsim.kernels.spatial_vectors import three
from mbsim.kernels.tree_columns import ACCELERATION, ATTITUDE
from mbsim.kernels.trees import to_coordinates, wrench_of
from mbsim.system._trees import body_acceleration, node_of


@helper
def coupled(arrays):
    """How many there are."""
    count = 0
    for e in range(arrays.primitives.shape[0]):
        count += arrays.primitives[e, 0] == COUPLING
    return count


@helper
def rows_of_bodies(arrays, C, speeds):
    """C of the couplings, `speeds` places a body."""
    n_b = arrays.frames.shape[0] - 1
    for e in range(arrays.primitives.shape[0]):
        if arrays.primitives[e, 0] == COUPLING:
            g, row = arrays.geometry[e], C[arrays.primitives[e, 1]]
            for side in range(4):  # the two joints may share bodies: first zero, then add
                b = arrays.gauges[int(g[side // 2]), 1 + side % 2]
                if b < n_b:
                    for c in range(speeds):
                        row[speeds * b + c] = 0.0
            for side in range(4):
                k, o = int(g[side // 2]), 5 + speeds * (side % 2)
                b = arrays.gauges[k, 1 + side % 2]
                if b < n_b:
                    for c in range(speeds):
                        row[speeds * b + c] += g[2 + side // 2] * arrays.gauge_values[k, o + c]


@helper
def rows_of_tree(arrays, C, planar):
    """C of the couplings in joint coordinates; the rows hold zeros."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if arrays.primitives[e, 0] == COUPLING:
            g, row = arrays.geometry[e], C[arrays.primitives[e, 1]]
            for s in range(2):
                k, c = int(g[s]), g[2 + s]
                if arrays.gauges[k, 0] == STATE:
                    row[arrays.gauges[k, 4]] += c
                    continue
                for side in range(2):
                    node = node_of(arrays, arrays.gauges[k, 1 + side])
                    if node >= 0:
                        w = wrench_of(work[node], data[node], arrays.gauge_values[k], 5 + size * side, planar)
                        to_coordinates(tree, data, work, node, (c * w[0], c * w[1], c * w[2], c * w[3], c * w[4], c * w[5]), row)


@helper
def residuals(arrays, q, phi):
    """phi of the couplings."""
    for e in range(arrays.primitives.shape[0]):
        if arrays.primitives[e, 0] == COUPLING:
            g, off = arrays.geometry[e], -arrays.geometry[e, 4]
            for s in range(2):
                k = int(g[s])
                off += g[2 + s] * (q[arrays.gauges[k, 3]] if arrays.gauges[k, 0] == STATE else arrays.gauge_values[k, 3])
            if g[5] > 0.0:
                off -= g[5] * floor(off / g[5] + 0.5)
            phi[arrays.primitives[e, 1]] = off


@helper
def biases(arrays, eta):
    """eta of the couplings between bodies in absolute coordinates, and of the coordinates of a tree."""
    for e in range(arrays.primitives.shape[0]):
        if arrays.primitives[e, 0] == COUPLING:
            g = arrays.geometry[e]
            eta[arrays.primitives[e, 1]] = g[2] * arrays.gauge_values[int(g[0]), 2] + g[3] * arrays.gauge_values[int(g[1]), 2]


@helper
def biases_of_tree(arrays, eta, planar):
    """eta += the gauges' gradients times the bodies' accelerations with v_dot = 0, as `joint_biases` for the rows of joints."""
    data, work, gravity = arrays.tree_data, arrays.tree_work, arrays.gravity
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if arrays.primitives[e, 0] == COUPLING:
            for s in range(4):
                k = int(arrays.geometry[e, s // 2])
                node = node_of(arrays, arrays.gauges[k, 1 + s % 2])
                if arrays.gauges[k, 0] == STATE or node < 0:
                    continue
                w, J, o = work[node], arrays.gauge_values[k], 5 + size * (s % 2)
                rx, ry, rz, ax, ay, az = body_acceleration(w, data[node])
                bias = J[o] * (rx + gravity[0]) + J[o + 1] * (ry + gravity[1])
                if planar:
                    (x, y, z), (a, b, c) = three(w, ATTITUDE + 6), three(w, ACCELERATION)
                    bias += J[o + 2] * (x * a + y * b + z * c)
                else:
                    bias += J[o + 2] * (rz + gravity[2]) + J[o + 3] * ax + J[o + 4] * ay + J[o + 5] * az
                eta[arrays.primitives[e, 1]] += arrays.geometry[e, 2 + s // 2] * bias
