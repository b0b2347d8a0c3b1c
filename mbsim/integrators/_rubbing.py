"""Contacts with Coulomb friction at an event, and stops and friction of joints beside them: impulses, and what holds from then on.

What is decided, and why, is that of `mbsim.march.unilateral`, which calls `rub` where there is nothing else. Where a problem has no one
answer, the kernel decides nothing: NOT_KNOWN leaves it to Python, which begins anew from what was given.
"""

from mbsim.contracts import ARRAYS, METHOD, SYSTEM, WORK
from mbsim.integrators._rubbing_arrays import RUBBING
from mbsim.integrators._rubbing_impact import blame, strike
from mbsim.integrators._rubbing_lines import clear_slip
from mbsim.integrators._rubbing_problem import NOT_TOLD, ask_along, length_of, pose_taken, push_along, solve_posed
from mbsim.integrators._rubbing_sharing import ALL, NOTHING, SHARED, TOO_MANY, against_of, share_load, way_of
from mbsim.integrators._rubbing_touching import holds_normal, list_touching
from mbsim.integrators._rubbing_ways import (
    AGAINST,
    begin_as_pushed,
    find_ways,
    first_tangent,
    go,
    is_spatial,
    let_rest,
    list_closed,
    load_beyond,
    stop_slip,
    take_all,
)
from mbsim.integrators._settling_arrays import (
    AT_REST,
    BLAMED,
    CLOSED,
    CLOSES,
    DEAD,
    DEEP,
    FIRED_HOLD,
    FIRED_PRESS,
    IDLE,
    INSIDE,
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
from mbsim.unilateral.problem import SEVERAL, SLIP, SOLVED, STICK

SAME = 1e-9  # of the ease of a friction: what differs by less is the same
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
    """Let what carries the load do so, at rest or slipping as before."""
    for a in range(count):
        i, (way, sign) = s.taking[a], way_of(s.problem, a, s.chosen[a])
        s.shared[i] = way
        if s.going[i] == 0:
            s.mode[i], tangent = STICKS if s.tangents[i] != 0 else CLOSED, s.problem.first[a] + s.normal[i]
            for k in range(s.tangents[i]):
                s.slip[first_tangent(s, i) + k] = against_of(s, a, sign, tangent + k)


@helper
def carries_already(s, count):
    """Whether just what carries the load did so before: then it does not carry it."""
    same = True
    for a in range(count):
        way, _ = way_of(s.problem, a, s.chosen[a])
        same = same and way == s.shared[s.taking[a]]
    for k in range(s.eased.shape[0]):
        same = same and abs(s.eased[k] - s.eased_before[k]) <= SAME * s.eased_before[k]
    return same


@helper
def share_among_several(s, count, size):
    """Of several solutions for what slips one whose load is shared, with the modes of all; whether there is one."""
    slips = False
    for a in range(count):
        slips = slips or s.going[s.taking[a]] != 0
    if not slips or share_load(s, count, size) != SHARED:
        return False
    for k in range(s.eased.shape[0]):
        s.eased_before[k] = s.eased[k]
    rest_all(s)
    for k in range(s.eased.shape[0]):
        s.eased[k] = s.eased_before[k]
    keep_shared(s, count)
    for a in range(count):
        i = s.taking[a]
        for k in range(first_tangent(s, i), s.first[i + 1] if s.going[i] != 0 else 0):
            s.mode[i], s.slip[k] = SLIPS, s.ways[k]
    return True


@helper
def rest_all(s):
    """Nothing holds and nothing slips."""
    for k in range(s.eased.shape[0]):
        s.eased[k] = 1.0
    for i in range(s.normal.shape[0]):
        s.mode[i], s.shared[i] = OPEN if s.normal[i] != 0 else IDLE, 0
        stop_slip(s, i)


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
        let_rest(s, i)
        if s.mode[i] != OPEN and s.mode[i] != IDLE:
            if count == s.problem.normal.shape[0]:
                return NOT_KNOWN
            s.taking[count] = i
            count += 1
            if s.mode[i] == SLIPS and length_of(s.speed, first_tangent(s, i), s.first[i + 1]) > rest:
                go(s, i, s.slip, 1.0)
    if not told or count == 0:
        return UNDECIDED
    rows = pose_taken(functions, system, arrays, work, t, s, count, 1)
    if rows < 0:
        return NOT_EVALUATED
    for r in range(rows):
        s.problem.b[r] = s.acceleration[s.rows[r]] / s.units[s.rows[r]]
    for k in range(s.eased.shape[0]):
        s.eased_before[k] = s.eased[k]
    found = share_load(s, count, s.force[0] * link)
    if found in (NOT_TOLD, TOO_MANY):
        return NOT_KNOWN
    if found != SHARED or carries_already(s, count):
        return UNDECIDED
    keep_shared(s, count)
    return acts_as_one(functions, system, arrays, work, t, s)


@helper
def has_dead_point(s, count, link):
    """Whether nothing moves a friction of a joint at rest, whatever acts."""
    of, largest, found = s.problem, 1.0 / (s.mass[0] * link * link) if s.mass[0] > 0.0 else 1.0, False
    for r in range(of.b.shape[0]):
        for c in range(of.b.shape[0]):
            largest = max(largest, abs(of.D[r, c]))
    for a in range(count):
        if of.normal[a] == 0 and s.going[s.taking[a]] == 0 and s.under[s.taking[a]] < 0:
            most = 0.0
            for c in range(of.b.shape[0]):
                most = max(most, abs(of.D[of.first[a], c]))
            found = found or most <= DEAD * largest
    return found


@helper
def all_stick(s, count):
    """Whether all that begins to slip sticks."""
    found = True
    for a in range(count):
        found = found and (s.begins[s.taking[a]] == 0 or s.scratch.modes[a] == STICK)
    return found


@helper
def go_where_told(s, count):
    """Let what gave way slip against the friction that held it, where the lower friction would hold it; whether there is such."""
    found = False
    for a in range(count):
        i = s.taking[a]
        if s.gave_way[i] != 0 and s.going[i] == 0 and s.scratch.modes[a] == STICK:
            go(s, i, s.towards, 1.0)
            found = True
    return found


@helper
def go_as_it_moves(s, count):
    """Let what begins to slip in space against its motion slip as it moves, slow as that is; whether there is such."""
    found = False
    for a in range(count):
        i, first, along = s.taking[a], s.problem.first[a] + s.normal[s.taking[a]], 0.0
        if s.scratch.modes[a] == SLIP and is_spatial(s, i) and s.going[i] == 0:
            tangent = first_tangent(s, i)
            for k in range(s.tangents[i]):
                along += s.speed[tangent + k] * s.scratch.slip[first + k]
            if along < -AGAINST * s.slow[i]:
                go(s, i, s.speed, 1.0 / length_of(s.speed, tangent, s.first[i + 1]))
                found = True
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
    of, largest = s.problem, least_size(s, link)
    for k in range(s.speeds.shape[0]):
        largest = max(largest, abs(s.acceleration[k] / s.units[k]))
    for k in range(s.speeds.shape[0]):
        s.sizes[k] = largest * s.units[k]
        if not abs(s.acceleration[k]) > ROUND_OFF * s.sizes[k]:
            s.acceleration[k] = 0.0
    begins = find_ways(s, rest, list_closed(s, touched, rest))
    for k in range(s.speeds.shape[0]):
        s.resting[k] = s.acceleration[k]
    if begins:
        load_beyond(s)
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
            if begins and (code != SOLVED or all_stick(s, count)):
                begin_as_pushed(s)
                begins = False
                continue
            if code == SEVERAL:
                shared = share_among_several(s, count, s.force[0] * link)
                return acts_as_one(functions, system, arrays, work, t, s) if shared else NOT_KNOWN
            if code != SOLVED:
                blame(s)
                return NO_MODES
            if go_where_told(s, count) or go_as_it_moves(s, count):
                continue
        for a in range(count):
            i = s.taking[a]
            if s.scratch.modes[a] == SLIP and s.going[i] == 0 and s.broken[i] == 0 and s.weaker[i] != 0:
                s.broken[i], again = 1, True
        back = come_back(functions, system, arrays, work, t, s, count, rows)
        if back < 0:
            return NOT_EVALUATED
        if not again and back == 0:
            decided = True
            break
    if not decided:
        return UNDECIDED
    rest_all(s)
    for a in range(count):
        decide(s, a)
    share_brakes(s, count)
    return acts_as_one(functions, system, arrays, work, t, s)


@helper
def decide(s, a):
    """The mode of what is taken, from the solution."""
    of, it, i, first = s.problem, s.scratch, s.taking[a], s.problem.first[a]
    if s.under[i] >= 0 and not holds_normal(s, s.under[i]):
        return
    if of.normal[a] != 0 and not it.p[first] > 0.0:
        k = s.first[i]
        passes = s.pairs[i] >= 0 and s.acceleration[k] == 0.0  # along a side onto which nothing presses it
        if passes or (it.modes[a] == LIFTED and it.w[first] * s.units[k] > OPENS * s.sizes[k]):
            return
    if s.tangents[i] == 0:
        s.mode[i] = CLOSED
    elif s.going[i] != 0 or it.modes[a] == SLIP:
        s.mode[i], begin = SLIPS, first_tangent(s, i)
        for k in range(s.tangents[i]):
            s.slip[begin + k] = s.ways[begin + k] if s.going[i] != 0 else it.slip[first + s.normal[i] + k]
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
        clear_slip(arrays, s, i)
        let_rest(s, i)
        if s.absent[i]:
            s.mode[i], s.shared[i] = OPEN if s.normal[i] != 0 else IDLE, 0
            stop_slip(s, i)
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
        for k in range(first_tangent(s, i), s.first[i + 1]):
            s.holds[k] = 1 if s.mode[i] == STICKS and s.shared[i] == ALL else 0
    return code
