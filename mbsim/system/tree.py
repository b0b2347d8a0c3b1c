"""Bodies in joint coordinates, over the nodes of a tree (`mbsim.kernels.trees`). For the plane and for space by `mbsim.system.bodies`.

M by composite rigid bodies, h by recursive Newton-Euler with v_dot = 0, poses and velocities of the bodies into `frames`, so that loads
and rows are those of absolute coordinates. A row of a body becomes a row of joint speeds by its wrench, taken from node to node towards
the base; its eta gains J times the accelerations that the bodies have with v_dot = 0. `dynamics` called with an M of no rows evaluates
laws and loads only and leaves the joint forces that are applied in h: what the methods for trees ask for.
"""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from mbsim.elements.dispatch import Chains, Property
from mbsim.jit import helper
from mbsim.kernels.composite import mass_matrix
from mbsim.kernels.linalg import clear
from mbsim.kernels.primitives import BALL, FREE
from mbsim.kernels.relative import OPEN_VALUE, VALUE
from mbsim.kernels.rotations import quaternion_rate, turn_quaternion
from mbsim.kernels.tree_columns import KIND, TURN, Q, V
from mbsim.kernels.trees import count_turns, joint_forces, place, poses, rnea_backward, rnea_forward, speeds_of, sweep
from mbsim.system import _trees as trees
from mbsim.system._elements import apply_loads, fill_rows, measure_bodies, measure_states, push_efforts

reads_attitudes = Property("rows", "ATTITUDES")


def coordinates(planar: bool, every: bool, chains: Chains, shared: object) -> Any:
    """What the kernels of `mbsim.system.bodies` need of these coordinates."""
    force_of, eta_of, measure_of, cut_of = chains.force, chains.eta, chains.measure, chains.cut
    quaternions = every and not planar
    couplings: Any = import_module("mbsim.system._couplings") if every else None
    attitudes: Any = import_module("mbsim.kernels.tree_attitudes") if quaternions else None

    @helper
    def set_down(arrays, q):
        """The bodies' rows of `frames` from the nodes, with quaternions where a constraint asks for them."""
        tree, data, frames = arrays.tree, arrays.tree_data, arrays.frames
        place(tree, data, arrays.tree_work, frames, planar)
        if planar:
            count_turns(tree, data, arrays.tree_work, frames, q)
        if quaternions:
            for e in range(arrays.primitives.shape[0]):
                if reads_attitudes(arrays.primitives[e, 0]):
                    for side in range(2):
                        b = arrays.primitives[e, 2 + side]
                        node = trees.node_of(arrays, b)
                        if node >= 0:
                            frames[b, 18], frames[b, 19], frames[b, 20], frames[b, 21] = attitudes.attitude(tree, data, node, q)

    @helper
    def pose(arrays, q):
        poses(arrays.tree, arrays.tree_data, arrays.tree_work, q)
        set_down(arrays, q)

    @helper
    def sweep_out(arrays, q, v, laws):
        """Poses and velocities of nodes and bodies, and the relative coordinates (`laws`: see `measure_bodies`)."""
        sweep(arrays.tree, arrays.tree_data, arrays.tree_work, q, v)
        set_down(arrays, q)
        if every:
            measure_bodies(arrays, measure_of, planar, laws)
            for k in range(arrays.relative.shape[0]):
                arrays.relative_values[k, VALUE] = cut_of(arrays.relative[k, 0], arrays.relative_values[k, OPEN_VALUE])
            measure_states(arrays, q, v)

    @helper
    def set_out(arrays, q, v):
        """The same with all that laws read."""
        sweep_out(arrays, q, v, True)

    @helper
    def write_rows(arrays, q, C, xi):
        trees.joint_rows(arrays, C, xi, planar)
        if every and couplings.has_couplings(arrays):
            measure_bodies(arrays, measure_of, planar, True)
            couplings.rows_of_tree(arrays, q, C, xi, planar)

    @helper
    def write_phi(arrays, q, phi):
        trees.driven(arrays, q, phi)
        if every and couplings.has_couplings(arrays):
            measure_bodies(arrays, measure_of, planar, True)
            couplings.residuals(arrays, q, phi)

    @helper
    def evaluate(arrays, q, v, M, h, eta, power):
        tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
        if every:
            sweep_out(arrays, q, v, False)
        else:
            sweep(tree, data, work, q, v)
            if arrays.wrenches.shape[0] > 0 or arrays.primitives.shape[0] > 0:
                set_down(arrays, q)
        power[0] = trees.efforts(arrays, v, h)
        if arrays.wrenches.shape[0] > 0:
            clear(arrays.wrenches)
            power[0] += apply_loads(arrays, arrays.wrenches, force_of)
            if every:
                push_efforts(arrays, arrays.wrenches, h, planar)
            trees.external(arrays, planar)
        if M.shape[0] > 0 or arrays.primitives.shape[0] > 0:
            rnea_forward(tree, data, work, v, v, False, arrays.gravity)
        if arrays.primitives.shape[0] > 0:
            fill_rows(arrays, eta, eta_of)
            trees.joint_biases(arrays, eta, planar)
            if every:
                couplings.biases(arrays, q, eta)
                couplings.biases_of_tree(arrays, eta)
        if M.shape[0] > 0:
            rnea_backward(tree, data, work)
            joint_forces(arrays, h)
            mass_matrix(tree, data, work, M)

    return SimpleNamespace(
        pose=pose, set_out=set_out, write_rows=write_rows, write_phi=write_phi, evaluate=evaluate, rotor_energy=trees.rotor_energy
    )


@helper
def rates(arrays, q, v, q_dot):
    """q_dot = N(q) v."""
    tree = arrays.tree
    for i in range(tree.shape[0]):
        kind, o, p = tree[i, KIND], tree[i, V], tree[i, Q]
        if kind == BALL:
            quaternion_rate(q[p : p + 4], v[o : o + 3], q_dot[p : p + 4])
        elif kind == FREE:
            for c in range(3):
                q_dot[p + c] = v[o + c]
            quaternion_rate(q[p + TURN : p + TURN + 4], v[o + TURN : o + TURN + 3], q_dot[p + TURN : p + TURN + 4])
        elif speeds_of(kind) == 1:
            q_dot[p] = v[o]


@helper
def move(arrays, q, d):
    """q (+) d."""
    tree = arrays.tree
    for i in range(tree.shape[0]):
        kind, o, p = tree[i, KIND], tree[i, V], tree[i, Q]
        if kind == BALL:
            turn_quaternion(q[p : p + 4], d[o : o + 3])
        elif kind == FREE:
            for c in range(3):
                q[p + c] += d[o + c]
            turn_quaternion(q[p + TURN : p + TURN + 4], d[o + TURN : o + TURN + 3])
        elif speeds_of(kind) == 1:
            q[p] += d[o]
