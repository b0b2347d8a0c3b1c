"""Dry friction that reactions load, while it slips: its effort and the reactions that it depends on are found together.

The multipliers of a method are affine in the efforts f of what slips: the method is asked without them, then with a unit of each. So
components of reactions are free + response f, and f = fixed + sum factor |components| are a few equations, which Newton's method solves.

Of many frictions that slip, to ask with a unit of each takes as many evaluations. Their responses change with the configuration alone. So
those of an evaluation before, and the efforts of that, are tried first: the method is asked with these efforts, what they miss is corrected
by the responses, and so on. Three or four evaluations do. Where they do not come nearer fast, the responses are asked for anew.
"""

from math import sqrt, tanh

from mbsim.contracts import (
    GROUP_COEFFICIENT,
    GROUP_COUNT,
    GROUP_DRAWN,
    GROUP_FACTOR,
    GROUP_FIRST,
    GROUP_LEAVES,
    GROUP_LEAVES_BY,
    GROUP_REACHES,
    GROUP_REACHES_BY,
    SLIP_FACTOR,
    SLIP_FIXED,
    SLIP_GROUP,
    SLIP_GROUPS,
    SLIP_PLACE,
)
from mbsim.jit import helper
from mbsim.kernels.linalg import back_substitute, eliminate
from mbsim.kernels.relative import VALUE

STEPS = 50  # of Newton's method
ROUND_OFF = 1e-15  # of the largest effort
SMALL = 1e-6  # of the largest force: a friction is asked by no smaller effort, whatever little loads it
MANY = 4  # frictions from which the responses of an evaluation before are tried
TRIES, LESS = 8, 0.25  # how often; of the miss before, what a miss is at most
MET, NEARLY = 4e-15, 1e-12  # of the largest bound: a miss that is round-off, and one that may be
NO_LOAD = 1e-13  # of the largest force: reactions that are round-off
SINGULAR = 1e300  # what `eliminate` returns where a pivot is zero


@helper
def component(work, lam, c):
    """Component c of multipliers."""
    x = 0.0
    for i in range(lam.shape[0]):
        x += work.components[c, i] * lam[i]
    return x


@helper
def bound_of_groups(work, lam, first, end):
    """What groups first:end of reactions add to a bound."""
    bound = 0.0
    for g in range(first, end):
        square, at = 0.0, int(work.groups[g, GROUP_FIRST])
        for c in range(at, at + int(work.groups[g, GROUP_COUNT])):
            x = component(work, lam, c)
            square += x * x
        bound += work.groups[g, GROUP_FACTOR] * sqrt(square)
    return bound


@helper
def follow_wraps(arrays, work):
    """Give the friction of cables on circles the factors of the configuration of the last evaluation."""
    groups = work.groups
    for g in range(groups.shape[0]):
        if groups[g, GROUP_COEFFICIENT] > 0.0:
            angle = groups[g, GROUP_DRAWN]
            angle += groups[g, GROUP_REACHES_BY] * arrays.relative_values[int(groups[g, GROUP_REACHES]), VALUE]
            angle += groups[g, GROUP_LEAVES_BY] * arrays.relative_values[int(groups[g, GROUP_LEAVES]), VALUE]
            groups[g, GROUP_FACTOR] = 2.0 * tanh(0.5 * groups[g, GROUP_COEFFICIENT] * max(angle, 0.0))


@helper
def slips(work):
    """Whether a friction that reactions load slips."""
    found = False
    for k in range(work.slipping.shape[0]):
        found |= work.slipping[k, SLIP_PLACE] >= 0.0
    return found


@helper
def give_known(arrays, work, lam):
    """Give what slips the efforts that multipliers of a state that was solved before tell."""
    for k in range(work.slipping.shape[0]):
        if work.slipping[k, SLIP_PLACE] >= 0.0:
            first = int(work.slipping[k, SLIP_GROUP])
            bound = work.slipping[k, SLIP_FIXED] + bound_of_groups(work, lam, first, first + int(work.slipping[k, SLIP_GROUPS]))
            arrays.parameters[int(work.slipping[k, SLIP_PLACE])] = work.slipping[k, SLIP_FACTOR] * bound


@helper
def let_go(arrays, work):
    """Take all efforts away."""
    for k in range(work.slipping.shape[0]):
        if work.slipping[k, SLIP_PLACE] >= 0.0:
            arrays.parameters[int(work.slipping[k, SLIP_PLACE])] = 0.0


@helper
def keep_free(work):
    """Keep the components without efforts."""
    for c in range(work.components.shape[0]):
        work.slip_free[c] = component(work, work.lam, c)


@helper
def unit_of(work):
    """The effort by which a friction is asked: as large as the largest multiplier, so that what it adds to them is far above round-off."""
    largest = 0.0
    for i in range(work.lam.shape[0]):
        largest = max(largest, abs(work.lam[i]))
    largest = max(largest, SMALL * force_of(work))
    return largest if largest > 0.0 else 1.0


@helper
def force_of(work):
    """The largest of the applied and gyroscopic forces."""
    largest = 0.0
    for i in range(work.h.shape[0]):
        largest = max(largest, abs(work.h[i]))
    return largest


@helper
def push(arrays, work, k):
    """Give friction k alone a unit effort."""
    arrays.parameters[int(work.slipping[k, SLIP_PLACE])] = work.slipping[k, SLIP_FACTOR] * unit_of(work)


