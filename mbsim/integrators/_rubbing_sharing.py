"""Which of the rows of contacts at rest carry the load, where there are more than it determines (`mbsim.unilateral.sharing`)."""

from math import sqrt

from mbsim.integrators._rubbing_arrays import RUBBING
from mbsim.integrators._rubbing_problem import DEPENDENT, INDEPENDENT, NOT_TOLD, length_of, rank_of_columns
from mbsim.integrators._rubbing_shortest import close_shortest, find_least, scale_both, solve_in_place, write_shortest
from mbsim.jit import f8, helper, i8, kernel
from mbsim.unilateral.natural_map import load_bound

MOST = 4096  # combinations that are tried
EASING, EASY, HARD, POWER, LIGHTEST, YIELDS = 80, 0.9, 10.0, 0.75, 1e-5, 1e-4  # likewise
SINGULAR, SAME, INSIDE, TIE, STEPS, SETTLES = 1e-9, 1e-8, 1e-9, 1e-9, 50, 1e-13  # as in `mbsim.unilateral.sharing`, where the reasons are
ALL, NORMAL, AT_BOUND, NOTHING = 0, 1, 2, 3  # of `Carries`
INDEPENDENT_ROWS, SHARED, NONE_CARRIES, TOO_MANY = 0, 1, 2, 3  # what `share_load` returns


@helper
def list_rest(of, rest):
    """rest <- the rows of what is closed, without the tangents of what slips; how many they are."""
    count = 0
    for a in range(of.normal.shape[0]):
        for r in range(of.first[a], of.first[a + 1]):
            if r < of.first[a] + of.normal[a] or of.sliding[a] == 0:
                rest[count] = r
                count += 1
    return count


@helper
def rank_at_rest(D, J, rest, count):
    """The rank of these rows of D, by pivots of a diagonal of ones; NOT_TOLD where that is on the verge."""
    for a in range(count):
        for c in range(count):
            size = sqrt(abs(D[rest[a], rest[a]] * D[rest[c], rest[c]]))
            J[a, c] = D[rest[a], rest[c]] / size if size > 0.0 else 0.0
    for done in range(count):
        at = done
        for a in range(done, count):
            if J[a, a] > J[at, at]:
                at = a
        if not J[at, at] > INDEPENDENT:
            return done if not J[at, at] > DEPENDENT else NOT_TOLD
        for c in range(count):
            J[done, c], J[at, c] = J[at, c], J[done, c]
        for a in range(count):
            J[a, done], J[a, at] = J[a, at], J[a, done]
        for a in range(done + 1, count):
            f = J[a, done] / J[done, done]
            for c in range(done + 1, count):
                J[a, c] -= f * J[done, c]
    return count


@helper
def count_ways(s, a):
    """How many things contact a may do: all of it carries, or nothing; of what rubs at rest the normal row alone, or with its bound."""
    of, tangent = s.problem, s.problem.first[a] + s.problem.normal[a]
    if of.sliding[a] != 0:
        return 1 + of.normal[a]
    tangents = of.first[a + 1] - tangent
    if tangents == 2:  # its bound is against what would keep it at rest
        return 2 + of.normal[a] + (1 if length_of(s.least, tangent, of.first[a + 1]) > 0.0 else 0)
    return 2 if tangents == 0 else 4 + of.normal[a]


@helper
def against_of(s, a, sign, r):
    """Which way friction at its bound would slip, along row r of contact a: in the plane that of its sign; zero where it is not there."""
    of = s.problem
    tangent, last = of.first[a] + of.normal[a], of.first[a + 1]
    if sign == 0.0 or last == tangent + 1:
        return sign
    return -s.least[r] / length_of(s.least, tangent, last)


@helper
def way_of(of, a, digit):
    """What carries, and which way friction at its bound would slip."""
    if digit < 2:
        return (ALL, 0.0) if digit == 0 else (NOTHING, 0.0)
    if of.normal[a] != 0:
        digit -= 1
        if digit == 1:
            return NORMAL, 0.0
    return (AT_BOUND, 1.0) if digit == 2 else (AT_BOUND, -1.0)


@helper
def write_columns(s, count):
    """columns <- what each unknown of a choice adds to p, carriers <- its row, given <- which way bounds act. How many; -1: it jams."""
    of, unknowns = s.problem, 0
    for r in range(of.b.shape[0]):
        s.given[r] = 0.0
    for a in range(count):
        way, sign = way_of(of, a, s.scratch.digits[a])
        first, tangent, last, rubs = of.first[a], of.first[a] + of.normal[a], of.first[a + 1], False
        if way == NOTHING:
            continue
        for k in range(tangent, last):
            s.given[k] = -of.direction[k] if of.sliding[a] != 0 else -against_of(s, a, sign, k)
            rubs = rubs or s.given[k] != 0.0
        if of.normal[a] != 0:
            for r in range(of.b.shape[0]):
                s.columns[unknowns, r] = 0.0
            s.columns[unknowns, first] = 1.0
            for k in range(tangent, last):
                s.columns[unknowns, k] = of.friction[a] * s.given[k]
            if way == AT_BOUND:  # it would jam: friction, not the load, presses it
                own = of.D[first, first]
                for k in range(tangent, last):
                    own += of.D[first, k] * s.columns[unknowns, k]
                if not own > SINGULAR * of.D[first, first]:
                    return -1
            s.carriers[unknowns] = first
            unknowns += 1
        if way == ALL and not rubs:
            for k in range(tangent, last):
                for r in range(of.b.shape[0]):
                    s.columns[unknowns, r] = 1.0 if r == k else 0.0
                s.carriers[unknowns] = k
                unknowns += 1
    return unknowns


