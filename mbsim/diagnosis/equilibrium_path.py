"""The equilibria of a mechanism over a number of its model, along their curve, with its limit points and bifurcations.

    r(q, mu) = 0,   (x - x_0)' t = s,   x = [q; mu]

The next point is where the curve meets the plane that is a length s away along its tangent t (Riks 1979, Keller 1977). Where mu turns back
the equations stay regular. The tangent is the column of the matrix that Newton's method of an equilibrium has, bordered by the derivative
by mu and by t'. At a limit point mu turns back; at a bifurcation an eigenvalue of the stiffness passes zero and mu goes on: there another
curve crosses. Both are located to round-off, by the tangent's part of mu and by the eigenvalue, as functions of s.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.linalg import eig, eigh
from scipy.optimize import brentq

from mbsim.diagnosis.unbalanced import Problem, State, solved
from mbsim.system.system import Floats

PROBE = 1e-4  # of the span of the number: of the difference that gives the derivative by it
CORRECTIONS = 8  # of Newton's method, before a step is halved
DONE = 1e-9  # turns, sizes of the mechanism and spans: a shorter correction is the last
TURNS = 0.9  # cosine of two tangents that follow each other, below which the step between them is halved
PUSHED = 1e-4  # cosine of the change of forces with the number and a displacement, above which it pushes there
STRAYS = 1.0  # displacements that a step ends beside the tangent, over those along it, above which it is halved: it may miss a snap
ASIDE = 1e-3  # of a step: what corrections may take back of it
SLIGHT = 1e-6  # turns and sizes of the mechanism: displacements along the tangent that count at least as these
FINEST = 1e-3  # of the longest step: a shorter one is not halved for that
GROWS = 1.5  # of steps that were easy
EASY = 4  # corrections of an easy step
SHORTEST = 1e-7  # a shorter step is none
FURTHEST = 0.1  # turns and sizes of the mechanism: the longest step
ZERO = 1e-12  # of the largest eigenvalue: a smaller one is round-off
ROUND_OFF = 2.0**-54  # of the largest eigenvalue: a smaller one counts as zero where a critical point is located
CLOSE = 1e-11  # turns, sizes of the mechanism and spans: how exactly critical points are located
SYMMETRIC = 1e-9  # of the largest number of a stiffness: what its transpose may differ by
BACK = 1.0  # spans: how far before the first value the curve is followed where it leads back
AGAIN = 1e-5  # turns, sizes of the mechanism and spans: two critical points that are nearer are one
BESIDE = 1e-2  # turns and sizes of the mechanism: from a bifurcation to the first point of the other curve


class Kind(StrEnum):
    """Where one curve of equilibria turns back, or two cross."""

    LIMIT = "limit point"
    BIFURCATION = "bifurcation"


@dataclass(frozen=True)
class Point:
    """An equilibrium of the curve."""

    value: float  # of the number
    problem: Problem
    state: State
    way: "Way"  # the tangent of the curve
    eigenvalues: Floats  # (f,) of the stiffness over what it is along each displacement at first, the real ones, rising
    growing: int  # how many small motions grow
    arc: float = 0.0  # length of the curve up to here
    strayed: float = 0.0  # what was corrected on the way here over what the tangent foresaw, of displacements

    @property
    def above(self) -> Floats:
        """(f,) the eigenvalues above what is round-off below zero."""
        return np.asarray(self.eigenvalues + ZERO * float(np.abs(self.eigenvalues).max(initial=0.0)))

    @property
    def negative(self) -> int:
        """How many eigenvalues are below zero."""
        return int(np.sum(self.above < 0.0))


@dataclass(frozen=True)
class Way:
    """A direction of unit length: displacements, changes of states, and of the number over its span."""

    d: Floats  # (n,)
    dx: Floats  # (n_x,)
    value: float


@dataclass(frozen=True)
class Critical:
    """A point where the number of equilibria changes."""

    kind: Kind
    point: Point
    moves: Floats  # (n,) the displacement that the stiffness does not resist there


class Follower:
    """Follows the equilibria from one value of a number to another one."""

    def __init__(self, problem_at: Callable[[float], Problem], first: float, last: float, growing: Callable[[Problem, State], int]) -> None:
        """`problem_at(value)` is what is to be in balance; `growing(problem, state)` counts small motions that grow."""
        self._at, self.first, self.last, self._growing = problem_at, first, last, growing
        self.span = last - first
        self._scale: Floats | None = None  # (n,) what eigenvalues of the stiffness are over

    def points(self, q: Floats, longest: float, branch: int = 0) -> Iterator[Point | Critical]:
        """The points of the curve from the equilibrium q (n_q,) at `first` on, and its critical points between them.

        `longest` is the most that the number changes in a step, over its span. At bifurcation number `branch` (from 1; 0: at none) the
        other curve is followed. Raises PathEnd where the curve cannot be followed any more.
        """
        problem = self._at(self.first)
        n, n_x = problem.system.n_v, problem.system.n_x
        here = self._complete(self.first, problem, self._floored(problem, q), Way(np.zeros(n), np.zeros(n_x), 1.0), 0.0)
        yield here
        length, met, begun = longest, 0, None
        while True:
            there, corrections = self._next(here, length)
            if there is None or (there.strayed > STRAYS and length > FINEST * longest):
                length *= 0.5
                if length < SHORTEST:
                    raise PathEnd("no equilibrium is found beyond")
                continue
            try:
                critical = self._between(here, there)
            except PathEnd:  # a step that is too long to tell what lies within it
                length *= 0.5
                if length < SHORTEST:
                    raise
                continue
            crossed = False
            for found in critical:
                met += found.kind == Kind.BIFURCATION
                if begun is not None and self._is_at(found.point, begun):
                    raise PathEnd("it comes back to the bifurcation from which it was followed")
                yield found
                if met == branch and found.kind == Kind.BIFURCATION:
                    there, crossed, begun = self._crossed(found), True, found.point
                    break
            share = (there.value - self.first) / self.span
            if share >= 1.0:
                yield there if crossed else self._at_last(here, there)
                return
            if share < -BACK:
                raise PathEnd("the curve leads back far beyond the first value")
            yield there
            here = there
            limit = min(longest / max(abs(here.way.value), longest), FURTHEST / max(here.problem.length(here.way.d), 1e-300))
            length = min(limit, length * GROWS if corrections <= EASY else length)

    def _is_at(self, one: Point, other: Point) -> bool:
        """Whether two points are the same one."""
        system, apart = one.problem.system, np.abs(one.state.q - other.state.q)
        lengths = np.array([unit.startswith("m") for unit in system.coordinate_units], bool)
        size = float(one.problem.measure[one.problem.sliding].max(initial=0.0))  # one over the extent of the mechanism
        apart[lengths] *= size
        return float(apart.max(initial=0.0)) < AGAIN and abs(one.value - other.value) < AGAIN * abs(self.span)

    def _floored(self, problem: Problem, q: Floats) -> State:
        state = problem.at(q)
        problem.floor = float(np.abs(problem.w * problem.system.terms(problem.t, q, state.v)[1]).max(initial=0.0))
        return state

    def _complete(self, value: float, problem: Problem, state: State, before: Way, arc: float) -> Point:
        """A point with its tangent, on the side that `before` shows to."""
        way = self._tangent(value, problem, state, before)
        point = Point(value, problem, state, way, self._stiffness(problem, state)[0], 0, arc)
        if self._is_passive(problem, state):
            return replace(point, growing=point.negative)
        return replace(point, growing=self._growing(problem, state))

    def _is_passive(self, problem: Problem, state: State) -> bool:
        """Whether forces have a potential and dampers take energy, so that the stiffness alone says what is stable (Thomson and Tait)."""
        K, _, Z = problem.free_stiffness(state)
        if problem.system.n_x or not K.size or not _is_symmetric(K):
            return False
        D = problem.tangents(state).D
        damping = np.linalg.eigvalsh(Z.T @ (D + D.T) @ Z)
        return bool(damping[0] >= -ZERO * np.abs(damping).max())

    def _weights(self, problem: Problem) -> Floats:
        """(n,) of squares of displacements in the length of a way."""
        return np.asarray(problem.measure**2 / max(1, len(problem.measure)))

    def _along(self, problem: Problem, one: Way, other: Way) -> float:
        """The product of two ways."""
        return float(self._weights(problem) @ (one.d * other.d) + one.dx @ other.dx + one.value * other.value)

    def _rate(self, value: float, problem: Problem, state: State) -> Floats:
        """The derivative of [r; phi; x_dot] by the number over its span, by a difference; the multipliers stay."""
        sides = []
        for sign in (1.0, -1.0):
            other = self._at(value + sign * PROBE * self.span)
            system, kept = other.system, other.kept
            _, h, C, *_ = system.terms(other.t, state.q, np.zeros(system.n_v))
            phi = system.phi(other.t, state.q)[kept[: system.n_holonomic]]
            rates = system.rates(other.t, state.q, np.zeros(system.n_v))[system.n_c :]
            sides.append(np.concatenate([-problem.w * (h + C[kept].T @ state.lam), phi, rates]))
        return np.asarray((sides[0] - sides[1]) / (2.0 * PROBE))

    def _bordered(self, problem: Problem, state: State, rate: Floats, way: Way, right: Floats, last: float) -> Way:
        """The change with [left, rate; way'] change = [-right; last], which is in units of the length."""
        n, n_x = problem.system.n_v, problem.system.n_x
        left, factors = problem.equations(state)
        rows, columns = left.shape
        size = problem.stiffest
        column = factors * rate
        unit = size / (float(np.abs(column).max(initial=0.0)) or size)  # of the number, so that its column is as large as the others
        row = np.zeros(columns + 1)
        row[:n] = self._weights(problem) * way.d * problem.w
        row[columns - n_x : columns] = way.dx
        row[columns] = way.value * unit
        largest = float(np.abs(row).max())
        whole = np.zeros((rows + 1, columns + 1))
        whole[:rows, :columns], whole[:rows, columns] = left, column * unit
        whole[rows] = row * (size / largest)

        def scatter() -> Floats:
            found = np.zeros_like(whole)
            found[:rows, :columns] = problem.scatter(state, left)
            return found

        found = solved(whole, np.concatenate([-factors * right, [last * size / largest]]), scatter)
        return Way(problem.w * found[:n], found[columns - n_x : columns], float(found[columns] * unit))

    def _tangent(self, value: float, problem: Problem, state: State, before: Way) -> Way:
        rate = self._rate(value, problem, state)
        found = self._bordered(problem, state, rate, before, np.zeros(len(rate)), 1.0)
        size = float(np.sqrt(self._weights(problem) @ found.d**2 + found.dx @ found.dx + found.value**2))
        return Way(found.d / size, found.dx / size, found.value / size)

    def _next(self, here: Point, length: float) -> tuple[Point | None, int]:
        """The point of the curve in the plane a length away along the tangent, and the corrections; None where it is not found."""
        way = here.way
        value = float(here.value + length * way.value * self.span)
        problem = self._at(value)
        q = problem.system.move(here.state.q, length * way.d)
        q[problem.system.n_c :] += length * way.dx
        state = self._floored(problem, q)
        rate, foreseen, corrected, left = None, length * problem.length(way.d), np.zeros(problem.system.n_v), 0.0
        for k in range(CORRECTIONS):
            if not np.isfinite(state.size) or not problem.usable(state):
                return None, k
            rate = self._rate(value, problem, state) if rate is None else rate
            load = float(np.abs(rate[: problem.system.n_v]).max(initial=0.0))  # forces of one coordinate cancel where they are in balance
            problem.floor = max(problem.floor, load)
            change = self._bordered(problem, state, rate, way, np.concatenate([state.r, state.phi, state.x_dot]), 0.0)
            far = max(problem.length(change.d), abs(change.value), float(np.abs(change.dx).max(initial=0.0)))
            if not np.isfinite(far) or far > max(10.0 * length, DONE):
                return None, k
            left += abs(self._along(problem, way, change))
            if left > ASIDE * length:  # the plane does not meet the curve: what is nearest to both is on neither
                return None, k
            done = far <= DONE and problem.balanced(state)
            corrected += change.d
            value += change.value * self.span
            problem = self._at(value)
            q = problem.system.move(state.q, change.d)
            q[problem.system.n_c :] += change.dx
            state = self._floored(problem, q)
            if problem.n_h:
                state = problem.moved(state, np.zeros(problem.system.n_v), np.zeros(problem.system.n_x))
            if done:
                there = self._complete(value, problem, state, way, here.arc + length)
                turned = self._along(problem, way, there.way)
                strayed = problem.length(corrected) / max(foreseen, SLIGHT)
                return (replace(there, strayed=strayed) if turned > TURNS else None), k
        return None, CORRECTIONS

    def _stiffness(self, problem: Problem, state: State) -> tuple[Floats, Floats]:
        """The real eigenvalues (f,) of the stiffness, rising, and the displacements (n, f) that belong to them.

        They are over the largest stiffness that each displacement has at the first point. Over the masses, what is soft beside the fast
        shear of a thin beam would be round-off. Signs are the same over any positive definite matrix (Sylvester's law of inertia).
        """
        K, M, Z = problem.free_stiffness(state)
        tangents = problem.tangents(state)
        if self._scale is None:
            self._scale = _scale(np.abs(problem.w[:, None] * tangents.K * problem.w).max(axis=1, initial=0.0), tangents.M, problem.w)
        if problem.system.n_x:  # states follow the displacements
            K = K + (Z.T @ tangents.h_x) @ np.linalg.lstsq(tangents.x_x, tangents.x_d @ Z, rcond=None)[0]
        if not K.size:
            return np.zeros(0), Z
        if _is_symmetric(K):
            free = Z / problem.w[:, None]
            values, vectors = eigh(0.5 * (K + K.T), free.T @ (self._scale[:, None] * free))
            return values, Z @ vectors
        found, vectors = eig(K, M)
        real = np.flatnonzero(np.abs(found.imag) <= SYMMETRIC * np.abs(found))
        real = real[np.argsort(found[real].real)]
        return found[real].real, Z @ vectors[:, real].real

    def _between(self, here: Point, there: Point) -> list[Critical]:
        """The critical points between two points, in their order."""
        length = there.arc - here.arc
        known: dict[float, Point] = {0.0: here, length: there}

        def at(s: float) -> Point:
            if s not in known:
                found, _ = self._next(here, s)
                if found is None:
                    raise PathEnd("a critical point there could not be located")
                known[s] = found
            return known[s]

        def root(of: Callable[[Point], float]) -> float:
            return float(brentq(lambda s: of(at(s)), 0.0, length, xtol=CLOSE, rtol=1e-12))

        def passes(j: int) -> float:
            exact = here.eigenvalues[j] * there.eigenvalues[j] < 0.0  # else one of both is zero but for round-off
            return root(lambda point: _but_for_round_off(point.eigenvalues, j) if exact else float(point.above[j]))

        low, high = sorted((here.negative, there.negative))
        places = [(passes(j), j) for j in range(low, high)]
        turn = root(lambda point: point.way.value) if here.way.value * there.way.value < 0.0 else None
        if turn is not None:
            nearest = min(places, key=lambda place: abs(place[0] - turn), default=None)
            if nearest is not None:
                places.remove(nearest)
        found = [(turn, Critical(Kind.LIMIT, at(turn), at(turn).way.d))] if turn is not None else []
        for s, j in places:
            point, moves = at(s), self._stiffness(at(s).problem, at(s).state)[1][:, j]
            if not self._is_pushed(point, moves):
                found.append((s, Critical(Kind.BIFURCATION, point, moves)))
        return [critical for _, critical in sorted(found, key=lambda one: one[0])]

    def _is_pushed(self, at: Point, moves: Floats) -> bool:
        """Whether the number pushes what the stiffness does not resist: at a limit point it does, at a bifurcation it does not.

        The place of a limit point by the tangent and that by the eigenvalue differ by round-off, and a step may end between them.
        """
        rate, d = self._rate(at.value, at.problem, at.state)[: len(moves)], moves / at.problem.w
        size = float(np.linalg.norm(rate) * np.linalg.norm(d))
        return abs(float(rate @ d)) > PUSHED * size

    def _crossed(self, at: Critical) -> Point:
        """The first point of the curve that crosses at a bifurcation, on the side to which what moves most grows."""
        point, d = at.point, at.moves
        scale = point.problem.length(d)
        sign = float(np.sign(d[int(np.argmax(np.abs(point.problem.measure * d)))]))
        d = sign * d / scale
        size = float(np.sqrt(self._weights(point.problem) @ d**2))
        start = Point(
            point.value, point.problem, point.state, Way(d / size, np.zeros(point.problem.system.n_x), 0.0), point.eigenvalues, 0, point.arc
        )
        length = BESIDE * size
        while length > SHORTEST:
            found, _ = self._next(start, length)
            if found is not None:
                return found
            length *= 0.5
        raise PathEnd("the curve that crosses there is not found")

    def _at_last(self, here: Point, there: Point) -> Point:
        """The point between two, at the last value."""
        length = there.arc - here.arc
        if there.value == self.last:
            return there
        found: dict[float, Point] = {}

        def apart(s: float) -> float:
            point = here if s == 0.0 else there if s == length else self._next(here, s)[0]
            if point is None:
                raise PathEnd("no equilibrium is found beyond")
            found[s] = point
            return (point.value - self.last) / self.span

        return found[float(brentq(apart, 0.0, length, xtol=1e-14, rtol=1e-13))]


def _scale(stiffness: Floats, M: Floats, w: Floats) -> Floats:
    """(n,) of scaled displacements the stiffness along each (n,), and not less than the mass times the lowest ratio of both."""
    inertia = np.abs(np.diagonal(M)) * w**2
    known = (stiffness > 0.0) & (inertia > 0.0)
    lowest = float((stiffness[known] / inertia[known]).min()) if known.any() else 1.0
    found = np.maximum(stiffness, lowest * inertia)
    return np.asarray(np.where(found > 0.0, found, float(found.max(initial=0.0)) or 1.0))


def _but_for_round_off(values: Floats, j: int) -> float:
    """A value (k,), 0 where it is round-off of the largest one: its sign tells nothing, and a search for it would not end."""
    return 0.0 if abs(values[j]) <= ROUND_OFF * np.abs(values).max() else float(values[j])


def _is_symmetric(K: Floats) -> bool:
    return bool(np.abs(K - K.T).max(initial=0.0) <= SYMMETRIC * np.abs(K).max(initial=0.0))


class PathEnd(RuntimeError):
    """A curve of equilibria that cannot be followed any further, and why."""
