"""Events for which no code is made: their expression is a number, or a number and a factor times one quantity that the state tells.

Most events of contacts, stops and dry friction are such. Each is a row of `Arrays.event_reads` and `Arrays.event_numbers`, and one kernel
evaluates all of them, so that a model which has no other events compiles nothing for them. Rows of loops (`event_tables.py`) follow.
"""

from math import nan

from mbsim.contracts import EVENT
from mbsim.jit import kernel
from mbsim.kernels.relative import RATE, VALUE
from mbsim.system.relative_rates import accelerate, relative_acceleration

# Columns of Arrays.event_reads. Of a loop INDEX says which, and the numbers of all that it reads follow.
LINE, WHAT, INDEX = 0, 1, 2
COLUMNS = 3
# Columns of Arrays.event_numbers
NUMBER, FACTOR = 0, 1
CONSTANTS = 2

# WHAT is read
LOOP = 0  # by a loop of generated code
NOTHING = 1
TIME = 2
COORDINATE = 3
SPEED = 4
ACCELERATION = 5
RELATIVE = 6
RELATIVE_RATE = 7
MULTIPLIER = 8


@kernel(EVENT)
def read_events(arrays, t, q, v, q_dot, v_dot, lam, out):
    """Relative coordinates and their rates are those that were measured last."""
    accelerated = False
    for k in range(arrays.event_reads.shape[0]):
        line, what, i = arrays.event_reads[k, LINE], arrays.event_reads[k, WHAT], arrays.event_reads[k, INDEX]
        value, rate = 0.0, 0.0
        if what == LOOP:
            continue
        if what == TIME:
            value, rate = t, 1.0
        elif what == COORDINATE:
            value, rate = q[i], q_dot[i]
        elif what == SPEED:
            value, rate = v[i], v_dot[i]
        elif what == ACCELERATION:
            value, rate = v_dot[i], nan
        elif what == RELATIVE:
            value, rate = arrays.relative_values[i, VALUE], arrays.relative_values[i, RATE]
        elif what == RELATIVE_RATE:
            if not accelerated:
                accelerate(arrays, v, v_dot)
                accelerated = True
            value, rate = arrays.relative_values[i, RATE], relative_acceleration(arrays, i, v_dot)
        elif what == MULTIPLIER:
            value, rate = lam[i], nan
        out[line, 0] = arrays.event_numbers[k, NUMBER] + arrays.event_numbers[k, FACTOR] * value
        out[line, 1] = arrays.event_numbers[k, FACTOR] * rate
