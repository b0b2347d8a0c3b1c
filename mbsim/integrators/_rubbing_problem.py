"""The small problems that contacts with friction pose at an event, in kernels: posed, solved, and how unique."""

from math import sqrt

import numpy as np

from mbsim.contracts import ARRAYS, EVENT_RATE, EVENT_VALUE, METHOD, SYSTEM, WORK
from mbsim.integrators._rubbing_arrays import RUBBING
from mbsim.integrators._settling_asked import ask, ask_pushed
from mbsim.jit import f8, helper, i8, kernel
from mbsim.unilateral.natural_map import load_bound
from mbsim.unilateral.problem import OPEN as LIFTED
from mbsim.unilateral.problem import SEVERAL, SLIP, SOLVED
from mbsim.unilateral.solution import AUTO, solve
from mbsim.unilateral.uniqueness import PRESSED

NOT_UNIQUE, IS_UNIQUE, NOT_TOLD = 0, 1, -1
LITTLE, SLACK = 1e-4, 1e-6  # as in `mbsim.unilateral.uniqueness`: a change of the largest impulse, and what of it is none
DEPENDENT, INDEPENDENT = 1e-11, 1e-7  # of the largest column: what is between them leaves it open whether there is a null space (1e-9)


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, f8, RUBBING))
def ask_along(functions, system, arrays, work, t, s):
    """What the mechanism does without efforts, along all directions; returns 1, or 0 where it cannot be evaluated."""
    n, n_q = s.v.shape[0], s.q.shape[0]
    if not ask(functions, system, arrays, work, t, s):
        return 0
    for i in range(s.normal.shape[0]):
        s.gap[i] = s.out[s.gaps[i], EVENT_VALUE] if s.normal[i] != 0 else np.inf
        beyond = max(0.0, -s.out[s.edges[i], EVENT_VALUE]) if s.pairs[i] >= 0 and s.edges[i] >= 0 else 0.0
        s.height[i] = s.gap[i] - 2.0 * beyond
    for k in range(s.speeds.shape[0]):
        s.speed[k] = s.out[s.speeds[k], EVENT_VALUE]
        s.acceleration[k] = s.free[k] = s.out[s.speeds[k], EVENT_RATE]
    for j in range(n):
        s.v_dot[j] = s.row[n_q + n + j]
    for m in range(s.lam.shape[0]):
        s.lam[m] = s.row[n_q + 2 * n + m]
    return 1


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, f8, RUBBING, i8))
def push_along(functions, system, arrays, work, t, s, k):
    """responses[k], moves[k], reactions[k] <- what a unit effort along direction k adds; 1, or 0 where it cannot be evaluated."""
    if s.known[k] != 0:
        return 1
    if not ask_pushed(functions, system, arrays, work, t, s, k):
        return 0
    first, by = s.q.shape[0] + 2 * s.v.shape[0], 1.0 / s.efforts[k]
    for m in range(s.lam.shape[0]):
        s.reactions[k, m] = by * (s.row[first + m] - s.lam[m])
    return 1


@helper
def rubs(s, i, closed):
    """Whether there is what friction i without a normal acts in: its joint holds, or the contact that it resists is `closed` (n,)."""
    return s.normal[i] == 0 and s.absent[i] == 0 and (s.under[i] < 0 or closed[s.under[i]] != 0)


@helper
def write_loads(s, count, rows, forces):
    """free and response of problem <- the reactions that load what is taken."""
    of, part = s.problem, 0
    for a in range(count):
        i = s.taking[a]
        for c in range(s.parts[s.groups[i]], s.parts[s.groups[i + 1]]):
            of.free[part] = 0.0
            for r in range(of.b.shape[0]):
                of.response[part, r] = 0.0
            for r in range(rows if s.under[i] >= 0 else 0):
                if s.rows[r] == s.first[s.under[i]]:
                    of.response[part, r] = 1.0 / s.units[s.rows[r]]
            for m in range(s.lam.shape[0]):
                if s.weights[c, m] != 0.0:
                    of.free[part] += s.weights[c, m] * s.lam[m] if forces != 0 else 0.0
                    for r in range(rows):
                        of.response[part, r] += s.weights[c, m] * s.reactions[s.rows[r], m] / s.units[s.rows[r]]
            part += 1


