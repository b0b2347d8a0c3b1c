"""The configurations of a mechanism without freedom as a curve in (q, t), followed by its length; it may turn back in t.

    phi(t, q) = 0,   [C xi] (d, dt) = 0 along it

Where dt vanishes the drivers cannot go farther: a dead point, at which two branches meet. The curve itself is smooth there, so that
predictor and corrector go around it (Keller 1977; Allgower & Georg 2003, chapter 2). t counts in units of `pace`, so that it
compares with radians, and slides count in arms of the mechanism.
"""

from typing import NamedTuple

import numpy as np

from mbsim.kernels.ranks import LANDED, RANK_TOLERANCE
from mbsim.system.system import Floats, System

POSITION_TOLERANCE = 1e-12  # arms, rad: what Newton reaches before its last step
ITERATIONS = 12
FITS = 1e-7  # arms, rad: what may be left of a constraint, by redundant rows of a rough drawing
CONTRACTION = 0.25  # of successive Newton steps (Deuflhard, Newton Methods for Nonlinear Problems, 2.1.2)
CORRECTOR_REACH = 0.3  # of the step: how far the corrector may go
BEND = 0.97  # cosine of the angle by which the tangent may turn in a step
STRAIGHT = 0.995  # and up to which the next step is longer
FIRST, SHORTEST, LONGEST = 1e-3, 1e-10, 0.1  # steps, arms or rad
STEPS = 4000
OPEN = 0.1 * LANDED  # relative singular value: several ways go on


class Place(NamedTuple):
    """A point of the curve."""

    t: float
    q: Floats  # (n_q,)


class End(NamedTuple):
    """Where following the curve ended."""

    place: Place
    tangent: Floats  # (n_v + 1,) of unit length: displacements over their scales, then t in units of the pace
    dead: bool  # at a dead point; else at the time that was asked for


class Curve:
    """The curve of a system; `pace` is the time (s) that compares with a displacement of one radian, `scales` (n_v,) what slides and turns
    are divided by."""

    def __init__(self, system: System, pace: float, scales: Floats) -> None:
        self._system, self._pace, self._scales = system, pace, scales

    def tangent(self, at: Place, along: Floats) -> Floats:
        """The unit tangent (n_v + 1,), in the direction of `along`."""
        J = self._jacobian(at)
        lengths = np.linalg.norm(J, axis=1)
        _, sigma, V = np.linalg.svd(J / np.where(lengths > 0.0, lengths, 1.0)[:, None])
        size = len(V)
        held = int(np.sum(sigma > OPEN * sigma[0])) if len(sigma) else 0
        null = V[min(held, size - 1) :]
        found = null.T @ (null @ along)
        length = float(np.linalg.norm(found))
        if length < 1e-3:  # across: any direction of the null space will do
            found, length = null[-1], 1.0
        unit: Floats = found / length
        return unit

    def follow(self, at: Place, target: float, along: Floats | None = None) -> End | None:
        """From `at` on, towards the time `target` or in the direction of `along`, to `target` or to the next dead point, or None.

        None: the curve could not be followed; it comes too close to another one.
        """
        forward = float(np.sign(target - at.t))
        size = self._system.n_v + 1
        ahead = np.zeros(size)
        ahead[-1] = forward
        tangent = self.tangent(at, ahead if along is None else along)
        step = FIRST
        for _ in range(STEPS):
            if step < SHORTEST:
                return None
            found = self._corrected(self._moved(at, step * tangent), CORRECTOR_REACH * step)
            turned = None if found is None else self.tangent(found, tangent)
            if found is None or turned is None or turned @ tangent < BEND:
                step *= 0.5
                continue
            if turned[-1] * forward <= 0.0:
                return self._dead_point(at, tangent, step)
            if (found.t - target) * forward >= 0.0:
                part = (target - at.t) / (found.t - at.t)
                reached = self.at_time(target, self._moved(at, part * step * tangent).q)
                if reached is not None:
                    return End(Place(target, reached), self.tangent(Place(target, reached), turned), False)
                step *= 0.5
                continue
            step = min(2.0 * step, LONGEST) if turned @ tangent > STRAIGHT else step
            at, tangent = found, turned
        return None

    def at_time(self, t: float, q: Floats) -> Floats | None:
        """q (n_q,) on the constraints at t, from a near one by Newton; None where it does not contract."""
        return newton(self._system, t, q, self._scales)

    def _dead_point(self, at: Place, tangent: Floats, step: float) -> End | None:
        """Between `at` and a step farther, where the tangent's t changes its sign."""
        from scipy.optimize import brentq

        def ahead(s: float) -> float:
            found = self._corrected(self._moved(at, s * tangent), np.inf)
            return float(self.tangent(found, tangent)[-1]) if found is not None else 0.0

        start, end = float(tangent[-1]), ahead(step)
        if start == 0.0 or start * end > 0.0:  # `at` lies on it
            s = 0.0
        else:
            s = float(brentq(ahead, 0.0, step, xtol=1e-15, rtol=1e-14)) if end != 0.0 else step
        found = self._corrected(self._moved(at, s * tangent), np.inf)
        return None if found is None else End(found, self.tangent(found, tangent), True)

    def beyond(self, end: End, back: float) -> Place | None:
        """On the other branch behind a dead point, where it comes by the time `back` again; None where it does not."""
        found = self._corrected(self._moved(end.place, 10.0 * FIRST * end.tangent), np.inf)
        if found is None or (found.t - end.place.t) * (back - end.place.t) <= 0.0:
            return None
        if (found.t - back) * (back - end.place.t) >= 0.0:  # `back` is as near to the dead point as that
            return found
        other = self.follow(found, back, self.tangent(found, end.tangent))
        return None if other is None or other.dead else other.place

    def _jacobian(self, at: Place) -> Floats:
        C, xi = constraints(self._system, at.t, at.q)
        return np.hstack([C * self._scales, self._pace * xi[:, None]])

    def _moved(self, at: Place, d: Floats) -> Place:
        return Place(at.t + self._pace * float(d[-1]), self._system.move(at.q, self._scales * d[:-1]))

    def _corrected(self, at: Place, most: float) -> Place | None:
        """The next point of the curve by Gauss-Newton, not farther than `most`."""
        before, way = np.inf, 0.0
        for _ in range(ITERATIONS):
            phi = self._system.phi(at.t, at.q)
            if not np.isfinite(phi).all():
                return None
            d = least(self._jacobian(at)[: len(phi)], -phi, RANK_TOLERANCE)
            size = float(np.linalg.norm(d))
            way += size
            if way > most or size > max(CONTRACTION * before, 1e-9):
                return None
            at, before = self._moved(at, d), size
            if size <= POSITION_TOLERANCE:
                return at
        return at if before <= 1e-9 else None


