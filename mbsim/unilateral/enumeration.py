"""Every combination of modes, for few contacts with at most one tangential row each or a known slip.

In a combination the problem is linear: of each contact one knows which rows have w = 0, which p = 0, and which p_T = +-s. A combination
whose matrix is regular gives one p; the natural map says whether it is a solution. Where contacts are redundant, the solutions are
polytopes. They hold no line, because p_N >= 0 and |p_T| <= s, so they have corners, and a corner belongs to a regular matrix: a solution is
found wherever there is one. Corners with the same w belong to one polytope, because at a given w the conditions on p are convex; their mean
is returned.

Loads by one reaction have a sign, which is enumerated likewise; those by a normal impulse have one sign. Loads by several are iterated
within a combination.
"""

from mbsim.jit import helper, kernel
from mbsim.unilateral.dense import eliminate, substitute_back
from mbsim.unilateral.natural_map import find_rates, load_bound, measure, solves
from mbsim.unilateral.problem import (
    ENUMERATE,
    ENUMERATION,
    KEPT,
    NO_SOLUTION,
    REPORT_CODE,
    REPORT_CONTACT,
    REPORT_FOUND,
    REPORT_ITERATIONS,
    REPORT_METHOD,
    REPORT_VELOCITIES,
    SEVERAL,
    SOLVED,
)

MOST = 1024  # combinations that are tried where the method is not asked for by name
# Of a contact: closed, and it sticks or slides as known; slips with w_T > 0; with w_T < 0. Then the same while it is open, where friction
# acts that needs no normal impulse.
CLOSED, FORWARD, BACKWARD, LIFTED, LIFTED_FORWARD, LIFTED_BACKWARD = 0, 1, 2, 3, 4, 5
SAME = 1e-9  # of the largest impulse: two impulses, or rates times r, that differ by less are the same
TURNS = 30  # iterations of the directions of loads
TURNED = 1e-15  # change of impulses, of the largest, below which directions have settled


@helper
def rubs_when_open(problem, i):
    """Whether contact i has a bound without a normal impulse."""
    return problem.fixed[i] > 0.0 or problem.loads[i + 1] > problem.loads[i]


@helper
def is_normal(problem, k):
    """Whether reaction k is made of impulses of normal rows alone, which are not below zero: it has one sign."""
    found = problem.free[k] == 0.0
    for i in range(problem.normal.shape[0]):
        for j in range(problem.first[i], problem.first[i + 1]):
            x = problem.response[k, j]
            found = found and (x == 0.0 or (x > 0.0 and problem.normal[i] == 1 and j == problem.first[i]))
    return found


@helper
def count_modes(problem, radix):
    """The number of combinations, and radix (n + g,) of each digit; -1 where a contact may slip in a plane or there are more than 2^40."""
    n, total = problem.normal.shape[0], 1
    for i in range(n):
        tangents = problem.first[i + 1] - problem.first[i] - problem.normal[i]
        if problem.sliding[i] or tangents == 0:
            radix[i] = 1 + problem.normal[i]
        elif tangents == 1 and problem.normal[i] and rubs_when_open(problem, i):
            radix[i] = 6
        elif tangents == 1:
            radix[i] = 3 + problem.normal[i]
        else:
            return -1
        total *= radix[i]
        for g in range(problem.loads[i], problem.loads[i + 1]):
            signed = problem.load_rows[g + 1] - problem.load_rows[g] == 1
            radix[n + g] = 2 if signed and not is_normal(problem, problem.load_rows[g]) else 1
            total *= radix[n + g]
        if total > 1 << 40:
            return -1
    return total


@helper
def advance(digits, radix):
    """Go on to the next combination."""
    for k in range(digits.shape[0] - 1, -1, -1):
        digits[k] += 1
        if digits[k] < radix[k]:
            return
        digits[k] = 0


@helper
def mode_of(digits, radix, i):
    """The mode of contact i: with two choices it is closed or open."""
    return LIFTED if radix[i] == 2 and digits[i] == 1 else digits[i]


