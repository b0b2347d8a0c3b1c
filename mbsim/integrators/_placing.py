"""A state that was decided at an event, put into the march that goes on from it: what `mbsim.march.placing` does otherwise, in one call.

Speeds are moved onto the constraints, the mechanism is measured where it was not, and the method begins. What is not plain is left to
`mbsim.march`, before anything but work arrays has changed: rows that do not hold, that depend on each other, and what cannot be evaluated.
"""

from math import inf, nan
from typing import NamedTuple

from mbsim.contracts import (
    ARRAYS,
    BESIDE_TIME,
    EVENT_ACTIVE,
    EVENT_ROW,
    METHOD,
    OK,
    SETTING_TOLERANCE,
    STATUS_PAUSE,
    SYSTEM,
    WORK,
)
from mbsim.integrators._efforts import left_of_effort
from mbsim.jit import f8, helper, i8, kernel
from mbsim.jit.signatures import Block, Indices, Matrix, Packed, Vector
from mbsim.kernels.beginning import ARMS, ROUNDED, TURN, is_resolved, is_within, mean_arm, set_rate, set_scales, total
from mbsim.system.displacement import DEPENDENT, FACTORS, meet_speeds

OTHERWISE, PLACED, BREAKS = 0, 1, 2  # what the kernel returns: the long way decides; all holds; an effort does not
KNOWN, OF_ARMS, OF_INERTIA = 0, 1, 2  # how a mechanism is measured: it was; by the arms of rows; by the mean of the diagonal of M
PLAIN = 1e-14  # m or rad, or of the size of a row: a residual of positions that counts as none by every measure
CLOSED = 1e-12  # the same in the user's own coordinates, which have no size (`diagnosis.consistent.POSITION_TOLERANCE`)
ACCEPTED = 1e-9  # of speeds, as `diagnosis.consistent.ACCEPTED`
EXCEEDS = 1e-9  # of the largest multiplier: an effort beyond its bound by less is round-off (`march.events.EXCEEDS`)
ASKED, SPAN = 0, 1  # in `numbers`
COORDINATES, HAS_ENERGY, MEASURE = 0, 1, 2  # in `kinds`


class _Place(NamedTuple):
    q: Vector  # (n_q,) given
    v: Vector  # (n_v,) given
    z: Vector  # given with its work; [out] the state
    row: Vector  # [out] its output row
    phi: Vector  # (r,) scratch, like those from `arms` on
    energies: Vector  # (3,)
    moves: Matrix  # (m, 2) whether a body of a row moves
    slides: Indices  # (n_v,) whether a speed slides
    lengths: Indices  # (n_q,) whether a coordinate is a length
    arms: Vector
    sliding: Vector  # (m,)
    numbers: Vector  # ASKED: the residual that is asked for, links or rad; SPAN: s, over which a march controls its error
    kinds: Indices  # COORDINATES: how many are no states; HAS_ENERGY; MEASURE: KNOWN, OF_ARMS or OF_INERTIA


class Place(Packed, _Place):
    """The arrays of a state that is placed."""


PLACE = Place.block = Block(Place)


@helper
def holds(work, p):
    """Whether residuals of positions are none, whatever they are divided by."""
    for i in range(p.phi.shape[0]):
        most = CLOSED if p.kinds[MEASURE] == OF_INERTIA else PLAIN * min(1.0, work.row_scales[i])
        if not abs(p.phi[i]) <= most:
            return False
    return True


@helper
def set_plain_scales(work, slides, lengths, mass):
    """What `set_scales` does where no row has an arm and lengths are not known."""
    n, scales = slides.shape[0], work.state_scales
    work.length[0] = 1.0
    for j in range(n):
        scales[j] = 1.0
        if slides[j]:
            work.scales[j] = TURN
    for i in range(lengths.shape[0]):
        if lengths[i]:
            scales[n + i] = 1.0
    scales[scales.shape[0] - 1] = mass if 0.0 < mass < inf else 1.0
    for r in range(work.row_scales.shape[0]):
        work.row_scales[r] = 1.0