@kernel(i8(METHOD, SYSTEM, ARRAYS, WORK, f8, RUBBING, i8, i8))
def pose_taken(functions, system, arrays, work, t, s, count, forces):
    """problem <- that of the first `count` that are taken, without b; the number of its rows, or -1 where the system has no answer.

    `forces` other than 0: the problem on accelerations, in which what neither goes along `ways` nor is `broken` holds by static
    friction. Else it is that of an impact, of impulses, and all friction is that of slip. `rows` <- the direction of each row.
    """
    of, work_of = s.problem, s.scratch
    rows, groups, parts = 0, 0, 0
    for a in range(of.normal.shape[0]):
        of.first[a], of.loads[a] = rows, groups
        of.normal[a], of.sliding[a], of.friction[a], of.fixed[a] = 0, 0, 0.0, 0.0
        if a >= count:
            continue
        i = s.taking[a]
        moves = forces == 0 or s.going[i] != 0 or s.broken[i] != 0
        of.normal[a] = s.normal[i]
        of.friction[a] = s.friction[i] if moves else s.static[i]
        of.fixed[a] = 0.0 if forces == 0 else (s.bound[i] if moves else s.static_bound[i]) * s.units[s.first[i]]
        for k in range(s.first[i], s.first[i + 1]):
            if push_along(functions, system, arrays, work, t, s, k) == 0:
                return -1
            s.rows[rows], of.direction[rows] = k, 0.0
            if forces != 0 and s.going[i] != 0 and k >= s.first[i] + s.normal[i]:
                of.direction[rows], of.sliding[a] = s.ways[k], 1
            rows += 1
        for g in range(s.groups[i], s.groups[i + 1]):
            of.load_rows[groups], of.factor[groups] = parts, (s.slip_factors[g] if moves else s.hold_factors[g]) * s.units[s.first[i]]
            groups += 1
            parts += s.parts[g + 1] - s.parts[g]
    of.first[of.normal.shape[0]], of.loads[of.normal.shape[0]] = rows, groups
    for g in range(groups, of.load_rows.shape[0]):
        of.load_rows[g] = parts
    for g in range(groups, of.factor.shape[0]):
        of.factor[g] = 0.0
    for r in range(of.b.shape[0]):
        of.b[r], work_of.p[r], work_of.step[r], work_of.F[r], work_of.scale[r], work_of.slip[r] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if r >= rows:
            of.direction[r] = 0.0
        for c in range(of.b.shape[0]):
            of.D[r, c] = 0.0
            if r < rows and c < rows:
                j, k = s.rows[r], s.rows[c]
                of.D[r, c] = 0.5 * (s.responses[j, k] + s.responses[k, j]) / (s.units[j] * s.units[k])
    write_loads(s, count, rows, forces)
    return rows


@helper
def solve_posed(s):
    """Solve what is posed, from zero impulses, and look for all solutions; returns the code of `mbsim.unilateral.problem`."""
    for r in range(s.problem.b.shape[0]):
        s.scratch.p[r] = 0.0
    for d in range(s.scratch.radix.shape[0]):
        s.scratch.radix[d] = 1
    return solve(s.problem, s.scratch, AUTO, 1)


@helper
def length_of(x, first, last):
    """Of the part of a vector between two places."""
    square = 0.0
    for k in range(first, last):
        square += x[k] * x[k]
    return sqrt(square)


@helper
def add_column(s, a, row, rows, count):
    """A row of scratch.J <- what a change of impulses of contact a along a row adds to rates, with the friction of what slips."""
    of, J, tangent = s.problem, s.scratch.J, s.problem.first[a] + s.problem.normal[a]
    slips = s.scratch.modes[a] == SLIP and row < tangent
    for r in range(rows):
        J[count, r] = of.D[r, row]
        for k in range(tangent, of.first[a + 1]):
            if slips:
                J[count, r] -= of.friction[a] * s.scratch.slip[k] * of.D[r, k]


@helper
def largest_row(J, rank, count, rows):
    """Which of the rows of J from `rank` on is the largest, and the square of its size."""
    at, most = rank, 0.0
    for c in range(rank, count):
        size = 0.0
        for r in range(rows):
            size += J[c, r] * J[c, r]
        if size > most:
            at, most = c, size
    return at, most


@helper
def rank_of_columns(J, count, rows):
    """How many of the first rows of J, which are overwritten, do not depend on each other; NOT_TOLD where that is on the verge."""
    largest, rank = 0.0, 0
    for rank in range(count + 1):
        at, most = largest_row(J, rank, count, rows)
        most = np.sqrt(most)
        largest = max(largest, most)
        if most <= DEPENDENT * largest:
            return rank
        if most < INDEPENDENT * largest:
            return NOT_TOLD
        for r in range(rows):
            J[rank, r], J[at, r] = J[at, r], J[rank, r]
        for c in range(rank + 1, count):
            along = 0.0
            for r in range(rows):
                along += J[c, r] * J[rank, r]
            for r in range(rows):
                J[c, r] -= along / (most * most) * J[rank, r]
    return count


