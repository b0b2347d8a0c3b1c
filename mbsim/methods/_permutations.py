"""Permuted columns, and the sign of a determinant from permuted factors, for the methods with a held basis (`_held.py`)."""

from mbsim.jit import helper
from mbsim.kernels.linalg import clear


@helper
def odd(order, seen):
    """Whether a permutation (n,) is odd. seen (n,) or longer is scratch."""
    n, result = order.shape[0], False
    clear(seen[:n])
    for i in range(n):
        j, length = i, 0
        while seen[j] == 0.0:
            seen[j] = 1.0
            j = order[j]
            length += 1
        if length > 0 and length % 2 == 0:
            result = not result
    return result


@helper
def side(A, T, rank, columns, rows, exchanged, x):
    """The sign of the determinant of [C; V2'], from the factors of the last evaluation. x (n,) is scratch.

    0 where rows depend on each other, as other rows may be picked another time: then the sign is not comparable.
    """
    n = columns.shape[0]
    if rank < A.shape[0]:
        return 0.0
    negative = (odd(columns, x) != odd(rows, x)) != odd(exchanged[: n - rank], x)
    for i in range(rank):
        negative = negative != (A[i, i] < 0.0)
    for i in range(n - rank):
        negative = negative != (T[i, i] < 0.0)
    return -1.0 if negative else 1.0


@helper
def permute(V2, k, columns, scratch):
    """Columns of V2' from the order of v to that of A."""
    n = V2.shape[1]
    for i in range(k):
        for j in range(n):
            scratch[i, j] = V2[i, columns[j]]
        for j in range(n):
            V2[i, j] = scratch[i, j]


@helper
def unpermute(V2, k, columns, scratch):
    """Columns of V2' from the order of A to that of v."""
    n = V2.shape[1]
    for i in range(k):
        for j in range(n):
            scratch[i, columns[j]] = V2[i, j]
        for j in range(n):
            V2[i, j] = scratch[i, j]
