"""Springs and dampers of three modal coordinates of an elastic part, which are the place (3,) of the second body, global axes.

That body is not drawn down by gravity: modes of a free part are orthogonal to its translations. So the load takes its weight off it.
"""

from mbsim.jit import helper

DIMENSIONS = (3,)
NUMBERS = 6
DAMPING = 3  # N s/m, three numbers, after the stiffness of each coordinate, N/m


@helper
def spatial_force(arrays, i, j, law, p, h):
    f, o, power = arrays.frames[j], 6 * j, 0.0
    for c in range(3):
        resisted = p[DAMPING + c] * f[12 + c]
        h[o + c] -= p[c] * f[c] + resisted + arrays.masses[j, 0] * arrays.gravity[c]
        power -= resisted * f[12 + c]
    return power


@helper
def spatial_energy(arrays, i, j, law, p):
    f, energy = arrays.frames[j], 0.0
    for c in range(3):
        energy += (0.5 * p[c] * f[c] + arrays.masses[j, 0] * arrays.gravity[c]) * f[c]
    return energy
