"""What the march of a unit is told of contacts with friction: loads, efforts, which lines of Work.events tell of them, their sides.

`mbsim.march.contact_telling` does the same in a run.
"""

from mbsim.contracts import (
    ARRAYS,
    EVENT_ACTIVE,
    EVENT_GROUP,
    EVENT_GROUPS,
    EVENT_LARGEST,
    EVENT_LAST_VALUE,
    EVENT_ROWS,
    EVENT_VALUE,
    GROUP_FACTOR,
    SLIP_FACTOR,
    SLIP_FIXED,
    SLIP_GROUP,
    SLIP_GROUPS,
    SLIP_PLACE,
    WORK,
)
from mbsim.integrators._rubbing_arrays import RUBBING, SPATIALS, START, STILL, STRENGTH
from mbsim.integrators._settling_arrays import AT_REST, IDLE, OPEN, SLIPS, STICKS, TOUCHES
from mbsim.integrators._settling_lines import clear_line, set_gap_side, watch_line
from mbsim.integrators._sides import set_side
from mbsim.jit import I1, helper, kernel, void

AT_BOUND, NOTHING = 2, 3  # of `mbsim.unilateral.sharing.Carries`
BEGINS = 1e-9  # m/s: added to the slip of a contact in space along the direction in which it begins, as in `mbsim.march.contact_telling`


@helper
def is_kept(s, i):
    """Whether a friction keeps the coordinate of stop i where it is."""
    return s.brake[i] >= 0 and s.mode[s.brake[i]] == STICKS


@helper
def start_slip(arrays, s, i, by):
    """Let contact i in space begin to slip along `slip` times `by`; 0: nothing slips."""
    at, tangent = SPATIALS * i, s.first[i] + s.normal[i]
    for k in range(2):
        arrays.parameters[s.spatial[at + START + k]] = by * s.slip[tangent + k]
    arrays.parameters[s.spatial[at + STILL]] = 1.0 if by == 0.0 else 0.0


@helper
def clear_slip(arrays, s, i):
    """Nothing of contact i slips in space."""
    if s.tangents[i] == 2:
        arrays.parameters[s.spatial[SPATIALS * i + STRENGTH]] = 0.0
        start_slip(arrays, s, i, 0.0)


@helper
def load_contact(arrays, work, s, i, at):
    """Tell what loads friction i, by its place in the tables of the phase (`at`), and its effort where it is at its bound."""
    slips, bound = s.mode[i] == SLIPS, s.mode[i] == SLIPS or s.shared[i] == AT_BOUND
    tangent, fixed = s.first[i] + s.normal[i], s.bound[i] if s.mode[i] == SLIPS else s.static_bound[i]
    place, factor = s.places[tangent], -s.slip[tangent]
    if s.tangents[i] == 2:
        place, factor = s.spatial[SPATIALS * i + STRENGTH], -1.0
    if bound:
        arrays.parameters[place] = factor * fixed
        if s.tangents[i] == 2:
            start_slip(arrays, s, i, BEGINS)
    if at < 0:
        return
    table, g = work.slipping, int(work.slipping[at, SLIP_GROUP])
    table[at, SLIP_PLACE], table[at, SLIP_FACTOR], table[at, SLIP_FIXED] = place if bound else -1.0, factor, fixed
    if s.normal[i] != 0:
        work.groups[g, GROUP_FACTOR] = s.friction[i] if slips else s.static[i]
        g += 1
    for k in range(s.groups[i], s.groups[i + 1]):
        work.groups[g, GROUP_FACTOR] = s.slip_factors[k] if slips else s.hold_factors[k]
        g += 1


