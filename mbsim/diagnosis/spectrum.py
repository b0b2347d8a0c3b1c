"""Eigenvalues of z' = A z, with those that are zero found by rank and split off.

A coordinate on which nothing depends gives a zero eigenvalue, and with its speed a double one without a second eigenvector. Rounding
makes +-1e-8 of such pairs. So the kernel of A is split off by an orthogonal change of variables, then the kernel of what remains, until
that is regular (the staircase of Golub & Wilkinson 1976); the eigenvalues of the rest are computed, and the others are zeros.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mbsim.system.system import Floats

Complexes = NDArray[np.complex128]
ZERO = 1e-11  # of the largest singular value of the scaled matrix; frequencies of 3e-6 of the highest still count
ON_AXIS = 1e-8  # of the eigenvalue: a smaller real part is round-off
LINK = 1e-6  # of the largest entry of a link of a chain: a smaller one is none
FLOOR = 1e-11  # of the largest eigenvalue, likewise


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and eigenvectors of A (N, N), the zeros first and then by size."""

    values: Complexes  # (N,), without what is round-off of their real and imaginary parts
    raw: Complexes  # (N,) the same with round-off: they are continuous in a parameter
    vectors: Complexes  # (N, N) columns; of the zeros a basis of what they span, each with one entry 1 where the others have 0
    free: list[int]  # (zeros,) for each zero the place of that entry: the cyclic variable, or the speed that its chain goes on to

    @property
    def zeros(self) -> int:
        return len(self.free)

    @property
    def growing(self) -> int:
        """How many eigenvalues have a positive real part."""
        return int(np.sum(self.values.real > 0.0))


def spectrum(A: Floats, scales: Floats, displacements: int = 0, most: int | None = None) -> Spectrum:
    """The eigenvalues of A (N, N). Variables times `scales` (N,) compare; so many are displacements, the others speeds and states.

    At most `most` of them are taken for zeros, the smallest: where an eigenvalue passes zero it is not to be one.
    """
    N = len(A)
    if not N:
        none = np.zeros(0, complex)
        return Spectrum(none, none, np.zeros((0, 0), complex), [])
    # Balancing would scale round-off up: where it stands alone in a row it cannot tell it from coefficients.
    scale = 1.0 / scales
    scaled = A * scale / scale[:, None]
    fast = np.sqrt(np.abs(scaled[displacements:, :displacements]).max(initial=0.0)) or 1.0  # 1/s: with it displacements compare with speeds
    scale[:displacements] /= fast
    U, W, zeros = np.eye(N), A * scale / scale[:, None], 0
    size, own = np.linalg.norm(W, 2), 0
    while zeros < N:
        _, sigma, Vt = np.linalg.svd(W[zeros:, zeros:])
        rank = int(np.sum(sigma > ZERO * size))
        rank = rank if most is None else max(rank, len(sigma) - (most - zeros))
        if rank == len(sigma):
            break
        turn = np.eye(N)
        turn[zeros:, zeros:] = np.vstack([Vt[rank:], Vt[:rank]]).T
        U, W = U @ turn, turn.T @ W @ turn
        zeros += len(sigma) - rank
        own = own or zeros
    found, inner = np.linalg.eig(W[zeros:, zeros:])
    vectors = np.zeros((N, N), complex)
    for k, value in enumerate(found):
        x = np.linalg.solve(W[:zeros, :zeros] - value * np.eye(zeros), -W[:zeros, zeros:] @ inner[:, k])
        vectors[:, zeros + k] = scale * (U @ np.concatenate([x, inner[:, k]]))
    kernel, free = _reduce((scale[:, None] * U[:, :zeros]).T, own, displacements)
    vectors[:, :zeros] = kernel.T
    size = np.abs(found)
    noise = np.maximum(ON_AXIS * size, FLOOR * size.max(initial=0.0))
    clean = np.where(np.abs(found.real) <= noise, 0.0, found.real) + 1j * np.where(np.abs(found.imag) <= noise, 0.0, found.imag)
    order = sorted(range(len(found)), key=lambda k: (round(float(abs(found[k])), 12), clean[k].real, clean[k].imag))
    order = [*range(zeros), *(zeros + k for k in order)]
    values, raw = (np.concatenate([np.zeros(zeros), x])[order] for x in (clean, found))
    return Spectrum(values, raw, vectors[:, order], free)


def _reduce(rows: Floats, own: int, displacements: int) -> tuple[Floats, list[int]]:
    """The rows (k, N) in reduced echelon form, and the places (k,) of their ones, ascending.

    The first `own` rows span the kernel of A: on their places nothing depends. Those after them are links of Jordan chains. A change of the
    speed of a cyclic coordinate goes with one of other displacements, as of the angle of a conical pendulum, on which much depends; so
    the places of links are those of speeds and states, as far as they have such.
    """
    rows = rows / np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)
    places: list[int] = []
    for k in range(len(rows)):
        rest = np.abs(rows[k : own if k < own else len(rows)]).copy()
        rest[:, places] = 0.0
        if k >= own and rest[:, displacements:].max(initial=0.0) > LINK * rest.max():
            rest[:, :displacements] = 0.0
        largest = rest.max()
        i, place = (int(x) for x in np.argwhere(rest > 0.5 * largest)[0])  # the first of nearly equal ones, so that names are stable
        rows[[k, k + i]] = rows[[k + i, k]]
        rows[k] /= rows[k, place]
        for other in range(len(rows)):
            if other != k:
                rows[other] -= rows[other, place] * rows[k]
        places.append(place)
    order = np.argsort(places)
    return rows[order], [places[k] for k in order]
