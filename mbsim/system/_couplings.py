"""Rows over relative coordinates, such as those of gears, racks and cables: the same in the plane, in space and in joint coordinates.

Such a row phi = sum of factors times coordinates - c0 - f(t) may touch any number of bodies, so it is written into C like an equation of
the user's. geometry[0] is the number of its relative coordinates; from geometry[TERMS] on are the index and the factor of each. Those
between bodies are measured before, at the poses in `frames`.
"""

from mbsim.elements.dispatch import Chain, Property
from mbsim.elements.kinds import STATE
from mbsim.jit import helper
from mbsim.kernels.laws import law_of
from mbsim.kernels.relative import BIAS, GRADIENT, OPEN_VALUE
from mbsim.kernels.trees import to_coordinates, wrench_of
from mbsim.system._trees import clear, node_of
from mbsim.system.relative_rates import along_bodies

TERMS = 3  # of a row of geometry

phi_of = Chain("rows", "phi", 2, on="relative", otherwise="0.0")
is_coupling = Property("rows", "ON", lambda value: value == "relative")


@helper
def has_couplings(arrays):
    """Whether there are any."""
    found = False
    for e in range(arrays.primitives.shape[0]):
        found |= is_coupling(arrays.primitives[e, 0])
    return found


@helper
def term(g, s):
    """Relative coordinate s of a row, and its factor."""
    return int(g[TERMS + 2 * s]), g[TERMS + 2 * s + 1]


@helper
def rows_of_bodies(arrays, q, C, xi, planar):
    """C and xi in absolute coordinates."""
    n_b, speeds = arrays.frames.shape[0] - 1, 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            g, row = arrays.geometry[e], C[arrays.primitives[e, 1]]
            xi[arrays.primitives[e, 1]] = -law_of(arrays.laws, arrays.primitives[e, 4], 1)
            clear(row)  # then add: the coordinates may share bodies
            for s in range(int(g[0])):
                k, factor = term(g, s)
                for side in range(2):
                    b, o = arrays.relative[k, 1 + side], GRADIENT + speeds * side
                    if b < n_b:
                        for c in range(speeds):
                            row[speeds * b + c] += factor * arrays.relative_values[k, o + c]


@helper
def rows_of_tree(arrays, q, C, xi, planar):
    """C and xi in joint coordinates; the rows of C hold zeros."""
    tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
    size = 3 if planar else 6
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            g, row = arrays.geometry[e], C[arrays.primitives[e, 1]]
            xi[arrays.primitives[e, 1]] = -law_of(arrays.laws, arrays.primitives[e, 4], 1)
            for s in range(int(g[0])):
                k, factor = term(g, s)
                if arrays.relative[k, 0] == STATE:
                    row[arrays.relative[k, 4]] += factor
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
                            (factor * w[0], factor * w[1], factor * w[2], factor * w[3], factor * w[4], factor * w[5]),
                            row,
                        )


@helper
def residuals(arrays, q, phi):
    """phi of these rows."""
    for e in range(arrays.primitives.shape[0]):
        kind = arrays.primitives[e, 0]
        if is_coupling(kind):
            g, s = arrays.geometry[e], 0.0
            for at in range(int(g[0])):
                k, factor = term(g, at)
                s += factor * (q[arrays.relative[k, 3]] if arrays.relative[k, 0] == STATE else arrays.relative_values[k, OPEN_VALUE])
            phi[arrays.primitives[e, 1]] = phi_of(kind, g, s - law_of(arrays.laws, arrays.primitives[e, 4], 0))


@helper
def biases(arrays, q, eta):
    """eta of these rows between bodies in absolute coordinates, and over the coordinates of a tree."""
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            g, own = arrays.geometry[e], -law_of(arrays.laws, arrays.primitives[e, 4], 2)
            for s in range(int(g[0])):
                k, factor = term(g, s)
                own += factor * arrays.relative_values[k, BIAS]
            eta[arrays.primitives[e, 1]] = own


@helper
def biases_of_tree(arrays, eta):
    """eta += the gradients times the bodies' accelerations with v_dot = 0, as `joint_biases` for the rows of joints."""
    for e in range(arrays.primitives.shape[0]):
        if is_coupling(arrays.primitives[e, 0]):
            for s in range(int(arrays.geometry[e, 0])):
                k, factor = term(arrays.geometry[e], s)
                if arrays.relative[k, 0] != STATE:
                    eta[arrays.primitives[e, 1]] += factor * along_bodies(arrays, k)
