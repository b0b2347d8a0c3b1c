"""Eigenvalues of z' = A z, with those that are zero found by rank and split off.

A coordinate on which nothing depends gives a zero eigenvalue, and with its speed a double one without a second eigenvector. Rounding
makes +-1e-8 of such pairs. So the kernel of A is split off, then the kernel of what remains, until that is regular (the staircase of Golub
& Wilkinson 1976); the eigenvalues of the rest are computed, and the others are zeros.

A thin strip bends a million times slower than it shears: (3e-6)^2 of the fastest motion is round-off of it, but not of the slow motion,
whose coefficients are as exact as all others. So what is small beside the fastest is held against how far the entries of A are off, and
slow eigenvalues are those of the inverse (`even`). Where all motions are slow beside what forces do without the constraints, as of a
balance that rests in any position, the entries of A are held against that before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from mbsim.diagnosis.even import SURE, Even
from mbsim.diagnosis.linearised import Linearised
from mbsim.system.system import Floats

Complexes = NDArray[np.complex128]
ZERO = 1e-11  # of the largest singular value of the scaled matrix: what is smaller may be zero, as frequencies of 3e-6 of the highest
KERNEL = 1e-9  # of the largest entry: what a kernel leaves at most
FAINT = 1e-16  # of the largest entry of its row or column: a smaller one is round-off that is always the same, as of cos(pi/2)
APART, PAIR = 1e-4, 1e-6  # of the fastest eigenvalue: slower ones lose digits beside it; of an eigenvalue: nearer ones are of one size
ON_AXIS = 1e-8  # of the eigenvalue: a smaller real part is round-off
LINK = 1e-6  # of the largest entry of a link of a chain: a smaller one is none
FLOOR, SLOW = 1e-11, 1e-6  # of the largest eigenvalue, likewise; but not more than so much of the eigenvalue


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


def spectrum(linear: Linearised, most: int | None = None) -> Spectrum:
    """The eigenvalues of the small motions.

    At most `most` of them are taken for zeros, the smallest: where an eigenvalue passes zero it is not to be one.
    """
    A, displacements, N = _known(linear) if most is None else linear.A, linear.displacements, len(linear.A)
    if not N:
        none = np.zeros(0, complex)
        return Spectrum(none, none, np.zeros((0, 0), complex), [])
    # Balancing would scale round-off up: where it stands alone in a row it cannot tell it from coefficients.
    scale = 1.0 / linear.scales
    scaled = A * scale / scale[:, None]
    fast = np.sqrt(np.abs(scaled[displacements:, :displacements]).max(initial=0.0)) or 1.0  # 1/s: with it displacements compare with speeds
    scale[:displacements] /= fast
    W = A * scale / scale[:, None]
    left, size = _Left(W, lambda: linear.scatter() * scale / scale[:, None]), np.linalg.norm(W, 2)
    while left.count:
        small = int(np.sum(np.linalg.svd(left.W, compute_uv=False) <= ZERO * size))
        taken = small if most is None else min(small, most - left.zeros)
        if not taken or not left.split(taken, small):
            break
    found, inner = _eigen(left.W)
    vectors = np.zeros((N, N), complex)
    vectors[:, left.zeros :] = scale[:, None] * left.lifted(found, inner)
    kernel, free = _reduce((scale[:, None] * left.kernel()).T, left.own, displacements)
    vectors[:, : left.zeros] = kernel.T
    zeros, values = left.zeros, np.abs(found)
    noise = np.maximum(ON_AXIS * values, np.minimum(FLOOR * values.max(initial=0.0), SLOW * values))
    clean = np.where(np.abs(found.real) <= noise, 0.0, found.real) + 1j * np.where(np.abs(found.imag) <= noise, 0.0, found.imag)
    order = sorted(range(len(found)), key=lambda k: (round(float(abs(found[k])), 12), clean[k].real, clean[k].imag))
    order = [*range(zeros), *(zeros + k for k in order)]
    values, raw = (np.concatenate([np.zeros(zeros), x])[order] for x in (clean, found))
    return Spectrum(values, raw, vectors[:, order], free)


def _known(linear: Linearised) -> Floats:
    """A (N, N), in which nothing is left of forces that cancel each other but for round-off, where only such are seen."""
    A, sizes = linear.A, linear.scales
    acting = np.abs(sizes[:, None] * A / sizes)[linear.displacements :, : linear.displacements].max(initial=0.0)
    if acting >= ZERO * linear.rate:
        return A
    forces = np.zeros_like(A, bool)
    forces[linear.displacements :, : linear.displacements] = True
    return np.where(forces & (np.abs(A) <= SURE * linear.scatter()), 0.0, A)


class _Left:
    """What is left of z' = W z after variables were split off on which nothing depends.

    With W X = 0 and X = 1 at some places p, the others without X z_p satisfy an equation of their own, in which the entries of stiff and of
    soft parts are not mixed. So soft motions keep their digits beside stiff ones.
    """

    def __init__(self, W: Floats, scatter: Callable[[], Floats]) -> None:
        """`scatter` gives by how much entries of W (N, N) are off; it is asked for only where something may be zero."""
        self.W, self._scatter, self._noise = W, scatter, np.zeros(0)
        self._of = np.arange(len(W))  # the places of what is left
        self._parts: list[_Part] = []

    @property
    def count(self) -> int:
        return len(self.W)

    @property
    def zeros(self) -> int:
        """How many variables were split off."""
        return sum(len(part.places) for part in self._parts)

    @property
    def own(self) -> int:
        """How many of them in the first place: nothing at all depends on them."""
        return len(self._parts[0].places) if self._parts else 0

    def split(self, most: int, small: int) -> bool:
        """Split off at most so many variables of the `small` ones; whether there are any that are zero within round-off."""
        if not self._parts:
            self._noise = self._scatter()
        size = np.abs(self.W)
        self._noise = np.maximum(self._noise, FAINT * np.maximum(size.max(axis=1)[:, None], size.max(axis=0)))
        X = Even.of(self.W, self._noise).null(most)
        if not X.shape[1]:
            return False
        other, bad = X, np.abs(self.W @ X).max() > KERNEL * np.abs(self.W).max()
        if X.shape[1] == small or bad:  # where A is known so badly, nothing is told apart by its round-off
            X = np.linalg.svd(self.W)[2][self.count - most :].T
        _, _, order = qr(X.T, mode="economic", pivoting=True)
        places = np.sort(order[: X.shape[1]])
        X = np.linalg.solve(X[places].T, X.T).T
        others = np.setdiff1d(np.arange(self.count), places)
        self._parts.append(_Part(self._of, places, others, X, self.W[places][:, others]))
        # by what round-off makes of a kernel that is found two ways
        off = np.zeros_like(X) if bad else np.abs(np.linalg.solve(other[places].T, other.T).T - X)
        self._noise = self._noise[np.ix_(others, others)] + np.abs(X[others]) @ self._noise[np.ix_(places, others)]
        self._noise += off[others] @ np.abs(self.W[np.ix_(places, others)])
        self.W = self.W[np.ix_(others, others)] - X[others] @ self.W[np.ix_(places, others)]
        self._of = self._of[others]
        return True

    def kernel(self) -> Floats:
        """(N, zeros) what the zeros span, those first on which nothing depends."""
        size = self.count + self.zeros
        found = np.zeros((size, self.zeros))
        k = 0
        for part in self._parts:
            found[part.of, k : k + len(part.places)] = part.X
            k += len(part.places)
        return found

    def lifted(self, values: Complexes, vectors: Complexes) -> Complexes:
        """(N, k) eigenvectors of W, from those of what is left."""
        for part in reversed(self._parts):
            whole = np.zeros((len(part.of), len(values)), complex)
            whole[part.places] = (part.coupled @ vectors) / values
            whole[part.others] = vectors + part.X[part.others] @ whole[part.places]
            vectors = whole
        return vectors


class _Part(NamedTuple):
    """Variables that were split off at once, among those that were left before."""

    of: NDArray[np.int64]  # places in z of what was left
    places: NDArray[np.int64]  # what was split off
    others: NDArray[np.int64]
    X: Floats  # (count, places) with W X = 0
    coupled: Floats  # (places, others) of W


def _eigen(W: Floats) -> tuple[Complexes, Complexes]:
    """Eigenvalues and eigenvectors of a regular W; slow ones from the inverse, where the fast ones would take their digits."""
    fast, vectors = np.linalg.eig(W)
    size = np.abs(fast)
    if not len(W) or size.min() > APART * size.max():
        return fast, vectors
    if not (W.any(axis=0).all() and W.any(axis=1).all()):  # where one passes zero
        return fast, vectors
    rows = 1.0 / np.abs(W).max(axis=1)
    columns = 1.0 / np.abs(rows[:, None] * W).max(axis=0)
    try:
        inverse = columns[:, None] * np.linalg.inv(rows[:, None] * W * columns) * rows
        found, slow_vectors = np.linalg.eig(inverse)
    except np.linalg.LinAlgError:  # likewise
        return fast, vectors
    slow = 1.0 / found
    first, second = np.argsort(size, kind="stable"), np.argsort(np.abs(slow), kind="stable")
    middle = np.sqrt(np.abs(slow).min() * size.max())
    gaps = np.diff(np.log(size[first]))
    apart = np.abs(np.log(size[first][1:] / middle)) + np.abs(np.log(size[first][:-1] / middle))
    # how many are slow: not between two of the same size, as of a pair
    k = 1 + int(np.argmin(np.where(gaps > PAIR, apart, np.inf)))
    values = np.concatenate([slow[second[:k]], fast[first[k:]]])
    return values, np.concatenate([slow_vectors[:, second[:k]], vectors[:, first[k:]]], axis=1)


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
