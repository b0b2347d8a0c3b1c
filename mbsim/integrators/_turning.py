"""Bodies that carry stiff springs with them as they turn: what stages miss, and what is changed by it, in axes that turn with each.

A node of a beam is held by its neighbours far stiffer along the beam than across it, whatever way the beam points. Derivatives that are
kept for a step know the stiff way of one time. With an angle theta from there to a stage and a stiffness k along the beam, an iteration by
them converges as h^2 k theta^2: a beam that spins takes a thousand steps a turn. Let R_i be the rotation of the node since that time.
Derivatives at the stage are about R_i J R_i', so the linear system of the stages takes R_i' (f_i - u_i), and gives R_i' du_i. It neglects
R_i' R_j - 1 between two stages, before a product with J: the error is about theta, without k. Angular speeds are in body axes already.
"""

from math import cos, sin, sqrt

from mbsim.jit import helper, index
from mbsim.kernels.rotations import product

# a row of `Stages.turning`: where the linear speeds of a body begin among the speeds, and its angle or quaternion in a state
# and 1 in the plane, 0 in space
LINEAR, ATTITUDE, PLANAR, COLUMNS = range(4)


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
            p, s = state[at : at + 4], since[at : at + 4]
            w, i, j, m = product(p[0], p[1], p[2], p[3], s[0], -s[1], -s[2], -s[3])  # the turn since then, in global axes
            size = 1.0 / sqrt(w * w + i * i + j * j + m * m)  # iterates are near unit quaternions
            w, i, j, m = size * w, -way * size * i, -way * size * j, -way * size * m
            a, b, c = x[o], x[o + 1], x[o + 2]
            d, e, f = 2.0 * (j * c - m * b), 2.0 * (m * a - i * c), 2.0 * (i * b - j * a)
            x[o] = a + w * d + (j * f - m * e)
            x[o + 1] = b + w * e + (m * d - i * f)
            x[o + 2] = c + w * f + (i * e - j * d)
