"""Files of the matrices of elastic parts: HDF5 of our own, Matrix Market, CalculiX's .mas, .sti and .dof, and Abaqus's .mtx."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from mbsim.model.abaqus_files import is_abaqus, read_abaqus
from mbsim.model.elastic_reduction import Floats, Integers, Part, PartError

KEYS = ("nodes", "mass", "stiffness", "dofs", "lines")
STRESSES = 6  # xx, yy, zz, xy, yz, zx
MOST = 1_000_000  # degrees of freedom


def read_hdf5(path: Path) -> tuple[Part, dict[str, Integers]]:
    """A part and the nodes of its interfaces from a file whose layout docs/model-file/elastic-parts.md has. Raises PartError."""
    import h5py

    try:
        with h5py.File(path, "r") as file:
            missing = [key for key in KEYS[:3] if key not in file]
            if missing:
                raise PartError(f"{path.name} has no '{missing[0]}'; needed: {', '.join(KEYS[:3])}")
            nodes = np.asarray(file["nodes"], float)
            mass, stiffness = (_hdf5_matrix(file[key], key) for key in ("mass", "stiffness"))
            dofs = np.asarray(file["dofs"], np.int64) if "dofs" in file else None
            lines = np.asarray(file["lines"], np.int64) if "lines" in file else None
            group = file.get("interfaces", {})
            stress = _hdf5_rows(file["stress"], "stress") if "stress" in file else None
            points = _names(file["stress_points"]) if "stress_points" in file else None
            spots = np.asarray(file["stress_nodes"], np.int64).ravel().tolist() if "stress_nodes" in file else []
            interfaces = {name: np.asarray(group[name], np.int64).ravel() for name in group}
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, PartError):
            raise
        raise PartError(f"{path.name} cannot be read as HDF5 of an elastic part: {str(error)[:200]}") from None
    part = made(nodes, mass, stiffness, dofs, lines)
    return (part if stress is None else with_stresses(part, stress, points, spots)), interfaces


def _hdf5_matrix(item: object, key: str) -> csc_array:
    """A dense data set, or a group with the arrays of a sparse matrix by rows."""
    import h5py

    if isinstance(item, h5py.Dataset):
        dense = np.asarray(item, float)
        if dense.ndim != 2:
            raise PartError(f"'{key}' is no matrix")
        return csc_array(dense)
    if not isinstance(item, h5py.Group) or any(name not in item for name in ("row", "column", "value")):
        raise PartError(f"'{key}' is neither a matrix nor a group with row, column and value")
    row, column = (np.asarray(item[name], np.int64) for name in ("row", "column"))
    return _sparse(row, column, np.asarray(item["value"], float), key)


def _hdf5_rows(item: Any, key: str) -> csc_array:
    """A matrix that need not be square: a dense data set (p, 6, N) or (6 p, N), or a group with row, column, value and its `shape`."""
    import h5py

    if isinstance(item, h5py.Dataset):
        dense = np.asarray(item, float)
        if dense.ndim not in (2, 3):
            raise PartError(f"'{key}' is no matrix")
        return csc_array(dense.reshape(-1, dense.shape[-1]))
    if any(name not in item for name in ("row", "column", "value", "shape")):
        raise PartError(f"'{key}' is neither a matrix nor a group with row, column, value and shape")
    row, column = (np.asarray(item[name], np.int64) for name in ("row", "column"))
    shape = tuple(np.asarray(item["shape"], np.int64).ravel().tolist())
    return csc_array(coo_array((np.asarray(item["value"], float), (row, column)), shape=shape))


def _names(item: Any) -> list[str]:
    return [one.decode() if isinstance(one, bytes) else str(one) for one in np.asarray(item).ravel().tolist()]


def with_stresses(part: Part, stress: csc_array, points: list[str] | None, spots: list[int]) -> Part:
    """The part with a matrix (6 p, N) from its degrees of freedom to stresses at p points, which have names, and nodes or none.

    Raises PartError.
    """
    count = stress.shape[0] // STRESSES
    if stress.shape != (STRESSES * count, len(part.dofs)) or not count:
        raise PartError(f"'stress' is {stress.shape[0]} x {stress.shape[1]}: expected six rows a point and {len(part.dofs)} columns")
    if not np.isfinite(stress.data).all():
        raise PartError("'stress' has entries that are not finite")
    names = [str(k + 1) for k in range(count)] if points is None else points
    if len(names) != count or len(set(names)) < count or not all(names):
        raise PartError(f"'stress_points' are {len(names)} names of {count} points: each needs one of its own")
    if spots and (len(spots) != count or not 0 <= min(spots) <= max(spots) < len(part.nodes)):
        raise PartError(f"'stress_nodes' are {len(spots)} numbers of {count} points: each needs one from 0 to {len(part.nodes) - 1}")
    return replace(part, stress=stress, points=tuple(names), at_nodes=tuple(spots))


def _sparse(row: NDArray[np.int64], column: NDArray[np.int64], value: Floats, key: str) -> csc_array:
    if not len(row) == len(column) == len(value) or not len(row):
        raise PartError(f"'{key}' has no entries, or rows, columns and values of different lengths")
    n = int(max(row.max(), column.max())) + 1
    if min(row.min(), column.min()) < 0 or n > MOST:
        raise PartError(f"'{key}' has entries outside of a matrix of at most {MOST} rows")
    return csc_array(coo_array((value, (row, column)), shape=(n, n)))


def read_nodes(path: Path) -> tuple[Floats, list[int]]:
    """Places (n, 3) and numbers of nodes: lines `number, x, y, z`, separated by commas or blanks; # or ** begins a comment.

    Of a file with keywords of Abaqus and CalculiX (`*NODE`) it is the lines of those. Raises PartError.
    """
    numbers, places = [], []
    lines = [line.partition("#")[0].partition("**")[0].strip() for line in _lines(path)]
    reads = not any(line.startswith("*") for line in lines)
    for at, line in enumerate(lines, 1):
        if line.startswith("*"):
            reads = line.partition(",")[0].strip().lower() == "*node"
            continue
        words = line.replace(",", " ").split()
        if not words or not reads:
            continue
        try:
            numbers.append(int(words[0]))
            places.append([float(word) for word in words[1:]])
            if len(places[-1]) != 3 or not np.isfinite(places[-1]).all():
                raise ValueError
        except ValueError:
            raise PartError(f"{path.name}, line {at}: expected a number and three coordinates (got {line[:60]})") from None
    if not numbers or len(set(numbers)) < len(numbers):
        raise PartError(f"{path.name} has no nodes, or a node twice")
    return np.array(places), numbers


def read_matrix_market(path: Path) -> csc_array:
    """A matrix. Raises PartError."""
    from scipy.io import mmread

    try:
        return csc_array(mmread(path))
    except (OSError, ValueError, TypeError, OverflowError) as error:
        raise PartError(f"{path.name} cannot be read as Matrix Market: {str(error)[:200]}") from None


def read_matrices(files: Mapping[str, Path], numbers: list[int]) -> tuple[csc_array, csc_array, Integers | None]:
    """Mass, stiffness and degrees of freedom of a part whose nodes have these numbers, from `mass`, `stiffness`, `dofs`. Raises PartError.

    CalculiX has .mas and .sti; .mtx is Matrix Market or Abaqus.
    """
    dofs = read_dofs(files["dofs"], numbers) if "dofs" in files else None
    abaqus = [key for key in ("mass", "stiffness") if is_abaqus(files[key])]
    if len(abaqus) == 1:
        raise PartError(f"{files[abaqus[0]].name} is a matrix of Abaqus, and the other one is not: give both in one format")
    if abaqus:
        found = read_abaqus(files["mass"], files["stiffness"], numbers)
        if dofs is not None and found.dofs is not None:
            raise PartError(f"{files['dofs'].name} is not needed: these matrices name their nodes and directions; leave out `dofs`")
        return found.mass, found.stiffness, dofs if found.dofs is None else found.dofs
    mass, stiffness = (read_matrix(files[key]) for key in ("mass", "stiffness"))
    return mass, stiffness, dofs


def read_matrix(path: Path) -> csc_array:
    """A matrix: of CalculiX (.mas, .sti), else Matrix Market. Raises PartError."""
    return read_calculix(path) if path.suffix.lower() in (".mas", ".sti") else read_matrix_market(path)


def interface_names(path: Path) -> list[str]:
    """The interfaces of an HDF5 file; none where it cannot be read, which is said where the part is read."""
    import h5py

    try:
        with h5py.File(path, "r") as file:
            return list(file.get("interfaces", {}))
    except (OSError, AttributeError, TypeError):
        return []


def read_calculix(path: Path) -> csc_array:
    """A matrix of CalculiX: lines `row column value`, from 1 on, one triangle. Raises PartError."""
    entries = _numbers(path, 3)
    row, column = (entries[:, c].astype(np.int64) - 1 for c in (0, 1))
    off = row != column
    rows, columns = np.concatenate([row, column[off]]), np.concatenate([column, row[off]])
    return _sparse(rows, columns, np.concatenate([entries[:, 2], entries[off, 2]]), path.name)


def read_dofs(path: Path, numbers: list[int]) -> Integers:
    """(N, 2) of CalculiX's list of degrees of freedom, `node.direction` a line, direction from 1 on. Raises PartError."""
    index = {number: k for k, number in enumerate(numbers)}
    found = []
    for at, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        node, _, direction = line.strip().partition(".")
        if not (node.isdecimal() and direction.isdecimal() and int(node) in index and 1 <= int(direction) <= 6):
            raise PartError(f"{path.name}, line {at}: expected node.direction of a node that is given (got {line.strip()[:40]})")
        found.append((index[int(node)], int(direction) - 1))
    return np.array(found, np.int64).reshape(-1, 2)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PartError(f"{path.name} cannot be read: {str(error)[:200]}") from None


