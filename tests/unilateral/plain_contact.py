"""Contact with friction in plain NumPy, written from its definition: De Saxce's map, and an enumeration of planar modes by inequalities."""

from itertools import product

import numpy as np


def de_saxce(D: np.ndarray, b: np.ndarray, p: np.ndarray, friction: np.ndarray, tangents: int) -> float:
    """The largest |p - proj_K(p - r (w + mu |w_T| e_N))|, K: |p_T| <= mu p_N, over the largest impulse; r = 1 / (largest entry of D).

    De Saxce and Feng, The bipotential method, Mathematical and Computer Modelling 28, 1998. Contacts with 1 + tangents rows each.
    """
    w, r, size, worst = D @ p + b, 1.0 / np.diag(D).max(), np.abs(p).max(), 0.0
    size = max(size, r * np.abs(b).max())
    for i, mu in enumerate(friction):
        rows = slice(i * (1 + tangents), (i + 1) * (1 + tangents))
        moved = w[rows].copy()
        moved[0] += mu * np.linalg.norm(w[rows][1:])
        worst = max(worst, np.abs(p[rows] - onto_cone(p[rows] - r * moved, mu)).max())
    return worst / size


def onto_cone(y: np.ndarray, mu: float) -> np.ndarray:
    """The nearest point of Coulomb's cone."""
    length = np.linalg.norm(y[1:])
    if length <= mu * y[0]:
        return y
    if mu * length <= -y[0]:
        return np.zeros(len(y))
    normal = (y[0] + mu * length) / (1.0 + mu * mu)
    return np.concatenate([[normal], mu * normal * y[1:] / length])


def planar_solutions(D: np.ndarray, b: np.ndarray, friction: np.ndarray, tolerance: float = 1e-9) -> list[tuple[np.ndarray, np.ndarray]]:
    """(p, w) of every combination of open, stick, forward, backward whose equations have one solution that fulfils all inequalities."""
    n, size = len(friction), np.abs(b).max()
    modes = np.array(list(product("osfb", repeat=n)))
    A, x = np.tile(np.eye(2 * n), (len(modes), 1, 1)), np.zeros((len(modes), 2 * n))
    for i in range(n):
        closed, sticks = modes[:, i] != "o", modes[:, i] == "s"
        A[closed, 2 * i], x[closed, 2 * i] = D[2 * i], -b[2 * i]
        A[sticks, 2 * i + 1], x[sticks, 2 * i + 1] = D[2 * i + 1], -b[2 * i + 1]
        A[modes[:, i] == "f", 2 * i + 1, 2 * i] = friction[i]
        A[modes[:, i] == "b", 2 * i + 1, 2 * i] = -friction[i]
    left, values, right = np.linalg.svd(A)
    regular = values[:, -1] > 1e-10 * values[:, 0]
    values[~regular] = 1.0
    p = np.einsum("kji,kj->ki", right, np.einsum("kji,kj->ki", left, x) / values)
    w = p @ D + b
    small, most = tolerance * size, tolerance * np.maximum(1.0, np.abs(p).max(axis=1))
    allowed = regular
    for i in range(n):
        mode, slip, rub = modes[:, i], w[:, 2 * i + 1], np.abs(p[:, 2 * i + 1])
        allowed = allowed & (p[:, 2 * i] >= -most) & (w[:, 2 * i] >= -small)
        allowed &= (mode != "s") | (rub <= friction[i] * p[:, 2 * i] + most)
        allowed &= ((mode != "f") | (slip >= -small)) & ((mode != "b") | (slip <= small))
    return list(zip(p[allowed], w[allowed], strict=True))