@helper
def take_signs(problem, digits, along):
    """along <- the signs of loads by one reaction."""
    n = problem.normal.shape[0]
    for g in range(problem.factor.shape[0]):
        if problem.load_rows[g + 1] - problem.load_rows[g] == 1:
            along[problem.load_rows[g]] = 1.0 - 2.0 * digits[n + g]


@helper
def list_active(problem, digits, radix, active):
    """active <- the rows whose impulses are unknown: of contacts that are not open, or rub when they are; returns their number."""
    count = 0
    for i in range(problem.normal.shape[0]):
        lifted = mode_of(digits, radix, i) >= LIFTED
        if lifted and not rubs_when_open(problem, i):
            continue
        for k in range(problem.first[i] + (1 if lifted else 0), problem.first[i + 1]):
            active[count] = k
            count += 1
    return count


@helper
def write_equations(problem, scale, digits, radix, along, active, count, A, x):
    """A (count, count) and x (count,) <- the linear equations of a combination, in the impulses of the active rows."""
    at = 0
    for i in range(problem.normal.shape[0]):
        mode = mode_of(digits, radix, i)
        lifted = mode >= LIFTED
        if lifted and not rubs_when_open(problem, i):
            continue
        mode = mode - LIFTED if lifted else mode
        first, last = problem.first[i], problem.first[i + 1]
        tangent = first + problem.normal[i]
        for k in range(tangent if lifted else first, last):
            if k < tangent or (mode == CLOSED and not problem.sliding[i]):
                for j in range(count):
                    A[at, j] = scale[k] * problem.D[k, active[j]]
                x[at] = -scale[k] * problem.b[k]
            else:
                slip = problem.direction[k] if problem.sliding[i] else (1.0 if mode == FORWARD else -1.0)
                x[at] = -slip * problem.fixed[i]
                for j in range(count):
                    A[at, j] = 1.0 if active[j] == k else 0.0
                    if tangent > first and active[j] == first:  # nowhere where it is open
                        A[at, j] += slip * problem.friction[i]
                for g in range(problem.loads[i], problem.loads[i + 1]):
                    for l in range(problem.load_rows[g], problem.load_rows[g + 1]):
                        c = slip * problem.factor[g] * along[l]
                        x[at] -= c * problem.free[l]
                        for j in range(count):
                            A[at, j] += c * problem.response[l, active[j]]
            at += 1


@helper
def try_modes(problem, scratch, p):
    """p (N,) <- the impulses of the combination in `scratch.digits`; False where its matrix is singular."""
    digits, radix, active = scratch.digits, scratch.radix, scratch.active
    count = list_active(problem, digits, radix, active)
    vectors = problem.free.shape[0] > problem.factor.shape[0]
    for k in range(p.shape[0]):
        p[k] = 0.0
    if vectors:
        for i in range(problem.normal.shape[0]):
            load_bound(problem, i, p, scratch.along)
    for _ in range(TURNS):
        take_signs(problem, digits, scratch.along)
        write_equations(problem, scratch.scale, digits, radix, scratch.along, active, count, scratch.J, scratch.F)
        rank = eliminate(scratch.J, count, scratch.columns, scratch.F, True)
        if rank < count:
            return False
        substitute_back(scratch.J, count, scratch.columns, scratch.F, scratch.step[:count])
        change, size = 0.0, 0.0
        for j in range(count):
            change = max(change, abs(scratch.step[j] - p[active[j]]))
            size = max(size, abs(scratch.step[j]))
            p[active[j]] = scratch.step[j]
        if not vectors or change <= TURNED * size:
            break
        for i in range(problem.normal.shape[0]):
            load_bound(problem, i, p, scratch.along)
    return True


@helper
def keep(p, found, count, size):
    """Put p behind the `count` solutions in `found` where it is none of them; returns their number."""
    for f in range(count):
        distance = 0.0
        for k in range(p.shape[0]):
            distance = max(distance, abs(p[k] - found[f, k]))
        if distance <= SAME * size:
            return count
    if count < KEPT:
        for k in range(p.shape[0]):
            found[count, k] = p[k]
        return count + 1
    return count


