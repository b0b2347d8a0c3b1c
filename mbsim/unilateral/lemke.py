"""Lemke's method for many planar contacts: the problem as a linear complementarity problem, solved by exchanges of one variable.

Of a contact with a tangential row, p_T = beta_1 - beta_2, and lambda is the speed of slip:

    w_N                       >= 0  and  p_N >= 0         w_T + lambda >= 0  and  beta_1 >= 0        -w_T + lambda >= 0  and  beta_2 >= 0
    s - beta_1 - beta_2 >= 0  and  lambda >= 0            of each pair one is zero;  s = fixed + mu p_N

The matrix is copositive where no contact is known to slide, so that the method ends at a solution wherever b belongs to a motion (Anitescu
and Potra, Formulating dynamic multi-rigid-body contact problems with friction as solvable linear complementarity problems, Nonlinear
Dynamics 14, 1997; Cottle, Pang and Stone 1992, algorithms 4.4.5 and 4.9.3 for the lexicographic rule). With contacts that slide it may end
on a ray, which proves nothing.

The dictionary y = q + T x is exchanged in place. Rows and columns are scaled by the roots of r. Round-off of many exchanges is repaired by
Newton's method, which starts from the solution.
"""

from math import sqrt

from mbsim.jit import helper, kernel
from mbsim.unilateral.problem import PIVOT, REPORT_ITERATIONS

SMALL = 1e-11  # of the largest entry of a column: below it an entry is round-off
ZERO = 1e-13  # of the largest constant of the problem: below it a constant is zero, and so is the covering variable
TIE = 1e-12  # ratios that differ by less, of the larger, are equal
EXCHANGES = 50  # at most, for each variable
NORMAL_PART, FORWARD_PART, BACKWARD_PART, SPEED_PART = 0, 1, 2, 3  # of a contact: p_N, beta_1, beta_2, lambda
NONE = -1


@helper
def list_variables(problem, owner, part):
    """owner, part (4 n) <- contact and part of each variable; returns their number."""
    count = 0
    for i in range(problem.normal.shape[0]):
        if problem.normal[i]:
            owner[count], part[count] = i, NORMAL_PART
            count += 1
        rubs = problem.friction[i] * problem.normal[i] > 0.0 or problem.fixed[i] > 0.0
        if rubs and not problem.sliding[i] and problem.first[i + 1] - problem.first[i] > problem.normal[i]:
            for each in (FORWARD_PART, BACKWARD_PART, SPEED_PART):
                owner[count], part[count] = i, each
                count += 1
    return count


@helper
def sign_of(part):
    """Of beta_1 and -w_T's partner."""
    return -1.0 if part == BACKWARD_PART else 1.0


@helper
def respond_row(problem, row, i, part):
    """What one unit of a variable of contact i does to w in a row."""
    first = problem.first[i]
    tangent = first + problem.normal[i]
    if part != NORMAL_PART:
        return sign_of(part) * problem.D[row, tangent]
    s = problem.D[row, first]
    if problem.sliding[i]:
        for k in range(tangent, problem.first[i + 1]):
            s -= problem.friction[i] * problem.direction[k] * problem.D[row, k]
    return s


@helper
def free_rate(problem, row):
    """w of a row without variables: b, and what contacts without a normal force do that slide."""
    s = problem.b[row]
    for i in range(problem.normal.shape[0]):
        if problem.sliding[i]:
            for k in range(problem.first[i] + problem.normal[i], problem.first[i + 1]):
                s -= problem.fixed[i] * problem.direction[k] * problem.D[row, k]
    return s


@helper
def write_dictionary(problem, scale, owner, part, count, T, q):
    """T (count, count + 1), its last column the covering vector, and q (count) <- the problem, scaled."""
    for a in range(count):
        i = owner[a]
        first = problem.first[i]
        tangent = first + problem.normal[i]
        row = first if part[a] == NORMAL_PART else tangent
        root = sqrt(scale[row])
        T[a, count] = 1.0
        if part[a] == SPEED_PART:
            q[a] = problem.fixed[i] / root
        else:
            q[a] = sign_of(part[a]) * root * free_rate(problem, row)
        for c in range(count):
            j = owner[c]
            T[a, c] = 0.0
            column = problem.first[j] + (0 if part[c] == NORMAL_PART else problem.normal[j])
            if part[a] == SPEED_PART:
                if i == j and part[c] == NORMAL_PART:
                    T[a, c] = problem.friction[i] * sqrt(scale[column]) / root
                elif i == j and part[c] != SPEED_PART:
                    T[a, c] = -1.0
            elif part[c] == SPEED_PART:
                T[a, c] = 1.0 if i == j and part[a] != NORMAL_PART else 0.0
            else:
                T[a, c] = sign_of(part[a]) * root * sqrt(scale[column]) * respond_row(problem, row, j, part[c])


