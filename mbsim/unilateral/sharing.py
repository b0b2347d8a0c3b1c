"""Which of the rows of contacts at rest carry the load, where there are more rows than the load determines.

    0 = D p + b,   D singular

A table on four legs, a box whose two corners stick: many p keep it where it is, and each of them gives the same motion. If one of them
obeys the laws of contact, it may stay. `share` looks for one with as few unknowns as the load determines: of each contact the normal force
and the friction carry, or the normal force alone, or it with friction at its bound, or nothing. What carries is then unique, and tells by
itself when it no longer holds. Of several the one is taken that is farthest from its bounds.

This is a vertex of the set of p that obey the laws, as of linear programs; with few contacts all are tried. What is held is rows, and
friction at its bound is none: rows that carry may depend on each other although their forces with that friction do not, as the normals of
four corners in space. A run takes the shortest multipliers of such rows. Where no choice in space has independent rows, these are what
is tried. Where these are beyond their bounds, too, what is nearest to its bound is made to carry less, by smaller levers: two ends of a
capsule share what acts along it in any way, but one of them is pressed by less.
"""

from collections.abc import Sequence
from enum import IntEnum
from itertools import product
from typing import NamedTuple

import numpy as np

from mbsim.unilateral.cones import bound, bound_beside
from mbsim.unilateral.problem import Contacts, Load

MOST = 4096  # combinations that are tried
SINGULAR = 1e-9  # of the largest singular value: what is smaller is zero
CARRIED = 1e-8  # of the largest |b|: how exactly a load is carried
INSIDE = 1e-9  # of the largest force: how far from its bounds an answer must be
TIE = 1e-9  # of a margin: of answers that differ by less the first one is taken, whatever the round-off
PROGRAMMES = 40  # costs of linear programmes that are tried
AT_BOUND = 1e-9  # of the largest force, or of a bound: what is nearer is at it
STEPS = 50  # of bounds that depend on reactions
EASING = 80  # times that levers are made smaller
EASY = 0.9  # of a bound: what carries less than this needs no smaller lever
HARD = 10.0  # of a bound: what carries more counts as this
POWER = 0.75  # of how far beyond EASY it is, by which a lever becomes smaller: with more the search does not settle
LIGHTEST = 1e-5  # of a lever: the smallest one
YIELDS = 1e-4  # of a bound: what is nearer after all gives way


class Carries(IntEnum):
    """What of a contact at rest carries."""

    ALL = 0
    NORMAL = 1  # the normal row alone
    BOUND = 2  # the normal row, and friction at its bound against a slip that is given
    NOTHING = 3


class Shared(NamedTuple):
    """What carries a load."""

    carries: list[Carries]
    p: np.ndarray  # (N,)
    slip: np.ndarray  # (N,) unit vectors against which friction at its bound acts
    eased: list[float]  # what the levers of the friction of each are multiplied by

    def does(self, told: Sequence[tuple[Carries, float]]) -> bool:
        """Whether it is just that: what carries, and the ease of each."""
        return [*zip(self.carries, self.eased, strict=True)] == [*told]


def share(
    D: np.ndarray,
    b: np.ndarray,
    of: Contacts,
    direction: np.ndarray,
    loads: Sequence[Load] = (),
    size: float = 0.0,
    levers: np.ndarray | None = None,
) -> Shared | None:
    """What carries of contacts that stay as they are: at rest, or slipping along a `direction` (N,), unit vectors, zero of those at rest.

    `of.friction` are the coefficients that count for each; `size` is that of forces of the past, N or N m. All rows are lengths, or in
    units in which motions along lengths and along angles are of like size (`march.contact_problems.posed`). None where the rows are
    independent, where nothing that obeys the laws carries the load, or where there are too many combinations. `levers` (N,), ones where
    not given, are what efforts are divided by in the length of what a run takes (`System.levers`).
    """
    n = len(of.normal)
    tangents, moves, rows = _at_rest(of, direction)
    block = D[np.ix_(rows, rows)]
    rank = _rank(block)
    if rank == len(rows):
        return None
    least = np.zeros(len(b))
    levers = np.ones(len(b)) if levers is None else levers
    least[rows] = -shortest_inverse(block, levers[rows]) @ b[rows]
    ways = [_ways(of, i, moves[i], least[tangents[i]]) for i in range(n)]
    if np.prod([float(len(each)) for each in ways]) > MOST:
        if max(of.tangents) == 2:
            return _within(_eased(D, b, of, direction, loads, rows, least, rank, levers, size))
        return None if any(moves) else _by_programmes(D, b, of, direction, loads, rows, least, size, levers)
    choices = [(choice, sum(_unknowns(of, i, way, moves[i]) for i, (way, _) in enumerate(choice))) for choice in product(*ways)]
    for shortest in (False, True) if max(of.tangents) == 2 else (False,):
        best, most = None, INSIDE
        for choice, unknowns in choices:
            if unknowns != rank and not (shortest and unknowns > rank):
                continue
            found = _carried(D, b, of, direction, loads, rows, least, choice, rank if shortest else 0, levers)
            if found is not None and (margin := _margin(of, found, choice, moves, loads, size)) > (1.0 + TIE) * most:
                best, most = found, margin
        if best is not None:
            return best
    return _within(_eased(D, b, of, direction, loads, rows, least, rank, levers, size)) if max(of.tangents) == 2 else None


