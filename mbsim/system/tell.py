"""Single numbers of an output row, compiled: what programs without Python show of a motion (`mbsim.programs`).

`mbsim.observe` finds the same of many rows at a time, in NumPy. Poses are those that the kernel `observe` has left in `Arrays.frames`; the
ground is the last body there.
"""

from math import atan2, pi, sqrt

import numpy as np

from mbsim.contracts import TELL
from mbsim.jit import helper, kernel
from mbsim.kernels import frame_columns as frame
from mbsim.kernels import told_columns as told
from mbsim.system.reactions import centre_of, cross_of, dot_of, from_to, reaction_of, rotated


@helper
def turn_of(f, planar, i, j):
    """Entry (i, j) of the rotation from body axes to global axes."""
    if not planar:
        return f[frame.SPACE_ATTITUDE + 3 * i + j]
    if i == 2 or j == 2:
        return 1.0 if i == j else 0.0
    if i == j:
        return f[frame.PLANE_COS]
    return -f[frame.PLANE_SIN] if i == 0 else f[frame.PLANE_SIN]


@helper
def point_of(f, planar, d, at):
    """The global place of the body point d[at : at + 3]."""
    x, y, z = rotated(f, planar, d[at], d[at + 1], d[at + 2])
    a, b, c = centre_of(f, planar)
    return a + x, b + y, c + z


@helper
def spin_of(f, planar):
    """The angular velocity in global axes."""
    if planar:
        return 0.0, 0.0, f[frame.PLANE_SPIN]
    return rotated(f, planar, f[frame.SPACE_SPIN], f[frame.SPACE_SPIN + 1], f[frame.SPACE_SPIN + 2])


@helper
def velocity_of(f, planar, d, at):
    """The global velocity of the body point d[at : at + 3]."""
    arm = rotated(f, planar, d[at], d[at + 1], d[at + 2])
    x, y, z = cross_of(spin_of(f, planar), arm)
    v = frame.PLANE_VELOCITY if planar else frame.SPACE_VELOCITY
    return f[v] + x, f[v + 1] + y, 0.0 if planar else f[v + 2] + z


@helper
def axis_of(f, planar, d, at, k):
    """Column k of the matrix d[at : at + 9] in body axes, in global ones."""
    return rotated(f, planar, d[at + k], d[at + 3 + k], d[at + 6 + k])


@helper
def counted(memory, t, wrapped, rate):
    """The angle that `wrapped` is but for whole turns: the one that the rate leads to from the last one."""
    if np.isnan(memory[told.LAST_TIME]):
        angle = wrapped
    else:
        step = wrapped - memory[told.LAST_ANGLE]
        turns = np.round((0.5 * (memory[told.LAST_RATE] + rate) * (t - memory[told.LAST_TIME]) - step) / (2.0 * pi))
        angle = wrapped + (2.0 * pi * turns if np.isfinite(turns) else 0.0)
    memory[told.LAST_TIME], memory[told.LAST_ANGLE], memory[told.LAST_RATE] = t, angle, rate
    return angle


@helper
def length_of(a):
    """|a|"""
    return sqrt(dot_of(a, a))


@helper
def between(p, vertex, q):
    """The angle at `vertex`."""
    a, b = from_to(vertex, p), from_to(vertex, q)
    return atan2(length_of(cross_of(a, b)), dot_of(a, b))


@helper
def rotation_between(f, g, planar):
    """The angle of the rotation between two bodies, in [0, pi]."""
    trace, x, y, z = 0.0, 0.0, 0.0, 0.0
    for j in range(3):
        for i in range(3):
            trace += turn_of(g, planar, j, i) * turn_of(f, planar, j, i)
        x += turn_of(g, planar, j, 2) * turn_of(f, planar, j, 1) - turn_of(g, planar, j, 1) * turn_of(f, planar, j, 2)
        y += turn_of(g, planar, j, 0) * turn_of(f, planar, j, 2) - turn_of(g, planar, j, 2) * turn_of(f, planar, j, 0)
        z += turn_of(g, planar, j, 1) * turn_of(f, planar, j, 0) - turn_of(g, planar, j, 0) * turn_of(f, planar, j, 1)
    return atan2(sqrt(x * x + y * y + z * z), trace - 1.0)


