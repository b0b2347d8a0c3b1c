"""Matrices of Euler-Bernoulli beams along x, six degrees of freedom a node, and the files of parts that are made of them."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.legendre import leggauss

LENGTH, EI = 1.0, 1.0  # m, N m^2; 1 kg/m


def _interpolating(m: int, slopes: bool) -> list[Polynomial]:
    """Polynomials on [0, 1] that are 1 at one of m places and 0 at the others; with `slopes` so are their slopes, in turn."""
    places, n = np.linspace(0.0, 1.0, m), m * (1 + slopes)
    rows = []
    for s in places:
        rows.append(s ** np.arange(n))
        if slopes:
            rows.append(np.concatenate([[0.0], np.arange(1, n) * s ** np.arange(n - 1)]))
    coefficients = np.linalg.inv(np.array(rows))
    return [Polynomial(coefficients[:, k]) for k in range(n)]


def beam(
    elements: int = 8, m: int = 4, EA: float = 1e4, GJ: float = 0.5, polar: float = 1e-3, whole: float = LENGTH
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes (n, 3), mass and stiffness (6 n, 6 n) of a beam of elements with m nodes, of degree 2 m - 1 in bending."""
    count = elements * (m - 1) + 1
    length = whole / elements
    x, weight = leggauss(2 * m + 2)
    x, weight = 0.5 * (x + 1.0), 0.5 * weight
    bent, drawn = _interpolating(m, True), _interpolating(m, False)

    def gram(functions: list[Polynomial], order: int) -> np.ndarray:
        values = np.array([f.deriv(order)(x) if order else f(x) for f in functions])
        return (values * weight) @ values.T

    M, K = np.zeros((6 * count, 6 * count)), np.zeros((6 * count, 6 * count))
    for e in range(elements):
        nodes = e * (m - 1) + np.arange(m)
        for c, stiffness, line in ((0, EA, 1.0), (3, GJ, polar)):
            at = np.ix_(6 * nodes + c, 6 * nodes + c)
            K[at] += stiffness / length * gram(drawn, 1)
            M[at] += line * length * gram(drawn, 0)
        for c, turn, sign in ((1, 5, 1.0), (2, 4, -1.0)):
            places = np.ravel([[6 * k + c, 6 * k + turn] for k in nodes])
            scale = np.diag([1.0, sign * length] * m)
            K[np.ix_(places, places)] += scale @ gram(bent, 2) @ scale * EI / length**3
            M[np.ix_(places, places)] += scale @ gram(bent, 0) @ scale * length
    places = np.zeros((count, 3))
    places[:, 0] = np.linspace(0.0, whole, count)
    return places, M, K


def solid(half: float = 0.02, distortion: float = 1e6, **given: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same beam as nodes that do not turn, four a section, which is held in its shape by springs. Matrices (12 n, 12 n)."""
    nodes, M, K = beam(**given)
    corners = np.array([[0.0, y, z] for y in (-half, half) for z in (-half, half)])
    rigid = np.zeros((12, 6))
    for c, (_, y, z) in enumerate(corners):
        rigid[3 * c : 3 * c + 3] = np.hstack([np.eye(3), [[0.0, z, -y], [-z, 0.0, 0.0], [y, 0.0, 0.0]]])
    motion, carried = (np.kron(np.eye(len(nodes)), block) for block in (np.linalg.pinv(rigid), rigid))
    own = np.eye(12 * len(nodes)) - carried @ motion
    places = (nodes[:, None] + corners).reshape(-1, 3)
    return places, motion.T @ M @ motion + 1e-6 * own.T @ own, motion.T @ K @ motion + distortion * own.T @ own


def write(path: Path, nodes: np.ndarray, mass: np.ndarray, stiffness: np.ndarray, ends: bool = True, **more: Any) -> str:
    """An HDF5 file of a part, whose interfaces are its first and its last node; returns its name."""
    import h5py

    with h5py.File(path, "w") as file:
        file["nodes"], file["mass"], file["stiffness"] = nodes, mass, stiffness
        file["lines"] = [(k, k + 1) for k in range(len(nodes) - 1)]
        if ends:
            file["interfaces/hub"], file["interfaces/tip"] = [0], [len(nodes) - 1]
        for key, value in more.items():
            file[key] = value
    return str(path)
