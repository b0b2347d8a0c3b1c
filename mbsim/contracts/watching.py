"""`Work.watch` and `Work.beside`: how closely a step followed the constraints, and what is known of singular positions."""

# Work.watch, of the correction of a step (`mbsim.singular.correction`)
WATCH_ASKED = 0  # other than zero: PROJECT looks at its correction, and the watch at the orientation before a step is accepted
WATCH_TIME = 1  # of the last accepted state; NaN: none yet
WATCH_SPAN = 2  # the length of the step, s
WATCH_LIMIT = 3  # the correction that is let pass, over the way of the step
WATCH_SHARE = 4  # the square of the last correction over the one that is let pass
# of the orientation of the configuration (`mbsim.singular.orientation`)
WATCH_WAY = 5  # since the orientation was taken
WATCH_DUE = 6  # the way at which it is taken again
WATCH_RANK = 7  # when it was taken; -1: not yet
WATCH_SIGMA = 8  # the smallest singular value then
WATCH_RATE = 9  # its change per way
WATCH_LOW = 10  # how often the rank was lower since then
WATCH_KEPT = 11  # the time of Work.orientation.q; NaN: none yet
WATCH_PASSES = 12  # up to this time a step may go through a singular position
WATCH_RESOLVES = 13  # up to this time steps over a gap between two branches are refused
WATCH_LEAPS = 14  # the time from which a step through a singular position was tried (`integrators/_embedded.py`)
WATCH_SURE = 15  # up to this time the driver has seen that there is no singular position
WATCH_LANDS = 16  # the way from which on a march returns to Python after a step that ends on a singular position
WATCH_SPEED = 17  # the speed (the largest of Work.scales) after the last accepted step; NaN: not known
WATCH_TRIED = 18  # the same after the last step, accepted or not
WATCH_FASTEST = 19  # the largest speed so far
WATCH_HARDEST = 20  # the largest change of the speed in a second
WATCH_PROBED = 21  # the time from which the driver was last asked for a singular position ahead
WATCH_MEETS = 22  # where one lies that the march is to step over (`integrators/_leaps.py`)
WATCHES = 23

# Work.beside, of the state beside a singular position from which a method goes on (Work.beside_q, Work.beside_v)
BESIDE_TIME = 0  # its time; NaN where there is no such state
BESIDE_PIVOT = 1  # the weakest pivot found last
BESIDE_ACCEPTED = 2  # the same at the last accepted state; NaN: none yet
BESIDE_HELD = 3  # the weakest pivot of Work.rows when they were picked
BESIDE_LAST = 4  # the same at the last evaluation
BESIDES = 5
