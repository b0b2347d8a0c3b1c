"""Rank of the constraints: degrees of freedom, which rows depend on which, and which multipliers are unique.

Slides are measured in arms of the mechanism (`column_scales`) and rows are made unit (`unit_rows`), so that
metres and radians compare whatever the size of the mechanism. A row of which only round-off is left is not: the systems in joint
coordinates, whose rows are projections, give it as zeros, because they know what has cancelled
(`mbsim.kernels.tree_rows.row_to_coordinates`); one that fades out counts for less. A row's multiplier is unique when the row is in no
dependency, i.e. its unit vector is orthogonal to the left null space of C (Wojtyra 2005; docs/methods/).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.diagnosis.blocks import Blocks, is_large
from mbsim.kernels.linalg import ORDINARY
from mbsim.kernels.ranks import RANK_TOLERANCE, TOUCHING
from mbsim.model.represent import some
from mbsim.system.remembered import remembered
from mbsim.system.system import Floats, System, require_system

SHORTEST_ARM = 1e-10  # m: where all arms are shorter they are round-off of places far from the origin
DEPENDS = 1e-6  # of unit rows: smaller parts of a dependency are round-off
NAMED = 6  # joints, in a sentence
SURELY = TOUCHING**2  # square of a singular value of unit rows: so far from dependent their products tell it in spite of round-off


@dataclass(frozen=True)
class Redundancy:
    """What the rank of C at one configuration says."""

    rank: int
    degrees_of_freedom: int
    singular_values: Floats  # (min(m, n),) of C with unit rows; none of a large system, whose rank is found by blocks
    unique: np.ndarray  # (m,) bool: the row's multiplier is unique
    groups: list[list[str]]  # rows that depend on each other, by name; one dependency more than the group needs in each


def column_scales(system: System, C: Floats, exact: bool = False) -> Floats:
    """What the columns (n_v,) of C are multiplied by: 1 for turns and l for slides, which then are turns on the usual arm.

    l is this arm, in m: how much larger the part of a row that turns is than the part that slides; unless `exact`, the nearest power of
    ten, so that singular values that are shown do not hang on the place.
    """
    turns, slides = _turns_and_slides(system)
    turning, sliding = np.linalg.norm(C[:, turns], axis=1), np.linalg.norm(C[:, slides], axis=1)
    both = (sliding > RANK_TOLERANCE * turning) & (turning > 0.0)
    longest = float((turning[both] / sliding[both]).max(initial=0.0))
    if not longest > SHORTEST_ARM:
        return np.ones(system.n_v)
    both &= turning > RANK_TOLERANCE * min(1.0, longest) * sliding
    ratios = np.sort(turning[both] / sliding[both])
    arm = float(0.5 * (ratios[(len(ratios) - 1) // 2] + ratios[len(ratios) // 2]))  # the median; NumPy's imports `numpy.ma`
    if not np.isfinite(arm):
        return np.ones(system.n_v)
    return np.where(slides, arm if exact else 10.0 ** round(np.log10(arm)), 1.0)


@remembered
def _turns_and_slides(system: System) -> tuple[np.ndarray, np.ndarray]:
    """Which speeds (n_v,) are turns, and which are slides."""
    units = system.speed_units
    return np.array([unit.startswith("rad") for unit in units], bool), np.array([unit.startswith("m") for unit in units], bool)


def unit_rows(C: Floats, shares: Floats | None = None) -> tuple[Floats, Floats]:
    """C (m, n) with unit rows, and by what the rows were divided (m,); rows of zeros stay and are divided by 1.

    With `shares` (m,), those of the last evaluation (Arrays.row_shares), rows that fade out are shorter, as in
    `mbsim.kernels.linalg.divisor`.
    """
    norms = np.linalg.norm(C, axis=1)
    if shares is not None:
        norms = norms * np.maximum(1.0, ORDINARY / np.maximum(shares, RANK_TOLERANCE))
    norms[norms == 0.0] = 1.0
    return C / norms[:, None], norms


class Decomposition(NamedTuple):
    """C (m, n) with unit rows is U sigma V; `rank` of the singular values count."""

    U: Floats  # (m, m); its columns from `rank` on are combinations of rows that are zero
    sigma: Floats  # (min(m, n),) in descending order
    V: Floats  # (n, n); its rows from `rank` on are displacements that the constraints let pass
    norms: Floats  # (m,) lengths of the rows, 1 for rows of zeros
    rank: int


def decompose(C: Floats, shares: Floats | None = None) -> Decomposition:
    """The singular values of C with unit rows, and their vectors; `shares` as in `unit_rows`."""
    unit, norms = unit_rows(C, shares)
    U, sigma, V = np.linalg.svd(unit)
    return Decomposition(U, sigma, V, norms, count_rank(sigma))


def singular_values(C: Floats, shares: Floats | None = None) -> Floats:
    """Of C with unit rows, in descending order; `shares` as in `unit_rows`."""
    return np.asarray(np.linalg.svd(unit_rows(C, shares)[0], compute_uv=False))


def count_rank(values: np.ndarray) -> int:
    """How many singular values (k,) of unit rows, in descending order, count."""
    return int(np.count_nonzero(values > RANK_TOLERANCE * max(float(values[0]), 1e-300))) if len(values) else 0


def redundancy(system: System, t: float, q: Floats, shown: bool = True) -> Redundancy:
    """Analyse C at (t, q). Raises TypeError for what is no System.

    Unless they are to be `shown`, there are no singular values of rows of which none depends on others: the rest is told sooner.
    """
    require_system(system, "redundancy")
    if system.n_rows == 0:
        return Redundancy(0, system.n_v, np.zeros(0), np.ones(0, bool), [])
    blocks = _blocks(system) if is_large(system) else None
    if blocks is not None:
        circuits = blocks.dependencies(t, q)
        dependent = np.abs(np.array(circuits).reshape(-1, system.n_rows)) > DEPENDS
        rank = system.n_rows - len(circuits)
        return Redundancy(
            rank, system.n_v - rank, np.zeros(0), np.logical_not(dependent.any(axis=0)), _merge_connected(dependent, system.rows)
        )
    unit = _unit(system, t, q)
    if not shown and _surely_independent(unit):
        return Redundancy(system.n_rows, system.n_v - system.n_rows, np.zeros(0), np.ones(system.n_rows, bool), [])
    U, sigma, _ = np.linalg.svd(unit, full_matrices=False)
    rank = count_rank(sigma)
    unique, groups = _dependencies(U[:, :rank])
    return Redundancy(rank, system.n_v - rank, sigma, unique, [[system.rows[i] for i in group] for group in groups])


def _unit(system: System, t: float, q: Floats) -> Floats:
    """C (m, n) at (t, q) with unit rows, slides in arms."""
    C = system.C(t, q)
    return unit_rows(C * column_scales(system, C), system.arrays.row_shares)[0]


def _surely_independent(unit: Floats) -> bool:
    """Whether no unit row (m, n) depends on others, in a fraction of the time of singular values; False where these have to tell.

    The trace of the inverse of their products is the sum of 1/sigma^2 over the singular values, so none of these is more.
    """
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(unit @ unit.T))
    except np.linalg.LinAlgError:
        return False
    return bool(np.vdot(inverse, inverse) * SURELY < 1.0)


def _blocks(system: System) -> Blocks | None:
    """A large system by blocks; None where so many rows meet in one body, as all contacts of a heap, that they are no smaller than C."""
    try:
        return Blocks(system)
    except ValueError:
        return None


def find_rank(system: System, t: float, q: Floats) -> int:
    """The rank of C at (t, q), that of `redundancy`."""
    if system.n_rows == 0 or is_large(system):
        return redundancy(system, t, q).rank
    unit = _unit(system, t, q)
    return len(unit) if _surely_independent(unit) else count_rank(np.linalg.svd(unit, compute_uv=False))


def independent_rows(system: System, t: float, q: Floats) -> np.ndarray:
    """The places (rank,) of rows of C at (t, q) from which the others follow, in ascending order: by pivots of unit rows."""
    from scipy.linalg import qr

    if not system.n_rows:
        return np.zeros(0, int)
    C = system.C(t, q)
    unit, _ = unit_rows(C * column_scales(system, C), system.arrays.row_shares)
    rank, order = count_rank(np.linalg.svd(unit, compute_uv=False)), qr(unit.T, mode="economic", pivoting=True)[2]
    return np.sort(order[:rank])


def idle_multipliers(system: System, t: float, q: Floats) -> Floats:
    """The multipliers (m, k) that no motion shows, C' x = 0, one column for each dependency."""
    C = system.C(t, q)
    found = decompose(C * column_scales(system, C), system.arrays.row_shares)
    return found.U[:, found.rank :] / found.norms[:, None]


