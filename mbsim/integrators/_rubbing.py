"""Planar contacts with Coulomb friction at an event, and stops and friction of joints beside them: impulses, and what holds from then on.

What is decided, and why, is that of `mbsim.march.unilateral`, which calls `rub` where there is nothing else. Where a problem has no one
answer, the kernel decides nothing: NOT_KNOWN leaves it to Python, which begins anew from what was given.
"""

from mbsim.contracts import ARRAYS, METHOD, SYSTEM, WORK
from mbsim.integrators._rubbing_arrays import RUBBING
from mbsim.integrators._rubbing_impact import blame, strike
from mbsim.integrators._rubbing_problem import (
    NOT_TOLD,
    ask_along,
    pose_taken,
    push_along,
    solve_posed,
)
from mbsim.integrators._rubbing_sharing import ALL, NOTHING, SHARED, TOO_MANY, share_load, way_of
from mbsim.integrators._rubbing_touching import holds_normal, list_touching
from mbsim.integrators._settling_arrays import (
    AT_REST,
    BLAMED,
    CLOSED,
    CLOSES,
    DEAD,
    DEEP,
    FIRED_GAP,
    FIRED_HOLD,
    FIRED_PRESS,
    FIRED_SLIDE,
    IDLE,
    INSIDE,
    KICKED,
    LOW,
    NO_MODES,
    NOT_EVALUATED,
    NOT_KNOWN,
    OPEN,
    OPENS,
    ROUND_OFF,
    ROUNDS,
    SETTLED,
    SLIPS,
    STICKS,
    UNDECIDED,
    WEAK,
)
from mbsim.integrators._settling_asked import begin_deciding, least_size, link_of
from mbsim.jit import f8, helper, i8, kernel
from mbsim.unilateral.problem import OPEN as LIFTED
from mbsim.unilateral.problem import SEVERAL, SLIP, SOLVED

EXACTLY, NEARLY = 1e-12, 1e-7  # of a response: normals that differ by less than the latter act as one, but for those that are one


@helper
def carries_normal(s, i):
    """Whether the normal row of contact i holds."""
    return holds_normal(s, i) and s.shared[i] != NOTHING


@helper
def acts_as_one(functions, system, arrays, work, t, s):
    """NOT_KNOWN where two normals move the mechanism nearly as one, of which Python drops one; else SETTLED, or what is wrong."""
    link = link_of(work)
    for i in range(s.normal.shape[0]):
        if carries_normal(s, i) and push_along(functions, system, arrays, work, t, s, s.first[i]) == 0:
            return NOT_EVALUATED
    for i in range(s.normal.shape[0]):
        for j in range(i):
            if carries_normal(s, i) and carries_normal(s, j):
                size, apart = 0.0, 0.0
                for k in range(s.v.shape[0]):
                    unit = link if s.lengths[k] != 0 else 1.0
                    x, y = s.moves[s.first[i], k] / unit, s.moves[s.first[j], k] / unit
                    size, apart = size + x * x, apart + (x - y) * (x - y)
                if apart > EXACTLY * EXACTLY * size and apart < NEARLY * NEARLY * size:
                    return NOT_KNOWN
    return SETTLED


@helper
def keep_shared(s, count):
    """Let what carries the load do so, at rest or slipping as before; whether that is another choice than before."""
    same = True
    for a in range(count):
        way, _ = way_of(s.problem, a, s.chosen[a])
        same = same and way == s.shared[s.taking[a]]
    if same:  # just these do not carry it
        return False
    for a in range(count):
        i, (way, sign) = s.taking[a], way_of(s.problem, a, s.chosen[a])
        s.shared[i] = way
        if s.ways[i] == 0.0:
            s.mode[i], s.slip[i] = STICKS if s.tangents[i] != 0 else CLOSED, sign
    return True


@helper
def stays(functions, system, arrays, work, t, s, rest, link):
    """Whether what holds stays so although an effort tells it does not, as others carry the load: SETTLED; UNDECIDED if not.

    Else what is wrong, or NOT_KNOWN.
    """
    told, count = False, 0
    for i in range(s.normal.shape[0]):
        if s.fired[i] & ~(FIRED_PRESS | FIRED_HOLD):
            return UNDECIDED
        told = told or s.fired[i] != 0
        s.ways[i], s.broken[i] = 0.0, 0
        if s.mode[i] != OPEN and s.mode[i] != IDLE:
            if count == s.problem.normal.shape[0]:
                return NOT_KNOWN
            s.taking[count] = i
            count += 1
            if s.mode[i] == SLIPS and abs(s.speed[s.first[i + 1] - 1]) > rest:
                s.ways[i] = s.slip[i]
    if not told or count == 0:
        return UNDECIDED
    rows = pose_taken(functions, system, arrays, work, t, s, count, 1)
    if rows < 0:
        return NOT_EVALUATED
    for r in range(rows):
        s.problem.b[r] = s.acceleration[s.rows[r]] / s.units[s.rows[r]]
    found = share_load(s, count, s.force[0] * link)
    if found in (NOT_TOLD, TOO_MANY):
        return NOT_KNOWN
    if found != SHARED or not keep_shared(s, count):
        return UNDECIDED
    return acts_as_one(functions, system, arrays, work, t, s)