@kernel(void(ARRAYS, WORK, I1, I1, RUBBING))
def tell_contacts(arrays, work, rows, loaded, s):
    """Fill the tables of friction, the lines of Work.events of what is watched, and the efforts of what slips.

    rows (N,): of multipliers, -1 where none holds; loaded (n,): places in the tables of friction of this phase, -1 where nothing loads it.
    """
    events, largest = work.events, 0.0
    for k in range(s.places.shape[0]):
        arrays.parameters[s.places[k]] = 0.0
    for k in range(work.slipping.shape[0]):
        work.slipping[k, SLIP_PLACE] = -1.0
    for i in range(s.normal.shape[0]):
        first, tangent, mode, shared = s.first[i], s.first[i] + s.normal[i], s.mode[i], s.shared[i]
        clear_slip(arrays, s, i)
        for line in (s.presses[i], s.sticks[i]):
            if line >= 0:
                largest = max(largest, events[line, EVENT_LARGEST])
        for line in (s.gaps[i], s.presses[i], s.sticks[i], s.edges[i], s.turned[i]):
            clear_line(events, line)
        for k in range(first, s.first[i + 1]):
            clear_line(events, s.speeds[k])
        if s.tangents[i] != 0:
            load_contact(arrays, work, s, i, loaded[i])
        if mode == IDLE or s.absent[i] != 0:
            continue
        if mode == OPEN:
            events[s.gaps[i], EVENT_ACTIVE] = 0.0 if is_kept(s, i) else 1.0
            continue
        if s.normal[i] != 0:
            if shared != NOTHING:
                watch_line(events, s.presses[i], rows[first], s.signs[first], 0.0)
            if s.edges[i] >= 0:
                events[s.edges[i], EVENT_ACTIVE] = 1.0
        if mode == SLIPS:
            events[s.turned[i] if s.tangents[i] == 2 else s.speeds[tangent], EVENT_ACTIVE] = 1.0
        if mode == STICKS and shared == 0:
            watch_line(events, s.sticks[i], rows[tangent], 0.0, s.static_bound[i])
            events[s.sticks[i], EVENT_ROWS] = s.tangents[i]
            if loaded[i] >= 0:
                events[s.sticks[i], EVENT_GROUP] = work.slipping[loaded[i], SLIP_GROUP]
                events[s.sticks[i], EVENT_GROUPS] = work.slipping[loaded[i], SLIP_GROUPS]
    s.watched[0] = largest


@helper
def find_unseen(events, s, i):
    """How deep a contact that is open and counts as zero comes behind a side without being pressed on it, m: as deep as it is.

    A corner that passes an end of a side is behind both sides there, by as much as it is behind the nearer one.
    """
    if s.gaps[i] < 0:
        return 0.0
    gap = events[s.gaps[i], EVENT_VALUE]
    if s.pairs[i] < 0 or s.edges[i] < 0:
        return -gap
    edge = events[s.edges[i], EVENT_VALUE]
    height = gap - 2.0 * max(0.0, -edge)
    ahead = edge - height
    return max(-height, ahead if ahead <= TOUCHES * s.near[i] else 0.0)


@kernel(void(WORK, RUBBING))
def set_contact_sides(work, s):
    """After the march has begun to look at its events: those of contacts are on the sides of their modes."""
    events, largest = work.events, 0.0
    for i in range(s.normal.shape[0]):
        for line in (s.presses[i], s.sticks[i]):
            if line >= 0:
                largest = max(largest, abs(events[line, EVENT_LAST_VALUE]))
    unit = min(largest, 1.0) if largest > 0.0 else 1.0
    for i in range(s.normal.shape[0]):
        gap, tangent = s.gaps[i], s.first[i] + s.normal[i]
        set_gap_side(events, gap, s.near[i], find_unseen(events, s, i))
        if s.edges[i] >= 0 and events[s.edges[i], EVENT_ACTIVE] != 0.0:
            set_side(events, s.edges[i], 1.0, TOUCHES * s.near[i], s.near[i])
        if s.tangents[i] == 1 and events[s.speeds[tangent], EVENT_ACTIVE] != 0.0:
            set_side(events, s.speeds[tangent], s.slip[tangent], AT_REST, 1.0)
        if s.tangents[i] == 2 and events[s.turned[i], EVENT_ACTIVE] != 0.0:
            slow = BEGINS * min(1.0, s.near[i])
            set_side(events, s.turned[i], 1.0, AT_REST * slow, slow)
        for line in (s.presses[i], s.sticks[i]):
            if line >= 0 and events[line, EVENT_ACTIVE] != 0.0:
                set_side(events, line, 1.0, 0.0, unit)