def nearest(
    D: np.ndarray, b: np.ndarray, of: Contacts, direction: np.ndarray, loads: Sequence[Load], size: float, levers: np.ndarray
) -> np.ndarray | None:
    """Where `share` finds nothing in space: efforts (N,) that leave all at rest and are the least beyond their bounds, or None.

    At the load at which contacts give way these are the efforts against which they begin to slip.
    """
    if max(of.tangents) < 2:
        return None
    _, _, rows = _at_rest(of, direction)
    rank = _rank(D[np.ix_(rows, rows)])
    found = _eased(D, b, of, direction, loads, rows, np.zeros(len(b)), rank, levers, size) if rank < len(rows) else None
    return None if found is None else found[0].p


def _at_rest(of: Contacts, direction: np.ndarray) -> tuple[list[slice], list[bool], np.ndarray]:
    """The tangents of each contact, whether it slips, and the rows that are at rest."""
    first, n = of.first, len(of.normal)
    tangents = [slice(first[i] + of.normal[i], first[i + 1]) for i in range(n)]
    moves = [bool(direction[mine].any()) for mine in tangents]
    each = [np.arange(first[i], tangents[i].start if moves[i] else first[i + 1]) for i in range(n)]
    return tangents, moves, np.concatenate(each).astype(np.int64)


def _within(found: tuple[Shared, bool] | None) -> Shared | None:
    return found[0] if found is not None and found[1] else None


def _eased(
    D: np.ndarray,
    b: np.ndarray,
    of: Contacts,
    direction: np.ndarray,
    loads: Sequence[Load],
    rows: np.ndarray,
    least: np.ndarray,
    rank: int,
    levers: np.ndarray,
    size: float,
) -> tuple[Shared, bool] | None:
    """All that is at rest carries, with levers that are made smaller where it would carry too much, and whether it can; None: not found."""
    n, choice = len(of.normal), [(Carries.ALL, 0.0)] * len(of.normal)
    tangents, moves, _ = _at_rest(of, direction)
    eased, found = np.ones(n), None
    for k in range(EASING):
        lighter = levers.copy()
        for i, mine in enumerate(tangents):
            lighter[mine] *= eased[i]
        found = _carried(D, b, of, direction, loads, rows, least, choice, rank, lighter)
        if found is None:
            return None
        parts = np.zeros(n)
        for i, mine in enumerate(tangents):
            if not moves[i] and of.tangents[i]:
                friction, most = float(np.linalg.norm(found.p[mine])), bound(of, i, loads, found.p)
                parts[i] = min(friction / most, HARD) if most > 0.0 else HARD * (friction > 0.0)
        worst = parts.max(initial=0.0)
        near = worst <= EASY or (k == EASING - 1 and worst < 1.0 - YIELDS)
        if near and _margin(of, found, choice, moves, loads, size) > INSIDE:
            return found._replace(eased=eased.tolist()), True
        heavy = parts > EASY
        eased[heavy] = np.maximum(eased[heavy] * (EASY / parts[heavy]) ** POWER, LIGHTEST)
    return None if found is None else (found, False)


