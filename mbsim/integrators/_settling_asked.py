"""What a mechanism does without what its stops hold, asked by kernels (`mbsim.march.asked` does it in Python, with the reasons)."""

from math import log

import numpy as np

from mbsim.contracts import EVENT_RATE, EVENT_VALUE, OK, SLIP_PLACE
from mbsim.integrators._looks import look
from mbsim.integrators._settling_arrays import BLAMED, OF_FREE, REPORTS, UNIQUE
from mbsim.jit import helper
from mbsim.kernels.relative import ALWAYS, WHEN

ADDS, UNSEEN, STRONGEST, TRIALS = 1e-3, 2.0**40, 2.0**120, 4


@helper
def ask(functions, system, arrays, work, t, s):
    """row and out <- what the system does at (q, v); whether it can be evaluated."""
    n, n_q = s.v.shape[0], s.q.shape[0]
    row = s.row[: n_q + 2 * n + work.lam.shape[0] + 1]
    for i in range(s.z.shape[0]):
        s.z[i] = 0.0
    for i in range(n_q):
        s.z[n + i] = s.q[i]
    if functions.start(system, arrays, work, t, s.q, s.v, s.z) != OK:
        return False
    if functions.expand(functions.rhs, system, arrays, work, t, s.z, row) != OK:
        return False
    good = True
    for i in range(row.shape[0]):
        good = good and np.isfinite(row[i])
    if good:
        look(system, arrays, work, t, row, 0, s.out)
    return good


@helper
def ask_freely(functions, system, arrays, work, t, s):
    """What it does without efforts; whether it can be evaluated."""
    n, n_q = s.v.shape[0], s.q.shape[0]
    if not ask(functions, system, arrays, work, t, s):
        return False
    for i in range(s.speeds.shape[0]):
        s.gap[i] = s.out[s.gaps[i], EVENT_VALUE] if s.rubs[i] == 0 else np.inf
        s.speed[i] = s.out[s.speeds[i], EVENT_VALUE]
        s.acceleration[i] = s.free[i] = s.out[s.speeds[i], EVENT_RATE]
    for j in range(n):
        s.v_dot[j] = s.row[n_q + n + j]
    return True


@helper
def ask_pushed(functions, system, arrays, work, t, s, k):
    """responses[k], moves[k] <- what a unit effort along gap k adds; whether it can be evaluated.

    It is asked by an effort that adds accelerations of the size of those without.
    """
    if s.known[k] != 0:
        return True
    n, n_q, count = s.v.shape[0], s.q.shape[0], s.speeds.shape[0]
    largest, effort = 0.0, 1.0
    for i in range(count):
        largest = max(largest, abs(s.free[i]))
    for trial in range(TRIALS + 1):
        effort = s.efforts[k] if trial < TRIALS else 1.0  # the last time nothing moves by it
        arrays.parameters[s.places[k]] = s.signs[k] * effort
        good, added = ask(functions, system, arrays, work, t, s), 0.0
        arrays.parameters[s.places[k]] = 0.0
        if not good:
            return False
        for i in range(count):
            added = max(added, abs(s.out[s.speeds[i], EVENT_RATE] - s.free[i]))
        if added >= ADDS * largest:
            break
        by = 1.0 if added > 0.0 else UNSEEN
        while added > 0.0 and by * added < largest:
            by *= 2.0
        s.efforts[k] = min(effort * by, STRONGEST)
    s.efforts[k], by = effort, 1.0 / effort
    for i in range(count):
        s.responses[k, i] = by * (s.out[s.speeds[i], EVENT_RATE] - s.free[i])
    for j in range(n):
        s.moves[k, j] = by * (s.row[n_q + n + j] - s.v_dot[j])
    s.known[k] = 1
    return True


@helper
def pose(functions, system, arrays, work, t, s, count):
    """D of the first `count` rows that are taken, in their units; whether it can be evaluated."""
    for a in range(count):
        if not ask_pushed(functions, system, arrays, work, t, s, s.taking[a]):
            return False
    r = s.pressing
    for a in range(count):
        i = s.taking[a]
        r.rubs[a], r.along[a], r.bound[a] = s.rubs[i], 0.0, 0.0
        if s.rubs[i] != 0:
            r.along[a] = s.ways[i]
            r.bound[a] = (s.bound[i] if s.ways[i] != 0.0 or s.broken[i] != 0 else s.static[i]) * s.units[i]
        for c in range(count):
            j = s.taking[c]
            r.D[a, c] = 0.5 * (s.responses[i, j] + s.responses[j, i]) / (s.units[i] * s.units[j])
    return True


@helper
def link_of(work):
    """A length of the mechanism by which turns are compared with displacements, a power of two of m; 1 where it is not known."""
    return 1.0 if not work.length[0] > 0.0 else 2.0 ** np.rint(log(work.length[0]) / log(2.0))


@helper
def least_size(s, link):
    """What accelerations in units of `pose` are small against at least: a part of what forces of before make of a body that nothing holds.

    Where nothing can move, as under a stop beside a joint that has just locked, all accelerations are round-off.
    """
    return OF_FREE * s.force[0] / (s.mass[0] * link) if s.mass[0] > 0.0 else 0.0


@helper
def begin_deciding(arrays, work, s):
    """Nothing is reported yet, no friction has a load, and coordinates of contacts that do not touch are found; returns the largest speed.

    It is 1 at least.
    """
    scale = 1.0
    for k in range(REPORTS):
        s.report[k] = 0
    s.report[BLAMED], s.report[UNIQUE] = -1, 1
    for k in range(work.slipping.shape[0]):
        work.slipping[k, SLIP_PLACE] = -1.0
    for k in range(arrays.relative.shape[0]):
        if arrays.relative[k, WHEN] < 0:
            arrays.relative[k, WHEN] = ALWAYS
    for j in range(s.v.shape[0]):
        scale = max(scale, abs(s.v[j]))
    return scale
