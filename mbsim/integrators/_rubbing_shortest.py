"""The shortest efforts of rows that depend on each other, as of corners in space (`mbsim.unilateral.sharing`), in kernels.

A symmetric matrix H of rows is root root' with as many columns as its rank. The shortest efforts, each over its lever, follow from those of
L H L, L the diagonal matrix of the levers, whose root is L root: its pseudoinverse is root G^-1 G^-1 root' with this root, G = root' root.
"""

from math import sqrt

from mbsim.integrators._rubbing_problem import DEPENDENT, INDEPENDENT, NOT_TOLD, rank_of_columns
from mbsim.jit import helper

SINGULAR = 1e-9  # as in `mbsim.unilateral.sharing`
REFINED = 2  # times that the shortest efforts are found, the second time of what the first one leaves


@helper
def lever_of(s, row):
    """That of a row of the problem, in its units."""
    return s.levers[s.rows[row]] * s.eased[s.rows[row]] * s.units[s.rows[row]]


@helper
def find_root(s, which, count):
    """root, pivots <- of D on rows `which`, between levers; returns the rank, or NOT_TOLD where it is on the verge."""
    D, root, order, left, largest, rank = s.problem.D, s.root, s.pivots, s.unknown, 0.0, 0
    for a in range(count):
        order[a], left[a] = a, D[which[a], which[a]]
        largest = max(largest, left[a])
    while rank < count:
        at = rank
        for a in range(rank, count):
            if left[order[a]] > left[order[at]]:
                at = a
        if not left[order[at]] > INDEPENDENT * largest:
            if left[order[at]] > DEPENDENT * largest:
                return NOT_TOLD
            break
        order[rank], order[at] = order[at], order[rank]
        i = order[rank]
        root[i, rank] = sqrt(left[i])
        for a in range(rank):
            root[order[a], rank] = 0.0
        for a in range(rank + 1, count):
            j = order[a]
            x = D[which[i], which[j]]
            for c in range(rank):
                x -= root[i, c] * root[j, c]
            root[j, rank] = x / root[i, rank]
            left[j] -= root[j, rank] * root[j, rank]
        rank += 1
    for a in range(count):
        for c in range(rank):
            root[a, c] *= lever_of(s, which[a])
    return rank


@helper
def factor_square(s, count, rank):
    """square <- the factor of Cholesky of root' root."""
    G, root = s.square, s.root
    for a in range(rank):
        for c in range(a + 1):
            x = 0.0
            for r in range(count):
                x += root[r, a] * root[r, c]
            for k in range(c):
                x -= G[a, k] * G[c, k]
            G[a, c] = sqrt(x) if a == c else x / G[c, c]


@helper
def apply_inverse(s, which, count, rank, x):
    """x (count,) <- the shortest efforts of rows `which` of which D makes x there. Overwrites `unknown`."""
    G, root, y = s.square, s.root, s.unknown
    for a in range(rank):
        y[a] = 0.0
        for r in range(count):
            y[a] += root[r, a] * lever_of(s, which[r]) * x[r]
    for _ in range(2):
        for a in range(rank):
            for c in range(a):
                y[a] -= G[a, c] * y[c]
            y[a] /= G[a, a]
        for k in range(rank):
            a = rank - 1 - k
            for c in range(a + 1, rank):
                y[a] -= G[c, a] * y[c]
            y[a] /= G[a, a]
    for r in range(count):
        x[r] = 0.0
        for a in range(rank):
            x[r] += lever_of(s, which[r]) * root[r, a] * y[a]


@helper
def find_least(s, rest):
    """least (R,) <- the shortest efforts that keep the first `rest` of the rows at rest where they are; whether their rank is told."""
    of, x = s.problem, s.right
    for r in range(of.b.shape[0]):
        s.least[r] = 0.0
    rank = find_root(s, s.rest, rest)
    if rank == NOT_TOLD:
        return False
    factor_square(s, rest, rank)
    largest = 0.0
    for a in range(rest):
        x[a] = -of.b[s.rest[a]]
        largest = max(largest, abs(x[a]))
    apply_inverse(s, s.rest, rest, rank, x)
    for a in range(rest):
        s.least[s.rest[a]] = x[a]
    return True


