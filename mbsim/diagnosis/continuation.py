"""Configurations of a mechanism without freedom at given times, each on the branch of the one before.

    phi(t, q) = 0,   C v = -xi,   C a = -eta

q by Newton from the Taylor polynomial q + h v + h^2 a / 2. The step h is halved where Newton does not contract, where it goes farther than
the prediction explains, and where the configuration turns over without a meeting of branches (`crossing`). What remains is
followed by its length (`extended_curve`), which ends at the time, at a dead point, or where branches come too close.

On a singular position that the motion passes, C does not determine v and a. There q, v and a are those of the motion through it: the
polynomial of degree five through three configurations on each side.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mbsim.diagnosis.crossing import Way
from mbsim.diagnosis.extended_curve import Curve, End, Place, constraints, least, newton
from mbsim.diagnosis.redundancy import column_scales, singular_values, unit_rows
from mbsim.kernels.ranks import FOLDED, LANDED, RANK_TOLERANCE, TOUCHING
from mbsim.system.system import Floats, System

HALVINGS = 8  # of a step, before the curve is followed by its length
FAR = 0.3  # of the predicted displacement: how far Newton may correct it
SMALL = 1e-2  # arms, rad: corrections that are always fair; a driver may start from rest, which predicts nothing
REGULAR = 10.0 * TOUCHING  # singular value of C with unit rows, of the largest, where v has all its digits
LOST = 0.01 * LANDED  # and at which the branch is not known: starts are assembled to 1e-12
WIDEST = 0.1  # arms, rad: from a singular position to the next configuration beside it
BESIDE = ((1, 15.0 / 20.0), (2, -6.0 / 20.0), (3, 1.0 / 20.0))  # distances and weights of the polynomial's value in the middle
RESTS = 1e-6  # arms/s, rad/s: slower is not known to move through
MOVES = 0.05  # of the largest: what counts as moving
SHOWN = 4  # names
ONE_PASSAGE = 1e-4  # s, and of t: singular positions that are one
STRAYS = 1e-3  # of the driven speeds: what may be left of them on a singular position that is no dead point
FITS = 1e-9, 1e-6  # residuals of positions and of velocities up to which the motion is taken to go through a singular position


class Configuration(NamedTuple):
    """Of a mechanism at a time."""

    t: float  # s
    q: Floats  # (n_q,)
    v: Floats  # (n_v,)
    a: Floats  # (n_v,)


@dataclass(frozen=True)
class Passage:
    """A singular position: `dead` where the drivers cannot go farther, else passed by."""

    t: float  # s
    dead: bool
    moving: list[str]  # what can move there while the drivers rest, that which moves most first
    branches: dict[str, tuple[float, float]] = field(default_factory=dict)  # coordinate -> on this branch and on the other, at `beside`
    beside: float = float("nan")  # s


class NoWayError(RuntimeError):
    """The mechanism cannot be assembled beyond the time `at` (s)."""

    complete = False  # whether the message says where, too

    def __init__(self, message: str, at: float, passage: Passage | None = None) -> None:
        super().__init__(message)
        self.at, self.passage = at, passage


class Walk:
    """Goes from (t, q), on the constraints, to any other time. `passages` are the singular positions met."""

    def __init__(self, system: System, t: float, q: Floats) -> None:
        """Raises NoWayError on a singular position, whose branches cannot be told apart."""
        self.system = system
        self.passages: list[Passage] = []
        if _regularity(system, t, q) <= LOST:
            moving = ", ".join(_moving(system, t, q))
            raise NoWayError(
                f"the configuration is singular: {moving} can move while the drivers rest, so that the branch is not determined; "
                "draw the mechanism elsewhere",
                t,
            )
        self._scales = column_scales(system, constraints(system, t, q)[0], exact=True)
        self._pace = np.inf  # arms/s, rad/s: of the fastest coordinate where it is slowest; at a dead point it is infinite
        self.at = self._complete(t, q)
        self._last: Configuration | None = None  # that was asked for
        self._lost: Passage | None = None  # the singular position on which the mechanism rests, so that any branch may be the next

    def configuration(self, t: float) -> Configuration:
        """At the time t. Raises NoWayError where the mechanism does not reach it."""
        self._last = self._reached(t)
        return self._last

    def _reached(self, t: float) -> Configuration:
        before, known = self.at, len(self.passages)
        try:
            self._go(t)
        except NoWayError as error:
            ends = error.passage is not None and abs(error.passage.t - t) > ONE_PASSAGE * (1.0 + abs(t))  # before it
            if ends or (found := self._instead(t, before, known)) is None:
                raise
            return found
        regular = _regularity(self.system, t, self.at.q)
        if self._lost is not None and regular > LANDED:
            raise NoWayError(
                f"it rests on a singular position: {', '.join(self._lost.moving)} can move while the drivers rest, so that the branch on "
                "which it goes on is not determined",
                self._lost.t,
            )
        if regular >= FOLDED:
            return self.at
        direct = self.at
        if (found := self._instead(t, before, known)) is not None:
            return found
        self.at = direct
        C, xi = constraints(self.system, t, direct.q)
        if np.abs(C @ direct.v + xi).max(initial=0.0) > STRAYS * np.abs(xi).max(initial=0.0):  # the drivers ask for what nothing can do
            passage = Passage(t, True, _moving(self.system, t, direct.q))
            self._passed(passage)
            raise NoWayError("a dead point", t, passage)
        rests = regular <= LANDED and float(np.abs(direct.v / self._scales).max(initial=0.0)) < RESTS
        if self._lost is None and (rests or regular <= LOST):
            self._lost = Passage(t, False, _moving(self.system, t, direct.q))
        return direct

    def _instead(self, t: float, before: Configuration, known: int) -> Configuration | None:
        """That of the motion through a singular position at t, beginning at `before`, when as many passages were `known`."""
        at, passages = self.at, self.passages[:]
        self.at = before
        del self.passages[known:]
        found = self._between(t)
        if found is None:
            self.at, self.passages[:] = at, passages
        return found

    def _go(self, t: float) -> None:
        while self.at.t != t:
            self.at = self._stepped(t) or self._followed(t)

    def _stepped(self, t: float) -> Configuration | None:
        """A step towards t, as large as it may be; None where it is too small."""
        h = t - self.at.t
        for _ in range(HALVINGS):
            found = self._step(self.at.t + h if h != t - self.at.t else t)
            if found is not None:
                return found
            h *= 0.5
        return None

    def _step(self, t: float) -> Configuration | None:
        system, now = self.system, self.at
        h = t - now.t
        d = h * now.v + 0.5 * h * h * now.a
        if not np.isfinite(d).all():
            return None
        q = newton(system, t, system.move(now.q, d), self._scales, max(FAR * float(np.linalg.norm(d / self._scales)), SMALL))
        if q is None:
            return None
        if _regularity(system, t, q) > LOST:
            way = Way(system, system.n_v, column_scales(system, constraints(system, now.t, now.q)[0]))
            met = way.crossing((now.t, now.q), (t, q))
            if met is not None and not met.meets:
                return None
            if met is not None:
                self._passed(Passage(met.t, False, _moving(system, met.t, met.q)))
        return self._complete(t, q)

    def _followed(self, t: float) -> Configuration:
        """Along the curve to t. Raises NoWayError at a dead point."""
        system, now = self.system, self.at
        curve = Curve(system, 1.0 / self._pace if np.isfinite(self._pace) else 1.0, self._scales)
        end = curve.follow(Place(now.t, now.q), t)
        if end is None:
            raise NoWayError("Newton's steps cannot be told from those to another branch", now.t)
        if not end.dead:
            return self._complete(t, end.place.q)
        passage = self._dead(curve, end)
        self._passed(passage)
        raise NoWayError("a dead point", end.place.t, passage)

    def _dead(self, curve: Curve, end: End) -> Passage:
        system, now = self.system, self.at
        moving = _largest(system, self._scales * end.tangent[:-1])
        now = now if self._last is None else self._last
        other = curve.beyond(end, now.t)
        branches: dict[str, tuple[float, float]] = {}
        if other is not None:
            here = newton(system, other.t, now.q, self._scales) if other.t != now.t else now.q
            if here is not None:
                apart = np.abs(other.q - here)[: system.n_c]
                names = [name for name in moving if name in system.coordinates] or [system.coordinates[int(np.argmax(apart))]]
                branches = {name: (float(here[k]), float(other.q[k])) for name in names for k in [system.coordinates.index(name)]}
        return Passage(end.place.t, True, moving, branches, other.t if other is not None else float("nan"))

    def _between(self, t: float) -> Configuration | None:
        """The configuration of the motion through a singular position at t, from those beside it; None where it does not go through."""
        system, before = self.system, self.at
        fastest = float(np.abs(before.v / self._scales).max(initial=0.0))
        if fastest < RESTS:
            return None
        h = np.sign(t - before.t or 1.0) * 1e-3 / fastest
        best: tuple[float, list[Configuration]] = FOLDED, []  # where nothing is regular within reach: the most regular
        while abs(h) * fastest <= WIDEST:
            self.at = before
            try:
                beside = []
                for k in (-3, -2, -1, 1, 2, 3):
                    self._go(t + k * h)
                    beside.append(self.at)
            except NoWayError:
                return None
            regular = min(_regularity(system, x.t, x.q) for x in beside)
            if regular >= best[0]:
                best = regular, beside
            if regular >= REGULAR:
                break
            h *= 2.0
        if not best[1]:
            return None
        self.at = best[1][-1]
        return self._middle(t, best[1])

    def _middle(self, t: float, beside: list[Configuration]) -> Configuration | None:
        def middle(part: str) -> Floats:
            found: Floats = sum(w * (getattr(beside[2 + k], part) + getattr(beside[3 - k], part)) for k, w in BESIDE)
            return found

        system = self.system
        q = system.move(middle("q"), np.zeros(system.n_v))  # quaternions to unit length
        (C, _), phi = constraints(system, t, q), system.phi(t, q)
        q = system.move(q, self._least(C[: len(phi)], -phi, REGULAR))
        C, xi = constraints(system, t, q)
        v = middle("v")
        v = v - self._least(C, C @ v + xi, REGULAR)
        if np.abs(system.phi(t, q)).max(initial=0.0) > FITS[0] or np.abs(C @ v + xi).max() > FITS[1]:
            return None  # a sharp turn beside it
        a = middle("a")
        a = a - self._least(C, C @ a + system.eta(t, q, v), REGULAR)
        return Configuration(t, q, v, a)

    def _complete(self, t: float, q: Floats) -> Configuration:
        system = self.system
        phi = system.phi(t, q)
        q = system.move(q, self._least(constraints(system, t, q)[0][: len(phi)], -phi, RANK_TOLERANCE))  # to round-off
        C, xi = constraints(system, t, q)
        v = self._least(C, -xi, RANK_TOLERANCE)
        a = self._least(C, -system.eta(t, q, v), RANK_TOLERANCE)
        fastest = float(np.abs(v / self._scales).max(initial=0.0))
        self._pace = min(self._pace, fastest) if fastest > RESTS else self._pace
        return Configuration(t, q, v, a)

    def _least(self, A: Floats, b: Floats, cutoff: float) -> Floats:
        """The shortest x with A x = b in the least-squares sense, slides in arms."""
        return self._scales * least(A * self._scales, b, cutoff)

    def _passed(self, passage: Passage) -> None:
        if all(abs(passage.t - known.t) > ONE_PASSAGE * (1.0 + abs(known.t)) for known in self.passages):
            self.passages.append(passage)


def _regularity(system: System, t: float, q: Floats) -> float:
    """The n_v-th singular value of C with unit rows, of the largest; 0 where C has a lower rank."""
    C, _ = constraints(system, t, q)
    values = singular_values(C * column_scales(system, C), system.arrays.row_shares)
    return float(values[system.n_v - 1] / values[0]) if len(values) >= system.n_v and values[0] > 0.0 else 0.0


def _moving(system: System, t: float, q: Floats) -> list[str]:
    """The speeds that can be other than zero while the drivers rest."""
    C, _ = constraints(system, t, q)
    scales = column_scales(system, C)
    return _largest(system, np.linalg.svd(unit_rows(C * scales)[0])[2][-1] * scales)


def _largest(system: System, d: Floats) -> list[str]:
    """The coordinates of which d (n_v,) has most."""
    order = np.argsort(-np.abs(d))
    names = [system.speeds[k].removeprefix("der(").removesuffix(")") for k in order if abs(d[k]) >= MOVES * abs(d[order[0]])]
    turning = [name for name in names if name.endswith("angle")]
    return (turning or names)[:SHOWN]