@helper
def is_regular(s, count, rows):
    """Whether the first rows of scratch.J, divided by their largest entries and those of its columns, are independent; 0, 1 or NOT_TOLD."""
    J = s.scratch.J
    scale_both(J, count, rows)
    rank = rank_of_columns(J, count, rows)
    return NOT_TOLD if rank == NOT_TOLD else 1 if rank == count else 0


@helper
def response_of(s, c, row):
    """What unknown c adds to the rate of a row."""
    x = 0.0
    for r in range(s.problem.b.shape[0]):
        x += s.problem.D[row, r] * s.columns[c, r]
    return x


@helper
def check_matrices(s, unknowns, rest):
    """Whether a choice has one answer, which friction does not press by itself: 1, 0, or NOT_TOLD."""
    of, J = s.problem, s.scratch.J
    for c in range(unknowns):
        for r in range(rest):
            J[c, r] = response_of(s, c, s.rest[r])
    found = is_regular(s, unknowns, rest)
    if found != 1:
        return found
    for c in range(unknowns):
        for r in range(unknowns):
            J[c, r] = of.D[s.carriers[r], s.carriers[c]]
    found = is_regular(s, unknowns, unknowns)
    if found != 1:
        return found
    for c in range(unknowns):
        for r in range(unknowns):
            J[c, r] = response_of(s, c, s.carriers[r])
    return is_regular(s, unknowns, unknowns)


@helper
def solve_held(s, unknowns):
    """step <- the unknowns that leave the held rows at rest, beside what is in trial; False where their matrix has no positive determinant.

    Below zero friction presses more than it is pressed by.
    """
    of, J, step = s.problem, s.scratch.J, s.scratch.step
    for a in range(unknowns):
        row = s.carriers[a]
        step[a] = -of.b[row]
        for r in range(of.b.shape[0]):
            step[a] -= of.D[row, r] * s.scratch.trial[r]
        for c in range(unknowns):
            J[a, c] = response_of(s, c, row)
    return solve_in_place(J, step, unknowns, 0.0) > 0.0


@helper
def carry_load(s, count, unknowns, rest, held):
    """p of scratch <- the efforts of a choice; whether they carry the load. `held`: the rank of its rows where they depend, else 0."""
    of, p, trial, largest = s.problem, s.scratch.p, s.scratch.trial, 0.0
    for r in range(of.b.shape[0]):
        p[r], largest = 0.0, max(largest, abs(of.b[r]))
    for _ in range(STEPS):
        for r in range(of.b.shape[0]):
            trial[r] = 0.0
        for a in range(count):
            beside = load_bound(of, a, p, s.scratch.along)
            for r in range(of.first[a] + of.normal[a], of.first[a + 1]):
                trial[r] = s.given[r] * beside
        if not (solve_held(s, unknowns) if held == 0 else close_shortest(s, unknowns, held)):
            return False
        for c in range(unknowns):
            for r in range(of.b.shape[0]):
                trial[r] += s.columns[c, r] * s.scratch.step[c]
        for k in range(rest):
            off = of.b[s.rest[k]]
            for r in range(of.b.shape[0]):
                off += of.D[s.rest[k], r] * trial[r]
            if abs(off) > SAME * largest:
                return False
        changed, size = 0.0, 0.0
        for r in range(of.b.shape[0]):
            changed, size, p[r] = max(changed, abs(trial[r] - p[r])), max(size, abs(trial[r])), trial[r]
        if changed <= SETTLES * size:
            return True
    return False


@helper
def margin_of(s, count, size):
    """How far from its bounds an answer is, of the largest force or of `size`."""
    of, p, least, largest = s.problem, s.scratch.p, 1e308, max(size, 1e-300)
    for r in range(of.b.shape[0]):
        largest = max(largest, abs(p[r]))
    for a in range(count):
        way, _ = way_of(of, a, s.scratch.digits[a])
        first, tangent, last = of.first[a], of.first[a] + of.normal[a], of.first[a + 1]
        if of.normal[a] != 0 and way != NOTHING:
            least = min(least, p[first])
        if way == ALL and last > tangent and of.sliding[a] == 0:
            bound = load_bound(of, a, p, s.scratch.along) + (of.friction[a] * p[first] if of.normal[a] != 0 else 0.0)
            least = min(least, bound - length_of(p, tangent, last))
    return 1.0 if least >= 1e308 else least / largest


