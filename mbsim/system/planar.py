"""Planar bodies: q = v-integrated (x, y, angle) per body, v = q_dot; constant diagonal mass matrix, rows that touch two bodies.

Contracts of `mbsim.jit` over the tables of `Arrays`. C is a scatter of the body blocks in `arrays.jacobian`. The rows of the user's
equations and the laws are added by the functions of `mbsim.system.laws`, which call the ones here.
"""

from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, RESIDUAL, helper, kernel
from mbsim.kernels.planar_rows import plane_eta, plane_phi, plane_row, point_eta, point_phi, point_rows, pose, speed, spring, turned
from mbsim.kernels.primitives import ANGLE, FORCE, IN_PLANE, POINT, SPRING, TORQUE
from mbsim.system.plain import move, rates


@helper
def law_value(arrays, law, order):
    return arrays.laws[law, order] if law >= 0 else 0.0


@helper
def blocks(arrays, xi):
    """The body blocks of the rows that joints and drivers give, and xi; shared with trees, whose `frames` come from joint coordinates."""
    frames, J = arrays.frames, arrays.jacobian
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        g, rows = arrays.geometry[e], 1
        if kind == POINT:
            point_rows(frames[i], frames[j], g, J, row)
            rows = 2
        elif kind == IN_PLANE:
            plane_row(frames[i], frames[j], g, J, row)
        elif kind == ANGLE:
            J[row, 2], J[row, 5] = -1.0, 1.0
        for r in range(row, row + rows):
            xi[r] = -law_value(arrays, law, 1)


@helper
def scatter(arrays, C):
    """C from the body blocks of the rows of joints and drivers; an empty C is left alone."""
    J = arrays.jacobian
    movable = arrays.frames.shape[0] - 1 if C.shape[0] > 0 else -1  # bodies below this have columns of C to fill
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, _ = arrays.primitives[e]
        for r in range(row, row + (2 if kind == POINT else 1)):
            if i < movable:
                for c in range(3):
                    C[r, 3 * i + c] = J[r, c]
            if j < movable:
                for c in range(3):
                    C[r, 3 * j + c] = J[r, 3 + c]


@kernel(CONSTRAINTS, linked=True)
def constraints(arrays, t, q, C, xi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    blocks(arrays, xi)
    scatter(arrays, C)


@helper
def violations(arrays, phi):
    """phi of the rows that joints and drivers give, at the poses in `frames`."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        g = arrays.geometry[e]
        if kind == POINT:
            point_phi(frames[i], frames[j], g, phi, row)
        elif kind == IN_PLANE:
            phi[row] = plane_phi(frames[i], frames[j], g) - law_value(arrays, law, 0)
        elif kind == ANGLE:
            phi[row] = frames[j, 4] - frames[i, 4] - g[6] - law_value(arrays, law, 0)


@kernel(RESIDUAL, linked=True)
def residual(arrays, t, q, phi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    violations(arrays, phi)


@helper
def push(h, n_b, b, fx, fy, torque):
    if b < n_b:
        h[3 * b] += fx
        h[3 * b + 1] += fy
        h[3 * b + 2] += torque


@helper
def apply_loads(arrays, h):
    """Add the loads to h, three places a body, and return their power; poses and velocities are in `frames`."""
    frames = arrays.frames
    n_b = frames.shape[0] - 1
    done = 0.0
    for e in range(arrays.loads.shape[0]):
        kind, i, j, law = arrays.loads[e]
        p = arrays.load_data[e]
        fi, fj = frames[i], frames[j]
        if kind == FORCE:
            fx = arrays.laws[law, 0] if law >= 0 else p[3]
            fy = arrays.laws[law + 1, 0] if law >= 0 else p[4]
            ax, ay = turned(fi, p[0], p[1])
            torque = ax * fy - ay * fx
            push(h, n_b, i, fx, fy, torque)
            done += fx * fi[5] + fy * fi[6] + torque * fi[7]
        elif kind == TORQUE:
            torque = arrays.laws[law, 0] if law >= 0 else p[3]
            push(h, n_b, i, 0.0, 0.0, torque)
            done += torque * fi[7]
        elif kind == SPRING:
            dx, dy, length, rate, ax, ay, bx, by = spring(fi, fj, p)
            tension = p[6] * (length - p[8]) + p[7] * rate
            push(h, n_b, i, tension * dx, tension * dy, tension * (ax * dy - ay * dx))
            push(h, n_b, j, -tension * dx, -tension * dy, -tension * (bx * dy - by * dx))
            done -= p[7] * rate * rate
    return done


@helper
def accelerations(arrays, eta):
    """eta of the rows that joints and drivers give, at the poses and velocities in `frames`."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        g = arrays.geometry[e]
        if kind == POINT:
            point_eta(frames[i], frames[j], g, eta, row)
        elif kind == IN_PLANE:
            eta[row] = plane_eta(frames[i], frames[j], g) - law_value(arrays, law, 2)
        elif kind == ANGLE:
            eta[row] = -law_value(arrays, law, 2)


@helper
def inertia(arrays, M, h):
    """M, where it is wanted, and gravity in h."""
    for b in range(arrays.frames.shape[0] - 1):
        m = arrays.masses[b, 0]
        if M.shape[0] > 0:
            M[3 * b, 3 * b], M[3 * b + 1, 3 * b + 1], M[3 * b + 2, 3 * b + 2] = m, m, arrays.masses[b, 1]
        h[3 * b], h[3 * b + 1], h[3 * b + 2] = m * arrays.gravity[0], m * arrays.gravity[1], 0.0


@kernel(DYNAMICS, linked=True)
def dynamics(arrays, t, q, v, M, h, eta, power):
    speed(arrays.frames, arrays.frames.shape[0] - 1, v)
    inertia(arrays, M, h)
    power[0] = apply_loads(arrays, h)
    accelerations(arrays, eta)


@helper
def stored(arrays):
    """Energy of the springs."""
    frames, potential = arrays.frames, 0.0
    for e in range(arrays.loads.shape[0]):
        kind, i, j, _ = arrays.loads[e]
        if kind == SPRING:
            p = arrays.load_data[e]
            length = spring(frames[i], frames[j], p)[2]
            potential += 0.5 * p[6] * (length - p[8]) ** 2
    return potential


@helper
def body_energy(arrays, out):
    """Kinetic, potential and total energy of the poses and velocities in `frames`."""
    frames = arrays.frames
    n_b = frames.shape[0] - 1
    kinetic, potential = 0.0, 0.0
    for b in range(n_b):
        f, m = frames[b], arrays.masses[b, 0]
        kinetic += 0.5 * (m * (f[5] * f[5] + f[6] * f[6]) + arrays.masses[b, 1] * f[7] * f[7])
        potential -= m * (arrays.gravity[0] * f[0] + arrays.gravity[1] * f[1])
    potential += stored(arrays)
    out[0], out[1], out[2] = kinetic, potential, kinetic + potential


@kernel(ENERGY)
def energy(arrays, t, q, v, out):
    n_b = arrays.frames.shape[0] - 1
    pose(arrays.frames, n_b, q)
    speed(arrays.frames, n_b, v)
    body_energy(arrays, out)


__all__ = ["constraints", "dynamics", "energy", "move", "rates", "residual"]
