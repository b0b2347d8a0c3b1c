"""What is located inside of a step: `Work.event`, `events` of a run; `Work.corners`, `kept_corners` and `locating` of laws."""

# Work.settings[SETTING_EVENT]: how events are looked at after a step
EVENT_NONE = 0.0  # not at all
EVENT_LOOKS = 1.0  # with what the last evaluation left
EVENT_ASKS = 2.0  # with an evaluation of their own
# Work.event
EVENT_TIME_LAST = 0  # the time up to which events were looked for: that of the values in EVENT_LAST_VALUE
EVENT_TIME_NEW = 1  # the time of the last look, at the end of a step or within it
EVENT_TARGET = 2  # where the next trial of a step ends, because events that act happen there; -inf: none do
EVENT_NOTED = 3  # how many rows of Work.notes count
EVENT_GLANCED = 4  # other than zero: what interpolates the step that is searched is known
EVENT_RATES = 5  # from here on scratch for q_dot
# Work.events, a row for each event, the stop expression first where there is one
EVENT_VALUE = 0  # of the expression, at the last look
EVENT_RATE = 1
EVENT_LAST_VALUE = 2  # at EVENT_TIME_LAST; where an event has just happened, next to zero on the side to which it leads
EVENT_LAST_RATE = 3
EVENT_SENSE = 4  # the crossings that count; -1: down, 1: up, 0: both
EVENT_ACTIVE = 5  # 0: it is not looked at any more
EVENT_LARGEST = 6  # the largest size of the expression so far
EVENT_FASTEST = 7  # the largest size of its rate in the last steps
EVENT_LEFT = 8  # other than zero: the expression has left zero since the event happened last
EVENT_ACTS = 9  # other than zero: more than a note is made of it, so the march ends there
EVENT_ONCE = 10  # other than zero: it happens once
EVENT_HAPPENS = 11  # other than zero: it happens at the time that was found
EVENT_SIDE = 12  # on which side of zero it was before; 0: not known
EVENT_END_VALUE, EVENT_END_RATE = 13, 14  # at the end of the part of a step in which a crossing is searched
EVENT_HIGH_VALUE, EVENT_HIGH_RATE = 15, 16  # at the first crossing that is known so far
EVENT_UNKNOWN_RATE = 17  # other than zero: it reads what the equations of motion are solved for; its rate is not known
# of what is left of an effort that holds: offset + the bound of its groups (`Work.groups`) + factor multiplier, or - |multipliers|
EVENT_ROW = 18  # 1 + the first row of the multipliers; 0: it tells no such thing
EVENT_ROWS = 19  # how many they are
EVENT_FACTOR = 20  # 0: - |multipliers|
EVENT_OFFSET = 21
EVENT_GROUP = 22  # the first of its groups
EVENT_GROUPS = 23  # how many these are
EVENT_WIDTH = 24  # how far it runs at least from zero through what is solid to zero again; 0: not known
EVENTS = 25
# Work.notes, a row for each event that was only noted: then the output row there
NOTE_TIME = 0
NOTE_EVENT = 1  # its place in Work.events
NOTE_ROW = 2
NOTES = 16  # for each event of the run that acts on nothing

# Work.corners, a row for each number that changes a law where the number passes a bound
CORNER_VALUE = 0
CORNER_RATE = 1  # NaN: not known
CORNER_LOWER, CORNER_UPPER = 2, 3  # the bounds between which the law does not change
CORNER = 4
# Work.kept_corners: the same after the last accepted step, and behind it
KEPT_SLOPE = 4  # by which a passage is aimed at
KEPT_LARGEST = 5  # the largest value so far
KEPT_PASSED = 6  # when the number passed a bound last
KEPT_CROWD = 7  # how often since then in close succession
KEPT_RESTS = 8  # up to when it is stepped over for that
KEPT_REST = 9  # for how long then
KEPT_FIRST = 10  # when it was stepped over first; NaN: never
KEPT = 11
# Work.locating
LOCATE_TIME = 0  # of the last accepted step; NaN: none yet
LOCATE_TARGET = 1  # where the next trial of a step ends; -inf: anywhere
LOCATE_BEYOND = 2  # where a trial ended beyond a passage; -inf: none did
LOCATE_USUAL = 3  # the step that was tried then
LOCATE_TRIES = 4  # trials since the last accepted step that were too long
LOCATE_WIDER = 5  # how much wider than usual the step over a passage is
LOCATE_COUNT = 6  # passages located so far
LOCATES = 7