@helper
def comes_before(T, q, basic, place, count, entering, r, other):
    """Whether row r leaves before another one by the lexicographic rule: by ratios of q, then of what each row owes to the first rows.

    Variables 0 .. count - 1 are y, then come x and the covering variable. place: the column of a variable, or NONE where it is basic.
    """
    a, b = -T[r, entering], -T[other, entering]
    x, y = q[r] / a, q[other] / b
    if abs(x - y) > TIE * max(abs(x), abs(y)):
        return x < y
    for k in range(count):
        if place[k] == NONE:
            x, y = (1.0 if basic[r] == k else 0.0), (1.0 if basic[other] == k else 0.0)
        else:
            x, y = -T[r, place[k]], -T[other, place[k]]
        x, y = x / a, y / b
        if abs(x - y) > TIE * max(abs(x), abs(y)):
            return x < y
    return False


@helper
def exchange(T, q, count, r, c):
    """Row r becomes the variable of column c, and the other way round."""
    pivot = 1.0 / T[r, c]
    for j in range(count + 1):
        T[r, j] *= -pivot
    T[r, c] = pivot
    q[r] *= -pivot
    for i in range(count):
        f = T[i, c]
        if i == r or f == 0.0:
            continue
        T[i, c] = 0.0
        for j in range(count + 1):
            T[i, j] += f * T[r, j]
        q[i] += f * q[r]


@helper
def drop_round_off(q, count, size):
    """Constants that are round-off of `size` become zero, so that ties between them are seen."""
    for i in range(count):
        if abs(q[i]) <= ZERO * size:
            q[i] = 0.0


@helper
def find_leaving(T, q, basic, place, count, entering, covering):
    """The row that leaves when a column enters; NONE on a ray."""
    largest, best = 0.0, NONE
    for i in range(count):
        largest = max(largest, abs(T[i, entering]))
    for i in range(count):
        if not T[i, entering] < -SMALL * largest:
            continue
        if best == NONE or comes_before(T, q, basic, place, count, entering, i, best):
            best = i
    if best == NONE:
        return NONE
    for i in range(count):  # the covering variable leaves where it may
        if basic[i] == covering and T[i, entering] < -SMALL * largest:
            x, y = -q[i] / T[i, entering], -q[best] / T[best, entering]
            if x - y <= TIE * max(abs(x), abs(y)):
                return i
    return best


@helper
def covering_is_zero(q, basic, count, covering):
    """Whether the covering variable is zero, though it is basic: what is left is a solution."""
    for i in range(count):
        if basic[i] == covering:
            return q[i] == 0.0
    return False


@helper
def pivot_to_solution(T, q, basic, nonbasic, place, count):
    """Exchange until the covering variable is zero; returns the number of exchanges, or NONE on a ray or after too many."""
    covering = 2 * count
    for k in range(count):
        basic[k], nonbasic[k] = k, count + k
        place[k], place[count + k] = NONE, k
    nonbasic[count], place[covering] = covering, count
    worst = 0
    for i in range(1, count):
        if q[i] < q[worst]:
            worst = i
    if not q[worst] < 0.0:
        return 0
    size = 0.0
    for i in range(count):
        size = max(size, abs(q[i]))
    leaving, entering = worst, count
    for exchanges in range(1, EXCHANGES * count + 1):
        left, entered = basic[leaving], nonbasic[entering]
        exchange(T, q, count, leaving, entering)
        drop_round_off(q, count, size)
        basic[leaving], nonbasic[entering] = entered, left
        place[entered], place[left] = NONE, entering
        if left == covering or covering_is_zero(q, basic, count, covering):
            return exchanges
        partner = left + count if left < count else left - count
        entering = place[partner]
        leaving = find_leaving(T, q, basic, place, count, entering, covering)
        if leaving == NONE:
            return NONE
    return NONE


@kernel(PIVOT)
def pivot(problem, scratch):
    """scratch.p <- the solution that Lemke's method ends at; returns 1, or 0 on a ray, where p is zero."""
    p, owner, part, scale = scratch.p, scratch.owner, scratch.part, scratch.scale
    for k in range(p.shape[0]):
        p[k] = 0.0
    count = list_variables(problem, owner, part)
    write_dictionary(problem, scale, owner, part, count, scratch.T, scratch.q)
    exchanges = pivot_to_solution(scratch.T, scratch.q, scratch.basic, scratch.nonbasic, scratch.place, count) if count > 0 else 0
    scratch.report[REPORT_ITERATIONS] = max(exchanges, 0)
    if exchanges == NONE:
        return 0
    for a in range(count):
        k = scratch.basic[a] - count
        if 0 <= k < count and part[k] != SPEED_PART:
            i = owner[k]
            row = problem.first[i] + (0 if part[k] == NORMAL_PART else problem.normal[i])
            p[row] += sign_of(part[k]) * sqrt(scale[row]) * scratch.q[a]
    for i in range(problem.normal.shape[0]):
        if problem.sliding[i]:
            first = problem.first[i]
            s = problem.fixed[i] + (problem.friction[i] * p[first] if problem.normal[i] else 0.0)
            for k in range(first + problem.normal[i], problem.first[i + 1]):
                p[k] = -s * problem.direction[k]
    return 1
