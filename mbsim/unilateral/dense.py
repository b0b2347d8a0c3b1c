"""Elimination with complete pivoting, which finds a rank: the small matrices of contacts are singular where contacts are redundant."""

from mbsim.jit import helper

RANK = 1e-11  # of the largest pivot: below it a pivot is round-off


@helper
def eliminate_completely(A, n, columns, x):
    """Eliminate in A (n, n) with rows and columns exchanged, and in the right-hand side x (n,), in place; returns the rank."""
    for k in range(n):
        columns[k] = k
    largest = 0.0
    for k in range(n):
        best, r, c = -1.0, k, k
        for i in range(k, n):
            for j in range(k, n):
                if abs(A[i, j]) > best:
                    best, r, c = abs(A[i, j]), i, j
        largest = max(largest, best)
        if not best > RANK * largest:
            return k
        if r != k:
            for j in range(n):
                A[k, j], A[r, j] = A[r, j], A[k, j]
            x[k], x[r] = x[r], x[k]
        if c != k:
            columns[k], columns[c] = columns[c], columns[k]
            for i in range(n):
                A[i, k], A[i, c] = A[i, c], A[i, k]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            f = A[i, k] * inverse
            if f != 0.0:
                x[i] -= f * x[k]
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return n


@helper
def substitute_back(A, rank, columns, x, out):
    """out (n,) <- the solution with zeros for the columns beyond the rank; x (n,) is overwritten."""
    for k in range(out.shape[0]):
        out[k] = 0.0
    for k in range(rank - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, rank):
            s -= A[k, j] * x[j]
        x[k] = s / A[k, k]
        out[columns[k]] = x[k]
