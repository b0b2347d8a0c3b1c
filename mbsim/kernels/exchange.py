"""Units for model exchange (FMI 2.0.4 sec. 3, FMI 3.0 sec. 3), asked by the addresses of their functions.

`p` are the parameters of a system (`Arrays.parameters`), `k` is the place of the block of a unit in them: addresses, which are exact as
numbers below 2^53, and what went wrong. The numbers of a unit stand in q one behind the other: inputs, outputs, continuous states. Between
two calls of `move` nothing is kept: time, states and inputs are given anew at each evaluation. What a unit cannot find becomes NaN, which
ends a run, or makes a trial step shorter.
"""

from math import nan

from mbsim.jit import helper
from mbsim.jit.calls import call1, call2, call3, call4, call5, call7, call_at, put_word, start_of, word_at

INSTANCE = 0  # 0: the unit does not run
STATUS, FAILED = 1, 2  # the status of the call that failed, and which one that was: 0, or one of the following
SET_TIME, SET_STATES, GET_STATES, GET_RATES, SET_NUMBERS, GET_NUMBERS = 3, 4, 5, 6, 7, 8
COMPLETED, ENTER_EVENTS, UPDATE, LEAVE_EVENTS = 9, 10, 11, 12
GET_INDICATORS = 13
ENDS, RINGS = 14, 15  # in FAILED alone: it ends its simulation; an event after a step has changed what changes at events of a run only
INPUTS, OUTPUTS = 16, 17  # addresses of the references of variables, 32 bits each
NOTES = 18  # address of eight words, for what it says of events
LAST = 19  # which call failed last, with STATUS; a failure that is no error is over at the next evaluation
COLUMNS = 20

WARNING, ERROR = 1, 3  # fmi2Status, fmi3Status; beyond a warning nothing is found, beyond an error a unit is lost
BYTES, REFERENCE = 8, 4  # of a number, of a reference
MOST_UPDATES = 100  # of discrete states at one time


@helper
def runs(p, k):
    """Whether there is a unit that has not failed."""
    return p[k + INSTANCE] != 0.0 and p[k + FAILED] == 0.0


@helper
def judge(p, k, which, status):
    """Keep the first failure."""
    if status > WARNING and p[k + FAILED] == 0.0:
        p[k + FAILED], p[k + LAST], p[k + STATUS] = which, which, status


@helper
def move(p, k, t, q, first, count):
    """Go to the time t and to the continuous states q[first] ...; a failure that is no error is forgotten."""
    if p[k + STATUS] < ERROR:
        p[k + FAILED] = 0.0
    if runs(p, k):
        judge(p, k, SET_TIME, call_at(int(p[k + SET_TIME]), int(p[k + INSTANCE]), t))
        if count > 0:
            judge(p, k, SET_STATES, call3(int(p[k + SET_STATES]), int(p[k + INSTANCE]), start_of(q) + BYTES * first, count))


@helper
def put(p, k, version, q, first, place, count):
    """Give `count` inputs, of which the first has this place among them, the values q[first] ..."""
    if runs(p, k):
        function, unit = int(p[k + SET_NUMBERS]), int(p[k + INSTANCE])
        references, values = int(p[k + INPUTS]) + REFERENCE * place, start_of(q) + BYTES * first
        if version == 2:
            judge(p, k, SET_NUMBERS, call4(function, unit, references, count, values))
        else:
            judge(p, k, SET_NUMBERS, call5(function, unit, references, count, values, count))


@helper
def get(p, k, version, q, first, place, count):
    """q[first] ...: the values of `count` outputs, of which the first has this place among them."""
    if p[k + INSTANCE] == 0.0:
        return
    if runs(p, k):
        function, unit = int(p[k + GET_NUMBERS]), int(p[k + INSTANCE])
        references, values = int(p[k + OUTPUTS]) + REFERENCE * place, start_of(q) + BYTES * first
        if version == 2:
            judge(p, k, GET_NUMBERS, call4(function, unit, references, count, values))
        else:
            judge(p, k, GET_NUMBERS, call5(function, unit, references, count, values, count))
    if p[k + FAILED] != 0.0:
        for i in range(count):
            q[first + i] = nan


@helper
def rates(p, k, q_dot, first, count):
    """q_dot[first] ...: the derivatives of the continuous states; zero where the unit does not run."""
    if runs(p, k):
        judge(p, k, GET_RATES, call3(int(p[k + GET_RATES]), int(p[k + INSTANCE]), start_of(q_dot) + BYTES * first, count))
    else:
        for i in range(count):
            q_dot[first + i] = 0.0
    if p[k + FAILED] != 0.0:
        for i in range(count):
            q_dot[first + i] = nan


@helper
def indicate(p, k, place, count):
    """p[place] ...: the event indicators."""
    if runs(p, k):
        judge(p, k, GET_INDICATORS, call3(int(p[k + GET_INDICATORS]), int(p[k + INSTANCE]), start_of(p) + BYTES * place, count))
    if p[k + FAILED] != 0.0:
        for i in range(count):
            p[place + i] = nan


@helper
def said(notes, byte):
    """Whether a truth value among the notes is set."""
    return (word_at(notes + (byte & ~7)) >> (8 * (byte & 7))) & 1 != 0


@helper
def complete(p, k, version, q, first, count, counted):
    """Tell a unit that a step is completed; whether its continuous states q[first] ... have other values now.

    What it does then has no place in a run where outputs are `counted`, which change at events only.
    """
    if not runs(p, k):
        return False
    unit, notes = int(p[k + INSTANCE]), int(p[k + NOTES])
    for i in range(8):
        put_word(notes + BYTES * i, 0)
    judge(p, k, COMPLETED, call4(int(p[k + COMPLETED]), unit, 1, notes, notes + 8))
    if said(notes, 8):
        judge(p, k, ENDS, ERROR)
    if not (said(notes, 0) and runs(p, k)):
        return False
    judge(p, k, ENTER_EVENTS, call1(int(p[k + ENTER_EVENTS]), unit))
    changed, goes_on, rings, updates = False, True, False, 0
    while goes_on and runs(p, k):
        for i in range(8):
            put_word(notes + BYTES * i, 0)
        if version == 2:  # a structure of five whole numbers of 32 bits and a time
            judge(p, k, UPDATE, call2(int(p[k + UPDATE]), unit, notes))
            goes_on, ends, moved, rings = said(notes, 0), said(notes, 4), said(notes, 12), said(notes, 16)
        else:
            word = notes + 8
            judge(p, k, UPDATE, call7(int(p[k + UPDATE]), unit, notes, word, word + 8, word + 16, word + 24, word + 32))
            goes_on, ends, moved, rings = said(notes, 0), said(notes, 8), said(notes, 24), said(notes, 32)
        changed |= moved
        updates += 1
        if ends or updates > MOST_UPDATES:
            judge(p, k, ENDS, ERROR)
    if rings or counted > 0:
        judge(p, k, RINGS, ERROR)
    if runs(p, k):
        judge(p, k, LEAVE_EVENTS, call1(int(p[k + LEAVE_EVENTS]), unit))
    if changed and count > 0 and runs(p, k):
        judge(p, k, GET_STATES, call3(int(p[k + GET_STATES]), unit, start_of(q) + BYTES * first, count))
    return changed
