"""Which rows of a system of bodies are left out of the block elimination because they depend on the others, decided over all rows at once.

The elimination meets the rows in an order that suits its blocks. In that order the rows before a dependent one may nearly depend on each
other themselves, though others could be chosen that do not. So a choice is made, at the start and where it has become poor:

1. Rows with a small pivot in the order of the elimination are put off, so that those that are left are well conditioned.
2. What the latter leave of each row put off is worked out as a vector: its length is the distance, not its square, which is exact to
   round-off. These vectors are orthogonalised with pivoting; rows with BLOCK_TOLERANCE left, or up to a known rank, are
   independent after all.
3. Each of the others gives a dependency, x' C = 0. Complete pivoting on these chooses the rows to leave out: the large entries of
   the left null space, so that the rows that stay are as well conditioned as they can be, near enough.

Whoever eliminates with the choice compares the weakest pivot with the one it had first (`is_poor`).
"""

from math import sqrt

from mbsim.jit import helper
from mbsim.saddle.joints.factor import PIVOT_TOLERANCE

PUT_OFF = 1e-5  # pivot, of a row's squared length, below which a row is looked at together with all others
FALLEN = 1e-2  # of the weakest pivot at the time of the choice (a square), below which another choice may be better
STRONG = 1e-3  # pivot above which none is looked for


@helper
def is_poor(weakest, bad, rank, rows, first):
    """Whether rows should be chosen anew: a pivot broke down at row `bad`, is a dependent row's, or is far below what it was first."""
    if bad >= 0 or weakest < PIVOT_TOLERANCE:
        return True
    return rank < rows and weakest < STRONG and weakest < FALLEN * first


@helper
def independent(X, count, size, most, dropped, rows):
    """How many of the first `count` rows of X (.., size) exceed BLOCK_TOLERANCE, the longest first; their rows[c] are dropped no more."""
    picked = 0
    while picked < most:
        best, longest = -1, PIVOT_TOLERANCE
        for c in range(count):
            if dropped[rows[c]] == 1:
                s = 0.0
                for j in range(size):
                    s += X[c, j] * X[c, j]
                if s > longest:
                    best, longest = c, s
        if best < 0:
            break
        dropped[rows[best]] = 0
        picked += 1
        scale = 1.0 / sqrt(longest)
        for j in range(size):
            X[best, j] *= scale
        for c in range(count):
            if dropped[rows[c]] == 1:
                s = 0.0
                for j in range(size):
                    s += X[c, j] * X[best, j]
                for j in range(size):
                    X[c, j] -= s * X[best, j]
    return picked


@helper
def leave_out_strongest(N, count, rows, dropped):
    """Mark in dropped the rows of C to leave out, one for each of the `count` dependencies in N (.., m), by complete pivoting."""
    for i in range(rows):
        dropped[i] = 0
    for step in range(count):
        row, column, largest = step, -1, 0.0
        for i in range(step, count):
            for j in range(rows):
                if abs(N[i, j]) > largest and dropped[j] == 0:
                    row, column, largest = i, j, abs(N[i, j])
        dropped[column] = 1
        for j in range(rows):
            N[step, j], N[row, j] = N[row, j], N[step, j]
        for i in range(step + 1, count):
            f = N[i, column] / N[step, column]
            if f != 0.0:
                for j in range(rows):
                    N[i, j] -= f * N[step, j]


@helper
def shortest(N, count, lam, levers):
    """lam (m,) less what it has along the first `count` rows of N, which are orthogonalised: dependencies, x' C = 0.

    Lengths are those of multipliers over their levers (m,).
    """
    m = lam.shape[0]
    for j in range(m):
        lam[j] /= levers[j]
        for i in range(count):
            N[i, j] /= levers[j]
    for i in range(count):
        length = 0.0
        for _ in range(2):  # twice is enough
            for k in range(i):
                s = 0.0
                for j in range(m):
                    s += N[k, j] * N[i, j]
                for j in range(m):
                    N[i, j] -= s * N[k, j]
        for j in range(m):
            length += N[i, j] * N[i, j]
        scale, s = 1.0 / sqrt(length), 0.0
        for j in range(m):
            N[i, j] *= scale
            s += N[i, j] * lam[j]
        for j in range(m):
            lam[j] -= s * N[i, j]
    for j in range(m):
        lam[j] *= levers[j]
