"""Volumes, centres and moments of inertia of solids. Closed forms of homogeneous bodies, and those of closed meshes by trimesh."""

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MESHES = (".stl", ".obj", ".glb", ".dae")
LARGEST_FILE = 200_000_000  # bytes
_MATERIALS = re.compile(rb"^[ \t]*(?:usemtl|mtllib|o|g|s)(?:[ \t][^\r\n]*)?\r?$", re.MULTILINE)  # lines of an OBJ file
_STL_HEAD = 84  # bytes, the last four the number of triangles
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class Solid(NamedTuple):
    """Mass properties at density 1, in the axes of the solid's own frame."""

    volume: float  # m^3
    centre: Floats  # (3,) m
    inertia: Floats  # (3, 3) about the centre, m^5

    def moved(self, place: Sequence[float], rotation: Sequence[Sequence[float]] | Floats) -> "Solid":
        """The same in a frame in which its own frame is turned by `rotation` (3, 3) and lies at `place` (3,)."""
        R = np.asarray(rotation)
        return Solid(self.volume, np.asarray(place) + R @ self.centre, R @ self.inertia @ R.T)


def together(solids: Sequence[Solid]) -> Solid:
    """Solids in one frame as one; where two overlap, both count."""
    volume = sum(solid.volume for solid in solids)
    if not volume > 0.0:  # too small for double precision
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = np.sum([solid.volume * solid.centre for solid in solids], axis=0) / volume
    inertia = np.zeros((3, 3))
    for solid in solids:
        arm = solid.centre - centre
        inertia += solid.inertia + solid.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Solid(volume, centre, inertia)


def _about_axes(volume: float, x: float, y: float, z: float) -> Solid:
    """A solid whose centre is its origin, with mean squares x, y, z of the coordinates of its points (m^2) and no products."""
    return Solid(volume, np.zeros(3), volume * np.diag([y + z, z + x, x + y]))


def box(size: Sequence[float]) -> Solid:
    """A cuboid of edges (3,)."""
    x, y, z = size
    return _about_axes(x * y * z, x * x / 12.0, y * y / 12.0, z * z / 12.0)


def cylinder(radius: float, length: float) -> Solid:
    """A cylinder about z."""
    square = radius * radius / 4.0
    return _about_axes(np.pi * radius**2 * length, square, square, length * length / 12.0)


def sphere(radius: float) -> Solid:
    """A ball."""
    square = radius * radius / 5.0
    return _about_axes(4.0 / 3.0 * np.pi * radius**3, square, square, square)


def capsule(radius: float, length: float) -> Solid:
    """A cylinder about z of this length with half balls on its ends."""
    tube, ball = cylinder(radius, length), sphere(radius)
    # Half a ball reaches 3/8 radius from its face on the average, and its mean square there is that of the ball.
    z = 0.25 * length**2 + 3.0 / 8.0 * length * radius
    ends = ball.inertia + ball.volume * np.diag([z, z, 0.0])
    return Solid(tube.volume + ball.volume, np.zeros(3), tube.inertia + ends)


def plate(polygon: Sequence[Sequence[float]], thickness: float) -> Solid:
    """A prism of a polygon in the x-y plane, half of it below and half above; the order of the corners may be either."""
    p = np.array(polygon, float)
    shift = p.mean(axis=0)  # so that a plate far from the origin loses no digits
    x, y = (p - shift).T
    u, w = np.roll(x, -1), np.roll(y, -1)
    cross = x * w - u * y
    area = 0.5 * cross.sum()
    if area == 0.0:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = np.array([((x + u) * cross).sum(), ((y + w) * cross).sum()]) / (6.0 * area)
    xx, yy = ((x * x + x * u + u * u) * cross).sum() / 12.0, ((y * y + y * w + w * w) * cross).sum() / 12.0
    xy = ((x * w + 2.0 * x * y + 2.0 * u * w + u * y) * cross).sum() / 24.0
    sign = np.sign(area)
    squares = (centre[0] ** 2, centre[1] ** 2, centre[0] * centre[1])
    xx, yy, xy = (sign * s - abs(area) * c for s, c in zip((xx, yy, xy), squares, strict=True))
    volume, z = abs(area) * thickness, abs(area) * thickness**2 / 12.0
    inertia = thickness * np.array([[yy + z, -xy, 0.0], [-xy, xx + z, 0.0], [0.0, 0.0, xx + yy]])
    return Solid(float(volume), np.array([*(centre + shift), 0.0]), inertia)


def convex(points: Sequence[Sequence[float]]) -> Solid:
    """The convex hull of points (n, 3): a sum over the tetrahedra from its centre to its triangles."""
    from mbsim.model.hulls import hull_of

    found = hull_of(points)
    middle = found.corners.mean(axis=0)
    a = found.corners[found.triangles] - middle  # (m, 3, 3)
    volumes = np.einsum("ti,ti->t", a[:, 0], np.cross(a[:, 1], a[:, 2])) / 6.0
    volume = float(volumes.sum())
    centre = np.einsum("t,tci->i", volumes, a) / (4.0 * volume)
    # of a tetrahedron with a corner at the origin: the integral of x x' is V/20 (sum of a a' + (sum of a) (sum of a)')
    total = a.sum(axis=1)
    squares = (np.einsum("t,tci,tcj->ij", volumes, a, a) + np.einsum("t,ti,tj->ij", volumes, total, total)) / 20.0
    squares -= volume * np.outer(centre, centre)
    return Solid(volume, middle + centre, np.trace(squares) * np.eye(3) - squares)


