"""Stops, contacts without friction, and friction of joints that nothing loads, at an event: impulses, and what holds from then on.

What is decided, and why, is that of `mbsim.march.unilateral`, which calls `settle` where there is nothing else, as units without Python do.
The system is asked without what these hold (`_settling_asked`): its velocities and accelerations along all gaps and frictions, and what
unit efforts along these add to them. Then `mbsim.unilateral.pressing` solves the small problems.
"""

from mbsim.contracts import ARRAYS, METHOD, SYSTEM, WORK
from mbsim.integrators._settling_arrays import (
    AT_ONCE,
    AT_REST,
    BLAMED,
    CLOSED,
    CLOSES,
    DEAD,
    DEEP,
    DRIFTS,
    FIRED_GAP,
    FIRED_HOLD,
    FIRED_PRESS,
    FIRED_SLIDE,
    GAIN,
    GAINS,
    IDLE,
    INSIDE,
    KICKED,
    LOW,
    NO_IMPACT,
    NO_IMPULSE,
    NO_MODES,
    NOT_EVALUATED,
    NOT_KNOWN,
    OPEN,
    OPENS,
    POISSON,
    ROUND_OFF,
    ROUNDS,
    SETTLED,
    SETTLING,
    SLIPS,
    STICKS,
    TOUCHES,
    UNDECIDED,
    UNIQUE,
    WEAK,
)
from mbsim.integrators._settling_asked import ask_freely, ask_pushed, begin_deciding, least_size, link_of, pose
from mbsim.jit import f8, helper, i8, kernel
from mbsim.unilateral.pressing import carry, has_few, list_masked, press, rank_of
from mbsim.unilateral.problem import SOLVED

MOST_IMPACTS = 5_000
STILL_MOVING = 4e-15  # of the largest speed: what of a sequence of impacts is round-off


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
    r, total = s.pressing, s.total
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
    if not has_few(r, count):
        return NOT_KNOWN
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
def stays(functions, system, arrays, work, t, s, length, rest):
    """Whether what holds stays so although an effort tells it does not, as others carry the load: SETTLED; UNDECIDED if not.

    Else what is wrong.
    """
    told, count, moving, rubs = False, 0, 0, False
    for i in range(s.fired.shape[0]):
        if s.fired[i] & (FIRED_GAP | FIRED_SLIDE):
            return UNDECIDED
        told = told or s.fired[i] != 0
        s.ways[i] = s.slip[i] if s.mode[i] == SLIPS and abs(s.speed[i]) > rest else 0.0
        s.broken[i] = 0
        if s.mode[i] in (CLOSED, STICKS, SLIPS) and s.absent[i] == 0:
            s.taking[count] = i
            moving += 1 << count if s.ways[i] != 0.0 else 0
            rubs = rubs or s.rubs[i] != 0
            count += 1
    if not told or count == 0:
        return UNDECIDED
    if not pose(functions, system, arrays, work, t, s, count):
        return NOT_EVALUATED
    r = s.pressing
    if not has_few(r, count):
        return NOT_KNOWN
    if rubs:
        held = list_masked(r, ((1 << count) - 1) & ~moving, count)
        return UNDECIDED if rank_of(r, held) == held else NOT_KNOWN
    for a in range(count):
        r.b[a] = s.acceleration[s.taking[a]] / s.units[s.taking[a]]
    if carry(r, count, s.force[0] * length) == 0:
        return UNDECIDED
    same = True
    for a in range(count):
        same = same and r.carries[a] == s.holds[s.taking[a]]
    if same:  # just these do not carry it
        return UNDECIDED
    for a in range(count):
        s.holds[s.taking[a]] = r.carries[a]
    return SETTLED