@helper
def measure(system, arrays, work, t, f, p):
    """Measure the mechanism at q, whose M is known; whether round-off leaves less than was asked for."""
    n, asked = p.v.shape[0], p.numbers[ASKED]
    if work.C.shape[0] > 0 or p.kinds[MEASURE] == OF_ARMS:
        system.constraints(arrays, t, p.q, work.C, work.xi)
    if p.kinds[MEASURE] == OF_ARMS:
        length = ARMS * mean_arm(arrays.jacobian, p.moves, p.arms, p.sliding)
        if not 0.0 < length < inf or asked * length < ROUNDED or not is_within(p.q, p.kinds[COORDINATES]):
            return False
        set_scales(arrays, work, p.slides, p.lengths, p.arms, p.sliding, length)
    else:
        for j in range(n):
            p.arms[j] = f.M[j, j]
        set_plain_scales(work, p.slides, p.lengths, total(p.arms, n) / n)
        if work.C.shape[0] > 0 and not is_resolved(work, p.q, p.kinds[COORDINATES], asked):
            return False
    work.settings[SETTING_TOLERANCE] = asked
    return True


@helper
def meets(system, arrays, work, t, locks, f, p):
    """Move v onto the constraints at q, and measure the mechanism where it is not; whether all that could be done."""
    n, m = p.v.shape[0], f.b.shape[0]
    for i in range(p.q.shape[0]):
        f.q[i] = p.q[i]
    for j in range(n):
        f.v[j] = p.v[j]
    if locks != 0:
        system.residual(arrays, t, f.q, p.phi)
    system.constraints(arrays, t, f.q, f.C, f.xi)
    system.dynamics(arrays, t, f.q, f.still, f.M, f.h, f.eta, f.power)
    if work.length[0] == 0.0 and (p.kinds[MEASURE] == KNOWN or not measure(system, arrays, work, t, f, p)):
        return False
    if locks != 0 and not holds(work, p):
        return False
    if m > 0:
        if not meet_speeds(f) > DEPENDENT:
            return False
        left, size = 0.0, 1.0
        for i in range(m):
            left = abs(f.b[i]) if not abs(f.b[i]) <= left else left
        for j in range(n):
            size = max(size, abs(f.v[j]))
        return left <= ACCEPTED * size
    return True


@helper
def breaks(work, p):
    """Whether an effort that holds is beyond its bound at the output row."""
    events, most, found = work.events, 0.0, False
    n_q, n, m = p.q.shape[0], p.v.shape[0], work.lam.shape[0]
    lam = p.row[n_q + 2 * n : n_q + 2 * n + m]
    for x in lam:
        most = max(most, abs(x))
    for k in range(events.shape[0]):
        if events[k, EVENT_ROW] != 0.0 and events[k, EVENT_ACTIVE] != 0.0:
            found = found or left_of_effort(work, k, lam) < -EXCEEDS * most
    return found


@helper
def begins(method, system, arrays, work, t, before, f, p):
    """Begin the method at q with the speeds that were found, whose energy was `before`; whether there is an output row."""
    n, n_q = p.v.shape[0], p.q.shape[0]
    paused = work.status[STATUS_PAUSE]
    for i in range(work.status.shape[0]):
        work.status[i] = 0
    work.status[STATUS_PAUSE], work.beside[BESIDE_TIME] = paused, nan
    for i in range(n_q):
        p.z[n + i] = p.q[i]
    if method.start(system, arrays, work, t, p.q, f.v, p.z) != OK:
        return False
    if p.kinds[HAS_ENERGY] != 0:
        for i in range(p.energies.shape[0]):
            p.energies[i] = 0.0
        system.energy(arrays, t, p.q, f.v, p.energies)
        p.z[n + n_q] += p.energies[2] - before
    for i in range(p.row.shape[0]):
        p.row[i] = 0.0
    if method.expand(method.rhs, system, arrays, work, t, p.z, p.row) != OK:
        return False
    for x in p.row:
        if not abs(x) < inf:
            return False
    set_rate(work, p.row, n_q, p.slides, p.numbers[SPAN])
    return True


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, FACTORS, PLACE, f8, i8, f8))
def place_decided(method, system, arrays, work, f, p, t, locks, before):
    """Put (q, v) into a march whose energy was `before` (J); `locks`: whether rows hold that did not.

    Returns OTHERWISE, PLACED or BREAKS.
    """
    measured = work.length[0] != 0.0
    if not (meets(system, arrays, work, t, locks, f, p) and begins(method, system, arrays, work, t, before, f, p)):
        if not measured:
            work.length[0] = 0.0
        return OTHERWISE
    return BREAKS if breaks(work, p) else PLACED
