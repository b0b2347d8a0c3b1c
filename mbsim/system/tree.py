"""Bodies in joint coordinates: the contracts of `mbsim.jit` over the nodes of a tree (`mbsim.kernels.trees`), for the plane and for space.

M by composite rigid bodies, h by recursive Newton-Euler with v_dot = 0, poses and velocities of the bodies into `frames`, so that loads
and rows are those of absolute coordinates. A row of a body becomes a row of joint speeds by its wrench, taken from node to node towards
the base; its eta gains J times the accelerations that the bodies have with v_dot = 0. `dynamics` called with an M of no rows evaluates
laws and loads only and leaves the joint forces that are applied in h: what the methods for trees ask for.

The kernels are called and made as those of `mbsim.system.absolute`.
"""

from functools import cache
from importlib import import_module
from typing import Any

from mbsim.elements.dispatch import Chains, Property
from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, MEASURE, MOVE, RATES, RESIDUAL, helper
from mbsim.kernels.composite import mass_matrix
from mbsim.kernels.relative import OPEN_VALUE, VALUE
from mbsim.kernels.trees import count_turns, gather, place, poses, spread, sweep
from mbsim.system import _trees as trees
from mbsim.system import plain
from mbsim.system._elements import (
    accelerations,
    apply_loads,
    blocks,
    measure_bodies,
    measure_states,
    push_efforts,
    push_states,
    stored,
    violations,
)
from mbsim.system.variants import Kernels, lookup, named

reads_attitudes = Property("rows", "ATTITUDES", False)


@cache
def kernels(dimension: int, common: bool) -> Kernels:
    """Those of planar or spatial bodies that know the `common` elements, or all."""
    planar, every = dimension == 2, not common
    bodies: Any = import_module(f"mbsim.kernels.{'planar' if planar else 'spatial'}_rows")
    body_energies = bodies.body_energies
    chains = Chains(dimension, common)
    row, phi_of, eta_of, force, energy_of = chains.row, chains.phi, chains.eta, chains.force, chains.energy
    measure_of, cut_of = chains.measure, chains.cut
    quaternions = every and not planar
    couplings: Any = import_module("mbsim.system._couplings") if every else None
    attitudes: Any = import_module("mbsim.kernels.tree_attitudes") if quaternions else None
    kernel = named(dimension, common)

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
    def set_out(arrays, q, v):
        """Poses and velocities of nodes and bodies, and the relative coordinates."""
        sweep(arrays.tree, arrays.tree_data, arrays.tree_work, q, v)
        set_down(arrays, q)
        if every:
            measure_bodies(arrays, measure_of, planar)
            for k in range(arrays.gauges.shape[0]):
                arrays.gauge_values[k, VALUE] = cut_of(arrays.gauges[k, 0], arrays.gauge_values[k, OPEN_VALUE])
            measure_states(arrays, q, v)

    @kernel(CONSTRAINTS, linked=True)
    def constraints(arrays, t, q, C, xi):
        if C.shape[0] > 0:
            poses(arrays.tree, arrays.tree_data, arrays.tree_work, q)
            set_down(arrays, q)
            blocks(arrays, xi, row)
            trees.joint_rows(arrays, C, xi, planar)
            if every and couplings.coupled(arrays):
                measure_bodies(arrays, measure_of, planar)
                couplings.rows_of_tree(arrays, q, C, xi, planar)

    @kernel(RESIDUAL, linked=True)
    def residual(arrays, t, q, phi):
        poses(arrays.tree, arrays.tree_data, arrays.tree_work, q)
        set_down(arrays, q)
        violations(arrays, phi, phi_of)
        trees.driven(arrays, q, phi)
        if every and couplings.coupled(arrays):
            measure_bodies(arrays, measure_of, planar)
            couplings.residuals(arrays, q, phi)

    @kernel(DYNAMICS, linked=True)
    def dynamics(arrays, t, q, v, M, h, eta, power):
        tree, data, work = arrays.tree, arrays.tree_data, arrays.tree_work
        if every:
            set_out(arrays, q, v)
        else:
            sweep(tree, data, work, q, v)
            if arrays.wrenches.shape[0] > 0 or arrays.primitives.shape[0] > 0:
                set_down(arrays, q)
        power[0] = trees.efforts(arrays, v, h)
        if arrays.wrenches.shape[0] > 0:
            trees.clear(arrays.wrenches)
            power[0] += apply_loads(arrays, arrays.wrenches, force)
            if every:
                push_efforts(arrays, arrays.wrenches, planar)
                push_states(arrays, h)
            trees.external(arrays, planar)
        if M.shape[0] > 0 or arrays.primitives.shape[0] > 0:
            spread(tree, data, work, v, v, False, arrays.gravity[0], arrays.gravity[1], arrays.gravity[2])
        if arrays.primitives.shape[0] > 0:
            accelerations(arrays, eta, eta_of)
            if every:
                couplings.biases(arrays, q, eta)
            trees.joint_biases(arrays, eta, planar)
            if every:
                couplings.biases_of_tree(arrays, q, eta, planar)
        if M.shape[0] > 0:
            gather(tree, data, work)
            trees.joint_forces(arrays, h)
            mass_matrix(tree, data, work, M)

    @kernel(ENERGY)
    def energy(arrays, t, q, v, out):
        set_out(arrays, q, v)
        kinetic, potential = body_energies(arrays)
        potential += stored(arrays, energy_of)
        out[0], out[1], out[2] = kinetic, potential, kinetic + potential

    made = Kernels(constraints, dynamics, residual, *motion(dimension), energy)
    if common:
        return made

    @kernel(MEASURE, linked=True)
    def measure(arrays, q, v):
        set_out(arrays, q, v)

    return made._replace(measure=measure)


@cache
def motion(dimension: int) -> tuple[Any, Any]:
    """The kernels of q_dot = N(q) v and q (+) d."""
    if dimension == 2:
        return plain.rates, plain.move
    kernel = named(3, True)

    @kernel(RATES)
    def rates(arrays, q, v, q_dot):
        trees.rates(arrays.tree, q, v, q_dot)

    @kernel(MOVE)
    def move(arrays, q, d):
        trees.move(arrays.tree, q, d)

    return rates, move


def __getattr__(name: str) -> Any:
    return lookup(name, kernels, motion)