def _by_programmes(
    D: np.ndarray,
    b: np.ndarray,
    of: Contacts,
    direction: np.ndarray,
    loads: Sequence[Load],
    rows: np.ndarray,
    least: np.ndarray,
    size: float,
    levers: np.ndarray,
) -> Shared | None:
    """What carries of planar contacts at rest that are too many for all combinations: a vertex that a linear programme finds.

    None where a bound is not linear in p, as of a friction that reactions load.
    """
    bounds = _linear_bounds(of, loads)
    if bounds is None:
        return None
    from scipy.optimize import linprog

    first, count, rng = of.first, len(b), np.random.default_rng(0)
    U, sigma, V = np.linalg.svd(D)
    rank = int((sigma > SINGULAR * sigma.max(initial=0.0)).sum())
    right = -(U[:, :rank].T @ b) / sigma[:rank]
    unit = float(np.abs(right).max(initial=0.0)) or 1.0
    normal = {int(first[i]) for i in np.flatnonzero(of.normal)}
    limits = [(0.0, None) if k in normal else (None, None) for k in range(count)]
    tangents = [int(first[i + 1]) - 1 for i in np.flatnonzero(of.tangents)]
    sides = np.concatenate([sign * np.eye(count)[tangents] - bounds[0] for sign in (1.0, -1.0)])
    best, most = None, INSIDE
    for _ in range(PROGRAMMES):
        cost = np.where([k in normal for k in range(count)], rng.uniform(0.5, 1.5, count), rng.uniform(-0.2, 0.2, count))
        made = linprog(cost, sides, np.tile(bounds[1], 2) / unit, V[:rank], right / unit, limits, method="highs")
        if made.status != 0:
            continue
        choice = _vertex(of, unit * made.x, bounds)
        found = _carried(D, b, of, direction, loads, rows, least, choice, 0, levers)
        if found is not None and (margin := _margin(of, found, choice, [False] * len(choice), loads, size)) > most:
            best, most = found, margin
    return best


def _linear_bounds(of: Contacts, loads: Sequence[Load]) -> tuple[np.ndarray, np.ndarray] | None:
    """A (k, N) and c (k,) of the bounds A p + c of the tangents, where they are that: of normal forces alone."""
    rough = np.flatnonzero(of.tangents)
    A, c = np.zeros((len(rough), int(of.first[-1]))), of.fixed[rough].astype(float)
    others = np.ones(A.shape[1], bool)
    others[of.first[:-1][of.normal == 1]] = False
    for row, i in enumerate(rough):
        if of.normal[i]:
            A[row, of.first[i]] = of.friction[i]
        for load in loads:
            if load.contact == i:
                if np.size(load.free) != 1 or load.free.any() or (load.response < 0.0).any() or load.response[:, others].any():
                    return None
                A[row] += load.factor * load.response[0]
    return A, c


