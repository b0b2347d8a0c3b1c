"""What is seen of meshes from a camera: which one is in front at each place of the picture, and the edges that show.

A raster of depths says what hides what. An edge shows where two faces meet at an angle, or where one face ends, and nothing is in front of
it; and where the surface turns away from the viewer and something farther away, or nothing, is behind it. Nothing is asked of the order of
corners, because files of meshes often have it wrong.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mbsim.saddle.graph import Partition
from mbsim.scene.meshes import Mesh
from mbsim.scene.read import Floats

Indices = NDArray[np.int64]
ACROSS = 1000  # cells along the larger side of the picture
AT_ONCE = 4_000_000  # cells that are filled at once
SAME = 1e-6  # of the size of a mesh: corners that are nearer are one
SHARP = -np.cos(np.deg2rad(35.0))  # cosine between two faces, as seen from their edge, above which it is drawn
JUMP = 4.0  # cells of depth behind a surface that turns away
SLACK = 1.5  # cells of depth that an edge may lie behind its own faces
LOOKS_APART = 2.0  # cells between two looks at whether an edge is hidden
SPECK = 9.0  # cells; connected edges that together are smaller are not drawn
THIN = 0.8  # cells between two corners of a drawn line
NONE = -1


class Outline(NamedTuple):
    """What is seen of some meshes, in the plane of the picture."""

    owner: Indices  # (rows, columns) which mesh is in front in the middle of a cell; NONE
    corner: Floats  # (2,) of the first cell, m
    cell: float  # m
    lines: list[list[Floats]]  # of each mesh: lines (k, 2), m


def outline(meshes: Sequence[Mesh]) -> Outline | None:
    """What is seen of meshes whose vertices are (right, up, towards the viewer), m. None of meshes without extent."""
    vertices = [mesh.vertices for mesh in meshes if len(mesh.faces)]
    if not vertices:
        return None
    low = np.min([points[:, :2].min(axis=0) for points in vertices], axis=0)
    high = np.max([points[:, :2].max(axis=0) for points in vertices], axis=0)
    cell = float((high - low).max()) / ACROSS
    if not cell > 0.0:
        return None
    corner = low - 2.0 * cell
    columns, rows = np.ceil((high - corner) / cell).astype(int) + 2
    scaled = [_in_cells(mesh, corner, cell) for mesh in meshes]
    depth, owner = _raster(scaled, int(rows), int(columns))
    behind = _farthest(depth)
    lines = [[corner + cell * line for line in _lines(mesh, behind)] for mesh in scaled]
    return Outline(owner, corner, cell, lines)


def _in_cells(mesh: Mesh, corner: Floats, cell: float) -> Mesh:
    """With one vertex at each place, in cells of the raster; without faces that are no triangles."""
    points = np.column_stack([mesh.vertices[:, :2] - corner, mesh.vertices[:, 2]]) / cell
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    places = np.round(points / max(SAME * size, 1e-300)).astype(np.int64)
    _, first, number = np.unique(places, axis=0, return_index=True, return_inverse=True)
    faces = number.reshape(-1)[mesh.faces.reshape(-1, 3)]
    whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return Mesh(points[first], faces[whole])


# the raster


def _raster(meshes: Sequence[Mesh], rows: int, columns: int) -> tuple[Floats, Indices]:
    """The depth that is nearest to the viewer in the middle of each cell, -inf where there is none, and the mesh it is of."""
    depth = np.full(rows * columns, -np.inf)
    owner = np.full(rows * columns, NONE)
    for number, mesh in enumerate(meshes):
        for place, deep in _cells(mesh, columns):
            before = depth[place]
            np.maximum.at(depth, place, deep)
            owner[place[depth[place] > before]] = number
    return depth.reshape(rows, columns), owner.reshape(rows, columns)


def _cells(mesh: Mesh, columns: int) -> Iterator[tuple[Indices, Floats]]:
    """The cells whose middle lies in a triangle, and its depth there, for parts of the mesh."""
    corners = mesh.vertices[mesh.faces]  # (n, 3, 3)
    first = np.ceil(corners[:, :, 1].min(axis=1) - 0.5).astype(np.int64)
    last = np.floor(corners[:, :, 1].max(axis=1) - 0.5).astype(np.int64)
    for part in _parts(np.maximum(last - first + 1, 0)):
        triangle, step = _count_up(np.maximum(last - first + 1, 0)[part])
        triangle += part.start
        row = first[triangle] + step
        left, right = _span(corners[triangle], row + 0.5)
        begin, end = np.ceil(left - 0.5).astype(np.int64), np.floor(right - 0.5).astype(np.int64)
        wide = np.maximum(end - begin + 1, 0)
        for inner in _parts(wide):
            line, along = _count_up(wide[inner])
            line += inner.start
            column = begin[line] + along
            yield row[line] * columns + column, _depth(corners, triangle[line], column + 0.5, row[line] + 0.5)


def _parts(sizes: Indices) -> Iterator[slice]:
    """Slices of what is so large, each of which is small enough to be held."""
    ends = np.cumsum(sizes)
    begin = 0
    while begin < len(sizes):
        done = int(ends[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(ends, done + AT_ONCE, side="right")), begin + 1)
        yield slice(begin, end)
        begin = end


def _count_up(counts: Indices) -> tuple[Indices, Indices]:
    """0, 0, 0, 1, 1, ... as often as counted, and 0, 1, 2, 0, 1, ..."""
    whose = np.repeat(np.arange(len(counts)), counts)
    return whose, np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)


def _span(corners: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Where triangles (n, 3, 3) begin and end on the lines at y (n,)."""
    left, right = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    for k in range(3):
        a, b = corners[:, k], corners[:, (k + 1) % 3]
        crossed = (np.minimum(a[:, 1], b[:, 1]) <= y) & (y <= np.maximum(a[:, 1], b[:, 1])) & (a[:, 1] != b[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            x = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
        left = np.where(crossed, np.minimum(left, x), left)
        right = np.where(crossed, np.maximum(right, x), right)
    return np.where(left <= right, left, 0.0), np.where(left <= right, right, -1.0)


def _depth(corners: Floats, triangle: Indices, x: object, y: object) -> Floats:
    """The depth of the planes of triangles at (x, y), between those of their corners."""
    a, u, w = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]
    area = np.where(np.abs(area) > 1e-12, area, np.inf)  # seen from the side: as deep as its first corner
    by_x = (u[:, 2] * w[:, 1] - w[:, 2] * u[:, 1]) / area
    by_y = (w[:, 2] * u[:, 0] - u[:, 2] * w[:, 0]) / area
    deep = a[triangle, 2] + by_x[triangle] * (x - a[triangle, 0]) + by_y[triangle] * (y - a[triangle, 1])
    low, high = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
    found: Floats = np.clip(deep, low[triangle], high[triangle])
    return found


def _farthest(depth: Floats) -> Floats:
    """The depth farthest from the viewer among each cell and the eight around it."""
    found = depth
    for axis in (0, 1):
        before, after = np.roll(found, 1, axis=axis), np.roll(found, -1, axis=axis)
        found = np.minimum(np.minimum(before, after), found)
    return found


# the edges


def _lines(mesh: Mesh, behind: Floats) -> list[Floats]:
    """The lines (k, 2) of a mesh that are seen, in cells. `behind`: what `_farthest` says."""
    ends, sharp = _edges(mesh)
    if not len(ends):
        return []
    a, b = mesh.vertices[ends[:, 0]], mesh.vertices[ends[:, 1]]
    edge, parts = _count_up(np.ceil(np.linalg.norm((b - a)[:, :2], axis=1) / LOOKS_APART).astype(np.int64).clip(1, 100_000))
    count = np.bincount(edge, minlength=len(ends))
    at = a[edge] + (b - a)[edge] * ((parts + 0.5) / count[edge])[:, None]
    farthest = behind[at[:, 1].astype(int), at[:, 0].astype(int)]
    seen = np.where(sharp[edge], at[:, 2] >= farthest - SLACK, at[:, 2] >= farthest + JUMP)
    hidden = np.bincount(edge, ~seen, minlength=len(ends))
    whole = hidden == 0
    some = (hidden < count) & ~whole
    begins = np.cumsum(count) - count
    found = [mesh.vertices[line, :2] for line in _chains(ends[whole])]
    for k in np.flatnonzero(some).tolist():
        found += _pieces(a[k, :2], b[k, :2], seen[begins[k] : begins[k] + count[k]])
    return [thinned for line in _without_specks(found) if len(thinned := _thin(line)) > 1]


def _edges(mesh: Mesh) -> tuple[Indices, NDArray[np.bool_]]:
    """The edges (n, 2) that may be seen, and whether they are sharp or free: the others are where the surface turns away."""
    faces = mesh.faces
    pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    other = np.concatenate([faces[:, 2], faces[:, 0], faces[:, 1]])
    pairs = np.sort(pairs, axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, other = pairs[order], other[order]
    new = np.concatenate([[True], (pairs[1:] != pairs[:-1]).any(axis=1)]) if len(pairs) else np.zeros(0, bool)
    first = np.flatnonzero(new)
    count = np.diff(np.concatenate([first, [len(pairs)]]))
    ends = pairs[first]
    sharp = count != 2
    twice = first[count == 2]
    a, b = mesh.vertices[pairs[twice, 0]], mesh.vertices[pairs[twice, 1]]
    along = b - a
    length = np.einsum("ij,ij->i", along, along).clip(1e-300)

    def out(of: Indices) -> Floats:
        """Directions from the edge into a face."""
        arm = mesh.vertices[of] - a
        away = arm - along * (np.einsum("ij,ij->i", arm, along) / length)[:, None]
        found: Floats = away / np.linalg.norm(away, axis=1, keepdims=True).clip(1e-300)
        return found

    def side(of: Indices) -> Floats:
        arm = mesh.vertices[of] - a
        found: Floats = along[:, 0] * arm[:, 1] - along[:, 1] * arm[:, 0]
        return found

    one, two = other[twice], other[twice + 1]
    sharp[count == 2] = np.einsum("ij,ij->i", out(one), out(two)) > SHARP
    folded = np.zeros(len(ends), bool)
    folded[count == 2] = side(one) * side(two) >= 0.0
    wanted = sharp | folded
    return ends[wanted], sharp[wanted]


def _chains(ends: Indices) -> list[list[int]]:
    """Edges (n, 2) as lines of vertices, from one place where not exactly two meet to another, or all around."""
    at: dict[int, list[int]] = {}
    for k, (a, b) in enumerate(ends.tolist()):
        at.setdefault(a, []).append(k)
        at.setdefault(b, []).append(k)
    pairs, used, found = ends.tolist(), [False] * len(ends), []
    for start in sorted(at, key=lambda v: len(at[v]) == 2):  # round lines last
        for k in at[start]:
            if used[k]:
                continue
            line, edge = [start], k
            while not used[edge]:
                used[edge] = True
                a, b = pairs[edge]
                line.append(b if a == line[-1] else a)
                here = at[line[-1]]
                if len(here) == 2:
                    edge = here[1] if here[0] == edge else here[0]
            found.append(line)
    return found


def _pieces(a: Floats, b: Floats, seen: NDArray[np.bool_]) -> list[Floats]:
    """The parts of an edge that are seen."""
    steps = np.diff(np.concatenate([[0], seen.astype(int), [0]]))
    begins, ends = np.flatnonzero(steps == 1) / len(seen), np.flatnonzero(steps == -1) / len(seen)
    return [np.array([a + begin * (b - a), a + end * (b - a)]) for begin, end in zip(begins, ends, strict=True)]


def _without_specks(lines: list[Floats]) -> list[Floats]:
    """Without what hangs together and is smaller than a speck."""
    whose: dict[tuple[float, float], int] = {}
    together = Partition()
    for k, line in enumerate(lines):
        for x, y in (line[0].tolist(), line[-1].tolist()):
            key = round(x, 3), round(y, 3)
            if key in whose:
                together.join(k, whose[key])
            else:
                whose[key] = k
    boxes: dict[Hashable, list[Floats]] = {}
    for k, line in enumerate(lines):
        boxes.setdefault(together.root(k), []).extend([line.min(axis=0), line.max(axis=0)])
    large = {k for k, box in boxes.items() if np.ptp(box, axis=0).max() >= SPECK}
    return [line for k, line in enumerate(lines) if together.root(k) in large]


def _thin(line: Floats) -> Floats:
    """Without corners that lie so close to the last one that nobody sees them."""
    kept = [0]
    points = line.tolist()
    for k in range(1, len(points) - 1):
        (x, y), (u, v) = points[kept[-1]], points[k]
        if (x - u) ** 2 + (y - v) ** 2 >= THIN**2:
            kept.append(k)
    found: Floats = line[[*kept, len(points) - 1]]
    return found