def _numbers(path: Path, width: int) -> Floats:
    try:
        found = np.loadtxt(path, ndmin=2)
    except (OSError, ValueError) as error:
        raise PartError(f"{path.name} cannot be read: {str(error)[:200]}") from None
    if found.shape[1:] != (width,) or not len(found):
        raise PartError(f"{path.name}: expected {width} numbers a line")
    return found


def made(nodes: Floats, mass: csc_array, stiffness: csc_array, dofs: Integers | None, lines: Integers | None) -> Part:
    """The part; without `dofs` all nodes have three of them, or six. Raises PartError where sizes disagree."""
    if nodes.ndim != 2 or nodes.shape[1] != 3 or not np.isfinite(nodes).all():
        raise PartError("the nodes are not places (n, 3)")
    if mass.shape != stiffness.shape or mass.shape[0] != mass.shape[1]:
        shapes = [" x ".join(map(str, matrix.shape)) for matrix in (mass, stiffness)]
        raise PartError(f"the mass matrix is {shapes[0]} and the stiffness matrix {shapes[1]}")
    n = len(nodes)
    if dofs is None:
        per = mass.shape[0] // max(n, 1)
        if per not in (3, 6) or per * n != mass.shape[0]:
            raise PartError(f"{n} nodes and matrices of {mass.shape[0]} rows: expected 3 or 6 rows a node, or a list of `dofs`")
        dofs = np.array([(k, c) for k in range(n) for c in range(per)], np.int64)
    if dofs.ndim != 2 or dofs.shape[1] != 2 or len(dofs) != mass.shape[0]:
        raise PartError(f"there are {len(dofs)} degrees of freedom and matrices of {mass.shape[0]} rows")
    if dofs[:, 0].min() < 0 or dofs[:, 0].max() >= n or dofs[:, 1].min() < 0 or dofs[:, 1].max() > 5:
        raise PartError("the degrees of freedom name a node or a direction that there is not")
    if len({*map(tuple, dofs.tolist())}) < len(dofs):
        raise PartError("a degree of freedom is listed twice")
    lines = np.zeros((0, 2), np.int64) if lines is None else lines
    if lines.ndim != 2 or lines.shape[1] != 2 or (lines.size and (lines.min() < 0 or lines.max() >= n)):
        raise PartError("the lines are not pairs of nodes")
    return Part(nodes, dofs, mass, stiffness, lines)
