"""Stops and contacts without friction at an event, compiled: impulses of an impact, and what is closed from then on.

What is decided, and why, is that of `mbsim.march.unilateral`, which calls `settle` where no friction takes part, as units do that run
without Python. The system is asked without what contacts hold: its velocities and accelerations along all gaps, and what unit efforts along
these add to them (`mbsim.march.asked`). Then `mbsim.unilateral.pressing` solves the small problems.
"""

from math import log

import numpy as np

from mbsim.contracts import ARRAYS, EVENT_RATE, EVENT_VALUE, METHOD, OK, SLIP_PLACE, SYSTEM, WORK
from mbsim.integrators._looks import look
from mbsim.integrators._settling_arrays import (
    AT_ONCE,
    BLAMED,
    CLOSED,
    FIRED_GAP,
    FIRED_PRESS,
    GAINS,
    INSIDE,
    NO_IMPACT,
    NO_MODES,
    NOT_EVALUATED,
    OPEN,
    POISSON,
    REPORTS,
    SETTLED,
    SETTLING,
    TOUCHES,
    UNDECIDED,
    UNIQUE,
)
from mbsim.jit import f8, helper, i8, kernel
from mbsim.kernels.relative import ALWAYS, WHEN
from mbsim.unilateral.pressing import carry, press
from mbsim.unilateral.problem import SOLVED

# What is near, slow or small, in m or rad, m/s or rad/s, or of a size: as in `mbsim.march`, where the reasons are
DEEP, LOW = 1e-6, 1e-11
CLOSES, DRIFTS, KICKED, AT_REST = 1e-12, 1e-9, 1e-6, 1e-10
NO_IMPULSE, WEAK, ROUND_OFF, OPENS, GAIN = 1e-12, 1e-9, 1e-9, 1e-11, 1e-10
LEAST, UNSEEN, STRONGEST, TRIALS = 1e-3, 2.0**40, 2.0**120, 4
ROUNDS, MOST_IMPACTS = 50, 5_000
STILL_MOVING = 4e-15  # of the largest speed: what of a sequence of impacts is round-off


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
    for i in range(s.gaps.shape[0]):
        s.gap[i], s.speed[i] = s.out[s.gaps[i], EVENT_VALUE], s.out[s.speeds[i], EVENT_VALUE]
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
    n, n_q, count = s.v.shape[0], s.q.shape[0], s.gaps.shape[0]
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
        if added >= LEAST * largest:
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
    D = s.pressing.D
    for a in range(count):
        for c in range(count):
            i, j = s.taking[a], s.taking[c]
            D[a, c] = 0.5 * (s.responses[i, j] + s.responses[j, i]) / (s.units[i] * s.units[j])
    return True


@helper
def strike_together(s, count, poisson):
    """p <- the impulses of all that is taken, by their `bounce` from speeds `b`; returns the code."""
    r = s.pressing
    for a in range(count):
        s.sizes[a] = r.b[a]
        if not poisson:
            r.b[a] += s.bounce[a] * min(r.b[a], 0.0)
    code = press(r, count)
    unique, elastic = r.blamed[1] == 1, False
    for a in range(count):
        elastic = elastic or s.bounce[a] > 0.0
    if poisson and elastic and code == SOLVED:
        for a in range(count):  # `impulses` is scratch here
            s.impulses[a], r.b[a] = r.p[a], r.w[a]
        for a in range(count):
            for c in range(count):
                r.b[a] += r.D[a, c] * s.bounce[c] * s.impulses[c]
        code = press(r, count)
        unique = r.blamed[1] == 1
        for a in range(count):
            r.p[a] += (1.0 + s.bounce[a]) * s.impulses[a]
    for a in range(count):
        r.b[a] = s.sizes[a]
    s.report[UNIQUE] = 1 if unique else 0
    return code


@helper
def strike_in_turn(s, count, slow):
    """The same one after the other, always what closes fastest, until none closes faster than `slow`."""
    r, total = s.pressing, s.speeds_then
    largest = 0.0
    for a in range(count):
        total[a] = 0.0
        largest = max(largest, abs(r.b[a]))
        s.sizes[a] = r.b[a]
    slow = max(slow, STILL_MOVING * largest)
    for k in range(MOST_IMPACTS + 1):
        at = 0
        for a in range(1, count):
            if s.sizes[a] < s.sizes[at]:
                at = a
        if not s.sizes[at] < -slow:
            break
        if k == MOST_IMPACTS or not r.D[at, at] > 0.0:
            r.blamed[0] = at
            return SOLVED + 1
        p = -(1.0 + s.bounce[at]) * s.sizes[at] / r.D[at, at]
        total[at] += p
        for a in range(count):
            s.sizes[a] += r.D[a, at] * p
    for a in range(count):  # what is left stops at once
        s.impulses[a], r.b[a] = r.b[a], s.sizes[a]
    code = press(r, count)
    for a in range(count):
        r.p[a] += total[a]
        r.b[a] = s.impulses[a]
    s.report[UNIQUE] = 1 if r.blamed[1] == 1 else 0
    return code