@helper
def list_closed(s, touched, rest):
    """stays, leaves <- of what touches what does not leave at once, and what of it is told to; returns whether a friction gives way."""
    n, gives, leaving = s.normal.shape[0], False, False
    for i in range(n):
        s.stays[i], s.leaves[i], s.ways[i], s.broken[i] = 0, 0, 0.0, 0
        gives = gives or s.fired[i] & FIRED_HOLD != 0
    for a in range(touched):
        i, k = s.touching[a], s.first[s.touching[a]]
        slow = s.speed[k] <= max(rest, min(s.closing[i], KICKED))
        back = s.fired[i] & FIRED_GAP and 0.5 * s.speed[k] * s.speed[k] <= LOW * s.near[i] * s.sizes[k]
        s.stays[i] = 1 if slow or back else 0
        s.leaves[i] = 1 if s.stays[i] and s.fired[i] & FIRED_PRESS else 0
        leaving = leaving or s.leaves[i] != 0
    for i in range(n):  # and what is pressed by nothing: else they would leave one after the other
        if (leaving or gives) and s.stays[i] and s.brake[i] < 0:  # a stop may take over what friction of its coordinate held
            k = s.first[i]
            if s.signs[k] * s.held[k] <= WEAK * s.force[0]:
                s.leaves[i] = 1
    return gives


@helper
def find_ways(s, rest, gives):
    """ways <- of what slips, which way: as it moves, as it is pushed, or as before where others give way."""
    n = s.normal.shape[0]
    for i in range(n):
        if s.tangents[i] == 0 or s.absent[i] != 0 or (s.normal[i] != 0 and s.stays[i] == 0):
            continue
        k = s.first[i + 1] - 1
        if s.fired[i] & FIRED_HOLD and s.mode[i] == STICKS and s.held[k] != 0.0:
            towards, frees = -1.0 if s.held[k] > 0.0 else 1.0, True
            for j in range(n):
                if s.brake[j] == i and s.stays[j] and not towards * s.signs[s.first[j]] > 0.0:
                    frees = False  # it stays, and the stop helps
            if frees:
                s.ways[i] = towards
                for j in range(n):
                    if s.brake[j] == i and s.stays[j]:
                        s.leaves[j] = 1
        elif abs(s.speed[k]) > rest * s.slow[i] and not s.fired[i] & FIRED_SLIDE:
            s.ways[i] = 1.0 if s.speed[k] > 0.0 else -1.0
        elif gives and s.slip[i] != 0.0:
            s.ways[i] = s.slip[i]


@helper
def take_all(s):
    """taking <- what is closed and does not leave, and all frictions of joints; how many they are, or -1 where there are too many."""
    count = 0
    for i in range(s.normal.shape[0]):
        if (s.stays[i] and not s.leaves[i]) or (s.normal[i] == 0 and s.absent[i] == 0):
            if count == s.problem.normal.shape[0]:
                return -1
            s.taking[count] = i
            count += 1
    return count


@helper
def has_dead_point(s, count, link):
    """Whether nothing moves a friction of a joint at rest, whatever acts."""
    of, largest, found = s.problem, 1.0 / (s.mass[0] * link * link) if s.mass[0] > 0.0 else 1.0, False
    for r in range(of.b.shape[0]):
        for c in range(of.b.shape[0]):
            largest = max(largest, abs(of.D[r, c]))
    for a in range(count):
        if of.normal[a] == 0 and s.ways[s.taking[a]] == 0.0:
            most = 0.0
            for c in range(of.b.shape[0]):
                most = max(most, abs(of.D[of.first[a], c]))
            found = found or most <= DEAD * largest
    return found


@helper
def come_back(functions, system, arrays, work, t, s, count, rows):
    """Let stay what was to leave and is accelerated against its gap; 1 where there is such, 0 where there is none, -1: no answer."""
    again = 0
    for i in range(s.normal.shape[0]):
        if s.leaves[i] == 0 or (count == 0 and s.fired[i] & FIRED_PRESS):
            continue
        k = s.first[i]
        a, least = s.acceleration[k], OPENS * s.sizes[k]
        for r in range(rows):
            a += s.responses[s.rows[r], k] * s.scratch.p[r] / s.units[s.rows[r]]
        if count == 0:  # by more than round-off of the efforts before: those of a train of blocks vanish together
            if push_along(functions, system, arrays, work, t, s, k) == 0:
                return -1
            least = max(least, WEAK * s.force[0] * s.responses[k, k])
        if a < -least:
            s.leaves[i], again = 0, 1
    return again


