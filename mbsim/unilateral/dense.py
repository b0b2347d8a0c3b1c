"""Elimination with partial pivoting that leaves out dependent columns: where contacts are redundant, their matrices are singular.

Rows and columns belong to forces and to torques, of large and of small mechanisms: D = S X S with any diagonal S. So rows are divided by
their largest entry, and what is left of a column is compared with that column.
"""

from mbsim.jit import helper

RANK = 1e-11  # of the largest entry of a column: what is less of it below the pivots is round-off, and it depends on those before it


@helper
def eliminate(A, n, columns, x, regular):
    """Eliminate in A (n, n) and in the right-hand side x (n,), in place; columns (n,) <- those with a pivot. Returns the rank.

    `regular`: end at the first column that depends on others, with a rank below n.
    """
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(A[i, j]))
        if largest > 0.0:
            x[i] /= largest
            for j in range(n):
                A[i, j] /= largest
    rank = 0
    for c in range(n):
        r, largest = rank, 0.0
        for i in range(n):
            largest = max(largest, abs(A[i, c]))
        for i in range(rank + 1, n):
            if abs(A[i, c]) > abs(A[r, c]):
                r = i
        size = abs(A[r, c])
        if not size > RANK * largest or size == 0.0:
            if regular:
                return rank
            continue
        if r != rank:
            for j in range(c, n):
                A[rank, j], A[r, j] = A[r, j], A[rank, j]
            x[rank], x[r] = x[r], x[rank]
        inverse = 1.0 / A[rank, c]
        for i in range(rank + 1, n):
            f = A[i, c] * inverse
            if f != 0.0:
                x[i] -= f * x[rank]
                for j in range(c + 1, n):
                    A[i, j] -= f * A[rank, j]
        columns[rank] = c
        rank += 1
    return rank


@helper
def substitute_back(A, rank, columns, x, out):
    """out (n,) <- the solution with zeros in the columns that were left out."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    for k in range(rank - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, rank):
            s -= A[k, columns[j]] * out[columns[j]]
        out[columns[k]] = s / A[k, columns[k]]