def crossing(polygon: Sequence[Sequence[float]]) -> tuple[int, int] | None:
    """Two sides of a polygon that cross or touch though they are not neighbours, by the numbers of their first corners."""
    p = np.array(polygon, float)
    n, q = len(p), np.roll(p, -1, axis=0)
    for i in range(n - 2):
        j = np.arange(i + 2, n if i else n - 1)
        one, other = _side(p[i], q[i], p[j]) * _side(p[i], q[i], q[j]), _side(p[j], q[j], p[i]) * _side(p[j], q[j], q[i])
        found = np.flatnonzero((one <= 0.0) & (other <= 0.0) & _overlap(p[i], q[i], p[j], q[j]))
        if found.size:
            return i, int(j[found[0]])
    return None


def _side(a: Floats, b: Floats, c: Floats) -> Floats:
    """On which side of the line from a to b the points c are."""
    d, e = b - a, c - a
    return np.asarray(d[..., 0] * e[..., 1] - d[..., 1] * e[..., 0])


def _overlap(a: Floats, b: Floats, c: Floats, d: Floats) -> NDArray[np.bool_]:
    """Whether the boxes around two sides touch."""
    return np.asarray(np.all((np.minimum(a, b) <= np.maximum(c, d)) & (np.minimum(c, d) <= np.maximum(a, b)), axis=-1), bool)


def check_mesh(path: Path) -> None:
    """Raise ValueError where there is no file of a mesh."""
    if path.suffix.lower() not in MESHES:
        raise ValueError(f"{path.name}: a mesh is a file {', '.join(MESHES)}")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ValueError(f"cannot read the mesh {path}: {(error.strerror or str(error)).lower()}") from None
    if not path.is_file() or not 0 < size <= LARGEST_FILE:
        raise ValueError(f"{path} is not a file of a mesh of at most {LARGEST_FILE // 1_000_000} MB")


def mesh(path: Path, scale: Sequence[float]) -> Solid:
    """The solid inside the closed mesh of a file whose coordinates times `scale` (3,) are metres. Raises ValueError."""
    check_mesh(path)
    found = read_mesh(path)
    found.apply_scale(list(scale))
    if not len(found.faces):
        raise ValueError(f"the mesh {path} has no faces")
    if not found.is_watertight:
        raise ValueError(f"the mesh {path} is not closed, so it has no volume; close it, or give `mass` and `inertia` instead of `density`")
    if not found.is_winding_consistent:
        raise ValueError(f"the faces of the mesh {path} are not oriented alike, so its inside is not known")
    if found.volume < 0.0:
        found.invert()
    properties = found.mass_properties
    volume = float(properties.volume)
    if not 0.0 < volume < np.inf:
        raise ValueError(f"the mesh {path} has no volume")
    return Solid(volume, np.array(properties.center_mass, float), np.array(properties.inertia, float))


def hull(path: Path, scale: Sequence[float], most: int) -> list[list[float]]:
    """The corners (3,) of the convex hull of a mesh, m, sorted. Raises ValueError where these are more than `most`, or it has no volume."""
    from scipy.spatial import ConvexHull, QhullError  # not needed by other models

    check_mesh(path)
    vertices = np.asarray(read_mesh(path).vertices, float) * np.asarray(scale)
    try:
        corners = vertices[ConvexHull(vertices).vertices]
    except (QhullError, ValueError):
        raise ValueError(f"the mesh {path} has no volume: it has no corners that touch; give `points`") from None
    if len(corners) > most:
        raise ValueError(f"the convex hull of {path} has {len(corners)} corners, and at most {most} are taken: give `points` of the body")
    return sorted(corners.tolist())


def _corners_of_stl(path: Path) -> Floats | None:
    """The corners (m, 3, 3) of the triangles of a binary STL file, but for those without an area, of which a file may be full.

    None of another file. Raises OSError.
    """
    with path.open("rb") as file:
        count = int.from_bytes(file.read(_STL_HEAD)[_STL_HEAD - 4 :], "little")
    if path.stat().st_size != _STL_HEAD + count * _STL.itemsize:
        return None
    corners = np.memmap(path, _STL, "r", _STL_HEAD, (count,))["corners"] if count else np.zeros((0, 3, 3))
    flat = np.zeros(count, bool)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        flat |= np.all([corners[:, a, k] == corners[:, b, k] for k in range(3)], axis=0)
    return np.asarray(corners[~flat], float)


def _without_materials(path: Path) -> io.BytesIO:
    """An OBJ file without its materials and groups, for each of which trimesh goes through all vertices again. Raises OSError."""
    return io.BytesIO(_MATERIALS.sub(b"", path.read_bytes()))


def read_mesh(path: Path) -> Any:
    """The file as one trimesh.Trimesh, its vertices merged. Raises ValueError for what is no mesh."""
    import logging

    import trimesh  # half a second; it comes with viser

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)  # it reports what is raised here
    try:
        if path.suffix.lower() == ".dae":
            from mbsim.model.collada import read_collada

            return trimesh.Trimesh(*read_collada(path), process=True)
        corners = _corners_of_stl(path) if path.suffix.lower() == ".stl" else None
        if corners is not None:
            found = trimesh.Trimesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), process=True)
        else:
            given: Any = _without_materials(path) if path.suffix.lower() == ".obj" else path
            found = trimesh.load(given, file_type=path.suffix[1:].lower(), force="mesh", process=True, skip_materials=True)
    except Exception as error:  # its readers raise what they stumble over
        raise ValueError(f"{path} is not a mesh: {str(error)[:200] or type(error).__name__}") from None
    if not isinstance(found, trimesh.Trimesh):
        raise ValueError(f"{path} is not a mesh of triangles")
    return found
