"""Bodies that carry stiff springs with them as they turn: what stages miss, and what is changed by it, in axes that turn with each.

A node of a beam is held by its neighbours far stiffer along the beam than across it, whatever way the beam points. Derivatives that are
kept for a step know the stiff way of one time. With an angle theta from there to a stage and a stiffness k along the beam, an iteration by
them converges as h^2 k theta^2: a beam that spins takes a thousand steps a turn. Let R_i be the rotation of the node since that time.
Derivatives at the stage are about R_i J R_i', so the linear system of the stages takes R_i' (f_i - u_i), and gives R_i' du_i. It neglects
R_i' R_j - 1 between two stages, before a product with J: the error is about theta, without k. Angular speeds are in body axes already.
"""

from math import cos, sin

from mbsim.jit import helper, index

# a row of `Stages.turning`: where the linear speeds of a body begin among the speeds, and its angle or quaternion in a state
# and 1 in the plane, 0 in space
LINEAR, ATTITUDE, PLANAR, COLUMNS = range(4)


@helper
def relative_rotation(p, since):
    """The unit quaternion of the rotation p since^-1, in global axes, of two quaternions near unit ones."""
    w = p[0] * since[0] + p[1] * since[1] + p[2] * since[2] + p[3] * since[3]
    x = -p[0] * since[1] + p[1] * since[0] - p[2] * since[3] + p[3] * since[2]
    y = -p[0] * since[2] + p[2] * since[0] - p[3] * since[1] + p[1] * since[3]
    z = -p[0] * since[3] + p[3] * since[0] - p[1] * since[2] + p[2] * since[1]
    size = 1.0 / (w * w + x * x + y * y + z * z) ** 0.5
    return w * size, x * size, y * size, z * size


@helper
def turn(turning, since, state, x, way):
    """Vectors in x of bodies that have turned from `since` to `state` are given in the axes that turned with them; way -1 takes it back."""
    for k in range(turning.shape[0]):
        o, at = index(turning[k, LINEAR]), index(turning[k, ATTITUDE])
        if turning[k, PLANAR] == 1:
            angle = state[at] - since[at]
            c, s = cos(angle), way * sin(angle)
            x[o], x[o + 1] = c * x[o] + s * x[o + 1], c * x[o + 1] - s * x[o]
        else:
            w, i, j, k_ = relative_rotation(state[at : at + 4], since[at : at + 4])
            i, j, k_ = -way * i, -way * j, -way * k_
            a, b, c = x[o], x[o + 1], x[o + 2]
            d, e, f = 2.0 * (j * c - k_ * b), 2.0 * (k_ * a - i * c), 2.0 * (i * b - j * a)
            x[o] = a + w * d + (j * f - k_ * e)
            x[o + 1] = b + w * e + (k_ * d - i * f)
            x[o + 2] = c + w * f + (i * e - j * d)
