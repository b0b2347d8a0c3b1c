"""Whether contacts and dry friction can hold a mechanism that rests: forces on their cones that balance it.

    M a = h + C' lam + W' p,   C a = 0:   a = a_0 + A p,   and it rests where p makes a zero

Where all tangents are single and reactions load friction by single components, the conditions are linear once the signs of these components
are chosen, and a linear programme for each choice decides it: also where the mechanism could move as well, as a slide that jams. Else the
problem on accelerations (`mbsim.unilateral.accelerations`) says what happens from rest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from mbsim.diagnosis.linearised import Solution
from mbsim.system.system import Floats
from mbsim.unilateral.accelerations import accelerations
from mbsim.unilateral.cones import bound, on_cones
from mbsim.unilateral.problem import OPEN, SLIP, Contacts, Load, contacts

RESTS = 1e-9  # of the largest force, scaled by the masses: a smaller one is balance
EXACT = 1e-12  # of the largest force of a contact: how far it may be off its cone
RANK = 1e-11  # of the largest singular value of A
GROUPS = 8  # of reactions whose signs are tried
FEASIBLE = 1e-10  # of a linear programme, whose numbers are about 1

Groups = Sequence[tuple[float, Sequence[Mapping[int, float]]]]  # factor, and components: row of C -> weight


@dataclass(frozen=True)
class Contact:
    """What touches, by rows of C."""

    number: int  # that the caller has for it
    normal: int | None
    sign: float  # the gap grows with the normal row, or -1 against it
    tangents: Sequence[int]  # of what sticks
    friction: float  # coefficient of its own normal force
    fixed: float  # bound that depends on nothing, N or N m
    groups: Groups = ()  # reactions that load it


class Held(NamedTuple):
    """The forces of contacts, by their numbers."""

    rests: bool
    p: dict[int, Floats]  # N, N m: the normal one first
    bounds: dict[int, float]  # of friction
    lam: Floats  # (m,) of all rows
    closed: frozenset[int]  # what presses
    pulls: dict[int, float]  # of those that do not: their forces if all held, the shortest; below zero they pull
    sticking: frozenset[int]  # what does not slip
    residual: float  # the largest force that is left, of the largest one
    unique: bool


def hold(
    M: Floats,
    h: Floats,
    C: Floats,
    kept: np.ndarray,
    touching: Sequence[Contact],
    rests: float = RESTS,
    floor: float = 0.0,
    round_off: Floats | float = 0.0,
) -> Held:
    """Forces of `touching` that hold a mechanism at rest, or what moves. M (n, n), h (n,), C (m, n), `kept` (m,) bool the other rows.

    `rests`: the largest force that may be left, of the largest one; `floor`: what the largest one counts as at least, over a root of M;
    `round_off` (n,): forces over a root of M that may be left besides, as round-off of stiff parts leaves them.
    """
    signs = [[one.sign] * (one.normal is not None) + [1.0] * len(one.tangents) for one in touching]
    rows = [[one.normal] * (one.normal is not None) + [*one.tangents] for one in touching]
    flat = [k for each in rows for k in each if k is not None]
    W = np.array([s for each in signs for s in each])[:, None] * C[flat] if flat else np.zeros((0, len(h)))
    solve = Solution(M, C[kept])
    a_0, lam_0 = solve(h, np.zeros(int(kept.sum())))
    A, L = solve(W.T, np.zeros((int(kept.sum()), len(flat)))) if flat else (np.zeros((len(h), 0)), np.zeros((int(kept.sum()), 0)))
    first = np.concatenate([[0], np.cumsum([len(each) for each in rows])]).astype(int)
    places = {int(row): k for k, row in enumerate(np.flatnonzero(kept))}
    presses = {one.normal: int(first[k]) for k, one in enumerate(touching) if one.normal is not None}
    loads = [_load(k, factor, parts, places, presses, lam_0, L) for k, one in enumerate(touching) for factor, parts in one.groups]
    root = np.sqrt(np.maximum(np.diag(M), 1e-300))
    size = max(float(np.abs(h / root).max(initial=0.0)), float(np.abs(root * a_0).max(initial=0.0)), floor, 1e-300)
    scaled, nothing = (root[:, None] * A / size, root * a_0 / size), rests + round_off / size
    p, of = None, _contacts(touching)
    if (balancing := _balancing(*scaled, nothing)) is not None:
        shortest = balancing[0].T @ balancing[1]  # shared by the least sum of squares
        p = shortest if on_cones(of, loads, shortest, EXACT) else _programme(of, balancing, loads)
    opened: set[int] = set()
    slipping: set[int] = set()
    if p is None:
        found = accelerations(W @ A, W @ a_0, of, None, loads).answer if flat else None
        p = np.zeros(0) if found is None else found.p
        if found is not None:
            opened = {one.number for k, one in enumerate(touching) if one.normal is not None and found.modes[k] == OPEN}
            slipping = {one.number for k, one in enumerate(touching) if found.modes[k] in (OPEN, SLIP) and one.tangents}
    left = np.abs(root * (a_0 + A @ p)) / size
    pulling = np.linalg.lstsq(root[:, None] * A, -root * a_0, rcond=RANK)[0] if opened else np.zeros(len(flat))
    lam = np.zeros(len(C))
    lam[kept] = lam_0 + L @ p
    forces, bounds = {}, {}
    for k, one in enumerate(touching):
        forces[one.number] = p[first[k] : first[k + 1]]
        bounds[one.number] = bound(of, k, loads, p)
        lam[flat[first[k] : first[k + 1]]] = signs[k] * forces[one.number]
    numbers = frozenset(one.number for one in touching)
    return Held(
        bool((left <= nothing).all()),
        forces,
        bounds,
        lam,
        frozenset(one.number for one in touching if one.normal is not None) - opened,
        {one.number: float(pulling[first[k]]) for k, one in enumerate(touching) if one.number in opened},
        frozenset(one.number for one in touching if one.tangents) & numbers - slipping,
        float(left.max(initial=0.0)),
        _rank(root[:, None] * A) == len(flat),
    )


def _load(
    contact: int,
    factor: float,
    parts: Sequence[Mapping[int, float]],
    places: Mapping[int, int],
    presses: Mapping[int, int],
    lam: Floats,
    L: Floats,
) -> Load:
    """What loads a friction: multipliers of other rows, by their `places`, and normal forces of what touches, by theirs in p."""
    weights, own = np.zeros((len(parts), len(lam))), np.zeros((len(parts), L.shape[1]))
    for c, part in enumerate(parts):
        for row, weight in part.items():
            if row in places:
                weights[c, places[row]] = weight
            else:
                own[c, presses[row]] = weight
    return Load(contact, factor, weights @ lam, weights @ L + own)


def _sides(of: Contacts, load: Load) -> tuple[float, ...]:
    """The signs that what loads a friction may have: of a normal force that is one."""
    others = np.ones(int(of.first[-1]), bool)
    others[of.first[:-1][of.normal == 1]] = False
    presses = not load.free.any() and (load.response >= 0.0).all() and not load.response[:, others].any()
    return (1.0,) if presses else (1.0, -1.0)


def _contacts(touching: Sequence[Contact]) -> Contacts:
    return contacts(
        [int(one.normal is not None) for one in touching],
        [len(one.tangents) for one in touching],
        [one.friction if one.tangents else 0.0 for one in touching],
        None,
        [one.fixed for one in touching],
    )


def _rank(A: Floats) -> int:
    if not A.size:
        return 0
    sigma = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(sigma > RANK * sigma[0]))


def _balancing(A: Floats, a: Floats, nothing: Floats | float) -> tuple[Floats, Floats] | None:
    """V (r, N) and right (r,) of all p that balance it, V p = right; None where none does."""
    U, sigma, V = np.linalg.svd(A, full_matrices=False)
    rank = int(np.sum(sigma > RANK * sigma.max(initial=0.0)))
    along = U[:, :rank].T @ a
    return (V[:rank], -along / sigma[:rank]) if bool((np.abs(a - U[:, :rank] @ along) <= nothing).all()) else None


def _programme(of: Contacts, balancing: tuple[Floats, Floats], loads: Sequence[Load]) -> Floats | None:
    """p that holds it, with the least sum of normal forces; None where there is none, or where the conditions are not linear."""
    count = int(of.first[-1])
    sides = [_sides(of, load) for load in loads]
    linear = (
        bool((of.tangents <= 1).all()) and all(np.size(load.free) == 1 for load in loads) and sum(map(len, sides)) - len(sides) <= GROUPS
    )
    if not count or not linear:
        return None
    V, right = balancing
    unit = float(np.linalg.norm(right)) or 1.0  # the forces are about this large
    normal = [int(of.first[k]) for k in np.flatnonzero(of.normal)]
    cost = np.zeros(count)
    cost[normal] = 1.0
    limits = [(0.0, None) if k in normal else (None, None) for k in range(count)]
    for choice in product(*sides):
        left, limit = _cones(of, loads, choice, unit)
        found = linprog(
            cost, left or None, limit or None, V, right / unit, limits, method="highs",
            options={"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE},
        )  # fmt: skip
        if found.status == 0:
            p = unit * np.asarray(found.x)
            p = p - V.T @ (V @ p - right)  # to round-off
            if on_cones(of, loads, p, EXACT):
                return np.asarray(p)
    return None


def _cones(of: Contacts, loads: Sequence[Load], choice: Collection[float], unit: float) -> tuple[list[Floats], list[float]]:
    """Rows and right sides of +-p_T - mu p_N - sum f sigma (free + response p) <= fixed, and of sigma (free + response p) >= 0."""
    first, left, right = of.first, [], []
    for k in np.flatnonzero(of.tangents):
        for sign in (1.0, -1.0):
            row, limit = np.zeros(first[-1]), float(of.fixed[k])
            row[first[k + 1] - 1] = sign
            if of.normal[k]:
                row[first[k]] -= of.friction[k]
            for load, sigma in zip(loads, choice, strict=True):
                if load.contact == k:
                    row -= load.factor * sigma * load.response[0]
                    limit += load.factor * sigma * float(load.free[0])
            left.append(row)
            right.append(limit / unit)
    for load, sigma in zip(loads, choice, strict=True):
        left.append(-sigma * load.response[0])
        right.append(sigma * float(load.free[0]) / unit)
    return left, right