@helper
def write_shortest(s, unknowns, rest, rank):
    """closed <- what the shortest multipliers of the rows of a choice follow from; returns the rank of these rows.

    0 where the choice does not hold all that the rows at rest hold, of which `rank` do not depend on each other; or NOT_TOLD.
    """
    of, J, x = s.problem, s.scratch.J, s.right
    for c in range(unknowns):
        for r in range(rest):
            J[c, r] = 0.0
            for k in range(of.b.shape[0]):
                J[c, r] += of.D[s.rest[r], k] * s.columns[c, k]
    scale_both(J, unknowns, rest)
    found = rank_of_columns(J, unknowns, rest)
    if found == NOT_TOLD or found < rank:
        return NOT_TOLD if found == NOT_TOLD else 0
    held = find_root(s, s.carriers, unknowns)
    if held == NOT_TOLD:
        return NOT_TOLD
    factor_square(s, unknowns, held)
    for c in range(unknowns):
        pushes = False
        for a in range(unknowns):
            x[a], row = 0.0, s.carriers[a]
            for k in range(of.b.shape[0]):
                pushes = pushes or (k != s.carriers[c] and s.columns[c, k] != 0.0)
                x[a] += of.D[row, k] * s.columns[c, k]
            x[a] -= of.D[row, s.carriers[c]]
        if pushes:
            apply_inverse(s, s.carriers, unknowns, held, x)
        for a in range(unknowns):
            s.closed[a, c] = (x[a] if pushes else 0.0) + (1.0 if a == c else 0.0)
    return held


@helper
def close_shortest(s, unknowns, held):
    """step <- the shortest multipliers, beside what is in trial; False without one, or where friction presses more than it is pressed."""
    of, J, step, x = s.problem, s.scratch.J, s.scratch.step, s.right
    for a in range(unknowns):
        row = s.carriers[a]
        x[a] = -of.b[row]
        for r in range(of.b.shape[0]):
            x[a] -= of.D[row, r] * s.scratch.trial[r]
        for c in range(unknowns):
            J[a, c] = s.closed[a, c]
    right = s.first_p  # free: impulses are decided before
    for a in range(unknowns):
        right[a], step[a] = x[a], 0.0
    for _ in range(REFINED):  # small levers cost digits
        apply_inverse(s, s.carriers, unknowns, held, x)
        for a in range(unknowns):
            step[a] += x[a]
        for a in range(unknowns):
            x[a] = right[a]
            for c in range(unknowns):
                x[a] -= of.D[s.carriers[a], s.carriers[c]] * step[c]
    return solve_in_place(J, step, unknowns, SINGULAR) > 0.0


@helper
def solve_in_place(J, x, count, least):
    """x <- J^-1 x; returns the sign of the determinant, 0 where a pivot is not above `least` of the largest entry."""
    sign, largest = 1.0, 0.0
    for a in range(count):
        for c in range(count):
            largest = max(largest, abs(J[a, c]))
    for done in range(count):
        at = done
        for a in range(done, count):
            if abs(J[a, done]) > abs(J[at, done]):
                at = a
        if not abs(J[at, done]) > least * largest:
            return 0.0
        if at != done:
            sign = -sign
            x[done], x[at] = x[at], x[done]
            for c in range(count):
                J[done, c], J[at, c] = J[at, c], J[done, c]
        sign = sign if J[done, done] > 0.0 else -sign
        for a in range(done + 1, count):
            f = J[a, done] / J[done, done]
            x[a] -= f * x[done]
            for c in range(done, count):
                J[a, c] -= f * J[done, c]
    for k in range(count):
        a = count - 1 - k
        for c in range(a + 1, count):
            x[a] -= J[a, c] * x[c]
        x[a] /= J[a, a]
    return sign


@helper
def scale_both(J, count, rows):
    """Divide the rows of J' by their largest entries, then those of its columns."""
    for r in range(rows):
        most = 0.0
        for c in range(count):
            most = max(most, abs(J[c, r]))
        for c in range(count):
            J[c, r] = J[c, r] / most if most > 0.0 else 0.0
    for c in range(count):
        most = 0.0
        for r in range(rows):
            most = max(most, abs(J[c, r]))
        for r in range(rows):
            J[c, r] = J[c, r] / most if most > 0.0 else 0.0
