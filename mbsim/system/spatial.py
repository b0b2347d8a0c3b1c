"""Spatial bodies: q = (r, unit quaternion), v = (r_dot global, omega in body axes), so that the mass matrix is constant, blocks of six.

Contracts of `mbsim.jit` over the tables of `Arrays`; the counterpart of `mbsim.system.planar`, equations in
`mbsim.kernels.spatial_rows`. Gyroscopic term: -omega x (I omega) in body axes.
"""

from mbsim.jit import CONSTRAINTS, DYNAMICS, ENERGY, MOVE, RATES, RESIDUAL, helper, kernel
from mbsim.kernels.primitives import FORCE, IN_PLANE, PERPENDICULAR, POINT, SPRING, TORQUE, TURN
from mbsim.kernels.rotations import quaternion_rate, turn_quaternion
from mbsim.kernels.spatial_rows import (
    angle_eta,
    angle_phi,
    angle_row,
    cross,
    moving_axis,
    plane_eta,
    plane_phi,
    plane_row,
    point_rows,
    pose,
    separation,
    separation_bias,
    speed,
    spring,
    swept,
    to_body,
)

QUARTER = 1.5707963267948966  # pi / 2


@helper
def law_value(arrays, law, order):
    return arrays.laws[law, order] if law >= 0 else 0.0


@helper
def blocks(arrays, xi):
    """The body blocks of the rows that joints and drivers give, and xi; shared with trees, whose `frames` come from joint coordinates."""
    frames, J = arrays.frames, arrays.jacobian
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        g, fi, fj = arrays.geometry[e], frames[i], frames[j]
        xi[row] = -law_value(arrays, law, 1)
        if kind == POINT:
            point_rows(fi, fj, g, J, row)
            xi[row + 1], xi[row + 2] = 0.0, 0.0
        elif kind == IN_PLANE:
            plane_row(fi, fj, g, J, row)
        elif kind == PERPENDICULAR:
            angle_row(fi, fj, g[6], g[7], g[8], g, J, row)
        elif kind == TURN:
            angle = law_value(arrays, law, 0)
            ax, ay, az = moving_axis(g, angle)
            angle_row(fi, fj, ax, ay, az, g, J, row)
            # da/df = -(x cos f + y sin f) = a(f + pi/2)
            ux, uy, uz = moving_axis(g, angle + QUARTER)
            xi[row] = law_value(arrays, law, 1) * angle_phi(fi, fj, ux, uy, uz, g)


@helper
def scatter(arrays, C):
    """C from the body blocks of the rows of joints and drivers; an empty C is left alone."""
    J = arrays.jacobian
    movable = arrays.frames.shape[0] - 1 if C.shape[0] > 0 else -1  # bodies below this have columns of C to fill
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, _ = arrays.primitives[e]
        for r in range(row, row + (3 if kind == POINT else 1)):
            if i < movable:
                for c in range(6):
                    C[r, 6 * i + c] = J[r, c]
            if j < movable:
                for c in range(6):
                    C[r, 6 * j + c] = J[r, 6 + c]


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
        g, fi, fj = arrays.geometry[e], frames[i], frames[j]
        if kind == POINT:
            phi[row], phi[row + 1], phi[row + 2] = separation(fi, fj, g)
        elif kind == IN_PLANE:
            phi[row] = plane_phi(fi, fj, g) - law_value(arrays, law, 0)
        elif kind == PERPENDICULAR:
            phi[row] = angle_phi(fi, fj, g[6], g[7], g[8], g)
        elif kind == TURN:
            ax, ay, az = moving_axis(g, law_value(arrays, law, 0))
            phi[row] = angle_phi(fi, fj, ax, ay, az, g)


@kernel(RESIDUAL, linked=True)
def residual(arrays, t, q, phi):
    pose(arrays.frames, arrays.frames.shape[0] - 1, q)
    violations(arrays, phi)


@helper
def push(h, n_b, b, f, s, p, fx, fy, fz):
    """Add the global force (fx, fy, fz) at the body point p[s:s + 3] of body b with frame f."""
    if b < n_b:
        o = 6 * b
        h[o] += fx
        h[o + 1] += fy
        h[o + 2] += fz
        fx, fy, fz = to_body(f, fx, fy, fz)
        x, y, z = cross(p[s], p[s + 1], p[s + 2], fx, fy, fz)
        h[o + 3] += x
        h[o + 4] += y
        h[o + 5] += z