def _vertex(of: Contacts, p: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> list[tuple[Carries, float]]:
    """What carries at a vertex: what is at no bound, and what is."""
    small, most, found = AT_BOUND * float(np.abs(p).max(initial=0.0)), iter(bounds[0] @ p + bounds[1]), []
    for i in range(len(of.normal)):
        pressed = not of.normal[i] or p[of.first[i]] > small
        if not of.tangents[i]:
            found.append((Carries.ALL if pressed else Carries.NOTHING, 0.0))
            continue
        limit, friction = next(most), p[of.first[i + 1] - 1]
        if not pressed or not limit > 0.0:
            found.append((Carries.NOTHING, 0.0))
        else:
            at_bound = abs(friction) >= limit - AT_BOUND * max(limit, abs(friction))
            found.append((Carries.BOUND, -float(np.sign(friction))) if at_bound else (Carries.ALL, 0.0))
    return found


def _ways(of: Contacts, i: int, moves: bool, least: np.ndarray) -> list[tuple[Carries, float]]:
    """What of contact i may carry, and with which sign of a planar slip."""
    if moves:
        return [(Carries.ALL, 0.0)] + [(Carries.NOTHING, 0.0)] * int(of.normal[i])
    rough = of.tangents[i] > 0
    found = [(Carries.ALL, 0.0), (Carries.NOTHING, 0.0)]
    if not rough:
        return found
    found += [(Carries.NORMAL, 0.0)] * int(of.normal[i])
    if of.tangents[i] == 1:
        return [*found, (Carries.BOUND, 1.0), (Carries.BOUND, -1.0)]
    return [*found, (Carries.BOUND, 1.0)] if least.any() else found


def _unknowns(of: Contacts, i: int, way: Carries, moves: bool) -> int:
    if way == Carries.NOTHING:
        return 0
    return int(of.normal[i] + (of.tangents[i] if way == Carries.ALL and not moves else 0))


def _carried(
    D: np.ndarray,
    b: np.ndarray,
    of: Contacts,
    direction: np.ndarray,
    loads: Sequence[Load],
    rows: np.ndarray,
    least: np.ndarray,
    choice: Sequence[tuple[Carries, float]],
    shortest: int,
    levers: np.ndarray,
) -> Shared | None:
    """The forces of a choice; None where it does not carry the load, or not uniquely.

    With `shortest`, the rank of all rows, the shortest multipliers are what counts. What carries must still hold in each direction in which
    all rows do: two legs of a table carry a load that is just above them, and let it tip in the next moment.
    """
    first, columns, held = of.first, list[np.ndarray](), list[int]()  # held: the row whose multiplier is the size of each column
    slip = np.zeros(len(b))
    bound = np.zeros(len(b))  # friction at a bound that does not depend on the contact's own normal force acts along this
    for i, (way, sign) in enumerate(choice):
        at, tangent = first[i], slice(first[i] + of.normal[i], first[i + 1])
        against = direction[tangent]
        if way == Carries.BOUND:
            against = np.array([sign]) if of.tangents[i] == 1 else -least[tangent] / np.linalg.norm(least[tangent])
            slip[tangent] = against
        if way == Carries.NOTHING:
            continue
        bound[tangent] = -against
        if of.normal[i]:
            column = np.zeros(len(b))
            column[at], column[tangent] = 1.0, -of.friction[i] * against
            columns.append(column)
            held.append(int(at))
            if way == Carries.BOUND and not D[at] @ column > SINGULAR * D[at, at]:  # it would jam: friction, not the load, presses it
                return None
        if way == Carries.ALL and not against.any():
            columns += list(np.eye(len(b))[tangent])
            held += range(tangent.start, tangent.stop)
    P = np.array(columns).reshape(len(columns), len(b)).T
    A, H = (D @ P)[rows], D[np.ix_(held, held)]
    inverse = shortest_inverse(H, levers[held])
    if not shortest and (len(columns) > len(rows) or _is_singular(A) or _is_singular(H)):
        return None
    if _rank(A) < shortest:
        return None
    # of the multipliers x that a run finds: those of the held rows by what pushes along these, friction at its bound among it
    closed = np.eye(len(held)) + inverse @ (D[held] @ P - H)
    if _is_singular(closed) or np.linalg.det(closed) < 0.0:  # below zero friction presses more than it is pressed by
        return None
    p = np.zeros(len(b))
    for _ in range(STEPS):
        given = bound * np.repeat([bound_beside(of, i, loads, p) for i in range(len(of.normal))], of.normal + of.tangents)
        right = -(b + D @ given)[rows]
        x = np.linalg.solve(closed, -inverse @ (b + D @ given)[held])
        if np.abs(A @ x - right).max(initial=0.0) > CARRIED * float(np.abs(b).max(initial=0.0)):
            return None
        before, p = p, given + P @ x
        if np.abs(p - before).max(initial=0.0) <= 1e-13 * np.abs(p).max(initial=0.0):
            return Shared([way for way, _ in choice], p, slip, [1.0] * len(choice))
    return None


def shortest_inverse(H: np.ndarray, levers: np.ndarray, singular: float = SINGULAR) -> np.ndarray:
    """B (n, n) so that x = B y has H x = y, H symmetric and at least zero, and x over its levers (n,) is the shortest; n may be 0."""
    sizes, along = np.linalg.eigh(0.5 * (H + H.T))
    kept = sizes > singular * sizes.max(initial=0.0)
    root = levers[:, None] * along[:, kept] * np.sqrt(sizes[kept])  # of H between levers
    left = root @ np.linalg.inv(root.T @ root)
    found: np.ndarray = levers[:, None] * (left @ left.T) * levers
    return found


def _rank(A: np.ndarray) -> int:
    sizes = _singular_values(A)
    return int((sizes > SINGULAR * sizes.max(initial=0.0)).sum())


def _is_singular(A: np.ndarray) -> bool:
    sizes = _singular_values(A)
    return bool(sizes.min(initial=np.inf) <= SINGULAR * sizes.max(initial=0.0))


def _singular_values(A: np.ndarray) -> np.ndarray:
    """Of A with its rows and columns divided by their largest entries: some belong to forces, some to torques, in any unit of length."""
    for axis in (1, 0):
        sizes = np.abs(A).max(axis=axis, keepdims=True, initial=0.0)
        A = A / np.where(sizes > 0.0, sizes, 1.0)
    return np.linalg.svd(A, compute_uv=False)


def _margin(
    of: Contacts, found: Shared, choice: Sequence[tuple[Carries, float]], moves: Sequence[bool], loads: Sequence[Load], size: float
) -> float:
    """How far from its bounds it is, of the largest force."""
    first, p = of.first, found.p
    least = np.inf
    for i, (way, _) in enumerate(choice):
        if of.normal[i] and way != Carries.NOTHING:
            least = min(least, float(p[first[i]]))
        if way == Carries.ALL and of.tangents[i] and not moves[i]:
            least = min(least, bound(of, i, loads, p) - float(np.linalg.norm(p[first[i] + of.normal[i] : first[i + 1]])))
    return 1.0 if np.isinf(least) else least / max(float(np.abs(p).max(initial=0.0)), size, 1e-300)
