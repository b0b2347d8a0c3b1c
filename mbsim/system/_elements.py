"""The loops over a model's elements, the same in the plane and in space, in absolute and in joint coordinates.

What an element does by its kind is handed over as a chain of `mbsim.elements.dispatch`. Poses and velocities of the bodies are in `frames`.
"""

from mbsim.elements.dispatch import Chain
from mbsim.elements.kinds import STATE
from mbsim.jit import helper, unfolded
from mbsim.kernels.relative import BY_LAWS, EFFORT, GRADIENT, NEVER, OPEN_VALUE, RATE, VALUE, WHEN

measure_state = Chain("relative", "measure", 2, on="speeds")


@unfolded
def blocks(arrays, xi, row_of):
    """The body blocks and xi of the rows between bodies."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        row_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law, arrays.jacobian, xi, row)


@unfolded
def fill_rows(arrays, out, function_of):
    """phi or eta of the rows between bodies; eta in joint coordinates without the accelerations that bodies have at v_dot = 0."""
    frames = arrays.frames
    for e in range(arrays.primitives.shape[0]):
        kind, row, i, j, law = arrays.primitives[e]
        function_of(kind, frames[i], frames[j], arrays.geometry[e], arrays.laws, law, out, row)


@helper
def read_laws(arrays):
    """The laws that are a parameter or a number."""
    for k in range(arrays.law_reads.shape[0]):
        law, parameter = arrays.law_reads[k]
        if parameter < 0:
            arrays.laws[law, 0] = arrays.law_numbers[k]
        else:
            arrays.laws[law, 0] = arrays.parameters[parameter]


@unfolded
def apply_loads(arrays, h, force_of):
    """Add the loads to h over the bodies' speeds, or to efforts along relative coordinates; returns the power of what stores no energy."""
    power = 0.0
    for e in range(arrays.loads.shape[0]):
        kind, i, j, law = arrays.loads[e]
        power += force_of(kind, arrays, i, j, law, arrays.load_data[e], h)
    return power


@unfolded
def add_energies(arrays, energy_of):
    """Potential energy of the loads."""
    potential = 0.0
    for e in range(arrays.loads.shape[0]):
        kind, i, j, law = arrays.loads[e]
        potential += energy_of(kind, arrays, i, j, law, arrays.load_data[e])
    return potential


@unfolded
def measure_between(arrays, k, measure_of, planar):
    """Relative coordinate k between bodies, without loads along it yet."""
    size, speed = (3, 5) if planar else (6, 12)
    kind, i, j, _, _ = arrays.relative[k]
    out, fi, fj = arrays.relative_values[k], arrays.frames[i], arrays.frames[j]
    measure_of(kind, fi, fj, arrays.relative_data[k], arrays.relative_values, k)
    out[OPEN_VALUE], out[EFFORT], out[RATE] = out[VALUE], 0.0, 0.0
    for c in range(size):
        out[RATE] += out[GRADIENT + c] * fi[speed + c] + out[GRADIENT + size + c] * fj[speed + c]


@unfolded
def measure_bodies(arrays, measure_of, planar, laws):
    """The relative coordinates between bodies, in space an angle in (-pi, pi]: those that `laws` read, or those that loads act along."""
    for k in range(arrays.relative.shape[0]):
        if arrays.relative[k, 0] != STATE:
            when = arrays.relative[k, WHEN]
            if when == NEVER or (when == BY_LAWS and not laws):
                arrays.relative_values[k, RATE], arrays.relative_values[k, EFFORT] = 0.0, 0.0
            else:
                measure_between(arrays, k, measure_of, planar)


@unfolded
def measure_states(arrays, q, v):
    """The relative coordinates that are joint coordinates."""
    for k in range(arrays.relative.shape[0]):
        kind, _, _, at, speed = arrays.relative[k]
        if kind == STATE:
            measure_state(kind, q, v, at, speed, arrays.relative_values, k)


@unfolded
def push_efforts(arrays, h, joint_h, planar):
    """Add the efforts along relative coordinates to h over the bodies' speeds, and along joint coordinates to the joint forces."""
    n_b, size = arrays.frames.shape[0] - 1, 3 if planar else 6
    for k in range(arrays.relative.shape[0]):
        values = arrays.relative_values[k]
        if arrays.relative[k, 0] == STATE:
            joint_h[arrays.relative[k, 4]] += values[EFFORT]
        for side in range(2):
            b = arrays.relative[k, 1 + side]
            if b < n_b:
                for c in range(size):
                    h[size * b + c] += values[EFFORT] * values[GRADIENT + size * side + c]