@helper
def keep_response(arrays, work, k):
    """Keep what it adds to the components, for each unit of effort, and take it away."""
    place = int(work.slipping[k, SLIP_PLACE])
    effort = arrays.parameters[place] / work.slipping[k, SLIP_FACTOR]
    arrays.parameters[place] = 0.0
    for c in range(work.components.shape[0]):
        work.slip_response[c, k] = (component(work, work.lam, c) - work.slip_free[c]) / effort
    work.slip_known[k] = work.slipping[k, SLIP_FACTOR]


@helper
def is_known(work):
    """Whether many frictions slip, and the responses of all of them are known."""
    count = 0
    for k in range(work.slipping.shape[0]):
        if work.slipping[k, SLIP_PLACE] >= 0.0:
            count += 1
            if work.slip_known[k] != work.slipping[k, SLIP_FACTOR]:
                return False
    return count >= MANY


@helper
def give(arrays, work):
    """Give the efforts that are known: those that were found, or of the evaluation before."""
    for k in range(work.slipping.shape[0]):
        if work.slipping[k, SLIP_PLACE] >= 0.0:
            arrays.parameters[int(work.slipping[k, SLIP_PLACE])] = work.slipping[k, SLIP_FACTOR] * work.slip_effort[k]


@helper
def keep_miss(work):
    """Keep what `with_efforts` needs to be right with the given efforts; returns by how much these are off, of the largest bound."""
    for c in range(work.components.shape[0]):
        x = component(work, work.lam, c)
        for j in range(work.slipping.shape[0]):
            if work.slipping[j, SLIP_PLACE] >= 0.0:
                x -= work.slip_response[c, j] * work.slip_effort[j]
        work.slip_free[c] = x
    largest, wrong = 0.0, 0.0
    for k in range(work.slipping.shape[0]):
        if work.slipping[k, SLIP_PLACE] >= 0.0:
            first = int(work.slipping[k, SLIP_GROUP])
            bound = work.slipping[k, SLIP_FIXED] + bound_of_groups(work, work.lam, first, first + int(work.slipping[k, SLIP_GROUPS]))
            largest, wrong = max(largest, bound), max(wrong, abs(bound - work.slip_effort[k]))
            if not wrong < 1e300:  # not a number, of which `max` may lose sight
                return wrong
    return wrong / largest if largest > 0.0 else 0.0


@helper
def solve(arrays, work):
    """Find the efforts and give them; whether they were found."""
    table, matrix, n = work.slipping, work.slip_matrix, work.slipping.shape[0]
    for _ in range(STEPS):
        largest, wrong = 0.0, 0.0
        for k in range(n):
            for j in range(n):
                matrix[k, j] = 1.0 if j == k else 0.0
            matrix[k, n] = 0.0
            if table[k, SLIP_PLACE] < 0.0:
                continue
            bound, first = table[k, SLIP_FIXED], int(table[k, SLIP_GROUP])
            for g in range(first, first + int(table[k, SLIP_GROUPS])):
                square, at = 0.0, int(work.groups[g, GROUP_FIRST])
                for c in range(at, at + int(work.groups[g, GROUP_COUNT])):
                    x = with_efforts(work, c)
                    square += x * x
                length, factor = sqrt(square), work.groups[g, GROUP_FACTOR]
                bound += factor * length
                for j in range(n):
                    if length > 0.0 and table[j, SLIP_PLACE] >= 0.0:
                        slope = 0.0
                        for c in range(at, at + int(work.groups[g, GROUP_COUNT])):
                            slope += with_efforts(work, c) * work.slip_response[c, j]
                        matrix[k, j] -= factor * slope / length
            matrix[k, n] = bound - work.slip_effort[k]
            largest, wrong = max(largest, bound), max(wrong, abs(matrix[k, n]))
        if wrong <= ROUND_OFF * largest:
            break
        if eliminate(matrix, n, n + 1) >= SINGULAR:
            return is_unloaded(arrays, work)
        back_substitute(matrix, n, n + 1)
        for k in range(n):
            if table[k, SLIP_PLACE] >= 0.0:
                work.slip_effort[k] += matrix[k, n]
    give(arrays, work)
    return wrong <= 1e-9 * largest or is_unloaded(arrays, work)


@helper
def is_unloaded(arrays, work):
    """Whether no reaction loads what slips but for round-off: then there are no efforts, whatever a load would do there."""
    table, force = work.slipping, force_of(work)
    for k in range(table.shape[0]):
        if table[k, SLIP_PLACE] < 0.0:
            continue
        if table[k, SLIP_FIXED] != 0.0:
            return False
        first = int(table[k, SLIP_GROUP])
        for g in range(first, first + int(table[k, SLIP_GROUPS])):
            at = int(work.groups[g, GROUP_FIRST])
            for c in range(at, at + int(work.groups[g, GROUP_COUNT])):
                response = 1.0
                for j in range(table.shape[0]):
                    if table[j, SLIP_PLACE] >= 0.0:
                        response += abs(work.slip_response[c, j])
                if not abs(work.slip_free[c]) <= NO_LOAD * force * response:
                    return False
    for k in range(table.shape[0]):
        if table[k, SLIP_PLACE] >= 0.0:
            work.slip_effort[k] = 0.0
    let_go(arrays, work)
    return True


@helper
def with_efforts(work, c):
    """Component c with the present efforts."""
    x = work.slip_free[c]
    for j in range(work.slipping.shape[0]):
        if work.slipping[j, SLIP_PLACE] >= 0.0:
            x += work.slip_response[c, j] * work.slip_effort[j]
    return x