@helper
def apply_loads(arrays, h):
    """Add the loads to h, six places a body, and return their power; poses and velocities are in `frames`."""
    frames = arrays.frames
    n_b = frames.shape[0] - 1
    done = 0.0
    for e in range(arrays.loads.shape[0]):
        kind, i, j, law = arrays.loads[e]
        p = arrays.load_data[e]
        fi, fj = frames[i], frames[j]
        x, y, z = p[3], p[4], p[5]
        if law >= 0:
            x, y, z = arrays.laws[law, 0], arrays.laws[law + 1, 0], arrays.laws[law + 2, 0]
        if kind == FORCE:
            push(h, n_b, i, fi, 0, p, x, y, z)
            ux, uy, uz = swept(fi, p[0], p[1], p[2])
            done += x * (fi[12] + ux) + y * (fi[13] + uy) + z * (fi[14] + uz)
        elif kind == TORQUE:
            x, y, z = to_body(fi, x, y, z)
            o = 6 * i
            h[o + 3] += x
            h[o + 4] += y
            h[o + 5] += z
            done += x * fi[15] + y * fi[16] + z * fi[17]
        elif kind == SPRING:
            dx, dy, dz, length, rate = spring(fi, fj, p)
            tension = p[6] * (length - p[8]) + p[7] * rate
            push(h, n_b, i, fi, 0, p, tension * dx, tension * dy, tension * dz)
            push(h, n_b, j, fj, 3, p, -tension * dx, -tension * dy, -tension * dz)
            done -= p[7] * rate * rate
    return done


@helper
def accelerations(arrays, eta):
    """eta of the rows that joints and drivers give, at the poses and velocities in `frames`."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        g, fi, fj = arrays.geometry[e], frames[i], frames[j]
        if kind == POINT:
            eta[row], eta[row + 1], eta[row + 2] = separation_bias(fi, fj, g)
        elif kind == IN_PLANE:
            eta[row] = plane_eta(fi, fj, g) - law_value(arrays, law, 2)
        elif kind == PERPENDICULAR:
            eta[row] = angle_eta(fi, fj, g[6], g[7], g[8], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, g)
        elif kind == TURN:
            angle, rate, second = law_value(arrays, law, 0), law_value(arrays, law, 1), law_value(arrays, law, 2)
            ax, ay, az = moving_axis(g, angle)
            bx, by, bz = moving_axis(g, angle + QUARTER)
            eta[row] = angle_eta(
                fi, fj, ax, ay, az, rate * bx, rate * by, rate * bz,
                second * bx - rate * rate * ax, second * by - rate * rate * ay, second * bz - rate * rate * az, g,
            )  # fmt: skip


@helper
def inertia(arrays, M, h):
    """M, where it is wanted, and the gravity and gyroscopic forces in h; velocities are in `frames`."""
    frames, masses = arrays.frames, arrays.masses
    for b in range(frames.shape[0] - 1):
        m, I, f, o = masses[b, 0], masses[b, 1:], frames[b], 6 * b
        for c in range(3):
            h[o + c] = m * arrays.gravity[c]
        if M.shape[0] > 0:
            for c in range(3):
                M[o + c, o + c] = m
                for k in range(3):
                    M[o + 3 + c, o + 3 + k] = I[3 * c + k]
        x, y, z = f[15], f[16], f[17]
        lx, ly, lz = I[0] * x + I[1] * y + I[2] * z, I[3] * x + I[4] * y + I[5] * z, I[6] * x + I[7] * y + I[8] * z
        h[o + 3], h[o + 4], h[o + 5] = cross(lx, ly, lz, x, y, z)


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
            length = spring(frames[i], frames[j], p)[3]
            potential += 0.5 * p[6] * (length - p[8]) ** 2
    return potential


@helper
def body_energy(arrays, out):
    """Kinetic, potential and total energy of the poses and velocities in `frames`."""
    frames = arrays.frames
    n_b = frames.shape[0] - 1
    kinetic, potential = 0.0, 0.0
    for b in range(n_b):
        f, m, I = frames[b], arrays.masses[b, 0], arrays.masses[b, 1:]
        for c in range(3):
            kinetic += 0.5 * m * f[12 + c] * f[12 + c]
            potential -= m * arrays.gravity[c] * f[c]
            for k in range(3):
                kinetic += 0.5 * f[15 + c] * I[3 * c + k] * f[15 + k]
    potential += stored(arrays)
    out[0], out[1], out[2] = kinetic, potential, kinetic + potential


@kernel(ENERGY)
def energy(arrays, t, q, v, out):
    n_b = arrays.frames.shape[0] - 1
    pose(arrays.frames, n_b, q)
    speed(arrays.frames, n_b, v)
    body_energy(arrays, out)


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
