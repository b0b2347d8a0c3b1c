"""Spatial bodies with the elements that few models have; everything else is `mbsim.system.spatial`, which such models do not compile.

Elements are primitives and loads whose kind is EXTENDED or more, and gauges. The helpers are shared with trees, which fill `frames` from
joint coordinates. To add an element, add its equations to `mbsim.kernels` and a case to each of the helpers that concern it.
"""

from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, MEASURE, RESIDUAL, helper, kernel
from mbsim.kernels import spatial_rolling as rolling
from mbsim.kernels.primitives import ABOUT, EXTENDED, HEIGHT, SLIP, STATE
from mbsim.kernels.spatial_gauges import measure as measure_one
from mbsim.kernels.spatial_gauges import unwound
from mbsim.kernels.spatial_joints import eta_of, phi_of, row_of
from mbsim.kernels.spatial_rows import pose, speed
from mbsim.system import _gauges as gauges
from mbsim.system.spatial import accelerations, apply_loads, blocks, body_energy, inertia, law_value, move, rates, scatter, violations


@helper
def more_blocks(arrays, xi):
    """The body blocks of the rows of elements, and xi of those that differ from a driver's."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        if kind >= HEIGHT:
            xi[row] = rolling.row_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law, arrays.jacobian, row)
        elif kind >= EXTENDED:
            row_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.jacobian, row)


@helper
def more_violations(arrays, phi):
    """phi of the rows of elements."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        if kind >= HEIGHT:
            if kind < SLIP:
                phi[row] = rolling.phi_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law)
        elif kind >= EXTENDED:
            phi[row] = phi_of(kind, frames[i], frames[j], arrays.geometry[e]) - law_value(arrays, law, 0)


@helper
def more_accelerations(arrays, eta):
    """eta of the rows of elements."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        if kind >= HEIGHT:
            eta[row] = rolling.eta_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law)
        elif kind >= EXTENDED:
            eta[row] = eta_of(kind, frames[i], frames[j], arrays.geometry[e]) - law_value(arrays, law, 2)


@helper
def gauge_bodies(arrays):
    """The gauges between bodies, at the poses and velocities in `frames`; an angle in (-pi, pi]."""
    for k in range(arrays.gauges.shape[0]):
        kind, i, j, _, _ = arrays.gauges[k]
        if kind != STATE:
            measure_one(kind, arrays.frames[i], arrays.frames[j], arrays.gauge_data[k], arrays.gauge_values, k)


@kernel(MEASURE, linked=True)
def measure(arrays, q, v):
    frames, values = arrays.frames, arrays.gauge_values
    n_b = frames.shape[0] - 1
    pose(frames, n_b, q)
    speed(frames, n_b, v)
    gauge_bodies(arrays)
    for k in range(arrays.gauges.shape[0]):
        kind, i, j, _, _ = arrays.gauges[k]
        if kind == ABOUT:
            values[k, 0] = unwound(values[k, 3], arrays.gauge_data[k], q, i, j, n_b)


@helper
def more_loads(arrays, h):
    """Add the loads of elements to h, six places a body, and return the power of those that store no energy; gauges are measured."""
    power = gauges.efforts(arrays)
    gauges.push(arrays, h, 6)
    return power


@helper
def more_stored(arrays):
    """Energy that elements store; gauges are measured."""
    return gauges.stored(arrays)


@kernel(CONSTRAINTS, linked=True)
def constraints(arrays, t, q, C, xi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    blocks(arrays, xi)
    more_blocks(arrays, xi)
    scatter(arrays, C)


@kernel(RESIDUAL, linked=True)
def residual(arrays, t, q, phi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    violations(arrays, phi)
    more_violations(arrays, phi)


@kernel(DYNAMICS, linked=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    measure(arrays, q, v)
    inertia(arrays, M, h)
    power[0] = apply_loads(arrays, h) + more_loads(arrays, h)
    accelerations(arrays, eta)
    more_accelerations(arrays, eta)


@kernel(ENERGY)
def energy(arrays, t, q, v, out):
    measure(arrays, q, v)
    body_energy(arrays, out)
    stored = more_stored(arrays)
    out[1] += stored
    out[2] += stored


__all__ = ["constraints", "dynamics", "energy", "measure", "move", "rates", "residual"]
