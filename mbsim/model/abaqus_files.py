"""Matrices as Abaqus writes them by *MATRIX OUTPUT: a line `row node, direction, column node, direction, value` of each entry.

This is its FORMAT=MATRIX INPUT, the default, and LABELS. FORMAT=COORDINATE has `row, column, value` in place of it. A symmetric matrix
comes as a triangle or whole.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, csc_array

from mbsim.model.elastic_reduction import Floats, Integers, PartError

HEADER = "%%matrixmarket"
LABELLED, PLAIN = 5, 3  # numbers a line
DIRECTIONS = 6
HELD = 1e30  # N/m: what a diagonal has in the place of a degree of freedom that is held (1e36)


class Matrices(NamedTuple):
    """Those of one part, and the node and the direction of each row, from 0 on; None where the files do not tell them."""

    mass: csc_array
    stiffness: csc_array
    dofs: Integers | None  # (N, 2)


def is_abaqus(path: Path) -> bool:
    """Whether a file is a matrix of Abaqus: it ends in .mtx, and is none of Matrix Market, whose files do, too."""
    if path.suffix.lower() != ".mtx":
        return False
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return not file.readline().strip().lower().startswith(HEADER)
    except OSError:
        return False  # which is said where the file is read


def read_abaqus(mass: Path, stiffness: Path, numbers: list[int]) -> Matrices:
    """Both matrices of a part whose nodes have these numbers. Raises PartError."""
    heavy, stiff = _lines(mass), _lines(stiffness)
    if heavy.shape[1] != stiff.shape[1]:
        raise PartError(f"{mass.name} has {heavy.shape[1]} numbers a line and {stiffness.name} {stiff.shape[1]}: give both in one format")
    if heavy.shape[1] == PLAIN:
        size = int(max(entries[:, :2].max() for entries in (heavy, stiff)))
        plain = [_whole(e[:, 0] - 1, e[:, 1] - 1, e[:, 2], size, path) for e, path in ((heavy, mass), (stiff, stiffness))]
        return Matrices(plain[0], plain[1], None)
    index = {number: k for k, number in enumerate(numbers)}
    codes = [_codes(entries, path, index) for entries, path in ((heavy, mass), (stiff, stiffness))]
    known = np.unique(np.concatenate([both.ravel() for both in codes]))
    pairs = zip(codes, (heavy, stiff), (mass, stiffness), strict=True)
    places = ((np.searchsorted(known, both), entries[:, -1], path) for both, entries, path in pairs)
    found = [_whole(at[0], at[1], value, len(known), path) for at, value, path in places]
    return Matrices(found[0], found[1], np.stack([known // DIRECTIONS, known % DIRECTIONS], axis=1))


def _lines(path: Path) -> Floats:
    """The numbers of a file, (k, 3) or (k, 5). Raises PartError."""
    found, width = [], 0
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PartError(f"{path.name} cannot be read: {str(error)[:200]}") from None
    for at, line in enumerate(text.splitlines(), 1):
        words = line.replace(",", " ").split()
        if not words or words[0].startswith("*"):
            continue
        width = width or len(words)
        try:
            if width not in (PLAIN, LABELLED) or len(words) != width:
                raise ValueError
            places, value = [int(word) for word in words[:-1]], float(words[-1].replace("D", "E").replace("d", "e"))
            if not np.isfinite(value):
                raise ValueError
        except ValueError:
            expected = "`node, direction, node, direction, value` or `row, column, value`"
            raise PartError(f"{path.name}, line {at}: expected {expected}, all lines alike (got {line.strip()[:60]})") from None
        found.append([*places, value])
    if not found:
        raise PartError(f"{path.name} has no entries")
    return np.array(found, float)


def _codes(entries: Floats, path: Path, index: Mapping[int, int]) -> Integers:
    """(2, k) of rows and columns: their node, from 0 on, times six, and their direction. Raises PartError."""
    found = []
    for node, direction in ((0, 1), (2, 3)):
        nodes, directions = entries[:, node].astype(np.int64), entries[:, direction].astype(np.int64)
        for number in np.unique(nodes).tolist():
            if number not in index:
                inner = "; numbers below 1 are nodes inside of elements, which a part cannot have" if number < 1 else ""
                raise PartError(f"{path.name} has the node {number}, and the list of nodes has not{inner}")
        if directions.min() < 1 or directions.max() > DIRECTIONS:
            wrong = directions[(directions < 1) | (directions > DIRECTIONS)][0]
            raise PartError(f"{path.name} has the direction {wrong}: expected 1 to 3 along and 4 to 6 about x, y, z")
        found.append(DIRECTIONS * np.array([index[number] for number in nodes.tolist()], np.int64) + directions - 1)
    return np.stack(found)


def _whole(row: Floats | Integers, column: Floats | Integers, value: Floats, size: int, path: Path) -> csc_array:
    """A symmetric matrix of these entries, of which those across the diagonal may be missing. Raises PartError."""
    row, column = np.asarray(row, np.int64), np.asarray(column, np.int64)
    if row.min() < 0 or column.min() < 0:
        raise PartError(f"{path.name} has a row or a column below 1")
    if np.any((row == column) & (np.abs(value) >= HELD)):
        raise PartError(
            f"{path.name} has {HELD:g} or more on its diagonal, as Abaqus writes where a degree of freedom is held: "
            "the matrices are to be those of the free part, without *BOUNDARY"
        )
    found = csc_array(coo_array((value, (row, column)), shape=(size, size)))
    there = csc_array(coo_array((np.ones(len(row)), (row, column)), shape=(size, size))) != 0
    alone = found - found.multiply(there.T)
    return csc_array(found + alone.T)
