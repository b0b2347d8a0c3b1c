"""Planar bodies with the elements that few models have; everything else is `mbsim.system.planar`, which such models do not compile.

Elements are primitives and loads whose kind is EXTENDED or more, and gauges. The helpers are shared with trees, which fill `frames` from
joint coordinates. To add an element, add its equations to `mbsim.kernels` and a case to each of the helpers that concern it.
"""

from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, MEASURE, RESIDUAL, helper, kernel
from mbsim.kernels import planar_rolling as rolling
from mbsim.kernels.planar_gauges import measure as measure_one
from mbsim.kernels.planar_joints import eta_of, phi_of, row_of
from mbsim.kernels.planar_loads import (
    attraction,
    attraction_energy,
    bushing,
    bushing_energy,
    contact,
    contact_energy,
    drag,
    point_of,
    velocity_at,
)
from mbsim.kernels.planar_rows import pose, speed, turned
from mbsim.kernels.primitives import ATTRACTION, BUSHING, CONTACT, DRAG, EXTENDED, HEIGHT, SLIP, STATE, STRETCH, TURNED_FORCE
from mbsim.system import _couplings as couplings
from mbsim.system import _gauges as gauges
from mbsim.system.plain import move, rates
from mbsim.system.planar import accelerations, apply_loads, blocks, body_energy, inertia, law_value, scatter, violations


@helper
def more_blocks(arrays, xi):
    """The body blocks of the rows of elements, and xi of those that differ from a driver's."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        if kind == STRETCH or EXTENDED <= kind < HEIGHT:
            row_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.jacobian, row)
            if kind == STRETCH:
                xi[row] = -law_value(arrays, law, 0)
        elif kind >= HEIGHT:
            xi[row] = rolling.row_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law, arrays.jacobian, row)


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
        if kind == STRETCH or EXTENDED <= kind < HEIGHT:
            eta[row] = eta_of(kind, frames[i], frames[j], arrays.geometry[e]) - law_value(arrays, law, 1 if kind == STRETCH else 2)
        elif kind >= HEIGHT:
            eta[row] = rolling.eta_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law)


@helper
def gauge_bodies(arrays):
    """The gauges between bodies, at the poses and velocities in `frames`; an angle in (-pi, pi]."""
    for k in range(arrays.gauges.shape[0]):
        kind, i, j, _, _ = arrays.gauges[k]
        if kind != STATE:
            measure_one(kind, arrays.frames[i], arrays.frames[j], arrays.gauge_data[k], arrays.gauge_values, k)


@kernel(MEASURE, linked=True)
def measure(arrays, q, v):
    frames = arrays.frames
    n_b = frames.shape[0] - 1
    pose(frames, n_b, q)
    speed(frames, n_b, v)
    gauge_bodies(arrays)


@helper
def push(h, n_b, b, f, sign, fx, fy, px, py, torque):
    """Add the force (fx, fy) at (px, py) and a couple to the loads of body b with frame f."""
    if b < n_b:
        h[3 * b] += sign * fx
        h[3 * b + 1] += sign * fy
        h[3 * b + 2] += sign * ((px - f[0]) * fy - (py - f[1]) * fx + torque)


@helper
def more_loads(arrays, h):
    """Add the loads of elements to h, three places a body, and return the power of what stores no energy; gauges are measured."""
    frames = arrays.frames
    n_b = frames.shape[0] - 1
    power = gauges.efforts(arrays)
    gauges.push(arrays, h, 3)
    for e in range(arrays.loads.shape[0]):
        kind, i, j, law = arrays.loads[e]
        if kind < TURNED_FORCE:
            continue
        p, fi, fj = arrays.load_data[e], frames[i], frames[j]
        x, y = p[3], p[4]
        if law >= 0:
            x, y = arrays.laws[law, 0], arrays.laws[law + 1, 0]
        if kind == TURNED_FORCE:
            fx, fy = turned(fj, x, y)
            px, py = point_of(fi, p[0], p[1])
            vx, vy = velocity_at(fi, px, py)
            torque, done = 0.0, fx * vx + fy * vy
        elif kind == DRAG:
            fx, fy, px, py, torque, done = drag(fi, p, x, y)
        elif kind == ATTRACTION:
            fx, fy, px, py, torque, done = attraction(fi, fj, p, arrays.masses[i, 0])
        elif kind == BUSHING:
            fx, fy, px, py, torque, done = bushing(fi, fj, p)
        else:
            fx, fy, px, py, torque, done = contact(fi, fj, p)
        power += done
        push(h, n_b, i, fi, 1.0, fx, fy, px, py, torque)
        if kind >= ATTRACTION:
            push(h, n_b, j, fj, -1.0, fx, fy, px, py, torque)
    return power


@helper
def more_stored(arrays):
    """Energy that elements store; gauges are measured."""
    potential = gauges.stored(arrays)
    for e in range(arrays.loads.shape[0]):
        kind, i, j, _ = arrays.loads[e]
        if kind >= ATTRACTION:
            p, fi, fj = arrays.load_data[e], arrays.frames[i], arrays.frames[j]
            if kind == ATTRACTION:
                potential += attraction_energy(fi, fj, p, arrays.masses[i, 0])
            elif kind == BUSHING:
                potential += bushing_energy(fi, fj, p)
            elif kind == CONTACT:
                potential += contact_energy(fi, fj, p)
    return potential


@kernel(CONSTRAINTS, linked=True)
def constraints(arrays, t, q, C, xi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    blocks(arrays, xi)
    more_blocks(arrays, xi)
    scatter(arrays, C)
    if couplings.coupled(arrays) > 0:
        gauge_bodies(arrays)
        couplings.rows_of_bodies(arrays, C, 3)


@kernel(RESIDUAL, linked=True)
def residual(arrays, t, q, phi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    violations(arrays, phi)
    more_violations(arrays, phi)
    if couplings.coupled(arrays) > 0:
        gauge_bodies(arrays)
        couplings.residuals(arrays, q, phi)


@kernel(DYNAMICS, linked=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    measure(arrays, q, v)
    inertia(arrays, M, h)
    power[0] = apply_loads(arrays, h) + more_loads(arrays, h)
    accelerations(arrays, eta)
    more_accelerations(arrays, eta)
    couplings.biases(arrays, eta)


@kernel(ENERGY)
def energy(arrays, t, q, v, out):
    measure(arrays, q, v)
    body_energy(arrays, out)
    stored = more_stored(arrays)
    out[1] += stored
    out[2] += stored


__all__ = ["constraints", "dynamics", "energy", "measure", "move", "rates", "residual"]