@helper
def strike(functions, system, arrays, work, t, s, count, scale):
    """v <- the speeds after an impact of what is touching, with its impulses; returns SETTLED or what is wrong."""
    r, most, slow = s.pressing, 0.0, 1e308
    together, poisson = s.law[AT_ONCE] != 0, s.law[POISSON] != 0
    for a in range(count):
        i = s.touching[a]
        s.taking[a] = i
        s.before[i] = s.speed[i]
        most = max(most, -s.restitution[i] * s.speed[i]) if a > 0 else -s.restitution[i] * s.speed[i]
        slow = min(slow, s.closing[i] / s.units[i])
    if not pose(functions, system, arrays, work, t, s, count):
        return NOT_EVALUATED
    for a in range(count):
        i = s.taking[a]
        rebound = most if poisson or not together else -s.restitution[i] * s.speed[i]  # what closes presses others, which rebound, too
        s.bounce[a] = s.restitution[i] if rebound > s.closing[i] else 0.0
        r.b[a] = s.speed[i] / s.units[i]
    code = strike_together(s, count, poisson) if together else strike_in_turn(s, count, slow)
    for i in range(s.impulses.shape[0]):
        s.impulses[i] = 0.0
    if code != SOLVED:
        s.report[BLAMED] = s.taking[r.blamed[0]] if r.blamed[0] >= 0 else -1
        return NO_IMPACT
    gained, work_done, largest = 0.0, 0.0, 0.0
    for a in range(count):
        after = r.b[a]
        for c in range(count):
            after += r.D[a, c] * r.p[c]
        gained += 0.5 * r.p[a] * (r.b[a] + after)
        work_done += abs(r.p[a]) * (abs(r.b[a]) + abs(after))
        s.bounce[a] = r.p[a] / s.units[s.taking[a]]
        largest = max(largest, abs(s.bounce[a]))
    s.report[GAINS] = 1 if gained > GAIN * work_done else 0
    for a in range(count):
        for j in range(s.v.shape[0]):
            s.v[j] += s.moves[s.taking[a], j] * s.bounce[a]
    if not ask_freely(functions, system, arrays, work, t, s):
        return NOT_EVALUATED
    hits = False  # else rows have drifted
    for a in range(count):
        i = s.touching[a]
        hits = hits or s.before[i] < -(DRIFTS if s.mode[i] == CLOSED else CLOSES) * scale
    for a in range(count):
        if hits and abs(s.bounce[a]) > NO_IMPULSE * largest:
            s.impulses[s.taking[a]] = s.bounce[a]
    return SETTLED


@helper
def stays(functions, system, arrays, work, t, s, length):
    """Whether what is closed stays so although a row is told to pull, because others carry the load: 1, 0, or -1 if it cannot be found."""
    told, count = False, 0
    for i in range(s.fired.shape[0]):
        if s.fired[i] & FIRED_GAP:
            return 0
        told = told or s.fired[i] != 0
        if s.mode[i] == CLOSED and s.absent[i] == 0:
            s.taking[count] = i
            count += 1
    if not told or count == 0:
        return 0
    if not pose(functions, system, arrays, work, t, s, count):
        return -1
    r = s.pressing
    for a in range(count):
        r.b[a] = s.acceleration[s.taking[a]] / s.units[s.taking[a]]
    if carry(r, count, s.force[0] * length) == 0:
        return 0
    same = True
    for a in range(count):
        same = same and r.carries[a] == s.holds[s.taking[a]]
    if same:  # just these do not carry it
        return 0
    for a in range(count):
        s.holds[s.taking[a]] = r.carries[a]
    return 1