@helper
def try_choices(s, count, combinations, rank, rest, size, shortest):
    """chosen <- the best of all choices, `shortest`: by the shortest multipliers of their rows. SHARED, NONE_CARRIES or NOT_TOLD."""
    digits, most, found = s.scratch.digits, INSIDE, NONE_CARRIES
    for a in range(count):
        digits[a] = 0
    for _ in range(combinations):
        unknowns, regular = write_columns(s, count), 0
        if unknowns == rank or (shortest and unknowns > rank):
            regular = write_shortest(s, unknowns, rest, rank) if shortest else check_matrices(s, unknowns, rest)
        if regular == NOT_TOLD:
            return NOT_TOLD
        if regular > 0 and carry_load(s, count, unknowns, rest, regular if shortest else 0):
            margin = margin_of(s, count, size)
            if margin > (1.0 + TIE) * most:
                most, found = margin, SHARED
                for a in range(count):
                    s.chosen[a] = digits[a]
        for k in range(count):
            a = count - 1 - k
            digits[a] += 1
            if digits[a] < count_ways(s, a):
                break
            digits[a] = 0
    return found


@helper
def set_no_ease(s):
    """eased <- ones: all levers are as they are given."""
    for k in range(s.eased.shape[0]):
        s.eased[k] = 1.0


@helper
def part_of_bound(s, a):
    """The friction of contact a over what it can be, at most HARD."""
    of, p = s.problem, s.scratch.p
    tangent = of.first[a] + of.normal[a]
    bound, size = load_bound(of, a, p, s.scratch.along), length_of(p, tangent, of.first[a + 1])
    if of.normal[a] != 0:
        bound += of.friction[a] * p[of.first[a]]
    return size / bound if bound > 0.0 and size < HARD * bound else HARD if size > 0.0 else 0.0


@helper
def ease_load(s, count, rank, rest, size):
    """eased <- levers with which all that is at rest carries within its bounds; what would carry too much carries less of what is shared.

    SHARED, NOT_TOLD or NONE_CARRIES: then held <- the friction that was nearest to its bounds, against which what gives way begins to slip.
    """
    of, p, told = s.problem, s.scratch.p, False
    for a in range(count):
        s.scratch.digits[a] = s.chosen[a] = 0
    for k in range(EASING):
        unknowns = write_columns(s, count)
        held = write_shortest(s, unknowns, rest, rank)
        if held == NOT_TOLD:
            set_no_ease(s)
            return NOT_TOLD
        told = held > 0 and carry_load(s, count, unknowns, rest, held)
        if not told:
            break
        worst = 0.0
        for a in range(count):
            if of.sliding[a] == 0 and of.first[a + 1] > of.first[a] + of.normal[a]:
                worst = max(worst, part_of_bound(s, a))
        if (worst <= EASY or (k == EASING - 1 and worst < 1.0 - YIELDS)) and margin_of(s, count, size) > INSIDE:
            return SHARED
        for a in range(count):
            tangent, part = of.first[a] + of.normal[a], part_of_bound(s, a)
            if of.sliding[a] == 0 and part > EASY:
                for r in range(tangent, of.first[a + 1]):
                    s.eased[s.rows[r]] = max(s.eased[s.rows[r]] * (EASY / part) ** POWER, LIGHTEST)
    for a in range(count if told else 0):
        for r in range(of.first[a] + of.normal[a], of.first[a + 1]):
            if of.sliding[a] == 0 and s.held[s.rows[r]] != 0.0:
                s.held[s.rows[r]] = p[r] / s.units[s.rows[r]]
    set_no_ease(s)
    return NONE_CARRIES


@kernel(i8(RUBBING, i8, f8))
def share_load(s, count, size):
    """chosen (count,) <- what each of the contacts of a problem on accelerations does to carry the load: digits of `way_of`; and eased.

    `size` is that of efforts of the past. Returns SHARED, or INDEPENDENT_ROWS, NONE_CARRIES or TOO_MANY, or NOT_TOLD.
    """
    of, combinations, spatial, moves = s.problem, 1, False, False
    set_no_ease(s)
    rest = list_rest(of, s.rest)
    rank = rank_at_rest(of.D, s.scratch.J, s.rest, rest)
    if rank in (NOT_TOLD, rest):
        return NOT_TOLD if rank == NOT_TOLD else INDEPENDENT_ROWS
    for a in range(count):
        spatial = spatial or of.first[a + 1] - of.first[a] == 3
        moves = moves or of.sliding[a] != 0
    if spatial and not find_least(s, rest):
        return NOT_TOLD
    for a in range(count):
        combinations *= count_ways(s, a)
        if combinations > MOST:
            return ease_load(s, count, rank, rest, size) if spatial else NONE_CARRIES if moves else TOO_MANY
    found = try_choices(s, count, combinations, rank, rest, size, False)
    if found == NONE_CARRIES and spatial:
        found = try_choices(s, count, combinations, rank, rest, size, True)
    if found == NONE_CARRIES and spatial:
        found = ease_load(s, count, rank, rest, size)
    return found
