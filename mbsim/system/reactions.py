"""The reaction of a joint at the last evaluation, in compiled code: of `tell`, and of events that watch one (`mbsim.system.event`)."""

from typing import NamedTuple

from mbsim.jit import helper
from mbsim.kernels import frame_columns as frame
from mbsim.kernels import told_columns as told


class Reaction(NamedTuple):
    """Which component of which joint's reaction `reaction_now` finds."""

    kind: int  # of `told_columns`: FORCE, TORQUE, LOCAL_FORCE or LOCAL_TORQUE
    axis: int
    body: int  # on which it is taken
    first: int  # row of C
    rows: int  # how many
    column: int  # of Arrays.jacobian: that of the body
    place: int  # in Arrays.parameters, of the numbers of a row of `told_columns`


@helper
def rotated(f, planar, x, y, z):
    """A vector in body axes, in global ones."""
    if planar:
        c, s = f[frame.PLANE_COS], f[frame.PLANE_SIN]
        return c * x - s * y, s * x + c * y, z
    a = frame.SPACE_ATTITUDE
    return (
        f[a] * x + f[a + 1] * y + f[a + 2] * z,
        f[a + 3] * x + f[a + 4] * y + f[a + 5] * z,
        f[a + 6] * x + f[a + 7] * y + f[a + 8] * z,
    )


@helper
def centre_of(f, planar):
    """The centre of mass."""
    return f[frame.SPACE_POSITION], f[frame.SPACE_POSITION + 1], 0.0 if planar else f[frame.SPACE_POSITION + 2]


@helper
def cross_of(a, b):
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@helper
def dot_of(a, b):
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@helper
def from_to(a, b):
    """b - a"""
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


@helper
def reaction_of(kind, k, f, planar, d, g):
    """Force or torque on the second body of a joint, of the generalised reaction g on the body f that it is taken on."""
    on_ground = d[told.FRAME] != 0.0
    sign = -1.0 if on_ground else 1.0
    if planar:
        force = sign * g[0], sign * g[1], 0.0
        about_centre = 0.0, 0.0, sign * g[2]
    else:
        force = sign * g[0], sign * g[1], sign * g[2]
        about_centre = rotated(f, planar, sign * g[3], sign * g[4], sign * g[5])
    vector = force
    if kind in (told.TORQUE, told.LOCAL_TORQUE):
        point = d[told.POINT], d[told.POINT + 1], 0.0 if planar else d[told.POINT + 2]
        arm = from_to(centre_of(f, planar), point) if on_ground else rotated(f, planar, point[0], point[1], point[2])
        x, y, z = cross_of(arm, force)
        vector = about_centre[0] - x, about_centre[1] - y, about_centre[2] - z
    if kind in (told.LOCAL_FORCE, told.LOCAL_TORQUE):
        a = d[told.OTHER_FRAME + k], d[told.OTHER_FRAME + 3 + k], d[told.OTHER_FRAME + 6 + k]
        return dot_of(a if on_ground else rotated(f, planar, a[0], a[1], a[2]), vector)
    return vector[0] if k == 0 else vector[1] if k == 1 else vector[2]


@helper
def reaction_now(arrays, lam, kind, axis, body, first, count, column, place):
    """A component of a joint's reaction, of the multipliers and of the rows and poses that the last evaluation has left."""
    J = arrays.jacobian
    planar = J.shape[1] == 6
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for r in range(first, first + count):
        a += J[r, column] * lam[r]
        b += J[r, column + 1] * lam[r]
        c += J[r, column + 2] * lam[r]
        if not planar:
            d += J[r, column + 3] * lam[r]
            e += J[r, column + 4] * lam[r]
            f += J[r, column + 5] * lam[r]
    return reaction_of(kind, axis, arrays.frames[body], planar, arrays.parameters[place:], (a, b, c, d, e, f))