@helper
def list_closed(s, touched, rest):
    """stays, leaves <- of what touches what does not leave at once, and what of it is told to."""
    n, leaving = s.speeds.shape[0], False
    for i in range(n):
        s.stays[i], s.leaves[i], s.ways[i], s.broken[i] = 0, 0, 0.0, 0
    for a in range(touched):
        i = s.touching[a]
        speed, back = s.speed[i], s.fired[i] & FIRED_GAP
        slow = speed <= max(rest, min(s.closing[i], KICKED))
        s.stays[i] = 1 if slow or (back and 0.5 * speed * speed <= LOW * s.near[i] * s.sizes[i]) else 0
        s.leaves[i] = 1 if s.stays[i] and s.fired[i] & FIRED_PRESS else 0
    for i in range(n):
        leaving = leaving or s.leaves[i] != 0 or s.fired[i] & FIRED_HOLD != 0
    for i in range(n):  # and what is pressed by nothing: else they would leave one after the other
        weak = s.signs[i] * s.held[i] <= WEAK * s.force[0]
        if leaving and weak and s.stays[i] and s.brake[i] < 0:  # a stop may take over what friction of its coordinate held
            s.leaves[i] = 1


@helper
def find_ways(s, rest):
    """ways <- of frictions that slip, which way: as they move, as they are pushed, or as before where others give way."""
    n, gives = s.speeds.shape[0], False
    for i in range(n):
        gives = gives or s.fired[i] & FIRED_HOLD != 0
    for i in range(n):
        if s.rubs[i] == 0 or s.absent[i] != 0:
            continue
        if s.fired[i] & FIRED_HOLD and s.mode[i] == STICKS and s.held[i] != 0.0:
            towards, frees = -1.0 if s.held[i] > 0.0 else 1.0, True
            for j in range(n):
                if s.brake[j] == i and s.stays[j] and not towards * s.signs[j] > 0.0:
                    frees = False  # it stays, and the stop helps
            if frees:
                s.ways[i] = towards
                for j in range(n):
                    if s.brake[j] == i and s.stays[j]:
                        s.leaves[j] = 1
        elif abs(s.speed[i]) > rest and not s.fired[i] & FIRED_SLIDE:
            s.ways[i] = 1.0 if s.speed[i] > 0.0 else -1.0
        elif gives and s.mode[i] == SLIPS:
            s.ways[i] = s.slip[i]


@helper
def take_all(s):
    """taking <- what is closed and does not leave, and all frictions; returns how many they are."""
    count = 0
    for i in range(s.speeds.shape[0]):
        if (s.stays[i] and not s.leaves[i]) or (s.rubs[i] != 0 and s.absent[i] == 0):
            s.taking[count] = i
            count += 1
    return count


@helper
def has_dead_point(s, count, link):
    """Whether nothing moves a friction at rest, whatever acts."""
    r, largest = s.pressing, 1.0 / (s.mass[0] * link * link) if s.mass[0] > 0.0 else 1.0
    for a in range(count):
        for c in range(count):
            largest = max(largest, abs(r.D[a, c]))
    found = False
    for a in range(count):
        if r.rubs[a] != 0 and r.along[a] == 0.0:
            most = 0.0
            for c in range(count):
                most = max(most, abs(r.D[a, c]))
            found = found or most <= DEAD * largest
    return found


