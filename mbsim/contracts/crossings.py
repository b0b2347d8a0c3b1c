"""What is located inside of a step: `Work.event`, `events` of a run; `Work.corners`, `kept_corners` and `locating` of laws."""

# Work.settings[SETTING_EVENT]: how events are looked at after a step
EVENT_NONE = 0.0  # not at all
EVENT_LOOKS = 1.0  # with what the last evaluation left
EVENT_ASKS = 2.0  # with an evaluation of their own
# Work.event
EVENT_TIME_LAST = 0  # the time of the last accepted step
EVENT_TIME_NEW = 1  # the time of the last step, accepted or not
EVENT_RATES = 2  # from here on scratch for q_dot
# Work.events, a row for each event, the stop expression first where there is one
EVENT_VALUE = 0  # of the expression, after the last step, accepted or not
EVENT_RATE = 1
EVENT_LAST_VALUE = 2  # after the last accepted step
EVENT_LAST_RATE = 3
EVENT_LOOKED = 4  # the time up to which the driver has looked whether the expression touches zero between two steps
EVENT_SENSE = 5  # the crossings that count; -1: down, 1: up, 0: both
EVENT_ACTIVE = 6  # 0: it is not looked at any more
# of what is left of an effort that holds: offset + the bound of its groups (`Work.groups`) + factor multiplier, or - |multipliers|
EVENT_ROW = 7  # 1 + the first row of the multipliers; 0: it tells no such thing
EVENT_ROWS = 8  # how many they are
EVENT_FACTOR = 9  # 0: - |multipliers|
EVENT_OFFSET = 10
EVENT_GROUP = 11  # the first of its groups
EVENT_GROUPS = 12  # how many these are
EVENTS = 13

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