@helper
def kinetic_of(f, planar, d):
    """The kinetic energy of a body."""
    v = frame.PLANE_VELOCITY if planar else frame.SPACE_VELOCITY
    square = f[v] * f[v] + f[v + 1] * f[v + 1] + (0.0 if planar else f[v + 2] * f[v + 2])
    if planar:
        w = 0.0, 0.0, f[frame.PLANE_SPIN]
    else:
        w = f[frame.SPACE_SPIN], f[frame.SPACE_SPIN + 1], f[frame.SPACE_SPIN + 2]
    turning = 0.0
    for i in range(3):
        for j in range(3):
            turning += w[i] * d[told.FRAME + 3 * i + j] * w[j]
    return 0.5 * (d[told.POINT] * square + turning)


@helper
def relative_of(kind, k, f, g, planar, d, memory, t):
    """A turn or a slide of the second body of a joint against the first, or its rate."""
    a = axis_of(f, planar, d, told.FRAME, k)
    if kind in (told.SLIDE, told.SLIDE_RATE):
        apart = from_to(point_of(f, planar, d, told.POINT), point_of(g, planar, d, told.OTHER_POINT))
        if kind == told.SLIDE:
            return dot_of(a, apart)
        first, second = velocity_of(f, planar, d, told.POINT), velocity_of(g, planar, d, told.OTHER_POINT)
        return dot_of(cross_of(spin_of(f, planar), a), apart) + dot_of(a, from_to(first, second))
    rate = dot_of(a, from_to(spin_of(f, planar), spin_of(g, planar)))
    if kind == told.TURN_RATE:
        return rate
    x = axis_of(f, planar, d, told.FRAME, (k + 1) % 3)
    y = axis_of(f, planar, d, told.FRAME, (k + 2) % 3)
    turned = axis_of(g, planar, d, told.OTHER_FRAME, (k + 1) % 3)
    return counted(memory, t, atan2(dot_of(y, turned), dot_of(x, turned)), rate)


@kernel(TELL)
def tell(arrays, table, data, memory, t, row, observed, out):
    """Fill out[i] with what the row i of the table asks for."""
    frames = arrays.frames
    planar = arrays.jacobian.shape[1] == 6
    ground = frames.shape[0] - 1
    for i in range(table.shape[0]):
        kind, first, second, third = table[i]
        d = data[i]
        if kind == told.TIME:
            out[i] = t
        elif kind == told.PARAMETER:
            out[i] = arrays.parameters[first]
        elif kind == told.ROW:
            out[i] = row[first]
        elif kind == told.OBSERVED:
            out[i] = observed[first]
        elif kind == told.DIFFERENCE:
            out[i] = (out[first] if first >= 0 else 0.0) - (out[second] if second >= 0 else 0.0) - d[told.POINT]
        elif kind == told.POSITION:
            x, y, z = point_of(frames[first], planar, d, told.POINT)
            out[i] = x if second == 0 else y if second == 1 else z
        elif kind == told.VELOCITY:
            x, y, z = velocity_of(frames[first], planar, d, told.POINT)
            out[i] = x if second == 0 else y if second == 1 else z
        elif kind == told.SPIN:
            if third == 1 and not planar:
                out[i] = frames[first, frame.SPACE_SPIN + second]
            else:
                x, y, z = spin_of(frames[first], planar)
                out[i] = x if second == 0 else y if second == 1 else z
        elif kind == told.ANGLE:
            f = frames[first]
            out[i] = counted(memory[i], t, atan2(f[frame.PLANE_SIN], f[frame.PLANE_COS]), f[frame.PLANE_SPIN])
        elif kind == told.DISTANCE:
            p, q = point_of(frames[first], planar, d, told.POINT), point_of(frames[second], planar, d, told.OTHER_POINT)
            out[i] = length_of(from_to(p, q))
        elif kind == told.CORNER:
            p, vertex = point_of(frames[first], planar, d, told.POINT), point_of(frames[second], planar, d, told.OTHER_POINT)
            out[i] = between(p, vertex, point_of(frames[third], planar, d, told.FRAME))
        elif kind == told.ROTATION:
            out[i] = rotation_between(frames[first], frames[second], planar)
        elif kind == told.KINETIC:
            out[i] = kinetic_of(frames[first], planar, d)
        elif kind == told.POTENTIAL:
            x, y, z = centre_of(frames[first], planar)
            g = arrays.gravity
            out[i] = -d[told.POINT] * (x * g[0] + y * g[1] + z * g[2])
        elif kind in (told.FORCE, told.TORQUE, told.LOCAL_FORCE, told.LOCAL_TORQUE):
            body = second if second >= 0 else ground
            out[i] = reaction_of(kind, third, frames[body], planar, d, observed[first:])
        else:
            out[i] = relative_of(kind, third, frames[first], frames[second], planar, d, memory[i], t)
