"""Bodies in absolute coordinates. Planar: q = v-integrated (x, y, angle) per body, v = q_dot, a constant diagonal mass matrix.

Spatial: q = (r, unit quaternion), v = (r_dot global, omega in body axes), so that the mass matrix is constant, blocks of six. C is a
scatter of the body blocks in `arrays.jacobian`. For the plane and for space, common elements and all, by `mbsim.system.bodies`.
"""

from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

from mbsim.elements.dispatch import Chains, rows_of
from mbsim.jit import helper, unfolded
from mbsim.kernels.relative import OPEN_VALUE, VALUE
from mbsim.kernels.rotations import quaternion_rate, turn_quaternion
from mbsim.system._elements import apply_loads, fill_rows, measure_bodies, push_efforts


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


@helper
def rotor_energy(arrays, v):
    """Only joint coordinates have rotors."""
    return 0.0


def coordinates(planar: bool, every: bool, chains: Chains, shared: ModuleType) -> Any:
    """What the kernels of `mbsim.system.bodies` need of these coordinates."""
    pose_bodies, speed, inertia = shared.pose, shared.speed, shared.inertia
    force_of, eta_of, measure_of, absolute_of = chains.force, chains.eta, chains.measure, chains.absolute
    couplings: Any = import_module("mbsim.system._couplings") if every else None

    @unfolded
    def pose(arrays, q):
        pose_bodies(arrays.frames, arrays.frames.shape[0] - 1, q)

    @unfolded
    def set_speeds(arrays, q, v, laws):
        """Velocities of the bodies whose poses are known, and the relative coordinates between them (`laws`: see `measure_bodies`)."""
        values, n_b = arrays.relative_values, arrays.frames.shape[0] - 1
        speed(arrays.frames, n_b, v)
        if every:
            measure_bodies(arrays, measure_of, planar, laws)
            for k in range(arrays.relative.shape[0]):
                kind, i, j, _, _ = arrays.relative[k]
                values[k, VALUE] = absolute_of(kind, values[k, OPEN_VALUE], arrays.relative_data[k], q, i, j, n_b)

    @unfolded
    def set_out(arrays, q, v):
        pose(arrays, q)
        set_speeds(arrays, q, v, True)

    @unfolded
    def write_rows(arrays, q, C, xi):
        scatter(arrays, C, planar)
        if every and couplings.has_couplings(arrays):
            measure_bodies(arrays, measure_of, planar, True)
            couplings.rows_of_bodies(arrays, q, C, xi, planar)

    @unfolded
    def write_phi(arrays, q, phi):
        if every and couplings.has_couplings(arrays):
            measure_bodies(arrays, measure_of, planar, True)
            couplings.residuals(arrays, q, phi)

    @unfolded
    def evaluate(arrays, q, v, M, h, eta, power):
        set_speeds(arrays, q, v, False)  # `constraints` has left the poses
        inertia(arrays, M, h)
        power[0] = apply_loads(arrays, h, force_of)
        if eta.shape[0] > 0:
            fill_rows(arrays, eta, eta_of)
        if every:
            push_efforts(arrays, h, h, planar)
            if eta.shape[0] > 0:
                couplings.biases(arrays, q, eta)

    return SimpleNamespace(
        pose=pose, set_out=set_out, write_rows=write_rows, write_phi=write_phi, evaluate=evaluate, rotor_energy=rotor_energy
    )


@helper
def rates(arrays, q, v, q_dot):
    """q_dot = N(q) v of spatial bodies."""
    for b in range(v.shape[0] // 6):
        o, p = 6 * b, 7 * b
        for c in range(3):
            q_dot[p + c] = v[o + c]
        quaternion_rate(q[p + 3 : p + 7], v[o + 3 : o + 6], q_dot[p + 3 : p + 7])


@helper
def move(arrays, q, d):
    """q (+) d of spatial bodies."""
    for b in range(d.shape[0] // 6):
        o, p = 6 * b, 7 * b
        for c in range(3):
            q[p + c] += d[o + c]
        turn_quaternion(q[p + 3 : p + 7], d[o + 3 : o + 6])