def newton(system: System, t: float, q: Floats, scales: Floats, most: float = np.inf) -> Floats | None:
    """q (n_q,) on the constraints at t, from a near one; None where Newton does not contract or goes farther than `most`.

    That is in `scales` (n_v,), what slides and turns are divided by.
    """
    before, way = np.inf, 0.0
    for _ in range(ITERATIONS):
        phi = system.phi(t, q)
        if not np.isfinite(phi).all():
            return None
        d = least(constraints(system, t, q)[0][: len(phi)] * scales, -phi, RANK_TOLERANCE)
        size = float(np.linalg.norm(d))
        way += size
        if way > most or size > max(CONTRACTION * before, 1e-9):
            return None
        q, before = system.move(q, scales * d), size
        if size <= POSITION_TOLERANCE:
            break
    return q if before <= 1e-9 and _fits(system, t, q, scales) else None


def _fits(system: System, t: float, q: Floats, scales: Floats) -> bool:
    """Whether q is on the constraints: beyond a dead point corrections come to nothing where the residual is least, and not zero."""
    phi = system.phi(t, q)
    lengths = np.linalg.norm(constraints(system, t, q)[0][: len(phi)] * scales, axis=1)
    return bool((np.abs(phi) <= FITS * np.where(lengths > 0.0, lengths, 1.0)).all())


def constraints(system: System, t: float, q: Floats) -> tuple[Floats, Floats]:
    """C (m, n_v) and xi (m,)."""
    C, xi = np.zeros((system.n_rows, system.n_v)), np.zeros(system.n_rows)
    system.functions.constraints(system.arrays, float(t), q, C, xi)
    return C, xi


def least(A: Floats, b: Floats, cutoff: float) -> Floats:
    """The shortest x with A x = b in the least-squares sense; singular values below `cutoff` of the largest count as zero."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=cutoff)[0], float)
