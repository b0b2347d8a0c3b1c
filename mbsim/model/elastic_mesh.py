"""Matrices of an elastic part from a mesh of tetrahedra: linear elasticity with quadratic shape functions, by scikit-fem.

What meshio reads, such as .msh of Gmsh and .inp of Abaqus and CalculiX. Linear tetrahedra get nodes in the middles of their edges: those
of order 1 are far too stiff in bending. T. Gustafsson, G. D. McBain, scikit-fem: A Python package for finite element assembly, J. Open
Source Softw. 5 (2020) 2369.
"""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array
from scipy.spatial import cKDTree

from mbsim.model.elastic_mesh_stresses import stresses_at
from mbsim.model.elastic_reduction import Floats, Integers, Part, PartError
from mbsim.model.file.errors import did_you_mean

SOLIDS = ("tetra10", "tetra")
OTHERS = ("tetra", "hexahedron", "wedge", "pyramid", "polyhedron")  # how kinds of cells that fill space begin
EXTRA = "a mesh needs scikit-fem and meshio: pip install 'mbsim[flexible]'"


class Mesh(NamedTuple):
    """Tetrahedra and the sets of nodes that have names."""

    points: Floats  # (n, 3) m
    tetrahedra: Integers  # (e, 4 or 10) points: corners, then the middles of 01, 12, 02, 03, 13, 23
    sets: dict[str, Integers]  # numbers of points


def read_mesh(path: Path) -> Mesh:
    """The mesh in a file. Raises PartError."""
    try:
        found = path.stat()
    except OSError:
        raise PartError(f"there is no file {path}") from None
    return _read(path, (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=4)
def _read(path: Path, stamp: tuple[int, int]) -> Mesh:
    try:
        import meshio
    except ImportError:
        raise PartError(EXTRA) from None
    try:
        given = meshio.read(path)
    except (meshio.ReadError, ValueError, KeyError, IndexError, OSError, AttributeError, AssertionError, SystemExit) as error:
        raise PartError(f"{path.name} cannot be read as a mesh: {str(error)[:200]}") from None
    kind = next((kind for kind in SOLIDS if kind in given.cells_dict), None)
    if kind is None:
        kinds = ", ".join(sorted(given.cells_dict)) or "none"
        raise PartError(f"{path.name} has no tetrahedra (its cells: {kinds})")
    if others := sorted(other for other in given.cells_dict if other != kind and other.startswith(OTHERS)):
        raise PartError(f"{path.name} has cells of other kinds beside {kind}: {', '.join(others)}; give tetrahedra of one kind alone")
    points, cells = np.asarray(given.points, float), np.asarray(given.cells_dict[kind], np.int64)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise PartError(f"the points of {path.name} are not places (n, 3)")
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    turned = int((np.einsum("ei,ei->e", np.cross(b - a, c - a), d - a) <= 0.0).sum())
    if turned:
        raise PartError(f"{path.name} has {turned} tetrahedra that are turned inside out, or flat, of {len(cells)}")
    return Mesh(points, cells, _sets(given))


def _sets(given: Any) -> dict[str, Integers]:
    """Sets of points, and the points of named groups of cells on surfaces, lines and points."""
    found = {name: np.unique(np.asarray(listed, np.int64)) for name, listed in given.point_sets.items()}
    groups = {name: (tag, dimension) for name, (tag, dimension) in given.field_data.items() if dimension < 3}
    tags = given.cell_data_dict.get("gmsh:physical", {})
    for name, (tag, _) in groups.items():
        cells = [given.cells_dict[kind][np.asarray(own) == tag].ravel() for kind, own in tags.items() if kind not in SOLIDS]
        if cells:
            found[name] = np.unique(np.concatenate(cells).astype(np.int64))
    return {name: listed for name, listed in found.items() if len(listed)}


def assembled(mesh: Mesh, E: float, nu: float, density: float, stress: str | bool = False) -> tuple[Part, dict[str, Integers]]:
    """The part of this material (Pa, 1, kg/m^3), and the nodes of each named set. Raises PartError.

    `stress`: at which corners it is known: True, all those of the surface; or those of a named set.
    """
    try:
        from skfem import Basis, BilinearForm, ElementTetP2, ElementVector, MeshTet, MeshTet2
        from skfem.helpers import dot
        from skfem.models.elasticity import lame_parameters, linear_elasticity
    except ImportError:
        raise PartError(EXTRA) from None
    used, cells = np.unique(mesh.tetrahedra, return_inverse=True)
    cells = cells.reshape(len(mesh.tetrahedra), -1)
    points = np.ascontiguousarray(mesh.points[used].T)
    whole = MeshTet2(points, cells.T) if cells.shape[1] == 10 else MeshTet2.from_mesh(MeshTet(points, cells.T))
    element = ElementVector(ElementTetP2())
    stiff, heavy = Basis(whole, element, intorder=2), Basis(whole, element, intorder=4)

    inertia = BilinearForm(lambda u, v, w: density * dot(u, v))
    K, M = linear_elasticity(*lame_parameters(E, nu)).assemble(stiff), inertia.assemble(heavy)
    corners, middles = stiff.nodal_dofs.shape[1], stiff.edge_dofs.shape[1]
    dofs = np.zeros((K.shape[0], 2), np.int64)
    for c in range(3):
        dofs[stiff.nodal_dofs[c]] = np.stack([np.arange(corners), np.full(corners, c)], axis=1)
        dofs[stiff.edge_dofs[c]] = np.stack([corners + np.arange(middles), np.full(middles, c)], axis=1)
    nodes = np.concatenate([stiff.doflocs[:, stiff.nodal_dofs[0]].T, stiff.doflocs[:, stiff.edge_dofs[0]].T])
    faces = whole.facets[:, whole.boundary_facets()]
    lines = np.unique(np.sort(np.concatenate([faces[[0, 1]], faces[[1, 2]], faces[[0, 2]]], axis=1).T, axis=1), axis=0)
    part = Part(nodes, dofs, csc_array(M), csc_array(K), lines.astype(np.int64))
    sets = {name: _nodes(mesh, listed, nodes, corners, whole.edges.T) for name, listed in mesh.sets.items()}
    if stress is False:
        return part, sets
    if stress is not True and stress not in sets:
        raise PartError(f"stress: the mesh has no set {stress!r}{did_you_mean(str(stress), sets)}; it has {', '.join(sets) or 'none'}")
    chosen = np.unique(faces) if stress is True else sets[str(stress)][sets[str(stress)] < corners]
    matrix = stresses_at(whole, element, chosen, lame_parameters(E, nu))
    numbers = cKDTree(mesh.points).query(nodes[chosen])[1] + 1
    return replace(part, stress=matrix, points=tuple(map(str, numbers.tolist())), at_nodes=tuple(chosen.tolist())), sets


def _nodes(mesh: Mesh, listed: Integers, nodes: Floats, corners: int, edges: Integers) -> Integers:
    """The nodes at these points of the mesh, and those in the middles of edges between two of them."""
    away, found = cKDTree(nodes).query(mesh.points[listed])
    reach = float(np.ptp(mesh.points, axis=0).max())
    found = np.unique(found[away < 1e-9 * reach]).astype(np.int64)
    own = found[found < corners]
    between = corners + np.flatnonzero(np.isin(edges, own).all(axis=1))
    return np.union1d(found, between).astype(np.int64)