def contradictions(system: System, t: float, q: Floats, v: Floats, groups: list[list[str]]) -> list[dict[str, float]]:
    """For each group of rows that depend on each other, by how much velocities and accelerations contradict each other in them.

    x' C = 0 asks for x' xi = 0 and x' eta = 0, x of unit length over rows made unit; what is left of these, the largest of each.
    """
    C, xi, eta = system.C(t, q), system.xi(t, q), system.eta(t, q, v)
    shares = system.arrays.row_shares
    index = {name: k for k, name in enumerate(system.rows)}
    found = []
    for group in groups:
        rows = [index[name] for name in group]
        U, _, _, norms, rank = decompose(C[rows], shares[rows])
        null = U[:, rank:].T
        found.append({
            "velocity": float(np.abs(null @ (xi[rows] / norms)).max(initial=0.0)),
            "acceleration": float(np.abs(null @ (eta[rows] / norms)).max(initial=0.0)),
        })  # fmt: skip
    return found


def said(system: System, found: Redundancy) -> tuple[str, ...]:
    """A sentence for the user on the rows that are redundant, and on the joints whose reactions they leave open; nothing without any."""
    count = system.n_rows - found.rank
    if not count:
        return ()
    owners = dict.fromkeys(name.partition("[")[0] for name, unique in zip(system.rows, found.unique, strict=True) if not unique)
    names = some(list(owners), NAMED)
    loops = "the loops that are closed by " if system.in_joint_coordinates else ""
    rows = "1 constraint row is" if count == 1 else f"{count} constraint rows are"
    return (f"{rows} redundant: the reactions of {loops}{names} are not determined, the shortest are given",)


