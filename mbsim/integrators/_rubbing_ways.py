"""What contacts that touch are to do from now on, as far as that is known before the problem on accelerations: stay, leave, slip."""

from mbsim.integrators._rubbing_arrays import FIRED_ALONG
from mbsim.integrators._rubbing_problem import length_of, rubs
from mbsim.integrators._settling_arrays import FIRED_GAP, FIRED_HOLD, FIRED_PRESS, FIRED_SLIDE, KICKED, LOW, SLIPS, STICKS, WEAK
from mbsim.jit import helper

AGAINST = 0.5e-9  # m/s: a slip that begins in space against a motion which is faster would end at once, as there
TURNED, ENDS = 1e-8, 1e-7  # m/s: slips in space that are slower are at rest, or end with others, as in `mbsim.march.contact_problems`
BEYOND = 1e-6  # of what loads friction at rest in space: by so much more than it can hold


@helper
def first_tangent(s, i):
    """The first direction of contact i along a tangent."""
    return s.first[i] + s.normal[i]


@helper
def is_spatial(s, i):
    """Whether contact i has a plane of tangents."""
    return s.tangents[i] == 2


@helper
def go(s, i, towards, sign):
    """Let contact i slip along a unit vector (N,) times a sign."""
    s.going[i] = 1
    for k in range(first_tangent(s, i), s.first[i + 1]):
        s.ways[k] = sign * towards[k]


@helper
def stop_slip(s, i):
    """No slip of contact i."""
    for k in range(first_tangent(s, i), s.first[i + 1]):
        s.slip[k] = 0.0


@helper
def let_rest(s, i):
    """Nothing is known of where contact i slips from now on."""
    s.going[i], s.broken[i], s.begins[i], s.gave_way[i] = 0, 0, 0, 0
    for k in range(s.first[i], s.first[i + 1]):
        s.ways[k] = 0.0


@helper
def list_closed(s, touched, rest):
    """stays, leaves <- of what touches what does not leave at once, and what of it is told to; returns whether a friction gives way."""
    n, gives, leaving = s.normal.shape[0], False, False
    for i in range(n):
        let_rest(s, i)
        s.stays[i], s.leaves[i] = 0, 0
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
def fastest_rest(s, i, rest):
    """The speed up to which contact i does not slip (m/s or rad/s); `rest` is round-off."""
    if not is_spatial(s, i):
        return rest * s.slow[i]
    least = TURNED
    for j in range(s.normal.shape[0]):
        if s.fired[j] & FIRED_ALONG and s.blocks[j] == s.blocks[i]:
            least = ENDS
    return s.slow[i] * max(rest, least)


@helper
def is_held_by_stop(s, i, towards):
    """Whether a closed stop keeps the coordinate of a friction from moving that way."""
    found = False
    for j in range(s.normal.shape[0]):
        found = found or (s.brake[j] == i and s.stays[j] != 0 and not towards * s.signs[s.first[j]] > 0.0)
    return found


@helper
def give_way(s, i, several):
    """What contact i does, whose friction at rest no longer holds; whether it slips."""
    tangent, last = first_tangent(s, i), s.first[i + 1]
    size = length_of(s.held, tangent, last)
    for k in range(tangent, last):
        s.towards[k] = -s.held[k] / size
    if is_spatial(s, i) and s.static[i] != s.friction[i]:
        s.gave_way[i] = s.broken[i] = 1
        return False
    if is_spatial(s, i) and several:
        s.begins[i] = 1
        return False
    if is_held_by_stop(s, i, s.towards[tangent]):
        return False  # it stays, and the stop helps
    go(s, i, s.towards, 1.0)
    for j in range(s.normal.shape[0]):
        if s.brake[j] == i and s.stays[j]:
            s.leaves[j] = 1
    return True


@helper
def find_ways(s, rest, gives):
    """ways <- of what slips, which way: as it moves, as it is pushed, or as before where others give way.

    Returns whether how several supports slip together follows from a load just beyond the bound.
    """
    n, closed, slips, begins = s.normal.shape[0], 0, False, False
    for i in range(n):
        closed += s.stays[i]
    for i in range(n):
        is_there = s.stays[i] != 0 if s.normal[i] != 0 else rubs(s, i, s.stays)
        if s.tangents[i] == 0 or not is_there:
            continue
        tangent, last = first_tangent(s, i), s.first[i + 1]
        speed = length_of(s.speed, tangent, last)
        if s.fired[i] & FIRED_HOLD and s.mode[i] == STICKS and length_of(s.held, tangent, last) > 0.0:
            slips = give_way(s, i, not slips and closed > 1) or slips
        elif speed > fastest_rest(s, i, rest) and not s.fired[i] & FIRED_SLIDE:
            go(s, i, s.speed, 1.0 / speed)
            slips = True
        elif gives and (s.mode[i] == SLIPS if is_spatial(s, i) else s.slip[tangent] != 0.0) and not s.fired[i] & FIRED_ALONG:
            go(s, i, s.slip, 1.0)
            slips = True
    for i in range(n):
        if s.begins[i] != 0 and slips:  # what slips before says how the others do
            go(s, i, s.towards, 1.0)
            s.begins[i] = 0
        begins = begins or s.begins[i] != 0
    return begins


@helper
def load_beyond(s):
    """The accelerations along the tangents of contacts that stay, larger than they are: a load beyond the bound."""
    for i in range(s.normal.shape[0]):
        if s.stays[i] != 0:
            for k in range(s.first[i] + 1, s.first[i + 1]):
                s.acceleration[k] *= 1.0 + BEYOND


@helper
def begin_as_pushed(s):
    """Let those that begin slip against the friction that held them, by the load as it is."""
    for i in range(s.normal.shape[0]):
        if s.begins[i] != 0:
            go(s, i, s.towards, 1.0)
            s.begins[i] = 0
    for k in range(s.acceleration.shape[0]):
        s.acceleration[k] = s.resting[k]


@helper
def take_all(s):
    """taking <- what is closed and does not leave, and the frictions that there are; how many they are, or -1 where there are too many."""
    count = 0
    for i in range(s.normal.shape[0]):
        of = s.under[i] if s.under[i] >= 0 else i
        if s.leaves[of] == 0 and (s.stays[i] != 0 or rubs(s, i, s.stays)):
            if count == s.problem.normal.shape[0]:
                return -1
            s.taking[count] = i
            count += 1
    return count
