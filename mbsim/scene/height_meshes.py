"""Meshes of the part of a given surface over which something rolls."""

import numpy as np

from mbsim.scene import meshes
from mbsim.scene.heights import Floats, Height

PIECES = 60  # of a side of a mesh


def sheet(height: Height, low: Floats, high: Floats, thick: float) -> meshes.Mesh:
    """The surface over the rectangle from `low` to `high` (2,), with its underside."""
    x, y = np.meshgrid(*(np.linspace(a, b, PIECES + 1) for a, b in zip(low, high, strict=True)), indexing="ij")
    z = height.at(x, y)
    n = PIECES + 1
    corner = (np.arange(PIECES)[:, None] * n + np.arange(PIECES)).ravel()
    quads = np.column_stack([corner, corner + n, corner + n + 1, corner + 1])
    top = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    top = top[np.isfinite(z.ravel()[top]).all(axis=1)]
    points = np.column_stack([x.ravel(), y.ravel(), np.nan_to_num(z.ravel())])
    under = meshes.Mesh(points - [0.0, 0.0, thick], top[:, ::-1])
    return meshes.join(meshes.Mesh(points, top), under)


def lines(height: Height, low: Floats, high: Floats, step: float, half: float) -> meshes.Mesh:
    """Lines on it at whole multiples of `step` along x and y, 2 `half` wide."""
    pieces = []
    for k in (0, 1):
        along = np.linspace(low[1 - k], high[1 - k], PIECES + 1)
        for at in step * np.arange(np.ceil(low[k] / step), np.floor(high[k] / step) + 0.5):
            flat = [np.full_like(along, at), along] if k == 0 else [along, np.full_like(along, at)]
            z = height.at(*flat)
            aside = np.array([half, 0.0, 0.0]) if k == 0 else np.array([0.0, half, 0.0])
            middle = np.column_stack([*flat, np.nan_to_num(z)])
            pieces.append(_band(middle - aside, middle + aside, np.isfinite(z), k == 1))
    return meshes.join(*pieces) if pieces else meshes.Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64))


def strip(height: Height, low: Floats, high: Floats, thick: float) -> meshes.Mesh:
    """A line of a planar mechanism over x from low[0] to high[0], as wide as from low[1] to high[1] along z."""
    x = np.linspace(low[0], high[0], 4 * PIECES + 1)
    y = height.at(x, np.zeros_like(x))
    there = np.isfinite(y)
    edges = [np.column_stack([x, np.nan_to_num(y) - down, np.full_like(x, z)]) for down in (0.0, thick) for z in (low[1], high[1])]
    pairs = ((0, 1), (1, 3), (3, 2), (2, 0))
    return meshes.join(*(_band(edges[a], edges[b], there, False) for a, b in pairs))


def _band(first: Floats, second: Floats, there: Floats, flipped: bool) -> meshes.Mesh:
    """Between two rows of points (n, 3), where both ends of a piece are `there`."""
    n = len(first)
    k = np.flatnonzero(there[:-1] & there[1:])
    faces = np.concatenate([np.column_stack([k, k + n, k + n + 1]), np.column_stack([k, k + n + 1, k + 1])])
    return meshes.Mesh(np.concatenate([first, second]), faces[:, ::-1] if flipped else faces)