@helper
def same_rates(scale, x, y, size):
    """Whether two vectors of rates are the same, times r."""
    different = 0
    for k in range(x.shape[0]):
        different += abs(x[k] - y[k]) * scale[k] > SAME * size
    return different == 0


@helper
def blame_difference(problem, scratch, other):
    """Name the contact whose rates differ most between two solutions."""
    largest = 0.0
    for i in range(problem.normal.shape[0]):
        for k in range(problem.first[i], problem.first[i + 1]):
            distance = scratch.scale[k] * abs(other[k] - scratch.w[k])
            if distance > largest:
                largest, scratch.report[REPORT_CONTACT] = distance, i


@helper
def choose_solution(problem, scratch, count):
    """p <- the mean of those solutions that have the w of the best one; counts different w."""
    found, rates, w, p, scale = scratch.found, scratch.J, scratch.w, scratch.p, scratch.scale
    n = p.shape[0]
    best, least = 0, 1e308
    for f in range(count):
        find_rates(problem, found[f], w)
        energy = 0.0
        for k in range(n):
            energy += 0.5 * found[f, k] * (w[k] + problem.b[k])
        if energy < least - SAME * abs(least):
            best, least = f, energy
    find_rates(problem, found[best], scratch.best)
    size = scratch.residual[1]
    different, same = 0, 0
    for k in range(n):
        scratch.step[k] = 0.0
    for f in range(count):
        find_rates(problem, found[f], w)
        if same_rates(scale, w, scratch.best, size):
            same += 1
            for k in range(n):
                scratch.step[k] += found[f, k]
            continue
        # Different ones are counted among the first rows of J: there are at most N of interest.
        known = False
        for d in range(min(different, n)):
            known = known or same_rates(scale, w, rates[d], size)
        if not known:
            if different < n:
                for k in range(n):
                    rates[different, k] = w[k]
            different += 1
    scratch.report[REPORT_VELOCITIES] = different + 1
    scratch.report[REPORT_CONTACT] = -1
    for k in range(n):
        scratch.step[k] /= same
    residual, size, _ = measure(problem, scratch, scratch.step, w)
    for k in range(n):
        p[k] = scratch.step[k] if solves(residual, size) else found[best, k]
    scratch.residual[0], scratch.residual[1], _ = measure(problem, scratch, p, w)
    if different > 0:
        blame_difference(problem, scratch, rates[0])


@kernel(ENUMERATE)
def enumerate_modes(problem, scratch, combinations, every):
    """Find solutions among all combinations; `every` other than zero: do not stop at the first. Returns SOLVED, SEVERAL or NO_SOLUTION.

    Of solutions with different w that with the least 1/2 p' D p + p' b is returned: in an impact the one that keeps the least energy.
    """
    p, w, found, report = scratch.trial, scratch.w, scratch.found, scratch.report
    report[REPORT_METHOD] = ENUMERATION
    for k in range(scratch.digits.shape[0]):
        scratch.digits[k] = 0
    count, tried = 0, 0
    best, blamed, best_size = 1e308, -1, 1.0
    for _ in range(combinations):
        tried += 1
        if try_modes(problem, scratch, p):
            residual, size, at = measure(problem, scratch, p, w)
            if solves(residual, size):
                count = keep(p, found, count, size)
                if every == 0:
                    break
            if residual < best:
                best, blamed, best_size = residual, at, size
                for k in range(p.shape[0]):
                    scratch.p[k] = p[k]
        advance(scratch.digits, scratch.radix)
    report[REPORT_ITERATIONS], report[REPORT_FOUND] = tried, count
    scratch.residual[0], scratch.residual[1] = best, best_size
    if count == 0:
        report[REPORT_CODE], report[REPORT_CONTACT], report[REPORT_VELOCITIES] = NO_SOLUTION, blamed, 0
        find_rates(problem, scratch.p, w)
        return NO_SOLUTION
    choose_solution(problem, scratch, count)
    code = SEVERAL if report[REPORT_VELOCITIES] > 1 else SOLVED
    report[REPORT_CODE] = code
    return code
