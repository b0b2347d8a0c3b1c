"""Singular value decomposition of a small constraint matrix by one-sided Jacobi rotations (Hestenes 1958).

Accurate to round-off also for small singular values, and quick to compile. Only what the null-space methods hold is formed:
the singular values, V1 and V2 of C = U [D 0] [V1 V2]'.
"""

from math import sqrt

from mbsim.jit import helper

SWEEPS = 60  # quadratic convergence takes 5 to 10; more means a matrix with NaN


@helper
def null_space(C, m, limit, tolerance, W, V2, sigma):
    """V2 (k, n): orthonormal rows spanning the null space of the first m rows of C; returns the rank r = n - k.

    `limit` is the rank to use, -1 to count the singular values above `tolerance` times the largest one; those that do not count
    are set to zero in sigma (m,). W (m, n) or larger is scratch and holds V1' in the other rows on return.
    V2 needs n rows of space. Rows of C should have comparable lengths, else the tolerance means little.
    """
    n = C.shape[1]
    for i in range(m):
        for j in range(n):
            W[i, j] = C[i, j]
    for _ in range(SWEEPS):
        turned = False
        for p in range(m - 1):
            for q in range(p + 1, m):
                a, b, c = 0.0, 0.0, 0.0
                for j in range(n):
                    a += W[p, j] * W[p, j]
                    b += W[q, j] * W[q, j]
                    c += W[p, j] * W[q, j]
                if c * c <= 1e-30 * a * b or c == 0.0:
                    continue
                turned = True
                zeta = (b - a) / (2.0 * c)
                t = (1.0 if zeta >= 0.0 else -1.0) / (abs(zeta) + sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / sqrt(1.0 + t * t)
                sine = cosine * t
                for j in range(n):
                    wp, wq = W[p, j], W[q, j]
                    W[p, j], W[q, j] = cosine * wp - sine * wq, sine * wp + cosine * wq
        if not turned:
            break
    largest = 0.0
    for i in range(m):
        s = 0.0
        for j in range(n):
            s += W[i, j] * W[i, j]
        sigma[i] = sqrt(s)
        largest = max(largest, sigma[i])
    rank = 0
    for i in range(m):
        if sigma[i] > (tolerance * largest if limit < 0 else 0.0):
            rank += 1
        else:
            sigma[i] = 0.0
    while 0 <= limit < rank:
        smallest = -1
        for i in range(m):
            if sigma[i] > 0.0 and (smallest < 0 or sigma[i] < sigma[smallest]):
                smallest = i
        sigma[smallest] = 0.0
        rank -= 1
    for i in range(m):
        if sigma[i] > 0.0:
            for j in range(n):
                W[i, j] /= sigma[i]
    # V2 completes V1: project the unit vectors, always the one with the longest remainder, twice against cancellation
    for found in range(n - rank):
        best, longest = 0, -1.0
        for e in range(n):
            s = 1.0
            for i in range(m):
                if sigma[i] > 0.0:
                    s -= W[i, e] * W[i, e]
            for i in range(found):
                s -= V2[i, e] * V2[i, e]
            if s > longest + 1e-12:
                best, longest = e, s
        for j in range(n):
            V2[found, j] = 0.0
        V2[found, best] = 1.0
        for _ in range(2):
            for i in range(m):
                if sigma[i] > 0.0:
                    s = 0.0
                    for j in range(n):
                        s += W[i, j] * V2[found, j]
                    for j in range(n):
                        V2[found, j] -= s * W[i, j]
            for i in range(found):
                s = 0.0
                for j in range(n):
                    s += V2[i, j] * V2[found, j]
                for j in range(n):
                    V2[found, j] -= s * V2[i, j]
            s = 0.0
            for j in range(n):
                s += V2[found, j] * V2[found, j]
            s = sqrt(s)
            for j in range(n):
                V2[found, j] /= s
    return rank
