"""OBJ files as MuJoCo reads them, with tinyobjloader (https://github.com/tinyobjloader/tinyobjloader): the triangles of their polygons.

Corners of a polygon need not be in one plane, and the `legacy` inertia of MuJoCo counts every tetrahedron as positive. So its mass depends
on where a polygon is cut. A quadrilateral is cut along its shorter diagonal. Of a polygon with more corners ears are cut off, from the
first corner on, as it looks along that global axis to which it is most nearly square. Polygons with more than 100 corners are left out. All
of it is decided in single precision. Observed of MuJoCo 4.0, triangle by triangle.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.importers.urdf_elements import Floats
from mbsim.model import solids

MOST_CORNERS = 100
Singles = NDArray[np.float32]
Indices = NDArray[np.int64]


def read_obj(path: Path) -> tuple[Floats, Indices]:
    """Vertices (n, 3) in single precision, and triangles (m, 3). Raises ValueError."""
    solids.check_mesh(path)
    try:
        corners, polygons = _parse(path)
        vertices = np.array(corners, np.float32).reshape(-1, 3)
    except (ValueError, OverflowError):
        raise ValueError(f"{path} is not a mesh") from None
    faces = {n: np.array(places, int).reshape(-1, n) for n, places in polygons.items()}
    if not faces or not np.isfinite(vertices).all() or any(f.min() < 0 or f.max() >= len(vertices) for f in faces.values()):
        raise ValueError(f"{path} is not a mesh")
    sized = {n: places for n, places in faces.items() if n <= MOST_CORNERS}
    triangles, quads = sized.pop(3, np.zeros((0, 3), int)), sized.pop(4, np.zeros((0, 4), int))
    return vertices.astype(float), np.concatenate([triangles, _halves(quads, vertices), *_ears(sized, vertices)])


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file; one that ends with a backslash goes on in the next."""
    before = ""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.endswith("\\\n"):
                before += line[:-2] + " "
                continue
            yield before + line
            before = ""
    yield before


def _parse(path: Path) -> tuple["array[float]", dict[int, "array[int]"]]:
    """The coordinates of the vertices, and by number of corners the places of the corners of polygons. Raises ValueError.

    One number after the other: lists of them would be some ten times as large as the file.
    """
    corners, polygons = array("d"), dict[int, "array[int]"]()
    for line in _lines(path):
        word, *rest = line.split(None, 1)[:2] or [""]
        if word == "v":
            x, y, z = (float(x) for x in (rest[0].split()[:3] if rest else ()))
            corners.extend((x, y, z))
        elif word == "f" and rest:
            face = [int(item.partition("/")[0]) for item in rest[0].partition("#")[0].split()]
            if len(face) > 2:  # negative numbers count from the last vertex that was given
                polygons.setdefault(len(face), array("q")).extend(k - 1 if k > 0 else len(corners) // 3 + k for k in face)
    return corners, polygons


def _halves(quads: Indices, vertices: Singles) -> Indices:
    """The two triangles of each quadrilateral (n, 4)."""
    p = vertices[quads]
    shorter = ((p[:, 2] - p[:, 0]) ** 2).sum(axis=1) < ((p[:, 3] - p[:, 1]) ** 2).sum(axis=1)
    return np.where(shorter[:, None], quads[:, [0, 1, 2, 0, 2, 3]], quads[:, [0, 1, 3, 1, 2, 3]]).reshape(-1, 3)


class _Open(NamedTuple):
    """Polygons with n corners each that are still to be cut, beginning with the corner at which the next ear is tried."""

    faces: Indices  # (k, n) vertices
    x: Singles  # (k, n) in the plane in which they are looked at
    y: Singles
    first: Indices  # (k,) place of the first corner in the list that the cutting goes along

    def of(self, chosen: NDArray[np.bool_]) -> "_Open":
        return _Open(self.faces[chosen], self.x[chosen], self.y[chosen], self.first[chosen])

    def after(self, corners: list[int], first: Indices) -> "_Open":
        """With these corners, in this order."""
        return _Open(self.faces[:, corners], self.x[:, corners], self.y[:, corners], first)


def _ears(sized: Mapping[int, Indices], vertices: Singles) -> Iterator[Indices]:
    """The ears of polygons, by their number of corners. Where none is found on a way around a polygon the rest of it is left out."""
    left: list[_Open] = []
    for n in range(max(sized, default=0), 3, -1):
        waiting = [(_join(left), False)] if left else []
        waiting += [(_looked_at(sized[n], vertices), True)] if n in sized else []
        left = []
        for polygons, whole in waiting:
            for turn in range(n):
                if not len(polygons.faces):
                    break
                ear = _is_ear(polygons)
                yield polygons.faces[ear, :3]
                cut, last = polygons.of(ear), polygons.first[ear] == n - 1
                if not (whole and turn == n - 1):  # of a whole polygon the rest is left out if its first ear is at the last corner
                    left.append(cut.of(~last).after([0, *range(2, n)], cut.first[~last]))
                    left.append(cut.of(last).after([*range(2, n), 0], np.zeros(last.sum(), int)))
                polygons = polygons.of(~ear)
                polygons = polygons.after([*range(1, n), 0], (polygons.first + 1) % n)
    yield from (polygons.faces for polygons in left if polygons.faces.shape[1] == 3)


def _join(polygons: Sequence[_Open]) -> _Open:
    """As one."""
    faces, x, y, first = zip(*polygons, strict=True)
    return _Open(np.concatenate(faces), np.concatenate(x), np.concatenate(y), np.concatenate(first))


def _looked_at(faces: Indices, vertices: Singles) -> _Open:
    """Whole polygons (k, n), in the plane across the axis that each is most nearly square to at its first corner that is not straight."""
    p = vertices[faces]
    e = np.roll(p, -1, axis=1) - p
    size = np.abs(np.cross(e, np.roll(e, -1, axis=1)))
    turns = np.any(size > np.finfo(np.float32).eps, axis=2)
    x, y, z = size[np.arange(len(faces)), turns.argmax(axis=1)].T
    along_x, along_z = ((x > y) & (x > z)) | ~turns.any(axis=1), (z > x) & (z > y)
    across = np.where(along_x[:, None], [1, 2], np.where(along_z[:, None], [0, 1], [0, 2]))
    seen = np.take_along_axis(p, across[:, None, :], axis=2)
    return _Open(faces, seen[..., 0], seen[..., 1], np.zeros(len(faces), int))


def _is_ear(polygons: _Open) -> NDArray[np.bool_]:
    """(k,) whether the first three corners of each are an ear: a corner that turns outwards, with none of the others inside."""
    x, y = polygons.x, polygons.y
    turn = (x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 1]) - (y[:, 1] - y[:, 0]) * (x[:, 2] - x[:, 1])
    about_origin = (x[:, 0] * y[:, 1] - y[:, 0] * x[:, 1]) * np.float32(0.5)
    inside = np.zeros(x[:, 3:].shape, bool)
    for i, j in ((0, 2), (1, 0), (2, 1)):  # a line to the right from an inner corner meets one of the sides
        (xi, yi), (xj, yj) = ((x[:, m, None], y[:, m, None]) for m in (i, j))
        with np.errstate(all="ignore"):
            meets = x[:, 3:] < (xj - xi) * (y[:, 3:] - yi) / (yj - yi) + xi
        inside ^= ((yi > y[:, 3:]) != (yj > y[:, 3:])) & meets
    return ~((turn * about_origin < 0.0) | inside.any(axis=1))
