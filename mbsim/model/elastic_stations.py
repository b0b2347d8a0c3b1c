"""Stations of a slender elastic part: sections along a line that carry its mass, and what the line shortens by as it bends.

A part in one piece knows no centrifugal force on what is between its interfaces. With stations its mass matrix M is cut into bodies: those
of the interfaces and stations, whose inertia forces are exact, and a rest. The masses are the solution of a linear program: as much as can
be of the rigid motions and the low modes, and M less all bodies stays positive definite. On places of Lobatto's quadrature smooth shapes
leave next to nothing (R. D. Cook and others, Concepts and Applications of Finite Element Analysis, 4th ed. (2002), ch. 11).

A line that bends and keeps its length draws its points together by half the square of its slope w'. With this displacement of second order
in the rows of the bodies, their forces stiffen the part, and soften it where they push: the geometric stiffness of beams, int N w'^2 (M.
Geradin, A. Cardona, Flexible Multibody Dynamics (2001); J. C. Simo, L. Vu-Quoc, J. Sound Vib. 119 (1987) 487-508).
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import Legendre
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LEFT = 1e-3  # of any motion's inertia, which stays in the rest at least, so that the rest is a body
FLOOR = 1e-3  # of what could be taken if all took alike: each body has as much
ENOUGH = 1e-5  # of a motion's inertia
GAIN = 3e-3  # of what stations take: a place is another one for more than that
ROUNDS, FEW = 40, 20  # of cuts; while places are compared
DIGITS = 6  # digits of a part of the line: nodes in one layer
MOST_LAYERS = 400  # so few that the places of quadrature may miss them by much
FEW_LAYERS = 80  # so few that it is soon known what all of them together would take
WIDTHS = (0.05, 0.15, 0.45)  # of the distance of stations: half of a layer of nodes
BENT = 0.1  # of the length: a part whose stations are farther beside the line is not straight
# 30 times the integral of the squared slope of a cubic over a length of 1, of its values and slopes at both ends
HERMITE = np.array([[36.0, 3.0, -36.0, 3.0], [3.0, 4.0, -3.0, -1.0], [-36.0, -3.0, 36.0, -3.0], [3.0, -1.0, -3.0, 4.0]])


class Line(NamedTuple):
    """A straight line through the part."""

    start: Floats  # (3,) m
    along: Floats  # (3,) unit vector
    length: float  # m


class StationError(ValueError):
    """Why there can be no such stations."""


def line_of(nodes: Floats, places: Floats) -> tuple[Line, bool]:
    """From the first of the interfaces at `places` (k, 3) to the farthest one, or the farthest node; whether to an interface."""
    both = len(places) > 1
    ends = places if both else nodes
    away = ends - places[0]
    far = away[np.linalg.norm(away, axis=1).argmax()]
    length = float(np.linalg.norm(far))
    if length == 0.0:
        raise StationError("stations need interfaces at different places")
    behind = -float(((nodes - places[0]) @ far).min()) / length
    if behind > BENT * length:
        raise StationError(f"stations need the first interface at an end of the part, and nodes reach {behind:.3g} m behind it")
    return Line(places[0], far / length, length), both


def layers(nodes: Floats, free: NDArray[np.bool_], line: Line) -> Floats:
    """(l,) ascending parts of the line at which there are nodes that are `free`."""
    s = (nodes[free] - line.start) @ line.along / line.length
    return np.unique(np.round(s, DIGITS))


def layer(nodes: Floats, free: NDArray[np.bool_], line: Line, middle: float, apart: float, turns: Callable[[Integers], bool]) -> Integers:
    """The nodes of a station: those at a part of the line, as thin a layer as determines how they turn; `apart` as `lobatto`'s."""
    at = np.flatnonzero(free)
    off = np.abs((nodes[at] - line.start) @ line.along / line.length - middle)
    found = at
    for width in (10.0 ** (1 - DIGITS), *(share * apart for share in WIDTHS)):
        found = at[off <= width]
        if turns(found):
            break
    return found


def arranged(found: Floats, count: int, both: bool, weights: Floats, moved: Callable[[int], Floats], ends: Floats) -> list[int]:
    """Which of the layers `found` (l,) are stations: near the places of Lobatto, and such that masses there take most of the inertia.

    `weights` and `moved(k)`, of a mass at layer k, as those of `most`; `ends` (i, n, n) of masses at interfaces. Raises StationError.
    """
    wanted = lobatto(count, both)
    at = [int(np.abs(found - place).argmin()) if len(found) else 0 for place in wanted]
    apart = float(np.diff(np.concatenate([[0.0], wanted, [1.0] * both])).min())
    for k, (now, place) in enumerate(zip(at, wanted, strict=True)):
        if not len(found) or now in at[:k] or abs(found[now] - place) > apart:
            raise StationError(f"there are no nodes for the station {k + 1} of {count}, at {place:.3g} of the way along the part")

    def taken(these: Iterable[int]) -> float:
        bodies = np.array([*ends, *map(moved, these)])
        return most(weights, bodies, np.zeros(len(bodies)), FEW)[1]

    largest = taken(at)
    if len(found) > MOST_LAYERS or (len(found) <= FEW_LAYERS and largest > (1.0 - GAIN) * taken(range(len(found)))):
        return at
    moves = [(k, step) for k in range(count) for step in (-1, 1)]
    tried, since = 0, 0  # moves in turn, and how many of them have brought nothing
    while since < len(moves):
        k, step = moves[tried % len(moves)]
        tried, since = tried + 1, since + 1
        other = [*at[:k], at[k] + step, *at[k + 1 :]]
        if 0 <= other[k] < len(found) and len(set(other)) == count and (value := taken(other)) > largest * (1.0 + GAIN):
            at, largest, since = other, value, 0
    return at


