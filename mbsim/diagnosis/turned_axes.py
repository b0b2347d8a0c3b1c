"""The axes in which small motions about a steady motion on circles are measured, and whether the coefficients are constant in them.

With displacements T d a matrix X becomes T X T^-1, where T' = -T B. What turns with w is measured in axes that turn with w: T is the
rotation back of its place, and its rotation is about its own axes. What spins about an axis through its centre may be measured in axes that
stand still, as a round rotor in whichever bearings; and all may be measured in axes that turn with the fastest, as a rotor that is not
round in round bearings, whose housing does not turn.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from mbsim.diagnosis.turning import Turning, axes_of, skew, turned
from mbsim.kernels.ranks import RANK_TOLERANCE
from mbsim.system.system import Floats, System
from mbsim.system.tangents import Tangents, symmetric

DURATIONS = (1.0, 2.3)  # rad: where the coefficients are looked at again
EQUAL_COEFFICIENTS = 1e-7  # of the largest entry of its row: a smaller difference of coefficients is none
NOISE = 100.0  # times what round-off makes of coefficients: likewise
MOST = 3  # groups of bodies of which all choices are tried
STANDS, OWN, ALL = range(3)  # how a group is measured: in axes that stand still, that turn with it, or that turn with the fastest


@dataclass(frozen=True)
class Axes:
    """How displacements are measured."""

    B: Floats  # (n, n)
    T: Floats  # (n, n) orthogonal: displacements in the system's axes are T of those measured
    turned: bool  # whether places are measured in axes that turn

    def of(self, tangents: Tangents) -> Tangents:
        """The tangents in these axes."""
        T = self.T
        found = {name: T.T @ getattr(tangents, name) @ T for name in ("K", "D", "M")}
        found |= {name: getattr(tangents, name) @ T for name in ("C", "G", "eta_d", "eta_v", "x_d", "x_v")}
        return tangents._replace(**found, h_x=T.T @ tangents.h_x)


def choices(system: System, q: Floats, turning: Turning) -> Iterator[Callable[[float], Axes]]:
    """Axes by the time since the state, s: first those that stand still, where no body has to go on a circle."""
    groups = turning.groups()
    on_axis = [not _group(turning, bodies).goes_on_circles(q) for bodies in groups]
    few = len(groups) <= MOST
    each = [(STANDS, OWN) if still and few else (OWN,) for still in on_axis]
    plain = np.zeros((len(turning.turn), 3))
    for chosen in product(*each):
        followed, own = plain.copy(), plain.copy()  # how fast the axes turn of places; and of rotations, against the body
        for how, bodies in zip(chosen, groups, strict=True):
            if how == OWN:
                followed[bodies] = turning.turn[bodies]
            else:
                own[bodies] = -turning.turn[bodies]
        yield _axes(system, q, turning, followed, own)
    if len(groups) and not turning.moving.all():
        w = turning.turn[int(np.argmax(np.linalg.norm(turning.turn, axis=1)))]
        yield _axes(system, q, turning, plain + w, w - turning.turn)


def _group(turning: Turning, bodies: np.ndarray) -> Turning:
    """Only these bodies move."""
    own = np.isin(np.arange(len(turning.turn)), bodies)[:, None]
    return Turning(turning.dimension, turning.turn * own, turning.shift * own)


def _axes(system: System, q: Floats, turning: Turning, followed: Floats, own: Floats) -> Callable[[float], Axes]:
    """Axes of places that turn with `followed` (n_b, 3), and of rotations with `own` (n_b, 3) against the bodies; rad/s, global."""
    count, k = len(turning.turn), turning.dimension
    width = system.n_v // count
    R = axes_of(q, count) if k == 3 else np.zeros((count, 3, 3))
    own = np.einsum("bji,bj->bi", R, own)

    def at(s: float) -> Axes:
        B, T = np.zeros((system.n_v, system.n_v)), np.eye(system.n_v)
        for b in range(count):
            place = slice(width * b, width * b + k)
            B[place, place], T[place, place] = skew(followed[b])[:k, :k], turned(followed[b] * s)[:k, :k]
            if k == 3:
                place = slice(width * b + 3, width * b + 6)
                B[place, place], T[place, place] = skew(own[b]), turned(own[b] * s)
        return Axes(B, T, bool(followed.any()))

    return at


def multipliers_at(
    system: System, t: float, q: Floats, v: Floats, a: Floats, extra: Floats | None, rows: np.ndarray | None = None
) -> Floats:
    """The multipliers (m,) of a steady motion beside forces `extra` (n,); zero of other than these `rows` (m,) bool."""
    found = np.zeros(system.n_rows)
    own = np.ones(system.n_rows, bool) if rows is None else rows
    M, h, C, *_ = system.terms(t, q, v)
    force = symmetric(M) @ a - h - (0.0 if extra is None else extra)
    w = 1.0 / np.sqrt(np.where(np.diag(M) > 0.0, np.diag(M), 1.0))
    C = C[own] * w
    size = np.linalg.norm(C, axis=1)
    size[size == 0.0] = 1.0
    found[own] = np.linalg.lstsq((C / size[:, None]).T, w * force, rcond=RANK_TOLERANCE)[0] / size
    return found


def different(A: Floats, other: Floats, sizes: Floats, displacements: int, scatter: Callable[[], Floats]) -> float:
    """By how much two A (N, N) of the same variables differ, beside the largest entry of each row; 0 within round-off."""
    if A.shape != other.shape:
        return float("inf")
    scaled, change = (np.abs(sizes[:, None] * X / sizes) for X in (A, other - A))
    if not scaled.size:
        return 0.0
    fast = max(1.0, float(np.sqrt(scaled[displacements:, :displacements].max(initial=0.0))))
    scaled[:, :displacements] /= fast
    change[:, :displacements] /= fast
    largest = np.maximum(scaled.max(axis=1)[:, None], 1e-300)
    if (change <= EQUAL_COEFFICIENTS * largest).all():
        return 0.0
    noise = NOISE * np.abs(sizes[:, None] * scatter() / sizes)
    noise[:, :displacements] /= fast
    beyond = np.where(change <= EQUAL_COEFFICIENTS * largest + noise, 0.0, change)
    return float((beyond / largest).max())
