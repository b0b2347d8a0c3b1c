"""Meshes of MJCF: their triangles as MuJoCo reads them from a file, and the mass properties that it gives them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mbsim.importers.mjcf_obj import read_obj
from mbsim.importers.urdf_elements import Floats
from mbsim.model import solids
from mbsim.model.solids import Solid

LEAST_VOLUME = 1e-15  # m^3: MuJoCo refuses smaller meshes
MESH_INERTIA = ("legacy", "exact", "convex", "shell")


@dataclass(frozen=True)
class Mesh:
    """A mesh of the section <asset>."""

    path: Path
    scale: Floats  # (3,)
    place: Floats  # (3,) subtracted from the vertices, then
    R: Floats  # (3, 3) the frame that they are given in, turned back; then they are scaled
    inertia: str

    @property
    def moved(self) -> bool:
        """Whether its vertices are not those of the file, scaled."""
        return bool(self.place.any() or (np.eye(3) != self.R).any())

    @cached_property
    def solid(self) -> Solid:
        """Its mass properties at density 1, in its own frame. Raises ValueError."""
        found = self._read()
        if self.inertia == "convex":
            found = found.convex_hull
        vertices = self._placed(found)
        faces = vertices[np.asarray(found.faces)]  # (faces, corner, xyz)
        solid = _shell(faces) if self.inertia == "shell" else _fill(faces, self.inertia == "legacy")
        if not solid.volume > LEAST_VOLUME:
            raise ValueError(f"the mesh {self.path.name} has too little volume ({solid.volume:.3g} m^3)")
        return solid

    @cached_property
    def vertices(self) -> Floats:
        """(n, 3) in its own frame, m. Raises ValueError."""
        return self._placed(self._read())

    def _placed(self, found: Any) -> Floats:
        return ((np.asarray(found.vertices, float) - self.place) @ self.R) * self.scale

    def _read(self) -> Any:
        """The file as one trimesh.Trimesh. Raises ValueError."""
        kind = self.path.suffix.lower()
        if kind == ".msh":
            return _read_msh(self.path)
        if kind == ".obj":
            import trimesh

            return trimesh.Trimesh(*read_obj(self.path), process=False)
        solids.check_mesh(self.path)
        return solids.read_mesh(self.path)


def _read_msh(path: Path) -> Any:
    """The file in MuJoCo's old binary format as one trimesh.Trimesh. Raises ValueError."""
    import trimesh

    try:
        raw = path.read_bytes() if path.stat().st_size <= solids.LARGEST_FILE else b""
    except OSError as error:
        raise ValueError(f"cannot read the mesh {path}: {(error.strerror or str(error)).lower()}") from None
    if len(raw) < 16:
        raise ValueError(f"{path} is not a mesh")
    vertices, normals, textures, faces = np.frombuffer(raw[:16], "<i4").astype(int).tolist()
    first = 16 + 4 * (3 * vertices + 3 * normals + 2 * textures)
    if min(vertices, normals, textures, faces) < 0 or len(raw) != first + 12 * faces:
        raise ValueError(f"{path} is not a mesh")
    corners = np.frombuffer(raw[16 : 16 + 12 * vertices], "<f4").reshape(-1, 3).astype(float)
    triangles = np.frombuffer(raw[first:], "<i4").reshape(-1, 3)
    if not len(triangles) or triangles.min() < 0 or triangles.max() >= vertices or not np.isfinite(corners).all():
        raise ValueError(f"{path} is not a mesh")
    return trimesh.Trimesh(corners, triangles, process=False)


def _fill(faces: Floats, legacy: bool) -> Solid:
    """Tetrahedra from the centre of the faces, and again from the centre of mass; `legacy`: all of them count as positive."""
    middle = faces.mean(axis=1)
    normal = 0.5 * np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])  # times the area
    area = np.linalg.norm(normal, axis=1)
    start = (area @ middle) / max(float(area.sum()), np.finfo(float).tiny)
    volumes = np.einsum("fi,fi->f", faces[:, 0] - start, normal) / 3.0
    volumes = np.abs(volumes) if legacy else volumes
    whole = float(volumes.sum())
    centre = start + (volumes @ (0.75 * (middle - start))) / (whole if whole else 1.0)
    corners = faces - centre
    volumes = np.einsum("fi,fi->f", corners[:, 0], normal) / 3.0
    volumes = np.abs(volumes) if legacy else volumes
    total = corners.sum(axis=1)
    squares = np.einsum("f,fci,fcj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, total, total)
    squares /= 20.0
    whole = float(volumes.sum())  # that from the centre of mass, which differs where the mesh is not convex
    sign = -1.0 if whole < 0.0 else 1.0  # the inside is outside
    return Solid(sign * whole, centre, sign * (np.trace(squares) * np.eye(3) - squares))


def _shell(faces: Floats) -> Solid:
    """Mass on the surface only: the `volume` is the area."""
    area = 0.5 * np.linalg.norm(np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), axis=1)
    centre = (area @ faces.mean(axis=1)) / max(float(area.sum()), np.finfo(float).tiny)
    corners = faces - centre
    total = corners.sum(axis=1)
    squares = (np.einsum("f,fci,fcj->ij", area, corners, corners) + np.einsum("f,fi,fj->ij", area, total, total)) / 12.0
    return Solid(float(area.sum()), centre, np.trace(squares) * np.eye(3) - squares)