def open_friction(system: System, found: Redundancy, loaded: Mapping[str, Collection[str]]) -> list[str]:
    """The joints whose friction is loaded by rows that are not unique; `loaded` has these rows by the name of the joint."""
    left = {name for name, unique in zip(system.rows, found.unique, strict=True) if not unique}
    return [joint for joint, rows in loaded.items() if not left.isdisjoint(rows)]


def said_of_open_friction(joints: list[str]) -> str:
    """Why the friction of these joints is not known."""
    return f"the friction of {some(joints, NAMED)} depends on reactions that redundant constraints leave open"


def _dependencies(U: Floats) -> tuple[NDArray[np.bool_], list[list[int]]]:
    """Which rows of C depend on no others, and those that do in groups, from an orthonormal basis (m, rank) of its columns.

    I - U U' projects on the left null space. It is zero in the row of what depends on nothing, and falls into the blocks of rows that
    depend on each other and on no others.
    """
    unique = 1.0 - np.einsum("ij,ij->i", U, U) < DEPENDS**2
    rows = np.flatnonzero(~unique)
    if not rows.size:
        return unique, []
    linked = np.abs(U[rows] @ U[rows].T) > DEPENDS
    linked |= linked.T
    left, groups = np.ones(len(rows), bool), list[list[int]]()
    while left.any():  # SciPy would take longer to import than a short run takes
        group, new = np.zeros(len(rows), bool), np.arange(len(rows)) == np.argmax(left)
        while new.any():
            group |= new
            new = linked[new].any(axis=0) & ~group
        left &= ~group
        groups.append(rows[group].tolist())
    return unique, groups


def _merge_connected(circuits: np.ndarray, names: list[str]) -> list[list[str]]:
    """The rows of circuits (k, m) that share some, merged."""
    groups: list[set[int]] = []
    for circuit in circuits:
        rows = {int(i) for i in np.flatnonzero(circuit)}
        for group in [g for g in groups if g & rows]:
            rows |= group
            groups.remove(group)
        groups.append(rows)
    return [[names[i] for i in sorted(group)] for group in sorted(groups, key=min)]
