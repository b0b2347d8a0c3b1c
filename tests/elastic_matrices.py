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