@helper
def choose(functions, system, arrays, work, t, s, touched, rest, link):
    """mode and slip <- what is closed, sticks and slips from now on; returns SETTLED or what is wrong."""
    n, of, largest = s.normal.shape[0], s.problem, least_size(s, link)
    for k in range(s.speeds.shape[0]):
        largest = max(largest, abs(s.acceleration[k] / s.units[k]))
    for k in range(s.speeds.shape[0]):
        s.sizes[k] = largest * s.units[k]
        if not abs(s.acceleration[k]) > ROUND_OFF * s.sizes[k]:
            s.acceleration[k] = 0.0
    find_ways(s, rest, list_closed(s, touched, rest))
    count, rows, decided = 0, 0, False
    for _ in range(ROUNDS):
        count, rows, again = take_all(s), 0, False
        if count < 0:
            return NOT_KNOWN
        if count > 0:
            rows = pose_taken(functions, system, arrays, work, t, s, count, 1)
            if rows < 0:
                return NOT_EVALUATED
            if has_dead_point(s, count, link):
                return NOT_KNOWN
            for r in range(rows):
                of.b[r] = s.acceleration[s.rows[r]] / s.units[s.rows[r]]
            code = solve_posed(s)
            if code != SOLVED:
                blame(s)
                return NOT_KNOWN if code == SEVERAL else NO_MODES
        for a in range(count):
            i = s.taking[a]
            if s.scratch.modes[a] == SLIP and s.ways[i] == 0.0 and s.broken[i] == 0 and s.weaker[i] != 0:
                s.broken[i], again = 1, True
        back = come_back(functions, system, arrays, work, t, s, count, rows)
        if back < 0:
            return NOT_EVALUATED
        if not again and back == 0:
            decided = True
            break
    if not decided:
        return UNDECIDED
    for i in range(n):
        s.mode[i], s.slip[i], s.shared[i] = OPEN if s.normal[i] != 0 else IDLE, 0.0, 0
    for a in range(count):
        decide(s, a)
    share_brakes(s, count)
    return acts_as_one(functions, system, arrays, work, t, s)


@helper
def decide(s, a):
    """The mode of what is taken, from the solution."""
    of, it, i, first = s.problem, s.scratch, s.taking[a], s.problem.first[a]
    if of.normal[a] != 0 and not it.p[first] > 0.0:
        k = s.first[i]
        passes = s.pairs[i] >= 0 and s.acceleration[k] == 0.0  # along a side onto which nothing presses it
        if passes or (it.modes[a] == LIFTED and it.w[first] * s.units[k] > OPENS * s.sizes[k]):
            return
    if s.tangents[i] == 0:
        s.mode[i] = CLOSED
    elif s.ways[i] != 0.0 or it.modes[a] == SLIP:
        s.mode[i], s.slip[i] = SLIPS, s.ways[i] if s.ways[i] != 0.0 else it.slip[of.first[a + 1] - 1]
    else:
        s.mode[i] = STICKS


@helper
def share_brakes(s, count):
    """One row is enough to hold a coordinate: that of a stop if it is pressed without friction."""
    of, p = s.problem, s.scratch.p
    for a in range(count):
        for c in range(count):
            j, i = s.taking[a], s.taking[c]
            if s.brake[j] == i and s.mode[j] == CLOSED and s.mode[i] == STICKS:
                pressed = p[of.first[a]] + s.signs[s.first[j]] * p[of.first[c]] > 0.0
                s.mode[i], s.mode[j] = (IDLE, CLOSED) if pressed else (STICKS, OPEN)


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, f8, RUBBING))
def rub(functions, system, arrays, work, t, s):
    """Decide what is closed, sticks and slips from (q, v) on, by the system without what contacts hold; v <- the speeds after impacts.

    Returns SETTLED, or what is wrong, with the one to blame in `report`.
    """
    n, scale, touched, closes = s.normal.shape[0], begin_deciding(arrays, work, s), 0, False
    link = link_of(work)
    for k in range(s.speeds.shape[0]):
        arrays.parameters[s.places[k]] = 0.0
        s.known[k], s.impulses[k], s.units[k] = 0, 0.0, 1.0 if s.turns[k] else link
    for i in range(n):
        s.ways[i], s.broken[i] = 0.0, 0
        if s.absent[i]:
            s.mode[i], s.slip[i], s.shared[i] = OPEN if s.normal[i] != 0 else IDLE, 0.0, 0
    if ask_along(functions, system, arrays, work, t, s) == 0:
        return NOT_EVALUATED
    for i in range(n):
        if s.normal[i] == 0 or s.absent[i] != 0:
            continue
        if s.gap[i] < -DEEP * s.near[i]:
            s.report[BLAMED] = i
            return INSIDE
    touched = list_touching(s)
    for a in range(touched):
        closes = closes or s.speed[s.first[s.touching[a]]] < -CLOSES * scale
    if closes:
        code = strike(functions, system, arrays, work, t, s, touched, scale)
        if code != SETTLED:
            return code
        for i in range(n):
            s.fired[i] = 0
    rest = AT_REST * scale
    code = stays(functions, system, arrays, work, t, s, rest, link)
    if code == UNDECIDED:
        code = choose(functions, system, arrays, work, t, s, touched, rest, link)
    for i in range(n):
        if s.normal[i] != 0:
            s.holds[s.first[i]] = 1 if holds_normal(s, i) and s.shared[i] != NOTHING else 0
        if s.tangents[i] != 0:
            s.holds[s.first[i + 1] - 1] = 1 if s.mode[i] == STICKS and s.shared[i] == ALL else 0
    return code