@helper
def choose(functions, system, arrays, work, t, s, touched, rest, link):
    """mode, slip and holds <- what is closed, sticks and slips from now on; returns SETTLED or what is wrong."""
    n, r, largest = s.speeds.shape[0], s.pressing, least_size(s, link)
    for i in range(n):
        largest = max(largest, abs(s.acceleration[i] / s.units[i]))
    for i in range(n):
        s.sizes[i] = largest * s.units[i]
        if not abs(s.acceleration[i]) > ROUND_OFF * s.sizes[i]:
            s.acceleration[i] = 0.0
    list_closed(s, touched, rest)
    find_ways(s, rest)
    count, decided = 0, False
    for _ in range(ROUNDS):
        count, again = take_all(s), False
        if not pose(functions, system, arrays, work, t, s, count):
            return NOT_EVALUATED
        if has_dead_point(s, count, link) or not has_few(r, count):
            return NOT_KNOWN
        for a in range(count):
            r.b[a] = s.acceleration[s.taking[a]] / s.units[s.taking[a]]
        if count > 0 and press(r, count) != SOLVED:
            s.report[BLAMED] = s.taking[r.blamed[0]] if r.blamed[0] >= 0 else -1
            return NO_MODES
        for a in range(count):
            i = s.taking[a]
            if r.slips[a] != 0.0 and s.ways[i] == 0.0 and s.broken[i] == 0 and s.bound[i] != s.static[i]:
                s.broken[i], again = 1, True
        for i in range(n):
            if s.leaves[i] and (count > 0 or not s.fired[i] & FIRED_PRESS):
                a = s.acceleration[i]
                for c in range(count):
                    a += s.responses[s.taking[c], i] * r.p[c] / s.units[s.taking[c]]
                comes_back = a < -OPENS * s.sizes[i]
                if comes_back and count == 0:  # by more than round-off of the efforts before: those of a train of blocks vanish together
                    if not ask_pushed(functions, system, arrays, work, t, s, i):
                        return NOT_EVALUATED
                    comes_back = -a > WEAK * s.force[0] * s.responses[i, i]
                if comes_back:
                    s.leaves[i], again = 0, True
        if not again:
            decided = True
            break
    if not decided:
        return UNDECIDED
    for i in range(n):
        s.mode[i], s.holds[i], s.slip[i] = OPEN if s.rubs[i] == 0 else IDLE, 0, 0.0
    for a in range(count):
        i = s.taking[a]
        if s.rubs[i] != 0:
            s.slip[i] = r.slips[a]
            s.mode[i], s.holds[i] = (STICKS, 1) if r.slips[a] == 0.0 else (SLIPS, 0)
        elif r.p[a] > 0.0 or not (r.opens[a] and r.w[a] * s.units[i] > OPENS * s.sizes[i]):
            s.mode[i], s.holds[i] = CLOSED, 1
    share_brakes(s, count)
    return SETTLED


@helper
def share_brakes(s, count):
    """One row is enough to hold a coordinate: that of a stop if it is pressed without friction."""
    r = s.pressing
    for a in range(count):
        for c in range(count):
            j, i = s.taking[a], s.taking[c]
            if s.brake[j] == i and s.mode[j] == CLOSED and s.mode[i] == STICKS:
                pressed = r.p[a] + s.signs[j] * r.p[c] > 0.0
                s.mode[i], s.mode[j] = (IDLE, CLOSED) if pressed else (STICKS, OPEN)
                s.holds[i], s.holds[j] = (0, 1) if pressed else (1, 0)


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, f8, SETTLING))
def settle(functions, system, arrays, work, t, s):
    """Decide what is closed from (q, v) on, by the system without what contacts hold; v <- the speeds after impacts.

    Returns SETTLED, or what is wrong, with the one to blame in `report`.
    """
    n, scale, touched, closes = s.speeds.shape[0], begin_deciding(arrays, work, s), 0, False
    link = link_of(work)
    for i in range(n):
        arrays.parameters[s.places[i]] = 0.0
        s.known[i], s.impulses[i], s.units[i] = 0, 0.0, 1.0 if s.turns[i] else link
        s.ways[i], s.broken[i] = 0.0, 0
        if s.absent[i]:
            s.mode[i], s.holds[i], s.slip[i] = OPEN if s.rubs[i] == 0 else IDLE, 0, 0.0
    if not ask_freely(functions, system, arrays, work, t, s):
        return NOT_EVALUATED
    for i in range(n):
        if s.absent[i] == 0 and s.gap[i] < -DEEP * s.near[i]:
            s.report[BLAMED] = i
            return INSIDE
        if s.absent[i] == 0 and s.rubs[i] == 0 and (s.gap[i] <= TOUCHES * s.near[i] or s.mode[i] == CLOSED or s.fired[i] & FIRED_GAP):
            s.touching[touched] = i
            touched += 1
            closes = closes or s.speed[i] < -CLOSES * scale
    if closes:
        code = strike(functions, system, arrays, work, t, s, touched, scale)
        if code != SETTLED:
            return code
        for i in range(n):
            s.fired[i] = 0
    rest = AT_REST * scale
    kept = stays(functions, system, arrays, work, t, s, link, rest)
    return kept if kept != UNDECIDED else choose(functions, system, arrays, work, t, s, touched, rest, link)