@helper
def choose(functions, system, arrays, work, t, s, touched, scale):
    """mode and holds <- what is closed from now on; returns SETTLED or what is wrong."""
    n, r, largest, leaving = s.gaps.shape[0], s.pressing, 0.0, False
    for i in range(n):
        largest = max(largest, abs(s.acceleration[i] / s.units[i]))
    for i in range(n):
        s.sizes[i], s.stays[i], s.leaves[i] = largest * s.units[i], 0, 0
    for a in range(touched):
        i = s.touching[a]
        speed, back = s.speed[i], s.fired[i] & FIRED_GAP
        slow = speed <= max(AT_REST * scale, min(s.closing[i], KICKED))
        s.stays[i] = 1 if slow or (back and 0.5 * speed * speed <= LOW * s.near[i] * s.sizes[i]) else 0
        s.leaves[i] = 1 if s.stays[i] and s.fired[i] & FIRED_PRESS else 0
        leaving = leaving or s.leaves[i] != 0
    for i in range(n):
        if leaving and s.stays[i] and s.signs[i] * s.held[i] <= WEAK * s.force[0]:  # else they would leave one after the other
            s.leaves[i] = 1
        if not abs(s.acceleration[i]) > ROUND_OFF * s.sizes[i]:
            s.acceleration[i] = 0.0
    count, decided = 0, False
    for _ in range(ROUNDS):
        count, back = 0, False
        for i in range(n):
            if s.stays[i] and not s.leaves[i]:
                s.taking[count] = i
                count += 1
        if not pose(functions, system, arrays, work, t, s, count):
            return NOT_EVALUATED
        for a in range(count):
            r.b[a] = s.acceleration[s.taking[a]] / s.units[s.taking[a]]
        if count > 0 and press(r, count) != SOLVED:
            s.report[BLAMED] = s.taking[r.blamed[0]] if r.blamed[0] >= 0 else -1
            return NO_MODES
        for i in range(n):
            if s.leaves[i] and (count > 0 or not s.fired[i] & FIRED_PRESS):
                a = s.acceleration[i]
                for c in range(count):
                    a += s.responses[s.taking[c], i] * r.p[c] / s.units[s.taking[c]]
                if a < -OPENS * s.sizes[i]:
                    s.leaves[i], back = 0, True
        if not back:
            decided = True
            break
    if not decided:
        return UNDECIDED
    for i in range(n):
        s.mode[i], s.holds[i] = OPEN, 0
    for a in range(count):
        i = s.taking[a]
        if r.p[a] > 0.0 or not (r.opens[a] and r.w[a] * s.units[i] > OPENS * s.sizes[i]):
            s.mode[i], s.holds[i] = CLOSED, 1
    return SETTLED


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, f8, SETTLING))
def settle(functions, system, arrays, work, t, s):
    """Decide what is closed from (q, v) on, by the system without what contacts hold; v <- the speeds after impacts.

    Returns SETTLED, or what is wrong, with the one to blame in `report`.
    """
    n, scale, touched, closes = s.gaps.shape[0], 1.0, 0, False
    link = 1.0 if not work.length[0] > 0.0 else 2.0 ** np.rint(log(work.length[0]) / log(2.0))
    for k in range(REPORTS):
        s.report[k] = 0
    s.report[BLAMED], s.report[UNIQUE] = -1, 1
    for k in range(work.slipping.shape[0]):
        work.slipping[k, SLIP_PLACE] = -1.0
    for k in range(arrays.relative.shape[0]):  # coordinates of contacts that do not touch are found, too
        if arrays.relative[k, WHEN] < 0:
            arrays.relative[k, WHEN] = ALWAYS
    for j in range(s.v.shape[0]):
        scale = max(scale, abs(s.v[j]))
    for i in range(n):
        arrays.parameters[s.places[i]] = 0.0
        s.known[i], s.impulses[i], s.units[i] = 0, 0.0, 1.0 if s.turns[i] else link
        if s.absent[i]:
            s.mode[i], s.holds[i] = OPEN, 0
    if not ask_freely(functions, system, arrays, work, t, s):
        return NOT_EVALUATED
    for i in range(n):
        if s.absent[i] == 0 and s.gap[i] < -DEEP * s.near[i]:
            s.report[BLAMED] = i
            return INSIDE
        if s.absent[i] == 0 and (s.gap[i] <= TOUCHES * s.near[i] or s.mode[i] == CLOSED or s.fired[i] & FIRED_GAP):
            s.touching[touched] = i
            touched += 1
            closes = closes or s.speed[i] < -CLOSES * scale
    if closes:
        code = strike(functions, system, arrays, work, t, s, touched, scale)
        if code != SETTLED:
            return code
        for i in range(n):
            s.fired[i] = 0
    kept = stays(functions, system, arrays, work, t, s, link)
    if kept < 0:
        return NOT_EVALUATED
    return SETTLED if kept else choose(functions, system, arrays, work, t, s, touched, scale)
