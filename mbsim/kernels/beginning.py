"""The begin of a march in compiled code: the lengths of a mechanism in absolute coordinates, the method's state and the first output row.

`begin` does what `march.lengths`, a method's start and its first row do, digit for digit, so that runs of a study cross Python once. It
takes the mechanisms that most models are; of the others it says OTHERWISE, before it has changed more than work arrays.
"""

from math import inf, isnan, sqrt
from typing import NamedTuple

from mbsim.contracts import ARRAYS, METHOD, OK, SETTING_INDEPENDENT, SETTING_TOLERANCE, SYSTEM, WORK
from mbsim.jit import helper, kernel
from mbsim.jit.signatures import Block, Indices, Matrix, Packed, Vector, f8, i8

NONE, BEGUN, OTHERWISE = 0, 1, 2  # there is no first row; there is one; the long way decides
# of the lengths of a mechanism: they are measured here; they are known; they are, and the work is measured by the mean of the diagonal of M
MEASURED, KNOWN, WEIGHED = 0, 1, 2
MOST = 128  # numbers that NumPy adds up without halving them
LANES_OF_SUM = 8  # partial sums in which it does so
SHORT = 1e-8  # of the part of a row that slides: a shorter part that turns has no arm
ARMS = 1.0  # in a link: what a body is long from its centre of mass to a joint
SHARE = 10.0  # times the rate of the motion: atol is a tenth of rtol by default, so that it asks for as much of such speeds
TURN = 4.0  # links that a body slides where it could turn by a radian: bases that weigh slides more have to be renewed more often
# A mechanism WITHIN (m, rad) of the origin with arms below ARM (m) is smaller than 200 m; eight roundings of that times the angle are
# less than ROUNDED (m).
WITHIN, ARM, ROUNDED = 10.0, 50.0, 4e-12
RESOLVED = 8.0 * 2.0**-52  # of the terms that a row adds up: the residual that round-off leaves (`march.precision.floor`)


class _Start(NamedTuple):
    q: Vector  # (n_q,)
    v: Vector  # (n_v,)
    z: Vector  # [out] the state
    row: Vector  # [out] the first one
    moves: Matrix  # (m, 2) whether a body of a row moves
    slides: Indices  # (n_v,) whether a speed slides
    lengths: Indices  # (n_q,) whether a coordinate is a length
    arms: Vector  # scratch
    sliding: Vector  # (m,) scratch: how far rows slide
    M: Matrix  # (n_v, n_v) scratch where the work is weighed


class Start(Packed, _Start):
    """The arrays of a start."""


START = Start.block = Block(Start)
# method, system, arrays, work, start (s) and its arrays; residual that is asked for, span of error control (s), how many coordinates are no
# states, MEASURED, KNOWN or WEIGHED
BEGIN = i8(METHOD, SYSTEM, ARRAYS, WORK, f8, START, f8, f8, i8, i8)


@helper
def total(x, n):
    """The sum of x[:n], n <= MOST, in the order of `numpy.add.reduce`: else means would differ in the last digit."""
    if n < LANES_OF_SUM:
        s = 0.0
        for i in range(n):
            s += x[i]
        return s
    r0, r1, r2, r3, r4, r5, r6, r7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
    whole = n - n % LANES_OF_SUM
    for i in range(LANES_OF_SUM, whole, LANES_OF_SUM):
        r0 += x[i]
        r1 += x[i + 1]
        r2 += x[i + 2]
        r3 += x[i + 3]
        r4 += x[i + 4]
        r5 += x[i + 5]
        r6 += x[i + 6]
        r7 += x[i + 7]
    s = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for i in range(whole, n):
        s += x[i]
    return s


@helper
def size_of(J, r, first, count):
    """The length of a part of a row of two blocks."""
    s = J[r, first] * J[r, first] + J[r, first + 1] * J[r, first + 1] if count > 1 else J[r, first] * J[r, first]
    if count > 2:
        s += J[r, first + 2] * J[r, first + 2]
    return sqrt(s)


@helper
def mean_arm(J, moves, arms, sliding):
    """The mean arm of the rows, 0 where none has one; fills how far each row slides."""
    size, found = J.shape[1] // 2, 0
    axes = 2 if size == 3 else 3
    for r in range(J.shape[0]):
        sliding[r] = 0.0
        for side in range(2):
            slides = size_of(J, r, side * size, axes) * moves[r, side]
            turns = size_of(J, r, side * size + axes, size - axes)
            if turns > SHORT * slides and slides > 0.0:
                arms[found] = turns / slides
                found += 1
            if isnan(slides) or not slides <= sliding[r]:
                sliding[r] = slides
    return total(arms, found) / found if found > 0 else 0.0