@helper
def list_changes(s, rows, small, strict):
    """J of scratch <- what changes of impulses add to rates that keep to the bounds, of `strict` ones both ways; how many they are.

    carriers (R,) <- the row of each.
    """
    of, it, count = s.problem, s.scratch, 0
    for a in range(of.normal.shape[0]):
        first, last = of.first[a], of.first[a + 1]
        tangent = first + of.normal[a]
        lifted = it.modes[a] == LIFTED
        if first == last or (lifted and not it.bound[a] > small):
            continue
        if tangent > first and not lifted and (strict == 0 or it.p[first] > small):
            add_column(s, a, first, rows, count)
            s.carriers[count] = first
            count += 1
        if it.modes[a] != SLIP:
            inside = length_of(it.p, tangent, last) < it.bound[a] - small
            for k in range(tangent, last):
                if strict == 0 or inside:
                    add_column(s, a, k, rows, count)
                    s.carriers[count] = k
                    count += 1
    return count


@helper
def find_null(s, count, rows):
    """columns[count - 1] <- the one combination of the first rows of J of scratch, which are overwritten, that adds nothing."""
    J, C = s.scratch.J, s.columns
    for c in range(count):
        for k in range(count):
            C[c, k] = 1.0 if c == k else 0.0
    for rank in range(count - 1):
        at, most = largest_row(J, rank, count, rows)
        for r in range(rows):
            J[rank, r], J[at, r] = J[at, r], J[rank, r]
        for k in range(count):
            C[rank, k], C[at, k] = C[at, k], C[rank, k]
        for c in range(rank + 1, count):
            along = 0.0
            for r in range(rows):
                along += J[c, r] * J[rank, r]
            for r in range(rows):
                J[c, r] -= along / most * J[rank, r]
            for k in range(count):
                C[c, k] -= along / most * C[rank, k]


@helper
def may_change(s, count, sign):
    """Whether impulses may change along what `find_null` has found, one way: `mbsim.unilateral.uniqueness._allowed`."""
    of, it, most = s.problem, s.scratch, 0.0
    p, change, size = it.trial, it.step, it.residual[1]
    for r in range(of.b.shape[0]):
        change[r] = 0.0
    for c in range(count):
        change[s.carriers[c]] += s.columns[count - 1, c]
    for a in range(of.normal.shape[0]):
        tangent = of.first[a] + of.normal[a]
        for k in range(tangent, of.first[a + 1] if of.normal[a] != 0 and it.modes[a] == SLIP else tangent):
            change[k] -= of.friction[a] * it.slip[k] * change[of.first[a]]
    for r in range(of.b.shape[0]):
        most = max(most, abs(change[r]))
    for r in range(of.b.shape[0]):
        change[r] *= sign * LITTLE * size / most
        p[r] = it.p[r] + change[r]
    slack = SLACK * LITTLE * size
    for a in range(of.normal.shape[0]):
        first, last = of.first[a], of.first[a + 1]
        tangent, bound = first + of.normal[a], it.bound[a]
        if tangent > first and p[first] < -slack:
            return False
        bound += of.friction[a] * change[first] if tangent > first else 0.0
        bound += load_bound(of, a, p, it.along) - load_bound(of, a, it.p, it.along)
        if last > tangent and it.modes[a] != SLIP and length_of(p, tangent, last) > bound + slack:
            return False
    return True


@kernel(i8(RUBBING, i8, i8))
def tell_unique(s, code, rows):
    """Whether the impulses of a solution are the only ones: IS_UNIQUE, NOT_UNIQUE, or NOT_TOLD (`mbsim.unilateral.uniqueness`).

    IS_UNIQUE where nothing says that there are others, too.
    """
    if code == SEVERAL:
        return NOT_UNIQUE
    small, least = PRESSED * s.scratch.residual[1], 0
    for strict in range(2):
        count = list_changes(s, rows, small, strict)
        rank = rank_of_columns(s.scratch.J, count, rows)
        if rank == NOT_TOLD:
            return NOT_TOLD
        if strict == 0 and rank == count:
            return IS_UNIQUE
        if strict == 1 and rank < count:
            return NOT_UNIQUE
        least = count - rank if strict == 0 else least
    if least > 1:  # which of them is looked at, the order of the values decides there
        return NOT_TOLD
    count = list_changes(s, rows, small, 0)
    find_null(s, count, rows)
    return NOT_UNIQUE if may_change(s, count, 1.0) or may_change(s, count, -1.0) else IS_UNIQUE


@helper
def is_solved(code):
    """Whether impulses of an impact may be taken: of several solutions it is the one that keeps the least energy."""
    return code in (SOLVED, SEVERAL)
