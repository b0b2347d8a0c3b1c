"""Coefficients of the methods Radau IIA: collocation at the zeros of the Radau polynomial, of order 2 s - 1 with s stages.

    Y_i = y_0 + h sum_j A_ij f(Y_j),  y_1 = Y_s     (c_s = 1)

A = T diag(eigenvalues) T^-1, of which one is real (s is odd) and the others are pairs: with W = T^-1 f the systems of the stages part. A
formula of order s on the nodes and 0, whose weight at 0 is the real eigenvalue, gives the error (Hairer & Wanner 1996, IV.8; 1999, J.
Comput. Appl. Math. 111, for more stages).
"""

from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

Floats = np.ndarray


class Collocation(NamedTuple):
    """Numbers of a method of s stages. Of pairs of complex numbers the real and the imaginary parts stand one behind the other."""

    c: Floats  # (s,)
    A: Floats  # (s, s)
    P: Floats  # (s, s) y at x in a step is y_0 + h sum_j f_j sum_k P_jk x^(k + 1)
    eigenvalues: Floats  # (s,) of A: the real one, then the parts of one of each pair
    to_modes: Floats  # (s, s) rows of T^-1: the real one, then the parts of one of each pair
    from_modes: Floats  # (s, s) what T makes of these parts
    E: Floats  # (s,) what the other formula weighs the stages with, less this one; it weighs the start with eigenvalues[0]


def nodes(s: int) -> Floats:
    """The zeros of P_s - P_(s - 1), shifted to (0, 1]; the last one is 1."""
    series = np.zeros(s + 1)
    series[s - 1 :] = -1.0, 1.0
    x = np.sort(legendre.legroots(series).real)
    for _ in range(3):
        x -= legendre.legval(x, series) / legendre.legval(x, legendre.legder(series))
    x[-1] = 1.0
    return 0.5 * (1.0 + x)


def radau(s: int) -> Collocation:
    """Of an odd number of stages."""
    c, k = nodes(s), np.arange(1, s + 1)
    to_powers = np.linalg.inv(c[:, None] ** (k - 1))  # of values at the nodes
    A = (c[:, None] ** k / k) @ to_powers
    eigenvalues, T = np.linalg.eig(A)
    real = int(np.argmin(np.abs(eigenvalues.imag)))
    pairs = sorted(np.flatnonzero(eigenvalues.imag > 1e-6), key=lambda i: eigenvalues[i].imag)
    inverse = np.linalg.inv(T)
    parts, to_modes, from_modes = [eigenvalues[real].real], [(inverse[real] * T[-1, real]).real], [(T[:, real] / T[-1, real]).real]
    for i in pairs:
        parts += [eigenvalues[i].real, eigenvalues[i].imag]
        to_modes += [inverse[i].real, inverse[i].imag]
        from_modes += [2.0 * T[:, i].real, -2.0 * T[:, i].imag]
    wanted = 1.0 / k
    wanted[0] -= parts[0]
    return Collocation(
        c,
        A,
        np.ascontiguousarray((to_powers / k[:, None]).T),
        np.array(parts),
        np.array(to_modes),
        np.ascontiguousarray(np.array(from_modes).T),
        wanted @ to_powers - A[-1],
    )