@helper
def is_within(q, n):
    """Whether coordinates are so near that round-off is below the tolerance that was asked for."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(q[i])) if not isnan(q[i]) else inf
    return largest < WITHIN


@helper
def set_scales(arrays, work, slides, lengths, arms, sliding, length):
    """Set what speeds, states and rows are measured in."""
    n, scales = slides.shape[0], work.state_scales
    work.length[0] = length
    for j in range(n):
        scales[j] = 1.0
        if slides[j]:
            work.scales[j] = TURN * length
            if work.settings[SETTING_INDEPENDENT] == 0.0:
                scales[j] = length
    for i in range(lengths.shape[0]):
        if lengths[i]:
            scales[n + i] = length
    bodies = arrays.masses.shape[0]
    for b in range(bodies):
        arms[b] = arrays.masses[b, 0]
    mass = total(arms, bodies) / bodies
    if not 0.0 < mass < inf:
        mass = 1.0
    scales[scales.shape[0] - 1] = mass * length * length
    for r in range(sliding.shape[0]):
        work.row_scales[r] = length * sliding[r] if 0.0 < sliding[r] < inf else 1.0


@helper
def weigh(system, arrays, work, t, q, v, M, rest, diagonal):
    """Measure the work by the mean of the diagonal of M at q; `rest` and `diagonal`: scratch, n + 1 and n numbers at least."""
    n = v.shape[0]
    M[:] = 0.0
    system.constraints(arrays, t, q, work.C, work.xi)
    system.dynamics(arrays, t, q, v, M, rest[:n], work.lam, rest[n : n + 1])
    for i in range(n):
        diagonal[i] = M[i, i]
    mass = total(diagonal, n) / n
    if not 0.0 < mass < inf:
        mass = 1.0
    work.state_scales[work.state_scales.shape[0] - 1] = mass * work.length[0] * work.length[0]


@helper
def set_rate(work, row, n_q, slides, span):
    """As `march.lengths.set_rate`, of speeds and accelerations in the first row."""
    if work.rate[0] != 0.0 or span <= 0.0:
        return
    n, speed, acceleration = slides.shape[0], 0.0, 0.0
    for j in range(n):
        size = work.length[0] if slides[j] else 1.0
        speed = max(speed, abs(row[n_q + j] / size))
        acceleration = max(acceleration, abs(row[n_q + n + j] / size))
    rate = min(1.0, SHARE * max(speed, sqrt(acceleration), 1.0 / span))
    work.rate[0] = rate
    if rate < 1.0:
        for j in range(n):
            work.state_scales[j] *= rate
        work.state_scales[work.state_scales.shape[0] - 1] *= rate * rate


@helper
def is_resolved(work, q, n_c, asked):
    """Whether round-off leaves less of the rows of the user's own coordinates than was asked for."""
    length, n = work.length[0], work.C.shape[1]
    largest = length
    for r in range(work.C.shape[0]):
        s = 0.0
        if n_c == n:
            for j in range(n):
                s += abs(work.C[r, j]) * abs(q[j])
        if not s <= largest:
            largest = s
    return RESOLVED * largest / length < 0.5 * asked


@kernel(BEGIN)
def begin(method, system, arrays, work, t, start, asked, span, n_c, known):
    """Set lengths, z and the first row for the start (q, v), whose work arrays are fresh; returns NONE, BEGUN or OTHERWISE."""
    q, v, z, row = start.q, start.v, start.z, start.row
    n, n_q = v.shape[0], q.shape[0]
    if known == WEIGHED:
        weigh(system, arrays, work, t, q, v, start.M, row, start.arms)
    if known != MEASURED and work.C.shape[0] > 0:
        system.constraints(arrays, t, q, work.C, work.xi)
        if not is_resolved(work, q, n_c, asked):
            return OTHERWISE
        work.settings[SETTING_TOLERANCE] = asked
    if known == MEASURED:
        system.constraints(arrays, t, q, work.C, work.xi)
        length = ARMS * mean_arm(arrays.jacobian, start.moves, start.arms, start.sliding)
        if not 0.0 < length < inf or asked * length < ROUNDED or not is_within(q, n_c):
            return OTHERWISE
        set_scales(arrays, work, start.slides, start.lengths, start.arms, start.sliding, length)
        work.settings[SETTING_TOLERANCE] = asked
    for i in range(n_q):
        z[n + i] = q[i]
    if method.start(system, arrays, work, t, q, v, z) != OK:
        return NONE
    if method.expand(method.rhs, system, arrays, work, t, z, row) != OK:
        return NONE
    for x in row:
        if not abs(x) < inf:
            return NONE
    set_rate(work, row, n_q, start.slides, span)
    return BEGUN
