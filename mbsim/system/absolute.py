"""Bodies in absolute coordinates: the contracts of `mbsim.jit` over the tables of `Arrays`, once for the plane and for space.

Planar: q = v-integrated (x, y, angle) per body, v = q_dot, a constant diagonal mass matrix. Spatial: q = (r, unit quaternion), v = (r_dot
global, omega in body axes), so that the mass matrix is constant, blocks of six. C is a scatter of the body blocks in `arrays.jacobian`. The
rows of the user's equations and the laws are added by the functions of `mbsim.system.laws`, which call the ones here.

The kernels are names of this module, such as `planar_constraints`; those that know all elements, not the common ones only, have `all` in
the name: `spatial_all_dynamics`. They are made when they are asked for.
"""

from functools import cache
from importlib import import_module
from typing import Any

from mbsim.elements.dispatch import Chains, rows_of
from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, MEASURE, MOVE, RATES, RESIDUAL, helper, unfolded
from mbsim.kernels.relative import OPEN_VALUE, VALUE
from mbsim.kernels.rotations import quaternion_rate, turn_quaternion
from mbsim.system import plain
from mbsim.system._elements import accelerations, apply_loads, blocks, measure_bodies, push_efforts, stored, violations
from mbsim.system.variants import Kernels, lookup, named


@unfolded
def scatter(arrays, C, planar):
    """C from the body blocks of the rows of joints and drivers; an empty C is left alone."""
    J, size = arrays.jacobian, 3 if planar else 6
    movable = arrays.frames.shape[0] - 1 if C.shape[0] > 0 else -1  # bodies below this have columns of C to fill
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, _ = arrays.primitives[e]
        for r in range(row, row + rows_of(kind, planar)):
            if i < movable:
                for c in range(size):
                    C[r, size * i + c] = J[r, c]
            if j < movable:
                for c in range(size):
                    C[r, size * j + c] = J[r, size + c]


@cache
def kernels(dimension: int, common: bool) -> Kernels:
    """Those of planar or spatial bodies that know the `common` elements, or all."""
    planar, every = dimension == 2, not common
    bodies: Any = import_module(f"mbsim.kernels.{'planar' if planar else 'spatial'}_rows")
    pose, speed, inertia, body_energies = bodies.pose, bodies.speed, bodies.inertia, bodies.body_energies
    chains = Chains(dimension, common)
    row, phi_of, eta_of, force, energy_of = chains.row, chains.phi, chains.eta, chains.force, chains.energy
    measure_of, absolute_of = chains.measure, chains.absolute
    kernel = named(dimension, common)
    couplings: Any = import_module("mbsim.system._couplings") if every else None

    @helper
    def set_out(arrays, q, v):
        """Poses and velocities of the bodies, and the relative coordinates between them."""
        frames, values = arrays.frames, arrays.gauge_values
        n_b = frames.shape[0] - 1
        pose(frames, n_b, q)
        speed(frames, n_b, v)
        if every:
            measure_bodies(arrays, measure_of, planar)
            for k in range(arrays.gauges.shape[0]):
                kind, i, j, _, _ = arrays.gauges[k]
                values[k, VALUE] = absolute_of(kind, values[k, OPEN_VALUE], arrays.gauge_data[k], q, i, j, n_b)

    @kernel(CONSTRAINTS, linked=True)
    def constraints(arrays, t, q, C, xi):
        pose(arrays.frames, arrays.frames.shape[0] - 1, q)
        blocks(arrays, xi, row)
        scatter(arrays, C, planar)
        if every and couplings.coupled(arrays):
            measure_bodies(arrays, measure_of, planar)
            couplings.rows_of_bodies(arrays, q, C, xi, planar)

    @kernel(RESIDUAL, linked=True)
    def residual(arrays, t, q, phi):
        pose(arrays.frames, arrays.frames.shape[0] - 1, q)
        violations(arrays, phi, phi_of)
        if every and couplings.coupled(arrays):
            measure_bodies(arrays, measure_of, planar)
            couplings.residuals(arrays, q, phi)

    @kernel(DYNAMICS, linked=True)
    def dynamics(arrays, t, q, v, M, h, eta, power):
        if every:
            set_out(arrays, q, v)
        else:
            speed(arrays.frames, arrays.frames.shape[0] - 1, v)
        inertia(arrays, M, h)
        power[0] = apply_loads(arrays, h, force)
        if every:
            push_efforts(arrays, h, planar)
        accelerations(arrays, eta, eta_of)
        if every:
            couplings.biases(arrays, q, eta)

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
        for b in range(v.shape[0] // 6):
            o, p = 6 * b, 7 * b
            for c in range(3):
                q_dot[p + c] = v[o + c]
            quaternion_rate(q[p + 3 : p + 7], v[o + 3 : o + 6], q_dot[p + 3 : p + 7])

    @kernel(MOVE)
    def move(arrays, q, d):
        for b in range(d.shape[0] // 6):
            o, p = 6 * b, 7 * b
            for c in range(3):
                q[p + c] += d[o + c]
            turn_quaternion(q[p + 3 : p + 7], d[o + 3 : o + 6])

    return rates, move


def __getattr__(name: str) -> Any:
    return lookup(name, kernels, motion)