def check_straight(line: Line, places: Floats) -> None:
    """Raise StationError where stations at `places` (k, 3) do not follow each other along a straight line."""
    away = places - line.start
    s = away @ line.along
    off = np.linalg.norm(away - s[:, None] * line.along, axis=1)
    worst = int(off.argmax())
    if off[worst] > BENT * line.length:
        beside = f"the station {worst + 1} is {off[worst]:.3g} m beside the line of {line.length:.3g} m"
        raise StationError(f"stations need a straight part: {beside}")
    if (np.diff(s) <= 0.0).any() or s[0] <= 0.0 or s[-1] > line.length * (1.0 + 1e-9):
        raise StationError("stations are listed from the first interface on, one after the other along the part, and not beyond its end")


def lobatto(count: int, both: bool) -> Floats:
    """(count,) places on (0, 1], or between the ends where both are taken, of a quadrature that has the ends."""
    n = count + (2 if both else 1)
    inner = np.sort(Legendre.basis(n - 1).deriv().roots().real)
    return np.asarray(0.5 + 0.5 * np.concatenate([inner, [] if both else [1.0]]))


def shares(M: Floats, K: Floats, blocks: Floats) -> tuple[Floats, Floats]:
    """Masses (b,) kg and inertias (b,) kg m^2 of bodies that move by blocks (b, 6, n) of the shapes with the matrices M, K (n, n).

    Inertias are next to nothing: sections turn little, and the inertia about the line of a slender part stays in the rest.
    """
    motions = Motions(M, K)
    moved, turned = (np.array([motions.inertia(block[own]) for block in blocks]) for own in (slice(0, 3), slice(3, 6)))
    least = np.array([FLOOR / np.linalg.eigvalsh(one)[-1] for one in (*moved, *turned)]) / len(blocks)
    masses, _ = most(motions.weights, moved, least[: len(blocks)])
    inertias = least[len(blocks) :]
    largest = np.linalg.eigvalsh(np.einsum("b,bij->ij", masses, moved) + np.einsum("b,bij->ij", inertias, turned))[-1]
    fit = min((1.0 - LEFT) / largest, 1.0)
    return fit * masses, fit * inertias


class Motions:
    """The shapes with the matrices M, K (n, n) by their motions: rigid and free ones, of inertia 1. `weights` (n,): what each counts."""

    def __init__(self, M: Floats, K: Floats) -> None:
        values, self._V = eigh(K, M)
        self.weights: Floats = 1.0 / (1.0 + np.maximum(values, 0.0) / values[6])

    def inertia(self, block: Floats) -> Floats:
        """(n, n) of a unit mass that moves by a block (3, n) of the shapes."""
        moved = block @ self._V
        return np.asarray(moved.T @ moved)


def most(weights: Floats, moved: Floats, least: Floats, rounds: int = ROUNDS) -> tuple[Floats, float]:
    """Masses (b,), each at least as given, that take as much as they can of a unit matrix and leave it positive; and what they take.

    A unit mass b takes moved[b] (n, n); motion k counts weights[k]. The condition is a linear one for each direction: a direction that a
    solution violates is added to them (J. E. Kelley, The cutting-plane method, J. SIAM 8 (1960) 703-712).
    """
    from scipy.optimize import linprog

    worth = np.einsum("q,bqq->b", weights, moved)
    found, cut, rows, limit = least, np.eye(moved.shape[1]), np.zeros((0, len(least))), 1.0 - LEFT
    for _ in range(rounds):
        rows = np.concatenate([rows, np.einsum("iq,bij,jq->qb", cut, moved, cut)])
        solved = linprog(-np.ones(len(worth)), rows / worth, np.full(len(rows), limit), bounds=[(x, None) for x in worth * least])
        if solved.status != 0:
            break
        found = solved.x / worth
        values, vectors = np.linalg.eigh(np.einsum("b,bij->ij", found, moved))
        cut = vectors[:, values > limit * (1.0 + ENOUGH)]
        if not cut.shape[1]:
            break
    found = found * min(limit / np.linalg.eigvalsh(np.einsum("b,bij->ij", found, moved))[-1], 1.0)
    return found, float(found @ worth)


def shortening(line: Line, places: Floats, shapes: Floats, masses: Floats) -> Floats:
    """(b, n, n) Q of the displacement eta' Q eta along the line, of second order, of bodies at `places` (b, 3) with `shapes` (b, 6, n).

    Of cubic curves between bodies that follow each other. It leaves their common centre of mass where it is.
    """
    s = (places - line.start) @ line.along
    order = np.argsort(s)
    across = np.linalg.svd(line.along[None])[2][1:]  # (2, 3) orthonormal to the line
    n = shapes.shape[2]
    found = np.zeros((len(places), n, n))
    for a, b in pairwise(order):
        l = s[b] - s[a]
        H = HERMITE * np.outer([1.0, l, 1.0, l], [1.0, l, 1.0, l])
        found[b] = found[a]
        for direction in across:
            turn = np.cross(line.along, direction)  # (psi x e) . d = psi . (e x d)
            N = np.array([row for p in (a, b) for row in (direction @ shapes[p, :3], turn @ shapes[p, 3:])])
            found[b] -= N.T @ (H / (60.0 * l)) @ N
    return np.asarray(found - np.einsum("b,bij->ij", masses, found) / masses.sum())
