"""The matrices of a search for roots: B, which takes a residual to the change that removes it, and how it learns from trials.

bfs      the update of Yang, Duan & Di 2006, eq. 19, of a symmetric B:
         p = x+ - x, y = F+ - F, mu = 1 + y'B y / p'y,  B += (mu p p' - B y p' - p y'B) / p'y
broyden  Broyden's rank-1 update, which lets B be as unsymmetric as it is:  B += (p - B y) p'B / p'B y
"""

from mbsim.jit import helper
from mbsim.kernels.linalg import eliminated_solve, lu


@helper
def inverse(A, B, r, exchanged, x):
    """B = A^-1 (r, r); A is destroyed, x (r,) scratch."""
    if not lu(A, r, exchanged):
        return False
    for j in range(r):
        for i in range(r):
            x[i] = 1.0 if exchanged[i] == j else 0.0
        eliminated_solve(A, r, x)
        for i in range(r):
            B[i, j] = x[i]
    return True


@helper
def update(own, r, symmetric):
    """B so that B y = p: by the symmetric change of rank 2 or by Broyden's of rank 1."""
    B, p, y, By, yB = own.B, own.p, own.y, own.By, own.yB
    py, pBy, yBy = 0.0, 0.0, 0.0
    for a in range(r):
        By[a], yB[a] = 0.0, 0.0
        for b in range(r):
            By[a] += B[a, b] * y[b]
            yB[a] += (y[b] if symmetric else p[b]) * B[b, a]
        py += p[a] * y[a]
        pBy += p[a] * By[a]
        yBy += y[a] * By[a]
    if symmetric and py != 0.0:
        mu = 1.0 + yBy / py
        for a in range(r):
            for b in range(r):
                B[a, b] += (mu * p[a] * p[b] - By[a] * p[b] - p[a] * yB[b]) / py
    if not symmetric and pBy != 0.0:
        for a in range(r):
            for b in range(r):
                B[a, b] += (p[a] - By[a]) * yB[b] / pBy
