"""What implicit steps of trees in joint coordinates take of the tangents: the diagonal of c_v D + c_q K over the joint coordinates.

Springs, dampers, limits and friction along a relative coordinate x, which are what makes a tree stiff, have K = -(d effort / dx) g g' with
the gradient g of x over the joint coordinates. Where x is the coordinate of one joint there is nothing beside the diagonal. The rest is
left out, as K is here only to steer an iteration. The loads' own functions are transformed by `mbsim.jit.forward`.
"""

from functools import cache

from mbsim.contracts import BLOCK_TANGENT
from mbsim.elements.dispatch import Chains, Property
from mbsim.elements.kinds import STATE
from mbsim.jit import Compiled, helper, kernel
from mbsim.jit.forward import derivative
from mbsim.kernels.linalg import clear
from mbsim.kernels.relative import EFFORT, GRADIENT, RATE, VALUE
from mbsim.kernels.tree_columns import KIND, PARENT, V
from mbsim.kernels.tree_rows import common_node, row_to_coordinates
from mbsim.kernels.trees import speeds_of
from mbsim.system._trees import node_of
from mbsim.system.block_tangents import MOVED, Twin
from mbsim.system.plain import no_tangent
from mbsim.system.system import System

SPEED = 4  # column of Arrays.relative
_is_along = Property("loads", "ON", lambda value: value == "relative")


@helper
def add_squares(tree, node, top, slope, g, S):
    """S += slope g^2 at the speeds of the nodes from `node` to `top`, and g becomes zero there."""
    while node != top and node >= 0:
        for k in range(tree[node, V], tree[node, V] + speeds_of(tree[node, KIND])):
            S[k] += slope * g[k] * g[k]
            g[k] = 0.0
        node = tree[node, PARENT]


@cache
def diagonal_tangent(dimension: int) -> Compiled:
    """The kernel of contract BLOCK_TANGENT at the state that was evaluated last; `S` (n,) is the diagonal that is added to."""
    planar = dimension == 2
    size = 3 if planar else 6
    force_d = derivative(Chains(dimension, False).force, False, MOVED, False, False, False, False, True)

    def made(arrays, frames, relative_values, laws, J_d, q, v, lam, slopes, c_q, c_v, table, scratch, local, S):
        tree, data, nodes = arrays.tree, arrays.tree_data, arrays.tree_work
        twin, g, out_d = Twin(frames, relative_values, laws), scratch[0], scratch[1]
        clear(g)
        for e in range(arrays.loads.shape[0]):
            kind, i, j, law = arrays.loads[e]
            if not _is_along(kind):
                continue
            k = int(arrays.load_data[e, 0])
            values, values_d = arrays.relative_values[k], twin.relative_values[k]
            effort = values[EFFORT]
            values_d[VALUE], values_d[RATE], values_d[EFFORT] = c_q, c_v, 0.0
            force_d(kind, arrays, twin, i, j, law, arrays.load_data[e], g, out_d)
            slope = -values_d[EFFORT]
            values[EFFORT], values_d[VALUE], values_d[RATE], values_d[EFFORT] = effort, 0.0, 0.0, 0.0
            if arrays.relative[k, 0] == STATE:
                S[arrays.relative[k, SPEED]] += slope
                continue
            first, second = node_of(arrays, arrays.relative[k, 1]), node_of(arrays, arrays.relative[k, 2])
            top = common_node(tree, first, second)
            gradient = values[GRADIENT:]
            if first >= 0:
                row_to_coordinates(tree, data, nodes, first, top, gradient, 0, planar, 0.0, g)
            if second >= 0:
                row_to_coordinates(tree, data, nodes, second, top, gradient, size, planar, 0.0, g)
            add_squares(tree, first, top, slope, g, S)
            add_squares(tree, second, top, slope, g, S)

    made.__name__ = made.__qualname__ = f"{'planar' if planar else 'spatial'}_diagonal_tangent"
    return kernel(BLOCK_TANGENT)(made)


def diagonal_tangent_of(system: System) -> Compiled:
    """The kernel for a system."""
    return diagonal_tangent(system.dimension or 3) if len(system.arrays.relative) else no_tangent
